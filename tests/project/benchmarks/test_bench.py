"""The benchmarks: comparisons hold, a difference stops them, pages show the latest results."""

import gc
import importlib
import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import rapidbleu
from support.places import REPO

pytestmark = pytest.mark.skipif(not (REPO / "bench").is_dir(), reason="bench is not shipped here")


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    monkeypatch.syspath_prepend(REPO)
    monkeypatch.setenv("RAPIDBLEU_DATA", str(REPO / "no data"))
    return lambda name: importlib.import_module(f"bench.harness.{name}")


@pytest.fixture
def comparison(bench) -> Any:
    measure = bench("measure")
    ours, peer = (measure.Contender(name, lambda: [26.5, 3]) for name in ("ours", "theirs"))
    return measure.Comparison("topic", "job", "corpus", ours, [peer], 3, "segment", headline=True)


@pytest.mark.slow
def test_every_comparison_holds_on_small_corpora(bench, capsys):
    pytest.importorskip("sacrebleu")
    run = bench("run")
    run.check(run.TOPICS, n_segments=12)
    lines = capsys.readouterr().out.splitlines()
    ok = [line.split(":")[0] for line in lines if line.startswith("ok ")]
    assert ok == [f"ok {topic}" for topic in run.TOPICS]


def test_the_time_of_a_part_is_scaled(bench, comparison):
    measure = bench("measure")
    effort = measure.Effort(seconds=0, min_turns=3, max_turns=3)
    part = replace(comparison.peers[0], run=lambda: sum(range(30_000)), outcome=lambda: [26.5, 3])
    whole, scaled = (
        replace_peers(bench, comparison, [replace(part, share=share)]).measure(effort)[0]
        for share in (1.0, 1 / 1000)
    )
    assert 100 < scaled.theirs / whole.theirs < 10_000
    assert 100 < scaled.ratio / whole.ratio < 10_000


def test_a_difference_is_named(bench, comparison):
    wrong = replace(comparison.peers[0], outcome=lambda: [26.500000000000004, 3])
    with pytest.raises(bench("measure").Difference, match=r"ours and theirs .*\[0\] 26\.5 and 26"):
        replace_peers(bench, comparison, [wrong]).check()


def test_a_difference_ends_the_program_without_times(bench, comparison, monkeypatch, capsys):
    wrong = replace(comparison.peers[0], outcome=lambda: None)
    cases, run = [replace_peers(bench, comparison, [wrong])], bench("run")
    monkeypatch.setattr(run, "_cases", lambda *_: cases)
    monkeypatch.setattr(run, "ProcessPoolExecutor", lambda n, _: ThreadPoolExecutor(n))
    assert importlib.import_module("bench.__main__").main(["cold"]) == 1
    printed = capsys.readouterr()
    assert "different: topic, job, corpus" in printed.err
    assert len(printed.out.splitlines()) == 1


def test_a_difference_leaves_the_process_that_found_it(bench):
    difference = bench("measure").Difference("topic, job: 1 and 2")
    assert str(pickle.loads(pickle.dumps(difference))) == str(difference)


def test_agreement_within_a_tolerance(bench):
    agrees = bench("peers").within(1e-9, scale=100)
    assert agrees(26.5, 0.265)
    assert agrees([26.5, 0.0], [0.265, 0.0])
    assert not agrees(26.5, 0.2650001)
    assert not agrees([26.5], [0.265, 0.265])


def test_sacrebleu_runs_are_first_runs(bench):
    sacrebleu = pytest.importorskip("sacrebleu")
    for name in ("13a", "intl", "zh", "char"):
        tokenizer = sacrebleu.BLEU(tokenize=name).tokenizer
        tokenizer("Ein Satz.")
        assert type(tokenizer).__call__.cache_info().currsize
        bench("peers").clear_sacrebleu_caches()
        assert not type(tokenizer).__call__.cache_info().currsize


def test_corpora_depend_on_the_seed_only(bench):
    corpora = bench("corpora")
    for name in ("german", "german_4", "chinese"):
        first, again = (getattr(corpora.Corpora(20), name) for _ in range(2))
        assert first == again
        assert [len(stream) for stream in first.references] == [20] * len(first.references)
    assert corpora.Corpora(20).wmt17 is None


