"""METEOR, release 1.5 (Denkowski and Lavie 2014), and with the formulas of 2007 and 2005."""

from __future__ import annotations

from contextlib import suppress
from os import fspath
from pathlib import Path

from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu._core.meteor.meteor import MODULES, MeteorKernel, PhraseTable, WordKnowledge
from rapidbleu._lib.floats import shortest
from rapidbleu._lib.identity import checksum, shown_name
from rapidbleu._lib.loader import load
from rapidbleu.metrics.explaining import trace_matches
from rapidbleu.metrics.metric import Metric
from rapidbleu.metrics.options import (
    NUMBERS,
    PATH,
    WORD,
    WORDS,
    check_choice,
    check_number,
    check_numbers,
    choice,
    flag,
    option,
    words,
)
from rapidbleu.score import Score, declared
from rapidbleu.streams.files import open_packed
from rapidbleu.tokenizers.meteor import LANGUAGES as WITH_TOKENIZER
from rapidbleu.tokenizers.meteor import get_meteor_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from typing import Protocol

    class _Readable(Protocol):
        def read(self, size: int, /) -> bytes: ...

    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, ClassVar

    from rapidbleu._types import TokenizerName, TokenizerRule
    from rapidbleu.metrics.options import Settled


CODES = {"cs": "cz"}  # file codes that differ from language codes

# Word endings and their replacements, in the order in which they are tried
ENDINGS = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
    ("men", "man"), ("ies", "y"), ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"),
    ("ed", ""), ("ing", "e"), ("ing", ""), ("er", ""), ("est", ""), ("er", "e"), ("est", "e"),
)  # fmt: skip

BLOCK = 1 << 22  # bytes per read


