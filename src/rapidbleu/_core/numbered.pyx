"""Sequences of hashable tokens as small integers, the same integer for equal tokens of a corpus.

Where a whole corpus has to know its tokens apart, a dictionary numbers them.  A metric that looks
at one segment after the other needs none (token_lists.pyx).  Four bytes a token.
"""

from libc.stdint cimport int32_t, int64_t

from cpython.mem cimport PyMem_RawFree

from rapidbleu._core.common cimport POLL_OBJECTS, grow, poll_due, poll_signals


cdef class Numbered:
    """Sequences of tokens as numbers from 1; 0 is a token that no reference has."""

    def __cinit__(self):
        grow(<void**> &self.token, &self.token_capacity, 256, sizeof(int32_t))
        grow(<void**> &self.first, &self.first_capacity, 16, sizeof(int64_t))
        self.first[0] = 0

    def __dealloc__(self):
        PyMem_RawFree(self.token)
        PyMem_RawFree(self.first)

    cdef bint append(self, tokens, dict numbers, bint adds) except -1:
        """Append a list or tuple; False: it is no such thing, or a token has no hash."""
        cdef tuple items
        cdef int64_t n
        if tokens is None:
            return False
        items = tuple(tokens)
        n = len(items)
        if self.n_tokens + n > self.token_capacity:
            grow(<void**> &self.token, &self.token_capacity, self.n_tokens + n, sizeof(int32_t))
        for token in items:
            if poll_due(self.n_tokens, POLL_OBJECTS):
                poll_signals()
            try:
                number = numbers.get(token)
            except Exception:
                return False
            if number is None:
                number = 0
                if adds:
                    number = numbers[token] = len(numbers) + 1
            self.token[self.n_tokens] = number
            self.n_tokens += 1
        self.longest = n if n > self.longest else self.longest
        self.close(0)
        return True

    cdef int close(self, int64_t n_more) except -1:
        """End a sequence, after some tokens that are not kept."""
        self.n_tokens += n_more
        self.n += 1
        if self.n + 1 > self.first_capacity:
            grow(<void**> &self.first, &self.first_capacity, self.n + 1, sizeof(int64_t))
        self.first[self.n] = self.n_tokens
        return 0
