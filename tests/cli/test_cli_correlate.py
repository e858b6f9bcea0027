"""``rapidbleu correlate``: output, plots, and errors before any work."""

import json
import math
import random
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, METEOR, NIST, ROUGE, TER, WordF
from rapidbleu.cli import main
from rapidbleu.cli.correlate import warnings_once
from rapidbleu.cli.files import name_of_system
from rapidbleu.cli.judged import HUMAN_FORMATS, StudyInput
from rapidbleu.meta import (
    MetaWarning,
    MetricComparison,
    SystemScores,
    compare_metrics,
    fit_metric,
    read_folder,
    read_judgments,
    read_table,
)
from rapidbleu.plots.studies import drawn
from support.peers import need

N_SEGMENTS = 14
RATES = {"good": 0.1, "better": 0.05, "poor": 0.5, "fair": 0.3, "bad": 0.7}
SYSTEMS = list(RATES)
MEANS = ("pearson", "means")
BY_SEGMENT = ("kendall", "segment")
FAST = ["-n", "20"]

pytestmark = pytest.mark.filterwarnings("ignore::rapidbleu.meta.MetaWarning")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return outputs, references, and human scores of most segments, by two judges."""
    monkeypatch.chdir(tmp_path)
    rng = random.Random(3)
    references = [[rng.choice("abcdefghij") for _ in range(2 + i % 8)] for i in range(N_SEGMENTS)]
    write("ref", [" ".join(words) for words in references])
    rows, comet = ["system\tsegment\tjudge\tscore"], ["system\tsegment\tCOMET\tscore"]
    for system, rate in RATES.items():
        texts = []
        for i, words in enumerate(references, 1):
            changed = [rng.choice("xyz") if rng.random() < rate else word for word in words]
            texts.append(" ".join(changed))
            for judge, more in (("Ann", 0), ("Bob", 9)):
                score = 100 - 100 * rate + rng.gauss(more, 15)
                if rng.random() < 0.8 and i != 5:
                    rows.append(f"{system}\t{i}\t{judge}\t{score:.2f}")
            comet.append(f"{system}\t{i}\t{rng.gauss(1 - rate, 0.2):.4f}\t{i % 4}")
        write(f"{system}.txt", texts)
    write("human.tsv", rows)
    write("comet.tsv", comet)
    return tmp_path


def write(name: str, lines: list[str]) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def read(name: str) -> list[str]:
    return Path(name).read_text(encoding="utf-8").splitlines()


TEXTS = ["-r", "ref", "-i", *(f"{system}.txt" for system in SYSTEMS)]
ALL = ["--human", "human.tsv", *TEXTS]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    def run(*args: str) -> tuple[int, str, str]:
        status = main(["correlate", *args, *([] if {"-n", "--fit"} & {*args} else FAST)])
        return status, *capfd.readouterr()

    return run


def content(run: Run, *args: str) -> dict[str, Any]:
    status, out, _ = run(*args, "-f", "json")
    assert status == 0 and "NaN" not in out
    parsed: dict[str, Any] = json.loads(out)
    return parsed


def spread(scores: SystemScores, systems: list[str] = SYSTEMS) -> SystemScores:
    """Return scores in the order of the lines."""
    own = scores.of(systems)
    assert own.segments is not None
    values = np.full((len(systems), N_SEGMENTS), np.nan)
    values[:, [int(name) - 1 for name in own.segments]] = own.values
    return SystemScores(values, systems)


def human(z_scores: bool = False) -> SystemScores:
    judgments = read_judgments("human.tsv")
    return spread((judgments.standardized() if z_scores else judgments).scores())


def of_segments(metric: Any, sign: int = 1) -> SystemScores:
    references = [read("ref")]
    rows = [sign * metric.segment_scores(read(f"{name}.txt"), references) for name in SYSTEMS]
    return SystemScores(rows, SYSTEMS)


def of_corpora(metric: Any, sign: int = 1) -> dict[str, float]:
    references = [read("ref")]
    return {
        name: sign * metric.corpus_score(read(f"{name}.txt"), references).score for name in SYSTEMS
    }


def same(found: dict[str, Any], expected: MetricComparison) -> None:
    """The printed JSON agrees with the library."""
    assert len(found["statistics"]) == len(expected.columns)
    for own, column in zip(found["statistics"], expected.columns, strict=True):
        assert (own["statistic"], own["by"]) == (column.statistic, column.by)
        assert own["without"] == list(column.left_out)
        ranking = column.ranking
        assert list(own["metrics"]) == list(ranking.metrics)
        for name, rank in zip(ranking.metrics, ranking.ranks, strict=True):
            interval = column.intervals[name]
            assert own["metrics"][name] == {
                "rank": rank,
                "value": interval.value,
                "low": interval.interval[0],
                "high": interval.interval[1],
            }
        p = np.array([[np.nan if x is None else x for x in row] for row in own["p_values"]])
        np.testing.assert_array_equal(p, ranking.p_values)


# What it says


def test_metrics_of_texts(files: Path, run: Run) -> None:
    found = content(run, *ALL, "-m", "bleu", "ter", "chrf", "--seed", "7", "--alpha", "0.2")
    assert found["negated"] == ["TER"]
    assert list(found["signatures"]) == ["BLEU", "TER", "chrF2"]
    assert "eff:no" in found["signatures"]["BLEU"]
    metrics = {
        "BLEU": of_segments(BLEU(effective_order=True)),
        "TER": of_segments(TER(), -1),
        "chrF2": of_segments(CHRF()),
    }
    systems = {
        "BLEU": of_corpora(BLEU()),
        "TER": of_corpora(TER(), -1),
        "chrF2": of_corpora(CHRF()),
    }
    same(
        found,
        compare_metrics(human(), metrics, system_scores=systems, n_resamples=20, seed=7, alpha=0.2),
    )
    assert found["systems"]["good"]["BLEU"] == systems["BLEU"]["good"]
    assert found["systems"]["bad"]["human"] == human().means()[SYSTEMS.index("bad")]
    assert (found["n_segments"], found["n_human_scores"]) == (
        14,
        int((~np.isnan(human().values)).sum()),
    )


def test_means_of_segments_are_resampled_by_segment(files: Path, run: Run) -> None:
    """BLEU is not a mean of segments, so it is resampled by system."""
    rouge = ROUGE("L")
    found = content(run, *ALL, "-m", "rougeL", "--statistics", "pearson:means")
    same(found, compare_metrics(human(), {"ROUGE-L": of_segments(rouge)}, [MEANS], n_resamples=20))
    found = content(run, *ALL, "-m", "rougeL", "bleu", "--statistics", "pearson:means")
    metrics = {"ROUGE-L": of_segments(rouge), "BLEU": of_segments(BLEU(effective_order=True))}
    systems = {"BLEU": of_corpora(BLEU())}
    same(found, compare_metrics(human(), metrics, [MEANS], system_scores=systems, n_resamples=20))


@pytest.mark.parametrize("name", ["COMET", "MetricX"])
def test_other_scores(files: Path, run: Run, name: str) -> None:
    """From the column named like the metric, otherwise from the score column."""
    argv = ["--human", "human.tsv", "--scores", f"{name}=comet.tsv", "--statistics", "pearson:none"]
    column = "COMET" if name == "COMET" else "score"
    scores = spread(read_table("comet.tsv", score=column))
    same(
        content(run, *argv),
        compare_metrics(human(), {name: scores}, [("pearson", "none")], n_resamples=20),
    )
    found = content(run, *argv, *TEXTS, "--negate", name, "human")
    assert found["negated"] == [name, "human"]
    metrics = {
        "BLEU": of_segments(BLEU(effective_order=True)),
        name: SystemScores(0 - scores.values, SYSTEMS),
    }
    negative = SystemScores(0 - human().values, SYSTEMS)
    same(found, compare_metrics(negative, metrics, [("pearson", "none")], n_resamples=20))


def test_text(files: Path, run: Run) -> None:
    status, out, _ = run(
        *ALL, "-m", "bleu", "ter", "-n", "30", "--alpha", "0.8", "--level", "0.9", "-w", "2"
    )
    assert status == 0
    lines = out.splitlines()
    assert lines[0].split()[:4] == ["metric", "Pearson's", "r,", "of"]
    metrics = {"BLEU": of_segments(BLEU(effective_order=True)), "TER": of_segments(TER(), -1)}
    systems = {"BLEU": of_corpora(BLEU()), "TER": of_corpora(TER(), -1)}
    column = compare_metrics(
        human(), metrics, [MEANS], system_scores=systems, n_resamples=30, level=0.9, alpha=0.8
    ).columns[0]
    for line, name in zip(lines[1:3], column.ranking.metrics, strict=True):
        own = column.intervals[name]
        rank = column.ranking.ranks[column.ranking.metrics.index(name)]
        cell = f"{own.value:.2f} [{own.interval[0]:.2f}, {own.interval[1]:.2f}] {rank}"
        assert line.split("  ")[0] == name and cell in line
    assert max(map(len, lines[:8])) <= 100
    n = int((~np.isnan(human().values)).sum())
    assert f"5 systems, 14 segments, {n} human scores." in lines
    assert "[90% interval] rank: a new rank" in out and "n = 30, p <= 0.8)." in out
    assert "Less is better, so negated: TER" in lines
    assert lines[-1].startswith("TER   nrefs:1|")


def test_outliers(files: Path, run: Run) -> None:
    rows = [
        f"{name},{i},{70 + j + i % 3 if name != 'bad' else 5}"
        for j, name in enumerate(SYSTEMS)
        for i in range(1, 15)
    ]
    write("human.csv", ["system,segment,score", *rows])
    argv = ["--human", "human.csv", *TEXTS, "--statistics", "pearson:means"]
    assert [own["without"] for own in content(run, *argv)["statistics"]] == [[], ["bad"]]
    assert "Pearson's r, of systems, without bad\n" in run(*argv)[1]


def test_wide_tables_are_broken(files: Path, run: Run) -> None:
    figures = ["pearson", "spearman", "kendall", "accuracy", "r2", "kendall_c"]
    argv = [*ALL, "-m", "bleu", "--statistics", *(f"{figure}:means" for figure in figures), "-q"]
    lines = run(*argv)[1].splitlines()
    tables = "\n".join(lines).split("\n\n")[:-1]
    assert len(tables) == 2
    assert max(map(len, lines)) <= 100 < len(tables[0].splitlines()[0]) + 30
    values = [
        float(cell.split()[0])
        for table in tables
        for cell in table.splitlines()[-1].removeprefix("BLEU").split("]")[:-1]
        if cell.split()
    ]
    assert len(values) == 6


@pytest.mark.parametrize("form", ["tsv", "markdown", "latex"])
def test_forms(files: Path, run: Run, form: str) -> None:
    argv = [*ALL, "-m", "bleu", "chrf", "--statistics", "pearson:means", "kendall:segment"]
    expected = content(run, *argv)["statistics"]
    status, out, _ = run(*argv, "-f", form)
    lines = out.splitlines()
    assert status == 0
    if form == "tsv":
        assert lines[0].split("\t")[:3] == ["metric", "statistic", "by"]
        rows = [(own, name) for own in expected for name in own["metrics"]]
        for line, (own, name) in zip(lines[1:], rows, strict=True):
            cells = line.split("\t")
            assert cells[:5] == [name, own["statistic"], own["by"], "raw", ""]
            assert [float(x) for x in cells[5:]] == list(own["metrics"][name].values())
        return
    first = next(iter(expected[0]["metrics"].items()))
    cell = "{value:.3f} [{low:.3f}, {high:.3f}] {rank}".format(**first[1])
    if form == "markdown":
        rows = [[text.strip() for text in line.split("|")[1:-1]] for line in lines]
        assert rows[0] == ["metric", "Pearson's r, of systems", "Kendall's tau-b, by segment"]
        assert [text.strip("-") for text in rows[1]] == [":", ":", ":"]
        assert rows[2][:2] == [first[0], cell]
        assert len({len(line) for line in lines}) == 1
    else:
        assert lines[0] == r"\begin{tabular}{lll}"
        assert first[0] in lines[4] and cell in lines[4]
        notes = lines[lines.index(r"\end{tabular}") + 1 :]
        assert notes and all(line.startswith("% ") for line in notes)


# Human scores


def test_z_scores(files: Path, run: Run) -> None:
    argv = [*ALL, "--statistics", "pearson:none"]
    metrics = {"BLEU": of_segments(BLEU(effective_order=True))}
    same(
        content(run, *argv, "--normalize", "z"),
        compare_metrics(human(True), metrics, [("pearson", "none")], n_resamples=20),
    )
    assert content(run, *argv) != content(run, *argv, "--normalize", "z")


# Lavie 2007, slides 32 to 34: metrics against raw judgments, and against two normalizations.
TABLE = {
    "bleu": BLEU(),
    "bleu:average=arithmetic": BLEU(average="arithmetic", smooth_method="none"),
    "wordF1": WordF(),
    "wordF0": WordF(beta=0),
    "wordFinf": WordF(beta=math.inf),
    "wordF3": WordF(beta=3),
}


def test_the_table_of_the_lecture(files: Path, run: Run) -> None:
    """In one run: F1, precision, recall, Fmean, and METEOR by module."""
    need("Stemmer")
    for name, text in {
        "function/english.words": "a",
        "nonbreaking/english.prefixes": "",
        "synonym/english.synsets": "a\n1\nb\n1 2\nx\n2 3\ny\n3\n",
        "synonym/english.exceptions": "",
    }.items():
        write(f"data/{name}", text.splitlines())
    modules = ("exact", "exact+stem", "exact+stem+synonym")
    table: dict[str, Any] = TABLE | {
        f"meteor:modules={text}": METEOR(modules=text.split("+"), data="data") for text in modules
    }
    argv = [
        *ALL,
        "--statistics",
        "pearson:means",
        "-m",
        "bleu",
        "wordf:beta=1/0/inf/3",
        "bleu:average=arithmetic,smooth_method=none",
        f"meteor:modules={'/'.join(modules)},data=data",
    ]
    found = content(run, *argv, "--normalize", "raw", "z", "quantile")
    judgments = read_judgments("human.tsv")
    normalized = {
        "raw": judgments,
        "z": judgments.standardized(),
        "quantile": judgments.quantile_normalized(),
    }
    columns = [own for own in found["statistics"] if not own["without"]]
    assert [own["judgments"] for own in columns] == list(normalized)
    systems = {name: of_corpora(metric) for name, metric in table.items()}
    for own in columns:
        assert own["metrics"].keys() == table.keys()
        people = spread(normalized[own["judgments"]].scores()).means()
        for name, scores in systems.items():
            r = np.corrcoef(people, list(scores.values()))[0, 1]
            assert own["metrics"][name]["value"] == pytest.approx(r, abs=1e-12)
        alone = content(run, *argv, "--normalize", own["judgments"])
        assert own in alone["statistics"]
    status, out, _ = run(*argv, "--normalize", "raw", "z")
    assert status == 0 and "Pearson's r, of systems, raw" in out
    assert "Pearson's r, of systems, z" in out
    status, _, err = run(*argv, "--normalize", "raw", "z", "--plot", "a.png")
    assert status == 1 and "--plot: expected one of --normalize; got 2" in err


def test_columns(files: Path, run: Run) -> None:
    expected = run(*ALL)
    lines = [line.replace("\t", ",") for line in read("human.tsv")]
    write("other.csv", ["who,where,rater,points", *lines[1:]])
    names = ["--system-column", "who", "--segment-column", "where", "--score-column", "points"]
    argv = ["--human", "other.csv", *TEXTS, *names, "--judge-column", "rater"]
    assert run(*argv) == expected
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pytest.importorskip("pyarrow.csv").read_csv("other.csv")
    parquet.write_table(table, "other.parquet")
    assert run("--human", "other.parquet", *argv[2:]) == expected
    parquet.write_table(table.rename_columns(["system", "segment", "judge", "score"]), "a.parquet")
    assert run("--human", "a.parquet", *TEXTS) == expected


MQM = ["system\tdoc\tseg_id\trater\tcategory\tseverity"]
DA = "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time"


def write_forms() -> dict[str, SystemScores]:
    """The same numbers in all formats: the negated number of a system's wrong words."""
    rng = random.Random(4)
    scores = {name: [-rng.randint(0, 9) for _ in range(N_SEGMENTS)] for name in SYSTEMS}
    cells = [(name, i, x) for name, own in scores.items() for i, x in enumerate(own, 1)]
    write("table", ["system\tsegment\tscore", *(f"{a}\t{i}\t{x}" for a, i, x in cells)])
    write("seg-score", [f"{a} {x}" for a, i, x in cells])
    write("mqm-scores", ["system mqm_avg_score seg_id", *(f"{a}\t{x} {i}" for a, i, x in cells)])
    write(
        "da-scores", ["SYS SID RAW.SCR Z.SCR N", *(f"{a} {i} {x} {x / 9} 1" for a, i, x in cells)]
    )
    rows = [f"h w{i % 2} cs en ad 1 {a} 1 SYSTEM {i} {x} 9" for a, i, x in cells]
    rows += [f"h w1 cs en ad 1 {a} 1 BAD_REF {i} 0 9" for a, i, _ in cells]
    write("da", [DA, *rows])
    errors = [f"{a}\td\t{i}\tr\tAccuracy\tMinor" for a, i, x in cells for _ in range(-x)]
    errors += [f"{a}\td\t{i}\tr\tNo-error\tNo-error" for a, i, x in cells if not x]
    write("mqm", [*MQM, *errors])
    return {"all": SystemScores([scores[name] for name in SYSTEMS], SYSTEMS)}


