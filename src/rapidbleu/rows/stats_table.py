"""Tables of segments: an id, columns that are kept, and a column for each statistic."""

from rapidbleu.rows.kinds import score_name
from rapidbleu.rows.merging import merge_parts
from rapidbleu.rows.reading import read_table
from rapidbleu.rows.resampling import ResampledRows
from rapidbleu.rows.writing import stats_writer
from rapidbleu.table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.typing import Items, Path


class StatsTable(ResampledRows):
    """The rows of statistics of segments, with their ids, and the metric whose rows they are.

    `Metric.stats_table` makes it. It never changes; any number of threads may use it.

    Parameters
    ----------
    metric : Metric
    rows : int array of shape (n, n_stats)
        An int64 array in C order is used in place and must not be changed.
    signature : str
        Of the metric, with the number of references.
    id : sequence of str or int, optional
        A different one for each row; by default the numbers of the rows.
    keep : mapping of str to sequence, optional
        More columns of int, float, or str, in which None is allowed.
    shard : (int, int), optional
        The number of this part of a corpus, from 1 on, and how many parts there are.
    first : int, optional
        The number of the first row in the corpus: default ids begin with it.
    inputs : sequence of str
        What the segments were read from.
    merged : sequence of (int, int)
        The shards that this table was merged from.

    Attributes
    ----------
    metric : Metric
    signature : str
    rows : int64 array of shape (n, n_stats)
        As `Metric.segment_stats` returns them, but read-only; ``numpy.asarray(table)`` is the same.
    statistics : tuple of str
        Names of the statistics.
    numbered : bool
        Whether ids are the numbers of the rows.
    shard, first, inputs, merged
        As given.

    Raises
    ------
    TypeError, ValueError
        If rows are not those of the metric, a column has not as many items, an id comes twice, or
        a name is not free.

    Notes
    -----
    pyarrow, polars, DuckDB and others read a table in place, as they do a `Table`. Each statistic
    is an int64 column of its own, so that any of them can add up rows, and `metric.score` scores
    the sum. Memory is 8 bytes a number; columns of statistics are copied when they are asked for.

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> bleu = BLEU(max_ngram_order=2)
    >>> hypotheses = ["The cat sat on a mat.", "Es regnete.", "He left."]
    >>> references = [["The cat sat on the mat.", "Es regnete.", "He had left."]]
    >>> table = bleu.stats_table(hypotheses, references, keep={"lang": ["en", "de", "en"]})
    >>> table.names
    ('id', 'lang', 'hyp_len', 'ref_len', 'correct_1', 'correct_2', 'total_1', 'total_2')
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

    def __repr__(self) -> str:
        part = f", shard {self.shard[0]} of {self.shard[1]}" if self.shard else ""
        name = score_name(self.metric)
        return f"<StatsTable of {len(self)} segments{part}, {name}|{self.signature}>"

    def score(self, by: "str | None" = None) -> "Any":
        """Score the corpus, or the parts of it that have the same value in a column.

        Parameters
        ----------
        by : str, optional
            ``id``, or a column that is kept.

        Returns
        -------
        Score, or dict of the values to Score
            What `metric.score` gives for the rows. Values are in the order in which they come
            first; that of segments without one is None. A dict, since a score is more than a
            number: it knows its parts, and how it is written.

        Raises
        ------
        ValueError
            If no column has that name, or a table without rows is to be scored as a whole.
        """
        if by is None:
            return self.metric.score(self.rows)
        if by not in self._labels:
            known = ", ".join(self._labels)
            raise ValueError(f"by: expected one of the columns {known}, got {by!r}")
        places: dict[Any, list[int]] = {}
        for i, value in enumerate(Table({by: self[by]}).to_dict()[by]):
            places.setdefault(value, []).append(i)
        return {value: self.metric.score(self.rows[own]) for value, own in places.items()}

    def scores(self) -> Table:
        """Score each segment as a corpus of its own.

        Returns
        -------
        Table
            ``id``, the columns that are kept, and one with the name of the score: what
            `Metric.segment_scores` gives, to the last bit.

        Raises
        ------
        ValueError
            If a column that is kept has the name of the score.
        """
        name = score_name(self.metric)
        if name in self._labels:
            raise ValueError(f"keep: expected no column with the name of the score, got {name!r}")
        self.metric._advise_segments()
        return Table({**self._labels, name: self.metric.score_rows(self.rows)})

    def save(self, path: "Path") -> None:
        """Write the table to a file, and beside it a manifest, ``<path>.json``.

        Parameters
        ----------
        path : path
            Its ending says the format: ``.npz`` (NumPy); ``.parquet``; ``.arrow``, ``.ipc`` or
            ``.feather`` (Arrow IPC). All but ``.npz`` need pyarrow or polars.

        Raises
        ------
        ValueError
            If the name ends otherwise, or a text is none that the format can hold.
        ImportError
            If neither pyarrow nor polars is installed.
        OSError
            If the disk is full, for instance; what was there before is still there.

        Notes
        -----
        Both files are written under temporary names first. The manifest, in JSON, has the metric,
        its signature, the version of the library, the sums of the statistics, and the size and
        SHA-256 of the data: `load` refuses files that do not fit it.

        Examples
        --------
        >>> import os, tempfile
        >>> from rapidbleu import CHRF
        >>> table = CHRF().stats_table(["the cat sat"], [["a cat sat"]], id=["s1"])
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
    def load(cls, path: "Path", metric: "Any" = None) -> "StatsTable":
        """Read a table that `save` wrote, and verify all that its manifest says.

        Parameters
        ----------
        path : path
            Of the data; the manifest is beside it.
        metric : Metric, optional
            Whose rows they are. It must be given if one of its options is a function, or references
            that weigh n-grams, which the manifest cannot hold; otherwise it is made again.

        Returns
        -------
        StatsTable

        Raises
        ------
        ValueError
            If there is no manifest, a file is damaged, the manifest says something else than the
            data, or the metric is another; the message says what was expected and what came.
        ImportError
            If neither pyarrow nor polars is installed, and the format is not ``.npz``.
        """
        return read_table(path, metric, cls)

    @classmethod
    def merge(cls, tables: "Items[StatsTable]") -> "StatsTable":
        """Return the rows of several tables behind each other.

        Parameters
        ----------
        tables : sequence of StatsTable
            Parts of one corpus, in any order if they are shards, else in that of the corpus.

        Returns
        -------
        StatsTable
            Ids that were given stay. Ids that are numbers of rows go on from one table to the next,
            so that those of the whole corpus come out.

        Raises
        ------
        TypeError, ValueError
            If metrics, versions of the library, numbers of references or columns differ; a shard
            is missing or there twice; a table does not begin with the row that its `first` says; an
            id comes twice; or rows do not add up, since the references of each call weigh n-grams.

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
        ValueError: tables: expected all 2 shards, got none for shard 1
        """
        return cls(**merge_parts(tables))
