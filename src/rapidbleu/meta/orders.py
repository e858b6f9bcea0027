"""How many orders of a hypothesis's words BLEU scores the same or higher, and texts that score so.

BLEU sees order only through n-grams that match. Cut a hypothesis where no reference has the two
words next to each other, and no n-gram that matches is cut; so the blocks, in any order, match at
least as much, and k blocks have k! orders. Callison-Burch et al. cut at every bigram that is not a
clipped match instead. That gives a few blocks more, but an order of those can lose: a bigram that
was clipped away in one place still makes trigrams, and matches where the other copy is torn apart.

Words become numbers, those of the hypothesis and those of its references from one table, so that
orders are index arithmetic in NumPy and a batch of them is one call. Orders that differ only by
equal blocks are the same text, and only one of them is scored. Texts that score the same are drawn
at random, in batches, and kept if their statistics are; the metric reads a returned text again, so
it has the promised score.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import cached_property
from itertools import accumulate, pairwise

from rapidbleu._lib.checks import (
    check_count,
    check_flag,
    check_layout,
    check_seed,
    items_of,
    seed_or_fresh,
)
from rapidbleu._lib.lazy import np
from rapidbleu.metrics import BLEU
from rapidbleu.parallel import STEPS, check_progress, check_threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from rapidbleu._types import (
        Array,
        FloatArray,
        IntArray,
        Layout,
        Progress,
        ReferenceStreams,
        Segment,
        SegmentReferences,
        Texts,
    )
    from rapidbleu.references import References

SITES = ("exact", "printed")
BATCH = 1 << 12  # orders or texts that are scored together
MOST = 362_880  # orders, the number of nine blocks
CLOSE = 1e-12  # relative difference of scores that are the same but for rounding


class Orders:
    """How many orders a hypothesis has; made by `count_orders`.

    Attributes
    ----------
    blocks : tuple of tuples of str or int
        The words of each block.
    sites : str
        Where it is cut: "exact" or "printed".
    n_words, n_matches : int
        Words, and clipped matches of bigrams: k and b of the paper.
    may_gain : bool
        Whether a reference has the last word of one block next to the first of another. If not, all
        orders of exact blocks have the same score, and `distinct` of them are different strings.
    n_blocks : int
    log10, log10_distinct, log10_printed : float
        Decimal logarithms of `count`, `distinct` and `printed`.
    """

    # The words of the hypothesis and then of each reference have positions: in `_written` as they
    # are written, in `_numbers` as numbers. `_references` has the ranges of the references, and
    # `_kinds` for each block the first one with the same words.

    def __init__(
        self,
        hypothesis: Segment,
        references: SegmentReferences,
        metric: BLEU | None = None,
        sites: str = "exact",
        row: IntArray | None = None,
    ) -> None:
        if not isinstance(sites, str) or sites not in SITES:
            raise ValueError(f"sites: expected one of {', '.join(SITES)}; got {sites!r}")
        self.sites = sites
        self._metric = metric = _bleu(metric)
        self._texts = texts = items_of(references, "references", "references")
        if row is None:
            row = metric.segment_stats([hypothesis], [texts], layout="segment")[0]
        self._row: IntArray = row
        given = [hypothesis, *(text for text in texts if text is not None)]
        self._read = [_words_of(metric, text) for text in given]
        self._own, *self._others = [compared for _, compared in self._read]
        self.n_words = len(self._own)
        with_bigrams = metric.max_ngram_order > 1
        self._sites = starts = cut_sites(self._own, self._others if with_bigrams else [], sites)
        first: dict[tuple[Any, ...], int] = {}
        ends = pairwise([*starts, self.n_words])
        blocks = [tuple(self._own[start:end]) for start, end in ends]
        self._kinds = [first.setdefault(block, i) for i, block in enumerate(blocks)]
        counts = Counter(self._kinds).values() if len(first) < len(blocks) else ()
        self._repeats = [count for count in counts if count > 1]
        self.n_matches = int(row[3]) if with_bigrams else 0
        self.n_blocks = len(starts)
        self.log10 = log10_factorial(self.n_blocks)
        self.log10_distinct = self.log10 - sum(map(log10_factorial, self._repeats))
        self.log10_printed = log10_factorial(self.n_words - self.n_matches)

    @property
    def blocks(self) -> tuple[tuple[Any, ...], ...]:
        """The words of each block, as they are written."""
        pairs = zip(self._starts.tolist(), self._lengths.tolist(), strict=True)
        return tuple(tuple(self._written[start : start + length]) for start, length in pairs)

    @property
    def may_gain(self) -> bool:
        """Whether a reference has the end of one block next to the start of another."""
        if self._metric.max_ngram_order < 2:
            return False
        firsts: dict[Any, set[int]] = {}
        lasts: dict[Any, set[int]] = {}
        for i, (start, length) in enumerate(zip(self._starts, self._lengths, strict=True)):
            firsts.setdefault(self._own[start], set()).add(i)
            lasts.setdefault(self._own[start + length - 1], set()).add(i)
        for pair in {pair for other in self._others for pair in pairwise(other)}:
            ends, begins = lasts.get(pair[0], set()), firsts.get(pair[1], set())
            if ends and begins and len(ends | begins) > 1:
                return True
        return False

    @property
    def count(self) -> int:
        """Orders of the blocks."""
        return math.factorial(self.n_blocks)

    @property
    def distinct(self) -> int:
        """Orders of the blocks, those that differ only by equal blocks counted once."""
        return self.count // self._n_equal

    @property
    def printed(self) -> int:
        """The formula of the paper, (k - b)!."""
        return math.factorial(self.n_words - self.n_matches)

    def __repr__(self) -> str:
        text = f"{self.n_words} words, {self.n_blocks} blocks: 10^{self.log10:.1f} orders"
        if self._repeats:
            text += f", 10^{self.log10_distinct:.1f} of them distinct"
        return text

    @property
    def _n_equal(self) -> int:
        """Orders of blocks that are the same text as one of them."""
        return math.prod(map(math.factorial, self._repeats))

    @cached_property
    def _numbers(self) -> IntArray:
        table: dict[Any, int] = {}
        words = (word for _, compared in self._read for word in compared)
        return np.array([table.setdefault(word, len(table)) for word in words], np.int64)

    @cached_property
    def _written(self) -> list[Any]:
        return [word for written, _ in self._read for word in written]

    @cached_property
    def _references(self) -> list[range]:
        ends = accumulate([self.n_words, *map(len, self._others)])
        return [range(begin, end) for begin, end in pairwise(ends)]

    @cached_property
    def _starts(self) -> IntArray:
        return np.array(self._sites, np.int64)

    @cached_property
    def _lengths(self) -> IntArray:
        return np.diff(self._starts, append=self.n_words)

    @cached_property
    def _scoring(self) -> tuple[BLEU, References]:
        """The metric of numbers, which have no case, and the references as numbers."""
        own = self._metric
        metric = BLEU(
            smooth_method=own.smooth_method, smooth_value=own.smooth_value,
            max_ngram_order=own.max_ngram_order, effective_order=own.effective_order,
            ref_len=own.ref_len, weights=own.weights, average=own.average,
        )  # fmt: skip
        numbers = self._numbers.tolist()
        references = [numbers[place.start : place.stop] for place in self._references]
        return metric, metric.prepare([references], layout="segment")

    def _places(self, orders: IntArray) -> IntArray:
        """Return the positions of the words of each order of blocks, [order, word]."""
        lengths = self._lengths[orders]
        begins = lengths.cumsum(axis=1) - lengths
        shifts = np.repeat((self._starts[orders] - begins).ravel(), lengths.ravel())
        places: IntArray = shifts.reshape(len(orders), self.n_words) + np.arange(self.n_words)
        return places

    def _stats(self, places: IntArray, threads: int = 1) -> IntArray:
        """Return the statistics of texts, whose words are at these positions."""
        if not self.n_words:
            return np.repeat(self._row[np.newaxis], len(places), axis=0)
        metric, references = self._scoring
        segments = np.zeros(len(places), np.int64)
        texts = list(self._numbers[places])
        rows: IntArray = metric.nbest_stats(texts, references, segments=segments, threads=threads)
        return rows


def _bleu(metric: BLEU | None) -> BLEU:
    """Return the metric, which must be BLEU; one for segments if there is none."""
    if metric is None:
        return BLEU(effective_order=True)
    if not isinstance(metric, BLEU):
        raise TypeError(f"metric: expected BLEU; got {type(metric).__name__}")
    return metric


def _words_of(metric: BLEU, segment: Segment) -> tuple[list[Any], list[Any]]:
    """Return the words of a segment as they are written, and as they are compared.

    Examples
    --------
    >>> _words_of(BLEU(lowercase=True), "To Miami, Florida.")
    (['To', 'Miami', ',', 'Florida', '.'], ['to', 'miami', ',', 'florida', '.'])
    """
    if isinstance(segment, str):
        written = list(metric.tokenizer(segment.rstrip()))
        if not metric.lowercase:
            return written, written
        compared = list(metric.tokenizer(segment.lower().rstrip()))
        return (written if len(written) == len(compared) else compared), compared
    written = list(segment)
    if all(isinstance(word, str) for word in written):
        return written, [word.lower() for word in written] if metric.lowercase else written
    return written, [int(word) % 2**64 for word in written]


def cut_sites(words: Sequence[Any], references: Iterable[Sequence[Any]], sites: str) -> list[int]:
    """Return where blocks begin, in time linear in all texts.

    Cut ("exact") between two words that no reference has next to each other; or ("printed") at each
    pair that is not a clipped match, the first of equal pairs being those that match.

    Examples
    --------
    >>> reference = ["a", "b", "c"]
    >>> cut_sites(["a", "b", "x", "a", "b"], [reference], "exact")
    [0, 2, 3]
    >>> cut_sites(["a", "b", "x", "a", "b"], [reference], "printed")
    [0, 2, 3, 4]
    """
    left: dict[tuple[Any, Any], int] = {}
    for reference in references:
        for pair, count in Counter(pairwise(reference)).items():
            left[pair] = max(left.get(pair, 0), count)
    starts = [0] if words else []
    for i, pair in enumerate(pairwise(words), 1):
        if not left.get(pair):
            starts.append(i)
        elif sites == "printed":
            left[pair] -= 1
    return starts


def log10_factorial(n: int) -> float:
    """Return the decimal logarithm of n!.

    Examples
    --------
    >>> round(log10_factorial(81), 1)
    120.8
    """
    return math.lgamma(n + 1) / math.log(10)


def count_orders(
    hypothesis: Segment,
    references: SegmentReferences,
    metric: BLEU | None = None,
    *,
    sites: str = "exact",
) -> Orders:
    """Count the orders of a hypothesis's words that BLEU scores no lower than the hypothesis.

    Parameters
    ----------
    hypothesis : str, or list of str tokens or integer ids
    references : sequence of the same
        All references of the segment.
    metric : BLEU, optional
        Says how text is tokenized; by default 13a.
    sites : {"exact", "printed"}
        Cut between words that no reference has next to each other: no order has fewer matches. Or
        as the paper says, at all bigrams but the clipped matches: some orders can have fewer.

    Returns
    -------
    Orders

    Notes
    -----
    A lower bound: there are orders that tear blocks apart and score the same. With smoothing
    "nltk6", and no other, more matches can score lower. Linear in the text.

    References
    ----------
    Callison-Burch, Osborne and Koehn 2006, "Re-evaluating the Role of BLEU in Machine Translation
    Research", section 3.1.

    Examples
    --------
    >>> found = count_orders("sat the cat on a mat a", ["the cat sat on the mat"])
    >>> found
    7 words, 6 blocks: 10^2.9 orders, 10^2.6 of them distinct
    >>> found.blocks
    (('sat',), ('the', 'cat'), ('on',), ('a',), ('mat',), ('a',))
    >>> found.count, found.distinct, found.printed
    (720, 360, 720)
    """
    return Orders(hypothesis, references, metric, sites)


class OrderShares:
    """How orders score; made by `enumerate_orders` and `sample_orders`.

    Attributes
    ----------
    exact : bool
        Whether these are all orders, each of them once.
    seed : int or None
        Seed of the drawn orders; None if these are all orders.
    n_orders : int
    same, higher, lower : int
        How many of them score as the hypothesis does, higher and lower.
    stats : int64 array of shape (n_rows, n_stats)
        Different rows of statistics, the most frequent ones first.
    counts : list of int
        How many orders have each row.
    scores : float64 array of shape (n_rows,)
        Score of each row.
    """

    def __init__(
        self, cut: Orders, counted: dict[tuple[int, ...], int], each: int, seed: int | None
    ) -> None:
        pairs = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
        self.exact = seed is None
        self.seed = seed
        self.stats: IntArray = np.array([row for row, _ in pairs], np.int64)
        self.counts = [count * each for _, count in pairs]
        self.scores: FloatArray = cut._metric.score_rows(self.stats)
        [own] = cut._metric.score_rows(cut._row[np.newaxis]).tolist()
        self.n_orders = sum(self.counts)
        self.same = self.higher = self.lower = 0
        for score, count in zip(self.scores.tolist(), self.counts, strict=True):
            if abs(score - own) <= CLOSE * own:
                self.same += count
            elif score > own:
                self.higher += count
            else:
                self.lower += count

    def __repr__(self) -> str:
        kind = "orders" if self.exact else "sampled orders"
        shares = ", ".join(
            f"{count / self.n_orders:.2%} {name}"
            for name, count in (("same", self.same), ("higher", self.higher), ("lower", self.lower))
        )
        return f"{self.n_orders} {kind}: {shares}"


def enumerate_orders(
    hypothesis: Segment,
    references: SegmentReferences,
    metric: BLEU | None = None,
    *,
    sites: str = "exact",
    max_orders: int = MOST,
    threads: int = 1,
    progress: Progress | None = None,
) -> OrderShares:
    """Score all orders of a hypothesis's blocks.

    Parameters
    ----------
    hypothesis, references, sites
        As in `count_orders`.
    metric : BLEU, optional
        Whose scores; by default BLEU with `effective_order`.
    max_orders : int
        Texts to score at most: more are an error.

    Returns
    -------
    OrderShares

    Notes
    -----
    Some 3 microseconds a text.

    Examples
    --------
    >>> enumerate_orders("sat the cat on a mat", ["the cat sat on the mat"])
    120 orders: 55.00% same, 45.00% higher, 0.00% lower
    """
    check_progress(progress)
    check_count("max_orders", max_orders, 1)
    n_threads = check_threads(threads)
    cut = Orders(hypothesis, references, metric, sites)
    n = cut.distinct
    if n > max_orders:
        many = str(n) if n < 10**15 else f"10^{math.log10(n):.1f}"
        raise ValueError(
            f"hypothesis: expected at most {max_orders} different orders; got {many}; "
            f"raise `max_orders`, or estimate shares with sample_orders"
        )
    counted = _counted(cut, arrangements(cut._kinds), n, n_threads, progress)
    return OrderShares(cut, counted, cut._n_equal, None)


def sample_orders(
    hypothesis: Segment,
    references: SegmentReferences,
    metric: BLEU | None = None,
    *,
    n_samples: int = 10_000,
    seed: int | None = 12345,
    sites: str = "exact",
    threads: int = 1,
    progress: Progress | None = None,
) -> OrderShares:
    """Score orders of a hypothesis's blocks that are drawn at random.

    Parameters
    ----------
    hypothesis, references, metric, sites, threads, progress
        As in `enumerate_orders`.
    n_samples : int
        Orders to draw, independently of each other.
    seed : int or None
        Seed of the orders; None draws one, which the result reports.

    Returns
    -------
    OrderShares
        Shares have a standard error of at most ``0.5 / sqrt(n_samples)``.

    Examples
    --------
    >>> found = sample_orders("sat the cat on a mat", ["the cat sat on the mat"], n_samples=1000)
    >>> found.n_orders, found.lower, abs(found.same / found.n_orders - 0.55) < 0.05
    (1000, 0, True)
    """
    check_progress(progress)
    check_count("n_samples", n_samples, 1)
    seed = seed_or_fresh(seed)
    n_threads = check_threads(threads)
    cut = Orders(hypothesis, references, metric, sites)
    drawn = _drawn(cut.n_blocks, n_samples, np.random.default_rng(seed))
    counted = _counted(cut, drawn, n_samples, n_threads, progress)
    return OrderShares(cut, counted, 1, seed)


def arrangements(kinds: Sequence[int], size: int = BATCH) -> Iterator[IntArray]:
    """Yield all orders of some numbers, those that look the same once, in batches of `size`.

    Notes
    -----
    From each order the next one of the dictionary is made: Knuth, The Art of Computer Programming,
    volume 4A, algorithm 7.2.1.2 L.

    Examples
    --------
    >>> [[order.tolist() for order in batch] for batch in arrangements([0, 1, 0])]
    [[[0, 0, 1], [0, 1, 0], [1, 0, 0]]]
    """
    own = sorted(kinds)
    batch = []
    while True:
        batch.append(own.copy())
        j = len(own) - 2
        while j >= 0 and own[j] >= own[j + 1]:
            j -= 1
        if j < 0 or len(batch) == size:
            yield np.array(batch, np.int64)
            batch = []
        if j < 0:
            return
        k = len(own) - 1
        while own[j] >= own[k]:
            k -= 1
        own[j], own[k] = own[k], own[j]
        own[j + 1 :] = own[:j:-1]


def _drawn(n_blocks: int, n: int, generator: np.random.Generator) -> Iterator[IntArray]:
    """Yield n random orders of blocks, in batches."""
    for first in range(0, n, BATCH):
        start = np.tile(np.arange(n_blocks), (min(BATCH, n - first), 1))
        yield generator.permuted(start, axis=1)


def _counted(
    cut: Orders,
    batches: Iterator[IntArray],
    n: int,
    threads: int,
    progress: Progress | None,
) -> Counter[tuple[int, ...]]:
    """Return how many of n orders have each row of statistics."""
    counted: Counter[tuple[int, ...]] = Counter()
    done = 0
    for orders in batches:
        stats = cut._stats(cut._places(orders), threads)
        rows, counts = np.unique(stats, axis=0, return_counts=True)
        for row, count in zip(rows.tolist(), counts.tolist(), strict=True):
            counted[tuple(row)] += count
        done += len(orders)
        if progress is not None:
            progress(done, n)
    return counted


class OrderSummary:
    """How many orders the hypotheses of a corpus have; made by `summarize_orders`.

    Attributes
    ----------
    n_words, n_matches, n_blocks : int64 arrays of shape (n_segments,)
        Words, clipped matches of bigrams, and blocks of each hypothesis.
    log10, log10_distinct, log10_printed : float64 arrays of shape (n_segments,)
        As in `Orders`, of blocks cut at exact sites.
    """

    def __init__(self, counts: IntArray, logarithms: FloatArray) -> None:
        self.n_words, self.n_matches, self.n_blocks = counts.T
        self.log10, self.log10_distinct, self.log10_printed = logarithms.T

    def quantiles(self, q: Any = (0.0, 0.25, 0.5, 0.75, 1.0)) -> FloatArray:
        """Return the quantiles of `log10` at `q`, numbers between 0 and 1."""
        found: FloatArray = np.quantile(self.log10, q)
        return found

    @property
    def median(self) -> float:
        """The median of `log10`."""
        return float(self.quantiles([0.5])[0])

    @property
    def max(self) -> float:
        """The greatest of `log10`."""
        return float(self.log10.max())

    def __len__(self) -> int:
        return len(self.n_words)

    def __repr__(self) -> str:
        return f"{len(self)} segments: median 10^{self.median:.1f} orders, most 10^{self.max:.1f}"


def summarize_orders(
    hypotheses: Texts,
    references: ReferenceStreams,
    metric: BLEU | None = None,
    *,
    layout: Layout = "stream",
    threads: int = 1,
    progress: Progress | None = None,
) -> OrderSummary:
    """Count the orders of each hypothesis of a corpus.

    Parameters
    ----------
    hypotheses, references, layout
        As in `Metric.corpus_score`, not prepared.
    metric : BLEU, optional
        As in `count_orders`.

    Returns
    -------
    OrderSummary

    Notes
    -----
    Linear in the text: two seconds for a million words.

    Examples
    --------
    >>> hypotheses = ["the cat sat on a mat", "rained it"]
    >>> found = summarize_orders(hypotheses, [["the cat sat on the mat", "it rained"]])
    >>> found
    2 segments: median 10^0.5 orders, most 10^0.8
    >>> found.n_blocks
    array([3, 2])
    """
    bleu = _bleu(metric)
    check_progress(progress)
    check_layout(layout)
    texts = items_of(hypotheses, "hypotheses", "segments")
    what = "streams" if layout == "stream" else "references of segments"
    rows = items_of(references, "references", what)
    each = [items_of(row, f"references[{i}]", "references") for i, row in enumerate(rows)]
    stats = bleu.segment_stats(texts, each, layout=layout, threads=check_threads(threads))
    groups: Any = each if layout == "segment" else zip(*each, strict=True)
    counts, logarithms = [], []
    step = max(1, -(-len(texts) // STEPS))
    for i, (text, own) in enumerate(zip(texts, groups, strict=True)):
        orders = Orders(text, own, bleu, row=stats[i])
        counts.append((orders.n_words, orders.n_matches, orders.n_blocks))
        logarithms.append((orders.log10, orders.log10_distinct, orders.log10_printed))
        if progress is not None and ((i + 1) % step == 0 or i + 1 == len(texts)):
            progress(i + 1, len(texts))
    return OrderSummary(np.array(counts), np.array(logarithms))


# Texts with the same score


def sample_reorderings(
    hypothesis: Segment,
    references: SegmentReferences,
    metric: BLEU | None = None,
    *,
    n: int = 10,
    gains: bool = False,
    sites: str = "exact",
    max_tries: int = 100_000,
    seed: int | None = 12345,
    threads: int = 1,
) -> list[Any]:
    """Return random orders of a hypothesis's blocks that have the statistics of the hypothesis.

    Parameters
    ----------
    hypothesis, references, sites
        As in `count_orders`.
    metric : BLEU, optional
        By default BLEU with `effective_order`.
    n : int
        Variants to return.
    gains : bool
        Take variants with a higher score too.
    max_tries : int
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
    >>> sample_reorderings("sat the cat on a mat", ["the cat sat on the mat"], n=2)
    ['a the cat on sat mat', 'mat on sat the cat a']
    """
    generator = _checked(n, max_tries, gains, seed)
    n_threads = check_threads(threads)
    cut = Orders(hypothesis, references, metric, sites)
    batches: Iterable[IntArray]
    if cut.distinct <= BATCH:
        batches = map(generator.permutation, arrangements(cut._kinds))
    else:
        batches = _drawn(cut.n_blocks, max_tries, generator)
    return _collected(cut, hypothesis, map(cut._places, batches), n, gains, n_threads)


def sample_paraphrases(
    hypothesis: Segment,
    references: SegmentReferences,
    metric: BLEU | None = None,
    *,
    n: int = 10,
    gains: bool = False,
    max_tries: int = 100_000,
    seed: int | None = 12345,
    threads: int = 1,
) -> list[Any]:
    """Return texts of other words of the references that have the statistics of a hypothesis.

    Each block of the hypothesis that references hold is replaced by as many words that are next to
    each other in a reference, drawn at random, and the blocks are shuffled.

    Parameters
    ----------
    hypothesis, references, metric, n, gains, max_tries, seed, threads
        As in `sample_reorderings`.

    Returns
    -------
    list of str, or list of lists of tokens
        As `sample_reorderings`.

    Notes
    -----
    Most draws fail, as they use a word more often than any reference does; Ctrl-C ends it.

    References
    ----------
    Callison-Burch, Osborne and Koehn 2006, section 3.2.

    Examples
    --------
    >>> references = ["the cat sat on the mat", "a cat was sitting there"]
    >>> sample_paraphrases("the cat slept on the mat", references, n=2)
    ['slept cat was sitting sat on', 'was sitting cat sat on slept']
    """
    generator = _checked(n, max_tries, gains, seed)
    n_threads = check_threads(threads)
    cut = Orders(hypothesis, references, metric)
    known = {int(cut._numbers[i]) for place in cut._references for i in place}
    sources: list[IntArray] = []
    for start, length in zip(cut._starts.tolist(), cut._lengths.tolist(), strict=True):
        begins = [range(place.start, place.stop - length + 1) for place in cut._references]
        places = [place for each in begins for place in each]
        fits = places and int(cut._numbers[start]) in known
        sources.append(np.array(places if fits else [start], np.int64))

    def batches() -> Iterator[IntArray]:
        for first in range(0, max_tries, BATCH):
            size = min(BATCH, max_tries - first)
            starts = np.empty((size, len(sources)), np.int64)
            for i, source in enumerate(sources):
                starts[:, i] = generator.choice(source, size)
            orders = generator.permuted(np.tile(np.arange(len(sources)), (size, 1)), axis=1)
            shifts = np.take_along_axis(starts, orders, axis=1) - cut._starts[orders]
            repeated = np.repeat(shifts.ravel(), cut._lengths[orders].ravel())
            yield cut._places(orders) + repeated.reshape(size, cut.n_words)

    return _collected(cut, hypothesis, batches(), n, gains, n_threads)


def _checked(n: int, max_tries: int, gains: bool, seed: int | None) -> np.random.Generator:
    """Refuse wrong options; return a generator."""
    check_count("n", n, 1)
    check_count("max_tries", max_tries, 1)
    check_flag("gains", gains)
    return np.random.default_rng(check_seed(seed))


def _collected(
    cut: Orders,
    hypothesis: Segment,
    batches: Iterable[IntArray],
    n: int,
    gains: bool,
    threads: int,
) -> list[Any]:
    """Return the first n different texts of those drawn that score as they should."""
    as_text = isinstance(hypothesis, str)
    prepared = cut._metric.prepare([cut._texts], layout="segment") if as_text else None
    seen = {tuple(cut._numbers[: cut.n_words].tolist())}
    found: list[Any] = []
    [own] = cut._metric.score_rows(cut._row[None]).tolist()
    for places in batches:
        rows = cut._stats(places, threads)
        same: Array = (rows == cut._row).all(axis=1)
        wanted = cut._metric.score_rows(rows) >= own * (1 - CLOSE) if gains else same
        for i in np.flatnonzero(wanted).tolist():
            words = tuple(cut._numbers[places[i]].tolist())
            if words in seen:
                continue
            seen.add(words)
            variant: Any = [cut._written[place] for place in places[i].tolist()]
            if prepared is not None:
                variant = " ".join(variant)
                row = cut._metric.segment_stats([variant], prepared)[0]
                if not np.array_equal(row, rows[i]):
                    continue
            found.append(variant)
            if len(found) == n:
                return found
    return found
