"""A folder in the layout of mt-metrics-eval: texts, people's scores and metrics' scores."""

from argparse import Namespace

from rapidbleu.cli.correlate.human import read_scores
from rapidbleu.cli.correlate.material import (
    Material,
    Segments,
    check_number,
    judged_systems,
    listed,
)
from rapidbleu.cli.correlate.scores import add_computed, add_external
from rapidbleu.cli.messages import CommandError, say
from rapidbleu.meta import EvaluationSet, SystemScores, read_folder


def read_evaluation_set(args: Namespace) -> Material:
    """Return what a folder says, with what is computed or read besides.

    Systems are those that people and all metrics scored; references have no scores by metrics
    that used them.
    """
    found = read_folder(args.mt_metrics_eval, args.language_pair, metrics=args.folder_metrics)
    human = _human(found, args)
    names = _metrics(found, args)
    streams = _references(found, args)
    systems = judged_systems(
        human, found.systems, args.leave_out, args.mt_metrics_eval, "outputs", True
    )
    used = {name: set(args.refs) for name in args.metrics or ()}
    for name, without in used.items():
        systems = _left(systems, set(found.systems) - without, name, args)
    for name in names:
        known = [found.metrics[name].systems] if name in found.metrics else []
        known += [tuple(found.metric_systems[name])] if name in found.metric_systems else []
        for own in known:
            systems = _left(systems, set(own or ()), name, args)
    check_number(systems, args.mt_metrics_eval)
    columns = Segments.numbered(found.n_segments, args.first_segment)
    material = Material(human.of(systems))
    if args.metrics:
        add_computed(material, {name: found.outputs[name] for name in systems}, streams, args)
    for name in names:
        segments = found.metrics[name].of(systems) if name in found.metrics else None
        material.add(name, segments, found.metric_systems.get(name))
    external = {name: read_scores(name, path, args) for name, path in args.scores.items()}
    add_external(material, external, columns, args)
    if not material.metrics:
        raise CommandError(f"{args.mt_metrics_eval}: no metrics: name some to compute with -m")
    return material


def _left(systems: list[str], known: set[str], metric: str, args: Namespace) -> list[str]:
    """Return the systems that a metric scores too, and say which it does not."""
    left_out = [name for name in systems if name not in known]
    if left_out and not args.quiet:
        say(f"{listed(left_out)}: left out, as {metric} has no scores of it")
    return [name for name in systems if name in known]


def _human(found: EvaluationSet, args: Namespace) -> SystemScores:
    """Return the human scores of segments by the name that was asked for, or the only one."""
    known = list(found.human)
    if not known:
        raise CommandError(
            f"{args.mt_metrics_eval}: no human scores of segments for {args.language_pair}"
        )
    name = args.human_name or (known[0] if len(known) == 1 else None)
    if name not in known:
        got = "none" if name is None else repr(name)
        raise CommandError(f"--human-name: expected one of {listed(known)}, got {got}")
    return found.human[name]


def _metrics(found: EvaluationSet, args: Namespace) -> list[str]:
    """Return the names of the folder's metrics; without those that figures cannot be made of."""
    names = [*found.metrics, *(name for name in found.metric_systems if name not in found.metrics)]
    means_only = all(by == "means" and figure != "soft_accuracy" for figure, by in args.figures)
    without = [] if means_only else [name for name in names if name not in found.metrics]
    if without and not args.quiet:
        say(f"{listed(without)}: left out, as there are no scores of segments")
    return [name for name in names if name not in without]


def _references(found: EvaluationSet, args: Namespace) -> "list[list[str | None]]":
    """Return the texts of ``-r``, which names references of the folder; by default the only one."""
    known = list(found.references)
    if args.metrics and not args.refs:
        if len(known) != 1:
            raise CommandError(f"-r/--refs: expected some of {listed(known) or 'none'}, got none")
        args.refs = known
    for name in args.refs:
        if name not in known:
            raise CommandError(f"-r/--refs: expected one of {listed(known)}, got {name!r}")
    return [found.references[name] for name in args.refs]
