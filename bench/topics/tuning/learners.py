"""Learners on n-best lists (MIRA, pairwise ranking and minimum risk) against plain NumPy."""

import gzip
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

from bench.harness.corpora import Corpora
from bench.harness.measure import Comparison, Contender
from bench.harness.places import shared_data
from bench.lists.language import german
from rapidbleu import BLEU
from rapidbleu.tuning import NBestList
from rapidbleu.tuning.search.mira import FINEST_UNIT, mira
from rapidbleu.tuning.search.pro import sample_pairs, sentence_scores
from rapidbleu.tuning.search.risk import expectation_of

TOPIC = "learners"
LIMITS = {
    "mira, 60 epochs": "NumPy's matrix products and arrays of a segment are compiled",
    "pairs of pro": "NumPy draws, selects and sorts in compiled code",
    "gradient of risk": "NumPy is compiled; converting float32 to double takes 6 ns",
}
_EPOCHS, _FEW_EPOCHS = 60, 2
_START = (0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.5, -1.0, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2)


def cases(corpora: Corpora) -> Iterator[Comparison]:
    """Sixty epochs of MIRA, the pairs of PRO, a gradient of risk; the shared list if available."""
    nbest, name = _nbest(corpora)
    yield Comparison(
        TOPIC,
        f"mira, {_EPOCHS} epochs",
        name,
        Contender(
            "rapidbleu",
            lambda: mira(nbest, _START, epochs=_EPOCHS),
            outcome=lambda: _history(mira(nbest, _START, epochs=_FEW_EPOCHS)),
        ),
        [
            Contender(
                f"NumPy, {_FEW_EPOCHS} epochs",
                lambda: _numpy_mira(nbest, _FEW_EPOCHS),
                agrees=_agree,
                compared="scores and weights of the epochs: 6 digits",
                share=_FEW_EPOCHS / _EPOCHS,
            )
        ],
        len(nbest) * _EPOCHS,
        "hypothesis and epoch",
        headline=True,
    )
    yield Comparison(
        TOPIC,
        "pairs of pro",
        name,
        Contender(
            "rapidbleu",
            lambda: sample_pairs(nbest, sentence_scores(nbest)),
            outcome=lambda: sample_pairs(nbest, sentence_scores(nbest)).tolist(),
        ),
        [
            Contender(
                "NumPy",
                lambda: _numpy_pairs(nbest),
                outcome=lambda: _numpy_pairs(nbest).tolist(),
                compared="all pairs: ==",
            )
        ],
        nbest.n_segments * 5000,
        "pair drawn",
        headline=True,
    )
    own, weights = _Gradient(nbest), np.array(_START) / 10
    made = [nbest.features.astype(float), nbest.stats.astype(float)]
    yield Comparison(
        TOPIC,
        "gradient of risk",
        name,
        Contender("rapidbleu", lambda: own(weights)),
        [
            Contender(
                kind,
                lambda arrays=arrays: _numpy_gradient(nbest, *arrays, own.prices, weights),
                agrees=_agree,
                compared="expected statistics and gradient: 6 digits",
            )
            for kind, arrays in (
                ("NumPy", [nbest.features, nbest.stats]),
                ("NumPy, all arrays float64", made),
            )
        ],
        len(nbest),
        "hypothesis",
        headline=True,
    )


def _nbest(corpora: Corpora) -> tuple[NBestList, str]:
    """Return the shared list, or edits with features that correlate with their quality."""
    n_lists, n = min(1000, corpora.n_segments), 100
    metric = BLEU(tokenize="none", smooth_method="none", force=True)
    folder = shared_data() / "nbest"
    if (folder / "nbest.gz").is_file():
        with gzip.open(folder / "nbest.gz", "rt", encoding="utf-8", newline="\n") as file:
            lines = [next(file).split(" ||| ") for _ in range(n_lists * n)]
        rows = [[float(v) for v in line[2].split() if not v.endswith("=")] for line in lines]
        features = np.array(rows, np.float32)
        references = (folder / "ref.0").read_text(encoding="utf-8").split("\n")[:n_lists]
        hyps, name = [line[1] for line in lines], "shared n-best"
    else:
        rng, language = Random("learners"), german()
        references = [language.segment(rng) for _ in range(n_lists)]
        hyps = [language.edited(rng, ref) for ref in references for _ in range(n)]
        features = np.random.default_rng(0).normal(size=(n_lists * n, len(_START)))
        features = features.astype(np.float32)
        features[:, 8] = [-hyp.count(" ") for hyp in hyps]
        name = "made n-best"
    offsets = np.arange(n_lists + 1) * n
    stats = metric.nbest_stats(hyps, [references], offsets=offsets)
    if name == "made n-best":
        features[:, 0] += 4 * stats[:, 2] / np.maximum(1, stats[:, 6])
    return NBestList(features, stats, offsets, metric=metric), name


