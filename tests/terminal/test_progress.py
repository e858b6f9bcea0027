"""The convention of `progress`, for every public call that has it.

The callback is called as ``progress(done, total)`` with a constant total, up to which done rises;
at most some hundred times, never concurrently; its exceptions end the call; results are identical.
"""

import importlib
import inspect
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, TER, WeightedSum, select_oracle
from rapidbleu.alignment import IBMModel1
from rapidbleu.comparison import compare
from rapidbleu.meta import (
    bootstrap_test,
    compare_metrics,
    enumerate_orders,
    estimate_interval,
    fit_metric,
    permutation_test,
    rank_metrics,
    sample_orders,
    summarize_orders,
)
from rapidbleu.oracle import select_by_stats
from rapidbleu.parallel import Teller
from rapidbleu.significance import (
    bootstrap,
    estimate_power,
    paired_bootstrap,
    paired_randomization,
    sum_resamples,
)
from rapidbleu.tuning import (
    CrossValidation,
    NBestList,
    cross_validate,
    mert,
    mira,
    pro,
    read_nbest,
    read_stats,
    risk,
    tune,
    tune_repeatedly,
    write_nbest,
    write_stats,
)
from rapidbleu.tuning.moses.score_types import moses_metric
from support.calls.operations import plain
from support.corpora import random_corpus
from support.tuning_lists import made

Call = Callable[..., Any]
MOST = 500  # calls

pytestmark = pytest.mark.filterwarnings("ignore::rapidbleu.meta.MetaWarning")

MODULES = (
    "rapidbleu",
    "rapidbleu.alignment",
    "rapidbleu.meta",
    "rapidbleu.metrics",
    "rapidbleu.oracle",
    "rapidbleu.significance",
    "rapidbleu.tuning",
)

STREAMS = {"Metric.iter_nbest_stats"}  # the total is not known: None
WITH_SCIPY = {"pro", "risk", "tune"}

HYPS, REFS = random_corpus(Random("progress"), 700, kind="mixed", n_refs=2)
FEW, FEW_REFS = HYPS[:40], [stream[:40] for stream in REFS]
LISTS = [[hyp, ref, hyp] for hyp, ref in zip(HYPS[:300], REFS[1], strict=False)]
# Tuners return the best so far after Ctrl-C.
BEST_SO_FAR = {
    "tune, mert",
    "cross_validate",
    "mert",
    "mira",
    "pro",
    "risk",
    "tune",
    "tune_repeatedly",
}
LIST_REFS = [stream[:300] for stream in REFS]
TOKENS, TOKEN_REFS = ([text.split() or ["a"] for text in texts] for texts in (HYPS, REFS[0]))
SYSTEMS = {"A": HYPS, "B": REFS[1], "C": HYPS[1:] + HYPS[:1]}
HUMAN = {name: np.random.default_rng(i).random(60) for i, name in enumerate("ABCDE")}
METRIC = {name: own + np.random.default_rng(9).random(60) for name, own in HUMAN.items()}
OTHER = {name: own[::-1] for name, own in METRIC.items()}


def owner(kind: type, name: str) -> str:
    """Return the name of the class that defines an attribute."""
    return next(base.__name__ for base in kind.__mro__ if name in vars(base))


def functions() -> dict[str, Any]:
    """Return every public function and method with `progress`, by qualified name."""
    found = {}
    for module in map(importlib.import_module, MODULES):
        for name in getattr(module, "__all__", None) or [n for n in vars(module) if n[0] != "_"]:
            thing = getattr(module, name)
            several = {getattr(thing, "__qualname__", ""): thing}
            if inspect.isclass(thing):
                names = [own for own in dir(thing) if own[0] != "_" or own == "__call__"]
                several = {f"{owner(thing, own)}.{own}": getattr(thing, own) for own in names}
            for qualified, one in several.items():
                if (
                    inspect.isroutine(one)
                    and str(getattr(one, "__module__", "")).startswith("rapidbleu.")
                    and "progress" in inspect.signature(one).parameters
                    and one.__name__ != "check_progress"
                ):
                    found[qualified] = one
    return found


