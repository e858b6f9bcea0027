"""Options with the same meaning in every command: ``-r``, ``-i``, ``-o``, ``-n``, ``--seed``."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from rapidbleu.cli import COMMANDS, module_of
from support.command_line import HYP, REF_A, REF_B, N, Run, Write, failure

OWN = (
    "compare",
    "correlate",
    "explain",
    "mbr",
    "merge",
    "oracle",
    "rerank",
    "score",
    "stats",
    "tune",
)
LONG = {
    "-r": "--refs",
    "-i": "--input",
    "-o": "--output",
    "-n": "--n-resamples",
    "-w": "--width",
    "-f": "--format",
    "-m": "--metrics",
    "-e": "--encoding",
    "-q": "--quiet",
    "-l": "--language-pair",
    "-tok": "--tokenize",
    "-lc": "--lowercase",
    "-nr": "--num-refs",
    "-nc": "--no-color",
}


@pytest.mark.parametrize("command", OWN)
def test_short_options_have_one_long_form(command: str) -> None:
    assert command in COMMANDS
    for action in module_of(command).make_parser()._actions:
        for short in {*action.option_strings} & {*LONG}:
            assert action.option_strings == [short, LONG[short]]
        for flag in ("--seed", "--segment", "--threads", "--shard", "--names", "--scores"):
            assert flag not in action.option_strings or action.option_strings == [flag]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (f"{REF_A} -i {HYP}", f"-r {REF_A} -i {HYP}"),
        (f"{REF_A} {REF_B} -i {HYP}", f"-i {HYP} --refs {REF_A} {REF_B}"),
        (f"score {REF_A} -i {HYP}", f"score -i {HYP} -r {REF_A}"),
        (f"compare {HYP} {REF_B} -r {REF_A} -n 5", f"compare -r {REF_A} -n 5 -i {HYP} {REF_B}"),
        (f"compare -n 5 {HYP} {REF_B} -r {REF_A}", f"compare -n 5 -r {REF_A} --in {HYP} {REF_B}"),
        (f"explain {HYP} {REF_A} {REF_B}", f"explain -i {HYP} -r {REF_A} {REF_B}"),
        (f"mbr -q {HYP} {REF_B}", f"mbr -i {HYP} {REF_B}"),
        (f"oracle {HYP} {REF_B} -r {REF_A} -f json", f"oracle -r {REF_A} -f json -i {HYP} {REF_B}"),
        ("rerank nbest --weights w", "rerank --weights w -i nbest"),
        ("tune nbest -r ref --method mira", "tune --method mira -r ref -i nbest"),
    ],
)
def test_files_by_options_or_as_first_words(
    words: str, named: str, run: Run, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [
        f"{i} ||| {text} ||| a= {i % 3} b= {len(text)} ||| 0\n"
        for i in range(8)
        for text in ("a b", "a b c d")
    ]
    write("nbest", "".join(lines).encode())
    write("ref", b"a b c\n" * 8)
    write("w", b"a= 1\nb= 1\n")
    expected = run(*words.split())
    assert expected.status == 0 and expected.out
    assert run(*named.split()) == expected


def test_files_of_statistics_by_options(
    run: Run, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write("t.tsv", b"hyp\tref\na b\ta c\nd\td\n")
    for out, words in {
        "a": f"-q {REF_A} -i {HYP}",
        "b": f"-r {REF_A} -i {HYP}",
        "c": "-q --table t.tsv --ref ref",
        "d": "--table t.tsv --hyp=hyp",
    }.items():
        assert run("stats", *words.split(), "-o", f"{out}.npz").status == 0
    assert run("merge", "-o", "e.npz", "-i", "a.npz").status == 0
    scores = [run("score", "--stats", f"{name}.npz", "-b", "-w", "9").out for name in "abcde"]
    assert scores[0] == scores[1] == scores[4] and scores[2] == scores[3]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("a -r b -i c", "-r/--refs: expected all files there; got a elsewhere"),
        ("compare a -i b -r c", "-i/--input: expected all files there; got a elsewhere"),
        ("compare -r c", "the following arguments are required: SYS"),
        ("mbr", "the following arguments are required: FILE"),
        ("merge -o a.npz", "the following arguments are required: PART"),
        ("stats -o a.npz", "the following arguments are required: FILE"),
        ("stats -r a -i b c -o a.npz", "-i/--input: expected one system; got 2"),
    ],
)
def test_files_that_are_named_twice_or_not_at_all(words: str, message: str, run: Run) -> None:
    assert failure(run(*words.split()), 2).startswith(message)


def test_explained_files_are_named_together(run: Run) -> None:
    message = "-i/--input and -r/--refs: expected both"
    for words in ("-i a", "-i a b", "-r a"):
        assert failure(run("explain", *words.split())) == message
    message = "-i/--input: expected all files there; got a elsewhere"
    assert failure(run("explain", "a", "-i", "b", "-r", "c"), 2).startswith(message)


INPUTS = {
    "compare": "-r {ref} -n 5",
    "correlate": "-r {ref} --human {human} -n 2 -q",
    "explain": "-r {ref}",
    "mbr": "-f tsv",
    "merge": "-o {folder}/merged.npz",
    "oracle": "-r {ref} -f tsv",
    "rerank": "--weights {weights}",
    "score": "-r {ref} -f tsv",
    "stats": "-r {ref} -o {folder}/out.npz",
    "tune": "-r {ref} --restarts 0 -q",
}


@pytest.mark.parametrize("command", OWN)
def test_inputs_may_come_first(command: str, run: Run, write: Write, tmp_path: Path) -> None:
    human = "".join(f"{name}\t{i}\t{i % 5}\n" for name in ("a", "b") for i in range(1, N + 1))
    nbest = "".join(
        f"{i} ||| {text} ||| lm= {i} n= {k}\n" for i in range(N) for k, text in enumerate("ab")
    )
    a = write("a.txt", Path(HYP).read_bytes())
    inputs = {
        "merge": [str(tmp_path / "a.npz")],
        "stats": [a],
        "rerank": [write("nbest", nbest.encode())],
        "tune": [write("nbest", nbest.encode())],
    }.get(command, [a, write("b.txt", Path(REF_B).read_bytes())])
    if command == "merge":
        assert run("stats", REF_A, "-i", HYP, "-o", *inputs).status == 0
    options = (
        INPUTS[command]
        .format(
            ref=REF_A,
            human=write("human", f"system\tsegment\tscore\n{human}".encode()),
            weights=write("w", b"lm= 1\nn= 1\n"),
            folder=tmp_path,
        )
        .split()
    )
    named = run(command, *options, "-i", *inputs)
    assert named.status == 0 and named.out + "".join(map(str, tmp_path.glob("*.npz")))
    assert run(command, *inputs, *options) == named
    assert run(command, "-q" if "-q" in options else "--quiet", *inputs, *options).out == named.out


def test_words_between_options(run: Run) -> None:
    expected = run("explain", "-i", HYP, "-r", REF_A, "--segment", "2")
    assert expected.status == 0
    assert run("explain", "--segment", "2", HYP, "-r", REF_A) == expected
    assert run("explain", "--segment", "2", HYP, REF_A) == expected
    assert run("-r", REF_A, "-b", HYP) == run(REF_A, "-i", HYP, "-b")
    assert run("-b", HYP, "-r", REF_A) == run(REF_A, "-i", HYP, "-b")
    assert failure(run("explain", "-q", HYP, "-r", REF_A, "--mute"), 2).startswith(
        "unrecognized arguments: --mute"
    )


@pytest.mark.parametrize("command", sorted({*OWN} - {"score"}))
def test_short_options_are_not_abbreviated(command: str) -> None:
    """-n is an option of compare, and would otherwise be -nc of explain."""
    parser = module_of(command).make_parser()
    every = {name for own in OWN for name in module_of(own).make_parser()._option_string_actions}
    for name in every:
        if not name.startswith("--"):
            meanings = parser._get_option_tuples(name)
            exact = [meaning for meaning in meanings if name.startswith(meaning[1])]
            assert meanings == exact


def test_short_options_of_other_commands(run: Run) -> None:
    for words in ("explain -n 30 {} {}", "oracle -t {} {}", "explain -nr 2 {} {}"):
        message = failure(run(*words.format(HYP, REF_A).split()), 2)
        assert message.startswith(f"unrecognized arguments: {words.split()[1]} ")


SEEDED: dict[str, tuple[str, Callable[[str], object]]] = {
    "score -ci": (f"{REF_A} -i {HYP} -ci -w 9", lambda out: json.loads(out)["confidence_mean"]),
    "score -pbs": (
        f"{REF_A} -i {HYP} {REF_B} -pbs -w 9",
        lambda out: json.loads(out)[1]["BLEU"]["ci"],
    ),
    "compare": (
        f"compare {HYP} {REF_B} -r {REF_A} -f json",
        lambda out: json.loads(out)["scores"],
    ),
}


@pytest.mark.parametrize("command", SEEDED)
def test_seeds_and_numbers_of_resamples(
    command: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, part = SEEDED[command]
    words = f"{words} -n 50"

    def numbers(*options: str) -> object:
        return part(run(*words.split(), *options).out)

    assert numbers() == numbers("--seed", "12345") != numbers("--seed", "7")
    assert numbers("--seed", "none") != numbers("--seed", "none")
    assert numbers() != part(run(*words.replace("-n 50", "-n 9").split()).out)
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    assert (numbers() == numbers("--seed", "7")) == command.startswith("score")


def test_own_numbers_of_resamples_come_first(run: Run) -> None:
    """sacrebleu's options override -n."""
    score = (REF_A, "-i", HYP)
    assert run(*score, "-ci", "-n", "60", "-cin", "50") == run(*score, "-ci", "-cin", "50")
    test = (*score, REF_B, "-par")
    assert run(*test, "-n", "60", "-parn", "50") == run(*test, "-parn", "50")
    assert run(*test, "-n", "60") == run(*test, "-parn", "60")


