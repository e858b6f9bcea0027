"""Results in notebooks: single plots, titled comparisons and tests, and the example."""

import base64
import json
import pickle
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, TER, Comparison, SegmentScores, compare
from rapidbleu.significance import PairedResult, paired_bootstrap, paired_randomization
from rapidbleu.tuning import NBestList, mert, tune
from support.places import REPO

SYSTEMS = {
    "A": ["the cat sat on a mat", "it rained", "dogs bark"],
    "<B>": ["the cat sat on the mat", "it rains", "the dog barks"],
    "C": ["a cat", "it rained today", "the dogs bark"],
}
REFERENCES = [["the cat sat on the mat", "it rained", "the dogs bark"]]
NOTEBOOK = REPO / "examples" / "compare_systems.ipynb"


@pytest.fixture(scope="module")
def found() -> Comparison:
    return compare(SYSTEMS, REFERENCES, [BLEU(), TER()], n_resamples=50)


def shown(value: Any) -> dict[str, Any]:
    """Return IPython's representation of a value."""
    formatters = pytest.importorskip("IPython.core.formatters")
    return dict(formatters.DisplayFormatter().format(value)[0])


class Headings(HTMLParser):
    """Texts of headings, and the number of tables that follow each."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: dict[str, int] = {}
        self.tag = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tag = tag
        if tag == "table" and self.tables:
            self.tables[list(self.tables)[-1]] += 1

    def handle_data(self, data: str) -> None:
        if self.tag == "h4" and data.strip():
            self.tables[data] = 0


# Plots


def test_plots_show_themselves(found: Comparison) -> None:
    pytest.importorskip("matplotlib")
    from rapidbleu.plots import plot_precisions

    plot = plot_precisions(found)
    fig, ax = plot
    assert (plot.fig, plot.ax, plot[0]) == (fig, ax, fig) and ax.figure is fig
    data = shown(plot)
    picture = base64.b64decode(data["image/png"])
    assert picture.startswith(b"\x89PNG")
    assert (plot._repr_png_() or b"").startswith(b"\x89PNG")
    assert int.from_bytes(picture[16:20], "big") == round(fig.get_figwidth() * 150)
    assert data["text/plain"].startswith("Plot(fig=<Figure")
    [(_, about)] = [plot._repr_mimebundle_()]
    assert about == {"image/png": {"width": round(fig.get_figwidth() * fig.dpi)}}


def test_figures_show_themselves_after_unpacking(found: Comparison) -> None:
    """The next cell may contain ``fig`` alone."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from rapidbleu.plots import plot_landscapes, plot_precisions

    pyplot.switch_backend("agg")
    comet = SegmentScores("COMET")
    rows = comet.stats([0.5, 0.75, 0.25, 0.5])
    nbest = NBestList([[0.0], [1.0], [0.5], [1.0]], rows, [0, 2, 4], metric=comet)
    for fig, _ in (plot_precisions(found), plot_landscapes(nbest, mert(nbest))):
        data = shown(fig)
        assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
        assert (fig._repr_png_() or b"").startswith(b"\x89PNG")
        assert "image/png" in shown(pickle.loads(pickle.dumps(fig)))
    figure, axes = pyplot.subplots()
    fig, _ = plot_precisions(found, ax=axes)
    assert fig is figure and [*shown(fig)] == ["text/plain"]
    pyplot.close(figure)


