"""METEOR, release 1.5: rows of segments and scores of rows, equal to the original program's."""

from libc.math cimport pow
from libc.stdint cimport int32_t, int64_t, int8_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memset

from rapidbleu._core.common cimport hash_key, poll_signals
from rapidbleu._core.metrics cimport ScratchC
from rapidbleu._core.metrics.kernel cimport BestReferenceKernel
from rapidbleu._core.text cimport TokensC, token_identity, tokens_free
from rapidbleu._core.text.tokenize cimport TextScanner, tokens_open


cdef extern from "meteor/vocabulary.h" nogil:
    ctypedef struct WordC "rb_word":
        int32_t stem
        int32_t phrase
        int32_t n_sets
        uint64_t sets_hashed
        int64_t record
        int8_t is_known
        int8_t is_function
    ctypedef struct VocabularyC "rb_vocabulary":
        TokensC text
        WordC* words
    int64_t vocabulary_find "rb_vocabulary_find" (
        const VocabularyC* v, const TokensC* texts, uint64_t identity, const void* record
    ) noexcept
    int64_t vocabulary_string "rb_vocabulary_string" (
        VocabularyC* v, const char* string, int64_t length
    ) except -1
    const char* vocabulary_bytes "rb_vocabulary_bytes" (
        const VocabularyC* v, int64_t word, char* room, int64_t* length
    ) noexcept
    int vocabulary_add_set "rb_vocabulary_add_set" (
        VocabularyC* v, int64_t word, int64_t set
    ) except -1
    enum:
        MOST_MODULES "RB_MOST_MODULES"
        EXACT "RB_EXACT"
        STEM "RB_STEM"
        SYNONYM "RB_SYNONYM"
        PARAPHRASE "RB_PARAPHRASE"
    ctypedef struct SideC "rb_side":
        int32_t* numbers
        int64_t n
    ctypedef struct MatchC "rb_match":
        int32_t ref_start, ref_len, hyp_start, hyp_len, module
    ctypedef struct CandidatesC "rb_candidates":
        SideC hyp
        SideC ref


cdef extern from "meteor/phrases.h" nogil:
    enum:
        LONGEST_PHRASE "RB_LONGEST_PHRASE"
    ctypedef struct PhrasesC "rb_phrases":
        VocabularyC words
        int64_t n_pairs
        int32_t* first
    int phrases_init "rb_phrases_init" (
        PhrasesC* p, const uint64_t* keys, uint64_t secret
    ) except -1
    void phrases_free "rb_phrases_free" (PhrasesC* p) noexcept
    int64_t phrases_memory "rb_phrases_memory" (const PhrasesC* p) noexcept
    int64_t phrases_add "rb_phrases_add" (
        PhrasesC* p, const char* line, int64_t length
    ) except -1
    int phrases_pair "rb_phrases_pair" (PhrasesC* p, int64_t phrase, int64_t other) except -1
    int phrases_sort "rb_phrases_sort" (PhrasesC* p) except -1


cdef extern from "meteor/statistics.h" nogil:
    enum:
        HYP_WORDS "RB_HYP_WORDS"
        REF_WORDS "RB_REF_WORDS"
        HYP_FUNCTION "RB_HYP_FUNCTION"
        BY_MODULE "RB_BY_MODULE"
        CHUNKS "RB_CHUNKS"
        HYP_MATCHED "RB_HYP_MATCHED"
        REF_MATCHED "RB_REF_MATCHED"
    ctypedef struct AlignerC "rb_aligner":
        VocabularyC words
    ctypedef struct PairC "rb_pair":
        CandidatesC candidates
        MatchC* matches
    AlignerC* aligner_of "rb_aligner_of" (ScratchC* s, const TokensC* texts) except NULL
    int64_t pair_open "rb_pair_open" (
        PairC* pair, AlignerC* a, const TokensC* hyps, int64_t hyp, const TokensC* refs,
        int64_t ref, ScratchC* s,
    ) except -1
    int pair_row "rb_pair_row" (
        PairC* pair, AlignerC* a, const int* modules, int n_modules, const PhrasesC* phrases,
        int64_t* row, ScratchC* s,
    ) except -1


