"""METEOR's text normalization against substitutions on the whole line."""

import pickle
from random import Random
from typing import Any

import pytest

from rapidbleu import METEOR, WER
from rapidbleu.metrics.explaining import tokens_of
from rapidbleu.tokenizers.meteor import LANGUAGES, get_meteor_tokenizer
from reference.family.meteor_tokens import tokenize

PREFIXES = {"Mr": True, "a": True, "No": False, "bzw": True}
SYMBOLS = [
    *"aabcs c.,.'`,\\-\u2018\u2019\u201c\u201d\u2013\u2014\u202601 12  \t\v\f\r\n\u00e9\u00a0\u2003"
    "x.!?\"'--''\u00d7\u0416\u0520\u0530\u03a3\u0391\u6f22\ufffe\U0001f600\u017e\u017f",
    "U.S.",
    "Mr.",
    "No.",
    "...",
    "..",
    " '",
    "' ",
    "'s",
    ", ",
    "--",
]
LINES = [
    "",
    " ",
    ".",
    "..",
    "a..b",
    "a.",
    "U.S.",
    "U.S",
    "Mr. No. 5",
    "Mr. no. x",
    "a,b,c",
    "1,0,x,,y",
    "rock'n'roll don't 'tis 5's l'eau",
    "a-b-c -dash- --- \u2013",
    "``quoted''",
    "\u201cq\u201d",
    "DIE STRASSE",
    "\u039f\u0394\u03a5\u03a3\u03a3\u0395\u03a5\u03a3",
    "a\u00a0b",
    "end.\u00a0",
]


def random_lines(seed: str, n: int) -> list[str]:
    rng = Random(seed)
    return [*LINES, *("".join(rng.choices(SYMBOLS, k=rng.randint(0, 24))) for _ in range(n))]


def prepared(metric: WER, texts: Any) -> Any:
    """Return the token table: offsets, identities, and long tokens with their bytes."""
    return metric.prepare([texts])._prepared.__reduce__()[1][3:]


@pytest.mark.parametrize("language", LANGUAGES)
def test_scanner_finds_the_same_tokens(language: str) -> None:
    tokenizer = get_meteor_tokenizer(language, PREFIXES)
    metric = WER(tokenize=tokenizer)
    lines = random_lines(language, 1000)
    lines += [f"{chr(code)}a{chr(code)}. {chr(code)}" for code in range(0x3100)]
    expected = [tokenize(line, language, PREFIXES) for line in lines]
    assert prepared(metric, lines) == prepared(metric, expected)


def test_scanner_reads_every_character() -> None:
    metric = WER(tokenize=get_meteor_tokenizer("en", {}))
    blocks = [map(chr, range(first, first + 64)) for first in range(0, 0x110000, 64)]
    lines = ["".join(f"a{character}b {character}" for character in block) for block in blocks]
    expected = [tokenize(line, "en", {}) for line in lines]
    assert prepared(metric, lines) == prepared(metric, expected)


LETTERS = "aZ09\u00c0\u00d6\u00de\u00df\u00ff\u0130\u0131\u0178\u017e\u0400\u0451\u1d2c\u0527"


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_letters_and_digits(language: str) -> None:
    """They are separated without substitutions, eight bytes at a time, if nothing else is near."""
    metric = WER(tokenize=get_meteor_tokenizer(language, PREFIXES))
    rng = Random(language)
    marks = [
        *"@[`{/:.,'-\0\x01\v\x7f\u00d7\u00f7\u0080\u017f\u0528\ud800",
        "...",
        "No.",
        "''",
        "Mr.",
    ]
    lines = []
    for _ in range(1500):
        plain, mixed = LETTERS[: rng.choice([2, 4, 99])], LETTERS[:9] + rng.choice(LETTERS)
        words = [
            "".join(rng.choices(plain, k=rng.choice([1, 2, 7, 8, 9, 16, rng.randrange(1, 40)])))
            for _ in range(rng.randrange(9))
        ]
        for _ in range(rng.choice([0, 1, 2, 3])):
            other = rng.choice(marks).join(rng.choices([*mixed, ""], k=rng.randrange(1, 5)))
            words.insert(rng.randint(0, len(words)), other)
        lines.append(
            "".join(word + rng.choice([" ", " ", " ", "  ", "\t", " \x01"]) for word in words)
        )
    expected = [tokenize(line, language, PREFIXES) for line in lines]
    assert prepared(metric, lines) == prepared(metric, expected)


def test_long_words() -> None:
    metric = WER(tokenize=get_meteor_tokenizer("en", {}))
    lines, expected = [], []
    for n in (1000, 2**22):
        lines += [f"X {word * n} Y." for word in ("A", "A.", "\u0130")]
        expected += [["x", word * n, "y", "."] for word in ("a", "a", "i\u0307")]
    assert prepared(metric, lines) == prepared(metric, expected)


@pytest.mark.parametrize("language", LANGUAGES)
def test_tokens_are_those_of_the_substitutions(language: str) -> None:
    tokenizer = get_meteor_tokenizer(language, PREFIXES)
    for line in random_lines(language, 1000):
        assert tokenizer(line) == tokenize(line, language, PREFIXES), repr(line)


def test_every_character() -> None:
    tokenizer = get_meteor_tokenizer("en", {})
    for code in [*range(0x3000), *range(0xA600, 0xA700), *range(0xFE00, 0x10000), 0x1F600]:
        line = f"a{chr(code)}b {chr(code)}"
        assert tokenizer(line) == tokenize(line, "en", {}), hex(code)


def test_prefixes_keep_their_dots() -> None:
    tokenizer = get_meteor_tokenizer("en", PREFIXES)
    assert tokenizer("Mr. X met No. 5, no. six.") == [
        "mr.",
        "x",
        "met",
        "no.",
        "5",
        ",",
        "no.",
        "six",
        ".",
    ]
    assert get_meteor_tokenizer("en", {})("Mr. X") == ["mr", ".", "x"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_lowercasing_text_again_changes_nothing(language: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    tokenizer = get_meteor_tokenizer(language, PREFIXES)
    lines = [*random_lines(language, 300), "He left. Mr. Smith, of No. 5. And \u0130. \u00c4."]
    for metric, lower in [
        (WER(tokenize=tokenizer), WER(tokenize=tokenizer, lowercase=True)),
        (
            METEOR(language=language, modules=["exact"]),
            METEOR(language=language, modules=["exact"], lowercase=True),
        ),
    ]:
        expected = prepared(metric, lines)
        assert prepared(lower, lines) == expected
        assert prepared(lower, pyarrow.array(lines)) == expected
        assert [tokens_of(lower, line) for line in lines] == [
            tokens_of(metric, line) for line in lines
        ]
        assert prepared(lower, [["He", "\u00c4"]]) == prepared(metric, [["he", "\u00e4"]])
        assert tokens_of(lower, ["He"]) == ("he",)


def test_one_tokenizer_for_the_same_rules() -> None:
    tokenizer = get_meteor_tokenizer("de", PREFIXES)
    assert get_meteor_tokenizer("de", dict(PREFIXES)) is tokenizer
    assert pickle.loads(pickle.dumps(tokenizer)) is tokenizer
    assert get_meteor_tokenizer("de", {}) is not tokenizer
    assert tokenizer.signature().startswith("meteor-de-4-")
    with pytest.raises(ValueError, match=r"language: expected one of en, .* for the tokenizer"):
        get_meteor_tokenizer("it", {})
