"""Unweighted n-gram overlap: word F, GLEU, and GLEU of corrections."""

from __future__ import annotations

from rapidbleu._core.counting.kernels import CorrectionKernel, GleuKernel, WordFKernel
from rapidbleu._core.input.columns import Column
from rapidbleu._lib.checks import check_count
from rapidbleu._lib.floats import shortest
from rapidbleu._lib.loader import load, np
from rapidbleu.metrics.metric import WordMetric
from rapidbleu.metrics.options import count, flag, number
from rapidbleu.score import Score, declared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, ClassVar

    from rapidbleu._types import Texts, TokenizerName

MOST_ORDERS = 64
SEED = 101  # factor of the seeds of GECGLEU's draws, from the authors' program


class OverlapScore(Score):
    """F of the words that hypotheses and references share; subclasses list the attributes."""

    _order = "precision", "recall", "hyp_len", "ref_len"

    def _shares(self: Any, name: str, common: str, beta: float) -> list[str]:
        """Return the formulas of precision, recall and F.

        >>> score = WordFScore("F1", 60.0, 75.0, 50.0, 3, 4, 6)
        >>> score._shares("matches", "3", 1)[:2]
        ['P = 100 * matches / hyp_len = 100 * 3 / 4 = 75.00', \
'R = 100 * matches / ref_len = 100 * 3 / 6 = 50.00']
        """
        from rapidbleu.explanation.formulas import f_formula

        sides = ("P", self.precision, "hyp", self.hyp_len), ("R", self.recall, "ref", self.ref_len)
        lines = [
            f"{letter} = 100 * {name} / {side}_len = 100 * {common} / {length} = {share:.2f}"
            if length
            else f"{letter} = 0.00  (of an empty text)"
            for letter, share, side, length in sides
        ]
        return [*lines, f_formula(self.name, self.precision, self.recall, beta, self.score)]

    @property
    def _verbose(self: Any) -> str:
        return (
            f"(P = {self.precision:.1f} R = {self.recall:.1f} hyp_len = {self.hyp_len:d} "
            f"ref_len = {self.ref_len:d})"
        )


@declared
class WordFScore(OverlapScore):
    """An F of words and its components.

    Attributes
    ----------
    score, precision, recall : float
        In percent; the score is F.
    hyp_len, ref_len : int
        Length in words of the hypotheses, and of the best reference of each segment.
    matches : int
        Words shared with the best reference of each segment.

    Examples
    --------
    >>> print(WordFScore("wordF1", 60.0, 75.0, 50.0, 3, 4, 6))
    wordF1 = 60.00 (P = 75.0 R = 50.0 hyp_len = 4 ref_len = 6)
    """

    name: str
    score: float
    precision: float
    recall: float
    matches: int
    hyp_len: int
    ref_len: int


class WordF(WordMetric[WordFScore]):
    """Precision, recall and F of single words with fixed options.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the default tokenizer is 13a.
    beta : float
        Weight of recall relative to precision: 1 for F1; 3 for METEOR's mean 10 P R / (R + 9 P); 0
        for precision and ``math.inf`` for recall alone.

    Notes
    -----
    A row of statistics is [matches, hypothesis length, reference length]. If a segment has several
    references, the first with the highest score is used.

    References
    ----------
    Melamed, Green and Turian 2003, "Precision and Recall of Machine Translation".
    Lavie, Sagae and Jayaraman 2004, "The Significance of Recall in Automatic Metrics for MT
    Evaluation".

    Examples
    --------
    >>> hypotheses = ["in two weeks the army will give weapons"]
    >>> references = [["the army is to give its weapons back within two weeks"]]
    >>> WordF().corpus_score(hypotheses, references)
    wordF1 = 63.16 (P = 75.0 R = 54.5 hyp_len = 8 ref_len = 11)
    >>> WordF(beta=3).segment_scores(hypotheses, references).round(2)
    array([56.07])
    """

    beta: float = number(default=1.0, least=0, most=float("inf"), sign="beta")

    def _counted_orders(self) -> Sequence[int]:
        return (1,)

    def _formula(self, score: Any, row: list[int], reference: int | None) -> Any:
        return score._shares("matches", str(score.matches), self.beta)

    def _make_kernel(self) -> WordFKernel:
        return WordFKernel(self.beta)

    _score_type = WordFScore

    @property
    def _score_name(self) -> str:  # type: ignore[override]
        return f"wordF{shortest(self.beta)}"


@declared
class GLEUScore(Score):
    """A GLEU score and its components.

    Attributes
    ----------
    score : float
        In percent.
    matches, totals : int
        N-grams shared with the best reference of each segment; n-grams of the hypothesis or of the
        reference, whichever has more.

    Examples
    --------
    >>> print(GLEUScore(40.0, 4, 10))
    GLEU = 40.00
    """

    name = "GLEU"

    score: float
    matches: int
    totals: int

    @property
    def _formula(self) -> list[str]:
        if not self.totals:
            return [f"GLEU = {self.score:.2f}  (no n-grams)"]
        return [
            f"GLEU = 100 * matches / n-grams = 100 * {self.matches} / {self.totals} "
            f"= {self.score:.2f}"
        ]