cdef extern from "meteor/normalize.h" nogil:
    enum:
        MARKS_OTHER "RB_MARKS_OTHER"
        MARKS_EN "RB_MARKS_EN"
        MARKS_FR "RB_MARKS_FR"
    ctypedef struct MarksC "rb_marks":
        uint32_t* line
        int64_t n
    void marks_free "rb_marks_free" (MarksC* m) noexcept
    enum:
        PREFIX "RB_PREFIX"
        PREFIX_OF_DIGITS "RB_PREFIX_OF_DIGITS"
    ctypedef struct PrefixesC "rb_prefixes":
        pass
    int prefixes_init "rb_prefixes_init" (
        PrefixesC* p, int64_t n, int64_t n_characters
    ) except -1
    void prefixes_free "rb_prefixes_free" (PrefixesC* p) noexcept
    void prefixes_add "rb_prefixes_add" (PrefixesC* p, uint32_t character) noexcept
    void prefixes_close "rb_prefixes_close" (PrefixesC* p, int kind, int is_last) noexcept
    int normalize_line "rb_normalize_line" (
        MarksC* m, const uint8_t* text, const uint8_t* end, int language,
        const PrefixesC* prefixes,
    ) except -1
    int normalize "rb_normalize" (
        TokensC* t, int64_t begin, int64_t end, MarksC* m, int language,
        const PrefixesC* prefixes,
    ) except -1


MODULES = {"exact": EXACT, "stem": STEM, "synonym": SYNONYM, "paraphrase": PARAPHRASE}

COLUMNS = (
    "hyp_len", "ref_len", "hyp_function_words", "ref_function_words",
    *(
        f"{side}_{kind}_{place}"
        for place in range(1, MOST_MODULES + 1) for kind in ("content", "function")
        for side in ("hyp", "ref")
    ),
    "chunks", "hyp_matches", "ref_matches",
)

cdef uint64_t KEY = hash_key()


# Paraphrases from METEOR's files: three lines a pair, the first of which is unused.
cdef class PhraseTable:
    """Phrases and their paraphrases; read first, then usable from any number of threads."""

    cdef PhrasesC table
    cdef int64_t phrase     # of the pair being read
    cdef int64_t n_lines    # read so far

    def __cinit__(self):
        cdef TokensC keys
        try:
            tokens_open(&keys)
            phrases_init(&self.table, keys.keys, KEY)
        finally:
            tokens_free(&keys)

    def __dealloc__(self):
        phrases_free(&self.table)

    def __len__(self):
        return self.table.n_pairs

    def __sizeof__(self):
        return phrases_memory(&self.table)

    def read(self, bytes lines not None, /):
        """Read whole lines of UTF-8: a number, a phrase, its paraphrase, and so on.

        A pair may continue in the next call. ValueError if a phrase exceeds the longest known one.
        """
        cdef const char* begin = lines
        cdef const char* end = begin + len(lines)
        cdef const char* stop
        if self.table.first != NULL:
            raise ValueError("lines: expected a table that is not closed")
        with nogil:
            while begin < end:
                stop = <const char*> memchr(begin, 10, end - begin)
                stop = end if stop == NULL else stop
                if self.n_lines % 3 == 1:
                    self.phrase = self.add(begin, stop - begin)
                elif self.n_lines % 3 == 2:
                    phrases_pair(&self.table, self.phrase, self.add(begin, stop - begin))
                self.n_lines += 1
                begin = stop + 1
        poll_signals()

    cdef int64_t add(self, const char* line, int64_t length) except -1 nogil:
        cdef int64_t phrase = phrases_add(&self.table, line, length)
        if phrase == -2:
            with gil:
                raise ValueError(
                    f"line {self.n_lines + 1}: expected a phrase of at most {LONGEST_PHRASE} words"
                )
        return phrase

    def close(self):
        """Finish reading; ValueError if the last pair is incomplete."""
        if self.n_lines % 3 != 0:
            raise ValueError(f"lines: expected three for each pair; got {self.n_lines} in all")
        phrases_sort(&self.table)


