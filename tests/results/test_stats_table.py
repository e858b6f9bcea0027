"""Rows with names: columns, scores, other libraries, and use in place of rows."""

import copy
import gc
import pickle
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, METEOR, NIST, TER, RunningScore, SegmentScores, StatsTable, WordF
from rapidbleu.oracle import select_by_stats
from rapidbleu.significance import bootstrap, paired_bootstrap, paired_randomization
from support.corpora import random_corpus, with_gaps
from support.family import METRICS
from support.paired_tests import repeats

HYPS, REFS = random_corpus(Random("stats tables"), 60, kind="mixed", n_refs=2)
GAPS = with_gaps(Random("stats tables"), REFS)
LANGS = [("de", "cs", None)[i % 3] for i in range(60)]
KEPT: dict[str, Any] = {
    "lang": LANGS,
    "year": range(60),
    "human": [None if i % 4 == 0 else i / 7 for i in range(60)],
}
ENGINES = [("pyarrow", "table"), ("polars", "DataFrame")]


@pytest.mark.parametrize("name", METRICS)
def test_every_metric(name: str) -> None:
    metric = METRICS[name]
    rows = metric.segment_stats(HYPS, REFS)
    table = metric.stats_table(HYPS, REFS, keep=KEPT)
    assert table.rows.dtype == np.int64 and table.rows.flags.c_contiguous
    assert table.rows.tolist() == rows.tolist() == np.asarray(table).tolist()
    assert len(set(table.names)) == len(table.names) == 4 + rows.shape[1]
    assert table.names == ("id", *KEPT, *metric._stat_names())
    assert table.statistics == tuple(metric._stat_names())
    for j, column in enumerate(table.statistics):
        assert table[column].tolist() == rows[:, j].tolist()
    assert table.sum().tolist() == metric.corpus_stats(HYPS, REFS).tolist()
    assert table.score() == metric.score(rows) == metric.corpus_score(HYPS, REFS)
    assert table.signature == str(metric.get_signature())
    scores = table.scores()
    assert scores.names == ("id", *KEPT, table.score().name)
    own = metric.segment_scores(HYPS, REFS)
    assert scores[table.score().name].tobytes() == own.tobytes()
    assert scores["id"].tolist() == list(range(60)) and scores["lang"] == LANGS


@pytest.mark.parametrize("name", ["BLEU", "TER", "chrF++", "NIST"])
def test_scores_of_groups(name: str) -> None:
    metric = METRICS[name]
    rows, table = metric.segment_stats(HYPS, REFS), metric.stats_table(HYPS, REFS, keep=KEPT)
    by_lang = table.score(by="lang")
    assert list(by_lang) == ["de", "cs", None]
    for lang, score in by_lang.items():
        assert score == metric.score(rows[[own == lang for own in LANGS]])
    by_human = table.score(by="human")
    assert list(by_human)[:3] == [None, 1 / 7, 2 / 7] and len(by_human) == 46
    assert by_human[None] == metric.score(rows[::4])
    by_id = table.score(by="id")
    assert [by_id[i].score for i in range(60)] == [metric.score(row).score for row in rows]


def test_groups_keep_the_order_of_segments() -> None:
    """TER adds average reference lengths as doubles, whose sum depends on their order."""
    refs = [*REFS, [text + " x y" for text in REFS[0]]]
    table = TER().stats_table(HYPS * 9, [own * 9 for own in refs], keep={"all": ["x"] * 540})
    assert table.score(by="all") == {"x": table.score()}
    assert table.score() != TER().score(table.rows[::-1])


def test_ids_and_columns() -> None:
    table = CHRF().stats_table(["a b", "c"], [["a b", "d"]])
    assert table["id"].tolist() == [0, 1] and table.numbered
    table = CHRF().stats_table(["a b", "c"], [["a b", "d"]], first=7)
    assert table["id"].tolist() == [7, 8] and table.first == 7
    table = CHRF().stats_table(
        ["a b", "c"], [["a b", "d"]], ids=("x", "\ud800"), keep={"n": [3, 4]}
    )
    assert table["id"] == ["x", "\ud800"] and not table.numbered
    assert table.types["id"] == "text" and table.types["n"] == "int64"
    table = CHRF().stats_table(["a b", "c"], [["a b", "d"]], ids=np.array([9, 2]), inputs=["hyp"])
    assert table["id"].tolist() == [9, 2] and table.inputs == ("hyp",)
    assert table["matches_char_1"].tolist() == [2, 0]
    with pytest.raises(KeyError, match="matches"):
        table["matches"]


