"""Scores compared by ``rapidbleu correlate``: human, computed and read from files.

The format of human scores is detected from the first line, or set by ``--human-format``.
"""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any, NamedTuple

from rapidbleu._lib.loader import np
from rapidbleu.cli.files import read_corpus, read_references
from rapidbleu.cli.messages import CommandError, progress_bar, say
from rapidbleu.cli.metrics import informed, make_settings, titled
from rapidbleu.cli.options import check_effect
from rapidbleu.meta import (
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
from rapidbleu.meta.scores import listed, means_of
from rapidbleu.meta.tables import number_of, words_of
from rapidbleu.metrics import BLEU
from rapidbleu.parallel import part_of
from rapidbleu.streams.files import csv_rows, lines_of
from rapidbleu.streams.tables import named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rapidbleu._types import Array, FloatArray, IntArray
    from rapidbleu.meta import Judgments
    from rapidbleu.metrics.metric import Metric

    _Texts = Sequence[str | None]

HUMAN_FORMATS = ("table", "mqm", "mqm-scores", "da", "da-scores", "seg-score")
# Human scores: raw, as z-scores per judge, and with one distribution for all judges.
NORMALIZED = ("raw", "z", "quantile")
WITHOUT_JUDGES = ("mqm-scores", "seg-score")

COLUMNS = ("system_column", "segment_column", "score_column")  # options for tables
# Columns that identify the format of a file.
KNOWN = {
    "da": {"WorkerId", "sys_id", "sid"},
    "da-scores": {"SYS", "SID", "RAW.SCR"},
    "mqm-scores": {"system", "seg_id", "mqm_avg_score"},
    "mqm": {"rater", "category", "severity"},
}


class StudyInput:
    """Scores of humans and of metrics, oriented so that higher is better."""

    def __init__(self, human: SystemScores | dict[str, SystemScores]) -> None:
        self.judgments = human if isinstance(human, dict) else {"raw": human}
        self.metrics: dict[str, FloatArray] = {}  # of segments, otherwise of systems
        self.system_scores: dict[str, FloatArray] = {}  # unless means of segment scores
        self.negated: list[str] = []  # metrics, and "human", for which lower is better
        self.signatures: dict[str, str] = {}  # of computed metrics
        self.settings: dict[str, tuple[str, str]] = {}  # specifications and names
        self.rows: dict[str, tuple[Metric, dict[str, IntArray]]] = {}  # of computed metrics
        self.segments: dict[str, list[int]] = {}  # of these rows, by system
        self.documents: list[str] | None = None  # of the segments

    @property
    def human(self) -> SystemScores:
        """Human scores under the first normalization."""
        return next(iter(self.judgments.values()))

    @property
    def systems(self) -> tuple[str, ...]:
        return self.human.systems or ()

    @property
    def judged(self) -> Array:
        """Segments with a human score for any system."""
        return np.any(~np.isnan(self.human.values), axis=0)

    @property
    def n_human_scores(self) -> int:
        return int(np.count_nonzero(~np.isnan(self.human.values)))

    def add(
        self, name: str, segments: FloatArray | None, systems: Mapping[str, float] | None = None
    ) -> None:
        """Add a metric by scores of segments, systems, or both."""
        if name in self.metrics:
            raise CommandError(f"{name}: expected one metric of this name; got two")
        if name == "human":
            raise CommandError("human: expected another name, as people's scores have this one")
        scores = None
        if systems is not None:
            scores = np.array([systems[system] for system in self.systems])
        if segments is not None:
            means = means_of(segments)
            self.metrics[name] = segments
            if scores is not None and not np.allclose(scores, means, 1e-9, 1e-9, equal_nan=True):
                self.system_scores[name] = scores
        elif scores is not None:
            self.metrics[name] = scores

    def negate(self, names: Iterable[str]) -> None:
        """Negate the scores of metrics or humans."""
        for name in names:
            if name != "human" and name not in self.metrics:
                known = ", ".join(map(repr, (*self.metrics, "human")))
                raise CommandError(f"--negate: expected one of {known}; got {name!r}")
            if name == "human":
                for key, scores in self.judgments.items():
                    self.judgments[key] = SystemScores(0.0 - scores.values, scores.systems)
            for by_name in (self.metrics, self.system_scores):
                if name in by_name:
                    by_name[name] = 0.0 - by_name[name]
            if name in self.negated:
                self.negated.remove(name)
            else:
                self.negated.append(name)

    def means(self, name: str) -> FloatArray:
        """Return the system scores of a metric, or of humans for the name "human"."""
        if name == "human":
            return self.human.means()
        scores = self.system_scores.get(name, self.metrics[name])
        return scores if scores.ndim == 1 else means_of(scores)

    def part_scores(self, name: str, segments: IntArray) -> dict[str, float]:
        """Return the system scores of a computed metric on these segments."""
        metric, stats = self.rows[name]
        sign = -1.0 if name in self.negated else 1.0
        scores = {}
        for system, rows in stats.items():
            part = rows[np.isin(self.segments[system], segments)]
            scores[system] = sign * metric.score(part).score
        return scores


class Segments(NamedTuple):
    """Columns of all scores: segments by their names in files; `hint` ends errors."""

    names: tuple[str, ...]
    hint: str = ""

    @classmethod
    def numbered(cls, n: int, first: int) -> Segments:
        """Return segments named by line number, from `first`."""
        alternative = 1 - first
        hint = f"; --first-segment {alternative} counts lines from {alternative}"
        return cls(tuple(map(str, range(first, first + n))), hint)

    def spread(self, scores: SystemScores, systems: Sequence[str], where: str) -> FloatArray:
        """Return scores of these systems in these columns, nan for missing ones."""
        scores = scores.of(systems)
        names = scores.segments or self.names
        if len(names) != scores.values.shape[1]:
            raise CommandError(
                f"{where}: expected scores of {len(self.names)} segments; got "
                f"{scores.values.shape[1]}"
            )
        columns = {name: i for i, name in enumerate(self.names)}
        for name in names:
            if name not in columns:
                raise CommandError(
                    f"{where}: expected a segment from {self.names[0]!r} to {self.names[-1]!r}; "
                    f"got {name!r}{self.hint}"
                )
        values = np.full((len(systems), len(self.names)), np.nan)
        values[:, [columns[name] for name in names]] = scores.values
        return values


def read_files(args: Namespace) -> StudyInput:
    """Return the scores in files, and scores of outputs in files."""
    judgments = read_human(args)
    human = next(iter(judgments.values()))
    external = _read_external(args)
    corpus = read_corpus(args) if args.input else None
    outputs: dict[str, Any] = {}
    if corpus is not None:
        outputs = {system.name: system.segments for system in corpus.systems}
        known = list(outputs)
        expected = "outputs"
        columns = _segments_of_lines(args, len(corpus.references[0]))
    else:
        systems_of = [scores.systems or () for scores in external.values()]
        common = set.intersection(*map(set, systems_of))
        known = [name for name in systems_of[0] if name in common]
        expected = f"scores in {', '.join(args.scores.values())}"
        files = zip(args.scores.values(), external.values(), strict=True)
        columns = _all_segments({args.human: human, **dict(files)})
    systems = _judged_systems(human, known, args.human, expected, args)
    study = StudyInput(
        {
            name: SystemScores(columns.spread(scores, systems, args.human), systems)
            for name, scores in judgments.items()
        }
    )
    if corpus is not None:
        texts = {name: outputs[name] for name in systems}
        if args.judged_only:
            for name in systems:
                pairs = zip(outputs[name], study.judged, strict=True)
                texts[name] = [text if judged else None for text, judged in pairs]
        _add_computed(study, texts, corpus.references, args)
    _add_external(study, external, columns, args)
    return study


def _segments_of_lines(args: Namespace, n: int) -> Segments:
    """Return the segments of outputs by their names in human scores."""
    if args.ids is None:
        return Segments.numbered(n, args.first_segment)
    [names] = read_references([args.ids], 1, args.encoding)
    if len(names) != n:
        raise CommandError(f"{args.ids}: expected {n} names of segments; got {len(names)}")
    for i, name in enumerate(names):
        if name in names[:i]:
            raise CommandError(f"{args.ids}, line {i + 1}: {name!r} is there twice")
    return Segments(tuple(names))


def _all_segments(files: Mapping[str, SystemScores]) -> Segments:
    """Return all segments in files, in order of appearance, or by size if numbers."""
    names: dict[str, None] = {}
    for path, scores in files.items():
        if scores.segments is None:
            raise CommandError(f"{path}: its segments have no names: outputs are needed, with -i")
        names |= dict.fromkeys(scores.segments)
    numbers = all(name.isdecimal() for name in names)
    return Segments(tuple(sorted(names, key=int) if numbers else names))


def _judged_systems(
    human: SystemScores, known: Sequence[str], where: str, expected: str, args: Namespace
) -> list[str]:
    """Return the systems with human scores, in the order of `known`.

    In errors, `where` is the origin of the human scores, and `expected` what an unknown system
    lacks.
    """
    names = human.systems or ()
    scored = (human.values == human.values).any(axis=1).tolist()
    judged = [name for name, has_score in zip(names, scored, strict=True) if has_score]
    for name in args.leave_out:
        if name not in known and name not in names:
            raise CommandError(f"--leave-out: expected a system, {listed(known)}; got {name!r}")
    unknown = [name for name in judged if name not in known and name not in args.leave_out]
    if unknown:
        raise CommandError(
            f"{where}: expected scores of systems with {expected}, {listed(known)}; got those of "
            f"{listed(unknown)}; to compare without: --leave-out {' '.join(unknown)}"
        )
    wanted = [name for name in known if name not in args.leave_out]
    for name in wanted:
        if name not in judged and not (args.quiet or args.mt_metrics_eval):
            say(f"{name}: people scored nothing of it, it is left out")
    systems = [name for name in wanted if name in judged]
    _check_number(systems, where)
    return systems


def _check_number(systems: Sequence[str], where: str) -> None:
    if len(systems) < 2:
        raise CommandError(f"{where}: expected at least 2 systems to compare; got {len(systems)}")


def _add_external(
    study: StudyInput, external: dict[str, SystemScores], columns: Segments, args: Namespace
) -> None:
    """Add the metrics of ``--scores``."""
    for name, scores in external.items():
        path = args.scores[name]
        for system in study.systems:
            if system not in (scores.systems or ()):
                raise CommandError(
                    f"{path}: expected scores of system {system!r}; got those of "
                    f"{listed(scores.systems or ())}"
                )
        values = columns.spread(scores, study.systems, path)
        study.add(name, np.where(study.judged, values, np.nan) if args.judged_only else values)


def _add_computed(
    study: StudyInput, outputs: Mapping[str, _Texts], streams: list[Any], args: Namespace
) -> None:
    """Compute and add the metrics of ``-m``.

    A segment whose text is None has no score.
    """
    settings = make_settings(args)
    made = {label: metric for label, (_, metric) in settings.items()}
    metrics: dict[str, Any] = titled(informed(made, streams))
    # Segments of each system with a text and a reference
    n = len(streams[0])
    is_referenced = [{*texts} != {None} for texts in zip(*streams, strict=True)]
    for system, output in outputs.items():
        kept = [j for j in range(n) if output[j] is not None and is_referenced[j]]
        if not kept:
            raise CommandError(f"{system}: no segment has a text and a reference")
        study.segments[system] = kept
    for (name, metric), (setting, _) in zip(metrics.items(), settings.values(), strict=True):
        segment_metric = metric
        if isinstance(metric, BLEU):  # ignores orders beyond the length of a segment
            segment_metric = BLEU(**{**metric._changed_options(), "effective_order": True})  # type: ignore[arg-type]
        prepared = metric.prepare(streams) if all(is_referenced) else None
        values = np.full((len(outputs), n), np.nan)
        systems = {}
        stats: dict[str, IntArray] = {}
        with progress_bar(name, len(outputs) * n, args.quiet) as bar:
            for i, (system, segments) in enumerate(study.segments.items()):
                references = prepared
                if len(segments) < n:
                    references = [[stream[j] for j in segments] for stream in streams]
                rows = metric.segment_stats(
                    [outputs[system][j] for j in segments],
                    references,
                    threads=args.threads,
                    progress=bar and part_of(bar, i, len(outputs)),
                )
                values[i, segments] = segment_metric.score_rows(rows)
                systems[system] = metric.score(rows).score
                if args.fit:
                    stats[system] = rows
        study.add(name, values, systems)
        study.settings[name] = setting.name, setting.typed
        study.rows[name] = metric, stats
        if not metric.higher_is_better:
            study.negate([name])
        study.signatures[name] = metric.get_signature().format()


def read_human(args: Namespace) -> dict[str, SystemScores]:
    """Return the scores of ``--human`` by normalization, with the file's names."""
    path: str = args.human
    columns = _columns_of(path)
    form = args.human_format or _form_of(path, columns, args)
    why = f"on --human {path}, whose format is {form}"
    check_effect(args, form == "mqm", why, "mqm_weights")
    check_effect(args, form == "table", why, "judge_column")
    check_effect(args, form == "da" or args.metrics, why, "language_pair")
    check_effect(args, form == "table" or args.scores, why, *COLUMNS)
    needs_judges = args.normalize != ["raw"]
    if form in WITHOUT_JUDGES or (form == "da-scores" and "quantile" in args.normalize):
        if needs_judges:
            raise CommandError(f"--normalize: expected judges, {path} has none (it is {form})")
        return {"raw": read_in_order(path) if form == "seg-score" else read_mqm_scores(path)}
    if form == "da-scores":
        published = read_segment_scores(path)
        return {name: published[name] for name in args.normalize}
    names = {what: getattr(args, f"{what}_column") for what in ("system", "segment", "score")}
    judge = args.judge_column or "judge"
    if form == "mqm":
        judgments = read_mqm(path, weights=args.mqm_weights)
    elif form == "da":
        judgments = read_direct_assessment(path, kinds=None, language_pair=args.language_pair)
    elif args.judge_column is None and not needs_judges and judge not in columns:
        return {"raw": read_table(path, **names)}
    else:
        judgments = read_judgments(path, judge=judge, **names)
    return {name: _mean_scores(judgments, name, path) for name in args.normalize}


def _mean_scores(judgments: Judgments, normalization: str, path: str) -> SystemScores:
    """Return mean scores of judgments, normalized over all judgments of each judge."""
    if normalization == "z":
        judgments = judgments.standardized()
    elif normalization == "quantile":
        judgments = judgments.quantile_normalized()
    if judgments.kind is not None:
        counted = [kind for kind in COUNTED if kind in judgments.kind.names]
        if not counted:
            raise CommandError(f"{path}: expected judgments of {', '.join(COUNTED)}; got none")
        judgments = judgments.select(kinds=counted)
    return judgments.scores()


def _read_external(args: Namespace) -> dict[str, SystemScores]:
    """Return segment scores of other metrics, each in its own column or the score column."""
    external = {}
    names = {"system": args.system_column, "segment": args.segment_column}
    for name, path in args.scores.items():
        columns = _columns_of(path)
        if not set(names.values()) <= set(columns) and _is_seg_score(columns):
            external[name] = read_in_order(path)
        else:
            score = name if name in columns else args.score_column
            external[name] = read_table(path, score=score, **names)
    return external


def _columns_of(path: str) -> list[str]:
    """Return the words of the first line, or the column names of a Parquet file."""
    if path.endswith(".parquet"):
        try:
            from pyarrow import parquet
        except ImportError:
            return []  # the reader reports what is wrong
        with named(path):
            return list(parquet.read_schema(path).names)
    line = next(iter(lines_of(path)), "").rstrip("\r\n")
    if path.removesuffix(".gz").endswith(".csv") and "," in line:
        return next(csv_rows([line], path))[1]
    words = line.split("\t") if "\t" in line else words_of(line, f"{path}, line 1")
    return words[0].split() if len(words) == 1 else words


def _form_of(path: str, columns: list[str], args: Namespace) -> str:
    """Return the format of a file of human scores."""
    for form, names in KNOWN.items():
        if names <= set(columns):
            return form
    wanted = (args.system_column, args.segment_column, args.score_column)
    if path.endswith(".parquet") or set(wanted) <= set(columns):
        return "table"
    if len(columns) in APPRAISE and columns[3] in ("TGT", "REF", "BAD", "CHK"):
        return "da"
    if _is_seg_score(columns):
        return "seg-score"
    raise CommandError(
        f"{path}: expected columns {', '.join(map(repr, wanted))}, or another form of human scores "
        f"(--human-format); got {listed(columns) or 'an empty file'}"
    )


def _is_seg_score(columns: list[str]) -> bool:
    try:
        return len(columns) == 2 and number_of(columns[1], "") is not None
    except ValueError:
        return False


def read_evaluation_set(args: Namespace) -> StudyInput:
    """Return the scores in a folder, and of metrics computed or read in addition.

    Systems are those scored by humans and all metrics; references lack scores by metrics that used
    them.
    """
    where = args.mt_metrics_eval
    folder = read_folder(where, args.language_pair, metrics=args.folder_metrics)
    if not folder.human:
        raise CommandError(f"{where}: no human scores of segments for {args.language_pair}")
    human = folder.human[_chosen("--human-name", args.human_name, folder.human)]
    # Metrics with the scores that the statistics need
    names = list(dict.fromkeys([*folder.metrics, *folder.metric_systems]))
    if any(by != "means" or figure == "soft_accuracy" for figure, by in args.statistics):
        without = [name for name in names if name not in folder.metrics]
        if without and not args.quiet:
            say(f"{listed(without)}: left out, as there are no scores of segments")
        names = [name for name in names if name in folder.metrics]
    if args.metrics and not args.refs:
        args.refs = [_chosen("-r/--refs", None, folder.references)]
    streams = [
        folder.references[_chosen("-r/--refs", name, folder.references)] for name in args.refs
    ]
    # Systems with scores by all of them
    systems = _judged_systems(human, folder.systems, where, "outputs", args)
    scored: list[tuple[Any, Iterable[str]]] = []
    for metric in args.metrics or ():
        scored.append((metric, set(folder.systems) - set(args.refs)))
    for name in names:
        if name in folder.metrics:
            scored.append((name, folder.metrics[name].systems or ()))
        if name in folder.metric_systems:
            scored.append((name, folder.metric_systems[name]))
    for metric, known in scored:
        left_out = [system for system in systems if system not in known]
        if left_out and not args.quiet:
            say(f"{listed(left_out)}: left out, as {metric} has no scores of it")
        systems = [system for system in systems if system in known]
    _check_number(systems, where)
    study = StudyInput(human.of(systems))
    study.documents = folder.documents
    if args.metrics:
        _add_computed(study, {name: folder.outputs[name] for name in systems}, streams, args)
    for name in names:
        segments = folder.metrics[name].of(systems).values if name in folder.metrics else None
        study.add(name, segments, folder.metric_systems.get(name))
    columns = Segments.numbered(folder.n_segments, args.first_segment)
    _add_external(study, _read_external(args), columns, args)
    if not study.metrics:
        raise CommandError(f"{where}: no metrics: name some to compute with -m")
    return study


def _chosen(option: str, name: str | None, known: Iterable[str]) -> str:
    """Return the value of an option, or the only possible one."""
    names = list(known)
    if name is None and len(names) == 1:
        return names[0]
    if name not in names:
        got = "none" if name is None else repr(name)
        raise CommandError(f"{option}: expected one of {listed(names) or 'none'}; got {got}")
    return name
