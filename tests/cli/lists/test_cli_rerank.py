"""``rapidbleu rerank``, and scores of other programs in `tune`, `rerank` and `oracle`."""

import gzip
import json
import math
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, SegmentScores, WeightedSum, select_oracle
from rapidbleu.tuning import NBestList, mert, read_nbest
from support.command_line import Run, Write, failure

RNG = Random("rerank")
N, EACH = 12, 7
REFS = [" ".join(RNG.choices("abcdefgh", k=RNG.randint(4, 9))) for _ in range(N)]
NAMES = ("lm", "length", "other")
# Rows of segment, text, features and a score; features of few bits, so that there are ties.
Row = tuple[int, str, tuple[float, ...], float]


def rows_of(n: int = N) -> Iterator[Row]:
    for i in range(n):
        for _ in range(EACH):
            text = " ".join(w if RNG.random() < 0.7 else "x" for w in REFS[i].split())
            values = RNG.randrange(-8, 8) / 4, len(text.split()), RNG.randrange(3)
            yield i, text, values, RNG.randrange(100) / 64


ROWS = list(rows_of())
WEIGHTS = {"lm": 0.5, "length": -0.25, "other": 0.125}
MOSES_WEIGHTS = {f"{name}_0": weight for name, weight in WEIGHTS.items()}


def moses(rows: list[Row]) -> bytes:
    lines = ""
    for i, text, own, _ in rows:
        values = "".join(f" {name}= {value}" for name, value in zip(NAMES, own, strict=True))
        lines += f"{i} ||| {text} |||{values} ||| 9\n"
    return lines.encode()


def table(rows: list[Row], name: str = "{}") -> bytes:
    dicts: Iterator[dict[str, Any]] = (
        {"id": name.format(i), "hyp": text, "features": dict(zip(NAMES, own, strict=True))}
        for i, text, own, _ in rows
    )
    return "".join(f"{json.dumps(row)}\n" for row in dicts).encode()


def total(row: Row) -> float:
    return sum(WEIGHTS[name] * value for name, value in zip(NAMES, row[2], strict=True))


def ranked(rows: list[Row]) -> list[list[Row]]:
    """The hypotheses of each segment, the best first, ties in the order of the list."""
    groups: dict[int, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[0], []).append(row)
    return [sorted(groups[i], key=lambda row: -total(row)) for i in sorted(groups)]


@pytest.fixture
def files(write: Write) -> dict[str, str]:
    return {
        "moses": write("nbest", moses(ROWS)),
        "gz": write("nbest.gz", gzip.compress(moses(ROWS))),
        "jsonl": write("t.jsonl", table(ROWS)),
        "text": write("text.jsonl", table(ROWS, "doc-{}")),
        "refs": write("refs", "".join(f"{ref}\n" for ref in REFS).encode()),
        "w": write("w.json", json.dumps(WEIGHTS).encode()),
        "mw": write("mw.json", json.dumps({"weights": MOSES_WEIGHTS}).encode()),
        "dense": write("run.dense", b"lm= 0.5\nlength= -0.25\nother= 0.125\n"),
        "lines": write("lines", b"lm_0 0.5\nlength_0 -0.25\nother_0 0.125\n"),
        "scores": write("scores", "".join(f"{row[3]}\n" for row in ROWS).encode()),
    }


def before_and_after(err: str, name: str) -> list[float]:
    line = next(line for line in err.splitlines() if line.startswith(f"rapidbleu: {name}: "))
    return [float(word) for word in line.split(": ")[2].split()[::2]]


