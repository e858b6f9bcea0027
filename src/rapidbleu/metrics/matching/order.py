"""Metrics of words in the same order: GTM, RIBES and skip n-grams."""

from __future__ import annotations

from rapidbleu._core.matching.kernels import GtmKernel, RibesKernel, SkipKernel
from rapidbleu._lib.floats import shortest
from rapidbleu.metrics.counting.overlap import OverlapScore
from rapidbleu.metrics.metric import WordMetric
from rapidbleu.metrics.options import NUMBERS, check_numbers, count, number, option
from rapidbleu.score import Score, SegmentMeanScore, declared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rapidbleu.metrics.options import Settled


@declared
class GTMScore(OverlapScore):
    """A GTM score and its components.

    Attributes
    ----------
    score, precision, recall : float
        In percent; the score is F.
    hyp_len, ref_len : int
        Length in words of the hypotheses, and of the best reference of each segment.
    size : float
        Size of the matchings of all segments, in words.

    Examples
    --------
    >>> print(GTMScore("GTM-2", 60.0, 75.0, 50.0, 3.0, 4, 6))
    GTM-2 = 60.00 (P = 75.0 R = 50.0 hyp_len = 4 ref_len = 6)
    """

    name: str
    score: float
    precision: float
    recall: float
    size: float
    hyp_len: int
    ref_len: int


class GTM(WordMetric[GTMScore]):
    """F of a word matching in which longer runs may count more.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the default tokenizer is 13a.
    exponent : float
        e, from 1 to 100: a run of k words counts k^e, and the size of a matching is the e-th root
        of the sum over its runs. With 1, runs have no effect.

    Notes
    -----
    Runs are chosen greedily: the longest run of words outside all chosen runs; in a tie the first
    in the hypothesis, then in the reference. Nearly always this is the maximum matching, which is
    hard to compute. If a segment has several references, the one with the highest F is used, in a
    tie the longest; powers are compared as rounded.

    A row of statistics is the size in two columns, whole units of 2**-20 and the rest in units of
    2**-50, and the lengths of hypothesis and reference. Time is linear in the pairs of positions
    with equal words, for each run length.

    References
    ----------
    Melamed, Green and Turian 2003, "Precision and Recall of Machine Translation".
    Turian, Shen and Melamed 2003, "Evaluation of Machine Translation and its Evaluation".

    Examples
    --------
    >>> hypotheses, references = ["on the mat the cat sat"], [["the cat sat on the mat"]]
    >>> GTM().corpus_score(hypotheses, references)
    GTM-1 = 100.00 (P = 100.0 R = 100.0 hyp_len = 6 ref_len = 6)
    >>> GTM(exponent=2).corpus_score(hypotheses, references)
    GTM-2 = 70.71 (P = 70.7 R = 70.7 hyp_len = 6 ref_len = 6)
    """

    exponent: float = number(default=1.0, least=1, most=100, sign="e")

    def _formula(self, score: Any, row: list[int], reference: int | None) -> Any:
        return score._shares("size", f"{score.size:.6g}", 1)

    def _make_kernel(self) -> GtmKernel:
        return GtmKernel(self.exponent)

    _score_type = GTMScore

    @property
    def _score_name(self) -> str:  # type: ignore[override]
        return f"GTM-{shortest(self.exponent)}"


class RIBESScore(SegmentMeanScore):
    """The mean RIBES of segments, in percent.

    Examples
    --------
    >>> print(RIBESScore(91.81, 2))
    RIBES = 91.81
    """

    name = "RIBES"


class RIBES(WordMetric[RIBESScore]):
    """RIBES with fixed options; the score of a corpus is the mean of its segment scores.

    A hypothesis word is aligned with the same reference word if it occurs once in both texts, or
    once in both with the fewest words before or after it that make it unique. The share of pairs in
    order is multiplied by powers of the share of aligned words and of BLEU's brevity penalty.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the default tokenizer is 13a.
    alpha, beta : float
        Exponents of the share of aligned words and of the brevity penalty.

    Notes
    -----
    A row of statistics is the segment score in two columns, whole units of 2**-20 and the rest in
    units of 2**-50, and a 1. If a segment has several references, the highest score is used. Empty
    texts score 0; so does a hypothesis with one aligned word, unless that is the whole reference.
    Time is linear in the pairs of positions with equal words.

    References
    ----------
    Isozaki et al. 2010, "Automatic Evaluation of Translation Quality for Distant Language Pairs".

    Examples
    --------
    >>> hypotheses = ["he read the book because he was interested in world history"]
    >>> references = [["he was interested in world history because he read the book"]]
    >>> RIBES().corpus_score(hypotheses, references)
    RIBES = 30.91
    """

    alpha: float = number(default=0.25, least=0, most=100, sign="alpha")
    beta: float = number(default=0.1, least=0, most=100, sign="beta")

    def _make_kernel(self) -> RibesKernel:
        return RibesKernel(self.alpha, self.beta)

    _score_type = RIBESScore


