"""What learners have in common: the list as they see it, their options and their start."""

from rapidbleu._core.examples import Examples
from rapidbleu.tuning.checks import check_vector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np

    from rapidbleu.tuning.nbest import NBestList

    _Float64Array = np.ndarray[Any, np.dtype[np.float64]]


def make_examples(nbest: "NBestList") -> Examples:
    """Return the rows of a list for a learner, dense or sparse; dense ones are not copied.

    Raises
    ------
    ValueError
        If a sparse list has 2**31 features or more.
    """
    import numpy as np

    features, columns, starts = nbest.features, None, None
    if nbest.is_sparse:
        if nbest.n_features >= 2**31:
            raise ValueError(f"features: expected less than 2**31, got {nbest.n_features}")
        columns = np.ascontiguousarray(features.indices, np.int32)
        starts = np.ascontiguousarray(features.indptr, np.int64)
        features = np.ascontiguousarray(features.data)
    return Examples(
        features, columns, starts, nbest.stats, nbest.offsets, nbest.n_features,
        nbest.metric._kernel.n_stats,
    )  # fmt: skip


def start_weights(nbest: "NBestList", weights: "Any") -> "_Float64Array":
    """Return a copy of the weights a learner starts with, or zeros for None."""
    import numpy as np

    if weights is None:
        return np.zeros(nbest.n_features)
    return check_vector(weights, nbest.names)


def check_number(
    name: str, value: "Any", least: float, most: float = float("inf"), *, above: bool = False
) -> float:
    """Return a finite float between two limits; with `above`, above the lower one.

    Examples
    --------
    >>> check_number("decay", 1, 0, 1)
    1.0
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected a number, got {type(value).__name__}") from None
    if abs(number) < float("inf") and least <= number <= most and (number > least or not above):
        return number
    wanted = f"above {least:g}" if above else f"of at least {least:g}"
    if most < float("inf"):
        wanted += f", at most {most:g}"
    raise ValueError(f"{name}: expected a number {wanted}, got {number:g}")


def check_whole(name: str, value: "Any", least: int) -> int:
    """Return an integer that is not too small.

    Examples
    --------
    >>> check_whole("epochs", 60, 1)
    60
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}: expected int, got {type(value).__name__}")
    number = int(value)
    if number < least:
        raise ValueError(f"{name}: expected at least {least}, got {number}")
    return number
