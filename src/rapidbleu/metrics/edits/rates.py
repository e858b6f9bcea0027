"""Edit-based error rates: WER, CER, PER, CDER, CharacTER and EED."""

from __future__ import annotations

from rapidbleu._core.edits.rates import (
    CharacterKernel,
    EditKernel,
    ExtendedKernel,
    JumpKernel,
    PositionKernel,
    trace_edits,
)
from rapidbleu._core.scoring.pairs import EditPairs, Pairs
from rapidbleu.metrics.explaining import align, trace_steps
from rapidbleu.metrics.metric import Metric, WordMetric
from rapidbleu.metrics.options import choice, flag, number, words
from rapidbleu.score import Score, SegmentMeanScore, declared, rate_formula
from rapidbleu.tokenizers.characters import EED_TOKENIZERS, get_character_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Sequence
    from typing import Any, ClassVar

    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu._types import EEDLanguage, PERForm, TokenizerName, TokenizerRule


# Number of hypotheses from which on it saves time to lay out references side by side
LEAST_FOR_LANES = 4


def trace_words(hyp: array[int], ref: array[int]) -> tuple[list[tuple[int, int, int]], bytes]:
    """Return the edits between texts of word indices, and no moves."""
    return [], trace_edits(hyp, ref)


class ErrorRateScore(Score):
    """A word or character error rate and its components.

    Attributes
    ----------
    score : float
        Edits divided by reference length, in percent; the lower, the better.
    matches, substitutions, deletions, insertions : int
        Summed over the alignments of all segments, each with its closest reference.
    num_edits, hyp_len, ref_len : int
        Totals: edits, and lengths in words or characters.

    Examples
    --------
    >>> print(ErrorRateScore("WER", 50.0, 3, 1, 0, 1))
    WER = 50.00 (S = 1 D = 0 I = 1 ref_len = 4)
    """

    _lower_is_better = True

    matches: int
    substitutions: int
    deletions: int
    insertions: int
    num_edits: int
    hyp_len: int
    ref_len: int

    def __init__(
        self,
        name: str,
        score: float,
        matches: int,
        substitutions: int,
        deletions: int,
        insertions: int,
    ) -> None:
        self._put(
            name=name,
            score=score,
            matches=matches,
            substitutions=substitutions,
            deletions=deletions,
            insertions=insertions,
            num_edits=substitutions + deletions + insertions,
            hyp_len=matches + substitutions + insertions,
            ref_len=matches + substitutions + deletions,
        )

    @property
    def _verbose(self) -> str:
        return (
            f"(S = {self.substitutions:d} D = {self.deletions:d} I = {self.insertions:d} "
            f"ref_len = {self.ref_len:d})"
        )

    @property
    def _formula(self) -> list[str]:
        edits = f"({self.substitutions} + {self.deletions} + {self.insertions})"
        return rate_formula(self, "(S + D + I) / ref_len", edits, self.ref_len)


class EditMetric(Metric[ErrorRateScore]):
    """Base class of WER and CER, which differ only in their tokens."""

    _of_characters = False
    _is_error_rate = True
    _score_type = ErrorRateScore

    def _make_kernel(self) -> EditKernel:
        return EditKernel(self._of_characters)

    def _make_pairs(self, hyps: PreparedReferences, refs: PreparedReferences) -> Pairs:
        return EditPairs(self._kernel, hyps, refs, LEAST_FOR_LANES)

    align = align
    _edit_rule = trace_words, True


class WER(EditMetric):
    """Word error rate with fixed options; the lower, the better.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the default tokenizer is none (split at white space).

    Notes
    -----
    A row of statistics is [matches, substitutions, deletions, insertions]. If a segment has several
    references, the one with the fewest edits is used, in a tie the longest. Against an empty
    reference the rate is 100 % if the hypothesis has any words, and else 0. Time is 1/64 of the
    product of both lengths, or of a long one and the edits; memory is linear.

    References
    ----------
    Levenshtein 1966, "Binary codes capable of correcting deletions, insertions and reversals".
    Hyyro 2003, "A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit Distances".

    Examples
    --------
    >>> wer = WER()
    >>> hypotheses = ["the cat sat on mat", "it rained"]
    >>> references = [["the cat sat on the mat", "it was raining"]]
    >>> wer.corpus_score(hypotheses, references)
    WER = 33.33 (S = 1 D = 2 I = 0 ref_len = 9)
    >>> wer.segment_stats(hypotheses, references)
    array([[5, 0, 1, 0],
           [1, 1, 1, 0]])
    """

    TOKENIZER_DEFAULT: ClassVar[TokenizerName] = "none"

    lowercase: bool = flag(default=False)
    tokenize: TokenizerName | TokenizerRule | None = words(default=None)

    _score_name = "WER"


