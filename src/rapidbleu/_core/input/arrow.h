/* The three structs of the Arrow C data and C stream interfaces.  Their layout is a stable ABI:
 * libraries that share no code pass columns to each other through them.  The guards are those of
 * the specification, so that other headers which declare the same structs can be included too. */
#ifndef RAPIDBLEU_INPUT_ARROW_H
#define RAPIDBLEU_INPUT_ARROW_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*); /* NULL: already released, or moved elsewhere */
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count; /* -1: not computed */
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif /* ARROW_C_DATA_INTERFACE */

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out); /* 0 or an errno */
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);    /* at the end: released */
  const char* (*get_last_error)(struct ArrowArrayStream*);              /* may be NULL */
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif /* ARROW_C_STREAM_INTERFACE */

/* The layers of one chunk of an Arrow column, and how to read a slot of each.
 *
 * A chunk has up to three layers, of which only the last is always there: lists of strings, indices
 * into a dictionary, strings.  Each has its own validity bitmap and its own offset.  A slot is null,
 * valid or malformed: what it says is checked before it is followed.  Reading takes constant time
 * and allocates nothing; the buffers belong to the producer of the column.
 *
 * Arrow recommends alignment but does not demand it; each memcpy is a plain load where that works. */

/* No process has so many bytes: an array that claims them lies. */
#define RB_MAX_BYTES (sizeof(void *) > 4 ? INT64_C(1) << 56 : INT64_C(1) << 31)

/* Kinds: of strings u U v (views), of indices c C s S i I l L, of lists l L (offsets), p P (offsets
 * and sizes), w (fixed size).  0: the column has no such layer. */
typedef struct {
    char kind;
    int64_t offset; /* slot of the first item */
    int64_t length;
    const uint8_t *valid; /* bitmap over the slots, or NULL: no nulls */
    const uint8_t *slots; /* offsets, views or indices */
    const uint8_t *side;  /* strings: the text, or the sizes of the views' texts; list views: sizes */
    const void **texts;   /* string views: the buffers of text ... */
    int64_t n_texts;      /* ... and how many there are */
    int64_t width;        /* lists of fixed size: strings in each */
} rb_layer;

typedef struct {
    struct ArrowArray array; /* owned */
    int64_t first_item;      /* index in the column of the first item of this chunk */
    int64_t first_string;    /* the same, counted in strings */
    int64_t n_strings;       /* lists: length of the child; otherwise of the chunk */
    int64_t used_begin;      /* of those, the ones from the first to the last that a list uses, */
    int64_t used_end;        /* which are all that is numbered; all if there are no lists */
    int has_gaps;            /* between the two there may be strings that no list uses */
    rb_layer lists;
    rb_layer indices;
    rb_layer strings;
} rb_chunk;

enum { /* what the readers return besides 1 (valid) and 0 (null) */
    RB_BAD_LIST = -1,
    RB_BAD_INDEX = -2,
    RB_BAD_STRING = -3,
    RB_BAD_TEXT = -4, /* what a check of the text finds */
    RB_BAD_VIEW = -5
};

static inline int32_t rb_load_int32(const uint8_t *slots, int64_t i) {
    int32_t value;
    memcpy(&value, slots + 4 * i, 4);
    return value;
}

static inline int64_t rb_load_int64(const uint8_t *slots, int64_t i) {
    int64_t value;
    memcpy(&value, slots + 8 * i, 8);
    return value;
}

/* An index; below 0 or huge: out of range, as are those from 2**63 on, which turn negative. */
static inline int64_t rb_load_index(char kind, const uint8_t *slots, int64_t i) {
    int16_t value;
    switch (kind) {
    case 'i': return rb_load_int32(slots, i);
    case 'I': return (uint32_t)rb_load_int32(slots, i);
    case 'c': return (int8_t)slots[i];
    case 'C': return slots[i];
    case 's':
    case 'S':
        memcpy(&value, slots + 2 * i, 2);
        return kind == 's' ? value : (int64_t)(uint16_t)value;
    default: return rb_load_int64(slots, i);
    }
}

