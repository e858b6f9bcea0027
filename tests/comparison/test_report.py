"""The report as text: what is in it, escaped, and no more."""

import base64
import gzip
import json
import re
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

pytest.importorskip("jinja2")

from rapidbleu import BLEU, CHRF, TER, compare
from rapidbleu.comparison.report import BLOCK, render_report, write_report
from rapidbleu.comparison.report.sections import bar_chart, interval_chart, scale_end, ticks
from support.corpora import random_corpus
from support.processes import run

NASTY = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&amp;\"'`${x}\u2028]]>"


def comparison(n: int = 40, n_systems: int = 2, **options: Any) -> Any:
    rng = Random(f"report {n} {n_systems}")
    systems = {}
    for i in range(n_systems):
        systems[f"S{i}"], refs = random_corpus(rng, n, kind="mixed", n_refs=1)
    return compare(systems, refs, n_resamples=80, **options)


def numbers_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="numbers">(.*?)</script>', page)
    assert found
    return json.loads(found[1])


def blocks_of(page: str) -> list[Any]:
    sealed = re.findall(r'<script type="text/plain" class="block">(.*?)</script>', page)
    return [json.loads(gzip.decompress(base64.b64decode(text))) for text in sealed]


def unpacked(text: str, kind: str) -> list[float]:
    items: list[float] = np.frombuffer(gzip.decompress(base64.b64decode(text)), kind).tolist()
    return items


