"""Count the word orders of a hypothesis that BLEU scores the same or higher, and sample them.

BLEU sees order only through matching n-grams. Cutting a hypothesis wherever no reference has the
two words adjacent cuts no matching n-gram, so its k blocks match at least as much in any of their
k! orders. Callison-Burch et al. cut at every bigram that is not a clipped match instead. That
yields more blocks, but some orders lose matches: a bigram that is clipped at one position still
forms trigrams, and matches when its other copy is torn apart.

Words become numbers from one table for hypothesis and references, so orders are index arithmetic in
NumPy and a batch is scored in one call. Orders that differ only by equal blocks are the same text
and are scored once. Variants with the same score are drawn at random, in batches, and kept if their
statistics match; text is tokenized and scored again before it is returned.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import cached_property
from itertools import accumulate, chain, pairwise

from rapidbleu._lib.checks import (
    check_count,
    check_flag,
    check_layout,
    check_seed,
    items_of,
    seed_or_fresh,
)
from rapidbleu._lib.loader import np
from rapidbleu.metrics import BLEU
from rapidbleu.parallel import check_progress, check_threads, in_parts, teller

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
BATCH = 1 << 12  # orders or texts scored together
MOST = 362_880  # orders, the number for nine blocks
CLOSE = 1e-12  # relative difference due to rounding


class Orders:
    """The number of orders of a hypothesis; returned by `count_orders`.

    Attributes
    ----------
    blocks : tuple of tuples of str or int
        The words of each block.
    sites : str
        "exact" or "printed".
    n_words, n_matches : int
        Words, and clipped bigram matches: k and b in the paper.
    may_gain : bool
        Whether a reference joins the end of one block to the start of another. If not, all orders
        of exact blocks have the same score, and `distinct` of them are different strings.
    n_blocks : int
    log10, log10_distinct, log10_printed : float
        Decimal logarithms of `count`, `distinct` and `printed`.

    Examples
    --------
    >>> from rapidbleu.meta import count_orders
    >>> orders = count_orders("a b c d", ["a b x c d"])
    >>> orders.n_blocks, orders.count
    (2, 2)
    """

    # Positions run through the words of the hypothesis and then of each reference: `_written` as
    # written, `_numbers` as numbers, `_references` the range of each reference. `_kinds` maps each
    # block to the first block with the same words.

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
        metric = _bleu(metric)
        texts = items_of(references, "references", "references")
        self._metric = metric
        self._texts = texts
        if row is None:
            row = metric.segment_stats([hypothesis], [texts], layout="segment")[0]
        self._row: IntArray = row
        segments = [hypothesis, *(text for text in texts if text is not None)]
        self._read = [_words_of(metric, segment) for segment in segments]
        self._words, *self._others = [compared for _, compared in self._read]
        self.n_words = len(self._words)
        with_bigrams = metric.max_ngram_order > 1
        starts = cut_sites(self._words, self._others if with_bigrams else [], sites)
        self._starts: IntArray = np.array(starts, np.int64)
        self._lengths: IntArray = np.diff(self._starts, append=self.n_words)
        first: dict[tuple[Any, ...], int] = {}
        ends = pairwise([*starts, self.n_words])
        blocks = [tuple(self._words[start:end]) for start, end in ends]
        self._kinds = [first.setdefault(block, i) for i, block in enumerate(blocks)]
        self._repeats = [count for count in Counter(self._kinds).values() if count > 1]
        self.n_matches = int(row[3]) if with_bigrams else 0
        self.n_blocks = len(starts)
        self.log10 = log10_factorial(self.n_blocks)
        self.log10_distinct = self.log10 - sum(map(log10_factorial, self._repeats))
        self.log10_printed = log10_factorial(self.n_words - self.n_matches)

    @property
    def blocks(self) -> tuple[tuple[Any, ...], ...]:
        """The words of each block, as written."""
        pairs = zip(self._starts.tolist(), self._lengths.tolist(), strict=True)
        return tuple(tuple(self._written[start : start + length]) for start, length in pairs)

    @property
    def may_gain(self) -> bool:
        """Whether a reference joins the end of one block to the start of another."""
        if self._metric.max_ngram_order < 2:
            return False
        firsts = [self._words[i] for i in self._starts.tolist()]
        lasts = [self._words[i] for i in (self._starts + self._lengths - 1).tolist()]
        n_firsts = Counter(firsts)
        n_lasts = Counter(lasts)
        of_one_block = {*zip(lasts, firsts, strict=True)}
        for pair in {pair for reference in self._others for pair in pairwise(reference)}:
            n_ends = n_lasts[pair[0]]
            n_begins = n_firsts[pair[1]]
            if n_ends and n_begins and (n_ends + n_begins > 2 or pair not in of_one_block):
                return True
        return False

    @property
    def count(self) -> int:
        """The number of orders of the blocks."""
        return math.factorial(self.n_blocks)

    @property
    def distinct(self) -> int:
        """The number of orders, counting those that differ only by equal blocks once."""
        return self.count // self._n_equal

    @property
    def printed(self) -> int:
        """Return (k - b)!, the formula of the paper."""
        return math.factorial(self.n_words - self.n_matches)

    def __repr__(self) -> str:
        text = f"{self.n_words} words, {self.n_blocks} blocks: 10^{self.log10:.1f} orders"
        if self._repeats:
            text += f", 10^{self.log10_distinct:.1f} of them distinct"
        return text

    @property
    def _n_equal(self) -> int:
        """The number of orders that are the same text as any one of them."""
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
    def _scoring(self) -> tuple[BLEU, References]:
        """A metric for numbers, which have no case, and the references as numbers."""
        copied = self._metric
        metric = BLEU(
            smooth_method=copied.smooth_method,
            smooth_value=copied.smooth_value,
            max_ngram_order=copied.max_ngram_order,
            effective_order=copied.effective_order,
            ref_len=copied.ref_len,
            weights=copied.weights,
            average=copied.average,
        )
        numbers = self._numbers.tolist()
        references = [numbers[words.start : words.stop] for words in self._references]
        return metric, metric.prepare([references], layout="segment")

    def _places(self, orders: IntArray) -> IntArray:
        """Return positions[order, word] of the words in each order of blocks."""
        lengths = self._lengths[orders]
        begins = lengths.cumsum(axis=1) - lengths
        shifts = np.repeat((self._starts[orders] - begins).ravel(), lengths.ravel().astype(np.intp))
        places: IntArray = shifts.reshape(len(orders), self.n_words) + np.arange(self.n_words)
        return places

    def _stats(self, places: IntArray, threads: int = 1) -> IntArray:
        if not self.n_words:
            return np.repeat(self._row[np.newaxis], len(places), axis=0)
        metric, references = self._scoring
        segments = np.zeros(len(places), np.int64)
        texts = list(self._numbers[places])
        rows: IntArray = metric.nbest_stats(texts, references, segments=segments, threads=threads)
        return rows


def _bleu(metric: BLEU | None) -> BLEU:
    """Return the metric, which must be BLEU; by default one for segments."""
    if metric is None:
        return BLEU(effective_order=True)
    if not isinstance(metric, BLEU):
        raise TypeError(f"metric: expected BLEU; got {type(metric).__name__}")
    return metric


def _words_of(metric: BLEU, segment: Segment) -> tuple[list[Any], list[Any]]:
    """Return the words of a segment as written, and as compared.

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

    Cuts between words that no reference has adjacent ("exact"), or at each bigram that is not a
    clipped match, of which the first occurrences match ("printed").

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
    """Count the word orders of a hypothesis that score no lower than the hypothesis itself.

    The count is a lower bound, because some orders that tear blocks apart score the same. With
    smoothing "nltk6", and only then, more matches can score lower. Takes time linear in the text.

    Parameters
    ----------
    hypothesis : str, or list of str tokens or integer ids
    references : sequence of the same
        All references of the segment.
    metric : BLEU, optional
        Determines the tokenization (default: 13a).
    sites : {"exact", "printed"}
        Cut between words that no reference has adjacent, so that no order has fewer matches; or, as
        in the paper, at all bigrams but the clipped matches, where some orders may have fewer.

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
    """Scores of orders; returned by `enumerate_orders` and `sample_orders`.

    Attributes
    ----------
    exact : bool
        Whether these are all orders, once each.
    seed : int or None
        Seed of the sampled orders, or None.
    n_orders : int
    same, higher, lower : int
        Orders that score the same as the hypothesis, higher and lower.
    stats : int64 array of shape (n_rows, n_stats)
        Distinct rows of statistics, the most frequent first.
    counts : list of int
        Number of orders with each row.
    scores : float64 array of shape (n_rows,)
        Score of each row.

    Examples
    --------
    >>> from rapidbleu.meta import enumerate_orders
    >>> shares = enumerate_orders("a b c d", ["a b x c d"])
    >>> shares.exact, shares.n_orders, shares.same
    (True, 2, 2)
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
        [actual] = cut._metric.score_rows(cut._row[np.newaxis]).tolist()
        self.n_orders = sum(self.counts)
        self.same = 0
        self.higher = 0
        self.lower = 0
        for score, count in zip(self.scores.tolist(), self.counts, strict=True):
            if abs(score - actual) <= CLOSE * actual:
                self.same += count
            elif score > actual:
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
    """Score all orders of a hypothesis's blocks, at about 3 microseconds each.

    Parameters
    ----------
    hypothesis, references, sites
        As in `count_orders`.
    metric : BLEU, optional
        BLEU to score with (default: with `effective_order`).
    max_orders : int
        Maximum number of texts to score; more raise ValueError.

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
    """Score random orders of a hypothesis's blocks.

    Shares have a standard error of at most ``0.5 / sqrt(n_samples)``.

    Parameters
    ----------
    hypothesis, references, metric, sites, threads, progress
        As in `enumerate_orders`.
    n_samples : int
        Number of independent draws.
    seed : int or None
        Seed of the draws; None draws one, which the result reports.

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
    """Yield all distinct orders of some numbers, in batches of `size`.

    Each order is the lexicographic successor of the last one: Knuth, The Art of Computer
    Programming, volume 4A, algorithm 7.2.1.2 L.

    >>> [[order.tolist() for order in batch] for batch in arrangements([0, 1, 0])]
    [[[0, 0, 1], [0, 1, 0], [1, 0, 0]]]
    """
    order = sorted(kinds)
    batch = []
    while True:
        batch.append(order.copy())
        j = len(order) - 2
        while j >= 0 and order[j] >= order[j + 1]:
            j -= 1
        if j < 0 or len(batch) == size:
            yield np.array(batch, np.int64)
            batch = []
        if j < 0:
            return
        k = len(order) - 1
        while order[j] >= order[k]:
            k -= 1
        order[j], order[k] = order[k], order[j]
        order[j + 1 :] = order[:j:-1]


