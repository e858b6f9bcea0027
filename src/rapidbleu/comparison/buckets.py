"""Segments in buckets, and the scores of each bucket as a corpus of its own."""

from rapidbleu.comparison.columns import segment_columns, table_of
from rapidbleu.comparison.cutoffs import (
    LENGTH_DIFFERENCES,
    LENGTHS,
    bucket_names,
    buckets_of,
    score_cutoffs,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.comparison.judging import Judged
    from rapidbleu.table import Table
    from rapidbleu.typing import IntArray

LENGTH = "length"
LENGTH_DIFFERENCE = "length difference"
LABEL = "label"


def score_bucket(metric: str) -> str:
    """Return what the buckets by a metric's segment scores are called."""
    return f"{metric} score"


def shown_in(kind: str, metrics: list[str]) -> list[str]:
    """Return what is worth showing of buckets: of those by score how many segments they have.

    Examples
    --------
    >>> shown_in("length", ["BLEU", "TER"]), shown_in("TER score", ["BLEU", "TER"])
    (['BLEU', 'TER'], ['segments'])
    """
    return ["segments"] if kind in map(score_bucket, metrics) else metrics


def bucket_tables(
    judged: "Judged",
    reference_lengths: "IntArray",
    lengths: "dict[str, IntArray]",
    labels: "list[str] | None",
    cutoffs: "dict[str, list[float]]",
) -> "dict[str, Table]":
    """Return all buckets of segments.

    Parameters
    ----------
    judged : Judged
    reference_lengths : int64 array of shape (n_segments,)
    lengths : dict of str to int64 array of shape (n_segments,)
        Of the outputs, by system.
    labels : list of str, optional
    cutoffs : dict of str to list of float
        By the name of the buckets; the others have their own.
    """
    import numpy as np

    tables = {}
    if labels is not None:
        names = list(dict.fromkeys(labels))
        numbers = {name: i for i, name in enumerate(names)}
        where = np.fromiter((numbers[label] for label in labels), np.int64, len(labels))
        tables[LABEL] = _table(judged, names, [where] * len(judged.names))

    def add(name: str, values: "list[Any]", default: "Any", whole: bool) -> None:
        ends = cutoffs.get(name, default)
        members = [buckets_of(own, ends) for own in values]
        tables[name] = _table(judged, bucket_names(ends, whole), members)

    add(LENGTH, [reference_lengths] * len(judged.names), LENGTHS, True)
    differences = [own - reference_lengths for own in lengths.values()]
    add(LENGTH_DIFFERENCE, differences, LENGTH_DIFFERENCES, True)
    for metric, by_system in judged.segment_scores.items():
        scores = list(by_system.values())
        add(score_bucket(metric), scores, score_cutoffs(scores), False)
    return tables


def _table(judged: "Judged", names: list[str], members: "list[IntArray]") -> "Table":
    """Return a row for each bucket and system; `members` are the buckets of its segments."""
    import numpy as np

    n_buckets, n_systems = len(names), len(judged.names)
    counts = np.array([np.bincount(own, minlength=n_buckets) for own in members])
    columns: list[tuple[str, Any]] = [
        ("bucket", [name for name in names for _ in range(n_systems)]),
        ("system", judged.names * n_buckets),
        ("segments", counts.T.ravel().astype(np.int64)),
    ]
    orders = [_Order(own) for own in members[: 1 if members[0] is members[-1] else n_systems]]
    for metric, rows in judged.rows.items():
        scores = np.full((n_systems, n_buckets), np.nan)
        for i, own in enumerate(rows):
            order = orders[min(i, len(orders) - 1)]
            scores[i, order.present] = judged.metrics[metric].score_rows(order.sums(own))
        columns.append((metric, scores.T.ravel()))
    return table_of(columns, fine=judged.fine)


class _Order:
    """Segments sorted by bucket."""

    def __init__(self, members: "IntArray") -> None:
        import numpy as np

        self.order = np.argsort(members, kind="stable")
        self.present, self.starts = np.unique(members[self.order], return_index=True)

    def sums(self, rows: "IntArray") -> "IntArray":
        """Return the sum of the rows of each bucket that has segments."""
        import numpy as np

        sums: IntArray = np.add.reduceat(rows[self.order], self.starts, axis=0)
        return sums


def segment_table(
    judged: "Judged",
    reference_lengths: "IntArray",
    lengths: "dict[str, IntArray]",
    labels: "list[str] | None",
) -> "Table":
    """Return a row for each segment: its number from 0, label, lengths, and scores."""
    import numpy as np

    columns: list[tuple[str, Any]] = [("segment", np.arange(len(reference_lengths)))]
    if labels is not None:
        columns.append((LABEL, labels))
    scores = [own for by_system in judged.segment_scores.values() for own in by_system.values()]
    numbers = [reference_lengths, *lengths.values(), *scores]
    names = segment_columns(judged.names, list(judged.metrics))
    fine = segment_columns(judged.names, judged.fine)
    return table_of([*columns, *zip(names, numbers, strict=True)], fine=fine)
