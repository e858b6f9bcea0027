"""What a cross-validation found: scores of methods by split, and how sure their differences are."""

from rapidbleu.floats import DIGITS, digits_of
from rapidbleu.loading.loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.typing import FloatArray


class HeldOutDifference:
    """The difference of two methods on text that they were not tuned on.

    Attributes
    ----------
    mean : float
        Of the differences of the splits, in the unit of the metric.
    error : float
        Its standard error, which counts that splits share segments; nan with one split.
    n : int
        Splits.

    References
    ----------
    Nadeau & Bengio 2003, Inference for the Generalization Error, section 5 (corrected resampled
    t-test).

    Examples
    --------
    >>> import numpy as np
    >>> HeldOutDifference(np.array([0.3, 0.1, 0.2]), 1.0)
    +0.20 ± 0.12
    """

    def __init__(self, differences: "FloatArray", ratio: float, digits: int = DIGITS) -> None:
        self._digits = digits
        self.n = len(differences)
        self.mean = float(differences.mean())
        self.error = float("nan")
        if self.n > 1:
            variance = float(differences.var(ddof=1))
            self.error = (variance * (1.0 / self.n + ratio)) ** 0.5

    @property
    def p(self) -> float:
        """How likely a mean as far from 0 is between equal methods: two-sided; needs SciPy."""
        try:
            load("scipy.special")
            from scipy.special import stdtr
        except ImportError:
            raise ImportError('p-values need SciPy: pip install "rapidbleu[tuning]"') from None
        if not self.error > 0.0:
            return 1.0 if self.mean == 0.0 else float("nan")
        return 2.0 * float(stdtr(self.n - 1, -abs(self.mean) / self.error))

    def __repr__(self) -> str:
        return f"{self.mean:+.{self._digits}f} ± {self.error:.{self._digits}f}"


class CrossValidation:
    """Scores of methods on what they were tuned on, and on other segments.

    Attributes
    ----------
    methods : tuple of str
    metric : str
        The name of the score.
    higher_is_better : bool
    train, test : float64 arrays of shape (n_methods, n_splits)
        Scores of the corpora, in the unit of the metric.
    seconds : float64 array of the same shape
        Wall clock of the tuning.
    weights : float64 array of shape (n_methods, n_splits, n_features)
    ratio : float
        Segments tested on for each one tuned on, the mean over splits.
    interrupted : bool
        Whether Ctrl-C ended it; there are fewer splits then.
    """

    def __init__(
        self,
        methods: "tuple[str, ...]",
        metric: str,
        higher_is_better: bool,
        train: "FloatArray",
        test: "FloatArray",
        seconds: "FloatArray",
        weights: "FloatArray",
        ratio: float,
        interrupted: bool,
    ) -> None:
        self.methods = methods
        self.metric = metric
        self.higher_is_better = higher_is_better
        self.train = train
        self.test = test
        self.seconds = seconds
        self.weights = weights
        self.ratio = ratio
        self.interrupted = interrupted

    @property
    def best(self) -> str:
        """The method with the best mean test score; of equal ones the first."""
        means = self.test.mean(axis=1)
        return self.methods[int(means.argmax() if self.higher_is_better else means.argmin())]

    def difference(self, one: str, other: str) -> HeldOutDifference:
        """Return how much higher one method scores on the tested segments than another.

        Raises
        ------
        ValueError
            If a name is not that of a method.
        """
        for where, name in (("one", one), ("other", other)):
            if name not in self.methods:
                known = ", ".join(map(repr, self.methods))
                raise ValueError(f"{where}: expected one of {known}, got {name!r}")
        i, j = self.methods.index(one), self.methods.index(other)
        return HeldOutDifference(self.test[i] - self.test[j], self.ratio, self._digits())

    def _digits(self) -> int:
        return digits_of(self.test.ravel().tolist())

    def __repr__(self) -> str:
        first = self.methods[0]
        n, digits = self.test.shape[1], self._digits()
        rows = [("", "train", "test", f"difference from {first}", "seconds")]
        for i, name in enumerate(self.methods):
            train, test = (f"{own[i].mean():.{digits}f}" for own in (self.train, self.test))
            rows.append((
                name, train, test,
                "" if name == first else repr(self.difference(name, first)),
                f"{self.seconds[i].mean():.2f}",
            ))  # fmt: skip
        widths = [max(len(row[k]) for row in rows) for k in range(5)]
        lines = [f"{self.metric}, {n} split{'s' * (n > 1)}" + " (interrupted)" * self.interrupted]
        for name, *cells in rows:
            shown = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True)]
            lines.append("  ".join(["", f"{name:<{widths[0]}}", *shown]).rstrip())
        return "\n".join(lines)
