"""GLEU for grammatical error correction (Napoles et al. 2015, in the form of 2016)."""

from __future__ import annotations

from rapidbleu._core.counting.overlap import CorrectionKernel
from rapidbleu._core.input.columns import Column
from rapidbleu._lib.checks import check_count
from rapidbleu._lib.lazy import np
from rapidbleu._lib.loader import load
from rapidbleu.metrics.metric import Metric
from rapidbleu.metrics.options import count, flag, words
from rapidbleu.score import Score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from rapidbleu.typing import (
        Texts,
        TokenizerName,
        TokenizerRule,
    )

MOST_ORDERS = 64
SEED = 101  # by which draw after draw is multiplied: that of the authors' program


class GECGLEUScore(Score):
    """A GLEU of corrections and what it was made of.

    Attributes
    ----------
    score : float
        In percent.
    correct, totals : list of int
        Of each order the n-grams of the reference that were found, less those of the source that
        should have been changed; and those of the hypotheses.
    sys_len, ref_len : int
        Lengths of the hypotheses and of the best reference of each segment in words.

    Examples
    --------
    >>> print(GECGLEUScore(50.0, [3, 1], [4, 3], 4, 4))
    GECGLEU = 50.00
    """

    name = "GECGLEU"

    def __init__(
        self, score: float, correct: list[int], totals: list[int], sys_len: int, ref_len: int
    ) -> None:
        self.score = score
        self.correct = correct
        self.totals = totals
        self.sys_len = sys_len
        self.ref_len = ref_len


class GECGLEU(Metric[GECGLEUScore]):
    """GLEU of corrections with fixed options; the first of a segment's references is its source.

    It is BLEU, less the n-grams that the hypothesis kept from the source though the reference does
    not have them.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the tokenizer is none by default.
    max_ngram_order : int
        Highest order of n-grams.
    smooth : bool
        Take every 0 among the statistics for a 1, as the authors do for single segments; otherwise
        the score is 0 if one of them is.

    Notes
    -----
    A row of statistics is [length of the hypothesis, of the reference], then correct and all
    n-grams of each order. Of several references a segment takes the first with the greatest
    smoothed score. The authors instead draw one reference of each segment at random, 500 times, and
    report mean and deviation: `draw_scores` does that.

    References
    ----------
    Napoles et al. 2015, "Ground Truth for Grammatical Error Correction Metrics".
    Napoles et al. 2016, "GLEU Without Tuning".

    Examples
    --------
    >>> sources = ["He go to school .", "There is a apple ."]
    >>> references = ["He goes to school .", "There is an apple ."]
    >>> gleu = GECGLEU()
    >>> gleu.corpus_score(["He goes to school .", "There is a apple ."], [sources, references])
    GECGLEU = 56.23
    """

    TOKENIZER_DEFAULT: ClassVar[TokenizerName] = "none"

    lowercase: bool = flag(default=False)
    tokenize: TokenizerName | TokenizerRule | None = words(default=None)
    max_ngram_order: int = count(default=4, least=1, most=MOST_ORDERS)
    smooth: bool = flag(default=False)

    def _stat_names(self) -> list[str]:
        orders = range(1, self.max_ngram_order + 1)
        counts = [f"{what}_{n}" for n in orders for what in ("correct", "total")]
        return ["hyp_len", "ref_len", *counts]

    def _make_kernel(self) -> CorrectionKernel:
        return CorrectionKernel(self.max_ngram_order, self.smooth)

    def _make_score(self, parts: tuple[Any, ...]) -> GECGLEUScore:
        return GECGLEUScore(*parts)

    def _options(self) -> dict[str, Any]:
        return {"n": self.max_ngram_order, "smooth": "yes" if self.smooth else "no"}

    def draw_scores(
        self,
        hypotheses: Texts,
        sources: Texts,
        references: list[Texts],
        draws: int = 500,
    ) -> list[float]:
        """Score a corpus as the authors' program does, with one reference of each segment drawn.

        Parameters
        ----------
        hypotheses, sources : sequence of n segments
        references : list of sequences of n segments
            Each of them complete.
        draws : int
            From 1 to a million.

        Returns
        -------
        list of float
            A score for each draw, in percent; the program reports their mean and population
            standard deviation. References are drawn by Python's generator, with the seeds 0, 101,
            202 and so on.

        Examples
        --------
        >>> sources = ["He go to school ."]
        >>> references = [["He goes to school ."], ["He went to school ."]]
        >>> scores = GECGLEU().draw_scores(["He went to school ."], sources, references, draws=20)
        >>> sum(scores) / len(scores)
        40.0
        """
        Random = load("random", "Random")
        check_count("draws", draws, 1, 10**6)
        if not references:
            raise ValueError("references: expected at least one stream, got none")
        first: Any = Column(sources, "references[0]")  # a column: the layout is known
        rows = np.stack([self.segment_stats(hypotheses, [first, own]) for own in references])
        n = rows.shape[1]
        chosen = np.empty((draws, rows.shape[2]), np.int64)
        for k in range(draws):
            random = Random(SEED * k)
            drawn = [random.randint(0, len(references) - 1) for _ in range(n)]
            chosen[k] = rows[drawn, np.arange(n)].sum(axis=0)
        scores: list[float] = self.score_rows(chosen).tolist()
        return scores
