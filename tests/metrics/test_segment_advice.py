"""The warning that single segments want BLEU's effective order: once a metric, in every method."""

import logging
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rapidbleu
from rapidbleu import (
    BLEU,
    CHRF,
    TER,
    compare,
    oracle_bleu,
    sentence_bleu,
)
from rapidbleu.rewards import bleu_reward
from rapidbleu.significance import bootstrap, paired_bootstrap
from rapidbleu.tuning import NBestList, line_search

TEXTS = ["He went home.", "It rained.", "It rained.", "It rained."]
GROUPS = [TEXTS, ["the cat sat", "a cat sat"]]
REFERENCES = [["She went home.", "It rains.", "It rained.", "Rain fell."]]

SEGMENT_LEVEL: dict[str, Callable[[Any], Any]] = {
    "select": lambda metric: metric.select(TEXTS),
    "select groups": lambda metric: metric.select(GROUPS, groups=True),
    "mbr": lambda metric: metric.mbr(TEXTS, weights=[1, 2, 3, 4]),
    "pairwise": lambda metric: metric.pairwise(TEXTS, REFERENCES[0]),
    "self_scores": lambda metric: metric.self_scores(TEXTS),
    "nbest_scores": lambda metric: metric.nbest_scores([TEXTS[:2], TEXTS[2:]], [TEXTS[:2]]),
    "segment_scores": lambda metric: metric.segment_scores(TEXTS, REFERENCES),
    "segment_scores streamed": lambda metric: metric.segment_scores(iter(TEXTS), REFERENCES),
    "segment_table": lambda metric: metric.segment_table({"A": TEXTS, "B": TEXTS}, REFERENCES),
    "stats_table": lambda metric: metric.stats_table(TEXTS, REFERENCES).scores(),
    "sentence_score": lambda metric: metric.sentence_score(TEXTS[0], [REFERENCES[0][0]]),
    "explain": lambda metric: metric.explain(TEXTS[0], [REFERENCES[0][0]]),
    "reward": lambda metric: bleu_reward("trl", metric=metric)(TEXTS, ground_truth=TEXTS),
}

CORPUS_LEVEL: dict[str, Callable[[Any], Any]] = {
    "corpus_score": lambda metric: metric.corpus_score(TEXTS, REFERENCES),
    "intervals": lambda metric: metric.corpus_score(TEXTS, REFERENCES, 10),
    "corpus_stats": lambda metric: metric.corpus_stats(TEXTS, REFERENCES),
    "segment_stats": lambda metric: metric.score(metric.segment_stats(TEXTS, REFERENCES)),
    "score_rows": lambda metric: metric.score_rows(metric.segment_stats(TEXTS, REFERENCES)),
    "nbest_stats": lambda metric: metric.nbest_stats([TEXTS[:2], TEXTS[2:]], [TEXTS[:2]]),
    "iter_nbest_stats": lambda metric: list(metric.iter_nbest_stats(enumerate(TEXTS), REFERENCES)),
    "running": lambda metric: metric.running(REFERENCES, TEXTS).replace(0, "It went home."),
    "oracle": lambda metric: oracle_bleu(
        [TEXTS[:2], TEXTS[2:]], [TEXTS[:2]], metric=metric, restarts=1
    ),
    "line search": lambda metric: line_search(
        NBestList(np.eye(2), metric.nbest_stats([TEXTS[:2]], [TEXTS[:1]]), [0, 2], metric=metric),
        [1.0, 1.0],
        [1.0, 0.0],
    ),
    "bootstrap": lambda metric: bootstrap(metric, metric.segment_stats(TEXTS, REFERENCES), n=10),
    "paired": lambda metric: paired_bootstrap(
        {"A": TEXTS, "B": TEXTS[::-1]}, REFERENCES, metric, n=10
    ),
    "compare": lambda metric: compare({"A": TEXTS, "B": TEXTS[::-1]}, REFERENCES, [metric], n=20),
}


