"""Tables of segment statistics with ids and other columns, and their files."""

from __future__ import annotations

import os
from itertools import islice

from rapidbleu._lib.checks import check_count, check_level, check_type, items_of
from rapidbleu._lib.frozen import Unchangeable, read_only
from rapidbleu._lib.loader import np
from rapidbleu.parallel import check_progress
from rapidbleu.rows.files import format_of, read_head, read_manifest, read_table, stats_writer
from rapidbleu.rows.kinds import (
    Kind,
    join_signatures,
    score_name,
    signature_of,
    split_signature,
)
from rapidbleu.rows.labels import (
    ID,
    INTEGER,
    REAL,
    check_ids,
    check_kept,
    check_names,
    join_columns,
    labels_of,
    type_of,
)
from rapidbleu.score import RowScoring, check_metric
from rapidbleu.significance.resamples import score_of_sums, sum_resamples
from rapidbleu.stats import check_rows
from rapidbleu.table import Table, as_column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from rapidbleu._types import IntArray, IntRows, Items, Path, Progress
    from rapidbleu.significance.result import ResampledScore

    _Shard = tuple[int, int]


SHOWN = 10  # maximum number of missing shards in a message


def check_labels(
    metric: Any, texts: Any, ids: Any, keep: Any, shard: Any, first: Any, inputs: Any
) -> tuple[tuple[str | None, tuple[str, ...]], dict[str, Any]]:
    """Return the labels of a scan, and arguments of `StatsTable`, checked before texts are read.

    >>> from rapidbleu import BLEU
    >>> check_labels(BLEU(), ["a b"], ["s1", "s2"], None, None, None, ())
    Traceback (most recent call last):
    ...
    ValueError: ids: expected 1 items, one for each segment; got 2
    """
    statistics = metric._stat_names()
    names = labels_of(texts, statistics)
    for where, values in ("ids", ids), ("keep", keep):
        if any(names) and values is not None:
            raise TypeError(
                f"{where}: expected None beside a scan with labels of its own; got "
                f"{type(values).__name__}"
            )
    labels: dict[str, Any] = {
        "ids": None if ids is None else check_ids(ids),
        "keep": check_kept(keep, statistics),
        "shard": check_shard(shard),
        "first": None if first is None else check_count("first", first, 0),
        "inputs": check_names(inputs, "inputs"),
    }
    if hasattr(texts, "__len__"):
        _check_lengths(labels["ids"], labels["keep"], len(texts))
    return names, labels


def _check_lengths(ids: Any, keep: dict[str, Any], n: int) -> None:
    columns = {f"keep[{name!r}]": column for name, column in keep.items()}
    if ids is not None:
        columns["ids"] = ids
    for name, column in columns.items():
        if len(column) != n:
            raise ValueError(f"{name}: expected {n} items, one for each segment; got {len(column)}")


