"""Bad input: each is refused with an exact type of error and a message with the location."""

import re
from array import array
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from rapidbleu import (
    BLEU,
    CHRF,
    TER,
    WeightedSum,
    corpus_bleu,
    raw_corpus_bleu,
    sentence_bleu,
)
from rapidbleu.significance import paired_bootstrap
from rapidbleu.tuning import NBestList, line_search, mert

HYPS = ["the cat sat .", "a dog", "it rained"]
REFS = ["the cat sat down .", "the dog", "it rained"]
TOKENS = [text.split() for text in HYPS]
IDS = [[1, 2, 3], [4, 5], [6]]


def refuse(
    error: type[Exception],
    words: Sequence[str] | str,
    call: Callable[..., Any],
    *args: Any,
    **options: Any,
) -> None:
    """Check that the call raises exactly this type, with all the words in its message."""
    with pytest.raises(error) as caught:
        call(*args, **options)
    assert caught.type is error
    for word in [words] if isinstance(words, str) else words:
        assert word in str(caught.value)


@pytest.fixture
def bleu() -> BLEU:
    return BLEU()


@pytest.fixture(autouse=True)
def usable_afterwards(bleu: BLEU) -> Any:
    """Yield a metric that must still score after the test."""
    expected = str(BLEU().corpus_score(HYPS, [REFS]))
    yield
    assert str(bleu.corpus_score(HYPS, [REFS])) == expected


METHODS = ("corpus_score", "corpus_stats", "segment_stats", "segment_scores")


@pytest.mark.parametrize(
    "junk",
    [7, None, 1.5, {"a", "b", "c"}, {0: "a", 1: "b", 2: "c"}, b"abc", bytearray(b"abc"), object()],
    ids=lambda junk: type(junk).__name__,
)
@pytest.mark.parametrize("method", METHODS)
def test_not_a_sequence(bleu: BLEU, method: str, junk: Any) -> None:
    score, name = getattr(bleu, method), type(junk).__name__
    refuse(TypeError, ["hypotheses:", "sequence", name], score, junk, [REFS])
    refuse(TypeError, ["references[0]:", name], score, HYPS, [junk])
    refuse(TypeError, ["references[1]:", name], score, HYPS, [REFS, junk])
    by_segment = [[REFS[0]], [REFS[1]], junk]
    refuse(TypeError, ["references[2]:", name], score, HYPS, by_segment, layout="segment")
    if junk is not None:
        refuse(TypeError, ["references:", name], score, HYPS, junk)


@pytest.mark.parametrize("make", [iter, lambda texts: (t for t in texts), lambda t: map(str, t)])
def test_iterators(bleu: BLEU, make: Any) -> None:
    """They can be read only once, which does not suffice for lists of hypotheses or streams."""
    refuse(TypeError, "references:", bleu.corpus_score, HYPS, make([REFS]))
    refuse(TypeError, "references[0]:", bleu.prepare, [make(REFS)])
    refuse(TypeError, "hypotheses[0]:", bleu.nbest_stats, [make(HYPS)], [REFS[:1]])
    refuse(TypeError, "hypotheses:", bleu.pairwise, make(HYPS), REFS)


def test_no_references_at_all(bleu: BLEU) -> None:
    refuse(ValueError, ["references:", "None"], bleu.corpus_score, HYPS)
    refuse(ValueError, ["references:", "None"], bleu.corpus_score, HYPS, None)
    refuse(ValueError, ["references:", "none"], bleu.corpus_score, HYPS, [])


@pytest.mark.parametrize("method", METHODS)
def test_single_str(bleu: BLEU, method: str) -> None:
    score = getattr(bleu, method)
    refuse(TypeError, ["hypotheses:", "single str"], score, "the cat", [["the cat"]])
    refuse(TypeError, ["references:", "single str"], score, HYPS, "the cat")
    refuse(TypeError, ["references[0]:", "str", "[stream][segment]"], score, HYPS, REFS)
    refuse(TypeError, ["references[1]:", "str"], score, HYPS, [REFS, "the cat"])
    refuse(TypeError, ["references[0]:", "single str"], score, HYPS, REFS, layout="segment")
    refuse(TypeError, ["references:", "single str"], score, HYPS, REFS[0], layout="segment")


