"""What METEOR asks about words: their stems, synonyms, and whether they are function words."""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    _Stemmer = Callable[[str], str]
    _Description = tuple[str | None, bool, Collection[int]]

MOST_WORDS = 1 << 18  # that are remembered


def snowball_stemmer(algorithm: str) -> "tuple[_Stemmer, str]":
    """Return a stemmer of Snowball by its name, and the name and version of the library.

    Raises
    ------
    ImportError
        If neither PyStemmer nor snowballstemmer is installed.
    ValueError
        If they have no such stemmer.
    """
    from importlib.metadata import version

    for library, package in (("Stemmer", "PyStemmer"), ("snowballstemmer", "snowballstemmer")):
        try:
            module = import_module(library)
        except ImportError:
            continue
        if algorithm == "dutch_porter" and algorithm not in module.algorithms():
            algorithm = "dutch"  # its name before release 3
        if algorithm not in module.algorithms():
            raise ValueError(
                f"stem: expected a function, or one of {', '.join(module.algorithms())}; "
                f"got {algorithm!r}"
            )
        make = module.Stemmer if library == "Stemmer" else module.stemmer
        stemmer = make(algorithm)
        if library == "Stemmer":
            stemmer.maxCacheSize = 0  # stems are remembered here
        return stemmer.stemWord, f"{algorithm}-{package}-{version(package)}"
    raise ImportError(
        "stem: expected PyStemmer, whose stems these are: pip install rapidbleu[meteor]; "
        "or give a function, or modules without 'stem'"
    )


class WordKnowledge:
    """What is known of words, each of which is looked at once.

    Parameters
    ----------
    stem : callable or None
        str to str.
    function_words : collection of str
        In lower case.
    synonyms : callable or None
        str to numbers of synonym sets, ascending.

    Notes
    -----
    When more than 2**18 words are known, all are forgotten.

    Examples
    --------
    >>> WordKnowledge(lambda word: word.removesuffix("s"), {"the"}, None)("cats")
    ('cat', False, ())
    """

    def __init__(
        self,
        stem: "_Stemmer | None",
        function_words: "Collection[str]",
        synonyms: "Callable[[str], Collection[int]] | None",
    ) -> None:
        self._stem = stem
        self._function_words = frozenset(function_words)
        self._synonyms = synonyms
        self._known: dict[str, _Description] = {}

    def __call__(self, word: str) -> "_Description":
        """Return stem, whether it is a function word, and numbers of synonym sets."""
        known = self._known.get(word)
        if known is None:
            stem = None if self._stem is None else self._stem(word)
            if stem is not None and not isinstance(stem, str):
                raise TypeError(f"stem: expected str for {word!r}, got {type(stem).__name__}")
            sets = () if self._synonyms is None else self._synonyms(word)
            known = stem, word.lower() in self._function_words, sets
            if len(self._known) >= MOST_WORDS:
                self._known.clear()
            self._known[word] = known
        return known


def check_words(words: "Iterable[str]") -> tuple[str, ...]:
    """Return different words, sorted.

    Examples
    --------
    >>> check_words(["the", "a", "the"])
    ('a', 'the')
    """
    if isinstance(words, str):
        raise TypeError("function_words: expected an iterable of str, got a single str")
    found = set(words)
    for word in found:
        if not isinstance(word, str):
            raise TypeError(f"function_words: expected str, got {type(word).__name__}")
    return tuple(sorted(found))
