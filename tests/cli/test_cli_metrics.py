"""Metrics, intervals, tests and random command lines: sacrebleu's output, byte for byte."""

import json
import random
import re
import sys
from itertools import chain, takewhile

import pytest

from rapidbleu._lib.colors import paint
from rapidbleu.cli import main
from rapidbleu.score import VERSION
from support.command_line import (
    CRASH,
    HYP,
    REF_A,
    REF_B,
    N,
    Result,
    Run,
    Terminal,
    Write,
    as_peer,
    call_ours,
    call_peer,
    failure,
    is_quiet,
    peer,
)

# chrF, TER, several metrics, several systems on the command line: sacrebleu's, byte for byte.


METRICS = ("bleu", "chrf", "ter")


@pytest.mark.parametrize(
    "options",
    [
        "-m chrf",
        "-m chrf -cw 2 -f text",
        "-m chrf -cc 4 -cw 1 --chrf-beta 3 --chrf-lowercase -sh",
        "-m chrf --chrf-char-order 0 --chrf-word-order 2 --chrf-eps-smoothing -w 5 -f text",
        "-m chrf --chrf-whitespace --chrf-beta 0 -b -w 7",
        "-m ter",
        "-m ter --ter-case-sensitive --ter-no-punct -f text -w 4",
        "-m ter --ter-normalized --ter-asian-support -f text -sh",
        "-m ter --ter-normalized --ter-no-punct --ter-asian-support -b -w 7",
        "-m bleu chrf ter",
        "-m ter chrf bleu -cw 2 -f text",
        "-m chrf ter -b",
        "-m ter bleu -b -f text -w 4",
        "-m bleu chrf -lc -tok char -cc 2 -sh -f text -q",
        "-m ter chrf -d",
        "-m ter chrf -d -b -f json",
        "-sl -m chrf",
        "-sl -m chrf -cw 2 --chrf-eps-smoothing -b -w 5",
        "-sl -m ter -sh",
        "-sl -m ter --ter-no-punct -b -w 5 -f text",
        "-sl -m ter -f text -d",
    ],
)
@pytest.mark.parametrize("refs", [[REF_A], [REF_A, REF_B, HYP]], ids=["one", "three"])
def test_equals_sacrebleu(options: str, refs: list[str], run: Run) -> None:
    args = [*refs, "-i", REF_B, *options.split()]
    ours = run(*args)
    assert is_quiet(ours)
    assert as_peer(ours.out) == peer(*args)


@pytest.mark.parametrize(
    "options",
    [
        "-f text",
        "-f text -m chrf -w 3",
        "-f text -m ter bleu chrf -cw 2 -sh",
        "-m bleu ter -d",
        "-m bleu ter -d -f json -b",
    ],
)
def test_tables_of_systems_equal_sacrebleu(options: str, run: Run, write: Write) -> None:
    odd = write("100% & _x.txt", b"The government.\n" * N)
    args = [REF_A, HYP, "-i", REF_B, odd, REF_A, *options.split()]
    ours = run(*args)
    assert (ours.status, ours.err) == (0, "")
    assert as_peer(ours.out) == peer(*args)


def cells_of(latex: str) -> list[list[str]]:
    """Return LaTeX cells as text, without bold, and without the stars of identical systems."""
    table = latex.split("\\toprule\n")[1].split("\n\\bottomrule")[0].replace("\\midrule\n", "")
    for written, meant in ((r"$\mu$", "μ"), (r"$\pm$", "±"), ("$-$", "-")):
        table = table.replace(written, meant)
    table = re.sub(r"\\textbf\{([^}]*)\}", r"\1", table)
    rows = [line.removesuffix(r"\\").split(" & ") for line in table.splitlines()]
    return [[re.sub(r"\*?( identical \w+)?$", "", cell.strip()) for cell in row] for row in rows]


