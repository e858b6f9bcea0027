/* WER, for `rapidbleu vectors --only wer ./wer`. Build it by `cc -o wer examples/vectors/wer.c`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 256, MOST_BYTES = 1 << 16 };

/* Copy the text after the key at or after `from`, whose escaped characters are ASCII; return its
   end, or NULL if the key is absent. */
static const char *next_text(const char *from, const char *key, char *text) {
    const char *p = strstr(from, key);
    if (p == NULL) return NULL;
    for (p = strchr(p + strlen(key), '"') + 1; *p != '"'; p++) {
        if (*p == '\\') {
            p++;
            if (*p == 'n' || *p == 't' || *p == 'r') {
                *text++ = ' ';
            } else if (*p == 'u') {
                *text++ = (char)strtol((char[]){p[1], p[2], p[3], p[4], 0}, NULL, 16);
                p += 4;
            } else {
                *text++ = *p;
            }
        } else {
            *text++ = *p;
        }
    }
    *text = 0;
    return p;
}

static int split(char *text, char **words) {
    int n = 0;
    for (char *word = strtok(text, " \t\n"); word != NULL; word = strtok(NULL, " \t\n")) {
        words[n++] = word;
    }
    return n;
}

static int smaller(int a, int b) { return a < b ? a : b; }

static int edits(char **hyp, int n_hyp, char **ref, int n_ref) {
    int row[MOST_WORDS + 1];
    for (int j = 0; j <= n_ref; j++) row[j] = j;
    for (int i = 0; i < n_hyp; i++) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 0; j < n_ref; j++) {
            int above = row[j + 1];
            int replaced = diagonal + (strcmp(hyp[i], ref[j]) != 0);
            row[j + 1] = smaller(replaced, smaller(above, row[j]) + 1);
            diagonal = above;
        }
    }
    return row[n_ref];
}

int main(void) {
    static char line[MOST_BYTES], hyp_text[MOST_BYTES], ref_text[MOST_BYTES];
    char *hyp[MOST_WORDS], *ref[MOST_WORDS];
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (strstr(line, "\"measure\": \"wer\"") == NULL) {
            puts("null");
            continue;
        }
        int n_errors = 0, n_words = 0;
        const char *p = line;
        while ((p = next_text(p, "\"hypothesis\":", hyp_text)) != NULL) {
            p = next_text(p, "\"references\":", ref_text);
            int n_hyp = split(hyp_text, hyp), n_ref = split(ref_text, ref);
            n_errors += edits(hyp, n_hyp, ref, n_ref);
            n_words += n_ref;
        }
        printf("%.17g\n", (double)n_errors / n_words);
    }
    return 0;
}
