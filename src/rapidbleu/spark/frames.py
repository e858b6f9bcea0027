"""Columns of DataFrames by name, and which types they may have."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container
    from typing import Any

    from pyspark.sql import DataFrame

TEXT = frozenset(["string"])
TEXTS = "array<string>"
INTEGERS = frozenset(["tinyint", "smallint", "int", "bigint"])
IDS = TEXT | INTEGERS
ORDERED = IDS | {"boolean", "date"}  # of which each value is another one in Python, and ordered
SOME_ORDERED = "strings, integers, booleans or dates"


def check_frame(df: Any, where: str) -> None:
    """Refuse what is no DataFrame of Spark.

    Examples
    --------
    >>> check_frame([], "df")
    Traceback (most recent call last):
    ...
    TypeError: df: expected a Spark DataFrame, got list
    """
    if not hasattr(df, "mapInArrow"):
        raise TypeError(f"{where}: expected a Spark DataFrame, got {type(df).__name__}")


def quoted(name: str) -> str:
    """Return the name of a column as Spark wants it where dots lead into structures.

    Examples
    --------
    >>> quoted("a.b")
    '`a.b`'
    """
    return "`" + name.replace("`", "``") + "`"


def check_column(
    df: DataFrame, name: Any, where: str, types: Container[str] | None = None,
    expected: str = "",
) -> None:  # fmt: skip
    """Refuse a column that is not there, or does not fit.

    Parameters
    ----------
    df : DataFrame
    name : str
    where : str
        Names the argument in errors.
    types : container of str, optional
        Those that fit, as Spark writes them.
    expected : str
        How errors call these.
    """
    if not isinstance(name, str):
        raise TypeError(f"{where}: expected the name of a column, got {type(name).__name__}")
    if df.columns.count(name) != 1:
        there = ", ".join(map(repr, df.columns)) or "none"
        raise ValueError(f"{where}: expected one column {name!r}, there are {there}")
    kind = str(df.schema[name].dataType.simpleString())
    if types is not None and kind not in types:
        raise TypeError(f"{where}: expected a column of {expected}, got {name!r} of {kind}")


def check_other_names(names: list[str], where: str) -> None:
    """Refuse columns of one DataFrame whose names Spark takes for the same.

    Examples
    --------
    >>> check_other_names(["id", "lang", "Lang"], "keep")
    Traceback (most recent call last):
    ...
    ValueError: keep: expected names that differ in more than case, got 'lang' and 'Lang'
    """
    seen: dict[str, str] = {}
    for name in names:
        if name.lower() in seen:
            raise ValueError(
                f"{where}: expected names that differ in more than case, got "
                f"{seen[name.lower()]!r} and {name!r}"
            )
        seen[name.lower()] = name