@pytest.mark.parametrize("form", HUMAN_FORMATS)
@pytest.mark.parametrize("said", [False, True], ids=["recognised", "said"])
def test_forms_of_human_scores(files: Path, run: Run, form: str, said: bool) -> None:
    scores = write_forms()["all"]
    argv = ["--human", form, *TEXTS, "--statistics", "pearson:none", "kendall:segment"]
    found = content(run, *argv, *(["--human-format", form] if said else []))
    metrics = {"BLEU": of_segments(BLEU(effective_order=True))}
    same(found, compare_metrics(scores, metrics, [("pearson", "none"), BY_SEGMENT], n_resamples=20))


def test_weights_of_errors(files: Path, run: Run) -> None:
    write_forms()
    argv = ["--human", "mqm", *TEXTS]
    once = content(run, *argv)["systems"]["bad"]["human"]
    many = content(run, *argv, "--mqm-weights", "minor/accuracy=3")["systems"]["bad"]["human"]
    assert many == pytest.approx(3 * once)


def test_fresh_seeds_are_reported(files: Path, run: Run) -> None:
    argv = [*ALL, "-m", "bleu", "--statistics", "kendall:segment", "--normalize", "raw", "z"]
    fresh = content(run, *argv, "--seed", "none")
    assert content(run, *argv, "--seed", str(fresh["seed"])) == fresh
    assert content(run, *argv)["seed"] == 12345 != fresh["seed"]