def _drawn(n_blocks: int, n: int, generator: np.random.Generator) -> Iterator[IntArray]:
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
    """Numbers of orders of the hypotheses of a corpus; returned by `summarize_orders`.

    Attributes
    ----------
    n_words, n_matches, n_blocks : int64 arrays of shape (n_segments,)
        Words, clipped bigram matches, and blocks of each hypothesis.
    log10, log10_distinct, log10_printed : float64 arrays of shape (n_segments,)
        As in `Orders`, for blocks cut at exact sites.

    Examples
    --------
    >>> from rapidbleu.meta import summarize_orders
    >>> summarize_orders(["a b c d"], [["a b x c d"]]).n_blocks
    array([2])
    """

    def __init__(self, counts: IntArray, logarithms: FloatArray) -> None:
        self.n_words, self.n_matches, self.n_blocks = counts.T
        self.log10, self.log10_distinct, self.log10_printed = logarithms.T

    def quantiles(self, q: Any = (0.0, 0.25, 0.5, 0.75, 1.0)) -> FloatArray:
        """Return the quantiles of `log10` at `q`, numbers from 0 to 1."""
        values: FloatArray = np.quantile(self.log10, q)
        return values

    @property
    def median(self) -> float:
        """The median of `log10`."""
        return float(self.quantiles([0.5])[0])

    @property
    def max(self) -> float:
        """The maximum of `log10`."""
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
    """Count the orders of each hypothesis of a corpus, in linear time (2 s per million words).

    Parameters
    ----------
    hypotheses, references, layout
        As in `Metric.corpus_score`, not prepared.
    metric : BLEU, optional
        As in `count_orders`.

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
    counts = []
    logarithms = []
    segments = list(enumerate(zip(texts, groups, strict=True)))

    def count(begin: int, end: int, stop: list[BaseException]) -> None:
        for i, (text, refs) in segments[begin:end]:
            orders = Orders(text, refs, bleu, row=stats[i])
            counts.append((orders.n_words, orders.n_matches, orders.n_blocks))
            logarithms.append((orders.log10, orders.log10_distinct, orders.log10_printed))

    in_parts(count, len(segments), 1, 1, teller(progress, len(segments)))
    return OrderSummary(np.array(counts), np.array(logarithms))


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
    """Return random orders of a hypothesis's blocks that have the hypothesis's statistics.

    A try takes about 3 microseconds; Ctrl-C stops the call. Text is joined by spaces. All variants
    differ from one another and from the hypothesis; there are fewer than `n` if no more were found.

    Parameters
    ----------
    hypothesis, references, sites
        As in `count_orders`.
    metric : BLEU, optional
        BLEU to score with (default: with `effective_order`).
    n : int
        Maximum number of variants.
    gains : bool
        Also accept variants with a higher score.
    max_tries : int
        Maximum number of draws; if there are few orders, all are tried.

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
    """Return texts of other words from the references that have a hypothesis's statistics.

    Each block that occurs in a reference is replaced by as many consecutive words of a random
    reference, and the blocks are shuffled. Most draws fail because they use a word more often than
    any reference does; Ctrl-C stops the call.

    Parameters
    ----------
    hypothesis, references, metric, n, gains, max_tries, seed, threads
        As in `sample_reorderings`.

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
    known = set(cut._numbers[cut.n_words :].tolist())
    sources: list[IntArray] = []  # for each block, where the words of a variant of it may begin
    for start, length in zip(cut._starts.tolist(), cut._lengths.tolist(), strict=True):
        fitting = [range(words.start, words.stop - length + 1) for words in cut._references]
        begins = [*chain(*fitting)]
        fits = begins and int(cut._numbers[start]) in known
        sources.append(np.array(begins if fits else [start], np.int64))

    def batches() -> Iterator[IntArray]:
        for first in range(0, max_tries, BATCH):
            size = min(BATCH, max_tries - first)
            starts = np.empty((size, len(sources)), np.int64)
            for i, source in enumerate(sources):
                starts[:, i] = generator.choice(source, size)
            orders = generator.permuted(np.tile(np.arange(len(sources)), (size, 1)), axis=1)
            shifts = np.take_along_axis(starts, orders, axis=1) - cut._starts[orders]
            repeated = np.repeat(shifts.ravel(), cut._lengths[orders].ravel().astype(np.intp))
            yield cut._places(orders) + repeated.reshape(size, cut.n_words)

    return _collected(cut, hypothesis, batches(), n, gains, n_threads)


def _checked(n: int, max_tries: int, gains: bool, seed: int | None) -> np.random.Generator:
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
    """Return the first n distinct drawn texts with the wanted score."""
    as_text = isinstance(hypothesis, str)
    prepared = cut._metric.prepare([cut._texts], layout="segment") if as_text else None
    seen = {tuple(cut._numbers[: cut.n_words].tolist())}
    variants: list[Any] = []
    [actual] = cut._metric.score_rows(cut._row[None]).tolist()
    for places in batches:
        rows = cut._stats(places, threads)
        same: Array = (rows == cut._row).all(axis=1)
        wanted = cut._metric.score_rows(rows) >= actual * (1 - CLOSE) if gains else same
        for i in np.flatnonzero(wanted).tolist():
            words = tuple(cut._numbers[places[i]].tolist())
            if words in seen:
                continue
            seen.add(words)
            variant: Any = [cut._written[k] for k in places[i].tolist()]
            if prepared is not None:
                variant = " ".join(variant)
                row = cut._metric.segment_stats([variant], prepared)[0]
                if not np.array_equal(row, rows[i]):
                    continue
            variants.append(variant)
            if len(variants) == n:
                return variants
    return variants
