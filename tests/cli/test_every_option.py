"""Every option of every command has an effect, and the parsers themselves list the options.

An option changes the output, a file, a message, a bar or the status in the case that
`support.option_cases` has for it. An option without a case fails, because a flag that nothing reads
is worse than none.
"""

import json
import os
import shutil
from argparse import Action, Namespace
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, ClassVar, NamedTuple

import pytest

from rapidbleu import BLEU
from rapidbleu._lib import installed_sacrebleu
from rapidbleu.cli import COMMANDS, messages, module_of, options
from support.command_line import HYP, REF_A, REF_B, Result, Run
from support.option_cases import BASES, CASES
from support.places import DATA

# `rapidbleu run` starts other programs: tests/switch has to show the effect of each of its options.
TESTED_ELSEWHERE = {"run", "vectors"}

# Options that cannot change results, with the reason. They are read, except for the last two.
THREADS = "numbers do not depend on threads (tests/robustness/test_threads.py)"
DRIVER = "mert-moses.pl passes it, and it only added messages in Moses"
REASONS = {
    **{(name, "--threads"): THREADS for name in COMMANDS if name != "mert"},
    ("score", "--paired-jobs"): THREADS,
    ("kbmira", "--verbose"): DRIVER,
    ("extractor", "--verbose"): DRIVER,
}


def options_of(command: str) -> dict[str, Action]:
    """Return the options of a command by their longest name."""
    parser = module_of(command).make_parser()
    return {
        max(action.option_strings, key=len): action
        for action in parser._actions
        if action.option_strings
    }


EVERY = [
    (command, option)
    for command in COMMANDS
    if command not in TESTED_ELSEWHERE
    for option in options_of(command)
]


WORDS = ("ab", "bc", "cd", "\u4e16\u754c", "ef,", "fg", "gh", "ha")


def lines(*texts: object) -> str:
    return "".join(f"{text}\n" for text in texts)


def nbest_lines(rng: Random, references: list[list[str]], names: str) -> list[str]:
    found = []
    for i, reference in enumerate(references):
        for _ in range(6):
            n = rng.choice((len(reference), len(reference) - 3))
            text = " ".join(word if rng.random() < 0.7 else "x" for word in reference[:n])
            values = " ".join(f"{name}= {rng.randrange(-9, 9) / 4}" for name in names)
            found.append(f"{i} ||| {text} ||| {values}")
    return found


def hard_lists() -> dict[str, str]:
    """Return candidates of which climbs from different starts find different ones."""
    rng = Random(6)
    references = [" ".join(rng.choices("ab", k=5 + rng.randint(0, 3))) for _ in range(10)]
    found = [
        f"{i} ||| {' '.join(rng.choices('ab', k=5 + rng.randint(-2, 3)))}"
        for i in range(10)
        for _ in range(10)
    ]
    return {"hard": lines(*found), "hard.ref": lines(*references)}


