"""Scores that several metrics have in common."""

from rapidbleu.score import Score


def rate_formula(score: Score, words: str, edits: object, length: float) -> list[str]:
    """Return the formula of an error rate.

    Examples
    --------
    >>> rate_formula(Score("PER", 25.0), "edits / ref_len", 1, 4)
    ['PER = 100 * edits / ref_len = 100 * 1 / 4 = 25.00']
    """
    if not length:
        return [f"{score.name} = {score.score:.2f}  (any edits are 100 % of an empty reference)"]
    numbers = f"100 * {edits} / {length:.6g}"
    return [f"{score.name} = 100 * {words} = {numbers} = {score.score:.2f}"]


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

    def shares(self, name: str, common: str, beta: float) -> list[str]:
        """Return the formula: precision and recall of what texts have in common, and F.

        Examples
        --------
        >>> score = OverlapScore("F1", 60.0, 75.0, 50.0, 4, 6)
        >>> score.shares("matches", "3", 1)[:2]
        ['P = 100 * matches / hyp_len = 100 * 3 / 4 = 75.00', \
'R = 100 * matches / ref_len = 100 * 3 / 6 = 50.00']
        """
        from rapidbleu.explanation.formulas import f_formula

        sides = ("P", self.precision, "hyp", self.sys_len), ("R", self.recall, "ref", self.ref_len)
        lines = [
            f"{letter} = 100 * {name} / {side}_len = 100 * {common} / {length} = {share:.2f}"
            if length else f"{letter} = 0.00  (of an empty text)"
            for letter, share, side, length in sides
        ]  # fmt: skip
        return [*lines, f_formula(self.name, self.precision, self.recall, beta, self.score)]

    @property
    def _verbose(self) -> str:
        return (
            f"(P = {self.precision:.1f} R = {self.recall:.1f} hyp_len = {self.sys_len:d} "
            f"ref_len = {self.ref_len:d})"
        )


class WeightedScore(Score):
    """A score of weighted n-grams and what it was made of.

    Attributes
    ----------
    score : float
        In percent.
    matched, totals : list of float
        Of each order the weight of the matched n-grams, and that of all n-grams.
    sys_len : int
        Length of the hypotheses in words.

    Examples
    --------
    >>> print(WeightedScore("weighted BLEU", 50.0, [1.5], [3.0], 4))
    weighted BLEU = 50.00
    """

    def __init__(
        self, name: str, score: float, matched: list[float], totals: list[float], sys_len: int
    ) -> None:
        super().__init__(name, score)
        self.matched = matched
        self.totals = totals
        self.sys_len = sys_len

    @property
    def _formula(self) -> list[str]:
        pairs = zip(self.matched, self.totals, strict=True)
        return [f"{n}-grams: {one:.6g} of {all:.6g}" for n, (one, all) in enumerate(pairs, 1)]
