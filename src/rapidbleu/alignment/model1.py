"""IBM Model 1: probabilities of words' translations, and what follows from them."""

from rapidbleu._core.translation.model1 import N_PARTS, Bitext, Table
from rapidbleu.alignment.arrays import check_iterations, check_probabilities, frozen, known_words
from rapidbleu.alignment.bitext import checked_pairs, numbers_of
from rapidbleu.alignment.training import SMALL, train
from rapidbleu.parallel import check_threads, in_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from rapidbleu.alignment.bitext import Sentence
    from rapidbleu.alignment.links import Links
    from rapidbleu.typing import Array, FloatArray, Progress

FLOOR = 1e-9
PAIRS = 4096  # least sentence pairs of a part


class IBMModel1:
    """Probabilities ``p(target word | source word)``, learned by EM from sentence pairs.

    Make one by `fit`; the constructor takes the table of a model that there is already.

    Parameters
    ----------
    source_words, target_words : sequence of str
        The vocabularies, no word twice; source word 0 of the table is NULL and not among them.
    starts : int64 array of shape (n_target + 1,)
        Where the cells of each target word begin.
    words : int32 array of shape (n_cells,)
        The source word of each cell, ascending for each target word: 0 for NULL, else its place
        among `source_words` and 1.
    probabilities : float64 array of shape (n_cells,)
        0 to 1.
    null : bool
        May target words be translations of no word?
    perplexities : sequence of float, optional

    Attributes
    ----------
    source_words, target_words : tuple of str
    starts, words, probabilities : array
        Read-only.
    null : bool
    perplexities : tuple of float
        Of the target words, before each step of EM: it never rises.

    Notes
    -----
    Pairs of words that stand in no sentence pair together have probability 0 and take no memory;
    the others take 12 bytes. A model can be pickled.

    References
    ----------
    Brown, Della Pietra, Della Pietra & Mercer 1993, The Mathematics of Statistical Machine
    Translation: Parameter Estimation, section 4.

    Examples
    --------
    >>> model = IBMModel1.fit(["green house", "the house"], ["casa verde", "la casa"], null=False)
    >>> model
    IBMModel1(3 source words, 3 target words, 7 cells, null=False)
    >>> model.align("the green house", "la casa verde")
    [(0, 0), (2, 1), (1, 2)]
    """

    def __init__(
        self,
        source_words: "Iterable[str]",
        target_words: "Iterable[str]",
        starts: "Array",
        words: "Array",
        probabilities: "FloatArray",
        *,
        null: bool = True,
        perplexities: "Iterable[float]" = (),
    ) -> None:
        import numpy as np

        self.source_words, self.target_words = tuple(source_words), tuple(target_words)
        self.starts = frozen(starts, np.int64, "starts")
        self.words = frozen(words, np.int32, "words")
        self.probabilities = frozen(probabilities, np.float64, "probabilities")
        self.null = bool(null)
        self.perplexities = tuple(float(perplexity) for perplexity in perplexities)
        self._source = known_words(self.source_words, 1, "source_words")
        self._target = known_words(self.target_words, 0, "target_words")
        check_probabilities(self.probabilities)
        if len(self.starts) != len(self.target_words) + 1:
            raise ValueError(
                f"starts: expected {len(self.target_words) + 1}, one more than target words, "
                f"got {len(self.starts)}"
            )
        # Words that are not known have a place behind the last ones, and no cells.
        starts = np.append(self.starts, self.starts[-1:])
        n_source = len(self.source_words) + 2
        self._table = Table(starts, self.words, self.probabilities, n_source)

    @classmethod
    def fit(
        cls,
        sources: "Iterable[Sentence]",
        targets: "Iterable[Sentence]",
        *,
        iterations: int = 5,
        null: bool = True,
        threads: int = 1,
        progress: "Progress | None" = None,
    ) -> "IBMModel1":
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
        threads = check_threads(threads)
        check_iterations(iterations)
        pairs = checked_pairs(sources, targets)
        if not pairs[0]:
            raise ValueError("sources: expected at least one sentence pair, got none")
        *table, perplexities = train(*pairs, iterations, bool(null), threads, progress)
        return cls(*table, null=null, perplexities=perplexities)

    def __repr__(self) -> str:
        return (
            f"IBMModel1({len(self.source_words):,} source words, {len(self.target_words):,} target "
            f"words, {len(self.words):,} cells, null={self.null})"
        )

    def __reduce__(self) -> "Any":
        arguments = self.source_words, self.target_words, self.starts, self.words
        return _rebuilt, (type(self), *arguments, self.probabilities, self.null, self.perplexities)

    def probability(self, target: str, source: "str | None") -> float:
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

    def translations(self, source: "str | None") -> "dict[str, float]":
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

    def to_dict(self) -> "dict[str | None, dict[str, float]]":
        """Return the whole table: of each source word, and None for NULL, its translations.

        Examples
        --------
        >>> IBMModel1.fit(["green"], ["verde"]).to_dict()
        {None: {'verde': 1.0}, 'green': {'verde': 1.0}}
        """
        names = (None, *self.source_words)
        table: dict[str | None, dict[str, float]] = {
            name: {} for name in (names if self.null else names[1:])
        }
        words, values, starts = (
            part.tolist() for part in (self.words, self.probabilities, self.starts)
        )
        for column, target in enumerate(self.target_words):
            for k in range(starts[column], starts[column + 1]):
                table[names[words[k]]][target] = values[k]
        return table

    def align(self, source: "Sentence", target: "Sentence") -> "Links":
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
        self, sources: "Iterable[Sentence]", targets: "Iterable[Sentence]", *, threads: int = 1
    ) -> "list[Links]":
        """Return the alignments of many sentence pairs, each as `align` does.

        Raises
        ------
        TypeError, ValueError
            As `fit`.

        Examples
        --------
        >>> model = IBMModel1.fit(["green house", "the house"], ["casa verde", "la casa"])
        >>> model.alignments(["the house", "green"], ["la casa", "verde"])
        [[(0, 0), (1, 1)], [(0, 0)]]
        """
        import numpy as np

        bitext, starts, threads = self._read(sources, targets, threads)
        best = np.empty(starts[-1], np.int32)
        in_parts(
            lambda begin, end, stop: bitext.ask(self._table, begin, end, 0.0, None, best, stop),
            N_PARTS, threads, 1,
        )  # fmt: skip
        linked, bounds = best.tolist(), starts.tolist()
        return [
            [(i, j) for j, i in enumerate(linked[begin:end]) if i >= 0]
            for begin, end in zip(bounds, bounds[1:], strict=False)
        ]

    def score(self, source: "Sentence", target: "Sentence", *, floor: float = FLOOR) -> float:
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
        sources: "Iterable[Sentence]",
        targets: "Iterable[Sentence]",
        *,
        floor: float = FLOOR,
        threads: int = 1,
    ) -> "FloatArray":
        """Return the scores of many sentence pairs, such as all hypotheses of n-best lists.

        Parameters
        ----------
        sources, targets : sequence of str or of sequences of str
            As many sources as targets: for n-best lists the source sentence of each hypothesis.
        floor, threads
            As `score` and `fit` have them.

        Returns
        -------
        float64 array of shape (n_pairs,)
            A column of features.

        Raises
        ------
        TypeError, ValueError
            As `fit`.

        Examples
        --------
        >>> model = IBMModel1.fit(["green house", "the house"], ["casa verde", "la casa"])
        >>> model.scores(["the house"] * 2, ["la casa", "la"]).round(2)
        array([-1.04, -0.92])
        """
        import numpy as np

        if isinstance(floor, bool) or not isinstance(floor, int | float | np.floating):
            raise TypeError(f"floor: expected float, got {type(floor).__name__}")
        if not 0.0 <= floor <= 1.0:
            raise ValueError(f"floor: expected 0 to 1, got {floor}")
        bitext, starts, threads = self._read(sources, targets, threads)
        sums, found = np.empty(starts[-1]), np.empty(len(starts) - 1)
        in_parts(
            lambda begin, end, stop: bitext.ask(self._table, begin, end, floor, sums, None, stop),
            N_PARTS, threads, 1,
        )  # fmt: skip
        in_parts(
            lambda begin, end, stop: bitext.add_logs(begin, end, sums, found, stop),
            len(found), threads, PAIRS,
        )  # fmt: skip
        return found

    def _read(
        self, sources: "Iterable[Sentence]", targets: "Iterable[Sentence]", threads: int
    ) -> "tuple[Bitext, Any, int]":
        """Sentence pairs, where their target sentences begin, and threads that are worth it."""
        threads = check_threads(threads)
        source, target = checked_pairs(sources, targets)
        words, begins = numbers_of(source, self._source.__getitem__)
        own, bounds = numbers_of(target, self._target.__getitem__)
        n_source, n_target = len(self._source) + 2, len(self._target) + 1
        bitext = Bitext(words, begins, own, bounds, n_source, n_target, self.null)
        return bitext, bounds, threads if len(own) >= SMALL else 1


def _rebuilt(
    cls: "type[IBMModel1]", *arguments: "Any"
) -> IBMModel1:
    *table, null, perplexities = arguments
    return cls(*table, null=null, perplexities=perplexities)
