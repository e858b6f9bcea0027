# cython: language_level=3, binding=True
"""Count requests to the raw allocator, and refuse some; built by test_allocation.py.

All memory of the compiled core comes from there.  Interpreters take locks, thread states and large
objects from it too, but no small ones, so that they themselves live through a refusal.
"""

from libc.stdint cimport INT64_MAX, int64_t

cdef extern from "Python.h":
    ctypedef struct PyMemAllocatorEx:
        void* ctx
        void* (*malloc)(void*, size_t) noexcept nogil
        void* (*calloc)(void*, size_t, size_t) noexcept nogil
        void* (*realloc)(void*, void*, size_t) noexcept nogil
        void (*free)(void*, void*) noexcept nogil

    enum PyMemAllocatorDomain:
        PYMEM_DOMAIN_RAW
    void PyMem_GetAllocator(PyMemAllocatorDomain domain, PyMemAllocatorEx* allocator) nogil
    void PyMem_SetAllocator(PyMemAllocatorDomain domain, PyMemAllocatorEx* allocator) nogil

cdef extern from *:
    """
    #include <stdatomic.h>
    static atomic_llong n_asked, n_held, first_refused = LLONG_MAX, end_of_refused = LLONG_MAX;
    static int is_refused(void) {
        long long place = atomic_fetch_add(&n_asked, 1);
        return first_refused <= place && place < end_of_refused;
    }
    static void add_held(int n) { atomic_fetch_add(&n_held, n); }
    """
    int64_t n_asked, n_held, first_refused, end_of_refused
    bint is_refused() noexcept nogil
    void add_held(int n) noexcept nogil

cdef PyMemAllocatorEx given, counting


cdef void* counted_malloc(void* context, size_t n) noexcept nogil:
    cdef void* block = NULL if is_refused() else given.malloc(given.ctx, n)
    add_held(block != NULL)
    return block


cdef void* counted_calloc(void* context, size_t n, size_t size) noexcept nogil:
    cdef void* block = NULL if is_refused() else given.calloc(given.ctx, n, size)
    add_held(block != NULL)
    return block


cdef void* counted_realloc(void* context, void* block, size_t n) noexcept nogil:
    cdef void* larger = NULL if is_refused() else given.realloc(given.ctx, block, n)
    add_held(block == NULL and larger != NULL)
    return larger


cdef void counted_free(void* context, void* block) noexcept nogil:
    add_held(-(block != NULL))
    given.free(given.ctx, block)


def install():
    """Count from now on, permanently."""
    PyMem_GetAllocator(PYMEM_DOMAIN_RAW, &given)
    counting.ctx = NULL
    counting.malloc, counting.calloc = counted_malloc, counted_calloc
    counting.realloc, counting.free = counted_realloc, counted_free
    PyMem_SetAllocator(PYMEM_DOMAIN_RAW, &counting)


def refuse(int64_t begin, int64_t n):
    """Refuse n requests from this index on, counted from 0 at this call."""
    global n_asked, first_refused, end_of_refused
    n_asked, first_refused, end_of_refused = 0, begin, begin + n


def allow():
    """Stop refusing; return the requests since `refuse`."""
    global first_refused
    first_refused = INT64_MAX
    return n_asked


def held():
    """Return the number of allocated blocks minus freed ones."""
    return n_held
