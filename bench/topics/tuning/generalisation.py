"""What methods of tuning score on segments that they have not seen, over all lists.

Each list is divided into halves at random, several times; each method is tuned on one half and
tested on the other, the same halves for all. Differences are from MERT with 20 restarts, and above
0 where a method is better, whatever the metric.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bench.harness import peers
from bench.harness.corpora import Corpora
from bench.harness.measure import FULL, Case, Difference, Effort, Record
from bench.harness.tuning_lists import TuningList, tuning_lists
from rapidbleu.tuning import (
    CrossValidation,
    NBestList,
    bagged,
    cross_validate,
    mert,
    mira,
    pro,
    random_halves,
)

TOPIC = "generalisation"
BASE = "mert, 20 restarts"
_SPLITS, _FEW_SPLITS = 6, 2
_DENSE_ONLY = {
    BASE: partial(mert, restarts=20),
    "mert, no restarts": partial(mert, restarts=0),
    "20 bags of mert": bagged("mert"),
}
_OTHERS = {"mira": mira, "pro": pro}
_Gains = dict[str, list[tuple[float, float, float]]]  # with standard errors and times


def cases(corpora: Corpora) -> Iterator[Case]:
    """One for each list, and the mean of all."""
    if peers.load("scipy") is None:
        return
    gains: _Gains = {}
    for one in tuning_lists(corpora):
        yield ListCase(one, gains)
    yield MeanCase(gains)


@dataclass(frozen=True)
class ListCase:
    """Methods on one list.

    Parameters
    ----------
    one
        The list.
    gains
        Gets the difference of each method from `BASE`, its standard error, and the time.
    """

    one: TuningList
    gains: _Gains

    def check(self) -> int:
        """Compare scores of both halves with those that NumPy computes of the same weights."""
        nbest, halves = self.one.nbest, random_halves(self.one.nbest.n_segments, _FEW_SPLITS)
        tuners = {"start": self.one.start, "mira": partial(mira, epochs=1)}
        found = cross_validate(nbest, tuners, splits=halves, weights=self.one.start)
        for i, own in enumerate(found.weights):
            for weights, parts, *scores in zip(
                own, halves, found.train[i], found.test[i], strict=True
            ):
                expected = [_score(nbest, part, weights) for part in parts]
                if scores != expected:
                    raise Difference(
                        f"{TOPIC}, {self.one.name}, {found.methods[i]}: rapidbleu scores {scores}, "
                        f"NumPy {expected}"
                    )
        return 2 * found.train.size

    def measure(self, effort: Effort) -> list[Record]:
        """Tune and test."""
        one, n = self.one, _SPLITS if effort.seconds >= FULL.seconds else _FEW_SPLITS
        tuners: dict[str, Any] = {**_DENSE_ONLY, **_OTHERS, "start": one.start}
        if one.nbest.is_sparse:
            tuners.update((name, _on_dense(_DENSE_ONLY[name], one.n_dense)) for name in _DENSE_ONLY)
        found = cross_validate(one.nbest, tuners, splits=n, weights=one.start)
        return [self._record(found, name) for name in found.methods]

    def _record(self, found: CrossValidation, name: str) -> Record:
        i, n = found.methods.index(name), found.test.shape[1]
        pair = (name, BASE) if found.higher_is_better else (BASE, name)
        difference, time = found.difference(*pair), 1e9 * float(found.seconds[i].mean())
        self.gains.setdefault(name, []).append((difference.mean, difference.error, time))
        n_tuned = self.one.nbest.n_segments // 2
        return Record(
            TOPIC, name, self.one.name, "wall ns", time, n_tuned, "segment", n,
            scores={"train": float(found.train[i].mean()), "test": float(found.test[i].mean()),
                    "gain": difference.mean, "error": difference.error},
        )  # fmt: skip


@dataclass(frozen=True)
class MeanCase:
    """The mean of the differences over all lists."""

    gains: _Gains

    def check(self) -> int:
        """Return 0: there is nothing to compare."""
        return 0

    def measure(self, effort: Effort) -> list[Record]:
        """The means; the least of a method's gains; how far it is from the best other, on average.

        Standard errors take lists for independent ones.
        """
        gains = np.array(list(self.gains.values()))[..., 0]
        records = []
        for i, (name, found) in enumerate(self.gains.items()):
            gain, _, time = np.mean(found, axis=0).tolist()
            errors = np.array([error for _, error, _ in found])
            others = np.delete(gains, i, axis=0).max(axis=0)
            scores = {
                "gain": gain, "error": float(np.sqrt((errors**2).sum())) / len(found),
                "least gain": float(gains[i].min()),
                "from best other": float((gains[i] - others).mean()),
            }  # fmt: skip
            records.append(Record(
                TOPIC, name, "mean of lists", "wall ns", time, 1, "list", len(found), scores=scores
            ))  # fmt: skip
        return records


def _on_dense(tune: Callable[..., Any], n_dense: int) -> Callable[..., Any]:
    """Tuning that leaves the weights of sparse features as they are."""

    def tuned(nbest: NBestList, weights: Any, seed: int) -> Any:
        own = NBestList(
            nbest.features[:, :n_dense].toarray(), nbest.stats, nbest.offsets, metric=nbest.metric
        )
        found = tune(own, weights=weights[:n_dense], seed=seed).weights
        return np.concatenate([found, weights[n_dense:]])

    return tuned


def _score(nbest: NBestList, part: Any, weights: Any) -> float:
    """The score of the hypotheses with the highest sums, added from the first feature on."""
    sums = np.zeros(len(nbest))
    for i, weight in enumerate(weights):
        column = nbest.features[:, [i]]
        sums += (column.toarray() if nbest.is_sparse else column)[:, 0].astype(np.float64) * weight
    spans = [slice(*nbest.offsets[i : i + 2].tolist()) for i in part]
    total = sum(nbest.stats[span][sums[span].argmax()] for span in spans)
    return float(nbest.metric.score_rows(total[np.newaxis])[0])
