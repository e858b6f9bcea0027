"""Paths of the repository, its results and shared data."""

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
RESULTS = REPOSITORY / "bench" / "results"


def shared_data() -> Path:
    return Path(os.environ.get("RAPIDBLEU_DATA") or REPOSITORY.parent / "shared" / "data")
