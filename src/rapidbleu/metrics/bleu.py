"""BLEU (Papineni et al. 2002) with sacrebleu's options, defaults, numbers and signature."""

from rapidbleu._core.metrics.bleu import (
    REF_LEN_POLICIES,
    SMOOTH_METHODS,
    ArithmeticBleuKernel,
    BleuKernel,
    NltkBleuKernel,
)
from rapidbleu._core.scoring.pairs import BleuPairs, Pairs
from rapidbleu.loading.loader import load
from rapidbleu.metrics.bleu_explaining import ExplainedBLEU
from rapidbleu.metrics.bleu_options import (
    DEFAULTS,
    LANGUAGE_TOKENIZERS,
    LANGUAGES,
    MAX_NGRAM_ORDER,
    MEANS,
    NLTK_DEFAULTS,
    SEGMENT_ADVICE,
    SMOOTH_DEFAULTS,
    check_language,
    check_smooth_value,
    check_together,
    check_weights,
    first_weights,
)
from rapidbleu.metrics.contract.base import Metric
from rapidbleu.metrics.contract.options import choice, count, flag, given_references, option, words
from rapidbleu.metrics.contract.words import WordMetric
from rapidbleu.score import BLEUScore
from rapidbleu.signature import Signature
from rapidbleu.stats import check_rows, rows_given

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from logging import Logger
    from typing import Any, ClassVar

    from rapidbleu._core.input.columns import Column
    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu.metrics.contract.options import GivenReferences, Settled
    from rapidbleu.typing import (
        BLEUMean,
        FloatArray,
        IntRows,
        RefLen,
        Segment,
        SegmentReferences,
        SmoothMethod,
        TokenizerName,
        TokenizerRule,
    )

SHORT = {
    "case": "c", "eff": "e", "tok": "tok", "smooth": "s", "len": "len", "weights": "w",
    "mean": "mean",
}  # fmt: skip

# With this many hypotheses that end in ' .', a corpus looks as if it were tokenized.
SUSPICIOUS = 100


def _logger() -> "Logger":
    load("logging")
    import logging

    return logging.getLogger("rapidbleu")


