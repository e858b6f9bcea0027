"""Orders with the same score: the paper's example, every permutation, random ones, bad calls."""

import math
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF
from rapidbleu.meta import corpus_orders, count_orders, enumerate_orders, sample_orders
from rapidbleu.meta.orders import CutHypothesis, arrangements
from reference.meta import orders as oracle
from support.orders import FOLDED, HYPOTHESIS, REFERENCES, random_case
from support.processes import interrupt, posix_only

# Two clipped matches of "a b c" are torn apart by the sites of the paper.
TORN = ["a", "b", "x", "a", "b", "c"]
TORN_REFERENCE = ["a", "b", "c"]


OPTIONS: list[dict[str, Any]] = [
    {},
    {"lowercase": True, "ref_len": "longest"},
    {"max_ngram_order": 2, "weights": (0.25, 0.75)},
    {"mean": "arithmetic", "smooth_method": "none"},
    {"smooth_method": "floor"},
    {"smooth_method": "add-k", "effective_order": True},
    *({"smooth_method": f"nltk{i}"} for i in range(1, 8)),
]


# The paper


def test_table_1() -> None:
    """18 words, 10 bigrams, 8! orders: 26,640 score the same and 13,680 higher, none lower."""
    found = count_orders(HYPOTHESIS, REFERENCES, FOLDED)
    assert (found.n_words, found.n_matches, found.n_blocks) == (18, 10, 8)
    assert found.count == found.distinct == found.printed == 40_320
    assert found.log10 == found.log10_distinct == found.log10_printed
    assert found.log10 == pytest.approx(math.log10(40_320), abs=1e-12)
    assert all(type(number) is int for number in (found.n_words, found.n_matches, found.count))
    printed = "Appeared calm | when | he was | taken | to the American plane | , | which will | "
    printed += "to Miami , Florida ."
    assert " | ".join(" ".join(block) for block in found.blocks) == printed
    assert found.may_gain

    done: list[tuple[int, int]] = []
    shares = enumerate_orders(
        HYPOTHESIS, REFERENCES, FOLDED, threads=2, progress=lambda *counts: done.append(counts)
    )
    assert len(done) > 1 and done[-1] == (40_320, 40_320)
    assert shares.exact and shares.n == 40_320
    assert (shares.same, shares.higher, shares.lower) == (26_640, 13_680, 0)
    matches = [tuple(row) for row in shares.rows[:, 2:6].tolist()]
    assert dict(zip(matches, shares.counts, strict=True)) == {
        (15, 10, 5, 3): 26_640,
        (15, 11, 5, 3): 8_640,
        (15, 11, 7, 5): 3_600,
        (15, 12, 7, 5): 1_440,
    }
    assert repr(shares) == "40320 orders: 66.07% same, 33.93% higher, 0.00% lower"


def test_the_order_that_the_paper_prints() -> None:
    text = "which will he was , when taken Appeared calm to the American plane to Miami , Florida ."
    rows = FOLDED.segment_stats([HYPOTHESIS, text], [REFERENCES] * 2, layout="segment")
    assert rows[0].tolist() == rows[1].tolist()
    assert rows[0, 2:6].tolist() == [15, 10, 5, 3]


def test_sampled_shares_of_the_paper() -> None:
    found = sample_orders(HYPOTHESIS, REFERENCES, FOLDED, n=20_000)
    assert not found.exact and found.n == sum(found.counts) == 20_000
    assert found.lower == 0
    assert found.same / found.n == pytest.approx(26_640 / 40_320, abs=4 * 0.5 / math.sqrt(20_000))
    again = sample_orders(HYPOTHESIS, REFERENCES, FOLDED, n=20_000, threads=2)
    assert (again.same, again.counts) == (found.same, found.counts)
    other = sample_orders(HYPOTHESIS, REFERENCES, FOLDED, n=20_000, seed=1)
    assert other.same != found.same


# Every permutation