def test_axes_of_pyplot_are_shown_once(found: Comparison) -> None:
    """pyplot shows them after the cell; unknown or closed figures are shown by the plot."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from rapidbleu.plots import plot_precisions

    pyplot.switch_backend("agg")
    figure, axes = pyplot.subplots()
    plot = plot_precisions(found, ax=axes)
    assert plot.fig is figure and plot._repr_png_() is None
    assert [*shown(plot)] == ["text/plain"]
    assert "image/png" in shown(plot_precisions(found))
    pyplot.close(figure)
    assert "image/png" in shown(plot)


# Tables


@pytest.mark.parametrize("baseline", [None, "A"])
def test_comparisons_have_headings(baseline: str | None) -> None:
    found = compare(SYSTEMS, REFERENCES, [BLEU(), CHRF()], baseline=baseline, n_resamples=20)
    page = found._repr_html_()
    assert page.startswith(
        "<p>3 systems, 3 segments; 20 resamples, seed 12345, 95% intervals. ≤: no difference has a "
        "lower p in 20 resamples; a larger n_resamples can show lower ones</p>"
    )
    ranks = {"Ranks, p <= 0.05": 1} if baseline is None else {}
    assert Headings(page).tables == {
        "Scores": 1,
        **ranks,
        "Paired bootstrap, correction: holm": 1,
        "F1 of words by their frequency in the references": 1,
        "Signatures": 1,
    }
    assert found.signatures["BLEU"] in page
    assert "identical" not in page and "&lt;B&gt;" in page and "<B>" not in page
    alone = compare({"A": SYSTEMS["A"]}, REFERENCES, n_resamples=20)
    assert "Paired" not in alone._repr_html_() and "&" not in alone._repr_html_()[:200]


def test_many_systems_have_a_triangle() -> None:
    systems = {f"{name}{i}": texts for name, texts in SYSTEMS.items() for i in range(7)}
    found = compare(systems, REFERENCES, [BLEU(), CHRF()], n_resamples=20)
    tables = Headings(found._repr_html_()).tables
    assert [*tables][2:4] == [
        f"{metric}: Paired bootstrap, correction: holm" for metric in ("BLEU", "chrF2")
    ]
    assert {*tables.values()} == {1}


def both_tests(baseline: str | None) -> Iterator[PairedResult]:
    yield paired_bootstrap(SYSTEMS, REFERENCES, [BLEU(), TER()], n_resamples=50, baseline=baseline)
    yield paired_randomization(SYSTEMS, REFERENCES, [BLEU(), TER()], n_trials=50, baseline=baseline)


@pytest.mark.parametrize("baseline", [None, "C"])
def test_pairs_are_a_table(baseline: str | None) -> None:
    for found in both_tests(baseline):
        pairs: list[tuple[str, ...]] = list(combinations(SYSTEMS, 2))
        if baseline is not None:
            pairs = [pair for pair in permutations(SYSTEMS, 2) if pair[0] == baseline]
        rows = list(found.table().rows())
        assert [row[:3] for row in rows] == [
            (metric, *pair) for metric in found.metrics for pair in pairs
        ]
        for metric, a, b, difference, low, high, p in rows:
            one, other = found[metric][a], found[metric][b]
            assert difference == other.score - one.score
            assert p == found.p_value(metric, a, b)
            if one.samples is None:
                assert (low, high) == (None, None)
                continue
            gaps = sorted((other.samples - one.samples).tolist())  # type: ignore[operator]
            assert (low, high) == (gaps[1], gaps[-2])  # 2.5 % of 50
        page = found._repr_html_()
        assert Headings(page).tables == {"BLEU": 1, "TER": 1, "Pairs, p not corrected": 1}
        assert page.startswith(f"<p>{repr(found).splitlines()[0]}</p>")
        assert (">low<" in page) == (found.test == "paired bootstrap")


def test_the_pairs_of_a_comparison_are_the_same(found: Comparison) -> None:
    paired = paired_bootstrap(SYSTEMS, REFERENCES, [BLEU(), TER()], n_resamples=50, baseline=None)
    names = paired.table().names
    assert {name: found.tests[name] for name in names[:3]} == {
        name: paired.table()[name] for name in names[:3]
    }
    for name in names[3:]:
        assert found.tests[name].tolist() == paired.table()[name].tolist()


def test_scores_show_their_signature() -> None:
    score = BLEU(tokenize="char").corpus_score(SYSTEMS["A"], REFERENCES)
    assert f"<p><code>{score.signature}</code></p>" in shown(score)["text/html"]
    comet = SegmentScores("COMET")
    assert "<code>" not in comet.score(comet.stats([0.5]))._repr_html_()


# Reports


def test_reports_are_shown_below_the_cell(
    found: Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    display = pytest.importorskip("IPython.display")
    pytest.importorskip("jinja2")
    from rapidbleu.comparison.report import render_report

    calls: list[Any] = []
    monkeypatch.setattr(display, "display", lambda *args, **kwargs: calls.append((args, kwargs)))
    assert found.show() is None  # type: ignore[func-returns-value]
    found.show(height=300)
    [(data,), options] = calls[0]
    assert options == {"raw": True} and data["text/plain"] == repr(found)

    frames: list[dict[str, str | None]] = []

    class Frames(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            assert tag == "iframe"
            frames.append(dict(attrs))

    Frames().feed(data["text/html"])
    Frames().feed(calls[1][0][0]["text/html"])
    page = frames[0]["srcdoc"]
    assert page is not None
    assert page.replace('<base href="about:srcdoc">', "") == render_report(found)
    assert "allow-same-origin" not in str(frames[0]["sandbox"])
    assert "height: 640px" in str(frames[0]["style"])
    assert "height: 300px" in str(frames[1]["style"])
    for bad, error in ((0, ValueError), ("9", TypeError), (True, TypeError)):
        with pytest.raises(error, match=r"^height: expected "):
            found.show(height=bad)  # type: ignore[arg-type]


def test_without_a_notebook(found: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "IPython.display", None)
    with pytest.raises(ImportError, match="write_report"):
        found.show()


# Results as JSON


def test_tunings_are_data() -> None:
    """Numbers survive exactly; nan, which JSON lacks, becomes None."""
    comet = SegmentScores("COMET")
    rng = np.random.default_rng(3)
    rows, features = comet.stats(rng.random(36)), rng.random((36, 2))
    nbest = NBestList(features, rows, range(0, 37, 3), metric=comet, names=["é", "b"])
    for result in (mert(nbest, restarts=2), tune(nbest, method="mert", bags=3)):
        found = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        assert found == result.to_dict()
        assert list(found["weights"]) == ["é", "b"]
        assert [*found["weights"].values()] == result.weights.tolist()
        assert (found["score"], found["seed"]) == (result.score, 12345)
        assert (found["method"], found["interrupted"]) == (result.method, False)
        assert len(found["history"]) == len(result.history) > 0
        assert found["history"][0]["score"] == result.history[0]["score"]
        assert set(found) == {*vars(result)} - {"names"}
    assert found["bag_weights"] == result.bag_weights.tolist()
    result.out_of_bag = float("nan")
    assert result.to_dict()["out_of_bag"] is None


# The example


def cells_of(notebook: Any) -> list[tuple[str, list[Any]]]:
    return [(cell["source"], cell["outputs"]) for cell in notebook.cells if "outputs" in cell]


@pytest.mark.slow
@pytest.mark.skipif(not NOTEBOOK.is_file(), reason="the examples are not here")
def test_the_example_shows_pictures(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel yields one figure per plot, tables, report and LaTeX; no output is committed."""
    for needed in ("ipykernel", "matplotlib", "jinja2"):
        pytest.importorskip(needed)
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    import rapidbleu

    source = str(rapidbleu.__path__[0]).removesuffix("rapidbleu")
    monkeypatch.setenv("PYTHONPATH", source)
    notebook = nbformat.read(NOTEBOOK, 4)
    nbformat.validate(notebook)
    assert all(not outputs for _, outputs in cells_of(notebook))
    assert NOTEBOOK.stat().st_size < 20_000
    nbclient.NotebookClient(
        notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    n_pictures = 0
    for text, outputs in cells_of(notebook):
        data = [output["data"] for output in outputs if "data" in output]
        pictures = [own["image/png"] for own in data if "image/png" in own]
        n_pictures += len(pictures)
        assert len(pictures) == ("plot_" in text), text
        assert all(base64.b64decode(own).startswith(b"\x89PNG") for own in pictures)
        if text.endswith("\nfound"):
            assert "<h4>Scores</h4>" in data[0]["text/html"]
        if "paired_bootstrap" in text:
            assert "<h4>Pairs, p not corrected</h4>" in data[0]["text/html"]
        if "found.show(" in text:
            assert data[0]["text/html"].startswith("<iframe ")
        if "latex" in text:
            assert r"\textbf{" in outputs[0]["text"] and r"\rlap{*}" in outputs[0]["text"]
    assert n_pictures == 3
