"""All pairs: every hypothesis of a group against every reference of it, one at a time.

A group is a problem of its own: the candidates of one source segment, the samples of one prompt.
Work goes through the references in blocks, so that what a block needs stays in the cache while all
hypotheses pass by, and through the hypotheses in the order given.  A metric may know a way to score
a block at once (bleu_pairs.pyx); this one asks the kernel for each pair, which serves any metric.

Three results are made of the same scores: the matrix; its weighted mean over the references, which
is the expected utility of minimum Bayes risk decoding and needs no matrix (Kumar and Byrne 2004);
and each hypothesis against all others of its group together (self-BLEU, Zhu et al. 2018).
"""

from libc.stdint cimport int64_t, uint64_t

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.object cimport PyObject

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.columns cimport kind_name, same_kind
from rapidbleu._core.common cimport POLL_TOKENS, hash_key, poll, use_v3
from rapidbleu._core.metrics cimport scratch_free, scratch_init
from rapidbleu._core.ngrams cimport (
    BLOCK_REFS, BLOCK_TOKENS, inverted_index_free, inverted_index_init,
)
from rapidbleu._core.prepared cimport tokens_open
from rapidbleu._core.text cimport text_tokens, tokens_append, tokens_clear, tokens_free

cdef uint64_t KEY = hash_key()
cdef bint VECTORS = use_v3()


cdef class PairWork:
    """Scratch memory of one call.

    Parameters
    ----------
    kernel : Kernel
    stop : list
        Work ends when this is no longer empty.
    """

    def __cinit__(self, Kernel kernel not None, list stop not None):
        scratch_init(&self.scratch, KEY, VECTORS)
        inverted_index_init(&self.index, KEY, <PyObject*> stop)
        inverted_index_init(&self.second, KEY, <PyObject*> stop)
        tokens_open(&self.others)
        self.stop = stop
        self.scratch.stop = <PyObject*> stop
        self.row = <int64_t*> PyMem_RawMalloc(kernel.n_stats * sizeof(int64_t))
        self.scores = <double*> PyMem_RawMalloc(BLOCK_REFS * sizeof(double))
        if self.row == NULL or self.scores == NULL:
            raise MemoryError

    def __dealloc__(self):
        scratch_free(&self.scratch)
        inverted_index_free(&self.index)
        inverted_index_free(&self.second)
        tokens_free(&self.others)
        PyMem_RawFree(self.row)
        PyMem_RawFree(self.scores)
        PyMem_RawFree(self.tables)
        PyMem_RawFree(self.lengths)


