"""Bars in groups: n-gram precisions, and scores of buckets."""

from collections.abc import Mapping

from rapidbleu.comparison import Comparison
from rapidbleu.comparison.buckets import LABEL, LENGTH, LENGTH_DIFFERENCE, score_bucket, shown_in
from rapidbleu.comparison.inputs import check_name
from rapidbleu.plots.drawing import (
    INK,
    SLANT,
    axes_for,
    check_comparison,
    color_of,
    dress,
    name_series,
    shortened,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rapidbleu.score import BLEUScore
    from rapidbleu.typing import FloatArray

SHARE = 0.8  # of a group's width that its bars fill
MOST_LETTERS = 56  # below all groups; names slant if the longest would need more
WORDS = "words"
KINDS = {
    LABEL: "label of the segment",
    LENGTH: "words of the reference",
    LENGTH_DIFFERENCE: "words of the output less those of the reference",
    WORDS: "frequency of the word in the references",
}
RATES = ("precision", "recall", "F1")


def plot_precisions(
    found: "Comparison | Mapping[str, BLEUScore]",
    metric: "str | None" = None,
    *,
    ax: "Axes | None" = None,
) -> "tuple[Figure, Axes]":
    """Draw the n-gram precisions of systems as bars.

    Parameters
    ----------
    found : Comparison, or dict of str to BLEUScore
        By the name of the system.
    metric : str, optional
        Of a comparison; the first one with precisions by default.
    ax : matplotlib.axes.Axes, optional
        What is drawn on.

    Returns
    -------
    (matplotlib.figure.Figure, matplotlib.axes.Axes)
        The bars of one system are one of ``axes.containers``; heights are in percent.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong.
    ImportError
        Without Matplotlib.

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> references = [["The cat sat on the mat.", "It was raining."]]
    >>> outputs = {"old": ["A cat sat.", "It rained."], "new": ["The cat sat.", "It was raining."]}
    >>> scores = {name: BLEU().corpus_score(own, references) for name, own in outputs.items()}
    >>> figure, axes = plot_precisions(scores)
    >>> [f"{bar.get_height():.1f}" for bar in axes.containers[1]]
    ['100.0', '83.3', '75.0', '50.0']
    """
    precisions = _precisions(found, metric)
    first, orders = next(iter(precisions.items()))
    for name, own in precisions.items():
        if len(own) != len(orders):
            raise ValueError(
                f"found[{name!r}]: expected {len(orders)} precisions as {first!r} has, "
                f"got {len(own)}"
            )
    figure, axes = axes_for(ax)
    groups = [f"{n}-grams" for n in range(1, len(orders) + 1)]
    _draw(axes, groups, precisions)
    dress(axes, "n-gram precisions", "", "precision (%)")
    return figure, axes


def _precisions(found: object, metric: "str | None") -> "dict[str, Sequence[float]]":
    """Return the precisions of each system."""
    if isinstance(found, Comparison):
        known = [
            name
            for name, scores in found.corpus_scores.items()
            if all(hasattr(score, "precisions") for score in scores.values())
        ]
        if not known:
            listed = ", ".join(found.metrics)
            raise ValueError(f"found: expected a metric with precisions, got {listed}")
        if metric is not None:
            check_name("metric", metric, known)
        scores: dict[str, Any] = found.corpus_scores[known[0] if metric is None else metric]
        return {name: score.precisions for name, score in scores.items()}
    if not isinstance(found, Mapping):
        raise TypeError(
            f"found: expected Comparison or a dict of scores, got {type(found).__name__}"
        )
    if metric is not None:
        raise ValueError(f"metric: expected none with a dict of scores, got {metric!r}")
    if not found:
        raise ValueError("found: expected at least one system, got none")
    for name, score in found.items():
        if not hasattr(score, "precisions"):
            kind = type(score).__name__
            raise TypeError(f"found[{name!r}]: expected BLEUScore, got {kind}")
    return {str(name): score.precisions for name, score in found.items()}


def plot_buckets(
    found: Comparison,
    buckets: str = LENGTH,
    what: "str | None" = None,
    *,
    ax: "Axes | None" = None,
) -> "tuple[Figure, Axes]":
    """Draw the systems' scores in buckets of segments or words as bars.

    Parameters
    ----------
    found : Comparison
    buckets : str
        One of ``found.buckets``, or "words".
    what : str, optional
        A metric or "segments"; of words "precision", "recall" or "F1". By default the first metric,
        of buckets by score "segments", of words "F1".
    ax : matplotlib.axes.Axes, optional
        What is drawn on.

    Returns
    -------
    (matplotlib.figure.Figure, matplotlib.axes.Axes)
        The bars of one system are one of ``axes.containers``. Below the name of a bucket is how
        many segments or words it has, if that is the same for all systems; an empty bucket has no
        bars.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong.
    ImportError
        Without Matplotlib.

    Examples
    --------
    >>> from rapidbleu import compare
    >>> outputs = {"A": ["a rose is red", "a rose"], "B": ["one rose is red", "some rose"]}
    >>> found = compare(outputs, [["a rose is red", "a rose"]])
    >>> figure, axes = plot_buckets(found, "words", "recall")
    >>> axes.get_ylabel()
    'recall of words'
    """
    check_comparison(found)
    if what is None:
        what = "F1" if buckets == WORDS else shown_in(buckets, found.metrics)[0]
    table = found.side_by_side(buckets, what)
    x = KINDS.get(buckets) or next(
        f"{metric} of the segment" for metric in found.metrics if score_bucket(metric) == buckets
    )
    names, sizes = [shortened(name) for name in table["bucket"]], None
    if table.names[1:] != tuple(found.systems):  # a column of sizes is before them
        sizes = table[table.names[1]].tolist()
        x += f"; number of {table.names[1]}"
    y = f"{what} of words" if what in RATES and buckets == WORDS else what
    if not found.higher_is_better.get(what, True):
        y += " (less is better)"
    figure, axes = axes_for(ax)
    _draw(axes, names, {system: table[system] for system in found.systems}, sizes)
    head = what if what in found.metrics else what[0].upper() + what[1:]
    dress(axes, f"{head} by {'word frequency' if buckets == WORDS else buckets}", x, y)
    return figure, axes


def _draw(
    ax: "Axes",
    groups: list[str],
    series: "Mapping[str, Sequence[float] | FloatArray]",
    sizes: list[int] | None = None,
) -> None:
    """Draw a bar for each group and series, those of a group side by side, and groups' sizes."""
    import numpy as np

    at, width = np.arange(len(groups)), SHARE / len(series)
    bars = [
        ax.bar(at + width * (i + 0.5) - SHARE / 2, own, width, color=color_of(i),
               edgecolor="white", linewidth=0.7)
        for i, own in enumerate(series.values())
    ]  # fmt: skip
    slanted = max(map(len, groups)) * len(groups) > MOST_LETTERS
    if sizes is not None:
        form = "{} ({})" if slanted else "{}\n{}"
        groups = [form.format(group, n) for group, n in zip(groups, sizes, strict=True)]
    ax.set_xticks(at, groups, parse_math=False, **(SLANT if slanted else {}))
    ax.axhline(0, color=INK, linewidth=0.7)
    name_series(ax, bars, list(series))
