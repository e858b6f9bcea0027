"""METEOR against a slow oracle, its program if installed, and the program's numbers."""

import gzip
import pickle
import unicodedata
import zipfile
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rapidbleu import METEOR
from rapidbleu.metrics.meteor import MeteorData, Synonyms, snowball_stemmer
from reference.family import meteor as oracle
from support.programs.meteor_program import MeteorProgram, program_stems

STEMS = {"cats": "cat", "walks": "walk", "walked": "walk", "weeks": "week", "weapons": "weapon"}
SETS = {"cat": [1, 7], "dog": [2, 7], "walk": [3], "run": [3, 4], "went": [4], "mat": [9]}
PHRASES = {
    "the cat": ["a cat", "it", "the animal"],
    "cat": ["animal", "the dog"],
    "walks to the": ["goes to", "walk to"],
    "it": ["the cat", "this thing here"],
    "a": ["the"],
    "on the mat": ["there", "on it"],
}
FUNCTION_WORDS = ["the", "a", "to"]
ENGLISH = (0.85, 0.2, 0.6, 0.75)
WORDS = [
    ["cat", "cats"],
    ["cat", "cats", "walk", "walks", "walked"],
    ["cat", "dog", "walk", "run", "went", "mat", "The", "A"],
    ["the", "cat", "a", "it", "animal", "dog", "walks", "to", "goes", "on", "mat", "there"],
    ["a very long word indeed", "cats", "\u00fcber", "\u6f22\u5b57\u6f22\u5b57", "\U0001f600" * 3],
]


def stem(word: str) -> str:
    return STEMS.get(word, word)


def sentence(rng: Random, words: list[str], longest: int) -> list[str]:
    return [rng.choice(words) for _ in range(rng.randint(0, longest))]


def corpus(seed: str, n: int, longest: int = 14) -> tuple[list[list[str]], list[list[list[str]]]]:
    rng = Random(seed)
    hyps, refs = [], []
    for _ in range(n):
        words = rng.choice(WORDS)
        hyps.append(sentence(rng, words, longest))
        refs.append([sentence(rng, words, longest) for _ in range(rng.choice([1, 1, 2, 3]))])
        if rng.random() < 0.1:
            refs[-1][-1] = list(hyps[-1])
    return hyps, refs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "function/english.words": "\n".join(FUNCTION_WORDS),
        "nonbreaking/english.prefixes": "# comment\nMr\nNo #NUMERIC_ONLY#\r\n",
        "nonbreaking/german.prefixes": "bzw\n",
        "synonym/english.synsets": "".join(
            f"{word}\n{' '.join(f'{number:08d}' for number in numbers)}\n"
            for word, numbers in SETS.items()
        ),
        "synonym/english.exceptions": "go\nwent gone\nrun\nran\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    lines = [f"0.5\n{key}\n{other}\n" for key, others in PHRASES.items() for other in others]
    (tmp_path / "data").mkdir()
    with gzip.open(tmp_path / "data" / "paraphrase-en.gz", "wt", encoding="utf-8") as file:
        file.write("".join(lines))
    return tmp_path


def expected_rows(
    hyps: list[list[str]],
    refs: list[list[list[str]]],
    modules: list[oracle.Module],
    weights: tuple[float, ...],
) -> tuple[list[list[int]], list[float]]:
    """Return rows, without the chunks of perfect segments, and scores of the best reference."""
    rows, scores = [], []
    for hyp, several in zip(hyps, refs, strict=True):
        own = [oracle.statistics(hyp, ref, modules, FUNCTION_WORDS) for ref in several]
        best = max(own, key=lambda row: oracle.score(row, ENGLISH, weights))
        scores.append(100 * oracle.score(best, ENGLISH, weights))
        best[20] -= oracle.is_perfect(best)
        rows.append(best)
    return rows, scores


