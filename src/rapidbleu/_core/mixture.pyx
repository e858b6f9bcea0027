"""A weighted sum of metrics as one metric: their rows side by side, their scores added.

The kernels of the parts see their own columns only.  A block of rows is cut into the columns of
each part, which then scores it as it would alone, with its own tables of the cache.
"""

from libc.stdint cimport int64_t

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.kernel cimport Kernel
from rapidbleu._core.metrics cimport CACHE_SLOTS, CacheEntryC


cdef enum:
    BLOCK = 1024  # numbers of the rows that a part scores at a time


cdef class MixtureKernel(Kernel):
    """Compiled weighted sum.

    Parameters
    ----------
    parts : list of Kernel
        Each of at most 1,024 columns.
    weights : list of float
        As many.
    """

    def __cinit__(self, list parts not None, list weights not None):
        cdef Kernel part
        self.parts = tuple(parts)
        self.n_parts = len(parts)
        self.weights = <double*> PyMem_RawMalloc(self.n_parts * sizeof(double) + 1)
        self.kernels = <void**> PyMem_RawMalloc(self.n_parts * sizeof(void*) + 1)
        if self.weights == NULL or self.kernels == NULL:
            raise MemoryError
        for i in range(self.n_parts):
            part = self.parts[i]
            if part.n_stats > BLOCK:
                raise ValueError(
                    f"parts[{i}]: expected at most {BLOCK} columns, got {part.n_stats}"
                )
            self.kernels[i] = <void*> part
            self.weights[i] = weights[i]
            self.n_stats += part.n_stats
            self.n_cache_tables += part.n_cache_tables

    def __dealloc__(self):
        PyMem_RawFree(self.weights)
        PyMem_RawFree(self.kernels)

    cdef int64_t find_excess(
        self, const int64_t* rows, int64_t n, int64_t* most
    ) noexcept nogil:
        cdef int64_t first = 0, _, place
        cdef int i
        for _ in range(n):
            for i in range(self.n_parts):
                place = (<Kernel> self.kernels[i]).find_excess(rows + first, 1, most)
                if place >= 0:
                    return first + place
                first += (<Kernel> self.kernels[i]).n_stats
        return -1

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        cdef double score = 0.0
        cdef int i
        for i in range(self.n_parts):
            score += self.weights[i] * (<Kernel> self.kernels[i]).score_row(row)
            row += (<Kernel> self.kernels[i]).n_stats
        return score

    cdef void score_block(
        self, const int64_t* rows, int64_t n, double* scores, CacheEntryC* cache
    ) noexcept nogil:
        cdef int64_t[BLOCK] own
        cdef double[BLOCK] own_scores
        cdef int64_t begin, m, k
        cdef int i, j, n_own, first = 0
        for k in range(n):
            scores[k] = 0.0
        for i in range(self.n_parts):
            n_own = (<Kernel> self.kernels[i]).n_stats
            begin = 0
            while begin < n:
                m = min(BLOCK // n_own, n - begin)
                for k in range(m):
                    for j in range(n_own):
                        own[k * n_own + j] = rows[(begin + k) * self.n_stats + first + j]
                (<Kernel> self.kernels[i]).score_block(own, m, own_scores, cache)
                for k in range(m):
                    scores[begin + k] += self.weights[i] * own_scores[k]
                begin += m
            first += n_own
            if cache != NULL:
                cache += (<Kernel> self.kernels[i]).n_cache_tables * CACHE_SLOTS

    cdef describe_row(self, const int64_t* row):
        described = []
        first = row
        for i in range(self.n_parts):
            described.append((<Kernel> self.kernels[i]).describe_row(row))
            row += (<Kernel> self.kernels[i]).n_stats
        return (self.score_row(first), described)
