"""Several systems: a table of their scores, or of what paired tests say of them."""

import json
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from rapidbleu.cli.score.corpus import Corpus
from rapidbleu.cli.score.forms import SystemResult, as_json, systems_form
from rapidbleu.cli.score.report import Style
from rapidbleu.cli.score.statistics import AnyMetric, corpus_scores, signature_of

if TYPE_CHECKING:
    from rapidbleu.score import Score


def systems_report(
    metrics: dict[str, AnyMetric], corpus: Corpus, style: Style, args: Namespace
) -> str:
    """Score systems, with intervals if they are asked for; return what to print of them."""
    names = [system.name for system in corpus.systems]
    scores: dict[str, list[Score]] = {}
    signatures = {}
    for key, metric in metrics.items():
        if args.confidence:
            from rapidbleu.cli.score.resampling import scores_with_intervals

            own, signature = scores_with_intervals(key, metric, corpus, args)
        else:
            own, signature = corpus_scores(key, metric, corpus, args), signature_of(metric)
        scores[own[0].name] = own
        signatures[own[0].name] = style.signature(signature)
    if style.format == "json":
        # a list of what a single system has, with its name
        objects = []
        for i, system in enumerate(names):
            for name, own in scores.items():
                width = style.width_of(name)
                entry = own[i].format(width, signature=signatures[name], is_json=True)
                objects.append({"system": system, **json.loads(entry)})
        return as_json(objects)
    results = {
        name: [
            SystemResult(score.score, None, *_interval(score, args.confidence), None)
            for score in own
        ]
        for name, own in scores.items()
    }
    return systems_form(names, results, signatures, style, None)


def _interval(score: "Score", there: bool) -> tuple[float | None, float | None]:
    return (score._mean, score._ci) if there else (None, None)


def paired_report(
    metrics: dict[str, AnyMetric], corpus: Corpus, style: Style, args: Namespace
) -> str:
    """Compare several systems with the first one; return what to print."""
    from rapidbleu.cli.score.resampling import compare

    compared = compare(metrics, corpus, args)
    found = compared.found
    signatures = {name: style.signature(found.signatures.get(name)) for name in found.metrics}
    scores = {
        name: [
            SystemResult(
                own.score, own.p, own.mean, own.half_width,
                compared.identical(name, corpus, 0, i) if i else None,
            )
            for i, own in enumerate(found[name].values())
        ]
        for name in found.metrics
    }  # fmt: skip
    if style.format == "json":
        # sacrebleu's list, with the signature of each metric beside its numbers
        objects = []
        for i, system in enumerate([f"Baseline: {found.systems[0]}", *found.systems[1:]]):
            entry: dict[str, Any] = {"system": system}
            for name, own in scores.items():
                numbers = {**own[i]._asdict(), "signature": signatures[name]}
                if numbers["identical"] is None:
                    del numbers["identical"]
                entry[name] = numbers
            objects.append(entry)
        return as_json(objects)
    test = "bs" if args.paired_bs else "ar", found.n
    return systems_form(found.systems, scores, signatures, style, test)
