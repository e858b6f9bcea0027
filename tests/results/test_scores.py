"""Scores as data: dicts, formats, comparison, notebooks, tables of segments and tests."""

import html
import json
import re
from typing import Any

import numpy as np
import pytest

import rapidbleu
from rapidbleu import BLEU, TER, SegmentScores
from rapidbleu.score import Score
from rapidbleu.significance import bootstrap, paired_bootstrap, paired_randomization
from support.family import MAKERS
from support.paired_tests import repeats

HYPS = ["the cat sat on a mat", "it rained today", "dogs bark"]
OTHERS = ["the cat sat on the mat", "it rains", "dogs do bark"]
REFS = [["the cat sat on the mat", "it rained", "the dogs bark"]]
SYSTEMS = {"A": HYPS, "B": OTHERS}


of_every_metric = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())


@of_every_metric
def test_scores_are_data(make: Any) -> None:
    metric = make()
    score = metric.corpus_score(HYPS, REFS, n_bootstrap=20)
    found = score.to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert (found["name"], found["score"]) == (score.name, score.score)
    own = {key: value for key, value in vars(score).items() if not key.startswith("_")}
    assert own.items() <= found.items()
    assert (found["mean"], (found["low"], found["high"])) == (score._mean, score.interval)
    assert f"{score:.3f}" == f"{score.score:.3f}"
    assert f"{score}" == str(score) == repr(score)
    again = metric.corpus_score(HYPS, REFS, n_bootstrap=20)
    assert again == score
    assert hash(again) == hash(score)
    assert score not in (metric.corpus_score(OTHERS, REFS), score.score, None)
    assert f">{score.name}</td>" in score._repr_html_()
    assert f">{score.score:.2f}</td>" in score._repr_html_()
    assert f"<p><code>{html.escape(score.signature)}</code></p>" in score._repr_html_()


def test_scores_of_different_kinds_are_different() -> None:
    assert Score("BLEU", 1.0) != Score("GLEU", 1.0)
    assert Score("BLEU", 1.0) == Score("BLEU", 1.0)
    a, b = Score("BLEU", 1.0), Score("BLEU", 1.0)
    a._take_samples([1.0, 2.0])
    assert a != b


def test_what_json_lacks_is_none() -> None:
    assert Score("X", float("nan")).to_dict() == {"name": "X", "score": None}
    assert TER().corpus_score(["a"], [[""]]).to_dict()["score"] is not None


def test_scores_that_are_no_metric_of_text() -> None:
    comet = SegmentScores("COMET")
    assert comet.score(comet.stats([0.5, 0.75])).to_dict() == {"name": "COMET", "score": 0.625}


# Tables of segments


@of_every_metric
def test_segments_of_systems(make: Any) -> None:
    metric = make()
    table = metric.segment_table(SYSTEMS, REFS)
    assert table.names == ("segment", "A", "B")
    assert table["segment"].tolist() == [0, 1, 2]
    for name, hyps in SYSTEMS.items():
        assert table[name].tolist() == metric.segment_scores(hyps, REFS).tolist()


def test_ids_layouts_and_prepared_references() -> None:
    bleu = BLEU(effective_order=True)
    by_segment = [[ref] for ref in REFS[0]]
    table = bleu.segment_table(SYSTEMS, by_segment, ids=["x", "y", "z"], layout="segment")
    assert table["segment"] == ["x", "y", "z"]
    assert table == bleu.segment_table(SYSTEMS, bleu.prepare(REFS), ids=("x", "y", "z"), threads=2)
    assert table == BLEU(effective_order=True, references=REFS).segment_table(
        SYSTEMS, ids=np.array(["x", "y", "z"])
    )


@pytest.mark.parametrize(
    ("systems", "ids", "error", "message"),
    [
        (HYPS, None, TypeError, "systems: expected a mapping of names to hypotheses; got list"),
        ({}, None, ValueError, "systems: expected at least one, with a name of its own; got none"),
        ({"segment": HYPS}, None, ValueError, "systems: expected at least one, with a name of it"),
        ({"A": HYPS, "B": HYPS[:2]}, None, ValueError, "systems['B']: "),
        ({"A": [*HYPS[:2], None]}, None, TypeError, "systems['A']: hypotheses[2]: expected "),
        (SYSTEMS, ["x"], ValueError, "ids: expected 3, one for each segment; got 1"),
        (SYSTEMS, "xyz", TypeError, "ids: expected a sequence of names or numbers; got a single"),
    ],
)
def test_bad_tables(systems: Any, ids: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        BLEU().segment_table(systems, REFS, ids=ids)
    assert str(caught.value).startswith(message)


# Tables of tests


@pytest.mark.parametrize("test", [paired_bootstrap, paired_randomization])
@pytest.mark.parametrize("baseline", [0, None])
def test_results_of_tests_are_tables(test: Any, baseline: int | None) -> None:
    found = test(SYSTEMS, REFS, [BLEU(), TER()], **repeats(test, 50), baseline=baseline)
    table = found["BLEU"].table()
    assert table.names == ("system", "score", "mean", "low", "high", "p_value")
    assert table["system"] == ["A", "B"]
    for name, *numbers in table.rows():
        own = found["BLEU"][name]
        low, high = own.interval or (None, None)
        assert numbers == [own.score, own.mean, low, high, own.p_value]
    shown = found["BLEU"]._repr_html_()
    known = [name for name, own in table.to_dict().items() if any(x is not None for x in own)]
    titles = re.findall(r"<th style[^>]*>([^<]*)</th>", shown)
    assert titles == ["p" if name == "p_value" else name for name in known]
    assert found["TER"]._repr_html_() in found._repr_html_()
    everything = found.to_dict()
    assert json.loads(json.dumps(everything, allow_nan=False)) == everything
    assert everything["scores"]["TER"]["B"] == found["TER"]["B"].to_dict()
    assert everything["p_values"]["TER"][0][1] == found.p_value("TER", "A", "B")
    assert everything["p_values"]["TER"][0][0] is None


def test_frames_of_tests() -> None:
    found = paired_bootstrap(SYSTEMS, REFS, [BLEU()], n_resamples=20)["BLEU"]
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    assert isinstance(found.to_pandas(), pd.DataFrame)
    assert isinstance(found.to_polars(), pl.DataFrame)
    assert found.to_pandas()["system"].tolist() == found.to_polars()["system"].to_list()


def test_resampled_scores() -> None:
    found = bootstrap(HYPS, REFS, BLEU(), n_resamples=20)
    assert f"{found:.1f}" == f"{found.score:.1f}"
    assert f"{found}" == repr(found)
    assert json.loads(json.dumps(found.to_dict())) == found.to_dict()
    assert (found.to_dict()["low"], found.to_dict()["high"]) == found.interval


def test_functions_give_such_scores() -> None:
    assert rapidbleu.sentence_bleu(HYPS[0], [REFS[0][0]]) == rapidbleu.sentence_bleu(
        HYPS[0], [REFS[0][0]]
    )
