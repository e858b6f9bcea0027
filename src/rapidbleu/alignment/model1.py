"""IBM Model 1: probabilities of words' translations, and what follows from them."""

from __future__ import annotations

from math import exp, nan

from rapidbleu._core.ibm1.model1 import N_PARTS, Bitext, Table, renumber
from rapidbleu._lib.checks import check_count, check_flag
from rapidbleu._lib.lazy import np
from rapidbleu.alignment.bitext import checked_pairs, new_vocabulary, numbers_of
from rapidbleu.alignment.table import TranslationTable
from rapidbleu.parallel import check_progress, check_threads, in_parts, teller

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rapidbleu.alignment.bitext import _Sentence
    from rapidbleu.alignment.links import _Links
    from rapidbleu.typing import Array, FloatArray, Progress

FLOOR = 1e-9
PAIRS = 4096  # least sentence pairs of a part
SMALL = 1 << 14  # target tokens for which no threads are started


class IBMModel1(TranslationTable):
    """Probabilities ``p(target word | source word)``, learned by EM from sentence pairs.

    Make one by `fit`. The constructor and the other attributes are those of `TranslationTable`.

    Attributes
    ----------
    source_words, target_words : tuple of str
        The vocabularies, by first appearance.
    perplexities : tuple of float
        The perplexity of the target words before each step of EM, which never rises.

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
            raise ValueError("sources: expected at least one sentence pair, got none")
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
        taught = bitext.n_taught
        perplexities = []
        for done in range(1, iterations + 1):
            each_part(
                lambda begin, end, stop: bitext.step(
                    table, begin, end, totals, sums, likelihoods, stop
                )
            )
            bitext.add_totals(sums, totals)
            perplexities.append(exp(-sum(likelihoods.tolist()) / taught) if taught else nan)
            if progress is not None:
                progress(done, iterations)
        table.divide(totals)
        return cls(
            source_words, target_words, starts, cells, values, null=null, perplexities=perplexities
        )

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
        from itertools import pairwise

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
            raise TypeError(f"floor: expected float, got {type(floor).__name__}")
        if not 0.0 <= floor <= 1.0:
            raise ValueError(f"floor: expected 0 to 1, got {floor}")
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
        source, target = checked_pairs(sources, targets)
        seen, own = new_vocabulary(), new_vocabulary()
        words, begins = numbers_of(source, seen, "sources")
        tokens, starts = numbers_of(target, own, "targets")
        numbers, columns = (
            np.fromiter(map(known.__getitem__, names), np.int32, len(names))
            for known, names in ((self._source, seen), (self._target, own))
        )
        renumber(words, numbers)
        n_source = len(self.source_words) + 2  # NULL, and the words that are not known
        bitext = Bitext(words, begins, tokens, starts, n_source, len(own), self.null)
        return bitext, columns, starts, threads if len(tokens) >= SMALL else 1
