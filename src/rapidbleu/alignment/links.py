"""Word links of sentence pairs: the format ``0-0 1-2``, symmetrization and error rates."""

from __future__ import annotations

from bisect import bisect_left

from rapidbleu._lib.checks import items_of
from rapidbleu._lib.files import replacing_text
from rapidbleu._lib.loader import np
from rapidbleu.stats import unmasked
from rapidbleu.streams.files import placed_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rapidbleu._types import Array, IntRows, Path

    _Links = list[tuple[int, int]]
    _Points = set[tuple[int, int]]
    _Corpus = Iterable[Iterable[tuple[int, int]]]

N_STATS = 4
SIDES = ((-1, 0), (0, -1), (1, 0), (0, 1))
CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))
METHODS = (
    "intersection",
    "union",
    "grow",
    "grow-diag",
    "grow-diag-final",
    "grow-diag-final-and",
)


def parse_links(line: str, *, first: int = 0) -> _Links:
    """Return the links of a line such as ``0-0 1-2``; anything else raises ValueError.

    Parameters
    ----------
    line : str
        Links separated by spaces, each the positions of a source and a target word around a ``-``.
    first : int
        Position of the first word in the line, 0 or 1; 0 in the result.

    Examples
    --------
    >>> parse_links("0-0 1-2")
    [(0, 0), (1, 2)]
    >>> parse_links("0-0 1")
    Traceback (most recent call last):
        ...
    ValueError: links[1]: expected a link such as 0-0; got '1'
    """
    return [
        _parsed(link, "-", first, f"links[{k}]") for k, link in enumerate(_words(line, "links"))
    ]


def parse_gold(line: str, *, first: int = 0) -> tuple[_Links, _Links]:
    """Return the sure and the possible links of a line like ``0-0 1?2``; sure ones are in both.

    Parameters
    ----------
    line : str
        As in `parse_links`; possible links have a ``?`` or a ``p`` instead of the ``-``.
    first : int

    Examples
    --------
    >>> parse_gold("1-1 2?3 3p3", first=1)
    ([(0, 0)], [(0, 0), (1, 2), (2, 2)])
    """
    sure = []
    possible = []
    for k, link in enumerate(_words(line, "links")):
        mark = next((mark for mark in "?p" if mark in link), "-")
        possible.append(_parsed(link, mark, first, f"links[{k}]"))
        if mark == "-":
            sure.append(possible[-1])
    return sure, possible


def format_links(links: Iterable[tuple[int, int]]) -> str:
    """Return links as a line, without a line end.

    Examples
    --------
    >>> format_links([(0, 0), (1, 2)])
    '0-0 1-2'
    """
    return " ".join(f"{i}-{j}" for i, j in checked_links(links, "links"))


def read_links(path: Path, *, first: int = 0) -> list[_Links]:
    """Read a file with the links of one sentence pair per line, as in `parse_links`.

    A malformed line raises ValueError with the file and line.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_links([[(0, 1), (1, 0)]], f"{folder}/links")
    ...     read_links(f"{folder}/links")
    [[(0, 1), (1, 0)]]
    """
    alignments = []
    for place, line in placed_lines(path):
        try:
            alignments.append(parse_links(line, first=first))
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from None
    return alignments


def write_links(alignments: _Corpus, path: Path) -> None:
    """Write a line for each sentence pair; replace the file after all lines are written.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "links")
    ...     write_links([[(0, 0), (1, 2)], []], path)
    ...     read_links(path)
    [[(0, 0), (1, 2)], []]
    """
    lines = [format_links(links) for links in items_of(alignments, "alignments", "lists of links")]
    with replacing_text(path) as file:
        file.writelines(f"{line}\n" for line in lines)


def swap_links(links: Iterable[tuple[int, int]]) -> _Links:
    """Swap source and target positions.

    Examples
    --------
    >>> swap_links([(0, 0), (1, 2)])
    [(0, 0), (2, 1)]
    """
    return [(j, i) for i, j in checked_links(links, "links")]


def checked_links(links: Iterable[tuple[int, int]], where: str) -> _Links:
    """Return links as a list of pairs of nonnegative int."""
    pairs: _Links = []
    if isinstance(links, set | frozenset):
        links = sorted(links)
    for k, link in enumerate(items_of(links, where, "links")):
        try:
            i, j = link
            i = i.__index__()
            j = j.__index__()
        except (TypeError, ValueError, AttributeError):
            raise TypeError(f"{where}[{k}]: expected a pair of int; got {link!r}") from None
        if i < 0 or j < 0:
            raise ValueError(f"{where}[{k}]: expected places from 0 on; got {(i, j)}")
        pairs.append((i, j))
    return pairs


