"""``--shard I/N``: parts of the work, whose concatenated outputs equal the whole output."""

import json
import os
import tempfile
from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rapidbleu import select_oracle
from rapidbleu.cli.options import Shard, shard
from support.command_line import Run, Write, call_ours, candidate_files, failure
from support.processes import posix_only

COUNT = st.integers(1, 10**9)


@given(COUNT, COUNT)
def test_shards_are_written_as_they_are_read(a: int, b: int) -> None:
    number, of = sorted((a, b))
    text = f"{number}/{of}"
    assert shard(text) == Shard(number, of) if of < 10**9 else True
    assert str(Shard(number, of)) == text


@given(st.integers(0, 10**6), st.integers(1, 200))
def test_ranges_follow_each_other(n: int, of: int) -> None:
    """From the first segment to the last, with sizes that differ by at most one."""
    ranges = [Shard(number, of).range(n) for number in range(1, of + 1)]
    assert [begin for begin, _ in ranges] == [0, *(end for _, end in ranges[:-1])]
    assert ranges[-1][1] == n
    assert {end - begin for begin, end in ranges} <= {n // of, n // of + 1}


@pytest.mark.parametrize(
    "text",
    [
        "0/4",
        "5/4",
        "a/b",
        "3",
        "",
        "/",
        "1/",
        "/2",
        "1/0",
        "0/0",
        "-1/4",
        "1/-4",
        "+1/4",
        " 1/4",
        "1/4\n",
        "1/4/8",
        "1.0/4",
        "1_0/20",
        "\u0661/\u0664",
        "1/1000000000",
        "1/" + "9" * 5000,
        "9" * 5000 + "/1",
        "\u0661/4",
        "1/\u0664",
    ],
)
def test_what_is_no_shard(text: str, run: Run) -> None:
    with pytest.raises(ArgumentTypeError):
        shard(text)
    for command in (["mbr", "f"], ["oracle", "f", "-r", "r"]):
        status, out, err = run(*command, f"--shard={text}")
        assert (status, out) == (2, "")
        shown = f"argument --shard: expected I/N, from 1/N to N/N, such as 3/8; got {text!r}"
        assert err == f"rapidbleu: {shown} (see rapidbleu {command[0]} --help)\n"


# Commands


def writer(folder: str) -> Callable[[str, bytes], str]:
    def write(name: str, data: bytes) -> str:
        path = Path(folder) / name
        path.write_bytes(data)
        return str(path)

    return write


def made(seed: int, n: int, n_each: int) -> list[list[str]]:
    rng = Random(seed)
    return [
        [" ".join(rng.choices("abcd", k=rng.randint(0, 6))) for _ in range(n_each)]
        for _ in range(n)
    ]


@settings(max_examples=30)
@given(
    st.integers(0, 10**6),
    st.integers(1, 30),
    st.integers(1, 5),
    st.integers(1, 40),
    st.sampled_from(["list", "lines", "files"]),
    st.sampled_from(["text", "tsv", "json"]),
)
def test_mbr_of_shards_is_that_of_all(
    seed: int, n: int, n_each: int, of: int, form: str, output: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        args = ["mbr", *candidate_files(writer(folder), made(seed, n, n_each))[form], "-f", output]
        if form == "files" and n_each == 1:
            args += ["--n-best", "1"]
        whole = call_ours(*args)
        parts = [call_ours(*args, "--shard", f"{i}/{of}") for i in range(1, of + 1)]
    assert {part.status for part in (whole, *parts)} == {0}
    assert {part.err for part in (whole, *parts)} == {""}
    if output == "json":
        joined = [entry for part in parts for entry in json.loads(part.out)]
        assert joined == json.loads(whole.out)
        assert len(joined) == n
    else:
        assert "".join(part.out for part in parts) == whole.out
        assert whole.out.count("\n") == n + (output == "tsv")


@settings(max_examples=10)
@given(
    st.integers(0, 10**6),
    st.integers(1, 12),
    st.integers(1, 15),
    st.sampled_from(["text", "tsv", "json"]),
)
def test_each_shard_of_an_oracle_is_a_search(seed: int, n: int, of: int, output: str) -> None:
    groups = made(seed, n, 4)
    references = [group[0][1:].rstrip() for group in made(seed + 1, n, 1)]
    with tempfile.TemporaryDirectory() as folder:
        write = writer(folder)
        ref = write("ref", "".join(f"{line}\n" for line in references).encode())
        args = ["oracle", *candidate_files(write, groups)["list"], "-r", ref, "-f", output]
        parts = [call_ours(*args, "--shard", f"{i}/{of}") for i in range(1, of + 1)]
        joined = "".join(part.out for part in parts)
    expected = []
    for i, part in enumerate(parts, 1):
        begin, end = Shard(i, of).range(n)
        assert part.status == 0
        if begin == end:
            assert part.err == ""
            if output == "json":
                nothing = {"name": None, "score": None, "signature": None, "segments": []}
                assert json.loads(part.out) == nothing
            continue
        found = select_oracle(groups[begin:end], [references[begin:end]])
        chosen = [
            (segment, k + 1, groups[segment - 1][k])
            for segment, k in enumerate(found.choices.tolist(), begin + 1)
        ]
        expected += chosen
        if output == "json":
            content = json.loads(part.out)
            assert content["score"] == found.score.score
            assert [tuple(entry.values()) for entry in content["segments"]] == chosen
        else:
            assert f"= {found.score.score:.2f} " in part.err
    if output == "text":
        assert joined == "".join(f"{text}\n" for *_, text in expected)
    if output == "tsv":
        rows = [("segment", "candidate", "text"), *expected]
        assert joined == "".join("{}\t{}\t{}\n".format(*row) for row in rows)


def test_the_information_of_all_references_weighs_in_each_shard(run: Run, write: Write) -> None:
    from rapidbleu import NIST

    groups = made(5, 8, 4)
    references = ["a b c", "b c d", "a", "d d a", "c b", "a b", "d", "c c a"]
    ref = write("ref", "\n".join(references).encode())
    args = [*candidate_files(write, groups)["list"], "-r", ref, "-m", "nist", "-f", "json"]
    out = run("oracle", *args, "--shard", "2/2").out
    metric = NIST(information=[references])
    assert (
        json.loads(out)["score"]
        == select_oracle(groups[4:], [references[4:]], metric=metric).score.score
    )


def test_mistakes_outside_of_the_shard_are_found(run: Run, write: Write, tmp_path: Path) -> None:
    nbest = write("nbest", b"0 ||| a\n1 ||| b\n0 ||| c\n")
    ref = write("ref", b"a\nb\n")
    for args in (["mbr", nbest], ["oracle", nbest, "-r", ref]):
        message = failure(run(*args, "--shard", "1/2", "-o", str(tmp_path / "out")))
        assert message.startswith(f"{nbest}, line 3: expected segment 1 or 2")
    assert sorted(os.listdir(tmp_path)) == ["nbest", "ref"]


def test_what_can_be_read_only_once(run: Run, write: Write) -> None:
    """Shards of mbr count first; oracle knows the number from the references."""
    message = "--shard: expected files that can be read twice; got standard input"
    data = b"0 ||| a\n1 ||| b\n"
    assert failure(run("mbr", "-", "--shard", "1/2", stdin=data)) == message
    assert run("mbr", "-", "--shard", "1/1", stdin=data).out == "a\nb\n"
    ref = write("ref", b"a\nb\n")
    assert run("oracle", "-", "-r", ref, "--shard", "2/2", "-q", stdin=data) == (0, "b\n", "")


@posix_only
def test_a_pipe_can_be_read_only_once(run: Run, tmp_path: Path) -> None:
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    message = f"--shard: expected files that can be read twice; got {pipe}"
    assert failure(run("mbr", pipe, "--shard", "1/2")) == message