@pytest.mark.parametrize("sites", ["exact", "printed"])
def test_every_permutation(sites: str) -> None:
    rng = Random(sites)
    n_lower = 0
    cases = [(TORN, [TORN_REFERENCE]), *(random_case(rng, 7) for _ in range(60))]
    for words, references in cases:
        parts = oracle.blocks(words, references, sites)
        if len(parts) > 6:
            continue
        found = count_orders(words, references, sites=sites)
        assert [list(block) for block in found.blocks] == parts
        orders = oracle.orders(parts)
        assert found.count == len(orders)
        strings = len(set(map(tuple, orders)))
        assert strings <= found.distinct
        if sites == "exact" and not found.may_gain:
            assert strings == found.distinct

        counted = oracle.rows(parts, references)
        shares = enumerate_orders(words, references, sites=sites)
        rows = map(tuple, shares.rows.tolist())
        assert dict(zip(rows, shares.counts, strict=True)) == counted
        verdicts = oracle.verdicts(words, counted, references)
        assert (shares.same, shares.higher, shares.lower) == verdicts
        assert sum(verdicts) == found.count
        if sites == "exact" and not found.may_gain:
            assert shares.same == shares.n
        n_lower += shares.lower
    assert (n_lower > 0) == (sites == "printed")


def test_no_random_order_scores_lower() -> None:
    """5,000 permutations of blocks cut at exact sites: no count of matches falls."""
    rng = Random("5,000")
    n_higher = n_orders = 0
    for _ in range(100):
        words, references = random_case(rng, 40)
        found = sample_orders(words, references, n=50, seed=rng.randrange(10**6))
        own = np.array(BLEU().segment_stats([words], [references], layout="segment"))
        assert (found.rows >= own).all()
        assert found.lower == 0
        n_orders += found.n
        n_higher += found.higher
    assert n_orders == 5_000 and n_higher > 0


def test_the_printed_bound_can_lose() -> None:
    """The second "a b" is one too many; cut there, "a b c" is torn, and a trigram is lost."""
    assert count_orders(TORN, [TORN_REFERENCE], sites="exact").n_blocks == 3
    printed = count_orders(TORN, [TORN_REFERENCE], sites="printed")
    assert printed.blocks == (("a", "b"), ("x",), ("a",), ("b", "c"))
    assert printed.printed == printed.count == 24
    assert enumerate_orders(TORN, [TORN_REFERENCE], sites="exact").lower == 0
    assert enumerate_orders(TORN, [TORN_REFERENCE], sites="printed").lower > 0


# Counting


def test_equal_blocks_are_counted_once() -> None:
    found = count_orders("x y x y x", ["a"])
    assert (found.count, found.distinct) == (120, 10)
    assert found.log10_distinct == pytest.approx(1.0)
    assert repr(found) == "5 words, 5 blocks: 10^2.1 orders, 10^1.0 of them distinct"
    shares = enumerate_orders("x y x y x", ["a"], most=10)
    assert shares.n == shares.same == 120
    with pytest.raises(ValueError, match="expected at most 9 different orders, got 10"):
        enumerate_orders("x y x y x", ["a"], most=9)


def test_orders_that_differ_can_be_one_text() -> None:
    """The blocks a, b and "a b": with the last in front or behind, the text is "a b a b"."""
    found = count_orders(["b", "a", "x", "a", "b"], [["a", "b"]])
    assert found.distinct == 24
    texts = set(map(tuple, oracle.orders([["b"], ["a"], ["x"], ["a", "b"]])))
    assert found.may_gain and len(texts) < found.distinct


@pytest.mark.parametrize(
    ("words", "expected"),
    [([], []), ([3], [(3,)]), ([5, 6, 7], [(5, 6), (7,)]), ([-1, 6], [(-1, 6)])],
)
def test_integer_ids_and_few_words(words: list[int], expected: list[tuple[int, ...]]) -> None:
    references = [[5, 6, 8], [2**64 - 1, 6]]
    found = count_orders(words, references)
    assert list(found.blocks) == expected
    assert found.count == math.factorial(len(expected)) == enumerate_orders(words, references).n


