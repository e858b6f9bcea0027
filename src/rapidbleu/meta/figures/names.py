"""The names of figures and of ways to average them, checked."""

FIGURES = (
    "pearson", "r2", "spearman", "kendall", "kendall_c", "kendall_like", "tau23", "accuracy",
    "accuracy_eq", "soft_accuracy",
)  # fmt: skip
AVERAGES = ("none", "segment", "system", "means")

MIN_DIFFERENCE = 25.0
_WITH_EPSILON = ("kendall", "tau23", "accuracy")


def check_figure(
    figure: str, by: str, epsilon: float = 0.0, min_difference: float = MIN_DIFFERENCE
) -> None:
    """Refuse figures and averages that do not exist or do not go together.

    Examples
    --------
    >>> check_figure("pearson", "segments")
    Traceback (most recent call last):
        ...
    ValueError: by: expected one of none, segment, system, means, got 'segments'
    """
    for what, name, names in (("figure", figure, FIGURES), ("by", by, AVERAGES)):
        if not isinstance(name, str):
            raise TypeError(f"{what}: expected str, got {type(name).__name__}")
        if name not in names:
            raise ValueError(f"{what}: expected one of {', '.join(names)}, got {name!r}")
    if figure == "soft_accuracy" and by != "means":
        raise ValueError(f"by: expected 'means', as 'soft_accuracy' is of systems, got {by!r}")
    _check_number("epsilon", epsilon, 0.0)
    if epsilon > 0.0 and figure not in _WITH_EPSILON:
        raise ValueError(f"epsilon: expected 0 for {figure!r}, got {epsilon}")
    _check_number("min_difference", min_difference, 0.0)
    if min_difference != MIN_DIFFERENCE and figure != "kendall_like":
        raise ValueError(
            f"min_difference: expected {MIN_DIFFERENCE:g} for {figure!r}, got {min_difference}"
        )


def _check_number(what: str, number: float, least: float) -> None:
    if isinstance(number, bool | str) or not hasattr(number, "__float__"):
        raise TypeError(f"{what}: expected a number, got {type(number).__name__}")
    if not least <= float(number) < float("inf"):
        raise ValueError(f"{what}: expected a finite number from {least:g} on, got {number}")
