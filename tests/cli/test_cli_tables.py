"""Tables of systems, segments and pairs in all forms, with every number verified."""

import csv
import io
import json
import re
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from rapidbleu import BLEU, CHRF
from rapidbleu.significance import correct_p_values, paired_bootstrap, paired_randomization
from rapidbleu.table import Table
from support.command_line import HYP, REF_A, REF_B, N, Run, Write, failure

# Tables of systems, segments and pairs in all forms: every number is one that others confirm.


NAMES = ["a,b", "c|d\te", "f_g"]
SYSTEMS = [REF_A, "-i", HYP, REF_B, REF_A, "--names", *NAMES]
SEPARATORS = {"csv": ",", "tsv": "\t"}


def table(out: str, form: str) -> list[dict[str, str]]:
    """Return the rows of CSV, TSV or the first Markdown table, by header."""
    if form == "markdown":
        lines = [line for line in out.split("\n\n")[0].splitlines() if line]
        rows = [re.findall(r"((?:\\.|[^\\|])*)\|", line[1:]) for line in lines]
        cells = [[re.sub(r"\\(.)", r"\1", cell.strip()) for cell in row] for row in rows]
        return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]
    return list(csv.DictReader(io.StringIO(out, newline=""), delimiter=SEPARATORS[form]))


def texts(path: str) -> list[str]:
    with open(path, encoding="utf-8") as file:
        return [line.rstrip() for line in file]


# Names


@pytest.mark.parametrize("form", ["json", "text", "csv", "markdown"])
@pytest.mark.parametrize("options", ["", "-ci", "-pbs", "-sl", "-par --all-pairs -parn 50"])
def test_names_stand_for_files(form: str, options: str, run: Run) -> None:
    files = [REF_A, "-i", HYP, REF_B, "-f", form, *options.split()]
    expected, named = run(*files), run(*files, "--names", "Ours", "Theirs")
    assert (named.status, named.err) == (0, "")
    assert "ours" in named.out.lower() and "theirs" in named.out.lower()
    assert HYP not in named.out and REF_B not in named.out
    of_sacrebleu = form in ("json", "text") and options in ("", "-pbs")  # has paths as names
    files_called = (HYP, REF_B) if of_sacrebleu else ("hyp.en", "ref.en.b")
    assert of_sacrebleu or HYP not in expected.out

    def words(text: str) -> list[str]:
        for path, name in zip(files_called, ("Ours", "Theirs"), strict=True):
            text = text.replace(path, name)
        return re.findall(r"[\w.+-]*\w", text)

    if (form, options) == ("csv", "-sl"):  # columns with the names of systems
        assert named.out.partition("\n")[2] == expected.out.partition("\n")[2]
        assert named.out.startswith("segment,ours_bleu,theirs_bleu\n")
    else:
        assert words(named.out) == words(expected.out)


def test_files_of_one_name_are_called_by_their_paths(tmp_path: Path, run: Run) -> None:
    same = tmp_path / "hyp.en.tsv"
    same.write_bytes(Path(REF_B).read_bytes())
    for options in ("-f csv", "-pbs --all-pairs -f csv", "-sl -f tsv"):
        out = run(REF_A, "-i", HYP, str(same), *options.split()).out
        assert Path(same).name in out.replace("_", ".") and "hyp.en.txt" in out.replace("_", ".")
    assert run(REF_A, "-i", HYP, "-f", "csv", "-b").out == "system,bleu\nhyp.en,57.6\n"
    out = run(REF_A, "-f", "csv", "-b", stdin=Path(HYP).read_bytes()).out
    assert out == "system,bleu\nstandard input,57.6\n"


def test_a_name_for_standard_input(run: Run) -> None:
    with open(HYP, "rb") as file:
        out = run(REF_A, "--names", "Mine", "-f", "csv", "-b", stdin=file.read()).out
    assert out == "system,bleu\nMine,57.6\n"


def test_names_tell_the_same_file_apart(run: Run) -> None:
    args = [REF_A, "-i", HYP, HYP, "--names", "one", "other", "-pbs"]
    first, second = json.loads(run(*args).out)
    assert (first["system"], second["system"]) == ("Baseline: one", "other")
    assert second["BLEU"]["identical"] == "outputs"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["x"], "--names: expected 2, as many as systems; got 1"),
        (["x", "y", "z"], "--names: expected 2, as many as systems; got 3"),
        (["x", "x"], "--names: expected each name once; got 'x' again"),
        (["x", " "], "--names: expected a name for system 2; got ' '"),
    ],
)
def test_wrong_names(names: list[str], message: str, run: Run) -> None:
    assert failure(run(REF_A, "-i", HYP, REF_B, "--names", *names)) == message


