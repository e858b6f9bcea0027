"""Cython declarations of the headers in this folder, which document themselves."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t


cdef extern from "text/classify.h" nogil:
    enum:
        SPACE "RB_SPACE"
        SYMBOL "RB_SYMBOL"
        DIGIT "RB_DIGIT"
        POINT "RB_POINT"
        DASH "RB_DASH"
        RARE "RB_RARE"
    ctypedef struct rb_class_table:
        uint8_t of_byte[256]
    int class_table_init "rb_class_table_init" (
        rb_class_table* table, const uint8_t* ascii
    ) except -1
    void class_table_free "rb_class_table_free" (rb_class_table* table) noexcept
    int class_table_add "rb_class_table_add" (
        rb_class_table* table, uint32_t first, uint32_t last, uint8_t kind
    ) except -1
    uint8_t wide_class "rb_wide_class" (
        const rb_class_table* table, uint32_t code_point
    ) noexcept
    uint8_t class_at "rb_class_at" (
        const rb_class_table* table, const uint8_t* p, int* length
    ) noexcept
    int64_t strip_end "rb_strip_end" (
        const rb_class_table* table, uint8_t* text, int64_t begin, int64_t end
    ) noexcept
    int64_t strip_begin "rb_strip_begin" (
        const rb_class_table* table, const uint8_t* text, int64_t begin, int64_t end
    ) noexcept


cdef extern from "text/token_table.h" nogil:
    enum:
        RB_SHORT_TOKEN
    ctypedef struct LongTokenC "rb_long_token":
        int64_t position
        int32_t length
        int32_t index
    enum:
        PADDING "RB_PADDING"
        TOKEN_KEYS "RB_TOKEN_KEYS"
    ctypedef struct TokensC "rb_tokens":
        uint32_t* lo
        uint32_t* hi
        int64_t n_tokens
        int64_t token_capacity
        int64_t* first_token
        int64_t* first_long
        int64_t n_segments
        LongTokenC* longs
        int64_t n_longs
        uint8_t* text
        int64_t text_length
        int64_t text_capacity
        const uint64_t* keys
    void long_identity "rb_long_identity" (
        const TokensC* t, const uint8_t* text, int64_t length, uint32_t* lo, uint32_t* hi
    ) noexcept
    uint64_t token_identity "rb_token_identity" (const TokensC* t, int64_t token) noexcept
    int64_t segment_length "rb_segment_length" (const TokensC* t, int64_t segment) noexcept
    int64_t text_tokens "rb_text_tokens" (
        const TokensC* t, int64_t text, int n_sequences
    ) noexcept
    int tokens_grow "rb_tokens_grow" (TokensC* t, int64_t n) except -1
    int longs_grow "rb_longs_grow" (TokensC* t, int64_t n) except -1
    int text_grow "rb_text_grow" (TokensC* t, int64_t n) except -1
    int tokens_reserve "rb_tokens_reserve" (TokensC* t, int64_t n) except -1
    int text_reserve "rb_text_reserve" (TokensC* t, int64_t n) except -1
    void tokens_clear "rb_tokens_clear" (TokensC* t) noexcept
    int tokens_init "rb_tokens_init" (TokensC* t, const uint64_t* keys) except -1
    void tokens_free "rb_tokens_free" (TokensC* t) noexcept
    int64_t tokens_memory "rb_tokens_memory" (const TokensC* t) noexcept
    int tokens_close_segment "rb_tokens_close_segment" (TokensC* t) except -1
    int tokens_push "rb_tokens_push" (TokensC* t, int64_t position, int64_t length) except -1
    int tokens_push_id "rb_tokens_push_id" (TokensC* t, uint64_t identity) except -1
    int tokens_append "rb_tokens_append" (
        TokensC* t, const TokensC* source, int64_t segment
    ) except -1
    void drop_short_text "rb_drop_short_text" (TokensC* t, int64_t segment) noexcept


cdef extern from "text/scan.h" nogil:
    enum:
        WALK "RB_WALK"
        ESCAPED "RB_ESCAPED"
    ctypedef struct rb_scan_rule:
        const rb_class_table* table
        bint pad
        bint characters
    ctypedef int (*rb_scan_fn)(
        const rb_scan_rule*, TokensC*, int64_t, int64_t, bint
    ) except -1
    rb_scan_fn rb_scan_select() noexcept
    ctypedef int (*rb_scan_words_fn)(const rb_class_table*, TokensC*, int64_t, int64_t) except -1
    rb_scan_words_fn rb_scan_words_select() noexcept
    uint32_t* rb_eight_characters(
        const uint8_t* text, const uint8_t* kept, uint32_t* out
    ) noexcept
    int64_t replace_escapes "rb_unescape" (uint8_t* text, int64_t begin, int64_t end) except -1
