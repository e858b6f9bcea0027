"""Results: the difference of two metrics, and the interval of one."""

from rapidbleu.meta.figures.figure import title_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.typing import FloatArray


class Difference:
    """How much more one metric agrees with people than another, and how sure that is.

    Attributes
    ----------
    test : str
    figure, by : str
        As they were asked for.
    one, other : float
        The figures of the two metrics.
    difference : float
        one - other
    p : float
        Of the one-sided test whether `one` agrees better than `other`.
    n : int
        Trials or resamples; systems for Williams' test.
    count : int or None
        Those that spoke against `one`; ``p`` is ``(count + 1) / (n + 1)``.
    interval : (float, float) or None
        Of the difference, from resamples.
    differences : float64 array of shape (n,), or None
        Of the trials or resamples; nan where a metric has no figure.

    Examples
    --------
    >>> Difference("Williams", "pearson", "means", 0.9, 0.7, 0.03125, 12)
    Pearson's r: 0.9000 - 0.7000 = 0.2000, p = 0.0312 (Williams, 12)
    """

    def __init__(
        self,
        test: str,
        figure: str,
        by: str,
        one: float,
        other: float,
        p: float,
        n: int,
        count: "int | None" = None,
        interval: "tuple[float, float] | None" = None,
        differences: "FloatArray | None" = None,
    ) -> None:
        self.test = test
        self.figure = figure
        self.by = by
        self.one = one
        self.other = other
        self.difference = one - other
        self.p = p
        self.n = n
        self.count = count
        self.interval = interval
        self.differences = differences

    def __repr__(self) -> str:
        found = f"{self.one:.4f} - {self.other:.4f} = {self.difference:.4f}"
        if self.interval is not None:
            found += f" [{self.interval[0]:.4f}, {self.interval[1]:.4f}]"
        return f"{title_of(self.figure)}: {found}, p = {self.p:.4f} ({self.test}, {self.n})"


class FigureInterval:
    """A figure, and the interval of those of resamples.

    Attributes
    ----------
    value : float
    low, high : float
        The ends of the interval.
    level : float
        Share of the resamples' figures in it.
    figure, by : str
        As they were asked for.
    samples : float64 array of shape (n,)
        The figures of the resamples; nan where there is none.

    Examples
    --------
    >>> import numpy as np
    >>> FigureInterval(0.5, "kendall", "segment", np.linspace(0.4, 0.6, 101), 0.9)
    Kendall's tau-b = 0.5000 [0.4100, 0.5900]
    """

    def __init__(
        self, value: float, figure: str, by: str, samples: "FloatArray", level: float
    ) -> None:
        self.value = value
        self.figure = figure
        self.by = by
        self.samples = samples
        self.level = level
        self.low, self.high = ends_of(samples, level)

    def __repr__(self) -> str:
        return f"{title_of(self.figure)} = {self.value:.4f} [{self.low:.4f}, {self.high:.4f}]"


def ends_of(samples: "FloatArray", level: float) -> "tuple[float, float]":
    """Return the ends of the interval that leaves the same share of samples out on both sides.

    Examples
    --------
    >>> import numpy as np
    >>> ends_of(np.arange(101.0), 0.5)
    (25.0, 75.0)
    """
    import numpy as np

    there = samples[~np.isnan(samples)]
    if not len(there):
        return float("nan"), float("nan")
    low, high = np.quantile(there, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high
