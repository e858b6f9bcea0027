"""The options of BLEU: their defaults, and what they may be."""

import sys

from rapidbleu.metrics.contract.checks import check_number
from rapidbleu.sequences import items_of

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

MOST_SMOOTH = sys.float_info.max
# sacrebleu's sentence, and the reason.
SEGMENT_ADVICE = (
    "It is recommended to enable `effective_order` for sentence-level BLEU. Without "
    "effective_order=True, segments of fewer than %d tokens score 0 or far too low."
)

MEANS = ("geometric", "arithmetic")

# Target languages that call for a tokenizer of their own.
LANGUAGE_TOKENIZERS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
LANGUAGES = {"zh": "Chinese", "ja": "Japanese", "ko": "Korean"}


def check_smooth_value(name: str, value: "Any") -> "float | None":
    """Return the value of a smoothing method; whether it is an int shows in what is smoothed.

    Examples
    --------
    >>> check_smooth_value("smooth_value", 1)
    1
    """
    if value is None:
        return None
    check_number(name, value, 0, MOST_SMOOTH)
    number: float = value if isinstance(value, int | float) else value.__float__()
    return number.item() if hasattr(number, "item") else number


def check_language(name: str, value: "Any") -> str:
    """Return a target language; "" is none.

    Examples
    --------
    >>> check_language("trg_lang", "zh")
    'zh'
    """
    if not (value is None or isinstance(value, str)):
        raise TypeError(f"{name}: expected str, got {type(value).__name__}")
    return value or ""


def check_weights(name: str, weights: "Any") -> "tuple[float, ...] | None":
    """Return a weight for each order.

    Examples
    --------
    >>> check_weights("weights", [0.25, 0.75])
    (0.25, 0.75)
    """
    if weights is None:
        return None
    found = items_of(weights, name, "numbers")
    numbers = tuple(check_number(f"{name}[{i}]", weight, 0, 1) for i, weight in enumerate(found))
    if abs(sum(numbers) - 1) > 1e-6:
        raise ValueError(f"{name}: expected a sum of 1, got {sum(numbers)}")
    return numbers


def check_together(metric: "Any") -> None:
    """Check options of a `BLEU` that depend on each other.

    Raises
    ------
    ValueError
    """
    if metric.mean == "arithmetic" and metric.smooth_method in NLTK_DEFAULTS:
        raise ValueError(f"mean: expected geometric with {metric.smooth_method}, got arithmetic")
    order, weights = metric.max_ngram_order, metric.weights
    if weights is not None and len(weights) != order:
        raise ValueError(f"weights: expected {order}, one an order, got {len(weights)}")


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
