"""The Poisson bootstrap, one step at a time: Threefry4x32-20, words as weights, keys of ids.

The generator: Salmon et al. 2011, with their rotations; keys of texts: SipHash-2-4, Aumasson &
Bernstein 2012; the bootstrap: Hanley & MacGibbon 2006.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import factorial

HALF, WORD = 2**32 - 1, 2**64 - 1
ROTATIONS = [(10, 26), (11, 21), (13, 27), (23, 5), (6, 20), (17, 11), (25, 10), (18, 20)]


def rotated(x: int, turn: int, bits: int) -> int:
    return (x << turn | x >> bits - turn) & (1 << bits) - 1


def threefry(counter: Sequence[int], key: Sequence[int]) -> list[int]:
    keys = [*key, 0x1BD11BDA ^ key[0] ^ key[1] ^ key[2] ^ key[3]]
    x = [(c + k) & HALF for c, k in zip(counter, key, strict=True)]
    for i in range(20):
        first, second = (1, 3) if i % 2 == 0 else (3, 1)
        for even, odd, turn in zip((0, 2), (first, second), ROTATIONS[i % 8], strict=True):
            x[even] = (x[even] + x[odd]) & HALF
            x[odd] = rotated(x[odd], turn, 32) ^ x[even]
        if i % 4 == 3:
            n = i // 4 + 1
            x = [(word + keys[(n + k) % 5]) & HALF for k, word in enumerate(x)]
            x[3] = (x[3] + n) & HALF
    return x


def thresholds() -> list[int]:
    """Return 2**32 P(X <= k), rounded, while below 2**32."""
    one_by_e = sum(Fraction((-1) ** k, factorial(k)) for k in range(60))
    found, total = [], Fraction(0)
    while True:
        total += one_by_e / factorial(len(found))
        if round(total * 2**32) == 2**32:
            return found
        found.append(round(total * 2**32))


THRESHOLDS = thresholds()


def weight(seed: int, key: int, resample: int) -> int:
    number = resample // 4
    counter = [number & HALF, number >> 32, key & HALF, key >> 32]
    word = threefry(counter, [seed & HALF, seed >> 32, 0, 0])[resample % 4]
    return sum(word >= threshold for threshold in THRESHOLDS)


def siphash(text: bytes, k0: int = 0, k1: int = 0) -> int:
    v = [
        k0 ^ int.from_bytes(b"somepseu"),
        k1 ^ int.from_bytes(b"dorandom"),
        k0 ^ int.from_bytes(b"lygenera"),
        k1 ^ int.from_bytes(b"tedbytes"),
    ]

    def rounds(n: int) -> None:
        for _ in range(n):
            for a, b, c, d, first, second in ((0, 1, 2, 3, 13, 16), (2, 1, 0, 3, 17, 21)):
                v[a] = (v[a] + v[b]) & WORD
                v[c] = (v[c] + v[d]) & WORD
                v[b] = rotated(v[b], first, 64) ^ v[a]
                v[d] = rotated(v[d], second, 64) ^ v[c]
                v[a] = rotated(v[a], 32, 64)

    text += bytes(-(len(text) + 1) % 8) + bytes([len(text) % 256])
    for i in range(0, len(text), 8):
        word = int.from_bytes(text[i : i + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def key_of(id: int | str) -> int:
    return id & WORD if isinstance(id, int) else siphash(id.encode("utf-8", "surrogatepass"))


def sums(
    rows: Sequence[Sequence[int]], ids: Sequence[int | str], n: int, seed: int
) -> list[list[int]]:
    found = [[0] * len(rows[0]) for _ in range(n)]
    for row, id in zip(rows, ids, strict=True):
        for r, total in enumerate(found):
            times = weight(seed, key_of(id), r)
            for j, count in enumerate(row):
                total[j] += times * count
    return found
