"""Scores of tuning methods on held-out segments, over all lists."""

from collections.abc import Iterator
from functools import partial

from bench.harness.corpora import Corpora
from bench.harness.measure import Case
from bench.lists import held_out
from bench.lists.held_out import BASE, Methods, for_dense
from bench.lists.tuning_lists import TuningList
from rapidbleu.tuning import mert, mira, pro, risk, tune

TOPIC = "generalisation"
_DENSE_ONLY = {
    BASE: held_out.base,
    "mert, no restarts": partial(mert, restarts=0),
    "20 bags of mert": partial(tune, method="mert"),
}
_OTHERS = {
    "mira": mira,
    "pro": pro,
    "risk": risk,
    "20 bags of risk": partial(tune, method="risk"),
    "tune": tune,
}
_SINGLE = (BASE, "mert, no restarts", "mira", "pro", "risk")  # without bags


def cases(corpora: Corpora) -> Iterator[Case]:
    return held_out.cases(TOPIC, corpora, methods, checked, rivals=_SINGLE)


def methods(one: TuningList) -> Methods:
    return {**for_dense(_DENSE_ONLY, one), **_OTHERS, "start": one.start}


def checked(one: TuningList) -> Methods:
    return {"start": one.start, "mira": partial(mira, epochs=1)}
