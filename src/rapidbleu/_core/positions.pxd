"""C contract of the position table: where each token of a reference stands."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from rapidbleu._core.text cimport TokensC


ctypedef struct PositionTableC:
    int64_t n_words       # of one row of bits
    int64_t n_rows        # distinct tokens and row 0, which has no bit
    int64_t n_slots       # a power of two
    int shift             # from a product to its highest bits, one slot's number
    uint64_t* bits        # [n_rows][n_words] positions of each token
    uint64_t* identity    # [n_rows]
    int32_t* record       # [n_rows] which long token of the reference it is; -1: short
    uint32_t* slots       # [n_slots] row of the token that hashes there; 0: free


cdef int64_t position_table_words(int64_t n_tokens, int64_t n_words) noexcept nogil
cdef void position_table_fill(
    PositionTableC* table, uint64_t* memory, const TokensC* refs, int64_t ref, int64_t n_words
) noexcept nogil
cdef void position_table_rows(
    const PositionTableC* table, const TokensC* refs, int64_t ref, const TokensC* hyps, int64_t hyp,
    uint32_t* rows,
) noexcept nogil
