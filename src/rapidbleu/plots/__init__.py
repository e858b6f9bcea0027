"""Plots of comparisons, tests and tuning, with Matplotlib (extra `plot`).

Each function draws on the Matplotlib axes `ax` if you pass them, otherwise on a new figure, which
needs neither a display nor pyplot: save it with ``figure.savefig("plot.png")``. Functions return
the figure and the axes, a pair `fig`, `ax` that notebooks display. They raise TypeError or
ValueError for wrong arguments, and ImportError without Matplotlib. Systems have the colors of the
report, which repeat after twenty.

Examples
--------
>>> from rapidbleu import compare
>>> from rapidbleu.plots import plot_precisions
>>> found = compare({"A": ["a rose is red"]}, [["a rose is a rose"]])
>>> figure, axes = plot_precisions(found)
>>> axes.get_ylabel()
'precision (%)'
"""

from rapidbleu.plots.comparisons import (
    plot_bootstrap,
    plot_buckets,
    plot_differences,
    plot_p_values,
    plot_precisions,
)
from rapidbleu.plots.tunings import plot_landscape, plot_landscapes, plot_learning_curve

__all__ = [
    "plot_bootstrap",
    "plot_buckets",
    "plot_differences",
    "plot_landscape",
    "plot_landscapes",
    "plot_learning_curve",
    "plot_p_values",
    "plot_precisions",
]