cdef enum:
    MOST_WORDS = 1 << 18  # remembered


cdef class WordKnowledge:
    """Properties of words, each computed once.

    `stem`, if any, maps str to str, and with `of_bytes` ASCII to ASCII as bytes, which is faster;
    `function_words` are in lower case; `synonyms`, if any, maps str to ascending numbers of synonym
    sets. Beyond 2**18 words all are forgotten. Thread-safe if the functions are.
    """

    cdef object stem
    cdef object synonyms
    cdef frozenset function_words
    cdef Py_ssize_t longest  # function word
    cdef bint of_bytes
    cdef dict known

    def __cinit__(
        self, stem, frozenset function_words not None, synonyms, bint of_bytes=False, /
    ):
        self.stem, self.function_words, self.synonyms = stem, function_words, synonyms
        self.longest = max(map(len, function_words), default=0)
        self.of_bytes = of_bytes
        self.known = {}

    cdef tuple ask(self, bytes word):
        """Return stem, whether it is a function word, and numbers of synonym sets, in UTF-8."""
        cdef bint plain = self.of_bytes and word.isascii()
        cdef bint is_function = False
        known = self.known.get(word)
        if known is not None:
            return <tuple> known
        stem, name, sets = None, None, ()
        if not plain or len(word) <= self.longest or self.synonyms is not None:
            name = word.decode("utf-8", "surrogatepass")
            is_function = name.lower() in self.function_words
        if plain:
            stem = self.stem(word)
        elif self.stem is not None:
            stem = self.stem(name)
            if not isinstance(stem, str):
                raise TypeError(f"stem: expected str for {name!r}; got {type(stem).__name__}")
            stem = (<str> stem).encode("utf-8", "surrogatepass")
        if self.synonyms is not None:
            sets = self.synonyms(name)
        if len(self.known) >= MOST_WORDS:
            self.known.clear()
        known = stem, is_function, sets
        self.known[word] = known
        return <tuple> known


# A row contains the 23 statistics of the program, which computes corpus scores from sums of rows: a
# segment whose words are all matched in one chunk adds no chunk to them. Python is asked once for
# each different word: for its stem, whether it is a function word, and for its synonym sets.
cdef enum:
    PRECISION, RECALL, F_MEAN, PENALTY, N_PARTS


