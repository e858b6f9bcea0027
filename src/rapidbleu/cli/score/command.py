"""The scoring command: sacrebleu's options and meanings, and a few more.

It scores corpora or segments of systems with metrics, and tests systems.
"""

from __future__ import annotations

import os
import re
import sys
from argparse import Namespace
from collections import Counter
from functools import partial
from itertools import chain, combinations, product

from rapidbleu._lib.floats import finite
from rapidbleu._lib.lazy import np
from rapidbleu._lib.records import NamedTuple
from rapidbleu._version import __version__
from rapidbleu.cli.files import (
    Corpus,
    System,
    check_files,
    check_lengths,
    count_segments,
    distinct_names,
    name_of_system,
    part_of,
    read_corpus,
    readable,
    shard_of,
    streamed_corpus,
    take_table,
)
from rapidbleu.cli.messages import (
    CommandError,
    library_messages,
    progress_bar,
    progress_callback,
    say,
)
from rapidbleu.cli.metrics import informed, make_metrics, option_of, titles_of
from rapidbleu.cli.options import N_RESAMPLES, WHOLE, Parser, check_effect, seed_of
from rapidbleu.cli.score import output
from rapidbleu.cli.score.output import PairResult, Results, Style, SystemResult
from rapidbleu.cli.score.parser import FORMATS, TABLES, make_parser
from rapidbleu.metrics.mean import SegmentScores
from rapidbleu.stats import check_rows
from rapidbleu.table import column_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, TextIO, TypeAlias

    from rapidbleu._types import IntArray
    from rapidbleu.cli.messages import Bar
    from rapidbleu.metrics.metric import Metric
    from rapidbleu.rows.stats_table import StatsTable
    from rapidbleu.score import Score, Signature
    from rapidbleu.table import Table

    # Sums of statistics and numbers of segments, by the values of columns.
    _Sums: TypeAlias = tuple[dict[tuple[Any, ...], IntArray], Counter[tuple[Any, ...]]]
    _Batches: TypeAlias = Iterator[tuple[list[Any], IntArray]]
    _AnyMetric: TypeAlias = Metric | SegmentScores  # computed, or the mean of external scores

PART = 2_000  # segments scored at once if results appear progressively

# Options of systems given as rows of statistics; all other ones need texts, or a metric.
OF_ROWS = {
    "all_pairs", "by", "confidence", "confidence_n", "format", "help", "n_resamples", "names",
    "no_color", "paired_ar", "paired_ar_n", "paired_bs", "paired_bs_n", "paired_jobs", "quiet",
    "score_only", "seed", "sentence_level", "short", "stats", "threads", "version", "width",
}  # fmt: skip


def parse(argv: Sequence[str], program: str, version: str) -> Namespace:
    """Return the options, including the final format."""
    parser = make_parser(program, version)
    args = parser.parse_args(argv)
    args.as_sacrebleu = True
    args.option_names = {
        option_of(dest)[1]: action.option_strings[-1] for dest, action in parser.of_metrics.items()
    }
    if args.stats is not None:
        _check_stats(parser, args)
    elif args.by is not None and args.table is None:
        parser.error("--by: expected --table or --stats, whose files have columns")
    take_table(parser, args)
    args.confidence_n = args.confidence_n or args.n_resamples or N_RESAMPLES
    if args.paired_bs_n is None:
        args.paired_bs_n = args.n_resamples
    if args.paired_ar_n is None:
        args.paired_ar_n = args.n_resamples
    # Segments are lines unless the command line requests JSON, as sacrebleu's always are.
    has_lines = bool(args.sentence_level or args.by)
    if args.format not in TABLES and not (has_lines and args.format is None):
        args.format = format_of_environment() or args.format
    args.format = args.format or ("text" if has_lines else "json")
    if args.detail and args.format == "json" and not args.sentence_level:
        args.format = "text"  # details are lines
    return args


def _check_stats(parser: Parser, args: Namespace) -> None:
    """Refuse references and options fixed by files of rows; use these as systems."""
    if args.refs:
        parser.error(f"--stats: expected no references, whose rows are there; got {args.refs[0]}")
    for dest, option in args.typed.items():
        if dest not in OF_ROWS:
            parser.error(f"{option}: not with --stats, whose files say what was scored, and how")
    args.input = args.stats