# Choices of settings


def test_settings_are_chosen_on_one_half(files: Path, run: Run) -> None:
    """BLEU of a half comes from its sums, segment scores of wordF from the library."""
    argv = [
        *ALL,
        "--fit",
        "-m",
        "bleu:max_ngram_order=1/4",
        "wordf:beta=0/1/inf",
        "ter",
        "--statistics",
        "pearson:means",
        "kendall:segment",
    ]
    found = content(run, *argv)
    rows = {(own["specification"], own["by"]): own for own in found["fits"]}
    assert len(rows) == 6 and found["negated"] == ["TER"]
    assert found["n_train"] + found["n_test"] == N_SEGMENTS - 1  # one has no human score
    references = read("ref")

    def of_part(metric: Any, sign: int = 1) -> Callable[[Any], dict[str, float]]:
        def score(segments: Any) -> dict[str, float]:
            refs = [references[i] for i in segments]
            texts = {name: [read(f"{name}.txt")[i] for i in segments] for name in SYSTEMS}
            return {
                name: sign * metric.corpus_score(own, [refs]).score for name, own in texts.items()
            }

        return score

    settings: dict[str, dict[str, tuple[Any, int]]] = {
        "bleu:max_ngram_order=1/4": {
            "bleu:max_ngram_order=1": (BLEU(max_ngram_order=1), 1),
            "bleu:max_ngram_order=4": (BLEU(), 1),
        },
        "wordf:beta=0/1/inf": {
            f"wordF{beta:g}": (WordF(beta=beta), 1) for beta in (0, 1, math.inf)
        },
        "ter": {"TER": (TER(), -1)},
    }
    for specification, own in settings.items():
        means = {name: of_part(*how) for name, how in own.items()}
        segments = {}
        for name, (metric, sign) in own.items():
            if isinstance(metric, BLEU):
                metric = BLEU(max_ngram_order=metric.max_ngram_order, effective_order=True)
            segments[name] = of_segments(metric, sign)
        for by, statistic, scores in (
            ("means", "pearson", means),
            ("segment", "kendall", segments),
        ):
            fit = fit_metric(human(), scores, statistic, by)
            row = rows[specification, by]
            assert (row["metric"], row["n_settings"]) == (fit.name, len(own))
            assert row["train"] == pytest.approx(fit.train.value, abs=1e-12)
            assert row["test"] == pytest.approx(fit.test.value, abs=1e-12)
            assert row["values"] == pytest.approx(fit.values, abs=1e-12)
    assert content(run, *argv, "--seed", "3") != found
    fresh = content(run, *argv, "--seed", "none")["seed"]
    assert fresh != content(run, *argv, "--seed", "none")["seed"] != 12345


