"""``rapidbleu tune`` and ``rapidbleu rerank``: weights of n-best lists, and the best hypotheses.

Text is scored as in the scoring command, with the tokenizer 13a by default, because most programs
write plain text. Use ``--tokenize none`` for Moses, whose lists are tokenized like its references.
"""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from operator import mul
from typing import TYPE_CHECKING, Any, TextIO

from rapidbleu._core.moses.files import parse_number
from rapidbleu._lib.checks import seed_or_fresh
from rapidbleu._lib.files import replacing_text
from rapidbleu._lib.floats import digits_of, finite
from rapidbleu._lib.loader import np
from rapidbleu._lib.logs import logger
from rapidbleu.cli import INTERRUPTED
from rapidbleu.cli.external_scores import Given, add_scores, metrics_and_files, mixed
from rapidbleu.cli.files import check_lengths, read_references
from rapidbleu.cli.messages import (
    CommandError,
    library_messages,
    progress_callback,
    reading_bar,
    say,
)
from rapidbleu.cli.metrics import add_metrics, informed, make_metrics
from rapidbleu.cli.options import (
    EMPTY,
    MOST,
    MOST_REPEATS,
    Command,
    Parser,
    add_groups,
    add_options,
    add_seed,
    add_threads,
    argument,
    at_least,
    check_effect,
    check_folder,
    encoding_of,
    seed_of,
)
from rapidbleu.metrics import BLEU, SegmentScores
from rapidbleu.metrics.nbest import offsets_of
from rapidbleu.plots import plot_landscapes
from rapidbleu.plots.drawing import picture_format, save_picture
from rapidbleu.streams.files import open_outputs, open_reader
from rapidbleu.streams.tables import is_table, open_file
from rapidbleu.table import plain_table
from rapidbleu.tuning import (
    CrossValidation,
    RepeatedTuning,
    cross_validate,
    mert,
    read_nbest,
    split_documents,
    tune,
    tune_repeatedly,
)
from rapidbleu.tuning.checks import check_vector
from rapidbleu.tuning.moses.nbest_files import count_dense, nbest_lines
from rapidbleu.tuning.moses.weights import read_dense_weights, read_sparse_weights
from rapidbleu.tuning.nbest import FEWEST, NBestList, of_rows, spread

if TYPE_CHECKING:
    from rapidbleu._types import FloatArray, IntArray
    from rapidbleu.metrics.metric import Metric

    _Scores = dict[str, float | None]  # None is one that is not known


METHODS = ("tune", "mert", "risk", "mira", "pro")
SHOWN = 40  # weights in the table
START = "start"  # in comparisons: initial weights of all methods


LISTS = (
    ("-r", "--refs", "REF ...", "references of these lists, a file for each set", EMPTY),
    ("-t", "--test", "NBEST ...", "n-best lists to test on", EMPTY),
    ("-tr", "--test-refs", "REF ...", "references of the test lists", EMPTY),
    add_scores,
    ("-o", "--output", "FILE", "write weights and scores to FILE, as JSON"),
    encoding_of("the references"),
    ("-q", "--quiet", "no warnings, no progress bar"),
    add_threads,
)
SEARCH = (
    argument(
        "--method",
        choices=METHODS,
        help="tune: mean weights of 20 bags of segments, each tuned by risk and by mert "
        "(default: tune; mert with --restarts or --fixed)",
    ),
    ("--start", "FILE", "weights to start from, as for `rerank` (default: all alike)"),
    (
        "--n-runs",
        "K",
        "tune K times and report the spread of the scores (default: 1)",
        {"type": at_least(1, MOST_REPEATS), "default": 1},
    ),
    (
        "--restarts",
        "N",
        "additional random starts of mert (default: 20)",
        {"type": at_least(0, MOST_REPEATS)},
    ),
    ("--fixed", "NAME ...", "features whose weights mert preserves"),
    add_seed,
    (
        "--cross-validate",
        "N",
        "compare methods on N random halves of the lists instead of tuning (default: 10)",
        {"type": at_least(2, MOST_REPEATS), "nargs": "?", "const": 10},
    ),
    (
        "--documents",
        "FILE",
        "with --cross-validate: the document of each segment, a line each; the lists are "
        "divided into N parts of whole documents",
    ),
    (
        "--plot",
        "FILE",
        "plot scores along each weight, and the spread of the weights over bags, to a "
        ".png, .pdf or .svg file",
    ),
)


