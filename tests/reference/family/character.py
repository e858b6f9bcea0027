"""CharacTER (Wang et al. 2016) with the rules of its script, on lists of words."""

from collections.abc import Sequence

from reference.family.edits import distance

Words = Sequence[str]


def run_length(one: Words, other: Words) -> int:
    n = 0
    while n < min(len(one), len(other)) and one[n] == other[n]:
        n += 1
    return n


def moves(hyp: list[str], ref: list[str]) -> list[list[str]]:
    """Return the hypothesis with one common run of words moved to its index in the reference.

    From each pair of equal words at different indices the run extends as far as possible. The index
    is counted after removing the run, and may be beyond the end.
    """
    found = []
    for start in range(len(hyp)):
        for place in range(len(ref)):
            n = run_length(hyp[start:], ref[place:])
            if n and start != place:
                others = hyp[:start] + hyp[start + n :]
                found.append([*others[:place], *hyp[start : start + n], *others[place:]])
    return found


def shifted(hyp: Words, ref: Words) -> list[str]:
    """Return the hypothesis after all moves that reduce the word edits, the best one each time.

    Of several best moves, the last in the order of lists of strings, that is of code points, is
    used.
    """
    words, theirs = list(hyp), list(ref)
    edits = distance(words, theirs)
    while True:
        different = map(list, {*map(tuple, moves(words, theirs))})
        tried = [(edits - distance(moved, theirs), moved) for moved in different]
        gain, moved = max(tried, default=(0, words))
        if gain <= 0:
            return words
        words, edits = moved, edits - gain


def cost_of_moves(before: Words, after: Words) -> float:
    """Sum the mean word lengths of each run found again farther right."""
    cost = 0.0
    i = 0
    while i < len(before):
        if before[i] == after[i] or before[i] not in after[i + 1 :]:
            i += 1
            continue
        n = run_length(before[i:], after[list(after).index(before[i], i + 1) :])
        cost += sum(map(len, before[i : i + n])) / n
        i += n
    return cost


def score(hyp: Words, ref: Words) -> float:
    """Return character edits after all moves plus their cost, by the length of the hypothesis.

    Spaces between words count. 0 for the same words, else at most 1, and 1 without a hypothesis,
    even if the reference is empty too.
    """
    if not hyp:
        return 1.0
    words = shifted(hyp, ref)
    text = " ".join(words)
    cost = distance(text, " ".join(ref)) + cost_of_moves(hyp, words)
    return min(1.0, cost / len(text))