def without_times(found: CrossValidation) -> CrossValidation:
    return found._replace(seconds=np.zeros(0))


BLEU4, MIXTURE, NBEST = BLEU(), WeightedSum([BLEU(), TER()]), made(4)
ROWS = BLEU4.nbest_stats(LISTS, LIST_REFS)
TABLE = BLEU4.stats_table(HYPS, REFS)


@cache
def model() -> IBMModel1:
    return IBMModel1.fit(TOKENS, TOKEN_REFS, iterations=1)


@cache
def folder() -> "TemporaryDirectory[str]":
    """Return a folder of n-best lists."""
    made_one = TemporaryDirectory()
    bleu, place = moses_metric(["BLEU"]), Path(made_one.name)
    rows = bleu.nbest_stats(LISTS, LIST_REFS)
    nbest = NBestList(np.ones((900, 1)), rows, range(0, 901, 3), metric=bleu)
    write_stats(nbest, place / "features", place / "scores")
    text = [" ".join(hyp.split()) for several in LISTS for hyp in several]
    nbest = NBestList(np.ones((900, 1)), ROWS, range(0, 901, 3), hypotheses=text)
    write_nbest(nbest, place / "nbest.gz")
    return made_one


def written(name: str) -> Path:
    return Path(folder().name) / name