def symmetrize(
    forward: Iterable[tuple[int, int]],
    backward: Iterable[tuple[int, int]],
    method: str = "grow-diag-final-and",
) -> _Links:
    """Combine the alignments of two directions of a sentence pair.

    The result equals Moses' program ``symal`` and is sorted by target word, then by source word. An
    added link counts for the links checked after it in this order, which therefore matters.

    Parameters
    ----------
    forward : sequence or set of (int, int)
        (source position, target position) from the model of target words given source words, at
        most one per target word.
    backward : sequence or set of (int, int)
        The same, source position first, from the model of source words given target words (see
        `swap_links`), at most one per source word.
    method : {"intersection", "union", "grow", "grow-diag", "grow-diag-final", \
"grow-diag-final-and"}
        ``grow`` starts from the intersection and adds adjacent links of the union while one of
        their two words has no link; ``diag`` includes diagonal neighbors. ``final`` then adds links
        of `forward`, then of `backward`, where a word has no link; ``final-and`` where neither has.

    References
    ----------
    Och & Ney 2003, A Systematic Comparison of Various Statistical Alignment Models, section 5;
    Koehn, Och & Marcu 2003, Statistical Phrase-Based Translation, section 4.5.

    Examples
    --------
    >>> forward, backward = [(0, 0), (1, 1), (1, 2)], [(0, 0), (1, 1), (2, 1)]
    >>> symmetrize(forward, backward, "intersection")
    [(0, 0), (1, 1)]
    >>> symmetrize(forward, backward, "grow-diag")
    [(0, 0), (1, 1), (2, 1), (1, 2)]
    """
    if method not in METHODS:
        raise ValueError(f"method: expected one of {', '.join(METHODS)}; got {method!r}")
    # Target positions come first, so that points are in Moses' order.
    of_target = {(j, i) for i, j in checked_links(forward, "forward")}
    of_source = {(j, i) for i, j in checked_links(backward, "backward")}
    if method == "union":
        points = of_target | of_source
    else:
        points = of_target & of_source
        if method != "intersection":
            near = SIDES + CORNERS if "diag" in method else SIDES
            _grow(points, of_target, of_source, near, method.partition("final")[1:])
    return [(i, j) for j, i in sorted(points)]


def _grow(
    linked: _Points,
    of_target: _Points,
    of_source: _Points,
    near: tuple[tuple[int, int], ...],
    final: tuple[str, str],
) -> None:
    targets = {j for j, _ in linked}
    sources = {i for _, i in linked}

    def add(point: tuple[int, int]) -> None:
        linked.add(point)
        targets.add(point[0])
        sources.add(point[1])

    rest = (of_target | of_source) - linked
    points = sorted(linked)
    added = True
    while added and rest:
        added = False
        k = 0
        while k < len(points):
            j, i = points[k]
            for down, right in near:
                point = (j + down, i + right)
                if point in rest and not (point[0] in targets and point[1] in sources):
                    rest.discard(point)
                    add(point)
                    index = bisect_left(points, point)
                    points.insert(index, point)
                    k += index <= k  # the current point has moved
                    added = True
            k += 1
    if final[0]:
        for side, counterpart in ((of_target, of_source), (of_source, of_target)):
            for j, i in sorted(side - counterpart - linked):
                free = (j not in targets) + (i not in sources)
                if free == 2 or (free == 1 and not final[1]):
                    add((j, i))