def test_huge_counts() -> None:
    """81 blocks, as the paper's largest: an integer to the last digit, its logarithm beside it."""
    found = count_orders([str(i) for i in range(81)], [["x"]])
    assert found.count == math.factorial(81)
    assert round(found.log10, 1) == 120.8
    many = count_orders(list(range(5_000)), [[-1]])
    assert many.log10 == pytest.approx(math.log10(math.factorial(5_000)), rel=1e-12)


def test_unigrams_have_no_order() -> None:
    found = count_orders("the cat sat", ["the cat sat"], BLEU(max_ngram_order=1))
    assert (found.n_blocks, found.n_matches, found.may_gain) == (3, 0, False)
    assert enumerate_orders("the cat sat", ["the cat sat"], BLEU(max_ngram_order=1)).same == 6


@pytest.mark.parametrize("options", OPTIONS, ids=repr)
def test_more_matches_score_more(options: dict[str, Any]) -> None:
    """So no order scores lower, with any smoothing but the one that `count_orders` names."""
    rng = Random("smoothing")
    metric = BLEU(**options)
    found = [sample_orders(*random_case(rng, 25), metric, n=100) for _ in range(50)]
    assert (sum(each.lower for each in found) > 0) == (metric.smooth_method == "nltk6")
    assert sum(each.higher for each in found) > 0


@pytest.mark.parametrize("options", OPTIONS, ids=repr)
def test_options_of_the_metric(options: dict[str, Any]) -> None:
    """Rows and scores are those that the metric has for the words themselves."""
    metric = BLEU(**options)
    words, references = [*"abcdxabcye"], [[*"abcde"], [*"abdefgh"]]
    cut = CutHypothesis(words, references, metric)
    orders = np.array([range(cut.starts.size), [*reversed(range(cut.starts.size))]])
    places = cut.places(orders)
    texts = [[cut.written[i] for i in own] for own in places.tolist()]
    given = [references] * 2
    expected = metric.segment_stats(texts, given, layout="segment")
    assert cut.stats(places).tolist() == expected.tolist()
    scores = metric.segment_scores(texts, given, layout="segment")
    assert cut.scores(expected).tolist() == scores.tolist()
    shares = enumerate_orders(words, references, metric)
    assert shares.n == math.factorial(cut.starts.size)


def test_tokenizers_decide() -> None:
    text, references = "to Miami, Florida", ["To Miami, Florida"]
    assert count_orders(text, references).n_blocks == 2
    assert count_orders(text, references, FOLDED).n_blocks == 1
    assert count_orders(text, references, BLEU(tokenize="none")).n_words == 3
    assert count_orders("东西南北", ["东西北"], BLEU(tokenize="zh")).n_blocks == 3


def test_arrangements_come_in_batches() -> None:
    batches = [batch.tolist() for batch in arrangements([0, 1, 1, 2], 7)]
    assert [len(batch) for batch in batches] == [7, 5]
    listed = [tuple(order) for batch in batches for order in batch]
    assert len(set(listed)) == 12 and listed == sorted(listed)


# A corpus


@pytest.mark.parametrize("layout", ["stream", "segment"])
def test_corpus(layout: Any) -> None:
    rng = Random("corpus")
    cases = [random_case(rng, 30) for _ in range(200)]
    hypotheses = [words for words, _ in cases]
    each = [(references * 3)[:3] for _, references in cases]
    each[3] = [each[3][0], None, each[3][2]]  # type: ignore[list-item]
    streams = [list(stream) for stream in zip(*each, strict=True)]
    references: Any = each if layout == "segment" else streams
    found = corpus_orders(hypotheses, references, layout=layout, threads=2)
    assert len(found) == 200
    for i, (words, own) in enumerate(zip(hypotheses, each, strict=True)):
        single = count_orders(words, [reference for reference in own if reference is not None])
        assert found.n_words[i] == single.n_words
        assert found.n_matches[i] == single.n_matches
        assert found.n_blocks[i] == single.n_blocks <= single.n_words - single.n_matches
        assert found.log10[i] == pytest.approx(single.log10, abs=1e-12)
        assert found.log10_distinct[i] == pytest.approx(single.log10_distinct, abs=1e-9)
        assert found.log10_printed[i] == pytest.approx(single.log10_printed, abs=1e-12)
    assert found.median == np.median(found.log10)
    assert found.max == found.log10.max() == found.quantiles([1.0])[0]
    assert found.quantiles().tolist() == sorted(found.quantiles().tolist())
    assert repr(found) == (
        f"200 segments: median 10^{found.median:.1f} orders, most 10^{found.max:.1f}"
    )


