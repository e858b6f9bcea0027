"""Pictures of landscapes: what is drawn, which part of it is shown, and that nothing overlaps."""

from typing import Any

import numpy as np
import pytest

from rapidbleu import MeanScore
from rapidbleu.plots import plot_landscapes
from rapidbleu.plots.tunings import (
    quartiles_of,
    visible_heights,
    visible_part,
    visible_range,
)
from rapidbleu.tuning import BaggedResult, NBestList, TuningResult, bagged, mert

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


def labels_of(panel: Any) -> list[Any]:
    """The name of a panel, and its numbers."""
    found = [panel._left_title]
    axes = [panel.xaxis, panel.yaxis] if panel.get_subplotspec().is_first_col() else [panel.xaxis]
    for axis in axes:
        low, high = sorted(axis.get_view_interval())
        found += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    return found


@pytest.mark.parametrize(
    "n_features", [1, 2, 3, 15, *(pytest.param(n, marks=pytest.mark.slow) for n in (57, 61))]
)
def test_labels_do_not_overlap(n_features: int) -> None:
    """All names, numbers and entries of the legend have a place of their own, in the picture."""
    names = [f"feature {i} $a_\\x$ {'x' * 3 * i}" for i in range(n_features)]
    nbest, test = (
        NBestList(own.features, own.stats, own.offsets, metric=own.metric, names=names)
        for own in (made(seed, n_features, n=12) for seed in (1, 2))
    )
    bags = np.random.default_rng(1).normal(size=(5, n_features))
    found = BaggedResult(
        bags.mean(axis=0), nbest.names, 1.0, "bagged", [],
        bag_weights=bags, counts=bags, out_of_bag=0.5,
    )  # fmt: skip
    figure, _ = plot_landscapes(nbest, found, "COMET", test)
    figure.draw_without_rendering()
    panels = [panel for panel in figure.axes if panel.axison]
    assert len(panels) == min(n_features, 60)
    more = " (1 more are not shown)" if n_features == 61 else ""
    assert figure.get_supxlabel() == f"weight{more}"
    labels = [*figure.legends[0].get_texts(), *figure.texts]
    labels += [label for panel in panels for label in labels_of(panel)]
    boxes = [label.get_window_extent() for label in labels]
    frames = [panel.get_window_extent() for panel in panels]
    edges = figure.bbox
    for i, box in enumerate(boxes):
        assert edges.x0 <= box.x0 < box.x1 <= edges.x1 and edges.y0 <= box.y0 < box.y1 <= edges.y1
        assert not any(box.overlaps(other) for other in [*boxes[i + 1 :], *frames]), labels[i]


# What is shown


def test_the_visible_range() -> None:
    """It has the weight in its middle, half of the boundaries, and what is marked."""
    boundaries = np.concatenate([np.linspace(-1, 1, 101), [-1e9, 1e9]])
    for weight in (-9.0, -1.0, 0.3, 7.0):
        low, high = visible_range([boundaries[:40], boundaries[40:]], weight, [])
        assert low + high == pytest.approx(2 * weight)
        n = int(((low < boundaries) & (boundaries < high)).sum())
        assert len(boundaries) // 2 <= n < len(boundaries) - 2
        low, high = visible_range([boundaries], weight, [weight - 30, weight + 20])
        assert low < weight - 30 and high - low < 70
    assert visible_range([boundaries[:0]], 2.0, []) == (1.0, 3.0)
    assert visible_range([np.array([2.0])], 2.0, [2.0]) == (1.0, 3.0)


def test_the_visible_part_has_the_scores() -> None:
    boundaries, scores = np.linspace(-1, 1, 101), np.arange(102.0)
    for low, high in ((-9.0, 9.0), (-0.31, 0.17), (0.5, 2.0), (0.001, 0.002), (3.0, 4.0)):
        edges, heights = visible_part(boundaries, scores, low, high)
        assert (edges[0], edges[-1], len(edges)) == (low, high, len(heights) + 1)
        for x, height in zip((edges[:-1] + edges[1:]) / 2, heights, strict=True):
            assert height == scores[(boundaries < x).sum()]


def test_the_visible_heights() -> None:
    """All but the worst 15 % of the length, whichever way is better, however wide a panel is."""
    flat = np.array([0.0, 1.0]), np.array([0.0])
    assert visible_heights([flat], True) == (-1.0, 1.0)
    step = np.array([0.0, 0.1, 1.0]), np.array([-20.0, 0.0])
    assert visible_heights([step], True) == (-21.0, 1.0)
    wide = np.array([0.0, 100.0, 1000.0]), np.array([-50.0, -1.0])
    narrow = np.array([0.0, 0.4, 1.0]), np.array([-5.0, 2.0])
    low, high = visible_heights([wide, narrow], True)
    assert (low, high) == pytest.approx((-5.35, 2.35))  # 5 % are hidden; with the next height 25 %
    down = [(edges, -heights) for edges, heights in (wide, narrow)]
    assert visible_heights(down, False) == (-low, -high)


def test_quartiles_of_bags() -> None:
    """Scaled together: their mean is the tuned weights where bagging takes the mean."""
    nbest = made(3)
    found = bagged("mert")(nbest)
    expected = np.quantile(found.bag_weights, [0.25, 0.5, 0.75], axis=0)
    scale = found.weights / found.bag_weights.mean(axis=0)
    assert scale == pytest.approx(np.full(4, scale[0]))
    assert quartiles_of(found) == pytest.approx(scale[0] * expected)
    found.bag_weights = np.array([[1.0, 0, 0, 0], [-1.0, 0, 0, 0]])
    quartiles = quartiles_of(found)
    assert quartiles is not None and quartiles[:, 0].tolist() == [-0.5, 0.0, 0.5]
    assert quartiles_of(TuningResult(found.weights, nbest.names, 1.0, "mert", [])) is None
