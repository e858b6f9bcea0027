"""Metrics as data: the class, and the options that are not defaults."""

from rapidbleu.loading.loader import load
from rapidbleu.rows.kinds import digests_of, score_name
from rapidbleu.scoring import RowScoring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

METRICS = "rapidbleu.metrics"


def describe_metric(metric: "Any") -> "dict[str, Any]":
    """Return what a file says of a metric.

    Returns
    -------
    dict
        ``class``, its name, with that of its module unless it is one of `rapidbleu.metrics`;
        ``score``, what its scores are called; ``options`` by name, which JSON can hold; ``given``,
        words for those that it cannot hold: SHA-256 of references, and names of functions.

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> described = describe_metric(BLEU(lowercase=True, tokenize=str.split))
    >>> described["options"], described["given"]
    ({'lowercase': True}, {'tokenize': 'str.split'})
    """
    changed = metric._changed_options()
    options, given = {}, {}
    digests = digests_of(changed)
    for name, value in changed.items():
        if _fits_json(value):
            options[name] = value
        else:
            given[name] = digests.get(name) or _name_of(value)
    kind = type(metric)
    inside = f"{kind.__module__}.".startswith(f"{METRICS}.")
    name = kind.__qualname__ if inside else f"{kind.__module__}.{kind.__qualname__}"
    return {"class": name, "score": score_name(metric), "options": options, "given": given}


def make_metric(described: "dict[str, Any]") -> "Any":
    """Return a metric as `describe_metric` wrote it down.

    Raises
    ------
    ValueError
        If it takes more than was written down, or no metric has that name.

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> make_metric(describe_metric(BLEU(lowercase=True)))
    BLEU(lowercase=True)
    """
    name, given = described["class"], described["given"]
    if given:
        raise ValueError(
            f"expected metric=, a {name} with the same {', '.join(given)}, which a file cannot "
            f"hold; got none"
        )
    metrics = load(METRICS)  # a file names one; this module knows none
    kind = getattr(metrics, name) if name in metrics.__all__ else None
    if not (isinstance(kind, type) and issubclass(kind, RowScoring)):
        raise ValueError(f"expected metric=, a {name}, which is no metric of {METRICS}; got none")
    try:
        return kind(**described["options"])
    except (TypeError, ValueError) as error:
        raise ValueError(f"expected options of {name}: {error}") from None


def _fits_json(value: object) -> bool:
    """Return whether JSON gives a value back, but for tuples, which become lists."""
    if isinstance(value, float):
        return value - value == 0
    if isinstance(value, tuple | list):
        return all(map(_fits_json, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) for key in value) and all(map(_fits_json, value.values()))
    return value is None or isinstance(value, str | int)


def _name_of(value: object) -> str:
    """Return what a function is called, else the type of a value."""
    return str(getattr(value, "__qualname__", type(value).__qualname__))
