"""Synthetic n-best lists with features and statistics, and the NumPy peer that searches them."""

from itertools import pairwise
from typing import Any

import numpy as np

import rapidbleu
from rapidbleu.tuning import NBestList

N_FEATURES = 15
_MOST_TOKENS = 40
_LEAST_TOKENS = 10
_CLOSEST = 1e-4  # minimum distance of two boundaries of a segment
_NO_STEP = 1.5e-4


def made(n_segments: int, n_best: int) -> NBestList:
    """Return lists of BLEU rows, some of whose features correlate weakly with quality."""
    rng = np.random.default_rng(n_best)
    n = n_segments * n_best
    quality = rng.normal(size=n)
    loadings = rng.normal(size=N_FEATURES) * 0.3
    features = rng.normal(size=(n, N_FEATURES)) + np.outer(quality, loadings)
    features[:, ::4] = features[:, ::4].round()  # lengths and other counts
    totals = rng.integers(_LEAST_TOKENS, _MOST_TOKENS, size=(n, 1)) - np.arange(4)
    share = 1 / (1 + np.exp(-0.5 - 0.5 * quality))  # fraction of the tokens that match
    correct = (totals * share[:, None] ** np.arange(1, 5)).astype(np.int64)
    lengths = np.repeat(totals[::n_best, :1], n_best, axis=0)
    stats = np.hstack([totals[:, :1], lengths, correct, totals]).astype(np.int32)
    metric = rapidbleu.BLEU(smooth_method="none")
    offsets = np.arange(n_segments + 1) * n_best
    return NBestList(features.astype(np.float32), stats, offsets, metric=metric)


class NumPyMert:
    """Och's line search as usually written in NumPy: segment envelopes by gift wrapping.

    Boundaries are rounded to single precision, and points chosen, as in Moses.

    Parameters
    ----------
    nbest : NBestList
        Rows of unsmoothed BLEU of order 4.
    """

    def __init__(self, nbest: NBestList) -> None:
        self.features = nbest.features.astype(np.float64)
        self.stats = np.asarray(nbest.stats, np.int64)
        self.spans = [slice(a, b) for a, b in pairwise(nbest.offsets.tolist())]

    def search(self, scores: Any, axis: int) -> tuple[float, float, int]:
        """Return the middle of the first best interval, its score, and the number of boundaries."""
        slopes = self.features[:, axis]
        first, places, changes = np.zeros(10, np.int64), [], []
        for span in self.spans:
            a, b, rows = scores[span], slopes[span], self.stats[span]
            now = before = int(np.lexsort((np.arange(len(a)), -a, b))[0])
            first += rows[now]
            last = -np.inf
            while True:
                steeper = np.flatnonzero(b > b[now])
                if not len(steeper):
                    break
                crossings = (a[now] - a[steeper]) / (b[steeper] - b[now])
                nearest = crossings.min()
                ties = steeper[crossings == nearest]
                after = int(ties[np.lexsort((ties, -b[ties]))[0]])
                rise, run = np.float32(a[after] - a[now]), np.float32(b[now] - b[after])
                place = float(np.float32(float(rise) / float(run)))
                if place - last < _CLOSEST:  # skips the one before
                    del places[-1], changes[-1]
                else:
                    before = now
                places.append(place)
                changes.append(rows[after] - rows[before])
                now, last = after, place
        if not places:
            return 0.0, float(_bleu(first[None])[0]), 0
        order = np.argsort(places, kind="stable")
        sums = np.cumsum(np.vstack([first, np.array(changes)[order]]), axis=0)
        x, last = np.unique(np.array(places)[order], return_index=True)
        values = _bleu(sums[np.append(last, len(order))])
        best = int(values.argmax())
        if best == 0:
            point = x[0] - 1000
        else:
            point = x[-1] + 0.1 if best == len(x) else (x[best - 1] + x[best]) / 2
        return point if abs(point) >= _NO_STEP else 0.0, float(values[best]), len(x)

    def ascend(self, start: Any, min_gain: float) -> tuple[float, int]:
        """Return the score that steepest coordinate ascent reaches, and the line searches used."""
        scores, n_searches = self.features @ start, 0
        tops = [span.start + int(scores[span].argmax()) for span in self.spans]
        score = float(_bleu(self.stats[tops].sum(axis=0)[None])[0])
        while True:
            found = [self.search(scores, axis) for axis in range(self.features.shape[1])]
            n_searches += len(found)
            best = max(range(len(found)), key=lambda axis: found[axis][1])
            if found[best][1] - score <= min_gain:
                return score, n_searches
            score = found[best][1]
            scores += found[best][0] * self.features[:, best]


def _bleu(sums: Any) -> Any:
    with np.errstate(divide="ignore"):
        mean = np.log(sums[:, 2:6] / np.maximum(sums[:, 6:], 1)).mean(axis=1)
        penalty = np.minimum(0, 1 - sums[:, 1] / np.maximum(sums[:, 0], 1))
    return 100 * np.exp(mean + penalty)