class _Gradient:
    """The two passes of a minimum-risk step, at BLEU's prices for weights of zero."""

    def __init__(self, nbest: NBestList) -> None:
        self.expectation = expectation_of(nbest, None)
        self.totals, self.slopes = np.empty(10), np.empty(nbest.n_features)
        self.expectation.expect(np.zeros(nbest.n_features), self.totals)
        correct, total = self.totals[2:6], self.totals[6:]
        self.prices = np.concatenate([[0.0, 0.0], 1 / np.maximum(correct, 1.0), -1 / total])

    def __call__(self, weights: Any) -> list[Any]:
        self.expectation.expect(weights, self.totals)
        self.expectation.gradient(self.prices, self.slopes)
        return [*self.totals.tolist(), *self.slopes.tolist()]


def _numpy_gradient(
    nbest: NBestList, features: Any, stats: Any, prices: Any, weights: Any
) -> list[Any]:
    starts, sizes = nbest.offsets[:-1], np.diff(nbest.offsets)
    sums = features @ weights
    shares = np.exp(sums - np.repeat(np.maximum.reduceat(sums, starts), sizes))
    shares /= np.repeat(np.add.reduceat(shares, starts), sizes)
    worths = stats @ prices
    means = np.repeat(np.add.reduceat(shares * worths, starts), sizes)
    return [*(shares @ stats).tolist(), *((shares * (worths - means)) @ features).tolist()]


def _history(result: Any) -> list[list[float]]:
    return [[entry["score"], *entry["weights"].tolist()] for entry in result.history]


def _agree(ours: list[list[float]], theirs: list[list[float]]) -> bool:
    return bool(np.allclose(ours, theirs, rtol=1e-6, atol=1e-9))


def _numpy_bleu(rows: Any) -> Any:
    """Return BLEU as a fraction, of rows of floats; 0 if an order has no matches."""
    correct, total = rows[..., 2:6], rows[..., 6:]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(correct) - np.log(total)
        penalty = np.minimum(0.0, 1 - rows[..., 1] / rows[..., 0])
        return np.where((correct > 0).all(-1), np.exp(logs.mean(-1) + penalty), 0.0)


def _numpy_mira(nbest: NBestList, epochs: int) -> list[list[float]]:
    """Batch MIRA with an array per segment, the pseudo-corpus in the same units as ours."""
    features, stats = nbest.features.astype(np.float64), nbest.stats
    parts = [slice(*pair) for pair in zip(nbest.offsets, nbest.offsets[1:], strict=False)]
    weights, total, steps = np.array(_START), np.zeros(len(_START)), 0
    pseudo = np.array([4, 4, 4, 3, 2, 1, 4, 3, 2, 1.0]) * FINEST_UNIT
    random, history = np.random.Generator(np.random.PCG64(12345)), []
    for _ in range(epochs):
        for segment in random.permutation(len(parts)):
            own, rows = features[parts[segment]], stats[parts[segment]] * FINEST_UNIT
            both = pseudo + rows
            costs, model = _numpy_bleu(both) * both[:, 1] / FINEST_UNIT, own @ weights
            hope, fear = int((model + costs).argmax()), int((model - costs).argmax())
            difference = own[hope] - own[fear]
            loss = costs[hope] - costs[fear] - model[hope] + model[fear]
            norm = difference @ difference
            if hope != fear and loss > 0 and norm > 0:
                weights = weights + min(0.01, loss / norm) * difference
            pseudo = np.floor(0.999 * pseudo + 0.5) + rows[hope]
            total += weights
            steps += 1
        mean = total / steps
        model = features @ mean
        chosen = [part.start + int(model[part].argmax()) for part in parts]
        score = 100 * float(_numpy_bleu(stats[chosen].sum(axis=0).astype(float)))
        history.append([score, *mean.tolist()])
    return history


def _numpy_pairs(nbest: NBestList) -> Any:
    """Draw pairs with the same random numbers, sorted by NumPy."""
    scores, random = sentence_scores(nbest), np.random.PCG64(12345)
    pairs = []
    for begin, end in zip(nbest.offsets, nbest.offsets[1:], strict=False):
        bits, n = random.random_raw(5000), np.uint64(end - begin)
        half = np.uint64(32)
        a = begin + ((bits >> half) * n >> half).astype(np.int64)
        b = begin + ((bits & np.uint64(0xFFFFFFFF)) * n >> half).astype(np.int64)
        differences = scores[a] - scores[b]
        enough = np.flatnonzero((np.abs(differences) >= 5.0) & (differences != 0))
        best = enough[np.argsort(-np.abs(differences[enough]), kind="stable")[:50]]
        better = differences[best] > 0
        pairs.append(np.where(better[:, None], np.c_[a, b][best], np.c_[b, a][best]))
    return np.concatenate(pairs)
