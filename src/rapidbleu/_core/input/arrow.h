/* The structs of the Arrow C data and C stream interfaces, a stable ABI between libraries that
 * share no code. The specification's guards allow other headers to declare the same structs. */
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
  void (*release)(struct ArrowSchema*); /* NULL: released or moved */
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

/* The layers of one chunk of an Arrow column, and how to read a slot of each. A chunk has up to
 * three layers, of which only the last is mandatory: lists of strings, indices into a dictionary,
 * strings. Each has its own validity bitmap and offset. A slot is null, valid or malformed: its
 * contents are checked before they are followed. Reading takes constant time and allocates nothing;
 * the buffers belong to the producer. Arrow recommends but does not require alignment, so loads use
 * memcpy, which compiles to a plain load where possible. */

/* No process has so many bytes: an array that claims more is malformed. */
#define RB_MAX_BYTES (sizeof(void *) > 4 ? INT64_C(1) << 56 : INT64_C(1) << 31)

/* Kinds: strings u U v (views), indices c C s S i I l L, lists l L (offsets), p P (offsets and
 * sizes), w (fixed size). 0: the layer is absent. */
typedef struct {
    char kind;
    int64_t offset; /* slot of the first item */
    int64_t length;
    const uint8_t *valid; /* bitmap of the slots; NULL: no nulls */
    const uint8_t *slots; /* offsets, views or indices */
    const uint8_t *side;  /* strings: text, or sizes of the views' texts; list views: sizes */
    const void **texts;   /* string views: text buffers ... */
    int64_t n_texts;      /* ... and their number */
    int64_t width;        /* lists of fixed size: strings per list */
} rb_layer;

typedef struct {
    struct ArrowArray array; /* owned */
    int64_t first_item;      /* index in the column of the chunk's first item */
    int64_t first_string;    /* the same, counted in strings */
    int64_t n_strings;       /* lists: length of the child; otherwise of the chunk */
    int64_t used_begin;      /* range of strings from the first to the last used by a list, */
    int64_t used_end;        /* which alone are numbered; all strings without lists */
    int has_gaps;            /* may the range contain strings that no list uses? */
    rb_layer lists;
    rb_layer indices;
    rb_layer strings;
} rb_chunk;

enum { /* results of the readers, in addition to 1 (valid) and 0 (null) */
    RB_BAD_LIST = -1,
    RB_BAD_INDEX = -2,
    RB_BAD_STRING = -3,
    RB_BAD_TEXT = -4, /* found by the check of the text */
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

/* An index; below 0 or huge if out of range, as values from 2**63 on turn negative. */
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

/* Strings [begin, end) of item i, in the chunk's numbering; none if it is null or malformed. */
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

/* A view: size and 12 bytes of text; or size, prefix, index of a text buffer and offset in it. */
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

/* String i of the chunk. `data` is never NULL; `size` is 0 for a null or malformed string. */
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
