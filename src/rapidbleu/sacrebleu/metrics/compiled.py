"""The compiled metrics for the options that an object of the drop-in, or of sacrebleu, has now."""

from rapidbleu.metrics.recent import Recent
from rapidbleu.sacrebleu.metrics.fast import Fast, is_untouched, recall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.typing import SmoothMethod


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

    return Fast(CHRF(*options[:6]), options)


def _ter(
    normalized: bool, no_punct: bool, asian_support: bool, case_sensitive: bool
) -> Fast:
    from rapidbleu.metrics.ter import TER

    options = normalized, no_punct, asian_support, case_sensitive
    return FastTER(TER(*options), options)


_bleus, _chrfs, _ters = Recent(_bleu), Recent(_chrf), Recent(_ter)


def fast_bleu(metric: "Any", name: "str | None", methods: "dict[str, Any]") -> "Fast | None":
    """Return BLEU compiled, or None if the metric differs from it.

    Equal numbers of other types are other options: 1 and 1.0 smooth to counts of different types,
    and 4.0 is no order.

    Parameters
    ----------
    metric : object with the attributes of sacrebleu's BLEU
    name : str or None
        The tokenizer with a compiled twin that ``metric.tokenizer`` is, if it is one.
    methods : dict
        Those that the metric must not have replaced.
    """
    if not is_untouched(metric, methods):
        return None
    order, value = metric.max_ngram_order, metric.smooth_value
    key = (
        name or metric.tokenizer, bool(metric.lowercase), order, type(order),
        metric.smooth_method, value, type(value), bool(metric.effective_order),
    )  # fmt: skip
    return recall(metric, _bleus, key, name is not None)


def fast_chrf(metric: "Any", methods: "dict[str, Any]") -> "Fast | None":
    """Return chrF compiled, or None if the metric differs from it; parameters as in `fast_bleu`."""
    if metric.order != metric.char_order + metric.word_order or not is_untouched(metric, methods):
        return None
    numbers = metric.char_order, metric.word_order, metric.beta
    flags = bool(metric.lowercase), bool(metric.whitespace), bool(metric.eps_smoothing)
    return recall(metric, _chrfs, (*numbers, *flags, *map(type, numbers)), True)


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
    metric: "Any", options: "tuple[bool, bool, bool, bool]", methods: "dict[str, Any]"
) -> "Fast | None":
    """Return TER compiled, or None if the metric differs from it.

    Parameters
    ----------
    metric : object with the attributes of sacrebleu's TER
    options : tuple of bool
        Those of its tokenizer: normalized, no_punct, asian_support, case_sensitive.
    methods : dict
        Those that the metric must not have replaced.
    """
    return recall(metric, _ters, options, True) if is_untouched(metric, methods) else None
