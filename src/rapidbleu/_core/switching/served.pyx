"""Calls of switched functions: whether ours may answer, and the bookkeeping of each call.

A `State` remembers by identity what a walk of `switch/definitions.py` has seen. Comparing it costs
a few loads for each dict and function: CPython 3.11 to 3.13 number every change of a dict, so an
unchanged number proves all its names at once. Where dicts have no number (CPython 3.14,
free-threaded builds), names are compared one by one. Rejected: watchers of dicts and functions,
which exist only since 3.12, in a few slots that all libraries share.
"""

cimport cython

from libc.stdint cimport uint64_t

from cpython.dict cimport PyDict_Check, PyDict_CheckExact, PyDict_GetItemWithError, PyDict_Size
from cpython.list cimport PyList_CheckExact, PyList_GET_ITEM, PyList_GET_SIZE
from cpython.long cimport PyLong_CheckExact
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject, PyTypeObject
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_GET_ITEM, PyTuple_GET_SIZE
from cpython.unicode cimport PyUnicode_CheckExact


cdef extern from *:
    """
    #if defined(Py_GIL_DISABLED) || defined(PYPY_VERSION) || PY_VERSION_HEX >= 0x030E0000
    #define RB_HAS_VERSIONS 0
    static uint64_t rb_dict_version(PyObject *dict) {
        (void)dict;
        return 0;
    }
    #define rb_function_is(row) 0
    #else
    #define RB_HAS_VERSIONS 1
    /* The number stands before the keys; its field is deprecated since 3.12, so no name is used. */
    static uint64_t rb_dict_version(PyObject *dict) {
        uint64_t version;
        const char *keys = (const char *)dict + offsetof(PyDictObject, ma_keys);
        memcpy(&version, keys - sizeof version, sizeof version);
        return version;
    }
    #define rb_function_is(row) \\
        ((PyFunction_GET_CODE((row)->function) == (row)->code || \\
          PyFunction_GET_CODE((row)->function) == (row)->switched) && \\
         PyFunction_GET_DEFAULTS((row)->function) == (row)->defaults && \\
         PyFunction_GET_KW_DEFAULTS((row)->function) == (row)->kwdefaults)
    #endif
    /* CPython 3.13 does not number every change of an object's attributes. */
    #define RB_HAS_NUMBERS (RB_HAS_VERSIONS && PY_VERSION_HEX < 0x030D0000)
    """
    const bint RB_HAS_VERSIONS
    const bint RB_HAS_NUMBERS
    uint64_t rb_dict_version(PyObject *dict)
    bint rb_function_is(FunctionC *row)

ctypedef struct FunctionC:
    PyObject *function
    PyObject *code
    PyObject *switched  # the code that a switch gives it, or NULL
    PyObject *defaults
    PyObject *kwdefaults

ctypedef struct DictC:
    PyObject *dict
    uint64_t version


# Further items of lists
cdef enum:
    IDS = 1
    ABSENT = 2


cdef inline PyObject *pointer(object value):
    return NULL if value is None else <PyObject *>value


