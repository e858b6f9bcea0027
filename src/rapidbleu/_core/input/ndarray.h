/* Rows of NumPy arrays, without NumPy and without the buffer protocol, which takes 30 ns. NumPy has
 * kept these fields in this order since 1.7, including 2.x (PyArrayObject_fields), and supports
 * extensions compiled against either. They are read only after `input.columns` has verified them on
 * its own arrays. Nothing is exported: the pointer is valid until Python code runs, which may
 * resize the array, so free-threaded Python does not read rows this way. */

#ifndef RB_NDARRAY_H
#define RB_NDARRAY_H

#include <stddef.h>
#include <stdint.h>

#include "common/threads.h"

typedef struct {
    PyObject_HEAD
    char* data;
    int nd;
    Py_ssize_t* dimensions;
    Py_ssize_t* strides;
    PyObject* base;
    PyObject* descr;
    int flags;
} rb_ndarray;

enum {
    RB_C_CONTIGUOUS = 0x0001,
    RB_ALIGNED = 0x0100,
    RB_PLAIN = RB_C_CONTIGUOUS | RB_ALIGNED
};

/* The n items of a one-dimensional array of exactly this type and dtype in C order; or NULL. */
static inline const int64_t* rb_array_row(
    PyObject* source, PyObject* type, PyObject* dtype, Py_ssize_t n)
{
    const rb_ndarray* array = (const rb_ndarray*)source;
    if (RB_FREE_THREADED)
        return NULL;
    if ((PyObject*)Py_TYPE(source) != type || array->descr != dtype || array->nd != 1)
        return NULL;
    if (array->dimensions[0] != n || (array->flags & RB_PLAIN) != RB_PLAIN)
        return NULL;
    return (const int64_t*)array->data;
}

/* Do the fields of a one-dimensional array equal NumPy's public attributes? */
static inline int rb_array_has(
    PyObject* source, const void* data, Py_ssize_t n, Py_ssize_t stride, PyObject* base,
    PyObject* dtype, int plain)
{
    const rb_ndarray* array = (const rb_ndarray*)source;
    return array->data == (const char*)data && array->nd == 1 && array->base == base
        && array->descr == dtype && (array->flags & RB_PLAIN) == plain
        && array->dimensions[0] == n && array->strides[0] == stride;
}

#endif
