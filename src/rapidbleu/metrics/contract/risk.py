"""Minimum Bayes risk decoding: the expected score of each hypothesis, and which one is best."""

from rapidbleu.metrics.contract.pair_job import PairJob, check_weights, fit_weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, overload

    from rapidbleu._core.scoring.extraction import LastCalls
    from rapidbleu.typing import FloatArray, Groups, IntArray, Numbers, PairTexts, Progress


class RiskScoring:
    """What any metric expects of hypotheses."""

    if TYPE_CHECKING:
        _calls: LastCalls

    if TYPE_CHECKING:
        @overload
        def mbr(
            self, hypotheses: PairTexts, references: PairTexts | None = None,
            weights: Numbers | None = None, *, groups: Literal[False] | None = None,
            threads: int = 1, progress: Progress | None = None,
        ) -> FloatArray: ...
        @overload
        def mbr(
            self, hypotheses: Groups, references: Groups | None = None,
            weights: Numbers | None = None, *, groups: Literal[True],
            threads: int = 1, progress: Progress | None = None,
        ) -> list[FloatArray]: ...

    def mbr(
        self, hypotheses: "PairTexts | Groups", references: "PairTexts | Groups | None" = None,
        weights: "Numbers | None" = None, *, groups: "bool | None" = None,
        threads: int = 1, progress: "Progress | None" = None,
    ) -> "FloatArray | list[FloatArray]":  # fmt: skip
        """Return the expected score of every hypothesis, for minimum Bayes risk decoding.

        `select` says which one is best.

        Parameters
        ----------
        hypotheses : sequence of m segments, or References
            As in `pairwise`.
        references : sequence of n segments, or References, optional
            The hypotheses by default.
        weights : array_like of float, of shape (n,), optional
            Of the references, at least 0; their sum is divided by. All alike by default. With
            `groups`, one for each group.
        groups : bool, optional
            As in `pairwise`.
        threads : int
        progress : callable, optional
            Called with the pairs done and all of them.

        Returns
        -------
        float64 array of shape (m,), or a list of them, one for each group
            The weighted mean of the hypothesis's row of `pairwise`, added up from the left.

        Raises
        ------
        TypeError, ValueError
            As `pairwise` does.

        Notes
        -----
        The memory does not grow with m * n. Of an error rate the least is best.

        References
        ----------
        Kumar and Byrne 2004, "Minimum Bayes-Risk Decoding for Statistical Machine Translation".

        Examples
        --------
        >>> from rapidbleu import BLEU
        >>> bleu = BLEU(effective_order=True)
        >>> bleu.mbr(["the cat sat", "the cat sits", "a dog sat"]).round(1)
        array([60.8, 51.7, 42.5])
        """
        utilities = self._utilities(hypotheses, references, weights, groups, threads, progress)
        return utilities if groups else utilities[0]

    def _utilities(
        self,
        hypotheses: "PairTexts | Groups",
        references: "PairTexts | Groups | None",
        weights: "Numbers | None",
        groups: "bool | None",
        threads: int,
        progress: "Progress | None",
    ) -> "list[FloatArray]":
        """Return what `mbr` returns for each group."""
        import numpy as np

        checked = check_weights(weights, groups)
        job = PairJob(self, hypotheses, references, groups, threads, progress)
        each = fit_weights(checked, [n for _, n in job.shapes], groups)
        self._calls.remember_number(1)
        out = np.zeros(sum(m for m, _ in job.shapes), np.float64)
        job.run(out, np.concatenate(each))
        utilities = job.split(out, [m for m, _ in job.shapes])
        for utility, weight in zip(utilities, each, strict=True):
            utility /= weight.cumsum()[-1]
        return utilities

    if TYPE_CHECKING:
        @overload
        def select(
            self, hypotheses: PairTexts, references: PairTexts | None = None,
            weights: Numbers | None = None, *, groups: Literal[False] | None = None,
            threads: int = 1, progress: Progress | None = None,
        ) -> int: ...
        @overload
        def select(
            self, hypotheses: Groups, references: Groups | None = None,
            weights: Numbers | None = None, *, groups: Literal[True],
            threads: int = 1, progress: Progress | None = None,
        ) -> IntArray: ...

    def select(
        self, hypotheses: "PairTexts | Groups", references: "PairTexts | Groups | None" = None,
        weights: "Numbers | None" = None, *, groups: "bool | None" = None,
        threads: int = 1, progress: "Progress | None" = None,
    ) -> "int | IntArray":  # fmt: skip
        """Return which hypothesis has the best expected score: minimum Bayes risk decoding.

        Parameters
        ----------
        hypotheses, references, weights, groups, threads, progress
            As in `mbr`.

        Returns
        -------
        int, or int64 array of shape (n_groups,)
            The number of the hypothesis, in each group, whose `mbr` is greatest, or least if the
            metric is an error rate; of several the first.

        Raises
        ------
        TypeError, ValueError
            As `mbr` does.

        Examples
        --------
        >>> from rapidbleu import TER
        >>> samples = ["a dog sat", "the cat sat", "the cat sits"]
        >>> samples[TER().select(samples)]
        'the cat sat'
        """
        import numpy as np

        utilities = self._utilities(hypotheses, references, weights, groups, threads, progress)
        metric: Any = self
        find = np.argmax if metric.higher_is_better else np.argmin
        chosen = [int(find(own)) for own in utilities]
        return np.array(chosen, np.int64) if groups else chosen[0]