def test_single_str_in_other_places(bleu: BLEU) -> None:
    refuse(TypeError, ["references:", "single str"], bleu.sentence_score, "a b", "a b")
    refuse(TypeError, ["references:", "single str"], sentence_bleu, "a b", "a b")
    refuse(TypeError, ["hypotheses:", "single str"], corpus_bleu, "a b", [["a b"]])
    refuse(TypeError, ["references[0]:", "str"], corpus_bleu, ["a b"], ["a b"])
    refuse(TypeError, ["references:", "single str"], raw_corpus_bleu, ["a b"], "a b")
    refuse(TypeError, ["references:", "single str"], bleu.prepare, "a b")
    refuse(TypeError, ["references[0]:", "str"], bleu.prepare, ["a b"])
    refuse(TypeError, ["references[0]:", "str"], BLEU, references=["a b"])


WRONG = [None, 7, 1.5, b"bytes", ["a", "list"], [3], {"a"}, object()]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: type(wrong).__name__)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_wrong_element(bleu: BLEU, wrong: Any, place: int) -> None:
    name = type(wrong).__name__
    texts: list[Any] = [*HYPS[:place], wrong, *HYPS[place + 1 :]]
    if place:  # the first element determines the type of all
        words = [f"hypotheses[{place}]:", "expected str", name]
    elif name == "list":
        words = ["hypotheses[1]:", "list of", "got str"]
    else:
        words = ["hypotheses[0]:", name]
    for method in METHODS:
        refuse(TypeError, words, getattr(bleu, method), texts, [REFS])
    if wrong is None:
        return
    words = [word.replace("hypotheses", "references[1]") for word in words]
    refuse(TypeError, words, bleu.corpus_score, HYPS, [REFS, texts])
    refuse(TypeError, words, bleu.prepare, [REFS, texts])
    refuse(TypeError, words, BLEU, references=[REFS, texts])
    nested = [[text] for text in texts]
    if place or name != "list":
        words = [f"references[{place}][0]:", name]
        refuse(TypeError, words, bleu.corpus_score, HYPS, nested, layout="segment")


@pytest.mark.parametrize("wrong", [None, 7, b"bytes"], ids=lambda wrong: type(wrong).__name__)
def test_wrong_element_of_an_array(bleu: BLEU, wrong: Any) -> None:
    texts = np.array([*HYPS[:2], wrong], dtype=object)
    words = ["hypotheses[2]:", "expected str", type(wrong).__name__]
    refuse(TypeError, words, bleu.corpus_score, texts, [REFS])


def test_arrays_of_numbers_and_bytes(bleu: BLEU) -> None:
    refuse(TypeError, "hypotheses[0]", bleu.corpus_score, np.arange(3), [REFS])
    refuse(TypeError, "hypotheses[0]", bleu.corpus_score, np.array([b"a", b"b", b"c"]), [REFS])
    refuse(TypeError, "hypotheses", bleu.corpus_score, np.array("a b"), [REFS])
    refuse(TypeError, "hypotheses", bleu.corpus_score, np.zeros((3, 2)), [np.zeros((3, 2))])


def test_null_of_arrow(bleu: BLEU) -> None:
    pa = pytest.importorskip("pyarrow")
    column = pa.array([*HYPS[:2], None])
    refuse(TypeError, ["hypotheses[2]:", "null"], bleu.corpus_score, column, [REFS])
    refuse(TypeError, "hypotheses", bleu.corpus_score, pa.array([1, 2, 3]), [REFS])
    refuse(TypeError, "hypotheses", bleu.corpus_score, pa.array([b"a", b"b", b"c"]), [REFS])
    refuse(TypeError, "hypotheses", bleu.corpus_score, pa.array([["a"], ["b"], ["c"]]), [REFS])
    refuse(TypeError, ["references:", "[refs]"], bleu.corpus_score, HYPS, pa.array(REFS))
    lists = pa.array([["a"], [], ["b"]])
    refuse(ValueError, ["references:", "segment 1"], bleu.corpus_score, HYPS, lists)
    lists = pa.array([["a"], ["c"], None])
    refuse(ValueError, ["references:", "segment 2"], bleu.corpus_score, HYPS, lists)


