"""n-grams as Counters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def extract_all_word_ngrams(
    line: str, min_order: int, max_order: int
) -> tuple[Counter[tuple[str, ...]], int]:
    """Count the n-grams of words from one order to another; return the number of words, too.

    Examples
    --------
    >>> extract_all_word_ngrams("a b a", 1, 2)
    (Counter({('a',): 2, ('b',): 1, ('a', 'b'): 1, ('b', 'a'): 1}), 3)
    """
    words = line.split()
    return Counter(
        tuple(words[i : i + n])
        for n in range(min_order, max_order + 1)
        for i in range(len(words) - n + 1)
    ), len(words)


def extract_word_ngrams(tokens: Sequence[str], n: int) -> Counter[str]:
    """Count the n-grams of one order, each as its words with spaces between them.

    Examples
    --------
    >>> extract_word_ngrams(["a", "b", "a"], 2)
    Counter({'a b': 1, 'b a': 1})
    """
    return Counter(" ".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def extract_char_ngrams(line: str, n: int, include_whitespace: bool = False) -> Counter[str]:
    """Count the n-grams of characters of one order, white space removed unless it is included.

    Examples
    --------
    >>> extract_char_ngrams("a bb", 2)
    Counter({'ab': 1, 'bb': 1})
    """
    if not include_whitespace:
        line = "".join(line.split())
    return Counter(line[i : i + n] for i in range(len(line) - n + 1))


def extract_all_char_ngrams(
    line: str, max_order: int, include_whitespace: bool = False
) -> list[Counter[str]]:
    """Count the n-grams of characters of each order up to `max_order`.

    Examples
    --------
    >>> extract_all_char_ngrams("a a", 2)
    [Counter({'a': 2}), Counter({'aa': 1})]
    """
    if not include_whitespace:
        line = "".join(line.split())
    return [extract_char_ngrams(line, n, True) for n in range(1, max_order + 1)]
