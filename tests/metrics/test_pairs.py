"""All pairs, expected scores and self-scores against single calls; every kind of input."""

import pickle
import re
import subprocess
import sys
from collections.abc import Sequence
from itertools import accumulate
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, TER, WER
from rapidbleu.metrics.pairs import PART_PAIRS, PART_SEGMENTS
from reference import bleu as oracle
from support.corpora import perturb, random_segments

POLICIES = ("closest", "shortest", "longest", "average")
OPTIONS: list[dict[str, Any]] = [
    {},
    {"effective_order": True},
    {"lowercase": True, "effective_order": True},
    {"tokenize": "char", "effective_order": True},
    {"tokenize": "none", "effective_order": True},
    {"tokenize": str.split, "effective_order": True},
    {"smooth_method": "none"},
    {"smooth_method": "none", "effective_order": True},
    {"smooth_method": "floor"},
    {"smooth_method": "floor", "smooth_value": 0.0, "effective_order": True},
    {"smooth_method": "floor", "smooth_value": 2.5, "effective_order": True},
    {"smooth_method": "add-k"},
    {"smooth_method": "add-k", "smooth_value": 0.5, "effective_order": True},
    {"smooth_method": "add-k", "smooth_value": 0},
    {"smooth_method": "add-k", "smooth_value": 0, "effective_order": True},
    *({"max_ngram_order": n} for n in (1, 2, 3, 5, 6, 8, 9, 17)),
    *({"max_ngram_order": n, "effective_order": True} for n in (1, 2, 3, 5, 6, 8, 9, 17)),
    *({"max_ngram_order": n, "smooth_method": "add-k"} for n in (1, 6, 8, 9)),
]
OURS_ONLY: list[dict[str, Any]] = [
    {"weights": [0.4, 0.3, 0.2, 0.1]},
    {"weights": [0.1, 0.2, 0.7], "max_ngram_order": 3, "effective_order": True},
    {"weights": [0.0, 1.0], "max_ngram_order": 2, "effective_order": True},
    {"weights": [1.0, 0.0], "max_ngram_order": 2, "smooth_method": "none"},
    {"weights": [0.125] * 8, "max_ngram_order": 8, "smooth_method": "add-k"},
    {"weights": [0.1] * 10, "max_ngram_order": 10, "effective_order": True},
    {"ref_len": "longest", "effective_order": True},
]


def name_of(options: dict[str, Any]) -> str:
    return " ".join(f"{key}={getattr(value, '__name__', value)}" for key, value in options.items())


