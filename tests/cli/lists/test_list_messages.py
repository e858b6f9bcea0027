"""Messages about n-best lists, their features and weights, in the words that the user typed."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from rapidbleu.cli.tune import command
from support.command_line import Run, Write, failure

N, EACH = 120, 3
NAMES = [f"f{i}" for i in range(15)]
Lines = Callable[[int], list[str]]


def texts_of(n: int) -> tuple[list[list[str]], list[str]]:
    """Hypotheses and references of segments, which end in periods that are tokens."""
    rng = Random(14)
    references = [[rng.choice("abcdefgh") for _ in range(6)] for _ in range(n)]
    hypotheses = [
        [
            " ".join([*[w if rng.random() < 0.7 else "x" for w in reference], "."])
            for _ in range(EACH)
        ]
        for reference in references
    ]
    return hypotheses, [" ".join([*reference, "."]) for reference in references]


def write_lists(write: Write, n: int = N, name: str = "nbest") -> tuple[str, str]:
    rng = Random(n)
    groups, references = texts_of(n)
    lines = []
    for i, group in enumerate(groups):
        for text in group:
            values = " ".join(f"{label}= {rng.randrange(-8, 8) / 4}" for label in NAMES)
            lines.append(f"{i} ||| {text} ||| {values}\n")
    nbest = write(name, "".join(lines).encode())
    return nbest, write(f"{name}.ref", "".join(f"{text}\n" for text in references).encode())


def write_table(write: Write, row: int, change: dict[str, object]) -> str:
    """Write n-best lists as JSON lines, with other features in one row."""
    lines = []
    for i in range(12):
        for j in range(2):
            features: dict[str, object] = {name: i - j for name in NAMES}
            if len(lines) == row:
                features |= change
                features = {name: value for name, value in features.items() if value is not None}
            lines.append(json.dumps({"id": i, "hyp": "a b c d"[j:], "features": features}))
    return write("t.jsonl", "".join(f"{line}\n" for line in lines).encode())


# Row 14: tokenized periods.


@pytest.fixture
def lists(write: Write) -> tuple[str, str]:
    return write_lists(write)


WORDS = {
    "tune": "tune {nbest} -r {refs} --restarts 0 -o {folder}/w.json",
    "oracle": "oracle {nbest} -r {refs}",
    "rerank": "rerank {nbest} -r {refs} --weights {weights}",
    "stats": "stats {refs} -i {refs} -o {folder}/a.npz",
}


@pytest.mark.parametrize("command", WORDS)
def test_no_warning_where_no_tokenizer_was_chosen(
    command: str, lists: tuple[str, str], run: Run, write: Write, tmp_path: Path
) -> None:
    weights = write("w", "".join(f"{name}= 1\n" for name in NAMES).encode())
    words = (
        WORDS[command]
        .format(nbest=lists[0], refs=lists[1], folder=tmp_path, weights=weights)
        .split()
    )
    warned = run(*words)
    assert warned.status == 0
    assert warned.err.count("`-m bleu:force=yes`") + warned.err.count("-m bleu:force=yes") == 1
    for options in ("-tok none", "-m bleu:tokenize=none", "-m bleu:force=yes"):
        silent = run(*words, *options.split())
        assert silent.status == 0 and "period" not in silent.err


# Row 23: the references of other segments.


def test_best_bleu_below_1(run: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    nbest, refs = write_lists(write, 12)
    other = write("other.ref", b"n o p q r s t\n" * 12)
    words = ["tune", nbest, "--restarts", "0", "-tok", "none"]
    note = "even with the best weights. Do the references of {} belong to other segments?"
    for refs_option, test in (("-r", []), ("-tr", ["-t", nbest, "-r", refs])):
        found = run(*words, *test, refs_option, other)
        name = "-r/--refs" if refs_option == "-r" else "-tr/--test-refs"
        assert found.status == 0
        assert note.format(name) in found.err and f"rapidbleu: {nbest}: BLEU is 0" in found.err
        assert found.err.count("even with") == 1
    long = write("long.ref", Path(refs).read_bytes().replace(b"\n", b" z" * 60 + b"\n"))
    methods = {"start": [1 / 15] * 15, "mira": "mira"}
    monkeypatch.setattr(command, "methods_of", lambda *_: methods)
    found = run("tune", nbest, "-tok", "none", "-r", long, "--cross-validate", "2")
    assert found.status == 0 and note.format("-r/--refs") in found.err
    assert not run(*words, "-r", other, "-q").err
    assert not run(*words, "-r", refs).err
    assert not run(*words[:-2], "-r", other, "-m", "chrf").err


# Row 24: the one feature that is wrong.


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"f9": "x"}, "expected a finite number as feature 'f9'; got 'x'"),
        ({"f9": None}, "expected feature 'f9', as in the first row; got none"),
        ({"g": 1}, "expected the features of the first row; got 'g' as well"),
    ],
)
def test_a_feature_of_a_table(
    change: dict[str, object], message: str, run: Run, write: Write
) -> None:
    refs = write("refs", b"a b c d\n" * 12)
    found = failure(run("tune", write_table(write, 7, change), "-r", refs))
    assert found.startswith(f"{write('t', b'')}.jsonl, line 8: {message}")
    assert "f3" not in found and len(found) < 200


def test_a_feature_without_a_weight(run: Run, write: Write, lists: tuple[str, str]) -> None:
    labels = [f"{name}_0" for name in NAMES]
    for names, message in (
        ([*labels[:9], *labels[10:]], "expected a weight of feature 'f9_0'; got none"),
        ([*labels, "g_0"], "expected weights of features only; got 'g_0'"),
        ([*labels[:9], "f9", *labels[10:]], "expected a weight of feature 'f9_0'; got 'f9'"),
    ):
        weights = write("w.json", json.dumps(dict.fromkeys(names, 1)).encode())
        assert failure(run("rerank", lists[0], "--weights", weights)) == f"{weights}: {message}"


def test_a_weight_given_twice(run: Run, write: Write, lists: tuple[str, str]) -> None:
    weights = write("w", "".join(f"{name}= 1\n" for name in NAMES).encode())
    again = write("again", b"f3= 2\n")
    message = failure(run("rerank", lists[0], "--weights", weights, again))
    assert message == f"{weights}, {again}: expected one weight of feature 'f3_0'; got two"


def test_features_of_lists_of_mert(run: Run, write: Write, tmp_path: Path) -> None:
    nbest, refs = write_lists(write, 12)
    other = write("other", Path(nbest).read_bytes().replace(b"f9=", b"g9="))
    message = failure(
        run(
            "extractor",
            "-r",
            refs,
            "-n",
            f"{nbest},{other}",
            "-F",
            str(tmp_path / "F"),
            "-S",
            str(tmp_path / "S"),
        )
    )
    assert message == "list 2, feature 10: expected f9_0, as in the first list; got g9_0"


# Row 24: Moses' weights.txt.


def test_weights_of_mert(run: Run, write: Write, lists: tuple[str, str]) -> None:
    values = [(-1) ** i * (i + 1) / 8 for i in range(len(NAMES))]
    named = write(
        "run.dense",
        "".join(f"{name}= {x}\n" for name, x in zip(NAMES, values, strict=True)).encode(),
    )
    unnamed = write("weights.txt", (" ".join(map(str, values)) + " \n").encode())
    expected = run("rerank", lists[0], "--weights", named)
    assert expected.status == 0 and not expected.err
    found = run("rerank", lists[0], "--weights", unnamed)
    assert found.out == expected.out
    note = "weights without names; taken in the order of the features"
    assert found.err == f"rapidbleu: {unnamed}: {note}\n"
    assert not run("rerank", lists[0], "--weights", unnamed, "-q").err
    started = run(
        "tune", lists[0], "-r", lists[1], "-tok", "none", "--restarts", "0", "--start", unnamed
    )
    assert started.status == 0 and note in started.err and "-0.25" in started.out
    short = write("short.txt", b"0.5 0.25\n")
    message = f"{short}: expected 15 weights, one for each dense feature; got 2"
    assert failure(run("rerank", lists[0], "--weights", short)) == message


def test_weights_of_mert_with_weights_of_sparse_features(run: Run, write: Write) -> None:
    pytest.importorskip("scipy")
    nbest = write("nbest", b"0 ||| a ||| lm= 1 w_a= 3\n0 ||| b ||| lm= 1 w_b= 1\n")
    weights = write("weights.txt", b"0.5 \n")
    sparse = write("sparse", b"w_b 9\n")
    assert run("rerank", nbest, "--weights", weights, "-q").out == "a\n"
    assert run("rerank", nbest, "--weights", weights, sparse, "-q").out == "b\n"


# Row 24: files and options as they were typed.


def test_few_segments(run: Run, write: Write) -> None:
    nbest, refs = write_lists(write, 3)
    words = "tune", nbest, "-r", refs, "-tok", "none"
    message = f"{nbest}: expected at least 10 segments; got 3"
    assert failure(run(*words)) == message
    assert failure(run(*words, "--cross-validate")) == message
    assert run(*words, "--method", "mert").status == 0


def test_options_in_messages_of_the_library(run: Run, write: Write) -> None:
    nbest, refs = write_lists(write, 12)
    words = "tune", nbest, "-r", refs, "-tok", "none"
    assert failure(run(*words, "--fixed", "g")) == "--fixed: expected names of features; got 'g'"
    all_of_them = [f"{name}_0" for name in NAMES]
    message = "--fixed: expected to leave at least one feature; got all of them"
    assert failure(run(*words, "--fixed", *all_of_them)) == message
    one = write("documents", b"a\n" * 12)
    message = f"{one}: expected at least 2 different ones; got 1"
    assert failure(run(*words, "--cross-validate", "2", "--documents", one)) == message
    same = write(
        "same", "".join(f"{i} ||| {text} ||| lm= 1\n" for i in range(12) for text in "ab").encode()
    )
    message = f"{same}: features: expected some that differ within a segment; got none"
    assert failure(run("tune", same, "-r", refs, "--method", "risk")) == message
    few = write("few", Path(nbest).read_bytes().replace(b" x", b" y"))
    message = f"{few}: expected pairs of hypotheses that differ by 5; got none in 12 segments"
    junk = write("junk", b"n o p q r s t\n" * 12)
    assert failure(run("tune", few, "-r", junk, "--method", "pro")) == message
    other = write("other", Path(nbest).read_bytes().replace(b"f9=", b"g9="))
    found = failure(run(*words, "--restarts", "0", "-t", other, "-tr", refs))
    assert found == f"{other}: names[9]: expected 'f9_0'; got 'g9_0'"
    merged = failure(run("tune", nbest, other, "-r", refs, "--restarts", "0"))
    assert merged == found
