/* Threads that run simultaneously: does this interpreter lack a global lock? Under the lock, code
 * that neither runs Python code nor releases the lock is atomic for all threads. Free-threaded
 * Python has no such guarantee. Instead, at no cost elsewhere:
 *
 * * Most objects are immutable and need nothing.
 * * A method that changes or reads a mutable object is a critical section of that object
 *   (`cython.critical_section`). It is released wherever the lock would be, so the lock's rule
 *   holds for one object: assume nothing across Python code and `with nogil`.
 * * Items of a caller's list are read from a tuple (`unshared`).
 * * The memory of arrays is read through the buffer protocol, which keeps it alive.
 *
 * Numbers in an array that another thread writes meanwhile may be old or new, on any interpreter;
 * kernels use each of them as it was when they checked it. */
#ifndef RAPIDBLEU_COMMON_THREADS_H
#define RAPIDBLEU_COMMON_THREADS_H

#include "Python.h"
#include "pythread.h"
#include <stdint.h>

#ifdef Py_GIL_DISABLED
#define RB_FREE_THREADED 1
#else
#define RB_FREE_THREADED 0
#endif

/* Idle memory: objects that calls take from a handle, and put back for the next call. A handle has
 * eight slots, each empty or with an object not in use. A thread starts its search at its own slot,
 * so it gets back the object that it used last, whose memory is in the cache of its core.
 * Free-threaded threads swap pointers, because a lock, or a shared end of a list, would make
 * threads that score sentences wait for each other most of the time. */
#define RB_IDLE_PLACES 8

typedef struct {
    void *places[RB_IDLE_PLACES];
} rb_idle;

static inline unsigned rb_idle_begin(void) {
    return (unsigned)(PyThread_get_thread_ident() * UINT64_C(0x9E3779B97F4A7C15) >> 61);
}

#if RB_FREE_THREADED
static inline void *rb_idle_look(void **place) { return _Py_atomic_load_ptr(place); }
static inline void *rb_idle_empty(void **place) { return _Py_atomic_exchange_ptr(place, NULL); }
static inline int rb_idle_fill(void **place, void *object) {
    void *nothing = NULL;
    return _Py_atomic_compare_exchange_ptr(place, &nothing, object);
}
#else
static inline void *rb_idle_look(void **place) { return *place; }
static inline void *rb_idle_empty(void **place) {
    void *object = *place;
    *place = NULL;
    return object;
}
static inline int rb_idle_fill(void **place, void *object) {
    if (*place != NULL) return 0;
    *place = object;
    return 1;
}
#endif

/* An object with its reference, or None if there is none. */
static inline PyObject *rb_idle_take(rb_idle *idle) {
    const unsigned begin = rb_idle_begin();
    unsigned k;
    for (k = 0; k < RB_IDLE_PLACES; k++) {
        void **place = &idle->places[(begin + k) % RB_IDLE_PLACES];
        void *object = rb_idle_look(place) == NULL ? NULL : rb_idle_empty(place);
        if (object != NULL) return (PyObject *)object;
    }
    Py_RETURN_NONE;
}

/* Put an object back, with a reference of its own, if a slot is free. */
static inline void rb_idle_put(rb_idle *idle, PyObject *object) {
    const unsigned begin = rb_idle_begin();
    unsigned k;
    Py_INCREF(object);
    for (k = 0; k < RB_IDLE_PLACES; k++) {
        void **place = &idle->places[(begin + k) % RB_IDLE_PLACES];
        if (rb_idle_look(place) == NULL && rb_idle_fill(place, object)) return;
    }
    Py_DECREF(object);
}

static inline int rb_idle_any(rb_idle *idle) {
    unsigned k;
    for (k = 0; k < RB_IDLE_PLACES; k++)
        if (rb_idle_look(&idle->places[k]) != NULL) return 1;
    return 0;
}

static inline void rb_idle_free(rb_idle *idle) {
    PyObject *object;
    while ((object = rb_idle_take(idle)) != Py_None) Py_DECREF(object);
    Py_DECREF(object);
}

#endif
