"""What a study is made of: scores of people and of metrics, of the same systems and segments.

They come from files of scores and texts, or from a folder of mt-metrics-eval. A file of scores has
one of these forms, recognised by its first line or named by an option:

========== ========================================================================================
table      a line for each score, with names of columns in the first line; or Parquet
mqm        annotations of errors
mqm-scores their published averages
da         WMT's direct assessments, judgment by judgment
da-scores  their published averages
seg-score  a system and a score in each line, segments in order: a file of mt-metrics-eval
========== ========================================================================================
"""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from rapidbleu._lib.lazy import np
from rapidbleu.cli.files import check_lengths, name_of_system, read_references, read_systems
from rapidbleu.cli.messages import CommandError, say
from rapidbleu.cli.metrics import informed, make_metrics
from rapidbleu.cli.progress import progress_bar, waiting
from rapidbleu.meta import (
    EvaluationSet,
    SystemScores,
    read_direct_assessment,
    read_folder,
    read_judgments,
    read_mqm,
    read_mqm_scores,
    read_segment_scores,
    read_table,
)
from rapidbleu.meta.direct_assessment import APPRAISE, COUNTED
from rapidbleu.meta.folders import read_in_order
from rapidbleu.meta.tables import number_of, words_of
from rapidbleu.parallel import part_of
from rapidbleu.streams.formats import named
from rapidbleu.streams.texts import csv_rows, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rapidbleu.meta import Judgments
    from rapidbleu.metrics.metric import Metric
    from rapidbleu.typing import FloatArray, Progress

    _Texts = Sequence[str | None]

HUMAN_FORMATS = ("table", "mqm", "mqm-scores", "da", "da-scores", "seg-score")
OF_JUDGES = ("table", "mqm", "da")
SHOWN = 8  # names in an error

# Columns that tell a file's form.
KNOWN = {
    "da": {"WorkerId", "sys_id", "sid"},
    "da-scores": {"SYS", "SID", "RAW.SCR"},
    "mqm-scores": {"system", "seg_id", "mqm_avg_score"},
    "mqm": {"rater", "category", "severity"},
}


class Segments:
    """The columns of all scores: segments by their names in files; errors end with a hint."""

    def __init__(self, names: Sequence[str], hint: str = "") -> None:
        self.names = tuple(names)
        self.hint = hint
        self.places = {name: i for i, name in enumerate(self.names)}

    @classmethod
    def numbered(cls, n: int, first: int) -> Segments:
        """Return segments that are named by their line's number, which begins with `first`."""
        numbers = [str(number) for number in range(first, first + n)]
        other = 1 - first
        return cls(numbers, f"; --first-segment {other} counts lines from {other}")

    def spread(self, scores: SystemScores, systems: Sequence[str], where: str) -> SystemScores:
        """Return scores of these systems in these columns, nan where there is none."""
        own = scores.of(systems)
        names = own.segments or self.names
        if len(names) != own.values.shape[1]:
            raise CommandError(
                f"{where}: expected scores of {len(self.names)} segments, got {own.values.shape[1]}"
            )
        for name in names:
            if name not in self.places:
                raise CommandError(
                    f"{where}: expected a segment from {self.names[0]!r} to {self.names[-1]!r}, "
                    f"got {name!r}{self.hint}"
                )
        values = np.full((len(systems), len(self.names)), np.nan)
        values[:, [self.places[name] for name in names]] = own.values
        return SystemScores(values, systems, self.names)