@pytest.mark.parametrize(
    "options",
    [
        "-f latex",
        "-f latex -m ter chrf -w 0",
        "-f latex -m bleu ter -pbs -pbsn 60",
        "-f latex -m chrf ter -par -parn 99 -b",
        "-sh -f latex -b",
    ],
)
def test_latex_has_the_cells_of_sacrebleu(options: str, run: Run, write: Write) -> None:
    """Everything else is comments, without signatures if `-b` is given."""
    odd = write("100% & _x.txt", b"The government.\n" * N)
    args = [REF_A, HYP, "-i", REF_B, odd, HYP, *options.split()]
    out = run(*args).out
    assert cells_of(out) == cells_of(peer(*args))
    notes = out.split("\\end{tabular}\n")[1].splitlines()
    assert all(line.startswith("% ") for line in notes)
    assert ("version:" in out) == bool(notes) == ("-b" not in options)
    assert r"\textbf{" in out


def test_the_best_are_bold_in_latex(run: Run) -> None:
    """The lowest error rate, without its interval; nothing for a single system."""
    args = [REF_A, "-f", "latex", "-m", "bleu", "ter", "-ci", "-cin", "50", "-i"]
    worse, better = run(*args, REF_B, REF_A).out.splitlines()[4:6]
    assert "textbf" not in worse
    assert re.fullmatch(
        r"\S+ & +\\textbf\{100\.0\} \(100\.0 .* & \\textbf\{0\.0\} \(0\.0 .*", better
    )
    alone = run(*args, HYP).out
    assert alone.startswith("\\begin{tabular}{lll}\n") and "textbf" not in alone
    assert r"BLEU ($\mu$ $\pm$ 95\% CI)" in alone and "μ" not in alone


def test_latex_of_a_name_of_two_lines(run: Run, write: Write) -> None:
    table = run(REF_A, "-i", HYP, write("one\ntwo", b"x\n" * N), "-f", "latex").out
    assert re.search("one two +&", table)


def test_details_are_no_latex(run: Run) -> None:
    message = failure(run(REF_A, "-i", HYP, "-d", "-f", "latex"))
    assert message == "-d/--detail prints lines of text, not -f latex"


def test_json_has_one_shape(run: Run) -> None:
    """A score is an object, several are a list, with names if there are several systems."""
    alone = {
        (system, metric): json.loads(run(REF_A, "-i", system, "-w", "3", "-m", metric).out)
        for system in (HYP, REF_B)
        for metric in METRICS
    }
    assert all(entry["version"] == VERSION and "signature" in entry for entry in alone.values())
    several = json.loads(run(REF_A, "-i", HYP, "-w", "3", "-m", "ter", "bleu", "chrf").out)
    assert several == [alone[HYP, metric] for metric in METRICS]
    systems = json.loads(run(REF_A, "-i", HYP, REF_B, "-w", "3", "-m", "chrf", "bleu", "ter").out)
    assert systems == [{"system": name, **entry} for (name, _), entry in alone.items()]
    assert [entry["name"] for entry in systems[:3]] == ["BLEU", "chrF2", "TER"]


@pytest.mark.parametrize("options", [[], ["-b", "-w", "5"], ["-sh"]])
def test_segments_of_several_metrics(options: list[str], run: Run) -> None:
    """A line for each segment and metric."""
    args = [REF_A, REF_B, "-i", HYP, "-sl", *options]
    alone = [run(*args, "-m", metric).out.splitlines() for metric in METRICS]
    together = run(*args, "-m", "ter", "bleu", "chrf").out.splitlines()
    assert together == list(chain(*zip(*alone, strict=True))) and len(together) == 3 * N
    entries = json.loads(run(*args, "-m", "ter", "bleu", "chrf", "-f", "json").out)
    expected = [json.loads(run(*args, "-m", metric, "-f", "json").out) for metric in METRICS]
    assert entries == list(chain(*zip(*expected, strict=True)))


def test_orders_that_make_no_sense(run: Run) -> None:
    message = failure(run(REF_A, "-i", HYP, "-m", "chrf", "-cc", "0"))
    assert message == (
        "-m chrf: -cc/--chrf-char-order, word_order: expected one of them above 0; got 0 and 0"
    )
    message = failure(run(REF_A, "-i", HYP, "-m", "chrf", "-cc", "9999999"), 2)
    assert message.startswith("argument -cc/--chrf-char-order: expected an integer from 0 to 10000")


