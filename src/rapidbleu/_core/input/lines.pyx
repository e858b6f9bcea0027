"""Line-by-line reading of files of any size without an object per line."""

from libc.stdint cimport INT64_MAX, int64_t, uint8_t
from libc.string cimport memchr, memcpy, memmove, memset

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.mem cimport PyMem_RawFree
from cpython.memoryview cimport PyMemoryView_FromMemory

from rapidbleu._core.common cimport allocate, grow, poll_signals, rb_utf8_check
from rapidbleu._core.input cimport JsonFieldC, json_read
from rapidbleu._core.input.arrow cimport TextColumn


# Files of any size, read a megabyte at a time as whole lines and raw bytes. A megabyte stays in the
# second-level cache while it is parsed. When it contains no further whole line, the rest moves to
# the front and the file fills up the buffer; only a longer line enlarges it. Some bytes after the
# last one are always readable, so parsers take eight bytes at a time without checking for the end.
# The file is any object with `readinto`; the last line may lack its line feed.

cdef extern from "Python.h":
    enum:
        PyBUF_WRITE


cdef enum:
    READ_BYTES = 1 << 20   # of the file, at a time
    LINE_PADDING = 64      # readable bytes after the last line
    WORD = 8               # writable bytes after a string of JSON


cdef class LineReader:
    """A binary file, read by lines in blocks of `size` bytes; errors call it `name`.

    Leaving a with statement closes it. `line` is the number, from 1, of the last line read.
    """

    def __cinit__(self, file, str name not None, int64_t size=READ_BYTES, /):
        self.file = file
        self.name = name
        grow(<void**> &self.data, &self.capacity, max(size, 1) + LINE_PADDING, 1)

    def __dealloc__(self):
        PyMem_RawFree(self.data)

    cdef int64_t read_into(self, uint8_t* target, int64_t n) except -1:
        """Read up to n bytes; return 0 at the end of the file."""
        cdef int64_t got
        view = PyMemoryView_FromMemory(<char*> target, n, PyBUF_WRITE)
        try:
            got = self.file.readinto(view)
        except EOFError as error:
            raise ValueError(f"{self.name}: {error}") from None
        finally:
            view.release()
        if not 0 <= got <= n:
            raise ValueError(f"{self.name}: readinto: expected 0 to {n}; got {got}")
        return got

    cdef int fill(self) except -1:
        cdef int64_t got, wanted
        poll_signals()
        memmove(self.data, self.data + self.begin, <size_t> (self.filled - self.begin))
        self.filled -= self.begin
        self.begin = 0
        if self.filled + LINE_PADDING == self.capacity:
            grow(<void**> &self.data, &self.capacity, self.capacity + 1, 1)
        wanted = self.capacity - LINE_PADDING
        while not self.at_end and self.filled < wanted:
            got = self.read_into(self.data + self.filled, wanted - self.filled)
            self.filled += got
            self.at_end = got == 0
        memset(self.data + self.filled, 0, LINE_PADDING)
        return 0

    cdef int next_line(self, const uint8_t** begin, const uint8_t** end) except -1 nogil:
        """Get the next line without its line feed, valid until the next call; 0 at the end."""
        cdef const uint8_t* feed
        while True:
            begin[0] = self.data + self.begin
            feed = <const uint8_t*> memchr(begin[0], c"\n", <size_t> (self.filled - self.begin))
            if feed != NULL:
                end[0] = feed
                self.begin = feed + 1 - self.data
                self.line += 1
                return 1
            if self.at_end:
                if self.begin == self.filled:
                    return 0
                end[0] = self.data + self.filled
                self.begin = self.filled
                self.line += 1
                return 1
            with gil:
                self.fill()

    cdef int64_t take(self, void* target, int64_t n) except -1:
        """Copy up to n raw bytes and return their number."""
        cdef uint8_t* out = <uint8_t*> target
        cdef int64_t done = min(n, self.filled - self.begin), got
        memcpy(out, self.data + self.begin, <size_t> done)
        self.begin += done
        while done < n and not self.at_end:
            got = self.read_into(out + done, n - done)
            self.at_end = got == 0
            done += got
        return done

    cdef fail(self, str what):
        raise ValueError(f"{self.name}, line {self.line}: {what}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def read_line(self):
        """Return the next line as bytes without its line feed, None at the end."""
        cdef const uint8_t* begin
        cdef const uint8_t* end
        if not self.next_line(&begin, &end):
            return None
        return begin[:end - begin]

    def skip_lines(self, int64_t most=INT64_MAX):
        """Skip up to `most` lines and return the number skipped."""
        cdef const uint8_t* begin
        cdef const uint8_t* end
        cdef int64_t n = 0
        with nogil:
            while n < most and self.next_line(&begin, &end):
                n += 1
        return n


cdef enum:
    LAST_ASCII = 0x7F


cdef const uint8_t* stripped(const uint8_t* begin, const uint8_t* end) noexcept nogil:
    """Return the end of a text without trailing white space, as `str.rstrip` defines it."""
    cdef const uint8_t* p
    cdef uint8_t last
    while begin < end:
        p = end - 1
        last = p[0]
        if last <= LAST_ASCII:
            if last > c" " or (last < 0x1C and not 0x09 <= last <= 0x0D):
                return end
        elif end - begin >= 2 and (p - 1)[0] == 0xC2:
            p -= 1
            if last != 0x85 and last != 0xA0:
                return end
        elif end - begin >= 3:
            p -= 2
            if not (
                p[0] == 0xE2 and p[1] == 0x80 and (last <= 0x8A or last in (0xA8, 0xA9, 0xAF))
                or p[0] == 0xE2 and p[1] == 0x81 and last == 0x9F
                or p[0] == 0xE1 and p[1] == 0x9A and last == 0x80
                or p[0] == 0xE3 and p[1] == 0x80 and last == 0x80
            ):
                return end
        else:
            return end
        end = p
    return end


def read_texts(
    LineReader reader not None, bint checks_text=True, *, bint strips=False,
    int64_t most_lines=INT64_MAX, int64_t most_bytes=INT64_MAX,
):
    """Read the lines of a file as a TextColumn, which is empty at the end of the file.

    `checks_text` refuses text that is not UTF-8. `strips` removes all trailing white space, not
    only a carriage return. Reads at most `most_lines`, and stops after `most_bytes` of text.
    """
    cdef TextColumn texts = TextColumn()
    cdef const uint8_t* begin
    cdef const uint8_t* end
    cdef const uint8_t* wrong
    with nogil:
        while texts.length < most_lines and texts.n_bytes < most_bytes:
            if not reader.next_line(&begin, &end):
                break
            wrong = rb_utf8_check(begin, end) if checks_text else end
            if wrong != end:
                with gil:
                    reader.fail(f"expected text in UTF-8; got byte 0x{wrong[0]:02x}")
            if strips:
                end = stripped(begin, end)
            else:
                end = stripped_feed(begin, end)
            texts.append(begin, end - begin)
    return texts


def read_fields(
    LineReader reader not None, list places not None, int64_t n_fields, *,
    int64_t most_lines=INT64_MAX, int64_t most_bytes=INT64_MAX,
):
    """Read selected tab-separated fields of lines as a list of TextColumn.

    `places` are ascending indices of fields, of which each line must have `n_fields`; ValueError
    otherwise, or if a field is not UTF-8 or is quoted as in CSV. Stops after `most_lines` or
    `most_bytes`.
    """
    cdef list columns = []
    cdef const uint8_t* begin
    cdef const uint8_t* end
    cdef const uint8_t* tab
    cdef const uint8_t* wrong
    cdef int64_t n_bytes = 0, n_lines = 0, field, place, k, _
    for _ in range(len(places)):  # Cython 3.3 frees an item twice if a comprehension has no memory
        columns.append(TextColumn())
    while n_lines < most_lines and n_bytes < most_bytes and reader.next_line(&begin, &end):
        end = stripped_feed(begin, end)
        n_bytes += end - begin
        n_lines += 1
        field = k = 0
        place = places[0] if places else -1
        while True:
            tab = <const uint8_t*> memchr(begin, c"\t", <size_t> (end - begin))
            if tab == NULL:
                tab = end
            if field == place:
                wrong = rb_utf8_check(begin, tab)
                if wrong != tab:
                    reader.fail(f"expected text in UTF-8; got byte 0x{wrong[0]:02x}")
                if is_quoted(begin, tab):
                    reader.fail("expected text as it is; got quotes of CSV, which .csv files have")
                (<TextColumn> columns[k]).append(begin, tab - begin)
                k += 1
                place = places[k] if k < len(places) else -1
            field += 1
            if tab == end:
                break
            begin = tab + 1
        if field != n_fields:
            reader.fail(f"expected {n_fields} fields with tabs between them; got {field}")
    return columns


def read_objects(
    LineReader reader not None, list keys not None, parse not None, *,
    int64_t most_lines=INT64_MAX, int64_t most_bytes=INT64_MAX,
):
    """Read values of JSON objects, one object per line, as a list of columns.

    `keys` are UTF-8. Columns are TextColumn unless a line is not simple (input/json.h); then they
    are lists, and `parse` returns the values of this line, given as bytes, and of all after it.
    Stops after `most_lines` or `most_bytes`.
    """
    cdef list columns = [], values
    cdef TextColumn spare = TextColumn()
    cdef int64_t n_fields = len(keys), n_bytes = 0, n_lines = 0, size, k
    cdef JsonFieldC* fields = <JsonFieldC*> allocate(n_fields, sizeof(JsonFieldC))
    cdef const uint8_t* begin
    cdef const uint8_t* end
    cdef bint is_text = True
    try:
        for k in range(n_fields):
            fields[k].name = <const uint8_t*> PyBytes_AS_STRING(<bytes?> keys[k])
            fields[k].name_length = len(<bytes> keys[k])
            columns.append(TextColumn())
        while n_lines < most_lines and n_bytes < most_bytes and reader.next_line(&begin, &end):
            size = end - begin
            n_bytes += size
            n_lines += 1
            if is_text and rb_utf8_check(begin, end) == end:
                for k in range(n_fields):
                    fields[k].out = (<TextColumn> columns[k]).make_room(size + WORD)
                if json_read(begin, end, fields, n_fields, spare.make_room(size + WORD)):
                    for k in range(n_fields):
                        (<TextColumn> columns[k]).close_text(fields[k].length)
                    continue
            for k in range(n_fields if is_text else 0):
                columns[k] = (<TextColumn> columns[k]).to_list()
            is_text = False
            values = parse(begin[:size])
            for k in range(n_fields):
                (<list> columns[k]).append(values[k])
    finally:
        PyMem_RawFree(fields)
    return columns


cdef bint is_quoted(const uint8_t* begin, const uint8_t* end) noexcept nogil:
    """Whether quotes surround a field with doubled ones, as writers of CSV have it."""
    cdef const uint8_t* p = begin + 1
    if end - begin < 4 or begin[0] != c'"' or (end - 1)[0] != c'"':
        return False
    while p + 1 < end - 1 and not (p[0] == c'"' and (p + 1)[0] == c'"'):
        p += 1
    return p + 1 < end - 1


cdef inline const uint8_t* stripped_feed(const uint8_t* begin, const uint8_t* end) noexcept nogil:
    """Return the end of a line without a trailing carriage return."""
    return end - 1 if end > begin and (end - 1)[0] == c"\r" else end
