"""What was chosen: where it is written to, and in which form."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

from rapidbleu.cli.files import file_errors
from rapidbleu.outputs import replacing_text
from rapidbleu.printing.results import json_list
from rapidbleu.printing.tables import delimited

FORMS = ("text", "tsv", "json")


def written(
    choices: Iterable[dict[str, Any]], form: str, columns: Sequence[str] | None
) -> Iterator[str]:
    r"""Yield the parts of what is written of choices, as these come.

    Parameters
    ----------
    choices : iterable of dict
        With a ``text``.
    form : str
        One of `FORMS`.
    columns : sequence of str or None
        The head of a table; None: a table without one.

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


@contextmanager
def output(path: str | None, out: TextIO) -> Iterator[TextIO]:
    """Open the file that is to be replaced; without one it is standard output."""
    if path is None:
        yield out
    else:
        with file_errors(), replacing_text(path) as file:
            yield file