def test_the_settings_of_blanc(files: Path, run: Run) -> None:
    argv = [
        *ALL,
        "--fit",
        "--statistics",
        "pearson:means",
        "-m",
        "skipngramf:decay=0/0.5/1,beta=1/3",
    ]
    [row] = content(run, *argv)["fits"]
    assert row["n_settings"] == len(row["values"]) == 6
    assert row["metric"] == max(row["values"], key=row["values"].get)
    assert row["metric"].startswith("skipngramf:decay=")


def test_forms_of_choices(files: Path, run: Run) -> None:
    argv = [*ALL, "--fit", "-m", "wordf:beta=1/3", "--statistics", "pearson:means"]
    [row] = content(run, *argv)["fits"]
    _, out, _ = run(*argv, "-f", "tsv")
    header, cells = (line.split("\t") for line in out.splitlines())
    assert all(name.isidentifier() for name in header)
    assert cells == [str(row[name]) for name in header]
    status, out, _ = run(*argv)
    assert status == 0 and f"{row['test']:.3f}" in out and "seed 12345" in out
    for form in ("markdown", "latex"):
        assert f"{row['test']:.3f}" in run(*argv, "-f", form)[1]
    status, _, err = run(*argv, "--plot", "a.png")
    assert status == 1 and "--plot: not with --fit" in err


