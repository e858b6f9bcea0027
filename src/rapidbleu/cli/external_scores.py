"""Segment scores that other programs computed: ``--scores NAME=FILE [FILE ...]``.

A file per system has a number on each line. A single file is a table with a column per system, or
the JSON output of COMET's command line (``--to_json``). Sample logs of lm-evaluation-harness
(``--from lm-eval``) have an answer, its target and its scores on each line.
"""

from __future__ import annotations

import glob
import json
import math
import os
import re
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from rapidbleu.cli.files import Corpus, System, name_of_system, read_file, readable
from rapidbleu.cli.messages import CommandError
from rapidbleu.cli.metrics import titles_of
from rapidbleu.cli.options import Parser, add_options, number_from
from rapidbleu.metrics import SegmentScores, WeightedSum
from rapidbleu.metrics.mean import LARGEST
from rapidbleu.streams.files import csv_rows, ending_of

if TYPE_CHECKING:
    from rapidbleu._types import IntArray
    from rapidbleu.metrics.metric import Metric

    _Files = dict[str, list[str]]  # by metric
    _Lists = list[list[float]]  # scores by system and segment

LOG = re.compile(r"samples_(.*)_[^_]*\.jsonl")
RESERVED = ("system", "systems", "segment", "compared with")  # columns of our own tables


class Sample(NamedTuple):
    """A sample of lm-evaluation-harness; scores are by metric and filter."""

    answer: Any
    target: str
    scores: dict[tuple[str, str], float]


def named_files(args: Namespace) -> _Files:
    """Return the files of each metric of ``--scores``: one per system, or a single one."""
    files = name_files(args.scores)
    n_systems = len(args.input or [""])
    for name, paths in files.items():
        if len(paths) not in (1, n_systems):
            raise CommandError(
                f"--scores {name}: expected {n_systems} files, one for each system, or one for "
                f"all; got {len(paths)}"
            )
    return files


def name_files(lists: list[list[str]]) -> _Files:
    """Return the files of each metric in words such as ``NAME=FILE``."""
    files: _Files = {}
    for words in lists:
        name = ""
        for i, word in enumerate(words):
            before, equals, path = word.partition("=")
            if equals and os.sep not in before:  # a file called a=b is ./a=b
                name = readable(before)
                if not name.strip() or name.lower() in RESERVED:
                    expected = "expected the name of a metric before '='"
                    raise CommandError(f"--scores: {expected}; got {name!r}")
                if name in files:
                    raise CommandError(f"--scores: expected each name once; got {name!r} again")
                files[name] = []
            elif i == 0:
                raise CommandError(f"--scores: expected NAME=FILE; got {word!r}")
            else:
                path = word
            if not path:
                raise CommandError(f"--scores: expected a file behind {word!r}")
            files[name].append(path)
    return files


def check_metrics(files: _Files, metrics: dict[str, Metric]) -> None:
    if not files:
        return
    for label, title in titles_of(metrics).items():
        for name in files:
            if name in (label, title):
                raise CommandError(f"--scores: {name!r} is what a metric of -m is called")


