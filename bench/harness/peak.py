"""Child process of the topic `memory`: peak memory of scoring a corpus, beyond its strings.

``python -m bench.harness.peak MODULE`` reads hypotheses and then as many references from standard
input, one segment per line, and prints JSON: the score and the bytes.
"""

import importlib
import io
import json
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_RESET = Path("/proc/self/clear_refs")


def resident(field: str) -> int:
    """Return VmRSS (now) or VmHWM (peak) in bytes."""
    for line in _STATUS.read_text().splitlines():
        if line.startswith(field):
            return 1024 * int(line.split()[1])
    raise OSError(f"{_STATUS}: expected a line {field}; got none")


def reset() -> None:
    """Reset the peak."""
    _RESET.write_text("5")


def main() -> None:
    """Score a small corpus, so that all code is loaded, and then measure."""
    module = importlib.import_module(sys.argv[1])
    lines = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", newline="\n")
    texts = [line.removesuffix("\n") for line in lines]
    half = len(texts) // 2
    hyps, refs = texts[:half], texts[half:]
    metric = module.BLEU()
    metric.corpus_score(["Ein Satz."], [["Ein Satz."]])
    reset()
    start = resident("VmRSS")
    score = metric.corpus_score(hyps, [refs]).score
    print(json.dumps({"score": score, "bytes": max(0, resident("VmHWM") - start)}))


if __name__ == "__main__":
    main()