def test_scores_of_others_are_choices_of_one(files: Path, run: Run) -> None:
    argv = ["--human", "human.tsv", "--scores", "COMET=comet.tsv", "--fit"]
    rows = content(run, *argv, "--statistics", "pearson:none", "--normalize", "raw", "z")["fits"]
    assert [(row["specification"], row["metric"], row["judgments"]) for row in rows] == [
        ("COMET", "COMET", "raw"),
        ("COMET", "COMET", "z"),
    ]


def test_z_scores_of_direct_assessments(files: Path, run: Run) -> None:
    """Judges are standardized by all their judgments, including bad references."""
    write_forms()
    found = content(run, "--human", "da", *TEXTS, "--normalize", "z", "-l", "cs-en")
    rows = [line.split() for line in read("da")[1:]]
    marks = {w: np.array([float(row[10]) for row in rows if row[1] == w]) for w in ("w0", "w1")}
    for name in SYSTEMS:
        z = [
            (float(row[10]) - marks[row[1]].mean()) / marks[row[1]].std(ddof=1)
            for row in rows
            if row[6] == name and row[8] == "SYSTEM"
        ]
        assert found["systems"][name]["human"] == pytest.approx(np.mean(z))


def test_published_z_scores(files: Path, run: Run) -> None:
    write_forms()
    raw = content(run, "--human", "da-scores", *TEXTS)["systems"]["bad"]["human"]
    z = content(run, "--human", "da-scores", *TEXTS, "--normalize", "z")["systems"]["bad"]["human"]
    assert z == pytest.approx(raw / 9)


def test_numbers_and_names_of_segments(files: Path, run: Run) -> None:
    expected = run(*ALL)
    head, *rows = [line.split("\t") for line in read("human.tsv")]
    for name, text in (("zero", "{}"), ("named", "doc_{}")):
        numbered = [[a, text.format(int(i) - 1), b, x] for a, i, b, x in rows]
        write(f"{name}.tsv", ["\t".join(row) for row in [head, *numbered]])
    write("names", [f"doc_{i}" for i in range(N_SEGMENTS)])
    assert run("--human", "zero.tsv", *TEXTS, "--first-segment", "0") == expected
    assert run("--human", "named.tsv", *TEXTS, "--ids", "names") == expected
    status, out, err = run("--human", "zero.tsv", *TEXTS)
    assert (status, out) == (1, "")
    assert err == (
        "rapidbleu: zero.tsv: expected a segment from '1' to '14'; got '0'; "
        "--first-segment 0 counts lines from 0\n"
    )


