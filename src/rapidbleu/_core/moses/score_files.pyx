"""Moses' files of statistics and features, and the order in which Moses merges lists."""

from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uint8_t

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.common cimport (
    ProbingTableC, hash_key, poll_signals, probing_table_free, probing_table_init,
)
from rapidbleu._core.input.columns cimport Buffer
from rapidbleu._core.input.lines cimport LineReader
from rapidbleu._core.moses cimport MosesRowsC, moses_unique, rb_read_count, read_slowly
from rapidbleu._core.moses.nbest_files cimport FeatureNames, FeatureValues


# --------------------------------------------------------------------------------------------------
# Moses' files of features and of statistics: a block of rows for each segment, text or binary.
#
#     FEATURES_TXT_BEGIN_0 7 100 15 LM0_0 LM0_1 ...    segment, rows, columns, names
#     -38.9 -1.2 ... name=0.5                          a row; sparse features behind the dense ones
#     FEATURES_TXT_END_0
#     SCORES_BIN_BEGIN_0 7 100 9 BLEU                  rows of native float32, nothing between them
#     ...SCORES_BIN_END_0
#
# A block is a header, which is read as a Python object (some microseconds a segment), and rows,
# which go straight into the caller's array: text through the reader of numbers, raw bytes by a
# copy. Statistics are counts, also where they are stored as floats; anything else is refused.

cdef enum:
    BLOCK_ROWS = 4096     # of raw bytes that are checked at a time
    MOST_COUNT = 0x7FFFFFFF


