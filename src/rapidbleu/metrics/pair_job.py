"""A job of all pairs: groups of texts, checked, tokenized and shared among threads."""

from rapidbleu._core.columns import Column
from rapidbleu._core.nbest import flatten
from rapidbleu._core.reference_columns import ReferenceColumns
from rapidbleu.parallel import check_threads, in_parts
from rapidbleu.references import References

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    import numpy as np

    from rapidbleu._core.prepared import PreparedReferences

    _Float64Array = np.ndarray[Any, np.dtype[np.float64]]

# What a thread takes at least: half a millisecond of work.
PART_PAIRS = 1 << 15
PART_SEGMENTS = 1 << 12


class PairJob:
    """Groups of hypotheses and references, checked and tokenized."""

    def __init__(
        self,
        metric: "Any",
        hypotheses: "Any",
        references: "Any",
        groups: bool,
        threads: "int | None",
    ) -> None:
        self._threads = metric._threads if threads is None else check_threads(threads)
        hyps, n_hyps = _table(metric, hypotheses, "hypotheses", groups)
        refs, n_refs = hyps, n_hyps
        if references is not None:
            refs, n_refs = _table(metric, references, "references", groups)
        if len(n_refs) != len(n_hyps):
            raise ValueError(
                f"references: expected {len(n_hyps)} groups, as many as of hypotheses, got "
                f"{len(n_refs)}"
            )
        self.shapes = list(zip(n_hyps, n_refs, strict=True))
        self._pairs = metric._make_pairs(hyps, refs)

    def split(self, values: "_Float64Array", sizes: list[int]) -> "list[_Float64Array]":
        """Return the values of each group."""
        import numpy as np

        return np.split(values, np.cumsum(sizes)[:-1])

    def _groups(self, n_out: "Callable[[int, int], int]", n_parts: int) -> "Any":
        """Rows of (hypotheses from, to, references from, to, place of the results)."""
        import numpy as np

        rows = []
        hyp = ref = place = 0
        for m, n in self.shapes:
            for k in range(n_parts):
                begin, end = m * k // n_parts, m * (k + 1) // n_parts
                rows.append((hyp + begin, hyp + end, ref, ref + n, place + n_out(begin, n)))
            hyp, ref, place = hyp + m, ref + n, place + n_out(m, n)
        return np.array(rows, np.int64)

    def run(self, out: "_Float64Array", weights: "_Float64Array | None") -> None:
        """Score all pairs; a few large groups are shared among the threads."""
        n_pairs = sum(m * n for m, n in self.shapes)
        n_parts = 1
        if self._threads > 1 and len(self.shapes) < 4 * self._threads:
            n_parts = max(1, min(self._threads, n_pairs // len(self.shapes) // PART_PAIRS))

        def n_out(m: int, n: int) -> int:
            return m * n if weights is None else m

        groups = self._groups(n_out, n_parts)

        def work(begin: int, end: int, stop: list[BaseException]) -> None:
            self._pairs.score(groups, begin, end, out, weights, stop)

        least = -(-PART_PAIRS * len(groups) // max(1, n_pairs))
        in_parts(work, len(groups), self._threads, max(1, least))

    def run_whole(self, out: "_Float64Array") -> None:
        """Score every hypothesis against the others of its group."""
        groups = self._groups(lambda m, n: m, 1)

        def work(begin: int, end: int, stop: list[BaseException]) -> None:
            self._pairs.score_each(groups, begin, end, out, stop)

        least = -(-PART_SEGMENTS * len(groups) // len(out))
        in_parts(work, len(groups), self._threads, least)


def _table(
    metric: "Any", source: "Any", where: str, groups: bool
) -> "tuple[PreparedReferences, list[int]]":
    """Return texts tokenized, and how many of them each group has."""
    if isinstance(source, References) and not groups:
        table = source.prepared_by(metric.tokenizer, metric.lowercase, metric._preparation)
        if table.num_refs != 1:
            raise ValueError(f"{where}: expected one text for each segment, got {source!r}")
        counts = [len(table)]
    else:
        if groups:
            column, offsets = flatten(source, where, "segments")
            counts = [offsets[g + 1] - offsets[g] for g in range(len(offsets) - 1)]
        else:
            column = Column(source, where)
            counts = [len(column)]
        table = metric._extractor.prepare(ReferenceColumns(column, "stream", where))
    if not counts:
        raise ValueError(f"{where}: expected at least one group, got none")
    for g, n in enumerate(counts):
        if n == 0:
            place = f"{where}[{g}]" if groups else where
            raise ValueError(f"{place}: expected at least one segment, got none")
    return table, counts


def check_weights(
    weights: "Any", counts: list[int], groups: bool
) -> "list[_Float64Array]":
    """Return the weights of each group's references."""
    import numpy as np

    if weights is None:
        return [np.ones(n, np.float64) for n in counts]
    several = list(weights) if groups else [weights]
    if len(several) != len(counts):
        raise ValueError(f"weights: expected {len(counts)} groups, got {len(several)}")
    checked = []
    for g, n in enumerate(counts):
        where = f"weights[{g}]" if groups else "weights"
        weight = np.asarray(several[g])
        if weight.dtype.kind not in "iuf":
            raise TypeError(f"{where}: expected numbers, got {weight.dtype}")
        if weight.shape != (n,):
            raise ValueError(f"{where}: expected shape ({n},), got {weight.shape}")
        weight = np.ascontiguousarray(weight, np.float64)
        if not (np.isfinite(weight).all() and (weight >= 0).all() and weight.sum() > 0):
            raise ValueError(f"{where}: expected finite numbers of at least 0, not all of them 0")
        checked.append(weight)
    return checked
