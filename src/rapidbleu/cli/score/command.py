"""The scoring command: corpora or segments, one system or several, one metric or several."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias, Union

from rapidbleu._lib.lazy import np
from rapidbleu._version import __version__
from rapidbleu.cli.files import (
    Corpus,
    System,
    check_lengths,
    file_errors,
    part_of,
    read_corpus,
    readable,
    shard_of,
    streamed_corpus,
)
from rapidbleu.cli.messages import CommandError, library_messages, progress_bar, progress_callback
from rapidbleu.cli.metrics import informed, make_metrics, titles_of
from rapidbleu.cli.options import WHOLE
from rapidbleu.cli.score import options, output, testsets
from rapidbleu.cli.score.output import PairResult, Scores, Style, SystemResult
from rapidbleu.metrics import BLEU
from rapidbleu.metrics.mean import MeanScore
from rapidbleu.parallel import part_of as part_of_bar
from rapidbleu.table import Table

if TYPE_CHECKING:
    from rapidbleu.metrics.metric import Metric
    from rapidbleu.rows.stats_table import StatsTable
    from rapidbleu.score import Score
    from rapidbleu.signature import Signature
    from rapidbleu.typing import IntArray

# A metric that is computed, or the mean of external scores.
AnyMetric: TypeAlias = Union["Metric", MeanScore]

# Segments of BLEU that are scored at once where results shall appear on the way, and how many times
# longer a segment takes with other metrics, roughly.
PART = 2_000
COSTS = {"chrf": 5, "ter": 10, "cer": 10, "meteor": 10, "rougeLsum": 5, "rougeW": 10}
SLICE = 1 << 14  # rows that are compared at a time, as Python objects


def make_parser() -> ArgumentParser:
    """Return the parser of the command, if it is called by its name."""
    return options.make_parser("rapidbleu score")


def run(
    argv: Sequence[str], out: TextIO, program: str = "rapidbleu score", version: str = __version__
) -> int:
    """Run the command."""
    args = options.parse(argv, program, version)
    with library_messages(args.quiet, options=args.option_names):
        if args.download or args.list or args.citation or args.echo:
            testsets.answer(args, out)
            return 0
        options.check(args)
        if args.stats:
            score_rows(args, out)
        else:
            score_texts(args, out)
    return 0


def score_texts(args: Namespace, out: TextIO) -> None:
    """Score systems whose outputs are in files."""
    made = make_metrics(args)
    needs_all = (
        args.test_set or args.scores or args.sentence_level or args.paired_ar or args.paired_bs
    )
    whole = streamed_corpus(
        args, bool(needs_all), refuse=False
    )  # as sacrebleu, which reads any file
    external: dict[str, MeanScore] = {}
    computed = made
    if whole is None:
        whole, external = read(args, made)
        corpus = whole
        if args.origlang or args.subset:
            corpus = part_of(whole, testsets.choose(len(whole.references[0]), args))
        computed = informed(made, corpus.references)
        if args.shard != WHOLE:
            corpus = shard_of(corpus, args)
    else:
        corpus = whole
    if args.shard != WHOLE and not corpus.n_segments:
        raise CommandError(f"--shard {args.shard}: expected at least one segment, got none")
    also = {} if args.shard == WHOLE else {"shard": str(args.shard)}
    scales = {
        name: [metric.score(rows).score for rows in corpus.given[name]]
        for name, metric in external.items()
    }
    style = output.make_style(args, out, also, scales, _equal_names(computed))
    # Tests take metrics in the order of the options, scores in alphabetical order.
    tested = (args.paired_ar or args.paired_bs) and not args.sentence_level
    in_order = computed if tested else dict(sorted(computed.items()))
    report({**in_order, **external}, corpus, style, args, out)
    if args.detail and len(corpus.systems) == 1 and not args.sentence_level:
        segments = whole.systems[0].segments
        testsets.print_details(computed, segments, whole.references, args, out)


def _equal_names(metrics: dict[str, Metric]) -> dict[str, str]:
    """Return the names of metrics in results, where the names of scores are equal."""
    if len({type(metric) for metric in metrics.values()}) == len(metrics):
        return {}
    return titles_of(metrics)


def read(args: Namespace, metrics: dict[str, Metric]) -> tuple[Corpus, dict[str, MeanScore]]:
    """Read all files; return their content, and the metrics whose scores are external."""
    files: dict[str, list[str]] = {}
    if args.scores:
        from rapidbleu.cli.external_scores import check_metrics, named_files, read_external

        files = named_files(args)
        check_metrics(files, metrics)
    streams = testsets.read_streams(args) if args.test_set else None
    corpus = read_corpus(args, refuse=False, streams=streams)
    if not files:
        return corpus, {}
    external = {name: MeanScore(name) for name in files}
    rows = {
        name: list(map(external[name].rows, scores))
        for name, scores in read_external(files, corpus.systems, args).items()
    }
    return corpus._replace(given=rows), external


def report(
    metrics: dict[str, AnyMetric], corpus: Corpus, style: Style, args: Namespace, out: TextIO
) -> None:
    """Print the results that the options ask for."""
    names = [system.name for system in corpus.systems]
    as_table = len(names) > 1 or style.format in options.TABLES
    if args.sentence_level and as_table and style.format != "json":
        columns = segment_columns(metrics, corpus, style, args)
        text = output.segment_table(columns, corpus.first + 1, style)
    elif args.sentence_level:
        entries = segment_entries(metrics, corpus, style, args, args.quiet or out.isatty())
        out.writelines(output.segment_lines(entries, style))
        return
    elif args.paired_ar or args.paired_bs:
        text = compared(metrics, corpus, style, args)
    elif as_table:
        scores = corpus_scores(metrics, corpus, style, args)
        text = output.several_systems(names, scores, style, args.confidence)
    else:
        text = output.single_system(corpus_scores(metrics, corpus, style, args), style)
    print(text, file=out)


# Corpora


def signature_of(metric: AnyMetric) -> Signature | None:
    """Return the signature of a metric; None if its scores are external."""
    return None if isinstance(metric, MeanScore) else metric.get_signature()


def corpus_scores(
    metrics: dict[str, AnyMetric], corpus: Corpus, style: Style, args: Namespace
) -> list[Scores]:
    """Score the systems by each metric, with intervals if the options ask for them."""
    scores = []
    for name, metric in metrics.items():
        systems: list[Score]
        if args.confidence:
            systems, signature = scores_with_intervals(name, metric, corpus, args)
        else:
            if isinstance(metric, MeanScore) or name in corpus.given:
                systems = [metric.score(rows) for rows in corpus.given[name]]
            else:
                systems = _of_systems("corpus_score", name, metric, corpus, args)
            signature = signature_of(metric)
        systems = [style.named(score, name) for score in systems]
        scores.append(Scores(systems, style.signature(signature)))
    return scores


def system_rows(name: str, metric: AnyMetric, corpus: Corpus, args: Namespace) -> list[IntArray]:
    """Return the rows of statistics of each system."""
    if isinstance(metric, MeanScore) or name in corpus.given:
        return corpus.given[name]
    return _of_systems("segment_stats", name, metric, corpus, args)


def _of_systems(
    method: str, name: str, metric: Metric, corpus: Corpus, args: Namespace
) -> list[Any]:
    """Call a method of a metric for each system; several share references, tokenized once."""
    n_systems = len(corpus.systems)
    references: Any = corpus.references
    found = []
    with progress_bar(name, corpus.n_segments * n_systems, args.quiet) as bar:
        if n_systems > 1:
            references = metric.prepare(references)
        for i, system in enumerate(corpus.systems):
            progress = bar if bar is None or n_systems == 1 else part_of_bar(bar, i, n_systems)
            call = getattr(metric, method)
            found.append(call(system.segments, references, threads=args.threads, progress=progress))
    return found


def scores_with_intervals(
    name: str, metric: AnyMetric, corpus: Corpus, args: Namespace
) -> tuple[list[Score], Signature | None]:
    """Score systems and estimate the intervals of their scores, each from the same resamples."""
    from rapidbleu.significance import bootstrap
    from rapidbleu.significance.resamples import seed_of_environment

    text, seed = seed_of_environment()
    n: int = args.confidence_n
    scores = []
    for rows in system_rows(name, metric, corpus, args):
        with progress_callback("resamples", args.quiet) as progress:
            found = bootstrap(metric, rows, n=n, seed=seed, threads=args.threads, progress=progress)
        samples: Any = found.samples
        score = metric.score(rows)
        score.estimate_ci(samples.tolist())
        scores.append(score)
    signature = signature_of(metric)
    if signature is not None:
        signature.update("bs", n)
        signature.update("seed", text)
    return scores, signature


def compared(metrics: dict[str, AnyMetric], corpus: Corpus, style: Style, args: Namespace) -> str:
    """Compare systems: with the first one as sacrebleu does, or all with all; return the text.

    Ties do not count in sacrebleu's p-values; they do in the p-values of all pairs.
    """
    from rapidbleu.significance import corrected, paired_bootstrap, paired_randomization
    from rapidbleu.significance.resamples import seed_of_environment

    function: Any = paired_bootstrap if args.paired_bs else paired_randomization
    titles = titles_of(metrics).values()
    rows_of = [system_rows(name, metric, corpus, args) for name, metric in metrics.items()]
    systems = {
        system.name: dict(zip(titles, own, strict=True))
        for system, *own in zip(corpus.systems, *rows_of, strict=True)
    }
    with progress_callback("resamples" if args.paired_bs else "trials", args.quiet) as progress:
        found = function(
            systems,
            None,
            dict(zip(titles, metrics.values(), strict=True)),
            n=(args.paired_bs_n if args.paired_bs else args.paired_ar_n) or None,
            seed=seed_of_environment()[1],
            baseline=None if args.all_pairs else 0,
            ties=args.all_pairs,
            threads=args.threads if args.paired_jobs is None else args.paired_jobs,
            progress=progress,
        )
    rows = dict(zip(found.metrics, rows_of, strict=True))
    signatures = {name: style.signature(found.signatures.get(name)) for name in found.metrics}
    test = "bs" if args.paired_bs else "ar", found.n

    def result(name: str, i: int, own: Any) -> SystemResult:
        if args.all_pairs:
            return SystemResult(own.score, None, own.mean, own.half_width, None)
        identical = _identical(rows[name], corpus, 0, i) if i else None
        return SystemResult(own.score, own.p, own.mean, own.half_width, identical)

    results = {
        name: [result(name, i, own) for i, own in enumerate(found[name].values())]
        for name in found.metrics
    }
    if not args.all_pairs:
        return output.systems_and_baseline(found.systems, results, signatures, style, test)
    pairs = list(combinations(range(len(found.systems)), 2))
    pair_results = {}
    for name, own in results.items():
        p_values = [float(found.p_values[name][i, j]) for i, j in pairs]
        pair_results[name] = [
            PairResult(own[i].score - own[j].score, p, holm, _identical(rows[name], corpus, i, j))
            for (i, j), p, holm in zip(pairs, p_values, corrected(p_values).tolist(), strict=True)
        ]
    about = {"test": found.test, "n": found.n, "seed": found.seed, "correction": "holm"}
    names = [(found.systems[i], found.systems[j]) for i, j in pairs]
    return output.all_pairs(
        found.systems, results, names, pair_results, signatures, style, test, about
    )


def _identical(rows: list[IntArray], corpus: Corpus, i: int, j: int) -> str | None:
    """Return the part that two systems share in every segment: outputs, or statistics."""
    if not np.array_equal(rows[i], rows[j]):
        return None
    with_texts = bool(corpus.references)
    same = corpus.systems[i].segments == corpus.systems[j].segments
    return "outputs" if with_texts and same else "statistics"


# Segments


def segment_columns(
    metrics: dict[str, AnyMetric], corpus: Corpus, style: Style, args: Namespace
) -> list[output.Column]:
    """Return a column of the scores of segments for each metric and system."""
    columns = []
    for name, metric in metrics.items():
        rows_of = system_rows(name, metric, corpus, args)
        printed = style.named(metric.score(rows_of[0][0]), name).name
        width = style.width_of(printed)
        for system, rows in zip(corpus.systems, rows_of, strict=True):
            header = f"{system.name} {printed}" if len(corpus.systems) > 1 else printed
            columns.append((header, [f"{x:.{width}f}" for x in metric.score_rows(rows).tolist()]))
    return columns


def segment_entries(
    metrics: dict[str, AnyMetric], corpus: Corpus, style: Style, args: Namespace, quiet: bool
) -> Iterator[str]:
    """Yield an entry for each metric of the first segment, of the second and on.

    Entries of several systems, which are JSON, begin with the number of the segment and the name of
    the system.
    """
    systems = corpus.systems
    score_only = style.score_only
    if len(systems) > 1:
        style = style._replace(score_only=False)
    order = list(product(range(len(systems)), metrics.items()))
    size = max(1, PART // max(COSTS.get(name.partition(":")[0], 1) for name in metrics))
    with progress_bar("segments", corpus.n_segments * len(systems), quiet) as bar:
        for begin in range(0, corpus.n_segments, size):
            part = slice(begin, min(begin + size, corpus.n_segments))
            streams = [stream[part] for stream in corpus.references]
            columns = [
                _entries(name, metric, corpus, i, part, streams, style, args.threads)
                for i, (name, metric) in order
            ]
            first = corpus.first + part.start + 1
            for number, texts in enumerate(zip(*columns, strict=True), first):
                if len(systems) == 1:
                    yield from texts
                    continue
                for (i, _), text in zip(order, texts, strict=True):
                    name = systems[i].name
                    yield output.segment_of_system(number, name, text, score_only)
            if bar is not None:
                bar.update((part.stop - part.start) * len(systems))


def _entries(
    name: str,
    metric: AnyMetric,
    corpus: Corpus,
    i: int,
    part: slice,
    streams: list[list[str]],
    style: Style,
    threads: int,
) -> Iterator[str]:
    """Yield the score of each segment of the i-th system, as text or JSON."""
    if isinstance(metric, MeanScore) or name in corpus.given:
        signature = style.signature(signature_of(metric))
        for row in corpus.given[name][i][part]:
            yield style.score(style.named(metric.score(row), name), signature)
        return
    hyps = corpus.systems[i].segments[part]
    if style.score_only:
        for number in metric.segment_scores(hyps, streams, threads=threads).tolist():
            yield f"{number:.{style.width}f}"
        return
    signature = ""  # known once something was scored, and the same for all
    # A score object for each: one by one is faster than from rows of statistics.
    for hyp, *refs in zip(hyps, *streams, strict=True):
        score = metric.sentence_score(hyp, refs)
        signature = signature or style.signature(signature_of(metric))
        yield style.score(style.named(score, name), signature)


# Rows of statistics: ``--stats FILE [FILE ...]``


def score_rows(args: Namespace, out: TextIO) -> None:
    """Score systems whose rows of statistics are in files."""
    from rapidbleu.rows.kinds import number_of, split_signature

    with file_errors():
        tables = read_tables(args.stats)
    head = tables[0]
    metric = head.metric
    if args.sentence_level and isinstance(metric, BLEU):  # as with texts
        metric = BLEU(**{**metric._changed_options(), "effective_order": True})  # type: ignore[arg-type]
    nrefs, _, version = split_signature(head.signature)
    metric._calls.remember(number_of(nrefs))
    also = {"version": version}
    if head.shard is not None and head.shard != (1, 1):
        also["shard"] = "{}/{}".format(*head.shard)
    key = type(metric).__name__.lower()
    systems = [System(readable(name), []) for name in args.names or args.stats]
    corpus = Corpus(systems, [], {key: [table.rows for table in tables]}, head.first or 0)
    style = output.make_style(args, out, also, {}, {})
    if args.by is None:
        report({key: metric}, corpus, style, args, out)
        return
    names = [system.name for system in systems]
    check_column(args.by, names, tables)
    scores: list[dict[Any, Score]] = [table.score(by=args.by) for table in tables]
    signature = style.signature(signature_of(head.metric))
    print(output.values_of_column(args.by, names, scores, signature, style), file=out)


def read_tables(paths: list[str]) -> list[StatsTable]:
    """Return the rows of all files, which are of the same segments and metric."""
    from rapidbleu.rows.stats_table import StatsTable

    def part(table: StatsTable) -> str:
        if table.shard is None:
            return "all segments"
        return "shard {} of {}".format(*table.shard)

    names = list(map(readable, paths))
    tables = list(map(StatsTable.load, paths))
    head = tables[0]
    for name, table in zip(names, tables, strict=True):
        if not len(table):
            raise CommandError(f"{name}: expected at least one segment, got none")
        table.rows_for(head.metric, name)
        if table.signature != head.signature:
            raise CommandError(
                f"{name}: expected rows of {head.signature}, as {names[0]} has, got "
                f"{table.signature}"
            )
    check_lengths(zip(names, map(len, tables), strict=True))
    for name, table in zip(names[1:], tables[1:], strict=True):
        if table.shard != head.shard:
            raise CommandError(
                f"{name}: expected {part(head)}, as {names[0]} is, got {part(table)}"
            )
        check_same("id", names[0], head, name, table)
    return tables


def check_column(column: str, names: list[str], tables: list[StatsTable]) -> None:
    """Refuse a column that some table lacks, or that differs among tables."""
    for name, table in zip(names, tables, strict=True):
        if column not in table.names or column in table.statistics:
            known = [own for own in table.names if own not in table.statistics]
            raise CommandError(
                f"{name}: --by: expected one of the columns {', '.join(known)}, got {column!r}"
            )
    for name, table in zip(names[1:], tables[1:], strict=True):
        check_same(column, names[0], tables[0], name, table)


def check_same(
    column: str, name: str, table: StatsTable, other_name: str, other: StatsTable
) -> None:
    """Refuse a table with a column that differs from the column of another table."""

    def items(table: StatsTable, begin: int) -> list[Any]:
        """Return some items as int, float, str and None."""
        part = Table({column: table[column][begin : begin + SLICE]})
        found: list[Any] = part.to_dict()[column]
        return found

    for begin in range(0, len(table), SLICE):
        pairs = zip(items(table, begin), items(other, begin), strict=True)
        for i, (expected, got) in enumerate(pairs, begin):
            if expected != got:
                raise CommandError(
                    f"{other_name}, row {i}, column {column!r}: expected {expected!r}, as {name} "
                    f"has, got {got!r}"
                )
