"""What several vectors of weights make of one n-best list, and whether two such sets differ.

A score depends on which segments the list happens to have and on where the optimizer happened to
end. The standard deviation over segments is estimated by the bootstrap, that over runs from the
runs themselves. Two systems are compared by stratified approximate randomization: if they were the
same, then the hypotheses that all runs of both chose for a segment could change places, and the
difference of their scores would be as likely as before.
"""

from rapidbleu.floats import digits_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np

    from rapidbleu.scoring import RowScoring
    from rapidbleu.tuning.lists.nbest import NBestList
    from rapidbleu.typing import Array, FloatArray, IntArray

CHUNK = 1 << 20  # rows of statistics that are shuffled together


class Replicas:
    """The scores of an n-best list with the weights of several runs.

    Attributes
    ----------
    scores : float64 array of shape (n_runs,)
        In the unit of the metric.
    mean : float
        Of the scores.
    s_opt : float
        Their sample standard deviation: what the optimizer is to blame for; NaN for a single run.
    s_sel : float
        The standard deviation of a score under resampling of the segments, mean over the runs: what
        the choice of the segments is to blame for; NaN if it was not asked for.
    stats : int64 array of shape (n_runs, n_segments, n_stats)
        Of the chosen hypotheses.
    ids : int64 array of shape (n_segments,)
        Of the segments.
    best : int
        Which run has the best score; of equal ones the first.
    """

    def __init__(
        self,
        nbest: "NBestList",
        weights: "FloatArray",
        samples: int,
        random: "np.random.Generator",
    ) -> None:
        import numpy as np

        self.stats = np.stack([nbest.stats[nbest.best(one)] for one in weights]).astype(np.int64)
        self.ids = nbest.ids
        self.scores = nbest.metric.score_rows(self.stats.sum(axis=1))
        highest = nbest.metric.higher_is_better
        self.best = int(self.scores.argmax() if highest else self.scores.argmin())
        self.mean = float(self.scores.mean())
        self.s_opt = float(self.scores.std(ddof=1)) if len(self.scores) > 1 else float("nan")
        self.s_sel = float("nan")
        if samples:
            self.s_sel = selection_deviation(nbest.metric, self.stats, samples, random)

    def __repr__(self) -> str:
        digits = digits_of(self.scores.tolist())
        means = {"mean": self.mean, "s_opt": self.s_opt, "s_sel": self.s_sel}
        shown = [f"{name} {number:.{digits}f}" for name, number in means.items()]
        return f"<Replicas: {', '.join(shown)}, {len(self.scores)} runs>"


def selection_deviation(
    metric: "RowScoring", stats: "IntArray", samples: int, random: "np.random.Generator"
) -> float:
    """Return the standard deviation of scores over resampled segments, mean over runs.

    Parameters
    ----------
    metric : metric
    stats : int64 array of shape (n_runs, n_segments, n_stats)
    samples : int
        Resampled corpora, at least two; those of all runs have the same segments.
    random : numpy.random.Generator

    References
    ----------
    Koehn 2004, Statistical Significance Tests for Machine Translation Evaluation, section 3.
    """
    import numpy as np

    n_runs, n_segments, n_stats = stats.shape
    side_by_side = stats.transpose(1, 0, 2).reshape(n_segments, -1)
    totals = np.empty((samples, n_runs * n_stats), np.int64)
    for i in range(samples):
        counts = np.bincount(random.integers(0, n_segments, n_segments), minlength=n_segments)
        totals[i] = counts @ side_by_side
    scores = metric.score_rows(totals.reshape(-1, n_stats)).reshape(samples, n_runs)
    return float(scores.std(axis=0, ddof=1).mean())


def randomization_p_value(
    metric: "RowScoring",
    ours: "IntArray",
    theirs: "IntArray",
    trials: int,
    random: "np.random.Generator",
) -> float:
    """Return how likely a difference of mean scores as large as this is between equal systems.

    Parameters
    ----------
    metric : metric
    ours, theirs : int64 arrays of shape (n_runs, n_segments, n_stats)
        Of the same segments; the numbers of runs may differ.
    trials : int
        In each, the hypotheses of all runs of both systems change places within their segment.
    random : numpy.random.Generator

    Returns
    -------
    float
        ``(c + 1) / (trials + 1)`` for `c` differences that are at least as large, of either sign.

    References
    ----------
    Clark et al. 2011, Better Hypothesis Testing for Statistical Machine Translation: Controlling
    for Optimizer Instability, section 4. Riezler & Maxwell 2005.
    """
    import numpy as np

    rows = np.concatenate([ours, theirs]).transpose(1, 0, 2)
    n_segments, n_runs, n_stats = rows.shape
    table = np.ascontiguousarray(rows).reshape(-1, n_stats)
    first = np.arange(n_segments)[:, np.newaxis] * n_runs

    def differences(order: "Array") -> "FloatArray":
        """Of the mean scores, for hypotheses in these orders: [trials, n_segments, n_runs]."""
        totals = table[order + first].sum(axis=1).reshape(-1, n_stats)
        scores = metric.score_rows(totals).reshape(-1, n_runs)
        # Sorted, so that runs in another order have the same mean to the last bit.
        own, other = np.sort(scores[:, : len(ours)]), np.sort(scores[:, len(ours) :])
        found: FloatArray = np.abs(own.mean(axis=1) - other.mean(axis=1))
        return found

    observed = differences(np.arange(n_runs) + np.zeros((1, n_segments, 1), np.int64))[0]
    chunk, extreme = max(1, CHUNK // (n_segments * n_runs)), 0
    for begin in range(0, trials, chunk):
        keys = random.random((min(chunk, trials - begin), n_segments, n_runs))
        extreme += int((differences(keys.argsort(axis=2)) >= observed).sum())
    return (extreme + 1) / (trials + 1)
