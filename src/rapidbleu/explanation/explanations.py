"""Explanations as text, HTML and data: the score, its formula, n-grams or edits, statistics."""

from __future__ import annotations

import re
from html import escape
from itertools import chain
from math import isfinite

from rapidbleu._lib.checks import check_count
from rapidbleu._lib.colors import columns, folded, leave_plain, paint, painted_parts
from rapidbleu.explanation.alignment import STEPS, drawn_edits, shift_lines
from rapidbleu.explanation.texts import (
    CLIPPED,
    COLORS,
    MARKS,
    MATCHED,
    WIDTH,
    Texts,
    reference_label,
    shown_ngram,
    text_row,
    wrapped,
)
from rapidbleu.table import plain_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from rapidbleu.explanation.alignment import Alignment
    from rapidbleu.explanation.ngrams import NgramOrder
    from rapidbleu.explanation.texts import _Paint
    from rapidbleu.score import Score

# Backgrounds are transparent, and text has the color of the page, light or dark.
STYLE = """
.rapidbleu{font:.8rem/1.7 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
.rapidbleu div{padding-left:var(--in);text-indent:calc(0px - var(--in))}
.rapidbleu mark{background:rgba(46,160,67,.25);color:inherit;border-radius:3px}
.rapidbleu .rb-yellow{background:rgba(210,153,34,.25)}
.rapidbleu .rb-red{background:rgba(218,54,51,.18)}
.rapidbleu .rb-cyan{background:rgba(9,105,218,.18)}
.rapidbleu s{background:rgba(218,54,51,.12);opacity:.75;border-radius:3px}
""".replace("\n", "")
PAGE_WIDTH = 45  # characters of edits and lists in HTML, as on a phone
FILLS = {"green": "#c7ecce", "yellow": "#fbe3a4", "red": "#fbd0cd", "cyan": "#cfe3fb"}


def as_html(text: str) -> str:
    """Return a colored text as HTML: matches are highlighted, clipped n-grams struck out."""
    lines = []
    for line in text.split("\n"):
        label = re.match(r"  \S+(?: \d+)? +(?=\S)|", line) or [""]
        lines.append(f'<div style="--in:{max(len(label[0]), 2)}ch">')
        for part, color in painted_parts(line):
            tag = "s" if color == COLORS[CLIPPED] else "mark"
            shown = escape(part)
            lines.append(f"<{tag} class=rb-{color}>{shown}</{tag}>" if color else shown)
        lines.append("\n</div>")
    return f'<style>{STYLE}</style><div class="rapidbleu">{"".join(lines)}</div>'


def as_svg(text: str) -> str:
    """Return a colored text as an SVG figure on white, 10 by 22 units per character."""
    lines = text.split("\n")
    shapes = []
    width = 10 * max(map(columns, lines)) + 40
    height = 22 * len(lines) + 46
    size = f'width="{width}" height="{height}"'
    for y, line in enumerate(lines, 1):
        x = 20
        for part, color in painted_parts(line):
            length = 10 * columns(part)
            if color in FILLS:
                box = f'x="{x}" y="{22 * y + 4}" width="{length}" height="20"'
                shapes.append(f'<rect {box} fill="{FILLS[color]}"/>')
            struck = ' text-decoration="line-through"' * (color == COLORS[CLIPPED])
            for run in re.finditer(r"\S+(?: \S+)*", part):  # viewers treat spaces differently
                place = f'x="{x + 10 * columns(part[: run.start()])}" y="{22 * y + 19}"'
                place += f' textLength="{10 * columns(run[0])}"{struck}'
                shapes.append(f"<text {place}>{escape(run[0])}</text>")
            x += length
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}" '
        'font-family="monospace" font-size="16" fill="#1f2328">'
        f'<rect {size} fill="#fff"/>{"".join(shapes)}</svg>\n'
    )


