"""Comparisons against slow counts and against the calls that they combine."""

import json
import math
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, TER, WER, Comparison, compare
from rapidbleu.comparison.tables import FREQUENCIES, LENGTHS
from rapidbleu.significance import bootstrap, correct_p_values, paired_bootstrap
from reference import comparison as oracle
from support.corpora import random_corpus

N = 60


def made(kind: str, n_refs: int, seed: str = "") -> tuple[dict[str, list[str]], list[list[str]]]:
    """Return three systems, two of which agree in half of the segments."""
    rng = Random(f"{kind} {n_refs} {seed}")
    first, streams = random_corpus(rng, N, kind=kind, n_refs=n_refs)
    second = [
        " ".join(word for word in text.split(" ") if rng.random() > 0.2) if i % 2 else text
        for i, text in enumerate(first)
    ]
    third = [" ".join(rng.sample(text.split(" "), len(text.split(" ")))) for text in first]
    return {"A": list(first), "B": second, "C": third}, [list(stream) for stream in streams]


def rows_of(table: Any, **wanted: str) -> list[dict[str, Any]]:
    found = [dict(zip(table.names, row, strict=True)) for row in table.rows()]
    return [row for row in found if all(row[name] == value for name, value in wanted.items())]


def tokens(texts: list[str]) -> list[list[str]]:
    return [BLEU().tokenizer(text.rstrip()) for text in texts]


@pytest.fixture(scope="module", params=[("ascii", 1), ("german", 3), ("chinese", 2), ("mixed", 1)])
def case(request: pytest.FixtureRequest) -> tuple[Any, Any, Comparison]:
    systems, streams = made(*request.param)
    if len(streams) > 1:  # references that are missing, the first one too
        streams[0][3] = streams[1][5] = None  # type: ignore[call-overload]
    return systems, streams, compare(systems, streams, n_resamples=50)


def references_of(streams: list[list[str]]) -> list[list[list[str]]]:
    return [
        tokens([text for text in several if text is not None])
        for several in zip(*streams, strict=True)
    ]


# Scores and tests


def test_scores_are_those_of_bootstrap(case: Any) -> None:
    systems, streams, found = case
    assert found.systems == list(systems)
    assert found.metrics == ["BLEU", "chrF2"]
    refs = references_of(streams)
    expected_words = sum(len(several[0]) for several in refs)
    for row, (name, texts) in zip(rows_of(found.scores), systems.items(), strict=True):
        assert row["system"] == name
        for metric in (BLEU(), CHRF()):
            own = bootstrap(texts, streams, metric, n_resamples=50)
            column = found.columns[own.name]
            assert own.interval == (row[f"{column}_low"], row[f"{column}_high"])
            assert row[column] == metric.corpus_score(texts, streams).score
        n_words = sum(map(len, tokens(texts)))
        assert (row["words"], row["length_ratio"]) == (n_words, n_words / expected_words)


@pytest.mark.parametrize("baseline", [None, 1, "C"])
@pytest.mark.parametrize("correction", ["holm", "bonferroni", "none"])
def test_tests_are_those_of_the_paired_bootstrap(baseline: Any, correction: Any) -> None:
    systems, streams = made("ascii", 1)
    systems["D"] = list(systems["A"])
    metrics: Any = [BLEU(), TER()]
    found = compare(
        systems, streams, metrics, baseline=baseline, correction=correction, n_resamples=80
    )
    peer = paired_bootstrap(systems, streams, metrics, baseline=baseline, n_resamples=80)
    n_pairs = 6 if baseline is None else 3
    assert len(found.tests) == 2 * n_pairs
    assert found.baseline == {None: None, 1: "B", "C": "C"}[baseline]
    for row in rows_of(found.tests):
        metric, a, b = row["metric"], row["a"], row["b"]
        assert found.baseline in (None, a)
        one, other = peer[metric][a], peer[metric][b]
        assert row["p_value"] == peer.p_value(metric, a, b)
        assert row["difference"] == other.score - one.score
        assert one.samples is not None and other.samples is not None
        gaps = np.sort(other.samples - one.samples)
        assert (row["low"], row["high"]) == (gaps[2], gaps[-3])
        assert row["identical"] == ("outputs" if {a, b} == {"A", "D"} else None)
        if row["identical"]:
            assert row["p_value"] == row["p_corrected"] == 1
    for metric in found.metrics:
        rows = rows_of(found.tests, metric=metric)
        assert [row["p_corrected"] for row in rows] == correct_p_values(
            [row["p_value"] for row in rows], correction
        ).tolist()


