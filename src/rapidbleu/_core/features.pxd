"""C contract of features: the clipped n-grams of many segments, numbered."""

from libc.stdint cimport int64_t, uint32_t

from cpython.object cimport PyObject

from rapidbleu._core.gram_tables cimport GramTableC, TokenTableC
from rapidbleu._core.text cimport TokensC


ctypedef struct NodeC:
    uint32_t n_segments    # how many segments have it
    uint32_t deeper        # the node of one more occurrence in a segment, or NO_NODE
    uint32_t last_segment  # in which the n-gram was seen
    uint32_t last_node     # the node of its last occurrence there


ctypedef struct FeaturesC:
    const TokensC* tokens     # whose segments these are
    int max_order
    TokenTableC token_table
    GramTableC gram_table
    NodeC* nodes
    int64_t n_nodes
    int64_t node_capacity
    uint32_t* found           # nodes of each segment, order by order
    int64_t found_capacity
    int64_t* first_found      # [n_segments + 1]
    int64_t n_segments
    int64_t segment_capacity
    uint32_t* seen            # of one segment: its tokens, and the n-gram that starts at each
    int64_t seen_capacity
    int64_t n_new             # n-grams since signals were looked at
    PyObject* stop            # borrowed: work ends when it is no longer empty; see signals.pyx


cdef void features_init(FeaturesC* f) noexcept nogil
cdef int64_t features_count(
    const TokensC* tokens, int64_t begin, int64_t end, int step, int max_order
) noexcept nogil
cdef void features_free(FeaturesC* f) noexcept nogil
cdef int features_build(
    FeaturesC* f, const TokensC* tokens, int64_t begin, int64_t end, int step, int max_order
) except -1 nogil
cdef int features_find(
    FeaturesC* f, const TokensC* tokens, int64_t segment, uint32_t stamp, uint32_t* found,
    int64_t* first_of_order
) except -1 nogil
cdef int room(void** array, int64_t* capacity, int64_t n, size_t size) except -1 nogil
