"""chrF, chrF+ and chrF++ (Popovic 2015, 2017) with sacrebleu's options, numbers and signature."""

from __future__ import annotations

from rapidbleu._core.metrics.chrf import ChrfKernel
from rapidbleu._core.scoring.pairs import ChrfPairs, Pairs
from rapidbleu._lib.checks import check_flag
from rapidbleu.metrics.explaining import lower_text
from rapidbleu.metrics.metric import Metric
from rapidbleu.metrics.options import (
    NUMBER,
    Recent,
    check_number,
    count,
    flag,
    given_references,
    option,
)
from rapidbleu.score import ChangeableScore, Score, chrf_name
from rapidbleu.tokenizers.characters import get_character_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar

    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu._types import Hypotheses, Layout, ReferenceStreams, Segment, SegmentReferences
    from rapidbleu.explanation.ngrams import NgramOrder
    from rapidbleu.explanation.texts import Text, Texts
    from rapidbleu.metrics.options import GivenReferences

_MOST_ORDERS = 1_000_000

_LEAST_FOR_INDEX = 8  # number of hypotheses from which an index of the references saves time


class CHRFScore(ChangeableScore):
    """A chrF score.

    Attributes
    ----------
    score : float
        In percent.
    char_order, word_order : int
        Maximum order of character and word n-grams.
    beta : float
        Weight of recall relative to precision.

    Examples
    --------
    >>> print(CHRFScore(53.2356, 6, 2, 2))
    chrF2++ = 53.24
    """

    def __init__(self, score: float, char_order: int, word_order: int, beta: float) -> None:
        self.beta = beta
        self.char_order = char_order
        self.word_order = word_order
        super().__init__(chrf_name(word_order, beta), score)


def check_beta(name: str, value: Any) -> float:
    """Return a beta, int or float because names of scores show it, as in sacrebleu.

    >>> check_beta("beta", 2), check_beta("beta", 2.0)
    (2, 2.0)
    """
    beta = check_number(name, value, 0, 1e150)
    return value.__index__() if hasattr(value, "__index__") else beta