def check(
    metric: METEOR,
    seed: str,
    modules: list[oracle.Module],
    weights: tuple[float, ...],
    n: int = 150,
) -> None:
    hyps, refs = corpus(seed, n)
    rows, scores = expected_rows(hyps, refs, modules, weights)
    assert metric.segment_stats(hyps, refs, layout="segment").tolist() == rows
    assert metric.segment_scores(hyps, refs, layout="segment").tolist() == scores
    total = [sum(column) for column in zip(*rows, strict=True)]
    whole = metric.corpus_score(hyps, refs, layout="segment")
    assert whole.score == 100 * oracle.score(total, ENGLISH, weights)
    assert [whole.chunks, whole.hyp_matches, whole.ref_matches] == total[20:]


def test_equal_words() -> None:
    metric = METEOR(modules=["exact"], function_words=FUNCTION_WORDS)
    check(metric, "exact", [oracle.exact()], (1.0,))


def test_stems() -> None:
    metric = METEOR(stem=stem, function_words=FUNCTION_WORDS)
    check(metric, "stems", [oracle.exact(), oracle.stem(stem)], (1.0, 0.6), 200)


def test_modules_in_any_order() -> None:
    metric = METEOR(modules=["stem", "exact"], stem=stem, function_words=FUNCTION_WORDS)
    check(metric, "order", [oracle.stem(stem), oracle.exact()], (1.0, 0.6))


def test_synonyms(folder: Path) -> None:
    metric = METEOR(modules=["exact", "stem", "synonym"], stem=stem, data=folder)
    sets = Synonyms(MeteorData(folder))
    modules = [oracle.exact(), oracle.stem(stem), oracle.synonym(sets)]
    check(metric, "synonyms", modules, (1.0, 0.6, 0.8))


def test_all_modules(folder: Path) -> None:
    metric = METEOR(stem=stem, data=folder)
    assert metric.modules == ("exact", "stem", "synonym", "paraphrase")
    sets = Synonyms(MeteorData(folder))
    modules = [oracle.exact(), oracle.stem(stem), oracle.synonym(sets), oracle.paraphrase(PHRASES)]
    check(metric, "all", modules, (1.0, 0.6, 0.8, 0.6), 200)


def test_paraphrases_first(folder: Path) -> None:
    metric = METEOR(modules=["paraphrase", "exact"], data=folder)
    check(metric, "phrases", [oracle.paraphrase(PHRASES), oracle.exact()], (1.0, 0.6))


def test_base_forms_have_synonyms(folder: Path) -> None:
    sets = Synonyms(MeteorData(folder))
    assert sets("cat") == sets("cats") == [1, 7]
    assert sets("walking") == sets("walks") == [3]
    assert sets("ran") == [3, 4]  # an exception
    assert sets("went") == [4]  # has sets of its own; its base form has none
    assert sets("mass") == sets("as") == sets("unknown") == []


def test_words_with_stems_take_part_in_no_chunk_of_their_own() -> None:
    metric = METEOR(stem=stem)
    row = metric.segment_stats([["cat", "run"]], [[["cats", "cats"]]])[0]
    assert row[21] == row[22] == 0


def test_longer_beams_would_find_more() -> None:
    """Where the oracle differs between 40 and 400 paths, the program agrees with 40."""
    rng, modules = Random("beam"), [oracle.exact(), oracle.stem(stem)]
    differ = 0
    for _ in range(8):
        hyp, ref = ([rng.choice(WORDS[1]) for _ in range(16)] for _ in range(2))
        row = oracle.statistics(hyp, ref, modules)
        found = METEOR(stem=stem).segment_stats([hyp], [[ref]])[0].tolist()
        assert found == row
        oracle.BEAM = 120
        differ += oracle.statistics(hyp, ref, modules) != row
        oracle.BEAM = 40
    assert differ


def test_long_texts() -> None:
    hyp, ref = (Random(k).choices(WORDS[1] + FUNCTION_WORDS, k=90) for k in range(2))
    metric = METEOR(stem=stem, function_words=FUNCTION_WORDS)
    modules = [oracle.exact(), oracle.stem(stem)]
    assert metric.segment_stats([hyp], [[ref]])[0].tolist() == oracle.statistics(
        hyp, ref, modules, FUNCTION_WORDS
    )