def make_parser() -> Parser:
    """Return the parser of the command."""
    parser = Parser(
        prog="rapidbleu tune",
        usage="%(prog)s [-i] NBEST ... [-r REF ...] -o WEIGHTS.json [options]",
        examples=[
            "-i nbest.gz -r ref.txt -o weights.json",
            "-i nbest.gz -r ref.txt --cross-validate --threads 0",
        ],
        description="Find the feature weights with which n-best lists score best. N-best lists are "
        "files of lines 'segment ||| text ||| features ||| ...' or tables, plain, .gz, .bz2, .xz "
        "or .zst, or saved by NBestList.save (.npz). Several files are merged.",
    )
    parser.add_files("-i", "--input", dest="nbest", metavar="NBEST", help="n-best lists to tune on")
    add_options(parser, LISTS)
    add_groups(parser, {"search": SEARCH})
    add_metrics(parser)
    parser.set_defaults(sentence_level=False)
    return parser


def run(argv: Sequence[str], out: TextIO) -> int:
    """Run the command."""
    parser = make_parser()
    args = parser.parse_args(list(argv))
    method, options = check(args)
    with library_messages(args.quiet):
        metrics, files = metrics_and_files(parser, args, make_metrics)
        if files and args.test:
            raise CommandError("--scores: not with -t/--test; use --cross-validate")
        nbest = read(args.nbest, args.refs, "--refs", metrics, args, files)
        test = read(args.test, args.test_refs, "--test-refs", metrics, args) if args.test else None
        if args.cross_validate is None:
            is_sparse = nbest.is_sparse or (test is not None and test.is_sparse)
            if args.method == "mert" and nbest.is_sparse:
                raise CommandError("sparse features: mert takes dense ones only; use --method tune")
            if args.plot and is_sparse:
                raise CommandError("sparse features: --plot draws the weights of dense ones only")
        start = read_weights([args.start] if args.start else [], nbest)
        if args.cross_validate is not None:
            with _names_as_typed(args):
                validated = validate(nbest, args, start)
            best = float(validated.test.mean(axis=1).max())
            _check_references(nbest, best, args.nbest, "-r/--refs")
            print(validated, file=out)
            if args.output:
                write_json(args.output, validated.to_dict())
            return INTERRUPTED if validated.interrupted else 0
        with progress_callback("steps", args.quiet) as progress, _names_as_typed(args):
            found = tune_repeatedly(
                nbest,
                method,
                n_runs=args.n_runs,
                test=test,
                baseline=start,
                seed=args.seed,
                n_resamples=1000 if args.n_runs > 1 else 0,
                n_trials=1000 if args.n_runs > 1 else 1,
                start=start,
                progress=progress,
                **options,
            )
        name = nbest.score(found.best.weights).name
        scores = scores_of(found, nbest, test, start)
        _check_references(nbest, scores["score"], args.nbest, "-r/--refs")
        if test is not None:
            _check_references(test, scores["test_score"], args.test, "-tr/--test-refs")
    if args.n_runs > 1:
        print(found, file=out, end="\n\n")
    print(table(found, start, name, scores), file=out)
    if args.output:
        write_json(args.output, as_json(args, found, name, scores))
    if args.plot:
        figure, _ = plot_landscapes(nbest, found.best, name, test)
        save_picture(figure, args.plot)
    return INTERRUPTED if found.interrupted else 0