def test_the_call_is_that_of_segment_stats() -> None:
    bleu, by_segment = BLEU(references=REFS), list(zip(*GAPS, strict=True))
    first = bleu.stats_table(HYPS)
    assert first.rows.tolist() == bleu.segment_stats(HYPS, REFS).tolist()
    several = bleu.stats_table(HYPS, by_segment, layout="segment", threads=3)
    assert several.rows.tolist() == bleu.segment_stats(HYPS, GAPS).tolist()
    assert several.signature.startswith("nrefs:var|") and first.signature.startswith("nrefs:2|")
    prepared = bleu.stats_table(bleu.prepare([HYPS]), bleu.prepare(REFS))
    assert prepared.rows.tolist() == first.rows.tolist()
    bleu.corpus_score(HYPS, REFS, n_bootstrap=10)
    assert bleu.stats_table(HYPS, REFS).signature == first.signature
    ids = iter(range(60, 0, -1))
    assert bleu.stats_table(HYPS, REFS, ids=ids)["id"].tolist() == list(range(60, 0, -1))


def test_other_signatures_stay() -> None:
    """A table gets signatures from its metric, which does not forget its last call."""
    bleu = BLEU()
    table = bleu.stats_table(HYPS, REFS)
    bleu.corpus_score(HYPS, REFS[:1], n_bootstrap=10)
    before = str(bleu.get_signature())
    StatsTable(bleu, table.rows, table.signature)
    assert bleu.score(table) == table.score()
    assert str(bleu.get_signature()) == before and "bs:10" in before