def test_names_of_systems(files: Path, run: Run) -> None:
    expected = run(*ALL)
    for i, system in enumerate(SYSTEMS):
        Path(f"{system}.txt").rename(f"{i}.out")
    argv = ["--human", "human.tsv", "-r", "ref", "-i", *(f"{i}.out" for i in range(5))]
    assert run(*argv, "--names", *SYSTEMS) == expected
    assert name_of_system("a/newstest.online-A.0.cs-en") == "newstest.online-A.0"
    assert name_of_system("online-A.txt.xz") == "online-A"


def test_systems_that_are_left_out(files: Path, run: Run) -> None:
    rows = read("human.tsv")
    write("four.tsv", [row for row in rows if not row.startswith("fair\t")])
    argv = ["--human", "human.tsv", *TEXTS]
    expected = content(run, *argv, "--leave-out", "fair")
    assert list(expected["systems"]) == ["good", "better", "poor", "bad"]
    status, out, err = run("--human", "four.tsv", *TEXTS, "-f", "json")
    assert (status, json.loads(out)) == (0, expected)
    assert err.count("rapidbleu: fair: people scored nothing of it, it is left out\n") == 1
    texts = ["-r", "ref", "-i", *(f"{name}.txt" for name in SYSTEMS if name != "fair")]
    assert content(run, "--human", "human.tsv", *texts, "--leave-out", "fair") == expected


def test_judged_segments_only(files: Path, run: Run) -> None:
    """The fifth line, without a human score, is ignored."""
    argv = ["-m", "bleu", "chrf", "--scores", "COMET=comet.tsv"]
    found = content(run, *ALL, *argv, "--judged-only")
    whole = content(run, *ALL, *argv)
    assert found["systems"]["bad"]["BLEU"] != whole["systems"]["bad"]["BLEU"]
    for name in ("ref", *(f"{system}.txt" for system in SYSTEMS)):
        lines = read(name)
        write(name, [*lines[:4], *lines[5:]])
    for name in ("human.tsv", "comet.tsv"):
        head, *rows = [line.split("\t") for line in read(name)]
        kept = [[a, str(int(i) - (int(i) > 5)), *x] for a, i, *x in rows if i != "5"]
        write(name, ["\t".join(row) for row in [head, *kept]])
    shorter = content(run, *ALL, *argv)
    for name, scores in shorter["systems"].items():
        assert found["systems"][name] == pytest.approx(scores, abs=1e-12)
    for own, other in zip(found["statistics"], shorter["statistics"], strict=True):
        values = [{name: x["value"] for name, x in one["metrics"].items()} for one in (own, other)]
        assert values[0] == pytest.approx(values[1], abs=1e-12)


# Folders of mt-metrics-eval


@pytest.fixture
def folder(files: Path) -> str:
    for system in SYSTEMS:
        write(f"mt/system-outputs/en-de/{system}.txt", read(f"{system}.txt"))
    write("mt/system-outputs/en-de/refA.txt", read("ref"))
    write("mt/references/en-de.refA.txt", read("ref"))
    scores = human().values
    lines = [
        f"{name}\t{'None' if x != x else x}"
        for name, row in zip(SYSTEMS, scores.tolist(), strict=True)
        for x in row
    ]
    write("mt/human-scores/en-de.mqm.seg.score", [*lines, *["refA\t99"] * N_SEGMENTS])
    comet = spread(read_table("comet.tsv", score="COMET")).values
    lines = [f"{name} {x}" for name, row in zip(SYSTEMS, comet, strict=True) for x in row]
    write("mt/metric-scores/en-de/COMET-refA.seg.score", lines)
    write("mt/metric-scores/en-de/QE.sys.score", [f"{name} {i}" for i, name in enumerate(SYSTEMS)])
    return "mt"


def test_folder(folder: str, run: Run) -> None:
    argv = ["--mt-metrics-eval", folder, "-l", "en-de"]
    both = ["--statistics", "pearson:means", "kendall:segment"]
    status, out, err = run(*argv, *both, "-f", "json")
    assert status == 0
    assert "'QE': left out, as there are no scores of segments" in err
    assert "'refA': left out, as COMET-refA has no scores of it" in err
    own = read_folder(folder, "en-de")
    comet = {"COMET-refA": own.metrics["COMET-refA"]}
    ours = human().of(sorted(SYSTEMS))
    same(json.loads(out), compare_metrics(ours, comet, [MEANS, BY_SEGMENT], n_resamples=20))
    found = content(
        run, *argv, "--statistics", "pearson:means", "-m", "bleu", "--human-name", "mqm"
    )
    metrics = {
        "BLEU": of_segments(BLEU(effective_order=True)),
        **comet,
        "QE": own.metric_systems["QE"],
    }
    systems = {"BLEU": of_corpora(BLEU())}
    same(found, compare_metrics(ours, metrics, [MEANS], system_scores=systems, n_resamples=20))