def check(args: Namespace) -> tuple[Any, dict[str, Any]]:
    """Refuse options that do not fit together; return the method and its options."""
    if args.test_refs and not args.test:
        raise CommandError("--test-refs: expected n-best lists too, with -t/--test")
    args.seed = seed_or_fresh(seed_of(args.seed))
    if args.method is None:
        args.method = "mert" if args.restarts is not None or args.fixed else "tune"
    method = method_of(args)
    validates = args.cross_validate is not None
    check_effect(args, validates, "without --cross-validate", "documents")
    check_effect(args, not validates, "with --cross-validate", "method")
    is_drawn = args.method != "risk" and (args.method != "mert" or args.restarts != 0)
    why = "with --method risk or --restarts 0, unless --n-runs is above 1"
    check_effect(args, is_drawn or validates or args.n_runs > 1, why, "seed")
    texts = args.refs or args.test_refs or args.scores or args.documents
    check_effect(args, texts, "without references, --scores and --documents", "encoding")
    if args.cross_validate is not None:
        for name, value in (("test", args.test), ("plot", args.plot), ("n-runs", args.n_runs > 1)):
            if value:
                raise CommandError(f"--{name}: not with --cross-validate")
    for path in filter(None, (args.output, args.plot)):
        check_folder(path)
    if args.plot:
        picture_format(args.plot, "--plot")
    return method


def method_of(args: Namespace) -> tuple[Any, dict[str, Any]]:
    """Return the method and its options for `tune_repeatedly`; refuse those of mert alone."""
    given = {"restarts": args.restarts, "fixed": args.fixed}
    options = {name: value for name, value in given.items() if value is not None}
    if args.method == "mert":
        return "mert", {**options, "threads": args.threads}
    if options:
        name = next(iter(options))
        raise CommandError(f"--{name}: an option of mert, not of {args.method}; see --method")
    if args.method == "tune":
        return tune, {"threads": args.threads}
    return args.method, {}


@contextmanager
def _names_as_typed(args: Namespace) -> Iterator[None]:
    """Raise errors of the library with files and options in place of its parameters."""
    lists = ", ".join(args.nbest)
    typed = {
        "nbest": lists,
        "min_difference": lists,
        "test": ", ".join(args.test),
        "documents": args.documents,
        "fixed": "--fixed",
        "n_splits": "--cross-validate",
    }
    try:
        yield
    except ValueError as error:
        name, rest = re.fullmatch(r"(\w*)(.*)", str(error), re.DOTALL).groups()  # type: ignore[union-attr]
        if name not in typed:
            raise
        raise CommandError(f"{typed[name]}: {rest.lstrip('.: ')}") from None


def _check_references(nbest: NBestList, score: float | None, paths: list[str], option: str) -> None:
    """Warn of lists with hardly any n-gram of their references, even with the best weights."""
    if isinstance(nbest.metric, BLEU) and score is not None and score < 1:
        logger().warning(
            "%s: BLEU is %.2g even with the best weights. Do the references of %s belong to other "
            "segments?",
            ", ".join(paths),
            score,
            option,
        )


def read(
    paths: list[str],
    references: list[str],
    option: str,
    metrics: dict[str, Metric],
    args: Namespace,
    files: Mapping[str, list[str]] = {},
    texts: bool = False,
) -> NBestList:
    """Return the n-best lists of some files as one, with scores in `files`."""
    saved = [path.endswith(".npz") for path in paths]
    try:
        if all(saved) and not files:
            if references:
                raise CommandError(f"{option}: expected none, as {paths[0]} has statistics of some")
            metric = mixed(metrics, [], args.mixture)
            first, *others = (NBestList.load(path, metric=metric) for path in paths)
            return first.merge(*others) if others else first
        if any(saved):
            wrong = paths[saved.index(True)]
            raise CommandError(f"{wrong}: saved lists go with others alone, without --scores")
        if not references and metrics:
            raise CommandError(f"{paths[0]}: no references: name their files with {option}")
        streams = read_references(references, 1, args.encoding)
        check_lengths(zip(references, map(len, streams), strict=True))
        parts = map(SegmentScores, files or [""] * (not metrics))
        metric = mixed(informed(metrics, streams), parts, args.mixture)
        scores = {name: Given(name, names, args.encoding).scores for name, names in files.items()}
        with reading_bar(args.quiet) as bar:
            return read_nbest(
                paths,
                streams or None,
                metric=metric,
                scores=scores or None,
                texts=texts,
                threads=args.threads,
                progress=bar,
            )
    except ValueError as error:
        message = str(error)
        for name, names in files.items():
            message = message.replace(f"scores[{name!r}]", ", ".join(names))
        for i, path in enumerate(paths[1:]):
            message = message.replace(f"others[{i}].", f"{path}: ").replace(f"others[{i}]", path)
        raise CommandError(message) from None
    except OSError as error:
        where = error.filename or paths[0]
        raise CommandError(f"{where}: {error.strerror or error}") from None


