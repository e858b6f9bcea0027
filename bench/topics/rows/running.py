"""The corpus score as segments change: one at a time, and for all alternatives beforehand."""

from collections.abc import Callable, Iterator
from itertools import chain, pairwise
from random import Random
from typing import Any

import numpy as np

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora
from bench.harness.measure import Comparison, Contender
from bench.lists.language import german
from rapidbleu.running import RunningScore

TOPIC = "running"
_N_SEGMENTS = 1000
_N_BEST = 100
_MANY = 1000
_CLOSE = "BLEU of all within 1e-9"
_EXACT = "all scores: =="
_NUMPY = "NumPy is compiled; logarithms and exp are most of the time"
LIMITS = {
    f"score with each of {_N_BEST} alternatives, one call": _NUMPY,
    f"score with each of {_N_SEGMENTS * _N_BEST} alternatives of all segments": _NUMPY,
}


def cases(corpora: Corpora) -> Iterator[Comparison]:
    corpus = corpora.german.head(_N_SEGMENTS)
    metric = rapidbleu.BLEU(smooth_method="none")
    rows = metric.segment_stats(corpus.hypotheses, corpus.references)
    nbest = _alternatives(metric, corpus.references[0], _N_BEST)
    many = _alternatives(metric, corpus.references[0][:1], _MANY)[0]
    yield _replace(metric, corpus.name, rows, nbest)
    yield _score_if(metric, corpus.name, rows, list(enumerate(nbest)))
    yield _score_if(metric, corpus.name, rows, [(0, many)])
    yield _score_if_all(metric, corpus.name, rows, nbest)


def _alternatives(metric: rapidbleu.BLEU, references: list[str], n: int) -> list[Any]:
    """Return rows of n hypotheses for each reference, which are edits of it."""
    language, rng = german(), Random("n-best")
    hyps = [language.edited(rng, text) for text in references for _ in range(n)]
    copies = [text for text in references for _ in range(n)]
    rows = metric.segment_stats(hyps, [copies])
    return [rows[i : i + n].copy() for i in range(0, len(rows), n)]


def _replace(metric: rapidbleu.BLEU, corpus: str, rows: Any, nbest: list[Any]) -> Comparison:
    """Give each segment two alternatives and then its old row again, one call each."""
    moves = [(i, row.copy()) for i, some in enumerate(nbest) for row in (some[0], some[1], rows[i])]
    running = RunningScore(metric, rows)

    def replace_all(running: RunningScore = running) -> list[float]:
        return [running.replace(i, row) for i, row in moves]

    lists, state = [(i, row.tolist()) for i, row in moves], rows.tolist()

    def replace_in_lists(sacrebleu: Any) -> list[float]:
        score = sacrebleu.BLEU(smooth_method="none")._compute_score_from_stats
        return _replace_in_lists(score, state, lists)

    theirs = peers.rival(
        "sacrebleu, totals in a list", "sacrebleu", replace_in_lists, compared=_EXACT
    )
    return Comparison(
        TOPIC,
        "replace a row, score the corpus, one call",
        corpus,
        Contender(
            "rapidbleu",
            replace_all,
            outcome=lambda: replace_all(RunningScore(metric, rows)),
        ),
        theirs,
        len(moves),
        "replacement",
        headline=True,
    )


def _replace_in_lists(
    score: Callable[[list[int]], Any], rows: list[list[int]], moves: list[tuple[int, list[int]]]
) -> list[float]:
    totals = [sum(column) for column in zip(*rows, strict=True)]
    scores = []
    for i, new in moves:
        totals = [total - old + one for total, old, one in zip(totals, rows[i], new, strict=True)]
        rows[i] = new
        scores.append(score(totals).score)
    return scores


def _score_if(
    metric: rapidbleu.BLEU, corpus: str, rows: Any, questions: list[tuple[int, Any]]
) -> Comparison:
    running = RunningScore(metric, rows)
    totals = rows.sum(0)
    ours = lambda: [running.score_if(i, some) for i, some in questions]  # noqa: E731
    exact = lambda: [metric.score_rows(totals - rows[i] + some) for i, some in questions]  # noqa: E731
    plain = lambda: [_numpy_bleu(totals - rows[i] + some) for i, some in questions]  # noqa: E731
    n = len(questions[0][1])
    return Comparison(
        TOPIC,
        f"score with each of {n} alternatives, one call",
        corpus,
        Contender("rapidbleu", ours, outcome=lambda: _joined(ours())),
        [
            Contender(
                "NumPy",
                plain,
                outcome=lambda: _joined(plain()),
                agrees=peers.within(1e-9),
                compared=_CLOSE,
            ),
            Contender(
                "rapidbleu score_rows",
                exact,
                outcome=lambda: _joined(exact()),
                compared=_EXACT,
                timed=False,
            ),
        ],
        sum(len(some) for _, some in questions),
        "alternative",
        headline=n == _N_BEST,
    )


def _score_if_all(metric: rapidbleu.BLEU, corpus: str, rows: Any, nbest: list[Any]) -> Comparison:
    running = RunningScore(metric, rows)
    alternatives = np.concatenate(nbest)
    offsets = np.arange(len(nbest) + 1) * _N_BEST
    totals = rows.sum(0)
    n = len(alternatives)

    def plain() -> Any:
        return _numpy_bleu(np.repeat(totals - rows, np.diff(offsets), axis=0) + alternatives)

    def one_by_one() -> list[float]:
        parts = enumerate(pairwise(offsets))
        return _joined([running.score_if(i, alternatives[a:b]) for i, (a, b) in parts])

    ours = lambda: running.score_if_all(alternatives, offsets)  # noqa: E731
    return Comparison(
        TOPIC,
        f"score with each of {n} alternatives of all segments",
        corpus,
        Contender("rapidbleu", ours, outcome=lambda: ours().tolist()),
        [
            Contender(
                "NumPy",
                plain,
                outcome=lambda: plain().tolist(),
                agrees=peers.within(1e-9),
                compared=_CLOSE,
            ),
            Contender("rapidbleu score_if", one_by_one, compared=_EXACT, timed=False),
        ],
        n,
        "alternative",
        headline=True,
    )


def _joined(parts: list[Any]) -> list[float]:
    return list(chain.from_iterable(part.tolist() for part in parts))


def _numpy_bleu(stats: Any) -> Any:
    hyp_len, ref_len = stats[:, 0], stats[:, 1]
    with np.errstate(divide="ignore"):
        log_precisions = np.log(100 * stats[:, 2:6] / stats[:, 6:10])
    bp = np.where(hyp_len < ref_len, np.exp(1 - ref_len / hyp_len), 1.0)
    return bp * np.exp(log_precisions.mean(axis=1))
