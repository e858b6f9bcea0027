"""Readers of WMT's direct assessments (0 to 100): judgments, published means, judge norms."""

from __future__ import annotations

from rapidbleu.meta.judgments import Judgments
from rapidbleu.meta.tables import number_of, read_words, rows_of_words, words_of
from rapidbleu.streams.files import csv_rows, lines_of, name_of, placed_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rapidbleu._types import Path
    from rapidbleu.meta.scores import SystemScores

    # Place, language pair, kind, judge, system, segment, score, document.
    _Row = tuple[str, str, str, str, str, str, str, str | None]

COUNTED = ("SYSTEM", "REPEAT", "TGT")
CROWD = ("WorkerId", "Input.src", "Input.trg", "sys_id", "type", "sid", "score")
APPRAISE = (9, 11)  # columns: contrastive and regular judgments
RAW = "RAW.SCR"
Z = "Z.SCR"


def read_direct_assessment(
    path: Path,
    *,
    kinds: Iterable[str] | None = COUNTED,
    language_pair: str | None = None,
) -> Judgments:
    """Read a file of direct assessments as published by WMT.

    WMT standardizes by everything that a judge scored and then uses only the systems' items:
    ``read_direct_assessment(path, kinds=None).standardized().select(kinds=["SYSTEM", "REPEAT"])``.
    Judgments have kinds. ``stnd`` files contain z-scores. Appraise's segments are named
    ``document_number`` if the file names documents; its scores of whole documents are skipped.

    Parameters
    ----------
    path : path
        ``ad-good-raw.csv`` or ``ad-csen-good-stnd-redup.csv``, with a header and columns separated
        by tabs or spaces; or Appraise's comma-separated rows without a header, of 11 columns
        (``wmt21-regular``) or 9 (``wmt21-contrastive``). gzip if .gz.
    kinds : sequence of str, or None
        Kinds of items to keep, None for all. By default the kinds in WMT's scores: SYSTEM and its
        repetitions REPEAT, or Appraise's TGT. Quality control has REF and BAD_REF.
    language_pair : str, optional
        Such as "cs-en", with the codes of the file. Required if the file has several.

    References
    ----------
    Akhbardeh et al. 2021, Findings of the 2021 conference on machine translation, section 3, and
    the READMEs in https://github.com/wmt-conference/wmt21-news-systems/tree/main/humaneval.

    Examples
    --------
    >>> import os, tempfile
    >>> lines = [
    ...     "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time",
    ...     "3IK M0013 cs en ad 4 Online-A.5 10 SYSTEM 177 81 931.0",
    ...     "3IK M0013 cs en ad 4 Online-A.5 10 BAD_REF 178 3 931.0",
    ... ]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "ad-good-raw.csv")
    ...     with open(path, "w") as file:
    ...         print(*lines, sep="\\n", file=file)
    ...     read_direct_assessment(path)
    Judgments(1 score, 1 system, 1 segment, 1 judge)
    """
    wanted = None if kinds is None else set(kinds)
    pairs: dict[str, None] = {}
    rows = []
    scores = []
    for place, pair, kind, *names, score, document in _rows(path):
        number = number_of(score, place)
        pairs[pair] = None
        fits = language_pair is None or pair == language_pair
        if fits and (wanted is None or kind in wanted) and number == number:
            rows.append((kind, *names, document))
            scores.append(number)
    listed = ", ".join(map(repr, pairs))
    if language_pair is None and len(pairs) > 1:
        raise ValueError(f"language_pair: expected one of {listed}; got none")
    if language_pair is not None and language_pair not in pairs:
        raise ValueError(f"language_pair: expected one of {listed}; got {language_pair!r}")
    if not rows:
        kept = "any kind" if wanted is None else f"kind {' or '.join(sorted(wanted))}"
        raise ValueError(f"{name_of(path)}: expected judgments of {kept}; got none")
    of_kinds, judges, systems, segments, documents = map(list, zip(*rows, strict=True))
    return Judgments(
        systems,
        segments,
        judges,
        scores,
        kinds=of_kinds,
        documents=None if documents[0] is None else [document or "" for document in documents],
    )