class Explanation:
    """Explanation of a segment score; notebooks show it as HTML, ``print`` as text.

    Parameters
    ----------
    score : Score
        Result of `sentence_score`.
    signature : str
        Options of the metric.
    texts : tuple of Texts
        The texts as the metric reads them; chrF++ reads characters and words.
    statistics : dict of str to int
        Row of statistics, by name.
    formula : list of str
        Lines that derive the score from the statistics; may be empty.
    reference : int or None
        Index of the reference that counts, with the best score or, for BLEU, the reference length;
        None if no single one does.

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
        """Tokens of each reference; None for a missing one."""
        return tuple([text and text.tokens for text in self.texts[0].references])

    def __repr__(self) -> str:
        return f"<explanation of {self.score.format()}>"

    def __str__(self) -> str:
        return self.format()

    def format(self, color: bool = False, width: int | None = None) -> str:
        """Return the explanation as text.

        Parameters
        ----------
        color : bool
            Use terminal colors: matches are green, clipped n-grams gray.
        width : int, optional
            Columns per line. By default texts are not wrapped, and edits and lists have 100
            columns.

        Returns
        -------
        str
            ``[...]`` are matches, and ``~...~`` n-grams with more occurrences than counted.

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
        [matched]  ~clipped: matched, but more often than a reference has it~
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
        if width is not None:
            check_count("width", width, 1)
        return self._written(paint if color else leave_plain, width, width or WIDTH)

    def _written(self, paint: _Paint, width: int | None, block: int) -> str:
        head = [paint(self.score.format(), "cyan"), self.signature]
        numbers = ", ".join([f"{name} {value}" for name, value in self.statistics.items()])
        parts = head, self.formula, self._legend(paint), [numbers]
        *top, end = [_lines(part, width) for part in parts]
        return "\n\n".join(filter(None, [*top, *self._body(paint, width, block), end]))

    def _legend(self, paint: _Paint) -> list[str]:
        """Return the line that explains marks, if there are any."""
        return []

    def _body(self, paint: _Paint, width: int | None, block: int) -> Iterator[str]:
        """Yield the part between formula and statistics."""
        lines = [
            text_row(reference_label(i), text, paint, width)
            for i, text in enumerate(self.texts[0].references)
            if text is not None
        ]
        lines.append(text_row("HYP", self.texts[0].hypothesis, paint, width))
        yield "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the text of `format` as self-contained HTML."""
        return as_html(self._written(paint, None, PAGE_WIDTH))

    def to_svg(self, width: int = WIDTH) -> str:
        """Return the text of `format`, wrapped to `width` columns, as an SVG figure for slides.

        Examples
        --------
        >>> from rapidbleu import WER
        >>> WER().explain("a cat", ["the cat"]).to_svg()[:44]
        '<svg xmlns="http://www.w3.org/2000/svg" widt'
        """
        return as_svg(self.format(True, width))

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as dicts, lists, text and numbers, ready for JSON.

        Numbers that are not finite are None.

        Examples
        --------
        >>> from rapidbleu import CDER
        >>> found = CDER().explain("a cat", ["the cat"]).to_dict()
        >>> found["name"], found["score"], found["hypothesis"], found["statistics"]
        ('CDER', 50.0, ['a', 'cat'], {'edits': 1, 'ref_len': 2})
        """
        by_kind = {}
        for texts in self.texts:
            references = [text and list(text.tokens) for text in texts.references]
            hypothesis = list(texts.hypothesis.tokens)
            by_kind[texts.kind] = {"hypothesis": hypothesis, "references": references}
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
    """Explanation of a score based on edits.

    Parameters
    ----------
    alignment : Alignment
        Result of `TER.align`, or of the metric's own method.
    score, signature, texts, statistics, formula, reference
        As in `Explanation`.

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
    S other word
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

    def _legend(self, paint: _Paint) -> list[str]:
        kinds = {edit.kind for edit in self.alignment.edits}
        about = [step for kind, step in STEPS.items() if kind in kinds]
        meanings = [f"{paint(letter, color)} {text}" for letter, color, _, text in about if text]
        return ["   ".join(meanings)] if meanings else []

    def _counted(self) -> str:
        """Return the numbers of edits in words; TER, WER and CDER have all kinds."""
        kinds = [edit.kind for edit in self.alignment.edits]
        counts = {noun: kinds.count(kind) for kind, (_, _, noun, _) in STEPS.items()}
        counts = {"shift": len(self.alignment.shifts), **counts}
        usual: list[str] = []
        if "edits" in self.statistics or "substitutions" in self.statistics:
            moves = "jump" if "ref_len" in self.statistics else "shift"
            usual = [moves, "substitution", "insertion", "deletion"]
        listed = [
            f"{counts[name]} {name}{('es' if name[-1] == 'h' else 's') * (counts[name] != 1)}"
            for name in usual or filter(counts.get, counts)
        ]
        return f"{', '.join(listed)} against {reference_label(self.alignment.which)}"

    def _body(self, paint: _Paint, width: int | None, block: int) -> Iterator[str]:
        yield _lines([self._counted(), *shift_lines(self.alignment)], width)
        yield from drawn_edits(self.alignment, block, paint)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as in `Explanation.to_dict`, with the alignment."""
        alignment = self.alignment
        return {
            **super().to_dict(),
            "alignment": {
                "reference": alignment.which,
                "num_edits": alignment.num_edits,
                "shifts": [shift._asdict() for shift in alignment.shifts],
                "edits": [edit._asdict() for edit in alignment.edits],
            },
        }


class NgramExplanation(Explanation):
    """Explanation of a score based on matched n-grams.

    Parameters
    ----------
    orders : tuple of NgramOrder
    score, signature, texts, statistics, formula, reference
        As in `Explanation`.

    Examples
    --------
    From Papineni et al. 2002: a word counts no more often than it occurs in a reference.

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

    def _legend(self, paint: _Paint) -> list[str]:
        legend = paint("[matched]", COLORS[MATCHED])
        if any(ngram.clipped for order in self.orders for ngram in order.ngrams):
            clipped = "~clipped: matched, but more often than a reference has it~"
            legend += f"  {paint(clipped, COLORS[CLIPPED])}"
        return [legend]

    def _body(self, paint: _Paint, width: int | None, block: int) -> Iterator[str]:
        for order in self.orders:
            lines = [order.title]
            if order.ngrams or order is self.orders[0]:
                lines.append(text_row("HYP", order.hypothesis_pieces(), paint, width))
                for i, pieces in order.reference_pieces():
                    lines.append(text_row(reference_label(i), pieces, paint, width))
                lines += _list(order, paint, width, block)
            yield "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as in `Explanation.to_dict`, with the orders."""
        return {**super().to_dict(), "orders": [order.to_dict() for order in self.orders]}


