"""Rows of statistics with a metric, ids and columns that are kept."""

from rapidbleu.counts import check_count, check_type
from rapidbleu.rows.columns import ID, check_ids, check_kept, check_names, type_of
from rapidbleu.rows.kinds import Kind, signature_of, split_signature
from rapidbleu.rows.shards import check_shard
from rapidbleu.scoring import RowScoring, check_metric
from rapidbleu.stats import check_rows
from rapidbleu.table import Table, as_column
from rapidbleu.unchangeable import Unchangeable, read_only

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from rapidbleu.typing import IntArray, IntRows, Items


def check_labels(
    statistics: "Sequence[str]",
    texts: "Any",
    id: "Any",
    keep: "Any",
    shard: "Any",
    first: "Any",
    inputs: "Any",
) -> "dict[str, Any]":
    """Return what `LabelledRows` takes besides rows, checked before rows are made of texts.

    Examples
    --------
    >>> check_labels(["hyp_len"], ["a b"], ["s1", "s2"], None, None, None, ())
    Traceback (most recent call last):
    ...
    ValueError: id: expected 1 items, one for each segment, got 2
    """
    labels: dict[str, Any] = {
        "id": None if id is None else check_ids(id),
        "keep": check_kept(keep, statistics),
        "shard": check_shard(shard),
        "first": None if first is None else check_count("first", first, 0),
        "inputs": check_names(inputs, "inputs"),
    }
    if hasattr(texts, "__len__"):
        _check_lengths(labels["id"], labels["keep"], len(texts))
    return labels


def _check_lengths(ids: "Any", keep: "dict[str, Any]", n: int) -> None:
    columns = {f"keep[{name!r}]": column for name, column in keep.items()}
    if ids is not None:
        columns[ID] = ids
    for name, column in columns.items():
        if len(column) != n:
            raise ValueError(
                f"{name}: expected {n} items, one for each segment, got {len(column)}"
            )


class LabelledRows(Unchangeable):
    """What `StatsTable` knows of its rows; see there for the parameters."""

    _fixed = frozenset(
        ("metric", "signature", "rows", "statistics", "shard", "first", "inputs", "merged",
         "numbered")
    )  # fmt: skip
    _remedy = "a table cannot be changed; make a new one with StatsTable(metric, rows, signature)"

    def __init__(
        self,
        metric: RowScoring,
        rows: "IntRows",
        signature: str,
        *,
        id: "Items[Any] | None" = None,
        keep: "Mapping[str, Any] | None" = None,
        shard: "tuple[int, int] | None" = None,
        first: "int | None" = None,
        inputs: "Iterable[str]" = (),
        merged: "Iterable[tuple[int, int]]" = (),
    ) -> None:
        import numpy as np

        self.metric: Any = check_metric(metric, method="_stat_names")
        check_type("signature", signature, str)
        self._kind = Kind(metric)
        try:
            options = split_signature(signature)[1]
        except ValueError as error:
            raise ValueError(f"signature: {error}") from None
        if options != split_signature(signature_of(metric, 1))[1]:
            raise ValueError(f"signature: expected options of {self._kind.text}, got {signature}")
        self.signature = signature
        self.rows = read_only(check_rows(rows, metric._kernel, "rows"))
        self.statistics: tuple[str, ...] = tuple(self.metric._stat_names())
        self.shard = check_shard(shard)
        self.first = None if first is None else check_count("first", first, 0)
        self.inputs = check_names(inputs, "inputs")
        self.merged = tuple(filter(None, map(check_shard, merged)))
        self.numbered = id is None
        ids, kept = None if id is None else check_ids(id), check_kept(keep, self.statistics)
        begin, n = self.first or 0, len(self.rows)
        _check_lengths(ids, kept, n)
        numbers = as_column(np.arange(begin, begin + n), ID)
        self._labels = {ID: numbers if ids is None else ids, **kept}

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns: ``id``, those that are kept, and the statistics."""
        return (*self._labels, *self.statistics)

    def __getitem__(self, name: str) -> "Any":
        """Return a column: an int64 or float64 array, or a list of str and None."""
        if name in self._labels:
            return self._labels[name]
        if name not in self.statistics:
            raise KeyError(name)
        return self.rows[:, self.statistics.index(name)]

    @property
    def types(self) -> dict[str, str]:
        """What the columns hold, by name: ``int64``, ``float64`` or ``text``."""
        return {name: type_of(self[name]) for name in self.names}

    def __array__(self, dtype: "Any" = None, copy: "bool | None" = None) -> "Any":
        import numpy as np

        if dtype in (None, self.rows.dtype) and not copy:
            return self.rows
        if copy is False:
            raise ValueError(f"copy: expected int64 without a copy, got {np.dtype(dtype)}")
        return np.array(self.rows, dtype)

    def rows_for(self, metric: RowScoring, where: str = "stats") -> "IntArray":
        """Return the rows, if they are of a metric with the same options.

        Parameters
        ----------
        metric : metric
            The name of its scores, the options of its signature and references that are options
            must be the same; the number of references and the version of the library need not.
        where : str
            What the error calls the table.

        Raises
        ------
        ValueError
            If the metric is another.

        Examples
        --------
        >>> from rapidbleu import BLEU
        >>> table = BLEU().stats_table(["a b"], [["a b"]])
        >>> BLEU(lowercase=True).score(table)
        Traceback (most recent call last):
        ...
        ValueError: stats: expected BLEU|case:lc|eff:no|tok:13a|smooth:exp, \
got BLEU|case:mixed|eff:no|tok:13a|smooth:exp
        """
        check_metric(metric)
        if metric is not self.metric:
            if not hasattr(metric, "get_signature"):
                name = type(metric).__name__
                raise TypeError(f"{where}: expected an array of rows of {name}, got {self!r}")
            difference = Kind(metric).difference(self._kind)
            if difference:
                raise ValueError(f"{where}: {difference}")
        return self.rows

    def sum(self) -> "IntArray":
        """Return the sum of the rows; ValueError if a count is beyond 2**60.

        Returns
        -------
        int64 array of shape (n_stats,)
        """
        import numpy as np

        if not len(self):
            return np.zeros(len(self.statistics), np.int64)
        return np.array(self.metric._kernel.sum_rows(self.rows, "rows"), np.int64)

    # Other libraries

    @property
    def table(self) -> Table:
        """All columns as a `Table`, made when it is asked for."""
        return Table({name: self[name] for name in self.names})

    def to_pandas(self) -> "Any":
        """Return a pandas DataFrame of all columns."""
        return self.table.to_pandas()

    def to_polars(self) -> "Any":
        """Return a polars DataFrame of all columns."""
        return self.table.to_polars()

    def __arrow_c_stream__(self, requested_schema: "Any" = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)