def test_same_statistics_with_other_outputs() -> None:
    found = compare(
        {"A": ["a b c d", "x"], "B": ["a b c d", "y"]}, [["a b c d", "z"]], n_resamples=10
    )
    assert [row["identical"] for row in rows_of(found.tests)] == ["statistics", "statistics"]


def test_one_system_has_no_pairs() -> None:
    systems, streams = made("ascii", 1)
    found = compare({"A": systems["A"]}, streams, n_resamples=20)
    assert len(found.tests) == 0
    three = compare(systems, streams, n_resamples=20)
    assert rows_of(found.scores) == rows_of(three.scores)[:1]
    assert rows_of(found.words) == rows_of(three.words, system="A")
    assert "1 system, " in repr(found)


# Buckets


def test_buckets_are_corpora_of_their_own(case: Any) -> None:
    systems, streams, found = case
    refs = [len(several[0]) for several in references_of(streams)]
    assert list(found.buckets) == ["length", "length_difference", "bleu_score", "chrf2_score"]
    for name, texts in systems.items():
        scores = found.segment_scores["BLEU"][name]
        assert scores.tolist() == BLEU(effective_order=True).segment_scores(texts, streams).tolist()
        lengths = list(map(len, tokens(texts)))
        differences = [own - length for own, length in zip(lengths, refs, strict=True)]
        for table, numbers, cutoffs in (
            ("length", refs, LENGTHS),
            (
                "length_difference",
                differences,
                (-20, -10, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 11, 21),
            ),
            ("bleu_score", scores.tolist(), range(10, 100, 10)),
        ):
            rows = rows_of(found.buckets[table], system=name)
            assert len(rows) == len(cutoffs) + 1
            for k, row in enumerate(rows):
                members = [i for i, x in enumerate(numbers) if oracle.bucket(x, cutoffs) == k]
                assert row["segments"] == len(members)
                if not members:
                    assert row["bleu"] is row["chrf2"] is None
                    continue
                own = [texts[i] for i in members]
                part = [[stream[i] for i in members] for stream in streams]
                assert row["bleu"] == BLEU(effective_order=True).corpus_score(own, part).score
                assert row["chrf2"] == CHRF().corpus_score(own, part).score


def test_labels_are_buckets() -> None:
    systems, streams = made("ascii", 1)
    labels = [["news", "chat", "law"][i % 3 if i else 2] for i in range(N)]
    found = compare(systems, streams, labels=labels, n_resamples=10)
    table = found.buckets["label"]
    assert [row["bucket"] for row in rows_of(table, system="A")] == ["law", "chat", "news"]
    for row in rows_of(table):
        members = [i for i, label in enumerate(labels) if label == row["bucket"]]
        own = [systems[row["system"]][i] for i in members]
        assert row["segments"] == len(members)
        part = [[streams[0][i] for i in members]]
        assert row["bleu"] == BLEU().corpus_score(own, part).score
    assert found.segments["label"] == labels


def test_own_cutoffs() -> None:
    systems, streams = made("ascii", 1)
    cutoffs = {"length": [3, 4, 5.5], "bleu_score": (50,), "word_frequency": [2]}
    found = compare(systems, streams, cutoffs=cutoffs, n_resamples=10)

    def names(table: Any) -> list[str]:
        return [row["bucket"] for row in rows_of(table, system="A")]

    assert names(found.buckets["length"]) == ["<3", "3", "[4,5.5)", ">=5.5"]
    assert names(found.buckets["bleu_score"]) == ["<50", ">=50"]
    assert names(found.words) == ["<2", ">=2"]


