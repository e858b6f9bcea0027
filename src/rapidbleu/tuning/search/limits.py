"""The limits of arguments: numbers, bounds of weights, fixed ones, ranges of random starts."""

from rapidbleu.sequences import is_ordered, items_of
from rapidbleu.stats import unmasked
from rapidbleu.tuning.lists.checks import places_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from rapidbleu.tuning.lists.nbest import NBestList
    from rapidbleu.typing import Bounds, FloatArray, Items


def check_number(
    name: str, value: float, least: float, most: float = float("inf"), *, above: bool = False
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
    except OverflowError:  # an integer that no float is as large as
        number = float("inf") if value > 0 else -float("inf")
    if abs(number) < float("inf") and least <= number <= most and (number > least or not above):
        return number
    wanted = f"above {least:g}" if above else f"of at least {least:g}"
    if most < float("inf"):
        wanted += f", at most {most:g}"
    raise ValueError(f"{name}: expected a number {wanted}, got {number:g}")


def check_pair(name: str, pair: "Items[float]") -> tuple[float, float]:
    """Return a pair of numbers.

    Examples
    --------
    >>> check_pair("bounds", [0, 1])
    (0.0, 1.0)
    """
    numbers = items_of(pair, name, "numbers") if is_ordered(pair) else []
    if len(numbers) == 2 and all(hasattr(number, "__float__") for number in numbers):
        return float(numbers[0]), float(numbers[1])
    raise TypeError(f"{name}: expected a pair of numbers, got {pair!r}")


def check_fixed(fixed: "Collection[str]", names: "Sequence[str]") -> "FloatArray":
    """Return 1 for each feature whose weight may change, 0 for the others.

    Examples
    --------
    >>> check_fixed(["lm"], ["lm", "length"])
    array([0., 1.])
    """
    import numpy as np

    if isinstance(fixed, str):
        raise TypeError("fixed: expected a collection of names, got a single str")
    free = np.ones(len(names))
    free[places_of(fixed, names, "fixed")] = 0
    if not free.any():
        raise ValueError("fixed: expected a feature at least to be tuned, got all of them")
    return free


def check_bounds(what: str, bounds: "Bounds | None", names: "Sequence[str]") -> "FloatArray":
    """Return the lower and the upper bound of each weight, in two columns.

    Examples
    --------
    >>> check_bounds("bounds", {"lm": (0, 1)}, ["lm", "length"])
    array([[  0.,   1.],
           [-inf,  inf]])
    """
    from collections.abc import Mapping

    import numpy as np

    limits = np.tile([-np.inf, np.inf], (len(names), 1))
    if bounds is None:
        return limits
    if isinstance(bounds, Mapping):
        places = places_of(bounds, names, what)
        for i, (name, pair) in zip(places, bounds.items(), strict=True):
            limits[i] = check_pair(f"{what}[{name!r}]", pair)
    else:
        given = np.asarray(unmasked(bounds, what), np.float64)
        if given.shape != limits.shape:
            raise ValueError(f"{what}: expected shape {limits.shape}, got {given.shape}")
        limits = given
    for name, (low, high) in zip(names, limits, strict=True):
        if not low <= high:
            raise ValueError(f"{what}: expected low <= high for {name!r}, got {low:g} and {high:g}")
        if what == "ranges" and not high - low < np.inf:
            raise ValueError(f"{what}: expected finite ones, got {low:g} to {high:g} for {name!r}")
    return limits


def default_ranges(nbest: "NBestList") -> "FloatArray":
    """Return ranges of weights in which each feature can tell as much as any other.

    Parameters
    ----------
    nbest : NBestList
        With dense features.

    Returns
    -------
    float64 array of shape (n_features, 2)
        From -1 to 1, over the standard deviation of the feature within segments.
    """
    import numpy as np

    offsets = nbest.offsets.astype(np.intp)
    starts, lengths = offsets[:-1], np.diff(offsets)
    scales = np.ones(nbest.n_features)
    for j, column in enumerate(nbest.features.T):
        values = column.astype(np.float64)
        means = np.add.reduceat(values, starts) / lengths
        squares = np.add.reduceat((values - np.repeat(means, lengths)) ** 2, starts)
        variances = squares / lengths
        if nbest._counts is not None:
            variances = np.repeat(variances, nbest._counts)
        deviation = np.sqrt(variances.mean())
        if deviation > 0:
            scales[j] = 1 / deviation
    return np.outer(scales, [-1.0, 1.0])
