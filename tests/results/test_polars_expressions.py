"""The namespace of polars expressions, wherever polars evaluates them."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

pl = pytest.importorskip("polars")

import rapidbleu.adapters.polars  # noqa: E402
from rapidbleu import BLEU, CHRF, NIST, TER, sentence_bleu, sentence_chrf, sentence_ter  # noqa: E402
from support.corpora import random_corpus  # noqa: E402
from support.family import MAKERS  # noqa: E402

N = 60
HYPS, STREAMS = random_corpus(Random("polars"), N, kind="german", n_refs=2)
LISTS = [list(several) for several in zip(*STREAMS, strict=True)]
FRAME = pl.DataFrame(
    {
        "n": range(N),
        "hyp": HYPS,
        "a": STREAMS[0],
        "b": STREAMS[1],
        "refs": LISTS,
        "lang": [("de", "en", "nl")[i % 3] for i in range(N)],
    }
)
SEVERAL = {
    "one": ("a", STREAMS[:1]),
    "an expression": (pl.col("a"), STREAMS[:1]),
    "two": (["a", pl.col("b")], STREAMS),
    "a tuple": (("a", "b"), STREAMS),
    "lists": ("refs", STREAMS),
    "lists in brackets": (["refs"], STREAMS),
    "an array": (pl.col("refs").list.to_array(2), STREAMS),
    "views": (pl.concat_list("a", "b"), STREAMS),
    "categories": (pl.col("a").cast(pl.Categorical), STREAMS[:1]),
}
HYP: Any = pl.col("hyp")
# polars before 2 wraps what a function raises.
TYPE, VALUE = (TypeError, pl.exceptions.ComputeError), (ValueError, pl.exceptions.ComputeError)


def values(expression: Any, frame: Any = FRAME) -> list[Any]:
    found: list[Any] = frame.select(expression).to_series().to_list()
    return found


@pytest.mark.parametrize("references", SEVERAL)
def test_references(references: str) -> None:
    given, streams = SEVERAL[references]
    metric = CHRF(word_order=2)
    expected = metric.segment_scores(HYPS, streams).tolist()
    assert values(HYP.rapidbleu.segment_scores(given, metric)) == expected
    rows = values(HYP.rapidbleu.segment_stats(given, metric))
    assert [list(row.values()) for row in rows] == metric.segment_stats(HYPS, streams).tolist()
    [score] = values(HYP.rapidbleu.corpus_score(given, metric))
    assert score == metric.corpus_score(HYPS, streams).score


@pytest.mark.parametrize("name", MAKERS)
def test_metrics(name: str) -> None:
    """Return each text metric; fields of its rows are named like a table's columns."""
    metric = MAKERS[name]()
    expected = metric.corpus_score(HYPS, STREAMS[:1]).score
    assert values(HYP.rapidbleu.corpus_score("a", metric)) == [expected]
    scores, rows = (
        HYP.rapidbleu.segment_scores("a", metric),
        HYP.rapidbleu.segment_stats("a", metric),
    )
    assert values(scores) == metric.segment_scores(HYPS, STREAMS[:1]).tolist()
    own = FRAME.select(rows.struct.unnest())
    assert own.rows() == list(map(tuple, metric.segment_stats(HYPS, STREAMS[:1]).tolist()))
    table = metric.stats_table(HYPS, STREAMS[:1])
    assert own.columns == list(table.names[1:])
    assert set(own.dtypes) == {pl.Int64}
    assert metric.score(own.sum().row(0)).score == expected


ONE_CALL: dict[str, tuple[Callable[..., Any], list[dict[str, Any]]]] = {
    "sentence_bleu": (
        sentence_bleu,
        [
            {},
            {"smooth_method": "add-k", "smooth_value": 2},
            {"smooth_method": "floor"},
            {"lowercase": True},
            {"tokenize": "char"},
            {"tokenize": str.split},
            {"use_effective_order": False},
        ],
    ),
    "sentence_chrf": (
        sentence_chrf,
        [
            {},
            {"char_order": 3},
            {"word_order": 2},
            {"beta": 1},
            {"remove_whitespace": False},
            {"eps_smoothing": True, "char_order": 2},
        ],
    ),
    "sentence_ter": (
        sentence_ter,
        [
            {},
            {"normalized": True},
            {"no_punct": True},
            {"asian_support": True, "normalized": True},
            {"case_sensitive": True},
        ],
    ),
}


