"""WMT's published means: of judges, of segments, of systems, of MQM annotations."""

from rapidbleu.meta.readers.lines import Gathered, header_of, number_of, words_of
from rapidbleu.streams.texts import name_of, placed_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.meta.scores.table import SystemScores
    from rapidbleu.typing import Path

RAW, Z = "RAW.SCR", "Z.SCR"


def read_judge_norms(path: "Path") -> "dict[str, tuple[float, float]]":
    """Read the mean and the standard deviation of each judge, for `Judgments.standardized`.

    Parameters
    ----------
    path : path
        ``ad-csen-trk-mean-sd.txt``: three lines for each judge, as R prints them.

    Returns
    -------
    dict of str to tuple of two floats

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it has another form, or a judge twice.

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
                raise ValueError(f"{place}: expected '[1]' and a judge or a number, got {line!r}")
            cells.append((words[1], place))
    if not cells or len(cells) % 3:
        raise ValueError(
            f"{name_of(path)}: expected three lines for each judge, got {len(cells)} in all"
        )
    norms: dict[str, tuple[float, float]] = {}
    for (judge, place), mean, deviation in zip(cells[0::3], cells[1::3], cells[2::3], strict=True):
        if judge in norms:
            raise ValueError(f"{place}: expected each judge once, got {judge!r} again")
        norms[judge] = number_of(*mean), number_of(*deviation)
    return norms


def read_segment_scores(path: "Path") -> "dict[str, SystemScores]":
    """Read the published scores of segments.

    Parameters
    ----------
    path : path
        ``ad-seg-scores-cs-en.csv``, with the columns SYS, SID, RAW.SCR, Z.SCR, separated by
        blanks.

    Returns
    -------
    dict of str to SystemScores
        "raw": means of the judgments; "z": means of the z-scores.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it has another form, or two scores of one system for one segment.
    """
    lines = placed_lines(path)
    place, header = next(lines, (name_of(path), ""))
    names = words_of(header, place)
    wanted = ("SYS", "SID", RAW, Z)
    at = header_of(names, wanted, place)
    raw, z = Gathered(), Gathered()
    for place, line in lines:
        cells = _cells(line, names, place)
        if cells:
            system, segment, *scores = (cells[at[name]] for name in wanted)
            for gathered, score in zip((raw, z), scores, strict=True):
                gathered.add(system, segment, number_of(score, place), place)
    return {"raw": raw.scores(name_of(path)), "z": z.scores(name_of(path))}


def read_system_scores(path: "Path") -> "dict[str, dict[str, float]]":
    """Read the published scores of systems.

    Parameters
    ----------
    path : path
        ``ad-sys-scores-cs-en.csv``, with the columns RAW.SCR, Z.SCR, SYS, separated by blanks.

    Returns
    -------
    dict of str to dict of str to float
        "raw" and "z", each with a number for each system.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it has another form, or a system twice.
    """
    lines = placed_lines(path)
    place, header = next(lines, (name_of(path), ""))
    names = words_of(header, place)
    at = header_of(names, ("SYS", RAW, Z), place)
    found: dict[str, dict[str, float]] = {"raw": {}, "z": {}}
    for place, line in lines:
        cells = _cells(line, names, place)
        if cells:
            system = cells[at["SYS"]]
            if system in found["raw"]:
                raise ValueError(f"{place}: expected each system once, got {system!r} again")
            found["raw"][system] = number_of(cells[at[RAW]], place)
            found["z"][system] = number_of(cells[at[Z]], place)
    return found


def read_mqm_scores(path: "Path") -> "SystemScores":
    """Read the published averages of MQM annotations.

    Parameters
    ----------
    path : path
        ``mqm_newstest2021_ende.avg_seg_scores.tsv``: a header, then a system, a score or None,
        and a segment in each line, separated by blanks or tabs.

    Returns
    -------
    SystemScores
        From 0 for no error down.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it has another form, or two scores of one system for one segment.
    """
    lines = placed_lines(path)
    place, header = next(lines, (name_of(path), ""))
    names = words_of(header, place)
    wanted = ("system", "seg_id", "mqm_avg_score")
    at = header_of(names, wanted, place)
    gathered = Gathered()
    for place, line in lines:
        cells = _cells(line, names, place)
        if cells:
            system, segment, score = (cells[at[name]] for name in wanted)
            gathered.add(system, segment, number_of(score, place), place)
    return gathered.scores(name_of(path))


def _cells(line: str, names: "list[str]", place: str) -> "list[str]":
    """Return the cells of a line, none of an empty one."""
    cells = words_of(line, place)
    if cells and len(cells) != len(names):
        raise ValueError(f"{place}: expected {len(names)} columns, got {len(cells)}")
    return cells
