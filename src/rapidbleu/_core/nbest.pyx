"""N-best extraction: many hypotheses for each prepared segment, to rows or scores.

The same steps as in `extract`, with one more index: a number for each hypothesis says which
segment's references it is held against.  Hypotheses of a segment that follow each other find its
references in the first-level cache, and one that was there before is not matched again: see
`repeats`.  In any order the result is the same.

Nothing is shared between two calls but what nobody writes to, so threads take ranges of hypotheses.
A range of rows is written by one thread; memory is that of a workspace and of the repeats.
"""

from libc.stdint cimport int64_t
from libc.string cimport memcpy

from cpython.object cimport PyObject

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.columns cimport (
    Column, Kind, Places, is_arrow, kind_name, same_kind, snapshot,
)
from rapidbleu._core.common cimport poll_signals
from rapidbleu._core.extract cimport Extractor
from rapidbleu._core.kernel cimport Kernel
from rapidbleu._core.prepared cimport PreparedReferences
from rapidbleu._core.reader cimport Reader
from rapidbleu._core.reference_columns cimport ReferenceColumns
from rapidbleu._core.repeats cimport Repeats
from rapidbleu._core.text cimport tokens_clear
from rapidbleu._core.workspace cimport Workspace


def flatten(source, str where not None, str items="hypotheses"):
    """Join lists of segments, one list a group, to a column.

    Parameters
    ----------
    source : sequence of sequences of segments
    where : str
        Names the argument in errors.
    items : str
        What the segments are.

    Returns
    -------
    column : Column
    offsets : list of int
        Those of group i are [offsets[i], offsets[i + 1]).
    """
    cdef list flat = [], offsets = [0]
    if is_arrow(source):
        raise TypeError(f"{where}: expected a sequence of lists of {items}, got one Arrow column")
    for i, several in enumerate(snapshot(source, where, f"lists of {items}")):
        if isinstance(several, str):
            raise TypeError(f"{where}[{i}]: expected a list of {items}, got a single str")
        flat.extend(snapshot(several, f"{where}[{i}]", items))
        offsets.append(len(flat))
        poll_signals()
    return Column(tuple(flat), where, place=Places(where, offsets)), offsets


def check_nbest(Extractor extractor not None, Column hyps not None, refs not None):
    """Refuse hypotheses of another kind than that of the references."""
    cdef Kind kind
    if isinstance(refs, ReferenceColumns):
        kind = (<ReferenceColumns> refs).kind
    else:
        kind = (<PreparedReferences> refs).kind
    extractor.check(None, refs)
    if hyps.length and len(refs) and not same_kind(hyps.kind, kind):
        raise TypeError(
            f"references: expected segments of {kind_name(hyps.kind)} as in hypotheses, "
            f"got {kind_name(kind)}"
        )


def extract_nbest(
    Extractor extractor not None, Column hyps not None, PreparedReferences refs not None, segments,
    Py_ssize_t begin, Py_ssize_t end, rows=None, scores=None, stop=(),
):
    """Statistics or scores of hypotheses [begin, end).

    Parameters
    ----------
    extractor : Extractor
    hyps : Column
    refs : PreparedReferences
    segments : int64 array of shape (len(hyps),)
        Whose references each hypothesis is held against.
    begin, end : int
    rows : int64 array of shape (end - begin, n_stats), C-contiguous, optional
        Written.
    scores : float64 array of shape (end - begin,), optional
        Written: each hypothesis's score as a corpus of its own.
    stop : collection
        Work ends before its time when this is no longer empty.
    """
    cdef Workspace w
    cdef Repeats repeats = None
    cdef Buffer numbers = Buffer(segments, "segments")
    cdef Buffer out = None if rows is None else Buffer(rows, "rows", writable=True)
    cdef Buffer marks = None if scores is None else Buffer(scores, "scores", writable=True)
    cdef int n_stats = extractor.kernel.n_stats
    cdef int64_t* target = NULL
    cdef double* score = NULL
    cdef Py_ssize_t i = begin, n
    if not 0 <= begin <= end <= hyps.length:
        raise ValueError(f"begin, end: expected a range of {hyps.length}, got {begin}, {end}")
    numbers.require(c"i", sizeof(int64_t), hyps.length, "segments")
    if out is not None:
        out.require(c"i", sizeof(int64_t), (end - begin) * n_stats, "rows")
    if marks is not None:
        marks.require(c"f", sizeof(double), end - begin, "scores")
    check_nbest(extractor, hyps, refs)
    if extractor.reader.scanner is not None and hyps.kind == Kind.TEXT:
        repeats = Repeats(end - begin, n_stats, out is None)
    w = extractor.take_workspace()
    w.scratch.stop = <PyObject*> stop
    try:
        while i < end:
            n = extractor.read_batch(w, hyps, None, &w.refs, i, end)
            if out is not None:
                target = <int64_t*> out.data + (i - begin) * n_stats
            if marks is not None:
                score = <double*> marks.data + (i - begin)
            with nogil:
                match_batch(
                    extractor.kernel, extractor.reader, w, repeats, refs,
                    <const int64_t*> numbers.data + i, n, target, score,
                )
            poll_signals()
            if repeats is not None and w.kept:
                repeats.clear()
            i += n
            if stop:
                break
    finally:
        extractor.return_workspace(w)


cdef int match_batch(
    Kernel kernel, Reader reader, Workspace w, Repeats repeats, PreparedReferences refs,
    const int64_t* segments, int64_t n, int64_t* rows, double* scores,
) except -1 nogil:
    """Match a batch that has been read, after scanning it if there are `repeats` to look it up in.

    `rows` and `scores` may be NULL.
    """
    cdef int64_t* block = w.rows   # the rows that await their scores
    cdef int64_t* row
    cdef int n_stats = kernel.n_stats, text = 0
    cdef int64_t k, segment, hyp, n_rows
    cdef bint met = False
    for k in range(n):
        segment, hyp = segments[k], k
        if not 0 <= segment < refs.length:
            with gil:
                raise ValueError(f"segments: expected 0 to {refs.length - 1}, got {segment}")
        if k % w.n_rows == 0 and rows != NULL:
            block = rows + k * n_stats
        row = block + k % w.n_rows * n_stats
        if repeats is not None:
            text = repeats.find(&w.sources[k], segment, &met)
            if not met:
                tokens_clear(&w.hyps)
                reader.scan(&w.sources[k], &w.hyps)
                hyp = 0
        if met:
            memcpy(row, repeats.rows[text], n_stats * sizeof(int64_t))
        else:
            kernel.segment(
                &w.hyps, hyp, &refs.tokens, refs.first[segment], refs.first[segment + 1], row,
                &w.scratch,
            )
            if repeats is not None:
                repeats.keep(text, row)
        if scores != NULL and (k + 1 == n or (k + 1) % w.n_rows == 0):
            n_rows = k % w.n_rows + 1
            kernel.score_block(block, n_rows, scores + k + 1 - n_rows, w.cache.entries)
    return 0
