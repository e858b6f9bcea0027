"""The method that ``--method`` names, and its options."""

from argparse import Namespace
from typing import Any

from rapidbleu.cli.messages import CommandError
from rapidbleu.tuning import tune

METHODS = ("bagged", "mert", "risk", "mira", "pro")


def method_of(args: Namespace) -> tuple[Any, dict[str, Any]]:
    """Return the method, as `tune_many` takes it, and its options; refuse those of mert alone."""
    given = {"restarts": args.restarts, "fixed": args.fixed}
    options = {name: value for name, value in given.items() if value is not None}
    if args.method == "mert":
        return "mert", {**options, "threads": args.threads}
    if options:
        name = next(iter(options))
        raise CommandError(f"--{name}: an option of mert, not of {args.method}; see --method")
    if args.method == "bagged":
        return tune, {"threads": args.threads}
    return args.method, {}