def test_missing_hypothesis_of_tokens(bleu: BLEU) -> None:
    refuse(TypeError, "hypotheses[1]", bleu.corpus_score, [["a"], None, ["b"]], [TOKENS])


@pytest.mark.parametrize("method", METHODS)
def test_unequal_lengths(bleu: BLEU, method: str) -> None:
    score = getattr(bleu, method)
    words = ["references:", "expected 2", "got 3", "layout='segment'"]
    refuse(ValueError, words, score, HYPS[:2], [REFS])
    refuse(ValueError, ["references:", "expected 3", "got 2"], score, HYPS, [REFS[:2]])
    refuse(ValueError, ["references[1]:", "expected 3", "got 2"], score, HYPS, [REFS, REFS[:2]])
    refuse(ValueError, ["references[2]:", "got 4"], score, HYPS, [REFS, REFS, [*REFS, "x"]])
    refuse(ValueError, ["references:", "got 2"], score, HYPS, bleu.prepare([REFS[:2]]))
    refuse(ValueError, ["references:", "got 2"], score, HYPS, [["a"], ["b"]], layout="segment")


def test_swapped_nesting(bleu: BLEU) -> None:
    by_segment = [[text, text] for text in REFS]
    refuse(ValueError, ["references:", "layout"], bleu.corpus_score, HYPS, by_segment)
    ragged = [REFS[:1], REFS[:2], REFS[:1]]
    refuse(ValueError, ["references[1]:", "layout"], bleu.corpus_score, HYPS, ragged)
    refuse(ValueError, "references:", bleu.corpus_score, HYPS, [REFS, REFS], layout="segment")


def test_empty_corpus(bleu: BLEU) -> None:
    for method in METHODS:
        refuse(ValueError, ["hypotheses:", "none"], getattr(bleu, method), [], [[]])
        refuse(ValueError, ["hypotheses:", "none"], getattr(bleu, method), (), [REFS])
    refuse(ValueError, ["hypotheses:", "none"], bleu.corpus_score, [], [], layout="segment")


def test_segment_without_reference(bleu: BLEU) -> None:
    words = ["references:", "segment 1"]
    streams = [["a", None, None], ["b", None, "c"]]
    refuse(ValueError, words, bleu.corpus_score, HYPS, streams)
    refuse(ValueError, words, bleu.prepare, streams)
    refuse(ValueError, "references: segment 0", bleu.corpus_score, HYPS, [[None] * 3])
    refuse(ValueError, words, BLEU, references=streams)
    refuse(ValueError, words, bleu.corpus_score, HYPS, [["a"], [], ["b"]], layout="segment")
    refuse(ValueError, words, bleu.corpus_score, HYPS, [["a"], [None], ["b"]], layout="segment")
    nested: list[Any] = [["a"], [None, "b", None, 7], ["c"]]
    refuse(TypeError, "references[1][3]:", bleu.corpus_score, HYPS, nested, layout="segment")
    refuse(ValueError, "reference", bleu.sentence_score, "a", [])
    refuse(ValueError, "reference", bleu.sentence_score, "a", [None])
    refuse(ValueError, "reference", sentence_bleu, "a", [])


def test_bad_sentence(bleu: BLEU) -> None:
    refuse(TypeError, ["hypothesis:", "NoneType"], bleu.sentence_score, None, ["a"])
    refuse(TypeError, ["hypothesis:", "int"], bleu.sentence_score, 5, ["a"])
    refuse(TypeError, ["references[0][1]:", "int"], bleu.sentence_score, "a", ["a", 5])
    refuse(TypeError, "references", bleu.sentence_score, "a", 5)
    refuse(TypeError, "references", bleu.sentence_score, "a", {"a"})
    refuse(TypeError, "as in hypotheses", bleu.sentence_score, "a", [["a"]])


