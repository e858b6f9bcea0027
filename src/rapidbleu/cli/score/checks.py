"""Options of the scoring command that do not go together."""

import sys
from argparse import Namespace

from rapidbleu.cli.messages import CommandError, say
from rapidbleu.cli.numbers import WHOLE
from rapidbleu.cli.options import TABLES


def check_options(args: Namespace) -> None:
    """Refuse what cannot be scored, tested or printed with so many systems."""
    n_systems = len(args.input or [""])
    paired = args.paired_ar or args.paired_bs
    if args.sentence_level and (args.confidence or paired):
        raise CommandError("-sl/--sentence-level: intervals and tests are of corpora, not segments")
    if paired and n_systems == 1:
        raise CommandError("paired tests compare systems: name their files with -i/--input")
    if args.confidence and paired:
        raise CommandError("-ci/--confidence and a paired test: choose one; -pbs has intervals")
    if args.all_pairs and not paired:
        raise CommandError("--all-pairs: compare systems by which test? (-pbs or -par)")
    if args.detail and args.format in TABLES:
        raise CommandError(f"-d/--detail prints lines of text, not -f {args.format}")
    if args.detail and args.shard != WHOLE:
        raise CommandError("-d/--detail scores parts of a whole test set, not of a --shard")
    if args.by and (args.sentence_level or args.confidence or paired):
        raise CommandError("--by: scores only, without -sl, -ci, -par and -pbs")
    if args.confidence or paired:
        from rapidbleu.significance.seeds import seed_of_environment

        seed_of_environment()  # complain of it now rather than later
    if args.input is None and not args.quiet and sys.stdin is not None and sys.stdin.isatty():
        say("reading a system from standard input; to read it from a file, name that behind -i")
