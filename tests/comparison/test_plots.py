"""Plots: drawn values, names, given axes and invalid arguments."""

import math
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, TER, Comparison, SegmentScores, compare
from rapidbleu.plots import (
    plot_bootstrap,
    plot_buckets,
    plot_differences,
    plot_landscape,
    plot_landscapes,
    plot_learning_curve,
    plot_p_values,
    plot_precisions,
)
from rapidbleu.plots.drawing import COLORS
from rapidbleu.significance import PairedResult, paired_bootstrap, paired_randomization
from rapidbleu.tuning import (
    BaggedResult,
    NBestList,
    line_search,
    mert,
    mira,
    pro,
    risk,
    tune,
    tune_repeatedly,
)
from support.corpora import random_corpus
from support.places import PACKAGE, PYTHONPATH
from support.selection import few

figures = pytest.importorskip("matplotlib.figure")
colors = pytest.importorskip("matplotlib.colors")
patches = pytest.importorskip("matplotlib.patches")

NAMES = ["A", "$x_y$", "_hidden"]
METRICS = [BLEU(), CHRF(), TER()]


def corpus() -> tuple[dict[str, list[str]], list[list[str]]]:
    """Return three systems, from best to worst."""
    rng = Random("plots")
    first, streams = random_corpus(rng, 80, kind="ascii", n_refs=1)
    worse = [
        [" ".join(word for word in text.split(" ") if rng.random() > loss) for text in first]
        for loss in (0.0, 0.1, 0.3)
    ]
    return dict(zip(NAMES, worse, strict=True)), [list(stream) for stream in streams]


@pytest.fixture(scope="module")
def found() -> Comparison:
    systems, references = corpus()
    labels = ["news $a$" if i % 3 else "talks" for i in range(80)]
    return compare(systems, references, METRICS, labels=labels, n_resamples=200)


@pytest.fixture(scope="module")
def paired() -> PairedResult:
    return paired_bootstrap(*corpus(), METRICS, n_resamples=200, baseline="$x_y$")


def nbest_of(seed: int, metric: Any = None) -> NBestList:
    """Return a list in which the first feature is informative."""
    rng = np.random.default_rng(seed)
    quality, features = rng.normal(size=180), rng.normal(size=(180, 4))
    features[:, 0] += quality
    metric = metric or SegmentScores("COMET")
    return NBestList(features, SegmentScores().stats(quality), np.arange(0, 181, 6), metric=metric)


@pytest.fixture(scope="module")
def nbest() -> NBestList:
    return nbest_of(1)


def legend_of(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()]


def heights(bars: Any) -> list[float]:
    return [float(bar.get_height()) for bar in bars]


def ticks_of(axis: Any) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels()]


