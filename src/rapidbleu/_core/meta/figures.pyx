"""Figures of agreement between human annotators and metrics, by groups of scores."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawFree
from cpython.object cimport PyObject

from rapidbleu._core.common cimport allocate
from rapidbleu._core.input.columns cimport Buffer
from rapidbleu._core.meta cimport (
    ACCURACY, BestTiesC, FAR_PAIRS, FigureC, FigureScratchC, GoldC, PEARSON, SPEARMAN, SQUARED,
    SwapPlanC, TAU_23, TAU_B, TAU_C, figure_scratch_free, figure_scratch_make, find_best_ties,
    gold_free, gold_prepare, group_figures, swapped_figures,
)


cdef dict FIGURES = {
    "pearson": PEARSON, "r2": SQUARED, "spearman": SPEARMAN, "kendall": TAU_B, "kendall_c": TAU_C,
    "kendall_like": FAR_PAIRS, "tau23": TAU_23, "accuracy": ACCURACY,
}


cdef class Gold:
    """Human scores in groups, prepared for a figure.

    `human`, float64 and finite, contains the groups one after the other; `offsets`, int64, their
    starts, and the end of the last. The figure is "pearson", "r2", "spearman", "kendall",
    "kendall_c", "kendall_like" (of human scores that differ by `least_difference`), "tau23" or
    "accuracy". Takes n log n in the size of groups. Immutable, thread-safe.
    """

    cdef GoldC gold
    cdef Buffer offsets
    cdef FigureC figure

    def __cinit__(self, human, offsets, str figure not None, double least_difference=1.0, /):
        cdef Buffer scores = Buffer(human, "human")
        cdef int64_t n_groups
        cdef bint ranked = figure == "spearman"
        memset(&self.gold, 0, sizeof(GoldC))
        self.figure = FIGURES[figure]
        self.offsets = Buffer(offsets, "offsets")
        n_groups = self.offsets.n_items - 1
        self.offsets.require(c"i", sizeof(int64_t), self.offsets.n_items, "offsets")
        scores.require(c"f", sizeof(double), scores.n_items, "human")
        check_offsets(self.offsets, scores.n_items)
        with nogil:
            gold_prepare(
                &self.gold, <const double*> scores.data, <const int64_t*> self.offsets.data,
                n_groups, ranked, least_difference,
            )

    def __dealloc__(self):
        gold_free(&self.gold)

    def figures(self, metric, numerators, denominators, double epsilon=0.0, list stop=None, /):
        """Compute the figure of each group as `numerators` and `denominators`, float64.

        `metric`, float64 and finite, has a score for each human one; differences up to `epsilon`
        are ties. Both are 0 if undefined. An exception in `stop` is raised. Runs without the GIL.

        Examples
        --------
        >>> import numpy as np
        >>> gold = Gold(np.array([1.0, 2.0, 3.0]), np.array([0, 3]), "kendall")
        >>> gold.figures(np.array([1.0, 3.0, 2.0]), found := np.empty(1), np.empty(1))
        >>> found
        array([0.33333333])
        """
        cdef Buffer scores = self.scores_of(metric, "metric", self.gold.n)
        cdef Buffer up = Buffer(numerators, "numerators", writable=True)
        cdef Buffer down = Buffer(denominators, "denominators", writable=True)
        cdef FigureScratchC scratch
        up.require(c"f", sizeof(double), self.gold.n_groups, "numerators")
        down.require(c"f", sizeof(double), self.gold.n_groups, "denominators")
        memset(&scratch, 0, sizeof(FigureScratchC))
        try:
            with nogil:
                figure_scratch_make(&scratch, self.gold.longest)
                group_figures(
                    &self.gold, <const double*> scores.data, self.figure, epsilon, &scratch,
                    <double*> up.data, <double*> down.data, <PyObject*> stop,
                )
        finally:
            figure_scratch_free(&scratch)

    def swapped(
        self, one, other, units, int64_t n_units, systems, coins, left, right, list stop=None, /,
    ):
        """Compute the figures of two hybrids of two metrics for each trial.

        `one` and `other`, float64, have a score for each human one; or, with `systems`, int64
        starts of each system's scores and the end of the last, as many as these cover, whose means
        are compared with the human scores. `units`, int32, assigns each score one of `n_units`
        coins. `coins`, uint32, has a bit for each unit of each trial, the lowest first, and may be
        longer. Writes the figures of the hybrids to `left` and `right`, float64; heads leaves a
        score in place. Runs without the GIL, in memory of two numbers per score.
        """
        cdef Buffer bits = Buffer(coins, "coins"), places, means = None
        cdef Buffer first = self.scores_of(one, "one", -1)
        cdef Buffer second = self.scores_of(other, "other", first.n_items)
        cdef Buffer a = Buffer(left, "left", writable=True)
        cdef Buffer b = Buffer(right, "right", writable=True)
        cdef SwapPlanC plan
        cdef FigureScratchC scratch
        cdef double* room = NULL
        cdef int64_t n_trials = a.n_items
        places = Buffer(units, "units")
        places.require(c"i", sizeof(int32_t), first.n_items, "units")
        a.require(c"f", sizeof(double), n_trials, "left")
        b.require(c"f", sizeof(double), n_trials, "right")
        if bits.n_items < (n_trials * n_units + 31) // 32:
            raise ValueError(f"coins: expected {n_trials} x {n_units}; got {32 * bits.n_items}")
        bits.require(c"u", sizeof(uint32_t), bits.n_items, "coins")
        check_units(places, n_units)
        plan.one, plan.other = <const double*> first.data, <const double*> second.data
        plan.units, plan.n, plan.n_units = <const int32_t*> places.data, first.n_items, n_units
        plan.systems, plan.n_systems = NULL, 0
        if systems is not None:
            means = Buffer(systems, "systems")
            means.require(c"i", sizeof(int64_t), self.gold.n + 1, "systems")
            check_offsets(means, first.n_items)
            plan.systems, plan.n_systems = <const int64_t*> means.data, self.gold.n
        elif first.n_items != self.gold.n:
            raise ValueError(f"one: expected {self.gold.n} scores; got {first.n_items}")
        memset(&scratch, 0, sizeof(FigureScratchC))
        try:
            with nogil:
                room = <double*> allocate(2 * (plan.n + self.gold.n_groups), sizeof(double))
                figure_scratch_make(&scratch, self.gold.longest)
                swapped_figures(
                    &self.gold, &plan, <const uint32_t*> bits.data, n_trials, self.figure,
                    &scratch, room, <double*> a.data, <double*> b.data, <PyObject*> stop,
                )
        finally:
            figure_scratch_free(&scratch)
            PyMem_RawFree(room)

    def best_epsilon(self, metric, list stop=None, /):
        """Find the threshold of ties with the highest mean accuracy of groups.

        `metric`, float64 and finite, has a score for each human one. Returns accuracy, epsilon and
        the maximum difference of a pair, which epsilon reaches only if all pairs are ties; nan, 0
        and 0 if no group has a pair. Linear in the number of pairs; runs without the GIL. Memory of
        32 bytes a pair, for at most 16 million pairs unless most differences are equal.

        Examples
        --------
        >>> import numpy as np
        >>> gold = Gold(np.array([1.0, 1.0, 2.0]), np.array([0, 3]), "accuracy")
        >>> gold.best_epsilon(np.array([0.3, 0.4, 0.9]))
        (1.0, 0.10000000000000003, 0.6000000000000001)
        """
        cdef Buffer scores = self.scores_of(metric, "metric", self.gold.n)
        cdef BestTiesC best
        with nogil:
            find_best_ties(&self.gold, <const double*> scores.data, &best, <PyObject*> stop)
        return best.accuracy, best.epsilon, best.widest

    cdef Buffer scores_of(self, source, str where, Py_ssize_t n):
        """Return an array of n doubles, or of any number if n is -1."""
        cdef Buffer scores = Buffer(source, where)
        scores.require(c"f", sizeof(double), scores.n_items if n < 0 else n, where)
        return scores


cdef int check_offsets(Buffer offsets, int64_t end) except -1:
    """Raise ValueError unless the groups cover the scores one after the other."""
    cdef const int64_t* places = <const int64_t*> offsets.data
    cdef int64_t n = offsets.n_items - 1, i
    cdef bint right = n >= 0 and places[0] == 0 and places[n] == end
    if right:
        for i in range(n):
            right = right and 0 <= places[i + 1] - places[i] < 1 << 31
    if not right:
        raise ValueError(f"offsets: expected to rise from 0 to {end}")
    return 0


cdef int check_units(Buffer units, int64_t n_units) except -1:
    cdef const int32_t* places = <const int32_t*> units.data
    cdef int64_t i, wrong = 0
    for i in range(units.n_items):
        wrong += not 0 <= places[i] < n_units
    if wrong:
        raise ValueError(f"units: expected numbers below {n_units}; got {wrong} others")
    return 0