def test_some_metrics_of_a_folder(folder: str, run: Run) -> None:
    argv = ["--mt-metrics-eval", folder, "-l", "en-de", "--statistics", "pearson:means"]
    assert list(content(run, *argv)["statistics"][0]["metrics"]) != ["QE"]
    assert list(content(run, *argv, "--folder-metrics", "QE")["statistics"][0]["metrics"]) == ["QE"]
    found = content(run, *argv, "--folder-metrics", "-m", "chrf", "-r", "refA")
    assert list(found["statistics"][0]["metrics"]) == ["chrF2"]
    assert found["systems"]["bad"]["chrF2"] == of_corpora(CHRF())["bad"]
    assert sorted(found["systems"]) == sorted(SYSTEMS)


def test_texts_that_are_not_supplied(folder: str, run: Run) -> None:
    lines = read("bad.txt")
    write("mt/system-outputs/en-de/bad.txt", ["[No translation supplied]", *lines[1:]])
    argv = ["--mt-metrics-eval", folder, "-l", "en-de", "--folder-metrics", "-m"]
    found = content(run, *argv, "bleu", "nist")
    references = [read("ref")]
    nist = NIST().with_information(references)
    expected_nist = nist.corpus_score(lines[1:], [references[0][1:]]).score
    assert found["systems"]["bad"]["NIST"] == expected_nist
    assert (
        found["systems"]["bad"]["BLEU"] == BLEU().corpus_score(lines[1:], [references[0][1:]]).score
    )
    assert found["systems"]["good"]["BLEU"] == of_corpora(BLEU())["good"]


# Messages


def test_warnings_are_said_once(files: Path, run: Run) -> None:
    figures = ["--statistics", "pearson:means", "accuracy:means"]
    status, _, err = run(*ALL, "-m", "bleu", "chrf", "ter", *figures)
    assert status == 0
    assert err.splitlines() == [
        f"rapidbleu: {figure}: 5 systems, fewer than 10, say little"
        for figure in ("pearson", "accuracy")
    ]
    assert run(*ALL, "-m", "bleu", "chrf", "ter", *figures, "-q")[2] == ""


def test_other_warnings_go_their_way(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(DeprecationWarning), warnings_once(False):
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        for _ in range(2):
            warnings.warn("small", MetaWarning, stacklevel=1)
    assert capfd.readouterr().err == "rapidbleu: small\n"


# Arguments are split at blanks.
REFUSED = [
    ("", "no human scores: name their file with --human"),
    ("--human H", "no metrics: name outputs with -i/--input, or files with --scores"),
    ("--human H -i A", "no references: name their files with -r/--refs"),
    ("--human H --scores C=C -r R", "--refs: expected outputs too, with -i"),
    ("--human H --scores C=C -m bleu", "--metrics: expected outputs too"),
    ("--human H --scores C=C C=D", "--scores: expected each name once; got 'C'"),
    ("--human H --human-name mqm", "--human-name: only with --mt-metrics-eval"),
    ("--mt-metrics-eval D", "--mt-metrics-eval: expected a language pair too, with -l"),
    ("--mt-metrics-eval D -i A", "--input: not with --mt-metrics-eval"),
    ("--mt-metrics-eval D -l a-b -r x", "-r/--refs: expected metrics to"),
    ("--mt-metrics-eval D -l a-b", "D: No such file or directory"),
    ("--human H -r R -i A B --names A", "--names: expected 2, as many as systems; got 1"),
    ("--human H -r R -i A x/A", "x/A: system 'A', as A; tell them apart"),
    ("--human H -r R -i A --plot no/p.png", "there is no folder no"),
    ("--human nowhere -r R -i A --plot f.json", "--plot: expected a file name that ends in .png"),
    ("--human nowhere -r R -i A", "nowhere: No such file or directory"),
    ("--human H -r nowhere -i A", "nowhere: No such file or directory"),
    ("--human H -r R -i nowhere", "nowhere: No such file or directory"),
    ("--human H --scores C=nowhere", "nowhere: No such file or directory"),
    ("--human R -r R -i A", "R: expected columns 'system', 'segment', 'score'"),
    ("--human T -r R -i A B --normalize z", "T, line 1: expected one column 'judge'"),
    ("--human S -r R -i A B --normalize z", "--normalize: expected judges, S has none"),
    ("--human S --scores C=T", "S: its segments have no names: outputs are needed"),
    ("--human S -r R -i A B", "S: expected scores of 2 segments; got 1"),
    ("--human T -r R -i A", "got those of 'B'; to compare without: --leave-out B"),
    ("--human T -r R -i A B --leave-out Z", "--leave-out: expected a"),
    ("--human T -r R -i A B --leave-out B", "T: expected at least 2"),
    ("--human T -r R -i A B --negate x", "--negate: expected one of"),
    ("--human T -r R -i A E", "numbers of segments differ: A has 2, E has 1"),
    ("--human T -r R -i A B --ids E", "E: expected 2 names of"),
    ("--human U -r R -i A B", "U: expected a segment from '1' to '2'; got"),
    ("--human T -r R -i A B --scores C=O", "O: expected scores of"),
    ("--human T -r R -i A B --scores BLEU=T", "BLEU: expected one metric of this"),
    ("--human W -r R -i A B", "W, line 2, column 'score': expected a number"),
]


@pytest.mark.parametrize(("args", "message"), REFUSED)
def test_refusals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run, args: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if "f.json" in args:
        pytest.importorskip("matplotlib")
    for name, lines in {
        "R": ["a b", "c d"],
        "A": ["a b", "c"],
        "B": ["a", "d"],
        "E": ["a"],
        "x/A": ["a b", "c"],
        "T": ["system\tsegment\tscore", "A\t1\t3", "B\t2\t4"],
        "U": ["system\tsegment\tscore", "A\t1\t3", "B\t3\t4"],
        "W": ["system\tsegment\tscore", "A\t1\tx"],
        "O": ["system\tsegment\tscore", "A\t1\t3"],
        "S": ["A 1", "B 2"],
    }.items():
        write(name, lines)
    write("H", read("T"))
    before = sorted(Path().rglob("*"))
    status, out, err = run(*args.split())
    assert (status, out) == (1, "")
    assert err.startswith("rapidbleu: ") and message in err and err.count("\n") == 1
    assert sorted(Path().rglob("*")) == before


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--statistics", "pearson"], "--statistics: expected STATISTIC:BY, such as pearson:means"),
        (["--statistics", "person:means"], "--statistics: statistic: expected one of pearson, r2"),
        (["--statistics", "pearson:mean"], "--statistics: by: expected one of none, segment"),
        (["--level", "1"], "--level: expected a number between 0 and 1; got '1'"),
        (["--alpha", "0"], "--alpha: expected a number between 0 and 1; got '0'"),
        (["--scores", "comet.tsv"], "--scores: expected NAME=FILE; got 'comet.tsv'"),
        (["--mqm-weights", "major"], "--mqm-weights: expected SEVERITY[/CATEGORY]=WEIGHT"),
        (["--human-format", "xml"], "--human-format: invalid choice"),
        (["-n", "0"], "-n/--n-resamples: expected an integer"),
    ],
)
def test_wrong_options(run: Run, args: list[str], message: str, capfd: Any) -> None:
    with pytest.raises(SystemExit) as ended:
        run(*args)
    assert ended.value.code == 2
    assert message in capfd.readouterr().err


