"""The command line: sacrebleu's output byte for byte, all kinds of files, errors, exit codes."""

import bz2
import gzip
import json
import logging
import lzma
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import rapidbleu
from rapidbleu import BLEU
from rapidbleu._lib.colors import paint
from rapidbleu.cli import _finish, main
from rapidbleu.score import VERSION
from support.command_line import (
    ENVIRONMENT,
    HYP,
    REF_A,
    REF_B,
    N,
    Run,
    Terminal,
    Write,
    as_peer,
    failure,
    is_quiet,
    peer,
    run_module,
)
from support.peers import need

# The command line: sacrebleu's output byte for byte, files of all kinds, errors and exit codes.


# Equal to sacrebleu


@pytest.mark.parametrize(
    "options",
    [
        "",
        "-f text",
        "-b",
        "-b -f text -w 5",
        "-w 0",
        "--width 4 --short",
        "-f text -sh -w 3",
        "-lc -m bleu",
        "-s floor -sv 0.5 -f text",
        "--smooth-method add-k --format text",
        "-tok intl",
        "--tokenize char --lowercase -f text -sh",
        "-tok none --force -q -nc",
        "-l en-zh",
        "--language-pair en-de -f text",
        "-sl",
        "-sl -b -w 3",
        "-sl -sh -lc -s add-k -sv 2 -f text",
        "--sentence-level --score-only --quiet",
    ],
)
def test_equals_sacrebleu(options: str, run: Run) -> None:
    args = [REF_A, REF_B, "-i", HYP, *options.split()]
    ours = run(*args)
    assert is_quiet(ours)
    assert as_peer(ours.out) == peer(*args)


@pytest.mark.parametrize("options", ["", "-sh -w 3", "-w 0 -b", "-tok zh -lc"])
def test_table_of_systems_equals_sacrebleu(options: str, run: Run, write: Write) -> None:
    worse = write("wörse.txt", b"The government.\n" * N)
    args = [REF_A, "-i", HYP, worse, REF_B, REF_A, "-f", "text", *options.split()]
    ours = run(*args)
    assert ours.status == 0
    assert as_peer(ours.out) == peer(*args)


