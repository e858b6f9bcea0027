"""All pairs: every hypothesis against every reference, and what is made of their scores."""

from rapidbleu._core.scoring.pairs import Pairs
from rapidbleu.metrics.contract.pair_job import PairJob

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, overload

    from rapidbleu._core.scoring.extraction import Extractor, LastCalls
    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu.typing import FloatArray, Groups, PairTexts, Progress


class PairScoring:
    """Scores of all pairs, for any metric."""

    if TYPE_CHECKING:
        _extractor: Extractor
        _preparation: str
        _calls: LastCalls

    def _make_pairs(self, hyps: "PreparedReferences", refs: "PreparedReferences") -> Pairs:
        """Return the compiled scorer of pairs."""
        return Pairs(self._extractor.kernel, hyps, refs)

    if TYPE_CHECKING:
        @overload
        def pairwise(
            self, hypotheses: PairTexts, references: PairTexts | None = None, *,
            groups: Literal[False] | None = None, threads: int = 1,
            progress: Progress | None = None,
        ) -> FloatArray: ...
        @overload
        def pairwise(
            self, hypotheses: Groups, references: Groups | None = None, *, groups: Literal[True],
            threads: int = 1, progress: Progress | None = None,
        ) -> list[FloatArray]: ...

    def pairwise(
        self, hypotheses: "PairTexts | Groups", references: "PairTexts | Groups | None" = None, *,
        groups: "bool | None" = None, threads: int = 1,
        progress: "Progress | None" = None,
    ) -> "FloatArray | list[FloatArray]":  # fmt: skip
        """Score every hypothesis against every reference.

        Parameters
        ----------
        hypotheses : sequence of m segments, or References
            Segments as in `corpus_score`. References that were prepared, with one for each
            segment, need not be tokenized again.
        references : sequence of n segments, or References, optional
            The hypotheses by default.
        groups : bool, optional
            Both are sequences of groups, lists of segments, each a problem of its own. False: lists
            of str are tokens; by default they are, too, but tokens with white space inside are
            refused because they may be groups of texts.
        threads : int
            Threads to use; 0 for all cores. The result is the same.
        progress : callable, optional
            Called with the pairs done and all of them.

        Returns
        -------
        float64 array of shape (m, n), or a list of them, one for each group
            ``[i, j]`` is ``sentence_score(hypotheses[i], [references[j]]).score``, to the last bit.

        Raises
        ------
        TypeError, ValueError
            If a text or an argument is not what is expected, a group is empty, or the numbers of
            groups differ; the message names the place.

        Notes
        -----
        Each text is tokenized once, and the time is proportional to the n-grams that texts share.
        The matrices of groups are parts of one array.

        Examples
        --------
        >>> from rapidbleu import BLEU
        >>> bleu = BLEU(effective_order=True)
        >>> bleu.pairwise(["a b c", "a b d"], ["a b c", "a c", "d"]).round(1)
        array([[100. ,  34.7,   0. ],
               [ 55. ,  27.5,  27.5]])
        """
        import numpy as np

        job = PairJob(self, hypotheses, references, groups, threads, progress)
        self._calls.remember_number(1)
        sizes = [m * n for m, n in job.shapes]
        out = np.empty(sum(sizes), np.float64)
        job.run(out, None)
        matrices = [
            matrix.reshape(shape)
            for matrix, shape in zip(job.split(out, sizes), job.shapes, strict=True)
        ]
        return matrices if groups else matrices[0]

    if TYPE_CHECKING:
        @overload
        def self_scores(
            self, hypotheses: PairTexts, *, groups: Literal[False] | None = None,
            threads: int = 1, progress: Progress | None = None,
        ) -> FloatArray: ...
        @overload
        def self_scores(
            self, hypotheses: Groups, *, groups: Literal[True], threads: int = 1,
            progress: Progress | None = None,
        ) -> list[FloatArray]: ...

    def self_scores(
        self, hypotheses: "PairTexts | Groups", *, groups: "bool | None" = None,
        threads: int = 1, progress: "Progress | None" = None,
    ) -> "FloatArray | list[FloatArray]":  # fmt: skip
        """Score every hypothesis against all others together, as its references.

        Parameters
        ----------
        hypotheses : sequence of m segments, at least two, or References
        groups : bool, optional
            As in `pairwise`.
        threads : int
        progress : callable, optional
            Called with the pairs done and all of them.

        Returns
        -------
        float64 array of shape (m,), or a list of them, one for each group
            With BLEU the mean is self-BLEU: the lower, the more diverse the set.

        Raises
        ------
        TypeError, ValueError
            As `pairwise` does.

        Notes
        -----
        Linear in the length of all texts for BLEU.

        References
        ----------
        Zhu et al. 2018, "Texygen: A Benchmarking Platform for Text Generation Models".

        Examples
        --------
        >>> from rapidbleu import BLEU
        >>> bleu = BLEU(max_ngram_order=2)
        >>> bleu.self_scores(["the cat sat", "the cat sits", "a dog sat"]).round(2)
        array([70.71, 57.74, 28.87])
        """
        import numpy as np

        job = PairJob(self, hypotheses, None, groups, threads, progress)
        for g, (m, _) in enumerate(job.shapes):
            if m < 2:
                where = f"hypotheses[{g}]" if groups else "hypotheses"
                raise ValueError(f"{where}: expected at least two segments, got {m}")
        sizes = [m for m, _ in job.shapes]
        self._calls.remember_number(sizes[0] - 1 if len(set(sizes)) == 1 else -1)
        out = np.empty(sum(sizes), np.float64)
        job.run_whole(out)
        return job.split(out, sizes) if groups else out