@pytest.mark.parametrize("n", [63, 64, 65, 128])
def test_lengths_near_a_word_of_bits(n: int) -> None:
    hyp, ref = (Random(f"{n}{side}").choices(WORDS[1] + FUNCTION_WORDS, k=n) for side in "hr")
    modules = [oracle.exact(), oracle.stem(stem)]
    found = METEOR(stem=stem).segment_stats([hyp, hyp[:9]], [[ref[:40], ref]])
    for row, pair in zip(found.tolist(), [(hyp, ref[:40]), (hyp[:9], ref)], strict=True):
        assert row == oracle.statistics(*pair, modules)


@pytest.mark.parametrize("n", [62, 63, 64, 65])
def test_first_and_last_word(n: int) -> None:
    hyp = ["a", *(f"word{i}" for i in range(n)), "a"]
    row = METEOR(modules=["exact"]).segment_stats([hyp], [[["a", "a"]]])[0]
    assert row[20:].tolist() == [2, 2, 2]


def test_alignments_of_small_and_large_texts(folder: Path) -> None:
    """Words without matches, at the end, make a text large and leave its alignment unchanged."""
    matches = slice(4, None)
    for modules in (None, ["exact"], ["paraphrase", "stem", "exact"]):
        options: Any = {"stem": stem} if modules != ["exact"] else {}
        metric = METEOR("2007", modules=modules, data=folder, **options)
        hyps, refs = corpus(f"small {modules}", 150, 40)
        longer = [[*hyp, *(f"{i}{i}" for i in range(70))] for hyp in hyps]
        hyps = [[*hyp, "other"] for hyp in hyps]  # equal texts need no more than one module
        for several in ([ref[:1] for ref in refs], [[ref[0] * 3] for ref in refs]):
            rows = metric.segment_stats(hyps, several, layout="segment")[:, matches]
            large = metric.segment_stats(longer, several, layout="segment")[:, matches]
            assert rows.tolist() == large.tolist()
            assert rows[:, -1].any()


def test_ranks_that_exceed_64_bits() -> None:
    """A text of few words and a reference of so many that no word can hold a rank."""
    hyp, ref = ["a", "b", "a"], ["b", "a"] * 200_000
    row = METEOR(modules=["exact"]).segment_stats([hyp], [[ref]])[0]
    assert row[20:].tolist() == [1, 3, 3]


ENGLISH_WORDS = ["a", "are", "be", "in", "on", "over", "the", "to", "two", "will"]  # of its list

PAIRS: list[tuple[str, list[str]]] = [
    ("the cat sat on the mat", ["the cat sat on the mat"]),
    ("on the mat the cat sat", ["the cat sat on the mat"]),
    (
        "in two weeks Iraq's weapons will give army",
        ["the Iraqi weapons are to be handed over to the army within two weeks"],
    ),
    ("cats", ["cat"]),
    ("cat run", ["cats cats"]),
    ("cat walks the", ["walk cats walk"]),
    ("walks walked walks", ["run walk walks"]),
    ("walked cats run", ["run walk"]),
    ("walked cat", ["cats cat run"]),
    ("walked walks cats the walked", ["walks walks walks walked walks"]),
    ("the cats walk", ["the cat walks", "cats walk the", "the dog"]),
    ("a b c", ["d e f"]),
    ("", ["a b"]),
    ("a b", [""]),
    ("", [""]),
]
IN_2014 = [
    1.0,
    0.5183550629438616,
    0.1748175375899431,
    0.6,
    0.0,
    0.19765641187130709,
    0.1333333333333333,
    0.29767441860465116,
    0.14035087719298242,
    0.19496720898870426,
    0.6571428571428571,
    0.0,
    0.0,
    0.0,
    0.0,
]
IN_2005 = {0: 1.0, 1: 0.9814814814814815, 2: 0.23554104477611937, 3: 1.0, 10: 1.0}


