"""The small functions of sacrebleu; those about test sets are an installed sacrebleu's."""

import math
import os
import sys
from collections.abc import Sequence

from rapidbleu.loading.installed_sacrebleu import import_peer
from rapidbleu.sacrebleu.dataset import DATASETS, SUBSETS
from rapidbleu.sacrebleu.logger import sacrelogger
from rapidbleu.sacrebleu.report import (
    Color,
    _format_score_lines,
    print_results_table,
    print_single_results,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import IO, Any

__all__ = [
    "DATASETS",
    "SACREBLEU_DIR",
    "SUBSETS",
    "USERHOME",
    "Color",
    "_format_score_lines",
    "args_to_dict",
    "download_file",
    "download_test_set",
    "extract_tarball",
    "filter_subset",
    "get_available_origlangs",
    "get_available_subsets",
    "get_available_testsets",
    "get_available_testsets_for_langpair",
    "get_files",
    "get_langpairs_for_testset",
    "get_md5sum",
    "get_reference_files",
    "get_source_file",
    "my_log",
    "print_results_table",
    "print_single_results",
    "print_subset_results",
    "print_test_set",
    "sacrelogger",
    "sanity_check_lengths",
    "smart_open",
    "sum_of_lists",
]

USERHOME = os.path.expanduser("~")
SACREBLEU_DIR = os.environ.get("SACREBLEU", os.path.join(USERHOME, ".sacrebleu"))


def my_log(num: float) -> float:
    """Return the natural logarithm; a very small number for 0.

    Examples
    --------
    >>> my_log(1), my_log(0.0)
    (0.0, -9999999999)
    """
    return -9999999999 if num == 0.0 else math.log(num)


def sum_of_lists(lists: "Sequence[Any]") -> "Any":
    """Return the sums of the columns; a single row is returned as it is.

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


def args_to_dict(args: "Any", prefix: str, strip_prefix: bool = False) -> "dict[str, Any]":
    """Return the attributes of parsed arguments whose names begin with ``prefix_``.

    Examples
    --------
    >>> from argparse import Namespace
    >>> args_to_dict(Namespace(chrf_beta=2, width=1), "chrf", strip_prefix=True)
    {'beta': 2}
    """
    head = f"{prefix}_"
    return {
        name.replace(head, "") if strip_prefix else name: value
        for name, value in vars(args).items()
        if name.startswith(head)
    }


def smart_open(file: str, mode: str = "rt", encoding: str = "utf-8") -> "IO[Any]":
    """Open a file, compressed if its name ends in ``.gz``; only line feeds end lines."""
    if file.endswith(".gz"):
        import gzip

        return gzip.open(  # type: ignore[return-value]
            file, mode=mode, encoding=encoding, newline="\n"
        )
    return open(file, mode=mode, encoding=encoding, newline="\n")


def sanity_check_lengths(
    system: "Sequence[str]", refs: "Sequence[Sequence[str]]", test_set: "str | None" = None
) -> None:
    """Leave the program if streams of references are not as long as a system's output."""
    if all(len(stream) == len(system) for stream in refs):
        return
    sacrelogger.error("System and reference streams have different lengths.")
    if test_set:
        sacrelogger.error(
            f"If the output is complete, the files in {SACREBLEU_DIR}/{test_set} are damaged: "
            "remove them, and sacrebleu downloads them again."
        )
    sys.exit(1)


def get_md5sum(dest_path: "str | os.PathLike[str]") -> str:
    """Return the MD5 sum of a file in hexadecimal digits."""
    import hashlib

    with open(dest_path, "rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest()


def extract_tarball(filepath: str, destdir: str) -> None:
    """Unpack an archive, ``.tar.gz``, ``.tgz`` or ``.zip``, into a folder."""
    _peer().extract_tarball(filepath, destdir)


def _peer() -> "Any":
    return import_peer("utils")


def download_file(
    source_path: str,
    dest_path: str,
    extract_to: "str | None" = None,
    expected_md5: "str | None" = None,
) -> None:
    """Download a file, if it is not there yet, and unpack it."""
    _peer().download_file(source_path, dest_path, extract_to, expected_md5)


def download_test_set(test_set: str, langpair: "str | None" = None) -> "Any":
    """Download a test set, if it is not there yet; return the paths of its files."""
    return _peer().download_test_set(test_set, langpair)


def get_source_file(test_set: str, langpair: str) -> str:
    """Return the path of a test set's source, downloaded if it is not there yet."""
    path: str = _peer().get_source_file(test_set, langpair)
    return path


def get_reference_files(test_set: str, langpair: str) -> "list[str]":
    """Return the paths of a test set's references, downloaded if they are not there yet."""
    paths: list[str] = _peer().get_reference_files(test_set, langpair)
    return paths


def get_files(test_set: str, langpair: str) -> "list[str]":
    """Return the paths of a test set's source and references."""
    paths: list[str] = _peer().get_files(test_set, langpair)
    return paths


def get_langpairs_for_testset(testset: str) -> "list[str]":
    """Return the language pairs of a test set."""
    pairs: list[str] = _peer().get_langpairs_for_testset(testset)
    return pairs


def get_available_testsets() -> "list[str]":
    """Return the names of the test sets."""
    names: list[str] = _peer().get_available_testsets()
    return names


def get_available_testsets_for_langpair(langpair: str) -> "list[str]":
    """Return the names of the test sets that have a language pair."""
    names: list[str] = _peer().get_available_testsets_for_langpair(langpair)
    return names


def get_available_origlangs(test_sets: "str | None", langpair: str) -> "list[str]":
    """Return the original languages that the documents of test sets have."""
    names: list[str] = _peer().get_available_origlangs(test_sets, langpair)
    return names


def get_available_subsets(test_sets: "str | None", langpair: str) -> "list[str]":
    """Return the domains and countries that the documents of test sets have."""
    names: list[str] = _peer().get_available_subsets(test_sets, langpair)
    return names


def filter_subset(
    systems: "Any",
    test_sets: "str | None",
    langpair: "str | None",
    origlang: "str | None",
    subset: "str | None" = None,
) -> "Any":
    """Return the segments of documents with an original language or of a domain."""
    if origlang is None and subset is None:
        return systems
    return _peer().filter_subset(systems, test_sets, langpair, origlang, subset)


def print_test_set(
    test_set: str,
    langpair: str,
    requested_fields: "list[str]",
    origlang: "str | None" = None,
    subset: "str | None" = None,
) -> None:
    """Print fields of a test set, with tabs between them."""
    _peer().print_test_set(test_set, langpair, requested_fields, origlang, subset)


def print_subset_results(
    metrics: "dict[str, Any]", full_system: "Any", full_refs: "Any", args: "Namespace"
) -> None:
    """Print the scores of the parts of test sets."""
    _peer().print_subset_results(metrics, full_system, full_refs, args)