class GLEU(WordMetric[GLEUScore]):
    """Google's BLEU for segments, with fixed options.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the default tokenizer is 13a.
    min_ngram_order, max_ngram_order : int
        Minimum and maximum n-gram order.

    Notes
    -----
    A row of statistics is [matches, n-grams]. If a segment has several references, the first with
    the highest share is used. Scores are NLTK's ``corpus_gleu`` and ``sentence_gleu`` in percent.

    References
    ----------
    Wu et al. 2016, "Google's Neural Machine Translation System", section 5.2.

    Examples
    --------
    >>> gleu = GLEU()
    >>> gleu.corpus_score(["the cat sat", "it rained"], [["the cat slept", "it rained"]])
    GLEU = 66.67
    >>> gleu.segment_stats(["the cat sat", "it rained"], [["the cat slept", "it rained"]])
    array([[3, 6],
           [3, 3]])
    """

    min_ngram_order: int = count(default=1, least=1, most=MOST_ORDERS)
    max_ngram_order: int = count(default=4, least=1, most=MOST_ORDERS)

    def _settle(self) -> None:
        check_count("max_ngram_order", self.max_ngram_order, self.min_ngram_order)

    _score_type = GLEUScore

    _counts_ngrams = True

    def _make_kernel(self) -> GleuKernel:
        return GleuKernel(self.min_ngram_order, self.max_ngram_order)

    def _options(self) -> dict[str, Any]:
        return {"n": f"{self.min_ngram_order}-{self.max_ngram_order}"}


@declared
class GECGLEUScore(Score):
    """A GLEU of corrections and its components.

    Attributes
    ----------
    score : float
        In percent.
    matches, totals : list of int
        By order: n-grams found in the reference, minus n-grams of the source that should have
        changed; n-grams of the hypotheses.
    hyp_len, ref_len : int
        Length in words of the hypotheses, and of the best reference of each segment.

    Examples
    --------
    >>> print(GECGLEUScore(50.0, [3, 1], [4, 3], 4, 4))
    GECGLEU = 50.00
    """

    name = "GECGLEU"

    score: float
    matches: list[int]
    totals: list[int]
    hyp_len: int
    ref_len: int


class GECGLEU(WordMetric[GECGLEUScore]):
    """GLEU of corrections with fixed options; the first reference of a segment is its source.

    This is BLEU, minus n-grams kept from the source that do not occur in the reference.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the default tokenizer is none.
    max_ngram_order : int
        Maximum n-gram order.
    smooth : bool
        Replace every 0 in the statistics by 1, as the authors do for segments; else any 0 scores 0.

    Notes
    -----
    A row of statistics is [hypothesis length, reference length], then matched and all n-grams of
    each order. If a segment has several references, the first with the highest smoothed score is
    used. The authors instead draw one reference per segment at random, 500 times, and report mean
    and deviation; `draw_scores` does that.

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

    max_ngram_order: int = count(default=4, least=1, most=MOST_ORDERS, sign="n")
    smooth: bool = flag(default=False, sign="smooth")

    def _make_kernel(self) -> CorrectionKernel:
        return CorrectionKernel(self.max_ngram_order, self.smooth)

    _score_type = GECGLEUScore
    _n_sources = 1

    def draw_scores(
        self, hypotheses: Texts, sources: Texts, references: list[Texts], n_draws: int = 500
    ) -> list[float]:
        """Score a corpus as the authors' program does, with one reference drawn per segment.

        Parameters
        ----------
        hypotheses, sources : sequence of n segments
        references : list of sequences of n segments
            Complete streams, without None.
        n_draws : int
            Number of draws, from 1 to a million.

        Returns
        -------
        list of float
            A score for each draw, in percent; the program reports their mean and population
            standard deviation. Python's generator draws with the seeds 0, 101, 202 and so on.

        Examples
        --------
        >>> sources = ["He go to school ."]
        >>> references = [["He goes to school ."], ["He went to school ."]]
        >>> scores = GECGLEU().draw_scores(["He went to school ."], sources, references, n_draws=20)
        >>> sum(scores) / len(scores)
        40.0
        """
        Random = load("random", "Random")
        check_count("n_draws", n_draws, 1, 10**6)
        if not references:
            raise ValueError("references: expected at least one stream; got none")
        first: Any = Column(sources, "references[0]")  # a column: the layout is known
        rows = np.stack([self.segment_stats(hypotheses, [first, stream]) for stream in references])
        n = rows.shape[1]
        chosen = np.empty((n_draws, rows.shape[2]), np.int64)
        for k in range(n_draws):
            random = Random(SEED * k)
            drawn = [random.randint(0, len(references) - 1) for _ in range(n)]
            chosen[k] = rows[drawn, np.arange(n)].sum(axis=0)
        scores: list[float] = self.score_rows(chosen).tolist()
        return scores
