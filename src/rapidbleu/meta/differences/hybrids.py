"""Hybrids: two metrics whose standardized scores have been swapped here and there."""

from rapidbleu.meta.figures.cautions import silence
from rapidbleu.meta.figures.correlation import Question, grouped
from rapidbleu.meta.figures.soft import SoftAccuracy, whole_segments
from rapidbleu.meta.scores.table import SystemScores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.typing import Array, FloatArray, IntArray


def standardized(values: "FloatArray") -> "FloatArray":
    """Return scores less their mean, in units of their standard deviation.

    Examples
    --------
    >>> import numpy as np
    >>> standardized(np.array([1.0, 3.0]))
    array([-1.,  1.])
    """
    centered: FloatArray = values - values.mean()
    deviation = values.std()
    return centered / deviation if deviation > 0 else centered


class Hybrids:
    """Two metrics, standardized, whose scores coins swap.

    Parameters
    ----------
    question : Question
    human, metrics : SystemScores
        As `shared` returns them.
    swap : {"scores", "segments", "systems"}

    Attributes
    ----------
    n_units : int
        Coins of a trial; 0 if there is nothing to swap.
    """

    def __init__(
        self, question: Question, human: SystemScores, metrics: "list[SystemScores]", swap: str
    ) -> None:
        import numpy as np

        self._question = question
        systems, segments = self._places(question, human, metrics)
        one, other = (own.values[systems, segments] for own in metrics)
        self._one, self._other = standardized(one), standardized(other)
        chosen = {"scores": np.arange(len(one)), "segments": segments, "systems": systems}[swap]
        self._units = chosen.astype(np.int32)
        self.n_units = int(chosen.max()) + 1 if len(one) else 0
        self._begins = begins_of(systems) if question.by == "means" else None
        if question.figure == "soft_accuracy":
            self._soft = SoftAccuracy(human.values[:, np.unique(segments)])
            self._shape = len(human.values), -1
        else:
            self._gold = question.gold(grouped(human, metrics, question.by))

    @staticmethod
    def _places(
        question: Question, human: SystemScores, metrics: "list[SystemScores]"
    ) -> "tuple[Array, Array]":
        """Return the system and the segment of each score that may be swapped."""
        import numpy as np

        if question.by != "means":
            groups = grouped(human, metrics, question.by)
            return groups.systems, groups.segments
        there = ~np.isnan(metrics[0].values)
        if question.figure == "soft_accuracy":
            there &= whole_segments(human, metrics, silence)
        there[np.isnan(human.means())] = False
        systems, segments = np.nonzero(there)
        return systems, segments

    def figures(
        self, coins: "Array", left: "FloatArray", right: "FloatArray", stop: "list[BaseException]"
    ) -> None:
        """Write the figures of both hybrids in as many trials as `left` has items."""
        import numpy as np

        if self._question.in_core:
            self._gold.swapped(
                self._one, self._other, self._units, self.n_units, self._begins, coins,
                left, right, stop,
            )  # fmt: skip
            return
        bits = np.unpackbits(coins.astype("<u4").view(np.uint8), bitorder="little")
        for trial in range(len(left)):
            begin = trial * self.n_units
            heads = bits[begin : begin + self.n_units][self._units] == 1
            left[trial] = self._figure(np.where(heads, self._one, self._other), stop)
            right[trial] = self._figure(np.where(heads, self._other, self._one), stop)

    def _figure(self, scores: "FloatArray", stop: "list[BaseException]") -> float:
        """Return the figure of a hybrid that the core does not compute by groups."""
        import numpy as np

        if stop:
            raise stop[0]
        if self._question.figure == "soft_accuracy":
            return self._soft.of(scores.reshape(self._shape))
        if self._begins is not None:
            starts = self._begins[:-1]
            scores = np.add.reduceat(scores, starts) / np.diff(self._begins)
        return self._gold.best_epsilon(scores, stop)[0]


def begins_of(systems: "Array") -> "IntArray":
    """Return where each system's scores begin, and where the last one's end.

    Examples
    --------
    >>> import numpy as np
    >>> begins_of(np.array([0, 0, 2, 2, 2]))
    array([0, 2, 5])
    """
    import numpy as np

    starts = np.flatnonzero(np.diff(systems, prepend=-1))
    found: IntArray = np.append(starts, len(systems)).astype(np.int64)
    return found