def test_external_scores_are_a_metric() -> None:
    systems, streams = made("ascii", 1)
    rng = np.random.default_rng(1)
    comet = {name: rng.uniform(0.2, 0.95, N) for name in systems}
    found = compare(systems, streams, scores={"COMET": comet}, n_resamples=30)
    assert found.metrics == ["BLEU", "chrF2", "COMET"]
    for row in rows_of(found.scores):
        assert row["comet"] == pytest.approx(comet[row["system"]].mean(), abs=1e-14)
        assert row["comet_low"] < row["comet"] < row["comet_high"]
    assert [row["bucket"] for row in rows_of(found.buckets["comet_score"], system="A")][:2] == [
        "<0.1",
        "[0.1,0.2)",
    ]
    best = found.examples("B", "A", "COMET", 1)
    gains = comet["B"] - comet["A"]
    assert best["segment"][0] == int(gains.argmax())


def test_external_scores_alone() -> None:
    """Without texts, empty outputs do not make systems identical."""
    rng = np.random.default_rng(1)
    right = {name: rng.integers(0, 2, N) for name in "AB"}
    empty = {name: [""] * N for name in "AB"}
    for metrics in ([], {}, ()):
        found = compare(empty, [["x"] * N], metrics, scores={"right": right}, n_resamples=30)
        assert found.metrics == ["right"]
        assert found.scores["right"].tolist() == [own.mean() for own in right.values()]
        assert found.tests["identical"] == [None]
    same = {name: right["A"] for name in "AB"}
    found = compare(empty, [["x"] * N], [], scores={"right": same}, n_resamples=30)
    assert found.tests["identical"] == ["statistics"]
    for scores in (None, {}):
        with pytest.raises(ValueError, match="metrics: expected at least one; got none"):
            compare(empty, [["x"] * N], [], scores=scores)


def test_columns_are_identifiers() -> None:
    systems, streams = made("ascii", 1)
    outputs = {"a.txt": systems["A"], "A (txt)": systems["B"], "words": systems["C"]}
    metrics: Any = {
        "BLEU": BLEU(),
        "BLEU low": BLEU(max_ngram_order=2),
        "system": TER(),
        "length": CHRF(),
        "length A (txt)": BLEU(max_ngram_order=1),
    }
    found = compare(outputs, streams, metrics, labels=["x"] * N, n_resamples=10)
    assert found.columns == {
        "BLEU": "bleu",
        "BLEU low": "bleu_low",
        "system": "system_2",
        "length": "length_2",
        "length A (txt)": "length_a_txt",
    }
    tables = [
        found.scores,
        found.tests,
        found.words,
        found.segments,
        *found.buckets.values(),
        found.side_by_side("length", "BLEU"),
        found.side_by_side("words", "f"),
        found.ngrams("a.txt", "words"),
        found.examples("a.txt", "words"),
    ]
    for table in tables:
        assert all(map(str.isidentifier, table.names))
        assert table.names == tuple(map(str.lower, table.names))
    assert all(map(str.isidentifier, found.buckets))
    for metric, column in found.columns.items():
        for i, name in enumerate(outputs):
            assert found.scores[column][i] == found.corpus_scores[metric][name].score
        scores = [found.segment_scores[metric][name].tolist() for name in outputs]
        titles = [f"{metric} {name}" for name in outputs]
        shown = dict(zip(found.segments._titles.values(), found.segments.names, strict=True))
        assert [found.segments[shown[title]].tolist() for title in titles] == scores
        by = found.side_by_side("label", metric)
        assert [by[name][0] for name in by.names[2:]] == found.scores[column].tolist()
    header = found.scores.format().split("\n")[0]
    assert header.split()[:9] == [
        "system",
        "BLEU",
        "BLEU",
        "low",
        "BLEU",
        "high",
        "BLEU",
        "low",
        "BLEU",
    ]
    assert found.scores.format("csv").startswith("system,bleu,bleu_low_2,bleu_high,bleu_low,")


# Words and n-grams


