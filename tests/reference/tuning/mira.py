"""Batch MIRA of Cherry & Foster (2012), algorithm 1, with plain lists and loops.

Where the paper is silent, the library's rules apply: ties go to the first hypothesis, sums run from
the first feature to the last, and counts of the pseudo-corpus are whole numbers of units, halves
rounded up.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

Vector = list[float]


class Epoch(NamedTuple):
    """The result of one pass over the segments: the mean weights of all steps so far."""

    mean: Vector
    updates: int
    loss: float


def mira(
    features: Sequence[Sequence[float]],
    rows: Sequence[Sequence[int]],
    offsets: Sequence[int],
    score: Callable[[list[int]], float],
    start: Sequence[float],
    background: Sequence[int],
    orders: Sequence[Sequence[int]],
    *,
    unit: int,
    length_column: int | None,
    factor: float,
    step_limit: float = 0.01,
    decay: float = 0.999,
    safe_hope: bool = False,
    model_background: bool = False,
) -> list[Epoch]:
    weights, late = list(start), [0.0] * len(start)
    pseudo, n_pseudo, steps = list(background), 1.0, 0
    epochs = []
    for order in orders:
        updates, total_loss = 0, 0.0
        for segment in order:
            members = range(offsets[segment], offsets[segment + 1])
            model = {i: dot(features[i], weights) for i in members}
            cost = {}
            for i in members:
                both = [b + unit * count for b, count in zip(pseudo, rows[i], strict=True)]
                length = n_pseudo + 1.0 if length_column is None else float(both[length_column])
                cost[i] = score(both) * (length * factor)
            hope = max(members, key=lambda i: model[i] + cost[i])
            fear = max(members, key=lambda i: model[i] - cost[i])
            if safe_hope and abs(model[hope]) > 1e-8:
                scale = abs(cost[hope]) * 5.0 / abs(model[hope])
                if scale < 1.0:
                    hope = max(members, key=lambda i: scale * model[i] + cost[i])
            difference = [a - b for a, b in zip(features[hope], features[fear], strict=True)]
            loss = cost[hope] - cost[fear]
            norm = dot(difference, difference)
            if loss > 0.0:
                loss -= dot(difference, weights)
                if loss > 0.0 and norm > 0.0:
                    rate = min(step_limit, loss / norm)
                    for j, value in enumerate(difference):
                        weights[j] += rate * value
                        late[j] += steps * (rate * value)
                    updates += 1
                    total_loss += loss
            joins = max(members, key=lambda i: model[i]) if model_background else hope
            pseudo = [
                math.floor(decay * b + 0.5) + unit * count
                for b, count in zip(pseudo, rows[joins], strict=True)
            ]
            n_pseudo = decay * n_pseudo + 1.0
            steps += 1
        mean = [w - part / steps for w, part in zip(weights, late, strict=True)]
        epochs.append(Epoch(mean, updates, total_loss))
    return epochs


def plain_means(
    features: Sequence[Sequence[float]],
    rows: Sequence[Sequence[int]],
    offsets: Sequence[int],
    start: Sequence[float],
    orders: Sequence[Sequence[int]],
    *,
    step_limit: float,
    decay: float,
) -> list[Vector]:
    """Do the same with BLEU, a pseudo-corpus of floats and means added up step by step."""
    weights, total, steps = list(start), [0.0] * len(start), 0
    n = (len(rows[0]) - 2) // 2
    pseudo = [float(n), float(n), *map(float, range(n, 0, -1)), *map(float, range(n, 0, -1))]
    means = []
    for order in orders:
        for segment in order:
            members = range(offsets[segment], offsets[segment + 1])
            both = {i: [b + c for b, c in zip(pseudo, rows[i], strict=True)] for i in members}
            cost = {i: real_bleu(both[i]) * both[i][1] for i in members}
            model = {i: dot(features[i], weights) for i in members}
            hope = max(members, key=lambda i: model[i] + cost[i])
            fear = max(members, key=lambda i: model[i] - cost[i])
            difference = [a - b for a, b in zip(features[hope], features[fear], strict=True)]
            loss = cost[hope] - cost[fear] - dot(difference, weights)
            norm = dot(difference, difference)
            if hope != fear and loss > 0.0 and norm > 0.0:
                rate = min(step_limit, loss / norm)
                weights = [w + rate * d for w, d in zip(weights, difference, strict=True)]
            pseudo = [decay * b + c for b, c in zip(pseudo, rows[hope], strict=True)]
            total = [t + w for t, w in zip(total, weights, strict=True)]
            steps += 1
        means.append([t / steps for t in total])
    return means


def real_bleu(row: Sequence[float]) -> float:
    """Return BLEU as a fraction, without smoothing, of a row that need not be integers."""
    n = (len(row) - 2) // 2
    if min(row[2 : 2 + n]) <= 0.0:
        return 0.0
    logs = [math.log(c / t) for c, t in zip(row[2 : 2 + n], row[2 + n :], strict=True)]
    return math.exp(math.fsum(logs) / n + min(0.0, 1.0 - row[1] / row[0]))


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    """Sum products from the first to the last."""
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += x * y
    return total
