/* The words of chrF as bit algebra, compiled once for each level: this file is included by text/scan.h
 * with RB_MARK and RB_OF_LEVEL(name) defined, and says nothing by itself.
 *
 * Words are what white space separates.  Of a word of two characters or more, the last character is
 * split off if it is a SYMBOL (a mark of ASCII punctuation), or else the first one if that is.  Last
 * characters of words are bits that the character behind each tells.  Words that begin with a mark are
 * rare, so they are looked at one by one: those that go on in the next block, where they end. */

/* Append the words of t->text[begin:end], which is padded: RB_SCANNED, or RB_WALK where there is NUL,
 * which is RARE, or -1 with an exception set. */
RB_MARK static int RB_OF_LEVEL(rb_scan_words)(const rb_class_table *table, rb_tokens *t,
                                              int64_t begin, int64_t end) {
    uint8_t *text = t->text;
    uint64_t was_token = 0;
    int64_t open_token = -1, base;
    int length, begins_with_mark = 0; /* the open token, which may be split where it ends */
    rb_cursor cursor, roof;
    if (rb_open_cursor(t, &cursor, &roof) < 0) return -1;
    for (base = begin; base < end || open_token >= 0; base += 64) { /* there are spaces behind the end */
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
