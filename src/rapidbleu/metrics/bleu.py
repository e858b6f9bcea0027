"""BLEU (Papineni et al. 2002) with sacrebleu's options, defaults, numbers and signature."""

from __future__ import annotations

import sys

from rapidbleu._core.metrics.bleu import (
    REF_LEN_POLICIES,
    SMOOTH_METHODS,
    ArithmeticBleuKernel,
    BleuKernel,
    LateAttributes,
    NltkBleuKernel,
)
from rapidbleu._core.scoring.pairs import BleuPairs, Pairs
from rapidbleu._lib.floats import shortest
from rapidbleu._lib.loader import np
from rapidbleu.metrics.metric import Metric
from rapidbleu.metrics.options import (
    NUMBER,
    NUMBERS,
    WORD,
    Recent,
    check_number,
    check_numbers,
    choice,
    count,
    flag,
    given_references,
    option,
    words,
)
from rapidbleu.score import (
    ChangeableScore,
    bleu_details,
    declared,
    joined_precisions,
    length_ratio,
)
from rapidbleu.stats import check_rows, rows_given

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, ClassVar

    from rapidbleu._core.input.columns import Column
    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu._types import (
        BLEUMean,
        FloatArray,
        Hypotheses,
        IntRows,
        Layout,
        ReferenceStreams,
        RefLen,
        Segment,
        SegmentReferences,
        SmoothMethod,
        TokenizerName,
        TokenizerRule,
    )
    from rapidbleu.explanation.texts import Texts
    from rapidbleu.metrics.options import GivenReferences, Settled

MAX_NGRAM_ORDER = 4
SMOOTH_DEFAULTS: dict[str, float | None] = {"none": None, "floor": 0.1, "add-k": 1, "exp": None}

# Called epsilon in NLTK's first method, k in 4 and 7, and alpha in 6
NLTK_DEFAULTS: dict[str, float | None] = {
    "nltk1": 0.1,
    "nltk2": None,
    "nltk3": None,
    "nltk4": 5,
    "nltk5": None,
    "nltk6": 5,
    "nltk7": 5,
}
DEFAULTS = {**SMOOTH_DEFAULTS, **NLTK_DEFAULTS}

MOST_SMOOTH = sys.float_info.max
# sacrebleu's sentence, and the reason
SEGMENT_ADVICE = (
    "It is recommended to enable `effective_order` for sentence-level BLEU. Without "
    "effective_order=True, segments of fewer than %d tokens score 0 or far too low."
)

MEANS = ("geometric", "arithmetic")

# Target languages with a tokenizer of their own
LANGUAGE_TOKENIZERS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
LANGUAGES = {"zh": "Chinese", "ja": "Japanese", "ko": "Korean"}

# If this many hypotheses end in ' .', the corpus looks tokenized.
SUSPICIOUS = 100


def check_smooth_value(name: str, value: Any) -> float:
    """Return the value of a smoothing method, as int or float because smoothed counts show it.

    >>> check_smooth_value("smooth_value", 1)
    1
    """
    check_number(name, value, 0, MOST_SMOOTH)
    number: float = value if isinstance(value, int | float) else value.__float__()
    return number.item() if hasattr(number, "item") else number


def check_language(name: str, value: Any) -> str:
    """Return a target language, "" for none.

    >>> check_language("trg_lang", "zh")
    'zh'
    """
    if not (value is None or isinstance(value, str)):
        raise TypeError(f"{name}: expected str; got {type(value).__name__}")
    return value or ""


def check_weights(name: str, weights: Any) -> tuple[float, ...]:
    """Return the weights, one for each order.

    >>> check_weights("weights", [0.25, 0.75])
    (0.25, 0.75)
    """
    numbers = check_numbers(name, weights, 0, 1)
    if abs(sum(numbers) - 1) > 1e-6:
        raise ValueError(f"{name}: expected a sum of 1; got {sum(numbers)}")
    return numbers


