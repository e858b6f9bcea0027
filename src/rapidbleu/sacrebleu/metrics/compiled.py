"""The compiled metrics for the options that an object of the drop-in, or of sacrebleu, has now."""

from rapidbleu.metrics.bleu_options import SMOOTH_DEFAULTS
from rapidbleu.metrics.recent import Recent
from rapidbleu.sacrebleu.metrics.fast import Fast, is_untouched, recall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu.typing import SmoothMethod

# Raised by options that are missing, or that the compiled metrics do not take.
_UNFIT = (AttributeError, TypeError, ValueError)


def _bleu(
    tokenizer: "Any",
    lowercase: bool,
    order: int,
    order_type: type,
    smooth_method: "SmoothMethod",
    smooth_value: "float | None",
    value_type: type,
    effective_order: bool,
) -> Fast:
    from rapidbleu.metrics.bleu import BLEU

    if smooth_method not in SMOOTH_DEFAULTS:  # one of NLTK's
        raise ValueError("smooth_method")
    _check_mixes(smooth_value or 0)
    named = isinstance(tokenizer, str)
    native = BLEU(
        lowercase=lowercase,
        force=True,
        tokenize=tokenizer if named else lambda line: tokenizer(line).split(),
        smooth_method=smooth_method,
        smooth_value=smooth_value,
        max_ngram_order=order,
        effective_order=effective_order,
    )
    return Fast(native, (tokenizer, lowercase, order, order_type))


def _chrf(*options: "Any") -> Fast:
    from rapidbleu.metrics.chrf import CHRF

    _check_mixes(options[2])
    return Fast(CHRF(*options[:6]), options)


def _ter(
    normalized: bool, no_punct: bool, asian_support: bool, case_sensitive: bool
) -> Fast:
    from rapidbleu.metrics.ter import TER

    options = normalized, no_punct, asian_support, case_sensitive
    return FastTER(TER(*options), options)


_bleus, _chrfs, _ters = Recent(_bleu), Recent(_chrf), Recent(_ter)


def _check_mixes(number: "Any") -> None:
    """Refuse a number that cannot be multiplied by a float, as sacrebleu's formulas do."""
    0.0 * number


def fast_bleu(
    metric: "Any", name_of: "Callable[[Any], str | None]", methods: "dict[str, Any]"
) -> "Fast | None":
    """Return BLEU compiled, or None if the metric differs from it.

    Equal numbers of other types are other options: 1 and 1.0 smooth to counts of different types,
    and 4.0 is no order.

    Parameters
    ----------
    metric : object with the attributes of sacrebleu's BLEU
    name_of : callable
        Returns the name of a tokenizer's compiled twin, or None.
    methods : dict
        Those that the metric must not have replaced.
    """
    try:
        if not is_untouched(metric, methods):
            return None
        name = name_of(metric.tokenizer)
        order, value = metric.max_ngram_order, metric.smooth_value
        key = (
            name or metric.tokenizer, bool(metric.lowercase), order, type(order),
            metric.smooth_method, value, type(value), bool(metric.effective_order),
        )  # fmt: skip
        return recall(metric, _bleus, key, name is not None)
    except _UNFIT:
        return None


def fast_chrf(metric: "Any", methods: "dict[str, Any]") -> "Fast | None":
    """Return chrF compiled, or None if the metric differs from it; parameters as in `fast_bleu`."""
    try:
        order = metric.char_order + metric.word_order
        if metric.order != order or not is_untouched(metric, methods):
            return None
        numbers = metric.char_order, metric.word_order, metric.beta
        flags = bool(metric.lowercase), bool(metric.whitespace), bool(metric.eps_smoothing)
        return recall(metric, _chrfs, (*numbers, *flags, *map(type, numbers)), True)
    except _UNFIT:
        return None


class FastTER(Fast):
    """TER compiled: the lengths of its rows are doubles, to be added one after the other."""

    adds = False

    def _rows(self, hyps: "Any", refs: "Any") -> "list[list[Any]]":
        describe = self.kernel.describe
        return [
            [row[0], describe(row)[2] if row[2] or row[3] else float(row[1])]
            for row in super()._rows(hyps, refs)
        ]

    def integer_rows(self, stats: "Any") -> "Any":
        """Return the rows of the compiled metric, if those of the protocol say them exactly."""
        import numpy as np

        lengths = np.array([row[1] for row in stats], np.float64)
        if (lengths != np.floor(lengths)).any():
            return None
        rows = np.zeros((len(stats), self.kernel.n_stats), np.int64)
        rows[:, 0] = [row[0] for row in stats]
        rows[:, 1] = lengths
        return rows


def fast_ter(
    metric: "Any", name_of: "Callable[[Any], str | None]", methods: "dict[str, Any]"
) -> "Fast | None":
    """Return TER compiled, or None if the metric differs from it; parameters as in `fast_bleu`.

    The options are those of the metric's tokenizer, which alone decide the score.
    """
    try:
        tokenizer = metric.tokenizer
        if name_of(tokenizer) != "tercom" or not is_untouched(metric, methods):
            return None
        options = (
            bool(tokenizer._normalized), bool(tokenizer._no_punct),
            bool(tokenizer._asian_support), bool(tokenizer._case_sensitive),
        )  # fmt: skip
        return recall(metric, _ters, options, True)
    except _UNFIT:
        return None