def plot_of(bars: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return edges and heights of the bars of a histogram."""
    edges = [bar.get_x() for bar in bars] + [bars[-1].get_x() + bars[-1].get_width()]
    return np.array(edges), np.array(heights(bars))


# Bars


@pytest.mark.parametrize("to_dict", [False, True])
def test_precisions(found: Comparison, to_dict: bool) -> None:
    scores = found.corpus_scores["BLEU"]
    figure, axes = plot_precisions(scores if to_dict else found)
    assert axes.figure is figure
    assert ticks_of(axes.xaxis) == ["1-grams", "2-grams", "3-grams", "4-grams"]
    assert legend_of(axes) == NAMES
    assert [heights(bars) for bars in axes.containers] == [
        scores[name].precisions
        for name in NAMES  # type: ignore[attr-defined]
    ]
    shown = [colors.to_hex(bars[0].get_facecolor()) for bars in axes.containers]
    assert shown == list(COLORS[:3])
    for i, bars in enumerate(zip(*axes.containers, strict=True)):
        ends = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in bars]
        flat = [x for end in ends for x in end]
        assert flat == pytest.approx(sorted(flat))
        assert flat[0] + flat[-1] == pytest.approx(2 * i) and flat[-1] - flat[0] < 1


def test_precisions_of_a_metric() -> None:
    systems, references = corpus()
    metrics = {"two": BLEU(max_ngram_order=2), "four": BLEU()}
    found = compare(systems, references, metrics, n_resamples=2)
    assert len(plot_precisions(found)[1].containers[0]) == 2
    assert len(plot_precisions(found, "four")[1].containers[0]) == 4


@pytest.mark.parametrize(
    ("buckets", "what", "metric"),
    [
        ("length", None, "BLEU"),
        ("length", "TER", "TER"),
        ("label", "chrF2", "chrF2"),
        ("length_difference", None, "BLEU"),
        ("bleu_score", None, "segments"),
        ("words", None, "f"),
        ("words", "recall", "recall"),
        ("length", "segments", "segments"),
    ],
)
def test_buckets(found: Comparison, buckets: str, what: str | None, metric: str) -> None:
    _, axes = plot_buckets(found, buckets, what)
    table = found.words if buckets == "words" else found.buckets[buckets]
    column = found.columns.get(metric, metric)
    rows = list(zip(table["bucket"], table["system"], table[column].tolist(), strict=True))
    assert legend_of(axes) == NAMES
    for name, bars in zip(NAMES, axes.containers, strict=True):
        expected = [value for _, system, value in rows if system == name]
        assert heights(bars) == pytest.approx(expected, nan_ok=True, rel=0, abs=0)
    names = list(dict.fromkeys(bucket for bucket, _, _ in rows))
    for text, name in zip(ticks_of(axes.xaxis), names, strict=True):
        assert text.startswith(name)
    assert ("less is better" in axes.get_ylabel()) == (metric == "TER")
    assert axes.get_ylabel().startswith("F1" if metric == "f" else metric)


def test_sizes_of_buckets(found: Comparison) -> None:
    """Common sizes are below the names, or after them if there are many."""
    sizes = {"news $a$": 53, "talks": 27}
    _, axes = plot_buckets(found, "label")
    assert dict(text.split("\n") for text in ticks_of(axes.xaxis)) == {
        name: str(n) for name, n in sizes.items()
    }
    assert not any(label.get_parse_math() for label in axes.get_xticklabels())
    assert axes.get_xlabel() == "label of the segment; number of segments"
    _, axes = plot_buckets(found, "words")
    names = found.words["bucket"][::3]
    counts = found.words["reference_words"][::3].tolist()
    expected = [f"{name} ({n})" for name, n in zip(names, counts, strict=True)]
    assert ticks_of(axes.xaxis) == expected
    _, axes = plot_buckets(found, "length_difference")
    assert ticks_of(axes.xaxis) == found.buckets["length_difference"]["bucket"][::3]


# Differences


@pytest.mark.parametrize("metric", ["BLEU", "TER", None])
def test_differences(found: Comparison, metric: str | None) -> None:
    _, axes = plot_differences(found, "A", "_hidden", metric)
    name = metric or "BLEU"
    scores = found.segment_scores[name]
    gaps = scores["_hidden"] - scores["A"]
    edges, counts = plot_of(axes.containers[0])
    assert len(counts) == 31 and counts.sum() == 80
    assert edges[0] == -edges[-1] == -np.abs(gaps).max()
    for i, n in enumerate(counts):
        last = i == 30
        assert n == sum(
            edges[i] <= gap < edges[i + 1] or (last and gap == edges[-1]) for gap in gaps
        )
    shades = [colors.to_hex(bar.get_facecolor()) for bar in axes.containers[0]]
    better_a, better_b = ("left", "right") if name == "BLEU" else ("right", "left")
    sides = {"left": set(shades[:15]), "right": set(shades[16:])}
    assert (sides[better_a], sides[better_b]) == ({COLORS[0]}, {COLORS[1]})
    assert shades[15] not in COLORS[:2]
    gains = gaps if name == "BLEU" else -gaps
    assert legend_of(axes) == [
        f"A better: {sum(gains < 0)}",
        f"_hidden better: {sum(gains > 0)}",
        f"equal: {sum(gains == 0)}",
        f"mean: {gaps.mean():+.4g}",
    ]
    assert axes.lines[0].get_xdata() == [gaps.mean()] * 2
    assert axes.get_xlabel() == f"{name} of _hidden less that of A"


def test_segments_are_whole() -> None:
    found = compare({"A": ["a b"], "B": ["a c"]}, [["a b"]], n_resamples=5)
    ticks = plot_differences(found, "A", "B")[1].get_yticks()
    assert [tick for tick in ticks if tick != round(tick)] == []


def test_differences_of_equal_systems() -> None:
    found = compare({"A": ["a b"] * 9, "B": ["a b"] * 9}, [["a b"] * 9], n_resamples=5)
    _, axes = plot_differences(found, "A", "B")
    assert heights(axes.containers[0]) == [0.0] * 15 + [9.0] + [0.0] * 15
    _, axes = plot_bootstrap(found, "BLEU", "A", "B")
    edges, tall = plot_of(axes.containers[0])
    assert np.diff(edges) @ tall == pytest.approx(1)
    assert axes.get_title(loc="left") == "Bootstrap of BLEU: p = 1.0000, 1.0000 corrected"


@pytest.mark.parametrize("metric", ["BLEU", "TER"])
@pytest.mark.parametrize(("a", "b"), [("A", "$x_y$"), ("$x_y$", "A")])
def test_bootstrap(found: Comparison, paired: PairedResult, metric: str, a: str, b: str) -> None:
    [row] = [row for row in found.tests.rows() if row[0] == metric and {*row[1:3]} == {a, b}]
    sign = 1 if row[1] == a else -1
    low, high = sorted(sign * end for end in row[4:6])
    for result, title in (
        (found, "p ≤0.0050, ≤0.0150 corrected"),
        (paired, "p ≤0.0050"),
    ):
        _, axes = plot_bootstrap(result, metric, a, b)
        scores = found.resampled[metric]
        samples = scores[b].samples - scores[a].samples
        edges, tall = plot_of(axes.containers[0])
        assert (edges[0], edges[-1]) == pytest.approx((samples.min(), samples.max()))
        expected, _ = np.histogram(samples, len(tall), density=True)
        assert tall == pytest.approx(expected) and len(tall) == 15
        zero, seen = axes.lines
        assert zero.get_xdata() == [0, 0]
        assert seen.get_xdata() == [pytest.approx(sign * row[3])] * 2
        [band] = [patch for patch in axes.patches if patch not in axes.containers[0].patches]
        box = band.get_window_extent().transformed(axes.transData.inverted())
        assert (box.x0, box.x1) == pytest.approx((low, high))
        assert legend_of(axes) == [
            f"observed: {sign * row[3]:+.4g}",
            f"95%: {low:+.4g} to {high:+.4g}",
            "no difference",
        ]
        assert axes.get_title(loc="left") == f"Bootstrap of {metric}: {title}"
        assert axes.get_xlabel() == f"{metric} of {b} less that of {a}"


def test_p_values_of_pairs_in_titles() -> None:
    systems, references = corpus()
    few = {name: own[:7] for name, own in systems.items()}
    found = compare(few, [references[0][:7]], BLEU(), n_resamples=200, correction="none")
    assert len({*found.tests["p_value"].tolist()}) == 3
    for _, a, b, *_, p, _, _ in found.tests.rows():
        _, axes = plot_bootstrap(found, "BLEU", a, b)
        assert axes.get_title(loc="left") == f"Bootstrap of BLEU: p = {p:.4f}"


def test_a_difference_that_is_the_same_in_all_resamples() -> None:
    """Equal except for rounding: one bar in the middle, with bins wide enough for floats."""
    comet = SegmentScores("COMET")
    rng = np.random.default_rng(1)
    scores = rng.random(40)
    rows = {"A": comet.stats(scores), "B": comet.stats(scores + 0.25)}
    _, axes = plot_bootstrap(paired_bootstrap(rows, None, comet, n_resamples=99), "COMET", "A", "B")
    edges, tall = plot_of(axes.containers[0])
    assert sum(tall > 0) == 1 and edges[-1] - edges[0] == pytest.approx(1)


# p-values


@pytest.mark.parametrize("metric", ["BLEU", "TER"])
def test_p_values_of_all_pairs(found: Comparison, metric: str) -> None:
    _, axes = plot_p_values(found, metric)
    assert (ticks_of(axes.yaxis), ticks_of(axes.xaxis)) == (NAMES[1:], NAMES[:-1])
    cells = {
        (NAMES[j], NAMES[i + 1]): text.get_text()
        for text in axes.texts
        for j, i in [map(int, text.get_position())]
    }
    bounds = {row[1:3]: row[7] <= 3 / 201 for row in found.tests.rows() if row[0] == metric}
    assert cells == dict.fromkeys(bounds, "≤0.0150") and all(bounds.values())
    assert legend_of(axes) == ["up to 0.05", "above 0.05"], "no p can be 0.01"
    assert axes.get_title(loc="left") == f"p-values of {metric}, corrected (holm)"
    shades = axes.images[0].get_array()
    assert shades.mask.tolist() == [[False, True], [False, False]]
    for text in axes.texts:
        j, i = map(int, text.get_position())
        p = float(found.tests["p_corrected"][found.tests["metric"].index(metric) :][i + j])
        assert shades[i, j] == sum(p > end for end in (0.001, 0.01, 0.05))


def test_p_values_with_a_baseline(paired: PairedResult) -> None:
    _, axes = plot_p_values(paired, "chrF2")
    assert (ticks_of(axes.xaxis), ticks_of(axes.yaxis)) == (["$x_y$"], ["A", "_hidden"])
    assert [text.get_text() for text in axes.texts] == ["≤0.0050", "≤0.0050"]
    assert legend_of(axes) == ["up to 0.01", "up to 0.05", "above 0.05"]
    assert axes.get_title(loc="left") == "p-values of chrF2, paired bootstrap"


def test_the_shades_of_p_values() -> None:
    p = np.array([0.001, 0.0011, 0.01, 0.0101, 0.05, 0.0501, 1.0])
    matrix = np.full((8, 8), np.nan)
    matrix[0, 1:] = matrix[1:, 0] = p
    systems = dict.fromkeys("abcdefgh")
    result = PairedResult("t", 10_000, 1, "a", {"M": systems}, {"M": matrix}, {})  # type: ignore[dict-item]
    _, axes = plot_p_values(result, "M")
    assert axes.images[0].get_array().ravel().tolist() == [0, 1, 1, 2, 2, 3, 3]
    assert legend_of(axes) == ["up to 0.001", "up to 0.01", "up to 0.05", "above 0.05"]


# Tuning


def test_learning_curves_of_mert(nbest: NBestList) -> None:
    """A line for each start, also from the entries of a callback in any order."""
    entries: list[dict[str, Any]] = []
    run = mert(nbest, restarts=3, threads=2, callback=entries.append)
    climbs: dict[int, list[tuple[int, float]]] = {}
    for entry in run.history:
        climbs.setdefault(entry["start"], []).append((entry["step"], entry["score"]))
    for source in (run, entries, iter(entries)):
        _, axes = plot_learning_curve(source)
        lines = [list(zip(*line.get_data(), strict=True)) for line in axes.lines]
        assert sorted(lines) == sorted(climbs.values())
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("step", "score of the tuned list")
        assert axes.get_legend() is None
    _, axes = plot_learning_curve(run, "objective")
    shown = sorted(y for line in axes.lines for y in line.get_ydata())
    assert shown == sorted(entry["objective"] for entry in run.history)


def test_learning_curves_of_several_runs(nbest: NBestList) -> None:
    runs = {"$a_b$": mira(nbest), "_pro": pro(nbest), "risk": risk(nbest)}
    _, axes = plot_learning_curve(runs)
    assert axes.get_ylabel() == "loss" and axes.get_xlabel() == "epoch or iteration or step"
    assert legend_of(axes) == list(runs)
    for line, color, run in zip(axes.lines, COLORS, runs.values(), strict=False):
        assert list(line.get_ydata()) == [entry["loss"] for entry in run.history]
        assert line.get_color() == color
    many = tune_repeatedly(nbest, "mira", n_runs=2, seed=7)
    _, axes = plot_learning_curve(many)
    assert legend_of(axes) == ["seed 7", "seed 8"]
    for line, run in zip(axes.lines, many.results, strict=True):
        assert list(line.get_ydata()) == [entry["score"] for entry in run.history]
    _, axes = plot_learning_curve(runs["$a_b$"], "loss")
    assert list(axes.lines[0].get_ydata()) == [entry["loss"] for entry in runs["$a_b$"].history]
    assert plot_learning_curve(runs["risk"])[1].get_ylabel() == "expected score of the tuned list"


def test_the_landscape_of_a_line(nbest: NBestList) -> None:
    weights, direction = np.array([1.0, 0.2, 0.0, 0.0]), np.array([0.0, 1.0, 0.5, 0.0])
    line = line_search(nbest, weights, direction)
    _, axes = plot_landscape(line)
    scores, edges, _ = axes.patches[0].get_data()
    for x, score in zip((edges[:-1] + edges[1:]) / 2, scores, strict=True):
        assert score == pytest.approx(nbest.evaluate(weights + x * direction))
    assert axes.get_xlim() == (edges[0], edges[-1])
    assert len(scores) > len(line.boundaries) / 2 and edges[0] < min(0, line.x)
    start, chosen = axes.lines
    assert start.get_xdata() == [0, 0]
    assert list(zip(*chosen.get_data(), strict=True)) == [(line.x, line.score)]


def test_the_start_of_a_line_is_in_the_picture(nbest: NBestList) -> None:
    line = line_search(nbest, [-30, 0.1, 0.1, 0.1], [1, 0, 0, 0])
    _, axes = plot_landscape(line)
    low, high = axes.get_xlim()
    assert low < 0 < 29 < line.x < high


def test_a_line_without_boundaries(nbest: NBestList) -> None:
    line = line_search(nbest, [1, 0, 0, 0], [1, 0, 0, 0], bounds=(0, 9))
    _, axes = plot_landscape(line)
    assert len(axes.patches[0].get_data().values) == 1


# Landscapes


class MeanError(SegmentScores):
    higher_is_better = False


def bands(panel: Any) -> list[tuple[float, float]]:
    """Return the limits of the shaded parts of a panel."""
    boxes = [
        patch.get_path().transformed(patch.get_patch_transform()).get_extents()
        for patch in panel.patches
        if not isinstance(patch, patches.StepPatch)
    ]
    return [(box.x0, box.x1) for box in boxes]


@pytest.mark.parametrize("with_test", [False, True])
@pytest.mark.parametrize("with_bags", [False, True])
def test_what_is_drawn(with_test: bool, with_bags: bool) -> None:
    """The score of each list at every visible weight, the tuned weight, and bag weights."""
    nbest, test = nbest_of(1), nbest_of(2)
    found = tune(nbest, method="mert") if with_bags else mert(nbest, [1, 0, 0, 0], restarts=1)
    lists = [nbest, test] if with_test else [nbest]
    figure, panels = plot_landscapes(nbest, found, "COMET", test if with_test else None)
    assert panels.tolist() == [panel for panel in figure.axes if panel.axison]
    assert [panel.get_title(loc="left") for panel in panels] == list(nbest.names)
    shades = set()
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
            shades.add(curve.get_edgecolor())
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
    assert len(shades) == len(lists)


def test_bags_far_apart_are_in_the_picture() -> None:
    nbest = nbest_of(1)
    found = tune(nbest, method="mert")
    found.bag_weights = np.array([[99.0, -99.0, 1.0, 0.0], [-97.0, 99.0, 1.0, 0.0]] * 3)
    for panel in plot_landscapes(nbest, found, "COMET")[1]:
        [(first, third)] = bands(panel)
        low, high = panel.get_xlim()
        assert low < first <= third < high


def test_less_is_better() -> None:
    for metric, inverted in ((SegmentScores("COMET"), False), (MeanError("COMET"), True)):
        nbest = nbest_of(1, metric)
        found = mert(nbest, [1, 0, 0, 0], restarts=0)
        figure, _ = plot_landscapes(nbest, found, "COMET", nbest_of(2))
        assert [panel.yaxis_inverted() for panel in figure.axes] == [inverted] * 4
        label = "change of COMET" + ", less is better" * inverted
        assert label in [text.get_text() for text in figure.texts]


# All of them

Plot = Callable[..., Any]


def all_plots(found: Comparison, nbest: NBestList) -> list[Plot]:
    """Return a call of each function that draws on axes."""
    line, run = line_search(nbest, [1, 0, 0, 0], [0, 1, 0, 0]), mira(nbest)
    return [
        lambda **ax: plot_precisions(found, **ax),
        lambda **ax: plot_buckets(found, **ax),
        lambda **ax: plot_differences(found, "A", "$x_y$", **ax),
        lambda **ax: plot_bootstrap(found, "BLEU", "A", "$x_y$", **ax),
        lambda **ax: plot_p_values(found, "BLEU", **ax),
        lambda **ax: plot_learning_curve({"_a": run, "$x$": run}, **ax),
        lambda **ax: plot_landscape(line, **ax),
    ]


def test_axes_that_are_given_are_drawn_on(found: Comparison, nbest: NBestList) -> None:
    plots = all_plots(found, nbest)
    figure = figures.Figure(figsize=(9, 20), layout="constrained")
    panels = figure.subplots(len(plots))
    for plot, panel in zip(plots, panels, strict=True):
        assert plot(ax=panel) == (figure, panel)
    figure.draw_without_rendering()
    assert figure.axes == panels.tolist()
    part = figures.Figure().subfigures(1, 2)[1]
    assert plots[0](ax=part.subplots())[0] is part


@pytest.mark.parametrize("n", few([1, 9], [1]))
def test_everything_is_in_the_picture(n: int) -> None:
    """Titles, labels, names and legends fit in the figure for any number of systems."""
    rng = Random(n)
    references = [" ".join(rng.choices("abcdefgh", k=rng.randint(2, 70))) for _ in range(40)]
    systems = {
        f"$y$stem {i} {'x' * 5 * i}": [text[: rng.randint(5, 99)] for text in references]
        for i in range(n)
    }
    found = compare(systems, [references], n_resamples=20)
    names = found.systems
    drawn = [plot_precisions(found), *(plot_buckets(found, name) for name in found.buckets)]
    drawn.append(plot_buckets(found, "words"))
    if n > 1:
        drawn += [
            plot_differences(found, names[0], names[-1]),
            plot_p_values(found, "BLEU"),
            plot_bootstrap(found, "BLEU", names[0], names[-1]),
        ]
    for figure, axes in drawn:
        figure.draw_without_rendering()
        shown = [axes._left_title, axes.xaxis.label, axes.yaxis.label]
        shown += [*axes.get_xticklabels(), *axes.get_legend().get_texts()]
        assert any("$" in text.get_text() for text in shown)
        assert not any(text.get_parse_math() for text in shown if "$" in text.get_text())
        boxes = [axes.get_tightbbox(), axes.get_legend().get_window_extent()]
        for box in boxes:
            assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
            assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1
        labels = [label.get_window_extent() for label in axes.get_xticklabels()]
        if axes.get_xticklabels()[0].get_rotation() == 0:
            assert not any(one.overlaps(other) for one, other in pairwise(labels))
        assert axes.get_window_extent().width > 0.4 * figure.bbox.width


def test_pyplot_is_not_imported() -> None:
    program = (
        "import sys\nfrom rapidbleu import compare\nfrom rapidbleu.plots import *\n"
        "assert not any(name.startswith('matplotlib') for name in sys.modules)\n"
        "found = compare({'A': ['a b'], 'B': ['a']}, [['a b']], n_resamples=5)\n"
        "figure, _ = plot_precisions(found)\nplot_bootstrap(found, 'BLEU', 'A', 'B')\n"
        "plot_p_values(found, 'BLEU')\nfigure.savefig(sys.stdout.buffer, format='png')\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=False,
        cwd=PACKAGE.parent,
        env={"PYTHONPATH": PYTHONPATH, "MPLBACKEND": "tkagg"},
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.startswith(b"\x89PNG")


def test_without_matplotlib(
    found: Comparison, nbest: NBestList, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    plots = [*all_plots(found, nbest), lambda: plot_landscapes(nbest, mira(nbest))]
    for plot in plots:
        with pytest.raises(ImportError, match=r'pip install "rapidbleu\[plot\]"'):
            plot()


def test_bad_arguments(found: Comparison, paired: PairedResult, nbest: NBestList) -> None:
    systems, references = corpus()
    randomized = paired_randomization(systems, references, BLEU(), n_trials=9, n_resamples=9)
    alone = compare({"A": systems["A"]}, references, CHRF(), n_resamples=2)
    two = BLEU(max_ngram_order=2).corpus_score(systems["A"], references)
    run, known = mira(nbest), r"A, \$x_y\$, _hidden"
    other = NBestList(
        nbest.features,
        nbest.stats,
        nbest.offsets,
        metric=SegmentScores("COMET"),
        names=list("abcd"),
    )
    for error, text, plot in [
        (
            TypeError,
            "comparison: expected Comparison or a dict of scores; got list",
            lambda: plot_precisions([]),
        ),
        (
            ValueError,
            "comparison: expected at least one system; got none",
            lambda: plot_precisions({}),
        ),
        (
            TypeError,
            "comparison['A']: expected BLEUScore; got float",
            lambda: plot_precisions({"A": 1.0}),
        ),
        (
            ValueError,
            "comparison['B']: expected 4 precisions as 'A' has; got 2",
            lambda: plot_precisions({"A": found.corpus_scores["BLEU"]["A"], "B": two}),
        ),
        (
            ValueError,
            "metric: expected none with a dict of scores; got 'BLEU'",
            lambda: plot_precisions({"A": two}, "BLEU"),
        ),
        (
            ValueError,
            "metric: expected one of BLEU; got 'TER'",
            lambda: plot_precisions(found, "TER"),
        ),
        (
            ValueError,
            "comparison: expected a metric with precisions; got chrF2",
            lambda: plot_precisions(alone),
        ),
        (
            TypeError,
            "comparison: expected Comparison; got PairedResult",
            lambda: plot_buckets(paired),
        ),
        (
            ValueError,
            "buckets: expected one of label, length, length_difference, bleu_score, "
            "chrf2_score, ter_score, words; got 'x'",
            lambda: plot_buckets(found, "x"),
        ),
        (
            ValueError,
            "what: expected one of segments, BLEU, chrF2, TER; got 'F1'",
            lambda: plot_buckets(found, "length", "F1"),
        ),
        (
            TypeError,
            "comparison: expected Comparison; got dict",
            lambda: plot_differences({}, "A", "B"),
        ),
        (
            ValueError,
            f"a: expected one of {known}; got 'X'",
            lambda: plot_differences(found, "X", "A"),
        ),
        (
            ValueError,
            f"b: expected one of {known}; got 'X'",
            lambda: plot_bootstrap(found, "BLEU", "A", "X"),
        ),
        (
            ValueError,
            "b: expected another system than 'A'",
            lambda: plot_differences(found, "A", "A"),
        ),
        (
            ValueError,
            "metric: expected one of BLEU, chrF2, TER; got 'X'",
            lambda: plot_differences(found, "A", "_hidden", "X"),
        ),
        (
            ValueError,
            "metric: expected one of BLEU, chrF2, TER; got 'X'",
            lambda: plot_bootstrap(paired, "X", "A", "_hidden"),
        ),
        (
            TypeError,
            "result: expected PairedResult or Comparison; got dict",
            lambda: plot_bootstrap({}, "BLEU", "A", "B"),
        ),
        (
            ValueError,
            "result: expected a paired bootstrap; got a paired randomization",
            lambda: plot_bootstrap(randomized, "BLEU", "A", "_hidden"),
        ),
        (
            ValueError,
            "'A' and '_hidden' were not compared",
            lambda: plot_bootstrap(paired, "BLEU", "A", "_hidden"),
        ),
        (
            ValueError,
            "'A' and '_hidden' were not compared",
            lambda: plot_bootstrap(
                compare(systems, references, n_resamples=2, baseline="$x_y$"),
                "BLEU",
                "A",
                "_hidden",
            ),
        ),
        (
            TypeError,
            "result: expected PairedResult or Comparison; got list",
            lambda: plot_p_values([], "BLEU"),
        ),
        (
            ValueError,
            "metric: expected one of BLEU, chrF2, TER; got 'X'",
            lambda: plot_p_values(found, "X"),
        ),
        (
            ValueError,
            "result: expected two systems or more; got one",
            lambda: plot_p_values(alone, "chrF2"),
        ),
        (
            TypeError,
            "runs: expected TuningResult or entries of a history; got int",
            lambda: plot_learning_curve(3),
        ),
        (ValueError, "runs: expected at least one run; got none", lambda: plot_learning_curve({})),
        (
            ValueError,
            "runs: expected at least one entry; got none",
            lambda: plot_learning_curve([]),
        ),
        (
            TypeError,
            "runs['a'][1]: expected dict; got int",
            lambda: plot_learning_curve({"a": [run.history[0], 3]}),
        ),
        (
            ValueError,
            "runs.history[0]: expected one of step, epoch, iteration; got bag, method, score",
            lambda: plot_learning_curve(tune(nbest, method="mert")),
        ),
        (
            ValueError,
            "runs: expected entries that all have one of score, expected, objective, loss",
            lambda: plot_learning_curve([{"step": 1}]),
        ),
        (
            ValueError,
            "what: expected one of score, loss; got 'expected'",
            lambda: plot_learning_curve(run, "expected"),
        ),
        (
            TypeError,
            "line: expected LineSearchResult; got TuningResult",
            lambda: plot_landscape(run),
        ),
        (
            TypeError,
            "nbest: expected NBestList; got TuningResult",
            lambda: plot_landscapes(run, run),
        ),
        (
            TypeError,
            "result: expected TuningResult; got NBestList",
            lambda: plot_landscapes(nbest, nbest),
        ),
        (
            ValueError,
            "result: expected the features of nbest; got others",
            lambda: plot_landscapes(other, run),
        ),
        (
            ValueError,
            "test: expected the features of nbest; got others",
            lambda: plot_landscapes(nbest, run, "M", other),
        ),
        (
            TypeError,
            "ax: expected matplotlib.axes.Axes; got Figure",
            lambda: plot_precisions(found, ax=figures.Figure()),
        ),
    ]:
        with pytest.raises(error) as raised:
            plot()
        assert str(raised.value) == text.replace("\\", "")
    assert math.isnan(paired.p_values["BLEU"][0, 2])
