/* Memory: sizes that cannot overflow, and arrays that grow. Numbers of items have 64 bits, sizes
 * possibly 32. All is raw memory of the interpreter, counted by tracemalloc. */
#ifndef RAPIDBLEU_COMMON_MEMORY_H
#define RAPIDBLEU_COMMON_MEMORY_H

#include "Python.h"
#include <stdint.h>

/* Bytes of n items; SIZE_MAX, which cannot be allocated, if size_t is too small. */
static inline size_t rb_bytes_of(int64_t n, size_t size) {
    return (uint64_t)n <= SIZE_MAX / size ? (size_t)n * size : SIZE_MAX;
}

/* Raise MemoryError, with or without the GIL; returns -1. */
static inline int rb_no_memory(void) {
    const PyGILState_STATE state = PyGILState_Ensure();
    PyErr_NoMemory();
    PyGILState_Release(state);
    return -1;
}

/* Room for n items; NULL with MemoryError set. */
static inline void *rb_allocate(int64_t n, size_t size) {
    void *room = PyMem_RawMalloc(rb_bytes_of(n, size));
    if (room == NULL) rb_no_memory();
    return room;
}

/* Zeros for n items; NULL with MemoryError set. */
static inline void *rb_allocate_zeros(int64_t n, size_t size) {
    void *room = PyMem_RawCalloc(1, rb_bytes_of(n, size));
    if (room == NULL) rb_no_memory();
    return room;
}

/* Grow an array of `capacity` items to at least `needed` by doubling; -1 with MemoryError set
 * leaves it unchanged. Pass the address of any pointer as `(void **)&array`. */
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

/* Make room for n items, plus a quarter if allocated; contents are lost. Never leaves NULL. */
static inline int rb_room(void **array, int64_t *capacity, int64_t n, size_t size) {
    if (n <= *capacity && *array != NULL) return 0;
    n += n / 4;
    PyMem_RawFree(*array);
    *capacity = 0;
    *array = rb_allocate(n, size);
    if (*array == NULL) return -1;
    *capacity = n;
    return 0;
}

#endif