@cython.final
cdef class State:
    """Names, functions and objects of libraries at one time, and whether they were as defined.

    `namespaces` are modules and classes with names, and whether further names count as a change.
    Names in `ignored` never do. `functions` are tuples of a function, its code, its other code or
    None, defaults and keyword defaults. `objects` are dicts and lists with their copies, or sets
    with their size.
    """

    cdef readonly bint holds
    cdef readonly list namespaces
    cdef list functions, objects, dicts
    cdef object missing, ignored
    cdef FunctionC *function_rows
    cdef DictC *dict_rows
    cdef Py_ssize_t n_functions, n_dicts

    def __cinit__(
        self, bint holds, list namespaces, list functions, list objects, missing, ignored
    ):
        cdef Py_ssize_t i
        cdef FunctionC *row
        self.holds = holds
        self.namespaces, self.objects, self.dicts = list(namespaces), [], []
        for own, copy in objects:
            if RB_HAS_NUMBERS and PyDict_CheckExact(own):
                self.namespaces.append((own, copy, True))
            else:
                self.objects.append((own, copy))
        for owner, _, _ in self.namespaces:
            self.dicts.append(namespace_of(owner))
        self.functions = functions
        self.missing, self.ignored = missing, ignored
        self.n_functions, self.n_dicts = len(functions), len(self.dicts)
        self.function_rows = <FunctionC *>PyMem_Malloc((self.n_functions + 1) * sizeof(FunctionC))
        self.dict_rows = <DictC *>PyMem_Malloc((self.n_dicts + 1) * sizeof(DictC))
        if self.function_rows == NULL or self.dict_rows == NULL:
            raise MemoryError
        for i, (function, code, switched, defaults, kwdefaults) in enumerate(functions):
            row = &self.function_rows[i]
            row.function, row.code = <PyObject *>function, pointer(code)
            row.switched = pointer(switched)
            row.defaults, row.kwdefaults = pointer(defaults), pointer(kwdefaults)
        for i in range(self.n_dicts):
            self.dict_rows[i].dict = <PyObject *>self.dicts[i]
            self.dict_rows[i].version = rb_dict_version(self.dict_rows[i].dict)

    def __dealloc__(self):
        PyMem_Free(self.function_rows)
        PyMem_Free(self.dict_rows)

    cpdef bint is_current(self) except -1:
        """Return whether nothing has changed since."""
        cdef Py_ssize_t i
        cdef DictC *dict_row
        if RB_HAS_VERSIONS:
            for i in range(self.n_functions):
                if not rb_function_is(&self.function_rows[i]):
                    return False
        else:
            for function, code, switched, defaults, kwdefaults in self.functions:
                if function.__code__ is not code and function.__code__ is not switched:
                    return False
                if (function.__defaults__ is not defaults
                        or function.__kwdefaults__ is not kwdefaults):
                    return False
        for i in range(self.n_dicts):
            dict_row = &self.dict_rows[i]
            if not RB_HAS_VERSIONS or dict_row.version != rb_dict_version(dict_row.dict):
                if not self.has_names(i):
                    return False
        for own, copy in self.objects:
            if not is_like(own, copy):
                return False
        return True

    cdef bint has_names(self, Py_ssize_t i) except -1:
        """Return whether a namespace still has its names, and remember its number if so."""
        own = self.dicts[i]
        cdef dict names = self.namespaces[i][1]
        cdef uint64_t version = rb_dict_version(self.dict_rows[i].dict)
        for name, value in names.items():
            if own.get(name, self.missing) is not value and name not in self.ignored:
                return False
        if self.namespaces[i][2]:
            for name in list(own):
                if name not in names and name not in self.ignored:
                    return False
        self.dict_rows[i].version = version
        return True


cdef namespace_of(owner):
    if PyDict_CheckExact(owner):
        return owner
    # Types of the interpreter itself have no dict of their own since CPython 3.12.
    if RB_HAS_VERSIONS and isinstance(owner, type) and (<PyTypeObject *>owner).tp_dict != NULL:
        return <object>(<PyTypeObject *>owner).tp_dict
    return owner.__dict__


cdef bint is_like(own, copy) except -1:
    """Return whether a dict or list has the same items, or a set its size."""
    cdef Py_ssize_t i
    cdef PyObject *found
    if PyList_CheckExact(own):
        if PyList_GET_SIZE(own) != PyList_GET_SIZE(copy):
            return False
        for i in range(PyList_GET_SIZE(copy)):
            if PyList_GET_ITEM(own, i) != PyList_GET_ITEM(copy, i):
                return False
        return True
    if not PyDict_Check(own):
        return len(own) == copy
    if PyDict_Size(own) != PyDict_Size(copy):
        return False
    for key, value in (<dict>copy).items():
        found = PyDict_GetItemWithError(own, key)
        if found != <PyObject *>value:
            return False
    return True


