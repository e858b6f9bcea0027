"""The method that ``--method`` names, and its options."""

from argparse import Namespace
from typing import Any

from rapidbleu.cli.messages import CommandError
from rapidbleu.tuning import bagged

METHODS = ("mert", "bagged", "pro", "mira")
DENSE_ONLY = ("mert", "bagged")


def method_of(args: Namespace) -> tuple[Any, dict[str, Any]]:
    """Return the method, as `tune_many` takes it, and its options; refuse those of mert alone."""
    given = {"restarts": args.restarts, "fixed": args.fixed}
    options = {name: value for name, value in given.items() if value is not None}
    if args.method == "mert":
        return "mert", {**options, "threads": args.threads}
    if options:
        raise CommandError(f"--{next(iter(options))}: an option of mert, not of {args.method}")
    if args.method == "bagged":
        return bagged("mert", threads=args.threads), {}
    return args.method, {}