def test_words_by_frequency(case: Any) -> None:
    systems, streams, found = case
    refs = references_of(streams)
    for name, texts in systems.items():
        expected = oracle.word_rows(tokens(texts), refs, FREQUENCIES)
        for row, numbers in zip(rows_of(found.words, system=name), expected, strict=True):
            n_refs, n_own, right, hit = numbers
            assert numbers == (
                row["reference_words"],
                row["output_words"],
                row["right"],
                row["found"],
            )
            assert row["precision"] == (right / n_own if n_own else None)
            assert row["recall"] == (hit / n_refs if n_refs else None)
            if right and hit:
                p, r = right / n_own, hit / n_refs
                assert row["f"] == 2 * p * r / (p + r)
            else:
                assert row["f"] == (0 if n_own + n_refs else None)


@pytest.mark.parametrize("what", ["match", "over", "under"])
def test_ngrams(case: Any, what: Any) -> None:
    systems, streams, found = case
    refs = references_of(streams)
    orders = range(1, 5)
    counts = {
        name: [oracle.counted(tokens(texts), refs, order, what) for order in orders]
        for name, texts in systems.items()
    }
    for a, b in (("A", "B"), ("B", "A"), ("C", "B")):
        expected: dict[str, Any] = {}
        for one, other in zip(counts[a], counts[b], strict=True):
            expected |= oracle.characteristic(one, other)
        table = found.ngrams(a, b, 10**6, what)
        rows = list(table.rows())
        assert {gram: tuple(rest) for gram, *rest in rows} == expected
        assert len(rows) == len(expected)
        keys = [(-share, -n, -order) for _, order, share, n, _ in rows]
        assert keys == sorted(keys)
        assert list(found.ngrams(a, b, 7, what).rows()) == rows[:7]
        part = found.ngrams(a, b, 10**6, what, min_ngram_order=2, max_ngram_order=3)
        assert list(part.rows()) == [row for row in rows if row[1] in (2, 3)]


def test_ngrams_beyond_those_that_were_counted() -> None:
    outputs = {"A": ["a b c d e f g"], "B": ["a b"]}
    found = compare(outputs, [["a b c d e f g h"]], n_resamples=1)
    assert found.ngrams("A", "B", 100, max_ngram_order=2)["ngram"][0] == "b c"
    longest = found.ngrams("A", "B", 100, max_ngram_order=9)
    assert (longest["ngram"][0], longest["order"][0]) == ("a b c d e f g", 7)
    assert found.ngrams("B", "A")["ngram"] == []
    assert found.ngrams("A", "B", 1, alpha=3.0)["share"][0] == 4 / 7


def test_long_and_odd_words_keep_their_letters() -> None:
    words = ["a\0b", "", "Donaudampfschifffahrt", "ä" * 5, "\ud800", "12345678", "123456789"]
    found = compare({"A": [words], "B": [["x"]]}, [[words]], BLEU(), n_resamples=1)
    assert sorted(found.ngrams("A", "B", max_ngram_order=1)["ngram"]) == sorted(words)


def test_ids_are_words() -> None:
    outputs: Any = {"A": [[1, -2, 3]], "B": [np.array([5, 5])]}
    found = compare(outputs, [[[1, -2, 4]]], BLEU(max_ngram_order=2), n_resamples=1)
    assert sorted(found.ngrams("A", "B")["ngram"]) == ["-2", "1", "1 -2"]
    assert found.ngrams("B", "A", what="over")["ngram"] == ["5", "5 5"]
    assert found.examples("A", "B")["output_a"] == ["1 -2 3"]


# Words are what a tokenizer says


def test_the_words_are_those_of_the_first_metric_of_words() -> None:
    systems, references = {"A": ["It's THE cat."], "B": ["x"]}, [["It's the cat."]]

    def words(*args: Any, **options: Any) -> list[int]:
        return [
            int(n)
            for n in compare(systems, references, *args, n_resamples=1, **options).scores["words"]
        ]

    assert words() == [4, 1]
    assert words([CHRF(), BLEU(tokenize="char")]) == [11, 1]
    assert words(CHRF()) == [4, 1]
    assert words(tokenize="none") == [3, 1]
    assert words(tokenize=lambda text: text.split("'")) == [2, 1]
    table = compare(systems, references, CHRF(), lowercase=True, n_resamples=1).words
    assert sum(row["right"] for row in rows_of(table, system="A")) == 4
    table = compare(systems, references, WER(lowercase=True), n_resamples=1).words
    assert sum(row["right"] for row in rows_of(table, system="A")) == 3
    table = compare(systems, references, WER(lowercase=True), lowercase=False, n_resamples=1).words
    assert sum(row["right"] for row in rows_of(table, system="A")) == 2