# Segments


@pytest.mark.parametrize("form", ["csv", "tsv", "markdown"])
def test_segments_of_several_systems(form: str, run: Run) -> None:
    rows = table(run(*SYSTEMS, "-sl", "-m", "chrf", "bleu", "-f", form, "-w", "3").out, form)
    names = NAMES if form == "markdown" else ["a_b", "c_d_e", "f_g"]
    titles = {"bleu": "bleu", "chrf": "chrf"}
    first, between = "segment", "_"
    if form == "markdown":
        titles, first, between = {"bleu": "BLEU", "chrf": "chrF2"}, "Segment", " "
    assert [row[first] for row in rows] == [str(i) for i in range(1, N + 1)]
    headers = [f"{name}{between}{title}" for title, name in product(titles.values(), names)]
    assert list(rows[0]) == [first, *headers]
    for path, name in zip((HYP, REF_B, REF_A), names, strict=True):
        for key, title in titles.items():
            alone = run(REF_A, "-i", path, "-sl", "-b", "-w", "3", "-m", key).out.split()
            assert [row[f"{name}{between}{title}"] for row in rows] == alone


def test_segments_as_text(run: Run) -> None:
    args = [REF_A, "-i", HYP, REF_B, "--names", "A", "B", "-sl"]
    lines = run(*args).out.splitlines()
    assert lines[0].split() == ["Segment", "A", "BLEU", "B", "BLEU"]
    assert len({len(line) for line in lines}) == 1 and len(lines) == N + 1
    columns = [run(REF_A, "-i", path, "-sl", "-b").out.split() for path in (HYP, REF_B)]
    assert [line.split()[1:] for line in lines[1:]] == list(map(list, zip(*columns, strict=True)))
    bare = run(*args, "-b").out.splitlines()
    assert [line.split() for line in bare] == [line.split()[1:] for line in lines[1:]]
    latex = run(*args, "-f", "latex").out
    assert latex.startswith("\\begin{tabular}{rrr}\n") and latex.count("\\\\") == N + 1


def test_segments_as_json(run: Run) -> None:
    args = ["-sl", "-m", "ter", "bleu", "-f", "json"]
    found = json.loads(run(*SYSTEMS, *args).out)
    alone = [json.loads(run(REF_A, "-i", path, *args).out) for path in (HYP, REF_B, REF_A)]
    assert found == [
        {"segment": i + 1, "system": name, **own[2 * i + j]}
        for i in range(N)
        for name, own in zip(NAMES, alone, strict=True)
        for j in range(2)
    ]
    assert list(found[0])[:4] == ["segment", "system", "name", "score"]


# Systems


@pytest.mark.parametrize("options", ["", "-ci -cin 200", "-ci -m chrf ter -w 4"])
def test_systems_are_those_that_are_scored_alone(options: str, run: Run) -> None:
    found = json.loads(run(*SYSTEMS, *options.split()).out)
    expected = []
    for path, name in zip((HYP, REF_B, REF_A), NAMES, strict=True):
        alone = json.loads(run(REF_A, "-i", path, *options.split()).out)
        entries = alone if isinstance(alone, list) else [alone]
        expected += [{"system": name, **entry} for entry in entries]
    assert found == expected


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_systems_with_intervals(form: str, run: Run) -> None:
    args = ["-ci", "-cin", "200", "-m", "bleu", "ter", "-w", "2"]
    rows = table(run(*SYSTEMS, *args, "-f", form).out, form)
    entries = iter(json.loads(run(*SYSTEMS, *args).out))
    for row, name in zip(rows, NAMES, strict=True):
        assert row["system"] == name
        for metric in ("bleu", "ter"):
            entry = next(entries)
            assert entry["name"] == metric.upper()
            assert float(row[metric]) == entry["score"]
            # sacrebleu's JSON has no interval around 0
            assert float(row[f"{metric}_mean"]) == entry.get("confidence_mean", 0)
            low, high = (float(row[f"{metric}_{end}"]) for end in ("low", "high"))
            assert abs((high - low) / 2 - entry.get("confidence_var", 0)) < 0.011
            assert row[f"{metric}_signature"] == entry["signature"]
            assert len(row[metric].partition(".")[2]) == 2
    assert len(rows[0]) == 11 and all(name.isidentifier() for name in rows[0])
    assert "signature" not in run(*SYSTEMS, *args, "-f", form, "-b").out


