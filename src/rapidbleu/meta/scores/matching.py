"""Scores of people and of metrics, brought to the same systems and segments."""

from rapidbleu.meta.scores.checks import equally_long, row_of, shape_of
from rapidbleu.meta.scores.table import SystemScores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rapidbleu.typing import Array, Items

    _ScoreSource = (
        SystemScores
        | Array
        | Items[Items[float | None] | Array]
        | Mapping[str, Items[float | None] | Array]
    )


def as_scores(source: "_ScoreSource", where: str) -> SystemScores:
    """Return scores as a `SystemScores`.

    Parameters
    ----------
    source : SystemScores, array of shape (n_systems, n_segments), or dict of str to scores
        Of a dict each value has a score for each segment; nan or None: missing.
    where : str
        Names the argument in errors.

    Raises
    ------
    TypeError, ValueError
        If it is neither, or rows have different lengths.

    Examples
    --------
    >>> as_scores({"A": [1, 2, 3], "B": [4, None, 6]}, "human")
    SystemScores(2 systems, 3 segments, 1 score missing)
    """
    if isinstance(source, SystemScores):
        return source
    try:
        if hasattr(source, "items") and hasattr(source, "keys"):
            named = dict(source.items())
            rows = [row_of(named[name], f"[{name!r}]") for name in named]
            return SystemScores(equally_long(rows, [f"[{name!r}]" for name in named]), named)
        return SystemScores(source)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        text = str(error).removeprefix("values: ")
        raise kind(f"{where}{text}" if text.startswith("[") else f"{where}: {text}") from None


def matched(
    human: "_ScoreSource", others: "dict[str, _ScoreSource]"
) -> "tuple[SystemScores, list[SystemScores]]":
    """Return scores of the same systems and segments, in the order of the human scores.

    Parameters
    ----------
    human : as in `as_scores`
    others : dict of str to scores as in `as_scores`
        The key names the argument in errors.

    Raises
    ------
    ValueError
        If the shapes differ, or systems or segments are named on one side only. Names decide
        if both sides have them, the order if not.
    """
    wanted = as_scores(human, "human")
    found = []
    for where, source in others.items():
        own = as_scores(source, where)
        if own.systems is not None and wanted.systems is not None:
            _same_names(wanted.systems, own.systems, where, "system")
            own = own.of(wanted.systems)
        if own.values.shape != wanted.values.shape:
            raise ValueError(
                f"{where}: expected {shape_of(wanted.values)}, as human has, "
                f"got {shape_of(own.values)}"
            )
        if own.segments is not None and wanted.segments is not None:
            _same_names(wanted.segments, own.segments, where, "segment")
            places = {name: j for j, name in enumerate(own.segments)}
            order = [places[name] for name in wanted.segments]
            own = SystemScores(own.values[:, order], own.systems, wanted.segments)
        found.append(own)
    return wanted, found


def _same_names(
    wanted: "tuple[str, ...]", got: "tuple[str, ...]", where: str, what: str
) -> None:
    known, own = set(wanted), set(got)
    for name in wanted:
        if name not in own:
            raise ValueError(f"{where}: expected scores of {what} {name!r}, which human has")
    for name in got:
        if name not in known:
            raise ValueError(f"{where}: got scores of {what} {name!r}, of which human has none")