def test_layouts_and_threads_change_nothing(case: Any) -> None:
    systems, streams, found = case
    by_segment = [
        [text for text in several if text is not None] for several in zip(*streams, strict=True)
    ]
    other = compare(list(systems.items()), by_segment, layout="segment", threads=3, n_resamples=50)
    assert other.to_dict() == found.to_dict()
    assert other.references == found.references == by_segment


def test_arrow_and_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    systems, streams = made("german", 1)
    found = compare(systems, streams, n_resamples=10)
    for make in (pandas.Series, pyarrow.array):
        own = {name: make(texts) for name, texts in systems.items()}
        other = compare(own, [make(streams[0])], n_resamples=10)
        assert other.to_dict() == found.to_dict()
    lists = pyarrow.array([[text] for text in streams[0]])
    assert compare(systems, lists, n_resamples=10).to_dict() == found.to_dict()


# Examples and segments


@pytest.mark.parametrize("metric", ["BLEU", "TER"])
def test_examples(metric: str) -> None:
    systems, streams = made("ascii", 1)
    for name in systems:
        systems[name] += systems[name][:9]  # the same again
    streams[0] += streams[0][:9]
    sources = [f"source {i}" for i in range(N + 9)]
    found = compare(systems, streams, [BLEU(), TER()], sources=sources, n_resamples=5)
    scores = found.segment_scores[metric]
    sign = 1 if metric == "BLEU" else -1
    assert found.higher_is_better == {"BLEU": True, "TER": False}
    table = found.examples("A", "C", metric, 1000)
    gains = sign * (scores["A"] - scores["C"])
    chosen = table["segment"].tolist()
    shown = [(systems["A"][i], systems["C"][i], streams[0][i]) for i in range(N + 9)]
    expected = [i for i in range(N + 9) if gains[i] > 0 and shown.index(shown[i]) == i]
    assert chosen == sorted(expected, key=lambda i: (-gains[i], i))
    for i, *row in table.rows():
        a, c = float(scores["A"][i]), float(scores["C"][i])
        assert row == [a - c, a, c, *shown[i], sources[i]]
    assert list(found.examples("A", "C", metric, 2).rows()) == list(table.rows())[:2]
    assert "source" not in compare(systems, streams, n_resamples=5).examples("A", "C").names


def test_segments(case: Any) -> None:
    systems, streams, found = case
    table = found.segments
    assert table["segment"].tolist() == list(range(N))
    assert table["length"].tolist() == [len(several[0]) for several in references_of(streams)]
    for name, texts in systems.items():
        assert table[f"length_{name.lower()}"].tolist() == list(map(len, tokens(texts)))
        assert (
            table[f"chrf2_{name.lower()}"].tolist()
            == CHRF().segment_scores(texts, streams).tolist()
        )


def test_everything_is_json(case: Any) -> None:
    _, _, found = case
    again = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert again["scores"] == found.scores.to_dict()
    assert again["buckets"]["length"]["segments"] == found.buckets["length"]["segments"].tolist()
    assert [own["name"] for own in again["metrics"]] == found.metrics
    assert again["metrics"][0].pop("signature").startswith("nrefs:")
    assert again["metrics"][0] == {"name": "BLEU", "column": "bleu", "higher_is_better": True}
    assert "3 systems, 60 segments" in repr(found)


def test_empty_texts() -> None:
    found = compare({"A": ["", "a"], "B": ["", ""]}, [["", ""]], n_resamples=5)
    assert all(math.isnan(ratio) for ratio in found.scores["length_ratio"])
    assert found.ngrams("A", "B")["ngram"] == []
    assert found.ngrams("A", "B", what="over")["ngram"] == ["a"]


def test_progress_is_told() -> None:
    systems, streams = made("ascii", 1)
    told: list[tuple[int, int]] = []
    compare(systems, streams, n_resamples=100, progress=lambda done, n: told.append((done, n)))
    assert told[-1] == (100, 100)