def test_mixed_kinds(bleu: BLEU) -> None:
    refuse(TypeError, ["hypotheses[1]:", "tokens"], bleu.corpus_score, [["a"], "b", []], [TOKENS])
    refuse(TypeError, ["hypotheses[1][0]:", "int"], bleu.corpus_score, [["a"], [5], []], [TOKENS])
    refuse(TypeError, ["hypotheses[0][1]:", "str"], bleu.corpus_score, [[1, "a"], [2], [3]], [IDS])
    refuse(TypeError, ["hypotheses[1][0]:", "str"], bleu.corpus_score, [[1], ["a"], [3]], [IDS])
    refuse(TypeError, ["references[0][2][1]:"], bleu.corpus_score, TOKENS, [[["a"], [], ["a", 1]]])
    refuse(TypeError, ["references[1]", "tokens"], bleu.corpus_score, HYPS, [REFS, TOKENS])
    refuse(TypeError, ["references[1]", "ids"], bleu.corpus_score, TOKENS, [TOKENS, IDS])
    missing = [None] * len(HYPS)
    refuse(
        TypeError,
        ["[2]:", "str as in references[1]", "tokens"],
        bleu.corpus_score,
        HYPS,
        [missing, REFS, TOKENS],
    )
    kinds: list[tuple[str, Any]] = [("str", HYPS), ("str tokens", TOKENS), ("ids", IDS)]
    for expected, hyps in kinds:
        for got, refs in kinds:
            if hyps is not refs:
                words = ["references:", f"{expected} as in hypotheses", f"{got}"]
                refuse(TypeError, words, bleu.corpus_score, hyps, [refs])
                refuse(TypeError, words, bleu.corpus_score, hyps, bleu.prepare([refs]))


def test_bad_ids(bleu: BLEU) -> None:
    floats = [np.array([1.0, 2.0])]
    refuse(TypeError, ["hypotheses[0]:", "integer"], bleu.corpus_score, floats, [[[1]]])
    refuse(TypeError, "hypotheses[0]", bleu.corpus_score, [[1.5]], [[[1]]])
    refuse(TypeError, "hypotheses[0][1]", bleu.corpus_score, [[1, 1.5]], [[[1]]])
    refuse(TypeError, "hypotheses[0][1]", bleu.corpus_score, [[1, None]], [[[1]]])
    refuse(ValueError, ["hypotheses[0][1]", str(2**64)], bleu.corpus_score, [[1, 2**64]], [[[1]]])
    refuse(ValueError, "hypotheses[0][0]", bleu.corpus_score, [[-(2**63) - 1]], [[[1]]])
    refuse(TypeError, "hypotheses[0]", bleu.corpus_score, [np.array([1j])], [[[1]]])


def test_matrices_are_no_segment(bleu: BLEU) -> None:
    cube = np.zeros((1, 2, 3), dtype=np.int64)
    with pytest.raises((TypeError, ValueError), match=r"hypotheses\[0\]"):
        bleu.corpus_score(cube, [cube])


def test_ids_have_no_case() -> None:
    refuse(ValueError, "lowercase", BLEU(lowercase=True).corpus_score, IDS, [IDS])
    refuse(ValueError, "lowercase", BLEU(lowercase=True).prepare, [IDS])


@pytest.mark.parametrize(
    ("option", "value", "choices"),
    [
        ("tokenize", "14a", "13a, intl, char"),
        ("tokenize", "", "13a"),
        ("smooth_method", "laplace", "none, floor, add-k, exp"),
        ("ref_len", "nearest", "closest, shortest, longest, average"),
    ],
)
def test_unknown_choices(option: str, value: str, choices: str) -> None:
    options: dict[str, Any] = {option: value}
    refuse(ValueError, [f"{option}:", repr(value), *choices.split(", ")], BLEU, **options)


def test_unknown_choices_of_calls(bleu: BLEU) -> None:
    for method in METHODS:
        words = ["layout:", "stream, segment", "'rows'"]
        refuse(ValueError, words, getattr(bleu, method), HYPS, [REFS], layout="rows")
    refuse(ValueError, "layout:", bleu.prepare, [REFS], layout=None)
    refuse(ValueError, "layout:", corpus_bleu, HYPS, [REFS], layout="rows")
    refuse(ValueError, "smooth_method:", corpus_bleu, HYPS, [REFS], smooth_method="x")
    refuse(ValueError, "tokenize:", sentence_bleu, HYPS[0], REFS, tokenize="x")


@pytest.mark.parametrize("value", [None, 5, b"exp", ["exp"]], ids=repr)
@pytest.mark.parametrize("option", ["smooth_method", "ref_len"])
def test_choices_of_wrong_types(option: str, value: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=option):
        BLEU(**{option: value})


