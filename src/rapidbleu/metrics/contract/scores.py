"""Scores that several metrics have in common."""

from rapidbleu.score import Score


class SegmentMeanScore(Score):
    """A score that is the mean of the scores of segments; subclasses name it.

    Attributes
    ----------
    score : float
        The mean.
    n_segments : int
        How many segments it is the mean of.
    """

    def __init__(self, score: float, n_segments: int) -> None:
        self.score = score
        self.n_segments = n_segments


class OverlapScore(Score):
    """F of the words that hypotheses and references have in common.

    Attributes
    ----------
    score, precision, recall : float
        In percent; the score is F.
    sys_len, ref_len : int
        Lengths of the hypotheses and of the best reference of each segment in words.
    """

    def __init__(
        self, name: str, score: float, precision: float, recall: float, sys_len: int, ref_len: int
    ) -> None:
        super().__init__(name, score)
        self.precision = precision
        self.recall = recall
        self.sys_len = sys_len
        self.ref_len = ref_len

    @property
    def _verbose(self) -> str:
        return (
            f"(P = {self.precision:.1f} R = {self.recall:.1f} hyp_len = {self.sys_len:d} "
            f"ref_len = {self.ref_len:d})"
        )
