"""References of a corpus: columns, and which of their elements belong to a segment.

References come as streams, ``[stream][segment]`` with None where a segment has no such reference,
or by segment, ``[segment][reference]``.  Streams stay the columns they are; the second form is
flattened to one column with offsets, and an Arrow column of lists is that already.  A segment
without any reference is refused here, before any scoring.
"""

from libc.stdint cimport int64_t

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.arrow cimport ArrowColumn
from rapidbleu._core.arrow import import_column
from rapidbleu._core.columns cimport (
    Column, Kind, Places, is_arrow, is_sequence, kind_name, same_kind, snapshot,
)
from rapidbleu._core.common cimport POLL_OBJECTS, bytes_of, poll_due, poll_signals


cdef class ReferenceColumns:
    """Checked references of a corpus, in either layout.

    Parameters
    ----------
    source : sequence or Column
        ``[stream][segment]``, ``[segment][reference]``, or an Arrow column of lists of strings,
        which is by segment whatever the layout says; a Column is the only stream.
    layout : {"stream", "segment"}
    where : str
        Names the argument in errors.
    """

    def __cinit__(self, source, str layout not None, str where="references"):
        cdef Column column
        cdef Py_ssize_t i, telling = 0
        if isinstance(source, Column):
            self.columns = [source]
            self.length = (<Column> source).length
        elif is_arrow(source):
            self.take_arrow_lists(import_column(source, where), where)
        elif layout == "stream":
            self.take_streams(source, where)
        else:
            self.take_segments(source, where)
        self.kind = Kind.ABSENT
        for i, column in enumerate(self.columns):
            if not same_kind(self.kind, column.kind):
                raise TypeError(
                    f"{where}[{i}]: expected segments of {kind_name(self.kind)} as in "
                    f"{where}[{telling}], got {kind_name(column.kind)}"
                )
            if column.kind < self.kind:
                self.kind, telling = column.kind, i
        self.count_all(where)

    def __dealloc__(self):
        PyMem_RawFree(self.first)
        PyMem_RawFree(self.n_present)

    def __len__(self):
        return self.length

    cdef int take_streams(self, source, str where) except -1:
        cdef Column column
        cdef tuple streams = snapshot(source, where, "reference streams")
        cdef Py_ssize_t i
        if not streams:
            raise ValueError(f"{where}: expected at least one stream of references, got none")
        self.columns = []
        for i, stream in enumerate(streams):
            if not is_arrow(stream) and not is_sequence(stream):
                raise TypeError(
                    f"{where}[{i}]: expected a stream of segments, got {type(stream).__name__}; "
                    f"references are [stream][segment]: one list of them goes in brackets, [refs]"
                )
            column = Column(stream, f"{where}[{i}]", optional=True)
            if i and column.length != self.length:
                raise ValueError(
                    f"{where}[{i}]: expected {self.length} segments as in {where}[0], got "
                    f"{column.length}; references are [stream][segment] unless layout='segment'"
                )
            self.length = column.length
            self.columns.append(column)
        return 0

    cdef int take_segments(self, source, str where) except -1:
        cdef tuple segments = snapshot(source, where, "segments' references")
        cdef tuple several
        cdef list references = [], offsets = [0]
        cdef dict kept = {}
        cdef Py_ssize_t i
        self.length = len(segments)
        self.first = <int64_t*> PyMem_RawMalloc(
            bytes_of(<int64_t> self.length + 1, sizeof(int64_t))
        )
        if self.first == NULL:
            raise MemoryError
        self.first[0] = 0
        for i, given in enumerate(segments):
            if poll_due(i, POLL_OBJECTS):
                poll_signals()
            several = snapshot(given, f"{where}[{i}]", "references")
            for reference in several:
                if reference is not None:
                    references.append(reference)
            if len(references) - self.first[i] < len(several):
                kept[i] = present(several)
            offsets.append(len(references))
            self.first[i + 1] = len(references)
        self.columns = [Column(tuple(references), where, place=Places(where, offsets, kept))]
        return 0

    cdef int take_arrow_lists(self, ArrowColumn lists, str where) except -1:
        cdef Column column
        if not lists.is_list:
            raise TypeError(
                f"{where}: expected streams of segments, got one Arrow column of strings; "
                f"references are [stream][segment]: one column goes in brackets, [refs]"
            )
        column = Column((), where)
        column.set_arrow(lists, lists.n_strings)
        column.any_missing = lists.any_null_string
        self.columns = [column]
        self.lists = lists
        self.length = lists.length
        if column.any_missing:
            self.count_present(column)
        return 0

    cdef int count_present(self, Column column) except -1:
        """Lists may share strings: so nulls are counted once, and not in each list."""
        cdef Py_ssize_t i
        self.n_present = <int64_t*> PyMem_RawMalloc(
            bytes_of(<int64_t> column.length + 1, sizeof(int64_t))
        )
        if self.n_present == NULL:
            raise MemoryError
        self.n_present[0] = 0
        for i in range(column.length):
            if poll_due(i, POLL_OBJECTS):
                poll_signals()
            self.n_present[i + 1] = self.n_present[i] + (not column.is_missing(i))
        return 0

    cdef Py_ssize_t count(self, Py_ssize_t segment) except -1:
        """References that a segment has."""
        cdef Column column = self.columns[0]
        cdef int64_t begin, end
        cdef Py_ssize_t n = 0
        if self.first != NULL:
            return self.first[segment + 1] - self.first[segment]
        if self.lists is not None:
            self.lists.bounds(segment, &begin, &end)
            if self.n_present == NULL:
                return end - begin
            return self.n_present[end] - self.n_present[begin]
        for column in self.columns:
            n += not column.is_missing(segment)
        return n

    cdef int count_all(self, str where) except -1:
        """Set num_refs; refuse a segment without any reference."""
        cdef Column column
        cdef Py_ssize_t i, n
        cdef bint complete = self.first == NULL and self.lists is None
        for column in self.columns:
            complete = complete and not column.any_missing
        if complete:
            self.num_refs = len(self.columns)
            return 0
        for i in range(self.length):
            if poll_due(i, POLL_OBJECTS):
                poll_signals()
            n = self.count(i)
            if n == 0:
                raise ValueError(f"{where}: segment {i} has no reference")
            if i == 0:
                self.num_refs = n
            elif n != self.num_refs:
                self.num_refs = -1
        return 0


cdef list present(tuple several):
    """Where there is something in a tuple."""
    cdef list places = []
    cdef Py_ssize_t j
    for j in range(len(several)):
        if several[j] is not None:
            places.append(j)
    return places