def test_numbers_of_the_program() -> None:
    metric = METEOR(stem=stem, function_words=ENGLISH_WORDS, tokenize="none")
    hyps, refs = [hyp for hyp, _ in PAIRS], [several for _, several in PAIRS]
    scores = metric.segment_scores(hyps, refs, layout="segment")
    assert scores.tolist() == pytest.approx([100 * score for score in IN_2014], rel=1e-15)
    assert metric.corpus_score(hyps, refs, layout="segment").score == pytest.approx(
        24.449729362650133, rel=1e-15
    )


def test_numbers_of_2005() -> None:
    """With the parameters of 2005 the program spares perfect segments, unlike the paper."""
    spares = METEOR(parameters=(0.9, 3.0, 0.5, 0.5), weights=(1, 1), stem=stem, tokenize="none")
    metric = METEOR("2005", stem=stem, tokenize="none")
    for k, expected in IN_2005.items():
        assert spares.sentence_score(*PAIRS[k]).score == pytest.approx(100 * expected, rel=1e-15)
    for hyp, refs in PAIRS:
        modules = [oracle.exact(), oracle.stem(stem)]
        paper = max(oracle.score_2005(hyp.split(), ref.split(), modules) for ref in refs)
        assert metric.sentence_score(hyp, refs).score == pytest.approx(100 * paper, rel=1e-14)


@pytest.mark.parametrize(
    ("pairs", "chunks", "expected"),
    [({"Iraq's": "Iraqi"}, 3, 0.332836), ({"give": "handed"}, 4, 0.277612)],
)
def test_lavie_aligns_five_words(pairs: dict[str, str], chunks: int, expected: float) -> None:
    """By stem or synonym; the lecture's (chunks - 1) / (matches - 1) is not the paper's formula."""
    metric = METEOR("2005", stem=lambda word: pairs.get(word, word), tokenize="none")
    score = metric.sentence_score(*PAIRS[2])
    assert (score.hyp_matches, score.ref_matches, score.chunks) == (5, 5, chunks)
    assert (score.precision, score.recall) == pytest.approx((62.5, 500 / 14))
    assert score.f == pytest.approx(37.31, abs=0.005)
    assert score.penalty == pytest.approx(0.5 * (chunks / 5) ** 3)
    assert score.score == pytest.approx(100 * expected, abs=1e-4)
    if chunks == 3:
        of_the_lecture = score.f * (1 - 0.5 * ((chunks - 1) / (5 - 1)) ** 3)
        assert of_the_lecture == pytest.approx(34.98, abs=0.005)


def test_numbers_of_2007() -> None:
    metric = METEOR("2007", stem=stem, tokenize="none")
    assert metric.parameters == (0.8, 0.83, 0.28, 0.5)
    assert metric.sentence_score(*PAIRS[0]).score == 100  # is perfect
    precision, recall = 4 / 8, 4 / 14
    f = 1 / (0.2 / precision + 0.8 / recall)
    expected = f * (1 - 0.28 * (3 / 4) ** 0.83)
    assert metric.sentence_score(*PAIRS[2]).score == pytest.approx(100 * expected, rel=1e-14)
    rows = metric.segment_stats([PAIRS[0][0]] * 2, [PAIRS[0][1] * 2])
    assert rows.sum(axis=0)[20] == 2  # its chunk still counts in sums


@pytest.mark.parametrize(
    ("language", "modules", "parameters", "weights"),
    [
        ("en", ("exact", "stem"), (0.85, 0.2, 0.6, 0.75), (1, 0.6)),
        ("cs", ("exact",), (0.95, 0.2, 0.6, 0.8), (1,)),
        ("de", ("exact", "stem"), (0.95, 1.0, 0.55, 0.55), (1, 0.8)),
        ("es", ("exact", "stem"), (0.65, 1.3, 0.5, 0.8), (1, 0.8)),
        ("fr", ("exact", "stem"), (0.9, 1.4, 0.6, 0.65), (1, 0.2)),
        ("ru", ("exact", "stem"), (0.75, 1.4, 0.7, 0.5), (1, 0.5)),
    ],
)
def test_presets(language: str, modules: Any, parameters: Any, weights: Any) -> None:
    metric = METEOR(language=language, stem=stem if "stem" in modules else None)
    assert metric.modules == modules
    assert metric.parameters == parameters
    assert metric.weights == weights