# Pictures


@pytest.mark.parametrize(("name", "magic"), [("a.png", b"\x89PNG\r\n\x1a\n"), ("b.PDF", b"%PDF")])
def test_plot(files: Path, run: Run, name: str, magic: bytes) -> None:
    pytest.importorskip("matplotlib")
    argv = [*ALL, "-m", "bleu", "ter", "--statistics", "pearson:means", "kendall:segment"]
    status, out, _ = run(*argv, "--plot", name)
    assert (status, out) == run(*argv)[:2]
    assert Path(name).read_bytes().startswith(magic)


def test_what_is_drawn(files: Path) -> None:
    text = pytest.importorskip("matplotlib.text")
    metrics = {"BLEU": of_segments(BLEU(effective_order=True)), "TER": of_segments(TER(), -1)}
    values = metrics["BLEU"].values.copy()
    values[SYSTEMS.index("fair")] = np.nan
    found = StudyInput(human())
    found.metrics = {name: own.values for name, own in metrics.items()} | {"COMET": values}
    found.negated = ["TER"]
    result = compare_metrics(found.human, found.metrics, [MEANS, BY_SEGMENT], n_resamples=20)
    figure = drawn(result, found)
    words = [part.get_text() for part in figure.findobj(text.Text)]
    # A system without a score by a metric is no point and has no name in its panel.
    assert [words.count(name) for name in SYSTEMS] == [3 - (name == "fair") for name in SYSTEMS]
    assert words.count("less is better") == 1
    for column in result.columns:
        ranking = column.ranking
        for p in ranking.p_values[~np.isnan(ranking.p_values)]:
            assert f"{p:.4f}" in words
        for name, rank in list(zip(ranking.metrics, ranking.ranks, strict=True))[:-1]:
            assert f"{name}  {rank}" in words
        assert f"p: {column.title}" in words
    people = found.means("human")
    for name, sign in (("TER", -1), ("BLEU", 1)):
        scores = found.means(name)
        title = f"{name}, r = {np.corrcoef(people, scores)[0, 1]:.3f}"
        [panel] = [panel for panel in figure.axes if panel.get_title(loc="left") == title]
        [points] = panel.collections
        expected = list(zip(people, sign * scores, strict=True))
        assert list(map(tuple, points.get_offsets().tolist())) == expected
        assert panel.yaxis_inverted() == (sign < 0)
    alone = drawn(
        compare_metrics(found.human, {"BLEU": metrics["BLEU"]}, [MEANS], n_resamples=9), found
    )
    assert len([panel for panel in alone.axes if panel.axison]) == 1


def test_plot_without_matplotlib(files: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    status, out, err = run("--human", "nowhere", *TEXTS, "--plot", "a.png")
    assert (status, out) == (1, "")
    assert err == 'rapidbleu: plots need Matplotlib: pip install "rapidbleu[plot]"\n'
