"""WMT's direct assessments: what crowd workers and annotators said, from 0 to 100."""


from rapidbleu.meta.judges.judgments import Judgments
from rapidbleu.meta.readers.lines import header_of, number_of, words_of
from rapidbleu.streams.texts import csv_rows, lines_of, name_of, placed_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rapidbleu.typing import Path

COUNTED = ("SYSTEM", "REPEAT", "TGT")
CROWD = ("WorkerId", "Input.src", "Input.trg", "sys_id", "type", "sid", "score")
APPRAISE = (9, 11)  # columns: judgments of two systems side by side, and others


class _Row:
    """One judgment of a file."""

    __slots__ = ("document", "judge", "kind", "pair", "place", "score", "segment", "system")

    def __init__(
        self,
        place: str,
        judge: str,
        system: str,
        segment: str,
        kind: str,
        pair: str,
        score: str,
        document: "str | None",
    ) -> None:
        self.place, self.judge, self.system, self.segment = place, judge, system, segment
        self.kind, self.pair, self.document = kind, pair, document
        self.score = number_of(score, place)


def read_direct_assessment(
    path: "Path",
    *,
    kinds: "Iterable[str] | None" = COUNTED,
    language_pair: "str | None" = None,
) -> Judgments:
    """Read a file of direct assessments as WMT publishes them.

    Parameters
    ----------
    path : path
        ``ad-good-raw.csv`` or ``ad-csen-good-stnd-redup.csv``, with a header and columns separated
        by tabs or blanks; or Appraise's rows without a header, of 11 columns (``wmt21-regular``)
        or 9 (``wmt21-contrastive``), separated by commas. It may be packed by gzip (.gz).
    kinds : sequence of str, or None
        The kinds of items to keep. The default is what WMT's scores are made of: SYSTEM and its
        repetitions REPEAT, or Appraise's TGT. Others check the judges: references (REF) and bad
        references (BAD_REF). None keeps all.
    language_pair : str, optional
        Such as "cs-en", with the codes of the file. Needed for a file of several.

    Returns
    -------
    Judgments
        With the kinds of items. In ``stnd`` files the scores are z-scores. Appraise's segments
        are named ``document_number`` if the file names documents. Its scores of whole documents
        are left out.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it has another form, several language pairs, or no such judgments.

    Notes
    -----
    WMT standardizes by all that a judge did, and then counts only the systems' items:
    ``read_direct_assessment(path, kinds=None).standardized().select(kinds=["SYSTEM", "REPEAT"])``.

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
    for row in _rows(path):
        pairs[row.pair] = None
        fits = language_pair is None or row.pair == language_pair
        if fits and (wanted is None or row.kind in wanted) and row.score == row.score:
            rows.append(row)
    listed = ", ".join(map(repr, pairs))
    if language_pair is None and len(pairs) > 1:
        raise ValueError(f"language_pair: expected one of {listed}, got none")
    if language_pair is not None and language_pair not in pairs:
        raise ValueError(f"language_pair: expected one of {listed}, got {language_pair!r}")
    if not rows:
        kept = "any kind" if wanted is None else f"kind {' or '.join(sorted(wanted))}"
        raise ValueError(f"{name_of(path)}: expected judgments of {kept}, got none")
    return Judgments(
        [row.system for row in rows],
        [row.segment for row in rows],
        [row.judge for row in rows],
        [row.score for row in rows],
        documents=None if rows[0].document is None else [row.document or "" for row in rows],
        kinds=[row.kind for row in rows],
    )


def _rows(path: "Path") -> "Iterator[_Row]":
    first = next(iter(lines_of(path)), "")
    return _crowd(path) if "WorkerId" in first else _appraise(path)


def _crowd(path: "Path") -> "Iterator[_Row]":
    lines = placed_lines(path)
    place, header = next(lines)
    names = words_of(header, place)
    if len(names) == 1:
        names = names[0].split()  # all of the header in one pair of quotes
    at = header_of(names, CROWD, place)
    judge, source, target, system, kind, segment, score = (at[name] for name in CROWD)
    for place, line in lines:
        cells = words_of(line, place)
        if cells and len(cells) != len(names):
            raise ValueError(f"{place}: expected {len(names)} columns, got {len(cells)}")
        if cells:
            pair = f"{cells[source]}-{cells[target]}"
            found = (cells[judge], cells[system], cells[segment], cells[kind])
            yield _Row(place, *found, pair, cells[score], None)


def _appraise(path: "Path") -> "Iterator[_Row]":
    for place, cells in csv_rows(lines_of(path), name_of(path)):
        if len(cells) not in APPRAISE:
            raise ValueError(
                f"{place}: expected a header with WorkerId, or 9 or 11 columns separated by "
                f"commas, got {len(cells)}"
            )
        judge, system, segment, kind, source, target, score = cells[:7]
        document = cells[7] if len(cells) == max(APPRAISE) else None
        if document is not None and cells[8].lower() == "true":
            continue
        name = segment if document is None else f"{document}_{segment}"
        yield _Row(place, judge, system, name, kind, f"{source}-{target}", score, document)
