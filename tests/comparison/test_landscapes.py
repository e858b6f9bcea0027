"""Figures of landscapes: the score at every weight shown, and the weights of bags."""

from typing import Any

import numpy as np
import pytest

from rapidbleu import MeanScore
from rapidbleu.plots import plot_landscapes
from rapidbleu.tuning import BaggedResult, NBestList, bagged, mert

patches = pytest.importorskip("matplotlib.patches")


def made(seed: int, n_features: int = 4, metric: Any = None, n: int = 30) -> NBestList:
    """A list in which the first feature knows something."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=6 * n)
    features = rng.normal(size=(6 * n, n_features))
    features[:, 0] += quality
    metric = metric or MeanScore("COMET")
    offsets = np.arange(0, 6 * n + 1, 6)
    return NBestList(features, MeanScore().rows(quality), offsets, metric=metric)


class MeanError(MeanScore):
    higher_is_better = False


def bands(panel: Any) -> list[tuple[float, float]]:
    """Where the shaded parts of a panel begin and end."""
    boxes = [
        patch.get_path().transformed(patch.get_patch_transform()).get_extents()
        for patch in panel.patches
        if not isinstance(patch, patches.StepPatch)
    ]
    return [(box.x0, box.x1) for box in boxes]


@pytest.mark.parametrize("with_test", [False, True])
@pytest.mark.parametrize("with_bags", [False, True])
def test_what_is_drawn(with_test: bool, with_bags: bool) -> None:
    """At every weight that is shown, the score of each list; the weight, and those of the bags."""
    nbest, test = made(1), made(2)
    found = bagged("mert")(nbest) if with_bags else mert(nbest, [1, 0, 0, 0], restarts=1)
    lists = [nbest, test] if with_test else [nbest]
    figure, panels = plot_landscapes(nbest, found, "COMET", test if with_test else None)
    assert panels.tolist() == [panel for panel in figure.axes if panel.axison]
    assert [panel.get_title(loc="left") for panel in panels] == list(nbest.names)
    colors = set()
    for i, panel in enumerate(panels):
        curves = [patch for patch in panel.patches if isinstance(patch, patches.StepPatch)]
        assert len(curves) == len(lists)
        low, high = panel.get_xlim()
        for one, curve in zip(lists, curves, strict=True):
            heights, edges, _ = curve.get_data()
            assert (edges[0], edges[-1]) == (low, high)
            assert len(heights) > 5
            for x, height in zip((edges[:-1] + edges[1:]) / 2, heights, strict=True):
                weights = found.weights.copy()
                weights[i] = x
                expected = one.evaluate(weights) - one.evaluate(found.weights)
                assert height == pytest.approx(expected, abs=1e-12)
            colors.add(curve.get_edgecolor())
        *others, dot = panel.lines
        assert (dot.get_xdata().tolist(), dot.get_ydata().tolist()) == ([found.weights[i]], [0.0])
        if isinstance(found, BaggedResult):
            scaled = found.bag_weights / np.abs(found.bag_weights.mean(axis=0)).sum()
            first, median, third = np.quantile(scaled[:, i], [0.25, 0.5, 0.75])
            [median_line] = others
            assert median_line.get_xdata() == pytest.approx([median, median])
            [band] = bands(panel)
            assert band == pytest.approx((first, third))
            assert low < first and third < high
        else:
            assert others == [] == bands(panel)
    assert len(colors) == len(lists)


def test_bags_far_apart_are_in_the_picture() -> None:
    nbest = made(1)
    found = bagged("mert")(nbest)
    found.bag_weights = np.array([[99.0, -99.0, 1.0, 0.0], [-97.0, 99.0, 1.0, 0.0]] * 3)
    for panel in plot_landscapes(nbest, found, "COMET")[1]:
        [(first, third)] = bands(panel)
        low, high = panel.get_xlim()
        assert low < first <= third < high


def test_less_is_better() -> None:
    for metric, inverted in ((MeanScore("COMET"), False), (MeanError("COMET"), True)):
        nbest = made(1, metric=metric)
        found = mert(nbest, [1, 0, 0, 0], restarts=0)
        figure, _ = plot_landscapes(nbest, found, "COMET", made(2))
        assert [panel.yaxis_inverted() for panel in figure.axes] == [inverted] * 4
        assert figure.get_supylabel() == "change of COMET" + ", less is better" * inverted


# What is shown
