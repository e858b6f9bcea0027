"""``rapidbleu stats``, ``merge`` and ``score --stats`` against scoring the texts."""

import gzip
import json
import os
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rapidbleu import BLEU, CHRF, NIST, TER, StatsTable, scan
from rapidbleu.cli.options import Shard
from rapidbleu.cli.score.command import PART
from rapidbleu.rows.files import format_manifest
from support.arrow.files import WRITERS
from support.command_line import Run, Write, call_ours, failure
from support.corpora import random_corpus
from support.processes import posix_only

N = 30


def lines(texts: Iterable[str]) -> list[str]:
    return [" ".join(text.replace("\n", " ").replace("\t", " ").split(" ")[:9]) for text in texts]


HYPS, REFS = random_corpus(Random("rows on the command line"), N, kind="ascii", n_refs=2)
OTHERS = lines(text + " and so on" * (i % 3) for i, text in enumerate(HYPS))
HYPS, REFS = lines(HYPS), [[text or "." for text in lines(own)] for own in REFS]
OPTIONS = [
    "-m bleu",
    "-m bleu:smooth_method=floor,smooth_value=0.5,max_ngram_order=3 -lc -tok intl",
    "-m bleu -l en-zh",
    "-m chrf",
    "-m chrf:word_order=2,beta=1,lowercase=yes",
    "-m ter",
    "-m ter:case_sensitive=yes,normalized=yes",
    "-m cer:lowercase=yes",
    "-m cder",
    "-m character",
    "-m eed",
    "-m gecgleu",
    "-m gleu",
    "-m gtm:exponent=2",
    "-m meteor",
    "-m per:aggregate=corpus",
    "-m ribes",
    "-m rougeL:measure=recall",
    "-m skipngramf",
    "-m weightedbleu:weights=WEIGHTS",
    "-m weightedmatch:weights=WEIGHTS",
    "-m wer:lowercase=yes",
    "-m wordf",
    "-m nist",
    "-m ciderd",
]
REPORTS = [
    [],
    ["-f", "text", "-w", "3", "-sh"],
    ["-b"],
    ["-ci", "-cin", "50"],
    ["-f", "csv"],
    ["-sl"],
    ["-sl", "-f", "json"],
    ["-sl", "-b"],
    ["-sl", "-f", "csv", "-w", "5"],
]


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rapidbleu.cli.score.command.PART", PART // 200)


