"""Several systems: a table of their scores, or of what paired tests say of them."""

import json
from argparse import Namespace
from typing import TYPE_CHECKING, Any, NamedTuple

from rapidbleu.cli.score.corpus import Corpus
from rapidbleu.cli.score.report import Style
from rapidbleu.cli.score.statistics import corpus_scores
from rapidbleu.printing.results import systems_table

if TYPE_CHECKING:
    from rapidbleu.metrics.contract.base import Metric
    from rapidbleu.score import Score


def systems_report(
    metrics: "dict[str, Metric]", corpus: Corpus, style: Style, quiet: bool
) -> str:
    """Score several systems; return what to print of them."""
    names = [system.name for system in corpus.systems]
    scores: dict[str, list[Score]] = {}
    signatures = {}
    for name, metric in metrics.items():
        own = corpus_scores(name, metric, corpus, quiet)
        scores[own[0].name] = own
        signatures[own[0].name] = style.signature(metric.get_signature())
    if style.format == "json":
        # a list of what a single system has, with its name
        objects = []
        for i, system in enumerate(names):
            for name, own in scores.items():
                entry = own[i].format(style.width, signature=signatures[name], is_json=True)
                objects.append({"system": system, **json.loads(entry)})
        return _as_json(objects)
    columns = {"System": names} | {
        name: [score.format(style.width, score_only=True) for score in own]
        for name, own in scores.items()
    }
    latex = style.format == "latex"
    return systems_table(columns, signatures, style.width, latex, None, style.paint)


class Tested(NamedTuple):
    """What a paired test says of a system under a metric, with sacrebleu's names and one more."""

    score: float
    p_value: float | None
    mean: float | None
    ci: float | None
    identical: str | None


def paired_report(
    metrics: "dict[str, Metric]", corpus: Corpus, style: Style, args: Namespace
) -> str:
    """Compare several systems with the first one; return what to print."""
    from rapidbleu.cli.score.resampling import compare

    found, identical = compare(metrics, corpus, args)
    names = [f"Baseline: {found.systems[0]}", *found.systems[1:]]
    signatures = {name: style.signature(own) for name, own in found.signatures.items()}
    scores = {
        name: [
            Tested(own.score, own.p, own.mean, own.half_width, what)
            for own, what in zip(found[name].values(), identical[name], strict=True)
        ]
        for name in found.metrics
    }
    if style.format == "json":
        # sacrebleu's list, with the signature of each metric beside its numbers
        objects = []
        for i, system in enumerate(names):
            entry: dict[str, Any] = {"system": system}
            for name, own in scores.items():
                numbers = {**own[i]._asdict(), "signature": signatures[name]}
                if numbers["identical"] is None:
                    del numbers["identical"]
                entry[name] = numbers
            objects.append(entry)
        return _as_json(objects)
    test = "bs" if args.paired_bs else "ar", found.n
    columns = {"System": names, **scores}
    latex = style.format == "latex"
    return systems_table(columns, signatures, style.width, latex, test, style.paint)


def _as_json(objects: list[dict[str, Any]]) -> str:
    return json.dumps(objects, indent=4, ensure_ascii=False)
