"""Test sets of an installed sacrebleu, which downloads, unpacks and filters them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

from rapidbleu.cli.files import read_references
from rapidbleu.cli.messages import CommandError, library_messages, say, use_color
from rapidbleu.cli.score.output import WIDTH

if TYPE_CHECKING:
    from rapidbleu.cli.files import Corpus

ENCODING = "utf-8"  # of sacrebleu's files, regardless of --encoding


def answer(args: Namespace, out: TextIO) -> None:
    """Answer a question about test sets."""
    with _installed(args) as sacrebleu:
        if args.download:
            for pair in _pairs(_find(sacrebleu, args.download, args.language_pair), args):
                sacrebleu.download_test_set(args.download, pair)
        elif args.list:
            out.writelines(f"{line}\n" for line in _listed(sacrebleu, args))
        elif not args.test_set:
            raise CommandError(f"--{'echo' if args.echo else 'citation'}: of which test set? (-t)")
        elif args.citation:
            for name in args.test_set.split(","):
                citation = _find(sacrebleu, name).citation
                if not citation:
                    raise CommandError(f"{name}: sacrebleu knows no citation of it")
                print(citation, file=out)
        else:
            for name in _check_pair(sacrebleu, args):
                sacrebleu.print_test_set(
                    name, args.language_pair, args.echo, args.origlang, args.subset
                )


def _listed(sacrebleu: Any, args: Namespace) -> Iterator[str]:
    pair = args.language_pair
    if args.test_set:
        for name in args.test_set.split(","):
            test_set = _find(sacrebleu, name, pair)
            for each in _pairs(test_set, args):
                yield f"{each}: {', '.join(test_set.fieldnames(each))}"
        return
    if pair:
        yield f"The available test sets for {pair} are:"
        names = sacrebleu.get_available_testsets_for_langpair(pair)
    else:
        yield "The available test sets are:"
        names = sacrebleu.get_available_testsets()
    for name in sorted(names):
        yield f"{name:<30}: {sacrebleu.DATASETS[name].description.strip()}"


def _pairs(test_set: Any, args: Namespace) -> list[str]:
    """Return the given language pair, or all of a test set."""
    return [args.language_pair] if args.language_pair else list(test_set.langpairs)


def check(args: Namespace) -> None:
    """Refuse unknown test sets and language pairs."""
    with _installed(args) as sacrebleu:
        _check_pair(sacrebleu, args)
    if args.tokenize == "none" and not args.quiet:
        say(
            "-tok none: is the output tokenized? Scores that are compared with others' on a test "
            "set are of plain text and BLEU's own tokenizer"
        )


def read_streams(args: Namespace) -> list[list[str]]:
    """Return the references of all test sets, concatenated."""
    streams: list[list[str]] = []
    with _installed(args) as sacrebleu:
        for name in args.test_set.split(","):
            paths = sacrebleu.get_reference_files(name, args.language_pair)
            references = read_references(paths, 1, ENCODING)
            streams = streams or [[] for _ in references]
            if len(references) != len(streams):
                raise CommandError(
                    f"-t {args.test_set}: {name} has {len(references)} references of each "
                    f"segment, test sets before it {len(streams)}"
                )
            for stream, segments in zip(streams, references, strict=True):
                stream += segments
    if not streams:
        raise CommandError(f"{args.test_set}: no references for {args.language_pair}")
    return streams


def choose(n: int, args: Namespace) -> list[int]:
    """Return the indices of the segments chosen by ``--origlang`` and ``--subset``."""
    with _installed(args) as sacrebleu:
        kept: list[int] = sacrebleu.filter_subset(
            [[*range(n)]], args.test_set, args.language_pair, args.origlang, args.subset
        )[0]
    if not kept:
        wanted = {"--origlang": args.origlang, "--subset": args.subset}
        listed = " ".join(f"{option} {value}" for option, value in wanted.items() if value)
        raise CommandError(f"{args.test_set}: no segment has {listed}")
    return kept


def print_details(metrics: dict[str, Any], whole: Corpus, args: Namespace, out: TextIO) -> None:
    """Print scores of parts of test sets, all of whose segments `whole` contains."""
    if not args.test_set:
        print("No subset information found. Consider using --origlang argument.", file=out)
        return
    options = Namespace(
        width=WIDTH if args.width is None else args.width,
        test_set=args.test_set,
        langpair=args.language_pair,
        origlang=[args.origlang] if args.origlang else None,
        subset=args.subset,
    )
    with _installed(args) as sacrebleu:
        sacrebleu.Color.ENABLE_COLORS = use_color(out, args.no_color)
        scorers = {
            name: Namespace(corpus_score=partial(metric.corpus_score, threads=args.threads))
            for name, metric in metrics.items()
            if name not in whole.given  # computed
        }
        segments = whole.systems[0].segments
        sacrebleu.print_subset_results(scorers, segments, whole.references, options)


def _check_pair(sacrebleu: Any, args: Namespace) -> list[str]:
    """Return the names of test sets; refuse those without the language pair."""
    if not args.language_pair:
        raise CommandError(f"-t {args.test_set}: of which language pair? (-l)")
    names: list[str] = args.test_set.split(",")
    for name in names:
        _find(sacrebleu, name, args.language_pair)
    return names


def _find(sacrebleu: Any, name: str, pair: str | None = None) -> Any:
    test_sets: Mapping[str, Any] = sacrebleu.DATASETS
    if name not in test_sets:
        raise CommandError(f"{name}: sacrebleu has no such test set; see --list")
    test_set = test_sets[name]
    if pair and pair not in test_set.langpairs:
        raise CommandError(f"{name}: has {', '.join(test_set.langpairs)}, not {pair}")
    return test_set


@contextmanager
def _installed(args: Namespace) -> Iterator[Any]:
    """Yield the functions of sacrebleu; show its log messages, and convert its errors."""
    from rapidbleu._lib.installed_sacrebleu import import_peer

    sacrebleu = import_peer("utils")
    try:
        with library_messages(args.quiet, "sacrebleu"):
            yield sacrebleu
    except (CommandError, BrokenPipeError):
        raise
    except Exception as error:  # sacrebleu raises many classes, even Exception itself
        where = args.download or args.test_set or "test sets"
        raise CommandError(f"{where}: sacrebleu: {type(error).__name__}: {error}") from None
