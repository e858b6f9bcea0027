"""Rows of statistics in the scoring command: files of rows, groups, intervals and tests.

Functions load files of rows, and tests, where they need them, because each takes 50 ms.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations

from rapidbleu._lib.floats import finite
from rapidbleu._lib.loader import np
from rapidbleu.cli.files import Corpus, System, check_lengths, readable
from rapidbleu.cli.messages import CommandError, progress_callback
from rapidbleu.cli.score.output import Results
from rapidbleu.metrics.corpus import iter_stats
from rapidbleu.parallel import check_threads
from rapidbleu.rows.labels import read_labels
from rapidbleu.stats import check_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, TypeAlias

    from rapidbleu._types import IntArray
    from rapidbleu.cli.score.output import Job, _Grouped
    from rapidbleu.rows.stats_table import StatsTable
    from rapidbleu.score import RowScoring

    # Sums of statistics and numbers of segments, by the values of columns.
    _Sums: TypeAlias = tuple[dict[tuple[Any, ...], IntArray], Counter[tuple[Any, ...]]]
    _Batches: TypeAlias = Iterator[tuple[list[Any], IntArray]]


def read_rows(args: Namespace) -> tuple[dict[str, RowScoring], Corpus, dict[str, str]]:
    """Return the metric of files of rows, the rows, and further entries of signatures.

    Rows are summed unless all are needed.
    """
    from rapidbleu.metrics import BLEU, ROUGE
    from rapidbleu.rows.kinds import number_of, split_signature

    head = read_head_of(args.stats, args.by or [])
    metric = head.metric
    name = f"rouge{metric.variant}" if isinstance(metric, ROUGE) else type(metric).__name__
    rows = []
    for path in args.stats if not args.by else ():
        batches = batches_of_file(path, [])
        if args.sentence_level or args.confidence or args.paired:
            rows.append(np.concatenate([batch for _, batch in batches]))
        else:
            rows.append(sums_of(metric, batches)[0][()])
    if args.sentence_level and isinstance(metric, BLEU):  # as for texts
        metric = BLEU(**{**metric._changed_options(), "effective_order": True})  # type: ignore[arg-type]
    nrefs, _, version = split_signature(head.signature)
    metric._calls.remember(number_of(nrefs))
    also = {"version": version}
    if head.shard is not None and head.shard != (1, 1):
        also["shard"] = "{}/{}".format(*head.shard)
    systems = [System(readable(name), []) for name in args.names or args.stats]
    corpus = Corpus(systems, [], {name.lower(): rows}, head.first or 0)
    return {name.lower(): metric}, corpus, also


def read_head_of(paths: list[str], by: list[str]) -> StatsTable:
    """Return an empty table that describes all files; refuse files that differ."""
    from rapidbleu.rows.files import read_head
    from rapidbleu.rows.stats_table import StatsTable

    names = list(map(readable, paths))
    heads = [read_head(path, StatsTable) for path in paths]
    first = heads[0][1]
    for name, (entries, table) in zip(names, heads, strict=True):
        if not entries["rows"]:
            raise CommandError(f"{name}: expected at least one segment; got none")
        table.rows_for(first.metric, name)
        if table.signature != first.signature:
            raise CommandError(
                f"{name}: expected rows of {first.signature}, as {names[0]} has; got "
                f"{table.signature}"
            )
        if table.shard != first.shard:
            raise CommandError(
                f"{name}: expected {_part(first)}, as {names[0]} is; got {_part(table)}"
            )
        known = [column for column in table.names if column not in table.statistics]
        for column in by:
            if column not in known:
                raise CommandError(
                    f"{name}: --by: expected one of the columns {', '.join(known)}; got {column!r}"
                )
    lengths = [entries["rows"] for entries, _ in heads]
    check_lengths(zip(names, lengths, strict=True))
    for path in paths[1:]:
        check_same(paths[0], path, ["id", *by])
    return first


def _part(table: StatsTable) -> str:
    """Return the part of a corpus that a table contains."""
    if table.shard is None:
        return "all segments"
    return "shard {} of {}".format(*table.shard)


def check_same(first: str, path: str, columns: list[str]) -> None:
    """Refuse a file whose columns differ from those of the first one."""
    labels = zip(_labels(first, columns), _labels(path, columns), strict=True)
    for i, rows in enumerate(labels):
        for column, expected, actual in zip(columns, *rows, strict=True):
            if expected != actual:
                raise CommandError(
                    f"{readable(path)}, row {i}, column {column!r}: expected {expected!r}, as "
                    f"{readable(first)} has; got {actual!r}"
                )


def _labels(path: str, columns: list[str]) -> Iterator[tuple[Any, ...]]:
    """Yield the items of columns, row by row."""
    for batch, _ in batches_of_file(path, columns):
        yield from zip(*batch, strict=True)


def sums_of(metric: RowScoring, batches: _Batches) -> _Sums:
    """Sum rows of statistics by the values of columns, and count them."""
    kernel: Any = metric._kernel
    sums: dict[tuple[Any, ...], IntArray] = {}
    counts: Counter[tuple[Any, ...]] = Counter()
    for columns, batch in batches:
        rows = check_rows(batch, kernel)
        indices: dict[tuple[Any, ...], Any] = {} if columns else {(): slice(None)}
        for i, values in enumerate(zip(*columns, strict=True)):
            indices.setdefault(values, []).append(i)
        for values, chosen in indices.items():
            part = rows[chosen]
            counts[values] += len(part)
            total = np.array([kernel.sum_rows(part, "statistics")])
            if values in sums:
                total = np.array([kernel.sum_rows(np.concatenate([sums[values], total]), "sums")])
            sums[values] = total
    return sums, counts


def sums_of_systems(name: str, job: Job) -> Iterator[_Sums]:
    """Yield for each system the sums of statistics by value of ``--by``."""
    metric = job.metrics[name]
    args = job.args
    if args.stats:
        for path in args.stats:
            yield sums_of(metric, batches_of_file(path, args.by))
        return
    with job.bar(name) as bar:
        for system in job.corpus.systems:
            source: Any = system.segments
            progress = bar and bar.part(len(job.corpus.systems))
            parts = iter_stats(metric, source, None, "stream", args.threads, progress)
            labeled = (
                (read_labels(tables, None, args.by)["keep"], rows) for rows, _, tables in parts
            )
            yield sums_of(metric, _columns_of(labeled, args.by))


def batches_of_file(path: str, columns: list[str]) -> _Batches:
    """Yield columns and rows of statistics from a file."""
    from rapidbleu.rows.files import iter_batches, read_manifest

    return _columns_of(iter_batches(path, read_manifest(path)), columns)


def _columns_of(
    batches: Iterable[tuple[Mapping[str, Any], IntArray]], names: list[str]
) -> _Batches:
    """Yield columns as lists of Python objects, with None for nan, and rows of statistics."""
    for labels, rows in batches:
        yield [finite(labels[name]) for name in names], rows


def scores_of_groups(job: Job) -> tuple[dict[tuple[Any, ...], int], list[_Grouped]]:
    """Return the sizes of groups in order, and the scores of each system and metric."""
    sums = {name: list(sums_of_systems(name, job)) for name in job.metrics}
    counts = next(iter(sums.values()))[0][1]
    order = sorted(counts, key=lambda values: tuple(map(_rank, values)))
    results: list[_Grouped] = []
    for i, system in enumerate(job.corpus.systems):
        for name, of_systems in sums.items():
            metric = job.metrics[name]
            rows = [of_systems[i][0][values] for values in order]
            scores = [metric.score(row).score for row in rows]
            whole = job.named(metric.score(np.concatenate(rows)), name)
            results.append((system.name, scores, whole, job.signature(name)))
    return {values: counts[values] for values in order}, results


def _rank(value: Any) -> tuple[bool, bool, Any]:
    """Return the sort key of a value: numbers, text by embedded numbers, None."""
    parts = re.split(r"(\d+)", value) if isinstance(value, str) else []
    numbered = [int(part) if part.isdecimal() else part for part in parts]
    return value is None, isinstance(value, str), numbered or value


def resampled_scores(job: Job) -> Results:
    """Return scores with intervals, from the same resamples of all systems."""
    from rapidbleu.significance.resamples import resampled
    from rapidbleu.significance.result import interval_of

    args = job.args
    threads = check_threads(args.threads)
    results = Results(job.names)
    for name, metric in job.metrics.items():
        scores = []
        numbers = []
        for rows in job.rows(name):
            with progress_callback("resamples", args.quiet) as progress:
                score, samples = resampled(
                    metric, rows, args.confidence_n, args.seed, threads, progress
                )
            score._take_samples(samples.tolist())
            scores.append(job.named(score, name))
            low, high = interval_of(samples, 0.95)
            numbers.append({"mean": score._mean, "ci": score._ci, "low": low, "high": high})
        signature = job.signature(name, bs=args.confidence_n, seed=args.signed_seed)
        results.add(scores, signature, numbers)
    return results


def compared(job: Job) -> Results:
    """Test systems, against the first one as in sacrebleu or in all pairs.

    Ties do not count in sacrebleu's p-values, but in the p-values of all pairs.
    """
    from rapidbleu.significance import paired_bootstrap, paired_randomization

    args = job.args
    systems = job.corpus.systems
    # Test the rows of all systems
    titles = job.titles
    metrics = {titles[name]: metric for name, metric in job.metrics.items()}
    rows = {titles[name]: job.rows(name) for name in job.metrics}
    by_system = [dict(zip(rows, parts, strict=True)) for parts in zip(*rows.values(), strict=True)]
    test: Any = paired_randomization
    number = "n_trials"
    n = args.paired_ar_n
    if args.paired_bs:
        test = paired_bootstrap
        number = "n_resamples"
        n = args.paired_bs_n
    with progress_callback(number.removeprefix("n_"), args.quiet) as progress:
        result = test(
            {system.name: parts for system, parts in zip(systems, by_system, strict=True)},
            None,
            metrics,
            **{number: n or None},
            seed=args.seed,
            baseline=None if args.all_pairs else 0,
            ties=args.all_pairs,
            threads=args.threads if args.paired_jobs is None else args.paired_jobs,
            progress=progress,
        )

    def identical(name: str, i: int, j: int) -> str | None:
        """Return what two systems share in every segment: outputs, statistics, or None."""
        if i == j or not np.array_equal(rows[name][i], rows[name][j]):
            return None
        same = systems[i].segments == systems[j].segments
        return "outputs" if job.corpus.references and same else "statistics"

    # Collect the results of systems, which are the only ones of sacrebleu's tests
    n = getattr(result, number)
    kind = "bs" if args.paired_bs else "ar"
    results = Results(result.systems, (kind, n))
    results.errors = {name for name, metric in metrics.items() if not metric.higher_is_better}
    results.about = {"test": result.test, number: n, "seed": result.seed, "correction": "holm"}
    entries = {"seed": str(result.seed).lower(), kind: n}
    for label, name in titles.items():
        results.signatures[name] = job.signature(label, **entries)
        results.systems[name] = []
        for i, system in enumerate(result[name].values()):
            shown = {"score": system.score, "p_value": system.p_value}
            shown |= {"mean": system.mean, "ci": system.half_width}
            if system.interval is not None:
                shown["low"], shown["high"] = system.interval
            if not args.all_pairs and (same := identical(name, 0, i)):
                shown["identical"] = same
            results.systems[name].append(shown)
    if args.all_pairs:
        _add_pairs(results, n, result.p_values, identical)
    return results


def _add_pairs(
    results: Results,
    n: int,
    matrices: Mapping[str, Any],
    identical: Callable[[str, int, int], str | None],
) -> None:
    """Add the results of pairs, and triangles if there are more than a few systems."""
    from rapidbleu.significance.result import FEW, correct_p_values, least_p_value, p_triangle

    names = results.names
    numbers = list(combinations(range(len(names)), 2))
    least = least_p_value(n, len(numbers))
    results.least = least_p_value(n), least
    pairs: dict[str, list[Any]] = {
        "System": [names[i] for i, _ in numbers],
        "Compared with": [names[j] for _, j in numbers],
    }
    results.pairs = pairs
    for name, matrix in matrices.items():
        scores = [system["score"] for system in results.systems[name]]
        corrected = correct_p_values([matrix[pair] for pair in numbers]).tolist()
        of_pairs = matrix.copy()
        pairs[name] = []
        for (i, j), p in zip(numbers, corrected, strict=True):
            of_pairs[i, j] = of_pairs[j, i] = p
            pairs[name].append(
                {
                    "difference": scores[i] - scores[j],
                    "p_value": float(matrix[i, j]),
                    "p_corrected": p,
                    "p_is_least": p <= least < 1,
                    "identical": identical(name, i, j),
                }
            )
        if len(names) > FEW:
            more = name not in results.errors
            results.triangles += p_triangle(name, names, scores, of_pairs, more, least=least)
