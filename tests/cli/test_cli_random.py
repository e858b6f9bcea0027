"""Random command lines: the exit status and the output are sacrebleu's, but for what is numbered.

The numbers are those of docs/differences.md.
"""

import json
import random
from itertools import takewhile

import pytest

from support.command_line import (
    CRASH,
    HYP,
    REF_A,
    REF_B,
    N,
    Result,
    Write,
    as_peer,
    call_ours,
    call_peer,
)

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
    """Is the output not what it should be, given sacrebleu's and the numbered differences?"""
    if theirs.status != 0 or ours.status != 0:
        return is_wrong_failure(words, theirs, ours)
    n_systems = len(systems_of(words))
    as_json = ours.out.startswith(("[", "{"))
    if as_json and n_systems > 1:  # 13
        return {entry["system"] for entry in json.loads(ours.out)} == set()
    if as_json and "-sl" in words:  # 12
        return len(json.loads(ours.out)) != N * len({*metrics_of(words)})
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
