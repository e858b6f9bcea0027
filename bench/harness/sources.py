"""One corpus as lists, iterators and files; as a program, the memory of scoring it.

``python -m bench.harness.sources KIND FOLDER`` scores the files that `write` created in a folder,
and prints JSON: the score, and the peak bytes beyond scoring one segment the same way.
"""

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.harness.corpora import Corpus
from bench.harness.peak import reset, resident

LISTS = "lists in memory"
_NAMES = {
    "TSV": "both.tsv",
    "JSON lines": "both.jsonl",
    "Parquet": "both.parquet",
    "Parquet, uncompressed": "plain.parquet",
    "Arrow IPC": "both.arrow",
}
_ROWS = 1 << 16  # per row group or batch


def kinds() -> list[str]:
    """Return the kinds of input that the installed libraries support."""
    own = ["iterators", "generators", "files of lines", *list(_NAMES)[:2]]
    try:
        importlib.import_module("pyarrow.parquet")
    except ImportError:
        print("pyarrow: not installed, left out", flush=True)
        return own
    return [*own, *list(_NAMES)[2:]]


def write(corpus: Corpus, folder: Path) -> None:
    """Write a corpus with one reference in every format; tabs become spaces."""
    hyps, refs = (
        [text.replace("\t", " ") for text in side]
        for side in (corpus.hypotheses, corpus.references[0])
    )
    folder.mkdir(parents=True, exist_ok=True)
    for name, side in ("hyp", hyps), ("ref", refs):
        (folder / f"{name}.txt").write_text("".join(f"{text}\n" for text in side), "utf-8")
    pairs = list(zip(hyps, refs, strict=True))
    rows = "".join(f"{hyp}\t{ref}\n" for hyp, ref in pairs)
    (folder / "both.tsv").write_text(f"hyp\tref\n{rows}", "utf-8")
    lines = (json.dumps({"hyp": h, "ref": r}, ensure_ascii=False) for h, r in pairs)
    (folder / "both.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    if "Parquet" in kinds():
        pa, parquet = (importlib.import_module(name) for name in ("pyarrow", "pyarrow.parquet"))
        table = pa.table({"hyp": hyps, "ref": refs})
        for name, codec in ("both", "snappy"), ("plain", "none"):
            path = folder / f"{name}.parquet"
            parquet.write_table(table, path, row_group_size=_ROWS, compression=codec)
        with pa.ipc.new_file(str(folder / "both.arrow"), table.schema) as writer:
            writer.write_table(table, max_chunksize=_ROWS)


def lines_of(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            yield line.removesuffix("\n")


def opener(kind: str, folder: Path) -> Callable[[], tuple[Any, ...]]:
    """Return a function that creates the arguments of `corpus_score` afresh."""
    from rapidbleu import scan

    texts = [folder / "hyp.txt", folder / "ref.txt"]
    if kind in _NAMES:
        return lambda: (scan(folder / _NAMES[kind]),)
    if kind == "files of lines":
        return lambda: (texts[0], [texts[1]])
    if kind == LISTS:
        return lambda: (list(lines_of(texts[0])), [list(lines_of(texts[1]))])
    return lambda: (lines_of(texts[0]), [lines_of(texts[1])])


def main() -> None:
    """Score one segment, so that all code is loaded, and then measure."""
    from rapidbleu import BLEU

    kind, folder = sys.argv[1], Path(sys.argv[2])
    metric = BLEU()
    metric.corpus_score(*opener(kind, folder / "one")())
    reset()
    start = resident("VmRSS")
    score = metric.corpus_score(*opener(kind, folder)()).score
    print(json.dumps({"score": score, "bytes": max(0, resident("VmHWM") - start)}))


if __name__ == "__main__":
    main()
