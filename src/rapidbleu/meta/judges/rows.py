"""Judgments as columns: checked, counted, compared, selected."""

from rapidbleu.meta.judges.columns import Column, numbers_of
from rapidbleu.meta.scores.checks import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

    from rapidbleu.meta.judges.columns import _Names
    from rapidbleu.typing import Array, FloatArray, Items


class JudgmentColumns:
    """The columns of judgments; see `Judgments`."""

    def __init__(
        self,
        systems: "_Names",
        segments: "_Names",
        judges: "_Names",
        scores: "Items[float] | Array",
        *,
        documents: "_Names | None" = None,
        kinds: "_Names | None" = None,
    ) -> None:
        self.values = numbers_of(scores, "scores")
        if not len(self.values):
            raise ValueError("scores: expected at least one judgment, got none")
        self.system = self._column(systems, "systems")
        self.segment = self._column(segments, "segments")
        self.judge = self._column(judges, "judges")
        self.document = None if documents is None else self._column(documents, "documents")
        self.kind = None if kinds is None else self._column(kinds, "kinds")
        if self.document is not None:
            self._check_documents(self.document)

    def _column(self, names: "Any", where: str) -> Column:
        column = Column.of(names, where)
        if len(column.codes) != len(self.values):
            raise ValueError(
                f"{where}: expected {len(self.values)} names, one for each score, "
                f"got {len(column.codes)}"
            )
        return column

    def _check_documents(self, document: Column) -> None:
        import numpy as np

        _, first = np.unique(self.segment.codes, return_index=True)
        expected = document.codes[first][self.segment.codes]
        wrong = np.flatnonzero(expected != document.codes)
        if len(wrong):
            i = wrong[0]
            raise ValueError(
                f"documents[{i}]: expected {document.names[expected[i]]!r}, as segment "
                f"{self.segment.names[self.segment.codes[i]]!r} has before, "
                f"got {document.names[document.codes[i]]!r}"
            )

    def _like(self, values: "FloatArray", rows: "Array") -> "Self":
        """Return some of the judgments with other scores."""
        new = object.__new__(type(self))
        values.setflags(write=False)
        new.values = values
        new.system, new.segment = self.system.taken(rows), self.segment.taken(rows)
        new.judge = self.judge.taken(rows)
        new.document = None if self.document is None else self.document.taken(rows)
        new.kind = None if self.kind is None else self.kind.taken(rows)
        return new

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        parts = [counted(len(self), "score")]
        parts += [counted(len(self.system.names), "system")]
        parts += [counted(len(self.segment.names), "segment")]
        parts += [counted(len(self.judge.names), "judge")]
        return f"Judgments({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JudgmentColumns):
            return NotImplemented
        if len(self) != len(other):
            return False
        columns = ("system", "segment", "judge", "document", "kind")
        same = all(getattr(self, name) == getattr(other, name) for name in columns)
        return same and bool((self.values == other.values).all())

    __hash__ = None  # type: ignore[assignment]

    def select(
        self,
        *,
        systems: "_Names | None" = None,
        segments: "_Names | None" = None,
        judges: "_Names | None" = None,
        documents: "_Names | None" = None,
        kinds: "_Names | None" = None,
    ) -> "Self":
        """Return the judgments with these names.

        Raises
        ------
        ValueError
            If a name is unknown, or no judgment has them all.

        Examples
        --------
        >>> from rapidbleu.meta.judges.judgments import Judgments
        >>> both = Judgments(["A", "A"], [1, 1], ["Ann", "Bob"], [3, 4])
        >>> both.select(judges=["Bob"]).values
        array([4.])
        """
        import numpy as np

        rows = np.ones(len(self), np.bool_)
        for names, column, where in (
            (systems, self.system, "systems"),
            (segments, self.segment, "segments"),
            (judges, self.judge, "judges"),
            (documents, self.document, "documents"),
            (kinds, self.kind, "kinds"),
        ):
            if names is not None:
                if column is None:
                    raise ValueError(f"{where}: the judgments have none")
                rows &= np.isin(column.codes, column.places_of(names, where))
        if not rows.any():
            raise ValueError("select: expected judgments that have these names, got none")
        return self._like(self.values[rows], rows)
