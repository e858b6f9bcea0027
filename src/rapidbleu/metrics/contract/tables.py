"""The scores of segments in a table, of several systems side by side."""

from rapidbleu.loading.loader import load
from rapidbleu.sequences import items_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from rapidbleu.references import References
    from rapidbleu.table import Table
    from rapidbleu.typing import (
        FloatArray,
        Hypotheses,
        Items,
        Layout,
        ReferenceStreams,
    )

SEGMENT = "segment"


class TableScoring:
    """What a metric of text says of segments, in a table."""

    if TYPE_CHECKING:  # supplied by the metric
        prepare: Callable[..., References]
        segment_scores: Callable[..., FloatArray]

    def segment_table(
        self,
        systems: "Mapping[str, Hypotheses]",
        references: "ReferenceStreams | None" = None,
        *,
        ids: "Items[Any] | None" = None,
        layout: "Layout" = "stream",
        threads: int = 1,
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
        load("rapidbleu.table")
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
