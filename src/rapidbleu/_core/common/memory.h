/* Memory: sizes that cannot overflow, and arrays that grow.
 *
 * Numbers of items have 64 bits and sizes may have 32.  All memory is the interpreter's raw memory,
 * which tracemalloc counts and which needs no GIL. */
#ifndef RAPIDBLEU_COMMON_MEMORY_H
#define RAPIDBLEU_COMMON_MEMORY_H

#include "Python.h"
#include <stdint.h>

/* Bytes of n items; where a size has too few bits to say it, more than there can be. */
static inline size_t rb_bytes_of(int64_t n, size_t size) {
    return (uint64_t)n <= SIZE_MAX / size ? (size_t)n * size : SIZE_MAX;
}

/* Raise MemoryError, with the GIL or without it: -1. */
static inline int rb_no_memory(void) {
    const PyGILState_STATE state = PyGILState_Ensure();
    PyErr_NoMemory();
    PyGILState_Release(state);
    return -1;
}

/* Make an array of `capacity` items hold at least `needed`, by doubling; -1 and MemoryError leave it
 * as it was.  The address is passed as that of any pointer: `(void **)&array`. */
static inline int rb_grow(void **array, int64_t *capacity, int64_t needed, size_t size) {
    int64_t wanted = *capacity < INT64_MAX / 4 ? 2 * *capacity : needed;
    void *larger;
    if (wanted < needed) wanted = needed;
    larger = PyMem_RawRealloc(*array, rb_bytes_of(wanted, size));
    if (larger == NULL) return rb_no_memory();
    *array = larger;
    *capacity = wanted;
    return 0;
}

/* Room for n items, and for a quarter more if it has to be made; what the array held is lost.  Also
 * an array of no items is not NULL. */
static inline int rb_room(void **array, int64_t *capacity, int64_t n, size_t size) {
    if (n <= *capacity && *array != NULL) return 0;
    n += n / 4;
    PyMem_RawFree(*array);
    *capacity = 0;
    *array = PyMem_RawMalloc(rb_bytes_of(n, size));
    if (*array == NULL) return rb_no_memory();
    *capacity = n;
    return 0;
}

#endif