class CHRF(Metric[CHRFScore]):
    """chrF with fixed options; chrF+ with ``word_order=1``, chrF++ with ``word_order=2``.

    Parameters
    ----------
    char_order : int
        Maximum order of character n-grams.
    word_order : int
        Maximum order of word n-grams; 0 uses characters only.
    beta : float
        Weight of recall relative to precision.
    lowercase : bool
        Lowercase all text first.
    whitespace : bool
        Count white space as characters.
    eps_smoothing : bool
        Use the mean of the F scores of all orders, with a small match in empty ones, as in
        chrF++.py, NLTK and Moses; otherwise F of the mean precision and recall over the orders
        that both hypothesis and reference have.
    references : sequence of streams or References, optional
        References for calls that pass none.

    Notes
    -----
    Segments are str, since lists of tokens have no characters. A row of statistics contains, for
    each order, the n-grams of the hypothesis and of the reference, and the matches. If a segment
    has several references, the one with the highest score is used, in a tie the first.

    References
    ----------
    Popovic 2015, "chrF: character n-gram F-score for automatic MT evaluation".
    Popovic 2017, "chrF++: words helping character n-grams".

    Examples
    --------
    >>> chrf = CHRF(word_order=2)
    >>> hypotheses = ["The cat sat on a mat.", "It rained."]
    >>> references = [["The cat sat on the mat.", "It was raining."]]
    >>> chrf.corpus_score(hypotheses, references)
    chrF2++ = 51.21
    >>> CHRF(char_order=2).segment_stats(hypotheses, references)
    array([[16, 18, 15, 15, 17, 13],
           [ 9, 13,  7,  8, 12,  4]])
    """

    CHAR_ORDER: ClassVar[int] = 6
    WORD_ORDER: ClassVar[int] = 0
    BETA: ClassVar[int] = 2
    _reads_ids = False

    char_order: int = count(default=CHAR_ORDER, least=0, most=_MOST_ORDERS)
    word_order: int = count(default=WORD_ORDER, least=0, most=_MOST_ORDERS)
    beta: float = option(default=BETA, check=check_beta, text=NUMBER)
    lowercase: bool = flag(default=False, or_none=True)
    whitespace: bool = flag(
        default=False,
        or_none=True,
        lenient=True,
        needs=("a `char_order` of at least 1", lambda metric: metric.char_order > 0),
    )
    eps_smoothing: bool = flag(default=False, or_none=True)
    references: GivenReferences = given_references(default=None)

    def _settle(self) -> None:
        if not (self.char_order or self.word_order):
            raise ValueError("char_order, word_order: expected one of them above 0; got 0 and 0")

    def _choose_tokenizer(self) -> Callable[[str], Any]:
        return get_character_tokenizer(self.whitespace, words=self.word_order > 0)

    def _describe_reading(self) -> str:
        text: str = self.tokenizer.name  # type: ignore[attr-defined]
        return f"text:{text}|case:{self._case}|space:{'yes' if self.whitespace else 'no'}"

    def _make_kernel(self) -> ChrfKernel:
        factor = self.beta**2
        return ChrfKernel(
            self.char_order, self.word_order, float(factor), float(1 + factor), self.eps_smoothing
        )

    def _make_pairs(self, hyps: PreparedReferences, refs: PreparedReferences) -> Pairs:
        return ChrfPairs(self._extractor.kernel, hyps, refs, _LEAST_FOR_INDEX)

    def _make_score(self, parts: tuple[Any, ...]) -> CHRFScore:
        return CHRFScore(parts[0], self.char_order, self.word_order, self.beta)

    def _read_texts(self, hypothesis: Segment, references: list[Any]) -> tuple[Texts, ...]:
        from rapidbleu.explanation.texts import Texts

        texts = []
        for kind, read in (("characters", self._characters_of), ("words", self._words_of)):
            if kind == "characters" or self.word_order:
                refs = [None if reference is None else read(reference) for reference in references]
                texts.append(Texts(kind, read(hypothesis), tuple(refs)))
        return tuple(texts)

    def _characters_of(self, segment: Any) -> Text:
        from itertools import accumulate

        from rapidbleu.explanation.texts import Text

        text = lower_text(self, segment)
        if self.whitespace:
            return Text(tuple(text), frozenset())
        words = text.split()
        return Text(tuple("".join(words)), frozenset(accumulate(map(len, words))))

    def _words_of(self, segment: Any) -> Text:
        from rapidbleu.explanation.texts import Text

        tokenizer = get_character_tokenizer(self.whitespace, words=True)
        return Text(tuple(tokenizer.words(lower_text(self, segment))))

    def _match_orders(self, texts: tuple[Texts, ...], reference: int | None) -> list[NgramOrder]:
        from rapidbleu.explanation.ngrams import match_ngrams

        against = [] if reference is None else [reference]
        return [
            match_ngrams(reading, order, against)
            for reading, most in zip(texts, (self.char_order, self.word_order), strict=False)
            for order in range(1, most + 1)
        ]

    def _formula(self, score: Score, row: list[int], reference: int | None) -> list[str]:
        from rapidbleu.explanation.formulas import chrf_formula

        return chrf_formula(score, row, self.char_order, self.beta, self.eps_smoothing)

    _abbreviations: ClassVar[dict[str, str]] = {"case": "c", "eff": "e", "space": "s"}

    def _signed(self) -> dict[str, Any]:
        return {
            "case": self._case,
            "eff": "no" if self.eps_smoothing else "yes",
            "nc": self.char_order,
            "nw": self.word_order,
            "space": "yes" if self.whitespace else "no",
        }


# Used by sacrebleu's functions, with its names and defaults
_recent: Recent[CHRF] = Recent(CHRF)


def corpus_chrf(
    hypotheses: Hypotheses,
    references: ReferenceStreams,
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: float = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
    *,
    layout: Layout = "stream",
    threads: int = 1,
) -> CHRFScore:
    """Return the chrF score of a corpus.

    Parameters as in `Metric.corpus_score`, plus the options of `CHRF`; `remove_whitespace` is the
    opposite of ``whitespace``.

    Examples
    --------
    >>> corpus_chrf(["The cat sat on a mat."], [["The cat sat on the mat."]]).score
    65.8003432933587
    """
    whitespace = not check_flag("remove_whitespace", remove_whitespace)
    options = char_order, word_order, beta, False, whitespace, eps_smoothing
    metric = _recent.of((options, type(char_order), type(word_order), type(beta)))
    return metric.corpus_score(hypotheses, references, layout=layout, threads=threads)


def sentence_chrf(
    hypothesis: Segment,
    references: SegmentReferences,
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: float = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Return the chrF score of one segment, against the reference with the highest score.

    Parameters as in `Metric.sentence_score`, plus the options of `corpus_chrf`.

    Examples
    --------
    >>> sentence_chrf("The cat sat on a mat.", ["The cat sat on the mat."], word_order=2)
    chrF2++ = 68.44
    """
    whitespace = not check_flag("remove_whitespace", remove_whitespace)
    options = char_order, word_order, beta, False, whitespace, eps_smoothing
    metric = _recent.of((options, type(char_order), type(word_order), type(beta)))
    return metric.sentence_score(hypothesis, references)
