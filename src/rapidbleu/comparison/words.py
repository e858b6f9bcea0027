"""Words and n-grams of systems: which are right, by frequency; which only one system has right."""

from __future__ import annotations

from rapidbleu._core.counting.matches import Beside, NgramMatches
from rapidbleu._lib.lazy import np
from rapidbleu.comparison.tables import FREQUENCIES, bucket_names, buckets_of, table_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias

    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu.table import Table
    from rapidbleu.typing import Array, IntArray

    _What: TypeAlias = Literal["match", "over", "under"]
    _Counts: TypeAlias = tuple[Array, dict[int, Array]]  # places; by system counts of n-grams

WORDS = "word frequency"


class Words:
    """Words of references and outputs, as numbers.

    `texts` has the references of each segment, and after them the outputs of the systems. Of each
    segment, `reference_lengths` has the words of the first reference, and `lengths`, by system,
    those of the outputs.
    """

    def __init__(self, texts: PreparedReferences, names: list[str]) -> None:
        self._names = names
        self._beside = Beside(texts, len(names))
        self._known: dict[str, list[_Counts]] = {}

        def lengths(system: int) -> IntArray:
            found = np.empty(len(texts), np.int64)
            self._beside.write_lengths(system, found)
            return found

        self.reference_lengths = lengths(-1)
        self.lengths = {name: lengths(i) for i, name in enumerate(names)}

    def by_frequency(self, cutoffs: list[float] | None) -> Table:
        """Return a row for each bucket of frequencies and system.

        `cutoffs` are of the frequency of a word in the first references; compare-mt's by default.
        """
        ends = FREQUENCIES if cutoffs is None else cutoffs
        names = bucket_names(ends, True)
        systems = range(len(self._names))
        matches = NgramMatches(self._beside, systems, True)
        n = matches.n_ngrams + 1
        frequencies, counts = np.empty(n, np.int32), np.empty(n, np.int32)
        self._beside.count_words(frequencies)
        bucket = buckets_of(frequencies, ends)

        def summed(what: Any = None, system: int = 0) -> IntArray:
            if what is not None:
                matches.count(what, system, counts)
            weights = frequencies if what is None else counts
            # Sums of floats are exact here; item 0, which stands for no word, is 0.
            return np.bincount(bucket, weights, len(names)).astype(np.int64)

        expected = np.array([summed()] * len(self._names))
        right, wrong, missing = (
            np.array([summed(what, i) for i in systems]) for what in ("match", "over", "under")
        )
        found = expected - missing
        with np.errstate(invalid="ignore"):
            precision, recall = right / (right + wrong), found / expected
            both = 2 * precision * recall / (precision + recall)
        nothing = (right == 0) | (found == 0)
        some = right + wrong + expected > 0
        columns = {
            "reference words": expected, "output words": right + wrong, "right": right,
            "found": found, "precision": precision, "recall": recall,
            "F1": np.where(nothing, np.where(some, 0.0, np.nan), both),
        }  # fmt: skip
        return table_of([
            ("bucket", [name for name in names for _ in systems]),
            ("system", self._names * len(names)),
            *((name, column.T.ravel()) for name, column in columns.items()),
        ])  # fmt: skip

    def characteristic(
        self, a: int, b: int, n: int, what: _What, orders: range, alpha: float
    ) -> Table:
        """Return the n-grams of which one system has more than another, the most telling first."""
        found = []
        for order, (places, own, other) in zip(
            orders, self._counts(what, a, b, orders.stop - 1)[orders.start - 1 :], strict=True
        ):
            more = np.flatnonzero(own > other)
            one, two = own[more].astype(np.int64), other[more].astype(np.int64)
            share = (one + alpha) / (one + two + 2 * alpha)
            found.append((share, one, two, np.full(len(more), order), places[more]))
        columns = [np.concatenate(parts) for parts in zip(*found, strict=True)]
        if len(columns[0]) > n:
            least = np.partition(columns[0], -n)[-n]
            columns = [column[kept] for kept in [columns[0] >= least] for column in columns]
        share, one, two, order_of, place = columns
        best = np.lexsort((place, -order_of, -one, -share))[:n]
        texts = [
            self._beside.text_at(begin, order)
            for begin, order in zip(place[best].tolist(), order_of[best].tolist(), strict=True)
        ]
        return table_of([
            ("ngram", texts), ("order", order_of[best]), ("share", share[best]),
            ("a", one[best]), ("b", two[best]),
        ])  # fmt: skip

    def _counts(
        self, what: _What, a: int, b: int, max_order: int
    ) -> list[tuple[Array, Array, Array]]:
        """Return for each order where n-grams are, and the counts of two systems.

        N-grams of references are counted once for all systems and kept. Those that only outputs
        have are many more: they are counted for these two systems.
        """
        if what == "over":
            known = self._count(what, [a, b], max_order)
        else:
            if len(self._known.get(what, ())) < max_order:
                self._known[what] = self._count(what, list(range(len(self._names))), max_order)
            known = self._known[what]
        return [(places, counts[a], counts[b]) for places, counts in known[:max_order]]

    def _count(self, what: _What, systems: list[int], max_order: int) -> list[_Counts]:
        matches = NgramMatches(self._beside, systems, what == "over")
        known = []
        for order in range(1, max_order + 1):
            if order > 1:
                matches.lengthen()
            n = matches.n_ngrams + 1
            places = np.empty(n, np.int32)
            matches.write_places(places)
            counts = {system: np.empty(n, np.int32) for system in systems}
            for system, own in counts.items():
                matches.count(what, system, own)
                own[0] = 0
            known.append((places, counts))
        return known