class StatsTable(Unchangeable):
    """The statistics of segments, one row each, with ids and the metric.

    Immutable, so any number of threads may share it; created by `Metric.stats_table`.

    Parameters
    ----------
    metric : Metric
    rows : int array of shape (n, n_stats)
        Rows of statistics. An int64 array in C order is used in place and must not be changed.
    signature : str
        Signature of the metric, with the number of references.
    ids : sequence of str or int, optional
        A unique id for each row; by default the row index.
    keep : mapping of str to sequence, optional
        More columns of int, float or str, which may contain None.
    shard : (int, int), optional
        Number of this part of a corpus, from 1, and number of parts.
    first : int, optional
        Index of the first row in the corpus, where default ids start.
    inputs : sequence of str
        Names of the inputs.
    merged : sequence of (int, int)
        Shards that were merged into this table.

    Attributes
    ----------
    metric : Metric
    signature : str
    rows : int64 array of shape (n, n_stats)
        As returned by `Metric.segment_stats`, but read-only; same as ``numpy.asarray(table)``.
    statistics : tuple of str
        Names of the statistics.
    numbered : bool
        Whether ids are row indices.
    shard, first, inputs, merged
        As given.

    Raises
    ------
    TypeError, ValueError
        If rows do not fit the metric, the length of a column differs, or an id or name repeats.

    Notes
    -----
    Like a `Table`, it can be read by libraries such as pyarrow, polars and DuckDB. Each statistic
    is an int64 column, so any of them can sum rows, and `metric.score` scores the sum. Memory is 8
    bytes per number; columns of statistics are copied on each access.

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> bleu = BLEU(max_ngram_order=2)
    >>> hypotheses = ["The cat sat on a mat.", "Es regnete.", "He left."]
    >>> references = [["The cat sat on the mat.", "Es regnete.", "He had left."]]
    >>> table = bleu.stats_table(hypotheses, references, keep={"lang": ["en", "de", "en"]})
    >>> table.names
    ('id', 'lang', 'hyp_len', 'ref_len', 'matches_1', 'matches_2', 'total_1', 'total_2')
    >>> table.score()
    BLEU = 74.43 92.3/70.0 (BP = 0.926 ratio = 0.929 hyp_len = 13 ref_len = 14)
    >>> {lang: round(score.score, 2) for lang, score in table.score(by="lang").items()}
    {'en': 67.86, 'de': 100.0}
    >>> table.scores()
    id  lang    BLEU
     0  en     75.59
     1  de    100.00
     2  en     50.67
    """

    _remedy = "a table cannot be changed; make a new one with StatsTable(metric, rows, signature)"

    def __init__(
        self,
        metric: RowScoring,
        rows: IntRows,
        signature: str,
        *,
        ids: Items[Any] | None = None,
        keep: Mapping[str, Any] | None = None,
        shard: tuple[int, int] | None = None,
        first: int | None = None,
        inputs: Iterable[str] = (),
        merged: Iterable[tuple[int, int]] = (),
    ) -> None:
        self.metric: Any = check_metric(metric, method="_stat_names")
        check_type("signature", signature, str)
        self._kind = Kind(metric)
        try:
            options = split_signature(signature)[1]
        except ValueError as error:
            raise ValueError(f"signature: {error}") from None
        if options != split_signature(signature_of(metric, 1))[1]:
            raise ValueError(f"signature: expected options of {self._kind.text}; got {signature}")
        self.signature = signature
        self.rows = read_only(check_rows(rows, metric._kernel, "rows"))
        self.statistics: tuple[str, ...] = tuple(self.metric._stat_names())
        self.shard = check_shard(shard)
        self.first = None if first is None else check_count("first", first, 0)
        self.inputs = check_names(inputs, "inputs")
        self.merged = tuple(filter(None, map(check_shard, merged)))
        self.numbered = ids is None
        ids = None if ids is None else check_ids(ids)
        kept = check_kept(keep, self.statistics)
        begin = self.first or 0
        n = len(self.rows)
        _check_lengths(ids, kept, n)
        numbers = as_column(np.arange(begin, begin + n), ID)
        self._labels = {ID: numbers if ids is None else ids, **kept}

    def __repr__(self) -> str:
        part = f", shard {self.shard[0]} of {self.shard[1]}" if self.shard else ""
        name = score_name(self.metric)
        return f"<StatsTable of {len(self)} segments{part}, {name}|{self.signature}>"

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns: ``id``, the columns of `keep`, and the statistics."""
        return (*self._labels, *self.statistics)

    def __getitem__(self, name: str) -> Any:
        """Return a column: an int64 or float64 array, or a list of str and None."""
        if name in self._labels:
            return self._labels[name]
        if name not in self.statistics:
            raise KeyError(f"expected one of {', '.join(self.names)}; got {name!r}")
        return self.rows[:, self.statistics.index(name)]

    @property
    def _kept(self) -> list[str]:
        """Names of the columns of `keep`."""
        return list(self._labels)[1:]

    @property
    def types(self) -> dict[str, str]:
        """The type of each column, by name: ``int64``, ``float64`` or ``text``."""
        return {name: type_of(self[name]) for name in self.names}

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if dtype in (None, self.rows.dtype) and not copy:
            return self.rows
        if copy is False:
            raise ValueError(f"copy: expected int64 without a copy; got {np.dtype(dtype)}")
        return np.array(self.rows, dtype)

    def rows_for(self, metric: RowScoring, where: str = "stats") -> IntArray:
        """Return the rows, if `metric` has the options of the table's metric.

        Parameters
        ----------
        metric : metric
            Must have the same score name, signature options and reference options; the number of
            references and the version of the library may differ.
        where : str
            Name of the table in errors.

        Raises
        ------
        ValueError
            If the metric differs.

        Examples
        --------
        >>> from rapidbleu import BLEU
        >>> table = BLEU().stats_table(["a b"], [["a b"]])
        >>> BLEU(lowercase=True).score(table)
        Traceback (most recent call last):
        ...
        ValueError: stats: expected BLEU|case:lc|eff:no|tok:13a|smooth:exp; \
