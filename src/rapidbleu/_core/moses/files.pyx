"""Moses' files: n-best lists, features and statistics; Moses' order of merged lists."""

from array import array
from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memchr, memcmp, memcpy

from cpython.mem cimport PyMem_RawFree

from rapidbleu._core.common cimport (
    POLL_OBJECTS, ProbingTableC, allocate, hash_key, poll, poll_due, poll_signals,
    probing_table_free, probing_table_init, rb_utf8_check,
)
from rapidbleu._core.input.arrow cimport TextColumn
from rapidbleu._core.input.columns cimport Buffer
from rapidbleu._core.input.lines cimport LineReader
from rapidbleu._core.moses cimport (
    INTEGER_WIDTH, MosesRowsC, NUMBER_PADDING, NUMBER_WIDTH, format_integer, format_number,
    moses_unique, rb_read_count, rb_read_number, rb_token_end, read_slowly,
)


cdef enum:
    NUMBERS_AT_ONCE = 1 << 16  # formatted at a time: a millisecond


ctypedef fused number_t:
    float
    double
    int32_t
    int64_t


def parse_number(bytes text not None, /):
    """Parse one number, without white space, like the readers of files; None unless finite."""
    cdef double value = 0
    cdef const uint8_t* end
    cdef bytes padded = text + bytes(NUMBER_PADDING)
    cdef const uint8_t* p = padded
    if not text or text.split() != [text] or b"\0" in text:
        return None
    if not rb_read_number(p, &end, &value) and not read_slowly(p, p + len(text), &value):
        return None
    return value if isfinite(value) else None