def write_files(folder: Path) -> None:
    """Write all files that the cases name."""
    for name, path in (("hyp", HYP), ("ref", REF_A), ("refb", REF_B)):
        shutil.copy(path, folder / name)
    for path in (DATA / "judged").iterdir():
        shutil.copy(path, folder / path.name.replace("ref.txt", "jref").removesuffix(".txt"))
    texts = {name: (folder / name).read_text("utf-8").splitlines() for name in "ABC"}
    judged = (folder / "jref").read_text("utf-8").splitlines()
    pairs = zip(
        *((folder / name).read_text("utf-8").splitlines() for name in ("ref", "refb")), strict=True
    )
    rng = Random("options")
    references = [rng.choices(WORDS, k=8) for _ in range(24)]
    nbest = nbest_lines(rng, references, "abc")
    rows = [
        {"A": a, "B": b, "ref": ref, "gold": b, "half": str(i // 6)}
        for i, (a, b, ref) in enumerate(zip(texts["A"], texts["B"], judged, strict=True))
    ]
    human = [f"{name}\t{i}\t{rng.randrange(99)}" for name in "ABCDEF" for i in range(1, 5)]
    errors = [
        f"{name}\td\t{i}\tr\tAccuracy\t{rng.choice(['Minor', 'Major'])}"
        for name in "ABCDEF"
        for i in range(1, 13)
    ]
    content = {
        "refs.2": lines(*("\t".join(pair) for pair in pairs)),
        "tokenized": "a b c d .\n" * 120,
        "mark": "\ufeffa b c d\n",
        "comet": lines(*(i / 8 for i in range(12))),
        "jcomet": lines(*(i / 8 for i in range(12))),
        "labels": lines(*("news" if i % 2 else "chat" for i in range(12))),
        "ids": lines(*range(12, 0, -1)),
        "t.jsonl": lines(*map(json.dumps, rows)),
        "comet.tsv": lines("system\tsegment\tCOMET", *human),
        "few.tsv": lines("system\tsegment\tscore", *human),
        "mqm.tsv": lines("system\tdoc\tseg_id\trater\tcategory\tseverity", *errors),
        "nbest": lines(*nbest),
        "nhyp": lines(*(line.split(" ||| ")[1] for line in nbest[::6])),
        "nref": lines(*map(" ".join, references)),
        **hard_lists(),
        "nupper": lines(*map(str.upper, map(" ".join, references))),
        "twice": lines(*nbest, *nbest[:6]),
        "ncomet": lines(*(rng.randrange(99) / 64 for _ in nbest)),
        "documents": lines(*(i // 4 for i in range(24))),
        "w.json": json.dumps({"a_0": 0.5, "b_0": -0.25, "c_0": 0.125}),
        "big": lines("a= 5000", "b= -3000", "c= 2000"),
        "dense": lines("a= 0.5", "b= -0.25", "c= 0.125"),
        "w.sparse": lines("s_a 1.5"),
        "init.opt": lines("0.3 0.2 0.1", "0 0 0", "1 1 1"),
        "negative.opt": lines("-0.3 0.2 -0.1", "-1 -1 -1", "1 1 1"),
    }
    for name, text in content.items():
        (folder / name).write_text(text, "utf-8", newline="\n")
    for name, n in (("latin", 12), ("nlatin", 24)):
        (folder / name).write_text(lines(*(f"ab cd \xe9 {i}" for i in range(n))), "latin-1")
    write_folder(folder / "folder", judged, texts)
    for name in ("one", "two"):
        (folder / "logs" / name).mkdir(parents=True)
        samples = [
            {
                "doc_id": i,
                "target": "a b",
                "filtered_resps": ["a b" if i % 3 else name],
                "filter": "none",
                "metrics": ["acc"],
                "acc": i % 2,
            }
            for i in range(9)
        ]
        path = folder / "logs" / name / "samples_task_2026.jsonl"
        path.write_text(lines(*map(json.dumps, samples)), "utf-8")
    half = len(judged) // 2
    BLEU().stats_table(texts["A"], [judged]).save(folder / "rows.npz")
    for i, part in enumerate((slice(half), slice(half, None)), 1):
        table = BLEU().stats_table(
            texts["A"][part], [judged[part]], shard=(i, 2), first=part.start or 0
        )
        table.save(folder / f"part-{i}.npz")


def write_folder(folder: Path, references: list[str], texts: dict[str, list[str]]) -> None:
    """Write a test set in the layout of mt-metrics-eval."""
    human = lines(*(f"{name} {i % 5}" for name in texts for i in range(len(references))))
    files = {
        "references/en-de.refA.txt": lines(*references),
        "documents/en-de.docs": "news doc\n" * len(references),
        "human-scores/en-de.mqm.seg.score": human,
        "human-scores/en-de.wmt.seg.score": human,
        "metric-scores/en-de/QE-src.seg.score": human,
        "metric-scores/en-de/Other-refA.seg.score": human.replace(" 4", " 1"),
    } | {f"system-outputs/en-de/{name}.txt": lines(*own) for name, own in texts.items()}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


class TestSets:
    """The functions of sacrebleu that the command calls, with one small test set."""

    class Set(NamedTuple):
        langpairs: dict[str, list[str]]
        citation: str
        description: str

        def fieldnames(self, _: str) -> list[str]:
            return ["src", "ref"]

    __test__ = False
    DATASETS: ClassVar[dict[str, Set]] = {
        "set": Set({"de-en": [], "fr-en": []}, "@book{set}", "a set")
    }

    @staticmethod
    def get_reference_files(_: str, __: str) -> list[str]:
        return ["ref"]

    @staticmethod
    def filter_subset(columns: list[list[int]], *choice: Any) -> list[list[int]]:
        return [columns[0][: 5 if choice[2] else 7]] if choice[2] or choice[3] else columns

    @staticmethod
    def print_test_set(*words: Any) -> None:
        print(*words)

    @staticmethod
    def download_test_set(*words: str) -> None:
        print(*words)

    print_subset_results = staticmethod(lambda *_: None)
    get_available_testsets = get_available_testsets_for_langpair = staticmethod(lambda *_: ["set"])


class Observed(NamedTuple):
    """All that a user sees of a command."""

    result: Result
    files: dict[str, bytes]
    bars: list[bool]


Observe = Callable[..., Observed]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("options")
    write_files(folder)
    before = os.getcwd()
    os.chdir(folder)
    try:
        from rapidbleu.cli import main

        assert main(["extractor", "-r", "nref", "-n", "nbest", "-S", "S1", "-F", "F1"]) == 0
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def observe(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Observe:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(installed_sacrebleu, "import_peer", lambda _: TestSets)
    bars: list[bool] = []
    monkeypatch.setattr(messages.Bar, "__enter__", lambda bar: bars.append(not bar._quiet))
    kept = {*folder.rglob("*")}

    def observe(*words: str, stdin: bytes = b"") -> Observed:
        bars.clear()
        result = run(*words, stdin=stdin)
        files = {}
        for path in sorted({*folder.rglob("*")} - kept, reverse=True):
            if path.is_file():
                files[path.name] = path.read_bytes()
                path.unlink()
            else:
                path.rmdir()
        return Observed(result, files, [*bars])

    return observe


def words_of(command: str, case: str) -> tuple[list[str], list[str]]:
    """Return the words of a case without and with its option."""
    before, bar, option = case.partition("|")
    assert bar and option
    own = before.strip()
    base = own[1:] if own.startswith("=") else f"{BASES[command]} {own}"
    words = [command, *base.split()]
    return words, [*words, *option.split()]


@pytest.mark.parametrize(("command", "option"), EVERY)
def test_an_option_has_an_effect(command: str, option: str, observe: Observe, folder: Path) -> None:
    if (command, option) in REASONS:
        return
    cases = CASES[command]
    assert option in cases, f"{command} {option}: no case in support/option_cases.py"
    without, given = words_of(command, cases[option])
    names = options_of(command)[option].option_strings
    assert {*given} & {*names}
    stdin = (folder / "t.jsonl").read_bytes()
    seen, changed = observe(*without, stdin=stdin), observe(*given, stdin=stdin)
    assert changed != seen, f"rapidbleu {' '.join(given)}: nothing changes"
    assert 0 in (changed.result.status, seen.result.status) or "not supported" in changed.result.err


def test_there_are_no_superfluous_cases() -> None:
    known = {*EVERY}
    assert {(command, option) for command, own in CASES.items() for option in own} <= known
    assert COMMANDS.keys() == CASES.keys() | TESTED_ELSEWHERE


READ = {key: text for key, text in REASONS.items() if key in EVERY and text != DRIVER}


@pytest.mark.parametrize(("command", "option"), READ)
def test_an_option_without_an_effect_is_read(
    command: str, option: str, observe: Observe, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    class Recorder(Namespace):
        def __getattribute__(self, name: str) -> Any:
            if not name.startswith("_") and "given" in vars(self):  # the parser has finished
                read.append(name)
            return super().__getattribute__(name)

    monkeypatch.setattr(options, "Namespace", Recorder)
    base = "jref -i A B -pbs -n 9" if option == "--paired-jobs" else BASES[command]
    if command == "tune":
        base = "nbest -r nref --method mert"
    assert observe(command, *base.split(), option, "2").result.status == 0
    assert option.removeprefix("--").replace("-", "_") in read


# Options that have an effect in another case only.

REFUSED = [
    ("score ref -i hyp", "-n 9", "without -ci/--confidence, -par or -pbs"),
    ("score ref -i hyp", "--seed 5", "without -ci/--confidence, -par or -pbs"),
    ("score ref -i hyp -sl", "--seed 12345", "without -ci/--confidence, -par or -pbs"),
    ("compare A B -r jref", "--title X", "without --html"),
    ("compare A B -r jref --html out.html", "--examples 2", "without --show examples"),
    ("compare A B -r jref --html out.html", "--ngrams 2", "without --show ngrams"),
    ("compare A B -r jref --show scores", "--examples 2", "without --show examples"),
    ("compare A B -r jref --show words", "-n 9", "without --show scores or ranks or tests"),
    ("compare A B -r jref --show words", "--seed 5", "without --show scores or ranks or tests"),
    ("compare A B -r jref -f csv", "--correction none", "without --show ranks or tests"),
    ("compare A B -r jref -f csv", "--pairs A,B", "without --show tests or ngrams or examples"),
    ("compare A B -r jref -f csv", "--labels labels", "without --show buckets or segments"),
    ("compare A B -r jref -f csv", "--source jref", "without --show examples"),
    ("compare A B -r jref -f csv", "--baseline A", "on scores in -f csv"),
    ("compare A B -r jref -f json", "-w 3", "on -f json"),
    ("compare A B -r jref --html out.html", "-w 3", "on --html alone; add -f text or -o"),
    ("compare A B -r jref --html out.html", "-nc", "on --html alone; add -f text or -o"),
    (f"correlate {BASES['correlate']} -f tsv", "-w 3", "on -f tsv"),
    ("correlate A B -r jref --human human.tsv --fit", "-n 9", "with --fit"),
    ("correlate A B -r jref --human human.tsv --fit", "--level 0.9", "with --fit"),
    ("correlate A B -r jref --human human.tsv --fit", "--alpha 0.1", "with --fit"),
    (
        f"correlate {BASES['correlate']}",
        "--mqm-weights minor=2",
        "on --human human.tsv, whose format is table",
    ),
    (
        "correlate A B C D E F -r jref --human mqm.tsv",
        "--judge-column r",
        "on --human mqm.tsv, whose format is mqm",
    ),
    (
        "correlate A B C D E F -r jref --human mqm.tsv",
        "--score-column r",
        "on --human mqm.tsv, whose format is mqm",
    ),
    ("correlate --human few.tsv --scores score=few.tsv", "-tok char", "without -m/--metrics"),
    (
        "correlate --human few.tsv --scores score=few.tsv",
        "-l de-en",
        "on --human few.tsv, whose format is table",
    ),
    ("correlate --human few.tsv --scores score=few.tsv", "-e latin-1", "without -i/--input"),
    (
        "correlate --human few.tsv --scores score=few.tsv",
        "--first-segment 0",
        "without lines, of -i/--input",
    ),
    (f"correlate {BASES['correlate']} --ids ids", "--first-segment 0", "with --ids"),
    ("correlate --mt-metrics-eval folder -l en-de", "--score-column x", "with --mt-metrics-eval"),
    ("correlate --mt-metrics-eval folder -l en-de", "--judge-column x", "with --mt-metrics-eval"),
    ("explain --text a b", "--segment 1", "with --text"),
    ("explain --text a b", "-e latin-1", "with --text"),
    ("tune nbest -r nref", "--documents documents", "without --cross-validate"),
    ("tune nbest -r nref --cross-validate 2", "--method mira", "with --cross-validate"),
    (
        "tune nbest -r nref --restarts 0",
        "--seed 5",
        "with --method risk or --restarts 0, unless --n-runs is above 1",
    ),
    (
        "tune nbest -r nref --method risk",
        "--seed 5",
        "with --method risk or --restarts 0, unless --n-runs is above 1",
    ),
    ("tune saved.npz", "-e latin-1", "without references, --scores and --documents"),
    ("rerank nbest --weights w.json", "-tok none", "without -r/--refs"),
    ("rerank nbest --weights w.json", "-e latin-1", "without -r/--refs and --scores"),
]


@pytest.mark.parametrize(("words", "option", "why"), REFUSED)
def test_options_without_an_effect_are_refused(
    words: str, option: str, why: str, observe: Observe
) -> None:
    command = words.split()[0]
    names = next(
        action.option_strings
        for action in options_of(command).values()
        if option.split()[0] in action.option_strings
    )
    message = f"{'/'.join(names)}: no effect {why}"
    seen = observe(*words.split(), *option.split())
    assert seen == Observed(Result(2, "", f"rapidbleu: {message}\n"), {}, seen.bars)


WARNED = [
    ("score ref -i hyp", "-cin 9", "without -ci/--confidence"),
    ("score ref -i hyp", "-parn 9", "without -par/--paired-ar"),
    ("score ref -i hyp", "-pbsn 9", "without -pbs/--paired-bs"),
    ("score ref -i hyp", "-j 2", "without -par or -pbs"),
    ("score ref -i hyp", "-sh", "on -f json"),
    ("score jref -i A B -sl", "-sh", "on tables of segments"),
    ("score jref -i A B -sl -f csv", "-b", "on tables of segments"),
    ("score --table t.jsonl --hyp A --ref ref --by half", "-sh", "with --by"),
    ("score --table t.jsonl --hyp A --ref ref --by half", "-b", "with --by"),
    ("score jref -i A B", "-b", "on -f json of several systems"),
    ("score jref -i A B -pbs -n 9", "-w 4", "on -f json of -par and -pbs"),
    ("score ref -i hyp -sl", "-d", "with -sl/--sentence-level"),
    ("score ref -i hyp", "--names X", "for one system on -f json"),
]


@pytest.mark.parametrize(("words", "option", "why"), WARNED)
def test_options_that_sacrebleu_ignores_are_warned_about(
    words: str, option: str, why: str, observe: Observe
) -> None:
    plain, seen = (observe(*words.split(), *own.split()) for own in ("", option))
    assert seen.result.out == plain.result.out != ""
    names = next(
        action.option_strings
        for action in options_of("score").values()
        if option.split()[0] in action.option_strings
    )
    assert seen.result.err == f"rapidbleu: {'/'.join(names)}: no effect {why}\n"
    assert not observe(*words.split(), *option.split(), "-q").result.err


def test_references_of_saved_lists_are_refused(observe: Observe) -> None:
    message = "rapidbleu: --refs: expected none, as saved.npz has statistics of some\n"
    assert observe("tune", "saved.npz", "-r", "nref").result == Result(1, "", message)


def test_a_new_option_that_nothing_reads(
    observe: Observe, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    explain: Any = module_of("explain")
    make_parser = explain.make_parser

    def with_another() -> Any:
        parser = make_parser()
        parser.add_argument("--first-line", action="store_true")
        return parser

    monkeypatch.setattr(explain, "make_parser", with_another)
    with pytest.raises(AssertionError, match="no case in"):
        test_an_option_has_an_effect("explain", "--first-line", observe, folder)
    monkeypatch.setitem(CASES["explain"], "--first-line", "| --first-line")
    with pytest.raises(AssertionError, match="nothing changes"):
        test_an_option_has_an_effect("explain", "--first-line", observe, folder)
