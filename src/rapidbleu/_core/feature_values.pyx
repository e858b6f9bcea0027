"""The features of a hypothesis: dense values at their places, sparse ones by their names.

This is where reading spends its time, fifteen numbers a line, so the usual line is read without the
GIL: labels where they are expected are compared as bytes, numbers are read from a word.  Whatever
else comes, a sparse feature, a long number, a mistake, is looked at with the GIL held and costs
some hundred nanoseconds.

Two spellings are read: `name= value` of n-best lists and `name=value` of files of statistics.
Sparse values are kept as triples (row, feature, value), 16 bytes each.
"""

from libc.math cimport isfinite
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcmp

from array import array

from rapidbleu._core.feature_names import is_label
from rapidbleu._core.common cimport poll_signals
from rapidbleu._core.feature_names cimport LabelC
from rapidbleu._core.moses cimport rb_read_number, rb_token_end, read_slowly


cdef class FeatureValues:
    """Reads the features of lines, one line after the other.

    Parameters
    ----------
    reader : LineReader
    names : FeatureNames

    Attributes
    ----------
    n_rows : int
        Lines read.
    """

    def __cinit__(self, LineReader reader not None, FeatureNames names not None):
        self.reader = reader
        self.names = names
        self.rows, self.columns, self.values = array("q"), array("i"), array("f")

    cdef int read(self, const uint8_t* p, const uint8_t* end, float* out) except -1 nogil:
        """Read the features of a line, [p, end), which something not above a space ends."""
        cdef const LabelC* label = self.names.labels
        cdef const LabelC* labels_end = label + self.names.n_labels
        cdef int64_t n = 0, n_features = self.names.n_features
        cdef const uint8_t* token_end
        cdef double value = 0
        while True:
            while p < end and p[0] <= c" ":
                p += 1
            if p >= end:
                break
            if label < labels_end and label.at == n:
                if (
                    end - p >= label.length and memcmp(p, label.text, label.length) == 0
                    and (p + label.length == end or p[label.length] <= c" ")
                ):
                    p += label.length
                    label += 1
                    continue
            elif n < n_features and rb_read_number(p, &token_end, &value):
                out[n] = <float> value
                if isfinite(out[n]):
                    p = token_end
                    n += 1
                    continue
            with gil:
                n += self.read_rarely(p, &p, n, label - self.names.labels, out)
        if n != n_features:
            with gil:
                self.reader.fail(f"expected {n_features} features, got {n}")
        self.n_rows += 1
        return 0

    cdef int read_rarely(
        self, const uint8_t* p, const uint8_t** end, int64_t n, int64_t n_labels, float* out
    ) except -1:
        """Read a token that is no usual number, after n values; returns how many were dense."""
        cdef const uint8_t* token_end = rb_token_end(p)
        cdef bytes token = p[:token_end - p], name, text
        cdef const LabelC* label
        cdef bint is_sparse
        poll_signals()
        end[0] = token_end
        name, _, text = token.rpartition(b"=")
        is_sparse = name and text
        if b"_" in token and is_label(token):
            is_sparse = True
            p = token_end
            while p[0] == c" " or p[0] == c"\t":
                p += 1
            end[0] = rb_token_end(p)
            name, text = token[:len(token) - 1], p[:end[0] - p]
        if is_sparse:
            value = self.number(text, f"of {name.decode('utf-8', 'replace')}")
            self.rows.append(self.n_rows)
            where = f"{self.reader.name}, line {self.reader.line}"
            self.columns.append(self.names.intern(name, where))
            self.values.append(value)
            return 0
        if n_labels < self.names.n_labels and self.names.labels[n_labels].at == n:
            label = &self.names.labels[n_labels]
            self.reader.fail(
                f"expected {label.text[:label.length].decode('utf-8', 'replace')} as in the first "
                f"line, got {token.decode('utf-8', 'replace')!r}"
            )
        if n == self.names.n_features:
            self.reader.fail(
                f"expected {n} features, got {token.decode('utf-8', 'replace')!r} behind them"
            )
        out[n] = self.number(token, f"{n + 1} of {self.names.n_features}")
        return 1

    cdef float number(self, bytes text, str what) except? -1.0:
        """A number that is finite in 32 bits."""
        cdef double value = 0
        if not read_slowly(text, <const uint8_t*> text + len(text), &value) or (
            not isfinite(<float> value)
        ):
            self.reader.fail(
                f"feature {what}: expected a finite number, "
                f"got {text.decode('utf-8', 'replace')!r}"
            )
        return <float> value

    def sparse(self):
        """Return the sparse values read so far.

        Returns
        -------
        rows : array.array of int64
        columns : array.array of int32
        values : array.array of float32
        """
        return self.rows, self.columns, self.values