CALLS: dict[str, Call] = {
    "Metric.corpus_score": lambda **o: BLEU4.corpus_score(HYPS, REFS, **o),
    "Metric.corpus_score, TER": lambda **o: TER().corpus_score(HYPS, REFS, **o),
    "Metric.corpus_score, resampled": lambda **o: BLEU4.corpus_score(HYPS, REFS, 9, **o),
    "Metric.corpus_stats": lambda **o: BLEU4.corpus_stats(HYPS, REFS, **o),
    "Metric.segment_scores": lambda **o: TER().segment_scores(FEW, FEW_REFS, **o),
    "Metric.segment_stats": lambda **o: CHRF().segment_stats(HYPS, REFS, **o),
    "Metric.segment_stats, mixture": lambda **o: MIXTURE.segment_stats(HYPS, REFS, **o),
    "Metric.save_stats": lambda **o: BLEU4.save_stats(written("rows.npz"), HYPS, REFS, **o),
    "Metric.stats_table": lambda **o: BLEU4.stats_table(HYPS, REFS, **o).rows,
    "Metric.nbest_stats": lambda **o: BLEU4.nbest_stats(LISTS, LIST_REFS, **o),
    "Metric.nbest_stats, int32": lambda **o: BLEU4.nbest_stats(
        LISTS, LIST_REFS, dtype="int32", **o
    ),
    "Metric.nbest_stats, mixture": lambda **o: MIXTURE.nbest_stats(LISTS, LIST_REFS, **o),
    "Metric.nbest_scores": lambda **o: BLEU4.nbest_scores(LISTS, LIST_REFS, **o),
    "Metric.pairwise": lambda **o: BLEU4.pairwise(HYPS, REFS[0], **o),
    "Metric.pairwise, TER": lambda **o: TER().pairwise(FEW, FEW_REFS[0], **o),
    "Metric.pairwise, groups": lambda **o: BLEU4.pairwise(LISTS, groups=True, **o),
    "Metric.self_scores": lambda **o: BLEU4.self_scores(HYPS, **o),
    "Metric.self_scores, chrF": lambda **o: CHRF().self_scores(HYPS, **o),
    "Metric.self_scores, TER": lambda **o: TER().self_scores(FEW, **o),
    "Metric.self_scores, groups": lambda **o: BLEU4.self_scores(LISTS, groups=True, **o),
    "Metric.mbr": lambda **o: CHRF().mbr(FEW, FEW_REFS[1], **o),
    "Metric.mbr, groups": lambda **o: CHRF().mbr(LISTS, groups=True, **o),
    "Metric.select": lambda **o: BLEU4.select(HYPS, **o),
    "Metric.running": lambda **o: BLEU4.running(REFS, HYPS, **o),
    "select_oracle": lambda **o: select_oracle(LISTS, LIST_REFS, restarts=3, **o),
    "select_by_stats": lambda **o: select_by_stats(BLEU4, ROWS, range(0, 901, 3), **o),
    "IBMModel1.fit": lambda **o: IBMModel1.fit(TOKENS, TOKEN_REFS, iterations=3, **o).to_dict(),
    "IBMModel1.alignments": lambda **o: model().alignments(TOKENS, TOKEN_REFS, **o),
    "IBMModel1.expected_counts": lambda **o: model().expected_counts(TOKENS, TOKEN_REFS, **o),
    "IBMModel1.scores": lambda **o: model().scores(TOKENS, TOKEN_REFS, **o),
    "bootstrap": lambda **o: bootstrap(HYPS, REFS, BLEU4, n_resamples=10_000, **o),
    "compare": lambda **o: compare(SYSTEMS, REFS, n_resamples=99, **o).to_dict(),
    "sum_resamples": lambda **o: sum_resamples(ROWS, range(900), 999, **o),
    "StatsTable.sum_resamples": lambda **o: TABLE.sum_resamples(999, **o),
    "StatsTable.poisson_bootstrap": lambda **o: TABLE.poisson_bootstrap(999, **o),
    "paired_bootstrap": lambda **o: paired_bootstrap(SYSTEMS, REFS, BLEU4, n_resamples=999, **o),
    "paired_randomization": lambda **o: paired_randomization(
        SYSTEMS, REFS, [BLEU4, TER()], n_trials=9_999, n_resamples=99, **o
    ),
    "estimate_power": lambda **o: estimate_power(
        {"A": HYPS, "B": REFS[1]}, REFS, BLEU4, n_resamples=999, **o
    ),
    "estimate_power, never": lambda **o: estimate_power(
        dict.fromkeys("AB", HYPS), REFS, BLEU4, n_resamples=999, **o
    ),
    "bootstrap_test": lambda **o: bootstrap_test(HUMAN, METRIC, OTHER, n_resamples=999, **o),
    "estimate_interval": lambda **o: estimate_interval(HUMAN, METRIC, n_resamples=999, **o),
    "permutation_test": lambda **o: permutation_test(HUMAN, METRIC, OTHER, n_trials=999, **o),
    "rank_metrics": lambda **o: rank_metrics(HUMAN, {"a": METRIC, "b": OTHER}, n_trials=99, **o),
    "compare_metrics": lambda **o: compare_metrics(
        HUMAN, {"a": METRIC, "b": OTHER}, n_resamples=99, **o
    ),
    "fit_metric": lambda **o: fit_metric(HUMAN, {"a": METRIC, "b": OTHER}, **o),
    "summarize_orders": lambda **o: summarize_orders(HYPS, REFS, **o),
    "enumerate_orders": lambda **o: enumerate_orders(
        "the cat sat on a mat and it rained", ["it rained and the cat sat on the mat"], **o
    ),
    "sample_orders": lambda **o: sample_orders(
        "the cat sat on a mat and it rained", ["it rained and the cat sat on the mat"], **o
    ),
    "tune, mert": lambda **o: tune(NBEST, method="mert", bags=5, restarts=0, **o),
    "NBestList.from_lists": lambda **o: NBestList.from_lists(
        LISTS, np.ones((900, 1)), LIST_REFS, **o
    ),
    "cross_validate": lambda **o: without_times(
        cross_validate(NBEST, {"mira": "mira"}, splits=3, **o)
    ),
    "mert": lambda **o: mert(NBEST, restarts=5, **o),
    "mira": lambda **o: mira(NBEST, epochs=7, **o),
    "pro": lambda **o: pro(NBEST, **o),
    "risk": lambda **o: risk(NBEST, **o),
    "tune": lambda **o: tune(NBEST, **o),
    "tune_repeatedly": lambda **o: tune_repeatedly(NBEST, "mira", epochs=4, **o),
    "read_nbest": lambda **o: read_nbest(written("nbest.gz"), LIST_REFS, **o),
    "read_stats": lambda **o: read_stats(written("features"), written("scores"), **o),
}

