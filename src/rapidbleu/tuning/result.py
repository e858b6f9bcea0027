"""What a tuning returns, whatever its method."""

from __future__ import annotations

from rapidbleu._lib.lazy import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rapidbleu.typing import FloatArray, Norm

SHOWN = 12  # weights in a representation


def normalized(weights: FloatArray, norm: Norm | None) -> FloatArray:
    """Return weights with a norm of 1; those that are all 0 stay so.

    Examples
    --------
    >>> import numpy as np
    >>> normalized(np.array([3.0, -1.0]), "l1")
    array([ 0.75, -0.25])
    """
    length = 1.0 if norm is None else float(np.linalg.norm(weights, 1 if norm == "l1" else 2))
    return weights / length if length > 0 else weights


class TuningResult:
    """Weights, and how they were found.

    Attributes
    ----------
    weights : float64 array of shape (n_features,)
    names : tuple of str
        Of the features.
    score : float
        Of the tuned list with these weights, what `NBestList.evaluate` returns.
    method : str
    history : list of dict
        One for each step or epoch.
    interrupted : bool
        Whether Ctrl-C ended the tuning; the weights are the best until then.
    """

    def __init__(
        self,
        weights: FloatArray,
        names: Sequence[str],
        score: float,
        method: str,
        history: list[dict[str, Any]],
        interrupted: bool = False,
    ) -> None:
        self.weights = weights
        self.names = tuple(names)
        self.score = score
        self.method = method
        self.history = history
        self.interrupted = interrupted

    def as_dict(self) -> dict[str, float]:
        """Return the weight of each feature by name.

        Examples
        --------
        >>> import numpy as np
        >>> TuningResult(np.array([0.5, -0.5]), ["lm", "length"], 30.0, "mert", []).as_dict()
        {'lm': 0.5, 'length': -0.5}
        """
        return dict(zip(self.names, self.weights.tolist(), strict=True))

    def __repr__(self) -> str:
        lines = [f"{self.method}: {self.score:.4f}" + " (interrupted)" * self.interrupted]
        width = max(map(len, self.names[:SHOWN]), default=0)
        for name, weight in list(self.as_dict().items())[:SHOWN]:
            lines.append(f"  {name:{width}} {weight: .6g}")
        if len(self.names) > SHOWN:
            lines.append(f"  ... and {len(self.names) - SHOWN} more")
        return "\n".join(lines)
