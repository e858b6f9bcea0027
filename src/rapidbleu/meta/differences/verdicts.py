"""Swapped verdicts: each pair of scores is right by one metric or by another, as a coin says.

Only pairs on which one metric is right and the other wrong change anything, by one up or one
down. So a trial is, for each group, a binomial number of such pairs.
"""

from rapidbleu.meta.figures.correlation import grouped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.meta.figures.correlation import Question
    from rapidbleu.meta.scores.table import SystemScores
    from rapidbleu.typing import Array, FloatArray, Progress

CELLS = 1 << 20  # of pairs, or of trials and groups, at a time


def swapped_verdicts(
    question: "Question",
    human: "SystemScores",
    metrics: "list[SystemScores]",
    epsilons: "list[float]",
    n: int,
    seed: "int | None",
    progress: "Progress | None",
) -> "tuple[float, FloatArray]":
    """Return the difference of two metrics' accuracies, and those of n trials."""
    import numpy as np

    groups = grouped(human, metrics, question.by)
    sizes = np.diff(groups.offsets)
    counts = np.zeros((2, len(sizes)), np.int64)
    for g in np.flatnonzero(sizes > 1).tolist():
        part = slice(groups.offsets[g], groups.offsets[g + 1])
        one, other = (own[part] for own in groups.metrics)
        counts[:, g] = only_one_right(groups.human[part], one, other, epsilons)
    with_pairs = sizes > 1
    pairs, only = sizes[with_pairs], counts[:, with_pairs]
    weights = 2.0 / (pairs * (pairs - 1)) / max(len(pairs), 1)
    found = np.full(n, np.nan)
    if not len(pairs):
        return float("nan"), found
    generator = np.random.default_rng(seed)
    torn = only.sum(axis=0)
    step = max(1, CELLS // len(pairs))
    for first in range(0, n, step):
        last = min(first + step, n)
        up = generator.binomial(torn, 0.5, size=(last - first, len(pairs)))
        found[first:last] = (2 * up - torn) @ weights
        if progress is not None:
            progress(last, n)
    return float((only[0] - only[1]) @ weights), found


def only_one_right(
    human: "FloatArray", one: "FloatArray", other: "FloatArray", epsilons: "list[float]"
) -> "tuple[int, int]":
    """Return how many pairs only the first metric has right, and how many only the second.

    Examples
    --------
    >>> import numpy as np
    >>> human, one, other = (np.array(x, float) for x in ([1, 2, 2], [1, 2, 3], [2, 1, 1]))
    >>> only_one_right(human, one, other, [0.0, 0.0])
    (2, 1)
    """
    import numpy as np

    n, ours, theirs = len(human), 0, 0
    step = max(1, CELLS // n)
    for first in range(0, n, step):
        rows = np.arange(first, min(first + step, n))
        earlier = np.arange(n) < rows[:, np.newaxis]
        ordered = np.sign(human[rows, np.newaxis] - human)
        verdicts = [
            _right(ordered, own[rows, np.newaxis] - own, epsilon) & earlier
            for own, epsilon in zip((one, other), epsilons, strict=True)
        ]
        ours += int((verdicts[0] & ~verdicts[1]).sum())
        theirs += int((verdicts[1] & ~verdicts[0]).sum())
    return ours, theirs


def _right(ordered: "FloatArray", differences: "FloatArray", epsilon: float) -> "Array":
    import numpy as np

    tied = np.abs(differences) <= epsilon
    return np.where(ordered == 0.0, tied, ~tied & (differences * ordered > 0.0))
