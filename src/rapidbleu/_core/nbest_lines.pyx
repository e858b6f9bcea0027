"""N-best lists as Moses writes them: `0 ||| das Haus ||| LM0= -38.9 TM0= -1.2 -0.3 ||| -105.5`.

A line is taken apart in place: the number of the segment, the text, which is
copied behind the texts before it, and the features, which become float32.  What follows the third
separator (the model's score, alignments) is not looked at.  No Python object is made for a line; a
caller gets some thousand hypotheses at a time and passes them on as arrays and a column of text.

The first line says which features there are, see `feature_names`.
"""

from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memchr

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.feature_names cimport FeatureNames
from rapidbleu._core.feature_names import read_layout
from rapidbleu._core.feature_values cimport FeatureValues
from rapidbleu._core.line_reader cimport LineReader
from rapidbleu._core.text cimport rb_utf8_check
from rapidbleu._core.text_column cimport TextColumn


cdef enum:
    MOST_TEXT = 1 << 22  # bytes of the texts of one batch
    LONGEST_ID = 18      # digits


cdef inline const uint8_t* find_bars(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """The next `|||`, or end."""
    while end - p >= 3:
        p = <const uint8_t*> memchr(p, c"|", <size_t> (end - p - 2))
        if p == NULL:
            return end
        if p[1] == c"|" and p[2] == c"|":
            return p
        p += 1
    return end


cdef class NBestLines:
    """The hypotheses of an n-best list, some at a time.

    Parameters
    ----------
    reader : LineReader
        Before its first line.
    n_segments : int
        Refuse numbers of segments from this one on.
    checks_text : bool
        Refuse text that is not UTF-8.

    Attributes
    ----------
    features : FeatureValues or None
        None as long as no hypothesis was met.
    """

    cdef readonly LineReader reader
    cdef readonly FeatureValues features
    cdef int64_t n_segments
    cdef bint checks_text
    cdef const uint8_t* begin   # of a line that was looked at, but not read
    cdef const uint8_t* end

    def __cinit__(self, LineReader reader not None, int64_t n_segments, bint checks_text=True):
        self.reader = reader
        self.n_segments = n_segments
        self.checks_text = checks_text

    def read_names(self):
        """Read the names of the features from the first line.

        Returns
        -------
        FeatureNames or None
            None if there is no line.
        """
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
        """Make sure that there is a line that is not blank; 0: the file has ended."""
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
        """Split the line: its segment, its text, its features."""
        cdef const uint8_t* p = self.begin
        cdef const uint8_t* first = find_bars(p, self.end)
        cdef const uint8_t* second = first
        cdef int64_t number = 0
        if first != self.end:
            second = find_bars(first + 3, self.end)
        if second == self.end:
            with gil:
                self.reader.fail(
                    "expected 'segment ||| hypothesis ||| features', got "
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
                text = self.begin[:first - self.begin].strip().decode("utf-8", "replace")
                self.reader.fail(f"expected the number of a segment, got {text!r}")
        if number >= self.n_segments:
            with gil:
                self.reader.fail(
                    f"expected a segment below {self.n_segments}, the number of references, "
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

    def read(self, segments, features, TextColumn texts not None):
        """Read some hypotheses.

        Parameters
        ----------
        segments : int64 array of shape (m,)
            Written.
        features : float32 array of shape (m, n_features)
            Written.
        texts : TextColumn
            Filled.

        Returns
        -------
        int
            How many; 0 at the end of the file.

        Raises
        ------
        ValueError
            If a line is no hypothesis, or its features are not those of the first line.

        Notes
        -----
        Runs without the GIL but for what is not usual.
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
                            self.reader.fail(f"expected text in UTF-8, got byte 0x{wrong[0]:02x}")
                (<uint8_t*> end)[0] = c"\n"  # a number may touch the bars; lines may be changed
                self.features.read(p, end, <float*> values.data + n * n_features)
                texts.append(hyp, hyp_end - hyp)
                self.begin = NULL
                n += 1
        return n


def read_texts(LineReader reader not None, bint checks_text=True):
    """Read all lines of a file as texts, such as references.

    Parameters
    ----------
    reader : LineReader
    checks_text : bool
        Refuse text that is not UTF-8.

    Returns
    -------
    TextColumn
    """
    cdef TextColumn texts = TextColumn()
    cdef const uint8_t* begin
    cdef const uint8_t* end
    cdef const uint8_t* wrong
    with nogil:
        while reader.next_line(&begin, &end):
            if end > begin and (end - 1)[0] == c"\r":
                end -= 1
            wrong = rb_utf8_check(begin, end) if checks_text else end
            if wrong != end:
                with gil:
                    reader.fail(f"expected text in UTF-8, got byte 0x{wrong[0]:02x}")
            texts.append(begin, end - begin)
    return texts