@pytest.mark.parametrize(
    ("nbest", "weights"),
    [("moses", "mw"), ("gz", "dense"), ("moses", "lines"), ("jsonl", "w"), ("text", "w")],
)
def test_best_hypotheses(nbest: str, weights: str, run: Run, files: dict[str, str]) -> None:
    words = ["rerank", files[nbest], "--weights", files[weights]]
    groups = ranked(ROWS)
    assert sum(total(own[0]) == total(own[1]) for own in groups) > 0  # ties
    expected = [own[0][1] for own in groups]
    found = run(*words)
    assert (found.status, found.err) == (0, "")
    assert found.out.splitlines() == expected
    metrics = ["-m", "bleu:force=yes", "chrf"]
    found = run(*words, "-r", files["refs"], *metrics, "-o", files["w"] + ".gz")
    assert (found.status, found.out) == (0, "")
    assert gzip.decompress(Path(files["w"] + ".gz").read_bytes()).decode().split("\n")[:-1] == (
        expected
    )
    firsts = [next(text for i, text, *_ in ROWS if i == k) for k in range(N)]
    for metric, name in ((BLEU(force=True), "BLEU"), (CHRF(), "chrF2")):
        scores = [round(metric.corpus_score(own, [REFS]).score, 4) for own in (firsts, expected)]
        assert before_and_after(found.err, name) == scores


def test_in_any_order(run: Run, write: Write, files: dict[str, str]) -> None:
    rows = ROWS[::-1]
    for name, data, weights in (("r", moses(rows), "mw"), ("r.jsonl", table(rows), "w")):
        found = run("rerank", write(name, data), "--weights", files[weights])
        assert found.out.splitlines() == [own[0][1] for own in ranked(rows)]


@pytest.mark.parametrize("k", [1, 3, 50])
def test_top(k: int, run: Run, write: Write, files: dict[str, str], tmp_path: Path) -> None:
    expected = [row for own in ranked(ROWS) for row in own[:k]]
    for name in ("jsonl", "text"):
        out = run("rerank", files[name], "--weights", files["w"], "--top", str(k)).out
        assert [json.loads(line) for line in out.splitlines()] == [
            {
                "id": i if name == "jsonl" else f"doc-{i}",
                "hyp": text,
                "features": dict(zip(NAMES, values, strict=True)),
                "score": total(row),
            }
            for row in expected
            for i, text, values, _ in [row]
        ]
        again = write("again.jsonl", out.encode())
        assert run("rerank", again, "--weights", files["w"], "--top", str(k)).out == out
    path = str(tmp_path / "top.gz")
    words = ["rerank", files["moses"], "--weights", files["mw"], "--top", str(k)]
    assert run(*words, "-o", path).out == ""
    out = run(*words).out
    assert gzip.decompress(Path(path).read_bytes()).decode() == out
    fields = [line.split(" ||| ") for line in out.splitlines()]
    assert [(int(i), text, float(score)) for i, text, _, score in fields] == [
        (row[0], row[1], total(row)) for row in expected
    ]
    assert run("rerank", path, "--weights", files["mw"], "--top", str(k)).out == out


def test_the_best_of_python(files: dict[str, str], run: Run, tmp_path: Path) -> None:
    nbest = read_nbest(files["moses"], metric=SegmentScores())
    assert nbest.hypotheses is not None
    texts = [nbest.hypotheses[i] for i in nbest.best(MOSES_WEIGHTS)]
    assert texts == [own[0][1] for own in ranked(ROWS)]
    assert nbest.evaluate(MOSES_WEIGHTS) == 0
    saved = str(tmp_path / "list.npz")
    read_nbest(files["moses"], [REFS]).save(saved)
    found = run("rerank", saved, "--weights", files["mw"])
    assert found.out.splitlines() == texts
    expected = run("rerank", files["moses"], "--weights", files["mw"], "-r", files["refs"])
    assert found.err and found == expected
    read_nbest(files["moses"], [REFS], texts=False).save(saved)
    problem = failure(run("rerank", saved, "--weights", files["mw"]))
    assert problem.endswith("expected a list with texts; got one without")


