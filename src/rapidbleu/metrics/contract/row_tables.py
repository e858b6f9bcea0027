"""The statistics of segments in tables: in memory, in a file, batch after batch for an engine."""

from rapidbleu.loading.loader import load
from rapidbleu.parallel import check_threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from rapidbleu.rows.stats_table import StatsTable
    from rapidbleu.streams.rows import Rows
    from rapidbleu.typing import (
        Hypotheses,
        IntArray,
        Items,
        Layout,
        Path,
        Progress,
        ReferenceStreams,
        Tables,
    )


class RowTableScoring:
    """What a metric of text does with tables of rows."""

    _rows_add_up = True  # those of one call to those of another

    if TYPE_CHECKING:  # supplied by the metric
        _stat_names: Callable[[], list[str]]
        _stat_parts: Callable[..., Iterator[tuple[IntArray, int, list[Rows]]]]

    def stats_table(
        self,
        hypotheses: "Hypotheses",
        references: "ReferenceStreams | None" = None,
        *,
        id: "Items[Any] | None" = None,
        keep: "Mapping[str, Any] | None" = None,
        shard: "tuple[int, int] | None" = None,
        first: "int | None" = None,
        inputs: "Iterable[str]" = (),
        layout: "Layout" = "stream",
        threads: int = 1,
        progress: "Progress | None" = None,
    ) -> "StatsTable":
        """Return the sufficient statistics of segments as a table, with ids and other columns.

        Parameters
        ----------
        hypotheses, references, layout, threads, progress
            As in `corpus_score`.
        id : sequence of str or int, optional
            A different one for each segment; by default those of a scan, or else the numbers of the
            segments.
        keep : mapping of str to sequence, optional
            More columns by name, of int, float or str, such as languages or domains; by default
            those that a scan keeps.
        shard : (int, int), optional
            If the segments are a part of a corpus, its number from 1 on, and how many parts there
            are: `StatsTable.merge` refuses to go without one.
        first : int, optional
            The number of the first segment in the corpus, 0 by default: default ids begin with it.
        inputs : sequence of str
            Names of what the segments were read from, for the manifest of a file.

        Returns
        -------
        StatsTable
            The rows of `segment_stats`, with a name for each column.

        Raises
        ------
        TypeError, ValueError
            As `corpus_score`; and if a column has not as many items as there are segments, an id
            comes twice, or a name is that of another column.

        Examples
        --------
        >>> from rapidbleu import TER
        >>> hypotheses, references = ["it rains", "the cat sat"], [["it rained", "a cat sat"]]
        >>> table = TER().stats_table(hypotheses, references, keep={"domain": ["weather", "pets"]})
        >>> table.score(by="domain")
        {'weather': TER = 50.00, 'pets': TER = 33.33}
        >>> table.save("stats.parquet")  # doctest: +SKIP
        """
        import numpy as np

        load("rapidbleu.rows.labels")
        load("rapidbleu.rows.stats_table")
        from rapidbleu.rows.kinds import signature_of
        from rapidbleu.rows.labels import check_alone, join_labels, labels_of, read_labels
        from rapidbleu.rows.stats_table import StatsTable, check_labels

        metric: Any = self
        statistics = self._stat_names()
        names = labels_of(hypotheses, statistics)
        check_alone(names, id, keep)
        about = check_labels(statistics, hypotheses, id, keep, shard, first, inputs)
        blocks, labels = [], []
        for rows, _, tables in self._stat_parts(hypotheses, references, layout, threads, progress):
            blocks.append(rows)
            if any(names):
                labels.append(read_labels(tables, *names))
        if labels:
            about |= join_labels(labels)
        rows = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
        return StatsTable(metric, rows, signature_of(metric, metric.num_refs), **about)

    def save_stats(
        self,
        path: "Path",
        hypotheses: "Hypotheses",
        references: "ReferenceStreams | None" = None,
        *,
        shard: "tuple[int, int] | None" = None,
        first: "int | None" = None,
        inputs: "Iterable[str]" = (),
        layout: "Layout" = "stream",
        threads: int = 1,
        progress: "Progress | None" = None,
    ) -> int:
        """Write the sufficient statistics of segments to a file, and beside it a manifest.

        Parameters
        ----------
        path : path
            As in `StatsTable.save`.
        hypotheses, references, layout, threads, progress
            As in `corpus_score`; a scan also says which columns are ids, and which are kept.
        shard, first, inputs
            As in `stats_table`.

        Returns
        -------
        int
            The number of rows.

        Raises
        ------
        TypeError, ValueError, OSError
            As `stats_table` and `StatsTable.save`. Nothing is left of a file that is not complete,
            and a file that was there before stays. That no id comes twice is checked by
            `StatsTable.load`.

        Notes
        -----
        The file is what ``stats_table(...).save(path)`` writes, but for the sizes of batches, and
        for integers that are kept and first missing in a later batch: Parquet and Arrow files have
        integers and nulls there. Loaded, both are floats with nan. What
        is read as it is needed takes the memory of a few batches, however long it is; polars, which
        writes Parquet and Arrow files if pyarrow is not there, holds all rows.

        Examples
        --------
        >>> from pathlib import Path
        >>> from rapidbleu import CHRF, scan
        >>> CHRF().save_stats("stats.parquet", Path("hyp.txt"), [Path("ref.txt")])  # doctest: +SKIP
        3004
        >>> table = scan("test.parquet", id="segment", keep="domain")
        >>> CHRF().save_stats("stats.npz", table)  # doctest: +SKIP
        3004
        """
        load("rapidbleu.rows.labels")
        load("rapidbleu.rows.stats_table")
        from rapidbleu.rows.files import stats_writer
        from rapidbleu.rows.kinds import signature_of
        from rapidbleu.rows.labels import labels_of, naming_rows, read_labels
        from rapidbleu.rows.stats_table import StatsTable, check_labels

        metric: Any = self
        statistics = self._stat_names()
        names = labels_of(hypotheses, statistics)
        about = check_labels(statistics, hypotheses, None, None, shard, first, inputs)
        one: int | None = None  # the number of references in the first part
        with stats_writer(path) as writer:
            for rows, num_refs, tables in self._stat_parts(
                hypotheses, references, layout, threads, progress
            ):
                if any(names):
                    about |= read_labels(tables, *names)
                number = num_refs if one in (None, num_refs) else -1
                one = num_refs if one is None else one
                with naming_rows(tables):
                    writer.write(StatsTable(metric, rows, signature_of(metric, number), **about))
                about["first"] = (first or 0) + writer.n_rows
            return writer.n_rows

    def map_stats(
        self,
        batches: "Tables",
        hyp: str = "hyp",
        refs: "str | Items[str]" = "ref",
        id: "str | None" = None,
        keep: "str | Items[str]" = (),
        *,
        threads: int = 1,
    ) -> "Iterator[Any]":
        """Turn batches of segments into batches of statistics, as distributed engines ask for it.

        Parameters
        ----------
        batches : iterator of pyarrow.RecordBatch
            Or anything else that `scan` takes.
        hyp, refs, id, keep
            Names of columns, as in `scan`. Columns that are kept may be of any Arrow type.
        threads : int
            As in `corpus_score`.

        Yields
        ------
        pyarrow.RecordBatch
            For each batch with rows one with as many: ``id``, if there is one, the columns that are
            kept, and an int64 column for each statistic, as `StatsTable` has them.

        Raises
        ------
        TypeError, ValueError
            If names of columns clash; where it is read, as `scan`.
        ImportError
            If pyarrow is not installed.

        Notes
        -----
        Nothing is kept from one batch to the next, so that any engine can run it on any part of a
        table, and again. The bound method can be pickled.

        Metrics whose scores depend on all references (`NIST` and `CIDErD` without `information`)
        are refused, since their rows in different parts would not add up.

        Examples
        --------
        >>> from rapidbleu import TER
        >>> batches = iter([{"hyp": ["it rains"], "ref": ["it rained"], "lang": ["en"]}])
        >>> for batch in TER().map_stats(batches, keep="lang"):  # doctest: +SKIP
        ...     print(batch.to_pylist())
        [{'lang': 'en', 'edits': 1, 'ref_length': 2, ...}]
        """
        from importlib import import_module

        load("rapidbleu.rows.labels")
        load("rapidbleu.streams.scan")
        from rapidbleu.rows.labels import labels_of
        from rapidbleu.streams.scan import scan

        pyarrow = import_module("pyarrow")
        table = scan(batches, hyp, refs, id, keep)
        table.least = 0
        names = labels_of(table, self._stat_names())
        n_threads = check_threads(threads)
        self._check_that_rows_add_up()
        return self._mapped(pyarrow, table, names, n_threads)

    def _check_that_rows_add_up(self, where: str = "metric") -> None:
        """Refuse a metric whose rows of one call are not of the kind of those of another."""
        if not self._rows_add_up:
            from rapidbleu.rows.kinds import Kind

            raise ValueError(
                f"{where}: expected rows that add up, got some of {Kind(self).text}: the "
                f"references of each call weigh its n-grams, unless the metric has information"
            )

    def _mapped(
        self, pyarrow: "Any", table: "Any", names: "tuple[str | None, tuple[str, ...]]",
        threads: int,
    ) -> "Iterator[Any]":  # fmt: skip
        """Yield batches of statistics."""
        from rapidbleu.rows.labels import named_arrays

        statistics = self._stat_names()
        for rows, _, tables in self._stat_parts(table, None, "stream", threads, None):
            columns = named_arrays(pyarrow, tables, *names)
            columns |= {name: pyarrow.array(rows[:, j]) for j, name in enumerate(statistics)}
            yield pyarrow.RecordBatch.from_pydict(columns)
