"""CharacTER (Wang et al. 2016): words are moved, characters are edited."""

from __future__ import annotations

from rapidbleu._core.edits.rates import CharacterKernel
from rapidbleu.metrics.metric import Metric
from rapidbleu.metrics.options import flag, words
from rapidbleu.score import SegmentMeanScore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from rapidbleu.typing import TokenizerName, TokenizerRule


class CharacTERScore(SegmentMeanScore):
    """The mean CharacTER of segments, in percent; the lower, the better."""

    name = "CharacTER"


class CharacTER(Metric[CharacTERScore]):
    """CharacTER with fixed options; the lower, the better.

    Runs of words that both texts have are moved to where the reference has them, as long as that
    saves edits of words. The edits of characters that remain, and the mean length of the words of
    each run that was moved, are divided by the length of the hypothesis in characters.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the tokenizer is none by default.

    Notes
    -----
    A row of statistics is the score of the segment in two columns, whole units of 2**-20 and the
    rest in units of 2**-50, and a 1. Of several references a segment takes the lowest score. A
    segment with an empty text scores 100, also if both are empty. Segments are str or lists of
    str: integer ids have no characters. Before each move that is made, one is considered for each
    pair of equal words in different places, and tried if bounds do not rule it out; to try one
    takes 1/64 of the product of both lengths in words. So a text of many hundreds of words takes
    long if few of them differ. Memory is linear but for up to 16 MB.

    References
    ----------
    Wang et al. 2016, "CharacTER: Translation Edit Rate on Character Level".

    Examples
    --------
    >>> CharacTER().corpus_score(["on the mat the cat sat"], [["the cat sat on the mat"]])
    CharacTER = 25.76
    """

    TOKENIZER_DEFAULT: ClassVar[TokenizerName] = "none"

    lowercase: bool = flag(default=False)
    tokenize: TokenizerName | TokenizerRule | None = words(default=None)

    _columns = "score_units", "score_rest", "segments"

    def _make_kernel(self) -> CharacterKernel:
        return CharacterKernel()

    def _make_score(self, parts: tuple[Any, ...]) -> CharacTERScore:
        score, _, n_segments = parts
        return CharacTERScore(score, n_segments)
