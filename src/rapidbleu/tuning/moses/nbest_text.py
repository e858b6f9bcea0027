"""The lines of an n-best list."""

from rapidbleu.counts import check_type
from rapidbleu.tuning.lists.checks import check_weights
from rapidbleu.tuning.lists.names import (
    check_segments,
    check_utf8,
    check_word,
    check_written,
    dense_labels,
)
from rapidbleu.tuning.lists.nbest import NBestList
from rapidbleu.tuning.lists.segments import spread
from rapidbleu.tuning.moses.stats_writing import count_dense

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from rapidbleu.typing import Vector


def lines_of(nbest: "NBestList", weights: "Vector | None" = None) -> "Iterator[bytes]":
    """Return an iterator over the lines of a list; everything is checked before the first one.

    Parameters
    ----------
    nbest : NBestList
    weights : float array of shape (n_features,), optional
    """
    import numpy as np

    check_type("nbest", nbest, NBestList)
    if nbest.hypotheses is None:
        raise ValueError("nbest: expected a list with hypotheses, got one without")
    for i, text in enumerate(nbest.hypotheses):
        if "|||" in text or "\n" in text:
            raise ValueError(f"hypotheses[{i}]: expected text without '|||' and line feeds")
        check_utf8(text, f"hypotheses[{i}]")
    check_segments(nbest.ids)
    n_dense = count_dense(nbest)
    check_written(nbest.features, n_dense)
    labels = _labels(nbest.names[:n_dense])
    for i, name in enumerate(nbest.names[n_dense:], n_dense):
        check_word(name, f"names[{i}]")
        if "_" not in name or _is_unfit(name):
            raise ValueError(f"names[{i}]: expected a sparse feature's name with '_', got {name!r}")
    scores: Any = None
    if weights is not None:
        vector = check_weights(weights, nbest.names)
        scores = nbest.features.astype(np.float64) @ vector
    return _lines(nbest, labels, n_dense, scores)


def _lines(
    nbest: "NBestList", labels: "list[str]", n_dense: int, scores: "Any"
) -> "Iterator[bytes]":
    segments = spread(nbest.ids, nbest.offsets).tolist()
    for i, (segment, text) in enumerate(zip(segments, nbest.hypotheses or (), strict=True)):
        row: Any = nbest.features[i]
        sparse = ""
        if nbest.is_sparse:
            pairs = zip(row.indices.tolist(), row.data, strict=True)
            sparse = "".join(f" {nbest.names[j]}= {v!s}" for j, v in pairs if j >= n_dense)
            row = row[:, :n_dense].toarray()[0]
        values = "".join(f"{label} {value!s}" for label, value in zip(labels, row, strict=True))
        score = "" if scores is None else f" ||| {scores[i]:g}"
        yield f"{segment} ||| {text} |||{values}{sparse}{score}\n".encode()


def _is_unfit(name: str) -> bool:
    return name[-1] in "=:" or "|||" in name


def _labels(names: "tuple[str, ...]") -> "list[str]":
    """Return what stands before each value: its label where a new one begins.

    Examples
    --------
    >>> _labels(("LM0_0", "LM0_1", "length"))
    [' LM0=', '', ' length=']
    """
    labels: list[str] = []
    last = ""  # what values have that stand before all labels
    for i, label in enumerate(dense_labels(names)):
        if label:
            check_word(label, f"names[{i}]")
            if _is_unfit(label):
                raise ValueError(f"names[{i}]: expected a name of a label, got {names[i]!r}")
        labels.append("" if label == last else f" {label}=")
        last = label
    return labels
