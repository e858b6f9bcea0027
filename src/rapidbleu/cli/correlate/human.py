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
from rapidbleu.meta import (
    SystemScores,
    read_direct_assessment,
    read_judgments,
    read_mqm,
    read_mqm_scores,
    read_segment_scores,
    read_table,
)
from rapidbleu.meta.readers.direct_assessment import APPRAISE, COUNTED
from rapidbleu.meta.readers.lines import number_of, words_of
from rapidbleu.meta.readers.mt_metrics_eval import scores_in_order
from rapidbleu.streams.formats import named
from rapidbleu.streams.texts import csv_rows, lines_of

if TYPE_CHECKING:
    from rapidbleu.meta import Judgments

FORMATS = ("table", "mqm", "mqm-scores", "da", "da-scores", "seg-score")
OF_JUDGES = ("table", "mqm", "da")

# Columns that tell a file's form.
KNOWN = {
    "da": {"WorkerId", "sys_id", "sid"},
    "da-scores": {"SYS", "SID", "RAW.SCR"},
    "mqm-scores": {"system", "seg_id", "mqm_avg_score"},
    "mqm": {"rater", "category", "severity"},
}


def read_human(args: Namespace) -> SystemScores:
    """Return the scores of ``--human``, of systems and segments by the names of the file."""
    path: str = args.human
    columns = columns_of(path)
    form = args.human_format or form_of(path, columns, args)
    if args.z_scores and form not in (*OF_JUDGES, "da-scores"):
        raise CommandError(f"--z-scores: expected judges, {path} has none (it is {form})")
    if form == "seg-score":
        return scores_in_order(path)
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


def read_scores(name: str, path: str, args: Namespace) -> SystemScores:
    """Return another metric's scores of segments: those in its column, or in that of scores."""
    columns = columns_of(path)
    wanted = {args.system_column, args.segment_column}
    if not wanted <= set(columns) and _is_seg_score(path):
        return scores_in_order(path)
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
        with named(path):
            return list(parquet.read_schema(path).names)
    line = next(iter(lines_of(path)), "").rstrip("\r\n")
    if path.removesuffix(".gz").endswith(".csv") and "," in line:
        return next(csv_rows([line], path))[1]
    words = line.split("\t") if "\t" in line else words_of(line, f"{path}, line 1")
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


def _means(judgments: "Judgments", args: Namespace) -> SystemScores:
    return (judgments.standardized() if args.z_scores else judgments).scores()