def format_of_environment() -> str:
    """Return the format in SACREBLEU_FORMAT; "" if it contains none."""
    wanted = os.environ.get("SACREBLEU_FORMAT", "").lower()
    return wanted if wanted in FORMATS else ""


def check(args: Namespace) -> None:
    """Refuse files and options that conflict, or do not fit the number of systems."""
    paired = args.paired_ar or args.paired_bs
    _check_references(args)
    check_files(args, with_baseline=paired and not args.all_pairs)
    n_systems = len(args.input or [""])
    # In sacrebleu's formats and options, systems have sacrebleu's names: paths.
    own = n_systems > 1 and (args.all_pairs or args.sentence_level or args.confidence)
    if args.names is None and args.input and (own or args.format in TABLES):
        args.names = distinct_names(list(map(name_of_system, args.input)))
    for wrong, message in (
        (
            args.sentence_level and (args.confidence or paired),
            "-sl/--sentence-level: intervals and tests are of corpora, not segments",
        ),
        (
            paired and n_systems == 1,
            "paired tests compare systems: name their files with -i/--input",
        ),
        (
            args.confidence and paired,
            "-ci/--confidence and a paired test: choose one; -pbs has intervals",
        ),
        (
            args.all_pairs and not paired,
            "--all-pairs: compare systems by which test? (-pbs or -par)",
        ),
        (
            args.detail and args.format in (*TABLES, "latex"),
            f"-d/--detail prints lines of text, not -f {args.format}",
        ),
        (
            args.detail and args.shard != WHOLE,
            "-d/--detail scores parts of a whole test set, not of a --shard",
        ),
        (
            args.by and (args.sentence_level or args.confidence or paired or args.scores),
            "--by: scores only, without -sl, -ci, -par, -pbs and --scores",
        ),
    ):
        if wrong:
            raise CommandError(message)
    why = "without -ci/--confidence, -par or -pbs"
    check_effect(args, args.confidence or paired, why, "n_resamples", "seed")
    _warn_of_ignored(args, n_systems)
    if args.confidence or paired:
        _seed(args)  # refuse it early
    if args.input is None and not args.quiet and sys.stdin is not None and sys.stdin.isatty():
        say("reading a system from standard input; to read it from a file, name that behind -i")


def _warn_of_ignored(args: Namespace, n_systems: int) -> None:
    """Warn of options of sacrebleu that it ignores, and of names that are not shown."""
    paired = args.paired_ar or args.paired_bs
    is_json = args.format == "json"
    is_list = is_json and not args.sentence_level and n_systems > 1
    has_columns = n_systems > 1 or args.format in (*TABLES, "latex")
    is_by_segment = args.sentence_level and has_columns and not is_json
    ignored = {
        "names": not (has_columns or args.scores) and f"for one system on -f {args.format}",
        "confidence_n": not args.confidence and "without -ci/--confidence",
        "paired_ar_n": not args.paired_ar and "without -par/--paired-ar",
        "paired_bs_n": not args.paired_bs and "without -pbs/--paired-bs",
        "paired_jobs": not paired and "without -par or -pbs",
        "short": (is_json and "on -f json")
        or (is_by_segment and "on tables of segments")
        or (args.by and "with --by"),
        "score_only": (is_list and "on -f json of several systems")
        or (is_by_segment and args.format != "text" and "on tables of segments")
        or (args.by and "with --by"),
        "width": paired and is_json and "on -f json of -par and -pbs",
        "detail": args.sentence_level and "with -sl/--sentence-level",
    }
    for option, why in ignored.items():
        if option in args.typed and why and not args.quiet:
            say(f"{args.typed[option]}: no effect {why}")


def _check_references(args: Namespace) -> None:
    """Refuse conflicting files of references and test sets."""
    if not (args.refs or args.test_set or args.stats):
        raise CommandError(
            "no references: name their files, before -i/--input, or a test set with -t"
        )
    if args.refs and args.test_set:
        raise CommandError(
            f"two kinds of references: -t {args.test_set} and {args.refs[0]}; files of systems "
            "belong behind -i/--input"
        )
    if args.num_refs != 1 and args.test_set:
        raise CommandError("-nr/--num-refs splits a file of references, not a test set")
    if (args.origlang or args.subset) and not (args.test_set and args.language_pair):
        raise CommandError("-ol/--origlang and --subset choose from a test set: give -t and -l")
    if args.test_set:
        from rapidbleu.cli.score import testsets

        testsets.check(args)


