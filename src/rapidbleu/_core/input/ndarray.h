/* Rows of NumPy's arrays, without NumPy and without the buffer protocol, which takes 30 ns.

   NumPy has kept these fields of an array in this order since 1.7, in 2.x too (there they are
   PyArrayObject_fields), and lets extensions that were compiled with either read them.  Still they
   are read only if `input.columns` has found in arrays of its own what should be in each of them.

   Nothing is exported: the pointer is good until Python code runs, which may resize the array.  On
   free-threaded Python it runs all the time in other threads, so there no row is read this way. */

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

/* The n items of an array of this very type and dtype, of one dimension and in C order; or NULL. */
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

/* Whether the fields of an array of one dimension are as NumPy says otherwise. */
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