class StudyInput:
    """Scores of people, and of metrics in the direction that more is better.

    Attributes
    ----------
    human : SystemScores
    metrics : dict of str to SystemScores or to dict of str to float
        Scores of segments; of systems, if there are no others.
    system_scores : dict of str to dict of str to float
        Of metrics whose score of a system is not the mean of its segments'.
    negated : list of str
        Metrics, and "human", of whose scores less is better.
    signatures : dict of str to str
        Of metrics that were computed here.
    """

    def __init__(self, human: SystemScores) -> None:
        self.human = human
        self.metrics: dict[str, SystemScores | dict[str, float]] = {}
        self.system_scores: dict[str, dict[str, float]] = {}
        self.negated: list[str] = []
        self.signatures: dict[str, str] = {}

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.human.systems or ()

    @property
    def judged(self) -> list[bool]:
        """Which segments people scored of some system."""
        there: list[bool] = (self.human.values == self.human.values).any(axis=0).tolist()
        return there

    def add(
        self,
        name: str,
        segments: SystemScores | None,
        systems: dict[str, float] | None = None,
        higher_is_better: bool = True,
    ) -> None:
        """Add a metric, by scores of segments, of systems, or both."""
        if name in self.metrics:
            raise CommandError(f"{name}: expected one metric of this name, got two")
        if name == "human":
            raise CommandError("human: expected another name, as people's scores have this one")
        own = None if systems is None else {system: systems[system] for system in self.systems}
        if segments is not None:
            self.metrics[name] = segments
            means = segments.means()
            if own is not None and not np.allclose(
                list(own.values()), means, rtol=1e-9, atol=1e-9, equal_nan=True
            ):
                self.system_scores[name] = own
        elif own is not None:
            self.metrics[name] = own
        if not higher_is_better:
            self.negate([name])

    def negate(self, names: Iterable[str]) -> None:
        """Turn the direction of metrics, or of people, around."""
        for name in names:
            if name == "human":
                self.human = _negative(self.human)
            elif name in self.metrics:
                self.metrics[name] = _negative(self.metrics[name])
                if name in self.system_scores:
                    self.system_scores[name] = _negative(self.system_scores[name])
            else:
                known = ", ".join(map(repr, (*self.metrics, "human")))
                raise CommandError(f"--negate: expected one of {known}, got {name!r}")
            if name in self.negated:
                self.negated.remove(name)
            else:
                self.negated.append(name)

    def means(self, name: str) -> FloatArray:
        """Return the score of each system: a metric's, or people's by the name "human"."""
        scores = self.human if name == "human" else self.system_scores.get(name, self.metrics[name])
        if isinstance(scores, SystemScores):
            return scores.means()
        return np.array([scores[system] for system in self.systems])


def _negative(scores: Any) -> Any:
    if isinstance(scores, SystemScores):
        return SystemScores(0.0 - scores.values, scores.systems, scores.segments)
    return {name: 0.0 - score for name, score in scores.items()}


def listed(names: Sequence[str]) -> str:
    """Return names for a message, not all if they are many."""
    return ", ".join(map(repr, names[:SHOWN])) + ", ..." * (len(names) > SHOWN)


# Files of texts and of scores


def read_files(args: Namespace) -> StudyInput:
    """Return the scores in files, and those of outputs that they have."""
    human = read_human(args)
    external = {name: _read_scores(name, path, args) for name, path in args.scores.items()}
    with waiting("reading", args.quiet):
        outputs = _read_outputs(args)
        streams = read_references(args.refs, 1, args.encoding)
    lengths = {name: len(texts) for name, texts in outputs.items()}
    lengths |= {name: len(texts) for name, texts in zip(args.refs, streams, strict=True)}
    check_lengths(lengths.items())
    if lengths and not any(lengths.values()):
        raise CommandError(f"{next(iter(lengths))}: no segments")
    if outputs:
        known: Sequence[str] = list(outputs)
        columns = _segments(args, len(streams[0]))
        expected = "outputs"
    else:
        own = [scores.systems or () for scores in external.values()]
        known = [name for name in own[0] if all(name in others for others in own[1:])]
        files = dict(zip(args.scores.values(), external.values(), strict=True))
        columns = _union({args.human: human} | files)
        expected = f"scores in {', '.join(args.scores.values())}"
    systems = _judged_systems(human, known, args.leave_out, args.human, expected, args.quiet)
    found = StudyInput(columns.spread(human, systems, args.human))
    if outputs:
        texts: dict[str, _Texts] = {name: outputs[name] for name in systems}
        if args.judged_only:
            for name in systems:
                pairs = zip(outputs[name], found.judged, strict=True)
                texts[name] = [text if judged else None for text, judged in pairs]
        _add_computed(found, texts, streams, args)
    _add_external(found, external, columns, args)
    return found


def _read_outputs(args: Namespace) -> dict[str, list[str]]:
    """Return the outputs of ``-i`` by the names of their systems."""
    paths = args.input
    names = args.names or [name_of_system(path) for path in paths]
    for i, name in enumerate(names):
        if name in names[:i]:
            other = paths[names.index(name)]
            raise CommandError(
                f"{paths[i]}: system {name!r}, as {other}; tell them apart with --names"
            )
    systems = read_systems(paths, args.encoding) if paths else []
    return {name: system.segments for name, system in zip(names, systems, strict=True)}


