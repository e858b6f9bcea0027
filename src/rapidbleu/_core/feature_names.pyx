"""Which features a file has: the dense ones by their places, the sparse ones by their names.

In an n-best list of Moses a label stands before the values it names, `LM0= -38.9`, and the first
line says for the whole file which labels there are and how many values follow each.  A label with
an underscore names one sparse feature.  The layout is kept as an array, so that the lines that
follow are compared with it by `memcmp`; names of sparse features become numbers in the order in
which they are met.
"""

from libc.stdint cimport int64_t, uint8_t

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.common cimport POLL_OBJECTS, poll_due, poll_signals


def is_label(bytes token not None):
    """Does the token name what follows it?"""
    return token.endswith((b"=", b":"))


def read_layout(bytes text not None):
    """Split the features of a line, as far as they are dense.

    Parameters
    ----------
    text : bytes

    Returns
    -------
    names : list of str
        ``<label>_<number>`` for each value.
    labels : list of (bytes, int)
        Each label and how many values there are before it.

    Examples
    --------
    >>> read_layout(b"LM0= -38.9 a_b= 1 TM0= -1 -2")
    (['LM0_0', 'TM0_0', 'TM0_1'], [(b'LM0=', 0), (b'TM0=', 1)])
    """
    cdef list names = [], labels = []
    cdef dict counts = {}
    cdef str label = ""
    cdef bint skip = False
    cdef Py_ssize_t i
    for i, token in enumerate(text.split()):
        if poll_due(i, POLL_OBJECTS):
            poll_signals()
        if skip:
            skip = False
        elif is_label(token):
            if b"_" in token:
                skip = True
                continue
            label = token[:len(token) - 1].decode("utf-8", "replace")
            labels.append((token, len(names)))
        else:
            counts[label] = counts.get(label, -1) + 1
            names.append(f"{label}_{counts[label]}")
    return names, labels


cdef class FeatureNames:
    """Names of the features of a file.

    Parameters
    ----------
    names : sequence of str
        Of the dense features.
    labels : sequence of (bytes, int)
        Each label and how many values there are before it.
    """

    def __cinit__(self, names, labels=()):
        cdef int64_t i, begin = 0
        self.names = tuple(names)
        self.n_features = len(self.names)
        self.sparse, self.sparse_names = {}, []
        self.n_labels = len(labels)
        self.text = b"".join([label for label, _ in labels])
        self.labels = <LabelC*> PyMem_RawMalloc((self.n_labels + 1) * sizeof(LabelC))
        if self.labels == NULL:
            raise MemoryError
        for i, (label, at) in enumerate(labels):
            self.labels[i].text = <const uint8_t*> self.text + begin
            self.labels[i].length = len(label)
            self.labels[i].at = at
            begin += len(label)

    def __dealloc__(self):
        PyMem_RawFree(self.labels)

    cdef int64_t intern(self, bytes name, str where) except -1:
        """The number of a sparse feature."""
        number = self.sparse.get(name)
        if number is None:
            try:
                text = name.decode("utf-8")
            except UnicodeDecodeError:
                raise ValueError(f"{where}: expected a name in UTF-8, got {name!r}") from None
            number = self.sparse[name] = len(self.sparse_names)
            self.sparse_names.append(text)
        return number