# Intervals and paired tests on the command line: sacrebleu's numbers, from its resamples.


@pytest.mark.parametrize(
    "options",
    [
        "",
        "-f text -w 2",
        "-sh -cin 77",
        "-b",
        "-m chrf -cw 2 -cin 200 -w 2",
        "-m ter -cin 200 -f text",
        "-m ter bleu chrf -cin 100",
        "-m ter bleu chrf -cin 100 -f text -w 2 -sh",
        "-m chrf ter -cin 100 -f text -b",
    ],
)
@pytest.mark.parametrize("refs", [[REF_A], [REF_A, REF_B, HYP]], ids=["one", "three"])
def test_intervals_equal_sacrebleus(options: str, refs: list[str], run: Run) -> None:
    args = [*refs, "-i", REF_B, "-ci", *options.split()]
    ours = run(*args)
    assert is_quiet(ours)
    assert as_peer(ours.out) == peer(*args)


@pytest.mark.parametrize("seed", ["1", "0", "007", "99999999999"])
def test_seeds(seed: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    args = [REF_A, "-i", HYP, "-ci", "-cin", "100", "-w", "2"]
    usual, expected = run(*args).out, peer(*args, SACREBLEU_SEED=seed)
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    assert as_peer(run(*args).out) == expected
    assert expected != as_peer(usual)


def test_no_seed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "None")
    args = [REF_A, "-i", HYP, "-ci", "-w", "9"]
    results = [json.loads(run(*args).out) for _ in range(2)]
    assert results[0]["seed"] == "none"
    assert results[0]["confidence"] != results[1]["confidence"]


# Paired tests


def parts(text: str) -> list[str]:
    """Return table, title of the test, and signatures; the words in between differ."""
    end = re.search(r"\n-+\n(?= - )", text)
    assert end is not None
    return [text[: end.end()], text[text.index("-----------------\nMetric signatures") :]]


@pytest.mark.parametrize(
    "options",
    [
        "-pbs",
        "--paired-bs -pbsn 150 -m ter chrf bleu -w 2",
        "-par -parn 150 -m chrf ter",
        "--paired-ar --paired-ar-n 99 --short -w 0",
        "-pbs -pbsn 60 -m ter -j 1 --ter-no-punct -d",
    ],
)
def test_tables_equal_sacrebleus(options: str, run: Run, write: Write) -> None:
    worse = write("worse.txt", b"The government.\n" * N)
    args = [REF_A, REF_B, "-i", HYP, worse, REF_B, REF_A, *options.split(), "-f", "text"]
    ours = run(*args)
    assert (ours.status, ours.err) == (0, "")
    assert parts(as_peer(ours.out)) == parts(peer(*args))
    assert f"compared to Baseline: {HYP}." in ours.out


