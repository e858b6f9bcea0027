"""One job in several threads: parts of a range, done without the GIL, each result kept in place."""

from rapidbleu._core.scoring import extraction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable
    from typing import Any

    from rapidbleu._core.input.columns import Column, ReferenceColumns
    from rapidbleu._core.scoring.extraction import Extractor
    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu.typing import Array, FloatArray, IntArray

# Least segments of one part: an eighth of a millisecond of work, twice the start of a thread.
PART = 256

# Most hypotheses of n-best lists at a time: 20 milliseconds, after which progress is told.
SLICE = 1 << 16


def check_threads(threads: int) -> int:
    """Return a number of threads; 0 stands for all cores this process may use.

    Examples
    --------
    >>> check_threads(2)
    2
    """
    if isinstance(threads, bool) or not isinstance(threads, int):
        raise TypeError(f"threads: expected int, got {type(threads).__name__}")
    if threads < 0:
        raise ValueError(f"threads: expected 0 for all cores, or how many, got {threads}")
    if threads == 0:
        import os

        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    return threads


def in_parts(
    work: "Callable[[int, int, list[BaseException]], Any]", n: int, threads: int, least: int
) -> "list[Any]":
    """Return ``work(begin, end, stop)`` for parts that cover ``range(n)``, in no certain order.

    Parts shrink towards the end, down to `least` items, so that all threads end together. The
    calling thread works too: it gets Ctrl-C, and `stop` tells the others by being no longer empty.
    Of several errors the one of the first part is raised.
    """
    if threads == 1 or n < 2 * least:
        return [work(0, n, [])]
    # `threading.Thread` would wait until each thread runs, as long as 100 segments take.
    from _thread import allocate_lock, start_new_thread

    n_workers = min(threads, n // least)
    try:
        lock = allocate_lock()
    except RuntimeError:  # no memory
        return [work(0, n, [])]
    results: list[Any] = []
    stop: list[BaseException] = []  # ends all work at once; errors let earlier parts finish
    # Where each worker is and how it failed: room made now, as there may be no memory then.
    places = [0] * n_workers
    errors: list[BaseException | None] = [None] * n_workers
    failed = False
    given = 0

    def take() -> tuple[int, int]:
        nonlocal given
        with lock:
            begin = given
            given = begin + max(least, (n - begin) // threads)
            if n - given < least:
                given = n
            return begin, given

    def worker(i: int) -> None:
        nonlocal failed
        try:
            while not failed:
                begin, end = take()
                if begin == end:
                    break
                places[i] = begin
                results.append(work(begin, end, stop))
        except BaseException as error:
            errors[i] = error
            failed = True
            if not isinstance(error, Exception):
                stop.append(error)

    def other(i: int, busy: "Any") -> None:
        with busy:
            worker(i)

    def wait() -> None:
        for busy in others:  # a thread that has not begun yet will find nothing to do
            with busy:
                pass

    others: list[Any] = []
    try:
        for i in range(1, n_workers):
            try:
                others.append(allocate_lock())
                start_new_thread(other, (i, others[-1]))
            except RuntimeError:  # no more threads here: those that run do all
                break
        worker(0)
        wait()
    except BaseException as error:  # Ctrl-C outside of the work
        failed = True
        stop.append(error)
        wait()
    if stop:
        raise stop[0]
    if failed:
        try:
            raise min(
                (place, i, error)
                for i, (place, error) in enumerate(zip(places, errors, strict=True))
                if error is not None
            )[2]
        finally:
            errors.clear()  # their tracebacks hold this list
    return results


def extract(
    extractor: "Extractor",
    hyps: "Column | PreparedReferences",
    refs: "ReferenceColumns | PreparedReferences",
    threads: int,
    rows: "Array | array[int] | None" = None,
    scores: "FloatArray | None" = None,
) -> list[int]:
    """Return the summed statistics of a corpus; fill `rows` and `scores` of its segments, if given.

    Sums of integers do not depend on their order, so neither does the result on `threads`.
    """

    def work(begin: int, end: int, stop: list[BaseException]) -> list[int]:
        return extractor.extract(hyps, refs, begin, end, rows, scores, stop)

    sums = in_parts(work, len(hyps), threads, PART)
    return sums[0] if len(sums) == 1 else [sum(column) for column in zip(*sums, strict=True)]


def extract_nbest(
    extractor: "Extractor",
    hyps: "Column",
    refs: "PreparedReferences",
    segments: "IntArray",
    threads: int,
    progress: "Callable[[int, int], Any] | None" = None,
    rows: "Array | None" = None,
    scores: "FloatArray | None" = None,
    first: int = 0,
) -> None:
    """Fill `rows`, int64 or int32, or `scores` of hypotheses, each against its own segment.

    Each is computed alone, so the result does not depend on `threads`. `first` is the number of
    the first row in errors.
    """
    import numpy as np

    n = len(hyps)
    narrow = rows is not None and rows.dtype == np.int32
    for start in range(0, n, SLICE):

        def work(begin: int, end: int, stop: list[BaseException], start: int = start) -> None:
            begin, end = start + begin, start + end
            out: Any = None if rows is None else rows[begin:end]
            if narrow:
                out = np.empty(out.shape, np.int64)
            own = None if scores is None else scores[begin:end]
            extraction.extract_nbest(extractor, hyps, refs, segments, begin, end, out, own, stop)
            if rows is not None and narrow and not stop:
                rows[begin:end] = narrowed(out, first + begin)

        done = min(start + SLICE, n)
        in_parts(work, done - start, threads, PART)
        if progress is not None:
            progress(done, n)


def narrowed(rows: "Array", first: int = 0) -> "Array":
    """Return int64 rows as int32 ones; `first` is the number of the first one in errors.

    Examples
    --------
    >>> import numpy as np
    >>> narrowed(np.array([[2, 2, 1, 0]]))
    array([[2, 2, 1, 0]], dtype=int32)
    """
    most = 2**31 - 1
    if rows.size and rows.max() > most:
        i, j = next(zip(*(rows > most).nonzero(), strict=True))
        raise ValueError(
            f"rows[{first + i}][{j}]: expected at most {most} for int32, got {rows[i, j]}"
        )
    return rows.astype("int32")
