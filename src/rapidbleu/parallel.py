"""One job in several threads: parts of a corpus, scored without the GIL, summed exactly."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu._core.columns import Column
    from rapidbleu._core.extract import Extractor
    from rapidbleu._core.prepared import PreparedReferences
    from rapidbleu._core.reference_columns import ReferenceColumns

# Least segments of one part: a quarter of a millisecond of work, five times what a thread costs.
PART = 512


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


def extract(
    extractor: "Extractor",
    hyps: "Column",
    refs: "ReferenceColumns | PreparedReferences",
    threads: int,
    rows: "Any" = None,
    scores: "Any" = None,
) -> list[int]:
    """Return the summed statistics of a corpus; fill `rows` and `scores` of its segments, if given.

    Sums of integers do not depend on their order, so neither does the result on `threads`. The
    calling thread works too: it gets Ctrl-C, and the others stop after the batch they are at.
    """
    n = len(hyps)
    if threads == 1 or n <= PART:
        return extractor.extract(hyps, refs, 0, n, rows, scores)
    part = max(PART, min(4096, n // (4 * threads)))
    from threading import Lock, Thread

    parts = iter(range(0, n, part))
    lock = Lock()
    sums: list[list[int]] = []
    errors: list[tuple[int, BaseException]] = []
    interrupts: list[BaseException] = []  # end all work at once; errors let earlier parts finish

    def work() -> None:
        begin = 0
        try:
            while not errors:
                with lock:
                    begin = next(parts, n)
                if begin == n:
                    return
                end = min(begin + part, n)
                sums.append(extractor.extract(hyps, refs, begin, end, rows, scores, interrupts))
        except BaseException as error:
            errors.append((begin, error))
            if not isinstance(error, Exception):
                interrupts.append(error)

    others = [Thread(target=work, daemon=True) for _ in range(min(threads, -(-n // part)) - 1)]
    for thread in others:
        thread.start()
    work()
    try:
        for thread in others:
            thread.join()
    except BaseException as error:  # Ctrl-C while waiting
        interrupts.append(error)
    if interrupts:
        raise interrupts[0]
    if errors:
        raise min(errors, key=lambda place_and_error: place_and_error[0])[1]
    return [sum(column) for column in zip(*sums, strict=True)]
