/* Polling for signals, by which work is interrupted. Only the main thread receives Ctrl-C. It
 * leaves the exception in `stop`, a list that all threads of a job read when they poll. They raise
 * copies of its type and arguments: without the GIL no two threads may raise the same object, which
 * stores a traceback. A loop polls after RB_POLL_* units of work (powers of two), some
 * milliseconds. */
#ifndef RAPIDBLEU_COMMON_SIGNALS_H
#define RAPIDBLEU_COMMON_SIGNALS_H

#include "Python.h"
#include <stdint.h>

#define RB_POLL_OBJECTS (INT64_C(1) << 16) /* Python objects, including calls of their methods */
#define RB_POLL_TOKENS (INT64_C(1) << 20)  /* tokens, n-grams, pairs, rows: tens of instructions */
#define RB_POLL_CELLS (INT64_C(1) << 22)   /* bytes, cells: an instruction or two */
#define RB_POLL_SUMS (INT64_C(1) << 24)    /* products and sums, several in an instruction */
#define RB_POLL_BYTES (INT64_C(1) << 26)   /* bytes that the C library sets or copies */

/* Has a loop of single steps done another `n` units when it has done unit i? */
static inline int rb_poll_due(int64_t i, int64_t n) { return (i & (n - 1)) == n - 1; }

/* Run signal handlers; -1 if one raised. Needs the GIL. PyErr_CheckSignals does nothing on PyPy,
 * which calls handlers between two instructions of Python code: run such an instruction there. */
#ifdef PYPY_VERSION
static inline int rb_poll_signals(void) {
    PyObject *names = PyDict_New();
    PyObject *result = names == NULL ? NULL : PyRun_String("0", Py_eval_input, names, names);
    const int status = result == NULL ? -1 : 0;
    Py_XDECREF(result);
    Py_XDECREF(names);
    return status;
}
#else
#define rb_poll_signals PyErr_CheckSignals
#endif

/* The same, and raise a copy of the exception in `stop`: a list, None or NULL. */
static inline int rb_poll(PyObject *stop) {
    if (rb_poll_signals() < 0) return -1;
    if (stop != NULL && stop != Py_None && PyList_Check(stop) && PyList_GET_SIZE(stop) > 0) {
        PyObject *error = PySequence_GetItem(stop, 0);
        PyObject *args = error == NULL ? NULL : PyObject_GetAttrString(error, "args");
        if (args != NULL) PyErr_SetObject((PyObject *)Py_TYPE(error), args);
        Py_XDECREF(args);
        Py_XDECREF(error);
        return -1;
    }
    return 0;
}

/* The same from a kernel, which runs without the GIL. */
static inline int rb_poll_without_gil(PyObject *stop) {
    const PyGILState_STATE state = PyGILState_Ensure();
    const int status = rb_poll(stop);
    PyGILState_Release(state);
    return status;
}

#endif
