/* Compare the core's NEON code with its portable code, bit for bit, on random and nasty inputs.
 *
 * Each function is selected twice: with RAPIDBLEU_SIMD=portable and without. Readable memory ends at
 * the end of a page that no other page follows. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/utf8.h"
#include "scoring/lanes.h"
#include "ter/beam_distance.h"
#include "ngrams/clipping.h"
#include "text/scan.h"

#define ROUNDS 2000
#define ROOM 8192 /* bytes of an array at the end of a page */

static uint64_t state = UINT64_C(0x5eed5eed5eed5eed);

static uint32_t draw(uint32_t n) { /* 0, ..., n - 1 */
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16) % n;
}

static void check(int holds, const char *what, int round) {
    if (holds) return;
    printf("NEON differs from portable code: %s, round %d\n", what, round);
    exit(1);
}

/* ROOM bytes; the bytes after them cannot be read. */
static uint8_t *guarded(void) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (ROOM + page - 1) / page * page;
    uint8_t *memory = mmap(NULL, size + page, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(memory != MAP_FAILED && mprotect(memory + size, page, PROT_NONE) == 0, "no memory", 0);
    return memory + size - ROOM;
}

static void choose(const char *level) {
    if (level == NULL)
        unsetenv("RAPIDBLEU_SIMD");
    else
        setenv("RAPIDBLEU_SIMD", level, 1);
}

static void compare_levels(void) {
    choose(NULL);
    check(rb_simd_level() == RB_LEVEL_NEON, "the level", 0);
    choose("neon");
    check(rb_simd_level() == RB_LEVEL_NEON, "the level by its name", 0);
    choose("portable");
    check(rb_simd_level() == RB_LEVEL_PORTABLE, "the portable level", 0);
}

/* Text: whole characters of all lengths, or any bytes. */

static uint32_t draw_character(void) {
    static const uint32_t ends[] = {0x7f, 0xff, 0x7ff, 0xffff, 0x10ffff};
    static const char common[] = "  etaoin.,-0123&<\n\"";
    if (draw(4)) return (uint32_t)common[draw(sizeof common - 1)];
    return ends[draw(5)] - draw(draw(2) ? 4 : 0x7f);
}

static int64_t fill_text(uint8_t *text, int64_t most) {
    uint8_t *p = text;
    const int any = draw(4) == 0, few = draw(2);
    while (p - text < most - 4)
        if (any)
            *p++ = (uint8_t)draw(256);
        else
            p = rb_encode(few && draw(32) ? 'a' + draw(8) * draw(2) : draw_character(), p);
    return p - text;
}

static void fill_classes(rb_class_table *table) {
    uint8_t ascii[128];
    int c;
    uint32_t first;
    for (c = 0; c < 128; c++) ascii[c] = draw(3) ? 0 : (uint8_t)(1 << draw(6));
    ascii[' '] = RB_SPACE;
    check(rb_class_table_init(table, ascii) == 0, "no table", 0);
    for (first = 0x80; first < 0x10ff00; first += 1 + draw(draw(2) ? 0x100 : 0x20000)) {
        const uint32_t last = first + draw(0x100);
        check(rb_class_table_add(table, first, last, draw(8) ? RB_SPACE << draw(2) : RB_POINT) == 0,
              "no page", 0);
        first = last;
        if (table->n_pages > RB_MAX_PAGES - 4) break;
    }
}

static void compare_classes(int round) {
    rb_class_table table;
    rb_classify_fn portable, neon;
    uint64_t expected[RB_PLANES], found[RB_PLANES];
    static uint8_t *text;
    int i;
    if (text == NULL) text = guarded() + ROOM - 64;
    choose("portable");
    portable = rb_classify_select();
    choose(NULL);
    neon = rb_classify_select();
    check(portable != neon, "which classes", round);
    fill_classes(&table);
    for (i = 0; i < 64; i++) text[i] = (uint8_t)draw(256);
    portable(&table, text, expected);
    neon(&table, text, found);
    check(memcmp(expected, found, sizeof found) == 0, "classes", round);
    rb_class_table_free(&table);
}

