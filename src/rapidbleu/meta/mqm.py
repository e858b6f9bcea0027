"""MQM error annotations, weighted and summed to segment scores, and their published averages."""

from __future__ import annotations

from rapidbleu._lib.checks import check_real, check_type
from rapidbleu.meta.judgments import Judgments
from rapidbleu.meta.tables import read_words
from rapidbleu.streams.files import header_of, name_of, placed_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from rapidbleu._types import Path
    from rapidbleu.meta.scores import SystemScores

DEFAULT = {
    "major": 5.0,
    "minor": 1.0,
    "neutral": 0.0,
    "no-error": 0.0,
    "critical": 5.0,
    "major/non-translation": 25.0,
    "critical/non-translation": 25.0,
    "minor/fluency/punctuation": 0.1,
}
TEST = "hotw-test"  # errors planted to check the rater's attention
NUMBERS = {"global": ("globalSegId", "seg_id"), "document": ("docSegId", "doc_id")}


class MQMWeights:
    """Weights of errors by severity and category.

    The defaults follow Freitag et al. 2021: major 5, minor 1, neutral 0, major Non-translation 25,
    minor Fluency/Punctuation 0.1; critical, a later severity, equals major, as in the viewer Marot.

    Parameters
    ----------
    changes : dict of str to number, optional
        Rules that extend or override the defaults: ``severity``, ``severity/category`` or
        ``severity/category/subcategory``. The most specific rule applies. Case and a final
        exclamation mark are ignored, and an underscore equals a space.

    Attributes
    ----------
    rules : dict of str to float

    References
    ----------
    Freitag, Foster, Grangier, Ratnakar, Tan and Macherey 2021, Experts, errors, and context. The
    README of https://github.com/google/wmt-mqm-human-evaluation, "Multidimensional Quality Metric".

    Examples
    --------
    >>> weights = MQMWeights({"critical": 10, "minor/source error": 0})
    >>> weights.weight("Fluency/Grammar", "Minor"), weights.weight("Fluency/Punctuation", "Minor")
    (1.0, 0.1)
    >>> weights.weight("Source error", "minor"), weights.weight("Non-translation!", "Major")
    (0.0, 25.0)
    """

    def __init__(self, changes: Mapping[str, float] | None = None) -> None:
        self.rules = dict(DEFAULT)
        if changes is not None and not hasattr(changes, "keys"):
            raise TypeError(f"changes: expected a dict; got {type(changes).__name__}")
        for rule, weight in dict(changes or {}).items():
            check_type("changes", rule, str)
            where = f"changes[{rule!r}]"
            check_real(where, weight)
            if not 0 <= float(weight) < float("inf"):
                raise ValueError(f"{where}: expected a number from 0 on; got {weight}")
            self.rules[_plain(rule)] = float(weight)

    def __repr__(self) -> str:
        changes = {rule: w for rule, w in self.rules.items() if DEFAULT.get(rule) != w}
        return f"MQMWeights({changes or ''})"

    def weight(self, category: str, severity: str) -> float:
        """Return the weight of an error."""
        check_type("category", category, str)
        check_type("severity", severity, str)
        path = f"{_plain(severity)}/{_plain(category)}"
        while path not in self.rules:
            path, slash, _ = path.rpartition("/")
            if not slash:
                known = sorted({rule.partition("/")[0] for rule in self.rules})
                raise ValueError(
                    f"severity: expected one of {', '.join(map(repr, known))}; got {severity!r}"
                )
        return self.rules[path]