def encoded(texts: Iterable[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


@pytest.fixture
def files(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change to a folder with two systems, two references and weights."""
    monkeypatch.chdir(tmp_path)
    for name, texts in (("hyp", HYPS), ("other", OTHERS), ("a", REFS[0]), ("b", REFS[1])):
        write(name, encoded(texts))
    words = sorted({word for text in REFS[0] for word in text.split()})
    write("WEIGHTS", encoded(f"{word}\t{1 + i % 5}" for i, word in enumerate(words)))


def ok(run: Run, *args: str, stdin: bytes = b"") -> str:
    result = run(*args, stdin=stdin)
    assert (result.status, result.err) == (0, ""), result
    return result.out


def of_texts(text: str) -> str:
    """Return the output for texts with the changes expected for rows, such as information."""
    return re.sub(r'(info(:|": "))\d+-[0-9a-f]{8}', r"\1refs", text)


@pytest.mark.parametrize("options", OPTIONS)
def test_every_metric(options: str, files: None, run: Run) -> None:
    if options == "-m meteor":
        pytest.importorskip("Stemmer")
    own = [*options.split(), "-q"]
    for system in ("hyp", "other"):
        ok(run, "stats", "a", "b", "-i", system, "-o", f"{system}.npz", *own)
    for report in REPORTS:
        expected = ok(run, "a", "b", "-i", "hyp", *own, *report)
        found = ok(run, "score", "--stats", "hyp.npz", "--names", "hyp", "-q", *report)
        assert found == of_texts(expected), report
    both = ["-i", "hyp", "other"]
    reports = [
        [],
        ["-pbs", "-pbsn", "20"],
        ["-par", "-parn", "20", "-f", "csv"],
        ["-sl"],
        ["-pbs", "-pbsn", "20", "--all-pairs", "-f", "json"],
        ["-f", "latex"],
    ]
    for report in reports:
        expected = ok(run, "a", "b", *both, *own, *report)
        rows = ["--stats", "hyp.npz", "other.npz", "--names", "hyp", "other", "-q"]
        assert ok(run, *rows, *report) == of_texts(expected), report


@pytest.mark.parametrize("of", [1, 2, 7, N + 1])
@pytest.mark.parametrize("options", ["-m bleu", "-m chrf --threads 2", "-m ter", "-m bleu -nr 2"])
def test_shards_are_merged(options: str, of: int, files: None, run: Run, write: Write) -> None:
    write("both", encoded(f"{a}\t{b}" for a, b in zip(*REFS, strict=True)))
    own = [*(["both"] if "-nr" in options else ["a", "b"]), *options.split(), "-i", "hyp"]
    parts = []
    for i in range(of, 0, -1):
        parts.append(f"{i}.npz")
        ok(run, "stats", *own, "--shard", f"{i}/{of}", "-o", parts[-1])
        begin, end = Shard(i, of).range(N)
        table = StatsTable.load(parts[-1])
        assert table["id"].tolist() == [*range(begin, end)]
        assert table.shard == (None if of == 1 else (i, of))
        score = run(*own, "--shard", f"{i}/{of}", "-w", "9")
        if begin == end:
            problem = f"--shard {i}/{of}: expected at least one segment; got none"
            assert failure(score) == problem
            problem = f"{i}.npz: expected at least one segment; got none"
            assert failure(run("--stats", f"{i}.npz")) == problem
            continue
        assert ok(run, "--stats", f"{i}.npz", "-w", "9") == score.out
        assert ("shard" in json.loads(score.out)) == (of > 1)
        report = ["-sl", "-f", "csv"]
        assert ok(run, "--stats", f"{i}.npz", *report).splitlines()[1].startswith(f"{begin + 1},")
        expected = ok(run, *own, "--shard", f"{i}/{of}", *report)
        assert ok(run, "--stats", f"{i}.npz", *report) == expected
    ok(run, "merge", *parts, "-o", "all.npz")
    ok(run, "stats", *own, "-o", "whole.npz")
    assert ok(run, "--stats", "all.npz") == ok(run, *own)
    merged, whole = StatsTable.load("all.npz"), StatsTable.load("whole.npz")
    assert merged.table == whole.table and merged.inputs == whole.inputs
    assert merged.merged == (() if of == 1 else tuple((i, of) for i in range(1, of + 1)))
    assert whole.inputs == ("hyp", *own[: own.index("-m")])


@pytest.mark.parametrize(
    ("name", "output"),
    [*((name, "o.npz") for name in WRITERS), ("t.tsv", "o.parquet"), ("t.parquet", "o.arrow")],
)
def test_tables(name: str, output: str, run: Run, tmp_path: Path) -> None:
    if "npz" not in output:
        pytest.importorskip("pyarrow")
    columns: dict[str, Any] = {
        "mt": HYPS[:7],
        "a": REFS[0][:7],
        "b": REFS[1][:7],
        "seg": [f"s{i}" for i in range(7)],
        "lang": [("de", "cs")[i % 2] for i in range(7)],
        "year": [1900 + i for i in range(7)],
    }
    path, more = WRITERS[name](tmp_path / f"1{name}", columns), {}
    for column, items in columns.items():
        more[column] = [f"{item}x" if column == "seg" else item for item in items[:3]]
    tables = [str(path), str(WRITERS[name](tmp_path / f"2{name}", more))]
    read: list[str] = [
        "--hyp",
        "mt",
        "--ref",
        "a",
        "b",
        "--id-column",
        "seg",
        "--keep",
        "lang",
        "year",
    ]
    target = str(tmp_path / output)
    expected = CHRF().stats_table(scan(tables, "mt", ["a", "b"], "seg", ["lang", "year"]))
    ok(run, "stats", "--table", *tables, *read, "-m", "chrf", "-o", target)
    parts = [str(tmp_path / f"{i}{output}") for i in range(12)]
    for of in (3, 12):
        for i in range(1, of + 1):
            shard = ["--shard", f"{i}/{of}"]
            ok(run, "stats", "--table", *tables, *read, "-m", "chrf", "-o", parts[i - 1], *shard)
        ok(run, "merge", *parts[:of], "-o", str(tmp_path / f"all{of}{output}"))
    for found in (target, tmp_path / f"all3{output}", tmp_path / f"all12{output}"):
        table = StatsTable.load(found)
        assert table.table == expected.table and table.types == expected.types
        assert table.signature == expected.signature and table.inputs == tuple(tables)
    by = json.loads(ok(run, "--stats", target, "--by", "lang", "-w", "12", "-f", "json"))
    assert "system" not in by
    scores = expected.score(by="lang")
    assert {entry["group"]["lang"]: entry["score"] for entry in by["groups"]} == {
        value: round(score.score, 12) for value, score in scores.items()
    }
    assert by["macro"] == round(fmean(score.score for score in scores.values()), 12)
    assert by["score"] == round(expected.score().score, 12)


def test_one_column_of_references(run: Run, tmp_path: Path) -> None:
    """Lists and texts, also with more shards than segments."""
    both = [list(own) for own in zip(*REFS, strict=True)]
    refs = [own[: 1 + i % 2] for i, own in enumerate(both)]
    for name, own in (("lists", refs), ("pairs", both), ("texts", REFS[0])):
        path = str(WRITERS["t.jsonl"](tmp_path / f"{name}.jsonl", {"hyp": HYPS, "ref": own}))
        out = [str(tmp_path / f"{name}{i}.npz") for i in range(N + 3)]
        ok(run, "stats", "--table", path, "--ref", "ref", "-o", out[0], "-m", "ter")
        expected = TER().stats_table(scan(path))
        table = StatsTable.load(out[0])
        assert table.rows.tolist() == expected.rows.tolist()
        assert table.signature == expected.signature
        of = 4 if name == "lists" else N + 2
        for i in range(1, of + 1):
            shard = ["--shard", f"{i}/{of}"]
            ok(run, "stats", "--table", path, "--ref", "ref", "-o", out[i], "-m", "ter", *shard)
        ok(run, "merge", *out[1 : of + 1], "-o", str(tmp_path / "all.npz"))
        merged = StatsTable.load(tmp_path / "all.npz")
        assert merged.table == table.table and merged.signature == expected.signature


def test_inputs_that_are_read_whole(files: None, run: Run, write: Write) -> None:
    """Standard input, other encodings, several references per line, and their shards."""
    write("hyp.16", "".join(f"{text}\n" for text in HYPS).encode("utf-16"))
    write("a.16", "".join(f"{text}\n" for text in REFS[0]).encode("utf-16"))
    write("hyp.gz", gzip.compress(encoded(HYPS)))
    ok(run, "stats", "a", "-i", "hyp", "-o", "plain.npz", "--shard", "2/4")
    plain = StatsTable.load("plain.npz").table
    shard = ["--shard", "2/4", "-o", "o.npz"]
    ways = [["a"], ["a", "-i", "hyp.gz"], ["a", "-i", "-"]]
    for args in (*ways, ["a.16", "-i", "hyp.16", "-e", "utf-16"]):
        ok(run, "stats", *args, *shard, stdin=encoded(HYPS))
        assert StatsTable.load("o.npz").table == plain
    score = ["--shard", "2/4", "-f", "text"]
    expected = ok(run, "a", "-i", "hyp", *score)
    assert expected == ok(run, "a", *score, stdin=encoded(HYPS))
    assert expected == ok(run, "a.16", "-i", "hyp.16", "-e", "utf-16", *score)
    assert "|shard:2/4|version:" in expected
    both = ok(run, "a", "-i", "hyp", "other", "-m", "bleu", "chrf", "--shard", "2/4", "-w", "9")
    for entry, (metric, hyps) in zip(
        json.loads(both),
        [(BLEU(), HYPS), (CHRF(), HYPS), (BLEU(), OTHERS), (CHRF(), OTHERS)],
        strict=True,
    ):
        begin, end = Shard(2, 4).range(N)
        score_of_part: Any = metric.corpus_score(hyps[begin:end], [REFS[0][begin:end]])
        assert entry["score"] == round(score_of_part.score, 9) and entry["shard"] == "2/4"


def test_segments_of_shards_keep_their_numbers(files: None, run: Run) -> None:
    report = ["-sl", "-f", "json", "--shard", "2/3"]
    entries = json.loads(ok(run, "a", "-i", "hyp", "other", *report))
    assert [entry["segment"] for entry in entries[::2]] == [*range(11, 21)]


def test_systems_without_a_difference(files: None, run: Run) -> None:
    """Equal rows do not imply equal outputs."""
    tests = [["-pbs", "-pbsn", "30"], ["-par", "-parn", "30", "--all-pairs"]]
    Path("copy").write_bytes(Path("hyp").read_bytes())
    for system in ("hyp", "copy"):
        ok(run, "stats", "a", "-i", system, "-o", f"{system}.npz")
    for test in tests:
        expected = ok(run, "a", "-i", "hyp", "copy", *test, "-f", "csv")
        rows = ["--stats", "hyp.npz", "copy.npz", "--names", "hyp", "copy"]
        found = ok(run, *rows, *test, "-f", "csv")
        assert ",outputs" in expected and found == expected.replace(",outputs", ",statistics")


def test_signatures_of_files(files: None, run: Run) -> None:
    """They contain the version that wrote the rows, and the shard unless it is complete."""
    table = BLEU().stats_table(HYPS, REFS, shard=(1, 1))
    table.save("one.npz")
    assert json.loads(ok(run, "--stats", "one.npz"))["signature"] == table.signature
    entries = json.loads(Path("one.npz.json").read_text(encoding="utf-8"))
    del entries["rapidbleu_stats"], entries["checksum"]
    version = f"rapidbleu.{entries['library']}"
    entries["library"] = "0.0.7"
    entries["signature"] = entries["signature"].replace(version, "rapidbleu.0.0.7")
    Path("one.npz.json").write_bytes(format_manifest(entries))
    for report in ([], ["-sl", "-f", "json"], ["-ci", "-cin", "9"]):
        assert "+rapidbleu.0.0.7" in ok(run, "--stats", "one.npz", *report)


def test_the_information_of_all_references_weighs_in_each_shard(files: None, run: Run) -> None:
    out = ok(run, "a", "-i", "hyp", "-m", "nist", "--shard", "2/3", "-w", "9")
    metric = NIST(information=[REFS[0]])
    expected = metric.corpus_score(HYPS[10:20], [REFS[0][10:20]]).score
    assert json.loads(out)["score"] == round(expected, 9)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 40), st.integers(1, 9), st.integers(0, 9), st.sampled_from(["-sl", "-sl -b"]))
def test_segments_of_shards_follow_each_other(n: int, of: int, seed: int, form: str) -> None:
    hyps, [refs] = random_corpus(Random(seed), n, kind="ascii", n_refs=1)
    with tempfile.TemporaryDirectory() as folder:
        hyp, ref = os.path.join(folder, "hyp"), os.path.join(folder, "ref")
        Path(hyp).write_bytes(encoded(lines(hyps)))
        Path(ref).write_bytes(encoded(lines(refs)))
        args = [ref, "-i", hyp, *form.split(), "-w", "9"]
        whole = call_ours(*args)
        parts = [call_ours(*args, "--shard", f"{i}/{of}") for i in range(1, of + 1)]
    texts = [part.out.replace(f"|shard:{i}/{of}", "") for i, part in enumerate(parts, 1)]
    assert "".join(texts) == whole.out
    assert [part.status for part in parts] == [
        int(Shard(i, of).range(n)[0] == Shard(i, of).range(n)[1]) for i in range(1, of + 1)
    ]


# Values of a column


def test_forms_of_values(files: None, run: Run) -> None:
    keep = {"lang": [("de", "a b", None)[i % 3] for i in range(N)], "n": [i % 2 for i in range(N)]}
    tables = {}
    for name, hyps in (("one", HYPS), ("two", OTHERS)):
        tables[name] = TER().stats_table(hyps, REFS, keep=keep)
        tables[name].save(f"{name}.npz")
    one, two = (tables[name].score(by="lang") for name in ("one", "two"))
    macros = [fmean(score.score for score in own.values()) for own in (one, two)]
    micros = [tables[name].score().score for name in ("one", "two")]
    rows = ["--stats", "one.npz", "--by", "lang"]
    in_order = ("a b", "de", None)
    assert ok(run, *rows, "-f", "csv", "-w", "2").splitlines() == [
        "lang,n_segments,ter",
        *(f"{x or ''},10,{one[x].score:.2f}" for x in in_order),
        f"(macro),30,{macros[0]:.2f}",
        f"(micro),30,{micros[0]:.2f}",
    ]
    lines = ok(run, *rows, "-f", "text").splitlines()
    assert lines[2].split() == ["de", "10", f"{one['de'].score:.1f}"]
    assert ok(run, *rows).splitlines() == lines
    assert "| a b     |" in ok(run, *rows, "-f", "markdown")
    assert r"\begin{tabular}" in ok(run, *rows, "-f", "latex")
    both = ["--stats", "one.npz", "two.npz", "--names", "A", "B", "--by", "lang"]
    expected = ["lang\tn_segments\ta_ter\tb_ter"] + [
        f"{x or ''}\t10\t{one[x].score:.1f}\t{two[x].score:.1f}" for x in in_order
    ]
    expected.append(f"(macro)\t30\t{macros[0]:.1f}\t{macros[1]:.1f}")
    expected.append(f"(micro)\t30\t{micros[0]:.1f}\t{micros[1]:.1f}")
    assert ok(run, *both, "-f", "tsv").splitlines() == expected
    entries = json.loads(ok(run, *both, "-f", "json"))
    assert [entry["system"] for entry in entries] == ["A", "B"]
    for entry in entries:
        assert [own["group"]["lang"] for own in entry["groups"]] == list(in_order)
    assert entries[0]["signature"] == tables["one"].signature
    by_n = json.loads(ok(run, *rows[:-1], "n", "lang", "-f", "json"))["groups"]
    assert [own["group"]["n"] for own in by_n] == [0, 0, 0, 1, 1, 1]
    assert by_n[3]["group"] == {"n": 1, "lang": "a b"} and by_n[3]["n_segments"] == 5
    message = "one.npz: --by: expected one of the columns id, lang, n; got 'edits'"
    assert failure(run(*rows[:-1], "edits")) == message
    keep["lang"][4] = "xx"
    CHRF().stats_table(OTHERS, REFS).save("chrf.npz")
    TER().stats_table(OTHERS, REFS, keep=keep).save("two.npz")
    message = "two.npz, row 4, column 'lang': expected 'a b', as one.npz has; got 'xx'"
    assert failure(run(*both)) == message
    for option in ("-ci", "-sl"):
        message = "--by: scores only, without -sl, -ci, -par, -pbs and --scores"
        assert failure(run(*rows, option)) == message


# What is refused


def test_systems_that_do_not_go_together(files: None, run: Run) -> None:
    bleu = BLEU()
    ids = [f"s{i}" for i in range(N)]
    bleu.stats_table(HYPS, REFS).save("one.npz")
    bleu.stats_table(HYPS, REFS, ids=ids).save("ids.npz")
    bleu.stats_table(HYPS, REFS, first=7).save("first.npz")
    bleu.stats_table(HYPS, REFS[:1]).save("fewer.npz")
    bleu.stats_table(HYPS[:-1], [own[:-1] for own in REFS]).save("short.npz")
    bleu.stats_table(HYPS, REFS, shard=(1, 2)).save("shard.npz")
    BLEU(lowercase=True).stats_table(HYPS, REFS).save("lower.npz")
    signature = bleu.stats_table(HYPS, REFS).signature
    kind = "BLEU|case:mixed|eff:no|tok:13a|smooth:exp"
    for name, message in (
        ("ids.npz", "ids.npz, row 0, column 'id': expected 0, as one.npz has; got 's0'"),
        ("first.npz", "first.npz, row 0, column 'id': expected 0, as one.npz has; got 7"),
        (
            "fewer.npz",
            f"fewer.npz: expected rows of {signature}, as one.npz has; got "
            f"{signature.replace('nrefs:2', 'nrefs:1')}",
        ),
        ("short.npz", "numbers of segments differ: one.npz has 30, short.npz has 29"),
        ("shard.npz", "shard.npz: expected all segments, as one.npz is; got shard 1 of 2"),
        ("lower.npz", f"lower.npz: expected {kind}; got {kind.replace('mixed', 'lc')}"),
        (
            "one.npz",
            "one.npz: given twice; systems are told apart by their file names, or by --names",
        ),
        ("nowhere.npz", "nowhere.npz: No such file or directory"),
        ("hyp", "hyp: expected a name with the ending .npz, .parquet, .arrow, .ipc or .feather"),
    ):
        assert failure(run("--stats", "one.npz", name)) == message
    BLEU(tokenize=str.split).stats_table(HYPS, REFS).save("own.npz")
    assert failure(run("--stats", "own.npz")) == (
        "own.npz.json: expected metric=, a BLEU with the same tokenize, which a file cannot hold; "
        "got none"
    )


def test_options_that_do_not_go_together(files: None, run: Run) -> None:
    says = "not with --stats, whose files say what was scored, and how"
    for args, message in (
        (["-m", "bleu"], f"-m/--metrics: {says}"),
        (["-lc"], f"-lc/--lowercase: {says}"),
        (["-i", "hyp"], f"-i/--input: {says}"),
        (["--ter-no-punct"], f"--ter-no-punct: {says}"),
        (["--shard", "1/1"], f"--shard: {says}"),
        (["-nr", "1"], f"-nr/--num-refs: {says}"),
        (["--scores", "A=a"], f"--scores: {says}"),
        (["-d"], f"-d/--detail: {says}"),
        (["-t", "wmt17"], f"-t/--test-set: {says}"),
    ):
        result = run("--stats", "hyp.npz", *args)
        assert failure(result, 2) == f"{message} (see rapidbleu --help)"
    result = run("score", "a", "--stats", "hyp.npz")
    message = "--stats: expected no references, whose rows are there; got a"
    assert failure(result, 2) == f"{message} (see rapidbleu score --help)"
    message = "--by: expected --table or --stats, whose files have columns"
    assert failure(run("a", "--by", "x"), 2) == f"{message} (see rapidbleu --help)"
    message = "-d/--detail scores parts of a whole test set, not of a --shard"
    assert failure(run("a", "-i", "hyp", "-d", "--shard", "1/2")) == message
    assert ok(run, "score", "a", "-i", "hyp") == ok(run, "a", "-i", "hyp")
    assert ok(run, "a", "-i", "hyp", "-f", "text", "--sh").startswith("BLEU|#:1|")


def test_what_stats_refuses(files: None, run: Run, write: Write, tmp_path: Path) -> None:
    before = sorted(os.listdir(tmp_path))
    texts = ["stats", "a", "-i", "hyp", "-o", "o.npz"]
    write("short", encoded(HYPS[:-1]))
    write("t.tsv", b"hyp\tref\na\tb\n")
    for args, message in (
        ([*texts, "-m", "bleu", "ter"], "-m/--metrics: expected one metric; got bleu, ter"),
        (
            [*texts, "-m", "nist", "--shard", "1/2"],
            "--shard: expected a metric whose rows add up; got nist: all references together weigh "
            "its n-grams",
        ),
        (
            ["stats", "a", "b", "-nr", "2", "-i", "hyp", "-o", "o.npz"],
            "-nr/--num-refs splits a single file of references; got 2 files",
        ),
        (
            ["stats", "a", "-i", "short", "-o", "o.npz"],
            "numbers of segments differ: short has 29, a has 30",
        ),
        (
            ["stats", "a", "-i", "short", "-o", "o.npz", "--shard", "1/2"],
            "numbers of segments differ: short has 29, a has 30",
        ),
        (
            [*texts[:-1], "o.csv"],
            "o.csv: expected a name with the ending .npz, .parquet, .arrow, .ipc or .feather",
        ),
        (
            ["stats", "nowhere", "-i", "nowhere", "-o", "o.csv", "--shard", "1/2"],
            "o.csv: expected a name with the ending .npz, .parquet, .arrow, .ipc or .feather",
        ),
        (["stats", "nowhere", "-i", "hyp", "-o", "o.npz"], "nowhere: No such file or directory"),
        (
            ["stats", "--table", "t.xls", "--ref", "ref", "-o", "o.npz"],
            "t.xls: expected a file that ends in one of .parquet, .arrow, .ipc, .feather, .tsv, "
            ".csv, .jsonl, .ndjson",
        ),
        (
            ["stats", "--table", "t.tsv", "--ref", "x", "-o", "o.npz"],
            "t.tsv: expected one column 'x'; got 'hyp', 'ref'",
        ),
        (
            ["stats", "--table", "t.tsv", "--ref", "ref", "--keep", "hyp_len", "-o", "o.npz"],
            "keep: expected other names than id and the statistics; got 'hyp_len'",
        ),
    ):
        assert failure(run(*args)) == message, args
    of_tables = "a column of --table; files are for -i/--input and -r/--refs"
    of_files = "not with --table, whose columns --hyp and --ref name"
    table = ["stats", "--table", "t.tsv", "-o", "o.npz"]
    for args, message in (
        ([*texts, "--hyp", "x"], f"--hyp: {of_tables}"),
        ([*texts, "--keep", "x"], f"--keep: {of_tables}"),
        ([*texts, "--id-column", "x"], f"--id-column: {of_tables}"),
        ([*texts, "--ref", "x"], f"--ref: {of_tables}"),
        ([*table, "-r", "a"], f"-r/--refs: {of_files}"),
        ([*table, "-i", "a"], f"-i/--input: {of_files}"),
        ([*table, "-nr", "2"], f"-nr/--num-refs: {of_files}"),
        ([*table, "-e", "latin-1"], f"-e/--encoding: {of_files}"),
        (["stats", "a"], "the following arguments are required: -o/--output"),
    ):
        assert failure(run(*args), 2) == f"{message} (see rapidbleu stats --help)"
    os.rename("a", "a.npz")
    message = "-o/--output: expected another file than a.npz"
    assert failure(run("stats", "a.npz", "-i", "hyp", "-o", "a.npz")) == message
    os.rename("a.npz", "a.npz.json")
    message = "-o/--output: expected another file than a.npz.json"
    assert failure(run("stats", "a.npz.json", "-i", "hyp", "-o", "a.npz")) == message
    os.rename("a.npz.json", "a")
    assert sorted(os.listdir(tmp_path)) == sorted([*before, "short", "t.tsv"])


@posix_only
def test_pipes_have_no_shards(run: Run, tmp_path: Path) -> None:
    pipe = str(tmp_path / "pipe.tsv")
    os.mkfifo(pipe)
    result = run(
        "stats", "--table", pipe, "--ref", "r", "--shard", "1/2", "-o", str(tmp_path / "o.npz")
    )
    message = f"--shard: expected files that can be read twice; got {pipe}"
    assert failure(result) == message


BROKEN = {
    "null": (
        {"hyp": [*HYPS[:23], None, *HYPS[24:]]},
        {
            "parquet": "row group 1, row 3, column 'hyp': expected str; got null",
            "arrow": "row 23, column 'hyp': expected str; got null",
            "jsonl": "line 24, column 'hyp': expected str; got None",
        },
    ),
    "type": (
        {"hyp": list(range(N))},
        {
            "parquet": "row group 0, column 'hyp': expected an Arrow column of strings",
            "arrow": "column 'hyp': expected an Arrow column of strings; got format 'l'",
            "jsonl": "line 1, column 'hyp': expected str; got int",
        },
    ),
}


@pytest.mark.parametrize("ending", ["parquet", "arrow", "jsonl"])
@pytest.mark.parametrize("kind", BROKEN)
def test_places_of_bad_input(kind: str, ending: str, run: Run, tmp_path: Path) -> None:
    columns, messages = BROKEN[kind]
    path = WRITERS[f"t.{ending}"](tmp_path / f"t.{ending}", {"ref": REFS[0], **columns})
    args = ["stats", "--table", str(path), "--ref", "ref", "-o", str(tmp_path / "o.npz")]
    message = failure(run(*args))
    assert message.startswith(str(path)) and messages[ending] in message
    assert failure(run(*args, "--shard", "3/3" if kind == "null" else "1/3")).startswith(
        message.partition("column")[0]
    )
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.ipc", "t.jsonl.gz", "hyp.gz"])
def test_files_that_are_cut_off(name: str, run: Run, write: Write, tmp_path: Path) -> None:
    if name == "hyp.gz":
        ref = write("ref", encoded(REFS[0]))
        path = Path(write(name, gzip.compress(encoded(HYPS))))
        args = ["stats", ref, "-i", str(path)]
    else:
        path = WRITERS[name](tmp_path / name, {"hyp": HYPS, "ref": REFS[0]})
        args = ["stats", "--table", str(path), "--ref", "ref"]
    path.write_bytes(path.read_bytes()[: -9 - 20 * (name == "t.ipc")])
    (tmp_path / "o.npz").write_bytes(b"what was there")
    before = sorted(os.listdir(tmp_path))
    for shard in ([], ["--shard", "2/3"]):
        message = failure(run(*args, *shard, "-o", str(tmp_path / "o.npz")))
        assert message.startswith(f"{path}: ")
        assert sorted(os.listdir(tmp_path)) == before
        assert (tmp_path / "o.npz").read_bytes() == b"what was there"
