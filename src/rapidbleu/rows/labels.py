"""Ids and columns that are kept, out of the tables that segments are read from."""

from contextlib import contextmanager
from importlib import import_module

from rapidbleu.rows.columns import ID, check_ids, check_name, join_columns
from rapidbleu.streams.feeds import is_arrow
from rapidbleu.table import as_column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from rapidbleu._core.output.batches import BatchColumn
    from rapidbleu.streams.rows import Rows


def labels_of(source: "Any", statistics: "Sequence[str]") -> "tuple[str | None, tuple[str, ...]]":
    """Return the columns of ids and those to keep, of a scan; nothing of what is none.

    Examples
    --------
    >>> from rapidbleu import scan
    >>> labels_of(scan([], id="seg", keep="lang"), ["edits"])
    ('seg', ('lang',))
    >>> labels_of(scan([], keep="edits"), ["edits"])
    Traceback (most recent call last):
    ...
    ValueError: keep: expected other names than id and the statistics, got 'edits'
    """
    keep: tuple[str, ...] = getattr(source, "keep", ())
    for i, name in enumerate(keep):
        check_name(name, statistics)
        if name in keep[:i]:
            raise ValueError(f"keep: expected each name once, got {name!r} again")
    return getattr(source, "id", None), keep


def check_alone(
    names: "tuple[str | None, tuple[str, ...]]", id: "Any", keep: "Any"
) -> None:
    """Refuse ids and columns beside a scan that has them."""
    for what, given in ("id", id), ("keep", keep):
        if any(names) and given is not None:
            raise TypeError(
                f"{what}: expected None beside a scan with labels of its own, got "
                f"{type(given).__name__}"
            )


def read_labels(tables: "list[Rows]", id: "str | None", keep: "Sequence[str]") -> "dict[str, Any]":
    """Return what `StatsTable` takes as `id` and `keep`, of tables that follow each other."""
    ids = [] if id is None else [_column(rows, id, check_ids) for rows in tables]
    return {
        "id": None if id is None else _joined(id, ids),
        "keep": {name: _joined(name, [_column(rows, name) for rows in tables]) for name in keep},
    }


@contextmanager
def naming_rows(tables: "list[Rows]") -> "Iterator[None]":
    """Let errors say in which rows of a scan they are."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if not tables:
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"from {tables[0].place(0)} on: {error}") from None


def join_labels(parts: "list[dict[str, Any]]") -> "dict[str, Any]":
    """Return the same for what `read_labels` gave of the parts of a table."""
    ids, keeps = [part["id"] for part in parts], [part["keep"] for part in parts]
    return {
        "id": None if ids[0] is None else _joined(ID, ids),
        "keep": {name: _joined(name, [keep[name] for keep in keeps]) for name in keeps[0]},
    }


def _joined(name: str, parts: "list[Any]") -> "Any":
    return parts[0] if len(parts) == 1 else join_columns(name, parts)


def _column(rows: "Rows", name: str, check: "Callable[..., Any]" = as_column) -> "Any":
    """Return a column of numbers or texts."""
    where = rows.where(name)
    try:
        return check(_values(rows, name), where, lambda i: rows.place(i, name))
    except ImportError as error:
        raise ImportError(f"{where}: {error}") from None


def _values(rows: "Rows", name: str) -> "Any":
    """Return a column as an array or a list."""
    from rapidbleu._core.input.arrow import TextColumn

    column = rows.columns[name]
    if isinstance(column, TextColumn):
        return column.to_list()
    if not is_arrow(column) or not len(rows):
        return column if not is_arrow(column) else []
    try:
        pyarrow = import_module("pyarrow")
    except ImportError:
        return _by_polars(rows, name)
    array = _arrow_array(pyarrow, rows, name)
    if pyarrow.types.is_signed_integer(array.type) or pyarrow.types.is_floating(array.type):
        return array.to_numpy(zero_copy_only=False)  # floats, nan for null, if there are nulls
    try:
        return array.to_pylist()
    except UnicodeDecodeError as error:  # the name of a field
        raise ValueError(f"{rows.where(name)}: {error}") from None


def _by_polars(rows: "Rows", name: str) -> "Any":
    """Return an Arrow column as an array or a list."""
    try:
        polars = import_module("polars")
    except ImportError:
        raise ImportError(
            'ids and columns that are kept need pip install "rapidbleu[parquet]"'
        ) from None
    series = polars.concat(list(map(polars.Series, _checked(rows, name))))
    if series.dtype.is_signed_integer() or series.dtype.is_float():
        return series.to_numpy()
    return series.to_list()


def _arrow_array(pyarrow: "Any", rows: "Rows", name: str) -> "Any":
    """Return a column as an array of pyarrow, which shares its memory if it is Arrow data.

    Errors of pyarrow have no place: they name the table.
    """
    try:
        if not is_arrow(rows.columns[name]):
            return pyarrow.array(rows.columns[name])
        arrays = []
        for column in _checked(rows, name):
            arrays.append(pyarrow.array(column))
            if column.opaque:
                arrays[-1].validate(full=True)
        return arrays[0] if len(arrays) == 1 else pyarrow.concat_arrays(arrays)
    except pyarrow.ArrowException as error:
        kind = type(error) if isinstance(error, TypeError | ValueError) else ValueError
        raise kind(f"{rows.place(0, name)}, or later: {error}") from None


def _checked(rows: "Rows", name: str) -> "list[BatchColumn]":
    """Return the arrays of an Arrow column, whose contents were checked."""
    from rapidbleu._core.output.batches import checked_columns

    return checked_columns(rows.columns[name], rows.where(name), lambda i: rows.place(i, name))


def named_arrays(
    pyarrow: "Any", tables: "list[Rows]", id: "str | None", keep: "Sequence[str]"
) -> "dict[str, Any]":
    """Return ids and columns that are kept as arrays of pyarrow, by the names that they get."""
    names = {name: name for name in keep}
    if id is not None:
        names = {ID: id, **names}
    return {
        own: pyarrow.concat_arrays([_arrow_array(pyarrow, rows, name) for rows in tables])
        for own, name in names.items()
    }
