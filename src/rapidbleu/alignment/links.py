"""Links between the words of two sentences: the format ``0-0 1-2``, two directions, errors."""

from __future__ import annotations

from bisect import bisect_left

from rapidbleu._lib.checks import items_of
from rapidbleu._lib.files import replacing_text
from rapidbleu._lib.lazy import np
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
    "intersection", "union", "grow", "grow-diag", "grow-diag-final", "grow-diag-final-and",
)  # fmt: skip


def parse_links(line: str, *, first: int = 0) -> _Links:
    """Return the links of a line such as ``0-0 1-2``.

    Parameters
    ----------
    line : str
        The places of a source word and a target word with a ``-`` between them; spaces between
        links.
    first : int
        The place of the first word in the line, 0 or 1; in what is returned it is 0.

    Returns
    -------
    list of (int, int)
        In the order of the line.

    Raises
    ------
    ValueError
        If there is anything else in the line.

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
    """Return the sure links and all links of a line such as ``0-0 1?2``.

    Parameters
    ----------
    line : str
        As of `parse_links`; possible links have a ``?`` or a ``p`` in place of the ``-``.
    first : int

    Returns
    -------
    sure, possible : lists of (int, int)
        Sure links are possible, too.

    Examples
    --------
    >>> parse_gold("1-1 2?3 3p3", first=1)
    ([(0, 0)], [(0, 0), (1, 2), (2, 2)])
    """
    sure, possible = [], []
    for k, link in enumerate(_words(line, "links")):
        mark = next((mark for mark in "?p" if mark in link), "-")
        possible.append(_parsed(link, mark, first, f"links[{k}]"))
        if mark == "-":
            sure.append(possible[-1])
    return sure, possible


def format_links(links: Iterable[tuple[int, int]]) -> str:
    """Return links as a line, without its end.

    Examples
    --------
    >>> format_links([(0, 0), (1, 2)])
    '0-0 1-2'
    """
    return " ".join(f"{i}-{j}" for i, j in checked_links(links, "links"))


def read_links(path: Path, *, first: int = 0) -> list[_Links]:
    """Return the links of a file, a line for each sentence pair, as `parse_links` reads them.

    Raises
    ------
    ValueError
        Names the file and the line.
    """
    found = []
    for place, line in placed_lines(path):
        try:
            found.append(parse_links(line, first=first))
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from None
    return found


def write_links(alignments: _Corpus, path: Path) -> None:
    """Write a line for each sentence pair; an old file is replaced when all is written.

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
    """Return the links seen from the other side.

    Examples
    --------
    >>> swap_links([(0, 0), (1, 2)])
    [(0, 0), (2, 1)]
    """
    return [(j, i) for i, j in checked_links(links, "links")]


def checked_links(links: Iterable[tuple[int, int]], where: str) -> _Links:
    """Return links as a list of pairs of int, none of them below 0."""
    found: _Links = []
    if isinstance(links, set | frozenset):
        links = sorted(links)
    for k, link in enumerate(items_of(links, where, "links")):
        try:
            i, j = link
            i, j = i.__index__(), j.__index__()
        except (TypeError, ValueError, AttributeError):
            raise TypeError(f"{where}[{k}]: expected a pair of int; got {link!r}") from None
        if i < 0 or j < 0:
            raise ValueError(f"{where}[{k}]: expected places from 0 on; got {(i, j)}")
        found.append((i, j))
    return found