@pytest.mark.parametrize("seed", range(5))
def test_top_and_best_agree_on_any_numbers(seed: int, run: Run, write: Write) -> None:
    """To the last bit of the sums: rows whose sums are equal but for rounding."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=9).astype(np.float32)
    lines = [
        f"{i // 40} ||| t{i} ||| f= {' '.join(map(str, rng.permutation(values)))}\n"
        for i in range(2000)
    ]
    nbest = write("n", "".join(lines).encode())
    weights = write("w", b"f= 0.1\n" * 9)
    best = run("rerank", nbest, "--weights", weights).out.splitlines()
    top = run("rerank", nbest, "--weights", weights, "--top", "1").out.splitlines()
    assert best == [line.split(" ||| ")[1] for line in top]


def test_from_tune_to_rerank(files: dict[str, str], run: Run, tmp_path: Path) -> None:
    weights = str(tmp_path / "tuned.json")
    for name in ("moses", "jsonl"):
        words = [files[name], "-r", files["refs"], "-m", "bleu:force=yes"]
        assert run("tune", *words, "-o", weights, "--restarts", "2", "-q").status == 0
        tuned = json.loads(Path(weights).read_text("utf-8"))
        found = run("rerank", *words, "--weights", weights)
        assert before_and_after(found.err, "BLEU")[1] == round(tuned["score"], 4)
        nbest = read_nbest(files[name], [REFS], metric=BLEU(force=True))
        assert nbest.hypotheses is not None
        best = nbest.best(tuned["weights"])
        assert found.out.splitlines() == [nbest.hypotheses[i] for i in best]


def test_sparse_features(run: Run, write: Write) -> None:
    """A feature without a weight has 0; a weight without a feature is of no use."""
    pytest.importorskip("scipy")
    nbest = write("n", b"0 ||| a ||| lm= 1 s_a= 1\n0 ||| b ||| lm= 2 s_b= 5\n1 ||| c ||| lm= 1\n")
    dense, more = write("run.dense", b"lm= 1\n"), write("sparse", b"s_a 2\ns_z 3\n")
    assert run("rerank", nbest, "--weights", dense, more).out == "a\nc\n"
    assert run("rerank", nbest, "--weights", dense).out == "b\nc\n"
    out = run("rerank", nbest, "--weights", dense, more, "--top", "1").out
    assert out == "0 ||| a ||| lm= 1.0 s_a= 1.0 ||| 3\n1 ||| c ||| lm= 1.0 ||| 1\n"
    problem = failure(run("rerank", nbest, "--weights", more))
    assert problem.endswith("sparse: expected a weight of feature 'lm_0'; got 's_z'")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("{moses} --weights {w}", "w.json: expected a weight of feature 'lm_0'; got 'lm'"),
        ("{moses} --weights {mw} {dense}", "expected one weight of feature 'lm_0'; got two"),
        ("{jsonl} --weights {refs}", "refs, line 1: expected 'name weight'"),
        ("{jsonl} --weights no", "no: No such file"),
        ("{jsonl} {jsonl} --weights {w}", "-i/--input: expected one n-best list"),
        ("{jsonl} --weights {w} -m chrf", "t.jsonl: no references: name their files with --refs"),
        ("{jsonl} --weights {w} -o no/file", "no/file"),
        (
            "{short} --weights {mw}",
            "short: expected a line for segment 3; got no hypothesis; see --top",
        ),
        ("{short} --weights {mw} -r {refs}", "references; got none for segment 3"),
        (
            "{long} --weights {w}",
            "long.jsonl: expected a line for segment 0; got several lines; see --top",
        ),
        ("{jsonl} --weights {w} --scores A={refs}", "refs, line 1: expected a number"),
        ("{jsonl} --weights {w} --scores A={six}", "six: expected 84, a hypothesis each; got 6"),
        (
            "{jsonl} --weights {w} --scores A={scores} {six}",
            "six: expected 84, a hypothesis each; got 90",
        ),
        (
            "{jsonl} --weights {w} --scores A={scores} -r {refs}",
            "-r/--refs: expected none with --scores, unless -m is given, too",
        ),
    ],
)
def test_refusals(words: str, problem: str, run: Run, write: Write, files: dict[str, str]) -> None:
    files["short"] = write("short", moses([row for row in ROWS if row[0] != 3]))
    files["long"] = write("long.jsonl", table([(0, "a\nb", (1, 1, 1), 0)]))
    files["six"] = write("six", b"1\n" * 6)
    assert problem in failure(run("rerank", *words.format(**files).split()))


def test_several_lines_in_a_table(run: Run, write: Write, files: dict[str, str]) -> None:
    nbest = write("long.jsonl", table([(0, "a\nb", (1, 1, 1), 0)]))
    out = run("rerank", nbest, "--weights", files["w"], "--top", "1").out
    assert json.loads(out)["hyp"] == "a\nb"


# Scores of other programs


def with_scores(rows: list[Row], metric: Any) -> NBestList:
    comet = SegmentScores("COMET")
    bleu = BLEU(force=True).nbest_stats(
        [row[1] for row in rows], [REFS], offsets=[*range(0, len(rows) + 1, EACH)]
    )
    stats = comet.stats([row[3] for row in rows])
    if metric is MIXED:
        stats = np.hstack([bleu, stats])
    values = np.array([row[2] for row in rows])
    offsets = [*range(0, len(rows) + 1, EACH)]
    return NBestList(values, stats, offsets, metric=metric, names=NAMES)


MIXED = WeightedSum([BLEU(force=True), SegmentScores("COMET")], [0.5, 50])
MIXTURE = ["-m", "bleu:force=yes", "--mixture", "0.5", "50"]


@pytest.mark.parametrize("name", ["moses", "jsonl"])
def test_tune_for_scores(name: str, files: dict[str, str], run: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "out.json")
    words = ["tune", files[name], "--restarts", "2", "-q", "-o", out]
    scores = ["--scores", f"COMET={files['scores']}"]
    for metric, more in (
        (SegmentScores("COMET"), scores),
        (MIXED, [*scores, *MIXTURE, "-r", files["refs"]]),
        (WeightedSum([SegmentScores("COMET")], [-1]), [*scores, "--mixture", "-1"]),
    ):
        found = run(*words, *more)
        assert found.status == 0, found
        expected = mert(with_scores(ROWS, metric), [1 / 3] * 3, restarts=2)
        tuned = json.loads(Path(out).read_text("utf-8"))
        assert tuned["score"] == expected.score
        assert [*tuned["weights"].values()] == expected.weights.tolist()
        assert tuned["metric"] == with_scores(ROWS, metric).score([1, 1, 1]).name


def test_scores_follow_their_hypotheses(
    files: dict[str, str], write: Write, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In lists in any order, and in several files, whose scores may be in several files, too."""
    rows = [row for k in (3, 1, 0, 2, 6, 5, 4) for row in ROWS[k::EACH]]
    lists = [write("a", moses(rows[:30])), write("b", moses(rows[30:]))]
    scores = [row[3] for row in rows]
    comet = SegmentScores("COMET")
    nbest = read_nbest(lists[0], metric=comet, scores={"COMET": scores[:30]})
    by_text = {(row[0], row[1], row[2]): row[3] for row in rows[:30]}
    segments = np.repeat(nbest.ids, np.diff(nbest.offsets)).tolist()
    assert nbest.hypotheses is not None
    keys = zip(segments, nbest.hypotheses, map(tuple, nbest.features.tolist()), strict=True)
    assert comet.score_rows(nbest.stats).tolist() == [by_text[key] for key in keys]
    both = read_nbest(lists, metric=comet, scores={"COMET": scores})
    assert comet.score_rows(both.stats).mean() == np.mean(scores) and len(both) == len(scores)
    monkeypatch.setattr("rapidbleu.tuning.moses.nbest_files.BATCH", 8)
    again = read_nbest(lists[0], metric=comet, scores={"COMET": scores[:30]})
    assert (again.stats == nbest.stats).all()
    large = read_nbest(lists[0], metric=comet, scores={"COMET": [2.0**19] * 30})
    assert large.evaluate([1, 1, 1]) == 2.0**19
    parts = [
        write("s1", b"".join(b"%a\n" % s for s in scores[:30])),
        write("s2", b"".join(b"%a\n" % s for s in scores[30:])),
    ]
    words = ["rerank", write("all", moses(rows)), "--weights", files["mw"], "--scores"]
    found = run(*words, f"COMET={parts[0]}", parts[1])
    best = {own[0][:3]: own[0][3] for own in ranked(rows)}
    after = math.fsum(best.values()) / N
    assert before_and_after(found.err, "COMET")[1] == round(after, 4)