def test_snowball_stems() -> None:
    pytest.importorskip("Stemmer")
    of_word, name = snowball_stemmer("english")
    assert of_word("running") == "run"
    assert name.startswith("english-PyStemmer-")
    score = METEOR().sentence_score("He walks home", ["he walked home"])
    assert score.hyp_matches == 3
    with pytest.raises(ValueError, match=r"stem: expected a function, or one of .*; got 'klingon'"):
        METEOR(stem="klingon")


def test_stems_of_bytes_are_those_of_strings() -> None:
    """PyStemmer stems ASCII faster as bytes."""
    of_word = pytest.importorskip("Stemmer").Stemmer("german").stemWord
    words = [
        "H\u00e4user",
        "haus",
        "HAUS",
        "laufend",
        "l\u00e4uft",
        "lauf",
        "a\0en",
        "\u212a\u0130",
    ]
    words += ["Stra\u00dfen", "stra\u00dfe"]
    words += ["und", "Und", "\u212aein", "unbekannte"]
    options: Any = {
        "language": "de",
        "tokenize": "none",
        "function_words": ["und", "kein", "a\0en"],
    }
    hyps = [words, ["und"], ["Haus", "\ud800"]]
    refs = [words[::-1], ["Und"], ["haus", "und"]]
    rows = METEOR(**options).segment_stats(hyps[:2], [refs[:2]])
    assert (
        rows.tolist()
        == METEOR(stem=of_word, **options).segment_stats(hyps[:2], [refs[:2]]).tolist()
    )
    assert rows[0, 2] == 4
    for stemmer in ({}, {"stem": of_word}):
        with pytest.raises(UnicodeEncodeError):
            METEOR(**options, **stemmer).segment_stats(hyps, [refs])


def test_each_word_is_stemmed_once() -> None:
    asked: list[str] = []

    def remember(word: str) -> str:
        asked.append(word)
        return word

    metric = METEOR(stem=remember, tokenize="none")
    for _ in range(3):
        metric.corpus_score(["the cat the cat"] * 400, [["a cat"] * 400], threads=2)
    assert sorted(asked) == ["a", "cat", "the"]


def test_signature_and_copies(folder: Path) -> None:
    metric = METEOR(stem=stem, data=folder)
    assert metric.sentence_score("No. 5 Mr. Cat", ["No. 5 Mr. cat"]).score == 100
    signature = str(metric.get_signature())
    assert "|tok:meteor-en-2-" in signature
    assert "|mod:exact+stem+synonym+paraphrase|" in signature
    assert "|func:3-" in signature
    copy = pickle.loads(pickle.dumps(metric))
    hyps, refs = corpus("copies", 60)
    rows = metric.segment_stats(hyps, refs, layout="segment").tolist()
    assert copy.segment_stats(hyps, refs, layout="segment").tolist() == rows
    assert str(copy.get_signature()) == str(metric.get_signature())
    identities = [metric._make_label(), METEOR(stem=stem, data=folder)._make_label()]
    with gzip.open(folder / "data" / "paraphrase-en.gz", "at", encoding="utf-8") as file:
        file.write("0.5\ncat\ncats\n")
    identities.append(METEOR(stem=stem, data=folder)._make_label())
    (folder / "synonym" / "english.synsets").write_text("cat\n5\ndog\n5\n")
    identities.append(METEOR(stem=stem, data=folder)._make_label())
    assert identities[0] == identities[1] and len(set(identities)) == 3
    german = METEOR(language="de", modules=["exact"], data=folder)
    german.sentence_score("a", ["a"])
    assert "|tok:meteor-de-1-" in str(german.get_signature())


