"""Texts that lie behind each other in one buffer, given away as an Arrow column.

Readers of files fill it without making a Python string of each text, and metrics read it through
the same door as the columns of any Arrow library: large UTF-8, 8 bytes of offset for each text.
Whoever takes the column keeps this object alive until he releases it; nothing is copied, so it is
filled before it is given away and then left alone.
"""

from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcpy

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_Destructor, PyCapsule_GetPointer, PyCapsule_New
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.unicode cimport PyUnicode_DecodeUTF8

from rapidbleu._core.common cimport grow
from rapidbleu._core.input cimport ArrowArray, ArrowSchema


cdef enum:
    FIRST_ITEMS = 64  # texts, and bytes of text, that a new column has room for


cdef class TextColumn:
    """A column of UTF-8 texts."""

    def __cinit__(self):
        # Never NULL: consumers expect buffers, even of nothing.
        grow(<void**> &self.ends, &self.capacity, FIRST_ITEMS, sizeof(int64_t))
        self.ends[0] = 0
        grow(<void**> &self.text, &self.text_capacity, FIRST_ITEMS, 1)

    def __dealloc__(self):
        PyMem_RawFree(self.ends)
        PyMem_RawFree(self.text)

    cdef int append(self, const uint8_t* begin, int64_t n) except -1 nogil:
        """Add a text, which must be well-formed UTF-8."""
        if self.length + 2 > self.capacity:
            grow(<void**> &self.ends, &self.capacity, self.length + 2, sizeof(int64_t))
        if self.n_bytes + n > self.text_capacity:
            grow(<void**> &self.text, &self.text_capacity, self.n_bytes + n, 1)
        memcpy(self.text + self.n_bytes, begin, <size_t> n)
        self.n_bytes += n
        self.length += 1
        self.ends[self.length] = self.n_bytes
        return 0

    def __len__(self):
        return self.length

    def to_list(self):
        """Return the texts as strings.

        Returns
        -------
        list of str
        """
        cdef list texts = []
        cdef int64_t i
        for i in range(self.length):
            texts.append(PyUnicode_DecodeUTF8(
                <const char*> self.text + self.ends[i], self.ends[i + 1] - self.ends[i], NULL
            ))
        return texts

    def __arrow_c_array__(self, requested_schema=None):
        """Return the column as an Arrow schema and an Arrow array, in capsules."""
        cdef ArrowSchema* schema
        cdef ArrowArray* array
        schema_capsule = new_capsule(sizeof(ArrowSchema), "arrow_schema", free_schema)
        array_capsule = new_capsule(sizeof(ArrowArray), "arrow_array", free_array)
        schema = <ArrowSchema*> PyCapsule_GetPointer(schema_capsule, "arrow_schema")
        array = <ArrowArray*> PyCapsule_GetPointer(array_capsule, "arrow_array")
        array.buffers = <const void**> PyMem_RawCalloc(3, sizeof(void*))
        if array.buffers == NULL:
            raise MemoryError
        array.buffers[1], array.buffers[2] = self.ends, self.text
        array.length, array.n_buffers = self.length, 3
        Py_INCREF(self)
        array.private_data, array.release = <void*> self, release_array
        schema.format, schema.name, schema.release = b"U", b"", release_schema
        return schema_capsule, array_capsule


cdef object new_capsule(size_t size, const char* name, PyCapsule_Destructor destructor):
    """A struct of zeros in a capsule: for Arrow, one that is released."""
    cdef void* memory = PyMem_RawCalloc(1, size)
    if memory == NULL:
        raise MemoryError
    try:
        return PyCapsule_New(memory, name, destructor)
    except MemoryError:
        PyMem_RawFree(memory)
        raise


cdef void release_schema(ArrowSchema* schema) noexcept nogil:
    schema.release = NULL


cdef void release_array(ArrowArray* array) noexcept with gil:
    PyMem_RawFree(<void*> array.buffers)
    Py_DECREF(<object> <PyObject*> array.private_data)
    array.release = NULL


cdef void free_schema(object capsule) noexcept:
    PyMem_RawFree(PyCapsule_GetPointer(capsule, "arrow_schema"))


cdef void free_array(object capsule) noexcept:
    cdef ArrowArray* array = <ArrowArray*> PyCapsule_GetPointer(capsule, "arrow_array")
    if array.release != NULL:
        array.release(array)
    PyMem_RawFree(array)
