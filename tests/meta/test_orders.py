"""Orders and texts of equal BLEU: the paper's, every permutation, random ones, bad calls."""

import math
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF
from rapidbleu.meta import (
    count_orders,
    enumerate_orders,
    sample_orders,
    sample_paraphrases,
    sample_reorderings,
    summarize_orders,
)
from rapidbleu.meta.orders import Orders, arrangements
from reference import bleu
from reference.meta import orders as oracle

# Table 1 of Callison-Burch, Osborne and Koehn (2006).
HYPOTHESIS = "Appeared calm when he was taken to the American plane, which will to Miami, Florida."
REFERENCES = [
    "Orejuela appeared calm as he was led to the American plane which will take him to Miami, "
    "Florida.",
    "Orejuela appeared calm while being escorted to the plane that would take him to Miami, "
    "Florida.",
    "Orejuela appeared calm as he was being led to the American plane that was to carry him to "
    "Miami in Florida.",
    "Orejuela seemed quite calm as he was being led to the American plane that would take him to "
    "Miami in Florida.",
]
FOLDED = BLEU(lowercase=True)

# The paper's sites separate two clipped matches of "a b c".
TORN = ["a", "b", "x", "a", "b", "c"]
TORN_REFERENCE = ["a", "b", "c"]


OPTIONS: list[dict[str, Any]] = [
    {},
    {"lowercase": True, "ref_len": "longest"},
    {"max_ngram_order": 2, "weights": (0.25, 0.75)},
    {"average": "arithmetic", "smooth_method": "none"},
    {"smooth_method": "floor"},
    {"smooth_method": "add-k", "effective_order": True},
    *({"smooth_method": f"nltk{i}"} for i in range(1, 8)),
]


def random_case(rng: Random, most_words: int) -> tuple[list[str], list[list[str]]]:
    letters = "abcdefg"[: rng.randint(1, 7)]
    hypothesis = rng.choices(letters, k=rng.randint(0, most_words))
    return hypothesis, [rng.choices(letters, k=rng.randint(1, 9)) for _ in range(rng.randint(1, 3))]


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
    assert shares.exact and shares.n_orders == 40_320
    assert (shares.same, shares.higher, shares.lower) == (26_640, 13_680, 0)
    matches = [tuple(row) for row in shares.stats[:, 2:6].tolist()]
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
    found = sample_orders(HYPOTHESIS, REFERENCES, FOLDED, n_samples=20_000)
    assert not found.exact and found.n_orders == sum(found.counts) == 20_000
    assert found.lower == 0
    assert found.same / found.n_orders == pytest.approx(
        26_640 / 40_320, abs=4 * 0.5 / math.sqrt(20_000)
    )
    again = sample_orders(HYPOTHESIS, REFERENCES, FOLDED, n_samples=20_000, threads=2)
    assert (again.same, again.counts) == (found.same, found.counts)
    assert found.seed is not None and enumerate_orders("a b", ["a"]).seed is None
    other = sample_orders(HYPOTHESIS, REFERENCES, FOLDED, n_samples=20_000, seed=1)
    assert other.same != found.same


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
        rows = map(tuple, shares.stats.tolist())
        assert dict(zip(rows, shares.counts, strict=True)) == counted
        verdicts = oracle.verdicts(words, counted, references)
        assert (shares.same, shares.higher, shares.lower) == verdicts
        assert sum(verdicts) == found.count
        if sites == "exact" and not found.may_gain:
            assert shares.same == shares.n_orders
        n_lower += shares.lower
    assert (n_lower > 0) == (sites == "printed")


def test_the_printed_bound_can_lose() -> None:
    """The second "a b" exceeds the clip; a cut there splits "a b c", and loses a trigram."""
    assert count_orders(TORN, [TORN_REFERENCE], sites="exact").n_blocks == 3
    printed = count_orders(TORN, [TORN_REFERENCE], sites="printed")
    assert printed.blocks == (("a", "b"), ("x",), ("a",), ("b", "c"))
    assert printed.printed == printed.count == 24
    assert enumerate_orders(TORN, [TORN_REFERENCE], sites="exact").lower == 0
    assert enumerate_orders(TORN, [TORN_REFERENCE], sites="printed").lower > 0


def test_equal_blocks_are_counted_once() -> None:
    found = count_orders("x y x y x", ["a"])
    assert (found.count, found.distinct) == (120, 10)
    assert found.log10_distinct == pytest.approx(1.0)
    assert repr(found) == "5 words, 5 blocks: 10^2.1 orders, 10^1.0 of them distinct"
    shares = enumerate_orders("x y x y x", ["a"], max_orders=10)
    assert shares.n_orders == shares.same == 120
    with pytest.raises(ValueError, match="expected at most 9 different orders; got 10"):
        enumerate_orders("x y x y x", ["a"], max_orders=9)


