"""The compiled metrics for the options that an object of the drop-in, or of sacrebleu, has now."""

from rapidbleu.sacrebleu.metrics.fast import Fast, is_untouched, recall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def fast_bleu(metric: "Any", name: "str | None", methods: "dict[str, Any]") -> "Fast | None":
    """Return BLEU compiled, or None if the metric differs from it.

    Parameters
    ----------
    metric : object with the attributes of sacrebleu's BLEU
    name : str or None
        The tokenizer with a compiled twin that ``metric.tokenizer`` is, if it is one.
    methods : dict
        Those that nobody may have replaced.
    """
    if not is_untouched(metric, methods):
        return None
    tokenizer = metric.tokenizer
    preparation = (name or tokenizer, bool(metric.lowercase), metric.max_ngram_order)
    value = metric.smooth_value
    smoothing = (metric.smooth_method, value, type(value), bool(metric.effective_order))

    def make() -> Fast:
        from rapidbleu.metrics.bleu import BLEU

        native = BLEU(
            lowercase=preparation[1],
            force=True,
            tokenize=name or (lambda line: tokenizer(line).split()),
            smooth_method=metric.smooth_method,
            smooth_value=value,
            max_ngram_order=metric.max_ngram_order,
            effective_order=smoothing[-1],
        )
        return Fast(native, preparation)

    return recall(metric, ("BLEU", *preparation, *smoothing), make, name is not None)