# Bad input


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"systems": {}}, ValueError, "systems: expected at least one; got 0"),
        ({"systems": ["ab"]}, TypeError, r"systems\[0\]: expected a name and its hypotheses"),
        ({"systems": {"A": ["x", None]}}, TypeError, r"systems\['A'\]\[1\]: expected .*NoneType"),
        ({"systems": {"A": []}}, ValueError, r"systems\['A'\]: expected at least one segment"),
        ({"systems": {"A": "xy"}}, TypeError, r"systems\['A'\]: expected a sequence of segments"),
        ({"systems": {"A": ["x"]}}, ValueError, r"systems\['A'\]: expected 2 segments"),
        ({"references": ["x", "y"]}, TypeError, r"references\[0\]: expected a stream"),
        ({"references": [["x"]]}, ValueError, "expected 1 segments"),
        ({"references": [["x", None]]}, ValueError, "references"),
        ({"references": [["x", 5]]}, TypeError, r"references\[0\]\[1\]"),
        ({"references": BLEU().prepare([["x", "y"]])}, TypeError, "references: expected texts"),
        ({"layout": "both"}, ValueError, "layout: expected one of"),
        ({"metrics": "BLEU"}, TypeError, "metrics"),
        ({"metrics": [BLEU(), BLEU()]}, ValueError, r"metrics\[1\]: expected a name of its own"),
        ({"labels": ["x"]}, ValueError, "labels: expected one for each of 2 segments; got 1"),
        ({"labels": ["x", 1]}, TypeError, r"labels\[1\]: expected str; got int"),
        ({"labels": "xy"}, TypeError, "labels: expected a sequence of labels"),
        ({"sources": ["x", None]}, TypeError, r"sources\[1\]: expected str; got NoneType"),
        ({"baseline": "Z"}, ValueError, "baseline: expected one of A, B; got 'Z'"),
        ({"baseline": 2}, ValueError, "baseline: expected 0 to 1; got 2"),
        ({"n_resamples": 0}, ValueError, "n_resamples: expected at least 1; got 0"),
        ({"seed": -1}, ValueError, "seed: expected at least 0"),
        ({"level": 1}, ValueError, "level: expected a number between 0 and 1"),
        ({"threads": -1}, ValueError, "threads: expected 0"),
        ({"correction": "fdr"}, ValueError, "correction: expected one of holm, bonferroni, none"),
        ({"tokenize": "14a"}, ValueError, "tokenize: expected one of"),
        ({"scores": [1]}, TypeError, "scores: expected a dict by metric; got list"),
        ({"scores": {1: {}}}, TypeError, "scores: expected names of metrics; got int"),
        ({"scores": {"C": [1]}}, TypeError, r"scores\['C'\]: expected a dict by system; got list"),
        ({"scores": {"C": {"A": [1, 2]}}}, ValueError, "expected scores of 'B'; got none"),
        ({"scores": {"C": {"Z": [1, 2]}}}, ValueError, "expected systems; got 'Z'"),
        ({"scores": {"C": {"A": [1], "B": [1, 2]}}}, ValueError, r"\['A'\]: expected 2 scores"),
        (
            {"scores": {"C": {"A": [1, math.nan], "B": [1, 2]}}},
            ValueError,
            r"scores\['C'\]\['A'\]\[1\]: expected a number",
        ),
        (
            {"scores": {"C": {"A": ["x", "y"], "B": [1, 2]}}},
            TypeError,
            r"scores\['C'\]\['A'\]: expected numbers",
        ),
        ({"scores": {"BLEU": {"A": [1, 2], "B": [1, 2]}}}, ValueError, "a name of its own"),
        ({"cutoffs": [1]}, TypeError, "cutoffs: expected a dict by buckets; got list"),
        ({"cutoffs": {"size": [1]}}, ValueError, "cutoffs: expected buckets of length, .*'size'"),
        ({"cutoffs": {"length": []}}, ValueError, r"cutoffs\['length'\]: expected at least one"),
        ({"cutoffs": {"length": [1, 1]}}, ValueError, r"\['length'\]\[1\]: expected more than 1"),
        ({"cutoffs": {"length": [math.nan]}}, ValueError, r"\['length'\]\[0\]: expected"),
        ({"cutoffs": {"length": ["x"]}}, TypeError, r"\['length'\]\[0\]: expected a number"),
    ],
)
def test_bad_input(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    arguments: dict[str, Any] = {
        "systems": {"A": ["x", "y"], "B": ["x", "z"]},
        "references": [["x", "y"]],
        "n_resamples": 2,
    }
    with pytest.raises(error, match=message):
        compare(**(arguments | changes))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda c: c.ngrams("A", "A"), ValueError, "b: expected another system than 'A'"),
        (lambda c: c.ngrams("A", "Z"), ValueError, "b: expected one of A, B; got 'Z'"),
        (lambda c: c.ngrams("A", "B", 0), ValueError, "n: expected at least 1"),
        (lambda c: c.ngrams("A", "B", 5, "right"), ValueError, "what: expected one of match"),
        (
            lambda c: c.ngrams("A", "B", max_ngram_order=0),
            ValueError,
            "max_ngram_order: expected at least 1",
        ),
        (
            lambda c: c.ngrams("A", "B", min_ngram_order=5),
            ValueError,
            "max_ngram_order: expected at least 5",
        ),
        (lambda c: c.ngrams("A", "B", alpha=0), ValueError, "alpha: expected a number above 0"),
        (lambda c: c.ngrams("A", "B", alpha="x"), TypeError, "alpha: expected a number; got str"),
        (lambda c: c.examples("Z", "B"), ValueError, "a: expected one of A, B"),
        (lambda c: c.examples("A", "B", "COMET"), ValueError, "metric: expected one of BLEU"),
        (lambda c: c.examples("A", "B", n=1.5), TypeError, "n: expected int"),
    ],
)
def test_bad_questions(call: Any, error: type[Exception], message: str) -> None:
    found = compare({"A": ["x", "y"], "B": ["x", "z"]}, [["x", "y"]], n_resamples=2)
    with pytest.raises(error, match=message):
        call(found)


