"""The report as text: its contents, escaped and complete."""

import base64
import gzip
import json
import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

pytest.importorskip("jinja2")

from rapidbleu import BLEU, CHRF, TER, compare
from rapidbleu.comparison import report
from rapidbleu.comparison.report import BLOCK, render_report, write_report
from rapidbleu.plots.drawing import COLORS
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
    assert numbers["ids"] is None
    for system, packed in zip(found.systems, numbers["output_lengths"], strict=True):
        column = found.segments[f"length_{system.lower()}"]
        assert unpacked(packed, "<i4") == column.tolist()
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
        assert f'data-system="{i}"' in page and f'title="{system}">{system}</span>' in page
    assert page.count(" is better</td>") + page.count("no clear difference</td>") == len(
        found.tests
    )
    for words in found.words["f"]:
        if words == words:
            assert f">{words:,.4f}<" in page


def rows_of(page: str) -> list[int]:
    """Return the systems in the table of scores, from the top."""
    table = page[page.index('id="scores"') : page.index("</table>")]
    return [int(i) for i in re.findall(r'<th scope="row" data-system="(\d+)"', table)]


@pytest.mark.parametrize("metric", [BLEU(), TER()])
def test_the_best_system_is_first_everywhere(metric: Any) -> None:
    found = comparison(50, 7, metrics=metric)
    own = found.scores[found.columns[found.metrics[0]]].tolist()
    order = sorted(range(7), key=lambda i: -own[i] if found.metrics == ["BLEU"] else own[i])
    page = render_report(found)
    assert rows_of(page) == order == numbers_of(page)["order"] == report.ranking(found)
    assert report.first_pair(found) == tuple(order[:2])
    for one in report.bucket_section(found) + report.word_section(found):
        assert [row[0].system for row in one.sheet.rows if row[0].system is not None] == order


def test_figures_have_the_buckets() -> None:
    found = comparison(50, 3)
    for one in report.bucket_section(found):
        what = "segments" if one.kind.endswith("_score") else one.metric
        table = found.side_by_side(one.kind, what)
        assert one.sheet.headers == ["", *table["bucket"]]
        for row in one.sheet.rows:
            if row[0].system is not None:
                keys = [float("nan") if cell.key == float("-inf") else cell.key for cell in row[1:]]
                expected = table[table.names[-3:][row[0].system]]
                np.testing.assert_array_equal(np.array(keys, float), expected.astype(float))


def test_pairs_at_first() -> None:
    assert report.first_pair(comparison(20, 1)) == (0, 0)
    assert report.first_pair(comparison(20, 2)) == (0, 1)
    found = comparison(20, 5, baseline="S3")
    best = next(i for i in report.ranking(found) if i != 3)
    assert report.first_pair(found) == (3, best)
    page = render_report(found)
    assert 'id="triangle"' not in page and "Paired bootstrap of pairs with S3<" in page
    found = comparison(20, 5, pairs=[("S4", "S1"), ("S0", "S2")])
    assert report.first_pair(found) == (4, 1)
    page = render_report(found)
    assert 'id="triangle"' not in page and "Paired bootstrap of pairs<" in page
    assert 'id="triangle"' in render_report(comparison(20, 5))


def test_tests_are_embedded() -> None:
    found = comparison(30, 4)
    rows = numbers_of(render_report(found))["tests"]
    assert [
        [found.metrics[m], found.systems[a], found.systems[b], *rest] for m, a, b, *rest in rows
    ] == [[*row[:6], row[7], *own[-2:]] for row, own in zip(found.tests.rows(), rows, strict=True)]


def test_least_p_values_are_bounds() -> None:
    """One pair differs in every segment, another one in none."""
    words = "a b c d e f g h"
    systems = {"good": [words] * 30, "bad": ["a x c x e x g x"] * 30, "same": [words] * 30}
    found = compare(systems, [[words] * 30], CHRF(), n_resamples=300)
    page = render_report(found)
    texts = {tuple(test[1:3]): test[-1] for test in numbers_of(page)["tests"]}
    assert texts[0, 1] == ["≤0.0034", "≤0.0100", "≤0.010"]
    assert texts[0, 2] == ["1.0000", "1.0000", "1.000"]
    assert numbers_of(page)["least"] == 3 / 301
    assert page.count(">≤0.0034<") == page.count(">≤0.0100<") == 2
    assert "no difference has a lower p in 300 resamples; a larger -n can show lower ones." in page
    assert "lower ones" not in render_report(
        compare(systems, [[words] * 30], CHRF(), n_resamples=1)
    ), "corrected, no p can be below 1"


def ngrams_of(page: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(numbers_of(page)["ngrams"])))


def test_ngrams_of_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    found = comparison(40, 6)
    page = render_report(found)
    lists = ngrams_of(page)
    assert len(lists) == 30 and "N-grams are listed for" not in page
    for pair, rows in lists.items():
        a, b = (found.systems[int(i)] for i in pair.split())
        table = found.ngrams(a, b, report.NGRAMS)
        columns = (table["ngram"], table["a"].tolist(), table["b"].tolist())
        assert rows == [list(row) for row in zip(*columns, strict=True)]
    for work, n in ((40 * 12, 4), (40 * 12 - 1, 3), (0, 2)):
        monkeypatch.setattr(report, "MOST_WORK", work)
        page = render_report(found)
        best = report.ranking(found)[:n]
        assert set(ngrams_of(page)) == {f"{i} {k}" for i in best for k in best if i != k}
        assert f"N-grams are listed for pairs of {n} systems" in page


