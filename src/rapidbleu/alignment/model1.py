"""IBM Model 1: probabilities of words' translations, and what follows from them."""

from __future__ import annotations

from array import array
from collections import defaultdict
from functools import reduce
from itertools import chain, count, pairwise
from math import exp, nan

from rapidbleu._core.ibm1.model1 import N_PARTS, Bitext, Table
from rapidbleu._lib.checks import check_count, check_flag, items_of
from rapidbleu._lib.frozen import Unchangeable, frozen
from rapidbleu._lib.lazy import np
from rapidbleu.parallel import check_progress, check_threads, in_parts, teller
from rapidbleu.stats import unmasked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from rapidbleu._types import Array, FloatArray, Progress
    from rapidbleu.alignment.links import _Links

    _Sentence = str | Sequence[str]

FLOOR = 1e-9
CHUNK = 1024  # sentences between two looks at signals
CELLS = 1 << 20  # of the table that are divided at a time
PAIRS = 4096  # least sentence pairs of a part
SMALL = 1 << 14  # target tokens for which no threads are started


class IBMModel1(Unchangeable):
    """Probabilities ``p(target word | source word)``, learned by EM from sentence pairs.

    `fit` makes one from sentences, the constructor from the arrays of a table.

    Parameters
    ----------
    source_words, target_words : sequence of str
        The vocabularies, no word twice; NULL is not among them.
    starts : int64 array of shape (n_target + 1,)
        Where the cells of each target word begin.
    words : int32 array of shape (n_cells,)
        The source word of each cell, ascending for each target word: 0 for NULL, else 1 and its
        place among `source_words`.
    probabilities : float64 array of shape (n_cells,)
        0 to 1.
    null : bool
        May target words be translations of no word?
    perplexities : sequence of float
        Of the target words, before each step of EM; they never rise.

    Attributes
    ----------
    source_words, target_words, perplexities : tuple
        Words that `fit` has learned are in the order of their first appearance.
    starts, words, probabilities : array
        Read-only.
    null : bool

    Raises
    ------
    TypeError, ValueError
        If these are not the arrays of a table.

    Notes
    -----
    12 bytes a cell; pairs of words without one have probability 0. It can be pickled.

    References
    ----------
    Brown, Della Pietra, Della Pietra & Mercer 1993, The Mathematics of Statistical Machine
    Translation: Parameter Estimation, section 4.1.

    Examples
    --------
    >>> model = IBMModel1.fit(["green house", "the house"], ["casa verde", "la casa"], null=False)
    >>> model
    IBMModel1(3 source words, 3 target words, 7 cells, null=False)
    >>> model.align("the green house", "la casa verde")
    [(0, 0), (2, 1), (1, 2)]
    """

    _fixed = frozenset(
        ("source_words", "target_words", "starts", "words", "probabilities", "null", "perplexities")
    )
    _remedy = "a table cannot be changed; make a new one of its parts"

    def __init__(
        self,
        source_words: Iterable[str],
        target_words: Iterable[str],
        starts: Array,
        words: Array,
        probabilities: FloatArray,
        *,
        null: bool = True,
        perplexities: Iterable[float] = (),
    ) -> None:
        self.source_words, self.target_words = tuple(source_words), tuple(target_words)
        self.starts = _vector(starts, np.int64, "starts")
        self.words = _vector(words, np.int32, "words")
        self.probabilities = _vector(probabilities, np.float64, "probabilities")
        self.null = check_flag("null", null)
        self.perplexities = tuple(float(perplexity) for perplexity in perplexities)
        self._source = _known_words(self.source_words, 1, "source_words")
        self._target = _known_words(self.target_words, 0, "target_words")
        likely = (self.probabilities >= 0.0) & (self.probabilities <= 1.0)
        if not likely.all():
            i = int(likely.argmin())
            raise ValueError(f"probabilities[{i}]: expected 0 to 1; got {self.probabilities[i]}")
        if len(self.starts) != len(self.target_words) + 1:
            raise ValueError(
                f"starts: expected {len(self.target_words) + 1}, one more than target words; "
                f"got {len(self.starts)}"
            )
        # Target words that are not known have a column behind the last one, without cells.
        starts = np.append(self.starts, self.starts[-1:])
        self._table = Table(starts, self.words, self.probabilities, len(self.source_words) + 1)

    @classmethod
    def fit(
        cls,
        sources: Iterable[_Sentence],
        targets: Iterable[_Sentence],
        *,
        iterations: int = 5,
        null: bool = True,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> IBMModel1:
        """Learn a table from sentence pairs.

        Parameters
        ----------
        sources, targets : sequence of str or of sequences of str
            Sentences, one side each; a str is split at whitespace. Without NULL, pairs whose source
            sentence is empty teach nothing.
        iterations : int
            Steps of EM, from the uniform table on; 0 gives that one.
        null : bool
            May target words be translations of no word?
        threads : int
            0 for all cores. The table does not depend on it.
        progress : callable, optional
            Called with the steps done and all steps.

        Returns
        -------
        IBMModel1

        Raises
        ------
        TypeError, ValueError
            If a sentence is neither a str nor a sequence of str, or the sides differ in their
            numbers of sentences, or there is no sentence pair.

        Notes
        -----
        A step is linear in the products of the sentences' lengths: a quarter of a second for a
        hundred thousand pairs of 25 words. 12 bytes a pair of words that occur together.

        Examples
        --------
        >>> sources, targets = ["green house", "the house"], ["casa verde", "la casa"]
        >>> model = IBMModel1.fit(sources, targets, iterations=2, null=False)
        >>> round(model.probability("casa", "green") * 7, 9)
        3.0
        """
        check_progress(progress)
        threads = check_threads(threads)
        check_count("iterations", iterations, 0)
        null = check_flag("null", null)
        pairs = checked_pairs(sources, targets)
        if not pairs[0]:
            raise ValueError("sources: expected at least one sentence pair; got none")
        source_words, target_words = new_vocabulary(), new_vocabulary()
        words, begins = numbers_of(pairs[0], source_words, "sources")
        words += 1  # 0 is NULL
        tokens, bounds = numbers_of(pairs[1], target_words, "targets")
        n_source, n_target = len(source_words) + 1, len(target_words)
        bitext = Bitext(words, begins, tokens, bounds, n_source, n_target, null)
        if len(tokens) < SMALL:
            threads = 1

        def each_part(work: Callable[..., None]) -> None:
            in_parts(work, N_PARTS, threads, 1)

        starts = np.zeros(n_target + 1, np.int64)
        each_part(lambda begin, end, stop: bitext.count_cells(begin, end, starts, stop))
        np.cumsum(starts, out=starts)
        cells = np.empty(starts[-1], np.int32)
        each_part(lambda begin, end, stop: bitext.list_cells(begin, end, starts, cells, stop))

        values = np.ones(len(cells))  # the uniform table is one of counts: 1 for each cell
        table = Table(starts, cells, values, n_source)
        totals = np.full(n_source, float(n_target))
        sums, likelihoods = np.empty((N_PARTS, n_source)), np.empty(N_PARTS)
        taught = len(tokens) if null else int(np.diff(bounds)[np.diff(begins) > 0].sum())
        perplexities = []
        for done in range(1, iterations + 1):
            each_part(
                lambda begin, end, stop: bitext.step(
                    table, begin, end, totals, sums, likelihoods, stop
                )
            )
            totals[:] = reduce(np.add, sums)  # one after the other, whatever the threads
            perplexities.append(exp(-sum(likelihoods.tolist()) / taught) if taught else nan)
            if progress is not None:
                progress(done, iterations)
        for begin in range(0, len(cells), CELLS):
            places = cells[begin : begin + CELLS].astype(np.intp)
            values[begin : begin + CELLS] /= totals[places]
        return cls(
            source_words, target_words, starts, cells, values, null=null, perplexities=perplexities
        )

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({len(self.source_words):,} source words, "
            f"{len(self.target_words):,} target words, {len(self.words):,} cells, "
            f"null={self.null})"
        )

    def __reduce__(self) -> Any:
        arguments = self.source_words, self.target_words, self.starts, self.words
        return _rebuilt, (type(self), *arguments, self.probabilities, self.null, self.perplexities)

    def probability(self, target: str, source: str | None) -> float:
        """Return ``p(target | source)`` of two words; None is the empty word NULL.

        Examples
        --------
        >>> model = IBMModel1.fit(["green house", "the house"], ["casa verde", "la casa"])
        >>> model.probability("verde", "green") > model.probability("casa", "green")
        True
        >>> model.probability("verde", "blue")
        0.0
        """
        place = 0 if source is None else self._source.get(source)
        column = self._target.get(target)
        if place is None or column is None:
            return 0.0
        begin, end = self.starts[column : column + 2].tolist()
        k = begin + int(self.words[begin:end].searchsorted(place))
        return float(self.probabilities[k]) if k < end and self.words[k] == place else 0.0

    def translations(self, source: str | None) -> dict[str, float]:
        """Return the translations of a word and their probabilities, the most probable one first.

        Parameters
        ----------
        source : str or None
            None is the empty word NULL.

        Returns
        -------
        dict
            Of equal ones, the first that was seen comes first. Nothing for unknown words.

        Notes
        -----
        Linear in the cells of the table; `to_dict` is faster for many words.

        Examples
        --------
        >>> model = IBMModel1.fit(["green house", "the house"], ["casa verde", "la casa"])
        >>> list(model.translations("house"))
        ['casa', 'verde', 'la']
        """
        place = 0 if source is None else self._source.get(source)
        if place is None:
            return {}
        cells = (self.words == place).nonzero()[0]
        order = cells[(-self.probabilities[cells]).argsort(kind="stable")]
        columns = self.starts.searchsorted(order, "right") - 1
        names = [self.target_words[column] for column in columns.tolist()]
        return dict(zip(names, self.probabilities[order].tolist(), strict=True))

    def to_dict(self, values: FloatArray | None = None) -> dict[str | None, dict[str, float]]:
        """Return the whole table: for each source word, and None for NULL, its translations.

        Parameters
        ----------
        values : float64 array of shape (n_cells,), optional
            Numbers of the cells, such as expected counts; by default their probabilities.

        Examples
        --------
        >>> IBMModel1.fit(["green"], ["verde"]).to_dict()
        {None: {'verde': 1.0}, 'green': {'verde': 1.0}}
        """
        numbers = self.probabilities if values is None else _vector(values, np.float64, "values")
        if len(numbers) != len(self.words):
            raise ValueError(f"values: expected {len(self.words)}, one a cell; got {len(numbers)}")
        names = (None, *self.source_words)
        table: dict[str | None, dict[str, float]] = {
            name: {} for name in (names if self.null else names[1:])
        }
        words, cells, starts = (part.tolist() for part in (self.words, numbers, self.starts))
        for column, target in enumerate(self.target_words):
            for k in range(starts[column], starts[column + 1]):
                table[names[words[k]]][target] = cells[k]
        return table

    def posteriors(self, source: _Sentence, target: _Sentence) -> FloatArray:
        """Return how likely each link of a sentence pair is, given both sentences.

        Parameters
        ----------
        source, target : str or sequence of str

        Returns
        -------
        float64 array of shape (n_source, n_target), or (n_source + 1, n_target) with NULL
            The probability that the target word is the translation of the source word; the last row
            is NULL's. Columns sum to 1, or are 0 if the table has no translation for the word.

        References
        ----------
        Brown et al. 1993, section 4.1 (the E-step).

        Examples
        --------
        >>> model = IBMModel1.fit(["green house", "the house"], ["casa verde", "la casa"])
        >>> model.posteriors("the house", "la").round(2)
        array([[0.77],
               [0.11],
               [0.11]])
        """
        words, _, tokens, _, columns = self._numbered([source], [target])
        rows = np.append(words, np.int32(0)) if self.null else words
        shares = np.zeros((len(rows), len(tokens)))
        for j, column in enumerate(columns.take(tokens).tolist()):
            cells = slice(*self.starts[column : column + 2].tolist())
            known = self.words[cells]
            if column < len(self.target_words) and len(known):
                k = np.minimum(known.searchsorted(rows), len(known) - 1)
                shares[:, j] = np.where(
                    known.take(k) == rows, self.probabilities[cells].take(k), 0.0
                )
        sums = shares.sum(axis=0)
        shares[:, sums < np.finfo(np.float64).tiny] = 0.0
        np.divide(shares, sums, out=shares, where=shares > 0.0)
        return shares

    def expected_counts(
        self, sources: Iterable[_Sentence], targets: Iterable[_Sentence], *, threads: int = 1,
        progress: Progress | None = None,
    ) -> FloatArray:  # fmt: skip
        """Return how often words of a corpus are expected to be translations of each other.

        Parameters
        ----------
        sources, targets, threads
            As in `fit`; words that the table does not know are left out.
        progress : callable, optional
            Called with the parts of the work done and their number.

        Returns
        -------
        float64 array of shape (n_cells,)
            The sum of `posteriors` for each cell of the table, in the order of `probabilities`.

        Notes
        -----
        Divided by their sum for each source word, these are the probabilities after another step
        of EM.

        Examples
        --------
        >>> sources, targets = ["green house", "the house"], ["casa verde", "la casa"]
        >>> model = IBMModel1.fit(sources, targets, iterations=1, null=False)
        >>> counts = model.expected_counts(sources, targets)
        >>> {word: round(count, 3) for word, count in model.to_dict(counts)["house"].items()}
        {'casa': 1.0, 'verde': 0.333, 'la': 0.333}
        >>> sums = np.bincount(model.words, counts)
        >>> again = IBMModel1.fit(sources, targets, iterations=2, null=False)
        >>> bool((counts / sums[model.words] == again.probabilities).all())
        True
        """
        check_progress(progress)
        threads = check_threads(threads)
        words, begins, tokens, starts, columns = self._numbered(sources, targets)
        n_source, n_target = len(self.source_words) + 2, len(self.target_words) + 1
        bitext = Bitext(words, begins, columns.take(tokens), starts, n_source, n_target, self.null)
        counts = self.probabilities.copy()
        table = Table(np.append(self.starts, self.starts[-1:]), self.words, counts, n_source)
        totals, sums, likelihoods = (
            np.ones(n_source),
            np.empty((N_PARTS, n_source)),
            np.empty(N_PARTS),
        )
        in_parts(
            lambda begin, end, stop: bitext.step(
                table, begin, end, totals, sums, likelihoods, stop
            ),
            N_PARTS, threads if len(tokens) >= SMALL else 1, 1, teller(progress, N_PARTS),
        )  # fmt: skip
        return counts

    def align(self, source: _Sentence, target: _Sentence) -> _Links:
        """Return the most probable alignment of a sentence pair.

        Parameters
        ----------
        source, target : str or sequence of str

        Returns
        -------
        list of (int, int)
            The place of a source word and that of a target word, from 0, in the order of the target
            words. Each of these has one link or none: to the source word whose translation it is
            most likely to be, the first of equal ones. It has none if NULL is likelier, or if it
            was never seen with any of them.

        Examples
        --------
        >>> model = IBMModel1.fit(["green house", "the house"], ["casa verde", "la casa"])
        >>> model.align("the house", ["la", "casa", "roja"])
        [(0, 0), (1, 1)]
        """
        return self.alignments([source], [target])[0]

    def alignments(
        self, sources: Iterable[_Sentence], targets: Iterable[_Sentence], *, threads: int = 1,
        progress: Progress | None = None,
    ) -> list[_Links]:  # fmt: skip
        """Return the alignments of many sentence pairs, each as `align` does.

        Parameters and errors are those of `fit`; `progress` is called with the parts of the work
        done and all of them.

        Examples
        --------
        >>> model = IBMModel1.fit(["green house", "the house"], ["casa verde", "la casa"])
        >>> model.alignments(["the house", "green"], ["la casa", "verde"])
        [[(0, 0), (1, 1)], [(0, 0)]]
        """
        check_progress(progress)
        bitext, columns, starts, threads = self._read(sources, targets, threads)
        best = np.empty(starts[-1], np.int32)
        in_parts(
            lambda begin, end, stop: bitext.ask(
                self._table, columns, begin, end, 0.0, None, best, stop
            ),
            N_PARTS, threads, 1, teller(progress, N_PARTS),
        )  # fmt: skip
        linked, bounds = best.tolist(), starts.tolist()
        return [
            [(i, j) for j, i in enumerate(linked[begin:end]) if i >= 0]
            for begin, end in pairwise(bounds)
        ]

    def score(self, source: _Sentence, target: _Sentence, *, floor: float = FLOOR) -> float:
        """Return the logarithm of the probability of a target sentence, given its source.

        Parameters
        ----------
        source, target : str or sequence of str
        floor : float
            The least probability of a pair of words, so that unknown words do not make it minus
            infinity; 0 to 1.

        Returns
        -------
        float
            The natural logarithm, the sum of those of the words; that of the length is left out.

        Notes
        -----
        A longer target sentence has a lower score: give a tuner the length as a feature, too.

        Examples
        --------
        >>> model = IBMModel1.fit(["green house", "the house"], ["casa verde", "la casa"])
        >>> model.score("the house", "la casa") > model.score("the house", "casa verde")
        True
        """
        return float(self.scores([source], [target], floor=floor)[0])

    def scores(
        self,
        sources: Iterable[_Sentence],
        targets: Iterable[_Sentence],
        *,
        floor: float = FLOOR,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> FloatArray:
        """Return the scores of many sentence pairs, such as all hypotheses of n-best lists.

        Parameters
        ----------
        sources, targets : sequence of str or of sequences of str
            As many sources as targets: for n-best lists the source sentence of each hypothesis.
        floor, threads, progress
            As for `score` and `alignments`.

        Returns
        -------
        float64 array of shape (n_pairs,)
            A column of features.

        Examples
        --------
        >>> model = IBMModel1.fit(["green house", "the house"], ["casa verde", "la casa"])
        >>> model.scores(["the house"] * 2, ["la casa", "la"]).round(2)
        array([-1.6 , -1.02])
        """
        if isinstance(floor, bool) or not isinstance(floor, int | float | np.floating):
            raise TypeError(f"floor: expected float; got {type(floor).__name__}")
        if not 0.0 <= floor <= 1.0:
            raise ValueError(f"floor: expected 0 to 1; got {floor}")
        check_progress(progress)
        bitext, columns, starts, threads = self._read(sources, targets, threads)
        sums, found = np.empty(starts[-1]), np.empty(len(starts) - 1)
        in_parts(
            lambda begin, end, stop: bitext.ask(
                self._table, columns, begin, end, floor, sums, None, stop
            ),
            N_PARTS, threads, 1, teller(progress, N_PARTS),
        )  # fmt: skip
        in_parts(
            lambda begin, end, stop: bitext.add_logs(begin, end, sums, found, stop),
            len(found), threads, PAIRS,
        )  # fmt: skip
        return found

    def _read(
        self, sources: Iterable[_Sentence], targets: Iterable[_Sentence], threads: int
    ) -> tuple[Bitext, Array, Array, int]:
        """Sentence pairs, the columns of their target words, their starts, useful threads.

        Target words have numbers of their own, so that few sentences do not cost what the whole
        table does.
        """
        threads = check_threads(threads)
        words, begins, tokens, starts, columns = self._numbered(sources, targets)
        n_source = len(self.source_words) + 2  # NULL, and the words that are not known
        bitext = Bitext(words, begins, tokens, starts, n_source, len(columns), self.null)
        return bitext, columns, starts, threads if len(tokens) >= SMALL else 1

    def _numbered(
        self, sources: Iterable[_Sentence], targets: Iterable[_Sentence]
    ) -> tuple[Array, Array, Array, Array, Array]:
        """Sentences as numbers of words and their starts, and the columns of the target words.

        Source words have the table's numbers, target words numbers of their own.
        """
        source, target = checked_pairs(sources, targets)
        seen, own = new_vocabulary(), new_vocabulary()
        words, begins = numbers_of(source, seen, "sources")
        tokens, starts = numbers_of(target, own, "targets")
        numbers, columns = (
            np.fromiter(map(known.__getitem__, names), np.int32, len(names))
            for known, names in ((self._source, seen), (self._target, own))
        )
        return numbers[words.astype(np.intp)], begins, tokens, starts, columns


# Sentences as numbers of words


def checked_pairs(
    sources: Iterable[_Sentence], targets: Iterable[_Sentence]
) -> tuple[list[Any], list[Any]]:
    """Return as many sentences of both sides, each a str or a list or tuple of tokens.

    Values that pandas or Arrow lack are no sentences. Tokens are checked by `numbers_of`, which
    sees each word once.
    """
    source, target = checked_sentences(sources, "sources"), checked_sentences(targets, "targets")
    if len(source) != len(target):
        raise ValueError(
            f"targets: expected {len(source)} sentences, as many as sources; got {len(target)}"
        )
    return source, target


def checked_sentences(sentences: Iterable[_Sentence], where: str) -> list[Any]:
    """Return sentences as a list; `where` names it in errors."""
    found = items_of(sentences, where, "sentences")
    for i, sentence in enumerate(found):
        if not isinstance(sentence, str | list | tuple):
            if not hasattr(sentence, "__iter__") or isinstance(sentence, bytes | bytearray):
                got = type(sentence).__name__
                raise TypeError(f"{where}[{i}]: expected str or tokens; got {got}")
            found[i] = items_of(sentence, f"{where}[{i}]", "tokens")
    return found


def new_vocabulary() -> dict[str, int]:
    """Return a dict that gives each new word the next number.

    Examples
    --------
    >>> vocabulary = new_vocabulary()
    >>> [vocabulary[word] for word in "a rose is a rose".split()]
    [0, 1, 2, 0, 1]
    """
    return defaultdict(count().__next__)


def numbers_of(sentences: list[Any], vocabulary: dict[str, int], where: str) -> tuple[Array, Array]:
    """Return the words of sentences as int32 numbers, and where each sentence begins, as int64.

    A str is split at whitespace; new words are added to `vocabulary`; TypeError if a token is no
    str. Linear in the words, 0.15 microseconds each, which is what finding a str in memory takes.

    Examples
    --------
    >>> numbers_of(["a rose", [], ["is"]], new_vocabulary(), "sentences")
    (array([0, 1, 2], dtype=int32), array([0, 2, 2, 3]))
    """
    words = array("i")
    lengths = array("q", [0])
    try:
        for begin in range(0, len(sentences), CHUNK):
            chunk = sentences[begin : begin + CHUNK]
            if not set(map(type, chunk)) <= {list, tuple}:
                chunk = [text.split() if isinstance(text, str) else text for text in chunk]
            words.extend(list(map(vocabulary.__getitem__, chain.from_iterable(chunk))))
            lengths.extend(map(len, chunk))
    except TypeError:  # no hash
        refuse_tokens(sentences, where)
        raise
    if not set(map(type, vocabulary)) <= {str}:  # or a class below it
        refuse_tokens(sentences, where)
    return np.array(words, np.int32), np.cumsum(lengths, dtype=np.int64)


def refuse_tokens(sentences: list[Any], where: str) -> None:
    """Raise TypeError for the first token that is no str, if there is one."""
    for i, sentence in enumerate(sentences):
        for k, token in enumerate(() if isinstance(sentence, str) else sentence):
            if not isinstance(token, str):
                raise TypeError(f"{where}[{i}][{k}]: expected str; got {type(token).__name__}")


# The parts of a table


def _rebuilt(cls: type[IBMModel1], *arguments: Any) -> IBMModel1:
    *table, null, perplexities = arguments
    return cls(*table, null=null, perplexities=perplexities)


class _KnownWords(dict[str, int]):
    """The places of words; those that are not known share the one after the last."""

    other: int

    def __missing__(self, word: str) -> int:
        return self.other


def _known_words(words: tuple[str, ...], first: int, where: str) -> _KnownWords:
    """Return the places of words, from `first` on; no word may be there twice."""
    known = _KnownWords(zip(words, range(first, first + len(words)), strict=True))
    known.other = first + len(words)
    if len(known) == len(words) and set(map(type, words)) <= {str}:
        return known
    known.clear()
    for i, word in enumerate(words):
        if not isinstance(word, str):
            raise TypeError(f"{where}[{i}]: expected str; got {type(word).__name__}")
        if known.setdefault(word, first + i) != first + i:
            raise ValueError(f"{where}[{i}]: expected a word of its own; got {word!r} again")
    return known


def _vector(values: Any, dtype: Any, where: str) -> Array:
    """Return a vector of a type that cannot be changed, usually a copy."""
    found: Array = np.asarray(unmasked(values, where))
    if found.size == 0:
        found = found.astype(dtype)
    if not np.can_cast(found.dtype, dtype, "same_kind") or found.dtype.kind not in "iuf":
        raise TypeError(f"{where}: expected an array of {np.dtype(dtype)}; got {found.dtype}")
    if found.ndim != 1:
        raise ValueError(f"{where}: expected an array of 1 dimension; got {found.ndim}")
    return frozen(found.astype(dtype, copy=False))