cdef class StatsBlocks:
    """The blocks of one file, one after the other.

    Parameters
    ----------
    reader : LineReader
        Before its first line.
    kind : str
        FEATURES or SCORES.

    Attributes
    ----------
    segment, n_rows, n_columns : int
        Of the block whose header was read last.
    n_left : int
        Rows of it that were not read yet.
    line : int
        Where that header is.
    is_binary : bool
        Whether its rows are.
    names : list of str
        What its header says behind the numbers; the same object as before if it says the same.
    features : FeatureValues or None
        The reader of features, for their sparse part.
    """

    cdef readonly LineReader reader
    cdef readonly FeatureValues features
    cdef readonly int64_t segment, n_rows, n_columns, n_left, line
    cdef readonly bint is_binary
    cdef readonly list names
    cdef str kind
    cdef bytes text   # of the names

    def __cinit__(self, LineReader reader not None, str kind not None, /):
        self.reader = reader
        self.kind = kind
        self.names, self.text = [], b""

    def next_block(self):
        """Read the next header.

        Returns
        -------
        bool
            False at the end of the file.
        """
        cdef list fields
        line = b""
        while not line.strip():
            line = self.reader.read_line()
            if line is None:
                return False
        fields = line.split(None, 4)
        marks = f"{self.kind}_TXT_BEGIN_0", f"{self.kind}_BIN_BEGIN_0"
        mark = fields[0].decode("utf-8", "replace")
        if mark not in marks or len(fields) < 4 or not all(map(bytes.isdigit, fields[1:4])):
            self.reader.fail(
                f"expected {marks[0]} or {marks[1]} and three numbers, got "
                f"{line[:80].decode('utf-8', 'replace')!r}"
            )
        numbers = list(map(int, fields[1:4]))
        if max(numbers) > 1 << 40 or numbers[2] > 1 << 20:
            self.reader.fail(f"expected smaller numbers, got {numbers}")
        self.is_binary = mark == marks[1]
        if self.is_binary and numbers[1] and not numbers[2]:
            self.reader.fail(f"expected numbers in each of {numbers[1]} rows, got none")
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
        """Read the next rows of a block of features.

        Parameters
        ----------
        names : FeatureNames
            The same object for all blocks.
        n : int
            Rows, n_left at most.
        out : float32 array of shape (n, n_columns)
            Written.
        """
        cdef Buffer rows = Buffer(out, "out", writable=True)
        cdef const uint8_t* begin
        cdef const uint8_t* end
        cdef float* row
        cdef int64_t i
        self.check(n)
        rows.require(c"f", sizeof(float), n * self.n_columns, "out")
        if names.n_features != self.n_columns:
            raise ValueError(f"names: expected {self.n_columns}, got {names.n_features}")
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
        """Read the next rows of a block of statistics.

        Parameters
        ----------
        n : int
            Rows, n_left at most.
        out : int32 array of shape (n, n_columns)
            Written.
        """
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
            raise ValueError(f"n: expected 0 to {self.n_left} rows, got {n}")
        return 0

    cdef int next_row(self, int64_t i, const uint8_t** begin, const uint8_t** end) except -1 nogil:
        cdef bint is_there = self.reader.next_line(begin, end)
        if is_there and (end[0] == begin[0] or begin[0][0] != self.first()):
            return 0
        with gil:
            if not is_there or begin[0][:end[0] - begin[0]].strip() == self.footer():
                self.reader.fail(
                    f"expected {self.n_rows} rows in the block that begins in line {self.line}, "
                    f"got {self.n_rows - self.n_left + i}"
                )
        return 0

    cdef bytes footer(self):
        return f"{self.kind}_{'BIN' if self.is_binary else 'TXT'}_END_0".encode()

    cdef uint8_t first(self) noexcept nogil:
        """What a footer begins with, and a row only if a sparse feature does."""
        return c"F" if self.features is not None else c"S"

    cdef int read_row(self, const uint8_t* p, const uint8_t* end, int32_t* out) except -1 nogil:
        """Read a row of counts."""
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
                self.reader.fail(f"expected {self.n_columns} counts, got {n}")
        return 0

    cdef int64_t read_count(self, const uint8_t* p, const uint8_t* end) except -1:
        """Read a count of any form, such as 1e+06."""
        cdef double value = -1
        if not read_slowly(p, end, &value) or not 0 <= value <= MOST_COUNT or (
            value != <int64_t> value
        ):
            text = p[:end - p].decode("utf-8", "replace")
            self.reader.fail(f"expected a count, got {text!r}")
        return <int64_t> value

    cdef int read_raw(self, float* out, int64_t n_rows) except -1:
        """Read rows of finite numbers as they lie in memory."""
        cdef int64_t n_values = n_rows * self.n_columns, i, wrong = -1
        cdef int64_t n_bytes = n_values * <int64_t> sizeof(float)
        if self.reader.take(out, n_bytes) < n_bytes:
            raise ValueError(
                f"{self.reader.name}: expected {self.n_rows} rows of {self.n_columns} numbers in "
                f"the block that begins in line {self.line}, got the end of the file"
            )
        with nogil:
            for i in range(n_values):
                if not isfinite(out[i]):
                    wrong = i
                    break
        if wrong >= 0:
            raise ValueError(
                f"{self.reader.name}: expected finite numbers in the block that begins in line "
                f"{self.line}, got {out[wrong]} in row {wrong // self.n_columns}"
            )
        return 0

    cdef int read_raw_counts(self, int32_t* out, int64_t n_rows) except -1:
        """Read the rows of a binary block of statistics."""
        cdef int64_t done = 0, n, n_values, i, wrong
        cdef float* values = <float*> PyMem_RawMalloc(
            min(BLOCK_ROWS, n_rows + 1) * (self.n_columns + 1) * sizeof(float)
        )
        if values == NULL:
            raise MemoryError
        try:
            while done < n_rows:
                n = min(BLOCK_ROWS, n_rows - done)
                n_values = n * self.n_columns
                self.read_raw(values, n)
                wrong = -1
                with nogil:
                    for i in range(n_values):
                        if not 0 <= <double> values[i] < MOST_COUNT or (
                            values[i] != <float> <int64_t> values[i]
                        ):
                            wrong = i
                            break
                        out[i] = <int32_t> values[i]
                if wrong >= 0:
                    raise ValueError(
                        f"{self.reader.name}: expected counts in the block that begins in line "
                        f"{self.line}, got {values[wrong]} in row {done + wrong // self.n_columns}"
                    )
                out += n_values
                done += n
        finally:
            PyMem_RawFree(values)
        return 0

    cdef int read_footer(self, int64_t n) except -1:
        """Note that n rows were read; after the last one comes the footer."""
        self.n_left -= n
        if self.n_left:
            return 0
        line = self.reader.read_line()
        mark = self.footer().decode()
        if line is None or line.strip() != self.footer():
            text = "the end of the file"
            if line is not None:
                text = repr(line[:80].decode("utf-8", "replace"))
            self.reader.fail(f"expected {mark} after {self.n_rows} rows, got {text}")
        return 0


# --------------------------------------------------------------------------------------------------
# The order in which Moses leaves hypotheses (unique_rows.h).

cdef uint64_t KEY = hash_key()


def unique_rows(features, stats, offsets, order, counts, tags=None, /):
    """Find the hypotheses that are left when those that are there already are removed.

    Parameters
    ----------
    features : float32 array of shape (n, n_features), C-contiguous
    stats : int32 or int64 array of shape (n, n_stats), C-contiguous
    offsets : int64 array of shape (n_segments + 1,)
    order : int64 array of shape (n,)
        Written: from ``offsets[i]`` on the rows that are left of segment i.
    counts : int64 array of shape (n_segments,)
        Written: how many they are.
    tags : int64 array of shape (n,), optional
        Rows of different tags are different.
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
            raise ValueError(f"offsets[{i}]: expected a range of {n}, got {begin}, {end}")
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
