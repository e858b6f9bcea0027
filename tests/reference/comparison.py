"""Oracle of comparisons: words, n-grams and buckets, counted one by one."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

Words = Sequence[str]
Segments = Sequence[Words]


def ngrams(words: Words, order: int) -> Iterator[tuple[str, ...]]:
    return (tuple(words[i : i + order]) for i in range(len(words) - order + 1))


def counted(
    outputs: Segments, references: Sequence[Segments], order: int, what: str
) -> Counter[tuple[str, ...]]:
    """Return n-grams that are right ("match"), too many ("over"), or missing ("under")."""
    total: Counter[tuple[str, ...]] = Counter()
    for words, several in zip(outputs, references, strict=True):
        own = Counter(ngrams(words, order))
        most: Counter[tuple[str, ...]] = Counter()
        for reference in several:
            most |= Counter(ngrams(reference, order))
        if what == "match":
            total += own & most
        elif what == "over":
            total += own - most
        else:
            total += Counter(ngrams(several[0], order)) - own
    return total


def characteristic(
    one: Counter[tuple[str, ...]], other: Counter[tuple[str, ...]], alpha: float = 1.0
) -> dict[str, tuple[int, float, int, int]]:
    """Return order, share and both counts of each n-gram that the first output has more often."""
    return {
        " ".join(gram): (len(gram), (n + alpha) / (n + other[gram] + 2 * alpha), n, other[gram])
        for gram, n in one.items()
        if n > other[gram]
    }


def bucket(number: float, cutoffs: Iterable[float]) -> int:
    return sum(cutoff <= number for cutoff in cutoffs)


def word_rows(
    outputs: Segments, references: Sequence[Segments], cutoffs: Sequence[float]
) -> list[tuple[int, int, int, int]]:
    """Count, by bucket, words of the first references, of the outputs, right and found."""
    frequency = Counter(word for several in references for word in several[0])
    rows = [[0, 0, 0, 0] for _ in range(len(cutoffs) + 1)]
    right, over, under = (
        counted(outputs, references, 1, what) for what in ("match", "over", "under")
    )
    for (word,) in {*right, *over, *under, *((word,) for word in frequency)}:
        row = rows[bucket(frequency[word], cutoffs)]
        row[0] += frequency[word]
        row[1] += right[word,] + over[word,]
        row[2] += right[word,]
        row[3] += frequency[word] - under[word,]
    return [(a, b, c, d) for a, b, c, d in rows]
