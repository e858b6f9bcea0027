/* Rules as bit algebra; text/scan.h includes it per level, defining RB_MARK and RB_OF_LEVEL. */

/* Append the tokens of t->text[begin:end] (padded): RB_SCANNED, RB_WALK or RB_ESCAPED where algebra
 * does not suffice, or -1 with an exception set. */
RB_MARK static int RB_OF_LEVEL(rb_scan)(const rb_scan_rule *rule, rb_tokens *t, int64_t begin,
                                        int64_t end, int escapes) {
    const rb_class_table *table = rule->table;
    uint8_t *text = t->text;
    uint64_t next_boundary = 0; /* set by a block for the next */
    uint64_t was_token = 0, was_digit = 0, was_taken = 0;
    uint64_t no_first_rule = !rule->pad; /* nothing precedes the first character */
    int64_t open_token = -1, base;
    rb_cursor cursor, roof;
    if (rb_open_cursor(t, &cursor, &roof) < 0) return -1;
    for (base = begin; base < end; base += 64) {
        uint64_t planes[RB_PLANES], boundary = next_boundary;
        uint64_t token, after_token, before_digit, after_digit, first_rule, alone, starts, ends;
        if (rb_poll_due(base + 63 - begin, RB_POLL_CELLS) && rb_poll_without_gil(NULL) < 0)
            return -1;
        RB_OF_LEVEL(rb_classify)(table, text + base, planes);
        next_boundary = 0;
        if (planes[RB_P_RARE] | planes[RB_P_LEAD]) {
            rb_wide_marks marks;
            if (planes[RB_P_RARE] && (escapes || memchr(text + base, 0, 64) != NULL))
                return escapes ? RB_ESCAPED : RB_WALK;
            marks = rb_place_wide(table, text + base, planes[RB_P_LEAD]);
            if (marks.walk) return RB_WALK;
            planes[RB_P_SPACE] |= marks.spaces;
            boundary |= marks.boundary;
            next_boundary = marks.next_boundary;
        }
        token = ~planes[RB_P_SPACE];
        after_digit = planes[RB_P_DIGIT] << 1 | was_digit;
        before_digit = planes[RB_P_DIGIT] >> 1
                     | (table->spread[text[base + 64]] >> (8 * RB_P_DIGIT) & 1) << 63;
        if (!rule->pad && end - base <= 64) /* nothing follows the last character */
            before_digit |= UINT64_C(1) << (end - base - 1);
        first_rule = planes[RB_P_POINT] & ~(after_digit | no_first_rule);
        if (first_rule & (first_rule << 1 | was_taken))
            first_rule = rb_every_second(first_rule, was_taken);
        alone = planes[RB_P_SYMBOL] | first_rule | (planes[RB_P_POINT] & ~before_digit)
              | (planes[RB_P_DASH] & after_digit);
        after_token = token << 1 | was_token;
        boundary |= alone | alone << 1;
        next_boundary |= alone >> 63;
        starts = token & (~after_token | boundary);
        ends = after_token & (~token | boundary);
        was_token = token >> 63;
        was_digit = planes[RB_P_DIGIT] >> 63;
        was_taken = first_rule >> 63;
        no_first_rule = 0;
        if (cursor.lo > roof.lo || cursor.longs > roof.longs) {
            rb_close_cursor(t, &cursor);
            if (rb_open_cursor(t, &cursor, &roof) < 0) return -1;
        }
        if (open_token >= 0 && ends) {
            const int64_t at = base + rb_ctz(ends);
            rb_emit_token(text + open_token, open_token, (int32_t)(at - open_token), &cursor);
            ends &= ends - 1;
            open_token = -1;
        }
        starts = RB_OF_LEVEL(rb_emit)(text + base, base, starts, ends, rule->characters,
                                       &cursor);
        if (starts) open_token = base + rb_ctz(starts);
    }
    if (open_token >= 0) /* the text filled its last block */
        rb_emit_token(text + open_token, open_token, (int32_t)(end - open_token), &cursor);
    rb_close_cursor(t, &cursor);
    rb_hash_longs(t);
    return RB_SCANNED;
}

/* The words of chrF are separated by white space. A word of two or more characters loses its last
 * character to a token of its own if that is a SYMBOL (ASCII punctuation), otherwise its first one
 * if that is. The following character shows which bits are last in a word. Words that begin with a
 * mark are rare, hence examined one by one. */

/* Append the words of t->text[begin:end] (padded): RB_SCANNED, RB_WALK for NUL (RARE), or -1. */
RB_MARK static int RB_OF_LEVEL(rb_scan_words)(const rb_class_table *table, rb_tokens *t,
                                              int64_t begin, int64_t end) {
    uint8_t *text = t->text;
    uint64_t was_token = 0;
    int64_t open_token = -1, base;
    int length, begins_with_mark = 0; /* of the open token, which may be split at its end */
    rb_cursor cursor, roof;
    if (rb_open_cursor(t, &cursor, &roof) < 0) return -1;
    for (base = begin; base < end || open_token >= 0; base += 64) { /* spaces follow the end */
        uint64_t planes[RB_PLANES], token, after_token, last, marks, split, firsts, starts, ends;
        if (rb_poll_due(base + 63 - begin, RB_POLL_CELLS) && rb_poll_without_gil(NULL) < 0)
            return -1;
        RB_OF_LEVEL(rb_classify)(table, text + base, planes);
        if (planes[RB_P_RARE]) return RB_WALK;
        if (planes[RB_P_LEAD])
            planes[RB_P_SPACE] |= rb_place_wide(table, text + base, planes[RB_P_LEAD]).spaces;
        token = ~planes[RB_P_SPACE];
        after_token = token << 1 | was_token;
        last = token & ~(token >> 1);
        if (!(rb_class_at(table, text + base + 64, &length) & RB_SPACE)) last &= ~UINT64_C(0) >> 1;
        starts = token & ~after_token;
        ends = after_token & ~token;
        was_token = token >> 63;
        marks = planes[RB_P_SYMBOL];
        split = last & marks & ~starts;
        firsts = starts & marks & ~last;
        starts |= split;
        ends |= split;
        if (cursor.lo > roof.lo || cursor.longs > roof.longs) {
            rb_close_cursor(t, &cursor);
            if (rb_open_cursor(t, &cursor, &roof) < 0) return -1;
        }
        if (open_token >= 0 && ends) {
            const uint64_t at = ends & (0 - ends);
            const int64_t stop = base + rb_ctz(ends);
            if (begins_with_mark && !(split & at)) {
                rb_emit_token(text + open_token, open_token, 1, &cursor);
                open_token++;
            }
            rb_emit_token(text + open_token, open_token, (int32_t)(stop - open_token), &cursor);
            ends ^= at;
            open_token = -1;
            begins_with_mark = 0;
        }
        for (; firsts; firsts &= firsts - 1) {
            const uint64_t first = firsts & (0 - firsts), lasts = last & (0 - first);
            if (lasts == 0) {
                begins_with_mark = 1;
            } else if (!(lasts & (0 - lasts) & marks)) {
                starts |= first << 1;
                ends |= first << 1;
            }
        }
        starts = RB_OF_LEVEL(rb_emit)(text + base, base, starts, ends, 0, &cursor);
        if (starts) open_token = base + rb_ctz(starts);
    }
    rb_close_cursor(t, &cursor);
    rb_hash_longs(t);
    return RB_SCANNED;
}