def test_tables_do_not_change() -> None:
    rows = BLEU().segment_stats(HYPS, REFS)
    signature = BLEU().stats_table(HYPS, REFS).signature
    table = StatsTable(BLEU(), rows, signature)
    assert rows.flags.writeable
    for array in (table.rows, table["hyp_len"], table["id"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5


def test_copies_and_pickles() -> None:
    table = BLEU(lowercase=True).stats_table(HYPS, REFS, keep=KEPT, shard=(1, 3), inputs=["h"])
    for own in (pickle.loads(pickle.dumps(table)), copy.deepcopy(table)):
        assert own.table == table.table and own.shard == (1, 3) and own.inputs == ("h",)
        assert own.score() == table.score()
    shown = repr(table)
    assert shown == f"<StatsTable of 60 segments, shard 1 of 3, BLEU|{table.signature}>"


def test_as_an_array() -> None:
    table = TER().stats_table(HYPS, REFS)
    assert np.asarray(table) is table.rows
    copied = np.array(table)
    assert copied.flags.writeable and copied.tolist() == table.rows.tolist()
    assert np.asarray(table, np.float64).tolist() == table.rows.astype(np.float64).tolist()
    with pytest.raises(ValueError, match="copy: expected int64 without a copy; got float64"):
        table.__array__(np.float64, copy=False)


# Other libraries


@pytest.mark.parametrize(("library", "make"), ENGINES)
def test_arrow(library: str, make: str) -> None:
    read = getattr(pytest.importorskip(library), make)
    table = METRICS["chrF++"].stats_table(HYPS, REFS, ids=[f"s{i}" for i in range(60)], keep=KEPT)
    theirs = read(table)
    gc.collect()
    assert (theirs.to_pydict() if library == "pyarrow" else theirs.to_dict(as_series=False)) == (
        table.table.to_dict()
    )
    scores = read(table.scores())
    assert scores["chrF2++"].to_numpy().tobytes() == table.scores()["chrF2++"].tobytes()


def test_any_engine_adds_up() -> None:
    polars = pytest.importorskip("polars")
    table = METRICS["BLEU"].stats_table(HYPS, REFS, keep={"lang": LANGS})
    sums = polars.DataFrame(table).group_by("lang").agg(polars.col(table.statistics).sum())
    for lang, *row in sums.iter_rows():
        assert METRICS["BLEU"].score(row) == table.score(by="lang")[lang]


def test_frames() -> None:
    pytest.importorskip("pandas")
    table = TER().stats_table(HYPS, REFS, keep={"year": range(60)})
    assert list(table.to_pandas().columns) == list(table.names)
    assert table.to_pandas()["edits"].tolist() == table["edits"].tolist()
    pytest.importorskip("polars")
    assert table.to_polars()["edits"].to_list() == table["edits"].tolist()


# Where rows are expected


def test_rows_are_scored_by_their_metric() -> None:
    bleu = BLEU()
    table = bleu.stats_table(HYPS, REFS)
    for same in (bleu, BLEU(force=True), BLEU(references=REFS)):
        assert same.score(table) == bleu.score(table.rows)
        assert same.score_rows(table).tolist() == bleu.score_rows(table.rows).tolist()
        assert same.order_scores(table).tolist() == bleu.order_scores(table.rows).tolist()
        assert bootstrap(table, None, same, n_resamples=20).samples.tolist() == (
            bootstrap(table.rows, None, same, n_resamples=20).samples.tolist()
        )
        assert RunningScore(same, table).score == RunningScore(same, table.rows).score
        assert select_by_stats(same, table, range(0, 61, 3)).score == (
            select_by_stats(same, table.rows, range(0, 61, 3)).score
        )
    assert TER().score(TER().stats_table(HYPS, REFS)) == TER().corpus_score(HYPS, REFS)


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (BLEU(lowercase=True), r"expected BLEU\|case:lc\|eff.*; got BLEU\|case:mixed\|eff"),
        (BLEU(smooth_method="floor"), r"expected BLEU.*smooth:floor.*; got BLEU.*smooth:exp$"),
        (METRICS["BLEU smoothed by NLTK"], r"expected BLEU.*smooth:nltk7.*; got BLEU"),
        (CHRF(), r"expected chrF2\|.*; got BLEU\|"),
        (
            SegmentScores(),
            "expected an array of rows of SegmentScores; got <StatsTable of 60 segments",
        ),
    ],
)
def test_other_metrics_are_refused(metric: Any, message: str) -> None:
    table = BLEU().stats_table(HYPS, REFS)
    calls = [
        lambda: metric.score(table),
        lambda: metric.score_rows(table),
        lambda: bootstrap(table, None, metric, n_resamples=5),
        lambda: paired_bootstrap({"A": table, "B": table}, None, metric, n_resamples=5),
        lambda: RunningScore(metric, table),
        lambda: select_by_stats(metric, table, [0, 30, 60]),
    ]
    if isinstance(metric, BLEU):
        calls.append(lambda: metric.order_scores(table))
    for call in calls:
        with pytest.raises((TypeError, ValueError), match=message):
            call()


def test_metrics_with_the_same_signature() -> None:
    """WER and CharacTER differ in their names, NIST with different information by a checksum."""
    wer, character = METRICS["WER"], METRICS["CharacTER"]
    with pytest.raises(ValueError, match=r"expected CharacTER\|.*; got WER\|"):
        character.score(wer.stats_table(HYPS, REFS))
    one, same, other = (
        NIST(information=own) for own in ([["a b c", "it rained"]],) * 2 + ([["a b c", "it"]],)
    )
    table = one.stats_table(HYPS, REFS)
    assert same.score(table) == one.score(table.rows)
    with pytest.raises(ValueError, match="expected the same information; got other references"):
        other.score(table)
    message = r"expected NIST.*info:refs; got NIST.*info:2-[0-9a-f]{8}$"
    with pytest.raises(ValueError, match=message):
        NIST().score(table)


def test_metrics_that_score_rows_in_their_own_ways() -> None:
    table = TER().stats_table(HYPS, REFS)
    with pytest.raises(ValueError, match=r"stats: expected TER\|.*punct:no\|.*; got TER\|.*:yes"):
        TER(no_punct=True).score(table)


def test_betas() -> None:
    table = CHRF(beta=1).stats_table(HYPS, REFS)
    with pytest.raises(ValueError, match=r"expected chrF2\|.*; got chrF1\|"):
        CHRF().score(table)