@pytest.mark.parametrize("form", ["moses", "jsonl"])
def test_oracle_of_scores(form: str, files: dict[str, str], run: Run) -> None:
    scores = ["--scores", f"COMET={files['scores']}"]
    groups = [[row for row in ROWS if row[0] == i] for i in range(N)]
    best = [max(own, key=lambda row: row[3])[3] for own in groups]
    found = json.loads(run("oracle", files[form], *scores, "-f", "json").out)
    assert found["name"] == "COMET" and found["score"] == sum(best) / N
    picked = [groups[own["segment"] - 1][own["candidate"] - 1][3] for own in found["segments"]]
    assert picked == best
    words = ["oracle", files[form], *scores, *MIXTURE, "-r", files["refs"], "-f", "json"]
    found = json.loads(run(*words).out)
    nbest = with_scores(ROWS, MIXED)
    alone = select_oracle([[row[1] for row in own] for own in groups], [REFS])
    rows = [EACH * i + k for i, k in enumerate(alone.choices.tolist())]
    assert found["score"] >= MIXED.score(nbest.stats[rows].sum(axis=0)).score
    chosen = [EACH * i + own["candidate"] - 1 for i, own in enumerate(found["segments"])]
    assert found["score"] == MIXED.score(nbest.stats[chosen].sum(axis=0)).score


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("tune {moses} --scores C={six}", "six: expected 84, a hypothesis each; got 6"),
        ("tune {moses} --scores C={scores} -r {refs}", "-r/--refs: expected none with --scores"),
        ("tune {moses} --scores C={scores} -m bleu", "no references: name their files with --refs"),
        ("tune {moses} --scores C={scores} --mixture 1 2", "expected 1 weights"),
        ("tune {moses} --scores BLEU={scores} -m bleu -r {refs}", "'BLEU' is what a metric of -m"),
        ("tune {moses} --scores {scores}", "--scores: expected NAME=FILE"),
        ("tune {moses} --scores C={scores} -t {moses}", "--scores: not with -t/--test"),
        ("tune a.npz --scores C={scores}", "a.npz: saved lists go with others alone, without"),
        ("oracle {moses} --scores C={six}", "six: expected 84, one for each hypothesis; got 6"),
        ("oracle {moses} --scores C={scores} --shard 1/2", "--scores: expected one list"),
        ("oracle {refs} {refs} --scores C={scores}", "--scores: expected one list"),
        ("oracle {moses} --scores C={scores} -r {refs}", "-r/--refs: expected none with --scores"),
    ],
)
def test_scores_that_do_not_fit(
    words: str, problem: str, run: Run, write: Write, files: dict[str, str]
) -> None:
    files["six"] = write("six", b"1\n" * 6)
    assert problem in failure(run(*words.format(**files).split()))