def format_rows(values, int64_t n_columns, rows=None, columns=None, /):
    """Format rows of numbers like Moses: each as ``%g`` followed by a space, a line per row.

    `values` is an array in C order of float32, float64, int32 or int64, of `n_columns`. `rows` and
    `columns`, int64, select some of them. Unlike in Moses, large integers are exact.
    """
    cdef Buffer source = Buffer(values, "values")
    cdef Buffer order = None, places = None
    cdef int64_t i = 0, end, row, n_rows, n_written = n_columns, at_once
    cdef const int64_t* own = NULL
    cdef uint8_t* text
    cdef uint8_t* out
    cdef list parts = []
    if n_columns < 1 or source.n_items % n_columns:
        raise ValueError(f"n_columns: expected a divisor of {source.n_items}; got {n_columns}")
    if source.kind == c"u" or source.item_size not in (4, 8):
        raise TypeError("values: expected float32, float64, int32 or int64")
    n_rows = source.n_items // n_columns
    if rows is not None:
        order = places_below(n_rows, rows, "rows")
        n_rows = order.n_items
    if columns is not None:
        places = places_below(n_columns, columns, "columns")
        n_written, own = places.n_items, <const int64_t*> places.data
    at_once = min(n_rows, max(1, NUMBERS_AT_ONCE // max(1, n_written)))
    text = <uint8_t*> allocate(
        <size_t> (at_once * (n_written * (max(NUMBER_WIDTH, INTEGER_WIDTH) + 1) + 1)), 1
    )
    try:
        while i < n_rows:
            end = min(n_rows, i + at_once)
            out = text
            with nogil:
                while i < end:
                    row = i if order is None else (<const int64_t*> order.data)[i]
                    row *= n_columns
                    if source.kind == c"f":
                        if source.item_size == 4:
                            out = write_row(<const float*> source.data + row, own, n_written, out)
                        else:
                            out = write_row(<const double*> source.data + row, own, n_written, out)
                    elif source.item_size == 4:
                        out = write_row(<const int32_t*> source.data + row, own, n_written, out)
                    else:
                        out = write_row(<const int64_t*> source.data + row, own, n_written, out)
                    i += 1
            parts.append(text[:out - text])
            poll(None)
        return parts[0] if len(parts) == 1 else b"".join(parts)
    finally:
        PyMem_RawFree(text)


cdef Buffer places_below(int64_t n, source, str where):
    """Return the items of an int64 array, checked to be from 0 to n - 1."""
    cdef Buffer places = Buffer(source, where)
    cdef const int64_t* items = <const int64_t*> places.data
    cdef int64_t i
    places.require(c"i", sizeof(int64_t), places.n_items, where)
    for i in range(places.n_items):
        if not 0 <= items[i] < n:
            raise ValueError(f"{where}[{i}]: expected 0 to {n - 1}; got {items[i]}")
    return places


cdef uint8_t* write_row(
    const number_t* row, const int64_t* columns, int64_t n, uint8_t* out
) except NULL nogil:
    """Write n numbers of a row, from all or some columns, and return the end."""
    cdef int64_t k
    cdef number_t value
    for k in range(n):
        value = row[k] if columns == NULL else row[columns[k]]
        if number_t is float or number_t is double:
            out = format_number(value, out)
        else:
            out = format_integer(value, out)
        out[0] = c" "
        out += 1
    out[0] = c"\n"
    return out + 1


# Features of a file: dense ones by position, sparse ones by name. In n-best lists of Moses a label
# precedes its values, `LM0= -38.9`, and the first line determines the labels of the whole file and
# the number of values of each. A label with an underscore names one sparse feature. The layout is
# an array to be compared with later lines by `memcmp`; sparse features are numbered.


def is_label(bytes token not None, /):
    """Is the token a label of the values after it?"""
    return token.endswith((b"=", b":"))


def read_layout(bytes text not None, /):
    """Parse the dense features of a line.

    Returns ``<label>_<number>`` for each value, and each label with the number of values before it.

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


ctypedef struct LabelC:
    const uint8_t* text   # including = or :
    int64_t length
    int64_t at            # values before it


cdef class FeatureNames:
    """Names of the features of a file, from the results of `read_layout`."""

    cdef readonly tuple names       # of the dense features
    cdef readonly list sparse_names
    cdef dict sparse                # bytes -> index in sparse_names
    cdef bytes text                 # the labels, concatenated
    cdef LabelC* labels
    cdef int64_t n_labels
    cdef int64_t n_features

    def __cinit__(self, names, labels=(), /):
        cdef int64_t i, begin = 0
        self.names = tuple(names)
        self.n_features = len(self.names)
        self.sparse, self.sparse_names = {}, []
        self.n_labels = len(labels)
        self.text = b"".join([label for label, _ in labels])
        self.labels = <LabelC*> allocate(self.n_labels + 1, sizeof(LabelC))
        for i, (label, at) in enumerate(labels):
            self.labels[i].text = <const uint8_t*> self.text + begin
            self.labels[i].length = len(label)
            self.labels[i].at = at
            begin += len(label)

    def __dealloc__(self):
        PyMem_RawFree(self.labels)

    cdef int64_t intern(self, bytes name, str where) except -1:
        number = self.sparse.get(name)
        if number is None:
            try:
                text = name.decode("utf-8")
            except UnicodeDecodeError:
                raise ValueError(f"{where}: expected a name in UTF-8; got {name!r}") from None
            number = self.sparse[name] = len(self.sparse_names)
            self.sparse_names.append(text)
        return number


# Features of a hypothesis: dense values by position, sparse ones by name. Reading spends its time
# here, fifteen numbers a line, so the usual line is read without the GIL: expected labels are
# compared as bytes, numbers are parsed in a word. Anything else (a sparse feature, a long number, a
# mistake) is processed with the GIL held, in some hundred nanoseconds. Two spellings are accepted:
# `name= value` of n-best lists and `name=value` of files of statistics. Sparse values are stored as
# triples (row, feature, value), 16 bytes each.


cdef class FeatureValues:
    """Reader of the features of lines, one line after the other."""

    cdef readonly LineReader reader
    cdef readonly FeatureNames names
    cdef readonly int64_t n_rows   # read so far
    cdef object rows               # of the sparse values: array.array
    cdef object columns
    cdef object values

    def __cinit__(self, LineReader reader not None, FeatureNames names not None, /):
        self.reader = reader
        self.names = names
        self.rows, self.columns, self.values = array("q"), array("i"), array("f")

    cdef int read(self, const uint8_t* p, const uint8_t* end, float* out) except -1 nogil:
        """Read the features of a line, [p, end), which is followed by a space or lower."""
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
                self.reader.fail(f"expected {n_features} features; got {n}")
        self.n_rows += 1
        return 0

    cdef int read_rarely(
        self, const uint8_t* p, const uint8_t** end, int64_t n, int64_t n_labels, float* out
    ) except -1:
        """Read an unusual token after n values, and return its number of dense values."""
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
                f"line; got {token.decode('utf-8', 'replace')!r}"
            )
        if n == self.names.n_features:
            self.reader.fail(
                f"expected {n} features; got {token.decode('utf-8', 'replace')!r} after them"
            )
        out[n] = self.number(token, f"{n + 1} of {self.names.n_features}")
        return 1

    cdef float number(self, bytes text, str what) except? -1.0:
        """Parse a number that must be finite in 32 bits."""
        cdef double value = 0
        if not read_slowly(text, <const uint8_t*> text + len(text), &value) or (
            not isfinite(<float> value)
        ):
            self.reader.fail(
                f"feature {what}: expected a finite number; "
                f"got {text.decode('utf-8', 'replace')!r}"
            )
        return <float> value

    def sparse(self):
        """Return rows (int64), columns (int32) and values (float32) of sparse features so far."""
        return self.rows, self.columns, self.values


# N-best lists as written by Moses: `0 ||| das Haus ||| LM0= -38.9 TM0= -1.2 -0.3 ||| -105.5`. A
# line is split in place: the number of the segment, the text, which is copied after the previous
# texts, and the features, which become float32. Anything after the third separator (the model's
# score, alignments) is ignored. No Python object is created for a line; callers receive some
# thousand hypotheses at a time as arrays and a column of text.
cdef enum:
    MOST_TEXT = 1 << 22  # bytes of the texts of one batch
    LONGEST_ID = 18      # digits


cdef inline const uint8_t* find_bars(const uint8_t* p, const uint8_t* end) noexcept nogil:
    while end - p >= 3:
        p = <const uint8_t*> memchr(p, c"|", <size_t> (end - p - 2))
        if p == NULL:
            return end
        if p[1] == c"|" and p[2] == c"|":
            return p
        p += 1
    return end


cdef class NBestLines:
    """Batches of hypotheses of an n-best list, from a reader before its first line.

    ValueError for numbers of segments from `n_segments` on, and with `checks_text` for text that is
    not UTF-8. `features` is None until the first hypothesis.
    """

    cdef readonly LineReader reader
    cdef readonly FeatureValues features
    cdef int64_t n_segments
    cdef bint checks_text
    cdef const uint8_t* begin   # of the next line, if already located
    cdef const uint8_t* end

    def __cinit__(self, LineReader reader not None, int64_t n_segments, bint checks_text=True, /):
        self.reader = reader
        self.n_segments = n_segments
        self.checks_text = checks_text

    def read_names(self):
        """Read the names of the features from the first line; None if there is none."""
        cdef const uint8_t* hyp
        cdef const uint8_t* hyp_end
        cdef const uint8_t* p
        cdef const uint8_t* end
        cdef int64_t segment
        if self.features is None and self.next_line():
            self.split(&segment, &hyp, &hyp_end, &p, &end)
            names, labels = read_layout(p[:end - p])
            self.features = FeatureValues(self.reader, FeatureNames(names, labels))
        return None if self.features is None else self.features.names

    cdef int next_line(self) except -1 nogil:
        """Locate the next line that is not empty; return 0 at the end of the file."""
        cdef const uint8_t* p
        while self.begin == NULL:
            if not self.reader.next_line(&self.begin, &self.end):
                self.begin = NULL
                return 0
            p = self.begin
            while p < self.end and p[0] <= c" ":
                p += 1
            if p == self.end:
                self.begin = NULL
        return 1

    cdef int split(
        self, int64_t* segment, const uint8_t** hyp, const uint8_t** hyp_end, const uint8_t** begin,
        const uint8_t** end,
    ) except -1 nogil:
        cdef const uint8_t* p = self.begin
        cdef const uint8_t* first = find_bars(p, self.end)
        cdef const uint8_t* second = first
        cdef int64_t number = 0
        if first != self.end:
            second = find_bars(first + 3, self.end)
        if second == self.end:
            with gil:
                self.reader.fail(
                    "expected 'segment ||| hypothesis ||| features'; got "
                    f"{1 if first == self.end else 2} of these fields"
                )
        while p < first and p[0] <= c" ":
            p += 1
        hyp[0] = p
        while p < first and c"0" <= p[0] <= c"9" and p - hyp[0] < LONGEST_ID:
            number = 10 * number + (p[0] - c"0")
            p += 1
        hyp_end[0] = p
        while p < first and p[0] <= c" ":
            p += 1
        if p < first or hyp[0] == hyp_end[0]:
            with gil:
                self.refuse_segment(self.begin[:first - self.begin])
        if number >= self.n_segments:
            with gil:
                self.reader.fail(
                    f"expected a segment below {self.n_segments}, the number of references; "
                    f"got {number}"
                )
        segment[0] = number
        first += 3
        begin[0] = second + 3
        while first < second and first[0] == c" ":
            first += 1
        while second > first and (second - 1)[0] == c" ":
            second -= 1
        hyp[0], hyp_end[0] = first, second
        end[0] = find_bars(begin[0], self.end)
        return 0

    cdef int refuse_segment(self, bytes field) except -1:
        """Raise; a separate function, because `split` would take the GIL to free a local object."""
        text = field.strip().decode("utf-8", "replace")
        self.reader.fail(f"expected the number of a segment; got {text!r}")
        return 0

    def read(self, segments, features, TextColumn texts not None, /):
        """Read a batch of hypotheses and return their number; 0 at the end of the file.

        Writes `segments`, int64 of shape (m,), and `features`, float32 of shape (m, n_features),
        and fills `texts`. ValueError if a line is malformed or its features differ from the first
        line's. Runs without the GIL except in unusual cases.
        """
        cdef Buffer numbers = Buffer(segments, "segments", writable=True)
        cdef Buffer values = Buffer(features, "features", writable=True)
        cdef const uint8_t* hyp
        cdef const uint8_t* hyp_end
        cdef const uint8_t* p
        cdef const uint8_t* end
        cdef const uint8_t* wrong
        cdef int64_t n = 0, n_features
        if self.read_names() is None:
            return 0
        n_features = self.features.names.n_features
        numbers.require(c"i", sizeof(int64_t), numbers.n_items, "segments")
        values.require(c"f", sizeof(float), numbers.n_items * n_features, "features")
        with nogil:
            while n < numbers.n_items and texts.n_bytes < MOST_TEXT and self.next_line():
                self.split(<int64_t*> numbers.data + n, &hyp, &hyp_end, &p, &end)
                if self.checks_text:
                    wrong = rb_utf8_check(hyp, hyp_end)
                    if wrong != hyp_end:
                        with gil:
                            self.reader.fail(f"expected text in UTF-8; got byte 0x{wrong[0]:02x}")
                (<uint8_t*> end)[0] = c"\n"  # a number may touch the bars; lines may be modified
                self.features.read(p, end, <float*> values.data + n * n_features)
                texts.append(hyp, hyp_end - hyp)
                self.begin = NULL
                n += 1
        return n


def find_runs(segments, /):
    """Find runs of hypotheses of the same segment.

    Returns the segments, repeated if their hypotheses are not contiguous, and the start of each run
    followed by the number of hypotheses.

    Examples
    --------
    >>> from array import array
    >>> find_runs(array("q", [5, 5, 2, 5]))
    (array('q', [5, 2, 5]), array('q', [0, 2, 3, 4]))
    """
    cdef Buffer numbers = Buffer(segments, "segments")
    cdef const int64_t* items = <const int64_t*> numbers.data
    cdef int64_t i
    ids, offsets = array("q"), array("q")
    numbers.require(c"i", sizeof(int64_t), numbers.n_items, "segments")
    for i in range(numbers.n_items):
        if i == 0 or items[i] != items[i - 1]:
            ids.append(items[i])
            offsets.append(i)
        if poll_due(i, POLL_OBJECTS):
            poll_signals()
    offsets.append(numbers.n_items)
    return ids, offsets


# Moses' files of features and of statistics: a block of rows for each segment, text or binary.
#
#     FEATURES_TXT_BEGIN_0 7 100 15 LM0_0 LM0_1 ...    segment, rows, columns, names
#     -38.9 -1.2 ... name=0.5                          a row; sparse features after the dense ones
#     FEATURES_TXT_END_0
#     SCORES_BIN_BEGIN_0 7 100 9 BLEU                  rows of native float32, nothing between them
#     ...SCORES_BIN_END_0
#
# A block is a header, read as a Python object (some microseconds a segment), and rows, which go
# straight into the caller's array: text through the number parser, raw bytes by a copy. Statistics
# must be counts, even if stored as floats.
cdef enum:
    MOST_COUNT = 0x7FFFFFFF


cdef class StatsBlocks:
    """The blocks of one file, one after the other; `kind` is FEATURES or SCORES.

    `segment`, `n_rows`, `n_columns` and `names` are from the last header, in line `line`; `names`
    is the same object while headers do not change. `n_left` rows of the block, `binary` or not, are
    unread. `features`, if any, reads features, for their sparse part.
    """

    cdef readonly LineReader reader
    cdef readonly FeatureValues features
    cdef readonly int64_t segment, n_rows, n_columns, n_left, line
    cdef readonly bint is_binary
    cdef readonly list names
    cdef str kind
    cdef tuple marks
    cdef bytes text   # of the names

    def __cinit__(self, LineReader reader not None, str kind not None, /):
        self.reader = reader
        self.kind = kind
        self.marks = f"{kind}_TXT_BEGIN_0".encode(), f"{kind}_BIN_BEGIN_0".encode()
        self.names, self.text = [], b""

    def next_block(self):
        """Read the next header; return False at the end of the file."""
        cdef list fields
        line = b""
        while not line.strip():
            line = self.reader.read_line()
            if line is None:
                return False
        fields = line.split(None, 4)
        mark = fields[0]
        if mark not in self.marks or len(fields) < 4 or not b"".join(fields[1:4]).isdigit():
            self.reader.fail(
                f"expected {' or '.join(map(bytes.decode, self.marks))} and three numbers; got "
                f"{line[:80].decode('utf-8', 'replace')!r}"
            )
        numbers = list(map(int, fields[1:4]))
        if max(numbers) > 1 << 40 or numbers[2] > 1 << 20:
            self.reader.fail(f"expected smaller numbers; got {numbers}")
        self.is_binary = mark == self.marks[1]
        if self.is_binary and numbers[1] and not numbers[2]:
            self.reader.fail(f"expected numbers in each of {numbers[1]} rows; got none")
        self.segment, self.n_rows, self.n_columns = numbers
        self.n_left = self.n_rows
        self.line = self.reader.line
        names = fields[4] if len(fields) > 4 else b""
        if names != self.text:
            try:
                self.names = names.decode("utf-8").split()
            except UnicodeDecodeError:
                self.reader.fail("expected names in UTF-8")
            self.text = names
        return True

    def read_features(self, FeatureNames names not None, int64_t n, out, /):
        """Read the next n rows, at most n_left, of a block of features to a float32 array.

        `names` must be the same object for all blocks.
        """
        cdef Buffer rows = Buffer(out, "out", writable=True)
        cdef const uint8_t* begin
        cdef const uint8_t* end
        cdef float* row
        cdef int64_t i
        self.check(n)
        rows.require(c"f", sizeof(float), n * self.n_columns, "out")
        if names.n_features != self.n_columns:
            raise ValueError(f"names: expected {self.n_columns}; got {names.n_features}")
        row = <float*> rows.data
        if self.features is None:
            self.features = FeatureValues(self.reader, names)
        if self.is_binary:
            self.read_raw(row, n)
            self.features.n_rows += n
        else:
            with nogil:
                for i in range(n):
                    self.next_row(i, &begin, &end)
                    self.features.read(begin, end, row)
                    row += self.n_columns
        self.read_footer(n)

    def read_counts(self, int64_t n, out, /):
        """Read the next n rows, at most n_left, of a block of statistics to an int32 array."""
        cdef Buffer rows = Buffer(out, "out", writable=True)
        cdef const uint8_t* begin
        cdef const uint8_t* end
        cdef int32_t* row
        cdef int64_t i
        self.check(n)
        rows.require(c"i", sizeof(int32_t), n * self.n_columns, "out")
        row = <int32_t*> rows.data
        if self.is_binary:
            self.read_raw_counts(row, n)
        else:
            with nogil:
                for i in range(n):
                    self.next_row(i, &begin, &end)
                    self.read_row(begin, end, row)
                    row += self.n_columns
        self.read_footer(n)

    cdef int check(self, int64_t n) except -1:
        if not 0 <= n <= self.n_left:
            raise ValueError(f"n: expected 0 to {self.n_left} rows; got {n}")
        return 0

    cdef int next_row(self, int64_t i, const uint8_t** begin, const uint8_t** end) except -1 nogil:
        cdef bint is_there = self.reader.next_line(begin, end)
        if is_there and (end[0] == begin[0] or begin[0][0] != self.first()):
            return 0
        with gil:
            if not is_there or begin[0][:end[0] - begin[0]].strip() == self.footer():
                self.reader.fail(
                    f"expected {self.n_rows} rows in the block that begins in line {self.line}; "
                    f"got {self.n_rows - self.n_left + i}"
                )
        return 0

    cdef bytes footer(self):
        return f"{self.kind}_{'BIN' if self.is_binary else 'TXT'}_END_0".encode()

    cdef uint8_t first(self) noexcept nogil:
        """Return the first byte of a footer; a row only begins with it if a sparse feature does."""
        return c"F" if self.features is not None else c"S"

    cdef int read_row(self, const uint8_t* p, const uint8_t* end, int32_t* out) except -1 nogil:
        cdef const uint8_t* token_end
        cdef int64_t n = 0, count
        while True:
            while p < end and p[0] <= c" ":
                p += 1
            if p >= end:
                break
            count = rb_read_count(p, &token_end)
            if count < 0:
                with gil:
                    count = self.read_count(p, token_end)
            if n < self.n_columns:
                out[n] = <int32_t> count
            n += 1
            p = token_end
        if n != self.n_columns:
            with gil:
                self.reader.fail(f"expected {self.n_columns} counts; got {n}")
        return 0

    cdef int64_t read_count(self, const uint8_t* p, const uint8_t* end) except -1:
        """Read a count of any form, such as 1e+06."""
        cdef double value = -1
        if not read_slowly(p, end, &value) or not 0 <= value <= MOST_COUNT or (
            value != <int64_t> value
        ):
            text = p[:end - p].decode("utf-8", "replace")
            self.reader.fail(f"expected a count; got {text!r}")
        return <int64_t> value

    cdef int read_raw(self, float* out, int64_t n_rows) except -1:
        """Read rows of finite numbers in native binary form."""
        cdef int64_t n_values = n_rows * self.n_columns, i, wrong = -1
        cdef int64_t n_bytes = n_values * <int64_t> sizeof(float)
        if self.reader.take(out, n_bytes) < n_bytes:
            raise ValueError(
                f"{self.reader.name}: expected {self.n_rows} rows of {self.n_columns} numbers in "
                f"the block that begins in line {self.line}; got the end of the file"
            )
        with nogil:
            for i in range(n_values):
                if not isfinite(out[i]):
                    wrong = i
                    break
        if wrong >= 0:
            raise ValueError(
                f"{self.reader.name}: expected finite numbers in the block that begins in line "
                f"{self.line}; got {out[wrong]} in row {wrong // self.n_columns}"
            )
        return 0

    cdef int read_raw_counts(self, int32_t* out, int64_t n_rows) except -1:
        cdef int64_t i, wrong = -1
        cdef float value = 0
        self.read_raw(<float*> out, n_rows)  # to be replaced by integers of the same size
        with nogil:
            for i in range(n_rows * self.n_columns):
                memcpy(&value, out + i, sizeof(float))
                if not 0 <= <double> value < MOST_COUNT or value != <float> <int64_t> value:
                    wrong = i
                    break
                out[i] = <int32_t> value
        if wrong >= 0:
            raise ValueError(
                f"{self.reader.name}: expected counts in the block that begins in line "
                f"{self.line}; got {value} in row {wrong // self.n_columns}"
            )
        return 0

    cdef int read_footer(self, int64_t n) except -1:
        """Record that n rows were read; after the last one read the footer."""
        self.n_left -= n
        if self.n_left:
            return 0
        line = self.reader.read_line()
        mark = self.footer()
        if line is None or line != mark and line.strip() != mark:
            text = "the end of the file"
            if line is not None:
                text = repr(line[:80].decode("utf-8", "replace"))
            self.reader.fail(f"expected {mark.decode()} after {self.n_rows} rows; got {text}")
        return 0


# Moses' order of hypotheses without duplicates (unique_rows.h).
cdef uint64_t KEY = hash_key()


def unique_rows(features, stats, offsets, order, counts, tags=None, /):
    """Find the hypotheses that remain when duplicates are removed.

    Features, float32, and statistics, int32 or int64, are in C order; rows with different `tags`,
    int64, are different. Writes the remaining rows of segment i from ``order[offsets[i]]`` on, and
    their number to ``counts[i]``, both int64.
    """
    cdef Buffer values = Buffer(features, "features"), numbers = Buffer(stats, "stats")
    cdef Buffer bounds = Buffer(offsets, "offsets"), out = Buffer(order, "order", writable=True)
    cdef Buffer left = Buffer(counts, "counts", writable=True)
    cdef Buffer marks = None if tags is None else Buffer(tags, "tags")
    cdef MosesRowsC rows
    cdef ProbingTableC table
    cdef int64_t n = out.n_items, n_segments = left.n_items, i, begin, end, width
    cdef const int64_t* ends
    bounds.require(c"i", sizeof(int64_t), n_segments + 1, "offsets")
    out.require(c"i", sizeof(int64_t), n, "order")
    left.require(c"i", sizeof(int64_t), n_segments, "counts")
    rows.n_features = values.n_items // n if n else 0
    width = numbers.n_items // n if n else 0
    values.require(c"f", sizeof(float), n * rows.n_features, "features")
    numbers.require(c"i", 8 if numbers.item_size == 8 else 4, n * width, "stats")
    rows.n_words = width * numbers.item_size // 4
    if marks is not None:
        marks.require(c"i", sizeof(int64_t), n, "tags")
    rows.features, rows.stats = <const float*> values.data, <const uint32_t*> numbers.data
    rows.tags = NULL
    if marks is not None:
        rows.tags = <const int64_t*> marks.data
    ends = <const int64_t*> bounds.data
    for i in range(n_segments):
        begin, end = ends[i], ends[i + 1]
        if not 0 <= begin <= end <= n:
            raise ValueError(f"offsets[{i}]: expected a range of {n}; got {begin}, {end}")
    rows.key = KEY
    probing_table_init(&table)
    try:
        for i in range(n_segments):
            begin, end = ends[i], ends[i + 1]
            with nogil:
                (<int64_t*> left.data)[i] = moses_unique(
                    &rows, begin, end, <int64_t*> out.data + begin, &table
                )
            poll_signals()
    finally:
        probing_table_free(&table)
