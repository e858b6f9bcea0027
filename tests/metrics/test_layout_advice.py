"""The warning of references given by segment where streams are expected, and both counts agree."""

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
)
from rapidbleu.metrics.corpus import SQUARE
from rapidbleu.significance import bootstrap, paired_bootstrap
from support.corpora import perturb

HYPS = ["the cat sat on the mat", "it rained all day long", "he came and he saw it"]
BY_SEGMENT = [
    ["a cat sat on the mat", "the cat sat on the mat", "the cat was on the mat"],
    ["it rained the whole day", "rain fell all day long", "it rained all day long"],
    ["he came and he saw it", "he came and looked at it", "he came , he saw it"],
]
STREAMS = [list(stream) for stream in zip(*BY_SEGMENT, strict=True)]
NBEST = [[text, f"{text} again"] for text in HYPS]

WORDS = [a + b for a in ("ba", "do", "ki", "lu", "me") for b in ("n", "rt", "ssel", "tung", "x")]

METRICS = [BLEU(), BLEU(effective_order=True), CHRF(), TER(), WER(), CER(), ROUGE("1"), METEOR(),
           NIST()]  # fmt: skip

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
    "bootstrap": lambda metric, refs: bootstrap(metric, HYPS, refs, n=10),
    "paired": lambda metric, refs: paired_bootstrap(
        {"A": HYPS, "B": HYPS[::-1]}, refs, metric, n=10
    ),
    "compare": lambda metric, refs: compare({"A": HYPS, "B": HYPS[::-1]}, refs, [metric], n=10),
    "tuples": lambda metric, refs: metric.corpus_score(HYPS, tuple(map(tuple, refs))),
    "tokens": lambda metric, refs: metric.corpus_score(
        [text.split() for text in HYPS], [[text.split() for text in own] for own in refs]
    ),
}  # fmt: skip


def sentences(rng: Random, n: int) -> list[str]:
    """Some sentences, each of its own words for the most part."""
    return [" ".join(rng.choices(WORDS, k=rng.randrange(5, 15))) for _ in range(n)]


@pytest.fixture
def advice(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """Return the warnings of layouts since the last call."""

    def messages() -> list[str]:
        found = [record.getMessage() for record in caplog.records]
        caplog.clear()
        return [message for message in found if "layout" in message]

    caplog.set_level(logging.INFO)
    return messages


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
    assert advice() == []  # nothing to go by: all hypotheses are empty
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
    CHRF().corpus_score(HYPS, [HYPS] * 3)  # columns are right, and rows are not
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
    """Of two streams of two segments, what two people wrote, the right reading scores higher."""
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
        arrays = [np.array(stream, object) for stream in refs]  # which are not looked at
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
    gleu.draw_scores([texts[1], texts[3]], texts[:2], [texts[2:]] * 2, draws=5)
    assert advice() == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["score"], ["score", "-sl"], ["score", "-b"],
        ["compare", "hyp.txt", "r0.txt", "-r", "r0.txt", "r1.txt", "r2.txt", "-n", "10"],
    ],
    ids=str,
)  # fmt: skip
def test_commands_are_silent(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
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
