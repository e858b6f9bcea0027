"""N-grams of a segment: their occurrences, counts and positions."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from rapidbleu.explanation.texts import (
    CLIPPED,
    MATCHED,
    Piece,
    Texts,
    pieces_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


UNITS = {"tokens": "", "characters": "character ", "words": "word "}


class Ngram(NamedTuple):
    """An n-gram of the hypothesis.

    Attributes
    ----------
    ngram : tuple of str or int, or str
        Tokens, or a str of characters.
    hyp_places : tuple of int
        Start positions in the hypothesis.
    ref_places : tuple of tuples of int
        Start positions in each reference.
    credit : int
        Clipped count: occurrences in the hypothesis, at most as many as in one reference.
    best : int or None
        First of the references that count in which it is most frequent.

    Examples
    --------
    >>> the = Ngram(("the",), (0, 1, 2), ((0, 4), ()), 2, 0)
    >>> the.hyp_count, the.ref_counts, the.credited, the.clipped
    (3, (2, 0), (0, 1), (2,))
    """

    ngram: tuple[Any, ...] | str
    hyp_places: tuple[int, ...]
    ref_places: tuple[tuple[int, ...], ...]
    credit: int
    best: int | None

    @property
    def hyp_count(self) -> int:
        """Occurrences in the hypothesis."""
        return len(self.hyp_places)

    @property
    def ref_counts(self) -> tuple[int, ...]:
        """Occurrences in each reference."""
        return tuple(map(len, self.ref_places))

    @property
    def credited(self) -> tuple[int, ...]:
        """Positions in the hypothesis that count: the first ones."""
        return self.hyp_places[: self.credit]

    @property
    def clipped(self) -> tuple[int, ...]:
        """Surplus positions of a matched n-gram; none if it is not matched."""
        return self.hyp_places[self.credit :] if self.credit else ()

    def to_dict(self) -> dict[str, Any]:
        """Return the n-gram as lists and numbers."""
        return {
            "ngram": self.ngram if isinstance(self.ngram, str) else list(self.ngram),
            "hyp_count": self.hyp_count,
            "credit": self.credit,
            "ref_counts": list(self.ref_counts),
            "best": self.best,
            "credited": list(self.credited),
            "clipped": list(self.clipped),
            "hyp_places": list(self.hyp_places),
            "ref_places": list(map(list, self.ref_places)),
        }


class NgramOrder(NamedTuple):
    """The n-grams of one order.

    Attributes
    ----------
    texts : Texts
        Texts that contain the n-grams.
    order : int
    against : tuple of int
        Indices of the references that count.
    ngrams : tuple of Ngram
        N-grams of the hypothesis, by first occurrence.
    total : int
        Number of n-grams in the hypothesis, including repetitions.
    ref_totals : tuple of int
        Number of n-grams in each reference.
    matches : int
        Sum of all clipped counts.

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> pairs = BLEU(max_ngram_order=2).explain("a b c", ["a b d"]).orders[1]
    >>> pairs.order, pairs.matches, pairs.total
    (2, 1, 2)
    """

    texts: Texts
    order: int
    against: tuple[int, ...]
    ngrams: tuple[Ngram, ...]
    total: int
    ref_totals: tuple[int, ...]
    matches: int

    @property
    def title(self) -> str:
        """Kind of n-gram and number of matches, in words."""
        return f"{UNITS[self.texts.kind]}{self.order}-grams: {self.matches} of {self.total} match"

    def hypothesis_pieces(self) -> list[Piece]:
        """Return the hypothesis in matched, clipped and other pieces."""
        states: list[tuple[int, int]] = []
        for ngram in self.ngrams:
            states += product(ngram.credited, [MATCHED])
            states += product(ngram.clipped, [CLIPPED])
        return pieces_of(self.texts.hypothesis, states, self.order)

    def reference_pieces(self) -> Iterator[tuple[int, list[Piece]]]:
        """Yield the references that count, in pieces that the hypothesis contains or lacks."""
        for i in self.against:
            text = self.texts.references[i]
            if text is not None:
                states: list[tuple[int, int]] = []
                for ngram in self.ngrams:
                    states += product(ngram.ref_places[i][: ngram.hyp_count], [MATCHED])
                yield i, pieces_of(text, states, self.order)

    def to_dict(self) -> dict[str, Any]:
        """Return the n-grams as dicts, lists and numbers."""
        return {
            "kind": self.texts.kind,
            "order": self.order,
            "against": list(self.against),
            "total": self.total,
            "ref_totals": list(self.ref_totals),
            "matches": self.matches,
            "ngrams": [ngram.to_dict() for ngram in self.ngrams],
        }


def match_ngrams(texts: Texts, order: int, against: Sequence[int]) -> NgramOrder:
    """Return the n-grams of an order, clipped by the references with the indices `against`.

    >>> from rapidbleu.explanation.texts import Text
    >>> texts = Texts("tokens", Text(("a", "a")), (Text(("a", "b")),))
    >>> match_ngrams(texts, 1, [0]).ngrams
    (Ngram(ngram=('a',), hyp_places=(0, 1), ref_places=((0,),), credit=1, best=0),)
    """
    tokens = texts.hypothesis.tokens
    by_characters = texts.kind == "characters"
    by_ngram = _places(_sequence(tokens, by_characters), order)
    in_references = [
        {} if text is None else _places(_sequence(text.tokens, by_characters), order)
        for text in texts.references
    ]
    somewhere = set().union(*in_references)
    nowhere = ((),) * len(in_references)
    ngrams = []
    matches = 0
    for ngram, places in by_ngram.items():
        begins: tuple[tuple[int, ...], ...] = nowhere
        credit = 0
        best = None
        if ngram in somewhere:
            begins = tuple([tuple(reference.get(ngram, ())) for reference in in_references])
            for i in against:
                if len(begins[i]) > credit:
                    credit = len(begins[i])
                    best = i
            credit = min(credit, len(places))
            matches += credit
        written = ngram if by_characters else tokens[places[0] : places[0] + order]
        ngrams.append(Ngram(written, tuple(places), begins, credit, best))
    totals = [
        0 if text is None else max(len(text.tokens) - order + 1, 0) for text in texts.references
    ]
    total = max(len(tokens) - order + 1, 0)
    return NgramOrder(texts, order, tuple(against), tuple(ngrams), total, tuple(totals), matches)


def _sequence(tokens: tuple[Any, ...], by_characters: bool) -> Sequence[Any]:
    """Return tokens so that n-grams are slices; integer ids are equal modulo 2**64."""
    if by_characters:
        return "".join(tokens)
    if any([isinstance(token, int) for token in tokens]):
        return tuple([token % 2**64 for token in tokens])
    return tokens


def _places(sequence: Sequence[Any], order: int) -> dict[Any, list[int]]:
    places: defaultdict[Any, list[int]] = defaultdict(list)
    for i in range(len(sequence) - order + 1):
        places[sequence[i : i + order]].append(i)
    return places