def test_intervals_as_text(run: Run) -> None:
    out = run(*SYSTEMS[:5], "--names", "A", "B", "C", "-ci", "-f", "text", "-w", "2").out
    alone = json.loads(run(REF_A, "-i", HYP, "-ci", "-w", "2").out)
    cell = f"{alone['score']} ({alone['confidence_mean']:.2f} ± {alone['confidence_var']:.2f})"
    assert re.search(rf"│ +A │ +{re.escape(cell)} +│", out)
    assert "Metric signatures" in out and "|bs:1000|seed:12345|" in out
    assert "p =" not in out


@pytest.mark.parametrize("test", ["-pbs", "-par -parn 99"])
@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_paired_tests(test: str, form: str, run: Run) -> None:
    args = [REF_A, "-i", HYP, REF_B, HYP, "--names", *NAMES, "-m", "ter", "bleu", *test.split()]
    rows = table(run(*args, "-f", form, "-w", "5").out, form)
    for row, entry in zip(rows, json.loads(run(*args).out), strict=True):
        assert row["system"] == entry["system"].removeprefix("Baseline: ")
        for metric in ("bleu", "ter"):
            own = entry[metric.upper()]
            assert row[metric] == f"{own['score']:.5f}"
            p = own["p_value"]
            assert row[f"{metric}_p_value"] == ("" if p is None else f"{p:.4f}")
            assert row[f"{metric}_identical"] == own.get("identical", "")
            assert (f"{metric}_low" in row) == (test == "-pbs")
            if test == "-pbs":
                low, high = float(row[f"{metric}_low"]), float(row[f"{metric}_high"])
                assert (high - low) / 2 == pytest.approx(own["ci"], abs=1e-5)
    assert [row["bleu_identical"] for row in rows] == ["", "", "outputs"]


def test_markdown_of_paired_tests(run: Run) -> None:
    args = [REF_A, "-i", HYP, REF_B, HYP, "--names", *NAMES, "-pbs"]
    out = run(*args, "-f", "markdown").out
    first, second, third = table(out, "markdown")
    assert first["System"] == f"Baseline: {NAMES[0]}"
    assert re.fullmatch(
        r"[\d.]+ \([\d.]+ ± [\d.]+\) \(p = 0\.\d{4}\)\*", second["BLEU (μ ± 95% CI)"]
    )
    assert third["BLEU (μ ± 95% CI)"].endswith("(p = 0.0010) identical outputs")
    assert "\n- Each system is compared to Baseline: a,b. p estimates" in out
    assert "\n- Systems that are identical" in out
    assert "are red" not in out
    assert "\n- BLEU: `nrefs:1|bs:1000|" in out
    assert run(*args, "-f", "markdown", "-b").out == out.split("\n\n")[0] + "\n"


def test_markdown_of_systems(run: Run) -> None:
    out = run(*SYSTEMS, "-m", "chrf", "bleu", "-f", "markdown").out
    rows = table(out, "markdown")
    plain = table(run(*SYSTEMS, "-m", "chrf", "bleu", "-f", "csv", "-b").out, "csv")
    assert [list(row.values()) for row in rows] == [list(row.values()) for row in plain]
    assert [*plain[0]] == ["system", "bleu", "chrf"]
    assert [*rows[0]] == ["System", "BLEU", "chrF2"]
    assert out.splitlines()[1] == "|:-------|------:|------:|"


# All pairs