def test_read_nbest_refuses_scores(files: dict[str, str]) -> None:
    comet = SegmentScores("COMET")
    for options, problem in (
        ({"scores": {"COMET": [1.0]}}, r"scores\['COMET'\]: expected 84, a hypothesis each; got 1"),
        ({"scores": {"other": [1.0]}}, r"scores: expected \['COMET'\], named as the metric; got"),
        ({"scores": {"COMET": [math.nan]}}, r"scores\[0\]: expected a number from"),
        ({"references": [REFS]}, "references: expected None, as no metric reads them; got some"),
        ({"metric": MIXED, "references": [REFS]}, r"scores: expected \['COMET'\], named as"),
        ({"metric": BLEU(), "references": [REFS], "scores": {"a": []}}, r"scores: expected \[\]"),
    ):
        with pytest.raises(ValueError, match=problem):
            read_nbest(files["moses"], **{"metric": comet, **options})


def test_sparse_lists_with_scores(write: Write) -> None:
    pytest.importorskip("scipy")
    lines = b"0 ||| a ||| lm= 1 s_a= 1\n0 ||| b ||| lm= 2 s_b= 5\n1 ||| c ||| lm= 1\n"
    found = read_nbest(write("n", lines), metric=SegmentScores("C"), scores={"C": [1, 2, 4]})
    assert found.is_sparse and found.evaluate([1, 0, 0]) == 3
