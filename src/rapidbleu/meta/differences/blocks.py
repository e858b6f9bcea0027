"""Trials and resamples in blocks: threads, progress, Ctrl-C."""

from rapidbleu.parallel import in_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from rapidbleu.typing import Progress

SLICE = 8  # blocks of each thread, after which progress is told


def run_blocks(
    work: "Callable[[int, int, list[BaseException]], object]",
    n_blocks: int,
    size: int,
    n: int,
    threads: int,
    progress: "Progress | None",
) -> None:
    """Call ``work(begin, end, stop)`` for ranges of blocks, and tell progress between them.

    Parameters
    ----------
    work : callable
    n_blocks, size, n : int
        Blocks, items of each but the last, and items of all.
    threads : int
    progress : callable or None
        Called with the items done and all of them.

    Examples
    --------
    >>> run_blocks(lambda begin, end, stop: None, 4, 32, 100, 1, print)
    100 100
    """
    step = n_blocks if progress is None else SLICE * threads
    for start in range(0, n_blocks, step):
        end = min(start + step, n_blocks)

        def shifted(begin: int, last: int, stop: "list[BaseException]", start: int = start) -> None:
            work(start + begin, start + last, stop)

        in_parts(shifted, end - start, threads, 1)
        if progress is not None:
            progress(min(end * size, n), n)
