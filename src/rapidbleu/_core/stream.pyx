"""NumPy's random stream without NumPy: PCG64 as words, bounded integers and coins.

The resamples of sacrebleu are what `numpy.random.default_rng(seed).choice` draws.  An index matrix
of them, 8 bytes a draw, is 24 MB for a thousand resamples of a news test set and 8 GB for a
thousand of a million segments.  Here the indices are made a few thousand at a time, where the rows
are added up: 0.7 ns each, less than half of what NumPy takes, and no memory.

A stream is a sequence of 32-bit words, and a place in it is the number of words before it.  Any
place is reached in a few steps, so threads start where they like.  An index takes one word, or,
rarely, more (Lemire 2019): the place behind n indices is known when they have been drawn.  A coin
takes one bit, the lowest one first.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.common cimport POLL_SUMS, poll, use_v3
from rapidbleu._core.resampling cimport (
    PlaceC, stream_copy, stream_draw, stream_open, stream_place,
)


cdef bint simd = use_v3()

cdef enum:
    FEW = 4096      # indices that are drawn together


cdef class Stream:
    """The stream of a PCG64 of which nothing was drawn yet.

    Parameters
    ----------
    state, increment : int
        Of 128 bits, as ``numpy.random.PCG64(seed).state["state"]`` has them.

    Notes
    -----
    Immutable; safe to share between threads.
    """

    def __cinit__(self, state, increment):
        cdef uint64_t low = 0xFFFFFFFFFFFFFFFF
        self.pcg.state.high, self.pcg.state.low = state >> 64, state & low
        self.pcg.increment.high, self.pcg.increment.low = increment >> 64, increment & low

    def draw(self, int64_t bound, out, int64_t place=0):
        """Draw indices below `bound`.

        Parameters
        ----------
        bound : int
            From 1 to 2**31 - 1.
        out : int32 array
            Written.
        place : int
            Words before the first one that is used.

        Returns
        -------
        int
            The place behind.

        Examples
        --------
        >>> import numpy as np
        >>> state = np.random.PCG64(12345).state["state"]
        >>> stream = Stream(state["state"], state["inc"])
        >>> stream.draw(3004, found := np.empty(4, np.int32))
        4
        >>> found.tolist() == np.random.default_rng(12345).choice(3004, 4).tolist()
        True
        """
        cdef Buffer buffer = Buffer(out, "out", writable=True)
        cdef PlaceC stream
        buffer.require(c"i", sizeof(int32_t), buffer.n_items, "out")
        check_bound(bound)
        stream_open(&stream, &self.pcg, place)
        with nogil:
            stream_draw(&stream, <uint32_t> bound, buffer.n_items, <int32_t*> buffer.data, simd)
        return stream_place(&stream)

    def skip(self, int64_t bound, int64_t n, int64_t place=0):
        """Return the place behind n indices below `bound`; linear in n."""
        cdef int32_t[FEW] drawn
        cdef PlaceC stream
        cdef int64_t i = 0, begin, m
        check_bound(bound)
        stream_open(&stream, &self.pcg, place)
        while i < n:
            poll(None)
            with nogil:
                begin = i
                while i < n and i - begin < POLL_SUMS:
                    m = n - i if n - i < FEW else FEW
                    stream_draw(&stream, <uint32_t> bound, m, drawn, simd)
                    i += m
        return stream_place(&stream)

    def copy(self, out, int64_t place=0):
        """Fill `out`, a uint32 array, with the words from a place on."""
        cdef Buffer buffer = Buffer(out, "out", writable=True)
        cdef PlaceC stream
        buffer.require(c"u", sizeof(uint32_t), buffer.n_items, "out")
        stream_open(&stream, &self.pcg, place)
        with nogil:
            stream_copy(&stream, buffer.n_items, <uint32_t*> buffer.data)


cdef int check_bound(int64_t bound) except -1:
    """Refuse bounds for which NumPy takes other words."""
    if not 1 <= bound < 1 << 31:
        raise ValueError(f"bound: expected 1 to 2**31 - 1, got {bound}")
    return 0