def _segments(args: Namespace, n: int) -> Segments:
    """Return the segments of outputs, by the names that human scores have for them."""
    if args.segments is None:
        return Segments.numbered(n, args.first_segment)
    [names] = read_references([args.segments], 1, args.encoding)
    if len(names) != n:
        raise CommandError(f"{args.segments}: expected {n} names of segments, got {len(names)}")
    for i, name in enumerate(names):
        if name in names[:i]:
            raise CommandError(f"{args.segments}, line {i + 1}: {name!r} is there twice")
    return Segments(names)


def _union(files: dict[str, SystemScores]) -> Segments:
    """Return all segments that files name, in the order in which they do; numbers by size."""
    names: dict[str, None] = {}
    for path, scores in files.items():
        if scores.segments is None:
            raise CommandError(f"{path}: its segments have no names: outputs are needed, with -i")
        names |= dict.fromkeys(scores.segments)
    numbers = all(name.isdecimal() for name in names)
    return Segments(sorted(names, key=int) if numbers else list(names))


def _judged_systems(
    human: SystemScores,
    known: Sequence[str],
    left_out: Sequence[str],
    where: str,
    expected: str,
    quiet: bool,
) -> list[str]:
    """Return the systems that people scored, in the order of `known`, those with outputs or scores.

    `where` is the file of the human scores; an unknown system lacks what is `expected`.
    """
    names = human.systems or ()
    scored = (human.values == human.values).any(axis=1).tolist()
    judged = [name for name, there in zip(names, scored, strict=True) if there]
    for name in left_out:
        if name not in known and name not in names:
            raise CommandError(f"--leave-out: expected a system, {listed(known)}, got {name!r}")
    unknown = [name for name in judged if name not in known and name not in left_out]
    if unknown:
        raise CommandError(
            f"{where}: expected scores of systems with {expected}, {listed(known)}, got those of "
            f"{listed(unknown)}; to compare without: --leave-out {' '.join(unknown)}"
        )
    for name in known:
        if name not in judged and name not in left_out and not quiet:
            say(f"{name}: people scored nothing of it, it is left out")
    found = [name for name in known if name in judged and name not in left_out]
    _check_number(found, where)
    return found


def _check_number(systems: Sequence[str], where: str) -> None:
    if len(systems) < 2:
        raise CommandError(f"{where}: expected at least 2 systems to compare, got {len(systems)}")


def _add_external(
    found: StudyInput, external: dict[str, SystemScores], columns: Segments, args: Namespace
) -> None:
    """Add the metrics of ``--scores``."""
    for name, scores in external.items():
        path = args.scores[name]
        for system in found.systems:
            if system not in (scores.systems or ()):
                raise CommandError(
                    f"{path}: expected scores of system {system!r}, got those of "
                    f"{listed(scores.systems or ())}"
                )
        spread = columns.spread(scores, found.systems, path)
        if args.judged_only:
            values = np.where(found.judged, spread.values, np.nan)
            spread = SystemScores(values, spread.systems, spread.segments)
        found.add(name, spread)


def _add_computed(
    found: StudyInput,
    outputs: Mapping[str, _Texts],
    streams: Sequence[_Texts],
    args: Namespace,
) -> None:
    """Compute the metrics of ``-m`` and add them.

    A text that is None is not supplied, and its segment has no score.
    """
    metrics = informed(make_metrics(args), streams)  # type: ignore[arg-type]
    # BLEU of a segment is that of -sl: orders beyond the segment's length do not count.
    of_segments = make_metrics(Namespace(**{**vars(args), "sentence_level": True}))
    for name, metric in metrics.items():
        segment_metric = of_segments[name] if name == "bleu" else metric
        with progress_bar(name, len(outputs) * len(streams[0]), args.quiet) as bar:
            title, segments, systems = _computed(
                metric, segment_metric, outputs, streams, args.threads, bar
            )
        found.add(title, segments, systems, metric.higher_is_better)
        found.signatures[title] = metric.get_signature().format()


