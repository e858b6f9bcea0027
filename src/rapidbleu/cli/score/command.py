"""The scoring command: corpora or segments, one system or several, one metric or several.

In JSON a score is an object of its name, its number and its signature; several scores are a list of
such objects, which also have the name of the system if there are several.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from rapidbleu._version import __version__
from rapidbleu.cli import options
from rapidbleu.cli.files import file_errors
from rapidbleu.cli.library_messages import library_messages
from rapidbleu.cli.messages import CommandError
from rapidbleu.cli.metrics import informed, make_metrics
from rapidbleu.cli.numbers import WHOLE
from rapidbleu.cli.options import TABLES
from rapidbleu.cli.progress import waiting
from rapidbleu.cli.score import testsets
from rapidbleu.cli.score.checks import check_options
from rapidbleu.cli.score.corpus import Corpus, check_files, chosen_part, read_corpus, shard_of
from rapidbleu.cli.score.report import Style, make_style
from rapidbleu.cli.score.segment_tables import segment_table
from rapidbleu.cli.score.segments import segment_report
from rapidbleu.cli.score.statistics import AnyMetric, corpus_scores, signature_of
from rapidbleu.cli.score.streams import streamed_corpus
from rapidbleu.cli.score.systems import paired_report, systems_report
from rapidbleu.metrics.mean import MeanScore
from rapidbleu.printing.results import aligned, json_list

if TYPE_CHECKING:
    from rapidbleu.metrics.contract.base import Metric


def make_parser() -> ArgumentParser:
    """Return the parser of the command, if it is called by its name."""
    return options.make_parser("rapidbleu score")


def run(
    argv: Sequence[str], out: TextIO, program: str = "rapidbleu score", version: str = __version__
) -> int:
    """Run the command."""
    args = options.parse(argv, program, version)
    with library_messages(args.quiet):
        if not testsets.answer(args, out):
            score(args, out)
    return 0


def score(args: Namespace, out: TextIO) -> None:
    """Do what the options of the scoring command say."""
    check_files(args)
    check_options(args)
    if args.stats:
        score_rows(args, out)
        return
    made = make_metrics(args)
    whole = streamed_corpus(args, refuse=False)  # as sacrebleu, which reads any file
    given: dict[str, MeanScore] = {}
    computed = made
    if whole is None:
        with waiting("reading", args.quiet):
            whole, given = read(args, made)
            corpus = chosen_part(whole, args)
            computed = informed(made, corpus.references)
            if args.shard != WHOLE:
                corpus = shard_of(corpus, args)
    else:
        corpus = whole
    if args.shard != WHOLE and not corpus.n_segments:
        raise CommandError(f"--shard {args.shard}: expected at least one segment, got none")
    metrics: dict[str, AnyMetric] = {**computed, **given}
    in_order: dict[str, AnyMetric] = {**dict(sorted(computed.items())), **given}
    also = {} if args.shard == WHOLE else {"shard": str(args.shard)}
    scales = {
        name: [metric.score(rows).score for rows in corpus.given[name]]
        for name, metric in given.items()
    }
    report(metrics, in_order, corpus, make_style(args, out, also, scales), args, out)
    if args.detail and len(corpus.systems) == 1 and not args.sentence_level:
        testsets.print_details(computed, whole.systems[0].segments, whole.references, args, out)


def score_rows(args: Namespace, out: TextIO) -> None:
    """Score systems whose rows of statistics are in files."""
    from rapidbleu.cli.score import rows

    with waiting("reading", args.quiet), file_errors():
        tables = rows.read_tables(args)
        metrics, corpus, also = rows.as_corpus(tables, args)
    style = make_style(args, out, also)
    if args.by is None:
        report(metrics, metrics, corpus, style, args, out)
    else:
        from rapidbleu.cli.score.by import report_by

        print(report_by(args.by, tables, corpus, style), file=out)


def report(
    metrics: dict[str, AnyMetric], in_order: dict[str, AnyMetric], corpus: Corpus, style: Style,
    args: Namespace, out: TextIO,
) -> None:  # fmt: skip
    """Print what the options ask for.

    Parameters
    ----------
    metrics, in_order : dict of str to metric
        In the order of the options, and in that in which systems are scored.
    """
    as_table = len(corpus.systems) > 1 or style.format in TABLES
    if args.sentence_level and as_table and style.format != "json":
        print(segment_table(in_order, corpus, style, args), file=out)
    elif args.sentence_level:
        quiet = args.quiet or out.isatty()
        out.writelines(segment_report(in_order, corpus, style, args.threads, quiet))
    elif args.all_pairs:
        from rapidbleu.cli.score.pairs import pairs_report

        print(pairs_report(metrics, corpus, style, args), file=out)
    elif args.paired_ar or args.paired_bs:
        print(paired_report(metrics, corpus, style, args), file=out)
    elif as_table:
        print(systems_report(in_order, corpus, style, args), file=out)
    else:
        print(single_report(in_order, corpus, style, args), file=out)


def read(args: Namespace, metrics: "dict[str, Metric]") -> "tuple[Corpus, dict[str, MeanScore]]":
    """Read all files; return what is in them, and the metrics whose scores are given."""
    if not args.scores:
        return read_corpus(args, refuse=False), {}
    from rapidbleu.cli.score.given import check_metrics, named_files, read_given

    files = named_files(args)
    check_metrics(files, metrics)
    corpus = read_corpus(args, refuse=False)
    metrics_of_given = {name: MeanScore(name) for name in files}
    rows = {
        name: list(map(metrics_of_given[name].rows, scores))
        for name, scores in read_given(files, corpus.systems, args).items()
    }
    return corpus._replace(given=rows), metrics_of_given


def single_report(
    metrics: dict[str, AnyMetric], corpus: Corpus, style: Style, args: Namespace
) -> str:
    """Score one system; return what to print of it."""
    texts = []
    for name, metric in metrics.items():
        if args.confidence:
            from rapidbleu.cli.score.resampling import scores_with_intervals

            [score], signature = scores_with_intervals(name, metric, corpus, args)
        else:
            [score] = corpus_scores(name, metric, corpus, args)
            signature = signature_of(metric)
        texts.append(style.score(score, style.signature(signature)))
    if style.format != "json":
        return "\n".join(aligned(texts, style.paint))
    return texts[0] if len(texts) == 1 else "".join(json_list(texts)).rstrip("\n")