cpdef bint is_plain(value, int depth, int others=0) except -1:
    """Return whether a value nests exact lists and tuples `depth` deep around items of exactly str.

    `others` are further items: int with bit 1, None with bit 2.
    """
    cdef Py_ssize_t i
    if PyUnicode_CheckExact(value):
        return True
    if PyList_CheckExact(value):
        for i in range(PyList_GET_SIZE(value)):
            if not is_plain_item(<object>PyList_GET_ITEM(value, i), depth, others):
                return False
        return True
    if PyTuple_CheckExact(value):
        for i in range(PyTuple_GET_SIZE(value)):
            if not is_plain_item(<object>PyTuple_GET_ITEM(value, i), depth, others):
                return False
        return True
    return False


cdef inline bint is_plain_item(item, int depth, int others) except -1:
    if depth > 0:
        return is_plain(item, depth - 1, others)
    if PyUnicode_CheckExact(item):
        return True
    return (others & IDS and PyLong_CheckExact(item)) or (others & ABSENT and item is None)


def are_alike(value, other):
    """Return whether two objects have one type and attributes that are alike, or are equal."""
    if value is other:
        return True
    if type(value) is not type(other):
        return False
    if isinstance(value, (list, tuple)):
        return len(value) == len(other) and all(map(are_alike, value, other))
    attributes = getattr(value, "__dict__", None)
    if attributes is None:
        return bool(value == other)
    others = other.__dict__
    if attributes.keys() != others.keys():
        return False
    for name, attribute in attributes.items():
        if not are_alike(attribute, others[name]):
            return False
    return True


@cython.final
cdef class Guard:
    """Whether libraries are as defined; `look` walks through them again after a change."""

    cdef object look
    cdef State state

    def __init__(self, look):
        self.look = look

    def __call__(self):
        """Return whether everything is as defined."""
        return self.holds()

    cdef bint holds(self) except -1:
        cdef State state
        with cython.critical_section(self):
            state = self.state
        if state is None or not state.is_current():
            state = self.look()
            with cython.critical_section(self):
                self.state = state
        return state.holds


cdef class Served:
    """The calls of one switched function.

    `prepare` sets `answer`, our function; `guard`; and `depths`, how deep the first two arguments
    nest. `sort_error` returns a reason to hand back for an exception, or None to raise it.
    Before `prepare`, calls run it. `recorder`, if any, learns of each call: this, the reason for
    handing it back or None, and the processor time in nanoseconds.
    """

    cdef public object answer, prepare, sort_error, recorder, clock
    cdef public Py_ssize_t n_served, n_handed_back
    cdef int others
    cdef Guard guard
    cdef int depth_0, depth_1

    def set_up(self, answer, Guard guard, depths, int others):
        """Answer calls from now on."""
        self.guard, self.others = guard, others
        self.depth_0, self.depth_1 = depths
        self.answer = answer

    def serve(self, *args, **options):
        """Return our answer, or this object to hand the call back."""
        if self.recorder is None:
            return self.attempt(args, options)[0]
        started = self.clock()
        result, reason = self.attempt(args, options)
        self.recorder(self, reason, self.clock() - started)
        return result

    cdef tuple attempt(self, tuple args, dict options):
        try:
            reason = None if self.answer is not None else self.prepare()
            if reason is None:
                reason = self.refuse(args)
            if reason is None:
                result = self.answer(*args, **options)
                self.n_served += 1
                return result, None
        except BaseException as error:
            reason = self.sort_error(error)
            if reason is None:
                raise
        self.n_handed_back += 1
        return self, reason

    cdef object refuse(self, tuple args):
        if self.guard is not None and not self.guard.holds():
            return "the library was changed"
        if self.depth_0 >= 0 and not is_plain(args[0], self.depth_0, self.others):
            return "arguments are not lists of str"
        if self.depth_1 >= 0 and not is_plain(args[1], self.depth_1, self.others):
            return "arguments are not lists of str"
        return None