class MeteorData:
    """The files of METEOR 1.5: ``meteor-1.5.jar``, or a folder with it or with its files.

    FileNotFoundError if the path or a required file does not exist; ValueError if it is a file but
    not a jar, or a file has unexpected content.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        if not self.path.exists():
            raise FileNotFoundError(
                f"data: expected the jar of METEOR 1.5, or a folder with it, at {self.path}"
            )
        self.folder = self.path if self.path.is_dir() else self.path.parent
        jars = sorted(self.path.glob("meteor-*.jar")) if self.path.is_dir() else [self.path]
        self.jar = jars[0] if jars else None
        self.checksum = 0  # of all that was read, with which signatures identify the data

    def missing(self, name: str) -> FileNotFoundError:
        return FileNotFoundError(
            f"data: expected {name} in {self.path}: the jar of METEOR 1.5, or a folder with it or "
            "with its files"
        )

    def lines(self, name: str) -> list[str]:
        load("re")
        load("zlib")
        import re
        from zlib import crc32

        if self.path.is_dir() and (self.path / name).is_file():
            content = (self.path / name).read_bytes()
        elif self.jar is not None:
            content = self._read_jar(self.jar, name)
        else:
            raise self.missing(name)
        self.checksum = crc32(content, self.checksum)
        try:
            rows = re.split("\r\n|\r|\n", content.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise ValueError(f"data: {name} in {self.path}: expected UTF-8: {error}") from error
        return rows[:-1] if rows[-1] == "" else rows

    def _read_jar(self, jar: Path, name: str) -> bytes:
        load("zipfile")
        import zipfile

        try:
            with zipfile.ZipFile(jar) as archive:
                return archive.read(name)
        except zipfile.BadZipFile as error:
            raise ValueError(f"data: expected a jar or a folder; got {jar}: {error}") from error
        except KeyError:
            raise self.missing(name) from None

    def function_words(self) -> tuple[str, ...]:
        """Return the English function words, which the program uses for every language."""
        return tuple(self.lines("function/english.words"))

    def prefixes(self, language: str) -> dict[str, bool]:
        """Return words that keep a final dot: True always, False only in front of a digit."""
        kinds = {}
        for line in self.lines(f"nonbreaking/{language}.prefixes"):
            words = line.split()
            if words and not words[0].startswith("#"):
                kinds[words[0]] = words[1:2] != ["#NUMERIC_ONLY#"]
        return kinds

    def phrases(self, language: str) -> PhraseTable:
        """Return the paraphrases of a language: ``data/paraphrase-CODE.gz`` next to the jar."""
        name = f"data/paraphrase-{CODES.get(language, language)}.gz"
        path = self.folder / name
        if not path.is_file():
            raise FileNotFoundError(
                f"data: expected {path}, beside the jar of METEOR 1.5; without it, leave "
                "'paraphrase' out of modules"
            )
        table = PhraseTable()
        try:
            with open_packed(path, ".gz") as file:
                read_blocks(table, file)
            table.close()
        except ValueError as error:
            raise ValueError(f"data: {path}: {str(error).removeprefix(f'{path}: ')}") from error
        with open(path, "rb") as file:
            file.seek(-8, 2)
            end = file.read()  # checksum and size of the texts
        self.checksum = load("zlib", "crc32")(end, self.checksum)
        return table


def read_blocks(table: PhraseTable, file: _Readable) -> None:
    """Read a file block by block, split at line ends."""
    rest = b""
    while block := file.read(BLOCK):
        lines, end, rest_of_block = block.rpartition(b"\n")
        table.read(rest + lines + end if end else b"")
        rest = rest_of_block if end else rest + block
    table.read(rest)


class Synonyms:
    """The synonym sets of words, from METEOR's WordNet files.

    A word has its own sets and the sets of its base forms: the ones in the file of exceptions, or
    else the one from the first ending whose base form has sets.
    """

    def __init__(self, data: MeteorData) -> None:
        rows = data.lines("synonym/english.synsets")
        self._sets = dict(zip(rows[::2], rows[1::2], strict=False))
        self._bases: dict[str, list[str]] = {}
        rows = data.lines("synonym/english.exceptions")
        for base, forms in zip(rows[::2], rows[1::2], strict=False):
            for form in forms.split():
                self._bases.setdefault(form, []).append(base)

    def _base_forms(self, word: str) -> list[str]:
        if word in self._bases:
            return self._bases[word]
        if not word.endswith("ss") and len(word) > 2:
            for ending, instead in ENDINGS:
                if word.endswith(ending):
                    base = word.removesuffix(ending) + instead
                    if base in self._sets:
                        return [base]
        return []

    def __call__(self, word: str) -> list[int]:
        """Return the indices of the sets, ascending."""
        forms = {word, *self._base_forms(word)}
        return sorted({int(n) for form in forms for n in self._sets.get(form, "").split()})


# Name of each language in file names and stemmers
LANGUAGES = {
    "en": "english", "cs": "czech", "da": "danish", "de": "german", "es": "spanish",
    "fi": "finnish", "fr": "french", "hu": "hungarian", "it": "italian", "nl": "dutch",
    "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish",
    "tr": "turkish", "other": "other",
}  # fmt: skip
NOT_STEMMED = ("cs", "other")
WITH_PARAPHRASES = ("en", "cs", "de", "es", "fr", "ru")

Preset = tuple[tuple[float, ...], tuple[float, ...]]

# Alpha, beta, gamma and delta, and the module weights, by variant and language ("": any other)
PRESETS: dict[str, dict[str, Preset]] = {
    "1.5": {
        "en": ((0.85, 0.20, 0.60, 0.75), (1.0, 0.6, 0.8, 0.6)),
        "cs": ((0.95, 0.20, 0.60, 0.80), (1.0, 0.4)),
        "de": ((0.95, 1.00, 0.55, 0.55), (1.0, 0.8, 0.2)),
        "es": ((0.65, 1.30, 0.50, 0.80), (1.0, 0.8, 0.6)),
        "fr": ((0.90, 1.40, 0.60, 0.65), (1.0, 0.2, 0.4)),
        "": ((0.75, 1.40, 0.70, 0.50), (1.0, 0.5, 0.5, 0.5)),
    },
    "2007": {
        "en": ((0.80, 0.83, 0.28, 0.50), (1.0, 1.0, 1.0, 1.0)),
        "cs": ((0.80, 0.83, 0.28, 0.50), (1.0, 1.0, 1.0, 1.0)),
        "de": ((0.95, 1.00, 0.98, 0.50), (1.0, 1.0, 1.0, 1.0)),
        "es": ((0.95, 0.50, 0.75, 0.50), (1.0, 1.0, 1.0, 1.0)),
        "fr": ((0.76, 0.50, 1.00, 0.50), (1.0, 1.0, 1.0, 1.0)),
    },
    "2005": {"": ((0.90, 3.00, 0.50, 0.50), (1.0, 1.0, 1.0, 1.0))},
}
VARIANTS = tuple(PRESETS)

MOST_OF = {"alpha": 1.0, "beta": 1000.0, "gamma": 1.0, "delta": 1.0}
MOST_WEIGHT = 1000.0


def default_modules(variant: str, language: str, has_data: bool) -> tuple[str, ...]:
    """Return the modules of a language; for release 1.5 all for which there is data.

    >>> default_modules("1.5", "de", has_data=True)
    ('exact', 'stem', 'paraphrase')
    """
    modules = ["exact"]
    if language not in NOT_STEMMED:
        modules.append("stem")
    if variant == "1.5" and has_data:
        if language == "en":
            modules.append("synonym")
        if language in WITH_PARAPHRASES:
            modules.append("paraphrase")
    return tuple(modules)


def default_stemmer(variant: str, language: str) -> str:
    """Return the name of a language's stemmer; before release 1.0, English used Porter's.

    >>> default_stemmer("2005", "en"), default_stemmer("1.5", "nl")
    ('porter', 'dutch_porter')
    """
    if language == "en" and variant != "1.5":
        return "porter"
    return "dutch_porter" if language == "nl" else LANGUAGES[language]


def preset(variant: str, language: str, n_modules: int) -> Preset:
    """Return the parameters, and the weights of the first `n_modules` modules.

    ValueError if the variant does not support the language.
    """
    presets = PRESETS[variant]
    if language not in presets and "" not in presets:
        raise ValueError(
            f"language: expected one of {', '.join(presets)} for variant {variant}, or "
            f"parameters; got {language!r}"
        )
    parameters, weights = presets.get(language) or presets[""]
    return parameters, (*weights, *[0.0] * n_modules)[:n_modules]


def check_parameters(parameters: Sequence[float]) -> tuple[float, ...]:
    """Return alpha, beta, gamma and delta.

    >>> check_parameters([0.85, 0.2, 0.6, 1])
    (0.85, 0.2, 0.6, 1.0)
    """
    if len(parameters) != len(MOST_OF):
        raise ValueError(f"parameters: expected {', '.join(MOST_OF)}; got {parameters!r}")
    limits = zip(MOST_OF.items(), parameters, strict=True)
    return tuple(check_number(name, value, 0, most) for (name, most), value in limits)


def check_module_weights(weights: Sequence[float], n_modules: int) -> tuple[float, ...]:
    if len(weights) != n_modules:
        raise ValueError(f"weights: expected {n_modules}, one for each module; got {len(weights)}")
    return check_numbers("weights", weights, 0, MOST_WEIGHT)


def check_modules(modules: Sequence[str]) -> tuple[str, ...]:
    """Return the modules in the given order.

    >>> check_modules(["exact", "stem"])
    ('exact', 'stem')
    """
    names = (modules,) if isinstance(modules, str) else tuple(modules)
    for module in names:
        check_choice("modules", module, tuple(MODULES))
    if not names or len(set(names)) != len(names):
        raise ValueError(f"modules: expected different ones, at least one; got {modules!r}")
    return names


def snowball_stemmer(algorithm: str) -> tuple[Callable[[str], str], str]:
    """Return a Snowball stemmer, and its name with the library and the library's version.

    ImportError if neither PyStemmer nor snowballstemmer is installed; ValueError for other names.
    """
    version = load("importlib.metadata", "version")
    # `version` imports these when called, the second since Python 3.13.
    load("email.parser")
    with suppress(ImportError):  # a private module
        load("importlib.metadata._adapters")
    for library, package in (("Stemmer", "PyStemmer"), ("snowballstemmer", "snowballstemmer")):
        try:
            module = load(library)
        except ImportError:
            continue
        if algorithm == "dutch_porter" and algorithm not in module.algorithms():
            algorithm = "dutch"  # name before release 3
        if algorithm not in module.algorithms():
            raise ValueError(
                f"stem: expected a function, or one of {', '.join(module.algorithms())}; "
                f"got {algorithm!r}"
            )
        make = module.Stemmer if library == "Stemmer" else module.stemmer
        stemmer = make(algorithm)
        if library == "Stemmer":
            stemmer.maxCacheSize = 0  # WordKnowledge caches stems
        return stemmer.stemWord, f"{algorithm}-{package}-{version(package)}"
    raise ImportError(
        'stem: expected PyStemmer, whose stems these are: pip install "rapidbleu[meteor]"; '
        "or give a function, or modules without 'stem'"
    )


def check_words(words: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct words, sorted.

    >>> check_words(["the", "a", "the"])
    ('a', 'the')
    """
    if isinstance(words, str):
        raise TypeError("function_words: expected an iterable of str; got a single str")
    distinct = set(words)
    for word in distinct:
        if not isinstance(word, str):
            raise TypeError(f"function_words: expected str; got {type(word).__name__}")
    return tuple(sorted(distinct))


