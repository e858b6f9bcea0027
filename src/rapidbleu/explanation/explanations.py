"""Explanations as text, HTML and data: the score, its formula, n-grams or edits, statistics."""

from __future__ import annotations

from html import escape
from math import isfinite

from rapidbleu._lib.colors import leave_plain, paint
from rapidbleu.explanation.alignment import drawn_edits, shift_lines
from rapidbleu.explanation.texts import (
    CLIPPED,
    COLORS,
    MARKS,
    MATCHED,
    WIDTH,
    Texts,
    columns,
    pieces_of,
    reference_label,
    shown_ngram,
    text_row,
    wrapped,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from rapidbleu.explanation.alignment import Alignment
    from rapidbleu.explanation.ngrams import NgramOrder
    from rapidbleu.explanation.texts import _Paint
    from rapidbleu.score import Score

# Backgrounds are transparent and text keeps the color of the page, which may be light or dark.
STYLE = """
.rapidbleu{font:.9em/1.7 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
.rapidbleu mark{background:rgba(46,160,67,.25);color:inherit;border-radius:3px}
.rapidbleu .rb-yellow{background:rgba(210,153,34,.25)}
.rapidbleu .rb-red{background:rgba(218,54,51,.18)}
.rapidbleu s{background:rgba(218,54,51,.12);opacity:.65;border-radius:3px}
""".replace("\n", "")


def _tag(text: str, color: str) -> str:
    """Paint a text for HTML: NUL, which no text that is shown has, is in front of < and >."""
    if color == COLORS[CLIPPED]:
        return f"\0<s\0>{text}\0</s\0>"
    return f"\0<mark class=rb-{color}\0>{text}\0</mark\0>"


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
    {'matches': 5, 'substitutions': 0, 'deletions': 1, 'insertions': 1}
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
        >>> print(GLEU(max_ngram_order=1).explain("the cat the", ["the cat"]).format())
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
        return self._written(paint if color else leave_plain)

    def _written(self, paint: _Paint) -> str:
        entries = [f"{name} {value}" for name, value in self.statistics.items()]
        numbers = "\n".join(wrapped(entries, ", ", ""))
        head = f"{paint(self.score.format(), 'green')}\n{self.signature}"
        sections = [head, "\n".join(self.formula), *self._body(paint), numbers]
        return "\n\n".join(filter(None, sections))

    def _body(self, paint: _Paint) -> Iterator[str]:
        """Yield what stands between the formula and the statistics."""
        lines = [
            text_row(reference_label(i), pieces_of(text, (), 1), paint)
            for i, text in enumerate(self.texts[0].references)
            if text is not None
        ]
        lines.append(text_row("HYP", pieces_of(self.texts[0].hypothesis, (), 1), paint))
        yield "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the text of `format` as HTML that needs nothing else.

        What matched is highlighted, and what was clipped is struck out.
        """
        text = escape(self._written(_tag)).replace("\0&lt;", "<").replace("\0&gt;", ">")
        return f'<style>{STYLE}</style><div class="rapidbleu">{text}</div>'

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


class EditExplanation(Explanation):
    """The explanation of a score that is made of edits.

    Parameters
    ----------
    alignment : Alignment
        What `align` of the metric gives.
    score, signature, texts, statistics, formula, reference
        As of `Explanation`.

    Examples
    --------
    >>> from rapidbleu import TER
    >>> explanation = TER().explain("on the mat the cat sat", ["the cat sat on a mat"])
    >>> explanation.alignment.shifts
    (Shift(begin=3, end=6, target=0),)
    >>> print(explanation)  # doctest: +ELLIPSIS
    TER = 33.33
    nrefs:1|case:lc|tok:tercom|...
    <BLANKLINE>
    TER = 100 * edits / reference length = 100 * 2 / 6 = 33.33
    <BLANKLINE>
    1 shift, 1 substitution, 0 insertions, 0 deletions against REF 1
    shift [3:6] to 0: the cat sat
    <BLANKLINE>
    REF: the cat sat on a   mat
    HYP: the cat sat on the mat
                        S
    <BLANKLINE>
    edits 2, ref_length 6, ref_length_parts 0, ref_length_fine_parts 0
    """

    def __init__(self, alignment: Alignment, *about: Any, **named: Any) -> None:
        super().__init__(*about, **named)
        self.alignment = alignment

    def _counted(self) -> str:
        """Return the numbers of edits in words."""
        kinds = [edit.kind for edit in self.alignment.edits]
        counts = {"shift": len(self.alignment.shifts)}
        names = {"substitution": "substitute", "insertion": "insert", "deletion": "delete"}
        counts |= {name: kinds.count(kind) for name, kind in names.items()}
        listed = ", ".join([f"{n} {name}{'s' * (n != 1)}" for name, n in counts.items()])
        return f"{listed} against {reference_label(self.alignment.which)}"

    def _body(self, paint: _Paint) -> Iterator[str]:
        yield "\n".join([self._counted(), *shift_lines(self.alignment)])
        yield from drawn_edits(self.alignment, WIDTH, paint)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as dicts, lists, text and numbers; see `Explanation.to_dict`."""
        found = self.alignment
        return {
            **super().to_dict(),
            "alignment": {
                "reference": found.which,
                "num_edits": found.num_edits,
                "shifts": [shift._asdict() for shift in found.shifts],
                "edits": [edit._asdict() for edit in found.edits],
            },
        }


class NgramExplanation(Explanation):
    """The explanation of a score that is made of matched n-grams.

    Parameters
    ----------
    orders : tuple of NgramOrder
    score, signature, texts, statistics, formula, reference
        As of `Explanation`.

    Examples
    --------
    The example of Papineni et al. 2002: a word counts no more often than a reference has it.

    >>> from rapidbleu import BLEU
    >>> bleu = BLEU(lowercase=True, effective_order=True, max_ngram_order=1)
    >>> references = ["The cat is on the mat", "There is a cat on the mat"]
    >>> explanation = bleu.explain("the the the the the the the", references)
    >>> explanation.formula
    ['p1 = 100 * 2 / 7 = 28.57', 'BP = 1  (hyp_len 7 >= ref_len 7, the closest: REF 2)', \
'mean = 28.57^(1/1) = 28.57', 'BLEU = 1 * 28.57 = 28.57']
    >>> (the,) = explanation.orders[0].ngrams
    >>> the.hyp_count, the.ref_counts, the.credit, the.credited, the.clipped
    (7, (2, 1), 2, (0, 1), (2, 3, 4, 5, 6))
    """

    def __init__(self, orders: tuple[NgramOrder, ...], *about: Any, **named: Any) -> None:
        super().__init__(*about, **named)
        self.orders = orders

    def _body(self, paint: _Paint) -> Iterator[str]:
        for own in self.orders:
            lines = [own.title]
            if own.ngrams or own is self.orders[0]:
                lines.append(text_row("HYP", own.hypothesis_pieces(), paint))
                for i, pieces in own.reference_pieces():
                    lines.append(text_row(reference_label(i), pieces, paint))
                lines += _list(own, paint)
            yield "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as dicts, lists, text and numbers; see `Explanation.to_dict`."""
        return {**super().to_dict(), "orders": [own.to_dict() for own in self.orders]}


def _list(own: NgramOrder, paint: _Paint) -> Iterator[str]:
    """Yield a table of the n-grams that match, and the others one after the other.

    Those of characters are so many that only clipped ones have lines of their own.
    """
    counting = [i for i in own.against if own.texts.references[i] is not None]
    by_characters = own.texts.kind == "characters"
    listed = [
        ngram for ngram in own.ngrams if ngram.clipped or (ngram.credit and not by_characters)
    ]
    if listed:
        headers = ["count", "credit", *map(reference_label, counting)]
        yield "  " + "  ".join(headers)
        for ngram in listed:
            numbers = [ngram.hyp_count, ngram.credit, *(ngram.ref_counts[i] for i in counting)]
            cells = [
                f"{number:>{columns(header)}}"
                for number, header in zip(numbers, headers, strict=True)
            ]
            places = list(map(str, ngram.credited or ngram.hyp_places))
            if ngram.clipped:
                before, after = MARKS[CLIPPED]
                places.append(before + " ".join(map(str, ngram.clipped)) + after)
            text = paint(shown_ngram(ngram.ngram), COLORS[MATCHED])
            yield f"  {'  '.join(cells)}  {text}  at {' '.join(places)}"
    others = [shown_ngram(ngram.ngram) for ngram in own.ngrams if not ngram.credit]
    if others and not by_characters:
        yield "  without a match:"
        yield from wrapped(others, " | ", "    ")