def count_links(alignments: _Corpus, sure: _Corpus, possible: _Corpus | None = None) -> Array:
    """Count the correct links of each sentence pair.

    Parameters
    ----------
    alignments : sequence of links
        For each sentence pair, a sequence or set of (source position, target position).
    sure : sequence of links
        Required links.
    possible : sequence of links, optional
        Allowed links in addition to sure ones (default: none).

    Returns
    -------
    int64 array of shape (n_pairs, 4)
        Links that are sure, links that are possible, all links, sure links. Rows are additive.

    Examples
    --------
    >>> count_links([[(0, 0), (1, 2)]], [[(0, 0), (1, 1)]], [[(1, 2)]])
    array([[1, 2, 2, 2]])
    """
    columns: list[list[set[tuple[int, int]]]] = []
    for where, corpus in (("alignments", alignments), ("sure", sure), ("possible", possible)):
        if corpus is None:
            continue
        lists = items_of(corpus, where, "lists of links")
        columns.append(
            [set(checked_links(links, f"{where}[{i}]")) for i, links in enumerate(lists)]
        )
        if len(lists) != len(columns[0]):
            raise ValueError(
                f"{where}: expected {len(columns[0])} lists of links, as many as alignments; "
                f"got {len(lists)}"
            )
    rows = np.empty((len(columns[0]), N_STATS), np.int64)
    for i, (links, right, *allowed_more) in enumerate(zip(*columns, strict=True)):
        allowed = right.union(*allowed_more)
        rows[i] = len(links & right), len(links & allowed), len(links), len(right)
    return rows


class LinkScore:
    """Precision, recall, F and alignment error rate of counted links.

    Parameters
    ----------
    stats : integer array of shape (4,) or (n, 4)
        A row of `count_links`, or rows to add; ValueError if there are more hits than links.

    Attributes
    ----------
    hits_sure, hits_possible, n_links, n_sure : int
    precision, recall, f, aer : float
        Fractions: precision of possible links and recall of sure links (nan without such links),
        their harmonic mean, and 1 minus hits of both kinds over links of both (nan without any).

    References
    ----------
    Och & Ney 2003, A Systematic Comparison of Various Statistical Alignment Models, section 6;
    Fraser & Marcu 2007, Measuring Word Alignment Quality for Statistical Machine Translation.

    Examples
    --------
    >>> score = LinkScore([6, 6, 7, 10])
    >>> score
    LinkScore(P = 0.8571 R = 0.6000 F = 0.7059 AER = 0.2941)
    """

    def __init__(self, stats: IntRows) -> None:
        rows = np.asarray(unmasked(stats, "stats"))
        if rows.dtype.kind not in "iu" or rows.ndim not in (1, 2) or rows.shape[-1] != N_STATS:
            raise ValueError(
                f"stats: expected integers of shape (4,) or (n, 4); "
                f"got {rows.dtype} of {rows.shape}"
            )
        hits, possible, n_links, n_sure = rows.reshape(-1, N_STATS).sum(axis=0).tolist()
        if not 0 <= hits <= possible <= n_links or hits > n_sure:
            raise ValueError(
                f"stats: expected no more hits than links; got {[hits, possible, n_links, n_sure]}"
            )
        self.hits_sure = hits
        self.hits_possible = possible
        self.n_links = n_links
        self.n_sure = n_sure
        nan = float("nan")
        self.precision = possible / n_links if n_links else nan
        self.recall = hits / n_sure if n_sure else nan
        both = self.precision + self.recall
        self.f = 2 * self.precision * self.recall / both if both else 0.0 * both
        self.aer = 1 - (hits + possible) / (n_links + n_sure) if n_links + n_sure else nan

    def __repr__(self) -> str:
        return (
            f"LinkScore(P = {self.precision:.4f} R = {self.recall:.4f} F = {self.f:.4f} "
            f"AER = {self.aer:.4f})"
        )


def score_links(alignments: _Corpus, sure: _Corpus, possible: _Corpus | None = None) -> LinkScore:
    """Score the links of a corpus; see `count_links` for the arguments.

    Examples
    --------
    >>> score_links([[(0, 0), (1, 2)]], [[(0, 0), (1, 1)]], [[(1, 2)]]).aer
    0.25
    """
    return LinkScore(count_links(alignments, sure, possible))


def _words(line: str, where: str) -> list[str]:
    if not isinstance(line, str):
        raise TypeError(f"{where}: expected str; got {type(line).__name__}")
    return line.split()


def _parsed(link: str, mark: str, first: int, where: str) -> tuple[int, int]:
    numbers = link.split(mark)
    if len(numbers) != 2 or not all(number.isascii() and number.isdigit() for number in numbers):
        raise ValueError(f"{where}: expected a link such as {first}-{first}; got {link!r}")
    i, j = (int(number) - first for number in numbers)
    if i < 0 or j < 0:
        raise ValueError(f"{where}: expected places from {first} on; got {link!r}")
    return i, j