/* Scan a text at each level: by a rule, or for words without one. */
static void compare_scans(const rb_class_table *table, const rb_scan_rule *rule, int round) {
    static const uint64_t keys[RB_TOKEN_KEYS] = {1, 2, 3, 4};
    static const char *levels[2] = {"portable", NULL};
    rb_tokens tokens[2];
    uint8_t text[2048];
    const int64_t length = fill_text(text, 8 + draw(draw(2) ? 100 : 2000));
    const int escapes = (int)draw(2);
    int outcomes[2], k;
    for (k = 0; k < 2; k++) {
        check(rb_tokens_init(&tokens[k], keys) == 0 && rb_text_reserve(&tokens[k], length) == 0,
              "no tokens", round);
        memset(tokens[k].text, ' ', (size_t)tokens[k].text_capacity);
        memcpy(tokens[k].text, text, (size_t)length);
        choose(levels[k]);
        outcomes[k] = rule == NULL ? rb_scan_words_select()(table, &tokens[k], 0, length)
                                   : rb_scan_select()(rule, &tokens[k], 0, length, escapes);
    }
    check(outcomes[0] == outcomes[1], "how a scan ends", round);
    check(memcmp(tokens[0].text, tokens[1].text, (size_t)length) == 0, "blanks", round);
    if (outcomes[0] == RB_SCANNED) {
        const size_t n = (size_t)tokens[0].n_tokens, longs = (size_t)tokens[0].n_longs;
        check(tokens[0].n_tokens == tokens[1].n_tokens && tokens[0].n_longs == tokens[1].n_longs,
              "numbers of tokens", round);
        check(memcmp(tokens[0].lo, tokens[1].lo, n * sizeof *tokens[0].lo) == 0
                  && memcmp(tokens[0].hi, tokens[1].hi, n * sizeof *tokens[0].hi) == 0,
              "identities", round);
        check(memcmp(tokens[0].longs, tokens[1].longs, longs * sizeof *tokens[0].longs) == 0,
              "long tokens", round);
    }
    for (k = 0; k < 2; k++) rb_tokens_free(&tokens[k]);
}

static void compare_scanners(int round) {
    rb_class_table table;
    rb_scan_rule rule = {&table, (int)draw(2), draw(8) == 0};
    choose("portable");
    check(rb_scan_select() == rb_scan_portable && rb_scan_words_select() == rb_scan_words_portable,
          "portable scans", round);
    choose(NULL);
    check(rb_scan_select() == rb_scan_neon && rb_scan_words_select() == rb_scan_words_neon,
          "which scans", round);
    fill_classes(&table);
    compare_scans(&table, &rule, round);
    compare_scans(&table, NULL, round);
    rb_class_table_free(&table);
}

/* A character up to `most`: ASCII, an ideograph or any; sometimes next to a length limit. */
static uint32_t draw_stored(uint32_t run, uint32_t most) {
    static const uint32_t edges[] = {0, 0x7f, 0x80, 0xff, 0x7ff, 0x800, 0xd800, 0xffff, 0x10000};
    const uint32_t c = draw(32) == 0 ? edges[draw(9)]
                     : run == 0      ? draw(0x80)
                     : run == 1      ? 0x800 + draw(0xf800)
                                     : draw(0x1000) << draw(9);
    return c <= most ? c : draw(most < 0x80 ? most : 0x80);
}

static void compare_texts(const uint8_t *expected, const uint8_t *end, const uint8_t *found,
                          const uint8_t *other, const char *what, int round) {
    check(end - expected == other - found
              && memcmp(expected, found, (size_t)(end - expected)) == 0, what, round);
}

static void compare_encoders(int round) {
    static uint8_t expected[ROOM], found[ROOM];
    static uint8_t *behind; /* the texts */
    const uint32_t n = draw(draw(2) ? 40 : 400), kind = draw(4);
    rb_encoders portable, neon;
    uint8_t *end, *other, *bytes;
    uint16_t *pairs;
    uint32_t *fours, i;
    int lower;
    if (behind == NULL) behind = guarded() + ROOM;
    choose("portable");
    portable = rb_encoders_select();
    choose(NULL);
    neon = rb_encoders_select();
    check(portable.latin1 != neon.latin1 && portable.ucs2 != neon.ucs2
              && portable.ucs4 != neon.ucs4, "which encoder", round);

    bytes = behind - n;
    for (i = 0; i < n; i++) bytes[i] = (uint8_t)draw_stored(draw(16) ? 0 : 2, 0xff);
    for (lower = 0; lower < 2; lower++) {
        end = portable.latin1(bytes, (ptrdiff_t)n, expected, lower);
        other = neon.latin1(bytes, (ptrdiff_t)n, found, lower);
        compare_texts(expected, end, found, other, "one byte a character", round);
    }

    pairs = (uint16_t *)behind - n;
    for (i = 0; i < n; i++) pairs[i] = (uint16_t)draw_stored(kind < 3 ? kind : i / 16 % 3, 0xffff);
    end = portable.ucs2(pairs, (ptrdiff_t)n, expected);
    other = neon.ucs2(pairs, (ptrdiff_t)n, found);
    compare_texts(expected, end, found, other, "two bytes a character", round);

    fours = (uint32_t *)behind - n;
    for (i = 0; i < n; i++) fours[i] = draw_stored(kind < 3 ? kind : i / 16 % 3, 0x10ffff);
    end = portable.ucs4(fours, (ptrdiff_t)n, expected);
    other = neon.ucs4(fours, (ptrdiff_t)n, found);
    compare_texts(expected, end, found, other, "four bytes a character", round);
}

