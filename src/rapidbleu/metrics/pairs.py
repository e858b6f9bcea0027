"""All pairs of hypotheses and references, and expected scores.

Each text is tokenized once. Threads share the groups of texts in a job; large groups are split.
"""

from __future__ import annotations

from itertools import accumulate

from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu._core.scoring.extraction import flatten
from rapidbleu._lib.checks import items_of
from rapidbleu._lib.loader import np
from rapidbleu.metrics.corpus import prepared_texts
from rapidbleu.parallel import Teller, check_progress, check_threads, in_parts
from rapidbleu.references import References
from rapidbleu.stats import in_order, unmasked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, overload

    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu._types import FloatArray, Groups, IntArray, Numbers, PairTexts, Progress

# Minimum work of a thread, half a millisecond
PART_PAIRS = 1 << 15
PART_SEGMENTS = 1 << 12

COLUMNS = 256  # minimum number of references in a part of a matrix


if TYPE_CHECKING:

    @overload
    def pairwise(
        metric: Any,
        hypotheses: PairTexts,
        references: PairTexts | None = None,
        *,
        groups: Literal[False] | None = None,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> FloatArray: ...

    @overload
    def pairwise(
        metric: Any,
        hypotheses: Groups,
        references: Groups | None = None,
        *,
        groups: Literal[True],
        threads: int = 1,
        progress: Progress | None = None,
    ) -> list[FloatArray]: ...


def pairwise(
    metric: Any,
    hypotheses: PairTexts | Groups,
    references: PairTexts | Groups | None = None,
    *,
    groups: bool | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> FloatArray | list[FloatArray]:
    """Score every hypothesis against every reference.

    Parameters
    ----------
    hypotheses : sequence of m segments, or References
        Segments as in `corpus_score`. Prepared references, one per segment, are used directly.
    references : sequence of n segments, or References, optional
        The hypotheses by default.
    groups : bool, optional
        Treat both as sequences of groups, lists of segments, each scored on its own. Otherwise
        lists of str are tokens; unless this is False, tokens that contain white space are
        refused because they may be groups of texts.
    threads : int
        As in `corpus_score`.
    progress : callable, optional
        Called with the number of pairs done and the total.

    Returns
    -------
    float64 array of shape (m, n), or a list of them, one for each group
        ``[i, j]`` is ``sentence_score(hypotheses[i], [references[j]]).score``, to the last bit.

    Raises
    ------
    TypeError, ValueError
        If a text or an argument is invalid, a group is empty, or the numbers of groups differ;
        the message names the position.

    Notes
    -----
    Each text is tokenized once; time is proportional to the n-grams that texts share.

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> bleu = BLEU(effective_order=True)
    >>> bleu.pairwise(["a b c", "a b d"], ["a b c", "a c", "d"]).round(1)
    array([[100. ,  34.7,   0. ],
           [ 55. ,  27.5,  27.5]])
    """
    job = PairJob(metric, hypotheses, references, groups, threads, progress)
    metric._calls.remember_number(1)
    sizes = [m * n for m, n in job.shapes]
    out = np.empty(sum(sizes), np.float64)
    job.run(out, None)
    parts = zip(split(out, sizes), job.shapes, strict=True)
    matrices = [part.reshape(shape) for part, shape in parts]
    return matrices if groups else matrices[0]


if TYPE_CHECKING:

    @overload
    def self_scores(
        metric: Any,
        hypotheses: PairTexts,
        *,
        groups: Literal[False] | None = None,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> FloatArray: ...

    @overload
    def self_scores(
        metric: Any,
        hypotheses: Groups,
        *,
        groups: Literal[True],
        threads: int = 1,
        progress: Progress | None = None,
    ) -> list[FloatArray]: ...


def self_scores(
    metric: Any,
    hypotheses: PairTexts | Groups,
    *,
    groups: bool | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> FloatArray | list[FloatArray]:
    """Score every hypothesis with all other hypotheses as its references.

    Parameters and errors as in `pairwise`; at least two hypotheses are needed.

    Returns
    -------
    float64 array of shape (m,), or a list of them, one for each group
        With BLEU the mean is self-BLEU (Zhu et al. 2018, "Texygen"): the lower, the more
        diverse the set. For BLEU, time is linear in the total length.

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> bleu = BLEU(max_ngram_order=2)
    >>> bleu.self_scores(["the cat sat", "the cat sits", "a dog sat"]).round(2)
    array([70.71, 57.74, 28.87])
    """
    job = PairJob(metric, hypotheses, None, groups, threads, progress)
    for g, (m, _) in enumerate(job.shapes):
        if m < 2:
            where = f"hypotheses[{g}]" if groups else "hypotheses"
            raise ValueError(f"{where}: expected at least two segments; got {m}")
    sizes = [m for m, _ in job.shapes]
    metric._calls.remember_number(sizes[0] - 1 if len(set(sizes)) == 1 else -1)
    out = np.empty(sum(sizes), np.float64)
    job.run_whole(out)
    each = split(out, sizes)
    return each if groups else each[0]


def utilities(
    metric: Any,
    hypotheses: PairTexts | Groups,
    references: PairTexts | Groups | None,
    weights: Numbers | None,
    groups: bool | None,
    threads: int,
    progress: Progress | None,
) -> list[FloatArray]:
    """Return the expected scores of the hypotheses of each group; see `mbr`."""
    checked = check_weights(weights, groups)
    job = PairJob(metric, hypotheses, references, groups, threads, progress)
    each = fit_weights(checked, [n for _, n in job.shapes], groups)
    metric._calls.remember_number(1)
    out = np.zeros(sum(m for m, _ in job.shapes), np.float64)
    job.run(out, np.concatenate(each))
    expected = split(out, [m for m, _ in job.shapes])
    for part, weight in zip(expected, each, strict=True):
        part /= weight.cumsum()[-1]
    return expected


if TYPE_CHECKING:

    @overload
    def mbr(
        metric: Any,
        hypotheses: PairTexts,
        references: PairTexts | None = None,
        weights: Numbers | None = None,
        *,
        groups: Literal[False] | None = None,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> FloatArray: ...

    @overload
    def mbr(
        metric: Any,
        hypotheses: Groups,
        references: Groups | None = None,
        weights: Numbers | None = None,
        *,
        groups: Literal[True],
        threads: int = 1,
        progress: Progress | None = None,
    ) -> list[FloatArray]: ...


def mbr(
    metric: Any,
    hypotheses: PairTexts | Groups,
    references: PairTexts | Groups | None = None,
    weights: Numbers | None = None,
    *,
    groups: bool | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> FloatArray | list[FloatArray]:
    """Return the expected score of every hypothesis, for minimum Bayes risk decoding.

    Other parameters and errors as in `pairwise`; `select` finds the best hypothesis.

    Parameters
    ----------
    weights : array_like of float, of shape (n,), optional
        Weights of the references, at least 0, divided by their sum. Equal by default. With
        `groups`, one array per group.

    Returns
    -------
    float64 array of shape (m,), or a list of them, one for each group
        The weighted mean of the hypothesis's row of `pairwise`, added up from the left.
        Memory does not grow with m * n.

    References
    ----------
    Kumar and Byrne 2004, "Minimum Bayes-Risk Decoding for Statistical Machine Translation".

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> bleu = BLEU(effective_order=True)
    >>> bleu.mbr(["the cat sat", "the cat sits", "a dog sat"]).round(1)
    array([60.8, 51.7, 42.5])
    """
    each = utilities(metric, hypotheses, references, weights, groups, threads, progress)
    return each if groups else each[0]


if TYPE_CHECKING:

    @overload
    def select(
        metric: Any,
        hypotheses: PairTexts,
        references: PairTexts | None = None,
        weights: Numbers | None = None,
        *,
        groups: Literal[False] | None = None,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> int: ...

    @overload
    def select(
        metric: Any,
        hypotheses: Groups,
        references: Groups | None = None,
        weights: Numbers | None = None,
        *,
        groups: Literal[True],
        threads: int = 1,
        progress: Progress | None = None,
    ) -> IntArray: ...


def select(
    metric: Any,
    hypotheses: PairTexts | Groups,
    references: PairTexts | Groups | None = None,
    weights: Numbers | None = None,
    *,
    groups: bool | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> int | IntArray:
    """Return the index of the hypothesis with the best expected score (minimum Bayes risk).

    Parameters and errors as in `mbr`.

    Returns
    -------
    int, or int64 array of shape (n_groups,)
        The index of the highest `mbr`, or of the lowest for an error rate; the first in a tie.

    Examples
    --------
    >>> from rapidbleu import TER
    >>> samples = ["a dog sat", "the cat sat", "the cat sits"]
    >>> samples[TER().select(samples)]
    'the cat sat'
    """
    each = utilities(metric, hypotheses, references, weights, groups, threads, progress)
    find = np.argmax if metric.higher_is_better else np.argmin
    places = np.array([find(expected) for expected in each], np.int64)
    return places if groups else int(places[0])


def split(values: FloatArray, sizes: list[int]) -> list[FloatArray]:
    return [values[end - size : end] for size, end in zip(sizes, accumulate(sizes), strict=True)]


class PairJob:
    """Groups of hypotheses and references, checked and tokenized."""

    def __init__(
        self,
        metric: Any,
        hypotheses: PairTexts | Groups,
        references: PairTexts | Groups | None,
        groups: bool | None,
        threads: int,
        progress: Progress | None,
    ) -> None:
        check_progress(progress)
        self._progress = progress
        self._threads = check_threads(threads)
        hyps, n_hyps = _table(metric, hypotheses, "hypotheses", groups)
        refs = hyps
        n_refs = n_hyps
        if references is None and metric._extractor.of_hypotheses() is not metric._extractor:
            references = hypotheses
        if references is not None:
            if groups is None and hyps.is_text:
                groups = False  # lists of str are invalid
            refs, n_refs = _table(metric, references, "references", groups)
        if len(n_refs) != len(n_hyps):
            raise ValueError(
                f"references: expected {len(n_hyps)} groups, as many as of hypotheses; got "
                f"{len(n_refs)}"
            )
        self.shapes = list(zip(n_hyps, n_refs, strict=True))
        self._pairs = metric._make_pairs(hyps, refs)
        metric._advise_segments()

    def _groups(self, matrix: bool, n_parts: Callable[[int], int]) -> IntArray:
        """Return rows of hypothesis and reference ranges, result offset, and stride.

        A group of `n` pairs becomes ``n_parts(n)`` rows. A matrix with many references is split by
        references, because they are indexed.
        """
        rows = []
        hyp = ref = out = 0
        for m, n in self.shapes:
            wide = matrix and n >= COLUMNS * n_parts(m * n)
            parts = min(n if wide else m, n_parts(m * n))
            for k in range(parts):
                i = 0
                i_end = m
                j = 0
                j_end = n
                if wide:
                    j = n * k // parts
                    j_end = n * (k + 1) // parts
                else:
                    i = m * k // parts
                    i_end = m * (k + 1) // parts
                place = out + (i * n + j if matrix else i)
                rows.append((hyp + i, hyp + i_end, ref + j, ref + j_end, place, n))
            hyp = hyp + m
            ref = ref + n
            out = out + (m * n if matrix else m)
        return np.array(rows, np.int64)

    def run(self, out: FloatArray, weights: FloatArray | None) -> None:
        """Score all pairs; split groups that are large for the number of threads."""
        n_pairs = sum(m * n for m, n in self.shapes)
        share = max(PART_PAIRS, -(-n_pairs // self._threads))

        def n_parts(pairs: int) -> int:
            return 1 if self._threads == 1 else -(-pairs // share)

        groups = self._groups(weights is None, n_parts)
        tell = self._teller(n_pairs)

        def work(begin: int, end: int, stop: list[BaseException]) -> None:
            self._pairs.score(groups, begin, end, out, weights, stop, tell)

        in_parts(work, len(groups), self._threads, -(-PART_PAIRS * len(groups) // n_pairs))
        if tell is not None:
            tell.finish()

    def run_whole(self, out: FloatArray) -> None:
        """Score every hypothesis against the other hypotheses of its group."""
        groups = self._groups(False, lambda pairs: 1)
        tell = self._teller(sum(m * m for m, _ in self.shapes))

        def work(begin: int, end: int, stop: list[BaseException]) -> None:
            self._pairs.score_each(groups, begin, end, out, stop, tell)

        in_parts(work, len(groups), self._threads, -(-PART_SEGMENTS * len(groups) // len(out)))
        if tell is not None:
            tell.finish()

    def _teller(self, n_pairs: int) -> Teller | None:
        return None if self._progress is None else Teller(self._progress, n_pairs)


def _table(
    metric: Any, source: PairTexts | Groups, where: str, groups: bool | None
) -> tuple[PreparedReferences, list[int]]:
    """Return the tokenized texts, and the number of texts of each group."""
    extractor = metric._extractor
    if where == "hypotheses":
        extractor = extractor.of_hypotheses()
    if isinstance(source, References) and not groups:
        table = prepared_texts(metric, source, where)
        counts = [len(table)]
    else:
        if groups:
            column, offsets = flatten(source, where, "segments")
            counts = [offsets[g + 1] - offsets[g] for g in range(len(offsets) - 1)]
        else:
            column = Column(source, where)
            spaced = None if groups is False else spaced_token(source)
            if spaced:
                i, j, token = spaced
                raise ValueError(
                    f"{where}[{i}][{j}]: expected a token without white space; got {token!r}; "
                    f"groups=True reads lists as groups of texts, groups=False as tokens"
                )
            counts = [len(column)]
        table = extractor.prepare(ReferenceColumns(column, "stream", where))
    if not counts:
        raise ValueError(f"{where}: expected at least one group; got none")
    for g, n in enumerate(counts):
        if n == 0:
            place = f"{where}[{g}]" if groups else where
            raise ValueError(f"{place}: expected at least one segment; got none")
    return table, counts


def spaced_token(segments: Any) -> tuple[int, int, str] | None:
    """Return the position of the first token that contains white space, and the token.

    Ignores texts, and spaces at the ends of tokens, as models produce them.

    >>> spaced_token([[" the", "cat"], ["in", "New York"]])
    (1, 1, 'New York')
    """
    for i, segment in enumerate(segments):
        if isinstance(segment, str) or not hasattr(segment, "__len__"):
            return None  # texts: all segments are of one kind
        if len(segment) and not isinstance(segment[0], str):
            return None  # ids
        if len("\0".join(segment).split(None, 1)) > 1:  # seldom: one pass for all tokens is fast
            for j, token in enumerate(segment):
                if len(token.split(None, 1)) > 1:
                    return i, j, str(token)
    return None


def check_weights(weights: Numbers | None, groups: bool | None) -> list[FloatArray] | None:
    """Return the reference weights of each group; None if there are none."""
    if weights is None:
        return None
    checked = []
    for g, source in enumerate(items_of(weights, "weights", "groups") if groups else [weights]):
        where = f"weights[{g}]" if groups else "weights"
        unmasked(source, where)
        try:
            weight = np.asarray(source)
        except ValueError:  # rows of different lengths
            raise ValueError(f"{where}: expected numbers; got sequences of them") from None
        if weight.dtype.kind not in "iuf":
            raise TypeError(f"{where}: expected numbers; got {weight.dtype}")
        if weight.ndim != 1:
            raise ValueError(f"{where}: expected one dimension; got {weight.ndim}")
        with np.errstate(over="ignore"):
            weight = in_order(weight, np.float64)
            total = weight.sum()
        if not ((weight >= 0).all() and 0 < total < np.inf):
            raise ValueError(
                f"{where}: expected numbers of at least 0 with a finite sum above 0; got a sum "
                f"of {total}"
            )
        checked.append(weight)
    return checked


def fit_weights(
    weights: list[FloatArray] | None, counts: list[int], groups: bool | None
) -> list[FloatArray]:
    """Return weights that match the references of each group, ones by default."""
    if weights is None:
        return [np.ones(n, np.float64) for n in counts]
    if len(weights) != len(counts):
        raise ValueError(f"weights: expected {len(counts)} groups; got {len(weights)}")
    for g, (weight, n) in enumerate(zip(weights, counts, strict=True)):
        if len(weight) != n:
            where = f"weights[{g}]" if groups else "weights"
            raise ValueError(f"{where}: expected shape ({n},); got ({len(weight)},)")
    return weights