def read_weights(paths: list[str], nbest: NBestList) -> FloatArray:
    """Return a list's weights from files, or equal ones; names of sparse features may differ."""
    if not paths:
        return np.full(nbest.n_features, 1.0 / nbest.n_features)
    dense = nbest.names[: count_dense(nbest)]
    where = ", ".join(paths)
    weights: dict[str, float] = {}
    for path in paths:
        for name, weight in _weights_in(path, nbest.names, dense).items():
            if name in weights:
                raise CommandError(f"{where}: expected one weight of feature {name!r}; got two")
            weights[name] = weight
    known = {*nbest.names}
    unknown = [repr(name) for name in weights if name not in known]
    for name in dense:
        if name not in weights:
            got = ", ".join(unknown[:1]) or "none"
            raise CommandError(f"{where}: expected a weight of feature {name!r}; got {got}")
    if unknown and not nbest.is_sparse:
        raise CommandError(f"{where}: expected weights of features only; got {unknown[0]}")
    try:
        return check_vector([weights.get(name, 0.0) for name in nbest.names], nbest.names)
    except (TypeError, ValueError) as error:
        raise CommandError(f"{where}: {error}") from None


def _weights_in(path: str, names: Sequence[str], dense: Sequence[str]) -> dict[str, float]:
    """Return the weights in a file by name, given the names of all and of dense features.

    JSON begins with a brace, and a dense label ends in =. Weights without names, as in the file
    weights.txt of Moses' mert, are in the order of features.
    """
    with open_reader(path) as reader:
        content: Any = b"\n".join(iter(reader.read_line, None))
    first = content.split(maxsplit=1)[:1]
    if not first or first[0].startswith((b"{", b"[")):
        try:
            content = json.loads(content)
            weights = dict(content.get("weights", content))
        except (AttributeError, TypeError, ValueError, RecursionError) as error:
            raise CommandError(f"{path}: expected a JSON object of weights: {error}") from None
    elif first[0].endswith(b"=") or parse_number(first[0]) is not None:
        weights = read_dense_weights(path)
    else:
        weights = read_sparse_weights(path)
    if "_0" not in weights or "_0" in names:
        return weights
    if len(weights) != len(dense):
        raise CommandError(
            f"{path}: expected {len(dense)} weights, one for each dense feature; got {len(weights)}"
        )
    logger().warning("%s: weights without names; taken in the order of the features", path)
    return dict(zip(dense, weights.values(), strict=True))


def methods_of(nbest: NBestList, args: Namespace, start: FloatArray) -> dict[str, Any]:
    """Return what is compared, by name: what the features and the libraries allow."""
    methods: dict[str, Any] = {START: start}
    has_bags = nbest.n_segments >= 2 * FEWEST  # enough in each half
    if not nbest.is_sparse:
        fixed = {} if args.fixed is None else {"fixed": args.fixed}
        restarts = 20 if args.restarts is None else args.restarts
        for n in dict.fromkeys((restarts, 0)):
            methods[f"mert, {n} restarts"] = partial(mert, restarts=n, **fixed)
        if has_bags:
            methods["20 bags of mert"] = partial(tune, method="mert", bags=20, **fixed)
    methods["mira"] = "mira"
    if find_spec("scipy") is not None:
        methods["pro"] = "pro"
        methods["risk"] = "risk"
        if has_bags:
            methods["20 bags of risk"] = partial(tune, method="risk", bags=20)
            if not nbest.is_sparse:
                methods["tune"] = tune
    return methods


def validate(nbest: NBestList, args: Namespace, start: FloatArray) -> CrossValidation:
    """Return the scores of all methods on random halves, or on parts of the documents."""
    splits: Any = args.cross_validate
    if args.documents:
        [names] = read_references([args.documents], 1, args.encoding)
        if nbest.ids.max() >= len(names):
            raise CommandError(
                f"{args.documents}: expected {nbest.ids.max() + 1} lines or more, the document of "
                f"each segment; got {len(names)}"
            )
        documents = [names[i] for i in nbest.ids.tolist()]
        splits = split_documents(documents, args.cross_validate, seed=args.seed)
    with progress_callback("runs", args.quiet) as progress:
        return cross_validate(
            nbest,
            methods_of(nbest, args, start),
            splits=splits,
            start=start,
            seed=args.seed,
            threads=args.threads,
            progress=progress,
        )


