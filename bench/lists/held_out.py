"""Tuning methods compared by their scores on held-out segments.

Each list is split into halves at random several times; each method is tuned on one half and tested
on the other, the same halves for all. Differences are from MERT with 20 restarts, and positive if a
method is better, even for error rates.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bench.harness import peers
from bench.harness.corpora import Corpora
from bench.harness.measure import FULL, Case, Difference, Effort, Record
from bench.lists.tuning_lists import TuningList, tuning_lists
from rapidbleu.tuning import CrossValidation, NBestList, cross_validate, mert, split_halves

RESTARTS = 20
BASE = f"mert, {RESTARTS} restarts"
base = partial(mert, restarts=RESTARTS)
Methods = dict[str, Any]  # arguments of `cross_validate`
Gains = dict[str, list[tuple[float, float, float]]]  # with standard errors and times
_FEW_SPLITS = 2


def cases(
    topic: str,
    corpora: Corpora,
    methods: Callable[[TuningList], Methods],
    checked: Callable[[TuningList], Methods],
    n_splits: int = 6,
    rivals: Collection[str] = (),
) -> Iterator[Case]:
    """Yield a case for each list and one for their mean.

    `methods` and `checked` return the methods of a list. `rivals` are the methods with whose best
    each method is compared on each list, by default all.
    """
    if peers.load("scipy") is None:
        return
    gains: Gains = {}
    for one in tuning_lists(corpora):
        yield ListCase(topic, one, methods(one), checked(one), n_splits, gains)
    yield MeanCase(topic, gains, rivals)


@dataclass(frozen=True)
class ListCase:
    """Methods on one list.

    Parameters
    ----------
    topic
    one
        The list.
    methods
        Including `BASE`.
    checked
        Fast methods whose scores are compared.
    n_splits
        Number of splits, unless there is little time.
    gains
        Filled with each method's difference from `BASE`, its standard error, and the time.
    """

    topic: str
    one: TuningList
    methods: Methods
    checked: Methods
    n_splits: int
    gains: Gains

    def check(self) -> int:
        """Compare scores of both halves with NumPy's for the same weights."""
        nbest, halves = self.one.nbest, split_halves(self.one.nbest.n_segments, _FEW_SPLITS)
        found = cross_validate(nbest, self.checked, splits=halves, start=self.one.start)
        for i, own in enumerate(found.weights):
            for weights, parts, *scores in zip(
                own, halves, found.train[i], found.test[i], strict=True
            ):
                expected = [numpy_score(nbest, part, weights) for part in parts]
                if scores != expected:
                    raise Difference(
                        f"{self.topic}, {self.one.name}, {found.methods[i]}: rapidbleu scores "
                        f"{scores}, NumPy {expected}"
                    )
        return 2 * found.train.size

    def measure(self, effort: Effort) -> list[Record]:
        one, n = self.one, self.n_splits if effort.seconds >= FULL.seconds else _FEW_SPLITS
        found = cross_validate(one.nbest, self.methods, splits=n, start=one.start)
        return [self._record(found, name) for name in found.methods]

    def _record(self, found: CrossValidation, name: str) -> Record:
        i, n = found.methods.index(name), found.test.shape[1]
        pair = (name, BASE) if found.higher_is_better else (BASE, name)
        difference, time = found.difference(*pair), 1e9 * float(found.seconds[i].mean())
        self.gains.setdefault(name, []).append((difference.mean, difference.standard_error, time))
        n_tuned = self.one.nbest.n_segments // 2
        return Record(
            self.topic,
            name,
            self.one.name,
            "wall ns",
            time,
            n_tuned,
            "segment",
            n,
            scores={
                "train": float(found.train[i].mean()),
                "test": float(found.test[i].mean()),
                "gain": difference.mean,
                "error": difference.standard_error,
            },
        )


@dataclass(frozen=True)
class MeanCase:
    topic: str
    gains: Gains
    rivals: Collection[str] = ()

    def check(self) -> int:
        """Return 0, because there is nothing to compare."""
        return 0

    def measure(self, effort: Effort) -> list[Record]:
        """Record the means, each method's minimum gain, and its mean distance to the best rival.

        Standard errors treat the lists as independent.
        """
        gains = np.array(list(self.gains.values()))[..., 0]
        is_rival = np.array([not self.rivals or name in self.rivals for name in self.gains])
        records = []
        for i, (name, found) in enumerate(self.gains.items()):
            gain, _, time = np.mean(found, axis=0).tolist()
            errors = np.array([error for _, error, _ in found])
            others = gains[is_rival & (np.arange(len(gains)) != i)].max(axis=0)
            scores = {
                "gain": gain,
                "error": float(np.sqrt((errors**2).sum())) / len(found),
                "least gain": float(gains[i].min()),
                "from best rival": float((gains[i] - others).mean()),
            }
            records.append(
                Record(
                    self.topic,
                    name,
                    "mean of lists",
                    "wall ns",
                    time,
                    1,
                    "list",
                    len(found),
                    scores=scores,
                )
            )
        return records


def for_dense(methods: Methods, one: TuningList) -> Methods:
    """Return methods that leave the weights of sparse features unchanged."""
    if not one.nbest.is_sparse:
        return methods
    return {name: _on_dense(tune, one.n_dense) for name, tune in methods.items()}


def _on_dense(tune: Callable[..., Any], n_dense: int) -> Callable[..., Any]:
    def tuned(nbest: NBestList, start: Any, seed: int) -> Any:
        own = with_features(nbest, nbest.features[:, :n_dense].toarray())
        found = tune(own, start=start[:n_dense], seed=seed)
        return np.concatenate([getattr(found, "weights", found), start[n_dense:]])

    return tuned


def with_features(nbest: NBestList, features: Any) -> NBestList:
    return NBestList(features, nbest.stats, nbest.offsets, metric=nbest.metric)


def numpy_score(nbest: NBestList, part: Any, weights: Any) -> float:
    """Score the hypotheses with the highest sums, added from the first feature on."""
    sums = np.zeros(len(nbest))
    for i, weight in enumerate(weights):
        column = nbest.features[:, [i]]
        sums += (column.toarray() if nbest.is_sparse else column)[:, 0].astype(np.float64) * weight
    spans = [slice(*nbest.offsets[i : i + 2].tolist()) for i in part]
    total = sum(nbest.stats[span][sums[span].argmax()] for span in spans)
    return float(nbest.metric.score_rows(total[np.newaxis])[0])