def first_weights(weights: Sequence[float] | None, n_orders: int) -> Sequence[float] | None:
    """Return the weights of the first orders, scaled to sum to 1; ValueError if all are 0.

    >>> first_weights([0.5, 0.25, 0.25], 2)
    [0.6666666666666666, 0.3333333333333333]
    """
    if weights is None or n_orders == len(weights):
        return weights
    total = sum(weights[:n_orders])
    if total == 0:
        raise ValueError(f"weights: expected some of the first {n_orders} above 0")
    return [weight / total for weight in weights[:n_orders]]


def add_to_counts(counts: list[int], totals: list[int], k: Any) -> None:
    """Add k to the counts of orders above 1, up to the first order without n-grams.

    >>> counts, totals = [1, 0, 0, 0], [2, 1, 0, 0]
    >>> add_to_counts(counts, totals, 0.0)
    >>> counts, totals
    ([1, 0.0, 0.0, 0], [2, 1.0, 0.0, 0])
    """
    for n in range(1, len(counts)):
        counts[n] += k
        totals[n] += k
        if not totals[n]:
            break


@declared
class BLEUScore(LateAttributes, ChangeableScore):
    """A BLEU score and its components.

    Attributes
    ----------
    score : float
        In percent.
    counts, totals : list of int
        Matched and possible n-grams of each order, after add-k smoothing.
    precisions : list of float
        In percent.
    bp : float
        Brevity penalty, a fraction.
    sys_len, ref_len : int
        Lengths of the hypotheses and the references in tokens.

    Examples
    --------
    >>> from rapidbleu import sentence_bleu
    >>> print(sentence_bleu("The cat sat on a mat.", ["The cat sat on the mat."]))
    BLEU = 48.89 85.7/66.7/40.0/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)
    """

    name = "BLEU"

    score: float
    counts: list[Any]
    totals: list[Any]
    precisions: list[float]
    bp: float
    sys_len: int
    ref_len: int

    @property
    def matches(self) -> list[Any]:
        """Alias of `counts`, as in other scores."""
        return self.counts

    @property
    def hyp_len(self) -> int:
        """Alias of `sys_len`, as in other scores."""
        return self.sys_len

    @property
    def length_ratio(self) -> float:
        """Alias of `ratio`, as in other results."""
        return self.ratio

    @property
    def prec_str(self) -> str:
        """The precisions as printed."""
        return joined_precisions(self.precisions)

    @property
    def ratio(self) -> float:
        """Ratio of hypothesis to reference length."""
        return length_ratio(self.sys_len, self.ref_len)

    @property
    def _verbose(self) -> str:
        return bleu_details(self.prec_str, self.bp, self.ratio, self.sys_len, self.ref_len)


