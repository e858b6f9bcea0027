"""Drop-in for `nltk.translate.meteor_score`, which aligns words from the last to the first.

It is not METEOR as its program computes it: that is `rapidbleu.METEOR`. Words take the last equal
word of the reference that is free, then the last with an equal stem, then the last whose stem is a
synonym of theirs. Each stem and each set of synonyms is looked up once, and stems of NLTK's default
stemmer are made by compiled code.
"""

from collections.abc import Callable, Iterable
from typing import Any

from rapidbleu._core.nltk.meteor import count_pairs, porter_stem

__all__ = ["meteor_score", "single_meteor_score"]

MOST_WORDS = 1 << 16  # that are remembered


def is_porter(stemmer: Any) -> bool:
    """Whether this is NLTK's PorterStemmer as it is made by default."""
    from sys import modules

    porter = getattr(modules.get("nltk.stem.porter"), "PorterStemmer", None)
    return type(stemmer) is porter and vars(stemmer) == vars(porter())


class Words:
    """The stems and synonyms of a stemmer and a word net, each of which is asked for once.

    Parameters
    ----------
    stemmer : object with ``stem``
    wordnet : object with ``synsets``

    Attributes
    ----------
    stems, sets : dict
        Stem of each word, and synonyms of each stem, that were asked for.

    Notes
    -----
    When more than 2**16 words are known, all are forgotten.
    """

    def __init__(self, stemmer: Any, wordnet: Any) -> None:
        self.stemmer = stemmer
        self.wordnet = wordnet
        self._is_porter = is_porter(stemmer)
        self.stems: dict[Any, Any] = {}
        self.sets: dict[Any, frozenset[Any]] = {}

    def stem(self, word: Any) -> Any:
        """Return the stem of a word."""
        found = self.stems.get(word)
        if found is None:
            is_known = self._is_porter and type(word) is str
            found = porter_stem(word) if is_known else self.stemmer.stem(word)
            if len(self.stems) >= MOST_WORDS:
                self.stems.clear()
            self.stems[word] = found
        return found

    def synonyms(self, stem: Any) -> frozenset[Any]:
        """Return the stem, and all names of one word in its synonym sets."""
        found = self.sets.get(stem)
        if found is None:
            sets = self.wordnet.synsets(stem)
            names = (lemma.name() for synset in sets for lemma in synset.lemmas())
            found = frozenset([stem, *(name for name in names if "_" not in name)])
            if len(self.sets) >= MOST_WORDS:
                self.sets.clear()
            self.sets[stem] = found
        return found


class _Latest:
    """The words of the latest stemmer and word net: a loop over sentences has the same ones."""

    words: Words | None = None
    own_stemmer: Any = None  # NLTK's, made when first asked for


def _words_of(stemmer: Any, wordnet: Any) -> Words:
    """Return what is known of words by these; None: NLTK's own."""
    if stemmer is None:
        if _Latest.own_stemmer is None:
            from nltk.stem.porter import PorterStemmer

            _Latest.own_stemmer = PorterStemmer()
        stemmer = _Latest.own_stemmer
    if wordnet is None:
        from nltk import corpus

        wordnet = corpus.wordnet
    words = _Latest.words
    if words is None or words.stemmer is not stemmer or words.wordnet is not wordnet:
        _Latest.words = words = Words(stemmer, wordnet)
    return words


def _tokens(name: str, text: Iterable[str], preprocess: Callable[[str], str]) -> list[Any]:
    if isinstance(text, str):
        raise TypeError(f'"{name}" expects pre-tokenized {name} (Iterable[str]): {text}')
    return list(map(preprocess, text))


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
    """NLTK's METEOR of one hypothesis and one reference.

    Parameters
    ----------
    reference, hypothesis : iterable of str
        Tokens.
    preprocess : callable
        str to str.
    stemmer : object with ``stem``, optional
        NLTK's PorterStemmer by default.
    wordnet : object with ``synsets``, optional
        NLTK's WordNet by default.
    alpha, beta, gamma : float
        Weight of precision, and shape and weight of the penalty of chunks.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    LookupError
        If words are left over and NLTK's WordNet is not on this machine.

    Notes
    -----
    Linear in the number of tokens and synonyms. Stems and synonyms of the latest stemmer and word
    net are remembered, so these must always give the same answers.

    Examples
    --------
    >>> single_meteor_score(["the", "cat", "sat", "down"], ["the", "cat", "sat", "down"],
    ...                     stemmer=object(), wordnet=object())
    0.9921875
    """
    hyp = _tokens("hypothesis", hypothesis, preprocess)
    ref = _tokens("reference", reference, preprocess)
    n, chunks = count_pairs(hyp, ref, lambda: _words_of(stemmer, wordnet))
    try:
        precision = float(n) / len(hyp)
        recall = float(n) / len(ref)
        f_mean = (precision * recall) / (alpha * precision + (1 - alpha) * recall)
        fragmentation = float(chunks) / n
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
    """NLTK's METEOR of one hypothesis: the best score of several references.

    Parameters
    ----------
    references : iterable of iterables of str
    hypothesis, preprocess, stemmer, wordnet, alpha, beta, gamma
        As of `single_meteor_score`.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    ValueError
        If there are no references.

    Examples
    --------
    >>> meteor_score([["the", "cat"], ["cat", "the"]], ["the", "cat"], stemmer=object(),
    ...              wordnet=object())
    0.9375
    """
    options = preprocess, stemmer, wordnet, alpha, beta, gamma
    return max(single_meteor_score(reference, hypothesis, *options) for reference in references)