@pytest.mark.parametrize(
    ("options", "refs"),
    [
        ("-pbs", [REF_A, REF_B]),
        ("-pbs -s floor", [REF_A]),
        ("-par -parn 300 -m chrf ter bleu", [REF_A, REF_B, HYP]),
    ],
)
@pytest.mark.parametrize("seed", ["12345", "5"])
def test_numbers_equal_sacrebleus(
    options: str, refs: list[str], seed: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In JSON, with all digits; sacrebleu's output lacks the signatures."""
    args = [*refs, "-i", HYP, REF_B, REF_A, *options.split()]
    expected = json.loads(peer(*args, SACREBLEU_SEED=seed))
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    found = json.loads(run(*args).out)
    assert [list(entry) for entry in found] == [list(entry) for entry in expected]
    for own, theirs in zip(found, expected, strict=True):
        assert own.pop("system") == theirs.pop("system")
        for metric, numbers in theirs.items():
            assert f"|seed:{seed}|" in own[metric].pop("signature")
            if metric == "TER" and HYP in refs and theirs is not expected[0]:
                assert own[metric].pop("identical") == "statistics"  # all are references: no edits
            assert list(own[metric]) == list(numbers)
            for name, value in numbers.items():
                if name in ("mean", "ci") and value is not None:
                    value = pytest.approx(value, rel=1e-5)
                assert own[metric][name] == value


# Identical outputs


@pytest.mark.parametrize("test", ["-pbs", "-par -parn 99"])
def test_identical_outputs_have_no_star(test: str, run: Run, write: Write) -> None:
    """Their p-value is sacrebleu's minimum, because ties do not count."""
    with open(HYP, "rb") as file:
        twin = write("twin.txt", file.read())
    args = [REF_A, "-i", HYP, twin, REF_B, "-m", "bleu", "ter", *test.split()]
    least = json.loads(peer(*args[:5], *test.split()))[1]["BLEU"]["p_value"]
    assert least == (1 / 1001 if test == "-pbs" else 1 / 100)
    _, same, other = json.loads(run(*args).out)
    for metric in ("BLEU", "TER"):
        assert same[metric]["p_value"] == least
        assert same[metric]["identical"] == "outputs"
        assert "identical" not in other[metric]
    text = run(*args, "-f", "text").out
    cells = re.findall(r"\(p = [0-9.]+\)\*?", text)
    assert cells[:2] == [f"(p = {least:.4f})"] * 2
    assert len(cells) == 4
    lines = text.splitlines()
    row = next(i for i, line in enumerate(lines) if f"(p = {least:.4f})" in line)
    assert lines[row + 1].count("identical outputs") == 2
    assert " - Systems that are identical" in text
    latex = run(*args, "-f", "latex").out
    assert latex.count(f"(p = {least:.4f}) identical outputs &") == 1
    assert latex.count(f"(p = {least:.4f}) identical outputs \\\\") == 1
    terminal = run(REF_A, "-i", HYP, REF_B, *test.split(), "-f", "text").out
    assert "dentical" not in terminal


def test_statistics_of_other_outputs_may_be_identical(run: Run, write: Write) -> None:
    """BLEU depends on case and TER does not: no star, but outputs are not identical."""
    with open(HYP, "rb") as file:
        lower = write("lower.txt", file.read().lower())
    _, found = json.loads(run(REF_A, "-i", HYP, lower, "-m", "bleu", "ter", "-pbs").out)
    assert "identical" not in found["BLEU"]
    assert found["TER"]["identical"] == "statistics"
    text = run(REF_A, "-i", HYP, lower, "-m", "ter", "-pbs", "-f", "text").out
    assert "(p = 0.0010) " in text and "identical statistics" in text


def test_the_explanation_says_what_is_counted(run: Run) -> None:
    args = [REF_A, "-i", HYP, REF_B, "-f", "text"]
    for test, counted in (
        ("-pbs -pbsn 50", "(c + 1) / 51 for c resamples in which it exceeds the mean of all"),
        ("-par -parn 60", "(c + 1) / 61 for c trials in which it is larger"),
    ):
        text = " ".join(run(*args, *test.split()).out.split())
        assert "a difference larger than the one seen" in text
        assert counted in text
        assert "Equal differences do not count." in text
        assert "or larger" not in text


def test_the_baseline_may_be_given_again(run: Run) -> None:
    expected = run(REF_A, "-i", HYP, REF_B, "-pbs").out
    again = run(REF_A, "-i", HYP, REF_B, HYP, HYP, "-pbs")
    assert again.out == expected
    assert again.err.startswith(f"rapidbleu: {HYP}: ") and again.err.count("\n") == 1
    assert run(REF_A, "-i", HYP, REF_B, HYP, "-pbs", "-q").err == ""
    for extra in ([REF_B], [REF_B, HYP]):
        assert "given twice" in failure(run(REF_A, "-i", HYP, REF_B, *extra, "-par", "-q"))
    assert "given twice" in failure(run(REF_A, "-i", HYP, REF_B, HYP))


def test_zero_is_the_default(run: Run) -> None:
    args = [REF_A, "-i", HYP, REF_B, "-f", "text"]
    assert run(*args, "-pbs", "-pbsn", "0").out == run(*args, "-pbs").out
    assert run(*args, "-par", "-parn", "0").out == run(*args, "-par").out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([REF_A, "-i", HYP, REF_B, "-ci", "-pbs"], "choose one"),
        ([REF_A, "-i", HYP, "-pbs"], "-i/--input"),
        ([REF_A, "-par"], "-i/--input"),
        ([REF_A, "-i", HYP, HYP, "-par", "-q"], "-i/--input"),
        ([REF_A, "-i", HYP, "-sl", "-ci"], "segments"),
        ([REF_A, "-i", HYP, "-sl", "-pbs"], "segments"),
    ],
)
def test_what_cannot_be_tested(options: list[str], message: str, run: Run) -> None:
    assert message in failure(run(*options))
    assert call_peer(*options).status == 1


