"""One system whose files are read as they are scored, in memory that does not grow with them."""

import codecs
import os
from argparse import Namespace
from pathlib import Path
from typing import Any

from rapidbleu.cli.files import System, readable
from rapidbleu.cli.score.corpus import Corpus

# Whose scores depend on all references, which are read first.
INFORMED = {"nist", "ciderd"}


def streamed_corpus(args: Namespace) -> "Corpus | None":
    """Return a corpus of files that are yet to be read; None if all of it is needed at once."""
    wanted = (
        args.test_set, args.scores, args.sentence_level, args.paired_ar, args.paired_bs,
        args.all_pairs, args.num_refs != 1, INFORMED.intersection(args.metrics),
    )  # fmt: skip
    if any(wanted) or args.input is None or len(args.input) != 1:
        return None
    files = [*args.input, *args.refs]
    if not (_is_utf8(args.encoding) and all(map(os.path.isfile, files))):
        return None
    [path] = args.input
    name = readable(path)
    segments: Any = Path(path)
    references: Any = [Path(ref) for ref in args.refs]
    system = System(readable(args.names[0]) if args.names else name, segments)
    return Corpus([system], references, {})


def _is_utf8(encoding: str) -> bool:
    try:
        return codecs.lookup(encoding).name == "utf-8"
    except LookupError:  # told by what reads the files
        return False
