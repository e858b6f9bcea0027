"""The scoring command: corpora or segments, one system or several, one metric or several.

In JSON a score is an object of its name, its number and its signature; several scores are a list of
such objects, which also have the name of the system if there are several.
"""

from argparse import Namespace
from typing import TYPE_CHECKING, TextIO

from rapidbleu.cli.messages import CommandError
from rapidbleu.cli.metrics import informed, make_metrics
from rapidbleu.cli.score import testsets
from rapidbleu.cli.score.corpus import Corpus, check_files, chosen_part, read_corpus
from rapidbleu.cli.score.report import Style, make_style
from rapidbleu.cli.score.segments import segment_report
from rapidbleu.cli.score.statistics import corpus_scores
from rapidbleu.cli.score.systems import paired_report, systems_report
from rapidbleu.printing.results import aligned, json_list

if TYPE_CHECKING:
    from rapidbleu.metrics.contract.base import Metric


def run(args: Namespace, out: TextIO) -> None:
    """Do what the options of the scoring command say."""
    if testsets.answer(args, out):
        return
    check_files(args)
    check_tests(args)
    metrics = make_metrics(args)
    whole = read_corpus(args)
    corpus = chosen_part(whole, args)
    metrics = informed(metrics, corpus.references)
    in_order = dict(sorted(metrics.items()))
    style = make_style(args, out)
    if args.sentence_level:
        quiet = args.quiet or out.isatty()
        out.writelines(segment_report(in_order, corpus, style, quiet))
    elif args.paired_ar or args.paired_bs:
        print(paired_report(metrics, corpus, style, args), file=out)
    elif len(corpus.systems) > 1:
        print(systems_report(in_order, corpus, style, args.quiet), file=out)
    else:
        print(single_report(in_order, corpus, style, args), file=out)
        if args.detail:
            testsets.print_details(metrics, whole.systems[0].segments, whole.references, args, out)


def check_tests(args: Namespace) -> None:
    """Refuse what cannot be scored or tested with so many systems."""
    n_systems = len(args.input or [""])
    paired = args.paired_ar or args.paired_bs
    if args.sentence_level and n_systems > 1:
        raise CommandError(f"-sl/--sentence-level scores a single system, got {n_systems}")
    if args.sentence_level and (args.confidence or paired):
        raise CommandError("-sl/--sentence-level: intervals and tests are of corpora, not segments")
    if paired and n_systems == 1:
        raise CommandError("paired tests compare systems: name their files with -i/--input")
    if args.confidence and n_systems > 1:
        raise CommandError(
            f"-ci/--confidence is about a single system, got {n_systems}: use -pbs or -par"
        )
    if args.confidence or paired:
        from rapidbleu.significance.seeds import seed_of_environment

        seed_of_environment()  # complain of it now rather than later


def single_report(
    metrics: "dict[str, Metric]", corpus: Corpus, style: Style, args: Namespace
) -> str:
    """Score one system; return what to print of it."""
    texts = []
    for name, metric in metrics.items():
        if args.confidence:
            from rapidbleu.cli.score.resampling import score_with_interval

            score, signature = score_with_interval(name, metric, corpus, args)
        else:
            [score] = corpus_scores(name, metric, corpus, args.quiet)
            signature = metric.get_signature()
        texts.append(style.score(score, style.signature(signature)))
    if style.format != "json":
        return "\n".join(aligned(texts, style.paint))
    return texts[0] if len(texts) == 1 else "".join(json_list(texts)).rstrip("\n")
