"""Drop-in for `nltk.translate.meteor_score`, which aligns words from the last to the first.

This is not the METEOR of its program; see `rapidbleu.METEOR`. Words match the last free equal word
of the reference, then the last with an equal stem, then the last whose stem is a synonym.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rapidbleu._core.nltk.token_lists import count_pairs
from rapidbleu.nltk.grams import names_of

__all__ = ["meteor_score", "single_meteor_score"]

MOST_WORDS = 1 << 16  # cached

__getattr__ = names_of("meteor_score")


class Remembered(dict[Any, Any]):
    """Cache of a function, emptied at 2**16 answers."""

    def __init__(self, ask: Callable[[Any], Any]) -> None:
        self._ask = ask

    def __missing__(self, key: Any) -> Any:
        answer = self._ask(key)
        if len(self) >= MOST_WORDS:
            self.clear()
        self[key] = answer
        return answer


def remember_synonyms(wordnet: Any) -> Remembered:
    """Return a cache from stems to the set of the stem and its one-word synonyms."""

    def synonyms(stem: Any) -> frozenset[Any]:
        sets = wordnet.synsets(stem)
        names = (lemma.name() for synset in sets for lemma in synset.lemmas())
        return frozenset([stem, *(name for name in names if "_" not in name)])

    return Remembered(synonyms)


class _Latest:
    """Answers of the latest stemmer and word net, reused by loops over sentences."""

    answers: Any = None, None, None  # a stemmer, a word net, and the answers of both
    own_stemmer: Any = None  # NLTK's, created on demand


def _find_words(stemmer: Any, wordnet: Any) -> tuple[Remembered, Remembered]:
    """Return the stems and synonyms of a stemmer and a word net; None means NLTK's own."""
    if stemmer is None:
        if _Latest.own_stemmer is None:
            from nltk.stem.porter import PorterStemmer

            _Latest.own_stemmer = PorterStemmer()
        stemmer = _Latest.own_stemmer
    if wordnet is None:
        from nltk import corpus

        wordnet = corpus.wordnet
    of_stemmer, of_wordnet, answers = _Latest.answers
    if of_stemmer is not stemmer or of_wordnet is not wordnet or answers is None:
        answers = Remembered(stemmer.stem), remember_synonyms(wordnet)
        _Latest.answers = stemmer, wordnet, answers
    return answers


def single_meteor_score(
    reference: Iterable[str],
    hypothesis: Iterable[str],
    preprocess: Callable[[str], str] = str.lower,
    stemmer: Any = None,
    wordnet: Any = None,
    alpha: float = 0.9,
    beta: float = 3.0,
    gamma: float = 0.5,
) -> float:
    """Return NLTK's METEOR of one hypothesis and one reference, from 0 to 1.

    A stemmer or word net of None is NLTK's own. The answers of the latest ones are cached, so they
    must be deterministic. Takes time linear in tokens and synonyms. Raises LookupError if NLTK's
    WordNet is needed but not on this machine.

    Examples
    --------
    >>> single_meteor_score(["the", "cat", "sat", "down"], ["the", "cat", "sat", "down"],
    ...                     stemmer=object(), wordnet=object())
    0.9921875
    """
    hyp_len, ref_len, n, chunks = count_pairs(
        hypothesis, reference, preprocess, _find_words, stemmer, wordnet
    )
    try:
        precision = n / hyp_len
        recall = n / ref_len
        f_mean = (precision * recall) / (alpha * precision + (1 - alpha) * recall)
        fragmentation = chunks / n
    except ZeroDivisionError:
        return 0.0
    score: float = (1 - gamma * fragmentation**beta) * f_mean
    return score


def meteor_score(
    references: Iterable[Iterable[str]],
    hypothesis: Iterable[str],
    preprocess: Callable[[str], str] = str.lower,
    stemmer: Any = None,
    wordnet: Any = None,
    alpha: float = 0.9,
    beta: float = 3.0,
    gamma: float = 0.5,
) -> float:
    """Return NLTK's METEOR of one hypothesis: the best `single_meteor_score` of the references.

    Examples
    --------
    >>> meteor_score([["the", "cat"], ["cat", "the"]], ["the", "cat"], stemmer=object(),
    ...              wordnet=object())
    0.9375
    """
    options = preprocess, stemmer, wordnet, alpha, beta, gamma
    return max([single_meteor_score(reference, hypothesis, *options) for reference in references])