@pytest.mark.parametrize("seed", ["-1", "abc", ""])
def test_wrong_seeds(seed: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    expected = f"SACREBLEU_SEED: expected an integer from 0 on, or none; got {seed!r}"
    for options in (["-ci"], [REF_B, "-pbs"]):
        assert failure(run(REF_A, "-i", HYP, *options)) == expected
    assert run(REF_A, "-i", HYP).status == 0


# Terminals


def test_colors(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Colors are in the same positions as sacrebleu's."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", "300")

    def on_terminal(*args: str) -> str:
        terminal = Terminal()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", terminal)
            assert main(args) == 0
        return terminal.getvalue()

    single = on_terminal(REF_A, "-i", HYP, "-ci", "-f", "text", "-b", "-m", "ter", "bleu")
    assert single.count("\x1b[38;5;30m(μ") == 2
    table = on_terminal(REF_A, "-i", HYP, REF_B, REF_A, "-pbs", "-f", "text")
    assert paint(f"Baseline: {HYP}", "yellow") in table and "\x1b[38;5;30mBLEU (μ" in table
    plain = " ".join(re.sub(r"\x1b\[[0-9;]+m", "", table).split())
    expected = run(REF_A, "-i", HYP, REF_B, REF_A, "-pbs", "-f", "text").out
    assert " red" not in expected
    assert plain.replace(" Other values of p are red.", "") == " ".join(expected.split())


# Random command lines: the exit status and the output are sacrebleu's, but for what is numbered.


# Each with its values, or with none; the more often a value is listed, the more often it is taken.
OPTIONS = {
    "-m": ["bleu", "chrf", "ter", "bleu chrf", "ter bleu", "chrf ter bleu", "chrf chrf"],
    "-f": ["json", "text", "text", "latex", "xml"],
    "-w": ["0", "2", "3", "-1", "x"],
    "-b": [""],
    "-sh": [""],
    "-lc": [""],
    "-s": ["exp", "floor", "add-k", "none", "best"],
    "-sv": ["0.5", "0", "1", "x"],
    "-tok": ["13a", "none", "intl", "char", "zh", "14b"],
    "-l": ["en-zh", "zh-en", "en-de"],
    "--force": [""],
    "-cc": ["1", "6", "0", "9"],
    "-cw": ["0", "2"],
    "--chrf-beta": ["1", "0", "3"],
    "--chrf-whitespace": [""],
    "--chrf-lowercase": [""],
    "--chrf-eps-smoothing": [""],
    "--ter-normalized": [""],
    "--ter-no-punct": [""],
    "--ter-asian-support": [""],
    "--ter-case-sensitive": [""],
    "-sl": [""],
    "-ci": [""],
    "-cin": ["20", "2"],
    "-par": [""],
    "-pbs": [""],
    "-parn": ["30"],
    "-pbsn": ["25"],
    "-nr": ["1", "2", "3"],
    "-e": ["utf-8", "latin-1", "utf-16", "klingon"],
    "-nc": [""],
    "--wrong": ["", "1"],
    "-d": [""],
    "-ol": ["en"],
    "-t": ["wmt0"],
}
RARE = {"-sl": 0.1, "-par": 0.06, "-pbs": 0.06, "--wrong": 0.01, "-nr": 0.04, "-e": 0.05}
RARE |= {"-ol": 0.01, "-t": 0.02, "-ci": 0.1}


def command_line(rng: random.Random, files: dict[str, str]) -> list[str]:
    n_refs = rng.choices([0, 1, 2, 3], [1, 50, 30, 5])[0]
    names, weights = ["a", "b", "two", "short", "gone"], [50, 40, 8, 2, 1]
    words = [files[name] for name in rng.choices(names, weights, k=n_refs)]
    n_systems = rng.choices([1, 2, 3], [8, 3, 1])[0]
    names, weights = ["hyp", "a", "b", "short", "empty", "gone"], [50, 20, 20, 2, 1, 1]
    words += ["-i", *(files[name] for name in rng.choices(names, weights, k=n_systems))]
    for option, values in OPTIONS.items():
        if rng.random() < RARE.get(option, 0.12):
            words += [option, *rng.choice(values).split()]
    return words


def differs(words: list[str], theirs: Result, ours: Result) -> bool:
    """Return whether the output deviates from sacrebleu's beyond the numbered differences."""
    if theirs.status != 0 or ours.status != 0:
        return is_wrong_failure(words, theirs, ours)
    n_systems = len(systems_of(words))
    as_json = ours.out.startswith(("[", "{"))
    if as_json and n_systems > 1:  # 13
        return {entry["system"] for entry in json.loads(ours.out)} == set()
    if as_json and "-sl" in words:  # 12
        return len(json.loads(ours.out)) != N * len({*metrics_of(words)})
    if "latex" in words and (n_systems == 1 or "-sl" in words):  # 29
        return not ours.out.startswith("\\begin{tabular}{l")
    if "latex" in words:  # 29
        return cells_of(as_peer(ours.out)) != cells_of(theirs.out)
    if "-par" in words or "-pbs" in words:  # 15
        return table_of(as_peer(ours.out)) != table_of(theirs.out)
    return as_peer(ours.out) != theirs.out


def is_wrong_failure(words: list[str], theirs: Result, ours: Result) -> bool:
    if ours.status == 0:
        several_systems = {"-sl", "-ci"} & {*words} and len(systems_of(words)) > 1  # 12, 13
        several_of_segments = "-sl" in words and len(metrics_of(words)) > 1  # 12
        resamples_of_chrf = theirs.status == CRASH and {"-ci", "-pbs", "-par"} & {*words}  # 6, 13
        return not (several_systems or several_of_segments or resamples_of_chrf)
    if ours.out or not all(line.startswith("rapidbleu: ") for line in ours.err.splitlines()):  # 18
        return True
    # Of several mistakes either may be named; values that are out of range are the first.
    return ours.status not in (1, 2, 17) or (theirs.status == 2 != ours.status)


def systems_of(words: list[str]) -> list[str]:
    rest = words[words.index("-i") + 1 :]
    return list(takewhile(lambda word: not word.startswith("-"), rest))


def metrics_of(words: list[str]) -> list[str]:
    rest = words[words.index("-m") + 1 :] if "-m" in words else ["bleu"]
    return list(takewhile(lambda word: not word.startswith("-"), rest))


def table_of(out: str) -> list[str]:
    return list(takewhile(lambda line: not line.startswith("-"), out.splitlines()))


@pytest.mark.parametrize("seed", range(150))
def test_random_command_line(seed: int, write: Write) -> None:
    files = {"hyp": HYP, "a": REF_A, "b": REF_B, "gone": "gone"}
    files["two"] = write("two", b"".join(b"the cat\ta cat %d\n" % i for i in range(N)))
    files["short"] = write("short", b"a\nb\n")
    files["empty"] = write("empty", b"")
    words = command_line(random.Random(seed), files)
    theirs, ours = call_peer(*words), call_ours(*words)
    assert not differs(words, theirs, ours), (words, theirs, ours)
