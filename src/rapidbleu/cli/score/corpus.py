"""What the scoring command scores: systems and references, of equal length."""

from argparse import Namespace
from typing import TYPE_CHECKING, Any, NamedTuple

from rapidbleu.cli.files import (
    STANDARD_INPUT,
    System,
    check_lengths,
    read_references,
    read_systems,
    readable,
)
from rapidbleu.cli.messages import CommandError, say
from rapidbleu.cli.score import testsets
from rapidbleu.streams.batches import FileRange

if TYPE_CHECKING:
    from rapidbleu.typing import IntArray


class Corpus(NamedTuple):
    """Systems, the streams of references that they are scored against, and scores by others.

    Attributes
    ----------
    systems : list of System
    references : list of list of str
    given : dict of str to list of int64 arrays of shape (n_segments, n_stats)
        For each metric of ``--scores``, the rows of `MeanScore` of the systems; for that of
        ``--stats`` those of its own, and there are neither segments nor references.
    first : int
        The number of the first segment, from 0 on.
    """

    systems: list[System]
    references: list[list[str]]
    given: "dict[str, list[IntArray]]"
    first: int = 0

    @property
    def n_segments(self) -> int:
        """How many segments there are; 0 where files are yet to be read, if not of a shard."""
        for rows in self.given.values():
            return len(rows[0])
        references: Any = self.references[0]
        if isinstance(references, FileRange):
            return references.end - references.begin
        return len(references) if isinstance(references, list) else 0


def check_files(args: Namespace) -> None:
    """Refuse files and test sets that do not go together; drop a baseline that is given again."""
    if not (args.refs or args.test_set or args.stats):
        raise CommandError(
            "no references: name their files, before -i/--input, or a test set with -t"
        )
    if args.refs and args.test_set:
        raise CommandError(
            f"two kinds of references: -t {args.test_set} and {args.refs[0]}; files of systems "
            "belong behind -i/--input"
        )
    if args.num_refs != 1 and args.test_set:
        raise CommandError("-nr/--num-refs splits a file of references, not a test set")
    if args.num_refs != 1 and len(args.refs) > 1:
        raise CommandError(
            f"-nr/--num-refs splits a single file of references, got {len(args.refs)} files"
        )
    if (args.origlang or args.subset) and not (args.test_set and args.language_pair):
        raise CommandError("-ol/--origlang and --subset choose from a test set: give -t and -l")
    if args.test_set:
        testsets.check(args)
    if args.names is not None:
        _check_names(args.names, len(args.input or [""]))
    elif args.input is not None:
        _check_repeated(args)


def _check_names(names: list[str], n_systems: int) -> None:
    if len(names) != n_systems:
        raise CommandError(f"--names: expected {n_systems}, as many as systems, got {len(names)}")
    for i, name in enumerate(names):
        if not name.strip():
            raise CommandError(f"--names: expected a name for system {i + 1}, got {name!r}")
        if name in names[:i]:
            raise CommandError(f"--names: expected each name once, got {name!r} again")


def _check_repeated(args: Namespace) -> None:
    """Refuse a file that is given twice; drop a baseline that is."""
    with_baseline = (args.paired_ar or args.paired_bs) and not args.all_pairs
    if with_baseline and args.input[0] in args.input[1:]:
        baseline = args.input[0]
        args.input = [baseline, *(path for path in args.input if path != baseline)]
        if not args.quiet:
            say(f"{baseline}: it is the baseline, and not compared with itself")
    for i, path in enumerate(args.input):
        if path in args.input[:i]:
            raise CommandError(
                f"{path}: given twice; systems are told apart by their file names, or by --names"
            )


def read_corpus(args: Namespace, refuse: bool = True) -> Corpus:
    """Read systems and references; refuse tables, or warn of them."""
    if args.test_set:
        names = [args.test_set]
        references = testsets.read_streams(args)
    else:
        names = args.refs
        references = read_references(args.refs, args.num_refs, args.encoding, refuse)
    corpus = Corpus(read_systems(args.input, args.encoding, refuse), references, {})
    _check_lengths(corpus, names)
    if args.names is None:
        return corpus
    systems = [
        system._replace(name=readable(name))
        for system, name in zip(corpus.systems, args.names, strict=True)
    ]
    return corpus._replace(systems=systems)


def _check_lengths(corpus: Corpus, names: list[str]) -> None:
    """Refuse a system without segments, and files of different lengths."""
    for system in corpus.systems:
        if not system.segments:
            missing = "; name the file of a system with -i/--input"
            raise CommandError(
                f"{system.name}: no segments{missing if system.name == STANDARD_INPUT else ''}"
            )
    lengths = [(system.name, len(system.segments)) for system in corpus.systems]
    lengths += [(name, len(refs)) for name, refs in zip(names, corpus.references, strict=False)]
    check_lengths(lengths)


def chosen_part(corpus: Corpus, args: Namespace) -> Corpus:
    """Return the segments that ``--origlang`` and ``--subset`` choose; all without them."""
    if not args.origlang and not args.subset:
        return corpus
    kept = testsets.choose(len(corpus.references[0]), args)
    if not kept:
        wanted = {"--origlang": args.origlang, "--subset": args.subset}
        listed = " ".join(f"{option} {value}" for option, value in wanted.items() if value)
        raise CommandError(f"{args.test_set}: no segment has {listed}")
    return _part_of(corpus, kept)


def shard_of(corpus: Corpus, args: Namespace) -> Corpus:
    """Return the segments of ``--shard``."""
    begin, end = args.shard.range(corpus.n_segments)
    return _part_of(corpus, [*range(begin, end)])._replace(first=begin)


def _part_of(corpus: Corpus, kept: list[int]) -> Corpus:
    systems = [
        system._replace(segments=[system.segments[i] for i in kept]) for system in corpus.systems
    ]
    references = [[stream[i] for i in kept] for stream in corpus.references]
    given = {name: [rows[kept] for rows in own] for name, own in corpus.given.items()}
    return Corpus(systems, references, given)