def _seed(args: Namespace) -> tuple[str, int | None]:
    """Return the seed as in signatures, and as a number or None."""
    if args.seed is not None:
        return str(args.seed), seed_of(args.seed)
    from rapidbleu.significance.resamples import seed_of_environment

    return seed_of_environment()


class Job(NamedTuple):
    """Metrics, systems, options, and the form of results."""

    metrics: dict[str, _AnyMetric]
    corpus: Corpus
    style: Style
    args: Namespace

    def rows(self, name: str) -> list[IntArray]:
        """Return the rows of statistics of each system under a metric."""
        if name in self.corpus.given:
            return self.corpus.given[name]
        return self.of_systems("segment_stats", name)

    def of_systems(self, method: str, name: str) -> list[Any]:
        """Call a metric's method for each system; they share references, tokenized once."""
        metric: Any = self.metrics[name]
        n_systems = len(self.corpus.systems)
        references: Any = self.corpus.references or None  # None if in the table of systems
        found = []
        with self.bar(name) as bar:
            if n_systems > 1 and references:
                references = metric.prepare(references)
            for system in self.corpus.systems:
                progress = bar and bar.part(n_systems)
                found.append(
                    getattr(metric, method)(
                        system.segments, references, threads=self.args.threads, progress=progress
                    )
                )
        return found

    def bar(self, name: str) -> Bar:
        """Return a bar for the segments of all systems."""
        n, n_systems = self.corpus.n_segments, len(self.corpus.systems)
        count = lambda: (n or count_segments(self.args)) * n_systems  # noqa: E731
        return progress_bar(name, count, self.args.quiet)

    def signature(self, name: str) -> Signature | None:
        """Return the signature of a metric; None if its scores are external."""
        metric = self.metrics[name]
        return None if isinstance(metric, SegmentScores) else metric.get_signature()


def run(
    argv: Sequence[str], out: TextIO, program: str = "rapidbleu score", version: str = __version__
) -> int:
    args = parse(argv, program, version)
    with library_messages(args.quiet, options=args.option_names):
        if args.download or args.list or args.citation or args.echo:
            from rapidbleu.cli.score import testsets

            testsets.answer(args, out)
            return 0
        check(args)
        if args.stats:
            score_rows(args, out)
        else:
            score_texts(args, out)
    return 0


def score_texts(args: Namespace, out: TextIO) -> None:
    """Score systems with outputs in files."""
    made = make_metrics(args)
    for name, metric in made.items() if args.by else ():
        metric._check_that_rows_add_up(f"--by: {name}")
    paired = args.paired_ar or args.paired_bs
    # Only warn of tables, because sacrebleu reads any file.
    corpus = None
    if not (args.test_set or args.scores or args.sentence_level or paired):
        corpus = streamed_corpus(args, refuse=False)
    whole, computed = corpus, made
    external: dict[str, SegmentScores] = {}
    if corpus is None:
        whole, external = read(args, made)
        corpus = whole
        if args.origlang or args.subset:
            from rapidbleu.cli.score import testsets

            corpus = part_of(whole, testsets.choose(len(whole.references[0]), args))
        computed = informed(made, corpus.references)
        if args.shard != WHOLE:
            corpus = shard_of(corpus, args)
    if args.shard != WHOLE and corpus.references and not corpus.n_segments:
        raise CommandError(f"--shard {args.shard}: expected at least one segment; got none")
    also = {} if args.shard == WHOLE else {"shard": str(args.shard)}
    scales = {
        name: [metric.score(rows).score for rows in corpus.given[name]]
        for name, metric in external.items()
    }
    several = len({type(metric) for metric in computed.values()}) < len(computed)
    titles: dict[str, str] = {}
    columns: dict[str, str] = {}
    if several or args.all_pairs or args.format in TABLES:
        titles = titles_of(computed)
        labels = [*computed, *external]
        names = column_names(labels, taken=("system", "segment", "a", "b"))
        columns = dict(zip([titles.get(label, label) for label in labels], names, strict=True))
    style = output.make_style(args, out, also, scales, titles if several else {}, columns)
    # Tests use metrics in the order of the options, scores in alphabetical order.
    in_order = computed if paired and not args.sentence_level else dict(sorted(computed.items()))
    job = Job({**in_order, **external}, corpus, style, args)
    if args.by:
        report_groups(job, {name: list(sums_of_tables(name, job)) for name in job.metrics}, out)
    else:
        report(job, out)
    if args.detail and whole is not None and len(corpus.systems) == 1 and not args.sentence_level:
        from rapidbleu.cli.score import testsets

        segments = whole.systems[0].segments
        testsets.print_details(computed, segments, whole.references, args, out)


