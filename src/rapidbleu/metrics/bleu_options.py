"""The options of BLEU: their defaults, and what they may be."""

from rapidbleu._core.metrics.bleu import REF_LEN_POLICIES, SMOOTH_METHODS
from rapidbleu.metrics.contract.checks import check_choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

MAX_NGRAM_ORDER = 4
SMOOTH_DEFAULTS: dict[str, float | None] = {"none": None, "floor": 0.1, "add-k": 1, "exp": None}

# What NLTK calls epsilon in its first method, k in 4 and 7, and alpha in 6.
NLTK_DEFAULTS: dict[str, float | None] = {
    "nltk1": 0.1, "nltk2": None, "nltk3": None, "nltk4": 5, "nltk5": None, "nltk6": 5, "nltk7": 5,
}  # fmt: skip
DEFAULTS = {**SMOOTH_DEFAULTS, **NLTK_DEFAULTS}

MEANS = ("geometric", "arithmetic")

# Target languages that call for a tokenizer of their own.
LANGUAGE_TOKENIZERS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
LANGUAGES = {"zh": "Chinese", "ja": "Japanese", "ko": "Korean"}


def check_options(metric: "Any") -> None:
    """Check the options that a `BLEU` has as attributes.

    Raises
    ------
    TypeError, ValueError
    """
    check_choice("smooth_method", metric.smooth_method, SMOOTH_METHODS)
    check_choice("ref_len", metric.ref_len, REF_LEN_POLICIES)
    check_choice("mean", metric.mean, MEANS)
    if metric.mean == "arithmetic" and metric.smooth_method in NLTK_DEFAULTS:
        raise ValueError(f"mean: expected geometric with {metric.smooth_method}, got arithmetic")
    order = metric.max_ngram_order
    if isinstance(order, bool) or not isinstance(order, int):
        raise TypeError(f"max_ngram_order: expected int, got {type(order).__name__}")
    if not 1 <= order <= 1_000_000:
        raise ValueError(f"max_ngram_order: expected 1 to 1000000, got {order}")
    numbers = [("weights", weight) for weight in metric.weights or ()]
    if metric.smooth_value is not None:
        numbers.append(("smooth_value", metric.smooth_value))
    for name, number in numbers:
        if not hasattr(number, "__float__"):
            raise TypeError(f"{name}: expected a number, got {type(number).__name__}")
        if not 0 <= number < float("inf"):
            raise ValueError(f"{name}: expected a finite number >= 0, got {number}")
    if metric.weights is not None and len(metric.weights) != order:
        raise ValueError(f"weights: expected {order}, one an order, got {len(metric.weights)}")
    if metric.weights is not None and abs(sum(metric.weights) - 1) > 1e-6:
        raise ValueError(f"weights: expected a sum of 1, got {sum(metric.weights)}")


def first_weights(
    weights: "Sequence[float] | None", n_orders: int
) -> "Sequence[float] | None":
    """Return the weights of the first orders, scaled to sum to 1.

    Raises
    ------
    ValueError
        If they are all 0.

    Examples
    --------
    >>> first_weights([0.5, 0.25, 0.25], 2)
    [0.6666666666666666, 0.3333333333333333]
    """
    if weights is None or n_orders == len(weights):
        return weights
    total = sum(weights[:n_orders])
    if total == 0:
        raise ValueError(f"weights: expected some of the first {n_orders} above 0")
    return [weight / total for weight in weights[:n_orders]]
