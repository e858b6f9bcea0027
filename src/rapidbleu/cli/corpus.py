"""Systems and references of equal length, from files that are read now or as they are scored."""

from __future__ import annotations

import codecs
import os
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rapidbleu.cli.files import (
    STANDARD_INPUT,
    System,
    check_lengths,
    check_start,
    read_references,
    read_systems,
    readable,
)
from rapidbleu.cli.messages import CommandError, progress_callback, say
from rapidbleu.cli.options import WHOLE
from rapidbleu.streams.batches import FileRange
from rapidbleu.streams.formats import count_lines

if TYPE_CHECKING:
    from rapidbleu.typing import IntArray

# Metrics whose scores depend on all references, which are read first.
INFORMED = {"NIST", "CIDErD"}


class Corpus(NamedTuple):
    """Systems, the streams of references that they are scored against, and external scores.

    Attributes
    ----------
    systems : list of System
    references : list of list of str
    given : dict of str to list of int64 arrays of shape (n_segments, n_stats)
        For each metric of ``--scores``, the rows of `MeanScore` of the systems; for the metric of
        ``--stats`` its own rows, without segments and references.
    first : int
        Index of the first segment, from 0 on.
    """

    systems: list[System]
    references: list[list[str]]
    given: dict[str, list[IntArray]]
    first: int = 0

    @property
    def n_segments(self) -> int:
        """Number of segments; 0 where whole files are yet to be read."""
        for rows in self.given.values():
            return len(rows[0])
        references: Any = self.references[0]
        if isinstance(references, FileRange):
            return references.end - references.begin
        return len(references) if isinstance(references, list) else 0


def check_files(args: Namespace, with_baseline: bool = False) -> None:
    """Refuse files and names that do not go together; drop a baseline that is given again."""
    if args.num_refs != 1 and len(args.refs) > 1:
        raise CommandError(
            f"-nr/--num-refs splits a single file of references, got {len(args.refs)} files"
        )
    if args.names is not None:
        _check_names(args.names, len(args.input or [""]))
    elif args.input is not None:
        if with_baseline and (baseline := args.input[0]) in args.input[1:]:
            args.input = [baseline, *(path for path in args.input if path != baseline)]
            if not args.quiet:
                say(f"{baseline}: it is the baseline, and not compared with itself")
        for i, path in enumerate(args.input):
            if path in args.input[:i]:
                raise CommandError(
                    f"{path}: given twice; systems are told apart by their file names, or by "
                    "--names"
                )


def _check_names(names: list[str], n_systems: int) -> None:
    if len(names) != n_systems:
        raise CommandError(f"--names: expected {n_systems}, as many as systems, got {len(names)}")
    for i, name in enumerate(names):
        if not name.strip():
            raise CommandError(f"--names: expected a name for system {i + 1}, got {name!r}")
        if name in names[:i]:
            raise CommandError(f"--names: expected each name once, got {name!r} again")


def read_corpus(
    args: Namespace, refuse: bool = True, streams: list[list[str]] | None = None
) -> Corpus:
    """Read systems, and references unless these streams are a test set's.

    Tables are refused, or warned of.
    """
    names = args.refs if streams is None else [args.test_set]
    if streams is None:
        streams = read_references(args.refs, args.num_refs, args.encoding, refuse)
    files = [None] if args.input is None else [[path] for path in args.input]
    systems: list[System] = []
    with progress_callback("files read", args.quiet) as bar:
        for paths in files:
            systems += read_systems(paths, args.encoding, refuse)
            if bar is not None:
                bar(len(systems), len(files))
    for system in systems:
        if not system.segments:
            missing = "; name the file of a system with -i/--input"
            raise CommandError(
                f"{system.name}: no segments{missing if system.name == STANDARD_INPUT else ''}"
            )
    lengths = [(system.name, len(system.segments)) for system in systems]
    lengths += [(name, len(stream)) for name, stream in zip(names, streams, strict=False)]
    check_lengths(lengths)
    if args.names is not None:
        systems = [
            system._replace(name=readable(name))
            for system, name in zip(systems, args.names, strict=True)
        ]
    return Corpus(systems, streams, {})


def part_of(corpus: Corpus, kept: list[int]) -> Corpus:
    """Return some segments of a corpus."""
    systems = [
        system._replace(segments=[system.segments[i] for i in kept]) for system in corpus.systems
    ]
    references = [[stream[i] for i in kept] for stream in corpus.references]
    given = {name: [own[kept] for own in rows] for name, rows in corpus.given.items()}
    return Corpus(systems, references, given)


def shard_of(corpus: Corpus, args: Namespace) -> Corpus:
    """Return the segments of ``--shard``."""
    begin, end = args.shard.range(corpus.n_segments)
    return part_of(corpus, [*range(begin, end)])._replace(first=begin)


def streamed_corpus(args: Namespace, refuse: bool = True) -> Corpus | None:
    """Return a corpus of one system whose files are read as they are scored.

    The memory does not grow with the files. None if all of the corpus is needed at once. Tables are
    refused, or warned of.
    """
    wanted = (
        args.test_set, args.scores, args.sentence_level, args.paired_ar, args.paired_bs,
        args.all_pairs, args.num_refs != 1, INFORMED.intersection(own.kind for own in args.metrics),
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


def _ranges(files: list[str], args: Namespace) -> tuple[int, list[Any]]:
    """Return the number of the first segment of the shard, and its range of each file."""
    lengths = []
    with progress_callback("files counted", args.quiet) as bar:
        for path in files:
            lengths.append(count_lines(path))
            if bar is not None:
                bar(len(lengths), len(files))
    check_lengths((readable(path), n) for path, n in zip(files, lengths, strict=True))
    begin, end = args.shard.range(lengths[0])
    return begin, [FileRange(path, begin, end) for path in files]


def _is_utf8(encoding: str) -> bool:
    try:
        return codecs.lookup(encoding).name == "utf-8"
    except LookupError:  # reported by the function that reads the files
        return False