@pytest.mark.parametrize("test", ["-pbs -pbsn 300", "-par -parn 300"])
def test_all_pairs(test: str, run: Run) -> None:
    """Against the library's pairs; corrections have their own tests."""
    paths = [HYP, REF_B, REF_A, HYP]
    names = [*NAMES, "twin"]
    args = [REF_B, "-i", *paths, "--names", *names, "-m", "chrf", "bleu", "--all-pairs"]
    found = json.loads(run(*args, *test.split()).out)
    paired: Any = paired_bootstrap if "-pbs" in test else paired_randomization
    key = "n_resamples" if "-pbs" in test else "n_trials"
    outputs = {name: texts(path) for name, path in zip(names, paths, strict=True)}
    expected = paired(outputs, [texts(REF_B)], [CHRF(), BLEU()], **{key: 300}, baseline=None)
    assert found["test"] == expected.test and found[key] == 300 and found["seed"] == 12345
    assert found["correction"] == "holm"
    pairs = list(combinations(names, 2))
    assert [(entry["a"], entry["b"]) for entry in found["pairs"]] == pairs
    for column, metric in (("chrf", "chrF2"), ("bleu", "BLEU")):
        own = [entry[column] for entry in found["pairs"]]
        p_values = [expected.p_value(metric, *pair) for pair in pairs]
        assert [entry["p_value"] for entry in own] == p_values
        assert [entry["p_corrected"] for entry in own] == correct_p_values(p_values).tolist()
        scores = {name: expected[metric][name].score for name in names}
        assert [entry["difference"] for entry in own] == [scores[a] - scores[b] for a, b in pairs]
        identical = {pair: entry.get("identical") for pair, entry in zip(pairs, own, strict=True)}
        assert identical == dict.fromkeys(pairs) | {(NAMES[0], "twin"): "outputs"}
        assert own[pairs.index((NAMES[0], "twin"))]["p_value"] == 1.0
        for entry, name in zip(found["systems"], names, strict=True):
            assert entry["system"] == name
            assert entry[column]["score"] == scores[name]
            assert entry[column].get("mean") == expected[metric][name].mean
        assert found["signatures"][column] == str(expected.signatures[metric])


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_all_pairs_in_columns(form: str, run: Run) -> None:
    args = [*SYSTEMS, "-m", "bleu", "ter", "-par", "-parn", "200", "--all-pairs"]
    rows = table(run(*args, "-f", form, "-w", "3").out, form)
    found = json.loads(run(*args).out)["pairs"]
    for row, entry in zip(rows, found, strict=True):
        assert (row["a"], row["b"]) == (entry["a"], entry["b"])
        for metric in ("bleu", "ter"):
            own = entry[metric]
            assert row[f"{metric}_difference"] == f"{own['difference']:.3f}"
            assert row[f"{metric}_p_value"] == f"{own['p_value']:.4f}"
            assert row[f"{metric}_p_corrected"] == f"{own['p_corrected']:.4f}"
            assert "|ar:200|" in row[f"{metric}_signature"]


def test_all_pairs_as_text(run: Run) -> None:
    args = [REF_A, "-i", HYP, REF_B, HYP, "--names", "A", "B", "C", "--all-pairs", "-pbs"]
    pairs = {(pair["a"], pair["b"]): pair["bleu"] for pair in json.loads(run(*args).out)["pairs"]}
    ours = pairs["A", "B"]
    assert ours["p_is_least"] and not pairs["A", "C"]["p_is_least"]
    values = f"(p ≤{ours['p_value']:.4f}, Holm ≤{ours['p_corrected']:.4f})*"
    assert ours["p_corrected"] == pytest.approx(3 * ours["p_value"])
    text = run(*args, "-f", "text").out
    assert text.count("╒") == 2
    assert re.search(rf"│ +A │ +B +│ +\+{ours['difference']:.1f} +│", text)
    assert values in text
    assert re.search(
        r"│ +A │ +C +│ +\+0\.0 +│\n│ +│ +│ +\(p = 1\.0000, Holm 1\.0000\) +│\n"
        r"│ +│ +│ +identical outputs +│",
        text,
    )
    assert "p corrected for the 3 pairs" in text and "identical systems" in text
    latex = run(*args, "-f", "latex").out
    assert latex.count("\\begin{tabular}") == 2 and values.replace("≤", r"$\leq$") in latex
    markdown = run(*args, "-f", "markdown").out
    second = table(markdown.split("\n\n", 1)[1], "markdown")
    assert list(second[0].values()) == ["A", "B", f"+{ours['difference']:.1f} {values}"]
    assert "Holm (1979)" in markdown
    assert max(map(len, text.split("Metric sig")[0].splitlines())) <= 100


