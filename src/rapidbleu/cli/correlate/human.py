"""Files of scores: people's in the forms in which they are published, and those of other metrics.

The form is recognised by the first line, or said by an option:

========== ========================================================================================
table      a line for each score, with names of columns in the first line; or Parquet
mqm        annotations of errors
mqm-scores their published averages
da         WMT's direct assessments, judgment by judgment
da-scores  their published averages
seg-score  a system and a score in each line, segments in order: a file of mt-metrics-eval
========== ========================================================================================
"""

from argparse import Namespace
from typing import TYPE_CHECKING

from rapidbleu.cli.correlate.material import listed
from rapidbleu.cli.messages import CommandError
from rapidbleu.meta.readers.direct_assessment import APPRAISE, COUNTED, read_direct_assessment
from rapidbleu.meta.readers.lines import (
    Gathered,
    lines_of,
    number_of,
    placed_lines,
    words_of,
)
from rapidbleu.meta.readers.mqm import read_mqm
from rapidbleu.meta.readers.published import read_mqm_scores, read_segment_scores
from rapidbleu.meta.readers.tables import read_judgments, read_table

if TYPE_CHECKING:
    from rapidbleu.meta import SystemScores
    from rapidbleu.meta.judges.judgments import Judgments

FORMATS = ("table", "mqm", "mqm-scores", "da", "da-scores", "seg-score")
OF_JUDGES = ("table", "mqm", "da")

# Columns that tell a file's form.
KNOWN = {
    "da": {"WorkerId", "sys_id", "sid"},
    "da-scores": {"SYS", "SID", "RAW.SCR"},
    "mqm-scores": {"system", "seg_id", "mqm_avg_score"},
    "mqm": {"rater", "category", "severity"},
}


def read_human(args: Namespace) -> "SystemScores":
    """Return the scores of ``--human``, of systems and segments by the names of the file."""
    path: str = args.human
    columns = columns_of(path)
    form = args.human_format or form_of(path, columns, args)
    if args.z_scores and form not in (*OF_JUDGES, "da-scores"):
        raise CommandError(f"--z-scores: expected judges, {path} has none (it is {form})")
    if form == "seg-score":
        return read_seg_score(path)
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


def read_scores(name: str, path: str, args: Namespace) -> "SystemScores":
    """Return another metric's scores of segments: those in its column, or in that of scores."""
    columns = columns_of(path)
    wanted = {args.system_column, args.segment_column}
    if not wanted <= set(columns) and _is_seg_score(path):
        return read_seg_score(path)
    return read_table(
        path,
        system=args.system_column,
        segment=args.segment_column,
        score=name if name in columns else args.score_column,
    )


def columns_of(path: str) -> list[str]:
    """Return the words of the first line, or the names of a Parquet file's columns."""
    if path.endswith(".parquet"):
        try:
            from pyarrow import parquet
        except ImportError:
            return []  # the reader knows what else there is
        return list(parquet.read_schema(path).names)
    line = next(iter(lines_of(path)), "").rstrip("\r\n")
    if path.removesuffix(".gz").endswith(".csv") and "," in line:
        import csv

        return next(csv.reader([line]))
    words = line.split("\t") if "\t" in line else words_of(line)
    return words[0].split() if len(words) == 1 else words


def form_of(path: str, columns: list[str], args: Namespace) -> str:
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


def read_seg_score(path: str) -> "SystemScores":
    """Read lines of a system and a score; a system's first is of segment 1, and so on."""
    from rapidbleu.meta import SystemScores

    gathered = Gathered()
    counts: dict[str, int] = {}
    for place, line in placed_lines(path):
        words = line.split()
        if len(words) != 2:
            raise CommandError(f"{place}: expected a system and a score, got {line!r}")
        system, score = words
        counts[system] = counts.get(system, 0) + 1
        gathered.add(system, str(counts[system]), number_of(score, place), place)
    scores = gathered.scores(path)
    for system, count in counts.items():
        if count != scores.values.shape[1]:
            raise CommandError(
                f"{path}: expected {scores.values.shape[1]} scores of system {system!r}, "
                f"got {count}"
            )
    return SystemScores(scores.values, scores.systems)


def _direct_assessment(path: str, args: Namespace) -> "SystemScores":
    """Return the means of what systems got; judges are standardized by all that they did."""
    everything = read_direct_assessment(path, kinds=None, language_pair=args.language_pair)
    if args.z_scores:
        everything = everything.standardized()
    there = everything.kind.names if everything.kind is not None else ()
    counted = [kind for kind in COUNTED if kind in there]
    if not counted:
        raise CommandError(f"{path}: expected judgments of {', '.join(COUNTED)}, got none")
    return everything.select(kinds=counted).scores()


def _means(judgments: "Judgments", args: Namespace) -> "SystemScores":
    return (judgments.standardized() if args.z_scores else judgments).scores()
