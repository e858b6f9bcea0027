"""Sample logs of lm-evaluation-harness: each line has an answer, its target and its scores."""

from __future__ import annotations

import glob
import json
import os
import re
from typing import Any, TypeAlias

from rapidbleu.cli.external_scores import _number
from rapidbleu.cli.files import Corpus, System, read_file, readable
from rapidbleu.cli.messages import CommandError

LOG = re.compile(r"samples_(.*)_[^_]*\.jsonl")

_Sample: TypeAlias = tuple[Any, str, dict[tuple[str, str], float]]


def read_samples(
    paths: list[str], names: list[str]
) -> tuple[Corpus, dict[str, list[list[float]]], list[str] | None]:
    """Return systems with references, scores that all samples have, and the tasks if several.

    Texts are empty unless all samples have some.
    """
    logs = [_read(path) for path in paths]
    for name, own in zip(names, logs, strict=True):
        for key in sorted(logs[0].keys() | own.keys()):
            there, here = (each[key][1] if key in each else None for each in (logs[0], own))
            if there != here:
                raise CommandError(
                    f"{name}: expected the samples of {names[0]}, of {key[0]}, doc_id {key[1]}, "
                    f"the target {there!r}; got {here!r}"
                )
    every = [log[key] for log in logs for key in logs[0]]
    shared = [key for key in every[0][2] if all(key in scores for _, _, scores in every)]
    metrics = [metric for metric, _ in shared]
    scores = {
        metric if metrics.count(metric) == 1 else f"{metric},{used}": [
            [log[key][2][metric, used] for key in logs[0]] for log in logs
        ]
        for metric, used in shared
    }
    has_texts = all(isinstance(text, str) for text, _, _ in every)
    systems = [
        System(readable(name), [log[key][0] if has_texts else "" for key in logs[0]])
        for name, log in zip(names, logs, strict=True)
    ]
    corpus = Corpus(systems, [[target for _, target, _ in logs[0].values()]], {})
    tasks = [task for task, _ in logs[0]]
    return corpus, scores, tasks if len(set(tasks)) > 1 else None


def _read(path: str) -> dict[tuple[str, int], _Sample]:
    """Return text, target and scores of the samples of a log, or of all logs in a folder."""
    files = [path]
    samples: dict[tuple[str, int], _Sample] = {}
    if os.path.isdir(path):
        files = sorted(glob.glob(f"{glob.escape(path)}/**/samples_*.jsonl", recursive=True))
    for file in files:
        task = LOG.sub(r"\1", os.path.basename(file))
        for number, line in enumerate(read_file(file, "utf-8"), 1):
            where = f"{file}, line {number}"
            try:
                entry = json.loads(line)
                key, texts = (task, int(entry["doc_id"])), entry["filtered_resps"]
                start: _Sample = (texts[0] if len(texts) == 1 else None, str(entry["target"]), {})
                values = {(name, entry["filter"]): entry[name] for name in entry["metrics"]}
            except (LookupError, RecursionError, TypeError, ValueError) as error:
                raise CommandError(f"{where}: expected a sample of lm-eval; {error!r}") from None
            scores = samples.setdefault(key, start)[2]
            for name, value in values.items():
                if name in scores:
                    raise CommandError(f"{where}: {task}, doc_id {key[1]} was there before")
                if isinstance(value, int | float):
                    scores[name] = _number(str(float(value)), f"{where}, {name[0]}")
    if not samples:
        raise CommandError(f"{path}: expected samples_*.jsonl of lm-eval --log_samples; got none")
    return samples