@pytest.fixture
def results(bench, comparison, tmp_path) -> Path:
    measure, path = bench("measure"), tmp_path / "results" / "latest.json"
    records = comparison.measure(measure.Effort(seconds=0, min_turns=3, max_turns=3))
    assert [(record.peer, record.turns) for record in records] == [("theirs", 3)]
    bench("report").save(records, path)
    return path


@pytest.mark.parametrize("make", ["table", "summary"])
def test_tables_are_stable(bench, results, tmp_path, monkeypatch, make):
    report, page = bench("report"), tmp_path / "page.md"
    monkeypatch.setattr(report, "SUMMARY", [("A job", "job", "theirs")])
    monkeypatch.setattr(report, "SECTIONS", {"Heading": ("topic",)})
    monkeypatch.setattr(report, "limit", lambda row: "a reason")
    page.write_text(f"# Name\n{report.BEGIN}\nold\n{report.END}\nµ rest\n", encoding="utf-8")
    report.rewrite(page, getattr(report, make), results)
    once = page.read_text(encoding="utf-8")
    assert "old" not in once
    assert ("| job" in once or "| A job" in once) and "| theirs | " in once
    assert once.startswith("# Name\n")
    assert once.endswith(f"{report.END}\nµ rest\n")
    report.rewrite(page, getattr(report, make), results)
    assert page.read_text(encoding="utf-8") == once


@pytest.mark.parametrize("text", ["", "{BEGIN}", "{END}\n{BEGIN}", "{BEGIN}{BEGIN}{END}"])
def test_a_page_without_its_markers_is_refused(bench, text):
    report = bench("report")
    with pytest.raises(ValueError, match="page: expected"):
        report.put_table(text.format(BEGIN=report.BEGIN, END=report.END), "", "page")


@pytest.mark.parametrize("name", ["README.md", "docs/development/benchmarks.md"])
def test_pages_show_the_latest_results(bench, name):
    report = bench("report")
    page, document = REPO / name, latest(report)
    text = page.read_text(encoding="utf-8")
    assert report.put_table(text, report.PAGES[page](document), name) == text


# Figures of speed: "398x", "0.97 ms", "19.2 ns".
SPEED = re.compile(r"(?<![\w.,])[\d.,]*\d(?:x(?!\w)| (?:ns|µs|ms)(?!\w))")


def test_the_readme_has_figures_of_speed_only_in_its_table(bench):
    text = (REPO / "README.md").read_text(encoding="utf-8")
    prose = bench("report").put_table(text, "", "README.md")
    assert SPEED.findall(prose) == [] and SPEED.findall(text)


def test_the_chart_shows_the_latest_results(bench):
    report, chart = bench("report"), bench("chart")
    for mode, path in chart.FILES.items():
        drawn = chart.chart(latest(report), mode)
        assert path.read_text(encoding="utf-8") == drawn
        root = ElementTree.fromstring(drawn)
        width, height = float(root.get("width")), float(root.get("height"))
        names = [text.text for text in root.findall(".//{*}text")]
        assert all(title in names for title, _ in chart.GROUPS)
        for text in root.findall(".//{*}text"):
            wide = 8.0 * len(text.text)  # at most, at 13 px
            assert float(text.get("x")) + wide * ("middle" not in text.get("class", "")) <= width
            assert float(text.get("y")) < height
            if text.text in dict(chart.GROUPS):
                assert float(text.get("x")) + wide <= chart._LEFT


def test_slow_jobs_have_a_limit(bench):
    report = bench("report")
    slow = [row for row in report._headlines(latest(report)) if row["ratio"] < report.GOAL]
    assert len(slow) > 20
    assert [row["job"] for row in slow if not report.limit(row)] == []


