"""A picture of the landscape: the score of the corpus along the weight of each feature."""

from math import ceil
from typing import TYPE_CHECKING

from rapidbleu.cli.figure_files import load_figure, write_figure
from rapidbleu.tuning import line_search

if TYPE_CHECKING:
    from rapidbleu.tuning import NBestList
    from rapidbleu.typing import FloatArray

COLUMNS = 3
MOST = 60  # features; more would be too small to see
SHOWN = (0.05, 0.95)  # quantiles of the boundaries between which a landscape is shown
MARGIN = 0.05  # of the width, beyond them


def plot_landscape(nbest: "NBestList", weights: "FloatArray", metric: str, path: str) -> None:
    """Draw what each weight alone would change, around the given ones.

    Parameters
    ----------
    nbest : NBestList
    weights : float64 array of shape (n_features,)
    metric : str
        What the scores are called.
    path : str
        The file to write; its ending says in which format.
    """
    import numpy as np

    names = nbest.names[:MOST]
    rows = ceil(len(names) / COLUMNS)
    figure = load_figure()(figsize=(4 * COLUMNS, 2.6 * rows), layout="constrained")
    panels = figure.subplots(rows, COLUMNS, squeeze=False).ravel()
    score = nbest.evaluate(weights)
    for i, (panel, name) in enumerate(zip(panels, names, strict=False)):
        direction = np.zeros(len(weights))
        direction[i] = 1.0
        found = line_search(nbest, weights, direction)
        edges, heights = visible_part(found.boundaries + weights[i], found.scores, weights[i])
        panel.stairs(heights, edges, baseline=None, rasterized=True)
        panel.plot([weights[i]], [score], "o", color="black", markersize=4)
        panel.set_title(name, fontsize="medium")
        panel.set_xlabel("weight")
        panel.set_ylabel(metric)
    for panel in panels[len(names) :]:
        panel.set_axis_off()
    write_figure(figure, path)


def visible_part(
    boundaries: "FloatArray", scores: "FloatArray", weight: float
) -> "tuple[FloatArray, FloatArray]":
    """Return the ends of the intervals that are worth seeing, and their scores.

    Most boundaries, and the weight; a few boundaries are so far away that the rest would vanish.

    Examples
    --------
    >>> import numpy as np
    >>> visible_part(np.array([1.0, 2.0]), np.array([5.0, 6.0, 7.0]), 1.5)
    (array([0.95, 1.  , 2.  , 2.05]), array([5., 6., 7.]))
    """
    import numpy as np

    low = high = weight
    if len(boundaries):
        first, last = np.quantile(boundaries, SHOWN, method="nearest")
        low, high = min(first, weight), max(last, weight)
    margin = MARGIN * (high - low) or 1.0
    low, high = low - margin, high + margin
    begin, end = np.searchsorted(boundaries, [low, high])
    edges: FloatArray = np.concatenate([[low], boundaries[begin:end], [high]])
    return edges, scores[begin : end + 1]