def test_one_segment_is_a_corpus() -> None:
    found = corpus_orders([HYPOTHESIS], [[text] for text in REFERENCES], FOLDED)
    assert found.max == found.median == pytest.approx(math.log10(40_320))
    assert corpus_orders([""], [["a"]]).max == 0.0


# Bad calls


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: count_orders("a", ["a"], CHRF()), TypeError, "metric: expected BLEU, got CHRF"),
        (lambda: count_orders("a", "a"), TypeError, "references: expected a sequence of"),
        (lambda: count_orders("a", []), ValueError, "has no reference"),
        (lambda: count_orders(5, ["a"]), TypeError, "hypotheses"),
        (lambda: count_orders(["a", 1], [["a"]]), TypeError, "hypotheses"),
        (lambda: count_orders("a", ["a"], sites="all"), ValueError,
         "sites: expected one of exact, printed; got 'all'"),
        (lambda: enumerate_orders("a b c d e f g h i j", ["x"]), ValueError,
         "hypothesis: expected at most 362880 different orders, got 3628800; raise `most`"),
        (lambda: enumerate_orders(" ".join(map(str, range(50))), ["x"]), ValueError,
         r"got 10\^64.5; raise `most`, or estimate shares with sample_orders"),
        (lambda: enumerate_orders("a", ["a"], most=0), ValueError, "most: expected at least 1"),
        (lambda: enumerate_orders("a", ["a"], threads=-1), ValueError, "threads"),
        (lambda: sample_orders("a", ["a"], n=0), ValueError, "n: expected at least 1, got 0"),
        (lambda: sample_orders("a", ["a"], seed=-1), ValueError, "seed: expected at least 0"),
        (lambda: corpus_orders("a", [["a"]]), TypeError, "hypotheses: expected a sequence"),
        (lambda: corpus_orders(["a"], ["a"]), TypeError, r"references\[0\]: expected a sequence"),
        (lambda: corpus_orders(["a", "b"], [["a"]]), ValueError, "segments"),
        (lambda: corpus_orders(["a"], [["a"]], layout="row"), ValueError, "layout"),
        (lambda: corpus_orders([], []), ValueError, "at least one segment"),
    ],
)  # fmt: skip
def test_bad_calls(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_places_are_arithmetic() -> None:
    cut = CutHypothesis("a b x c", ["a b c"])
    places = cut.places(np.array([[2, 1, 0], [0, 1, 2]]))
    assert places.tolist() == [[3, 2, 0, 1], [0, 1, 2, 3]]
    assert cut.stats(places).tolist()[1] == cut.row.tolist()


@posix_only
@pytest.mark.parametrize(
    "call",
    [
        "enumerate_orders(' '.join(map(str, range(13))), ['1'], most=10**10)",
        "sample_orders(' '.join(map(str, range(20))), ['1'], n=10**9, threads=2)",
    ],
)
def test_interrupt(call: str) -> None:
    setup = "from rapidbleu.meta import enumerate_orders, sample_orders; bleu = BLEU()"
    (line, *rest), waited = interrupt(setup, call, 0.6)
    assert line.startswith("interrupted"), line
    assert waited < 3.0
    assert rest == ["still scores"]
