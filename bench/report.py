"""Results as lines on the terminal, as JSON, and as the table of the README."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench import machine
from bench.measure import Record

LATEST = Path(__file__).parent / "results" / "latest.json"
README = Path(__file__).resolve().parents[1] / "README.md"
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"
_HEADER = f"{'topic':<13}{'job':<34}{'corpus':<16}{'rapidbleu':>10}{'':>17}  {'peer':<30}"
_SCALES = {"ns": ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")),
           "bytes": ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B"))}  # fmt: skip


def header() -> str:
    """The heading of the lines."""
    return f"{_HEADER}{'time':>10}{'ratio':>9}"


def line(record: Record) -> str:
    """One record for the terminal."""
    row = asdict(record)
    each = f"{_each(row)}/{record.unit}"
    peer, theirs, ratio = record.peer or "", "", ""
    if record.theirs is not None and record.ratio is not None:
        theirs, ratio = quantity(record.theirs, record.quantity), f"{_ratio(record.ratio)}x"
    return (
        f"{record.topic:<13}{record.job:<34}{record.corpus:<16}"
        f"{quantity(record.ours, record.quantity):>10}{each:>17}  {peer:<30}{theirs:>10}{ratio:>9}"
    )


def quantity(value: float, kind: str) -> str:
    """A time or a size with three digits and a unit."""
    scales = _SCALES[kind.split()[-1]]
    size, unit = next(((size, unit) for size, unit in scales if abs(value) >= size), scales[-1])
    value /= size
    digits = 0 if value >= 100 or unit == "B" else 1 if value >= 10 else 2
    return f"{value:.{digits}f} {unit}"


def save(records: list[Record], path: Path) -> None:
    """Write the records and the machine they are from."""
    document = {"machine": machine.describe(), "records": [asdict(record) for record in records]}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def table(document: dict[str, Any]) -> str:
    """The headline results in Markdown."""
    rows = ["| Job | Corpus | rapidbleu | each | Peer | Peer's | Ratio |",
            "| --- | --- | ---: | ---: | --- | ---: | ---: |"]  # fmt: skip
    for row in document["records"]:
        if row["headline"] and row["peer"]:
            each = f"{_each(row)}/{row['unit']}" if row["n_units"] > 1 else ""
            rows.append(
                f"| {row['job']} | {row['corpus']} | {quantity(row['ours'], row['quantity'])} "
                f"| {each} | {row['peer']} | {quantity(row['theirs'], row['quantity'])} "
                f"| **{_ratio(row['ratio'])}x** |"
            )
    notes = [f"Compared before timed: {_compared(document)}.", machine.line(document["machine"])]
    return "\n".join([*rows, "", *(f"<sub>{note}</sub><br>" for note in notes)])


def put_table(readme: str, document: dict[str, Any]) -> str:
    """The text of the README with the table between the markers.

    Raises
    ------
    ValueError
        If the markers are not there, each once and in order.
    """
    if readme.count(BEGIN) != 1 or readme.count(END) != 1:
        raise ValueError(f"README: expected {BEGIN} and {END} once each")
    before, _, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"README: expected {BEGIN} before {END}")
    return f"{before}{BEGIN}\n{table(document)}\n{END}{after}"


def rewrite_readme(readme: Path = README, results: Path = LATEST) -> None:
    """Put the table of the latest results into the README."""
    document = json.loads(results.read_text(encoding="utf-8"))
    text = put_table(readme.read_text(encoding="utf-8"), document)
    readme.write_text(text, encoding="utf-8")


def _each(row: dict[str, Any]) -> str:
    return quantity(row["ours"] / row["n_units"], row["quantity"])


def _compared(document: dict[str, Any]) -> str:
    """What was compared with each peer in the table, the peers with the same together."""
    peers: dict[str, list[str]] = {}
    for row in document["records"]:
        if row["headline"] and row["compared"]:
            names = peers.setdefault(row["compared"], [])
            if row["peer"] not in names:
                names.append(row["peer"])
    return "; ".join(f"{', '.join(names)} ({compared})" for compared, names in peers.items())


def _ratio(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}"
