"""Plots of comparisons, tests and tuning, with Matplotlib (extra `plot`).

Each function draws on the Matplotlib axes `ax` if you pass them, and otherwise on a new figure,
which needs neither a display nor pyplot: save it with ``figure.savefig("plot.png")``. Functions
return the figure and the axes, a pair `fig`, `ax` that notebooks show as a picture.
Wrong arguments raise TypeError or ValueError, and without Matplotlib there is an ImportError.
Systems have the colors of the report; after twenty of them the colors begin anew.

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
