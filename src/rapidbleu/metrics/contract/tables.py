"""Segments in tables: the scores of several systems side by side, the statistics of one."""

from rapidbleu.sequences import items_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from rapidbleu.references import References
    from rapidbleu.rows.stats_table import StatsTable
    from rapidbleu.table import Table
    from rapidbleu.typing import (
        FloatArray,
        Hypotheses,
        IntArray,
        Items,
        Layout,
        Progress,
        ReferenceStreams,
    )

SEGMENT = "segment"


class TableScoring:
    """What a metric of text says of segments, in tables."""

    _rows_add_up = True  # those of one call to those of another

    if TYPE_CHECKING:  # supplied by the metric
        prepare: Callable[..., References]
        segment_scores: Callable[..., FloatArray]
        segment_stats: Callable[..., IntArray]
        _stat_names: Callable[[], list[str]]

    def segment_table(
        self,
        systems: "Mapping[str, Hypotheses]",
        references: "ReferenceStreams | None" = None,
        *,
        ids: "Items[Any] | None" = None,
        layout: "Layout" = "stream",
        threads: "int | None" = None,
    ) -> "Table":
        """Score the segments of several systems, side by side.

        Parameters
        ----------
        systems : mapping of str to hypotheses
            As `corpus_score` takes them, by the name of the system.
        references, layout, threads
            As in `corpus_score`.
        ids : sequence of str or int, optional
            Of the segments; by default their numbers from 0 on.

        Returns
        -------
        Table
            ``segment``, and a column for each system with what `segment_scores` gives.

        Raises
        ------
        TypeError, ValueError
            If there is no system, one is called ``segment``, or numbers of segments differ.

        Examples
        --------
        >>> from rapidbleu import CHRF
        >>> systems = {"A": ["the cat sat", "it rains"], "B": ["a cat sat", "it rained"]}
        >>> CHRF().segment_table(systems, [["the cat sat", "it rained"]], ids=["s1", "s2"])
        segment       A       B
        s1       100.00   53.61
        s2        61.77  100.00
        """
        from rapidbleu.table import Table

        if not hasattr(systems, "items"):
            raise TypeError(
                f"systems: expected a mapping of names to hypotheses, got {type(systems).__name__}"
            )
        named = dict(systems.items())
        if not named or SEGMENT in named:
            got = f"one called {SEGMENT!r}" if named else "none"
            raise ValueError(f"systems: expected at least one, with a name of its own, got {got}")
        if references is not None and not hasattr(references, "prepared_by"):
            references = self.prepare(references, layout=layout)
        columns: dict[str, Any] = {SEGMENT: None}
        for name, hypotheses in named.items():
            try:
                columns[name] = self.segment_scores(
                    hypotheses, references, layout=layout, threads=threads
                )
            except (TypeError, ValueError) as error:
                kind = TypeError if isinstance(error, TypeError) else ValueError
                raise kind(f"systems[{name!r}]: {error}") from None
        n = len(columns[next(iter(named))])
        columns[SEGMENT] = range(n) if ids is None else items_of(ids, "ids", "names or numbers")
        if len(columns[SEGMENT]) != n:
            raise ValueError(
                f"ids: expected {n}, one for each segment, got {len(columns[SEGMENT])}"
            )
        return Table(columns)

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
        threads: "int | None" = None,
        progress: "Progress | None" = None,
    ) -> "StatsTable":
        """Return the sufficient statistics of segments as a table, with ids and other columns.

        Parameters
        ----------
        hypotheses, references, layout, threads, progress
            As in `corpus_score`.
        id : sequence of str or int, optional
            A different one for each segment; by default the numbers of the segments.
        keep : mapping of str to sequence, optional
            More columns by name, of int, float or str, such as languages or domains.
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
        from rapidbleu.rows.kinds import signature_of
        from rapidbleu.rows.labelled import check_labels
        from rapidbleu.rows.stats_table import StatsTable

        metric: Any = self
        about = check_labels(self._stat_names(), hypotheses, id, keep, shard, first, inputs)
        rows = self.segment_stats(
            hypotheses, references, layout=layout, threads=threads, progress=progress
        )
        return StatsTable(metric, rows, signature_of(metric, metric.num_refs), **about)
