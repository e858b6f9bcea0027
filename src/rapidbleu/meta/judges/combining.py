"""Several judgments of the same as one: adequacy and fluency."""

from rapidbleu.counts import check_type
from rapidbleu.meta.judges.judgments import Judgments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.typing import FloatArray


def combine(adequacy: Judgments, fluency: Judgments) -> Judgments:
    """Return the mean of two scores that each judge gave to the same.

    Parameters
    ----------
    adequacy, fluency : Judgments
        Of the same systems and segments by the same judges, in any order. If a judge judged
        something more than once, the mean of these scores counts.

    Returns
    -------
    Judgments
        One for each judge, system and segment, in the order of `adequacy`; with its documents and
        kinds.

    Raises
    ------
    ValueError
        If something is judged on one side only.

    References
    ----------
    Lavie 2007, Evaluation of machine translation, slides 24 and 30.

    Examples
    --------
    >>> adequacy = Judgments(["A", "B"], [1, 1], ["Ann", "Ann"], [4, 2])
    >>> fluency = Judgments(["B", "A"], [1, 1], ["Ann", "Ann"], [3, 5])
    >>> combine(adequacy, fluency).scaled(1, 5).values
    array([0.875, 0.375])
    """
    import numpy as np

    check_type("adequacy", adequacy, Judgments)
    check_type("fluency", fluency, Judgments)
    left, right = _means(adequacy), _means(fluency)
    for where, own, other in (("fluency", right, left), ("adequacy", left, right)):
        for system, segment, judge in other:
            if (system, segment, judge) not in own:
                raise ValueError(
                    f"{where}: expected a score of system {system!r}, segment {segment!r}, "
                    f"by judge {judge!r}"
                )
    rows = np.array([row for row, _ in left.values()])
    means: FloatArray = np.array([(left[key][1] + right[key][1]) / 2 for key in left])
    return adequacy._like(means, rows)


def _means(judgments: Judgments) -> "dict[tuple[str, str, str], tuple[int, float]]":
    """Return the first row and the mean score, by system, segment and judge."""
    columns = (judgments.system, judgments.segment, judgments.judge)
    names = [[column.names[code] for code in column.codes.tolist()] for column in columns]
    found: dict[tuple[str, str, str], list[int]] = {}
    for row, key in enumerate(zip(*names, strict=True)):
        system, segment, judge = key
        found.setdefault((system, segment, judge), []).append(row)
    values = judgments.values
    return {key: (rows[0], float(values[rows].mean())) for key, rows in found.items()}