def read(args: Namespace, metrics: dict[str, Metric]) -> tuple[Corpus, dict[str, SegmentScores]]:
    """Read all files; return their content, and the metrics with external scores."""
    files: dict[str, list[str]] = {}
    streams = None
    if args.scores:
        from rapidbleu.cli.external_scores import check_metrics, named_files, read_external

        files = named_files(args)
        check_metrics(files, metrics)
    if args.test_set:
        from rapidbleu.cli.score import testsets

        streams = testsets.read_streams(args)
    corpus = read_corpus(args, refuse=False, streams=streams)
    if not files:
        return corpus, {}
    external = {name: SegmentScores(name) for name in files}
    rows = {
        name: list(map(external[name].stats, scores))
        for name, scores in read_external(files, corpus.systems, args).items()
    }
    return corpus._replace(given=rows), external


def report(job: Job, out: TextIO) -> None:
    args, style = job.args, job.style
    names = [system.name for system in job.corpus.systems]
    as_table = len(names) > 1 or style.format in (*TABLES, "latex")
    if args.sentence_level and as_table and style.format != "json":
        text = output.segment_table(segment_columns(job), job.corpus.first + 1, style)
    elif args.sentence_level:
        entries = segment_entries(job, args.quiet or out.isatty())
        out.writelines(output.segment_lines(entries, style))
        return
    elif args.paired_ar or args.paired_bs:
        text = compared(job)
    elif as_table:
        text = output.several_systems(names, corpus_scores(job), style, args.confidence)
    else:
        text = output.single_system(corpus_scores(job), style)
    print(text, file=out)


def corpus_scores(job: Job) -> list[output._Scored]:
    """Return system scores, signature, and intervals if needed, for each metric."""
    scores = []
    for name, metric in job.metrics.items():
        systems: list[Score]
        intervals: list[tuple[float, float] | None] = [None] * len(job.corpus.systems)
        if job.args.confidence:
            systems, signature, intervals = scores_with_intervals(name, job)
        else:
            if name in job.corpus.given:
                systems = [metric.score(rows) for rows in job.corpus.given[name]]
            else:
                systems = job.of_systems("corpus_score", name)
            signature = job.signature(name)
        systems = [job.style.named(score, name) for score in systems]
        scores.append((systems, job.style.signature(signature), intervals))
    return scores


def scores_with_intervals(
    name: str, job: Job
) -> tuple[list[Score], Signature | None, list[tuple[float, float] | None]]:
    """Score systems and estimate intervals, for all of them from the same resamples."""
    from rapidbleu.significance import bootstrap

    metric, args = job.metrics[name], job.args
    text, seed = _seed(args)
    n: int = args.confidence_n
    scores, intervals = [], []
    for rows in job.rows(name):
        with progress_callback("resamples", args.quiet) as progress:
            found = bootstrap(
                rows,
                None,
                metric,
                n_resamples=n,
                seed=seed,
                threads=args.threads,
                progress=progress,
            )
        samples: Any = found.samples
        score = metric.score(rows)
        score._take_samples(samples.tolist())
        scores.append(score)
        intervals.append(found.interval)
    signature = job.signature(name)
    if signature is not None:
        signature.update("bs", n)
        signature.update("seed", text)
    return scores, signature, intervals


