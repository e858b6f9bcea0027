"""Results as terminal lines, JSON files, and tables of README.md and the docs.

The tables show `results/latest.json`. A full run writes the same results to a file named for its
version, so the last results of each release stay in the repository.
"""

import importlib
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import rapidbleu
from bench.harness import machine
from bench.harness.measure import Record
from bench.harness.places import REPOSITORY, RESULTS

LATEST = RESULTS / "latest.json"
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"
# Rows of the README's table: what a job is called there, the job and the peer.
SUMMARY = (
    ("BLEU of a corpus", "corpus, 13a", "sacrebleu"),
    ("BLEU of a corpus", "corpus, 13a", "bleuscore, 1 thread"),
    ("BLEU of lists of tokens", "corpus_bleu", "NLTK"),
    ("BLEU of 100 single segments", "sentence_bleu, one call", "sacrebleu"),
    ("chrF of a corpus", "corpus, chrF", "sacrebleu"),
    ("TER of a corpus", "corpus, TER", "sacrebleu"),
    ("WER of a corpus", "corpus, WER", "jiwer"),
    ("ROUGE-1, 2 and L", "segments, ROUGE-1, 2 and L", "rouge-score"),
    ("METEOR", "segments, METEOR", "METEOR 1.5 in Java"),
    ("BLEU of 1,024 x 1,024 pairs", "1,024 x 1,024 pairs", "sacrebleu, 64 x 64, scaled"),
    ("paired bootstrap of 16 systems", "paired bootstrap, 16 x 1000", "sacrebleu, 4 systems"),
    ("MERT of 100,000 hypotheses, one start", "MERT from one start, 100 each", "NumPy"),
)
SECTIONS = {
    "BLEU": ("cold", "prepared", "segments", "latency", "tokenizers", "options", "length"),
    "Ids, files, threads, start and memory": ("ids", "streams", "threads", "startup", "memory"),
    "chrF and TER": ("chrf", "ter"),
    "Error rates, ROUGE, CharacTER and EED": ("edits",),
    "NIST, GLEU, METEOR and others": ("family", "meteor"),
    "Stand-ins for other packages": ("nltk", "adapters"),
    "N-best lists, rewards and running scores": ("nbest", "running"),
    "All pairs": ("pairwise",),
    "Significance tests and comparisons": ("significance", "comparison"),
    "Tuning": ("extractor", "evaluate", "line_search", "mert", "learners"),
    "Metric evaluation and word alignment": ("agreement", "alignment"),
}
USUAL_CORPUS = "wmt17-en-de"
GOAL = 40  # a smaller ratio needs a limit
_HEADER = f"{'topic':<15}{'job':<34}{'corpus':<16}{'rapidbleu':>10}{'':>17}  {'peer':<30}"
_SCALES = {
    "ns": ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")),
    "bytes": ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B")),
}


def header() -> str:
    return f"{_HEADER}{'time':>10}{'ratio':>9}"


def line(record: Record) -> str:
    row = asdict(record)
    each = f"{_each(row)}/{record.unit}"
    peer, theirs, ratio = record.peer or "", "", ""
    if record.theirs is not None and record.ratio is not None:
        theirs, ratio = quantity(record.theirs, record.quantity), f"{ratio_text(record.ratio)}x"
    if record.scores is not None:
        peer = ", ".join(f"{name} {score:.3f}" for name, score in record.scores.items())
    return (
        f"{record.topic:<15}{record.job:<34}{record.corpus:<16}"
        f"{quantity(record.ours, record.quantity):>10}{each:>17}  {peer:<30}{theirs:>10}{ratio:>9}"
    )


def quantity(value: float, kind: str) -> str:
    """Format a time or a size with three digits and a unit."""
    scales = _SCALES[kind.split()[-1]]
    size, unit = next(((size, unit) for size, unit in scales if abs(value) >= size), scales[-1])
    value /= size
    digits = 0 if value >= 100 or unit == "B" else 1 if value >= 10 else 2
    return f"{value:.{digits}f} {unit}"


def save(records: list[Record], path: Path) -> None:
    """Write the records and the machine, for the latest results also under the version."""
    path.parent.mkdir(parents=True, exist_ok=True)
    names = [path.name]
    if path.name == LATEST.name:
        names.append(f"{rapidbleu.__version__}.json")
    for name in names:
        write([asdict(record) for record in records], path.with_name(name))


def write(rows: list[dict[str, Any]], path: Path) -> None:
    document = {"machine": machine.describe(), "records": rows}
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8")


def table(document: dict[str, Any]) -> str:
    """Return a table for each section: the first peer of each job and the fastest one."""
    parts, left = [], _headlines(document)
    for heading, topics in SECTIONS.items():
        own = [row for row in left if row["topic"] in topics]
        left = [row for row in left if row["topic"] not in topics]
        if own:
            parts += [f"## {heading}", _section(own), f"<sub>Compared: {_compared(own)}.</sub>"]
    if left:
        raise ValueError(f"expected sections of all topics; got none of {left[0]['topic']}")
    return "\n\n".join([*parts, f"<sub>{machine.line(document['machine'])}</sub>"])