@pytest.fixture
def advice(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """Return the messages since the last call."""

    def messages() -> list[str]:
        found = [record.getMessage() for record in caplog.records if record.name == "rapidbleu"]
        caplog.clear()
        return found

    caplog.set_level(logging.INFO)
    return messages


def test_the_trap() -> None:
    assert BLEU().select(TEXTS) == 0
    assert BLEU(effective_order=True).select(TEXTS) == 1
    assert BLEU().pairwise(["a b"]).tolist() == [[0.0]]


@pytest.mark.parametrize("name", SEGMENT_LEVEL)
def test_segment_level_methods_warn_once_a_metric(
    name: str, advice: Callable[[], list[str]]
) -> None:
    call = SEGMENT_LEVEL[name]
    for _ in range(2):
        metric = BLEU(force=True)
        call(metric)
        (message,) = advice()
        assert "effective_order=True" in message
        for other in SEGMENT_LEVEL.values():
            other(metric)
        call(pickle.loads(pickle.dumps(metric)))
        assert advice() == []


@pytest.mark.parametrize(
    "metric",
    [
        BLEU(effective_order=True),
        BLEU(smooth_method="nltk1"),
        BLEU(max_ngram_order=1),
        CHRF(),
        TER(),
    ],
    ids=["effective order", "nltk", "unigrams", "chrF", "TER"],
)
def test_metrics_made_for_segments_are_silent(metric: Any, advice: Callable[[], list[str]]) -> None:
    for call in SEGMENT_LEVEL.values():
        call(metric)
    assert advice() == []


@pytest.mark.parametrize("name", CORPUS_LEVEL)
def test_corpus_level_methods_are_silent(name: str, advice: Callable[[], list[str]]) -> None:
    CORPUS_LEVEL[name](BLEU())
    assert advice() == []


def test_refused_calls_do_not_use_up_the_warning(advice: Callable[[], list[str]]) -> None:
    metric = BLEU()
    for call in (
        lambda: metric.pairwise(TEXTS, [3]),
        lambda: metric.nbest_scores([TEXTS], [["a", "b"]]),
        lambda: metric.segment_scores(TEXTS, [["a"]]),
    ):
        with pytest.raises((TypeError, ValueError)):
            call()
    assert advice() == []
    metric.pairwise(TEXTS)
    assert len(advice()) == 1


def test_defaults_of_functions_are_silent(advice: Callable[[], list[str]]) -> None:
    bleu_reward("trl")(TEXTS, ground_truth=TEXTS)
    sentence_bleu(TEXTS[0], REFERENCES[0][:1])
    compare({"A": TEXTS, "B": TEXTS[::-1]}, REFERENCES, n=20)
    assert advice() == []


def test_drop_ins_are_silent(advice: Callable[[], list[str]]) -> None:
    from rapidbleu.nltk.bleu_score import sentence_bleu as nltk_bleu
    from rapidbleu.sacrebleu import corpus_bleu
    from rapidbleu.sacrebleu.metrics import BLEU as StandIn

    nltk_bleu([["a", "b", "c", "d"]], ["a", "b", "c", "d"])
    corpus_bleu(TEXTS, REFERENCES)
    StandIn(references=REFERENCES).corpus_score(TEXTS, None, n_bootstrap=5)
    assert advice() == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["mbr", "samples.txt", "-n", "2"],
        ["refs.txt", "-i", "hyps.txt", "-sl"],
        ["refs.txt", "-i", "hyps.txt", "-sl", "-b"],
        ["compare", "hyps.txt", "refs.txt", "-r", "refs.txt", "-n", "20"],
    ],
)
def test_commands_are_silent(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    from rapidbleu.cli import main

    monkeypatch.chdir(tmp_path)
    Path("hyps.txt").write_text("".join(f"{text}\n" for text in TEXTS))
    Path("refs.txt").write_text("".join(f"{text}\n" for text in REFERENCES[0]))
    Path("samples.txt").write_text("".join(f"{text}\n" for text in TEXTS))
    assert main(arguments) == 0
    assert "effective" not in capfd.readouterr().err


def test_every_method_is_looked_at() -> None:
    """Of methods that score, a new one belongs to the one list or to the other."""
    known = {
        *(name.split()[0] for name in SEGMENT_LEVEL),
        "align", "corpus_score", "corpus_stats", "explain", "get_signature", "higher_is_better",
        "iter_nbest_stats", "map_stats", "n_bootstrap", "nbest_stats", "num_refs", "order_scores",
        "prepare", "references", "running", "save_stats", "score", "score_rows", "seed",
        "segment_stats", "stats_table", "tokenizer_signature",
    }  # fmt: skip
    named = {name for name in dir(rapidbleu.BLEU) if name[0].islower()}
    assert named <= known, named - known
