"""Plots of what was found, with Matplotlib (extra `plot`).

Each function draws on the axes `ax` if they are given, and otherwise on a new figure, which needs
neither a display nor pyplot: save it with ``figure.savefig("plot.png")``. In a notebook, a figure
is shown after ``%matplotlib inline``. Systems have the colors of the report; after eight of them
the colors begin anew.

Examples
--------
>>> from rapidbleu import compare
>>> from rapidbleu.plots import plot_precisions
>>> found = compare({"A": ["a rose is red"]}, [["a rose is a rose"]])
>>> figure, axes = plot_precisions(found)
>>> axes.get_ylabel()
'precision (%)'
"""

from rapidbleu.plots.bars import plot_buckets, plot_precisions
from rapidbleu.plots.curves import plot_learning_curve
from rapidbleu.plots.differences import plot_bootstrap, plot_differences
from rapidbleu.plots.landscapes import plot_landscape, plot_landscapes
from rapidbleu.plots.matrices import plot_p_values

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
