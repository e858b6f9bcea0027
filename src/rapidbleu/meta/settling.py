"""How many segments a ranking of systems needs: the metric's own verdict on parts of a test set.

Each draw shuffles the segments once, and its first 10, 20, ... segments are the subsamples of all
sizes. So a draw costs one pass over the rows, however many sizes there are.
"""

from rapidbleu.counts import check_count
from rapidbleu.parallel import check_progress, check_threads, in_parts, teller
from rapidbleu.scoring import check_metric
from rapidbleu.sequences import items_of
from rapidbleu.significance.checks import check_level, check_seed
from rapidbleu.significance.systems import Systems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.scoring import RowScoring
    from rapidbleu.significance.systems import _SystemOutputs
    from rapidbleu.typing import FloatArray, IntArray, Integers, Layout, Progress, ReferenceStreams

SIZES = 20  # unless a caller gives others
SMALLEST = 10
BLOCK = 16  # draws that are scored together


class Settling:
    """How often subsamples rank systems as the whole test set does; made by `settling_curve`.

    Attributes
    ----------
    metric : str
        The name of the score.
    systems : tuple of str
    scores : float64 array of shape (n_systems,)
        Of all segments.
    n_segments, n : int
        Segments of the test set; subsamples of each size.
    sizes : int64 array of shape (n_sizes,)
        Segments of the subsamples.
    shares : float64 array of shape (n_sizes,)
        Of the subsamples that order all pairs of systems as the whole does.
    pairs : float64 array of shape (n_sizes, n_systems, n_systems)
        Of the subsamples that order the two systems as the whole does; nan on the diagonal.
    level : float
        The share at which a ranking counts as settled.
    """

    def __init__(
        self,
        metric: str,
        systems: "tuple[str, ...]",
        scores: "FloatArray",
        n_segments: int,
        n: int,
        sizes: "IntArray",
        shares: "FloatArray",
        pairs: "FloatArray",
        level: float,
    ) -> None:
        self.metric = metric
        self.systems = systems
        self.scores = scores
        self.n_segments = n_segments
        self.n = n
        self.sizes = sizes
        self.shares = shares
        self.pairs = pairs
        self.level = level

    def settled(
        self, one: "str | None" = None, other: "str | None" = None, *, level: "float | None" = None
    ) -> "int | None":
        """Return the smallest size from which on subsamples agree with the whole.

        Parameters
        ----------
        one, other : str, optional
            Two systems; without them the ranking of all.
        level : float, optional
            Share of the subsamples, those of all larger sizes too; by default that of the curve.

        Returns
        -------
        int or None
            None if no size of the curve is enough.

        Raises
        ------
        ValueError
            If a name is not that of a system, or the level is not between 0 and 1.
        """
        wanted = self.level if level is None else check_level(level)
        curve = self.shares
        if one is not None or other is not None:
            i, j = self._number("one", one), self._number("other", other)
            if i == j:
                raise ValueError(f"other: expected another system than {one!r}, got it again")
            curve = self.pairs[:, i, j]
        found = None
        for size, share in zip(self.sizes[::-1].tolist(), curve[::-1].tolist(), strict=True):
            if share < wanted:
                break
            found = size
        return found

    def _number(self, where: str, name: "str | None") -> int:
        if name not in self.systems:
            raise ValueError(f"{where}: expected a system, got {name!r}")
        return self.systems.index(name)

    def __repr__(self) -> str:
        size = self.settled()
        verdict = f"settled from {size} on" if size else f"not settled by {self.sizes[-1]}"
        lines = [
            f"{self.metric}, {len(self.systems)} systems, {self.n_segments} segments, "
            f"{self.n} subsamples of each size: {verdict} (level {self.level:g})",
            "segments  same ranking",
        ]
        for n_segments, share in zip(self.sizes.tolist(), self.shares.tolist(), strict=True):
            lines.append(f"{n_segments:8}  {share:12.3f}")
        return "\n".join(lines)


