"""Warnings of traps: references in the other layout, single segments without effective order."""

import itertools
import logging
import pickle
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import rapidbleu
from rapidbleu import (
    BLEU,
    CER,
    CHRF,
    METEOR,
    NIST,
    ROUGE,
    TER,
    WER,
    compare,
    corpus_bleu,
    corpus_chrf,
    select_oracle,
    sentence_bleu,
)
from rapidbleu.metrics.corpus import SQUARE
from rapidbleu.rewards import make_reward
from rapidbleu.significance import bootstrap, paired_bootstrap
from rapidbleu.tuning import NBestList, line_search
from support.corpora import perturb
from support.peers import peer

HYPS = ["the cat sat on the mat", "it rained all day long", "he came and he saw it"]
BY_SEGMENT = [
    ["a cat sat on the mat", "the cat sat on the mat", "the cat was on the mat"],
    ["it rained the whole day", "rain fell all day long", "it rained all day long"],
    ["he came and he saw it", "he came and looked at it", "he came , he saw it"],
]
STREAMS = [list(stream) for stream in zip(*BY_SEGMENT, strict=True)]
NBEST = [[text, f"{text} again"] for text in HYPS]

WORDS = [a + b for a in ("ba", "do", "ki", "lu", "me") for b in ("n", "rt", "ssel", "tung", "x")]

METRICS = [
    BLEU(),
    BLEU(effective_order=True),
    CHRF(),
    TER(),
    WER(),
    CER(),
    ROUGE("1"),
    NIST(),
    METEOR() if peer("Stemmer") else METEOR(modules=["exact"]),
]

CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "corpus_score": lambda metric, refs: metric.corpus_score(HYPS, refs),
    "intervals": lambda metric, refs: metric.corpus_score(HYPS, refs, 10),
    "two threads": lambda metric, refs: metric.corpus_score(HYPS, refs, threads=2),
    "prepared hypotheses": lambda metric, refs: metric.corpus_score(metric.prepare([HYPS]), refs),
    "segment_scores": lambda metric, refs: metric.segment_scores(HYPS, refs),
    "segment_stats": lambda metric, refs: metric.segment_stats(HYPS, refs),
    "corpus_stats": lambda metric, refs: metric.corpus_stats(HYPS, refs),
    "stats_table": lambda metric, refs: metric.stats_table(HYPS, refs),
    "segment_table": lambda metric, refs: metric.segment_table({"A": HYPS, "B": HYPS}, refs),
    "nbest_stats": lambda metric, refs: metric.nbest_stats(NBEST, refs),
    "nbest_scores": lambda metric, refs: metric.nbest_scores(
        HYPS * 9, refs, segments=[0, 1, 2] * 9
    ),
    "offsets": lambda metric, refs: metric.nbest_scores(HYPS, refs, offsets=[0, 1, 2, 3]),
    "running": lambda metric, refs: metric.running(refs, HYPS),
    "prepare": lambda metric, refs: metric.corpus_score(HYPS, metric.prepare(refs)),
    "pickled": lambda metric, refs: metric.corpus_score(
        HYPS, pickle.loads(pickle.dumps(metric.prepare(refs)))
    ),
    "constructor": lambda metric, refs: type(metric)(references=refs).corpus_score(HYPS),
    "bootstrap": lambda metric, refs: bootstrap(HYPS, refs, metric, n_resamples=10),
    "paired": lambda metric, refs: paired_bootstrap(
        {"A": HYPS, "B": HYPS[::-1]}, refs, metric, n_resamples=10
    ),
    "compare": lambda metric, refs: compare(
        {"A": HYPS, "B": HYPS[::-1]}, refs, [metric], n_resamples=10
    ),
    "tuples": lambda metric, refs: metric.corpus_score(HYPS, tuple(map(tuple, refs))),
    "tokens": lambda metric, refs: metric.corpus_score(
        [text.split() for text in HYPS], [[text.split() for text in own] for own in refs]
    ),
}


def sentences(rng: Random, n: int) -> list[str]:
    return [" ".join(rng.choices(WORDS, k=rng.randrange(5, 15))) for _ in range(n)]