def test_stems_by_name() -> None:
    def own(word: str) -> str:
        return word[:2]

    table = METRICS["METEOR"].stats_table(HYPS, REFS)
    with pytest.raises(ValueError, match=r"stem:own\|.*; got METEOR.*stem:[\w.]*first_letters\|"):
        METEOR(stem=own, function_words=["the", "a"]).score(table)


def test_paired_tests() -> None:
    bleu, ids = BLEU(), [f"s{i}" for i in range(60)]
    a, b = (bleu.stats_table(texts, REFS, ids=ids) for texts in (HYPS, REFS[1]))
    for test in (paired_bootstrap, paired_randomization):
        expected = test({"A": a.rows, "B": b.rows}, None, bleu, **repeats(test, 50))
        assert str(test({"A": a, "B": b}, None, bleu, **repeats(test, 50))) == str(expected)
        mixed = test({"A": a, "B": {0: REFS[1]}}, REFS, bleu, **repeats(test, 50))
        assert str(mixed) == str(expected)
    both = {"A": {"x": a, "y": TER().stats_table(HYPS, REFS, ids=ids)}, "B": {"x": b, "y": REFS[1]}}
    assert "y" in str(paired_bootstrap(both, REFS, {"x": bleu, "y": TER()}, n_resamples=9))


def test_tables_of_other_segments_are_not_paired() -> None:
    bleu, ids = BLEU(), [f"s{i}" for i in range(60)]
    a = bleu.stats_table(HYPS, REFS, ids=ids)
    b = bleu.stats_table(HYPS, REFS, ids=[*ids[:2], "x", *ids[3:]])
    message = r"systems\['B'\]: expected the segments of 'A', the segment 's2' at 2; got 'x'"
    for systems in ({"A": a, "B": b}, {"A": {0: a}, "B": {0: b}}):
        with pytest.raises(ValueError, match=message):
            paired_bootstrap(systems, None, bleu, n_resamples=5)
    numbered = bleu.stats_table(HYPS, REFS)
    with pytest.raises(ValueError, match=r"the segment 's0' at 0; got 0"):
        paired_bootstrap({"A": a, "B": HYPS, "C": numbered}, REFS, bleu, n_resamples=5)


# Bad input

TWO = ["a b", "c"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"ids": ["x"]}, ValueError, "ids: expected 2 items, one for each segment; got 1"),
        ({"ids": ["x", None]}, TypeError, r"ids\[1\]: expected a text or an integer; got None"),
        ({"ids": [1.5, 2]}, TypeError, "ids: expected texts or integers; got float64"),
        ({"ids": [1, True]}, TypeError, r"ids\[1\]: expected a number, a str or None; got bool"),
        (
            {"ids": "ab"},
            TypeError,
            "ids: expected a sequence of numbers or texts; got a single str",
        ),
        ({"ids": ["x", "x"]}, ValueError, r"ids\[1\]: .*; got 'x' again, as ids\[0\]"),
        ({"ids": [2**63, 1]}, ValueError, "ids: expected numbers of 64 bits"),
        ({"keep": ["x"]}, TypeError, "keep: expected columns by name; got list"),
        ({"keep": {3: TWO}}, TypeError, "keep: expected names; got int"),
        ({"keep": {"id": TWO}}, ValueError, "keep: expected other names than id and the stat"),
        ({"keep": {"total_1": TWO}}, ValueError, "keep: expected other names .*; got 'total_1'"),
        ({"keep": {"": TWO}}, ValueError, "keep: expected names that can be printed; got ''"),
        ({"keep": {"a\0": TWO}}, ValueError, "keep: expected names that can be printed"),
        ({"keep": {"\ud800": TWO}}, ValueError, "keep: expected names that can be printed"),
        ({"keep": {"x": ["a"]}}, ValueError, r"keep\['x'\]: expected 2 items, one for each seg"),
        ({"keep": {"x": ["a", 1]}}, TypeError, r"keep\['x'\]: expected numbers or texts; got bo"),
        ({"keep": {"x": [b"a", 1]}}, TypeError, r"keep\['x'\]\[0\]: expected a number, a str or"),
        ({"shard": 3}, TypeError, "shard: expected its number and how many there are; got 3"),
        ({"shard": (2, 1)}, ValueError, r"shard\[0\]: expected at most 1; got 2"),
        ({"shard": (0, 0)}, ValueError, r"shard\[1\]: expected at least 1; got 0"),
        ({"shard": (True, 2)}, TypeError, r"shard\[0\]: expected int; got bool"),
        ({"first": -1}, ValueError, "first: expected at least 0; got -1"),
        ({"first": "1"}, TypeError, "first: expected int; got str"),
        ({"inputs": "hyp"}, TypeError, "inputs: expected a sequence of names; got a single str"),
        ({"inputs": [3]}, TypeError, r"inputs\[0\]: expected str; got int"),
    ],
)
def test_bad_arguments_before_any_work(options: Any, error: type[Exception], message: str) -> None:
    def tokenize(text: str) -> list[str]:
        raise AssertionError("work was begun")

    with pytest.raises(error, match=message):
        BLEU(tokenize=tokenize).stats_table(TWO, [TWO], **options)