def symmetrize(
    forward: Iterable[tuple[int, int]],
    backward: Iterable[tuple[int, int]],
    method: str = "grow-diag-final-and",
) -> _Links:
    """Return one alignment of a sentence pair from two.

    Parameters
    ----------
    forward : sequence or set of (int, int)
        Links (source place, target place) of the model of target words, given source words: a
        target word has one or none.
    backward : sequence or set of (int, int)
        The same pairs, source place first, of the model of source words, given target words: a
        source word has one or none. `swap_links` turns what that model gives.
    method : {"intersection", "union", "grow", "grow-diag", "grow-diag-final", \
"grow-diag-final-and"}
        ``grow`` starts from the intersection and adds links of the union that lie beside one, as
        long as one of their two words has none yet; with ``diag`` also those at its corners.
        ``final`` then adds links of `forward`, and after them of `backward`, one of whose words has
        none yet; ``final-and`` only where neither has one.

    Returns
    -------
    list of (int, int)
        By target word, then by source word.

    Raises
    ------
    TypeError, ValueError
        If links are no pairs of places, or the method is another.

    Notes
    -----
    The links are those of Moses' program ``symal``, where `forward` has the links of target words
    and `backward` those of source words. A link that has been added counts for those that are
    looked at after it: the order, by target word and then by source word, is part of the result.

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
    # Places of target words come first, so that the order of the points is that of Moses.
    of_target = {(j, i) for i, j in checked_links(forward, "forward")}
    of_source = {(j, i) for i, j in checked_links(backward, "backward")}
    if method == "union":
        found = of_target | of_source
    else:
        found = of_target & of_source
        if method != "intersection":
            near = SIDES + CORNERS if "diag" in method else SIDES
            _grow(found, of_target, of_source, near, method.partition("final")[1:])
    return [(i, j) for j, i in sorted(found)]


def _grow(
    found: _Points,
    of_target: _Points,
    of_source: _Points,
    near: tuple[tuple[int, int], ...],
    final: tuple[str, str],
) -> None:
    """Add links to those of the intersection."""
    targets, sources = {j for j, _ in found}, {i for _, i in found}

    def add(point: tuple[int, int]) -> None:
        found.add(point)
        targets.add(point[0])
        sources.add(point[1])

    rest = (of_target | of_source) - found
    points = sorted(found)
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
                    place = bisect_left(points, point)
                    points.insert(place, point)
                    k += place <= k  # the point at hand has moved on
                    added = True
            k += 1
    if final[0]:
        for own, other in ((of_target, of_source), (of_source, of_target)):
            for j, i in sorted(own - other - found):
                free = (j not in targets) + (i not in sources)
                if free == 2 or (free == 1 and not final[1]):
                    add((j, i))


def count_links(alignments: _Corpus, sure: _Corpus, possible: _Corpus | None = None) -> Array:
    """Count the right links of each sentence pair.

    Parameters
    ----------
    alignments : sequence of links
        Of each sentence pair a sequence or set of (source place, target place).
    sure : sequence of links
        Those that have to be there.
    possible : sequence of links, optional
        Those that may be there; sure links always may. By default, all others are wrong.

    Returns
    -------
    int64 array of shape (n_pairs, 4)
        Links that are sure, links that are possible, links, sure links. Rows of parts of a corpus
        may be added.

    Raises
    ------
    TypeError, ValueError
        If links are no pairs of places, or the arguments differ in length.

    Examples
    --------
    >>> count_links([[(0, 0), (1, 2)]], [[(0, 0), (1, 1)]], [[(1, 2)]])
    array([[1, 2, 2, 2]])
    """
    columns: list[list[set[tuple[int, int]]]] = []
    for where, given in (("alignments", alignments), ("sure", sure), ("possible", possible)):
        if given is None:
            continue
        lists = items_of(given, where, "lists of links")
        columns.append([set(checked_links(own, f"{where}[{i}]")) for i, own in enumerate(lists)])
        if len(lists) != len(columns[0]):
            raise ValueError(
                f"{where}: expected {len(columns[0])} lists of links, as many as alignments; "
                f"got {len(lists)}"
            )
    rows = np.empty((len(columns[0]), N_STATS), np.int64)
    for i, (links, right, *others) in enumerate(zip(*columns, strict=True)):
        allowed = right.union(*others)
        rows[i] = len(links & right), len(links & allowed), len(links), len(right)
    return rows


class LinkScore:
    """Precision, recall, F and alignment error rate of counted links.

    Parameters
    ----------
    stats : integer array of shape (4,) or (n, 4)
        A row of `count_links`, or rows, which are added.

    Attributes
    ----------
    hits_sure, hits_possible, n_links, n_sure : int
    precision, recall, f, aer : float
        Fractions. Precision is that of possible links and nan without links; recall is that of sure
        links and nan without sure ones; F is their harmonic mean; the error rate is 1 less the hits
        of both kinds over the links of both, and nan without any.

    Raises
    ------
    ValueError
        If there are more hits than links, or another number of columns.

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
        self.hits_sure, self.hits_possible = hits, possible
        self.n_links, self.n_sure = n_links, n_sure
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
    """Return the places of a link, counted from 0."""
    places = link.split(mark)
    if len(places) != 2 or not all(place.isascii() and place.isdigit() for place in places):
        raise ValueError(f"{where}: expected a link such as {first}-{first}; got {link!r}")
    i, j = (int(place) - first for place in places)
    if i < 0 or j < 0:
        raise ValueError(f"{where}: expected places from {first} on; got {link!r}")
    return i, j
