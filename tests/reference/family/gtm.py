"""The General Text Matcher (Melamed et al. 2003, Turian et al. 2003) on lists of tokens."""

from collections.abc import Hashable, Sequence

Tokens = Sequence[Hashable]


def longest_run(hyp: list[Hashable], ref: list[Hashable]) -> tuple[int, int, int]:
    """Return length and starts of the first longest common run; None is not a token."""
    best = (0, 0, 0)
    for i in range(len(hyp)):
        for j in range(len(ref)):
            n = 0
            while i + n < len(hyp) and j + n < len(ref) and hyp[i + n] == ref[j + n] is not None:
                n += 1
            if n > best[0]:
                best = (n, i, j)
    return best


def greedy_runs(hyp: Tokens, ref: Tokens) -> list[int]:
    """Return the lengths of the runs, each the longest of the tokens that remain."""
    left, right, lengths = list(hyp), list(ref), []
    while True:
        n, i, j = longest_run(left, right)
        if n == 0:
            return lengths
        lengths.append(n)
        left[i : i + n] = right[j : j + n] = [None] * n


def row(hyp: Tokens, refs: Sequence[Tokens], exponent: float) -> tuple[float, int, int]:
    """Return size and lengths with the reference of maximum F, the longest on ties."""
    rows = []
    for ref in refs:
        size = sum(n**exponent for n in greedy_runs(hyp, ref)) ** (1 / exponent)
        rows.append((size, len(hyp), len(ref)))
    return max(rows, key=lambda row: (score(*row), row[2]))


def score(size: float, hyp_len: int, ref_len: int) -> float:
    """Return F; 0 for two empty texts."""
    return 2 * size / (hyp_len + ref_len) if hyp_len + ref_len else 0.0
