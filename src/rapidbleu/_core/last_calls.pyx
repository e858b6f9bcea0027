"""What a metric remembers of the last call, for signatures: each thread what its own call did.

A loop over sentences asks for little more than the number of its thread.  The calls are unknown to
the garbage collector, whose finalizers could let another thread in between two steps.
"""

cimport cython
from libc.stdint cimport int64_t, uint64_t


cdef extern from "pythread.h":
    uint64_t PyThread_get_thread_ident() noexcept


cdef enum:
    UNKNOWN = -2  # no number of references, nor the -1 of segments that have different ones


@cython.final
@cython.no_gc
cdef class LastCall:
    """What the last call of a thread did: nothing yet."""

    def __cinit__(self):
        self.num_refs = UNKNOWN


@cython.final
cdef class LastCalls:
    """The last calls of all threads.

    Notes
    -----
    A thread that gets the identifier of one that has ended begins with its last call.

    Examples
    --------
    >>> calls = LastCalls()
    >>> calls.remember(2, 100, "12345")
    >>> _ = calls.remember_number(3)
    >>> calls.own()
    (3, 100, '12345')
    """

    def __cinit__(self):
        self.newest = PyThread_get_thread_ident()
        self.newest_call = LastCall.__new__(LastCall)

    cdef LastCall own_call(self):
        """The last call of this thread, which is the newest of all from now on."""
        cdef uint64_t me = PyThread_get_thread_ident()
        cdef LastCall call
        if me == self.newest:
            return self.newest_call
        if self.of_threads is None:
            others = {}  # meanwhile another thread may have made one
            if self.of_threads is None:
                self.of_threads = others
        call = self.of_threads.get(me)
        if call is None:
            call = LastCall.__new__(LastCall)
        self.of_threads[self.newest] = self.newest_call
        self.newest, self.newest_call = me, call
        return call

    def remember(self, num_refs, n_bootstrap=None, seed=None):
        """Remember what a call of this thread did.

        Parameters
        ----------
        num_refs : int or None
            References of each segment, -1 if it varied; None: nothing was scored.
        n_bootstrap : int or None
            Resamples behind the interval of the corpus; None: it had none.
        seed : str or None
            Their seed, as signatures have it.
        """
        cdef LastCall call
        cdef int64_t number = UNKNOWN if num_refs is None else num_refs
        call = self.own_call()
        call.num_refs, call.n_bootstrap, call.seed = number, n_bootstrap, seed

    cpdef int remember_number(self, int64_t num_refs) except -1:
        """Remember how many references segments had; the resamples of this thread stay."""
        self.own_call().num_refs = num_refs
        return 0

    def own(self):
        """What the last call of this thread did, or of any thread if it made none.

        Returns
        -------
        (int or None, int or None, str or None)
            The arguments of `remember`.
        """
        cdef uint64_t me = PyThread_get_thread_ident()
        cdef LastCall call = self.newest_call, older
        if me != self.newest and self.of_threads is not None:
            older = self.of_threads.get(me)
            if older is not None and older.num_refs != UNKNOWN:
                call = older
        return None if call.num_refs == UNKNOWN else call.num_refs, call.n_bootstrap, call.seed