@pytest.fixture
def advice(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """Return the layout warnings since the last call."""

    def told() -> list[str]:
        found = [record.getMessage() for record in caplog.records]
        caplog.clear()
        return [message for message in found if "layout" in message]

    caplog.set_level(logging.INFO)
    return told


def test_the_trap() -> None:
    assert BLEU().corpus_score(HYPS, BY_SEGMENT).score < 60
    assert BLEU().corpus_score(HYPS, BY_SEGMENT, layout="segment").score > 99


@pytest.mark.parametrize("name", CALLS)
def test_every_call_warns_once(name: str, advice: Callable[[], list[str]]) -> None:
    call = CALLS[name]
    for metric in (BLEU(effective_order=True), TER()):
        call(metric, BY_SEGMENT)
        (message,) = advice()
        assert "layout='segment'" in message
        assert type(metric).__name__ in message
        call(metric, STREAMS)
        assert advice() == []


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: type(metric).__name__)
def test_both_scores_are_in_the_message(metric: Any, advice: Callable[[], list[str]]) -> None:
    score = metric.corpus_score(HYPS, BY_SEGMENT).score
    other = metric.corpus_score(HYPS, BY_SEGMENT, layout="segment").score
    name = type(metric).__name__
    assert advice() == [
        f"references: 3 streams of 3 segments give {name} {score:.2f}, layout='segment' gives "
        f"{other:.2f}: use it if each list has the references of one segment"
    ]


def test_running_scores_warn_once(advice: Callable[[], list[str]]) -> None:
    running = BLEU(effective_order=True).running(BY_SEGMENT)
    assert advice() == []  # undecidable: all hypotheses are empty
    for text in HYPS * 3:
        running.replace(1, text)
    assert len(advice()) <= 1
    chrf = CHRF()
    references = chrf.prepare(BY_SEGMENT)
    for _ in range(3):
        chrf.corpus_score(HYPS, references)
    assert len(advice()) == 1


def test_where_there_is_one_reading(advice: Callable[[], list[str]]) -> None:
    bleu = BLEU()
    two = [own[:2] for own in BY_SEGMENT]
    bleu.corpus_score(HYPS, [list(stream) for stream in zip(*two, strict=True)])
    bleu.corpus_score(HYPS, two, layout="segment")
    bleu.corpus_score(HYPS, BY_SEGMENT, layout="segment")
    bleu.corpus_score(HYPS, bleu.prepare(BY_SEGMENT, layout="segment"))
    bleu.corpus_score(HYPS[:1], [HYPS[:1]])
    bleu.corpus_score(HYPS, STREAMS)
    assert advice() == []


def test_ties_are_no_advice(advice: Callable[[], list[str]]) -> None:
    CHRF().corpus_score(HYPS, [HYPS] * 3)  # the columns are right, and rows are not
    CHRF().corpus_score(["a", "b"], [["c", "d"], ["e", "f"]])
    CHRF().corpus_score(["a", "a"], [["a", "a"], ["a", "a"]])
    assert advice() == []


def test_missing_references(advice: Callable[[], list[str]]) -> None:
    """A row of None cannot be a segment."""
    BLEU().corpus_score(HYPS, [HYPS, [None] * 3, HYPS])
    assert advice() == []
    padded = [["x", None, None], *BY_SEGMENT[1:]]
    WER().corpus_score(["x", *HYPS[1:]], padded)
    assert len(advice()) == 1


@pytest.mark.parametrize("n", [2, 3, SQUARE, SQUARE + 1])
def test_squares_of_every_size(n: int, advice: Callable[[], list[str]]) -> None:
    rng = Random(n)
    texts = sentences(rng, n)
    by_segment = [[perturb(rng, text) for _ in range(n)] for text in texts]
    CHRF().corpus_score(texts, by_segment)
    assert len(advice()) == (n <= SQUARE)
    CHRF().corpus_score(texts, [list(own) for own in zip(*by_segment, strict=True)])
    assert advice() == []


def test_giants_are_not_scored_twice(advice: Callable[[], list[str]]) -> None:
    long = [[f"{text} " * 4000 for text in own] for own in BY_SEGMENT]
    hyps = [f"{text} " * 4000 for text in HYPS]
    WER().corpus_score([text[:100] for text in hyps], long)
    assert advice() == []


def test_streams_are_rarely_doubted(advice: Callable[[], list[str]]) -> None:
    """With two streams of two segments by two authors, the right reading scores higher."""
    rng = Random("streams")
    for _ in range(100):
        n = rng.randrange(2, 5)
        texts = sentences(rng, n)
        streams = [[perturb(rng, text) for text in texts] for _ in range(n)]
        BLEU(effective_order=True, force=True).corpus_score(
            [perturb(rng, text) for text in texts], streams
        )
    assert len(advice()) <= 2


def test_no_number_changes() -> None:
    for metric, refs in itertools.product(METRICS, (STREAMS, BY_SEGMENT)):
        arrays = [np.array(stream, object) for stream in refs]  # not inspected
        assert metric.segment_scores(HYPS, refs).tolist() == (
            metric.segment_scores(HYPS, arrays).tolist()
        )
        assert metric.num_refs == 3
        prepared = metric.prepare(refs)
        for _ in range(2):
            assert metric.corpus_score(HYPS, prepared).score == (
                metric.corpus_score(HYPS, arrays).score
            )