def relatives(rng: Random, n: int, *, kind: str = "mixed") -> list[str]:
    """Return mostly related segments; some are empty, some duplicates."""
    texts = random_segments(rng, max(1, n // 5), kind=kind)
    while len(texts) < n:
        texts.append(perturb(rng, rng.choice(texts)))
    return texts[:n]


def by_sentences(metric: Any, hyps: Sequence[Any], refs: Sequence[Any]) -> list[list[float]]:
    return [[metric.sentence_score(hyp, [ref]).score for ref in refs] for hyp in hyps]


def others(texts: Sequence[Any], i: int) -> list[Any]:
    return [*texts[:i], *texts[i + 1 :]]


@pytest.mark.parametrize("options", [*OPTIONS, *OURS_ONLY], ids=name_of)
def test_scores_are_those_of_sentences(options: dict[str, Any]) -> None:
    rng = Random(name_of(options))
    bleu = BLEU(**options)
    for n_refs in (5, 40):
        hyps, refs = relatives(rng, 20), relatives(rng, n_refs)
        refs[2:4] = hyps[2:4]
        expected = by_sentences(bleu, hyps, refs)
        scores = bleu.pairwise(hyps, refs)
        assert scores.dtype == np.float64 and scores.shape == (20, n_refs)
        assert scores.tolist() == expected
    assert bleu.pairwise(refs).tolist() == by_sentences(bleu, refs, refs)
    assert bleu.pairwise(refs, list(refs)).tolist() == bleu.pairwise(refs).tolist()


@pytest.mark.parametrize("options", OPTIONS, ids=name_of)
def test_scores_are_those_of_sacrebleu(options: dict[str, Any]) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    if callable(options.get("tokenize")):
        pytest.skip("not in sacrebleu")
    rng = Random(1)
    hyps, refs = relatives(rng, 12), relatives(rng, 30)
    refs[2:4] = hyps[2:4]
    expected = by_sentences(sacrebleu.BLEU(**options), hyps, refs)
    assert BLEU(**options).pairwise(hyps, refs).tolist() == expected


@pytest.mark.parametrize("kind", ["ascii", "chinese", "adversarial"])
def test_kinds_of_text(kind: str) -> None:
    rng = Random(kind)
    hyps, refs = relatives(rng, 25, kind=kind), relatives(rng, 35, kind=kind)
    for name in ("13a", "char", "intl", "zh"):
        bleu = BLEU(tokenize=name, effective_order=True)
        assert bleu.pairwise(hyps, refs).tolist() == by_sentences(bleu, hyps, refs)


def test_empty_segments() -> None:
    for options in OPTIONS:
        bleu = BLEU(**options)
        assert bleu.pairwise(["", "a b c d"], ["a b c d", ""])[0].tolist() == [0.0, 0.0]
        assert bleu.pairwise(["a b c d"], ["", " "]).tolist() == [[0.0, 0.0]]
        assert bleu.pairwise(["", ""] * 20).tolist() == [[0.0] * 40] * 40
        assert bleu.mbr(["", ""]).tolist() == [0.0, 0.0]
        assert bleu.self_scores(["", ""]).tolist() == [0.0, 0.0]
        assert bleu.self_scores(["a", ""])[1] == 0.0


def test_arrays_are_the_callers() -> None:
    bleu = BLEU(effective_order=True)
    first, second = bleu.pairwise(["a b", "c"]), bleu.pairwise(["a b", "c"])
    first[:] = -1
    assert second[0, 0] == pytest.approx(100.0)
    for array in (second, bleu.mbr(["a", "b"]), bleu.self_scores(["a", "b"])):
        assert array.flags.c_contiguous and array.flags.writeable


def expected_utilities(matrix: Any, weights: Sequence[float]) -> list[float]:
    """Add and multiply one after the other, as Python floats."""
    rows = ([weight * score for weight, score in zip(weights, row, strict=True)] for row in matrix)
    return [[*accumulate(row, initial=0.0)][-1] / [*accumulate(weights)][-1] for row in rows]


@pytest.mark.parametrize("options", [OPTIONS[1], OPTIONS[8], OURS_ONLY[1], {"max_ngram_order": 9}])
def test_mbr_is_the_mean_of_the_row(options: dict[str, Any]) -> None:
    rng = Random(2)
    bleu = BLEU(**options)
    for m, n in ((1, 1), (7, 3), (30, 64), (3, 2100)):
        hyps, refs = relatives(rng, m), relatives(rng, n)
        matrix = bleu.pairwise(hyps, refs).tolist()
        weights = [rng.choice((0.0, 1.0, rng.random(), 1e9 * rng.random())) for _ in range(n - 1)]
        weights.append(0.3)
        assert bleu.mbr(hyps, refs).tolist() == expected_utilities(matrix, [1.0] * n)
        found = bleu.mbr(hyps, refs, weights)
        assert found.dtype == np.float64 and found.shape == (m,)
        assert found.tolist() == expected_utilities(matrix, weights)
        own = bleu.pairwise(hyps).tolist()
        assert bleu.mbr(hyps).tolist() == expected_utilities(own, [1.0] * m)
        assert bleu.mbr(hyps, weights=range(1, m + 1)).tolist() == expected_utilities(
            own, [float(i) for i in range(1, m + 1)]
        )


def test_weights_of_any_number_type() -> None:
    bleu = BLEU(effective_order=True)
    texts = ["a b c", "a b d", "x"]
    expected = bleu.mbr(texts, weights=[2.0, 0.0, 1.0]).tolist()
    for dtype in (np.int8, np.uint64, np.float16, np.float32, ">f8", np.longdouble):
        assert bleu.mbr(texts, weights=np.array([2, 0, 1], dtype)).tolist() == expected
    strided = np.array([2.0, 9.0, 0.0, 9.0, 1.0])[::2]
    strided.flags.writeable = False
    assert bleu.mbr(texts, weights=strided).tolist() == expected
    assert bleu.mbr(texts, weights=(2, 0, 1)).tolist() == expected
    assert strided.tolist() == [2.0, 0.0, 1.0]


@pytest.mark.parametrize(
    "metric", [BLEU(effective_order=True), CHRF(), TER()], ids=lambda metric: type(metric).__name__
)
def test_select_is_the_best_by_direction(metric: Any) -> None:
    rng = Random("select")
    best = max if metric.higher_is_better else min
    groups = [relatives(rng, n) for n in (1, 2, 9, 40)]
    expected = []
    for texts in groups:
        utilities = metric.mbr(texts).tolist()
        expected.append(utilities.index(best(utilities)))
        assert metric.select(texts) == expected[-1]
        assert type(metric.select(texts)) is int
    found = metric.select(groups, groups=True, threads=2)
    assert (found.dtype, found.tolist()) == (np.int64, expected)
    weights = [[rng.random() for _ in texts] for texts in groups]
    utilities = [own.tolist() for own in metric.mbr(groups, None, weights, groups=True)]
    found = metric.select(groups, weights=weights, groups=True)
    assert found.tolist() == [own.index(best(own)) for own in utilities]
    refs = relatives(rng, 5)
    utilities = metric.mbr(groups[3], refs).tolist()
    assert metric.select(groups[3], refs) == utilities.index(best(utilities))


def test_select_of_an_error_rate_takes_the_least() -> None:
    samples = ["x y z", "the cat sat", "the cat sits"]
    assert TER().select(samples, ["the cat sat"]) == 1
    assert TER().mbr(samples, ["the cat sat"]).argmax() != 1


@pytest.mark.parametrize("metric", [BLEU(effective_order=True), CHRF(), TER()])
def test_select_takes_the_first_of_equals(metric: Any) -> None:
    assert metric.select(["b", "a b", "a b", "a b"], ["a b"]) == 1
    assert metric.select([["c", "a", "a"], ["a", "a"]], [["a"], ["a"]], groups=True).tolist() == [
        1,
        0,
    ]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("options", [*OPTIONS, *OURS_ONLY[:-1]], ids=name_of)
def test_self_scores_are_those_of_sentences(options: dict[str, Any], policy: str) -> None:
    rng = Random(policy)
    bleu = BLEU(**{**options, "ref_len": policy})
    for n in (2, 3, 17):
        texts = relatives(rng, n)
        texts[rng.randrange(n)] = rng.choice(["", texts[0]])
        expected = [
            bleu.sentence_score(text, others(texts, i)).score for i, text in enumerate(texts)
        ]
        assert bleu.self_scores(texts).tolist() == expected


@pytest.mark.parametrize("policy", POLICIES)
def test_lengths_of_the_others(policy: str) -> None:
    rng = Random(policy)
    bleu = BLEU(max_ngram_order=1, smooth_method="none", ref_len=policy)
    for _ in range(300):
        lengths = [rng.randrange(rng.choice((2, 5, 12))) for _ in range(rng.choice((2, 3, 4, 9)))]
        texts = [[0] * length for length in lengths]
        expected = [
            bleu.sentence_score(text, others(texts, i)).score for i, text in enumerate(texts)
        ]
        assert bleu.self_scores(texts).tolist() == expected, lengths


def test_self_scores_of_fifty_and_of_duplicates() -> None:
    rng = Random(3)
    for policy in POLICIES:
        bleu = BLEU(ref_len=policy, effective_order=True)
        texts = relatives(rng, 50)
        texts[7] = texts[31] = texts[0]
        scores = bleu.self_scores(texts).tolist()
        assert scores == [
            bleu.sentence_score(text, others(texts, i)).score for i, text in enumerate(texts)
        ]
        assert scores[0] == scores[7] == scores[31]
    assert bleu.self_scores(["a b c d e"] * 3) == pytest.approx(100.0)
    sacrebleu = pytest.importorskip("sacrebleu")
    peer = sacrebleu.BLEU(effective_order=True)
    assert BLEU(effective_order=True).self_scores(texts).tolist() == [
        peer.sentence_score(text, others(texts, i)).score for i, text in enumerate(texts)
    ]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_groups_are_one_call_each(threads: int) -> None:
    rng = Random(4)
    bleu = BLEU(effective_order=True)
    hyps = [relatives(rng, n) for n in (3, 2, 50, 7, 30, 2)]
    refs = [relatives(rng, n) for n in (1, 60, 30, 7, 5, 2)]
    weights = [[rng.random() for _ in group] for group in refs]
    for args in ((hyps,), (hyps, refs)):
        found = bleu.pairwise(*args, groups=True, threads=threads)
        assert isinstance(found, list)
        each = [bleu.pairwise(*group) for group in zip(*args, strict=True)]
        assert [matrix.tolist() for matrix in found] == [matrix.tolist() for matrix in each]
        assert [x.tolist() for x in bleu.mbr(*args, groups=True, threads=threads)] == [
            bleu.mbr(*group).tolist() for group in zip(*args, strict=True)
        ]
    assert [x.tolist() for x in bleu.mbr(hyps, refs, weights, groups=True, threads=threads)] == [
        bleu.mbr(*group).tolist() for group in zip(hyps, refs, weights, strict=True)
    ]
    assert [x.tolist() for x in bleu.self_scores(hyps, groups=True, threads=threads)] == [
        bleu.self_scores(group).tolist() for group in hyps
    ]
    (only,) = bleu.pairwise(hyps[:1], groups=True, threads=threads)
    assert only.tolist() == bleu.pairwise(hyps[0]).tolist()


@pytest.mark.parametrize("n_groups", [1, 2, 5, 40])
def test_number_of_threads_changes_nothing(n_groups: int) -> None:
    """Enough work to split: a large group is divided, small ones are distributed."""
    rng = Random(n_groups)
    m = int((8 * PART_PAIRS / n_groups) ** 0.5) + 1
    texts = relatives(rng, 60, kind="ascii")
    groups = [rng.choices(texts, k=m + i) for i in range(n_groups)]
    one = BLEU(effective_order=True)
    weights = [[rng.random() for _ in group] for group in groups]
    matrices = [x.tolist() for x in one.pairwise(groups, groups=True)]
    utilities = [x.tolist() for x in one.mbr(groups, None, weights, groups=True)]
    for threads in (2, 3, 8, 0):
        found = one.pairwise(groups, groups=True, threads=threads)
        assert [x.tolist() for x in found] == matrices
        found = one.mbr(groups, None, weights, groups=True, threads=threads)
        assert [x.tolist() for x in found] == utilities
    lists = [rng.choices(texts, k=4 * PART_SEGMENTS // n_groups) for _ in range(n_groups)]
    expected = [x.tolist() for x in one.self_scores(lists, groups=True)]
    for threads in (2, 3, 8):
        found = one.self_scores(lists, groups=True, threads=threads)
        assert [x.tolist() for x in found] == expected


def test_pickled_metrics_score_pairs() -> None:
    bleu = pickle.loads(pickle.dumps(BLEU(effective_order=True, tokenize="char")))
    assert bleu.pairwise(["ab", "ac"]).tolist() == by_sentences(bleu, ["ab", "ac"], ["ab", "ac"])


def test_any_small_corpus_agrees_with_the_oracle() -> None:
    pytest.importorskip("hypothesis")
    from hypothesis import given, settings
    from hypothesis import strategies as st

    text = st.lists(st.sampled_from(["a", "b", "an-internationalization"]), max_size=9)
    corpus = st.lists(text, min_size=2, max_size=9)
    smoothing = st.sampled_from(
        [("exp", None), ("none", None), ("floor", 0.2), ("add-k", 1), ("add-k", 0.5)]
    )

    @settings(max_examples=150, deadline=None, derandomize=True, database=None)
    @given(
        corpus,
        corpus,
        st.integers(1, 6),
        smoothing,
        st.booleans(),
        st.sampled_from(POLICIES),
        st.sampled_from([1, 4]),
    )
    def agrees(
        hyps: Any, refs: Any, order: int, smooth: Any, effective: bool, policy: str, copies: int
    ) -> None:
        options = {"smooth_method": smooth[0], "smooth_value": smooth[1]}
        bleu = BLEU(**options, max_ngram_order=order, effective_order=effective, ref_len=policy)

        def score(hyp: Any, several: Any) -> float:
            stats = oracle.segment_stats(hyp, several, order, policy)
            return oracle.score_from_stats(stats, **options, effective_order=effective).score

        refs = refs * copies
        expected = [[score(hyp, [ref]) for ref in refs] for hyp in hyps]
        assert bleu.pairwise(hyps, refs).tolist() == expected
        assert bleu.mbr(hyps, refs).tolist() == expected_utilities(expected, [1.0] * len(refs))
        assert bleu.self_scores(hyps).tolist() == [
            score(hyp, others(hyps, i)) for i, hyp in enumerate(hyps)
        ]
        both = bleu.pairwise([hyps, refs], [refs, refs], groups=True)
        assert both[0].tolist() == expected
        assert both[1].tolist() == bleu.pairwise(refs).tolist()

    agrees()


HYPS = ["the cat sat on the mat", "the cat sat", "", "a dog", "it rained on the mat all day"]
REFS = ["the cat sat down on the mat", "the dog", "it rained all day"]


@pytest.fixture
def bleu() -> BLEU:
    return BLEU(effective_order=True)


TOKENS = [
    "a",
    "b",
    "ab",
    "abcdefgh",
    "abcdefghi",
    "abcdefghj",
    "Abcdefghi",
    "abcdefgh" * 9,
    "abcdefgh" * 8 + "abcdefgi",
    "internationalization",
    "\0",
    "\0\0",
    "a\0",
    "a\0b",
    "abcdefg\0",
    "",
    " ",
    "ä",
    "äöüß",
    "äöüßä",
    "日本語",
    "\ud800",
    "😀" * 3,
]


@pytest.mark.parametrize("n_refs", [5, 200])
def test_kinds_of_tokens(bleu: BLEU, n_refs: int) -> None:
    rng = Random(n_refs)
    texts = [
        rng.choices(TOKENS[: rng.choice((3, 9, len(TOKENS)))], k=rng.randrange(25))
        for _ in range(40 + n_refs)
    ]
    numbers = [[TOKENS.index(token) for token in text] for text in texts]
    expected = [[bleu.sentence_score(hyp, [ref]).score for ref in texts[40:]] for hyp in texts[:40]]
    assert bleu.pairwise(texts[:40], texts[40:]).tolist() == expected
    assert bleu.pairwise(numbers[:40], numbers[40:]).tolist() == expected
    assert bleu.pairwise(texts).tolist() == bleu.pairwise(numbers).tolist()
    assert bleu.self_scores(texts).tolist() == bleu.self_scores(numbers).tolist()


def test_ids_of_all_sizes(bleu: BLEU) -> None:
    edges = [0, 1, -1, 255, 256, 1 << 32, (1 << 32) + 1, (1 << 63) - 1, -(1 << 63), 0xFFFFFFFF]
    rng = Random(1)
    ids = [rng.choices(edges, k=rng.randrange(20)) for _ in range(60)]
    expected = [[bleu.sentence_score(hyp, [ref]).score for ref in ids] for hyp in ids]
    assert bleu.pairwise(ids).tolist() == expected
    unsigned = [[token % (1 << 64) for token in text] for text in ids]
    assert bleu.pairwise(unsigned, ids).tolist() == expected
    arrays = [np.array(text, np.int64) for text in ids]
    assert bleu.pairwise(arrays, unsigned).tolist() == expected
    assert bleu.self_scores(arrays).tolist() == bleu.self_scores(unsigned).tolist()


COLLISION = """
import os
key = "abcdefga"  # an odd number, as keys are
os.urandom = lambda n: (key.encode() * n)[:n]
from rapidbleu import BLEU, CHRF, TER, WER
tokens = [key + tail for tail in ("0", "00", "1234567", "12345678", "12345679")]
texts = [[token] for token in tokens] * 10 + [tokens, tokens[::-1]]
ids = [[tokens.index(token) for token in text] for text in texts]
bleu = BLEU(effective_order=True)
same = [
    bleu.pairwise(texts).tolist() == bleu.pairwise(ids).tolist(),
    bleu.pairwise(list(texts), texts[:9]).tolist() == bleu.pairwise(ids, ids[:9]).tolist(),
    bleu.self_scores(texts[45:]).tolist() == bleu.self_scores(ids[45:]).tolist(),
    [bleu.sentence_score(text, [texts[-1]]).score for text in texts]
    == [bleu.sentence_score(text, [ids[-1]]).score for text in ids],
]
print(same)
"""


def test_long_tokens_with_the_same_hash() -> None:
    """A product with zero is zero: tokens that start with the key all hash to zero."""
    result = subprocess.run(
        [sys.executable, "-c", COLLISION], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[True, True, True, True]"


def test_containers(bleu: BLEU) -> None:
    pa, pd, pl = (pytest.importorskip(name) for name in ("pyarrow", "pandas", "polars"))
    expected = bleu.pairwise(HYPS, REFS).tolist()
    own = bleu.self_scores(HYPS).tolist()
    makers = [
        tuple,
        np.array,
        lambda x: np.array(x, object),
        pd.Series,
        pl.Series,
        pa.array,
        lambda x: pa.array(x, pa.large_string()),
        lambda x: pa.array(x, pa.string_view()),
        lambda x: pa.chunked_array([x[:1], x[1:]]),
        lambda x: pa.array(x).dictionary_encode(),
        lambda x: bleu.prepare([x]),
        lambda x: [text.split() for text in x],
    ]
    for make in makers[:-1]:
        for other in (list, make):
            assert bleu.pairwise(make(HYPS), other(REFS)).tolist() == expected
            assert bleu.pairwise(other(HYPS), make(REFS)).tolist() == expected
        assert bleu.mbr(make(HYPS)).tolist() == bleu.mbr(HYPS).tolist()
        assert bleu.self_scores(make(HYPS)).tolist() == own
    tokens = makers[-1]
    assert bleu.pairwise(tokens(HYPS), tokens(REFS)).tolist() == expected


def test_containers_of_groups(bleu: BLEU) -> None:
    pa, pd, pl = (pytest.importorskip(name) for name in ("pyarrow", "pandas", "polars"))
    expected = bleu.pairwise(HYPS).tolist()
    two = [HYPS, HYPS]
    for groups in (
        tuple(two),
        np.array(two),
        np.array(two, object),
        [tuple(HYPS), np.array(HYPS)],
        [pa.array(HYPS), pd.Series(HYPS)],
        [pl.Series(HYPS)] * 2,
    ):
        found = bleu.pairwise(groups, groups=True)
        assert [matrix.tolist() for matrix in found] == [expected] * 2
    tokens = [text.split() for text in HYPS]
    assert bleu.pairwise([tokens, tokens], groups=True)[1].tolist() == expected


def test_prepared_references(bleu: BLEU) -> None:
    hyps = bleu.prepare([HYPS])
    streams: Any = [[HYPS[0], None, HYPS[2], None, None], [None, HYPS[1], None, *HYPS[3:]]]
    expected = bleu.pairwise(HYPS).tolist()
    for again in (hyps, bleu.prepare(streams), bleu.prepare([[x] for x in HYPS], layout="segment")):
        assert bleu.pairwise(again).tolist() == expected
        assert bleu.pairwise(hyps, again).tolist() == expected
        assert bleu.self_scores(again).tolist() == bleu.self_scores(HYPS).tolist()
    same_tokenizer = BLEU(max_ngram_order=2)
    assert same_tokenizer.pairwise(hyps).tolist() == same_tokenizer.pairwise(HYPS).tolist()


def refuse(error: type[Exception], message: str, call: Any, *args: Any, **options: Any) -> None:
    """Check that the call raises exactly this type, with a message that starts like this."""
    with pytest.raises(error, match="^" + re.escape(message)) as caught:
        call(*args, **options)
    assert caught.type is error


METHODS = ("pairwise", "mbr", "self_scores")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("error", "message", "hyps"),
    [
        (TypeError, "hypotheses: expected a sequence of segments; got NoneType", None),
        (TypeError, "hypotheses: expected a sequence of segments; got a single str", "a b"),
        (TypeError, "hypotheses: expected a sequence of segments; got dict", {"a": "b"}),
        (TypeError, "hypotheses: expected a sequence of segments; got set", {"a", "b"}),
        (TypeError, "hypotheses: expected a sequence of segments; got bytes", b"ab"),
        (ValueError, "hypotheses: expected at least one segment; got none", []),
        (TypeError, "hypotheses[1]: expected str; got NoneType", ["a", None]),
        (TypeError, "hypotheses[2]: expected str; got list", ["a", "b", ["c"]]),
        (TypeError, "hypotheses[1]: expected list of str tokens; got str", [["a"], "b"]),
        (TypeError, "hypotheses[1][1]: expected str; got int", [["a"], ["b", 1]]),
        (TypeError, "hypotheses[1][0]: expected int; got str", [[1], ["b"]]),
        (ValueError, "hypotheses[1][0]: expected an id of 64 bits", [[1], [1 << 64]]),
        (ValueError, "hypotheses: expected at least one segment; got none", np.array([], str)),
    ],
)
def test_bad_hypotheses(bleu: BLEU, method: str, error: Any, message: str, hyps: Any) -> None:
    refuse(error, message, getattr(bleu, method), hyps)


@pytest.mark.parametrize("method", METHODS[:2])
@pytest.mark.parametrize(
    ("error", "message", "refs"),
    [
        (TypeError, "references: expected a sequence of segments; got a single str", "a b"),
        (ValueError, "references: expected at least one segment; got none", ()),
        (TypeError, "references[1]: expected str; got NoneType", ["a", None]),
        (TypeError, "references: expected segments of str as in hypotheses; got list of", [REFS]),
        (TypeError, "references: expected segments of str as in hypotheses; got list of", [[1]]),
        (
            ValueError,
            "references: expected one text for each segment; got <References of 3 segments, 2 each",
            BLEU().prepare([REFS, REFS]),
        ),
        (
            ValueError,
            "references: expected one text for each segment; got <References of 1 segments, 2 each",
            BLEU().prepare([["a", "b"]], layout="segment"),
        ),
        (
            ValueError,
            "references: expected one text for each segment; got <References of 2 "
            "segments, a varying",
            BLEU().prepare([["a", "b"], ["a", None]]),
        ),
        (
            ValueError,
            "references: expected references prepared for tok:13a|case:mixed; got others",
            BLEU(tokenize="char").prepare([REFS]),
        ),
        (
            ValueError,
            "references: expected references prepared for tok:13a|case:mixed; got others",
            BLEU(lowercase=True).prepare([REFS]),
        ),
    ],
)
def test_bad_references(bleu: BLEU, method: str, error: Any, message: str, refs: Any) -> None:
    refuse(error, message, getattr(bleu, method), HYPS, refs)


@pytest.mark.parametrize(
    ("error", "message", "groups"),
    [
        (ValueError, "hypotheses: expected at least one group; got none", []),
        (TypeError, "hypotheses: expected a sequence of lists of segments; got NoneType", None),
        (
            TypeError,
            "hypotheses: expected a sequence of lists of segments; got Ref",
            BLEU().prepare([HYPS]),
        ),
        (TypeError, "hypotheses[0]: expected a list of segments; got a single str", HYPS),
        (TypeError, "hypotheses[1]: expected a sequence of segments; got NoneType", [HYPS, None]),
        (ValueError, "hypotheses[1]: expected at least one segment; got none", [HYPS, []]),
        (TypeError, "hypotheses[1][1]: expected str; got NoneType", [HYPS, ["a", None]]),
        (TypeError, "hypotheses[1][0]: expected str; got int", [HYPS, [1, 2]]),
        (
            TypeError,
            "hypotheses[2][1][1]: expected str; got int",
            [[["a"], []], [["a"], []], [["a"], ["b", 1]]],
        ),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_bad_groups(bleu: BLEU, method: str, error: Any, message: str, groups: Any) -> None:
    refuse(error, message, getattr(bleu, method), groups, groups=True)


def test_groups_that_do_not_fit(bleu: BLEU) -> None:
    for call in (bleu.pairwise, bleu.mbr):
        refuse(
            ValueError,
            "references: expected 2 groups, as many as of hypotheses; got 1",
            call,
            [HYPS, HYPS],
            [REFS],
            groups=True,
        )
        refuse(
            ValueError,
            "references[1]: expected at least one segment; got none",
            call,
            [HYPS, HYPS],
            [REFS, []],
            groups=True,
        )
    refuse(ValueError, "hypotheses: expected at least two segments; got 1", bleu.self_scores, ["a"])
    refuse(
        ValueError,
        "hypotheses[1]: expected at least two segments; got 1",
        bleu.self_scores,
        [HYPS, ["a"]],
        groups=True,
    )


@pytest.mark.parametrize(
    ("error", "message", "weights"),
    [
        (ValueError, "weights: expected shape (3,); got (2,)", [1, 2]),
        (ValueError, "weights: expected one dimension; got 2", np.ones((3, 1))),
        (ValueError, "weights: expected one dimension; got 0", 1.0),
        (TypeError, "weights: expected numbers; got bool", [True, True, False]),
        (TypeError, "weights: expected numbers; got complex128", [1j, 1, 1]),
        (TypeError, "weights: expected numbers; got object", [1, None, 1]),
        (TypeError, f"weights: expected numbers; got {np.array('abc').dtype}", "abc"),
        (ValueError, "weights: expected numbers of at least 0", [1, 2, float("nan")]),
        (ValueError, "weights: expected numbers of at least 0", [1, 2, float("inf")]),
        (ValueError, "weights: expected numbers of at least 0", [1, 2, -1e-9]),
        (ValueError, "weights: expected numbers of at least 0", [0, 0, 0]),
    ],
)
def test_bad_weights(bleu: BLEU, error: Any, message: str, weights: Any) -> None:
    refuse(error, message, bleu.mbr, HYPS, REFS, weights)
    if weights is not None and not isinstance(weights, (str, float)):
        refuse(
            error,
            message.replace("weights", "weights[1]", 1),
            bleu.mbr,
            [HYPS, HYPS],
            [REFS, REFS],
            [[1, 1, 1], weights],
            groups=True,
        )


def test_other_bad_options(bleu: BLEU) -> None:
    refuse(
        ValueError,
        "weights: expected 2 groups; got 1",
        bleu.mbr,
        [HYPS, HYPS],
        None,
        [[1] * 5],
        groups=True,
    )
    for method in METHODS:
        call = getattr(bleu, method)
        refuse(ValueError, "threads: expected 0 for all cores", call, HYPS, threads=-1)
        refuse(TypeError, "threads: expected int; got str", call, HYPS, threads="2")
        lower = getattr(BLEU(lowercase=True), method)
        refuse(ValueError, "lowercase: integer ids have no case", lower, [[1], [2]])


def test_errors_of_a_tokenizer() -> None:
    def tokenize(text: str) -> list[str]:
        if text == "bad":
            raise RuntimeError(text)
        return text.split()

    bleu = BLEU(tokenize=tokenize, effective_order=True)
    for method in METHODS:
        with pytest.raises(RuntimeError, match="bad"):
            getattr(bleu, method)(["a", "bad"], threads=2)
        assert len(getattr(bleu, method)(["a", "b"])) == 2


GROUPS = [["a b", "b c"], ["c", "d"]]
ALL = ("pairwise", "mbr", "select", "self_scores")


@pytest.mark.parametrize("metric", [BLEU(effective_order=True), TER(), WER()], ids=repr)
@pytest.mark.parametrize("method", ALL)
def test_lists_of_texts_want_a_decision(metric: Any, method: str) -> None:
    call = getattr(metric, method)
    message = (
        r"hypotheses\[0\]\[0\]: expected a token without white space; got 'a b'; "
        r"groups=True reads lists as groups of texts, groups=False as tokens"
    )
    with pytest.raises(ValueError, match=message):
        call(GROUPS)
    assert len(call(GROUPS, groups=True)) == 2
    call(GROUPS, groups=False)


@pytest.mark.parametrize(
    ("groups", "place"),
    [
        ([["yes", "no"], ["it rains", "it rained"]], r"hypotheses\[1\]\[0\]: .* 'it rains'"),
        ((("yes", "it\trains"), ()), r"hypotheses\[0\]\[1\]: .* 'it\\trains'"),
        ([[], ["a", "b", "c\u3000d"]], r"hypotheses\[1\]\[2\]"),
        ([np.array(["a", "b c"]), ["d"]], r"hypotheses\[0\]\[1\]"),
        (np.array([["a", "b"], ["c", "d e"]]).tolist(), r"hypotheses\[1\]\[1\]"),
    ],
)
def test_texts_are_found_anywhere_in_lists(groups: Any, place: str) -> None:
    for metric in (BLEU(effective_order=True), CHRF(), TER()):
        with pytest.raises(ValueError, match=place):
            metric.select(groups)
    with pytest.raises(ValueError, match=place.replace("hypotheses", "references")):
        TER().mbr([["a"]], groups)


def test_tokens_with_white_space_need_groups_false(bleu: BLEU) -> None:
    tokens = [["New York", "is", "big"], ["New York", "was", "big"], ["York", "is", "big"]]
    ids = [[0, 1, 2], [0, 3, 2], [4, 1, 2]]
    for method in ALL:
        call = getattr(bleu, method)
        assert np.array_equal(call(tokens, groups=False), call(ids))
        assert np.array_equal(call(ids, groups=False), call(ids))


def test_other_tokens_need_no_decision(bleu: BLEU) -> None:
    """Tokens of models begin with a space, or are empty."""
    tokens = [[" the", " cat", "s", "\n\n"], ["the ", " ", "", "▁cat"], ["the\0cat", "日本語"]]
    for method in ALL:
        call = getattr(bleu, method)
        assert np.array_equal(call(tokens), call(tokens, groups=False))
        assert np.array_equal(call(HYPS), call(HYPS, groups=False))


@pytest.mark.parametrize("groups", [None, False])
def test_segments_of_two_kinds_stay_what_is_wrong(bleu: BLEU, groups: Any) -> None:
    """If references are texts, the error reports mixed kinds, not lists of texts."""
    with pytest.raises(TypeError, match="references: expected segments of str as in hypotheses"):
        bleu.pairwise(HYPS, [REFS], groups=groups)
    for call in (
        lambda: bleu.corpus_score([HYPS], [REFS]),
        lambda: bleu.segment_scores([HYPS], [REFS]),
        lambda: bleu.nbest_scores([HYPS], REFS, segments=[0]),
        lambda: bleu.sentence_score(HYPS, REFS),
        lambda: bleu.running([REFS], [HYPS] * 3),
    ):
        with pytest.raises((TypeError, ValueError), match=r"references|hypothes"):
            call()