THREADED = (
    "Metric.corpus_score",
    "Metric.segment_stats",
    "Metric.nbest_stats",
    "Metric.pairwise",
    "Metric.self_scores, groups",
    "Metric.mbr, groups",
    "IBMModel1.scores",
    "bootstrap",
    "StatsTable.poisson_bootstrap",
    "paired_randomization",
    "bootstrap_test",
    "mert",
    "cross_validate",
)


TOLD_BY_OTHERS = ("mert", "cross_validate")  # threads, one at a time


def told(call: Call, elsewhere: bool = False, **options: Any) -> tuple[Any, list[tuple[int, int]]]:
    """Return the result of a call and its progress reports."""
    seen: list[tuple[int, int]] = []
    own = threading.get_ident()
    busy = threading.Lock()

    def progress(done: int, total: int) -> None:
        assert busy.acquire(blocking=False), "called twice at once"
        assert elsewhere or threading.get_ident() == own
        seen.append((done, total))
        busy.release()

    return plain(call(progress=progress, **options)), seen


def check(seen: list[tuple[int, int]]) -> None:
    """Check the convention."""
    assert seen and len(seen) <= MOST
    assert all(type(number) is int for pair in seen for number in pair)
    done = [pair[0] for pair in seen]
    assert done == sorted(set(done)) and done[0] > 0
    assert {pair[1] for pair in seen} == {done[-1]}


def test_every_function_is_called() -> None:
    named = {name.partition(",")[0] for name in CALLS}
    assert functions().keys() - STREAMS == named
    assert len(named) > 35


@pytest.mark.parametrize("name", CALLS)
def test_progress_is_told(name: str) -> None:
    if name in WITH_SCIPY:
        pytest.importorskip("scipy")
    expected = plain(CALLS[name]())
    result, seen = told(CALLS[name])
    assert result == expected
    check(seen)


@pytest.mark.parametrize("name", THREADED)
def test_progress_of_threads(name: str) -> None:
    expected = plain(CALLS[name]())
    result, seen = told(CALLS[name], name in TOLD_BY_OTHERS, threads=3)
    assert result == expected
    check(seen)


class End(Exception):
    """An exception raised by a callback."""


@pytest.mark.parametrize("error", [End, KeyboardInterrupt])
@pytest.mark.parametrize("name", CALLS)
def test_what_it_raises_ends_the_call(name: str, error: type[BaseException]) -> None:
    if name in WITH_SCIPY:
        pytest.importorskip("scipy")
    seen = []

    def progress(*done: int) -> None:
        seen.append(done)
        raise error

    try:
        result = CALLS[name](progress=progress)
    except error:
        pass
    else:
        assert error is KeyboardInterrupt and name in BEST_SO_FAR and result.interrupted
    assert len(seen) == 1


@pytest.mark.parametrize("name", CALLS)
def test_what_cannot_be_called(name: str) -> None:
    with pytest.raises(TypeError, match="progress: expected a callable; got int"):
        CALLS[name](progress=5)


def test_pairs_of_other_threads_are_told_at_last() -> None:
    seen: list[tuple[int, int]] = []
    tell = Teller(lambda *done: seen.append(done), 10)
    other = threading.Thread(target=tell, args=(10,))
    other.start()
    other.join()
    assert seen == []
    tell.finish()
    assert seen == [(10, 10)]


def test_finishing_tells_nothing_twice() -> None:
    seen: list[tuple[int, int]] = []
    tell = Teller(lambda *done: seen.append(done), 10)
    tell(4)
    tell(6)
    tell.finish()
    assert seen == [(4, 10), (10, 10)]