cdef class MeteorKernel(BestReferenceKernel):
    """Compiled METEOR.

    `parameters` are alpha, beta, gamma and delta. `modules` are distinct keys of `MODULES` in their
    order, and have a weight each. Without `knowledge` only equal words match, and none is a
    function word; `phrases` must be closed. With `perfect_is_whole`, a segment whose words all
    match in one chunk has no penalty, and with `perfect_in_sums` adds no chunk to sums. Immutable;
    thread-safe if `knowledge` is.
    """

    cdef double alpha
    cdef double beta
    cdef double gamma
    cdef double delta
    cdef double[MOST_MODULES] weights
    cdef int[MOST_MODULES] modules
    cdef int n_modules
    cdef bint perfect_in_sums   # do perfect segments omit their chunk from sums?
    cdef bint perfect_is_whole  # have they no penalty?
    cdef WordKnowledge knowledge
    cdef PhraseTable phrases
    cdef public list matches  # of the last reference, unless None; for one thread at a time

    def __cinit__(
        self, parameters, weights, modules, WordKnowledge knowledge, PhraseTable phrases,
        bint perfect_is_whole, bint perfect_in_sums, /,
    ):
        cdef int side
        self.state(COLUMNS)
        for side in range(2):
            self.limit(HYP_FUNCTION + side, HYP_WORDS + side)
            self.limit(HYP_MATCHED + side, HYP_WORDS + side)
        self.alpha, self.beta, self.gamma, self.delta = parameters
        if not 1 <= len(modules) <= MOST_MODULES or len(weights) != len(modules):
            raise ValueError(f"modules: expected 1 to {MOST_MODULES} and a weight for each")
        for i, module in enumerate(modules):
            self.modules[i] = MODULES[module]
            self.weights[i] = weights[i]
        self.n_modules = len(modules)
        if "paraphrase" in modules and (phrases is None or phrases.table.first == NULL):
            raise ValueError("phrases: expected a closed table")
        self.knowledge = knowledge
        self.phrases = phrases
        self.perfect_is_whole = perfect_is_whole
        self.perfect_in_sums = perfect_in_sums
        self.no_ids = knowledge is not None or phrases is not None

    cdef int count(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, int64_t* row,
        ScratchC* scratch,
    ) except -1 nogil:
        cdef AlignerC* aligner = aligner_of(scratch, hyps)
        cdef PairC pair
        if pair_open(&pair, aligner, hyps, hyp, refs, ref, scratch) > 0 and self.no_ids:
            with gil:
                self.describe_words(aligner, &pair)
        pair_row(
            &pair, aligner, self.modules, self.n_modules,
            NULL if self.phrases is None else &self.phrases.table, row, scratch,
        )
        if self.matches is not None:
            with gil:
                self.matches = matches_of(pair.matches, pair.candidates.ref.n)
        if self.perfect_in_sums and is_perfect(row):
            row[CHUNKS] = 0
        return 0

    cdef int describe_words(self, AlignerC* aligner, const PairC* pair) except -1:
        cdef const SideC* side = &pair.candidates.hyp
        cdef int64_t i
        cdef int _
        for _ in range(2):
            for i in range(side.n):
                if not aligner.words.words[side.numbers[i]].is_known:
                    self.describe_word(aligner, side.numbers[i])
            side = &pair.candidates.ref
        return 0

    cdef int describe_word(self, AlignerC* aligner, int64_t word) except -1:
        cdef VocabularyC* words = &aligner.words
        cdef char[8] room
        cdef int64_t length, stem
        cdef const char* text = vocabulary_bytes(words, word, room, &length)
        cdef WordC* own
        if self.phrases is not None:
            words.words[word].phrase = number_in(&self.phrases.table.words, words, word)
        if self.knowledge is not None:
            stem_text, is_function, sets = self.knowledge.ask(text[:length])
            if stem_text is not None:
                stem = vocabulary_string(words, <bytes> stem_text, len(stem_text))  # may move words
                words.words[word].stem = <int> stem
            own = &words.words[word]
            own.is_function = is_function
            own.n_sets, own.sets_hashed = 0, 0
            for number in sets:
                vocabulary_add_set(words, word, number)
        words.words[word].is_known = True
        return 0

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        cdef double[N_PARTS] parts
        return self.score_parts(row, parts)

    cdef double score_parts(self, const int64_t* row, double* parts) noexcept nogil:
        """Compute precision, recall, mean, penalty and score, in the program's order."""
        cdef double[2] both
        cdef double rest = 1.0 - self.delta, total, length, chunks, f_mean
        cdef int side, k
        for side in range(2):
            total = 0.0
            for k in range(self.n_modules):
                total += row[BY_MODULE + 4 * k + side] * self.weights[k] * self.delta
            for k in range(self.n_modules):
                total += row[BY_MODULE + 4 * k + 2 + side] * self.weights[k] * rest
            length = self.delta * <double> (row[HYP_WORDS + side] - row[HYP_FUNCTION + side])
            length += rest * <double> row[HYP_FUNCTION + side]
            both[side] = total / length if length > 0.0 else 0.0
        chunks = <double> row[CHUNKS]
        if self.perfect_is_whole and is_perfect(row):
            chunks = 0.0
        parts[PRECISION], parts[RECALL] = both[0], both[1]
        parts[F_MEAN] = parts[PENALTY] = 0.0
        if row[HYP_MATCHED] + row[REF_MATCHED] > 0:
            chunks /= <double> (row[HYP_MATCHED] + row[REF_MATCHED]) / 2.0
            parts[PENALTY] = self.gamma * pow(chunks, self.beta)
        if not (both[0] > 0.0 and both[1] > 0.0):
            return 0.0
        f_mean = 1.0 / ((1.0 - self.alpha) / both[0] + self.alpha / both[1])
        parts[F_MEAN] = f_mean
        total = f_mean * (1.0 - parts[PENALTY])
        return 100.0 * total if total > 0.0 else 0.0

    cdef describe_row(self, const int64_t* row):
        cdef double[N_PARTS] parts
        cdef double score = self.score_parts(row, parts)
        return (
            score, 100.0 * parts[PRECISION], 100.0 * parts[RECALL], 100.0 * parts[F_MEAN],
            parts[PENALTY], row[CHUNKS], row[HYP_MATCHED], row[REF_MATCHED], row[HYP_WORDS],
            row[REF_WORDS],
        )


