"""Agreement of metrics with human scores: figures, tie thresholds, permutation tests.

Scores are synthetic, with 26 human values as in MQM. Peers are mt-metrics-eval, where its checkout
can be imported, and SciPy in a loop, where it has the figure.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench.harness import peers
from bench.harness.corpora import Corpora
from bench.harness.measure import Comparison, Contender
from rapidbleu.meta import correlate, permutation_test
from rapidbleu.significance.resamples import Draws

TOPIC = "agreement"
LIMITS = {
    "PERM-BOTH, 1,000 trials, pearson by none": "SciPy sums long arrays, compiled by NumPy",
    "PERM-BOTH, 1,000 trials, kendall by none": "SciPy's tau is compiled; both sort every trial",
}
N_SYSTEMS, N_SEGMENTS = 15, 1000
N_TRIALS = 1000
SEED = 12345
BY = {"none": "none", "segment": "item"}
CLOSE = peers.within(1e-12)


def cases(corpora: Corpora) -> Iterator[Comparison]:
    n_segments = min(N_SEGMENTS, corpora.n_segments)
    human, one, other = _made(n_segments)
    yield _kendall(human, one)
    yield from _best_threshold(human, one)
    for figure in ("pearson", "kendall"):
        for by in BY:
            yield _permutation(figure, by, human, one, other)


def _made(n_segments: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(1)
    shape = N_SYSTEMS, n_segments
    human = -rng.integers(0, 26, shape).astype(float)
    one, other = (human / 8 + size * rng.normal(size=shape) for size in (2.0, 2.2))
    return human, one, other


def _kendall(human: Any, metric: Any) -> Comparison:
    stats = peers.load("scipy.stats")
    n = human.shape[1]

    def loop() -> float:
        found = [stats.kendalltau(human[:, j], metric[:, j])[0] for j in range(n)]
        return float(np.nanmean(found))

    return Comparison(
        TOPIC,
        "Kendall's tau-b by segment",
        _corpus(human),
        Contender("rapidbleu", lambda: correlate(human, metric, "kendall", "segment").value),
        [] if stats is None else [_close("SciPy, a loop", loop)],
        n,
        "segment",
        headline=True,
    )


def _best_threshold(human: Any, metric: Any) -> Iterator[Comparison]:
    stats = peers.load("mt_metrics_eval.stats")
    if stats is None:
        return
    found = _correlation(stats, human, metric)
    yield Comparison(
        TOPIC,
        "acc_eq by segment, best threshold",
        _corpus(human),
        Contender("rapidbleu", lambda: correlate(human, metric, "accuracy_eq", "segment").value),
        [
            _close(
                "mt-metrics-eval", lambda: float(found.KendallWithTiesOpt("item", "acc23", 1.0)[0])
            )
        ],
        human.shape[1],
        "segment",
        headline=True,
    )


def _permutation(figure: str, by: str, human: Any, one: Any, other: Any) -> Comparison:
    """Run all trials of ours and a few of theirs with the same coins, for comparison."""
    few = 2 if by == "segment" else 20

    def ours(n: int) -> Any:
        return permutation_test(human, one, other, figure, by, n_trials=n, seed=SEED)

    theirs = [
        Contender(
            f"{name}, {few} trials, scaled",
            run,
            outcome=outcome,
            agrees=CLOSE,
            compared="differences of trials: within 1e-12",
            share=few / N_TRIALS,
        )
        for name, run, outcome in (
            *_scipy(figure, by, human, one, other, few),
            *_mt_metrics_eval(figure, by, human, one, other, few),
        )
    ]
    return Comparison(
        TOPIC,
        f"PERM-BOTH, {N_TRIALS:,} trials, {figure} by {by}",
        _corpus(human),
        Contender(
            "rapidbleu",
            lambda: ours(N_TRIALS),
            outcome=lambda: ours(N_TRIALS).differences[:few].tolist(),
        ),
        theirs,
        N_TRIALS,
        "trial",
        headline=True,
    )


_Peer = tuple[str, Callable[[], Any], Callable[[], list[float]]]


def _scipy(figure: str, by: str, human: Any, one: Any, other: Any, n: int) -> Iterator[_Peer]:
    """Run the test as usually written with SciPy."""
    stats = peers.load("scipy.stats")
    if stats is None:
        return
    call = stats.pearsonr if figure == "pearson" else stats.kendalltau
    groups = human.T if by == "segment" else human.reshape(1, -1)

    def value(scores: Any) -> float:
        own = scores.T if by == "segment" else scores.reshape(1, -1)
        return float(np.mean([call(x, y)[0] for x, y in zip(groups, own, strict=True)]))

    def run() -> list[float]:
        heads = _coins(human, by, n)
        a, b = ((scores - scores.mean()) / scores.std() for scores in (one, other))
        return [value(np.where(own, a, b)) - value(np.where(own, b, a)) for own in heads]

    yield "SciPy, a loop", run, run


def _mt_metrics_eval(
    figure: str, by: str, human: Any, one: Any, other: Any, n: int
) -> Iterator[_Peer]:
    """Run its test, whose second metric is our first."""
    stats: Any = peers.load("mt_metrics_eval.stats")
    if stats is None:
        return
    sides = [_correlation(stats, human, scores) for scores in (other, one)]
    call = stats.scipy.stats.pearsonr if figure == "pearson" else stats.KendallVariants

    def run() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return stats.PermutationSigDiff(*sides, call, BY[by], n)

    def outcome() -> list[float]:
        heads = _coins(human, by, n)
        flat = iter([(own.T if by == "segment" else own).ravel().astype(int) for own in heads])
        theirs = np.random.binomial
        np.random.binomial = lambda *_: next(flat)
        try:
            return [second - first for second, first in run()[3]]
        finally:
            np.random.binomial = theirs

    yield "mt-metrics-eval", run, outcome


def _coins(human: Any, by: str, n: int) -> Any:
    words = Draws(SEED, human.size).coins(0, 32)
    bits = np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little") == 1
    shape = human.T.shape if by == "segment" else human.shape
    heads = [bits[k * human.size : (k + 1) * human.size].reshape(shape) for k in range(n)]
    return [own.T if by == "segment" else own for own in heads]


def _correlation(stats: Any, human: Any, metric: Any) -> Any:
    return stats.Correlation(len(human), human.ravel().tolist(), metric.ravel().tolist())


def _close(name: str, run: Callable[[], Any]) -> Contender:
    return Contender(name, run, agrees=CLOSE, compared="figure: within 1e-12")


def _corpus(human: Any) -> str:
    return f"made, {human.shape[0]} x {human.shape[1]:,}"
