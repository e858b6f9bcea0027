"""What the scoring command scores: systems and references, of equal length."""

from argparse import Namespace
from typing import NamedTuple

from rapidbleu.cli.files import System, read_references, read_systems
from rapidbleu.cli.messages import CommandError, say
from rapidbleu.cli.score import testsets


class Corpus(NamedTuple):
    """Systems and the streams of references that they are scored against."""

    systems: list[System]
    references: list[list[str]]


def check_files(args: Namespace) -> None:
    """Refuse files and test sets that do not go together; drop a baseline that is given again."""
    if not args.refs and not args.test_set:
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
    if args.input is None:
        return
    if (args.paired_ar or args.paired_bs) and args.input[0] in args.input[1:]:
        baseline = args.input[0]
        args.input = [baseline, *(path for path in args.input if path != baseline)]
        if not args.quiet:
            say(f"{baseline}: it is the baseline, and not compared with itself")
    for i, path in enumerate(args.input):
        if path in args.input[:i]:
            raise CommandError(f"{path}: given twice; systems are told apart by their file names")


def read_corpus(args: Namespace) -> Corpus:
    """Read systems and references."""
    if args.test_set:
        names = [args.test_set]
        references = testsets.read_streams(args)
    else:
        names = args.refs
        references = read_references(args.refs, args.num_refs, args.encoding)
    corpus = Corpus(read_systems(args.input, args.encoding), references)
    _check_lengths(corpus, names)
    return corpus


def _check_lengths(corpus: Corpus, names: list[str]) -> None:
    """Refuse a system without segments, and files of different lengths."""
    for system in corpus.systems:
        if not system.segments:
            raise CommandError(f"{system.name}: no segments")
    lengths = [(system.name, len(system.segments)) for system in corpus.systems]
    lengths += [(name, len(refs)) for name, refs in zip(names, corpus.references, strict=False)]
    if len({length for _, length in lengths}) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in lengths)
        raise CommandError(f"numbers of segments differ: {listed}")


def chosen_part(corpus: Corpus, args: Namespace) -> Corpus:
    """Return the segments that ``--origlang`` and ``--subset`` choose; all without them."""
    if not args.origlang and not args.subset:
        return corpus
    streams = [system.segments for system in corpus.systems] + corpus.references
    kept = testsets.choose(streams, args)
    n = len(corpus.systems)
    if not kept[0]:
        wanted = {"--origlang": args.origlang, "--subset": args.subset}
        listed = " ".join(f"{option} {value}" for option, value in wanted.items() if value)
        raise CommandError(f"{args.test_set}: no segment has {listed}")
    systems = [
        system._replace(segments=segments)
        for system, segments in zip(corpus.systems, kept, strict=False)
    ]
    return Corpus(systems, kept[n:])