def test_functions_of_one_call_warn(advice: Callable[[], list[str]]) -> None:
    corpus_bleu(HYPS, BY_SEGMENT)
    corpus_chrf(HYPS, BY_SEGMENT)
    assert len(advice()) == 2


def test_drop_ins_are_silent(advice: Callable[[], list[str]]) -> None:
    from rapidbleu.sacrebleu import corpus_bleu as stand_in
    from rapidbleu.sacrebleu.metrics import BLEU as StandIn

    stand_in(HYPS, BY_SEGMENT)
    StandIn(references=BY_SEGMENT).corpus_score(HYPS, None, n_bootstrap=5)
    assert advice() == []


def test_gec_gleu_of_two_segments_is_silent(advice: Callable[[], list[str]]) -> None:
    texts = [f"{letter} " * 5 for letter in "abcd"]
    gleu = rapidbleu.GECGLEU()
    gleu.draw_scores([texts[1], texts[3]], texts[:2], [texts[2:]] * 2, n_draws=5)
    assert advice() == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["score"],
        ["score", "-sl"],
        ["score", "-b"],
        ["compare", "hyp.txt", "r0.txt", "-r", "r0.txt", "r1.txt", "r2.txt", "-n", "10"],
    ],
    ids=str,
)
def test_commands_are_silent(
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    from rapidbleu.cli import main

    monkeypatch.chdir(tmp_path)
    Path("hyp.txt").write_text("".join(f"{text}\n" for text in HYPS))
    for i, stream in enumerate(BY_SEGMENT):
        Path(f"r{i}.txt").write_text("".join(f"{text}\n" for text in stream))
    if arguments[0] == "score":
        arguments = ["r0.txt", "r1.txt", "r2.txt", "-i", "hyp.txt", *arguments[1:]]
    assert main(arguments) == 0
    out, err = capfd.readouterr()
    assert out
    assert "layout" not in err


def test_squares_of_ids_and_arrays(advice: Callable[[], list[str]]) -> None:
    ids = [[[ord(c) for c in text] for text in own] for own in BY_SEGMENT]
    hyps = [[ord(c) for c in text] for text in HYPS]
    for make in (list, tuple, np.array):
        WER().corpus_score(hyps, [[make(text) for text in own] for own in ids])
        assert len(advice()) == 1


TEXTS = ["He went home.", "It rained.", "It rained.", "It rained."]
GROUPS = [TEXTS, ["the cat sat", "a cat sat"]]
REFERENCES = [["She went home.", "It rains.", "It rained.", "Rain fell."]]

SEGMENT_LEVEL: dict[str, Callable[[Any], Any]] = {
    "select": lambda metric: metric.select(TEXTS),
    "select groups": lambda metric: metric.select(GROUPS, groups=True),
    "mbr": lambda metric: metric.mbr(TEXTS, weights=[1, 2, 3, 4]),
    "pairwise": lambda metric: metric.pairwise(TEXTS, REFERENCES[0]),
    "pool": lambda metric: metric.pool(TEXTS).scores(TEXTS[0]),
    "pool filtered": lambda metric: metric.pool().filter(TEXTS, 70),
    "self_scores": lambda metric: metric.self_scores(TEXTS),
    "nbest_scores": lambda metric: metric.nbest_scores([TEXTS[:2], TEXTS[2:]], [TEXTS[:2]]),
    "segment_scores": lambda metric: metric.segment_scores(TEXTS, REFERENCES),
    "segment_scores streamed": lambda metric: metric.segment_scores(iter(TEXTS), REFERENCES),
    "segment_table": lambda metric: metric.segment_table({"A": TEXTS, "B": TEXTS}, REFERENCES),
    "stats_table": lambda metric: metric.stats_table(TEXTS, REFERENCES).scores(),
    "sentence_score": lambda metric: metric.sentence_score(TEXTS[0], [REFERENCES[0][0]]),
    "explain": lambda metric: metric.explain(TEXTS[0], [REFERENCES[0][0]]),
    "reward": lambda metric: make_reward("trl", metric=metric)(TEXTS, ground_truth=TEXTS),
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
    "oracle": lambda metric: select_oracle(
        [TEXTS[:2], TEXTS[2:]], [TEXTS[:2]], metric=metric, restarts=1
    ),
    "line search": lambda metric: line_search(
        NBestList(np.eye(2), metric.nbest_stats([TEXTS[:2]], [TEXTS[:1]]), [0, 2], metric=metric),
        [1.0, 1.0],
        [1.0, 0.0],
    ),
    "bootstrap": lambda metric: bootstrap(
        metric.segment_stats(TEXTS, REFERENCES), None, metric, n_resamples=10
    ),
    "paired": lambda metric: paired_bootstrap(
        {"A": TEXTS, "B": TEXTS[::-1]}, REFERENCES, metric, n_resamples=10
    ),
    "compare": lambda metric: compare(
        {"A": TEXTS, "B": TEXTS[::-1]}, REFERENCES, [metric], n_resamples=20
    ),
}


@pytest.fixture
def messages(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    def told() -> list[str]:
        found = [record.getMessage() for record in caplog.records if record.name == "rapidbleu"]
        caplog.clear()
        return found

    caplog.set_level(logging.INFO)
    return told


def test_the_trap_of_orders() -> None:
    assert BLEU().select(TEXTS) == 0
    assert BLEU(effective_order=True).select(TEXTS) == 1
    assert BLEU().pairwise(["a b"]).tolist() == [[0.0]]


@pytest.mark.parametrize("name", SEGMENT_LEVEL)
def test_segment_level_methods_warn_once_a_metric(
    name: str, messages: Callable[[], list[str]]
) -> None:
    call = SEGMENT_LEVEL[name]
    for _ in range(2):
        metric = BLEU(force=True)
        call(metric)
        (message,) = messages()
        assert "effective_order=True" in message
        for other in SEGMENT_LEVEL.values():
            other(metric)
        call(pickle.loads(pickle.dumps(metric)))
        assert messages() == []


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
def test_metrics_made_for_segments_are_silent(
    metric: Any, messages: Callable[[], list[str]]
) -> None:
    for call in SEGMENT_LEVEL.values():
        call(metric)
    assert messages() == []


@pytest.mark.parametrize("name", CORPUS_LEVEL)
def test_corpus_level_methods_are_silent(name: str, messages: Callable[[], list[str]]) -> None:
    CORPUS_LEVEL[name](BLEU())
    assert messages() == []


def test_refused_calls_do_not_use_up_the_warning(messages: Callable[[], list[str]]) -> None:
    metric = BLEU()
    for call in (
        lambda: metric.pairwise(TEXTS, [3]),
        lambda: metric.nbest_scores([TEXTS], [["a", "b"]]),
        lambda: metric.segment_scores(TEXTS, [["a"]]),
    ):
        with pytest.raises((TypeError, ValueError)):
            call()
    assert messages() == []
    metric.pairwise(TEXTS)
    assert len(messages()) == 1


def test_defaults_of_functions_are_silent(messages: Callable[[], list[str]]) -> None:
    make_reward("trl")(TEXTS, ground_truth=TEXTS)
    sentence_bleu(TEXTS[0], REFERENCES[0][:1])
    compare({"A": TEXTS, "B": TEXTS[::-1]}, REFERENCES, n_resamples=20)
    assert messages() == []


def test_drop_ins_are_silent_about_orders(messages: Callable[[], list[str]]) -> None:
    from rapidbleu.nltk.bleu_score import sentence_bleu as nltk_bleu
    from rapidbleu.sacrebleu import corpus_bleu
    from rapidbleu.sacrebleu.metrics import BLEU as StandIn

    nltk_bleu([["a", "b", "c", "d"]], ["a", "b", "c", "d"])
    corpus_bleu(TEXTS, REFERENCES)
    StandIn(references=REFERENCES).corpus_score(TEXTS, None, n_bootstrap=5)
    assert messages() == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["mbr", "samples.txt", "--n-best", "2"],
        ["refs.txt", "-i", "hyps.txt", "-sl"],
        ["refs.txt", "-i", "hyps.txt", "-sl", "-b"],
        ["compare", "hyps.txt", "refs.txt", "-r", "refs.txt", "-n", "20"],
    ],
)
def test_commands_are_silent_about_orders(
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    from rapidbleu.cli import main

    monkeypatch.chdir(tmp_path)
    Path("hyps.txt").write_text("".join(f"{text}\n" for text in TEXTS))
    Path("refs.txt").write_text("".join(f"{text}\n" for text in REFERENCES[0]))
    Path("samples.txt").write_text("".join(f"{text}\n" for text in TEXTS))
    assert main(arguments) == 0
    assert "effective" not in capfd.readouterr().err


def test_every_method_is_looked_at() -> None:
    """A new scoring method must be added to one of the two lists."""
    known = {
        *(name.split()[0] for name in SEGMENT_LEVEL),
        "align",
        "corpus_score",
        "corpus_stats",
        "explain",
        "get_signature",
        "higher_is_better",
        "iter_nbest_stats",
        "load_pool",
        "map_stats",
        "n_bootstrap",
        "nbest_stats",
        "num_refs",
        "order_scores",
        "prepare",
        "references",
        "running",
        "save_stats",
        "score",
        "score_rows",
        "seed",
        "segment_stats",
        "stats_table",
        "tokenizer_signature",
    }
    named = {name for name in dir(rapidbleu.BLEU) if name[0].islower()}
    assert named <= known, named - known
