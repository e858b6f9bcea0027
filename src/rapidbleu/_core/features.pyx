"""Features: clipped n-gram matches of two segments as the size of an intersection of sets.

A clipped count is min(count in the one, count in the other).  Let the k-th occurrence of an n-gram
in a segment be a feature of its own, (n-gram, k): then a segment is a set of features and the
clipped count is the number of features two segments share.  For many segments against many it pays
to number the features once: what follows is work on small integers.

A feature is a node.  The node of an n-gram is its first occurrence, `deeper` leads to the next.  An
n-gram is found by the node of the n-gram without its last token and the node of that token, so no
two n-grams are ever confused (gram_tables.pyx).  Where the last occurrence in the present segment
was is remembered at the n-gram: a token repeated a million times costs a million steps.

Memory: 16 bytes for each different feature, 16 and 24 for each slot of the tables of n-grams and
tokens, which are at most half full, and 4 for each n-gram of the text.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memset

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.common cimport POLL_TOKENS, bytes_of, grow, poll
from rapidbleu._core.gram_tables cimport (
    NO_NODE, GramSlotC, TokenSlotC, gram_key, gram_slot, gram_table_clear, gram_table_free,
    gram_table_take, token_slot, token_table_clear, token_table_free, token_table_take,
)
from rapidbleu._core.text cimport LongTokenC, TokensC, segment_length


cdef void features_init(FeaturesC* f) noexcept nogil:
    memset(f, 0, sizeof(FeaturesC))


cdef void features_free(FeaturesC* f) noexcept nogil:
    token_table_free(&f.token_table)
    gram_table_free(&f.gram_table)
    PyMem_RawFree(f.nodes)
    PyMem_RawFree(f.found)
    PyMem_RawFree(f.first_found)
    PyMem_RawFree(f.seen)
    memset(f, 0, sizeof(FeaturesC))


cdef int room(void** array, int64_t* capacity, int64_t n, size_t size) except -1 nogil:
    """Room for n items; what the array held is lost."""
    if n <= capacity[0]:
        return 0
    n += n // 4
    PyMem_RawFree(array[0])
    capacity[0] = 0
    array[0] = PyMem_RawMalloc(bytes_of(n, size))
    if array[0] == NULL:
        with gil:
            raise MemoryError
    capacity[0] = n
    return 0


cdef int64_t features_count(
    const TokensC* tokens, int64_t begin, int64_t end, int step, int max_order
) noexcept nogil:
    """N-grams of every step-th segment of [begin, end)."""
    cdef int64_t segment = begin, n, orders, count = 0
    while segment < end:
        n = segment_length(tokens, segment)
        segment += step
        orders = n if n < max_order else max_order
        count += orders * n - orders * (orders - 1) // 2
    return count


cdef int features_build(
    FeaturesC* f, const TokensC* tokens, int64_t begin, int64_t end, int step, int max_order
) except -1 nogil:
    """Number the features of every step-th segment of [begin, end), in the memory of the last ones.

    There must be less than NO_NODE of them.
    """
    cdef int64_t k, n, longest = 0, n_tokens = 0
    cdef int64_t n_found = features_count(tokens, begin, end, step, max_order)
    f.n_segments = (end - begin) // step
    for k in range(f.n_segments):
        n = segment_length(tokens, begin + k * step)
        n_tokens += n
        longest = n if n > longest else longest
    f.tokens, f.max_order = tokens, max_order
    f.n_nodes = 0
    token_table_clear(&f.token_table, tokens, n_tokens // 4)
    gram_table_clear(&f.gram_table, n_found // 4)
    room(<void**> &f.found, &f.found_capacity, n_found, sizeof(uint32_t))
    room(<void**> &f.first_found, &f.segment_capacity, f.n_segments + 1, sizeof(int64_t))
    room(<void**> &f.seen, &f.seen_capacity, 2 * longest, sizeof(uint32_t))
    f.first_found[0] = 0
    for k in range(f.n_segments):
        f.first_found[k + 1] = f.first_found[k] + add_segment(
            f, begin + k * step, <uint32_t> k, f.found + f.first_found[k]
        )
    return 0


cdef int64_t add_segment(
    FeaturesC* f, int64_t segment, uint32_t stamp, uint32_t* found
) except -1 nogil:
    """List the features of a segment, with new nodes for new ones; returns how many."""
    cdef const TokensC* t = f.tokens
    cdef int64_t n = segment_length(t, segment), first = t.first_token[segment], i, n_found = 0
    cdef int64_t k = t.first_long[segment], end = t.first_long[segment + 1]
    cdef uint32_t* grams = f.seen + n
    cdef const LongTokenC* record
    cdef int order
    for i in range(n):
        record = NULL
        if k < end and t.longs[k].index == i:
            record = &t.longs[k]
            k += 1
        f.seen[i] = <uint32_t> add_token(f, identity_of(t, first + i), record)
        look_sometimes(f)
    for order in range(f.max_order if f.max_order < n else <int> n):
        for i in range(n - order):
            grams[i] = f.seen[i] if order == 0 else (
                <uint32_t> add_gram(f, grams[i], f.seen[i + order]))
            found[n_found] = <uint32_t> add_occurrence(f, grams[i], stamp)
            n_found += 1
            look_sometimes(f)
    return n_found


cdef inline int look_sometimes(FeaturesC* f) except -1 nogil:
    f.n_new += 1
    if f.n_new >= POLL_TOKENS:
        f.n_new = 0
        with gil:
            poll(<object> f.stop)
    return 0


cdef inline int64_t add_occurrence(FeaturesC* f, uint32_t gram, uint32_t stamp) except -1 nogil:
    """The node of one more occurrence of an n-gram in the segment that the stamp stands for."""
    cdef uint32_t node = gram
    if f.nodes[gram].last_segment == stamp:
        node = f.nodes[f.nodes[gram].last_node].deeper
        if node == NO_NODE:
            node = <uint32_t> add_node(f)
            f.nodes[f.nodes[gram].last_node].deeper = node
    f.nodes[gram].last_segment = stamp
    f.nodes[gram].last_node = node
    f.nodes[node].n_segments += 1
    return node


cdef int64_t add_node(FeaturesC* f) except -1 nogil:
    cdef NodeC* node
    if f.n_nodes == f.node_capacity:
        grow(<void**> &f.nodes, &f.node_capacity, f.n_nodes + 256, sizeof(NodeC))
    node = &f.nodes[f.n_nodes]
    node.deeper = node.last_segment = node.last_node = NO_NODE
    node.n_segments = 0
    f.n_nodes += 1
    return f.n_nodes - 1


cdef int features_find(
    FeaturesC* f, const TokensC* tokens, int64_t segment, uint32_t stamp, uint32_t* found,
    int64_t* first_of_order
) except -1 nogil:
    """List those features of another segment that have a node, order by order.

    `stamp` must be none that was used since the features were built; `found` has room for them
    and, behind, for two numbers a token.
    """
    cdef int64_t n = segment_length(tokens, segment), first = tokens.first_token[segment], i
    cdef int64_t k = tokens.first_long[segment], end = tokens.first_long[segment + 1]
    cdef int64_t n_found = 0
    cdef uint32_t* seen = found + f.max_order * n
    cdef uint32_t* grams = seen + n
    cdef const LongTokenC* record
    cdef NodeC* gram
    cdef uint32_t node
    cdef int order
    for i in range(n):
        record = NULL
        if k < end and tokens.longs[k].index == i:
            record = &tokens.longs[k]
            k += 1
        seen[i] = token_slot(
            &f.token_table, tokens, identity_of(tokens, first + i), record
        ).node
    for order in range(f.max_order):
        first_of_order[order] = n_found
        for i in range(n - order):
            node = seen[i]
            if order > 0:
                node = NO_NODE
                if grams[i] != NO_NODE and seen[i + order] != NO_NODE:
                    node = gram_slot(&f.gram_table, gram_key(grams[i], seen[i + order])).node
            grams[i] = node
            if node == NO_NODE:
                continue
            gram = &f.nodes[node]
            if gram.last_segment == stamp:  # NO_NODE follows the last occurrence
                node = gram.last_node if gram.last_node == NO_NODE else (
                    f.nodes[gram.last_node].deeper
                )
            gram.last_segment, gram.last_node = stamp, node
            if node != NO_NODE:
                found[n_found] = node
                n_found += 1
    first_of_order[f.max_order] = n_found
    return 0


cdef inline uint64_t identity_of(const TokensC* t, int64_t token) noexcept nogil:
    return <uint64_t> t.hi[token] << 32 | t.lo[token]


cdef inline int64_t add_token(
    FeaturesC* f, uint64_t identity, const LongTokenC* record
) except -1 nogil:
    """The node of a token."""
    cdef TokenSlotC* slot = token_slot(&f.token_table, f.tokens, identity, record)
    cdef TokenSlotC item
    if slot.node != NO_NODE:
        return slot.node
    item.identity, item.record, item.node = identity, record, <uint32_t> add_node(f)
    token_table_take(&f.token_table, slot, item)
    return item.node


cdef inline int64_t add_gram(FeaturesC* f, uint32_t gram, uint32_t token) except -1 nogil:
    """The node of an n-gram made of another and one more token."""
    cdef GramSlotC* slot = gram_slot(&f.gram_table, gram_key(gram, token))
    cdef GramSlotC item
    if slot.node != NO_NODE:
        return slot.node
    item.key, item.node = gram_key(gram, token), <uint32_t> add_node(f)
    gram_table_take(&f.gram_table, slot, item)
    return item.node