def latest(report: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(report.LATEST.read_text(encoding="utf-8"))
    return document


def a_row(**fields: Any) -> dict[str, Any]:
    row = {
        "topic": "edits",
        "job": "corpus, CER",
        "corpus": "wmt17-en-de",
        "quantity": "CPU ns",
        "ours": 973_000.0,
        "n_units": 100,
        "unit": "segment",
        "peer": "jiwer",
        "theirs": 97.3e6,
        "ratio": 100.0,
        "compared": "score: ==",
        "headline": True,
    }
    return row | fields


def test_a_job_is_shown_against_its_first_and_its_fastest_peer(bench):
    report = bench("report")
    rows = [
        a_row(),
        a_row(peer="slow", ratio=200.0),
        a_row(peer="rapidfuzz", ratio=0.5),
        a_row(topic="ter", job="corpus, TER", corpus="made", ratio=39.0),
    ]
    document = latest(report) | {"records": rows}
    own, first, fastest = [line for line in report.table(document).splitlines() if "**" in line]
    limit = report.limit(rows[2])
    assert "S, D, I" in limit
    assert own == "| corpus, TER (made) | 973 µs | 9.73 µs/segment | jiwer | 97.3 ms | **39x** | |"
    assert first == "| corpus, CER | 973 µs | 9.73 µs/segment | jiwer | 97.3 ms | **100x** | |"
    assert fastest == f"| | | | rapidfuzz | 97.3 ms | **0.5x** | {limit} |"
    with pytest.raises(ValueError, match="none of other"):
        report.table(document | {"records": [a_row(topic="other")]})


def test_instructions_of_jobs_are_between_their_dumps(bench, monkeypatch, tmp_path):
    counts, calls = bench("counts"), []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "getppid", lambda: calls.append("getppid"))
    monkeypatch.setattr(os, "urandom", os.urandom)
    monkeypatch.setattr(bench("peers"), "load", bench("peers").load)
    measure = bench("measure")
    made = [
        measure.Comparison(
            "topic", job, "made", measure.Contender("", lambda: calls.append(1)), [], 1, "segment"
        )
        for job in ("one", "one, 2 threads", "two", "one")
    ]
    monkeypatch.setattr(bench("run"), "_cases", lambda *_: iter([*made, object()]))
    try:
        counts.run_jobs("topic")
    finally:
        gc.enable()
    assert calls == [1, "getppid", 1, "getppid"] * 2
    assert json.loads(Path("names.json").read_text()) == ["topic: one, made", "topic: two, made"]


