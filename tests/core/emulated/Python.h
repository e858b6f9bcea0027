/* The part of Python's API that core headers use, for programs without Python. Raising an exception
 * prints its text and exits. */
#ifndef RAPIDBLEU_STAND_IN_PYTHON_H
#define RAPIDBLEU_STAND_IN_PYTHON_H

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int unused;
} PyObject;
typedef int PyGILState_STATE;

#define Py_None ((PyObject *)NULL)
#define Py_TYPE(object) (object)
#define PyExc_TypeError ((PyObject *)NULL)
#define PyExc_ValueError ((PyObject *)NULL)
#define PyErr_Format(type, ...) PyErr_SetString(type, "a formatted error")
#define PyImport_ImportModule(name) ((PyObject *)NULL)
#define PyObject_CallMethod(object, name, types, value) (object)
#define PyBytes_Check(object) ((void)(object), 0)
#define PyBytes_Size(object) ((void)(object), 0)
#define PyBytes_AsString(object) ((char *)(object))
#define PyList_Check(object) ((void)(object), 0)
#define PyList_GET_SIZE(list) ((void)(list), 0)
#define PySequence_GetItem(sequence, i) (sequence)
#define PyObject_GetAttrString(object, name) (object)
#define Py_XDECREF(object) ((void)(object))
#define PyMem_RawMalloc malloc
#define PyMem_RawCalloc calloc
#define PyMem_RawRealloc realloc
#define PyMem_RawFree free

static inline PyGILState_STATE PyGILState_Ensure(void) { return 0; }
static inline void PyGILState_Release(PyGILState_STATE state) { (void)state; }
static inline int PyErr_CheckSignals(void) { return 0; }

static inline void PyErr_SetString(PyObject *type, const char *text) {
    (void)type;
    fprintf(stderr, "%s\n", text);
    exit(1);
}

static inline void PyErr_SetObject(PyObject *type, PyObject *value) {
    (void)value;
    PyErr_SetString(type, "an exception");
}

static inline void PyErr_NoMemory(void) { PyErr_SetString(NULL, "no memory"); }

#endif