@declared
class METEORScore(Score):
    """A METEOR score and its components.

    Attributes
    ----------
    score, precision, recall, f : float
        In percent; words are weighted by module and by function word.
    penalty : float
        Fragmentation penalty, from 0 to gamma.
    chunks : int
        Chunks of all segments except perfect ones.
    hyp_matches, ref_matches, hyp_len, ref_len : int
        Matched words, and all words.

    Examples
    --------
    >>> print(METEORScore(51.8, 100.0, 100.0, 100.0, 0.482, 2, 6, 6, 6, 6))
    METEOR = 51.80 (P = 100.0 R = 100.0 penalty = 0.482 chunks = 2)
    """

    name = "METEOR"

    score: float
    precision: float
    recall: float
    f: float
    penalty: float
    chunks: int
    hyp_matches: int
    ref_matches: int
    hyp_len: int
    ref_len: int

    @property
    def _verbose(self) -> str:
        return (
            f"(P = {self.precision:.1f} R = {self.recall:.1f} penalty = {self.penalty:.3f} "
            f"chunks = {self.chunks})"
        )

    @property
    def _formula(self) -> list[str]:
        numbers = f"(1 - {self.penalty:.4f}) * {self.f:.2f}"
        return [f"METEOR = (1 - penalty) * F_mean = {numbers} = {self.score:.2f}"]


