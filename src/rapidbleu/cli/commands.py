"""The commands beside scoring: where each is, and what it does in a line."""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What the first argument may be instead of a file of references, the module that does it, with
# `make_parser` and `run`, and what --help says of it. A file of such a name is ./NAME.
COMMANDS = {
    "compare": ("compare.command", "where and why systems differ, also as an HTML report"),
    "correlate": ("correlate.command", "which metrics agree best with people"),
    "evaluator": ("moses.evaluator", "score translations or n-best lists as Moses' evaluator does"),
    "explain": ("explain.command", "why a segment scores what it does"),
    "extractor": ("moses.extractor", "features and statistics of n-best lists, as Moses' files"),
    "kbmira": ("moses.kbmira", "tune weights by batch MIRA, with the options of Moses' kbmira"),
    "mbr": ("candidates.mbr", "choose candidates by minimum Bayes risk"),
    "merge": ("rows.merge", "join rows of statistics that shards of stats wrote"),
    "mert": ("moses.mert", "tune weights by line searches, with the options of Moses' mert"),
    "moses-bin": ("moses.executables", "make the executables that mert-moses.pl starts"),
    "oracle": ("candidates.oracle", "choose the candidates that score best together"),
    "pro": ("moses.pro", "pairs of hypotheses to learn from, as Moses' pro draws them"),
    "score": ("score.command", "what rapidbleu does without the name of a command"),
    "stats": ("rows.stats", "write the rows of statistics of segments, from which score goes on"),
    "tune": ("tune.command", "find the weights with which n-best lists score best"),
}


def module_of(command: str) -> "Any":
    """Return the module of a command."""
    return import_module(f"rapidbleu.cli.{COMMANDS[command][0]}")


def summaries() -> str:
    """Return a line for each command, as --help shows them."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {summary}" for name, (_, summary) in COMMANDS.items()]
    return "\n".join(["commands, each of which has a --help of its own:", *lines])