class CER(EditMetric):
    """Character error rate with fixed options; the lower, the better.

    Parameters
    ----------
    lowercase : bool
        Lowercase all text first.
    whitespace : bool
        Count white space as characters.
    strip : bool
        Strip white space at both ends.

    Notes
    -----
    Segments are str, since lists of tokens have no characters. Characters are code points. Rows and
    the choice of a reference are as in `WER`.

    Examples
    --------
    >>> CER().corpus_score(["it rained"], [["it rains"]])
    CER = 25.00 (S = 1 D = 0 I = 1 ref_len = 8)
    """

    _of_characters = True
    _reads_ids = False
    _score_name = "CER"

    lowercase: bool = flag(default=False)
    whitespace: bool = flag(default=True)
    strip: bool = flag(default=True, needs=("whitespace=True", lambda metric: metric.whitespace))

    def _choose_tokenizer(self) -> Callable[[str], Any]:
        return get_character_tokenizer(self.whitespace, self.strip)

    def _describe_reading(self) -> str:
        return f"text:chars|case:{self._case}|space:{self._space()}"

    def _space(self) -> str:
        """Return which white space counts as characters."""
        if not self.whitespace:
            return "no"
        return "inside" if self.strip else "yes"

    _abbreviations: ClassVar[dict[str, str]] = {"case": "c", "space": "s"}

    def _signed(self) -> dict[str, Any]:
        return {"case": self._case, "space": self._space()}


FORMS = ("segments", "corpus")


@declared
class PERScore(Score):
    """A position-independent error rate and its components.

    Attributes
    ----------
    score : float
        Edits divided by reference length, in percent; the lower, the better.
    matches : int
        Words of hypotheses with a partner in the closest reference.
    num_edits, hyp_len, ref_len : int
        Edits, and the lengths of hypotheses and references in words.

    Examples
    --------
    >>> print(PERScore(25.0, 3, 4, 4, 1))
    PER = 25.00
    """

    _lower_is_better = True

    name = "PER"

    score: float
    matches: int
    hyp_len: int
    ref_len: int
    num_edits: int

    @property
    def _formula(self) -> list[str]:
        edits = f"(max({self.hyp_len}, {self.ref_len}) - {self.matches})"
        return rate_formula(self, "(longer - matches) / ref_len", edits, self.ref_len)


class PER(WordMetric[PERScore]):
    """Position-independent error rate with fixed options; the lower, the better.

    The edits of a segment are the words of the longer of hypothesis and reference beyond their
    common words, in any order.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the default tokenizer is 13a.
    aggregate : {"segments", "corpus"}
        Add the edits of segments; or compare the length of all hypotheses with the length of all
        references, as Moses does, so that too long and too short segments cancel out.

    Notes
    -----
    A row of statistics is [matches, hypothesis length, reference length, longer length]. If a
    segment has several references, the one with the fewest edits is used, in a tie the longest.

    References
    ----------
    Tillmann et al. 1997, "Accelerated DP Based Search for Statistical Translation".

    Examples
    --------
    >>> per = PER()
    >>> hypotheses = ["on the mat sat the cat", "it rained again"]
    >>> references = [["the cat sat on the mat", "it was raining all day"]]
    >>> per.corpus_score(hypotheses, references)
    PER = 36.36
    >>> per.segment_stats(hypotheses, references)
    array([[6, 6, 6, 6],
           [1, 3, 5, 5]])
    """

    aggregate: PERForm = choice(default="segments", among=FORMS, sign="form")

    _is_error_rate = True

    def _counted_orders(self) -> Sequence[int]:
        return (1,)

    def _make_kernel(self) -> PositionKernel:
        return PositionKernel(self.aggregate == "corpus")

    def _make_score(self, parts: tuple[Any, ...]) -> PERScore:
        score, matches, hyp_len, ref_len, longer = parts
        if self.aggregate == "corpus":
            longer = max(hyp_len, ref_len)
        return PERScore(score, matches, hyp_len, ref_len, longer - matches)


@declared
class CDERScore(Score):
    """A CDER and its components.

    Attributes
    ----------
    score : float
        Edits divided by reference length, in percent; the lower, the better.
    num_edits : int
        Edits and jumps, for each segment against its closest reference.
    ref_len : int
        Length of these references in words.

    Examples
    --------
    >>> print(CDERScore(25.0, 1, 4))
    CDER = 25.00
    """

    _lower_is_better = True

    name = "CDER"

    score: float
    num_edits: int
    ref_len: int

    @property
    def _formula(self) -> list[str]:
        return rate_formula(self, "edits / ref_len", self.num_edits, self.ref_len)


class CDER(WordMetric[CDERScore]):
    """Cover disjoint error rate with fixed options; the lower, the better.

    Each word of the reference is covered once and in order, by edits that cost 1 each. Within the
    hypothesis the path may jump to any other position at a cost of 1, so a moved block costs
    little, words may be used twice, and skipped words cost a jump.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the default tokenizer is 13a.

    Notes
    -----
    A row of statistics is [edits, reference length]. If a segment has several references, the one
    with the fewest edits is used, in a tie the longest. Time is 1/64 of the product of both
    lengths; memory is linear.

    References
    ----------
    Leusch et al. 2006, "CDER: Efficient MT Evaluation Using Block Movements", section 4.

    Examples
    --------
    >>> cder = CDER()
    >>> cder.corpus_score(["on the mat the cat sat"], [["the cat sat on the mat"]])
    CDER = 50.00
    >>> cder.segment_stats(["on the mat the cat sat"], [["the cat sat on the mat"]])
    array([[3, 6]])
    """

    _score_type = CDERScore

    @staticmethod
    def _trace(hyp: Sequence[Any], ref: Sequence[Any]) -> list[Any]:
        return trace_steps(hyp, ref, jumps=True)

    def _make_kernel(self) -> JumpKernel:
        return JumpKernel()