@pytest.mark.parametrize("name", ONE_CALL)
def test_functions_of_one_call(name: str) -> None:
    """With options by name and by position; each option has an effect."""
    function, options = ONE_CALL[name]
    hyps = ["The Cat, sat.", "on  the mat", "他说 好。", "Yes!"] * 2
    refs = ["the cat sat", "on a mat on", "他说:不好。", "yes"] * 2
    frame = pl.DataFrame({"hyp": hyps + HYPS, "ref": refs + STREAMS[0]})
    seen = []
    for own in options:
        found = values(getattr(HYP.rapidbleu, name)("ref", **own), frame)
        assert found == [function(h, [r], **own).score for h, r in frame.rows()]
        assert found not in seen
        seen.append(found)
    every: dict[str, Any] = {}
    for own in options:
        every = own | every
    in_order = [every[key] for key in function.__code__.co_varnames[2:] if key in every]
    expected = [function(h, [r], *in_order).score for h, r in frame.rows()]
    assert values(getattr(HYP.rapidbleu, name)("ref", *in_order), frame) == expected


def test_where_polars_evaluates() -> None:
    """Eager, lazy, streaming, groups, windows, chunks, slices, constants, nested expressions."""
    metric = BLEU(effective_order=True)
    expected = metric.segment_scores(HYPS, STREAMS[:1]).tolist()
    score = HYP.rapidbleu.segment_scores("a", metric)
    assert values(score, pl.concat([FRAME[:7], FRAME[7:8], FRAME[8:]], rechunk=False)) == expected
    assert values(score, FRAME[13:40]) == expected[13:40]
    assert values((score / 100).round(3)) == [round(x / 100, 3) for x in expected]
    lazy = FRAME.lazy().with_columns(score.alias("score"))
    assert lazy.collect_schema()["score"] == pl.Float64
    for engine in ("in-memory", "streaming"):
        found = lazy.filter(pl.col("n") >= 5).collect(engine=engine).sort("n")
        assert found["score"].to_list() == expected[5:]
    groups = FRAME.group_by("lang", maintain_order=True).agg(score.alias("score"))
    assert groups["score"].to_list() == [expected[i::3] for i in range(3)]
    assert values(score.over("lang")) == expected
    assert values(score.mean().over("lang"))[:3] == pytest.approx(
        [sum(expected[i::3]) / 20 for i in range(3)]
    )
    assert values(HYP.rapidbleu.segment_scores(pl.lit("x y"), TER())) == values(
        HYP.rapidbleu.segment_scores(pl.lit(pl.Series(["x y"] * N)), TER())
    )
    constant = pl.lit("x y").rapidbleu.segment_scores("a", TER())
    assert values(constant) == TER().segment_scores(["x y"] * N, STREAMS[:1]).tolist()
    assert pl.select(pl.lit("x y").rapidbleu.segment_scores(pl.lit("x"), TER())).item() == 100


def test_rows_in_groups() -> None:
    metric = TER()
    rows = HYP.rapidbleu.segment_stats("a", metric)
    expected = metric.segment_stats(HYPS, STREAMS[:1])
    for engine in ("in-memory", "streaming"):
        sums = (
            FRAME.lazy()
            .select("lang", rows.struct.unnest())
            .group_by("lang")
            .sum()
            .sort("lang")
            .collect(engine=engine)
        )
        assert [row[1:] for row in sums.rows()] == [
            tuple(expected[i::3].sum(axis=0).tolist()) for i in range(3)
        ]