cdef class Pairs:
    """Scores of hypotheses against single references.

    Parameters
    ----------
    kernel : Kernel
    hyps, refs : PreparedReferences
        With one text for each segment.
    least : int
        Hypotheses of a group from which on an index of the references is worth its while, for
        metrics that know one: it takes as long as scoring so many one pair after the other.

    Notes
    -----
    Immutable once made; safe to share between threads.
    """

    def __cinit__(
        self, Kernel kernel not None, PreparedReferences hyps not None,
        PreparedReferences refs not None, Py_ssize_t least=20,
    ):
        hyps.require(kernel.n_sequences)
        refs.require(kernel.n_sequences)
        if not same_kind(hyps.kind, refs.kind):
            raise TypeError(
                f"references: expected segments of {kind_name(hyps.kind)} as in hypotheses, "
                f"got {kind_name(refs.kind)}"
            )
        self.kernel, self.hyps, self.refs, self.least = kernel, hyps, refs, least

    cdef int64_t end_of_block(self, int64_t ref, int64_t end) noexcept nogil:
        """Where the block of references that starts with `ref` ends."""
        cdef int64_t last = end if end - ref < BLOCK_REFS else ref + BLOCK_REFS
        cdef const int64_t* first_token = self.refs.tokens.first_token
        cdef int n = self.kernel.n_sequences
        cdef int64_t full = first_token[n * ref] + BLOCK_TOKENS
        ref += 1
        while ref < last and first_token[n * (ref + 1)] <= full:
            ref += 1
        return ref

    cdef int open_block(
        self, PairWork w, int64_t n_hyps, int64_t ref_begin, int64_t ref_end
    ) except -1 nogil:
        """Prepare for so many hypotheses to be scored against these references."""
        return 0

    cdef int score_hyp(
        self, PairWork w, int64_t hyp, int64_t ref_begin, int64_t ref_end, double* scores
    ) except -1 nogil:
        """Score a hypothesis against each reference of the block."""
        cdef int64_t ref
        cdef int n = self.kernel.n_sequences
        for ref in range(ref_begin, ref_end):
            self.kernel.segment(
                &self.hyps.tokens, hyp, &self.refs.tokens, ref, ref + 1, w.row, &w.scratch
            )
            scores[ref - ref_begin] = self.kernel.score_row(w.row)
            w.work += 8 + text_tokens(&self.hyps.tokens, hyp, n) + text_tokens(
                &self.refs.tokens, ref, n
            )
            if w.work >= POLL_TOKENS:
                w.work = 0
                with gil:
                    poll(w.stop)
        return 0

    cdef int score_block(
        self, PairWork w, int64_t* hyp, const GroupC* group, int64_t ref_begin, int64_t ref_end,
        double* out, const double* weights,
    ) except -1 nogil:
        """Score hypotheses of a group from `hyp` on against a block, until it is time for signals.

        With weights the weighted sum goes to the hypothesis's place of `out`, else the scores to
        its row.
        """
        cdef int64_t r, place
        cdef double total
        w.work = 0
        while hyp[0] < group.hyp_end and w.work < POLL_TOKENS:
            place = hyp[0] - group.hyp_begin
            if weights == NULL:
                self.score_hyp(
                    w, hyp[0], ref_begin, ref_end,
                    out + group.out + place * group.stride + (ref_begin - group.ref_begin),
                )
            else:
                self.score_hyp(w, hyp[0], ref_begin, ref_end, w.scores)
                total = out[group.out + place]
                for r in range(ref_end - ref_begin):
                    total += weights[ref_begin + r] * w.scores[r]
                out[group.out + place] = total
            w.work += ref_end - ref_begin + 8 * text_tokens(
                &self.hyps.tokens, hyp[0], self.kernel.n_sequences
            )
            hyp[0] += 1
        return 0

    def score(self, groups, Py_ssize_t begin, Py_ssize_t end, out, weights=None, stop=()):
        """Score groups [begin, end).

        Parameters
        ----------
        groups : int64 array of shape (n_groups, 6)
            Hypotheses from and to, references from and to, where the group's results begin, and
            from one row of its matrix to the next.
        begin, end : int
        out : float64 array
            Without weights a group's matrix, row by row; with them one sum for each hypothesis,
            to be 0 before.
        weights : float64 array of shape (n_references,), optional
        stop : list
            Work ends when this is no longer empty, with the exception that is in it.
        """
        cdef Buffer table = Buffer(groups, "groups")
        cdef Buffer target = Buffer(out, "out", writable=True)
        cdef Buffer weight = None if weights is None else Buffer(weights, "weights")
        cdef double* each = NULL if weight is None else <double*> weight.data
        cdef double* result = <double*> target.data
        cdef PairWork w = PairWork(self.kernel, stop)
        cdef const GroupC* group
        cdef int64_t ref, ref_end, hyp
        cdef Py_ssize_t g
        if weight is not None:
            weight.require(c"f", sizeof(double), len(self.refs), "weights")
        self.check_groups(table, begin, end, target, weight is None)
        for g in range(begin, end):
            group = <const GroupC*> table.data + g
            ref = group.ref_begin
            while ref < group.ref_end:
                ref_end = self.end_of_block(ref, group.ref_end)
                with nogil:
                    self.open_block(w, group.hyp_end - group.hyp_begin, ref, ref_end)
                hyp = group.hyp_begin
                while hyp < group.hyp_end:
                    with nogil:
                        self.score_block(w, &hyp, group, ref, ref_end, result, each)
                    poll(stop)
                ref = ref_end

    cdef int check_groups(
        self, Buffer groups, Py_ssize_t begin, Py_ssize_t end, Buffer out, bint matrix
    ) except -1:
        """Refuse groups or places of results that are not there."""
        cdef Py_ssize_t g
        cdef const GroupC* group
        cdef int64_t n
        groups.require(c"i", sizeof(int64_t), 6 * (groups.n_items // 6), "groups")
        out.require(c"f", sizeof(double), out.n_items, "out")
        if not 0 <= begin <= end <= groups.n_items // 6:
            raise ValueError(f"groups: expected some of {groups.n_items // 6}, got {begin}, {end}")
        for g in range(begin, end):
            group = <const GroupC*> groups.data + g
            n = group.hyp_end - group.hyp_begin
            if matrix and n:
                n = (n - 1) * group.stride + group.ref_end - group.ref_begin
            if not (
                0 <= group.hyp_begin <= group.hyp_end <= len(self.hyps)
                and 0 <= group.ref_begin <= group.ref_end <= len(self.refs)
                and 0 <= group.out <= group.out + n <= out.n_items and 0 <= group.stride
            ):
                raise ValueError(f"groups[{g}]: expected ranges of what there is")
        return 0

    cdef int score_others(self, PairWork w, const GroupC* group, double* scores) except -1 nogil:
        """Score each hypothesis of a group against all others: those that follow it in a circle."""
        cdef int64_t n = group.hyp_end - group.hyp_begin, k
        cdef int m = self.kernel.n_sequences
        tokens_clear(&w.others)
        for k in range(2 * n * m):
            tokens_append(&w.others, &self.refs.tokens, m * group.hyp_begin + k % (m * n))
        for k in range(n):
            self.kernel.segment(
                &self.hyps.tokens, group.hyp_begin + k, &w.others, k + 1, k + n, w.row, &w.scratch
            )
            scores[k] = self.kernel.score_row(w.row)
            w.work += 8 * n + w.others.n_tokens // 2
            if w.work >= POLL_TOKENS:
                w.work = 0
                with gil:
                    poll(w.stop)
        return 0

    def score_each(self, groups, Py_ssize_t begin, Py_ssize_t end, out, stop=()):
        """Score each hypothesis of groups [begin, end) against all others of its group.

        Parameters
        ----------
        groups : int64 array of shape (n_groups, 6)
            A group has two hypotheses at least; its references are not looked at.
        begin, end : int
        out : float64 array
        stop : list
        """
        cdef Buffer table = Buffer(groups, "groups")
        cdef Buffer target = Buffer(out, "out", writable=True)
        cdef PairWork w = PairWork(self.kernel, stop)
        cdef const GroupC* group
        cdef Py_ssize_t g
        self.check_groups(table, begin, end, target, False)
        for g in range(begin, end):
            group = <const GroupC*> table.data + g
            with nogil:
                self.score_others(w, group, <double*> target.data + group.out)
            poll(stop)