@pytest.mark.parametrize("n", [1, BLOCK, BLOCK + 1])
def test_all_segments_are_there(n: int) -> None:
    found = comparison(n, labels=["x<y", "z"] * (n // 2) + ["z"] * (n % 2))
    page = render_report(found)
    numbers, blocks = numbers_of(page), blocks_of(page)
    texts = [segment for block in blocks for segment in block]
    assert all(len(block) == numbers["block"] for block in blocks[:-1])
    assert [references for references, _, _ in texts] == found.references
    for i, own in enumerate(found.outputs.values()):
        assert [outputs[i] for _, outputs, _ in texts] == own
    assert unpacked(numbers["lengths"], "<i4") == found.segments["length"].tolist()
    names = [numbers["label_names"][int(i)] for i in unpacked(numbers["labels"], "<i4")]
    assert names == found.labels
    for metric, by_system in zip(found.metrics, numbers["scores"], strict=True):
        for system, own in zip(found.systems, by_system, strict=True):
            expected = found.segment_scores[metric][system].astype(np.float32)
            assert unpacked(own, "<f4") == expected.tolist()


def test_sources_and_several_references() -> None:
    found = compare(
        {"A": ["a b", "c"]},
        [["a", "c"], [None, "c d"]],
        sources=["Quelle 1", "Quelle 2"],
        n_resamples=10,
    )
    [block] = blocks_of(render_report(found))
    assert block == [[["a"], ["a b"], "Quelle 1"], [["c", "c d"], ["c"], "Quelle 2"]]


def test_text_of_users_stays_text() -> None:
    segments = [f"{NASTY} {i}" for i in range(12)]
    found = compare(
        {NASTY: segments, f"{NASTY}2": segments[::-1]},
        [segments],
        {NASTY: TER()},
        labels=[NASTY] * 12,
        sources=segments,
        n_resamples=10,
    )
    page = render_report(found, NASTY)
    for piece in ("<script>alert", "<img", "onerror=alert(2)>", "]]>", '&amp;"'):
        assert piece not in page
    scripts = re.findall(r"<script[^>]*>", page)
    assert scripts == [
        '<script type="application/json" id="numbers">',
        '<script type="text/plain" class="block">',
        "<script>",
        "<script>",
    ]
    assert numbers_of(page)["systems"] == [NASTY, f"{NASTY}2"]


def test_nothing_is_loaded() -> None:
    page = render_report(comparison())
    assert """content="default-src 'none'; script-src 'unsafe-inline'; style-src""" in page
    links = re.findall(r"""(?:src|href)=["']([^"']*)""", page)
    assert all(link.startswith(("#", "data:")) for link in links)
    assert not re.findall(r"https?://(?!www\.w3\.org)", page)
    assert "url(" not in page


def test_tables_have_the_numbers() -> None:
    found = comparison(60, 3)
    page = render_report(found, "Three")
    assert "<title>Three</title>" in page
    for i, system in enumerate(found.systems):
        assert f">{found.scores['bleu'][i]:.2f}</td>" in page
        assert f">{system}</th>" in page
    assert page.count(" is better<") + page.count("no clear difference<") == len(found.tests)
    assert page.count('class="pair"') == 6
    for words in found.words["f"]:
        if words == words:
            assert f">{words:,.4f}<" in page


@pytest.mark.parametrize("order", [("good", "bad"), ("bad", "good")])
def test_the_better_system_is_named(order: tuple[str, str]) -> None:
    references = [f"the cat number {i} sat on the mat" for i in range(30)]
    worse = [text.replace("sat on", "lay in") for text in references]
    systems = {"good": references, "bad": worse}
    systems = {name: systems[name] for name in order}
    found = compare(systems, [references], [BLEU(), TER()], n_resamples=200)
    page = render_report(found)
    assert page.count(">good is better</td>") == 2
    assert "bad is better" not in page and "no clear difference" not in page
    scores = page[: page.index('id="tests"')]
    assert re.findall(r'class="number best"[^>]*>([^<]*)<', scores) == ["100.00", "0.00"]


def test_the_same_page_again() -> None:
    assert render_report(comparison()) == render_report(comparison())


def test_a_single_system() -> None:
    page = render_report(comparison(30, 1))
    assert 'id="tests"' not in page
    assert 'id="ngrams"' not in page
    assert "1 system," in page


def test_identical_systems() -> None:
    found = compare({"A": ["a b c d"] * 5, "B": ["a b c d"] * 5}, [["a b c e"] * 5], n_resamples=10)
    assert ">identical outputs</td>" in render_report(found)


def test_too_few_resamples_are_not_taken_for_equal_systems() -> None:
    systems = {"A": ["a b c d"] * 9, "B": ["a x c d"] * 9, "C": ["e f g h"] * 9}
    for n, verdict in ((58, "too few resamples"), (59, "A is better")):
        for top in (None, 2):  # the tests are of all systems
            found = compare(systems, [["a b c d"] * 9], CHRF(), n_resamples=n, top=top)
            page = render_report(found)
            assert f">{verdict}</td>" in page
            assert ">no clear difference<" not in page


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    found = comparison()
    write_report(found, path, "Title")
    assert path.read_text("utf-8") == render_report(found, "Title")
    with pytest.raises(OSError, match="missing"):
        write_report(found, tmp_path / "missing" / "out.html")


def test_without_jinja() -> None:
    program = "import sys; sys.modules['jinja2'] = None; import rapidbleu.comparison.report"
    with pytest.raises(AssertionError, match=r"needs jinja2: pip install .rapidbleu\[report\]"):
        run(program)


# Charts


@pytest.mark.parametrize("value", [1e-9, 0.3, 1, 2.4, 2.5, 2.6, 99.9, 100, 12345])
def test_scales(value: float) -> None:
    end = scale_end(value)
    assert value <= end * (1 + 1e-9) and end <= 2.5 * value
    marks = ticks(value, 3 * value)
    assert 3 <= len(marks) <= 7
    assert all(value <= mark <= 3 * value * (1 + 1e-9) for mark in marks)


def heights(chart: str) -> list[float]:
    return [float(height) for height in re.findall(r'<rect [^>]* height="([0-9.]+)"', chart)]


def test_bars() -> None:
    nan = float("nan")
    chart = bar_chart("<label>", ["g<1", "g2"], ["s&1", "s2"], [[10.0, nan], [20.0, 5.0]])
    first, second, third = heights(chart)
    assert second == pytest.approx(2 * first, abs=0.2)
    assert third == pytest.approx(first / 2, abs=0.2)
    assert "<label>" not in chart and "g<1" not in chart and "s&1" not in chart
    assert "s&amp;1, g&lt;1: 10</title>" in chart


@pytest.mark.parametrize("values", [[-3.0, 2.0], [0.0, 0.0], [float("nan")] * 2, [-1.0, -2]])
def test_bars_of_any_sign(values: list[float]) -> None:
    found = heights(bar_chart("x", ["a", "b"], ["s"], [values]))
    assert all(height >= 0 for height in found)
    assert len(found) == sum(value == value for value in values)


def test_intervals() -> None:
    chart = interval_chart("x", ["A<", "B"], [(5.0, 4.0, 6.0), (5.5, 5.5, 5.5)])
    assert chart.count("<circle") == 2
    assert "A&lt;: 5 (4 to 6)" in chart
    assert interval_chart("x", ["A"], [(0.0, 0.0, 0.0)]).count("<circle") == 1