def _list(order: NgramOrder, paint: _Paint, width: int | None, block: int) -> Iterator[str]:
    """Yield a table of the n-grams that match, then a list of the remaining ones.

    Character n-grams are so many that only clipped ones have lines of their own. If several
    references count, the one that gave the credit is named.
    """
    counting = [i for i in order.against if order.texts.references[i] is not None]
    by_characters = order.texts.kind == "characters"
    listed = [
        ngram for ngram in order.ngrams if ngram.clipped or (ngram.credit and not by_characters)
    ]
    if listed:
        headers = ["count", "credit", *map(reference_label, counting)]
        yield "  " + "  ".join(headers)
        for ngram in listed:
            numbers = [ngram.hyp_count, ngram.credit, *(ngram.ref_counts[i] for i in counting)]
            cells = "  ".join(map("{:>{}}".format, numbers, map(len, headers)))
            places = list(map(str, ngram.credited or ngram.hyp_places))
            if ngram.clipped:
                before, after = MARKS[CLIPPED]
                places.append(before + " ".join(map(str, ngram.clipped)) + after)
            if len(counting) > 1 and ngram.best is not None:
                places.append(f" from {reference_label(ngram.best)}")
            text = paint(shown_ngram(ngram.ngram), COLORS[MATCHED])
            yield from folded(f"  {cells}  {text}  at {' '.join(places)}", width, len(cells) + 4)
    others = [shown_ngram(ngram.ngram) for ngram in order.ngrams if not ngram.credit]
    if others and not by_characters:
        yield "  without a match:"
        yield _lines(wrapped(others, " | ", "    ", block), width)


def _lines(lines: Iterable[str], width: int | None = None) -> str:
    return "\n".join([part for line in lines for part in folded(line, width, 4)])


def side_by_side(
    views: Mapping[str, Explanation], paint: _Paint, width: int | None, block: int
) -> str:
    """Return explanations of several systems by one metric, with scores, texts and credits."""
    first = next(iter(views.values()))
    if len(views) == 1:
        return first._written(paint, width, block)
    room = max(7, *(columns(name) + 2 for name in views))
    head = [paint(first.name, "cyan"), first.signature]
    for name, view in views.items():
        head.append(f"  {name}{' ' * (room - columns(name))}{view.score.format()}")
    sections = [_lines(head, width)]
    if not isinstance(first, NgramExplanation):
        for name, view in views.items():
            shown = [_lines(view._legend(paint), width), *view._body(paint, width, block)]
            sections += [paint(name, "cyan"), *filter(None, shown)]
        return "\n\n".join(sections)
    sections.append(_lines(max([view._legend(paint) for view in views.values()]), width))
    for orders in zip(*[view.orders for view in views.values()], strict=True):  # type: ignore[attr-defined]
        # The texts
        texts = orders[0].texts
        lines = [orders[0].title.split(":")[0]]
        for i in sorted({*chain(*[order.against for order in orders])}):
            if (text := texts.references[i]) is not None:
                lines.append(text_row(reference_label(i), text, paint, width, room))
        for name, order in zip(views, orders, strict=True):
            lines.append(text_row(name, order.hypothesis_pieces(), paint, width, room))
        # N-grams with different credits
        credits: dict[str, list[int]] = {}
        for k, order in enumerate(orders):
            for ngram in order.ngrams if texts.kind != "characters" else ():
                credits.setdefault(shown_ngram(ngram.ngram), [0] * len(views))[k] = ngram.credit
        rows = {ngram: numbers for ngram, numbers in credits.items() if len({*numbers}) > 1}
        cells = [["match", *rows]]
        for k, order in enumerate(orders):
            matches = f"{order.matches} of {order.total}"
            cells.append([matches, *[str(numbers[k]) for numbers in rows.values()]])
        right = [False] + [True] * len(views)
        table = plain_table(["", *views], cells, right, width=width and width - 2)
        sections.append("\n".join([*lines, *[f"  {line}" for line in table.split("\n")]]))
    return "\n\n".join(sections)
