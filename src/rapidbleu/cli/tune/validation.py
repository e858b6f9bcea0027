"""``rapidbleu tune --cross-validate``: methods compared on segments that they were not tuned on."""

from argparse import Namespace
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from rapidbleu.cli.files import read_references
from rapidbleu.cli.messages import CommandError
from rapidbleu.cli.progress import progress_callback
from rapidbleu.cli.tune.report import known
from rapidbleu.tuning import (
    CrossValidation,
    NBestList,
    bagged,
    cross_validate,
    document_folds,
    mert,
)
from rapidbleu.tuning.lists.subsets import FEWEST

if TYPE_CHECKING:
    from rapidbleu.typing import FloatArray

START = "start"  # the weights that all methods start with


def methods_of(nbest: NBestList, args: Namespace, start: "FloatArray") -> dict[str, Any]:
    """Return what is compared, by name: what the features and the libraries allow."""
    methods: dict[str, Any] = {START: start}
    has_bags = nbest.n_segments >= 2 * FEWEST  # so that a half has enough
    if not nbest.is_sparse:
        fixed = {} if args.fixed is None else {"fixed": args.fixed}
        restarts = 20 if args.restarts is None else args.restarts
        for n in dict.fromkeys((restarts, 0)):
            methods[f"mert, {n} restarts"] = partial(mert, restarts=n, **fixed)
        if has_bags:
            methods["20 bags of mert"] = bagged("mert", 20, **fixed)
    methods["mira"] = "mira"
    if find_spec("scipy") is not None:
        methods["pro"] = "pro"
        methods["risk"] = "risk"
        if has_bags:
            methods["20 bags of risk"] = bagged("risk", 20)
    return methods


def validate(nbest: NBestList, args: Namespace, start: "FloatArray") -> CrossValidation:
    """Return the scores of all methods on random halves, or on parts of the documents."""
    splits: Any = args.cross_validate
    if args.documents:
        [names] = read_references([args.documents], 1, args.encoding)
        if nbest.ids.max() >= len(names):
            raise CommandError(
                f"{args.documents}: expected {nbest.ids.max() + 1} lines or more, the document of "
                f"each segment, got {len(names)}"
            )
        documents = [names[i] for i in nbest.ids.tolist()]
        splits = document_folds(documents, args.cross_validate, seed=args.seed)
    with progress_callback("runs", args.quiet) as progress:
        return cross_validate(
            nbest, methods_of(nbest, args, start), splits=splits, weights=start, seed=args.seed,
            threads=args.threads, progress=progress,
        )  # fmt: skip


def comparison_as_json(found: CrossValidation) -> dict[str, Any]:
    """Return all that was found; null stands for nan."""
    with_p = find_spec("scipy") is not None
    methods: dict[str, Any] = {}
    for i, name in enumerate(found.methods):
        difference = found.difference(name, found.methods[0])
        numbers = {"difference": difference.mean, "error": difference.error}
        if with_p:
            numbers["p"] = difference.p
        methods[name] = {
            "train": found.train[i].tolist(),
            "test": found.test[i].tolist(),
            "seconds": found.seconds[i].tolist(),
            **{key: known(value) for key, value in numbers.items()},
        }
    return {
        "metric": found.metric,
        "best": found.best,
        "methods": methods,
        "interrupted": found.interrupted,
    }