class CharacTERScore(SegmentMeanScore):
    """The mean CharacTER of segments, in percent; the lower, the better.

    Examples
    --------
    >>> print(CharacTERScore(15.0, 1))
    CharacTER = 15.00
    """

    _lower_is_better = True
    name = "CharacTER"


class CharacTER(Metric[CharacTERScore]):
    """CharacTER with fixed options; the lower, the better.

    Runs of words that occur in both texts are moved to their position in the reference, as long as
    that saves word edits. The remaining character edits, plus the mean word length of each moved
    run, are divided by the length of the hypothesis in characters.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the default tokenizer is none.

    Notes
    -----
    A row of statistics is the segment score in two columns, whole units of 2**-20 and the rest in
    units of 2**-50, and a 1. If a segment has several references, the lowest score is used. A
    segment with an empty text scores 100, even if both are empty. Segments are str or lists of
    str: integer ids have no characters. Each move is chosen among candidates, one for each pair of
    equal words at different positions; a candidate that bounds do not rule out costs 1/64 of the
    product of both lengths, so long texts of few distinct words are slow. Memory is linear, plus up
    to 16 MB.

    References
    ----------
    Wang et al. 2016, "CharacTER: Translation Edit Rate on Character Level".

    Examples
    --------
    >>> CharacTER().corpus_score(["on the mat the cat sat"], [["the cat sat on the mat"]])
    CharacTER = 25.76
    """

    TOKENIZER_DEFAULT: ClassVar[TokenizerName] = "none"
    _reads_ids = False

    lowercase: bool = flag(default=False)
    tokenize: TokenizerName | TokenizerRule | None = words(default=None)

    def _make_kernel(self) -> CharacterKernel:
        return CharacterKernel()

    _score_type = CharacTERScore


class EEDScore(SegmentMeanScore):
    """The mean extended edit distance of segments, in percent; the lower, the better.

    Examples
    --------
    >>> print(EEDScore(24.73, 1))
    EED = 24.73
    """

    _lower_is_better = True
    name = "EED"


class EED(Metric[EEDScore]):
    """Extended edit distance with fixed options; the lower, the better.

    Edits cover the characters of the reference one by one. After a space the path may jump to any
    position of the hypothesis. Coverage counts the positions of the hypothesis that were never the
    cheapest, and each repeat of one that was.

    Parameters
    ----------
    lowercase : bool
        Lowercase all text first.
    language : {"en", "ja"}
        Preparation: spaces before punctuation and at both ends; or NFKC, for texts without spaces.
    alpha, rho : float
        Cost of a jump, and weight of the coverage.
    deletion, insertion : float
        Costs of a character only in the hypothesis, or only in the reference; substitutions cost 1.

    Notes
    -----
    Segments are str, since lists of tokens have no characters. A row of statistics is the segment
    score in two columns, whole units of 2**-20 and the rest in units of 2**-50, and a 1. If a
    segment has several references, the lowest score is used. A text scores above 0 against itself
    because the position before it is never visited. Time is the product of lengths, memory linear.

    References
    ----------
    Stanchev et al. 2019, "EED: Extended Edit Distance Measure for Machine Translation".

    Examples
    --------
    >>> EED().corpus_score(["the cat sat on the mat"], [["the cat is on the mat"]])
    EED = 10.74
    """

    _reads_ids = False

    lowercase: bool = flag(default=False)
    language: EEDLanguage = choice(default="en", among=tuple(EED_TOKENIZERS), sign="lang")
    alpha: float = number(default=2.0, least=0, most=100, sign="alpha")
    rho: float = number(default=0.3, least=0, most=100, sign="rho")
    deletion: float = number(default=0.2, least=0, most=100, sign="del")
    insertion: float = number(default=1.0, least=0, most=100, sign="ins")

    def _choose_tokenizer(self) -> Callable[[str], Any]:
        return EED_TOKENIZERS[self.language]

    def _describe_reading(self) -> str:
        return f"text:eed-{self.language}|case:{self._case}"

    def _make_kernel(self) -> ExtendedKernel:
        return ExtendedKernel(self.alpha, self.rho, self.deletion, self.insertion)

    _score_type = EEDScore

    _abbreviations: ClassVar[dict[str, str]] = {
        "case": "c",
        "lang": "l",
        "alpha": "a",
        "rho": "r",
        "del": "d",
        "ins": "i",
    }

    def _signed(self) -> dict[str, Any]:
        return {"case": self._case, **self._options()}