class BLEU(Metric[BLEUScore]):
    """BLEU with fixed options.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the default tokenizer is 13a or depends on `trg_lang`.
    force : bool
        Do not warn about input that looks tokenized.
    smooth_method : {"exp", "floor", "add-k", "none", "nltk1", ..., "nltk7"}
        How to treat orders without a match (Chen & Cherry 2014). The last seven are the methods of
        NLTK's SmoothingFunction, for single segments.
    smooth_value : float, optional
        Floor (default: 0.1), k (1), or for NLTK's methods epsilon (0.1), k or alpha (5).
    max_ngram_order : int
        Maximum n-gram order, at least 1.
    effective_order : bool
        Skip orders for which the hypothesis is too short. Use it for single segments; scoring them
        without it logs a warning, once. NLTK's smoothings instead count one n-gram for such orders.
    trg_lang : str
        Target language; ``zh``, ``ja`` and ``ko`` choose a tokenizer.
    references : sequence of streams or References, optional
        References for calls that pass none.
    ref_len : {"closest", "shortest", "longest", "average"}
        Reference length to use; the shorter of two equally close ones; the average is truncated.
    weights : sequence of float, optional
        One weight per order, summing to 1; with `effective_order`, the weights of the orders used
        are scaled to sum to 1. Equal by default.
    average : {"geometric", "arithmetic"}
        Mean of the precisions. The arithmetic mean without smoothing is Mod-BLEU.

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

    SMOOTH_DEFAULTS: ClassVar[dict[str, float | None]] = SMOOTH_DEFAULTS

    lowercase: bool = flag(default=False, or_none=True)
    force: bool = flag(default=False, or_none=True)
    tokenize: TokenizerName | TokenizerRule | None = words(default=None)
    smooth_method: SmoothMethod = choice(default="exp", among=SMOOTH_METHODS)
    smooth_value: float | None = option(
        default=None,
        check=check_smooth_value,
        text=NUMBER,
        lenient=True,
        needs=(
            "a `smooth_method` that has a value",
            lambda metric: DEFAULTS[metric.smooth_method] is not None,
        ),
    )
    max_ngram_order: int = count(default=MAX_NGRAM_ORDER, least=1, most=1_000_000)
    effective_order: bool = flag(default=False, or_none=True)
    trg_lang: str = option(default="", check=check_language, text=WORD)
    references: GivenReferences = given_references(default=None)
    ref_len: RefLen = choice(default="closest", among=REF_LEN_POLICIES, kw_only=True)
    weights: Settled[Sequence[float] | None, tuple[float, ...] | None] = option(
        default=None, check=check_weights, text=NUMBERS, kw_only=True
    )
    average: BLEUMean = choice(
        default="geometric",
        among=MEANS,
        kw_only=True,
        lenient=True,
        needs=("a `max_ngram_order` of at least 2", lambda metric: metric.max_ngram_order > 1),
    )

    _late = ()
    _warned_of_periods = False
    _warned_of_order: ClassVar[bool] = False
    _smooth_value: ClassVar[float | None] = None

    def _settle(self) -> None:
        if self.average == "arithmetic" and self.smooth_method in NLTK_DEFAULTS:
            raise ValueError(
                f"average: expected geometric with {self.smooth_method}; got arithmetic"
            )
        order = self.max_ngram_order
        weights = self.weights
        if weights is not None and len(weights) != order:
            raise ValueError(f"weights: expected {order}, one an order; got {len(weights)}")
        if self.tokenize is None:
            self._put("tokenize", self._default_of("tokenize"))
        value = self.smooth_value
        self._put("_smooth_value", DEFAULTS[self.smooth_method] if value is None else value)
        is_safe = self.effective_order or self.smooth_method in NLTK_DEFAULTS
        self._put("_warned_of_order", is_safe)

    def _check_effects(self) -> None:
        super()._check_effects()
        best = LANGUAGE_TOKENIZERS.get(self.trg_lang)
        if best is not None and self.tokenize != best:
            language = LANGUAGES[self.trg_lang]
            self._warn(f"Consider using the '{best}' or 'spm' tokenizer for {language}.")

    def _default_of(self, name: str) -> Any:
        if name == "tokenize":
            return LANGUAGE_TOKENIZERS.get(self.trg_lang, self.TOKENIZER_DEFAULT)
        return super()._default_of(name)

    def _identity(self) -> dict[str, object]:
        has_value = DEFAULTS[self.smooth_method] is not None
        return super()._identity() | {"smooth_value": self._smooth_value if has_value else None}

    def _look_at_hypotheses(self, hyps: Column, once: bool = False) -> None:
        if self.force or (once and self._warned_of_periods):
            return
        if hyps.count_tokenized_periods(SUSPICIOUS) >= SUSPICIOUS:
            self._warned_of_periods = True
            self._warn(
                f"{SUSPICIOUS} or more hypotheses end in a tokenized period (' .'). Was the output "
                "not detokenized? That hurts the score. `force` silences this message."
            )

    def _advise_segments(self) -> None:
        if not self._warned_of_order:
            self._put("_warned_of_order", True)
            if self.max_ngram_order > 1:
                self._warn(SEGMENT_ADVICE % self.max_ngram_order)

    def _make_kernel(self, *orders: Any) -> BleuKernel:
        """Return a kernel, of another order with its weights if these are passed."""
        order, weights = orders or (self.max_ngram_order, self.weights)
        make = BleuKernel
        if self.average == "arithmetic":
            make = ArithmeticBleuKernel
        elif self.smooth_method in NLTK_DEFAULTS:
            make = NltkBleuKernel
        return make(
            order,
            self.ref_len,
            self.smooth_method,
            self._smooth_value or 0.0,
            self.effective_order,
            weights,
        )

    def _make_pairs(self, hyps: PreparedReferences, refs: PreparedReferences) -> Pairs:
        kernel = self._extractor.kernel
        return (BleuPairs if type(kernel) is BleuKernel else Pairs)(kernel, hyps, refs)

    def _make_score(self, parts: tuple[Any, ...]) -> BLEUScore:
        score = BLEUScore(*parts)
        if self.smooth_method == "add-k" and any(score.counts):
            add_to_counts(score.counts, score.totals, self._smooth_value)
        return score

    def sentence_score(self, hypothesis: Segment, references: SegmentReferences) -> BLEUScore:
        """Score one segment; see `Metric.sentence_score`."""
        score: BLEUScore | None = None
        if self.smooth_method != "add-k":
            score = self._extractor.extract_one(
                hypothesis, references, self._calls, BLEUScore, self._label or self._make_label()
            )
        if score is None:
            score = Metric.sentence_score(self, hypothesis, references)
        if not self._warned_of_order:  # after all errors
            self._advise_segments()
        return score

    def order_scores(self, stats: IntRows) -> FloatArray:
        """Score each row of statistics by BLEU-1, BLEU-2 and so on.

        Parameters
        ----------
        stats : int array of shape (n, n_stats)

        Returns
        -------
        float64 array of shape (n, max_ngram_order)
            In percent, with weights scaled to sum to 1; ValueError if they sum to 0.

        Examples
        --------
        >>> bleu = BLEU()
        >>> rows = bleu.segment_stats(["the cat sat on a mat"], [["the cat sat on the mat"]])
        >>> bleu.order_scores(rows).round(2)
        array([[83.33, 70.71, 63.  , 53.73]])
        """
        rows = check_rows(rows_given(stats, self), self._kernel)
        n_orders = rows.shape[1] // 2 - 1  # orders of a row
        beyond = n_orders - self.max_ngram_order
        scores = np.empty((len(rows), self.max_ngram_order), np.float64)
        for order in range(1, self.max_ngram_order + 1):
            weights = first_weights(self.weights, order)
            kernel = self._make_kernel(order, weights)
            n = 2 + order + beyond
            part = np.hstack([rows[:, :n], rows[:, 2 + n_orders : n_orders + n]])
            kernel.score_rows(part, column := np.empty(len(rows)))
            scores[:, order - 1] = column
        return scores

    _abbreviations: ClassVar[dict[str, str]] = {
        "case": "c",
        "eff": "e",
        "smooth": "s",
        "weights": "w",
    }
    _counts_together = True

    def _signed(self) -> dict[str, Any]:
        smooth: str = self.smooth_method
        if DEFAULTS[smooth] is not None:
            smooth += f"[{self._smooth_value:.2f}]"
        return {
            "case": self._case,
            "eff": "yes" if self.effective_order else "no",
            "tok": self.tokenizer_signature,
            "smooth": smooth,
            "len": None if self.ref_len == "closest" else self.ref_len,
            "weights": self.weights and ",".join(map(shortest, self.weights)),
            "mean": None if self.average == "geometric" else self.average,
        }

    def _counted_orders(self) -> Sequence[int]:
        return range(1, self._extractor.kernel.n_stats // 2)

    def _reference_of(
        self, hypothesis: Segment, references: list[Any], texts: tuple[Texts, ...], row: list[int]
    ) -> int | None:
        """Return the index of the reference whose length is used."""
        for i, text in enumerate(texts[0].references):
            if self.ref_len != "average" and text is not None and len(text.tokens) == row[1]:
                return i
        return None

    def _formula(self, score: Any, row: list[int], reference: int | None) -> list[str]:
        from rapidbleu.explanation.formulas import bleu_formula

        return bleu_formula(score, row, self, reference)


# sacrebleu's functions, with its names and defaults. Recent metrics are cached, so a loop creates
# one metric and not thousands.
_recent: Recent[BLEU] = Recent(BLEU)
_TOKENIZE = BLEU.TOKENIZER_DEFAULT
# The defaults of `sentence_bleu`: making and looking up a key would take a fifth of a call, and
# asking the metric instead of its extractor a tenth.
_USUAL = BLEU(tokenize=_TOKENIZE, effective_order=True)
_extract_one = _USUAL._extractor.extract_one
_CALLS = _USUAL._calls
_LABEL = _USUAL._make_label()


def corpus_bleu(
    hypotheses: Hypotheses,
    references: ReferenceStreams,
    smooth_method: SmoothMethod = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: TokenizerName | TokenizerRule = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = False,
    *,
    max_ngram_order: int = MAX_NGRAM_ORDER,
    layout: Layout = "stream",
    threads: int = 1,
) -> BLEUScore:
    """Return the BLEU score of a corpus.

    Parameters as in `Metric.corpus_score` and `BLEU`; `use_effective_order` is ``effective_order``.

    Examples
    --------
    >>> corpus_bleu(["The cat sat on a mat."], [["The cat sat on the mat."]]).score
    48.892302243490086
    """
    options = (
        lowercase,
        force,
        tokenize,
        smooth_method,
        smooth_value,
        max_ngram_order,
        use_effective_order,
    )
    metric = _recent.of((options, type(smooth_value), type(max_ngram_order)))
    return metric.corpus_score(hypotheses, references, layout=layout, threads=threads)


def raw_corpus_bleu(
    hypotheses: Hypotheses, references: ReferenceStreams, smooth_value: float | None = 0.1
) -> BLEUScore:
    """Return the BLEU score of tokenized text, with floor smoothing.

    Parameters as in `corpus_bleu`; `smooth_value` is the floor.

    Examples
    --------
    >>> raw_corpus_bleu(["the cat sat ."], [["the cat sat down ."]]).bp
    0.7788007830714049
    """
    return corpus_bleu(
        hypotheses,
        references,
        "floor",
        smooth_value,
        True,
        tokenize="none",
        use_effective_order=True,
    )


def sentence_bleu(
    hypothesis: Segment,
    references: SegmentReferences,
    smooth_method: SmoothMethod = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: TokenizerName | TokenizerRule = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = True,
) -> BLEUScore:
    """Return the BLEU score of one segment.

    Parameters as in `Metric.sentence_score`, plus the options of `corpus_bleu`;
    `use_effective_order` is on by default.

    Examples
    --------
    >>> sentence_bleu("The cat sat on a mat.", ["The cat sat on the mat."]).score
    48.892302243490086
    """
    if (
        smooth_method == "exp"
        and smooth_value is None
        and lowercase is False
        and tokenize is _TOKENIZE
        and use_effective_order is True
    ):
        score: BLEUScore | None = _extract_one(hypothesis, references, _CALLS, BLEUScore, _LABEL)
        return _USUAL.sentence_score(hypothesis, references) if score is None else score
    options = (
        lowercase,
        False,
        tokenize,
        smooth_method,
        smooth_value,
        MAX_NGRAM_ORDER,
        use_effective_order,
    )
    metric = _recent.of((options, type(smooth_value), int))
    return metric.sentence_score(hypothesis, references)
