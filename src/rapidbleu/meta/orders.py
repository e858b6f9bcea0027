"""How many orders of a hypothesis's words BLEU scores the same or higher: counted by blocks.

BLEU sees order only through n-grams that match. Cut a hypothesis where no reference has the two
words next to each other, and no n-gram that matches is cut; so the blocks, in any order, match at
least as much, and k blocks have k! orders. Callison-Burch et al. cut at every bigram that is not a
clipped match instead. That gives a few blocks more, but an order of those can lose: a bigram that
was clipped away in one place still makes trigrams, and matches where the other copy is torn apart.

Words become numbers, those of the hypothesis and those of its references from one table, so that
orders are index arithmetic in NumPy and a batch of them is one call. Orders that differ only by
equal blocks are the same text, and only one of them is scored.
"""

from __future__ import annotations

import math
from itertools import pairwise

from rapidbleu._lib.checks import check_count, check_seed
from rapidbleu._lib.lazy import np
from rapidbleu.metrics import BLEU
from rapidbleu.parallel import STEPS, check_progress, check_threads
from rapidbleu.references import check_layout
from rapidbleu.sequences import items_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from rapidbleu.typing import (
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

SITES = ("exact", "printed")
BATCH = 1 << 13  # orders that are scored together
MOST = 362_880  # orders, those of nine blocks
CLOSE = 1e-12  # relative difference of scores that are the same but for rounding


class CutHypothesis:
    """A hypothesis, cut; and what any words instead of its own would score.

    Attributes
    ----------
    row : int64 array of shape (n_stats,)
        The statistics of the hypothesis.
    written : list of str or int
        The words of the hypothesis and, from `n_words` on, those of its references.
    numbers : int64 array of shape (len(written),)
        Equal words have the same.
    references : list of range
        Where in `written` each reference is.
    starts, lengths : int64 arrays of shape (n_blocks,)
    kinds : list of int
        For each block the first one with the same words.

    Examples
    --------
    >>> cut = CutHypothesis("the cat the sat", ["the cat sat"])
    >>> cut.blocks(), cut.kinds
    ((('the', 'cat'), ('the',), ('sat',)), [0, 1, 2])
    """

    def __init__(
        self,
        hypothesis: Segment,
        references: SegmentReferences,
        metric: BLEU | None = None,
        sites: str = "exact",
    ) -> None:
        if not isinstance(sites, str) or sites not in SITES:
            raise ValueError(f"sites: expected one of {', '.join(SITES)}; got {sites!r}")
        self.metric = metric = _bleu(metric)
        self.texts = texts = items_of(references, "references", "references")
        self.row: IntArray = metric.segment_stats([hypothesis], [texts], layout="segment")[0]
        written, compared = _words_of(metric, hypothesis)
        self.written, words = written.copy(), compared.copy()
        self.n_words = len(words)
        self.references: list[range] = []
        for reference in texts:
            if reference is not None:
                written, compared = _words_of(metric, reference)
                self.references.append(range(len(words), len(words) + len(compared)))
                self.written += written
                words += compared
        table: dict[Any, int] = {}
        numbers = [table.setdefault(word, len(table)) for word in words]
        self.numbers: IntArray = np.array(numbers, np.int64)
        self._own = numbers[: self.n_words]
        self._others = [numbers[place.start : place.stop] for place in self.references]
        pairs = self._others if metric.max_ngram_order > 1 else []
        starts = cut_sites(self._own, pairs, sites)
        self.starts: IntArray = np.array(starts, np.int64)
        self.lengths: IntArray = np.diff(self.starts, append=self.n_words)
        self.kinds = kinds_of(self._own, starts)
        self._scoring = BLEU(  # of numbers, which have no case
            smooth_method=metric.smooth_method, smooth_value=metric.smooth_value,
            max_ngram_order=metric.max_ngram_order, effective_order=metric.effective_order,
            ref_len=metric.ref_len, weights=metric.weights, mean=metric.mean,
        )  # fmt: skip
        self._prepared = self._scoring.prepare([self._others], layout="segment")

    @property
    def n_equal(self) -> int:
        """Orders of blocks that are the same text as one of them."""
        return math.prod(map(math.factorial, repeats(self.kinds)))

    def blocks(self) -> tuple[tuple[Any, ...], ...]:
        """Return the words of each block, as they are written."""
        pairs = zip(self.starts.tolist(), self.lengths.tolist(), strict=True)
        return tuple(tuple(self.written[start : start + length]) for start, length in pairs)

    def may_gain(self) -> bool:
        """Return whether a reference has the end of one block next to the start of another."""
        if self.metric.max_ngram_order < 2:
            return False
        firsts: dict[int, set[int]] = {}
        lasts: dict[int, set[int]] = {}
        for i, (start, length) in enumerate(zip(self.starts, self.lengths, strict=True)):
            firsts.setdefault(self._own[start], set()).add(i)
            lasts.setdefault(self._own[start + length - 1], set()).add(i)
        for pair in {pair for other in self._others for pair in pairwise(other)}:
            ends, begins = lasts.get(pair[0], set()), firsts.get(pair[1], set())
            if ends and begins and len(ends | begins) > 1:
                return True
        return False

    def places(self, orders: IntArray) -> IntArray:
        """Return where in `written` the words of each order of blocks are, [order, word]."""
        lengths = self.lengths[orders]
        begins = lengths.cumsum(axis=1) - lengths
        shifts = np.repeat((self.starts[orders] - begins).ravel(), lengths.ravel())
        places: IntArray = shifts.reshape(len(orders), self.n_words) + np.arange(self.n_words)
        return places

    def stats(self, places: IntArray, threads: int = 1) -> IntArray:
        """Return the row of statistics of each text, whose words are at these places."""
        if not self.n_words:
            return np.repeat(self.row[np.newaxis], len(places), axis=0)
        rows: IntArray = self._scoring.nbest_stats(
            list(self.numbers[places]), self._prepared, segments=np.zeros(len(places), np.int64),
            threads=threads,
        )  # fmt: skip
        return rows

    def scores(self, rows: IntArray) -> FloatArray:
        """Return the scores of statistics by the metric itself."""
        return self.metric.score_rows(rows)


def _bleu(metric: BLEU | None) -> BLEU:
    """Return the metric, which must be BLEU; one for segments if there is none."""
    if metric is None:
        return BLEU(effective_order=True)
    if not isinstance(metric, BLEU):
        raise TypeError(f"metric: expected BLEU, got {type(metric).__name__}")
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
        own: dict[tuple[Any, Any], int] = {}
        for pair in pairwise(reference):
            own[pair] = own.get(pair, 0) + 1
        for pair, count in own.items():
            left[pair] = max(left.get(pair, 0), count)
    starts = [0] if words else []
    for i, pair in enumerate(pairwise(words), 1):
        if not left.get(pair):
            starts.append(i)
        elif sites == "printed":
            left[pair] -= 1
    return starts


def kinds_of(words: Sequence[Any], starts: list[int]) -> list[int]:
    """Return for each block the first one with the same words.

    Examples
    --------
    >>> kinds_of(["a", "b", "x", "a", "b"], [0, 2, 3])
    [0, 1, 0]
    """
    first: dict[tuple[Any, ...], int] = {}
    ends = [*starts[1:], len(words)]
    blocks = [tuple(words[start:end]) for start, end in zip(starts, ends, strict=False)]
    return [first.setdefault(block, i) for i, block in enumerate(blocks)]


def repeats(kinds: Sequence[int]) -> list[int]:
    """Return the counts of the kinds of blocks that are repeated.

    Examples
    --------
    >>> repeats([0, 1, 0, 3, 1, 0])
    [3, 2]
    """
    counts: dict[int, int] = {}
    for kind in kinds:
        counts[kind] = counts.get(kind, 0) + 1
    return [count for count in counts.values() if count > 1]


def log10_factorial(n: int) -> float:
    """Return the decimal logarithm of n!.

    Examples
    --------
    >>> round(log10_factorial(81), 1)
    120.8
    """
    return math.lgamma(n + 1) / math.log(10)


def _matches(metric: BLEU, stats: Array) -> Any:
    """Return the clipped matches of bigrams in rows; none if the metric counts none."""
    return stats[..., 3].copy() if metric.max_ngram_order > 1 else stats[..., 0] * 0


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

    def __init__(self, cut: CutHypothesis, sites: str) -> None:
        self.blocks = cut.blocks()
        self.sites = sites
        self.n_words = cut.n_words
        self.n_matches = int(_matches(cut.metric, cut.row))
        self.may_gain = cut.may_gain()
        self.n_blocks = len(self.blocks)
        self._n_equal = cut.n_equal
        self.log10 = log10_factorial(self.n_blocks)
        self.log10_distinct = self.log10 - sum(map(log10_factorial, repeats(cut.kinds)))
        self.log10_printed = log10_factorial(self.n_words - self.n_matches)

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
        if self._n_equal > 1:
            text += f", 10^{self.log10_distinct:.1f} of them distinct"
        return text


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

    Raises
    ------
    TypeError, ValueError
        If the metric is not BLEU, or as `Metric.corpus_score`.

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
    return Orders(CutHypothesis(hypothesis, references, metric, sites), sites)


class OrderShares:
    """How orders score; made by `enumerate_orders` and `sample_orders`.

    Attributes
    ----------
    exact : bool
        Whether these are all orders, each of them once.
    n : int
        Orders.
    same, higher, lower : int
        How many of them score as the hypothesis does, higher and lower.
    rows : int64 array of shape (n_rows, n_stats)
        The different statistics that they have, the most frequent ones first.
    counts : list of int
        How many orders have each.
    scores : float64 array of shape (n_rows,)
        Of the rows.
    """

    def __init__(
        self, cut: CutHypothesis, counted: dict[tuple[int, ...], int], each: int, exact: bool
    ) -> None:
        pairs = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
        self.exact = exact
        self.rows: IntArray = np.array([row for row, _ in pairs], np.int64)
        self.counts = [count * each for _, count in pairs]
        self.scores: FloatArray = cut.scores(self.rows)
        [own] = cut.scores(cut.row[np.newaxis]).tolist()
        self.n = sum(self.counts)
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
            f"{count / self.n:.2%} {name}"
            for name, count in (("same", self.same), ("higher", self.higher), ("lower", self.lower))
        )
        return f"{self.n} {kind}: {shares}"