MOST_ORDERS = 16


@declared
class SkipNgramFScore(Score):
    """A score of skip n-grams.

    Attributes
    ----------
    score : float
        Mean F of the segments, in percent.
    precision, recall : float
        Means over the segments, in percent.
    n_segments : int

    Examples
    --------
    >>> print(SkipNgramFScore(40.0, 50.0, 30.0, 3))
    skipF = 40.00 (P = 50.0 R = 30.0)
    """

    name = "skipF"

    score: float
    precision: float
    recall: float
    n_segments: int

    @property
    def _verbose(self) -> str:
        return f"(P = {self.precision:.1f} R = {self.recall:.1f})"


def check_order_weights(name: str, weights: Any) -> tuple[float, ...]:
    """Return one weight per order, at least one of them above 0.

    >>> check_order_weights("order_weights", [1, 3])
    (1.0, 3.0)
    """
    numbers = check_numbers(name, weights, 0, 1e6)
    if not any(numbers):
        raise ValueError(f"{name}: expected at least one above 0; got {list(numbers)}")
    return numbers


class SkipNgramF(WordMetric[SkipNgramFScore]):
    """F of all skip n-grams, weighted by gaps; a corpus scores the mean of its segments.

    A skip n-gram is any n words of a text in order. K of two texts sums, over all pairs of
    occurrences of the same skip n-gram, ``decay`` to the power of the number of words skipped in
    both. For each order, precision is ``K(h, r) / K(h, h)``, recall ``K(h, r) / K(r, r)``, and F,
    for b = `beta` squared, ``(1 + b) K(h, r) / (K(h, h) + b K(r, r))``. The score is the mean of F
    over the orders that occur in either text, weighted by `order_weights`.

    This reconstructs the idea of BLANC, whose exact form was not available: do not compare its
    scores with published ones.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the default tokenizer is 13a.
    max_ngram_order : int
        Maximum order, up to 16.
    decay : float
        Factor per skipped word, from 0 (contiguous n-grams only) to 1 (gaps have no effect).
    beta : float
        Weight of recall relative to precision; 0 for precision, inf for recall.
    order_weights : sequence of float, optional
        Relative weight of each order's F, from 0 to 1e6 and not all 0; equal by default.

    Notes
    -----
    Matches are not clipped: a word repeated in one text matches each time. Shares above 1, which F
    can reach only if `beta` is not 1, are set to 1. `rapidbleu.meta.fit_metric` fits the options to
    human judgments, as was done for BLANC. Weights apply to F and not to K because K grows with the
    order, so the highest order alone would decide on long texts.

    A row of statistics contains F, precision and recall of the segment as fractions in two columns
    each, whole units of 2**-20 and the rest in units of 2**-50, and a 1. If a segment has several
    references, the one with the highest F is used. Time is the number of orders times the squares
    and the product of both lengths.

    References
    ----------
    Lita, Rogati and Lavie 2005, "BLANC: Learning Evaluation Metrics for MT".
    Lodhi et al. 2002, "Text Classification using String Kernels", section 3.

    Examples
    --------
    >>> SkipNgramF().corpus_score(["the cat sat on the mat"], [["the cat is on the mat"]])
    skipF = 47.87 (P = 47.9 R = 47.9)
    >>> metric = SkipNgramF(max_ngram_order=2, decay=1, beta=3, order_weights=(1, 3))
    >>> metric.corpus_score(["the cat sat"], [["the cat sat on the mat"]])
    skipF = 27.76 (P = 100.0 R = 25.7)
    """

    max_ngram_order: int = count(default=4, least=1, most=MOST_ORDERS, sign="n")
    decay: float = number(
        default=0.5,
        least=0,
        most=1,
        sign="decay",
        needs=("max_ngram_order of at least 2", lambda metric: metric.max_ngram_order > 1),
    )
    beta: float = number(default=1.0, least=0, most=float("inf"), sign="beta")
    order_weights: Settled[Sequence[float] | None, tuple[float, ...] | None] = option(
        default=None, check=check_order_weights, text=NUMBERS, sign="weights"
    )

    def _settle(self) -> None:
        order = self.max_ngram_order
        weights = self.order_weights
        if weights is not None and len(weights) != order:
            raise ValueError(f"order_weights: expected {order}, one an order; got {len(weights)}")

    def _make_kernel(self) -> SkipKernel:
        weights = self.order_weights or (1.0,) * self.max_ngram_order
        return SkipKernel(self.max_ngram_order, self.decay, self.beta, weights)

    def _make_score(self, parts: tuple[Any, ...]) -> SkipNgramFScore:
        score, _, precision, recall, n_segments = parts
        return SkipNgramFScore(score, precision, recall, n_segments)
