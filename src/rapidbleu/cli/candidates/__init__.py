"""The commands that choose among candidates: minimum Bayes risk, and oracles.

Both read candidates, a segment at a time, from files of three forms. An n-best list names the
segment of each line. Without one, some consecutive lines of each of one or more files belong to a
segment.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from rapidbleu.cli.files import check_lengths, iter_segments, name_of_input
from rapidbleu.cli.messages import CommandError
from rapidbleu.cli.options import MOST, WHOLE, Parser, add_threads, at_least, shard
from rapidbleu.printing.results import json_list
from rapidbleu.printing.tables import delimited

FORMS = ("text", "tsv", "json")
OPTION = "-n/--num-candidates"
# A line of an n-best list: the number of the segment, and all behind it.
LINE = re.compile(r"\s*([0-9]{1,18})\s*\|\|\|(.*)", re.DOTALL)
FILES = (
    "Candidates are an n-best list, whose lines are 'segment ||| text ||| ...', sorted by segment; "
    "or N consecutive lines of a file for each segment (-n N); or several files, in each of which "
    "a line is a candidate of the segment of that number. Files may be plain, .gz, .bz2, .xz or "
    ".zst; - is standard input."
)


def add_options(parser: Parser, shard_help: str) -> None:
    """Add the options but those of metrics."""
    add = parser.add_argument
    add("input", nargs="+", metavar="FILE", help="the candidates")
    add(*OPTION.split("/"), type=at_least(1, MOST), metavar="N",
        help="consecutive lines of each file that belong to a segment (default: 1 of several "
        "files)")  # fmt: skip
    add("--shard", type=shard, default=WHOLE, metavar="I/N", help=shard_help)
    add("-e", "--encoding", default="utf-8", help="of all files and stdin (default: utf-8)")
    add("-f", "--format", choices=FORMS, default="text",
        help="text: the chosen ones, a line each; tsv and json: also which they are, counted from "
        "1 (default: text)")  # fmt: skip
    add("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")
    add_threads(parser)
    add("-q", "--quiet", action="store_true", help="no messages, no progress bar")


# Input


def iter_groups(
    paths: Sequence[str], n_each: int | None, encoding: str, first: int | None = None
) -> Iterator[list[str]]:
    """Yield the candidates of each segment.

    Parameters
    ----------
    paths : sequence of str
        An n-best list, or files with the candidates of all segments, a line each; ``-`` is standard
        input.
    n_each : int or None
        How many lines of each file belong to a segment; None: of an n-best list any number, of
        several files one.
    encoding : str
    first : int, optional
        What an n-best list has to call its first segment; anything by default.

    Raises
    ------
    CommandError
        If there are no candidates, or some are missing.
    """
    names = [name_of_input(path) for path in paths]
    streams: list[Iterator[str]] = []
    lists = []
    for path, name in zip(paths, names, strict=True):
        stream = iter_segments(path, encoding)
        head = list(islice(stream, 1))
        streams.append(chain(head, stream))
        if head and LINE.match(head[0]):
            lists.append(name)
    if len(paths) > 1 and lists:
        raise CommandError(f"{lists[0]}: an n-best list is read alone, got {len(paths)} files")
    if n_each is not None and lists:
        raise CommandError(f"{OPTION}: not with an n-best list such as {lists[0]}")
    groups = (
        _groups_of_list(names[0], streams[0], first)
        if len(paths) == 1 and n_each is None
        else _groups_of_lines(names, streams, n_each or 1)
    )
    empty = True
    for group in groups:
        empty = False
        yield group
    if empty:
        raise CommandError(f"{names[0]}: no candidates")


def _groups_of_list(name: str, lines: Iterator[str], first: int | None) -> Iterator[list[str]]:
    """Yield the texts of each run of lines with the same number, which rises by one."""
    group: list[str] = []
    current = None if first is None else first - 1
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        where = f"{name}, line {number}"
        found = LINE.match(line)
        if found is None:
            advice = "" if number > 1 else f" (or {OPTION}, or several files)"
            expected = f"expected 'segment ||| text ||| ...'{advice}"
            raise CommandError(f"{where}: {expected}, got {line!r}")
        segment = int(found[1])
        if current is not None and segment not in (current, current + 1):
            wanted = f"{current} or {current + 1}" if group else str(current + 1)
            raise CommandError(
                f"{where}: expected segment {wanted}, as candidates are sorted by segment and "
                f"none lacks them, got {segment}"
            )
        if segment != current and group:
            yield group
            group = []
        current = segment
        group.append(found[2].partition("|||")[0].lstrip(" ").rstrip())
    if group:
        yield group


def _groups_of_lines(
    names: list[str], streams: list[Iterator[str]], n_each: int
) -> Iterator[list[str]]:
    """Yield the next lines of all files, as long as each has as many as it should."""
    n_before = 0
    while True:
        parts = [list(islice(stream, n_each)) for stream in streams]
        if not all(len(part) == n_each for part in parts):
            break
        yield list(chain.from_iterable(parts))
        n_before += n_each
    n_lines = [
        n_before + len(part) + sum(1 for _ in stream)
        for part, stream in zip(parts, streams, strict=True)
    ]
    for name, n in zip(names, n_lines, strict=True):
        if n % n_each:
            raise CommandError(
                f"{OPTION}: expected {n_each} lines for each segment, but {name} has {n} lines"
            )
    check_lengths(zip(names, [n // n_each for n in n_lines], strict=True))


# Output


def written(
    choices: Iterable[dict[str, Any]], form: str, columns: Sequence[str] | None
) -> Iterator[str]:
    r"""Yield the parts of the output, as choices come.

    Parameters
    ----------
    choices : iterable of dict
        The choice of each segment, with a ``text``.
    form : str
        One of `FORMS`.
    columns : sequence of str or None
        The header of a table; None for a table without one.

    Examples
    --------
    >>> choices = [{"segment": 1, "text": "a cat"}, {"segment": 2, "text": "b"}]
    >>> "".join(written(choices, "tsv", ["segment", "text"]))
    'segment\ttext\n1\ta cat\n2\tb\n'
    """
    if form == "json":
        yield from json_list(map(as_json, choices))
    elif form == "tsv":
        if columns is not None:
            yield delimited([*columns], [], "\t", exact=True)
        for choice in choices:
            yield delimited([str(cell) for cell in choice.values()], [], "\t", exact=True)
    else:
        for choice in choices:
            yield f"{choice['text']}\n"


def as_json(content: dict[str, Any]) -> str:
    """Return an object of JSON."""
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
