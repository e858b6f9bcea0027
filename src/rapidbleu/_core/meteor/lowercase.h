/* The lower case of single characters, by a table: nothing of the interpreter is called.
 *
 * Pages of 256 characters in which any has a lower case have the differences to it; all others share
 * one page of zeros.  There are some thirty such pages, so the table takes 30 KB. */
#ifndef RAPIDBLEU_METEOR_LOWERCASE_H
#define RAPIDBLEU_METEOR_LOWERCASE_H

#include <stdint.h>
#include <string.h>
#include "common/memory.h"

#define RB_CASED_PAGES 512 /* characters from 0x20000 on have no case */

typedef struct {
    uint16_t page[RB_CASED_PAGES]; /* by the character's high bits */
    int32_t (*differences)[256];   /* [n] of each page; page 0 is zeros */
    int64_t n, capacity;
} rb_lowercase;

static inline void rb_lowercase_free(rb_lowercase *l) {
    PyMem_RawFree(l->differences);
    memset(l, 0, sizeof *l);
}

/* Append a page of zeros; its number, or -1. */
static inline int64_t rb_lowercase_add(rb_lowercase *l) {
    if (l->n == l->capacity
        && rb_grow((void **)&l->differences, &l->capacity, l->n + 1, sizeof *l->differences) < 0)
        return -1;
    memset(l->differences[l->n], 0, sizeof *l->differences);
    return l->n++;
}

static inline uint32_t rb_lower(const rb_lowercase *l, uint32_t c) {
    if (c >> 8 >= RB_CASED_PAGES) return c;
    return (uint32_t)((int32_t)c + l->differences[l->page[c >> 8]][c & 0xff]);
}

#endif
