"""The result: how far a metric agrees with people."""

_TITLES = {
    "pearson": "Pearson's r",
    "r2": "R²",
    "spearman": "Spearman's rho",
    "kendall": "Kendall's tau-b",
    "kendall_c": "Kendall's tau-c",
    "kendall_like": "Kendall-like tau",
    "tau23": "tau_23",
    "accuracy": "pairwise accuracy",
    "accuracy_eq": "acc_eq",
    "soft_accuracy": "soft pairwise accuracy",
}
_OF = {"none": "scores", "segment": "segments", "system": "systems", "means": "systems' means"}


class Figure:
    """A figure of agreement, a fraction: 1 is the best.

    Attributes
    ----------
    value : float
        nan if it has none.
    figure, by : str
        As they were asked for.
    n : int
        What was compared or averaged over: scores, segments, systems or their means.
    n_without : int
        Segments or systems that have no value, such as those whose scores are all the same.
    epsilon : float
        Differences of the metric up to it were ties.

    Examples
    --------
    >>> from rapidbleu.meta import correlate
    >>> figure = correlate([[1, 2, 3], [2, 3, 5]], [[0.1, 0.3, 0.2], [0.2, 0.3, 0.4]], "kendall")
    >>> figure
    Kendall's tau-b = 0.6923 (6 scores)
    >>> round(float(figure), 6)
    0.692308
    """

    __slots__ = ("by", "epsilon", "figure", "n", "n_without", "value")

    def __init__(
        self, value: float, figure: str, by: str, n: int, n_without: int = 0, epsilon: float = 0.0
    ) -> None:
        self.value = value
        self.figure = figure
        self.by = by
        self.n = n
        self.n_without = n_without
        self.epsilon = epsilon

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        parts = [f"{self.n} {_OF[self.by]}"]
        if self.n_without:
            parts.append(f"{self.n_without} without a value")
        if self.epsilon:
            parts.append(f"ties up to {self.epsilon:.4g}")
        return f"{title_of(self.figure)} = {self.value:.4f} ({', '.join(parts)})"


def title_of(figure: str) -> str:
    """Return a figure's name as papers have it.

    Examples
    --------
    >>> title_of("kendall")
    "Kendall's tau-b"
    """
    return _TITLES[figure]