def test_sacrebleus_abbreviations(run: Run) -> None:
    assert run(REF_A, "-i", HYP, "--se") == run(REF_A, "-i", HYP, "-sl")


@pytest.mark.parametrize("command", ["compare", "correlate", "explain", "mbr", "oracle", "rerank"])
def test_results_in_a_file(command: str, run: Run, write: Write, tmp_path: Path) -> None:
    scores = [f"{name}\t{i}\t{i % 5}" for name in ("A", "B") for i in range(1, N + 1)]
    human = write("human", "\n".join(["system\tsegment\tscore", *scores, ""]).encode())
    nbest = write("nbest", b"0 ||| a ||| lm= 1\n0 ||| b ||| lm= 2\n")
    weights = write("weights", b"lm= 1\n")
    words = {
        "compare": f"compare {HYP} {REF_B} -r {REF_A} -n 5",
        "correlate": f"correlate --human {human} -i {HYP} {REF_B} --names A B -r {REF_A} -n 2 -q",
        "explain": f"explain {HYP} {REF_A}",
        "mbr": f"mbr {HYP} {REF_B}",
        "oracle": f"oracle {HYP} {REF_B} -r {REF_A} -q",
        "rerank": f"rerank {nbest} --weights {weights}",
    }[command].split()
    path = tmp_path / "results"
    expected = run(*words)
    assert run(*words, "-o", str(path)).out == ""
    assert path.read_text(encoding="utf-8") == expected.out != ""