@pytest.mark.parametrize("test", ["-par", "-pbs"])
def test_many_systems_have_a_triangle(test: str, tmp_path: Path, run: Run) -> None:
    """Each corrected p-value is in the row of the worse and the column of the better system."""
    paths, n = [str(tmp_path / f"system{i}.txt") for i in range(12)], 60
    for i, path in enumerate(paths):
        wrong = 5 * i % 12 * 4
        Path(path).write_text("a b c d e\n" * (n - wrong) + "a x c d e\n" * wrong)
    (tmp_path / "ref").write_text("a b c d e\n" * n)
    pairs = [test, "--all-pairs", f"{test}n", "1400"]
    args = [str(tmp_path / "ref"), "-i", *paths, *pairs, "-m", "bleu", "ter"]
    found = json.loads(run(*args, "-f", "json").out)
    outputs = {form: run(*args, "-f", form).out for form in ("text", "markdown", "latex")}
    assert len(outputs["text"].split("Compared with")) == 1
    for metric, sign in (("BLEU", 1), ("TER", -1)):
        key = metric.lower()
        scores = {each["system"]: sign * each[key]["score"] for each in found["systems"]}
        ordered = sorted(scores, key=lambda name: -scores[name])
        known = {frozenset((x["a"], x["b"])): x[key] for x in found["pairs"]}
        blocks = re.findall(rf"^{metric} +\d.*(?:\n *\d+ system.*)+", outputs["text"], re.MULTILINE)
        seen = {}
        for head, *rows in map(str.splitlines, blocks):
            numbers = [int(x) for x in head.split()[1:]]
            for i, name, *cells in map(str.split, rows):
                assert ordered[int(i) - 1] == name
                for j, cell in zip(numbers, cells, strict=False):
                    seen[ordered[j - 1], name] = cell
        assert max(map(len, "\n".join(blocks).splitlines())) <= 80
        assert len(seen) == len(known) == 66
        for (better, worse), cell in seen.items():
            p = known[frozenset((better, worse))]["p_corrected"]
            assert scores[better] >= scores[worse]
            if known[frozenset((better, worse))]["p_is_least"]:
                assert cell == "≤0.048*"  # 66 / 1401 is 0.0471
                assert cell[:6] in outputs["markdown"] and r"$\leq$0.048" in outputs["latex"]
            else:
                assert cell == f"{p:.3f}{'*' if p <= 0.05 else ''}"
                assert all(f" {cell[:5]}" in outputs[form] for form in ("markdown", "latex"))
        assert {cell[-1] for cell in seen.values()} > {"*"}
    few = [str(tmp_path / "ref"), "-i", *paths[:4], *pairs, "-f", "text"]
    assert "Compared with" in run(*few).out


@pytest.mark.parametrize("test", ["-par", "-pbs"])
def test_too_few_trials_for_so_many_pairs(test: str, run: Run) -> None:
    args = [*SYSTEMS, "--all-pairs", test, f"{test}n"]
    assert run(*args, "59").err == ""
    found = run(*args, "58")
    assert found.err == (
        "rapidbleu: 58 resamples or trials: no corrected p of 3 pairs can be as small as 0.05, "
        "which takes 59\n"
    )
    assert run(*args, "58", "-q").err == ""


@pytest.mark.parametrize("test", ["-par", "-pbs"])
def test_enough_trials_for_many_pairs(test: str, tmp_path: Path, run: Run) -> None:
    paths = []
    for i in range(24):
        path = tmp_path / f"s{i}"
        n = 50 if i == 1 else i
        path.write_text("a b c d\n" * n + "a x c d\n" * (50 - n))
        paths.append(str(path))
    (tmp_path / "ref").write_text("a b c d\n" * 50)
    found = json.loads(run(str(tmp_path / "ref"), "-i", *paths, test, "--all-pairs").out)
    key = "n_resamples" if test == "-pbs" else "n_trials"
    assert found[key] == 200 * 276
    with_second = [pair for pair in found["pairs"] if "s1" in (pair["a"], pair["b"])]
    holm = [pair["bleu"]["p_corrected"] for pair in with_second]
    assert len(holm) == 23
    assert all(p <= 0.005 for p in holm)
    assert all(pair["bleu"]["p_is_least"] for pair in with_second)
    two = [str(tmp_path / "ref"), "-i", *paths[:2], test, f"{test}n", "0", "--all-pairs"]
    assert json.loads(run(*two).out)[key] == (1000 if test == "-pbs" else 10000)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--all-pairs"], "--all-pairs: compare systems by which test? (-pbs or -par)"),
        (["-ci", "-par"], "-ci/--confidence and a paired test: choose one; -pbs has intervals"),
        (["-d", "-f", "csv"], "-d/--detail prints lines of text, not -f csv"),
        (["-sl", "-pbs", "--all-pairs"], "-sl/--sentence-level: intervals and tests"),
    ],
)
def test_options_that_do_not_go_together(options: list[str], message: str, run: Run) -> None:
    assert failure(run(REF_A, "-i", HYP, REF_B, *options)).startswith(message)


# Forms