def compared(job: Job) -> str:
    """Return tests of systems as text: against the first one as in sacrebleu, or of all pairs.

    Ties do not count in sacrebleu's p-values, but in the p-values of all pairs.
    """
    from rapidbleu.significance import correct_p_values, paired_bootstrap, paired_randomization
    from rapidbleu.significance.correction import least_p_value
    from rapidbleu.significance.result import FEW, p_triangle

    args, corpus = job.args, job.corpus
    n = (args.paired_bs_n if args.paired_bs else args.paired_ar_n) or None
    function: Any = partial(paired_randomization, n_trials=n)
    if args.paired_bs:
        function = partial(paired_bootstrap, n_resamples=n)
    titles = titles_of(job.metrics)
    rows = {titles[name]: job.rows(name) for name in job.metrics}
    metrics = {titles[name]: metric for name, metric in job.metrics.items()}
    with progress_callback("resamples" if args.paired_bs else "trials", args.quiet) as progress:
        found = function(
            {
                system.name: {title: own[i] for title, own in rows.items()}
                for i, system in enumerate(corpus.systems)
            },
            None,
            metrics,
            seed=_seed(args)[1],
            baseline=None if args.all_pairs else 0,
            ties=args.all_pairs,
            threads=args.threads if args.paired_jobs is None else args.paired_jobs,
            progress=progress,
        )

    def identical(name: str, i: int, j: int) -> str | None:
        """Return what two systems share in every segment: outputs, statistics, or None."""
        if not np.array_equal(rows[name][i], rows[name][j]):
            return None
        same = corpus.systems[i].segments == corpus.systems[j].segments
        return "outputs" if corpus.references and same else "statistics"

    def result(name: str, i: int, own: Any) -> SystemResult:
        if args.all_pairs:
            return SystemResult(own.score, None, own.mean, own.half_width, None, own.interval)
        same = identical(name, 0, i) if i else None
        return SystemResult(own.score, own.p_value, own.mean, own.half_width, same, own.interval)

    results = {
        name: [result(name, i, own) for i, own in enumerate(found[name].values())]
        for name in found.metrics
    }
    signatures = {name: job.style.signature(found.signatures.get(name)) for name in found.metrics}
    test = "bs" if args.paired_bs else "ar", found.n_resamples or found.n_trials or 0
    errors = frozenset(titles[key] for key, own in job.metrics.items() if not own.higher_is_better)
    shown = Results(found.systems, results, signatures, test, errors=errors)
    triangles: list[Table] = []
    if args.all_pairs:
        numbers = list(combinations(range(len(found.systems)), 2))
        pairs: dict[str, list[Any]] = {
            "System": [found.systems[i] for i, _ in numbers],
            "Compared with": [found.systems[j] for _, j in numbers],
        }
        for name, own in results.items():
            least = [least_p_value(test[1], n_tests) for n_tests in (1, len(numbers))]
            p_values = [float(found.p_values[name][pair]) for pair in numbers]
            fixed = correct_p_values(p_values)
            both = zip(numbers, p_values, fixed.tolist(), strict=True)
            pairs[name] = [
                PairResult(own[i].score - own[j].score, p, holm, identical(name, i, j), *least)
                for (i, j), p, holm in both
            ]
            if len(own) > FEW:
                matrix = found.p_values[name].copy()
                for (i, j), p in zip(numbers, fixed, strict=True):
                    matrix[i, j] = matrix[j, i] = p
                scores, more = [x.score for x in own], metrics[name].higher_is_better
                triangles += p_triangle(name, found.systems, scores, matrix, more, least=least[1])
        shown = shown._replace(pairs=pairs, triangles=tuple(triangles))
    number = "n_resamples" if args.paired_bs else "n_trials"
    about = {"test": found.test, number: test[1], "seed": found.seed, "correction": "holm"}
    return output.tested(shown, job.style, about)


def segment_columns(job: Job) -> list[output._Column]:
    """Return a column of segment scores for each metric and system."""
    columns = []
    systems = job.corpus.systems
    for name, metric in job.metrics.items():
        rows_of = job.rows(name)
        printed = job.style.named(metric.score(rows_of[0][0]), name).name
        width = job.style.width_of(printed)
        for system, rows in zip(systems, rows_of, strict=True):
            shown = job.style.header(printed)
            header = f"{system.name} {shown}" if len(systems) > 1 else shown
            columns.append((header, [f"{x:.{width}f}" for x in metric.score_rows(rows).tolist()]))
    return columns


