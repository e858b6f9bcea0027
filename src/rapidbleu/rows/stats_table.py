"""Tables of segment statistics with ids and other columns, and their files."""

from __future__ import annotations

import os

from rapidbleu._lib.checks import check_count, check_level, check_type
from rapidbleu._lib.frozen import Unchangeable, read_only
from rapidbleu._lib.lazy import np
from rapidbleu.parallel import check_progress
from rapidbleu.rows.files import format_of, read_head, read_manifest, read_table, stats_writer
from rapidbleu.rows.kinds import Kind, score_name, signature_of, split_signature
from rapidbleu.rows.labels import ID, INTEGER, REAL, check_ids, check_kept, check_names, type_of
from rapidbleu.rows.merging import check_shard, merge_tables, plan_merge, those_with_rows
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


def check_labels(
    statistics: Sequence[str], texts: Any, ids: Any, keep: Any, shard: Any, first: Any, inputs: Any
) -> dict[str, Any]:
    """Return arguments of `StatsTable`, checked before texts are read.

    >>> check_labels(["hyp_len"], ["a b"], ["s1", "s2"], None, None, None, ())
    Traceback (most recent call last):
    ...
    ValueError: ids: expected 1 items, one for each segment; got 2
    """
    labels: dict[str, Any] = {
        "ids": None if ids is None else check_ids(ids),
        "keep": check_kept(keep, statistics),
        "shard": check_shard(shard),
        "first": None if first is None else check_count("first", first, 0),
        "inputs": check_names(inputs, "inputs"),
    }
    if hasattr(texts, "__len__"):
        _check_lengths(labels["ids"], labels["keep"], len(texts))
    return labels


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
        ids, kept = None if ids is None else check_ids(ids), check_kept(keep, self.statistics)
        begin, n = self.first or 0, len(self.rows)
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
        return cls(**merge_tables(tables, StatsTable))

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
    given = list(paths)
    if not given:
        raise ValueError("parts: expected at least one; got none")
    format_of(os.fsdecode(output))
    _check_files(given, output)
    read = [read_head(path, StatsTable) for path in given]
    manifests, heads = zip(*read, strict=True)
    lengths = [entries["rows"] for entries in manifests]
    names = [os.fsdecode(path) for path in given]
    order, about = plan_merge(heads, lengths, names, "parts")
    first = about.pop("first")
    with_rows = those_with_rows([heads[i] for i in order], [lengths[i] for i in order])
    kinds = _joined_types(with_rows)
    numbered = all(head.numbered for head in with_rows)
    ids: set[Any] = set()
    with stats_writer(output) as writer:
        for i in order:
            if not lengths[i] and heads[i] is not with_rows[0]:
                continue
            table = read_table(names[i], manifests[i], None, StatsTable)
            if not numbered:
                _check_ids(names[i], table, ids)
            part = StatsTable(
                with_rows[0].metric,
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
        for other in paths[:i]:
            if os.path.samefile(path, other):
                raise ValueError(f"{name}: expected each part once; got it again")


def _joined_types(heads: Sequence[StatsTable]) -> dict[str, str]:
    """Return the types of kept columns; integers become floats if they are floats in any part."""
    head = heads[0]
    return {
        name: REAL if {part.types[name] for part in heads} == {INTEGER, REAL} else kind
        for name, kind in head.types.items()
        if name != ID and name not in head.statistics
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