class BLEU(ExplainedBLEU, WordMetric[BLEUScore]):
    """BLEU with fixed options.

    Parameters
    ----------
    lowercase : bool
        Lowercase all text first.
    force : bool
        Do not warn of input that looks tokenized.
    tokenize : str or callable, optional
        One of `BLEU.TOKENIZERS`, or any function from str to a list of str. The default is 13a, or
        what `trg_lang` calls for.
    smooth_method : {"exp", "floor", "add-k", "none", "nltk1", ..., "nltk7"}
        What to do with orders without a match (Chen & Cherry 2014). The last seven are the methods
        of NLTK's SmoothingFunction, for single segments.
    smooth_value : float, optional
        The floor, 0.1 by default, or k, 1 by default; NLTK's epsilon, 0.1 by default, k or alpha, 5
        by default.
    max_ngram_order : int
        Highest order of n-grams, at least 1.
    effective_order : bool
        Leave out the orders that the hypothesis is too short for; right for single segments, so
        the first call that scores them without it logs a warning. NLTK's smoothings count one
        n-gram for such an order instead.
    trg_lang : str
        ``zh``, ``ja`` and ``ko`` choose a tokenizer.
    references : sequence or References, optional
        Used by calls that give none.
    ref_len : {"closest", "shortest", "longest", "average"}
        Which of a segment's references gives its length; of two equally close ones the shorter,
        of the average its integer part.
    weights : sequence of float, optional
        One for each order, summing to 1; with `effective_order`, those of the orders used are
        scaled to sum to 1. The default weighs all alike.
    mean : {"geometric", "arithmetic"}
        Of the precisions. Mod-BLEU is the arithmetic one without smoothing.
    layout : {"stream", "segment"}
        Of `references`.
    threads : int
        How many threads score a corpus; 0: all cores.

    Attributes
    ----------
    num_refs : int
        References of each segment scored last, -1 if it varied.

    Raises
    ------
    TypeError, ValueError
        If an option has no such value.

    References
    ----------
    Papineni et al. 2002, "BLEU: a Method for Automatic Evaluation of Machine Translation".
    Post 2018, "A Call for Clarity in Reporting BLEU Scores".

    Examples
    --------
    >>> bleu = BLEU()
    >>> hypotheses = ["The cat sat on a mat.", "It rained."]
    >>> references = [["The cat sat on the mat.", "It was raining."]]
    >>> bleu.corpus_score(hypotheses, references)
    BLEU = 38.66 80.0/50.0/33.3/25.0 (BP = 0.905 ratio = 0.909 hyp_len = 10 ref_len = 11)
    >>> BLEU(lowercase=True, tokenize="intl")
    BLEU(lowercase=True, tokenize='intl')
    >>> bleu.segment_stats(hypotheses, references)
    array([[7, 7, 6, 4, 2, 1, 7, 6, 5, 4],
           [3, 4, 2, 0, 0, 0, 3, 2, 1, 0]])
    """

    SMOOTH_DEFAULTS: "ClassVar[dict[str, float | None]]" = SMOOTH_DEFAULTS

    lowercase: bool = flag(default=False, or_none=True)
    force: bool = flag(default=False, or_none=True)
    tokenize: "TokenizerName | TokenizerRule | None" = words(default=None)
    smooth_method: "SmoothMethod" = choice(default="exp", among=SMOOTH_METHODS)
    smooth_value: "float | None" = option(
        default=None, check=check_smooth_value, lenient=True,
        needs=(
            "a `smooth_method` that has a value",
            lambda metric: DEFAULTS[metric.smooth_method] is not None,
        ),
    )  # fmt: skip
    max_ngram_order: int = count(default=MAX_NGRAM_ORDER, least=1, most=1_000_000)
    effective_order: bool = flag(default=False, or_none=True)
    trg_lang: str = option(default="", check=check_language)
    references: "GivenReferences" = given_references(default=None)
    ref_len: "RefLen" = choice(default="closest", among=REF_LEN_POLICIES, kw_only=True)
    weights: "Settled[Sequence[float] | None, tuple[float, ...] | None]" = option(
        default=None, check=check_weights, kw_only=True
    )
    mean: "BLEUMean" = choice(
        default="geometric", among=MEANS, kw_only=True, lenient=True,
        needs=("a `max_ngram_order` of at least 2", lambda metric: metric.max_ngram_order > 1),
    )  # fmt: skip

    def _settle(self) -> None:
        super()._settle()
        check_together(self)
        self._warned_of_periods = False
        self._warned_of_order = self.effective_order or self.smooth_method in NLTK_DEFAULTS

    def _choose_tokenizer(self) -> "Callable[[str], Any]":
        best = LANGUAGE_TOKENIZERS.get(self.trg_lang)
        if best is not None and self.tokenize != best:
            language = LANGUAGES[self.trg_lang]
            _logger().warning("Consider using the '%s' or 'spm' tokenizer for %s.", best, language)
        return super()._choose_tokenizer()

    def _default_tokenizer(self) -> str:
        return LANGUAGE_TOKENIZERS.get(self.trg_lang, self.TOKENIZER_DEFAULT)

    def _smooth_value(self) -> "float | None":
        return DEFAULTS[self.smooth_method] if self.smooth_value is None else self.smooth_value

    def _look_at_hypotheses(self, hyps: "Column", once: bool = False) -> None:
        if self.force or (once and self._warned_of_periods):
            return
        if hyps.count_tokenized_periods(SUSPICIOUS) >= SUSPICIOUS:
            self._warned_of_periods = True
            _logger().warning(
                "%d or more hypotheses end in a tokenized period (' .'). Was the output not "
                "detokenized? That hurts the score. `force` silences this message.",
                SUSPICIOUS,
            )

    def _advise_segments(self) -> None:
        if not self._warned_of_order:
            self._warned_of_order = True
            if self.max_ngram_order > 1:
                _logger().warning(SEGMENT_ADVICE, self.max_ngram_order)

    def _make_kernel(self) -> BleuKernel:
        return self._kernel_of(self.max_ngram_order, self.weights)

    def _kernel_of(self, order: int, weights: "Sequence[float] | None") -> BleuKernel:
        make = BleuKernel
        if self.mean == "arithmetic":
            make = ArithmeticBleuKernel
        elif self.smooth_method in NLTK_DEFAULTS:
            make = NltkBleuKernel
        return make(
            order, self.ref_len, self.smooth_method, self._smooth_value() or 0.0,
            self.effective_order, weights,
        )  # fmt: skip

    def _make_pairs(self, hyps: "PreparedReferences", refs: "PreparedReferences") -> Pairs:
        kernel = self._extractor.kernel
        return (BleuPairs if type(kernel) is BleuKernel else Pairs)(kernel, hyps, refs)

    def _make_score(self, parts: "tuple[Any, ...]") -> BLEUScore:
        score = BLEUScore(*parts)
        if self.smooth_method == "add-k" and any(score.counts):
            k: Any = self._smooth_value()
            score.counts[1:] = [count + k for count in score.counts[1:]]
            score.totals[1:] = [total + k for total in score.totals[1:]]
        return score

    def sentence_score(self, hypothesis: "Segment", references: "SegmentReferences") -> BLEUScore:
        """Score one segment; see `Metric.sentence_score`."""
        if not self._warned_of_order:
            self._advise_segments()
        score: BLEUScore | None = None
        if self.smooth_method != "add-k":
            score = self._extractor.extract_one(hypothesis, references, self._calls, BLEUScore)
        return Metric.sentence_score(self, hypothesis, references) if score is None else score

    def order_scores(self, stats: "IntRows") -> "FloatArray":
        """Score each row of statistics with n-grams of one order, of two, and so on.

        Parameters
        ----------
        stats : int array of shape (n, n_stats)

        Returns
        -------
        float64 array of shape (n, max_ngram_order)
            BLEU-1, BLEU-2 and so on, in percent. Weights are scaled to sum to 1; ValueError if
            they cannot be.

        Examples
        --------
        >>> bleu = BLEU()
        >>> rows = bleu.segment_stats(["the cat sat on a mat"], [["the cat sat on the mat"]])
        >>> bleu.order_scores(rows).round(2)
        array([[83.33, 70.71, 63.  , 53.73]])
        """
        import numpy as np

        rows = check_rows(rows_given(stats, self), self._kernel)
        own = rows.shape[1] // 2 - 1  # orders of a row
        beyond = own - self.max_ngram_order
        scores = np.empty((len(rows), self.max_ngram_order), np.float64)
        for order in range(1, self.max_ngram_order + 1):
            weights = first_weights(self.weights, order)
            kernel = self._kernel_of(order, weights)
            n = 2 + order + beyond
            part = np.hstack([rows[:, :n], rows[:, 2 + own : own + n]])
            kernel.score_rows(part, column := np.empty(len(rows)))
            scores[:, order - 1] = column
        return scores

    def get_signature(self) -> Signature:
        """Return the signature of the scores that this thread computed last.

        Raises
        ------
        ValueError
            If nothing was scored yet.

        Examples
        --------
        >>> bleu = BLEU(references=[["The cat sat on the mat."]])
        >>> bleu.get_signature()  # doctest: +ELLIPSIS
        nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0+rapidbleu...
        """
        smooth: str = self.smooth_method
        if DEFAULTS[smooth] is not None:
            smooth += f"[{self._smooth_value():.2f}]"
        weights = self.weights and ",".join(f"{weight:g}" for weight in self.weights)
        return Signature(
            self.num_refs,
            {
                **self._resampling_entries(),
                "case": "lc" if self.lowercase else "mixed",
                "eff": "yes" if self.effective_order else "no",
                "tok": self.tokenizer_signature,
                "smooth": smooth,
                "len": None if self.ref_len == "closest" else self.ref_len,
                "weights": weights,
                "mean": None if self.mean == "geometric" else self.mean,
            },
            SHORT,
        )