def test_orders_that_differ_can_be_one_text() -> None:
    """Blocks a, b and "a b": with the last one first or last, the text is "a b a b"."""
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
    assert (
        found.count == math.factorial(len(expected)) == enumerate_orders(words, references).n_orders
    )


def test_huge_counts() -> None:
    """81 blocks, the maximum in the paper: an exact integer and its logarithm."""
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
    """5,000 orders of blocks cut at exact sites lose no match, and so never score lower.

    With one smoothing, which `count_orders` names, more matches can score lower.
    """
    rng = Random("smoothing")
    metric = BLEU(**options)
    n_lower = n_higher = 0
    for _ in range(50):
        words, references = random_case(rng, 25)
        found = sample_orders(words, references, metric, n_samples=100)
        own = np.array(metric.segment_stats([words], [references], layout="segment"))
        assert (found.stats >= own).all()
        n_lower += found.lower
        n_higher += found.higher
    assert (n_lower > 0) == (metric.smooth_method == "nltk6")
    assert n_higher > 0


@pytest.mark.parametrize("options", OPTIONS, ids=repr)
def test_options_of_the_metric(options: dict[str, Any]) -> None:
    metric = BLEU(**options)
    words, references = [*"abcdxabcye"], [[*"abcde"], [*"abdefgh"]]
    cut = Orders(words, references, metric)
    orders = np.array([range(cut._starts.size), [*reversed(range(cut._starts.size))]])
    places = cut._places(orders)
    texts = [[cut._written[i] for i in own] for own in places.tolist()]
    given = [references] * 2
    expected = metric.segment_stats(texts, given, layout="segment")
    assert cut._stats(places).tolist() == expected.tolist()
    scores = metric.segment_scores(texts, given, layout="segment")
    assert metric.score_rows(expected).tolist() == scores.tolist()
    shares = enumerate_orders(words, references, metric)
    assert shares.n_orders == math.factorial(cut._starts.size)


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