def read_external(files: _Files, systems: list[System], args: Namespace) -> dict[str, _Lists]:
    """Return the scores of all systems by metric."""
    external = {}
    for name, paths in files.items():
        external[name] = list(_scores(name, paths, systems, args))
        for path, system, scores in zip(
            paths * (len(systems) // len(paths)), systems, external[name], strict=True
        ):
            if len(scores) != len(system.segments):
                raise CommandError(
                    f"{path}: expected {len(system.segments)} scores of {system.name}, one for "
                    f"each segment; got {len(scores)}"
                )
    return external


def _scores(
    name: str, paths: list[str], systems: list[System], args: Namespace
) -> Iterator[list[float]]:
    """Yield the scores of each system."""
    names = [_names_of(system, i, args) for i, system in enumerate(systems)]
    for i, path in enumerate(paths):
        lines = read_file(path, args.encoding)
        if lines:
            lines[0] = lines[0].removeprefix("\ufeff")
        wanted = names if len(paths) == 1 else [names[i]]
        if ending_of(path) == ".json":
            yield from _from_json(path, lines, name, wanted)
            continue
        separator = "," if ending_of(path) == ".csv" else "\t"
        _, header = next(csv_rows(lines[:1], path, delimiter=separator), ("", []))
        if len(wanted) == 1 and not {*header} & {*wanted[0]}:
            yield [_number(line, f"{path}, line {n}") for n, line in enumerate(lines, 1)]
            continue
        _, *rows = csv_rows(lines, path, delimiter=separator) if lines else [("", [])]
        for column in _indices(path, header, wanted, "a column for system"):
            yield [
                _number(row[column] if column < len(row) else "", f"{where}, {header[column]}")
                for where, row in rows
            ]


def _names_of(system: System, i: int, args: Namespace) -> list[str]:
    """Return the names that files may use for a system: its name, its path and the stem of it."""
    names = [system.name]
    if args.input is not None:
        path = args.input[i]
        names += [path, os.path.basename(path), name_of_system(path)]
    return names


def _from_json(
    path: str, lines: list[str], name: str, wanted: list[list[str]]
) -> Iterator[list[float]]:
    """Yield the scores of systems by name of the metric, or COMET."""
    try:
        data: Any = json.loads("\n".join(lines))
    except json.JSONDecodeError as error:
        raise CommandError(f"{path}, line {error.lineno}: expected JSON: {error.msg}") from None
    except RecursionError:
        raise CommandError(f"{path}: expected JSON of few levels") from None
    if not isinstance(data, dict):
        raise CommandError(f"{path}: expected lists of segments by system, as COMET writes them")
    keys = list(data)
    if not len(keys) == len(wanted) == 1:
        keys = [keys[i] for i in _indices(path, keys, wanted, "system")]
    for key in keys:
        if not isinstance(data[key], list):
            raise CommandError(f"{path}, {key}: expected a list of segments")
        scores = []
        for i, segment in enumerate(data[key], 1):
            entry = segment if isinstance(segment, dict) else {}
            score = entry.get(name, entry.get("COMET", ""))
            scores.append(_number(str(score), f"{path}, {key}, segment {i}"))
        yield scores


def _indices(path: str, present: list[str], wanted: list[list[str]], what: str) -> list[int]:
    """Return the index of the first name of each system among the present ones."""
    indices: list[int] = []
    for names in wanted:
        known = [present.index(name) for name in names if present.count(name) == 1]
        if not known:
            got = ", ".join(map(repr, present)) or "none"
            raise CommandError(f"{path}: expected {what} {names[0]!r}; got {got}")
        if known[0] in indices:
            raise CommandError(
                f"{path}: {present[known[0]]!r} may be two systems; tell them apart with --names"
            )
        indices.append(known[0])
    return indices


def _number(text: str, where: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise CommandError(f"{where}: expected a number; got {text!r}") from None
    if not abs(number) <= LARGEST:
        raise CommandError(f"{where}: expected a number from -2**20 to 2**20; got {text!r}")
    return number


def read_samples(
    paths: list[str], names: list[str]
) -> tuple[Corpus, dict[str, _Lists], list[str] | None]:
    """Return systems with references, the scores that all samples have, and tasks if several.

    Texts are empty if no sample has any.
    """
    logs = [_read_samples(path) for path in paths]
    first = logs[0]
    for name, log in zip(names, logs, strict=True):
        for key in sorted(first.keys() | log.keys()):
            expected = first[key].target if key in first else None
            target = log[key].target if key in log else None
            if target != expected:
                raise CommandError(
                    f"{name}: expected the samples of {names[0]}, of {key[0]}, doc_id {key[1]}, "
                    f"the target {expected!r}; got {target!r}"
                )
    # All logs have the same samples.
    by_log = [list(map(log.__getitem__, first)) for log in logs]
    samples = list(chain(*by_log))
    known = set.intersection(*[set(sample.scores) for sample in samples])
    shared = [key for key in samples[0].scores if key in known]
    metrics = [metric for metric, _ in shared]
    has_texts = all([isinstance(sample.answer, str) for sample in samples])
    scores: dict[str, _Lists] = {}
    systems = []
    for name, log_samples in zip(names, by_log, strict=True):
        texts = [sample.answer if has_texts else "" for sample in log_samples]
        systems.append(System(readable(name), texts))
        for metric, used in shared:
            title = metric if metrics.count(metric) == 1 else f"{metric},{used}"
            values = [sample.scores[metric, used] for sample in log_samples]
            scores.setdefault(title, []).append(values)
    tasks = [task for task, _ in first]
    corpus = Corpus(systems, [[sample.target for sample in by_log[0]]], {})
    return corpus, scores, tasks if len(set(tasks)) > 1 else None


def _read_samples(path: str) -> dict[tuple[str, int], Sample]:
    """Return text, target and scores of the samples in a log, or in all logs of a folder."""
    files = [path]
    samples: dict[tuple[str, int], Sample] = {}
    if os.path.isdir(path):
        files = sorted(glob.glob(f"{glob.escape(path)}/**/samples_*.jsonl", recursive=True))
    for file in files:
        task = LOG.sub(r"\1", os.path.basename(file))
        for number, line in enumerate(read_file(file, "utf-8"), 1):
            where = f"{file}, line {number}"
            try:
                entry = json.loads(line)
                key = (task, int(entry["doc_id"]))
                texts = entry["filtered_resps"]
                answer = texts[0] if len(texts) == 1 else None
                sample = Sample(answer, str(entry["target"]), {})
                values = {(name, entry["filter"]): entry[name] for name in entry["metrics"]}
            except (LookupError, RecursionError, TypeError, ValueError) as error:
                raise CommandError(f"{where}: expected a sample of lm-eval; {error!r}") from None
            scores = samples.setdefault(key, sample).scores
            for name, value in values.items():
                if name in scores:
                    raise CommandError(f"{where}: {task}, doc_id {key[1]} was there before")
                if isinstance(value, int | float):
                    scores[name] = _number(str(float(value)), f"{where}, {name[0]}")
    if not samples:
        raise CommandError(f"{path}: expected samples_*.jsonl of lm-eval --log_samples; got none")
    return samples


def add_scores(parser: Parser, are_mixed: bool = True) -> None:
    """Add ``--scores`` of hypotheses, and ``--mixture``."""

    also = "; replaces -m, unless it is given" if are_mixed else ", whose means are printed"
    scores = (
        "--scores",
        "NAME=FILE ...",
        f"scores of hypotheses by another metric, in the order of the list{also}",
        {"action": "append", "default": []},
    )
    mixture = (
        "--mixture",
        "W ...",
        "weights of several metrics, negative ones for error rates, --scores last "
        "(default: 1 and -1 by the number of metrics)",
        {"type": number_from(-math.inf)},
    )
    add_options(parser, (scores, mixture) if are_mixed else (scores,))


def metrics_and_files(
    parser: Parser, args: Namespace, make: Callable[[Namespace], dict[str, Metric]]
) -> tuple[dict[str, Metric], _Files]:
    """Return the metrics of ``-m``, none by default if there are scores, and the scores' files."""
    is_default = args.metrics is parser.get_default("metrics") and not args.given
    metrics = {} if args.scores and is_default else make(args)
    files = name_files(args.scores)
    check_metrics(files, metrics)
    if args.refs and not metrics:
        raise CommandError("-r/--refs: expected none with --scores, unless -m is given, too")
    if args.mixture and (got := len(args.mixture)) != (n := len(metrics) + len(files)):
        raise CommandError(f"--mixture: expected {n} weights, one for each metric; got {got}")
    return metrics, files


class Given(SegmentScores):
    """The scores of hypotheses in some files, as a metric of their texts in the same order."""

    def __init__(self, name: str, paths: list[str], encoding: str) -> None:
        super().__init__(name)
        args = Namespace(input=None, encoding=encoding)
        self.scores: list[float] = []
        for path in paths:
            for scores in _scores(name, [path], [System(name, [])], args):
                self.scores += scores
        self.paths = ", ".join(paths)

    def nbest_stats(self, hypotheses: list[list[str]], _: object, **options: Any) -> IntArray:
        """Return the rows of all hypotheses."""
        if (n := sum(map(len, hypotheses))) != (got := len(self.scores)):
            what = f"expected {n}, one for each hypothesis; got {got}"
            raise CommandError(f"{self.paths}: {what}")
        return self.stats(self.scores)


def mixed(metrics: dict[str, Any], others: Iterable[Any], weights: list[float] | None) -> Any:
    """Return one metric, the weighted sum of several if there are more or any weights."""
    several = [*metrics.values(), *others]
    if weights is None and len(several) == 1:
        return several[0]
    signs = [1 if metric.higher_is_better else -1 for metric in several]
    return WeightedSum(several, weights or [sign / len(several) for sign in signs])