got BLEU|case:mixed|eff:no|tok:13a|smooth:exp
        """
        check_metric(metric)
        if metric is not self.metric:
            if not hasattr(metric, "get_signature"):
                name = type(metric).__name__
                raise TypeError(f"{where}: expected an array of rows of {name}; got {self!r}")
            difference = Kind(metric).difference(self._kind)
            if difference:
                raise ValueError(f"{where}: {difference}")
        return self.rows

    def sum(self) -> IntArray:
        """Return the sum of the rows, int64 of shape (n_stats,); ValueError if it exceeds 2**60."""
        if not len(self):
            return np.zeros(len(self.statistics), np.int64)
        return np.array(self.metric._kernel.sum_rows(self.rows, "rows"), np.int64)

    def score(self, by: str | None = None) -> Any:
        """Return the score of the corpus, or of each part with the same value in a column.

        Parameters
        ----------
        by : str, optional
            ``id`` or a column of `keep`.

        Returns
        -------
        Score, or dict of the values to Score
            Scores of `metric.score`. Values are in order of appearance, None if missing.

        Raises
        ------
        ValueError
            If no column has that name, or the table has no rows and `by` is None.
        """
        if by is None:
            return self.metric.score(self.rows)
        if by not in self._labels:
            known = ", ".join(self._labels)
            raise ValueError(f"by: expected one of the columns {known}; got {by!r}")
        indices: dict[Any, list[int]] = {}
        for i, value in enumerate(Table({by: self[by]}).to_dict()[by]):
            indices.setdefault(value, []).append(i)
        return {value: self.metric.score(self.rows[part]) for value, part in indices.items()}

    def scores(self) -> Table:
        """Score each segment as a corpus of its own.

        Returns
        -------
        Table
            ``id``, the columns of `keep`, and a column named like the score, equal to
            `Metric.segment_scores` to the last bit. ValueError if `keep` has this name.
        """
        name = score_name(self.metric)
        if name in self._labels:
            raise ValueError(f"keep: expected no column with the name of the score; got {name!r}")
        self.metric._advise_segments()
        return Table({**self._labels, name: self.metric.score_rows(self.rows)})

    def sum_resamples(
        self,
        n_resamples: int = 1000,
        *,
        seed: int = 12345,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> IntArray:
        """Sum the rows of each resample of the Poisson bootstrap.

        Parameters as in `poisson_bootstrap`, errors as in `rapidbleu.significance.sum_resamples`.

        Returns
        -------
        int64 array of shape (n_resamples, n_stats)
            Summing the results of all parts gives the result of the merged table.
        """
        return sum_resamples(
            self.rows, self["id"], n_resamples, seed, threads=threads, progress=progress
        )

    def poisson_bootstrap(
        self,
        n_resamples: int = 1000,
        *,
        seed: int = 12345,
        level: float = 0.95,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> ResampledScore:
        """Estimate an interval of the score by the Poisson bootstrap.

        Parameters
        ----------
        n_resamples : int
            Number of resamples.
        seed : int
            Seed from 0 to 2**64 - 1.
        level : float
            Share of the resampled scores within the interval.
        threads : int
            Number of threads; 0 uses all cores. The result does not depend on it.
        progress : callable, optional
            Called with the number of resamples done and the total.

        Returns
        -------
        ResampledScore
            For tables with the same ids, equal positions in the samples belong to the same
            resample, so their differences form a paired test.

        Raises
        ------
        TypeError, ValueError
            If an argument is invalid, or the table has no rows.

        Notes
        -----
        sacrebleu's bootstrap, as in ``corpus_score(n_bootstrap=...)`` and
        `rapidbleu.significance.bootstrap`, draws as many segments as there are. Here each segment
        is drawn a number of times from the Poisson distribution with mean 1, so the size of a
        resample varies. In return the result depends only on ids and seed: it is the same to the
        bit for shards merged in any order, and for sums of parts computed where the parts are
        (`sum_resamples`). The intervals of both bootstraps differ about as much as with two seeds.

        An empty resample scores as a segment without words, 0 for most metrics. With n segments
        that happens in one of e**n resamples, with 20 in one of 485 million.

        References
        ----------
        Hanley & MacGibbon 2006, Creating non-parametric bootstrap samples using Poisson
        frequencies.
        Chamandy, Muralidharan, Najmi & Naidu 2012, Estimating uncertainty for massive data streams.

        Examples
        --------
        >>> from rapidbleu import TER
        >>> hypotheses = ["The cat sat on a mat.", "It rained.", "He left."]
        >>> references = [["The cat sat on the mat.", "It rained.", "He had left."]]
        >>> table = TER().stats_table(hypotheses, references)
        >>> table.poisson_bootstrap()
        TER = 18.18 (μ = 16.58 ± 16.67)
        """
        check_level(level)
        score = self.metric.score(self.rows)
        sums = self.sum_resamples(n_resamples, seed=seed, threads=threads, progress=progress)
        return score_of_sums(self.metric, score, sums, level)

    def save(self, path: Path) -> None:
        """Write the table to a file, and a manifest, ``<path>.json``, next to it.

        Parameters
        ----------
        path : path
            The ending determines the format: ``.npz`` (NumPy); ``.parquet``; ``.arrow``, ``.ipc``
            or ``.feather`` (Arrow IPC). All but ``.npz`` need pyarrow.

        Raises
        ------
        ValueError
            If the ending is unknown, or the format cannot store a text.
        ImportError
            If pyarrow is needed and not installed.
        OSError
            If writing fails, for example on a full disk; existing files stay unchanged.

        Notes
        -----
        Both files are first written under temporary names. The manifest is JSON with the metric,
        signature, library version, sums of the statistics, and size and SHA-256 of the data; `load`
        refuses data that does not match.

        Examples
        --------
        >>> import os, tempfile
        >>> from rapidbleu import CHRF
        >>> table = CHRF().stats_table(["the cat sat"], [["a cat sat"]], ids=["s1"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "stats.npz")
        ...     table.save(path)
        ...     print(sorted(os.listdir(folder)))
        ...     print(StatsTable.load(path).scores())
        ['stats.npz', 'stats.npz.json']
        id  chrF2
        s1  67.23
        """
        with stats_writer(path) as writer:
            writer.write(self)

    @classmethod
    def load(cls, path: Path, metric: Any = None) -> StatsTable:
        """Read a table written by `save`, and verify it against its manifest.

        Parameters
        ----------
        path : path
            Path of the data; the manifest is next to it.
        metric : Metric, optional
            The metric of the rows. Required only if one of its options is a function, or references
            that weigh n-grams, which a manifest cannot store.

        Raises
        ------
        ValueError
            If there is no manifest, a file is damaged, the manifest does not match the data, or the
            metric differs; the message contains the expected and the actual value.
        ImportError
            If pyarrow is needed and not installed.
        """
        if metric is not None:
            check_metric(metric, method="get_signature")
        return read_table(path, read_manifest(path), metric, cls)

    @classmethod
    def merge(cls, tables: Items[StatsTable]) -> StatsTable:
        """Return a table of the rows of several tables in sequence.

        Parameters
        ----------
        tables : sequence of StatsTable
            Parts of one corpus: shards in any order, other tables in corpus order.

        Returns
        -------
        StatsTable
            Given ids are preserved; ids that are row indices continue from table to table.

        Raises
        ------
        TypeError, ValueError
            If metrics, library versions, numbers of references or columns differ; a shard is
            missing or repeated; `first` does not continue the previous table; an id is repeated; or
            rows do not add up because the references of each call weigh n-grams.

        Examples
        --------
        >>> from rapidbleu import TER
        >>> ter = TER()
        >>> parts = [
        ...     ter.stats_table(["it rained"], [["it rains"]], shard=(2, 2)),
        ...     ter.stats_table(["the cat sat"], [["a cat sat"]], shard=(1, 2)),
        ... ]
        >>> table = StatsTable.merge(parts)
        >>> table["id"], table["edits"]
        (array([0, 1]), array([1, 1]))
        >>> StatsTable.merge(parts[:1])
        Traceback (most recent call last):
        ...
        ValueError: tables: expected all 2 shards; got none for shard 1
        """
        parts: list[StatsTable] = items_of(tables, "tables", "StatsTable")
        for i, table in enumerate(parts):
            if not isinstance(table, StatsTable):
                raise TypeError(f"tables[{i}]: expected StatsTable; got {type(table).__name__}")
        if not parts:
            raise ValueError("tables: expected at least one; got none")
        names = [f"tables[{i}]" for i in range(len(parts))]
        order, about = plan_merge(parts, list(map(len, parts)), names, "tables")
        parts = [parts[i] for i in order]
        numbered = all(table.numbered for table in parts)
        return cls(
            parts[0].metric,
            np.concatenate([table.rows for table in parts]),
            join_signatures([table.signature for table in parts]),
            ids=None if numbered else join_columns(ID, [table[ID] for table in parts]),
            keep={
                name: join_columns(f"keep[{name!r}]", [table[name] for table in parts])
                for name in parts[0]._kept
            },
            **about,
        )

    @property
    def table(self) -> Table:
        """All columns as a `Table`, created on demand."""
        return Table({name: self[name] for name in self.names})

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame of all columns."""
        return self.table.to_pandas()

    def to_polars(self) -> Any:
        """Return a polars DataFrame of all columns."""
        return self.table.to_polars()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def plan_merge(
    tables: Sequence[StatsTable], lengths: Sequence[int], names: Sequence[str], whole: str
) -> tuple[list[int], dict[str, Any]]:
    """Return the order of parts with rows, and what arguments of `StatsTable` say of the whole.

    Parts with rows know the types of columns and the number of references. Without any, the first
    part represents all. Uses `lengths` in place of the rows of `tables`. Errors name parts by
    `names`, and all of them by `whole`. ValueError if they are not parts of one corpus.
    """
    known = tables[next((i for i, n in enumerate(lengths) if n), 0)]
    for table, name in zip(tables, names, strict=True):
        if table is not known:
            _check_alike(known, table, name)
    order = order_of_shards([table.shard for table in tables], names, whole)
    first = first_row([(tables[i].first, lengths[i]) for i in order], [names[i] for i in order])
    shards: list[_Shard] = []
    for i in order:
        shards += tables[i].merged or filter(None, [tables[i].shard])
    inputs = dict.fromkeys(name for i in order for name in tables[i].inputs)
    with_rows = [i for i in order if lengths[i]]
    return with_rows or order[:1], {"first": first, "inputs": list(inputs), "merged": shards}


def _check_alike(known: StatsTable, table: StatsTable, where: str) -> None:
    """Refuse a table, `where` in errors, whose rows cannot be added to another table's."""
    known.metric._check_that_rows_add_up(where)
    difference = known._kind.difference(table._kind)
    if difference:
        raise ValueError(f"{where}: {difference}")
    join_signatures([known.signature, table.signature], where)
    if known.names != table.names:
        raise ValueError(
            f"{where}: expected columns {', '.join(known.names)}; got {', '.join(table.names)}"
        )


def first_row(parts: Sequence[tuple[int | None, int]], where: Sequence[str]) -> int | None:
    """Return the index of the first row; refuse tables that are not consecutive.

    `parts` contains, for each table, the index of the first row, if known, and the number of rows.

    >>> first_row([(4, 3), (None, 2), (9, 1)], ["a", "b", "c"])
    4
    """
    begin = position = parts[0][0] or 0
    for (first, n), name in zip(parts, where, strict=True):
        if first not in (None, position):
            raise ValueError(
                f"{name}: expected row {position} of the corpus first; got row {first}"
            )
        position += n
    return None if all(first is None for first, _ in parts) else begin


def check_shard(shard: Any) -> _Shard | None:
    """Return the number of a shard, from 1, and the number of shards; None for a whole corpus.

    >>> check_shard((3, 4))
    (3, 4)
    >>> check_shard((5, 4))
    Traceback (most recent call last):
    ...
    ValueError: shard[0]: expected at most 4; got 5
    """
    if shard is None:
        return None
    if not isinstance(shard, tuple | list) or len(shard) != 2:
        raise TypeError(f"shard: expected its number and how many there are; got {shard!r}")
    of = check_count("shard[1]", shard[1], 1)
    return check_count("shard[0]", shard[0], 1, of), of


def order_of_shards(
    shards: Sequence[_Shard | None], names: Sequence[str], whole: str = "tables"
) -> list[int]:
    """Return the indices of the shards in order; refuse missing and repeated shards.

    None stands for a table that is not a shard. Errors name each by `names`, and all by `whole`.

    >>> order_of_shards([(2, 2), (1, 2)], "ab"), order_of_shards([None, None], "ab")
    ([1, 0], [0, 1])
    >>> order_of_shards([(2, 3), (1, 3)], "ab")
    Traceback (most recent call last):
    ...
    ValueError: tables: expected all 3 shards; got none for shard 3
    """
    if all(shard is None for shard in shards):
        return list(range(len(shards)))
    places: dict[int, int] = {}
    most = 0
    for i, shard in enumerate(shards):
        if shard is None:
            raise ValueError(f"{names[i]}: expected a shard, as others are; got a whole table")
        number, of = shard
        most = most or of
        if of != most:
            raise ValueError(f"{names[i]}: expected a shard of {most}; got one of {of}")
        if number in places:
            raise ValueError(
                f"{names[i]}: expected another shard than {names[places[number]]}; "
                f"got shard {number} again"
            )
        places[number] = i
    n_missing = most - len(places)
    if n_missing:
        missing = islice((number for number in range(1, most + 1) if number not in places), SHOWN)
        listed = ", ".join(map(str, missing)) + ", ..." * (n_missing > SHOWN)
        what = "shard" if n_missing == 1 else "shards"
        raise ValueError(f"{whole}: expected all {most} shards; got none for {what} {listed}")
    return [places[number] for number in range(1, most + 1)]


def join_files(paths: Sequence[Path], output: Path, progress: Progress | None = None) -> int:
    """Write the rows of several files to one, as `StatsTable.merge` and `save` do; count the rows.

    One file at a time is in memory. Shards may be in any order. All manifests are verified before
    anything is written, and the data of each part before its rows. Given ids stay in memory,
    because none may be repeated. `progress` receives rows done and the total; errors name the part.

    >>> import os, tempfile
    >>> from rapidbleu import CHRF
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [os.path.join(folder, f"{i}-of-2.npz") for i in (1, 2)]
    ...     for i, path in enumerate(paths, 1):
    ...         CHRF().stats_table(["the cat"], [["a cat"]], shard=(i, 2), first=i - 1).save(path)
    ...     join_files(reversed(paths), os.path.join(folder, "all.npz"))
    ...     StatsTable.load(os.path.join(folder, "all.npz"))["id"]
    2
    array([0, 1])
    """
    check_progress(progress)
    paths = list(paths)
    if not paths:
        raise ValueError("parts: expected at least one; got none")
    format_of(os.fsdecode(output))
    _check_files(paths, output)
    read = [read_head(path, StatsTable) for path in paths]
    manifests, heads = zip(*read, strict=True)
    lengths = [entries["rows"] for entries in manifests]
    names = [os.fsdecode(path) for path in paths]
    order, about = plan_merge(heads, lengths, names, "parts")
    first = about.pop("first")
    kinds = _joined_types([heads[i] for i in order])
    numbered = all(heads[i].numbered for i in order)
    ids: set[Any] = set()
    with stats_writer(output) as writer:
        for i in order:
            table = read_table(names[i], manifests[i], None, StatsTable)
            if not numbered:
                _check_ids(names[i], table, ids)
            part = StatsTable(
                heads[order[0]].metric,
                table.rows,
                table.signature,
                ids=None if numbered else table[ID],
                keep={column: _as_type(table[column], kind) for column, kind in kinds.items()},
                first=(first or 0) + writer.n_rows if writer.n_rows else first,
                **about,
            )
            writer.write(part)
            if progress is not None:
                progress(writer.n_rows, sum(lengths))
    return writer.n_rows


def _check_files(paths: Sequence[Path], output: Path) -> None:
    """Refuse a part that is repeated or is the output."""
    for i, path in enumerate(paths):
        name = os.fsdecode(path)
        if os.path.exists(output) and os.path.samefile(path, output):
            raise ValueError(f"{os.fsdecode(output)}: expected another file than the part {name}")
        for earlier in paths[:i]:
            if os.path.samefile(path, earlier):
                raise ValueError(f"{name}: expected each part once; got it again")


def _joined_types(heads: Sequence[StatsTable]) -> dict[str, str]:
    """Return the types of kept columns; integers become floats if they are floats in any part."""
    return {
        name: REAL
        if {type_of(head[name]) for head in heads} == {INTEGER, REAL}
        else type_of(heads[0][name])
        for name in heads[0]._kept
    }


def _as_type(column: Any, kind: str) -> Any:
    return column.astype(kind) if type_of(column) == INTEGER and kind == REAL else column


def _check_ids(name: str, table: StatsTable, ids: set[Any]) -> None:
    """Refuse ids of previous parts; add the remaining ones to them."""
    column = table[ID]
    values = column if isinstance(column, list) else column.tolist()
    for i, item in enumerate(values):
        if item in ids:
            raise ValueError(f"{name}, row {i}: expected an id of its own; got {item!r} again")
    ids.update(values)