@pytest.mark.parametrize("metric", [BLEU(), NIST()], ids=["BLEU", "NIST"])
def test_corpus_scores_of_groups(metric: Any) -> None:
    score = HYP.rapidbleu.corpus_score(["a", "b"], metric)
    expected = [
        metric.corpus_score(HYPS[i::3], [stream[i::3] for stream in STREAMS]).score
        for i in range(3)
    ]
    groups = FRAME.group_by("lang", maintain_order=True).agg(score.alias("score"))
    assert groups["score"].to_list() == expected
    assert values(score.over("lang")) == expected * (N // 3)
    lazy = FRAME.lazy().group_by("lang").agg(score.alias("score")).sort("lang")
    for engine in ("in-memory", "streaming"):
        assert lazy.collect(engine=engine)["score"].to_list() == expected
    alone = FRAME.lazy().select(score)
    assert alone.collect(engine="streaming").item() == metric.corpus_score(HYPS, STREAMS).score


def test_no_segments() -> None:
    none = FRAME[:0]
    assert values(HYP.rapidbleu.sentence_bleu("refs"), none) == []
    rows = none.select(HYP.rapidbleu.segment_stats("refs", TER()))
    assert (len(rows), rows.dtypes) == (
        0,
        FRAME.select(HYP.rapidbleu.segment_stats("refs", TER())).dtypes,
    )
    assert values(HYP.rapidbleu.corpus_score("refs", TER()), none) == [None]
    assert values(HYP.rapidbleu.sentence_ter(pl.lit("x")), none) == []


def test_nulls() -> None:
    """Scores without text are null in their rows; sums never are."""
    frame = pl.DataFrame(
        {
            "hyp": ["a b", None, "a b", "a b", "c", "a b"],
            "a": ["a b", "a", None, None, "c d", None],
            "b": ["a c", "a", "a b", None, None, "c"],
            "refs": [["a b", None], ["a"], ["a b"], [], ["c d"], None],
            "nothing": [None] * 6,
        }
    )
    assert values(HYP.rapidbleu.sentence_ter("a"), frame) == [0, None, None, None, 50, None]
    assert values(HYP.rapidbleu.sentence_ter(["a", "b"]), frame) == [0, None, 0, None, 50, 200]
    assert values(HYP.rapidbleu.sentence_ter("refs"), frame) == [0, None, 0, None, 50, None]
    assert values(HYP.rapidbleu.sentence_ter(pl.col("refs").list.head(1)), frame[:3]) == [
        0,
        None,
        0,
    ]
    arrays = pl.Series([["a b", None], [None, None], None], dtype=pl.Array(pl.String, 2))
    assert values(HYP.rapidbleu.sentence_ter(pl.lit(arrays)), frame[[0, 2, 3]]) == [0, None, None]
    assert values(HYP.rapidbleu.sentence_ter("nothing"), frame) == [None] * 6
    assert values(HYP.rapidbleu.sentence_ter(["nothing", "a"]), frame)[::4] == [0, 50]
    assert values(pl.col("nothing").rapidbleu.sentence_ter("a"), frame) == [None] * 6
    known = pl.when(HYP.is_not_null()).then(HYP.rapidbleu.sentence_ter(["a", "b"])).otherwise(-1)
    assert values(known, frame)[:2] == [0, -1]
    for method in ("segment_stats", "corpus_score"):

        def own(refs: Any, method: str = method) -> Any:
            return getattr(HYP.rapidbleu, method)(refs, TER())

        with pytest.raises(TYPE, match=r"hypotheses\[1\]: expected str"):
            values(own("b"), frame)
        with pytest.raises(VALUE, match=r"segment 1 has no reference"):
            values(own(["a", "b"]), frame[2:])


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="references: expected at least one column; got none"):
        HYP.rapidbleu.sentence_bleu([])
    for method in ("segment_scores", "segment_stats"):
        with pytest.raises(ValueError, match="expected rows that add up; got some of NIST"):
            getattr(HYP.rapidbleu, method)("a", NIST())
    with pytest.raises(ValueError, match="smooth_method"):
        HYP.rapidbleu.sentence_bleu("a", "expp")
    with pytest.raises(TYPE, match="hypotheses: expected an Arrow column of strings"):
        values(pl.col("n").rapidbleu.sentence_bleu("a"))
    with pytest.raises(pl.exceptions.ColumnNotFoundError, match="nowhere"):
        values(HYP.rapidbleu.sentence_bleu("nowhere"))
    two = pl.lit(pl.Series(["x", "y"]))
    for method in ("segment_scores", "segment_stats", "corpus_score"):
        for given, names in ((two, r"references\[0\] has 2"), (["a", two], r".*\[1\] has 2")):
            with pytest.raises(VALUE, match=f"numbers of segments differ: .* has 60, {names}"):
                values(getattr(HYP.rapidbleu, method)(given, TER()))


def test_module_is_the_adapter() -> None:
    assert rapidbleu.adapters.polars.__all__ == ["TextExpressions"]
    assert isinstance(HYP.rapidbleu, rapidbleu.adapters.polars.TextExpressions)