# Row labels of the table, with the keys of their scores at the start and at the end.
ROWS = (
    ("tune", "start_score", "score"),
    ("out of bag", "", "out_of_bag_score"),
    ("test", "start_test_score", "test_score"),
)


def scores_of(
    found: RepeatedTuning, nbest: NBestList, test: NBestList | None, start: FloatArray
) -> _Scores:
    """Return the scores of the best run and of the start by key; None is one that is not known."""
    weights = found.best.weights
    scores: _Scores = {
        "score": nbest.evaluate(weights),
        "start_score": nbest.evaluate(start),
    }
    if found.out_of_bag is not None:
        scores["out_of_bag_score"] = finite(found.out_of_bag.tolist()[found.tune.best])
    if test is not None:
        scores["test_score"] = test.evaluate(weights)
        scores["start_test_score"] = test.evaluate(start)
    return scores


def table(found: RepeatedTuning, start: FloatArray, metric: str, scores: _Scores) -> str:
    """Return the table of weights and scores at the start and at the end."""
    names = list(found.best.names)
    columns = []
    for weights in (start, found.best.weights):
        columns.append([f"{weight:.4g}" for weight in weights.tolist()])
    if len(names) > SHOWN:
        names[SHOWN:] = [f"... and {len(names) - SHOWN} more"]
        for column in columns:
            column[SHOWN:] = [""]
    digits = digits_of([score for score in scores.values() if score is not None])
    for what, *keys in ROWS:
        if keys[1] in scores:
            names.append(f"{metric} {what}")
            for column, key in zip(columns, keys, strict=True):
                score = scores.get(key)
                unknown = "-" if key else ""
                column.append(unknown if score is None else f"{score:.{digits}f}")
    return plain_table(["", "start", "tuned"], [names, *columns], [False, True, True])


def as_json(args: Namespace, found: RepeatedTuning, metric: str, scores: _Scores) -> dict[str, Any]:
    """Return what was found, with each run if there are several."""
    content = {
        "weights": found.best.to_dict()["weights"],
        "metric": metric,
        **scores,
        "method": args.method,
        "seed": args.seed,
        "interrupted": found.interrupted,
    }
    if args.n_runs > 1:
        content |= found.to_dict()
    return content


def write_json(path: str, content: dict[str, Any]) -> None:
    """Write JSON to a file."""
    text = json.dumps(content, indent=4, ensure_ascii=False)
    with replacing_text(path) as file:
        file.write(f"{text}\n")


CHOICES = (
    (
        "--weights",
        "FILE ...",
        "numbers by name: JSON such as `tune -o` writes, or Moses' files",
        {"required": True},
    ),
    (
        "--top",
        "K",
        "write lists of the K best: as Moses does or, for a table, JSON lines",
        {"type": at_least(1, MOST)},
    ),
    (
        "-r",
        "--refs",
        "REF ...",
        "score the first and the best hypotheses, on stderr",
        EMPTY,
    ),
    partial(add_scores, are_mixed=False),
    ("-o", "--output", "FILE", "write to FILE instead of standard output"),
    encoding_of("the references"),
    ("-q", "--quiet", "no warnings, no progress bar"),
    add_threads,
)


def make_rerank_parser() -> Parser:
    """Return the parser of the command."""
    parser = Parser(
        prog="rapidbleu rerank",
        usage="%(prog)s [-i] NBEST --weights FILE ... [-r REF ...] [options]",
        examples=[
            "-i nbest.gz --weights weights.json -o best.txt",
            "-i samples.jsonl --weights weights.json --top 5 -o best.jsonl",
        ],
        description="Write the hypothesis of each segment with the highest weighted sum of "
        "features, the first one of ties. `tune` reads the same forms of n-best lists.",
    )

    parser.add_files("-i", "--input", dest="nbest", metavar="NBEST", help="the n-best list")
    add_options(parser, CHOICES)
    add_metrics(parser)
    parser.set_defaults(sentence_level=False, mixture=None)
    return parser