def test_data_in_a_jar(folder: Path) -> None:
    """The program and its data are a zip file; paraphrases are a separate file."""
    jar = folder / "meteor-1.5.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for path in folder.glob("*/english.*"):
            archive.write(path, path.relative_to(folder).as_posix())
    whole = METEOR(stem=stem, data=folder)
    hyps, refs = corpus("jar", 60)
    rows = whole.segment_stats(hyps, refs, layout="segment").tolist()
    for path in list(folder.glob("*/english.*")):
        path.unlink()
    for data in (jar, folder):
        metric = METEOR(stem=stem, data=data)
        assert metric.segment_stats(hyps, refs, layout="segment").tolist() == rows


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variant": "1.4"}, "variant: expected one of 1.5, 2007, 2005; got '1.4'"),
        ({"language": "xx"}, "language: expected one of en, .*; got 'xx'"),
        ({"variant": "2007", "language": "fi"}, "language: expected one of en, .* variant 2007"),
        ({"language": "it", "stem": stem}, "language: expected one of .* for the tokenizer"),
        ({"modules": ["exact", "exact"]}, "modules: expected different ones"),
        ({"modules": []}, "modules: expected different ones, at least one"),
        ({"modules": ["words"]}, "modules: expected one of exact, stem, .*; got 'words'"),
        ({"modules": ["synonym"]}, "data: expected the jar of METEOR 1.5, .*; got None"),
        ({"modules": ["stem"], "language": "cs"}, "stem: expected a stemmer, as 'cs' has none"),
        ({"modules": ["exact"], "weights": [1, 2]}, "weights: expected 1, one for each module"),
        ({"modules": ["exact"], "weights": [-1]}, r"weights\[0\]: expected 0 to 1000; got -1"),
        ({"parameters": (1, 2, 3)}, "parameters: expected alpha, beta, gamma, delta"),
        ({"parameters": (2, 1, 0, 0)}, "alpha: expected 0 to 1; got 2"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        METEOR(**{"stem": stem, **options} if "modules" not in options else options)


def test_function_words_are_strings() -> None:
    wrong: Iterable[Any]
    for wrong in ("the", [1]):
        with pytest.raises(TypeError, match="function_words: expected"):
            METEOR(stem=stem, function_words=wrong)


def test_stems_are_strings() -> None:
    metric = METEOR(stem=lambda word: None)  # type: ignore[arg-type, return-value]
    assert metric.sentence_score("", [""]).score == 0
    with pytest.raises(TypeError, match="stem: expected str for 'cat'; got NoneType"):
        metric.sentence_score("cat", ["cats"])
    metric = METEOR(stem=lambda word: len(word))  # type: ignore[arg-type, return-value]
    with pytest.raises(TypeError, match="stem: expected str for 'cat'; got int"):
        metric.sentence_score("cat", ["cats"])


def test_missing_data(folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"data: expected the jar .* at .*nowhere"):
        METEOR(stem=stem, data=folder / "nowhere")
    (folder / "data" / "paraphrase-en.gz").unlink()
    with pytest.raises(FileNotFoundError, match=r"paraphrase-en.gz.* leave 'paraphrase' out"):
        METEOR(stem=stem, data=folder)
    (folder / "synonym" / "english.synsets").unlink()
    with pytest.raises(FileNotFoundError, match=r"expected synonym/english.synsets in "):
        METEOR(data=folder, modules=["synonym"])
    with pytest.raises(FileNotFoundError, match=r"expected nonbreaking/french.prefixes in "):
        METEOR(stem=stem, data=folder, language="fr")
    (folder / "wrong.txt").write_text("no jar")
    with pytest.raises(ValueError, match=r"data: expected a jar or a folder; got .*wrong.txt"):
        METEOR(stem=stem, data=folder / "wrong.txt")


def test_broken_data(folder: Path) -> None:
    path = folder / "data" / "paraphrase-en.gz"
    for content, message in [
        (gzip.compress(b"0.5\na\n"), "expected three for each pair; got 2"),
        (gzip.compress(b"0\n" + b"a " * 40 + b"\nb\n"), "line 2: expected a phrase of at most 32"),
        (gzip.compress(b"0.5\na\nb\n")[:-9], "data: .*paraphrase-en.gz"),
        (b"text", "data: .*paraphrase-en.gz"),
    ]:
        path.write_bytes(content)
        with pytest.raises(ValueError, match=message):
            METEOR(stem=stem, data=folder)
    path.write_bytes(gzip.compress(b""))
    assert METEOR(stem=stem, data=folder).sentence_score("a cat", ["a cat"]).score == 100
    (folder / "function" / "english.words").write_bytes(b"\xff")
    with pytest.raises(ValueError, match=r"function/english.words in .*: expected UTF-8"):
        METEOR(stem=stem, data=folder)


needs_program = pytest.mark.skipif(
    MeteorProgram.path is None, reason="needs Java, and METEOR's jar in pycocoevalcap"
)


@needs_program
@pytest.mark.parametrize("modules", ["exact stem", "exact stem synonym"])
def test_rows_are_those_of_the_program(modules: str) -> None:
    hyps, refs = corpus("program", 200)
    texts = [" ".join(hyp) for hyp in hyps], [[" ".join(ref) for ref in refs_] for refs_ in refs]
    stems = program_stems({word for words in WORDS for text in words for word in text.split()})
    metric = METEOR(
        modules=modules.split(),
        stem=lambda word: stems.get(word, word),
        data=MeteorProgram.path,
        tokenize="none",
    )
    with MeteorProgram("-l", "en", "-m", modules) as program:
        expected = program.statistics(*texts)
        scores, whole = program.scores(expected)
    found = metric.segment_stats(*texts, layout="segment").tolist()
    assert found == [[*row[:20], row[20] - oracle.is_perfect(row), *row[21:]] for row in expected]
    marks = metric.segment_scores(*texts, layout="segment").tolist()
    assert marks == pytest.approx([100 * score for score in scores], rel=1e-15)
    assert metric.corpus_score(*texts, layout="segment").score == pytest.approx(
        100 * whole, rel=1e-15
    )


@needs_program
def test_normalized_text_is_that_of_the_program() -> None:
    texts = [
        "Mr. Smith's dog isn't 3.5 years old, is it?",
        "The U.S. - well-known -- \u201cquoted\u201d",
        "a,b,c 1,000 No. 5 ... e.g. this",
        "caf\u00e9 \u6f22\u5b57 100% $5 (x)'s 'tis",
    ]
    metric = METEOR(modules=["exact"], data=MeteorProgram.path)
    others = texts[1:] + texts[:1]
    with MeteorProgram("-l", "en", "-m", "exact", "-norm") as program:
        expected = program.statistics(texts, [[other] for other in others])
    found = metric.segment_stats(texts, [others]).tolist()
    assert found == [[*row[:20], row[20] - oracle.is_perfect(row), *row[21:]] for row in expected]


@needs_program
def test_spaces_and_controls_are_those_of_the_program() -> None:
    kinds = "Cc", "Cf", "Zs", "Zl", "Zp"
    characters = [char for char in map(chr, range(0x20000)) if unicodedata.category(char) in kinds]
    texts = [
        place.replace("_", character)
        for character in characters
        if character not in "\r\n"  # they end the program's lines
        for place in (
            "_the cat",
            "_ the cat",
            "the_cat",
            "the _ cat",
            "the cat_",
            "the cat _",
            "the cat._",
            "the cat, _ _",
            "the cat'_",
            "_Mr. X",
            "x _Mr. X",
            "_Mr._",
            "_.._ x",
            "_\u00a0_ x _\u00a0_",
        )
    ]
    others = ["the cat . x"] * len(texts)
    metric = METEOR(modules=["exact"], data=MeteorProgram.path)
    for hyps, refs in [(texts, others), (others, texts)]:
        with MeteorProgram("-l", "en", "-m", "exact", "-norm") as program:
            expected = program.statistics(hyps, [[ref] for ref in refs])
        found = metric.segment_stats(hyps, [refs]).tolist()
        rows = [[*row[:20], row[20] - oracle.is_perfect(row), *row[21:]] for row in expected]
        assert found == rows