def _computed(
    metric: Metric,
    segment_metric: Metric,
    outputs: Mapping[str, _Texts],
    streams: Sequence[_Texts],
    threads: int,
    bar: Progress | None,
) -> tuple[str, SystemScores, dict[str, float]]:
    """Return the name of scores, scores of segments by `segment_metric`, and of systems."""
    n = len(streams[0])
    texts: Any = streams
    with_reference = [any(text is not None for text in own) for own in zip(*texts, strict=True)]
    prepared = metric.prepare(texts) if all(with_reference) else None
    values = np.full((len(outputs), n), np.nan)
    systems = {}
    title = ""
    for i, (system, output) in enumerate(outputs.items()):
        kept = [j for j in range(n) if output[j] is not None and with_reference[j]]
        if not kept:
            raise CommandError(f"{system}: no segment has a text and a reference")
        whole = prepared is not None and len(kept) == n
        references: Any = prepared if whole else [[own[j] for j in kept] for own in texts]
        hypotheses: Any = [output[j] for j in kept]
        told = None if bar is None else part_of(bar, i, len(outputs))
        rows = metric.segment_stats(hypotheses, references, threads=threads, progress=told)
        score = metric.score(rows)
        values[i, kept] = segment_metric.score_rows(rows)
        title, systems[system] = score.name, score.score
    return title, SystemScores(values, list(outputs)), systems


# Files of scores


def read_human(args: Namespace) -> SystemScores:
    """Return the scores of ``--human``, of systems and segments by the names of the file."""
    path: str = args.human
    columns = _columns_of(path)
    form = args.human_format or _form_of(path, columns, args)
    if args.z_scores and form not in (*OF_JUDGES, "da-scores"):
        raise CommandError(f"--z-scores: expected judges, {path} has none (it is {form})")
    if form == "seg-score":
        return read_in_order(path)
    if form == "mqm-scores":
        return read_mqm_scores(path)
    if form == "da-scores":
        return read_segment_scores(path)["z" if args.z_scores else "raw"]
    if form == "mqm":
        return _means(read_mqm(path, weights=args.mqm_weights), args)
    if form == "da":
        return _direct_assessment(path, args)
    names = {what: getattr(args, f"{what}_column") for what in ("system", "segment", "score")}
    judge = args.judge_column or "judge"
    if args.judge_column is not None or args.z_scores or judge in columns:
        return _means(read_judgments(path, judge=judge, **names), args)
    return read_table(path, **names)


def _read_scores(name: str, path: str, args: Namespace) -> SystemScores:
    """Return another metric's scores of segments: those in its column, or in that of scores."""
    columns = _columns_of(path)
    if not {args.system_column, args.segment_column} <= set(columns) and _is_seg_score(path):
        return read_in_order(path)
    return read_table(
        path,
        system=args.system_column,
        segment=args.segment_column,
        score=name if name in columns else args.score_column,
    )


def _columns_of(path: str) -> list[str]:
    """Return the words of the first line, or the names of a Parquet file's columns."""
    if path.endswith(".parquet"):
        try:
            from pyarrow import parquet
        except ImportError:
            return []  # the reader knows what else there is
        with named(path):
            return list(parquet.read_schema(path).names)
    line = next(iter(lines_of(path)), "").rstrip("\r\n")
    if path.removesuffix(".gz").endswith(".csv") and "," in line:
        return next(csv_rows([line], path))[1]
    words = line.split("\t") if "\t" in line else words_of(line, f"{path}, line 1")
    return words[0].split() if len(words) == 1 else words


def _form_of(path: str, columns: list[str], args: Namespace) -> str:
    """Return which form a file of human scores has."""
    for form, names in KNOWN.items():
        if names <= set(columns):
            return form
    wanted = (args.system_column, args.segment_column, args.score_column)
    if path.endswith(".parquet") or set(wanted) <= set(columns):
        return "table"
    if len(columns) in APPRAISE and columns[3] in ("TGT", "REF", "BAD", "CHK"):
        return "da"
    if _is_seg_score(path):
        return "seg-score"
    raise CommandError(
        f"{path}: expected columns {', '.join(map(repr, wanted))}, or another form of human scores "
        f"(--human-format), got {listed(columns) or 'an empty file'}"
    )