def test_tokenizer_of_wrong_type() -> None:
    refuse(TypeError, "tokenize:", BLEU, tokenize=13)


@pytest.mark.parametrize("value", [-1, -0.5, float("nan"), float("inf"), -float("inf")])
def test_bad_smooth_value(value: float) -> None:
    for method in ("exp", "floor", "add-k", "none"):
        words = ["smooth_value:", str(value)]
        refuse(ValueError, words, BLEU, smooth_method=method, smooth_value=value)
    refuse(ValueError, "smooth_value:", raw_corpus_bleu, HYPS, [REFS], smooth_value=value)


@pytest.mark.parametrize("value", ["0.1", [0.1], b"1"], ids=repr)
def test_smooth_value_of_wrong_type(value: Any) -> None:
    refuse(TypeError, "smooth_value", BLEU, smooth_method="floor", smooth_value=value)


@pytest.mark.parametrize(
    "weights",
    [
        (),
        (1,),
        (0.5, 0.5),
        (0.25,) * 5,
        (1, 1, 1, 1),
        (-1, 1, 0.5, 0.5),
        (0, 0, 0, 0),
        (float("nan"),) * 4,
        (float("inf"), 0, 0, 0),
        (0.25, 0.25, 0.25, 0.26),
    ],
)
def test_bad_weights(weights: Any) -> None:
    refuse(ValueError, "weights", BLEU, weights=weights)


@pytest.mark.parametrize("weights", [5, "1234", ["a"] * 4, [None] * 4], ids=repr)
def test_weights_of_wrong_type(weights: Any) -> None:
    refuse(TypeError, "weights", BLEU, weights=weights)


def test_bad_max_ngram_order() -> None:
    for value in (0, -1, 10**9):
        refuse(ValueError, ["max_ngram_order:", str(value)], BLEU, max_ngram_order=value)
    for junk in (4.0, True, "4", None):
        refuse(TypeError, "max_ngram_order:", BLEU, max_ngram_order=junk)


def test_bad_threads(bleu: BLEU) -> None:
    for method in METHODS:
        score = getattr(bleu, method)
        refuse(ValueError, ["threads:", "-1"], score, HYPS, [REFS], threads=-1)
        for junk in (1.0, True, "2"):
            words = ["threads:", type(junk).__name__]
            refuse(TypeError, words, score, HYPS, [REFS], threads=junk)


JUNK: dict[str, Callable[[str], Any]] = {
    "None": lambda text: None,
    "int": lambda text: 5,
    "iterator": lambda text: iter(text.split()),
    "set": lambda text: set(text.split()),
    "bytes": lambda text: text.encode(),
    "list of None": lambda text: [None],
    "list of int": lambda text: [1, 2],
    "list of bytes": lambda text: [b"a"],
    "late None": lambda text: ["a", None],
    "tuple of lists": lambda text: ([],),
}


@pytest.mark.parametrize("kind", JUNK)
def test_tokenizers_returning_junk(kind: str) -> None:
    bleu = BLEU(tokenize=JUNK[kind])
    for call in (
        lambda: bleu.corpus_score(HYPS, [REFS]),
        lambda: bleu.corpus_score(HYPS * 3000, [REFS * 3000], threads=2),
        lambda: bleu.segment_stats(HYPS, [REFS]),
        lambda: bleu.sentence_score(HYPS[0], [REFS[0]]),
        lambda: bleu.prepare([REFS]),
    ):
        refuse(TypeError, [repr(JUNK[kind]), "expected"], call)


class TokenizerError(Exception):
    pass


def test_tokenizers_that_raise(bleu: BLEU) -> None:
    broken = True

    def tokenize(text: str) -> list[str]:
        if broken and text == HYPS[1]:
            raise TokenizerError(text)
        return text.split()

    custom = BLEU(tokenize=tokenize)
    for call in (
        lambda: custom.corpus_score(HYPS, [REFS]),
        lambda: custom.corpus_score(HYPS * 3000, [REFS * 3000], threads=3),
        lambda: custom.sentence_score(HYPS[1], REFS),
        lambda: custom.prepare([HYPS]),
    ):
        refuse(TokenizerError, HYPS[1], call)
    broken = False
    assert custom.corpus_stats(HYPS, [REFS]).tolist() == bleu.corpus_stats(HYPS, [REFS]).tolist()


