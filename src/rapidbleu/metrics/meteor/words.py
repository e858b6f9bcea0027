"""The stemmers that METEOR can have, and lists of words."""

from rapidbleu.loading.loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    _Stemmer = Callable[[str], str]


def snowball_stemmer(algorithm: str) -> "tuple[_Stemmer, str]":
    """Return a stemmer of Snowball by its name, and the name and version of the library.

    Raises
    ------
    ImportError
        If neither PyStemmer nor snowballstemmer is installed.
    ValueError
        If they have no such stemmer.
    """
    load("email.parser")  # as `version` imports it
    version = load("importlib.metadata", "version")
    for library, package in (("Stemmer", "PyStemmer"), ("snowballstemmer", "snowballstemmer")):
        try:
            module = load(library)
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
