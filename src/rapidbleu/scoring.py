"""Rows of statistics to scores: what every metric does with them, of text or not."""

from __future__ import annotations

from rapidbleu._lib.lazy import np
from rapidbleu.score import Score
from rapidbleu.stats import check_rows, rows_given, sum_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Generic

    from typing_extensions import TypeVar

    from rapidbleu._core.metrics.kernel import Kernel
    from rapidbleu.typing import FloatArray, IntRows

    ScoreT = TypeVar("ScoreT", bound=Score, default=Score, covariant=True)
else:  # `typing` takes longer to load than all this
    ScoreT = Score
    Generic = {ScoreT: object}


def check_metric(metric: object, where: str = "metric", method: str = "") -> Any:
    """Return a metric; with `method`, one that has this method of metrics of text.

    Examples
    --------
    >>> from rapidbleu import MeanScore
    >>> check_metric(MeanScore("COMET"))
    MeanScore('COMET')
    >>> check_metric(MeanScore(), method="nbest_stats")
    Traceback (most recent call last):
    ...
    TypeError: metric: expected a metric of text, got MeanScore
    """
    if not isinstance(metric, RowScoring) or not hasattr(metric, method or "score_rows"):
        kind = "a metric of text" if method else "a metric"
        raise TypeError(f"{where}: expected {kind}, got {type(metric).__name__}")
    return metric


class RowScoring(Generic[ScoreT]):
    """What metrics do with rows of statistics; a subclass supplies its compiled `_kernel`.

    ``RowScoring[BLEUScore]`` has scores of that class; while a program runs it is just a name.
    """

    if not TYPE_CHECKING:
        __class_getitem__ = classmethod(type(list[int]))

    _fixed: frozenset[str] = frozenset()  # attributes that are set when a metric is made
    _full_score: float | None = 100.0  # of a perfect text; of an error rate, with all wrong

    def __setattr__(self, name: str, value: object) -> None:
        if name in self._fixed:
            raise AttributeError(
                f"{name}: the options of a metric are fixed; {self._remedy(name, value)}"
            )
        object.__setattr__(self, name, value)

    def _remedy(self, name: str, value: object) -> str:
        """Return the way to a metric with another value of a fixed attribute, for errors."""
        return f"make a new one, such as {type(self).__name__}({name}={value!r})"

    def _put(self, name: str, value: object) -> None:
        """Set an attribute that is fixed once the metric is made."""
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        if name in self._fixed:
            raise AttributeError(f"{name}: the options of a metric are fixed")
        object.__delattr__(self, name)

    def _changed_options(self) -> dict[str, object]:
        """Return the options that are not defaults, and those without a default."""
        raise TypeError(f"{type(self).__name__} has no options")

    @property
    def _kernel(self) -> Kernel:
        """The compiled metric."""
        raise TypeError(f"{type(self).__name__} has no kernel")

    @property
    def higher_is_better(self) -> bool:
        """Whether searches look for the greatest score; of an error rate they want the least."""
        return not self._kernel.lower_is_better

    def _gain(self, score: float) -> float:
        """Return the score, negated if lower is better."""
        return score if self.higher_is_better else -score

    def _advise_segments(self) -> None:
        """Hook: warn once of options that make scores of single segments misleading."""

    def _make_score(self, parts: tuple[Any, ...]) -> ScoreT:
        """Return the score object for what the kernel says of a row."""
        raise TypeError(f"{type(self).__name__} has no scores")

    def score_rows(self, stats: IntRows) -> FloatArray:
        """Score each row of statistics as a corpus of its own.

        Parameters
        ----------
        stats : int array of shape (n, n_stats), or StatsTable

        Returns
        -------
        float64 array of shape (n,)
        """
        kernel = self._kernel
        rows = check_rows(rows_given(stats, self), kernel)
        kernel.score_rows(rows, scores := np.empty(len(rows), np.float64))
        return scores

    def score(self, stats: IntRows) -> ScoreT:
        """Score statistics.

        Parameters
        ----------
        stats : int array of shape (n_stats,) or (n, n_stats), or StatsTable
            One row, or rows to be summed. A table of another metric is a ValueError.

        Returns
        -------
        Score
        """
        kernel = self._kernel
        return self._make_score(kernel.describe(sum_rows(rows_given(stats, self), kernel)))
