/* Threads that run at the same time: whether this interpreter has no global lock.
 *
 * Under the lock, code that neither runs Python code nor gives the lock away is one step for all
 * threads.  Free-threaded Python has no such steps.  What takes their place there, and costs nothing
 * elsewhere:
 *
 * * Most objects never change once they are made, and need nothing.
 * * A method that changes or reads an object which can change is a critical section of that object
 *   (`cython.critical_section`).  It is given up wherever the lock would be, so the rule of the lock
 *   holds for one object: nothing may be taken for granted across Python code and `with nogil`.
 * * Of a list that a caller hands in, the items are read from a tuple (`unshared`).
 * * The memory of arrays is read through the buffer protocol, which holds on to it.
 *
 * Numbers in an array that another thread writes to meanwhile may be old or new ones, on any
 * interpreter; kernels take each of them for what it was when they checked it. */
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

/* Idle memory: objects that calls take from a handle, and put back for the next call.
 *
 * A handle has eight places, each of which is empty or has an object that no call is using.  A thread
 * begins to look at a place of its own: it gets the object back that it used last, whose memory is in
 * the cache of its core, and not that of another thread.  Free-threaded threads swap pointers: a lock,
 * or a common end of a list, would make threads that score sentences wait for each other most of the
 * time. */

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

/* An object, with the reference to it; NULL if there is none. */
static inline PyObject *rb_idle_take(rb_idle *idle) {
    const unsigned begin = rb_idle_begin();
    unsigned k;
    for (k = 0; k < RB_IDLE_PLACES; k++) {
        void **place = &idle->places[(begin + k) % RB_IDLE_PLACES];
        void *object = rb_idle_look(place) == NULL ? NULL : rb_idle_empty(place);
        if (object != NULL) return (PyObject *)object;
    }
    return NULL;
}

/* Put an object back, with a reference of its own, if there is a place for it. */
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

/* Is there any object? */
static inline int rb_idle_any(rb_idle *idle) {
    unsigned k;
    for (k = 0; k < RB_IDLE_PLACES; k++)
        if (rb_idle_look(&idle->places[k]) != NULL) return 1;
    return 0;
}

/* Let go of all. */
static inline void rb_idle_free(rb_idle *idle) {
    PyObject *object;
    while ((object = rb_idle_take(idle)) != NULL) Py_DECREF(object);
}

#endif
