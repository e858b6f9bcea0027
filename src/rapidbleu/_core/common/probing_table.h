/* Hash tables by open addressing, common to all tables of the project. A table is one array of
 * slots, and an item is in the slot that its hash selects or, if that was taken, in one of the
 * next, before the first free slot. The number of slots is a power of two, so the lower bits of a
 * hash select one, and the table is at most half full, so a search ends after one or two slots. It
 * doubles when full. A cleared table keeps its memory and uses as many slots as its new content
 * needs.
 *
 * Slots are records or numbers, typed by each table. So a search is written as RB_PROBE, a loop
 * over an expression for its end, and the compiler sees only the typed array; function pointers
 * would cost a call per slot, and a macro of fifty lines could not be debugged. Only memory is
 * handled without types: all bytes of a free slot are `free_byte`. Hashes are keyed, and no result
 * depends on the order of slots. Tables of giant texts take a second to clear or to move, so they
 * poll for signals; a handler that raises leaves a table that can only be freed. */
#ifndef RAPIDBLEU_COMMON_PROBING_TABLE_H
#define RAPIDBLEU_COMMON_PROBING_TABLE_H

#include "Python.h"
#include "common/bits.h"
#include "common/cpu.h"
#include "common/memory.h"
#include "common/signals.h"
#include <stdint.h>
#include <string.h>

#define RB_LEAST_SLOTS 64

typedef struct {
    void *slots;
    int64_t n_slots;  /* in use, a power of two */
    int64_t capacity; /* allocated slots */
    int64_t n_items;
} rb_probing_table;

/* Search: `place`, a uint64_t variable that contains a hash, becomes the first slot from there on
 * for which `found` is true, an expression of `place`: the slot is free or contains the item. */
#define RB_PROBE(place, n_slots, found)                                                            \
    do {                                                                                           \
        (place) &= (uint64_t)(n_slots) - 1;                                                        \
        while (!(found)) (place) = ((place) + 1) & ((uint64_t)(n_slots) - 1);                      \
    } while (0)

/* Hash of a word. Words are often neighbors: letters, integers, pairs of numbers. One fold spaces
 * their slots evenly, which with an unlucky key forms a few clusters: with one key in 160, a search
 * among 1,000 integers went through more than ten slots, with one in 2,000 through more than a
 * hundred. Two folds scatter them for any key, like random hashes. */
static inline uint64_t rb_hash_word(uint64_t word, uint64_t key) {
    return rb_fold(rb_fold(word ^ key, key), key);
}

/* A power of two above n: slots for about n expected items. */
static inline int64_t rb_slots_for(int64_t n) {
    int64_t slots = RB_LEAST_SLOTS;
    while (slots <= n) slots *= 2;
    return slots;
}

static inline int rb_slots_fill(void *slots, int64_t n_bytes, int free_byte) {
    int64_t done = 0;
    while (done < n_bytes) {
        const int64_t piece = n_bytes - done < RB_POLL_BYTES ? n_bytes - done : RB_POLL_BYTES;
        memset((char *)slots + done, free_byte, (size_t)piece);
        done += piece;
        if (piece == RB_POLL_BYTES && rb_poll_without_gil(NULL) < 0) return -1;
    }
    return 0;
}

/* Allocate free slots; NULL with an exception set. */
static inline void *rb_slots_new(int64_t n, size_t slot_size, int free_byte) {
    void *slots = rb_allocate(n, slot_size);
    if (slots != NULL && rb_slots_fill(slots, n * (int64_t)slot_size, free_byte) < 0) {
        PyMem_RawFree(slots);
        return NULL;
    }
    return slots;
}

static inline void rb_probing_table_init(rb_probing_table *t) { memset(t, 0, sizeof *t); }

static inline void rb_probing_table_free(rb_probing_table *t) {
    PyMem_RawFree(t->slots);
    memset(t, 0, sizeof *t);
}

/* Clear, and use n_slots slots, a power of two. */
static inline int rb_probing_table_clear(rb_probing_table *t, int64_t n_slots, size_t slot_size,
                                         int free_byte) {
    if (n_slots > t->capacity) {
        void *slots = rb_slots_new(n_slots, slot_size, free_byte);
        if (slots == NULL) return -1;
        PyMem_RawFree(t->slots);
        t->slots = slots;
        t->capacity = n_slots;
    } else if (rb_slots_fill(t->slots, n_slots * (int64_t)slot_size, free_byte) < 0)
        return -1;
    t->n_slots = n_slots;
    t->n_items = 0;
    return 0;
}

/* The new slot of an item in a table that has grown; NULL if the slot is free. */
typedef void *(*rb_new_slot_fn)(const void *owner, const void *slot);

RB_INLINE int rb_probing_table_double(rb_probing_table *t, size_t slot_size, int free_byte,
                                      rb_new_slot_fn new_slot, const void *owner) {
    const int64_t n = t->n_slots;
    char *old = (char *)t->slots;
    void *slots = rb_slots_new(2 * n, slot_size, free_byte), *to;
    int64_t i;
    int status = 0;
    if (slots == NULL) return -1;
    t->slots = slots;
    t->n_slots = t->capacity = 2 * n;
    for (i = 0; i < n && status == 0; i++) {
        to = new_slot(owner, old + (size_t)i * slot_size);
        if (to != NULL) memcpy(to, old + (size_t)i * slot_size, slot_size);
        if (rb_poll_due(i, RB_POLL_TOKENS)) status = rb_poll_without_gil(NULL);
    }
    PyMem_RawFree(old);
    return status;
}

/* Count an item written into a free slot, whose pointer becomes invalid: the table may grow. */
RB_INLINE int rb_probing_table_take(rb_probing_table *t, size_t slot_size, int free_byte,
                                    rb_new_slot_fn new_slot, const void *owner) {
    if (2 * ++t->n_items <= t->n_slots) return 0;
    return rb_probing_table_double(t, slot_size, free_byte, new_slot, owner);
}

/* Secret keys of hash tables, so that no input can be crafted to collide. From the system's random
 * source, so different in each process, regardless of PYTHONHASHSEED; no result depends on them. */

/* A new odd number of 64 bits; 0 with an exception set. Needs the GIL. */
static inline uint64_t rb_hash_key(void) {
    uint64_t key = 0;
    PyObject *os = PyImport_ImportModule("os");
    PyObject *bytes = os == NULL ? NULL : PyObject_CallMethod(os, "urandom", "i", 8);
    if (bytes != NULL && PyBytes_Check(bytes) && PyBytes_Size(bytes) == 8) {
        memcpy(&key, PyBytes_AsString(bytes), 8);
        key |= 1;
    } else if (bytes != NULL)
        PyErr_SetString(PyExc_TypeError, "os.urandom(8): expected 8 bytes");
    Py_XDECREF(bytes);
    Py_XDECREF(os);
    return key;
}

#endif
