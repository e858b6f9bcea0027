"""Texts that BLEU scores as it scores a hypothesis: its blocks in another order, or other words.

Variants are drawn at random, scored in batches, and kept if their statistics are the same. What is
returned as text was read again by the metric, so it scores what was promised.
"""

from __future__ import annotations

import math

from rapidbleu._lib.checks import check_count, check_flag, check_seed
from rapidbleu._lib.lazy import np
from rapidbleu.meta.orders import CLOSE, CutHypothesis, arrangements
from rapidbleu.parallel import check_threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from rapidbleu.metrics import BLEU
    from rapidbleu.typing import Array, IntArray, Segment, SegmentReferences

BATCH = 1 << 12  # texts that are drawn together


def equal_variants(
    hypothesis: Segment,
    references: SegmentReferences,
    n: int = 10,
    metric: BLEU | None = None,
    *,
    gains: bool = False,
    sites: str = "exact",
    tries: int = 100_000,
    seed: int | None = 12345,
    threads: int = 1,
) -> list[Any]:
    """Return random orders of a hypothesis's blocks that have the statistics of the hypothesis.

    Parameters
    ----------
    hypothesis, references, sites
        As in `count_orders`.
    n : int
        Variants.
    metric : BLEU, optional
        By default BLEU with `effective_order`.
    gains : bool
        Take variants with a higher score too.
    tries : int
        Orders to draw at most; if there are few, all are tried.

    Returns
    -------
    list of str, or list of lists of tokens
        As the hypothesis was given; of text the tokens with spaces between them. All differ from
        one another and from the hypothesis. Fewer than n if no more were found.

    Notes
    -----
    Some 3 microseconds a try. Ctrl-C ends it.

    Examples
    --------
    >>> equal_variants("sat the cat on a mat", ["the cat sat on the mat"], 2)
    ['a the cat on sat mat', 'mat on sat the cat a']
    """
    generator = _checked(n, tries, gains, seed)
    n_threads = check_threads(threads)
    cut = CutHypothesis(hypothesis, references, metric, sites)
    n_blocks = len(cut.kinds)

    def batches() -> Iterator[IntArray]:
        if math.factorial(n_blocks) // cut.n_equal <= BATCH:
            for orders in arrangements(cut.kinds):
                yield cut.places(generator.permutation(orders))
            return
        for size in _sizes(tries):
            orders = np.tile(np.arange(n_blocks), (size, 1))
            yield cut.places(generator.permuted(orders, axis=1))

    return _collected(cut, hypothesis, batches(), n, gains, n_threads)


def drawn_variants(
    hypothesis: Segment,
    references: SegmentReferences,
    n: int = 10,
    metric: BLEU | None = None,
    *,
    gains: bool = False,
    tries: int = 100_000,
    seed: int | None = 12345,
    threads: int = 1,
) -> list[Any]:
    """Return texts of other words of the references that have the statistics of a hypothesis.

    Each block of the hypothesis that references hold is replaced by as many words that are next to
    each other in a reference, drawn at random, and the blocks are shuffled.

    Parameters
    ----------
    hypothesis, references, n, metric, gains, tries, seed, threads
        As in `equal_variants`.

    Returns
    -------
    list of str, or list of lists of tokens
        As `equal_variants`.

    Notes
    -----
    Most draws fail, as they use a word more often than any reference does; Ctrl-C ends it.

    References
    ----------
    Callison-Burch, Osborne and Koehn 2006, section 3.2.

    Examples
    --------
    >>> references = ["the cat sat on the mat", "a cat was sitting there"]
    >>> drawn_variants("the cat slept on the mat", references, 2)
    ['slept cat was sitting sat on', 'was sitting cat sat on slept']
    """
    generator = _checked(n, tries, gains, seed)
    n_threads = check_threads(threads)
    cut = CutHypothesis(hypothesis, references, metric)
    known = {int(cut.numbers[i]) for place in cut.references for i in place}
    sources: list[IntArray] = []
    for start, length in zip(cut.starts.tolist(), cut.lengths.tolist(), strict=True):
        begins = [range(place.start, place.stop - length + 1) for place in cut.references]
        places = [place for each in begins for place in each]
        fits = places and int(cut.numbers[start]) in known
        sources.append(np.array(places if fits else [start], np.int64))

    def batches() -> Iterator[IntArray]:
        for size in _sizes(tries):
            starts = np.empty((size, len(sources)), np.int64)
            for i, source in enumerate(sources):
                starts[:, i] = generator.choice(source, size)
            orders = generator.permuted(np.tile(np.arange(len(sources)), (size, 1)), axis=1)
            shifts = np.take_along_axis(starts, orders, axis=1) - cut.starts[orders]
            repeated = np.repeat(shifts.ravel(), cut.lengths[orders].ravel())
            yield cut.places(orders) + repeated.reshape(size, cut.n_words)

    return _collected(cut, hypothesis, batches(), n, gains, n_threads)


def _checked(n: int, tries: int, gains: bool, seed: int | None) -> np.random.Generator:
    """Refuse wrong options; return a generator."""
    check_count("n", n, 1)
    check_count("tries", tries, 1)
    check_flag("gains", gains)
    return np.random.default_rng(check_seed(seed))


def _sizes(tries: int) -> Iterator[int]:
    """Yield the sizes of batches."""
    for first in range(0, tries, BATCH):
        yield min(BATCH, tries - first)


def _collected(
    cut: CutHypothesis,
    hypothesis: Segment,
    batches: Iterator[IntArray],
    n: int,
    gains: bool,
    threads: int,
) -> list[Any]:
    """Return the first n different texts of those drawn that score as they should."""
    as_text = isinstance(hypothesis, str)
    prepared = cut.metric.prepare([cut.texts], layout="segment") if as_text else None
    seen = {tuple(cut.numbers[: cut.n_words].tolist())}
    found: list[Any] = []
    [own] = cut.scores(cut.row[None]).tolist()
    for places in batches:
        rows = cut.stats(places, threads)
        same: Array = (rows == cut.row).all(axis=1)
        wanted = cut.scores(rows) >= own * (1 - CLOSE) if gains else same
        for i in np.flatnonzero(wanted).tolist():
            words = tuple(cut.numbers[places[i]].tolist())
            if words in seen:
                continue
            seen.add(words)
            variant: Any = [cut.written[place] for place in places[i].tolist()]
            if prepared is not None:
                variant = " ".join(variant)
                row = cut.metric.segment_stats([variant], prepared)[0]
                if not np.array_equal(row, rows[i]):
                    continue
            found.append(variant)
            if len(found) == n:
                return found
    return found
