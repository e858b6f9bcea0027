"""Bootstrap and stratified approximate randomization, written as loops over the same draws."""

from collections.abc import Callable, Sequence
from statistics import fmean, stdev
from typing import Any

Row = list[int]
Runs = Sequence[Sequence[Row]]  # [run][segment] rows of statistics
ScoreRow = Callable[[Row], float]


def total(rows: Sequence[Row]) -> Row:
    return [sum(column) for column in zip(*rows, strict=True)]


def selection_deviation(score: ScoreRow, runs: Runs, samples: int, random: Any) -> float:
    """Return the standard deviation of scores over resampled segments, averaged over runs."""
    n = len(runs[0])
    scores: list[list[float]] = [[] for _ in runs]
    for _ in range(samples):
        segments = random.integers(0, n, n).tolist()
        for own, run in zip(scores, runs, strict=True):
            own.append(score(total([run[segment] for segment in segments])))
    return fmean(stdev(own) for own in scores)


def differences(
    score: ScoreRow, ours: Runs, theirs: Runs, trials: int, random: Any
) -> tuple[float, list[float]]:
    """Return the observed absolute difference of mean scores, and the differences in all trials."""

    def difference(runs: Runs) -> float:
        scores = [score(total(run)) for run in runs]
        return abs(fmean(scores[: len(ours)]) - fmean(scores[len(ours) :]))

    everyone = [*ours, *theirs]
    found = []
    for _ in range(trials):
        shuffled: list[list[Row]] = [[] for _ in everyone]
        for segment in range(len(ours[0])):
            keys = random.random(len(everyone)).tolist()
            order = sorted(range(len(everyone)), key=keys.__getitem__)
            for slot, run in zip(shuffled, order, strict=True):
                slot.append(everyone[run][segment])
        found.append(difference(shuffled))
    return difference(everyone), found