def segment_entries(job: Job, quiet: bool) -> Iterator[str]:
    """Yield an entry for each metric of the first segment, then of the second, and so on.

    If there are several systems, entries are JSON and begin with segment number and system.
    """
    systems, n_segments = job.corpus.systems, job.corpus.n_segments
    score_only = job.style.score_only
    if len(systems) > 1:
        job = job._replace(style=job.style._replace(score_only=False))
    order = list(product(range(len(systems)), job.metrics))
    with progress_bar("segments", n_segments * len(systems), quiet) as bar:
        for begin in range(0, n_segments, PART):
            part = slice(begin, min(begin + PART, n_segments))
            columns = [_entries(name, i, part, job) for i, name in order]
            first = job.corpus.first + part.start + 1
            for number, texts in enumerate(zip(*columns, strict=True), first):
                if len(systems) == 1:
                    yield from texts
                    continue
                for (i, _), text in zip(order, texts, strict=True):
                    yield output.segment_of_system(number, systems[i].name, text, score_only)
            if bar is not None:
                bar.update((part.stop - part.start) * len(systems))


def _entries(name: str, i: int, part: slice, job: Job) -> Iterator[str]:
    """Yield the score of each segment of system `i`, as text or JSON."""
    metric, corpus, style = job.metrics[name], job.corpus, job.style
    if isinstance(metric, SegmentScores) or name in corpus.given:
        signature = style.signature(job.signature(name))
        for row in corpus.given[name][i][part]:
            yield style.score(style.named(metric.score(row), name), signature)
        return
    hyps = corpus.systems[i].segments[part]
    streams = [stream[part] for stream in corpus.references]
    if style.score_only:
        for number in metric.segment_scores(hyps, streams, threads=job.args.threads).tolist():
            yield f"{number:.{style.width}f}"
        return
    signature = ""  # known after the first score, and equal for all
    # One score object at a time is faster here than rows of statistics.
    for hyp, *refs in zip(hyps, *streams, strict=True):
        score = metric.sentence_score(hyp, refs)
        signature = signature or style.signature(job.signature(name))
        yield style.score(style.named(score, name), signature)


def sums_of(metric: _AnyMetric, batches: _Batches) -> _Sums:
    """Sum rows of statistics by the values of columns, and count them."""
    kernel: Any = metric._kernel
    sums: dict[tuple[Any, ...], IntArray] = {}
    counts: Counter[tuple[Any, ...]] = Counter()
    for columns, batch in batches:
        rows = check_rows(batch, kernel)
        places: dict[tuple[Any, ...], Any] = {} if columns else {(None,): slice(None)}
        for i, values in enumerate(zip(*columns, strict=True)):
            places.setdefault(values, []).append(i)
        for values, own in places.items():
            part = rows[own]
            counts[values] += len(part)
            total = np.array([kernel.sum_rows(part, "statistics")])
            if values in sums:
                total = np.array([kernel.sum_rows(np.concatenate([sums[values], total]), "sums")])
            sums[values] = total
    return sums, counts


def sums_of_tables(name: str, job: Job) -> Iterator[_Sums]:
    """Yield for each system the sums of statistics by value of ``--by``."""
    from rapidbleu.metrics.corpus import iter_stats
    from rapidbleu.rows.labels import read_labels

    metric, args = job.metrics[name], job.args
    with job.bar(name) as bar:
        for system in job.corpus.systems:
            source: Any = system.segments
            progress = bar and bar.part(len(job.corpus.systems))
            parts = iter_stats(metric, source, None, "stream", args.threads, progress)
            yield sums_of(
                metric,
                (
                    (list(map(_items, read_labels(tables, None, args.by)["keep"].values())), rows)
                    for rows, _, tables in parts
                ),
            )


def _items(column: Any) -> Any:
    """Return a column as a list of Python objects, with None for nan."""
    return finite(column if isinstance(column, list) else column.tolist())


def report_groups(job: Job, sums: dict[str, list[_Sums]], out: TextIO) -> None:
    """Print the scores of groups, their mean and the scores of all segments."""
    counts = next(iter(sums.values()))[0][1]
    order = sorted(counts, key=lambda values: tuple(map(_rank, values)))
    found: list[output._Grouped] = []
    for i, system in enumerate(job.corpus.systems):
        for name, own in sums.items():
            rows = [own[i][0][values] for values in order]
            scores = [job.metrics[name].score(each) for each in (*rows, np.concatenate(rows))]
            *groups, whole = [job.style.named(score, name) for score in scores]
            found.append((system.name, groups, whole, job.style.signature(job.signature(name))))
    print(output.grouped(job.args.by, order, counts, found, job.style), file=out)