def test_short_names_of_systems(
    run: Run, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Columns are at least as wide as their titles."""
    write("a", b"x y\n"), write("b", b"x z\n")
    monkeypatch.chdir(tmp_path)
    args = ["a", "-i", "a", "b", "-f", "text", "-w", "2"]
    assert as_peer(run(*args).out) == peer(*args)


@pytest.mark.parametrize("options", ["", "-sl", "-f text"])
@pytest.mark.parametrize("wanted", ["text", "JSON", "nonsense"])
def test_format_from_the_environment(
    options: str, wanted: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    args = [REF_A, "-i", HYP, *options.split()]
    expected = peer(*args, SACREBLEU_FORMAT=wanted)
    monkeypatch.setenv("SACREBLEU_FORMAT", wanted)
    assert as_peer(run(*args).out) == expected


def test_standard_input_equals_sacrebleu(run: Run) -> None:
    hypotheses = Path(HYP).read_bytes()
    expected = peer(REF_A, stdin=hypotheses)
    assert as_peer(run(REF_A, stdin=hypotheses).out) == expected
    assert as_peer(run(REF_A, "-i", "-", stdin=hypotheses).out) == expected


def test_columns_of_references_equal_sacrebleu(run: Run, write: Write) -> None:
    lines = [Path(path).read_bytes().splitlines() for path in (REF_A, REF_B)]
    pairs = b"".join(b"%s\t%s\twith a tab \n" % pair for pair in zip(*lines, strict=True))
    args = [write("pairs.tsv", pairs), "-i", HYP, "-nr", "2"]
    ours = run(*args)
    assert json.loads(ours.out)["nrefs"] == "2"
    assert as_peer(ours.out) == peer(*args)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "cp1252"])
def test_encodings_equal_sacrebleu(encoding: str, run: Run, write: Write) -> None:
    hyp = write("hyp", "Über dem Café \x85 war’s schön.\n".encode(encoding, "replace"))
    ref = write("ref", "Über dem Café \x85 war es schön.\r\n".encode(encoding, "replace"))
    args = [ref, "-i", hyp, "-e", encoding]
    assert as_peer(run(*args).out) == peer(*args)


@pytest.mark.parametrize(
    "data",
    [
        b"a b c d\n\n  e f\t \ng\rh i\n",  # an empty segment, white space at ends, a CR inside
        b"a b c d\r\n\r\n e f\r\n\xe2\x80\xa8 g",  # CRLF, a line separator, no last line feed
        b"\xef\xbb\xbfa b c d\n\x0c\n\x1cx\n\xc2\x85y",  # a BOM, a form feed, separators
    ],
)
def test_lines_are_sacrebleus(data: bytes, run: Run, write: Write) -> None:
    args = [write("ref", b"a b c d\nx\ne f\ng h i\n"), "-i", write("hyp", data)]
    for options in (["-b", "-w", "9"], ["-sl", "-f", "text"]):
        assert as_peer(run(*args, *options).out) == peer(*args, *options)


# Different from sacrebleu


def test_segments_as_json(run: Run) -> None:
    objects = json.loads(run(REF_A, "-i", HYP, "-sl", "-f", "json", "-sh").out)
    lines = run(REF_A, "-i", HYP, "-sl").out.splitlines()
    assert len(objects) == len(lines) == N
    for entry, line in zip(objects, lines, strict=True):
        assert f"BLEU|{entry['signature']} = {entry['score']:.1f} {entry['verbose_score']}" == line
        assert entry["eff"] == "yes" and entry["version"] == VERSION
    numbers = json.loads(run(REF_A, "-i", HYP, "-sl", "-f", "json", "-b").out)
    assert numbers == [entry["score"] for entry in objects]


def test_systems_as_json(run: Run) -> None:
    systems = json.loads(run(REF_A, "-i", HYP, REF_B, "-w", "3").out)
    assert [entry.pop("system") for entry in systems] == [HYP, REF_B]
    assert systems == [json.loads(run(REF_A, "-i", path, "-w", "3").out) for path in (HYP, REF_B)]
    assert all(isinstance(entry["score"], float) for entry in systems)


def test_standard_input_is_one_system(run: Run, write: Write) -> None:
    """Tabs and carriage returns are data, not separators of systems or segments."""
    data = b"a\tb\nc\rd e\n"
    ref = write("ref", b"a b\nc d e\n")
    expected = run(ref, "-i", write("hyp", data)).out
    assert json.loads(expected)["score"] == 0.0
    assert json.loads(expected)["verbose_score"].endswith("hyp_len = 5 ref_len = 5)")
    assert run(ref, stdin=data).out == expected


def test_a_file_may_be_called_dash(
    run: Run, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("-", Path(HYP).read_bytes())
    monkeypatch.chdir(tmp_path)
    assert run("-", "-i", "-", "-b", stdin=b"x\n" * N).out == "100.0\n"


# Files


def zstd() -> Any:
    if sys.version_info >= (3, 14):
        return import_module("compression.zstd")
    return need("backports.zstd")


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: bytes(zstd().compress(data)),
}


@pytest.mark.parametrize("ending", COMPRESSIONS)
def test_compressed_files(ending: str, run: Run, write: Write) -> None:
    hyp, ref = (
        write(f"{Path(path).name}.{ending}", COMPRESSIONS[ending](Path(path).read_bytes()))
        for path in (HYP, REF_A)
    )
    assert run(ref, "-i", hyp) == run(REF_A, "-i", HYP)


@pytest.mark.parametrize("ending", COMPRESSIONS)
@pytest.mark.parametrize("damage", ["cut", "flipped", "not compressed", "empty"])
def test_damaged_files(ending: str, damage: str, run: Run, write: Write) -> None:
    data = COMPRESSIONS[ending](Path(HYP).read_bytes())
    middle = len(data) // 2
    damaged = {
        "cut": data[:middle],
        "flipped": data[:middle] + bytes(255 - byte for byte in data[middle:]),
        "not compressed": b"just text\n",
        "empty": b"",
    }
    hyp = write(f"hyp.{ending}", damaged[damage])
    assert failure(run(REF_A, "-i", hyp)).startswith(f"{hyp}: ")


def test_zstd_says_what_to_install(run: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.version_info >= (3, 14):
        pytest.skip("zstd is in the standard library")
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    path = write("hyp.zst", b"\x28\xb5\x2f\xfd")
    expected = f'{path}: reading or writing .zst files needs pip install "rapidbleu[zstd]"'
    assert failure(run(REF_A, "-i", path)) == expected
    assert failure(run(REF_A, "-i", path, "-sl")) == expected


# Errors


def test_decoding_errors_name_the_line(run: Run, write: Write) -> None:
    hyp = write("hyp", b"fine\n\nbad \xff byte\n")
    message = failure(run(REF_A, "-i", hyp))
    assert message.startswith(f"{hyp}, line 3: ") and "0xff" in message
    message = failure(run(REF_A, stdin=b"\xc3"))
    assert message.startswith("standard input, line 1: ")
    wide = write("wide", "a\nb\nc".encode("utf-16") + b"\n")
    assert failure(run(wide, "-i", HYP, "-e", "utf-16")).startswith(f"{wide}, line 3: ")
    marked = write("marked", b"\xef\xbb\xbfa\n\xff")
    assert failure(run(marked, "-i", HYP, "-e", "utf-8-sig")).startswith(f"{marked}, line 2: ")


@pytest.mark.parametrize("encoding", ["klingon", "hex"])
def test_unknown_encodings(encoding: str, run: Run) -> None:
    assert encoding in failure(run(REF_A, "-i", HYP, "-e", encoding))


@pytest.mark.parametrize("role", ["references", "systems"])
def test_unreadable_files(role: str, run: Run, tmp_path: Path) -> None:
    for path, reason in ((tmp_path / "no\nsuch", "No such file"), (tmp_path, "directory")):
        args = (str(path), "-i", HYP) if role == "references" else (REF_A, "-i", str(path))
        assert reason in failure(run(*args))


def test_different_lengths(run: Run, write: Write) -> None:
    short = write("short", b"one\ntwo\n")
    message = failure(run(REF_A, short, "-i", HYP))
    assert message == (f"numbers of segments differ: {HYP} has {N}, {REF_A} has {N}, {short} has 2")
    assert f"standard input has 1, {REF_A} has {N}" in failure(run(REF_A, stdin=b"one"))


def test_empty_input(run: Run, write: Write) -> None:
    empty = write("empty", b"")
    assert failure(run(empty, "-i", empty)) == f"{empty}: expected at least one segment; got none"
    assert failure(run(empty, "-i", empty, "-sl")) == f"{empty}: no segments"
    expected = "standard input: no segments; name the file of a system with -i/--input"
    assert failure(run(REF_A)) == expected


def test_wrong_number_of_columns(run: Run, write: Write) -> None:
    ref = write("ref", b"a\tb\tc\td\ne\tf\n")
    message = failure(run(ref, "-i", HYP, "-nr", "3"), 17)
    assert message == f"{ref}, line 2: expected 3 references separated by tabs; got 2"


def test_combinations_that_make_no_sense(run: Run) -> None:
    assert "references" in failure(run())
    assert "before -i" in failure(run("-i", HYP, REF_A))
    assert "single file" in failure(run(REF_A, REF_B, "-i", HYP, "-nr", "2"))
    assert "twice" in failure(run(REF_A, "-i", HYP, HYP))


@pytest.mark.parametrize(
    "options",
    [
        "--nonsense",
        "-w -1",
        "-nr 0",
        "--threads x",
        "-tok nonsense",
        "-m meteorite",
        "-s",
        "-i",
        "-sv x",
        "-f html",
        "-l german",
        "-cc -1",
        "--chrf-beta 2.5",
        "-cin 1",
        "-parn x",
        "-pbsn -1",
        "-j -1",
        "-pbs -par",
        "--echo",
    ],
)
def test_wrong_options(options: str, run: Run) -> None:
    failure(run(REF_A, *options.split()), 2)


def test_tokenizer_without_its_model(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for error in (FileNotFoundError("no model\nhere"), ImportError("no library")):

        def missing(*args: Any, error: Exception = error, **options: Any) -> None:
            raise error

        monkeypatch.setattr(BLEU, "__init__", missing)
        assert failure(run(REF_A, "-i", HYP)) == " ".join(str(error).split())


# Messages


def test_warnings_are_shown_once(run: Run, write: Write) -> None:
    tokenized = write("tokenized", b"It rains .\n" * 100)
    ref = write("ref", b"It rains.\n" * 100)
    shown = run(ref, "-i", tokenized, write("again", b"It rains .\n" * 100))
    assert shown.status == 0
    assert shown.err.startswith("rapidbleu: ") and shown.err.count("\n") == 1
    for options in (["-q"], ["--force"]):
        assert run(ref, "-i", tokenized, *options).err == ""
    assert logging.getLogger("rapidbleu").handlers == []


def test_version_and_help(run: Run) -> None:
    assert run("-V").out == run("--version").out == f"rapidbleu {rapidbleu.__version__}\n"
    usage = run("--help")
    assert usage.status == 0 and "-sl" in usage.out


def test_colors(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    args = [REF_A, "-i", HYP, REF_B, "-f", "text"]
    plain = run(*args).out
    monkeypatch.delenv("NO_COLOR", raising=False)

    def on_terminal(*more: str) -> str:
        terminal = Terminal()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", terminal)
            assert main([*args, *more]) == 0
        return terminal.getvalue()

    colored = on_terminal()
    assert paint("System", "cyan") in colored and paint("BLEU", "cyan") in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == plain
    assert on_terminal("-nc") == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert on_terminal() == plain


@pytest.mark.parametrize(("reason", "expected"), [("", ""), ("no 8 GiB", ": no 8 GiB")])
def test_no_memory(run: Run, reason: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise MemoryError(reason)

    monkeypatch.setattr("rapidbleu.cli.score.command.run", fail)
    assert failure(run(REF_A, "-i", HYP)) == f"not enough memory{expected}"


# The process


def test_as_a_process(write: Write) -> None:
    """Output is UTF-8 in every locale, and the exit status is main's."""
    name = write("hypothèse.txt", Path(HYP).read_bytes())
    args = [REF_A, "-i", HYP, name, "-f", "text"]
    result = run_module("rapidbleu", *args, LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert result.status == 0
    assert "╒═" in result.out and "hypothèse.txt" in result.out
    assert run_module("rapidbleu", "nowhere").status == 1
    assert run_module("rapidbleu", "-V").out.startswith("rapidbleu ")


def test_results_that_nobody_reads() -> None:
    for option in ("-sl", "-V"):
        read, written = os.pipe()
        os.close(read)
        try:
            result = run_module("rapidbleu", REF_A, "-i", HYP, option, stdout=written)
        finally:
            os.close(written)
        assert result.err == ""
        assert result.status == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_results_that_do_not_fit() -> None:
    with open("/dev/full", "wb") as full:
        result = run_module("rapidbleu", REF_A, "-i", HYP, stdout=full)
    assert failure(result) == "standard output: No space left on device"


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_interrupt() -> None:
    with subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"from rapidbleu.cli import *; print('on', flush=True); sys.exit(main([{REF_A!r}]))",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)  # it waits for hypotheses
        process.send_signal(signal.SIGINT)
        assert process.communicate() == (b"", b"")
        assert process.returncode == 130


def test_handlers_of_sigterm_stay() -> None:
    """A program's handler, handlers outside the main thread, and the default one afterwards."""

    def own(*_: object) -> None:
        """A handler that a calling program may have."""

    seen: list[Any] = []

    def look(words: list[str], out: Any) -> int:
        seen.append(signal.getsignal(signal.SIGTERM))
        return 0

    def run_command() -> None:
        assert _finish(partial(look, [])) == 0

    before = signal.signal(signal.SIGTERM, own)
    try:
        run_command()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        thread = threading.Thread(target=run_command)
        thread.start()
        thread.join()
        assert seen == [own, signal.SIG_DFL]
        run_command()
        assert callable(seen[-1])
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        with pytest.raises(SystemExit, match=r"^143$"):
            seen[-1]()
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize(
    "args", [["--help"], [REF_A, "-i", HYP, "-m", "bleu", "chrf", "ter"]], ids=["help", "scores"]
)
def test_numpy_is_not_needed(args: list[str]) -> None:
    program = (
        "import sys\nfrom rapidbleu.cli import main\n"
        f"try: main({args!r})\nexcept SystemExit: pass\n"
        "sys.exit('numpy' in sys.modules)"
    )
    command = [sys.executable, "-c", program]
    subprocess.run(command, env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)


# Tables and byte order marks where each line of a file is to be a segment.


MARK = b"\xef\xbb\xbf"
TEXT = b"A cat sat on the mat.\nIt rained, at last.\n"
ROWS = [{"hyp": "A cat sat.", "ref": "The cat sat."}, {"hyp": "It rained.", "ref": "It rains."}]
JSON_LINES = "".join(f"{json.dumps(row)}\n" for row in ROWS).encode()
TSV = b"hyp\tref\nA cat sat.\tThe cat sat.\n"
TABLES = {
    "t.jsonl": (JSON_LINES, "JSON lines"),
    "t.JSONL.gz": (gzip.compress(JSON_LINES), "JSON lines"),
    "t.ndjson": (JSON_LINES, "JSON lines"),
    "t.json": (json.dumps(ROWS, indent=1).encode(), "JSON"),
    "t.tsv": (TSV, "tab-separated values"),
    "t.csv": (TSV.replace(b"\t", b","), "comma-separated values"),
    "t.parquet": (b"PAR1" + bytes(99), "Parquet"),
    "t.arrow": (b"ARROW1\0\0" + bytes(99), "Arrow"),
    "t.ipc": (b"\xff\xff\xff\xff" + bytes(99), "Arrow"),
}
COMMANDS = {
    "compare": "compare {t} {hyp} -r {ref}",
    "compare, references": "compare {hyp} -r {t}",
    "compare, labels": "compare {hyp} -r {ref} --labels {t}",
    "compare, source": "compare {hyp} -r {ref} --source {t}",
    "oracle, references": "oracle {hyp} --n-best 1 -r {t}",
    "explain": "explain {t} {ref}",
    "explain, references": "explain {hyp} {t}",
    "correlate": "correlate --human {human} -r {ref} -i {t} {hyp}",
    "correlate, references": "correlate --human {human} -r {t} -i {hyp} {ref}",
    "stats": "stats {ref} -i {t} -o {folder}/o.npz",
    "stats, references": "stats {t} -i {hyp} -o {folder}/o.npz",
    "stats, read at once": "stats {t} -i {hyp} -o {folder}/o.npz -m nist",
    "tune": "tune {hyp} -r {t}",
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("command", COMMANDS)
def test_tables_are_refused(
    command: str, name: str, run: Run, write: Write, tmp_path: Path
) -> None:
    data, what = TABLES[name]
    path = write(name, data)
    places = {"t": path, "hyp": HYP, "ref": REF_A, "folder": tmp_path}
    rows = "".join(f"{system}\t1\t{i}\n" for i, system in enumerate(("hyp.en", "ref.en", "t")))
    places["human"] = write("human.tsv", f"system\tsegment\tscore\n{rows}".encode())
    message = failure(run(*COMMANDS[command].format(**places).split()))
    assert message.startswith(f"{path}: expected a segment on each line; got {what}")
    assert ("; --table reads tables" in message) == (name != "t.json")
    assert not (tmp_path / "o.npz").exists()


@pytest.mark.parametrize("name", [name for name in TABLES if not name.endswith(("t", "w", "c"))])
@pytest.mark.parametrize("options", ["", "-sl", "-m nist"])
def test_score_reads_tables_as_sacrebleu_does_and_warns(
    options: str, name: str, run: Run, write: Write
) -> None:
    data, what = TABLES[name]
    path, other = write(name, data), write("same.gz" if name.endswith("gz") else "same", data)
    found = run(path, "-i", path, *options.split())
    assert found.status == 0
    [line] = found.err.splitlines()
    assert line.startswith(f"rapidbleu: {path}: expected a segment on each line; got {what}")
    assert line.endswith("; its lines are scored as they are")
    assert run(path, "-i", path, "-q", *options.split()) == (0, found.out, "")
    assert run(other, "-i", other, *options.split()) == (0, found.out, "")


@pytest.mark.parametrize("name", ["text.jsonl", "text.tsv", "text.json", "text.arrow", "text"])
def test_text_may_be_called_anything(name: str, run: Run, write: Write) -> None:
    path = write(name, TEXT)
    for command in ("compare {t} -r {t}", "mbr {t} --n-best 1", "explain {t} {t}", "{t} -i {t}"):
        found = run(*command.format(t=path).split())
        assert (found.status, found.err) == (0, "")


def test_references_in_columns_are_tab_separated(run: Run, write: Write) -> None:
    refs = write("refs.tsv", b"a b c d\ta b c\nx y z w\tx\n")
    hyp = write("hyp", b"a b c d\nx y z w\n")
    for words in (["compare", hyp, "-r", refs, "-nr", "2"], [refs, "-i", hyp, "-nr", "2"]):
        found = run(*words)
        assert (found.status, found.err) == (0, "")


def test_the_way_that_messages_name(run: Run, write: Write, tmp_path: Path) -> None:
    rows = str(tmp_path / "rows.npz")
    for name in ("t.jsonl", "t.tsv"):
        path = write(name, TABLES[name][0])
        columns = ["--hyp", "hyp", "--ref", "ref"]
        assert run("stats", "--table", path, *columns, "-o", rows).status == 0
        assert json.loads(run("--stats", rows).out)["name"] == "BLEU"


# Byte order marks


@pytest.mark.parametrize(
    "command",
    [
        "{ref} -i {t}",
        "{t} -i {ref}",
        "{ref} -i {t} -sl",
        "{ref} -i {t} -m bleu nist",
        "compare {t} -r {ref}",
        "compare {ref} -r {t}",
        "mbr {t} --n-best 1",
        "oracle {t} --n-best 1 -r {ref}",
        "explain {t} {ref}",
        "stats {ref} -i {t} -o {o}.npz",
        "stats {t} -i {ref} -o {o}.npz",
    ],
)
def test_a_byte_order_mark_is_warned_of(
    command: str, run: Run, write: Write, tmp_path: Path
) -> None:
    places = {"t": write("t", MARK + TEXT), "ref": write("ref", TEXT), "o": tmp_path / "o"}
    words = command.format(**places).split()
    found = run(*words)
    assert found.status == 0
    assert found.err.startswith(
        f"rapidbleu: {places['t']}: begins with a byte order mark, which is scored as a character; "
        "-e utf-8-sig reads files without it\n"
    )
    assert found.err.count("byte order mark") == 1
    assert run(*words, "-q") == (0, found.out, "")
    assert "byte order mark" not in run(*words, "-e", "utf-8-sig").err


def test_the_score_of_a_marked_file_is_sacrebleus(run: Run, write: Write) -> None:
    marked, ref = write("t", MARK + TEXT), write("ref", TEXT)
    text, reference = (data.decode().splitlines() for data in (MARK + TEXT, TEXT))
    expected = BLEU().corpus_score(text, [reference]).score
    assert expected < 100
    with open(marked, "rb") as file:
        piped = run(ref, "-b", "-w", "8", stdin=file.read())
    assert float(run(ref, "-i", marked, "-b", "-w", "8").out) == float(piped.out)
    assert float(piped.out) == pytest.approx(expected, abs=1e-8)
    assert piped.err.startswith("rapidbleu: standard input: begins with a byte order mark")
    assert len(piped.err.splitlines()) == 1