def test_references_prepared_for_another_metric(bleu: BLEU) -> None:
    for other in (BLEU(tokenize="char"), BLEU(lowercase=True), BLEU(tokenize=str.split)):
        references = other.prepare([REFS])
        words = ["references:", references.preparation, "tok:13a|case:mixed"]
        refuse(ValueError, words, bleu.corpus_score, HYPS, references)
        refuse(ValueError, words, BLEU, references=references)


def test_references_among_streams(bleu: BLEU) -> None:
    refuse(TypeError, "references[0]", bleu.corpus_score, HYPS, [bleu.prepare([REFS])])


def test_bad_statistics(bleu: BLEU) -> None:
    good = bleu.segment_stats(HYPS, [REFS])
    for score in (bleu.score, bleu.score_rows):
        refuse(ValueError, ["stats:", "(3, 9)"], score, good[:, :9])
        refuse(ValueError, ["stats:", "(8,)"], score, [0] * 8)
        refuse(ValueError, "stats:", score, [])
        refuse(ValueError, "stats:", score, 5)
        refuse(ValueError, "stats:", score, good[None])
        refuse(ValueError, "stats:", BLEU(max_ngram_order=3).score, good)
        refuse(TypeError, ["stats:", "float64"], score, good.astype(float))
        refuse(TypeError, "stats:", score, good.astype(str))
        refuse(TypeError, "stats:", score, good > 0)
        bad = good.copy()
        bad[2, 3] = -1
        refuse(ValueError, ["stats[2][3]:", "-1"], score, bad)
        refuse(ValueError, ["stats[0][3]:", "-1"], score, bad[2])
        with pytest.raises((TypeError, ValueError), match="stats"):
            score([*good.tolist(), [1, 2]])
        with pytest.raises((TypeError, ValueError), match="stats"):
            score(None)
        with pytest.raises((TypeError, ValueError, OverflowError), match="stats"):
            score([2**63] * 10)


def test_signature_before_scoring(bleu: BLEU) -> None:
    refuse(ValueError, "references unknown", bleu.get_signature)
    bleu.corpus_score(HYPS, [REFS])
    assert re.match(r"nrefs:1\|", str(bleu.get_signature()))


EMPTIES: dict[str, Callable[[], Any]] = {
    "list": list,
    "tuple": tuple,
    "range": lambda: range(0),
    "ndarray": lambda: np.zeros(0, int),
    "array": lambda: array("q"),
}


@pytest.mark.parametrize("name", EMPTIES)
def test_empty_sequences_among_texts(bleu: BLEU, name: str) -> None:
    empty = EMPTIES[name]()
    texts = [*HYPS[:2], empty, HYPS[2]]
    for at in range(4):
        mixed = [*HYPS[:at], empty, *HYPS[at:]]
        refs = [*REFS[:at], "a", *REFS[at:]]
        words = [f"hypotheses[{at}]: expected str; got {name}"]
        for method in METHODS:
            refuse(TypeError, words, getattr(bleu, method), mixed, [refs])
        for metric in (CHRF(), TER(), BLEU(lowercase=True), BLEU(tokenize=str.split)):
            refuse(TypeError, words, metric.corpus_score, mixed, [refs])
        place = f"references[1][{at}]: expected str; got {name}"
        refuse(TypeError, place, bleu.corpus_score, refs, [refs, mixed])
        refuse(TypeError, place, bleu.prepare, [refs, mixed])
        place = f"references[{at}][0]: expected str; got {name}"
        by_segment = [[text] for text in mixed]
        refuse(TypeError, place, bleu.corpus_score, refs, by_segment, layout="segment")
        refuse(TypeError, f"hypotheses[{at}][0]", bleu.nbest_stats, by_segment, [refs])
    refuse(TypeError, "hypotheses[0][2]", bleu.nbest_stats, [texts], [["a b"]])
    refuse(TypeError, "hypotheses[0]", bleu.corpus_score, [empty, empty, "a"], [["a"] * 3])
    missing = [None, empty, "a"]
    refuse(TypeError, "references[1][1]", bleu.corpus_score, HYPS, [REFS, missing])


