/* The characters of UTF-8 text as code points, eight ASCII ones at a time. */
#ifndef RAPIDBLEU_CHARACTERS_H
#define RAPIDBLEU_CHARACTERS_H

#include <stdint.h>
#include "common/bits.h"

/* Append those of the next eight bytes that are `kept`, if all are ASCII; else NULL. */
static inline uint32_t *rb_eight_characters(const uint8_t *text, const uint8_t *kept,
                                            uint32_t *out) {
    int i;
    if (rb_load64(text) & UINT64_C(0x8080808080808080)) return NULL;
    for (i = 0; i < 8; i++) {
        *out = text[i];
        out += kept[text[i]];
    }
    return out;
}

#endif