def read_mqm(
    path: Path,
    *,
    weights: MQMWeights | Mapping[str, float] | None = None,
    segment: Literal["global", "document"] = "global",
) -> Judgments:
    """Read error annotations such as those in google/wmt-mqm-human-evaluation.

    Double quotes are ordinary text. Lines of severity HOTW-test, errors planted to test the rater,
    are skipped. Errors of the source text (``Source error``, ``Source issue``) count as in the
    published averages of 2021; pass a weight of 0 for the rules of later years. A segment without
    errors has a line of severity No-error. Scores are minus the sum of error weights for each
    system, segment and rater: 0 without errors, lower is worse. `Judgments.scores` averages the
    raters, as in the published scores.

    Parameters
    ----------
    path : path
        Tab-separated columns with a header (gzip if .gz): system, doc, rater, category, severity,
        and the segment number globalSegId or seg_id, in its document docSegId or doc_id.
    weights : MQMWeights, or dict of its changes, optional
    segment : {"global", "document"}
        Segment names: the number, or ``document_number`` with the number in the document.

    References
    ----------
    Freitag, Foster, Grangier, Ratnakar, Tan and Macherey 2021, Experts, errors, and context. The
    README of https://github.com/google/wmt-mqm-human-evaluation, "Multidimensional Quality Metric".

    Examples
    --------
    >>> import os, tempfile
    >>> lines = [
    ...     "system doc doc_id seg_id rater source target category severity",
    ...     "A d 1 1 r1 Ja Yes Accuracy/Addition Major",
    ...     "A d 1 1 r1 Ja Yes Fluency/Punctuation Minor",
    ...     "A d 1 1 r2 Ja Yes No-error No-error",
    ... ]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "mqm.tsv")
    ...     with open(path, "w") as file:
    ...         print(*(line.replace(" ", "\\t") for line in lines), sep="\\n", file=file)
    ...     judgments = read_mqm(path)
    >>> judgments.values
    array([-5.1,  0. ])
    >>> judgments.scores().values
    array([[-2.55]])
    """
    if segment not in NUMBERS:
        raise ValueError(f"segment: expected 'global' or 'document'; got {segment!r}")
    weigh = weights if isinstance(weights, MQMWeights) else MQMWeights(weights)
    lines = placed_lines(path)
    place, header = next(lines, (name_of(path), ""))
    names = header.split("\t")
    number = next((name for name in NUMBERS[segment] if name in names), NUMBERS[segment][-1])
    wanted = ("system", "doc", number, "rater", "category", "severity")
    at = header_of(names, wanted, place)
    least = max(at[name] for name in wanted) + 1
    sums: dict[tuple[str, str, str, str], float] = {}
    for place, line in lines:
        cells = line.split("\t")
        if len(cells) < least:
            raise ValueError(f"{place}: expected at least {least} columns; got {len(cells)}")
        system, document, own, rater, category, severity = (cells[at[name]] for name in wanted)
        if _plain(severity) == TEST:
            continue
        try:
            weight = weigh.weight(category, severity)
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from None
        key = (system, own if segment == "global" else f"{document}_{own}", rater, document)
        sums[key] = sums.get(key, 0.0) + weight
    if not sums:
        raise ValueError(f"{name_of(path)}: expected annotations; got none")
    systems, segments, raters, documents = zip(*sums, strict=True)
    scores = [0.0 - total for total in sums.values()]
    return Judgments(systems, segments, raters, scores, documents=documents)


def read_mqm_scores(path: Path) -> SystemScores:
    """Read published averages of MQM annotations, from 0 (no error) down.

    Parameters
    ----------
    path : path
        ``mqm_newstest2021_ende.avg_seg_scores.tsv``: a header, then a system, a score or None, and
        a segment per line, separated by spaces or tabs.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "scores.tsv")
    ...     _ = path.write_text("system mqm_avg_score seg_id\\nA -1.5 1\\nB None 1\\n")
    ...     scores = read_mqm_scores(path)
    >>> scores
    SystemScores(2 systems, 1 segment, 1 score missing)
    """
    return read_words(path, "system", "seg_id", "mqm_avg_score")[0]


def _plain(name: str) -> str:
    """Return a severity or a category as written in `rules`."""
    return name.strip().rstrip("!").replace("_", " ").lower()
