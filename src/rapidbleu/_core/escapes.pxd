"""13a's first step: replacements in place, before the text is cut into tokens.

In sacrebleu's order: "<skipped>" and a hyphen before a line feed vanish, a line feed turns into a
space, and then four entities into their characters, one after the other, so that "&amp;lt;" ends as
"<".  Nothing grows, so each replacement is one pass that moves the text down over itself; what is
left behind the new end is blanked.  Few segments contain any of this: the scanner notices "&", "<"
and the line feed in its planes, and only then are these passes made, up to seven.
"""

from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memchr, memcmp, memset

from rapidbleu._core.common cimport poll_without_gil


cdef enum:
    LONG_TEXT = 1 << 22  # bytes: signals are looked at after each pass


cdef inline int64_t replace(
    uint8_t* text, int64_t begin, int64_t end, const char* pattern, int pattern_length,
    const char* replacement,
) except -1 nogil:
    """Replace a pattern everywhere by one character or none; the new end of the text."""
    cdef int64_t source = begin, target = begin
    while source < end:
        if (
            text[source] == <uint8_t> pattern[0] and source + pattern_length <= end
            and memcmp(text + source, pattern, pattern_length) == 0
        ):
            source += pattern_length
            if replacement[0]:
                text[target] = <uint8_t> replacement[0]
                target += 1
        else:
            text[target] = text[source]
            target += 1
            source += 1
    if target < end:
        memset(text + target, 0x20, <size_t> (end - target))
    if source - begin > LONG_TEXT:
        poll_without_gil(NULL)
    return target


cdef inline int64_t replace_escapes(uint8_t* text, int64_t begin, int64_t end) except -1 nogil:
    """All of 13a's replacements in text[begin:end]; the new end of the text."""
    end = replace(text, begin, end, b"<skipped>", 9, b"")
    end = replace(text, begin, end, b"-\n", 2, b"")
    end = replace(text, begin, end, b"\n", 1, b" ")
    if memchr(text + begin, 0x26, <size_t> (end - begin)) != NULL:
        end = replace(text, begin, end, b"&quot;", 6, b'"')
        end = replace(text, begin, end, b"&amp;", 5, b"&")
        end = replace(text, begin, end, b"&lt;", 4, b"<")
        end = replace(text, begin, end, b"&gt;", 4, b">")
    return end
