"""The score objects: plain attributes, printed and pickled as sacrebleu's are."""

from collections.abc import Sequence

from rapidbleu.loading.loader import load
from rapidbleu.score import (
    bleu_details,
    chrf_name,
    formatted,
    joined_precisions,
    length_ratio,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Score:
    """A score and its name; the base of those of the metrics.

    Parameters
    ----------
    name : str
    score : float

    Examples
    --------
    >>> Score("mine", 12.345).format(width=1)
    'mine = 12.3'
    """

    def __init__(self, name: str, score: float) -> None:
        self.name = name
        self.score = score
        self._mean = -1.0  # of resampled scores, once there are some
        self._ci = -1.0  # half the width of their 95 % interval
        self._verbose = ""

    def format(
        self, width: int = 2, score_only: bool = False, signature: str = "", is_json: bool = False
    ) -> str:
        """Write the score as text or as JSON.

        Parameters
        ----------
        width : int
            Digits behind the decimal point.
        score_only : bool
            Write the number alone; wins over `is_json`.
        signature : str
            Text of the metric's signature.
        is_json : bool

        Returns
        -------
        str

        Raises
        ------
        ValueError
            If JSON is asked for, and the signature is not one of keys and values.
        """
        if is_json and not score_only:
            for part in signature.split("|"):
                _key, _value = part.split(":")
        return formatted(self, width, score_only, signature, is_json)

    @property
    def _has_interval(self) -> bool:
        return self._mean > 0

    def estimate_ci(self, scores: "Sequence[Score]") -> None:
        """Remember mean and 95 % interval of the scores of resampled corpora.

        Parameters
        ----------
        scores : sequence of Score
        """
        statistics = load("statistics")
        ordered = sorted(float(resampled.score) for resampled in scores)
        tail = len(ordered) // 40
        self._ci = 0.5 * (ordered[len(ordered) - tail - 1] - ordered[tail])
        self._mean = statistics.mean(ordered)

    def __repr__(self) -> str:
        return self.format()


class BLEUScore(Score):
    """A BLEU score and what it was made of.

    Parameters
    ----------
    score : float
        In percent.
    counts, totals : sequence of int
        Matched and possible n-grams of each order.
    precisions : sequence of float
        In percent.
    bp : float
        Brevity penalty, a fraction.
    sys_len, ref_len : int
        Lengths in tokens.
    """

    def __init__(
        self,
        score: float,
        counts: "Any",
        totals: "Any",
        precisions: "list[float]",
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        super().__init__("BLEU", score)
        self.bp = bp
        self.counts = counts
        self.totals = totals
        self.sys_len = sys_len
        self.ref_len = ref_len
        self.precisions = precisions
        self.prec_str = joined_precisions(precisions)
        self.ratio = length_ratio(sys_len, ref_len)
        self._verbose = bleu_details(self.prec_str, bp, self.ratio, sys_len, ref_len)


class CHRFScore(Score):
    """A chrF score.

    Parameters
    ----------
    score : float
        In percent.
    char_order, word_order : int
        Highest orders of n-grams.
    beta : float
        How many times more recall counts than precision.
    """

    def __init__(self, score: float, char_order: int, word_order: int, beta: float) -> None:
        self.beta = beta
        self.char_order = char_order
        self.word_order = word_order
        super().__init__(chrf_name(word_order, beta), score)


class TERScore(Score):
    """A translation edit rate.

    Parameters
    ----------
    score : float
        In percent.
    num_edits : int
    ref_length : float
        Sum over segments of the mean length of their references.
    """

    def __init__(self, score: float, num_edits: float, ref_length: float) -> None:
        super().__init__("TER", score)
        self.num_edits = int(num_edits)
        self.ref_length = ref_length
