/* Secret keys of hash tables, so that no input can be prepared to collide.
 *
 * They come from the operating system's random source, so they differ in each process, whatever
 * PYTHONHASHSEED says.  No result depends on them. */
#ifndef RAPIDBLEU_COMMON_HASH_KEYS_H
#define RAPIDBLEU_COMMON_HASH_KEYS_H

#include "Python.h"
#include <stdint.h>
#include <string.h>

/* A new odd number of 64 bits; 0 if an exception is set.  The GIL is held. */
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