def settling_curve(
    systems: "_SystemOutputs",
    references: "ReferenceStreams | None",
    metric: "RowScoring",
    *,
    sizes: "Integers | None" = None,
    n: int = 1000,
    level: float = 0.95,
    seed: "int | None" = 12345,
    layout: "Layout" = "stream",
    threads: int = 1,
    progress: "Progress | None" = None,
) -> Settling:
    """Find how many segments a metric needs to rank systems as it does on all of them.

    Parameters
    ----------
    systems : dict of str to hypotheses, or sequence of (name, hypotheses)
        Two or more. Hypotheses are those of `Metric.corpus_score`; or, without references, an int
        array of shape (n_segments, n_stats), rows of statistics.
    references : sequence of streams, References or None
        As in `Metric.corpus_score`.
    metric : metric
        Any, also `MeanScore` and `Interpolation`.
    sizes : sequence of int, optional
        Segments of the subsamples, growing, each fewer than all; by default 20 sizes from 10 on,
        each larger than the last by the same factor, to half of the segments.
    n : int
        Subsamples of each size, drawn without replacement.
    level : float
        Share of the subsamples that have to agree.
    seed : int or None
        None: others each time.
    layout : {"stream", "segment"}
        Of the references.
    threads : int
        0: all cores. The result is the same.
    progress : callable, optional
        Called with the draws done and all of them.

    Returns
    -------
    Settling
        Systems that tie on all segments agree where they tie on a subsample too.

    Raises
    ------
    TypeError, ValueError
        Before anything is drawn, if an argument is wrong.

    Notes
    -----
    A subsample of most of the segments nearly is the whole and agrees with it whether or not
    another test set would: sizes above half of the segments prove little, and
    `significance.paired_bootstrap` asks about the other test set. Linear in n times the numbers in
    all rows: a nanosecond each; memory for two copies of the rows. Ctrl-C ends it.

    Examples
    --------
    >>> from rapidbleu import MeanScore
    >>> comet = MeanScore("COMET")
    >>> scores = {"A": [0.5, 0.6, 0.4, 0.9] * 50, "B": [0.5, 0.7, 0.5, 0.5] * 50}
    >>> rows = {name: comet.rows(own) for name, own in scores.items()}
    >>> settling_curve(rows, None, comet, sizes=[10, 25, 50, 100])
    COMET, 2 systems, 200 segments, 1000 subsamples of each size: settled from 50 on (level 0.95)
    segments  same ranking
          10         0.778
          25         0.894
          50         0.981
         100         1.000
    """
    import numpy as np

    check_progress(progress)
    check_count("n", n, 1)
    check_level(level)
    check_seed(seed)
    n_threads = check_threads(threads)
    judged = Systems(systems, references, check_metric(metric), layout, n_threads)
    [(name, rows)] = judged.rows.items()
    chosen = _sizes(sizes, judged.n_segments)
    kernel, n_systems = metric._kernel, len(judged.names)
    whole = np.array(judged.totals[name])
    order = np.sign(whole[:, np.newaxis] - whole)
    upper = np.triu_indices(n_systems, 1)
    beside = np.hstack(rows)
    n_blocks = -(-n // BLOCK)
    seeds = np.random.SeedSequence(seed).spawn(n_blocks)

    def work(begin: int, end: int, stop: "list[BaseException]") -> "Any":
        together = np.zeros(len(chosen), np.int64)
        apart = np.zeros((len(chosen), n_systems, n_systems), np.int64)
        for block in range(begin, end):
            n_draws = min(BLOCK, n - block * BLOCK)
            generator = np.random.default_rng(seeds[block])
            sums = np.empty((n_draws, len(chosen), n_systems, kernel.n_stats), np.int64)
            for draw in sums:
                if stop:
                    return together, apart
                shuffled = generator.permutation(judged.n_segments)[: chosen[-1]]
                parts = np.add.reduceat(beside[shuffled], np.append(0, chosen[:-1]), axis=0)
                draw[:] = parts.cumsum(axis=0).reshape(draw.shape)
            scores = np.empty(sums.size // kernel.n_stats, np.float64)
            kernel.score_rows(sums.reshape(-1, kernel.n_stats), scores)
            found = scores.reshape(sums.shape[:3])
            same = np.sign(found[..., np.newaxis] - found[..., np.newaxis, :]) == order
            apart += same.sum(axis=0)
            together += same[..., upper[0], upper[1]].all(axis=-1).sum(axis=0)
        return together, apart

    together = np.zeros(len(chosen))
    pairs = np.zeros((len(chosen), n_systems, n_systems))
    for one, each in in_parts(work, n_blocks, n_threads, 1, teller(progress, n, BLOCK)):
        together += one
        pairs += each
    pairs[:, range(n_systems), range(n_systems)] = np.nan
    return Settling(
        name, tuple(judged.names), whole, judged.n_segments, n, chosen, together / n, pairs / n,
        level,
    )  # fmt: skip


def _sizes(sizes: "Integers | None", n_segments: int) -> "IntArray":
    """Return the sizes of subsamples, checked, or those that are taken without any."""
    import numpy as np

    if n_segments < 2:
        raise ValueError(f"systems: expected at least two segments, got {n_segments}")
    if sizes is None:
        most = max(1, n_segments // 2)
        spread = np.geomspace(min(SMALLEST, most), most, SIZES)
        own: IntArray = np.unique(np.floor(spread + 1e-9).astype(np.int64))
        return own
    found: list[int] = []
    for i, size in enumerate(items_of(sizes, "sizes", "numbers of segments")):
        least = found[-1] + 1 if found else 1
        found.append(check_count(f"sizes[{i}]", size, least, n_segments - 1))
    if not found:
        raise ValueError("sizes: expected at least one, got none")
    return np.array(found, np.int64)