def run_rerank(argv: Sequence[str], out: TextIO) -> int:
    """Run the command."""
    parser = make_rerank_parser()
    args = parser.parse_args(list(argv))
    path = args.nbest[0]
    is_saved = path.endswith(".npz")
    if len(args.nbest) > 1 or (is_saved and args.refs):
        raise CommandError("-i/--input: expected one n-best list, a saved one without --refs")
    check_effect(args, args.refs or is_saved, "without -r/--refs", *args.given)
    check_effect(args, args.refs or args.scores, "without -r/--refs and --scores", "encoding")
    with library_messages(args.quiet):
        metrics, files = metrics_and_files(parser, args, make_metrics)
        if not args.refs and not is_saved and args.metrics is parser.get_default("metrics"):
            metrics = {}
        nbest = read([path], args.refs, "--refs", metrics, args, files, texts=True)
        if nbest.hypotheses is None:
            raise CommandError(f"{path}: expected a list with texts; got one without")
        weights = read_weights(args.weights, nbest)
        best = nbest.best(weights)
        lines = _top(nbest, weights, args.top, path) if args.top else _texts(nbest, best, path)
        if args.output:
            with open_outputs(args.output) as (file,):
                file.writelines(line.encode() for line in lines)
        else:
            out.writelines(lines)
        if metrics or files:
            _say_scores(nbest, best)
    return 0


def _texts(nbest: Any, best: IntArray, path: str) -> Iterator[str]:
    """Return the line of each segment, in the order of their numbers."""
    order = np.argsort(nbest.ids)
    ids = nbest.ids[order].tolist()
    rows = best[order].tolist()
    for n, (number, row) in enumerate(zip(ids, rows, strict=True), ids[0]):
        if number != n or "\n" in nbest.hypotheses[row]:
            what = "no hypothesis" if number != n else "several lines"
            raise CommandError(f"{path}: expected a line for segment {n}; got {what}; see --top")
    return (f"{nbest.hypotheses[row]}\n" for row in rows)


def _top(nbest: NBestList, weights: FloatArray, most: int, path: str) -> Iterator[str]:
    """Return the lines of the best hypotheses of each segment, the best one first."""
    features = nbest.features.astype(np.float64, copy=False)
    # A column after the other, as `NBestList.best` adds them.
    sums = features @ weights if nbest.is_sparse else sum(map(mul, features.T, weights))
    chosen = [
        begin + np.argsort(-sums[begin:end], kind="stable")[:most]
        for begin, end in pairwise(nbest.offsets.tolist())
    ]
    rows = np.concatenate(chosen)
    offsets = np.array(offsets_of(chosen))
    part = of_rows(nbest, rows, offsets, nbest.ids, texts=True)
    if not is_table(path):
        return map(bytes.decode, nbest_lines(part, weights))
    ids: Any = spread(nbest.ids, offsets).tolist()
    names = [name for table in open_file(path, ("id",)) for name in table.objects("id")]
    if isinstance(names[0], str) and not names[0].isdecimal():
        ids = map([*dict.fromkeys(names)].__getitem__, ids)
    columns = (ids, part.hypotheses or (), part.features.tolist(), sums[rows].tolist())
    return map(partial(_entry, nbest.names), *columns)


def _entry(
    names: Sequence[str], number: Any, text: str, features: list[float], score: float
) -> str:
    """Return a hypothesis as a line of JSON."""
    by_name = dict(zip(names, features, strict=True))
    entry = {"id": number, "hyp": text, "features": by_name, "score": score}
    return f"{json.dumps(entry, ensure_ascii=False)}\n"


def _say_scores(nbest: NBestList, best: IntArray) -> None:
    """Write the scores of the first hypotheses and of the best to stderr."""
    firsts, bests = (nbest.stats[rows].sum(0, np.int64) for rows in (nbest.offsets[:-1], best))
    begin = 0
    for metric in getattr(nbest.metric, "metrics", [nbest.metric]):
        end = begin + metric._kernel.n_stats
        before, after = (metric.score(row[begin:end]) for row in (firsts, bests))
        begin = end
        say(f"{after.name}: {before.score:.4f} before, {after.score:.4f} after")


PROGRAMS = {"rerank": Command(make_rerank_parser, run_rerank)}
