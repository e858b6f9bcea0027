"""Two exact hash tables: tokens to numbers, and n-grams to numbers.

A token is found by its 64-bit identity; of long tokens, whose identity is a hash, the bytes are
compared.  An n-gram is found by the number of the n-gram without its last token and the number of
that token, so its key is two 32-bit numbers and no n-gram is ever taken for another.

Open addressing, at most half full, growing by doubling; a table that is cleared keeps its memory
and uses as many slots as the new content asks for.  Places are keyed (secret.pxd).
The tables of giant texts take a second to clear or to move, so signals are looked at meanwhile; one
that raises leaves a table that can only be freed.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.common cimport POLL_BYTES, POLL_TOKENS, bytes_of, hash_key, poll_due
from rapidbleu._core.text cimport TokensC


cdef extern from "common/signals.h":
    int rb_poll_signals() noexcept


cdef enum:
    LEAST_SLOTS = 64

cdef uint64_t KEY = hash_key()


cdef int token_table_clear(TokenTableC* t, const TokensC* tokens, int64_t n) except -1 nogil:
    """Forget everything; expect about n tokens, of `tokens`."""
    t.tokens, t.key, t.n_items = tokens, KEY, 0
    t.slots = <TokenSlotC*> cleared(
        t.slots, &t.n_slots, &t.capacity, slots_for(n), sizeof(TokenSlotC)
    )
    return 0


cdef int gram_table_clear(GramTableC* t, int64_t n) except -1 nogil:
    """Forget everything; expect about n n-grams."""
    t.key, t.n_items = KEY, 0
    t.slots = <GramSlotC*> cleared(
        t.slots, &t.n_slots, &t.capacity, slots_for(n), sizeof(GramSlotC)
    )
    return 0


cdef void token_table_free(TokenTableC* t) noexcept nogil:
    PyMem_RawFree(t.slots)


cdef void gram_table_free(GramTableC* t) noexcept nogil:
    PyMem_RawFree(t.slots)


cdef int token_table_take(TokenTableC* t, TokenSlotC* slot, TokenSlotC item) except -1 nogil:
    """Put a new token into its free slot, which does not outlive this."""
    cdef TokenSlotC* old = t.slots
    cdef int64_t i, n = t.n_slots
    slot[0] = item
    t.n_items += 1
    if 2 * t.n_items <= n:
        return 0
    t.slots = <TokenSlotC*> free_slots(2 * n, sizeof(TokenSlotC))
    t.n_slots = t.capacity = 2 * n
    for i in range(n):
        if old[i].node != NO_NODE:
            token_slot(t, t.tokens, old[i].identity, old[i].record)[0] = old[i]
        if poll_due(i, POLL_TOKENS) and interrupted():
            PyMem_RawFree(old)
            return -1
    PyMem_RawFree(old)
    return 0


cdef int gram_table_take(GramTableC* t, GramSlotC* slot, GramSlotC item) except -1 nogil:
    """Put a new n-gram into its free slot, which does not outlive this."""
    cdef GramSlotC* old = t.slots
    cdef int64_t i, n = t.n_slots
    slot[0] = item
    t.n_items += 1
    if 2 * t.n_items <= n:
        return 0
    t.slots = <GramSlotC*> free_slots(2 * n, sizeof(GramSlotC))
    t.n_slots = t.capacity = 2 * n
    for i in range(n):
        if old[i].node != NO_NODE:
            gram_slot(t, old[i].key)[0] = old[i]
        if poll_due(i, POLL_TOKENS) and interrupted():
            PyMem_RawFree(old)
            return -1
    PyMem_RawFree(old)
    return 0


cdef int64_t slots_for(int64_t n) noexcept nogil:
    """A power of two above n."""
    cdef int64_t slots = LEAST_SLOTS
    while slots <= n:
        slots *= 2
    return slots


cdef void* cleared(
    void* slots, int64_t* n_slots, int64_t* capacity, int64_t n, size_t size
) except NULL nogil:
    """Slots, n of them in use and free."""
    cdef void* fresh
    if n > capacity[0]:
        fresh = free_slots(n, size)
        PyMem_RawFree(slots)
        slots = fresh
        capacity[0] = n
    elif not clear(slots, n * <int64_t> size):
        return NULL
    n_slots[0] = n
    return slots


cdef void* free_slots(int64_t n, size_t size) except NULL nogil:
    """New slots; all bits set means free."""
    cdef void* slots = PyMem_RawMalloc(bytes_of(n, size))
    if slots == NULL:
        with gil:
            raise MemoryError
    if not clear(slots, n * <int64_t> size):
        PyMem_RawFree(slots)
        return NULL
    return slots


cdef bint clear(void* slots, int64_t n_bytes) noexcept nogil:
    """Set all bits; False, with the exception set, if a signal raises."""
    cdef int64_t done = 0, piece
    while done < n_bytes:
        piece = n_bytes - done if n_bytes - done < POLL_BYTES else POLL_BYTES
        memset(<char*> slots + done, 0xFF, <size_t> piece)
        done += piece
        if piece == POLL_BYTES and interrupted():
            return False
    return True


cdef bint interrupted() noexcept nogil:
    """Did a signal raise?  The exception is set."""
    with gil:
        return rb_poll_signals() != 0
