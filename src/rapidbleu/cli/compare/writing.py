"""How the command writes the tables of a comparison."""

import json
from collections.abc import Sequence
from typing import Any

from rapidbleu.cli.compare.sections import Shown, tables_of
from rapidbleu.cli.messages import CommandError
from rapidbleu.comparison import Comparison
from rapidbleu.printing.colors import harmless

FORMS = ("text", "markdown", "latex", "csv", "tsv", "json")
TITLES = {"text": "== {}\n\n", "markdown": "## {}\n\n", "latex": "% {}\n"}


def written(
    found: Comparison,
    sections: Sequence[str],
    form: str,
    digits: int | None,
    n_ngrams: int,
    n_examples: int,
) -> str:
    """Return the sections of a comparison in a form.

    Parameters
    ----------
    found : Comparison
    sections : sequence of str
    form : str
        One of `FORMS`.
    digits : int or None
        Behind the point; None: as each table has them.
    n_ngrams, n_examples : int
        Rows at most, for each of the two systems of a pair.
    """
    shown = {name: list(tables_of(found, name, n_ngrams, n_examples)) for name in sections}
    if form == "json":
        return _as_json(found, shown)
    tables = [one for several in shown.values() for one in several]
    if form in TITLES:
        return harmless("\n\n".join([_titled(one, form, digits) for one in tables]))
    if len(tables) != 1:
        titles = "; ".join([one.title for one in tables]) or "none"
        raise CommandError(
            f"-f {form} writes one table, and --show {' '.join(sections)} has {len(tables)}: "
            f"{titles}"
        )
    return tables[0].table.format(form, digits).removesuffix("\n")  # type: ignore[arg-type]


def _titled(one: Shown, form: str, digits: int | None) -> str:
    """Return a table under its title."""
    title = TITLES[form].format(one.title)
    if form == "text" and one.examples is not None:
        return title + _examples(one, digits)
    return title + one.table.format(form, digits)  # type: ignore[arg-type]


def _examples(one: Shown, digits: int | None) -> str:
    """Return segments, one below the other, with their texts."""
    digits = one.table._digits["score a"] if digits is None else digits
    a, b = one.examples or ("", "")
    blocks = []
    rows = one.table.to_dict()
    for i in range(len(one.table)):
        scores = f"{rows['score a'][i]:.{digits}f} and {rows['score b'][i]:.{digits}f}"
        texts = {"source": rows["source"][i]} if "source" in rows else {}
        texts |= {
            "reference": rows["reference"][i],
            a: rows["output a"][i],
            b: rows["output b"][i],
        }
        width = max(map(len, texts))
        lines = [f"  {name:<{width}}  {text}".rstrip() for name, text in texts.items()]
        blocks.append("\n".join([f"segment {rows['segment'][i]}: {scores}", *lines]))
    return "\n\n".join(blocks) or "none"


def _as_json(found: Comparison, shown: dict[str, list[Shown]]) -> str:
    """Return the options and the sections; of a section, tables by title."""
    everything = found.to_dict()
    tables = ("scores", "tests", "words", "buckets", "segments")
    kept: dict[str, Any] = {
        name: value for name, value in everything.items() if name not in tables or name in shown
    }
    for name in ("ngrams", "examples"):
        if name in shown:
            kept[name] = {one.title: one.table.to_dict() for one in shown[name]}
    if "segments" in shown:
        kept["segments"] = shown["segments"][0].table.to_dict()
    return json.dumps(kept, indent=1, ensure_ascii=False)
