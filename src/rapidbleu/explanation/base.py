"""What every explanation has: the score, what it was made of, and the formula with numbers."""

from __future__ import annotations

from math import isfinite

from rapidbleu.explanation.pieces import (
    STYLE,
    Piece,
    Texts,
    details,
    element,
    pieces_of,
    reference_label,
    text_line,
    text_row,
    wrapped,
)
from rapidbleu.printing.colors import leave_plain, paint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from rapidbleu.explanation.pieces import _Paint
    from rapidbleu.score import Score


class Explanation:
    """Why a segment scored what it did; a notebook shows it as HTML, ``print`` as text.

    Parameters
    ----------
    score : Score
        What `sentence_score` gives.
    signature : str
        The metric's options.
    texts : tuple of Texts
        The texts as the metric reads them; chrF++ reads characters and words.
    statistics : dict of str to int
        The row of statistics, by name.
    formula : list of str
        How the numbers make the score, line by line; may be empty.
    reference : int or None
        The place of the reference that counts: that with the best score, or of BLEU the one whose
        length is taken; None: no single one does.

    Examples
    --------
    >>> from rapidbleu import WER
    >>> explanation = WER().explain("the big cat sat on mat", ["the cat sat on the mat"])
    >>> explanation
    <explanation of WER = 33.33 (S = 0 D = 1 I = 1 ref_len = 6)>
    >>> explanation.statistics
    {'hits': 5, 'substitutions': 0, 'deletions': 1, 'insertions': 1}
    >>> explanation.formula
    ['WER = 100 * (S + D + I) / ref_len = 100 * (0 + 1 + 1) / 6 = 33.33']
    """

    def __init__(
        self,
        score: Score,
        signature: str,
        texts: tuple[Texts, ...],
        statistics: dict[str, int],
        formula: list[str],
        reference: int | None,
    ) -> None:
        self.score = score
        self.signature = signature
        self.texts = texts
        self.statistics = statistics
        self.formula = formula
        self.reference = reference

    @property
    def name(self) -> str:
        """Name of the metric, as printed."""
        return self.score.name

    @property
    def hypothesis(self) -> tuple[Any, ...]:
        """Tokens of the hypothesis."""
        return self.texts[0].hypothesis.tokens

    @property
    def references(self) -> tuple[tuple[Any, ...] | None, ...]:
        """Tokens of the references; None where there is none."""
        return tuple([text and text.tokens for text in self.texts[0].references])

    def __repr__(self) -> str:
        return f"<explanation of {self.score.format()}>"

    def __str__(self) -> str:
        return self.format()

    def format(self, color: bool = False) -> str:
        """Write the explanation as text.

        Parameters
        ----------
        color : bool
            With the colors of terminals: what matched is green, what was clipped dim.

        Returns
        -------
        str
            ``[...]`` are matches, and ``~...~`` n-grams that had more occurrences than were
            counted.

        Examples
        --------
        >>> from rapidbleu import GLEU
        >>> print(GLEU(max_order=1).explain("the cat the", ["the cat"]).format())
        ... # doctest: +ELLIPSIS
        GLEU = 66.67
        nrefs:1|case:mixed|tok:13a|n:1-1|version:...
        <BLANKLINE>
        GLEU = 100 * matches / n-grams = 100 * 2 / 3 = 66.67
        <BLANKLINE>
        1-grams: 2 of 3 match
          HYP    [the cat] ~the~
          REF 1  [the cat]
          count  credit  REF 1
              2       1      1  the  at 0 ~2~
              1       1      1  cat  at 1
        <BLANKLINE>
        matches 2, n-grams 3
        """
        chosen = paint if color else leave_plain
        entries = [f"{name} {value}" for name, value in self.statistics.items()]
        numbers = "\n".join(wrapped(entries, ", ", ""))
        head = f"{chosen(self.score.format(), 'green')}\n{self.signature}"
        sections = [head, "\n".join(self.formula), *self._body(chosen), numbers]
        return "\n\n".join(filter(None, sections))

    def _body(self, paint: _Paint) -> Iterator[str]:
        """Yield what stands between the formula and the statistics."""
        yield "\n".join([text_row(label, pieces, paint) for label, pieces in self._plain_texts()])

    def _plain_texts(self) -> Iterator[tuple[str, list[Piece]]]:
        for i, text in enumerate(self.texts[0].references):
            if text is not None:
                yield reference_label(i), pieces_of(text, (), 1)
        yield "HYP", pieces_of(self.texts[0].hypothesis, (), 1)

    def _repr_html_(self) -> str:
        """Return a fragment of HTML that needs nothing else."""
        numbers = "".join(
            element("div", element("dt", name) + element("dd", str(value)), raw=True)
            for name, value in self.statistics.items()
        )
        formula = "".join([element("div", line) for line in self.formula])
        inside = [
            f"<style>{STYLE}</style>",
            element("div", self.score.format(), "rb-score"),
            element("div", self.signature, "rb-signature"),
            element("div", formula, "rb-formula", raw=True) if formula else "",
            *self._body_html(),
            details("statistics", element("dl", numbers, raw=True)),
        ]
        return element("div", "".join(inside), "rapidbleu", raw=True)

    def _body_html(self) -> Iterator[str]:
        for label, pieces in self._plain_texts():
            yield text_line(label, pieces)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as dicts, lists, text and numbers.

        Returns
        -------
        dict
            Which ``json.dumps`` writes; a number that is not finite is None.

        Examples
        --------
        >>> from rapidbleu import CDER
        >>> found = CDER().explain("a cat", ["the cat"]).to_dict()
        >>> found["name"], found["score"], found["hypothesis"], found["statistics"]
        ('CDER', 50.0, ['a', 'cat'], {'edits': 1, 'ref_len': 2})
        """
        by_kind = {
            texts.kind: {
                "hypothesis": list(texts.hypothesis.tokens),
                "references": [text and list(text.tokens) for text in texts.references],
            }
            for texts in self.texts
        }
        return {
            "name": self.name,
            "signature": self.signature,
            "score": self.score.score if isfinite(self.score.score) else None,
            **by_kind.pop(self.texts[0].kind),
            **by_kind,
            "reference": self.reference,
            "statistics": dict(self.statistics),
            "formula": list(self.formula),
        }