def test_words_of_a_frequency() -> None:
    rng = Random("frequency")
    words = [f"w{int(rng.paretovariate(0.7))}" for _ in range(3000)]
    references = [" ".join(words[i : i + 6]) for i in range(0, 3000, 6)]
    found = compare({"A": references[::-1]}, [references], tokenize="none", n_resamples=2)
    numbers = numbers_of(render_report(found))
    counts = Counter(words)
    ends = [1, 2, 3, 4, 5, 10, 100, 1000, 10**9]
    expected = []
    for text in references:
        bits = {k for k in range(8) for w in text.split() if ends[k] <= counts[w] < ends[k + 1]}
        expected.append(sum(1 << k for k in bits))
    assert unpacked(numbers["words"], "<i4") == expected
    assert numbers["frequencies"] == found.words["bucket"][1:]
    many = {"word_frequency": list(range(1, 60))}
    numbers = numbers_of(
        render_report(
            compare({"A": references}, [references], tokenize="none", cutoffs=many, n_resamples=2)
        )
    )
    assert len(numbers["frequencies"]) == 31 and numbers["frequencies"][-1] == "31"
    least = [min(counts[w] for w in text.split()) for text in references]
    bits = unpacked(numbers["words"], "<i4")
    assert all(mask >= 0 for mask in bits)
    assert all(int(mask) & (1 << (k - 1)) for mask, k in zip(bits, least, strict=True) if k < 32)


@pytest.mark.parametrize("n_systems", [1, 3])
def test_the_segments_that_differ_most(n_systems: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = comparison(50, n_systems, labels=["a", "b"] * 25)
    whole = blocks_of(render_report(found))[0]
    monkeypatch.setattr(report, "MOST_TEXTS", 50 * n_systems)
    assert "this list and the charts" not in render_report(found)
    monkeypatch.setattr(report, "MOST_TEXTS", 20 * n_systems + n_systems - 1)
    monkeypatch.setattr(report, "BLOCK", 8)
    page = render_report(found)
    own = list(found.segment_scores["BLEU"].values())
    spread = [max(s[i] for s in own) - min(s[i] for s in own) for i in range(50)]
    ids = sorted(sorted(range(50), key=lambda i: -spread[i])[:20])
    numbers = numbers_of(page)
    assert numbers["n"] == 20 and unpacked(numbers["ids"], "<i4") == ids
    assert [segment for block in blocks_of(page) for segment in block] == [whole[i] for i in ids]
    scores = found.segment_scores["BLEU"][found.systems[-1]][ids].astype(np.float32)
    assert unpacked(numbers["scores"][0][-1], "<f4") == scores.tolist()
    assert unpacked(numbers["lengths"], "<i4") == found.segments["length"][ids].tolist()
    assert [numbers["label_names"][int(k)] for k in unpacked(numbers["labels"], "<i4")] == [
        found.labels[i] for i in ids
    ]
    assert "Of 50 segments, this list and the charts of segments have 20" in page


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
    scores = page[: page.index('<section id="tests"')]
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


# Colors

STYLE = Path(report.__file__).with_name("assets").joinpath("style.css").read_text("utf-8")
LIGHT, DARK = (
    dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", block))
    for block in (
        STYLE[STYLE.index(":root") : STYLE.index("@media")],
        STYLE[STYLE.index("@media") : STYLE.index("\n}\n", STYLE.index("@media"))],
    )
)


def linear(color: str) -> Any:
    values = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2."""
    low, high = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_contrast(colors: dict[str, str]) -> None:
    for name in ("ink", "soft", "link", "good"):
        assert contrast(colors[name], colors["paper"]) >= 4.5
        assert contrast(colors[name], colors["panel"]) >= 4.5
    for i in range(1, 5):
        assert contrast(colors["ink"], colors[f"m{i}"]) >= 4.5
    for i in range(4):
        assert contrast(colors[f"q{i}"], colors[f"p{i}"]) >= 4.5
    for name in ("edge", "wrong", *(f"c{i}" for i in range(report.COLORS))):
        assert contrast(colors[name], colors["paper"]) >= 3  # edges and shapes
    own = set(re.findall(r"[\s{;]color: var\(--(\w+)\)", STYLE))
    assert own == {"ink", "soft", "link", "good", "paper", "q0", "q1", "q2", "q3"}
    assert re.findall(r"[\s{;]opacity: ([\d.]+)", STYLE) == ["1"]  # which would lower contrast


# Color vision: normal, and without one kind of cone (Machado, Oliveira and Fernandes 2009).
VISION = [
    np.eye(3),
    np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
]
CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("vision", VISION, ids=["all", "protan", "deutan", "tritan"])
def test_twenty_colors_differ_for_everybody(vision: Any, colors: dict[str, str]) -> None:
    """In OKLab, where 0.02 is a just noticeable difference."""
    seen = [np.clip(vision @ linear(colors[f"c{i}"]), 0, 1) for i in range(report.COLORS)]
    places = [OKLAB @ np.cbrt(CONES @ color) for color in seen]
    nearest = min(float(np.linalg.norm(a - b)) for a, b in combinations(places, 2))
    assert nearest >= 0.039


def test_systems_have_the_colors_of_plots() -> None:
    assert [LIGHT[f"c{i}"] for i in range(report.COLORS)] == list(COLORS)