def _rows(path: Path) -> Iterator[_Row]:
    if "WorkerId" in next(iter(lines_of(path)), ""):
        for place, cells in rows_of_words(path, CROWD):
            judge, source, target, system, kind, segment, score = cells
            yield place, f"{source}-{target}", kind, judge, system, segment, score, None
        return
    for place, cells in csv_rows(lines_of(path), name_of(path)):
        if len(cells) not in APPRAISE:
            raise ValueError(
                f"{place}: expected a header with WorkerId, or 9 or 11 columns separated by "
                f"commas; got {len(cells)}"
            )
        judge, system, segment, kind, source, target, score = cells[:7]
        document = cells[7] if len(cells) == max(APPRAISE) else None
        if document is None or cells[8].lower() != "true":
            name = segment if document is None else f"{document}_{segment}"
            yield place, f"{source}-{target}", kind, judge, system, name, score, document


def read_judge_norms(path: Path) -> dict[str, tuple[float, float]]:
    """Read the mean and the standard deviation of each judge, for `Judgments.standardized`.

    Parameters
    ----------
    path : path
        ``ad-csen-trk-mean-sd.txt``: three lines per judge, as printed by R.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "norms.txt")
    ...     with open(path, "w") as file:
    ...         print('[1] "M0190"', "[1] 65.55914", "[1] 38.6558", sep="\\n", file=file)
    ...     read_judge_norms(path)
    {'M0190': (65.55914, 38.6558)}
    """
    cells = []
    for place, line in placed_lines(path):
        words = words_of(line, place)
        if words:
            if len(words) != 2 or words[0] != "[1]":
                raise ValueError(f"{place}: expected '[1]' and a judge or a number; got {line!r}")
            cells.append((words[1], place))
    if not cells or len(cells) % 3:
        raise ValueError(
            f"{name_of(path)}: expected three lines for each judge; got {len(cells)} in all"
        )
    norms: dict[str, tuple[float, float]] = {}
    for (judge, place), mean, deviation in zip(cells[0::3], cells[1::3], cells[2::3], strict=True):
        if judge in norms:
            raise ValueError(f"{place}: expected each judge once; got {judge!r} again")
        norms[judge] = number_of(*mean), number_of(*deviation)
    return norms


def read_segment_scores(path: Path) -> dict[str, SystemScores]:
    """Read published segment scores: "raw" means of judgments, and "z" means of z-scores.

    Parameters
    ----------
    path : path
        ``ad-seg-scores-cs-en.csv``: columns SYS, SID, RAW.SCR, Z.SCR, separated by spaces.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "scores.csv")
    ...     _ = path.write_text("SYS SID RAW.SCR Z.SCR\\nA 1 80 0.5\\nB 1 60 -0.5\\n")
    ...     scores = read_segment_scores(path)
    >>> sorted(scores)
    ['raw', 'z']
    """
    raw, z = read_words(path, "SYS", "SID", RAW, Z)
    return {"raw": raw, "z": z}


def read_system_scores(path: Path) -> dict[str, dict[str, float]]:
    """Read published system scores, "raw" and "z", each a dict from system to number.

    Parameters
    ----------
    path : path
        ``ad-sys-scores-cs-en.csv``: columns RAW.SCR, Z.SCR, SYS, separated by spaces.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "scores.csv")
    ...     _ = path.write_text("RAW.SCR Z.SCR SYS\\n80 0.5 A\\n60 -0.5 B\\n")
    ...     read_system_scores(path)
    {'raw': {'A': 80.0, 'B': 60.0}, 'z': {'A': 0.5, 'B': -0.5}}
    """
    scores: dict[str, dict[str, float]] = {"raw": {}, "z": {}}
    for place, (system, raw, z) in rows_of_words(path, ("SYS", RAW, Z)):
        if system in scores["raw"]:
            raise ValueError(f"{place}: expected each system once; got {system!r} again")
        scores["raw"][system] = number_of(raw, place)
        scores["z"][system] = number_of(z, place)
    return scores