def test_bad_rows() -> None:
    bleu = BLEU(max_ngram_order=1)
    signature = bleu.stats_table(["a"], [["a"]]).signature
    for rows, message in (
        ([[1, 1, 2, 1]], r"rows\[0\]\[2\]: expected at most 1"),
        ([[1, 1, 1]], r"rows: expected shape \(4,\) or \(n, 4\)"),
        ([[-1, 1, 1, 1]], r"rows\[0\]\[0\]: expected"),
    ):
        with pytest.raises(ValueError, match=message):
            StatsTable(bleu, rows, signature)
    row = [[1, 1, 1, 1]]
    for text, message in (
        ("", "signature: expected nrefs, options and version; got ''"),
        ("nrefs:0|" + signature.partition("|")[2], "signature: expected nrefs, options and"),
        ("nrefs:٣|" + signature.partition("|")[2], "signature: expected nrefs, options and"),
        (signature.replace("mixed", "lc"), r"signature: expected options of BLEU\|case:mixed"),
        (signature.rpartition("|")[0], "signature: expected nrefs, options and version"),
    ):
        with pytest.raises(ValueError, match=message):
            StatsTable(bleu, row, text)
    with pytest.raises(TypeError, match="metric: expected a metric of text; got SegmentScores"):
        StatsTable(SegmentScores(), [[0, 0, 0, 0, 1]], signature)
    with pytest.raises(ValueError, match=r"rows.*at most 2"):
        StatsTable(bleu, [[2**61, 1, 1, 1]], signature)
    with pytest.raises(ValueError, match=r"rows\[1\]\[0\]: expected"):
        StatsTable(bleu, [[2**60, 1, 1, 1]] * 2, signature).sum()


def test_bad_questions() -> None:
    table = WordF().stats_table(TWO, [TWO], keep={"F1": [1, 2], "x": TWO})
    with pytest.raises(ValueError, match="by: expected one of the columns id, F1, x; got 'lang'"):
        table.score(by="lang")
    name = table.score().name
    clash = WordF().stats_table(TWO, [TWO], keep={name: [1, 2]})
    with pytest.raises(ValueError, match="expected no column with the name of the score"):
        clash.scores()


def test_tables_without_rows() -> None:
    table = BLEU().stats_table(TWO, [TWO])
    empty = StatsTable(BLEU(), table.rows[:0], table.signature, keep={"x": []})
    assert len(empty) == 0 and empty.sum().tolist() == [0] * 10 and len(empty.scores()) == 0
    assert empty["id"].dtype == np.int64
    with pytest.raises(ValueError, match="expected at least one row; got none"):
        empty.score()
    assert empty.score(by="x") == {}


def test_tables_cannot_be_changed() -> None:
    metric = BLEU()
    table = metric.stats_table(HYPS, REFS)
    for name in ("rows", "metric", "signature", "statistics", "inputs", "numbered"):
        with pytest.raises(AttributeError, match=f"^{name}: a table cannot be changed; make a new"):
            setattr(table, name, getattr(table, name))
    with pytest.raises(ValueError, match="read-only"):
        table.rows[0, 0] = 5
    for again in (copy.deepcopy(table), pickle.loads(pickle.dumps(table))):
        assert again.score() == table.score()