def _rank(value: Any) -> tuple[bool, bool, Any]:
    """Return the sort key of a value: numbers, text by embedded numbers, None."""
    parts = re.split(r"(\d+)", value) if isinstance(value, str) else []
    numbered = [int(part) if part.isdecimal() else part for part in parts]
    return value is None, isinstance(value, str), numbered or value


def score_rows(args: Namespace, out: TextIO) -> None:
    """Score systems given as rows of statistics."""
    from rapidbleu.metrics import BLEU, ROUGE
    from rapidbleu.rows.kinds import number_of, split_signature
    from rapidbleu.rows.stats_table import StatsTable

    by = args.by or []
    head = read_head_of(args.stats, by)
    metric = head.metric
    key = type(metric).__name__.lower()
    if args.sentence_level or args.confidence or args.paired_ar or args.paired_bs:
        rows = [StatsTable.load(path).rows for path in args.stats]
    else:
        sums = [sums_of(metric, batches_of_file(path, by)) for path in args.stats]
        rows = [np.concatenate([*own.values()]) for own, _ in sums]
    if args.sentence_level and isinstance(metric, BLEU):  # as for texts
        metric = BLEU(**{**metric._changed_options(), "effective_order": True})  # type: ignore[arg-type]
    nrefs, _, version = split_signature(head.signature)
    metric._calls.remember(number_of(nrefs))
    also = {"version": version}
    if head.shard is not None and head.shard != (1, 1):
        also["shard"] = "{}/{}".format(*head.shard)
    systems = [System(readable(name), []) for name in args.names or args.stats]
    corpus = Corpus(systems, [], {key: rows}, head.first or 0)
    column = f"rouge{metric.variant}".lower() if isinstance(metric, ROUGE) else key
    style = output.make_style(args, out, also, {}, {}, {titles_of({key: metric})[key]: column})
    job = Job({key: metric}, corpus, style, args)
    if by:
        report_groups(job, {key: sums}, out)
    else:
        report(job, out)


def read_head_of(paths: list[str], by: list[str]) -> StatsTable:
    """Return an empty table that describes all files; refuse files that differ."""
    from rapidbleu.rows.files import read_head
    from rapidbleu.rows.stats_table import StatsTable

    def part(table: StatsTable) -> str:
        if table.shard is None:
            return "all segments"
        return "shard {} of {}".format(*table.shard)

    names = list(map(readable, paths))
    manifests, tables = zip(*(read_head(path, StatsTable) for path in paths), strict=True)
    lengths = [entries["rows"] for entries in manifests]
    head: StatsTable = tables[0]
    for name, table, length in zip(names, tables, lengths, strict=True):
        if not length:
            raise CommandError(f"{name}: expected at least one segment; got none")
        table.rows_for(head.metric, name)
        if table.signature != head.signature:
            raise CommandError(
                f"{name}: expected rows of {head.signature}, as {names[0]} has; got "
                f"{table.signature}"
            )
        if table.shard != head.shard:
            raise CommandError(
                f"{name}: expected {part(head)}, as {names[0]} is; got {part(table)}"
            )
        for column in by:
            if column not in table.names or column in table.statistics:
                known = [own for own in table.names if own not in table.statistics]
                raise CommandError(
                    f"{name}: --by: expected one of the columns {', '.join(known)}; got {column!r}"
                )
    check_lengths(zip(names, lengths, strict=True))
    for path in paths[1:]:
        check_same(paths[0], path, ["id", *by])
    return head


def batches_of_file(path: str, columns: list[str]) -> _Batches:
    """Yield columns and rows of statistics from a file."""
    from rapidbleu.rows.files import iter_batches, read_manifest

    for labels, rows in iter_batches(path, read_manifest(path)):
        yield [_items(labels[name]) for name in columns], rows


def check_same(path: str, other: str, columns: list[str]) -> None:
    """Refuse a file whose columns differ from another file's."""
    both = (
        chain.from_iterable(zip(*own, strict=True) for own, _ in batches_of_file(each, columns))
        for each in (path, other)
    )
    for i, rows in enumerate(zip(*both, strict=True)):
        for column, expected, other_value in zip(columns, *rows, strict=True):
            if expected != other_value:
                raise CommandError(
                    f"{readable(other)}, row {i}, column {column!r}: expected {expected!r}, as "
                    f"{readable(path)} has; got {other_value!r}"
                )
