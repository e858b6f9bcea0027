"""Reading ahead: the next batch is read while the last one is scored."""

from __future__ import annotations

from queue import SimpleQueue
from threading import Thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from typing import Any, TypeVar

    _T = TypeVar("_T")

PATIENCE = 1.0  # seconds to wait at an early end for a thread that reads from a slow source


def read_ahead(batches: Iterator[_T]) -> Generator[_T]:
    """Yield what an iterator yields, which a thread of its own asks for one item ahead.

    Examples
    --------
    >>> list(read_ahead(iter(range(3))))
    [0, 1, 2]
    """
    ready: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
    wanted: SimpleQueue[None] = SimpleQueue()
    ended = False

    def work() -> None:
        try:
            while wanted.get() is None and not ended:
                ready.put((next(batches), None))
        except BaseException as error:  # the end is one of them
            ready.put((None, error))
        finally:
            close = getattr(batches, "close", None)
            if close is not None:
                close()

    reader = Thread(target=work, name="rapidbleu-reader", daemon=True)
    reader.start()
    wanted.put(None)
    try:
        while True:
            wanted.put(None)
            batch, error = ready.get()
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            yield batch
    finally:
        ended = True
        wanted.put(None)
        reader.join(PATIENCE)