cdef list matches_of(const MatchC* m, int64_t n):
    """The place in `modules`, first word and number of words on each side, of each match."""
    cdef int64_t i
    found = []
    for i in range(n):
        if m[i].hyp_len > 0:
            found.append((m[i].module, m[i].hyp_start, m[i].hyp_len, m[i].ref_start, m[i].ref_len))
    return found


cdef int number_in(const VocabularyC* table, const VocabularyC* words, int64_t word) noexcept:
    """Return the number, from 1, of a word of one vocabulary in another, or 0."""
    cdef int64_t record = words.words[word].record
    return <int> vocabulary_find(
        table, &words.text, token_identity(&words.text, word),
        NULL if record < 0 else &words.text.longs[record],
    ) + 1


cdef inline bint is_perfect(const int64_t* row) noexcept nogil:
    """Do all words match, in one chunk?"""
    return (
        row[HYP_MATCHED] == row[HYP_WORDS] and row[REF_MATCHED] == row[REF_WORDS]
        and row[CHUNKS] == 1
    )


cdef extern from "Python.h":
    str PyUnicode_FromKindAndData(int kind, const void* buffer, Py_ssize_t n)


cdef str CONTROLS = "".join(map(chr, range(33)))


cdef class MeteorScanner(TextScanner):
    """METEOR's normalization; apostrophes in ``en`` and ``fr`` have rules of their own.

    `prefixes` are words that keep a final dot: True, always; False, before a digit.
    """

    cdef PrefixesC prefixes
    cdef int rules

    def __cinit__(self, str language not None, dict prefixes not None, /):
        cdef list words = sorted(prefixes)
        cdef Py_ssize_t i
        cdef uint32_t character
        prefixes_init(&self.prefixes, len(words), sum(map(len, words)))
        for i in range(len(words)):
            for character in <str> words[i]:
                prefixes_add(&self.prefixes, character)
            prefixes_close(
                &self.prefixes, PREFIX if prefixes[words[i]] else PREFIX_OF_DIGITS,
                i == len(words) - 1,
            )
        self.rules = (
            MARKS_EN if language == "en" else MARKS_FR if language == "fr" else MARKS_OTHER
        )

    def __dealloc__(self):
        prefixes_free(&self.prefixes)

    cdef int scan(self, TokensC* t, int64_t begin, int64_t end) except -1 nogil:
        cdef MarksC marks
        memset(&marks, 0, sizeof(marks))
        try:
            return normalize(t, begin, end, &marks, self.rules, &self.prefixes)
        finally:
            marks_free(&marks)

    def tokens(self, str text not None, /):
        cdef bytes encoded = text.encode("utf-8", "surrogatepass")
        cdef const uint8_t* begin = encoded
        cdef const uint8_t* end = begin + len(encoded)
        cdef MarksC marks
        cdef str line
        memset(&marks, 0, sizeof(marks))
        try:
            with nogil:
                normalize_line(&marks, begin, end, self.rules, &self.prefixes)
            line = PyUnicode_FromKindAndData(4, marks.line, marks.n)
        finally:
            marks_free(&marks)
        return [word for word in line.strip(CONTROLS).lower().split(" ") if word]
