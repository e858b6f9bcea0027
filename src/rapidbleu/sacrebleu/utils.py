"""Small functions of sacrebleu; those for test sets and printing are an installed sacrebleu's."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

from rapidbleu._lib.installed_sacrebleu import attributes_of, function_of
from rapidbleu._lib.loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any

SACREBLEU_DIR = os.environ.get("SACREBLEU", os.path.join(os.path.expanduser("~"), ".sacrebleu"))


def warn(message: str) -> None:
    """Log a warning as ``sacrebleu``, by which programs silence it."""
    load("logging").getLogger("sacrebleu").warning(message)


def inform(message: str) -> None:
    """Log progress as ``sacrebleu``."""
    load("logging").getLogger("sacrebleu").info(message)


def my_log(num: float) -> float:
    """Return the natural logarithm, or a very small number for 0.

    Examples
    --------
    >>> my_log(1), my_log(0.0)
    (0.0, -9999999999)
    """
    return -9999999999 if num == 0.0 else math.log(num)


def sum_of_lists(lists: Sequence[Any]) -> Any:
    """Return the sums of the columns; a single row is returned unchanged.

    Examples
    --------
    >>> sum_of_lists([[1, 2], [10, 20]])
    [11, 22]
    """
    if len(lists) == 1:
        return lists[0]
    totals = [type(lists[0][0])(0.0)] * len(lists[0])
    for row in lists:
        for i in range(len(totals)):
            totals[i] += row[i]
    return totals


def smart_open(file: str, mode: str = "rt", encoding: str = "utf-8") -> IO[Any]:
    """Open a file, decompressing ``.gz``; only line feeds end lines."""
    if file.endswith(".gz"):
        import gzip

        return gzip.open(  # type: ignore[return-value]
            file, mode=mode, encoding=encoding, newline="\n"
        )
    return open(file, mode=mode, encoding=encoding, newline="\n")


download_test_set = function_of("utils", "download_test_set")
get_source_file = function_of("utils", "get_source_file")
get_reference_files = function_of("utils", "get_reference_files")
get_langpairs_for_testset = function_of("utils", "get_langpairs_for_testset")
get_available_testsets = function_of("utils", "get_available_testsets")
__getattr__ = attributes_of("utils")