class METEOR(Metric[METEORScore]):
    """METEOR with fixed options.

    Modules align words and phrases of hypothesis and reference: equal words, equal stems, synonyms,
    paraphrases. The score is a weighted mean of precision and recall, reduced by a penalty for the
    number of chunks (runs of words matched in the same order).

    Parameters
    ----------
    variant : {"1.5", "2007", "2005"}
        Parameters and formula of release 1.5, of Lavie and Agarwal 2007, or of Banerjee and Lavie
        2005, which penalizes perfect segments as well. All use the alignment of release 1.5.
    language : str
        A key of `LANGUAGES`, such as ``en``, or ``other``; sets the default parameters, weights,
        modules, stemmer and tokenizer.
    modules : sequence of {"exact", "stem", "synonym", "paraphrase"}, optional
        Modules in order. By default those the language supports: ``exact`` and ``stem``, and with
        `data` the program's modules.
    stem : str or callable, optional
        Name of a Snowball stemmer, or a function from str to str; by default the language's
        stemmer. Names need PyStemmer or snowballstemmer (``rapidbleu[meteor]``).
    data : path, optional
        ``meteor-1.5.jar``, or a folder that contains it or its files: function words, words that
        keep their dots, synonyms; paraphrases are in ``data/`` next to it.
    function_words : iterable of str, optional
        Function words in lower case. By default the English list of `data`, which the program
        uses for every language; without data there are none, and delta has no effect.
    parameters : (alpha, beta, gamma, delta), optional
    weights : sequence of float, optional
        Weight of each module; by default assigned by position, as in the program.
    lowercase : bool
        Lowercase tokens, and text for other tokenizers; METEOR's own always lowercases.
    tokenize : str or callable, optional
        One of ``METEOR.TOKENIZERS``, or any function from str to a list of str. The default is
        METEOR's normalization, with rules for cs, de, en, es, fr and ru; without `data` no
        abbreviation keeps its dot.

    Raises
    ------
    TypeError, ValueError
        If an option does not accept the value, or a module needs data.
    FileNotFoundError
        If a data file is missing.
    ImportError
        If the required stemmer is not installed.

    Notes
    -----
    A row of statistics contains the 23 numbers of the program, in its order (`COLUMNS` of
    ``rapidbleu._core.meteor.meteor``); as in the program's sums, a segment matched entirely in one
    chunk adds 0 chunks. If a segment has several references, the first with the highest score is
    used. Empty texts score 0. Lists of tokens are used unchanged; integer ids work with the module
    ``exact`` and without function words.

    Time is linear in the pairs of positions with equal words or stems, for synonyms in the product
    of both lengths, plus 40 paths for each reference word with a choice. Each distinct word is
    stemmed and looked up once. Paraphrases take about 160 MB, and seconds to read.

    References
    ----------
    Denkowski and Lavie 2014, "Meteor Universal: Language Specific Translation Evaluation for Any
    Target Language"; Lavie and Agarwal 2007; Banerjee and Lavie 2005.

    Examples
    --------
    >>> metric = METEOR(modules=["exact"])
    >>> metric.sentence_score("on the mat the cat sat", ["the cat sat on the mat"])
    METEOR = 51.84 (P = 100.0 R = 100.0 penalty = 0.482 chunks = 2)
    >>> stem = lambda word: word.removesuffix("s")
    >>> METEOR(stem=stem).corpus_score(["the cats walk"], [["the cat walks"]])
    METEOR = 73.33 (P = 73.3 R = 73.3 penalty = 0.000 chunks = 0)
    """

    variant: str = choice(default="1.5", among=VARIANTS)
    language: str = choice(default="en", among=tuple(LANGUAGES))
    modules: Settled[Sequence[str] | None, tuple[str, ...]] = option(
        default=None,
        check=lambda _, value: check_modules(value),
        text=WORDS,
        among=tuple(MODULES),
    )
    stem: str | Callable[[str], str] | None = option(
        default=None,
        check=lambda _, value: value,
        text=WORD,
        needs=("the module stem", lambda metric: "stem" in metric.modules),
    )
    data: Settled[str | PathLike[str] | None, str | None] = option(
        default=None, check=lambda _, value: fspath(value), text=PATH
    )
    function_words: Settled[Iterable[str] | None, tuple[str, ...] | None] = option(
        default=None,
        check=lambda _, value: check_words(value),
        text=WORDS,
        needs=("a delta other than 0.5", lambda metric: metric.parameters[3] != 0.5),
    )
    parameters: Settled[Sequence[float] | None, tuple[float, ...]] = option(
        default=None, check=lambda _, value: check_parameters(value), text=NUMBERS
    )
    weights: Settled[Sequence[float] | None, tuple[float, ...]] = option(
        default=None, check=lambda _, value: value, text=NUMBERS
    )
    lowercase: bool = flag(default=False)
    tokenize: TokenizerName | TokenizerRule | None = words(default=None)

    _late = ("modules", "parameters", "weights")
    _unpickled = ("_extractor", "_knowledge", "_phrases")

    _advised: ClassVar[bool] = False

    def _settle(self) -> None:
        self._put("weights", check_module_weights(self.weights, len(self.modules)))
        self._load()

    def _default_of(self, name: str) -> Any:
        if name == "modules":
            sources = self.data, self.modules, self.stem, self.function_words
            if not METEOR._advised and all(option is None for option in sources):
                METEOR._advised = True
                self._warn(
                    "METEOR matches exact forms and stems only; `data` adds synonyms, paraphrases "
                    "and function words"
                )
            return default_modules(self.variant, self.language, self.data is not None)
        if name in ("parameters", "weights"):
            parameters, weights = preset(self.variant, self.language, len(self.modules))
            return parameters if name == "parameters" else weights
        return super()._default_of(name)

    def _load(self) -> None:
        """Read the data, and create the stemmer and the tables about words."""
        if self.data is None and ("synonym" in self.modules or "paraphrase" in self.modules):
            raise ValueError(
                "data: expected the jar of METEOR 1.5, or a folder with its files, for the modules "
                "synonym and paraphrase; got None"
            )
        if "synonym" in self.modules and self.language != "en":
            raise ValueError(f"modules: expected synonyms of en only; got {self.language!r}")
        data = None if self.data is None else MeteorData(self.data)
        self._prefixes = {}
        words = self.function_words
        if data is not None:
            if self.language in WITH_TOKENIZER:
                self._prefixes = data.prefixes(LANGUAGES[self.language])
            words = data.function_words() if words is None else words
        self._function_words = words or ()
        stemmer, self._stemmer_name = self._choose_stemmer()
        of_bytes = not callable(self.stem) and "-PyStemmer-" in str(self._stemmer_name)
        synonyms = Synonyms(data) if data is not None and "synonym" in self.modules else None
        self._knowledge = (
            WordKnowledge(stemmer, frozenset(self._function_words), synonyms, of_bytes)
            if stemmer is not None or self._function_words or synonyms is not None
            else None
        )
        self._phrases: PhraseTable | None = None
        if data is not None and "paraphrase" in self.modules:
            self._phrases = data.phrases(self.language)
        self._data_checksum = data and f"{data.checksum:08x}"

    def _choose_stemmer(self) -> tuple[Callable[[str], str] | None, str | None]:
        if "stem" not in self.modules:
            return None, None
        if callable(self.stem):
            return self.stem, shown_name(self.stem)
        if self.stem is None and self.language in NOT_STEMMED:
            raise ValueError(f"stem: expected a stemmer, as {self.language!r} has none")
        return snowball_stemmer(self.stem or default_stemmer(self.variant, self.language))

    def _choose_tokenizer(self) -> Callable[[str], Any]:
        if self.tokenize is None:
            return get_meteor_tokenizer(self.language, self._prefixes)
        return super()._choose_tokenizer()

    def _make_kernel(self) -> MeteorKernel:
        return MeteorKernel(
            self.parameters,
            self.weights,
            self.modules,
            self._knowledge,
            self._phrases,
            self.variant != "2005",
            self.variant == "1.5",
        )

    def _trace(self, hyp: Sequence[Any], ref: Sequence[Any]) -> list[Any]:
        kernel = self._make_kernel()
        kernel.matches = []
        columns = Column([hyp], "hypothesis"), ReferenceColumns([[ref]], "segment")
        self._extractor.with_kernel(kernel).extract(*columns, 0, 1)
        matches = [(self.modules[k], *places) for k, *places in kernel.matches]
        return trace_matches(matches, len(hyp), len(ref))

    _score_type = METEORScore

    def _options(self) -> dict[str, Any]:
        words = sorted({*self._function_words})
        return {
            "variant": self.variant,
            "lang": self.language,
            "mod": "+".join(self.modules),
            "stem": self._stemmer_name,
            "param": "/".join(map(shortest, self.parameters)),
            "weights": "/".join(map(shortest, self.weights)),
            "func": f"{len(words)}-{checksum(words)}" if words else "none",
            "data": self._data_checksum,
        }

    def _identity(self) -> dict[str, object]:
        return super()._identity() | {"data": self._data_checksum}