def _is_seg_score(path: str) -> bool:
    words = next(iter(lines_of(path)), "").split()
    try:
        number_of(words[-1] if len(words) == 2 else "no number", path)
    except ValueError:
        return False
    return True


def _direct_assessment(path: str, args: Namespace) -> SystemScores:
    """Return the means of what systems got; judges are standardized by all that they did."""
    everything = read_direct_assessment(path, kinds=None, language_pair=args.language_pair)
    if args.z_scores:
        everything = everything.standardized()
    there = everything.kind.names if everything.kind is not None else ()
    counted = [kind for kind in COUNTED if kind in there]
    if not counted:
        raise CommandError(f"{path}: expected judgments of {', '.join(COUNTED)}, got none")
    return everything.select(kinds=counted).scores()


def _means(judgments: Judgments, args: Namespace) -> SystemScores:
    return (judgments.standardized() if args.z_scores else judgments).scores()


# A folder of mt-metrics-eval


def read_evaluation_set(args: Namespace) -> StudyInput:
    """Return the scores in a folder, with what is computed or read besides.

    Systems are those that people and all metrics scored; references have no scores by metrics
    that used them.
    """
    own = read_folder(args.mt_metrics_eval, args.language_pair, metrics=args.folder_metrics)
    human = _folder_human(own, args)
    names = _folder_metrics(own, args)
    streams = _folder_references(own, args)
    systems = _judged_systems(
        human, own.systems, args.leave_out, args.mt_metrics_eval, "outputs", True
    )
    scored = [(name, set(own.systems) - set(args.refs)) for name in args.metrics or ()]
    for name in names:
        if name in own.metrics:
            scored.append((name, set(own.metrics[name].systems or ())))
        if name in own.metric_systems:
            scored.append((name, set(own.metric_systems[name])))
    for name, known in scored:
        left_out = [system for system in systems if system not in known]
        if left_out and not args.quiet:
            say(f"{listed(left_out)}: left out, as {name} has no scores of it")
        systems = [system for system in systems if system in known]
    _check_number(systems, args.mt_metrics_eval)
    found = StudyInput(human.of(systems))
    if args.metrics:
        _add_computed(found, {name: own.outputs[name] for name in systems}, streams, args)
    for name in names:
        segments = own.metrics[name].of(systems) if name in own.metrics else None
        found.add(name, segments, own.metric_systems.get(name))
    external = {name: _read_scores(name, path, args) for name, path in args.scores.items()}
    _add_external(found, external, Segments.numbered(own.n_segments, args.first_segment), args)
    if not found.metrics:
        raise CommandError(f"{args.mt_metrics_eval}: no metrics: name some to compute with -m")
    return found


def _folder_human(own: EvaluationSet, args: Namespace) -> SystemScores:
    """Return the human scores of segments that ``--human-name`` names, or the only ones."""
    known = list(own.human)
    if not known:
        raise CommandError(
            f"{args.mt_metrics_eval}: no human scores of segments for {args.language_pair}"
        )
    name = args.human_name or (known[0] if len(known) == 1 else None)
    if name not in known:
        got = "none" if name is None else repr(name)
        raise CommandError(f"--human-name: expected one of {listed(known)}, got {got}")
    return own.human[name]


def _folder_metrics(own: EvaluationSet, args: Namespace) -> list[str]:
    """Return the names of the folder's metrics; without those that figures cannot be made of."""
    names = list(dict.fromkeys([*own.metrics, *own.metric_systems]))
    means_only = all(by == "means" and figure != "soft_accuracy" for figure, by in args.figures)
    without = [] if means_only else [name for name in names if name not in own.metrics]
    if without and not args.quiet:
        say(f"{listed(without)}: left out, as there are no scores of segments")
    return [name for name in names if name not in without]


def _folder_references(own: EvaluationSet, args: Namespace) -> list[list[str | None]]:
    """Return the texts of ``-r``, which names references of the folder; by default the only one."""
    known = list(own.references)
    if args.metrics and not args.refs:
        if len(known) != 1:
            raise CommandError(f"-r/--refs: expected some of {listed(known) or 'none'}, got none")
        args.refs = known
    for name in args.refs:
        if name not in known:
            raise CommandError(f"-r/--refs: expected one of {listed(known)}, got {name!r}")
    return [own.references[name] for name in args.refs]
