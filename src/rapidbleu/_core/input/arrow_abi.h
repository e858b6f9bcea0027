/* The three structs of the Arrow C data and C stream interfaces.  Their layout is a stable ABI:
 * libraries that share no code pass columns to each other through them.  The guards are those of
 * the specification, so that other headers which declare the same structs can be included too. */
#ifndef RAPIDBLEU_INPUT_ARROW_ABI_H
#define RAPIDBLEU_INPUT_ARROW_ABI_H

#include <stdint.h>

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

#endif /* RAPIDBLEU_INPUT_ARROW_ABI_H */
