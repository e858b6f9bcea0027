"""The headers of this folder, declared for Cython; each says at its head what it is for."""

from libc.stdint cimport int32_t, int64_t, int8_t, uint8_t, uint16_t, uint32_t, uint64_t

from rapidbleu._core.metrics cimport ScratchC
from rapidbleu._core.text cimport TokensC


cdef extern from "meteor/vocabulary.h" nogil:
    enum:
        NO_STEM "RB_NO_STEM"
    ctypedef struct WordC "rb_word":
        int32_t stem
        int32_t phrase
        int64_t first_set
        int32_t n_sets
        uint64_t sets_hashed
        int64_t record
        int8_t is_known
        int8_t is_function
    ctypedef struct VocabularyC "rb_vocabulary":
        TokensC text
        WordC* words
    int64_t vocabulary_find "rb_vocabulary_find" (
        const VocabularyC* v, const TokensC* texts, uint64_t identity, const void* record
    ) noexcept
    int64_t vocabulary_string "rb_vocabulary_string" (
        VocabularyC* v, const char* string, int64_t length
    ) except -1
    const char* vocabulary_bytes "rb_vocabulary_bytes" (
        const VocabularyC* v, int64_t word, char* room, int64_t* length
    ) noexcept
    int vocabulary_add_set "rb_vocabulary_add_set" (
        VocabularyC* v, int64_t word, int64_t set
    ) except -1


cdef extern from "meteor/candidates.h" nogil:
    enum:
        MOST_MODULES "RB_MOST_MODULES"
        EXACT "RB_EXACT"
        STEM "RB_STEM"
        SYNONYM "RB_SYNONYM"
        PARAPHRASE "RB_PARAPHRASE"
    ctypedef struct SideC "rb_side":
        int32_t* numbers
        int64_t n
    ctypedef struct CandidatesC "rb_candidates":
        SideC hyp
        SideC ref


cdef extern from "meteor/phrases.h" nogil:
    enum:
        LONGEST_PHRASE "RB_LONGEST_PHRASE"
    ctypedef struct PhrasesC "rb_phrases":
        VocabularyC words
        int64_t n_pairs
        int32_t* first
    int phrases_init "rb_phrases_init" (
        PhrasesC* p, const uint64_t* keys, uint64_t secret
    ) except -1
    void phrases_free "rb_phrases_free" (PhrasesC* p) noexcept
    int64_t phrases_memory "rb_phrases_memory" (const PhrasesC* p) noexcept
    int64_t phrases_add "rb_phrases_add" (
        PhrasesC* p, const char* line, int64_t length
    ) except -1
    int phrases_pair "rb_phrases_pair" (PhrasesC* p, int64_t phrase, int64_t other) except -1
    int phrases_sort "rb_phrases_sort" (PhrasesC* p) except -1


cdef extern from "meteor/statistics.h" nogil:
    enum:
        HYP_WORDS "RB_HYP_WORDS"
        REF_WORDS "RB_REF_WORDS"
        HYP_FUNCTION "RB_HYP_FUNCTION"
        REF_FUNCTION "RB_REF_FUNCTION"
        BY_MODULE "RB_BY_MODULE"
        CHUNKS "RB_CHUNKS"
        HYP_MATCHED "RB_HYP_MATCHED"
        REF_MATCHED "RB_REF_MATCHED"
        METEOR_STATS "RB_METEOR_STATS"
    ctypedef struct AlignerC "rb_aligner":
        VocabularyC words
    ctypedef struct PairC "rb_pair":
        CandidatesC candidates
    AlignerC* aligner_of "rb_aligner_of" (ScratchC* s, const TokensC* texts) except NULL
    int64_t pair_open "rb_pair_open" (
        PairC* pair, AlignerC* a, const TokensC* hyps, int64_t hyp, const TokensC* refs,
        int64_t ref, ScratchC* s,
    ) except -1
    int pair_row "rb_pair_row" (
        PairC* pair, AlignerC* a, const int* modules, int n_modules, const PhrasesC* phrases,
        int64_t* row, ScratchC* s,
    ) except -1


cdef extern from "meteor/lowercase.h" nogil:
    enum:
        CASED_PAGES "RB_CASED_PAGES"
    ctypedef struct LowercaseC "rb_lowercase":
        uint16_t* page
        int32_t (*differences)[256]
    void lowercase_free "rb_lowercase_free" (LowercaseC* l) noexcept
    int64_t lowercase_add "rb_lowercase_add" (LowercaseC* l) except -1


cdef extern from "meteor/marks.h" nogil:
    enum:
        MARKS_OTHER "RB_MARKS_OTHER"
        MARKS_EN "RB_MARKS_EN"
        MARKS_FR "RB_MARKS_FR"
    ctypedef struct MarksC "rb_marks":
        uint32_t* line
        int64_t n
    void marks_free "rb_marks_free" (MarksC* m) noexcept


cdef extern from "meteor/normalize.h" nogil:
    enum:
        PREFIX "RB_PREFIX"
        PREFIX_OF_DIGITS "RB_PREFIX_OF_DIGITS"
    ctypedef struct PrefixesC "rb_prefixes":
        pass
    int prefixes_init "rb_prefixes_init" (
        PrefixesC* p, int64_t n, int64_t n_characters
    ) except -1
    void prefixes_free "rb_prefixes_free" (PrefixesC* p) noexcept
    void prefixes_add "rb_prefixes_add" (PrefixesC* p, uint32_t character) noexcept
    void prefixes_close "rb_prefixes_close" (PrefixesC* p, int kind, int is_last) noexcept
    int normalize_line "rb_normalize_line" (
        MarksC* m, const uint8_t* text, const uint8_t* end, int language,
        const PrefixesC* prefixes,
    ) except -1
    int normalize "rb_normalize" (
        TokensC* t, int64_t begin, int64_t end, MarksC* m, int language,
        const PrefixesC* prefixes, const LowercaseC* lowercase,
    ) except -1
