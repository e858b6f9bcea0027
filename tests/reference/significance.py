"""PCG64, Lemire's bounded integers, bootstrap and approximate randomization, step by step.

The generator: O'Neill 2014; integers below a bound: Lemire 2019; the tests: Koehn 2004, Riezler &
Maxwell 2005.
"""

from collections.abc import Callable, Sequence
from math import floor

Row = list[int]
ScoreRow = Callable[[Row], float]

MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
WIDE, WORD, HALF = 2**128 - 1, 2**64 - 1, 2**32 - 1


class Pcg64:
    """The random generator: words, indices and coins."""

    def __init__(self, state: int, increment: int) -> None:
        self.state = state
        self.increment = increment
        self.words: list[int] = []  # generated, not drawn yet
        self.bits: list[int] = []
        self.n_drawn = 0

    def word(self) -> int:
        if not self.words:
            self.state = (self.state * MULTIPLIER + self.increment) & WIDE
            folded = (self.state >> 64) ^ (self.state & WORD)
            turn = self.state >> 122
            output = ((folded >> turn) | (folded << (64 - turn))) & WORD
            self.words = [output & HALF, output >> 32]
        self.n_drawn += 1
        return self.words.pop(0)

    def index(self, bound: int) -> int:
        if bound == 1:
            return 0
        while True:
            product = self.word() * bound
            if (product & HALF) >= 2**32 % bound:
                return product >> 32

    def coin(self) -> int:
        if not self.bits:
            word = self.word()
            self.bits = [word >> i & 1 for i in range(32)]
        return self.bits.pop(0)


def total(rows: Sequence[Row]) -> Row:
    return [sum(column) for column in zip(*rows, strict=True)]


def resampled(rows: Sequence[Row], n: int, random: Pcg64) -> list[Row]:
    return [total([rows[random.index(len(rows))] for _ in rows]) for _ in range(n)]


def interval(scores: Sequence[float], level: float) -> tuple[float, float]:
    ordered = sorted(scores)
    tail = floor(len(ordered) * round((1 - level) / 2, 6))
    return ordered[tail], ordered[len(ordered) - 1 - tail]


def bootstrap_p(ours: Sequence[float], theirs: Sequence[float], real: float, ties: bool) -> float:
    differences = [abs(a - b) for a, b in zip(ours, theirs, strict=True)]
    mean = sum(differences) / len(differences)
    extreme = sum(one - mean > real or (ties and one - mean == real) for one in differences)
    return (extreme + 1) / (len(differences) + 1)


def randomization_p(
    score: ScoreRow, one: Sequence[Row], other: Sequence[Row], n: int, random: Pcg64, ties: bool
) -> float:
    real = abs(score(total(one)) - score(total(other)))
    extreme = 0
    for _ in range(n):
        coins = [random.coin() for _ in one]
        first = [a if coin else b for coin, a, b in zip(coins, one, other, strict=True)]
        second = [b if coin else a for coin, a, b in zip(coins, one, other, strict=True)]
        difference = abs(score(total(first)) - score(total(second)))
        extreme += difference > real or (ties and difference == real)
    return (extreme + 1) / (n + 1)