@pytest.mark.parametrize("name", EMPTIES)
def test_empty_sequences_among_tokens(bleu: BLEU, name: str) -> None:
    empty = EMPTIES[name]()
    for filled in (TOKENS[0], IDS[0]):
        expected = bleu.segment_stats([[], filled], [[filled, []]]).tolist()
        assert bleu.segment_stats([empty, filled], [[filled, empty]]).tolist() == expected
    assert bleu.corpus_score([empty], [[empty]]).sys_len == 0


def made_list(names: Any) -> NBestList:
    features = [[1, 2], [2, 3], [3, 4], [4, 5]]
    return NBestList.from_lists([["a", "b"], ["c", "d"]], features, [["a", "d"]], names=names)


def metrics_of() -> list[Any]:
    return [CHRF(), TER()]


NEEDS_ORDER: dict[str, tuple[str, str, Callable[[Any], Any], list[Any]]] = {
    "systems": (
        "systems",
        "a sequence of names and hypotheses",
        lambda given: paired_bootstrap(given, [["a b"]], BLEU(), n_resamples=2),
        [{("x", ("a b",)), ("y", ("a c",))}, "xy", frozenset()],
    ),
    "metrics": (
        "metrics",
        "a sequence of metrics",
        lambda given: paired_bootstrap(
            {"x": ["a b"], "y": ["a c"]}, [["a b"]], given, n_resamples=2
        ),
        [set(metrics_of()), "ab", b"ab"],
    ),
    "weights of orders": (
        "weights",
        "a sequence of numbers",
        lambda given: BLEU(weights=given),
        [{0.4, 0.3, 0.2, 0.1}, "1234", {0.4: 0, 0.3: 0, 0.2: 0, 0.1: 0}],
    ),
    "interpolated metrics": (
        "metrics",
        "a sequence of metrics",
        WeightedSum,
        [set(metrics_of()), "ab", {TER(): 1}],
    ),
    "weights of metrics": (
        "weights",
        "a sequence of numbers",
        lambda given: WeightedSum(metrics_of(), given),
        [{1, 2}, "12", b"12", {1: 0, 2: 0}],
    ),
    "names of features": (
        "names",
        "a sequence of names",
        made_list,
        [{"m", "n"}, "mn", {"m": 0, "n": 1}, b"mn"],
    ),
    "weights of groups": (
        "weights",
        "a sequence of groups",
        lambda given: BLEU().mbr([["a"], ["b"]], weights=given, groups=True),
        [{(1,), (2,)}, "12", b"12", {(1,): 0, (2,): 0}],
    ),
}


@pytest.mark.parametrize(
    ("name", "junk"), [(name, junk) for name, case in NEEDS_ORDER.items() for junk in case[3]]
)
def test_texts_and_sets_have_no_order(name: str, junk: Any) -> None:
    where, wanted, call, _ = NEEDS_ORDER[name]
    got = "a single str" if isinstance(junk, str) else type(junk).__name__
    refuse(TypeError, f"{where}: expected {wanted}; got {got}", call, junk)


def test_iterators_have_an_order() -> None:
    pairs = {"x": ["a b c d"], "y": ["a b c e"]}
    expected = paired_bootstrap(pairs, [["a b c d"]], [BLEU()], n_resamples=2)
    found = paired_bootstrap(pairs.items(), [["a b c d"]], iter([BLEU()]), n_resamples=2)
    assert str(found) == str(expected)
    assert made_list(iter("mn")).names == made_list({"m": 0, "n": 0}.keys()).names == ("m", "n")


@pytest.mark.parametrize(
    "pair", ["01", b"01", {0, 1}, {0: 0, 1: 1}, 5, (0, 1, 2), ("x", 1), ("0", "1")], ids=str
)
def test_bounds_are_pairs(pair: Any) -> None:
    nbest, got = made_list(["m", "n"]), f"expected a pair of numbers; got {pair!r}"
    refuse(TypeError, f"bounds['m']: {got}", lambda: mert(nbest, [1, 1], bounds={"m": pair}))
    refuse(TypeError, f"bounds: {got}", lambda: line_search(nbest, [1, 0], [0, 1], bounds=pair))