def test_notebooks_show_tables() -> None:
    found = compare({"<A>": ["a b"], "B": ["a c"]}, [["a b"]], n_resamples=5)
    page = found._repr_html_()
    assert page.count("<table>") == 5
    assert "&lt;A&gt;" in page and "<A>" not in page


# How many resamples


def constant_systems(n: int) -> dict[str, list[str]]:
    """Return systems that are rarely right, except the second one, which always is."""
    return {
        f"S{i}": ["a b c d" if i == 1 or j == i else "a x c y" for j in range(40)] for i in range(n)
    }


@pytest.mark.parametrize("n_systems", [11, 16])
@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
def test_many_systems_can_differ_significantly(n_systems: int, correction: Any) -> None:
    systems, references = constant_systems(n_systems), [["a b c d"] * 40]
    found = compare(systems, references, CHRF(), correction=correction)
    assert found.n_resamples == max(1000, 200 * math.comb(n_systems, 2))
    better = [p for _, a, b, *_, p, _ in found.tests.rows() if "S1" in (a, b)]
    assert len(better) == n_systems - 1
    assert all(p <= 0.005 for p in better)
    baseline = compare(systems, references, CHRF(), baseline="S1")
    assert baseline.n_resamples == 200 * (n_systems - 1)
    assert all(row[7] <= 0.005 for row in baseline.tests.rows())


@pytest.mark.parametrize(
    "options, least",
    [
        ({}, 59),
        ({"baseline": 1}, 39),
        ({"correction": "bonferroni"}, 59),
        ({"baseline": 0, "correction": "none"}, 19),
    ],
)
def test_too_few_resamples_to_find_a_difference(
    options: Any, least: int, caplog: pytest.LogCaptureFixture
) -> None:
    systems, references = constant_systems(3), [["a b c d"] * 40]
    compare(systems, references, CHRF(), n_resamples=least, **options)
    compare({"A": ["a"]}, [["b"]], n_resamples=1)
    assert not caplog.messages
    compare(systems, references, [CHRF(), TER()], n_resamples=least - 1, **options)
    [message] = caplog.messages
    assert message.startswith(f"{least - 1} resamples or trials: no corrected p of ")
    assert message.endswith(f" as small as 0.05, which takes {least}")
