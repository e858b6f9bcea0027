"""N-grams as text and as HTML: the text with what matched, and a table."""

from rapidbleu.explanation.base import Explanation
from rapidbleu.explanation.html import details, element, escaped, table, text_line
from rapidbleu.explanation.ngrams import Ngram, NgramOrder
from rapidbleu.explanation.pieces import (
    CLIPPED,
    MARKS,
    MATCHED,
    Texts,
    columns,
    shown_ngram,
    wrapped,
)
from rapidbleu.explanation.terminal import COLORS, reference_label, text_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from rapidbleu.explanation.base import _Paint
    from rapidbleu.score import Score


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

    def __init__(
        self,
        orders: tuple[NgramOrder, ...],
        score: "Score",
        signature: str,
        texts: tuple[Texts, ...],
        statistics: dict[str, int],
        formula: list[str],
        reference: "int | None",
    ) -> None:
        super().__init__(score, signature, texts, statistics, formula, reference)
        self.orders = orders

    def _body(self, paint: "_Paint") -> "Iterator[str]":
        for own in self.orders:
            lines = [own.title]
            if own.ngrams or own is self.orders[0]:
                lines.append(text_row("HYP", own.hypothesis_pieces(), paint))
                for i, pieces in own.reference_pieces():
                    lines.append(text_row(reference_label(i), pieces, paint))
                lines += _list(own, paint)
            yield "\n".join(lines)

    def _body_html(self) -> "Iterator[str]":
        for own in self.orders:
            yield element("div", own.title, "rb-title")
            if own.ngrams or own is self.orders[0]:
                tight = own.texts.kind == "characters"
                yield text_line("HYP", own.hypothesis_pieces(), tight)
                for i, pieces in own.reference_pieces():
                    yield text_line(reference_label(i), pieces, tight)
            if own.ngrams:
                yield details("n-grams", _table(own))

    def to_dict(self) -> "dict[str, Any]":
        """Return the explanation as dicts, lists, text and numbers; see `Explanation.to_dict`."""
        return {**super().to_dict(), "orders": [own.to_dict() for own in self.orders]}


def _written_places(ngram: Ngram, before: str, after: str) -> str:
    """Return the places of an n-gram, with marks around those that are clipped."""
    written = [str(place) for place in ngram.credited or ngram.hyp_places]
    if ngram.clipped:
        written.append(before + " ".join(map(str, ngram.clipped)) + after)
    return " ".join(written)


def _table(own: NgramOrder) -> str:
    """Return a table of all n-grams as HTML."""
    names = _labels(own)
    rows = [
        [
            str(one.hyp_count),
            str(one.credit),
            *(str(one.ref_counts[i]) for i in names),
            _ngram_html(one),
            _written_places(one, "<s>", "</s>"),
        ]
        for one in own.ngrams
    ]
    return table(["count", "credit", *names.values(), "", "places"], rows, 2 + len(names))


def _ngram_html(ngram: Ngram) -> str:
    text = shown_ngram(ngram.ngram)
    return element("mark", text) if ngram.credit else escaped(text)


def _list(own: NgramOrder, paint: "_Paint") -> "Iterator[str]":
    """Yield a table of the n-grams that match, and the others one after the other.

    Those of characters are so many that only clipped ones have lines of their own.
    """
    names = _labels(own)
    by_characters = own.texts.kind == "characters"
    listed = [one for one in own.ngrams if one.clipped or (one.credit and not by_characters)]
    if listed:
        headers = ["count", "credit", *names.values()]
        widths = [columns(header) for header in headers]
        yield "  " + "  ".join(headers)
        for one in listed:
            numbers = [one.hyp_count, one.credit, *(one.ref_counts[i] for i in names)]
            cells = [f"{number:>{width}}" for number, width in zip(numbers, widths, strict=True)]
            text = paint(shown_ngram(one.ngram), COLORS[MATCHED])
            yield f"  {'  '.join(cells)}  {text}  at {_written_places(one, *MARKS[CLIPPED])}"
    others = [shown_ngram(one.ngram) for one in own.ngrams if not one.credit]
    if others and not by_characters:
        yield "  without a match:"
        yield from wrapped(others, " | ", "    ")


def _labels(own: NgramOrder) -> "dict[int, str]":
    """Return what the references that count are called."""
    return {i: reference_label(i) for i in own.against if own.texts.references[i] is not None}
