/* Does a str contain white space that is not a space? Every character is compared with every kind
 * of white space, without a branch, so that compilers use vectors; Python's own tests look up each
 * character in a table, which takes twenty times as long. */
#ifndef RAPIDBLEU_TEXT_ODD_SPACE_H
#define RAPIDBLEU_TEXT_ODD_SPACE_H

#include "Python.h"
#include <stdint.h>

#define RB_BETWEEN(type, c, first, last) ((type)((c) - (first)) <= (last) - (first))
#define RB_ODD_BYTE(type, c)                                                                       \
    (RB_BETWEEN(type, c, 0x09, 0x0d) | RB_BETWEEN(type, c, 0x1c, 0x1f) | ((c) == 0x85)             \
     | ((c) == 0xa0))
#define RB_ODD_WIDE(type, c)                                                                       \
    (RB_ODD_BYTE(type, c) | ((c) == 0x1680) | RB_BETWEEN(type, c, 0x2000, 0x200a)                  \
     | RB_BETWEEN(type, c, 0x2028, 0x2029) | ((c) == 0x202f) | ((c) == 0x205f) | ((c) == 0x3000))
#define RB_FIND_ODD(type, is_odd)                                                                  \
    for (i = 0; i < n; i++) {                                                                      \
        const type c = ((const type *)data)[i];                                                    \
        odd |= (uint8_t)is_odd(type, c);                                                           \
    }

static inline int rb_has_odd_space(PyObject *text) {
    const void *data = PyUnicode_DATA(text);
    const Py_ssize_t n = PyUnicode_GET_LENGTH(text);
    uint8_t odd = 0;
    Py_ssize_t i;
    switch (PyUnicode_KIND(text)) {
        case PyUnicode_1BYTE_KIND: RB_FIND_ODD(uint8_t, RB_ODD_BYTE) break;
        case PyUnicode_2BYTE_KIND: RB_FIND_ODD(uint16_t, RB_ODD_WIDE) break;
        default: RB_FIND_ODD(uint32_t, RB_ODD_WIDE)
    }
    return odd;
}

#endif