def _section(records: list[dict[str, Any]]) -> str:
    rows = [
        "| Job | rapidbleu | each | Peer | Peer's | Ratio | Limit |",
        "| --- | ---: | ---: | --- | ---: | ---: | --- |",
    ]
    jobs: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in records:
        jobs.setdefault((row["job"], row["corpus"]), []).append(row)
    for (job, corpus), own in jobs.items():
        name = job if corpus in ("", USUAL_CORPUS) else f"{job} ({corpus})"
        each = f"{_each(own[0])}/{own[0]['unit']}" if own[0]["n_units"] > 1 else ""
        before = f"| {name} | {quantity(own[0]['ours'], own[0]['quantity'])} | {each} "
        fastest = min(own, key=lambda row: float(row["ratio"]))
        for row in [own[0]] if fastest is own[0] else [own[0], fastest]:
            reason = limit(row) if row is fastest and row["ratio"] < GOAL else ""
            rows.append(f"{before}{_against(row)} {reason}{' ' * bool(reason)}|")
            before = "| | | "
    return "\n".join(rows)


def limit(row: dict[str, Any]) -> str:
    """Return the reason for a small ratio from `LIMITS` of the job's topic, or ""."""
    folders: dict[str, str] = importlib.import_module("bench.harness.run").TOPICS
    topic = importlib.import_module(f"bench.topics.{folders[row['topic']]}.{row['topic']}")
    return str(getattr(topic, "LIMITS", {}).get(row["job"], ""))


def summary(document: dict[str, Any]) -> str:
    """Return the rows named by `SUMMARY`, or raise KeyError if the results lack one."""
    headlines = {(row["job"], row["peer"]): row for row in _headlines(document)}
    rows = [
        "| Job | rapidbleu | Compared with | Its time | Ratio |",
        "| --- | ---: | --- | ---: | ---: |",
    ]
    for name, *key in SUMMARY:
        row = headlines[tuple(key)]
        rows.append(f"| {name} | {quantity(row['ours'], row['quantity'])} {_against(row)}")
    return "\n".join([*rows, "", f"<sub>{machine.line(document['machine'])}</sub><br>"])


# Pages with a table, and the function that formats it.
PAGES = {REPOSITORY / "README.md": summary, REPOSITORY / "docs/development/benchmarks.md": table}


# Results with a program of their own, `python -m bench.NAME`; each has a table on one page.
PROGRAMS = ("growth", "engines", "shuffles", "cluster")
SCALE = REPOSITORY / "docs/development/growth.md"


def program_table(name: str) -> Callable[[dict[str, Any]], str]:
    program: Any = importlib.import_module(f"bench.{name}")

    def make(document: dict[str, Any]) -> str:
        rows = [program.HEADER, *map(program.line, document["records"])]
        return "\n".join([*rows, "", f"<sub>{machine.line(document['machine'])}</sub>"])

    return make


def put_table(page: str, new: str, name: str, part: str = "bench") -> str:
    """Return the page with a new table between the markers of a part; `name` is for errors.

    Raises ValueError unless each marker occurs once and in order.
    """
    first, last = BEGIN.replace("bench", part), END.replace("bench", part)
    if page.count(first) != 1 or page.count(last) != 1:
        raise ValueError(f"{name}: expected {first} and {last} once each")
    before, _, rest = page.partition(first)
    _, end, after = rest.partition(last)
    if not end:
        raise ValueError(f"{name}: expected {first} before {last}")
    return f"{before}{first}\n{new}\n{last}{after}"


def rewrite(
    page: Path, make: Callable[[dict[str, Any]], str], results: Path = LATEST, part: str = "bench"
) -> None:
    """Write the table that `make` returns for the latest results into a part of a page."""
    document = json.loads(results.read_text(encoding="utf-8"))
    text = put_table(page.read_text(encoding="utf-8"), make(document), page.name, part)
    page.write_text(text, encoding="utf-8")


def _headlines(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for row in document["records"] if row["headline"] and row["peer"]]


def _against(row: dict[str, Any]) -> str:
    """Return the last cells of a row: the peer, its time and the ratio."""
    theirs = quantity(row["theirs"], row["quantity"])
    return f"| {row['peer']} | {theirs} | **{ratio_text(row['ratio'])}x** |"


def _each(row: dict[str, Any]) -> str:
    return quantity(row["ours"] / row["n_units"], row["quantity"])


def _compared(records: list[dict[str, Any]]) -> str:
    """List the compared values of each peer, equal ones together."""
    peers: dict[str, list[str]] = {}
    for row in records:
        if row["compared"]:
            names = peers.setdefault(row["compared"], [])
            if row["peer"] not in names:
                names.append(row["peer"])
    return "; ".join(f"{', '.join(names)} ({compared})" for compared, names in peers.items())


def ratio_text(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}"
