"""One system whose files are read as they are scored, in memory that does not grow with them."""

import codecs
import os
from argparse import Namespace
from pathlib import Path
from typing import Any

from rapidbleu.cli.files import System, check_lengths, check_start, readable
from rapidbleu.cli.numbers import WHOLE
from rapidbleu.cli.progress import waiting
from rapidbleu.cli.score.corpus import Corpus
from rapidbleu.streams.batches import FileRange
from rapidbleu.streams.formats import count_lines

# Whose scores depend on all references, which are read first.
INFORMED = {"nist", "ciderd"}


def streamed_corpus(args: Namespace, refuse: bool = True) -> "Corpus | None":
    """Return a corpus of files that are yet to be read; None if all of it is needed at once.

    Tables are refused, or warned of.
    """
    wanted = (
        args.test_set, args.scores, args.sentence_level, args.paired_ar, args.paired_bs,
        args.all_pairs, args.num_refs != 1, INFORMED.intersection(args.metrics),
    )  # fmt: skip
    if any(wanted) or args.input is None or len(args.input) != 1:
        return None
    files = [*args.input, *args.refs]
    if not (_is_utf8(args.encoding) and all(map(os.path.isfile, files))):
        return None
    for path in files:
        check_start(path, refuse)
    begin, paths = 0, [Path(path) for path in files]
    if args.shard != WHOLE:
        begin, paths = _ranges(files, args)
    segments: Any
    references: Any
    segments, *references = paths
    name = readable(args.names[0] if args.names else files[0])
    return Corpus([System(name, segments)], references, {}, begin)


def _ranges(files: list[str], args: Namespace) -> "tuple[int, list[Any]]":
    """Return the number of the first segment of the shard, and where it is in each file."""
    with waiting("counting", args.quiet):
        lengths = [count_lines(path) for path in files]
    check_lengths((readable(path), n) for path, n in zip(files, lengths, strict=True))
    begin, end = args.shard.range(lengths[0])
    return begin, [FileRange(path, begin, end) for path in files]


def _is_utf8(encoding: str) -> bool:
    try:
        return codecs.lookup(encoding).name == "utf-8"
    except LookupError:  # told by what reads the files
        return False