@pytest.mark.parametrize("wanted", ["text", "json", "latex", "csv"])
def test_own_forms_are_not_overridden(
    wanted: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SACREBLEU_FORMAT only selects sacrebleu's formats."""
    expected, plain = run(*SYSTEMS, "-f", "csv").out, run(*SYSTEMS).out
    monkeypatch.setenv("SACREBLEU_FORMAT", wanted)
    assert run(*SYSTEMS, "-f", "csv").out == expected
    assert (run(*SYSTEMS).out == plain) == (wanted in ("json", "csv"))


def test_a_short_form_of_score_only(run: Run) -> None:
    for word in ("--score-only", "--score", "--sc"):
        assert run(REF_A, "-i", HYP, word).out == "57.6\n"


@pytest.mark.parametrize("form", ["csv", "tsv", "markdown"])
def test_no_colors_in_tables(form: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from rapidbleu.cli.score import output

    monkeypatch.setattr(output, "use_color", lambda *_: True)
    for options in (["-pbs"], ["-par", "--all-pairs", "-parn", "99"], ["-sl"], ["-ci"]):
        assert "\x1b" not in run(*SYSTEMS, "-f", form, *options).out


# Cells of CSV and TSV, none of which a spreadsheet takes for a formula.


FORMULAS_BEGIN = ("=", "+", "-", "@", "\t", "\r")
FORMULAS = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "- a",
    "＝1",
    "'=1",
]


def lines(number: float) -> bytes:
    return f"{number}\n".encode() * N


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_cells_are_no_formulas(form: str) -> None:
    harmless_cells = ["a=b", "1-2", "'a", "", " =1", "a"]
    texts = [*FORMULAS, *harmless_cells, None]
    numbers = [-0.5, -1e-300, float("nan"), 3.0, -12345.678, 1e300, -0.0, -1.0] + [-2.5] * 9
    table = Table({"=x": texts, "score": numbers, "n": [-i for i in range(len(texts))]})
    out = table.format(form)  # type: ignore[arg-type]
    header, *rows = csv.reader(
        io.StringIO(out, newline=""), delimiter="," if form == "csv" else "\t"
    )
    assert header == ["'=x", "score", "n"]
    assert [row[0] for row in rows] == [f"'{text}" for text in FORMULAS] + [*harmless_cells, ""]
    for row, number in zip(rows, numbers, strict=True):
        assert row[1] == ("" if number != number else repr(number))
    assert [int(row[2]) for row in rows] == table["n"].tolist()
    for cell in (cell for row in [header, *rows] for cell in row):
        assert cell[:1] not in set("=+-@\t\r\n＝") or float(cell) <= 0
    assert table["=x"] == texts, "the table itself has them as they are"


@pytest.mark.parametrize("form", ["csv", "tsv"])
@pytest.mark.parametrize(
    "words",
    [
        "compare {hyp} {other} -r {ref}",
        "compare {hyp} {other} -r {ref} --show tests",
        "compare {hyp} {other} -r {ref} --show segments --labels {label}",
        "{ref} -i {hyp} {other}",
        "{ref} -i {hyp} {other} -sl",
        "{ref} -i {hyp} {other} -pbs -pbsn 20",
        "{ref} -i {hyp} {other} -par -parn 99 --all-pairs",
    ],
)
def test_names_are_no_formulas(words: str, form: str, run: Run, write: Write) -> None:
    places = {"hyp": HYP, "ref": REF_A, "other": write("other", Path(REF_A).read_bytes())}
    places["label"] = write("label", b"@x\n" * N)
    scores = ["--scores", f"+C={write('a', lines(-0.5))}", write("b", lines(0.5))]
    names = ["--names", "=HYPERLINK(0)", "@cmd"]
    out = run(*words.format(**places).split(), *names, *scores, "-f", form).out
    rows = list(csv.reader(io.StringIO(out), delimiter="," if form == "csv" else "\t"))
    cells = [cell for row in rows for cell in row]
    named = "-sl" not in words and "segments" not in words  # columns are identifiers
    assert any(cell.startswith(("'=HYPERLINK", "'+C")) for cell in cells) == named
    assert any(cell.startswith("-0.5") for cell in cells) or "tests" in words or "par" in words
    for cell in cells:
        if cell[:1] in FORMULAS_BEGIN:
            float(cell)


def test_chosen_texts_are_exact_in_tsv(run: Run, write: Write) -> None:
    """Texts are unchanged, because many lines of subtitles begin with a dash."""
    path = write("c", b"- Yes.\n=1\n")
    out = run("mbr", path, "--n-best", "1", "-f", "tsv").out
    rows = list(csv.DictReader(io.StringIO(out), delimiter="\t"))
    assert [row["text"] for row in rows] == ["- Yes.", "=1"]