@pytest.mark.parametrize("layout", ["stream", "segment"])
def test_corpus(layout: Any) -> None:
    rng = Random("corpus")
    cases = [random_case(rng, 30) for _ in range(200)]
    hypotheses = [words for words, _ in cases]
    each = [(references * 3)[:3] for _, references in cases]
    each[3] = [each[3][0], None, each[3][2]]  # type: ignore[list-item]
    streams = [list(stream) for stream in zip(*each, strict=True)]
    references: Any = each if layout == "segment" else streams
    found = summarize_orders(hypotheses, references, layout=layout, threads=2)
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
    found = summarize_orders([HYPOTHESIS], [[text] for text in REFERENCES], FOLDED)
    assert found.max == found.median == pytest.approx(math.log10(40_320))
    assert summarize_orders([""], [["a"]]).max == 0.0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: count_orders("a", ["a"], CHRF()), TypeError, "metric: expected BLEU; got CHRF"),
        (lambda: count_orders("a", "a"), TypeError, "references: expected a sequence of"),
        (lambda: count_orders("a", []), ValueError, "has no reference"),
        (lambda: count_orders(5, ["a"]), TypeError, "hypotheses"),
        (
            lambda: count_orders("a", ["a"], sites="all"),
            ValueError,
            "sites: expected one of exact, printed; got 'all'",
        ),
        (
            lambda: enumerate_orders("a b c d e f g h i j", ["x"]),
            ValueError,
            "hypothesis: expected at most 362880 different orders; got 3628800; raise `max_orders`",
        ),
        (
            lambda: enumerate_orders(" ".join(map(str, range(50))), ["x"]),
            ValueError,
            r"got 10\^64.5; raise `max_orders`, or estimate shares with sample_orders",
        ),
        (
            lambda: enumerate_orders("a", ["a"], max_orders=0),
            ValueError,
            "max_orders: expected at least 1",
        ),
        (
            lambda: sample_orders("a", ["a"], n_samples=0),
            ValueError,
            "n_samples: expected at least 1; got 0",
        ),
        (lambda: sample_orders("a", ["a"], seed=-1), ValueError, "seed: expected at least 0"),
        (lambda: summarize_orders("a", [["a"]]), TypeError, "hypotheses: expected a sequence"),
        (
            lambda: summarize_orders(["a"], ["a"]),
            TypeError,
            r"references\[0\]: expected a sequence",
        ),
        (lambda: summarize_orders(["a", "b"], [["a"]]), ValueError, "segments"),
        (lambda: summarize_orders(["a"], [["a"]], layout="row"), ValueError, "layout"),
        (lambda: summarize_orders([], []), ValueError, "at least one segment"),
        (lambda: sample_reorderings("a", ["a"], n=0), ValueError, "n: expected at least 1; got 0"),
        (
            lambda: sample_paraphrases("a", ["a"], max_tries=0),
            ValueError,
            "max_tries: expected at least 1",
        ),
        (lambda: sample_reorderings("a", ["a"], seed="x"), TypeError, "seed"),
        (lambda: sample_reorderings("a", ["a"], gains="x"), TypeError, "gains: expected True or"),
        (lambda: sample_paraphrases("a", ["a"], CHRF()), TypeError, "metric: expected BLEU; got"),
    ],
)
def test_bad_calls(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


FUNCTIONS = [sample_reorderings, sample_paraphrases]

# Section 3.2 of the paper.
DRAWN = "was being led to the calm as he was would take carry him seemed quite when taken"


def rows(metric: BLEU, texts: list[Any], references: list[Any]) -> Any:
    return metric.segment_stats(texts, [references] * len(texts), layout="segment")


@pytest.mark.parametrize("make", FUNCTIONS)
def test_variants_of_the_paper(make: Any) -> None:
    [own] = rows(FOLDED, [HYPOTHESIS], REFERENCES)
    found = make(HYPOTHESIS, REFERENCES, FOLDED, n=50)
    assert len(found) == len(set(found)) == 50
    assert (rows(FOLDED, found, REFERENCES) == own).all()
    assert make(HYPOTHESIS, REFERENCES, FOLDED, n=50, threads=2) == found
    assert make(HYPOTHESIS, REFERENCES, FOLDED, n=20) == found[:20]
    assert make(HYPOTHESIS, REFERENCES, FOLDED, n=50, seed=1) != found
    words = sorted(FOLDED.tokenizer(HYPOTHESIS))
    assert {sorted(text.split()) == words for text in found} == {make is sample_reorderings}
    assert all({"when", "taken"} <= {*text.split()} for text in found)  # in no reference


def test_the_drawn_text_that_the_paper_prints() -> None:
    """It has the matches stated in the paper, but one word less, and so a lower score."""
    one, other = rows(FOLDED, [HYPOTHESIS, DRAWN], REFERENCES).tolist()
    assert one[2:6] == other[2:6] == [15, 10, 5, 3]
    assert (one[0], other[0]) == (18, 17)


@pytest.mark.parametrize("make", FUNCTIONS)
def test_random_variants(make: Any) -> None:
    rng = Random("variants")
    n_found = 0
    for _ in range(60):
        words, references = random_case(rng, 12)
        own = bleu.segment_stats(words, references)
        found = make(words, references, n=5, max_tries=2_000, seed=rng.randrange(1000))
        assert len({tuple(variant) for variant in found} | {tuple(words)}) == len(found) + 1
        for variant in found:
            assert bleu.segment_stats(variant, references) == own
            if make is sample_reorderings:
                assert sorted(variant) == sorted(words)
        n_found += len(found)
    assert n_found > 50


@pytest.mark.parametrize("make", FUNCTIONS)
def test_gains(make: Any) -> None:
    [own] = FOLDED.score_rows(rows(FOLDED, [HYPOTHESIS], REFERENCES))
    found = make(HYPOTHESIS, REFERENCES, FOLDED, n=200, gains=True)
    scores = FOLDED.score_rows(rows(FOLDED, found, REFERENCES))
    assert scores.min() >= own * (1 - 1e-12)
    assert scores.max() > own


def test_all_there_are() -> None:
    found = sample_reorderings([*"abcdef"], [["a", "x", "b"]], n=1000, max_tries=1)
    assert len(found) == len(set(map(tuple, found))) == 719
    assert found != sorted(found)
    assert sample_reorderings("a b", ["a b"]) == []
    assert sample_reorderings("", ["a b"]) == sample_paraphrases("", ["a b"]) == []
    assert sample_reorderings([1, 2, 3], [[1, 2, 4]]) == [[3, 1, 2]]


def test_text_is_read_again() -> None:
    """Words that tokenization would not recover are not a variant."""
    dashes = BLEU(tokenize=lambda text: text.split("-"))
    assert sample_reorderings("a-b-c", ["x"], metric=dashes, max_tries=100) == []
    assert len(sample_reorderings(["a", "b", "c"], [["x"]], metric=dashes, max_tries=100)) == 5


def test_words_stay_as_they_are_written() -> None:
    found = sample_reorderings(HYPOTHESIS, REFERENCES, FOLDED, n=10)
    assert all("Appeared calm" in text and "American plane" in text for text in found)


def test_blocks_longer_than_references() -> None:
    """A chain through two references belongs to neither: it stays."""
    words = ["a", "b", "c", "d"]
    cut = Orders(words, [["a", "b"], ["b", "c", "d"]])
    assert cut._lengths.tolist() == [4]
    assert sample_paraphrases(words, [["a", "b"], ["b", "c", "d"]]) == []


def test_no_seed() -> None:
    words = list(range(30))
    found = sample_reorderings(words, [[99]], n=3)
    assert found != sample_reorderings(words, [[99]], n=3, seed=None) and np.shape(found) == (3, 30)
