/* A look at signals, which raises what their handlers raise.
 *
 * PyPy's own does nothing: handlers are called between two instructions of Python code.  So the
 * least of it is run there. */
#ifndef RAPIDBLEU_SIGNALS_H
#define RAPIDBLEU_SIGNALS_H

#include "Python.h"

#ifdef PYPY_VERSION
static inline int rb_check_signals(void) {
    PyObject *names = PyDict_New();
    PyObject *result = names == NULL ? NULL : PyRun_String("0", Py_eval_input, names, names);
    const int status = result == NULL ? -1 : 0;
    Py_XDECREF(result);
    Py_XDECREF(names);
    return status;
}
#else
#define rb_check_signals PyErr_CheckSignals
#endif

#endif