static inline int rb_slot_is_null(const rb_layer *layer, int64_t slot) {
    return layer->valid != NULL && !(layer->valid[slot >> 3] >> (slot & 7) & 1);
}

/* The strings [begin, end) of item i, in the chunk's numbering; none if it is null or malformed. */
static inline int rb_read_list(const rb_chunk *chunk, int64_t i, int64_t *begin, int64_t *end) {
    const rb_layer *lists = &chunk->lists;
    const int64_t slot = lists->offset + i;
    int64_t first, size;
    *begin = *end = 0;
    if (rb_slot_is_null(lists, slot)) return 0;
    switch (lists->kind) {
    case 'w':
        size = lists->width;
        first = size == 0 || slot <= chunk->n_strings / size ? slot * size : -1;
        break;
    case 'l':
        first = rb_load_int32(lists->slots, slot);
        size = rb_load_int32(lists->slots, slot + 1) - first;
        break;
    case 'L':
        first = rb_load_int64(lists->slots, slot);
        size = rb_load_int64(lists->slots, slot + 1);
        size = first >= 0 && first <= size ? size - first : -1;
        break;
    case 'p':
        first = rb_load_int32(lists->slots, slot);
        size = rb_load_int32(lists->side, slot);
        break;
    default:
        first = rb_load_int64(lists->slots, slot);
        size = rb_load_int64(lists->side, slot);
    }
    if (first < 0 || size < 0 || first > chunk->n_strings || size > chunk->n_strings - first)
        return RB_BAD_LIST;
    *begin = first;
    *end = first + size;
    return 1;
}

/* A view: its size and 12 bytes of text; or its size, a prefix, the number of a text and the place in
 * it. */
static inline int rb_read_view(const rb_layer *layer, int64_t slot, const uint8_t **data,
                               int64_t *size) {
    const int64_t length = rb_load_int32(layer->slots, 4 * slot);
    int32_t text, begin;
    if (length >= 0 && length <= 12) {
        *data = layer->slots + 16 * slot + 4;
        *size = length;
        return 1;
    }
    text = rb_load_int32(layer->slots, 4 * slot + 2);
    begin = rb_load_int32(layer->slots, 4 * slot + 3);
    if (length < 0 || text < 0 || text >= layer->n_texts || begin < 0) return RB_BAD_STRING;
    if (layer->texts[text] == NULL || rb_load_int64(layer->side, text) < begin + length)
        return RB_BAD_STRING;
    *data = (const uint8_t *)layer->texts[text] + begin;
    if (memcmp(*data, layer->slots + 16 * slot + 4, 4) != 0) {
        *data = (const uint8_t *)"";
        return RB_BAD_VIEW;
    }
    *size = length;
    return 1;
}

/* String i of the chunk.  `data` is never NULL; of a null or malformed string, `size` is 0. */
static inline int rb_read_string(const rb_chunk *chunk, int64_t i, const uint8_t **data,
                                 int64_t *size) {
    const rb_layer *layer = &chunk->indices;
    int64_t slot, begin, end;
    *data = (const uint8_t *)"";
    *size = 0;
    if (layer->kind) {
        slot = layer->offset + i;
        if (rb_slot_is_null(layer, slot)) return 0;
        i = rb_load_index(layer->kind, layer->slots, slot);
        if (i < 0 || i >= chunk->strings.length) return RB_BAD_INDEX;
    }
    layer = &chunk->strings;
    slot = layer->offset + i;
    if (rb_slot_is_null(layer, slot)) return 0;
    if (layer->kind == 'v') return rb_read_view(layer, slot, data, size);
    if (layer->kind == 'u') {
        begin = rb_load_int32(layer->slots, slot);
        end = rb_load_int32(layer->slots, slot + 1);
    } else {
        begin = rb_load_int64(layer->slots, slot);
        end = rb_load_int64(layer->slots, slot + 1);
    }
    if (begin < 0 || end < begin || end > RB_MAX_BYTES) return RB_BAD_STRING;
    if (end > begin) {
        if (layer->side == NULL) return RB_BAD_STRING;
        *data = layer->side + begin;
        *size = end - begin;
    }
    return 1;
}

#endif