def enumerate_orders(
    hypothesis: Segment,
    references: SegmentReferences,
    metric: BLEU | None = None,
    *,
    sites: str = "exact",
    most: int = MOST,
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
    most : int
        Texts to score at most: more are an error.

    Returns
    -------
    OrderShares

    Raises
    ------
    TypeError, ValueError
        As `count_orders`, and if there are too many orders.

    Notes
    -----
    Some 3 microseconds a text. Ctrl-C ends it.

    Examples
    --------
    >>> enumerate_orders("sat the cat on a mat", ["the cat sat on the mat"])
    120 orders: 55.00% same, 45.00% higher, 0.00% lower
    """
    check_progress(progress)
    check_count("most", most, 1)
    n_threads = check_threads(threads)
    cut = CutHypothesis(hypothesis, references, metric, sites)
    n = math.factorial(len(cut.kinds)) // cut.n_equal
    if n > most:
        many = str(n) if n < 10**15 else f"10^{math.log10(n):.1f}"
        raise ValueError(
            f"hypothesis: expected at most {most} different orders, got {many}; raise `most`, or "
            f"estimate shares with sample_orders"
        )
    counted = _counted(cut, arrangements(cut.kinds), n, n_threads, progress)
    return OrderShares(cut, counted, cut.n_equal, True)


def sample_orders(
    hypothesis: Segment,
    references: SegmentReferences,
    metric: BLEU | None = None,
    *,
    n: int = 10_000,
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
    n : int
        Orders to draw, each independently of the others.

    Returns
    -------
    OrderShares
        Shares have a standard error of at most ``0.5 / sqrt(n)``.

    Notes
    -----
    Some 3 microseconds an order. Ctrl-C ends it.

    Examples
    --------
    >>> found = sample_orders("sat the cat on a mat", ["the cat sat on the mat"], n=1000)
    >>> found.n, found.lower, abs(found.same / found.n - 0.55) < 0.05
    (1000, 0, True)
    """
    check_progress(progress)
    check_count("n", n, 1)
    check_seed(seed)
    n_threads = check_threads(threads)
    cut = CutHypothesis(hypothesis, references, metric, sites)
    counted = _counted(cut, _drawn(len(cut.starts), seed), n, n_threads, progress)
    return OrderShares(cut, counted, 1, False)


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


def _drawn(n_blocks: int, seed: int | None) -> Iterator[IntArray]:
    """Yield random orders of blocks, in batches, for ever."""
    generator = np.random.default_rng(seed)
    start = np.tile(np.arange(n_blocks), (BATCH, 1))
    while True:
        yield generator.permuted(start, axis=1)


def _counted(
    cut: CutHypothesis,
    batches: Iterator[IntArray],
    n: int,
    threads: int,
    progress: Progress | None,
) -> dict[tuple[int, ...], int]:
    """Return how many of the first n orders have each row of statistics."""
    counted: dict[tuple[int, ...], int] = {}
    done = 0
    while done < n:
        orders = next(batches)[: n - done]
        rows, counts = np.unique(cut.stats(cut.places(orders), threads), axis=0, return_counts=True)
        for row, count in zip(rows.tolist(), counts.tolist(), strict=True):
            counted[tuple(row)] = counted.get(tuple(row), 0) + count
        done += len(orders)
        if progress is not None:
            progress(done, n)
    return counted


class CorpusOrders:
    """How many orders the hypotheses of a corpus have; made by `corpus_orders`.

    Attributes
    ----------
    n_words, n_matches, n_blocks : int64 arrays of shape (n_segments,)
        Words, clipped matches of bigrams, and blocks of each hypothesis.
    log10, log10_distinct, log10_printed : float64 arrays of shape (n_segments,)
        As in `Orders`, of blocks cut at exact sites.
    """

    def __init__(
        self, n_words: IntArray, n_matches: IntArray, n_blocks: IntArray,
        repeated: FloatArray,
    ) -> None:  # fmt: skip
        self.n_words = n_words
        self.n_matches = n_matches
        self.n_blocks = n_blocks
        table = np.array([log10_factorial(n) for n in range(int(n_words.max()) + 1)])
        self.log10: FloatArray = table[n_blocks]
        self.log10_distinct: FloatArray = self.log10 - repeated
        self.log10_printed: FloatArray = table[n_words - n_matches]

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


def corpus_orders(
    hypotheses: Texts,
    references: ReferenceStreams,
    metric: BLEU | None = None,
    *,
    layout: Layout = "stream",
    threads: int = 1,
    progress: Progress | None = None,
) -> CorpusOrders:
    """Count the orders of each hypothesis of a corpus.

    Parameters
    ----------
    hypotheses, references, layout
        As in `Metric.corpus_score`, not prepared.
    metric : BLEU, optional
        As in `count_orders`.

    Returns
    -------
    CorpusOrders

    Notes
    -----
    Linear in the text: two seconds for a million words.

    Examples
    --------
    >>> hypotheses = ["the cat sat on a mat", "rained it"]
    >>> found = corpus_orders(hypotheses, [["the cat sat on the mat", "it rained"]])
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
    n_blocks, repeated = np.zeros(len(texts), np.int64), np.zeros(len(texts))
    step = max(1, -(-len(texts) // STEPS))
    for i, (text, own) in enumerate(zip(texts, groups, strict=True)):
        words = _words_of(bleu, text)[1]
        others = [_words_of(bleu, reference)[1] for reference in own if reference is not None]
        starts = cut_sites(words, others if bleu.max_ngram_order > 1 else [], "exact")
        n_blocks[i] = len(starts)
        repeated[i] = sum(map(log10_factorial, repeats(kinds_of(words, starts))))
        if progress is not None and ((i + 1) % step == 0 or i + 1 == len(texts)):
            progress(i + 1, len(texts))
    return CorpusOrders(stats[:, 0].copy(), _matches(bleu, stats), n_blocks, repeated)
