"""Systems so far from the others that they alone can make a correlation high."""

from rapidbleu.meta.figures.groups import with_systems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.meta.figures.groups import _SystemSource
    from rapidbleu.typing import Array, FloatArray


def outliers(human: "_SystemSource", cutoff: float = 2.5) -> "tuple[str, ...] | Array":
    """Find outlying systems, by the distance of their human score from the median.

    Parameters
    ----------
    human : as in `correlate`, scores of segments or of systems
    cutoff : float
        Distance from the median, in units of 1.483 times the median of all distances, from which
        a system is an outlier.

    Returns
    -------
    tuple of str, or int64 array
        The names of the outliers, or their numbers if systems have no names.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong.

    Notes
    -----
    If half of all systems have the same score, there is no scale, and nothing is an outlier.

    References
    ----------
    Mathur et al. 2020, Tangled up in BLEU, section 3.2.

    Examples
    --------
    >>> outliers({"A": 0.10, "B": 0.12, "C": 0.05, "D": 0.08, "E": -1.40})
    ('E',)
    """
    import numpy as np

    if isinstance(cutoff, bool | str) or not hasattr(cutoff, "__float__"):
        raise TypeError(f"cutoff: expected a number, got {type(cutoff).__name__}")
    if not cutoff > 0:
        raise ValueError(f"cutoff: expected a number above 0, got {cutoff}")
    scores = with_systems(human, "human")
    found = outlying(scores.means(), float(cutoff))
    if scores.systems is None:
        return np.array(found, np.int64)
    return tuple(scores.systems[i] for i in found)


def outlying(means: "FloatArray", cutoff: float = 2.5) -> list[int]:
    """Return the places of outliers among the systems' scores, of which nan are none."""
    import numpy as np

    there = ~np.isnan(means)
    if not there.any():
        return []
    distances = np.abs(means - np.median(means[there]))
    scale = 1.483 * np.median(distances[there])
    found: list[int] = np.flatnonzero(distances > cutoff * scale).tolist()
    return found if scale > 0 else []