static void compare_masks(int round) {
    static uint32_t *other_lo, *other_hi;
    const uint32_t m = draw(65), n = draw(200), kinds = 1 + draw(40);
    const uint32_t readable = (m + 15) / 16 * 16;
    uint32_t lo[200], hi[200], *l, *h, i;
    uint64_t expected[200], found[200];
    rb_matcher portable, neon;
    if (other_lo == NULL) {
        other_lo = (uint32_t *)(guarded() + ROOM);
        other_hi = (uint32_t *)(guarded() + ROOM);
    }
    choose("portable");
    portable = rb_matcher_select();
    choose(NULL);
    neon = rb_matcher_select();
    check(portable.masks != neon.masks, "which masks", round);
    l = other_lo - readable;
    h = other_hi - readable;
    for (i = 0; i < readable; i++) {
        l[i] = draw(kinds) << draw(2) * 24;
        h[i] = draw(2) << draw(2) * 31;
    }
    for (i = 0; i < n; i++) {
        lo[i] = draw(kinds) << draw(2) * 24;
        hi[i] = draw(2) << draw(2) * 31;
    }
    portable.masks(lo, hi, (ptrdiff_t)n, l, h, (ptrdiff_t)m, expected);
    neon.masks(lo, hi, (ptrdiff_t)n, l, h, (ptrdiff_t)m, found);
    check(memcmp(expected, found, n * sizeof *found) == 0, "masks", round);
}

static void compare_rows(int round) {
    enum { MOST = 100, BEYOND = RB_BEAM_BEYOND + 1, ALL = MOST + 2 * BEYOND };
    const uint32_t n = 1 + draw(draw(2) ? 12 : MOST), kinds = 1 + draw(6);
    int32_t ref[ALL], from[ALL], expected[ALL], found[ALL], edge = (int32_t)draw(60);
    rb_beam_row_fn portable, neon;
    int i;
    choose("portable");
    portable = rb_beam_row_select();
    choose(NULL);
    neon = rb_beam_row_select();
    check(portable != neon, "which rows", round);
    for (i = 0; i < ALL; i++) {
        ref[i] = (int32_t)draw(kinds);
        from[i] = draw(8) ? (int32_t)draw(60) : RB_BEAM_FAR + (int32_t)draw(2);
    }
    if (draw(8) == 0) edge = RB_BEAM_FAR;
    check(portable(ref + BEYOND, n, 0, from + BEYOND, edge, expected + BEYOND)
              == neon(ref + BEYOND, n, 0, from + BEYOND, edge, found + BEYOND)
              && memcmp(expected + BEYOND, found + BEYOND, n * sizeof *found) == 0,
          "a row", round);
}

static void compare_lanes(int round) {
    const int n_lanes = 1 + (int)draw(RB_LANES), kinds = 1 + (int)draw(20);
    int32_t numbers[300];
    int64_t n = draw(300), i;
    rb_lanes portable, neon;
    int lane;
    rb_lanes_init(&portable, RB_LEVEL_PORTABLE);
    rb_lanes_init(&neon, RB_LEVEL_NEON);
    check(portable.distances != neon.distances && portable.subsequences != neon.subsequences,
          "which lanes", round);
    check(rb_lanes_clear(&portable, 20) == 0 && rb_lanes_clear(&neon, 20) == 0, "no lanes", round);
    for (lane = 0; lane < n_lanes; lane++) {
        const int64_t length = draw(RB_LANE_TOKENS + 1);
        for (i = 0; i < length; i++) numbers[i] = (int32_t)draw((uint32_t)kinds);
        check(rb_lanes_add(&portable, numbers, length) == 0
                  && rb_lanes_add(&neon, numbers, length) == 0, "no lane", round);
    }
    for (i = 0; i < n; i++) numbers[i] = (int32_t)draw(20);
    check(rb_lanes_compare(&portable, portable.distances, numbers, n) == 0
              && rb_lanes_compare(&neon, neon.distances, numbers, n) == 0
              && memcmp(portable.results, neon.results, (size_t)n_lanes * sizeof(int64_t)) == 0,
          "distances", round);
    check(rb_lanes_compare(&portable, portable.subsequences, numbers, n) == 0
              && rb_lanes_compare(&neon, neon.subsequences, numbers, n) == 0
              && memcmp(portable.results, neon.results, (size_t)n_lanes * sizeof(int64_t)) == 0,
          "subsequences", round);
    rb_lanes_free(&portable);
    rb_lanes_free(&neon);
}

int main(void) {
    int round;
    compare_levels();
    for (round = 0; round < ROUNDS; round++) {
        compare_classes(round);
        compare_scanners(round);
        compare_encoders(round);
        compare_masks(round);
        compare_rows(round);
        compare_lanes(round);
    }
    printf("%d rounds are equal\n", ROUNDS);
    return 0;
}