@pytest.mark.parametrize("name", ["growth", "engines", "shuffles", "cluster"])
def test_the_page_of_scale_shows_the_latest_results(bench, name):
    report = bench("report")
    page = report.SCALE.read_text(encoding="utf-8")
    document = json.loads((report.RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    assert len(document["records"]) >= 4
    assert page == report.put_table(page, report.program_table(name)(document), "growth.md", name)


def test_the_page_of_tuning_shows_the_latest_results(bench):
    report, tuners = bench("report"), importlib.import_module("bench.tuners")
    page = (REPO / "docs/guides/tuning.md").read_text(encoding="utf-8")
    document = json.loads((report.RESULTS / "tuners.json").read_text(encoding="utf-8"))
    frozen = json.loads((report.RESULTS / "tuning_lists.json").read_text(encoding="utf-8"))
    assert [record["name"] for record in document["records"]] == list(frozen)
    assert page == report.put_table(page, tuners.table(document), "tuning.md", "tuners")


def test_the_page_of_tuning_shows_the_latest_curves(bench):
    report, restarts = bench("report"), importlib.import_module("bench.restarts")
    page = (REPO / "docs/guides/tuning.md").read_text(encoding="utf-8")
    document = json.loads((report.RESULTS / "restarts.json").read_text(encoding="utf-8"))
    assert page == report.put_table(page, restarts.table(document), "tuning.md", "restarts")


def test_the_model_of_a_cluster_is_of_the_latest_results() -> None:
    cluster = importlib.import_module("bench.cluster")
    stats, score, grouped, resampled = found = cluster.records("cluster")
    own = cluster.model(
        cluster.records("growth"), cluster.records("shuffles"), resampled["cpu"] - score["cpu"]
    )
    for one, other in zip(own, found, strict=True):
        assert one.pop("job") == other.pop("job")
        assert one == pytest.approx(other)
    assert stats["shuffle"] == 0 < score["shuffle"] < grouped["shuffle"] < resampled["shuffle"]
    [sent] = [row for row in cluster.records("shuffles") if row["job"] == "score"]
    assert score["shuffle"] * 10**9 == pytest.approx(1000 * sent["shuffle"] / sent["senders"])


def test_results_are_kept_by_version(bench, results):
    own = results.with_name(f"{rapidbleu.__version__}.json")
    assert own.read_text(encoding="utf-8") == results.read_text(encoding="utf-8")
    partial = results.with_name("partial.json")
    bench("report").save([], partial)
    assert sorted(path.name for path in results.parent.iterdir()) == sorted(
        [own.name, "latest.json", "partial.json"]
    )


def test_each_release_has_its_results(bench):
    changelog = (REPO / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (\d+\.\d+\.\d+)(.*)$", changelog, re.MULTILINE)
    assert versions
    released = [version for version, note in versions if "unreleased" not in note]
    folder = bench("report").LATEST.parent
    for version in [*released, rapidbleu.__version__]:
        document = json.loads((folder / f"{version}.json").read_text(encoding="utf-8"))
        assert document["machine"]["versions"]["rapidbleu"] == version


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (0.0, "CPU ns", "0.00 ns"),
        (16.64, "CPU ns", "16.6 ns"),
        (1_910_000, "CPU ns", "1.91 ms"),
        (3.22e9, "wall ns", "3.22 s"),
        (2048, "bytes", "2.00 KiB"),
        (72, "bytes", "72 B"),
    ],
)
def test_quantities_are_short(bench, value, kind, text):
    assert bench("report").quantity(value, kind) == text


def replace_peers(bench, comparison: Any, peers: list[Any]) -> Any:
    return bench("measure").Comparison(
        "topic", "job", "corpus", comparison.ours, peers, comparison.n_units, comparison.unit
    )


@pytest.mark.slow
def test_topics_are_measured_in_processes_of_their_own(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    topics = ["running", "latency"]
    program = [sys.executable, "-m", "bench", "--quick", "--output", results, *topics]
    done = subprocess.run(program, cwd=REPO, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    records = json.loads(results.read_text(encoding="utf-8"))["records"]
    assert list(dict.fromkeys(record["topic"] for record in records)) == topics
    lines = [line for line in done.stdout.splitlines() if line.split()[0] in topics]
    assert len(lines) == len(records)


@pytest.mark.slow
def test_tuners_on_outputs_of_your_own(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    folder, frozen, results = tmp_path / "en", tmp_path / "frozen.json", tmp_path / "tuners.json"
    folder.mkdir()
    for name, source in (("ref", "ref.en.a"), ("one", "hyp.en"), ("two", "ref.en.b")):
        text = (REPO / f"tests/data/{source}.txt").read_text(encoding="utf-8")
        (folder / f"{name}.txt").write_text(text * 4, encoding="utf-8")
    program = [sys.executable, "-m", "bench.tuners", folder, "--seeds", "0", "2", "--splits", "2"]
    program += ["--frozen", frozen, "--output", results]
    run = partial(subprocess.run, program, cwd=REPO, capture_output=True, encoding="utf-8")
    assert run(check=True).stdout == "" and not results.exists()
    hashes = json.loads(frozen.read_text(encoding="utf-8"))
    lines = run(check=True).stdout.splitlines()
    records = json.loads(results.read_text(encoding="utf-8"))["records"]
    assert [record["name"] for record in records] == list(hashes)
    assert {record["gains"][0] for record in records} == {0.0}
    assert lines[-5].startswith("| **mean** | ")
    assert len({text.count("|") for text in lines}) == 1
    frozen.write_text(json.dumps(hashes | {list(hashes)[1]: "0"}), encoding="utf-8")
    done = run()
    assert done.returncode == 1 and "another list than in" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["growth", "engines"])
def test_programs_of_their_own(name: str, tmp_path: Path) -> None:
    for library in ("pyarrow", "psutil") if name == "engines" else ("pyarrow",):
        pytest.importorskip(library)
    results = tmp_path / "results.json"
    program = [sys.executable, "-m", f"bench.{name}", tmp_path, "--output", results]
    program += ["--size", "400"]
    program += ["--millions", "1", "2"] if name == "growth" else ["--engines", "processes"]
    done = subprocess.run(program, cwd=REPO, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    records = json.loads(results.read_text(encoding="utf-8"))["records"]
    header, rule, *lines = [text for text in done.stdout.splitlines() if text.startswith("|")]
    assert len(lines) == len(records) >= 1
    assert {text.count("|") for text in (header, rule, *lines)} == {header.count("|")}
    for segments in {record["segments"] for record in records}:
        sums = [record["sums"] for record in records if record["segments"] == segments]
        assert sums[0][0] > 400 and sums == sums[:1] * len(sums)
