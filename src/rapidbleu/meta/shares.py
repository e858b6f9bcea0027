"""How many orders of a hypothesis's blocks score the same, higher and lower: all of them, or some.

Orders that differ only by equal blocks are the same text. Each text stands for as many orders as
every other one, so only one of them is scored.
"""

from rapidbleu.counts import check_count
from rapidbleu.meta.blocks import CutHypothesis, check_bleu, check_sites
from rapidbleu.meta.orders import repeats
from rapidbleu.parallel import check_progress, check_threads
from rapidbleu.significance.checks import check_seed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rapidbleu.metrics import BLEU
    from rapidbleu.typing import FloatArray, IntArray, Progress, Segment, SegmentReferences

BATCH = 1 << 13  # orders that are scored together
MOST = 362_880  # orders, those of nine blocks
CLOSE = 1e-12  # relative difference of scores that are the same but for rounding


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
        self, cut: CutHypothesis, counted: "dict[tuple[int, ...], int]", each: int, exact: bool
    ) -> None:
        import numpy as np

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
    hypothesis: "Segment",
    references: "SegmentReferences",
    metric: "BLEU | None" = None,
    *,
    sites: str = "exact",
    most: int = MOST,
    threads: int = 1,
    progress: "Progress | None" = None,
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
    threads : int
        0: all cores. The result is the same.
    progress : callable, optional
        Called with the texts scored and all of them.

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

    References
    ----------
    Callison-Burch, Osborne and Koehn 2006, section 3.1.

    Examples
    --------
    >>> enumerate_orders("sat the cat on a mat", ["the cat sat on the mat"])
    120 orders: 55.00% same, 45.00% higher, 0.00% lower
    """
    import math

    check_progress(progress)
    bleu = check_bleu(metric)
    check_count("most", most, 1)
    n_threads = check_threads(threads)
    cut = CutHypothesis(bleu, hypothesis, references, check_sites(sites))
    kinds = cut.kinds()
    each = math.prod(map(math.factorial, repeats(kinds)))
    n = math.factorial(len(kinds)) // each
    if n > most:
        many = str(n) if n < 10**15 else f"10^{math.log10(n):.1f}"
        raise ValueError(
            f"hypothesis: expected at most {most} different orders, got {many}; raise `most`, or "
            f"estimate shares with sample_orders"
        )
    return _counted(cut, arrangements(kinds), n, each, True, n_threads, progress)


def sample_orders(
    hypothesis: "Segment",
    references: "SegmentReferences",
    metric: "BLEU | None" = None,
    *,
    n: int = 10_000,
    seed: "int | None" = 12345,
    sites: str = "exact",
    threads: int = 1,
    progress: "Progress | None" = None,
) -> OrderShares:
    """Score orders of a hypothesis's blocks that are drawn at random.

    Parameters
    ----------
    hypothesis, references, metric, sites, threads, progress
        As in `enumerate_orders`.
    n : int
        Orders to draw, each independently of the others.
    seed : int or None
        None: others each time.

    Returns
    -------
    OrderShares
        Shares have a standard error of at most ``0.5 / sqrt(n)``.

    Raises
    ------
    TypeError, ValueError
        As `count_orders`.

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
    bleu = check_bleu(metric)
    check_count("n", n, 1)
    check_seed(seed)
    n_threads = check_threads(threads)
    cut = CutHypothesis(bleu, hypothesis, references, check_sites(sites))
    return _counted(cut, drawn(len(cut.starts), seed), n, 1, False, n_threads, progress)


def arrangements(kinds: "Sequence[int]") -> "Iterator[IntArray]":
    """Yield all orders of some numbers, those that look the same once, in batches.

    Notes
    -----
    From each order the next one of the dictionary is made: Knuth, The Art of Computer Programming,
    volume 4A, algorithm 7.2.1.2 L.

    Examples
    --------
    >>> [[order.tolist() for order in batch] for batch in arrangements([0, 1, 0])]
    [[[0, 0, 1], [0, 1, 0], [1, 0, 0]]]
    """
    import numpy as np

    own = sorted(kinds)
    batch = []
    while True:
        batch.append(own.copy())
        j = len(own) - 2
        while j >= 0 and own[j] >= own[j + 1]:
            j -= 1
        if j < 0 or len(batch) == BATCH:
            yield np.array(batch, np.int64)
            batch = []
        if j < 0:
            return
        k = len(own) - 1
        while own[j] >= own[k]:
            k -= 1
        own[j], own[k] = own[k], own[j]
        own[j + 1 :] = own[: j : -1]


def drawn(n_blocks: int, seed: "int | None") -> "Iterator[IntArray]":
    """Yield random orders of blocks, in batches, for ever.

    Examples
    --------
    >>> batch = next(drawn(3, 12345))
    >>> batch.shape, batch.sum(axis=0).tolist() != batch[0].tolist()
    ((8192, 3), True)
    """
    import numpy as np

    generator = np.random.default_rng(check_seed(seed))
    start = np.tile(np.arange(n_blocks), (BATCH, 1))
    while True:
        yield generator.permuted(start, axis=1)


def _counted(
    cut: CutHypothesis,
    batches: "Iterator[IntArray]",
    n: int,
    each: int,
    exact: bool,
    threads: int,
    progress: "Progress | None",
) -> OrderShares:
    """Return how the first n orders score."""
    import numpy as np

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
    return OrderShares(cut, counted, each, exact)
