"""Signs of tables, and byte order marks, at the start of files of segments."""

import logging
import os
import re

from rapidbleu.cli.messages import CommandError
from rapidbleu.streams.files import COMPRESSIONS

MARK = "\ufeff"  # the byte order mark, which UTF-8 does not need
# Tables by the ends of their names: how the first line begins, and what they are.
TABLES = {
    ".jsonl": (rb"\s*[{\[]", "JSON lines"),
    ".ndjson": (rb"\s*[{\[]", "JSON lines"),
    ".json": (rb"\s*[{\[]", "JSON"),
    ".tsv": (rb"[^\n]*\t", "tab-separated values"),
    ".csv": (rb"[^\n]*,", "comma-separated values"),
    ".parquet": (b"PAR1", "Parquet"),
} | dict.fromkeys((".arrow", ".ipc", ".feather"), (rb"ARROW1|\xff{4}|FEA1", "Arrow"))


def ending_of(name: str) -> str:
    """Return the ending of a file in lower case, without the ending of its compression.

    Examples
    --------
    >>> ending_of("scores.TSV.gz")
    '.tsv'
    """
    name = name.lower()
    for ending in COMPRESSIONS:
        name = name.removesuffix(ending)
    return os.path.splitext(name)[1]


def check_table(name: str, data: bytes, refuse: bool, columns: bool = False) -> None:
    """Refuse a table, or warn of it, where each line is to be a segment."""
    ending = ending_of(name)
    start, what = TABLES.get(ending, (b"$.", ""))
    if not re.match(start, data) or (columns and ending in (".tsv", ".csv")):
        return
    message = f"{name}: expected a segment on each line, got {what}"
    if ending not in (".json", ".csv", ".ndjson"):
        message += "; `rapidbleu stats` reads tables, with --ref COLUMN"
    if refuse:
        raise CommandError(message)
    _warn(f"{message}; its lines are scored as they are")


def check_mark(name: str, line: str) -> None:
    """Warn of a byte order mark at the start of the first line."""
    if line.startswith(MARK):
        _warn(
            f"{name}: begins with a byte order mark, which is scored as a character; "
            "-e utf-8-sig reads files without it"
        )


def _warn(message: str) -> None:
    logging.getLogger("rapidbleu").warning("%s", message)
