"""What files hold of an n-best list, checked before they are written: names, segments, features.

Files are read by splitting at white space, so a name that is written must be read as one word, and
as the same one.
"""

from __future__ import annotations

from rapidbleu._lib.lazy import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rapidbleu.tuning.nbest import NBestList
    from rapidbleu.typing import IntArray

MOST_ID = 1 << 40  # number of a segment that every reader takes
ROWS = 1 << 16  # that are checked together


def check_word(name: str, where: str) -> None:
    """Refuse a name that a reader would not find as one word of UTF-8.

    Examples
    --------
    >>> check_word("LM0_0", "names[0]")
    >>> check_word("a\\u3000b", "names[1]")
    Traceback (most recent call last):
    ...
    ValueError: names[1]: expected a name without white space, got 'a\\u3000b'
    """
    if name.split() != [name] or min(name) <= " ":
        raise ValueError(f"{where}: expected a name without white space, got {name!r}")
    check_utf8(name, where)


def check_utf8(text: str, where: str) -> None:
    """Refuse text that UTF-8 has no bytes for: lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{where}: expected text for UTF-8, got {text[error.start]!r} at {error.start}"
        ) from None


def split_name(name: str) -> tuple[str, str]:
    """Return the label and the number of a name; no number, if it is no dense feature's.

    Examples
    --------
    >>> split_name("LM0_1"), split_name("length"), split_name("pair_a_b"), split_name("_3")
    (('LM0', '1'), ('length', '0'), ('pair_a_b', ''), ('', '3'))
    """
    label, mark, number = name.rpartition("_")
    if not mark:
        return name, "0"
    if "_" in label or not number.isdecimal():
        return name, ""
    return label, number


def dense_labels(names: Sequence[str]) -> list[str]:
    """Return the labels of dense features.

    Files have labels without numbers, so those of the same label must come as they are counted.

    Examples
    --------
    >>> dense_labels(["LM0_0", "LM0_1", "length"])
    ['LM0', 'LM0', 'length']
    >>> dense_labels(["LM0_1", "LM0_0"])
    Traceback (most recent call last):
    ...
    ValueError: names[0]: expected LM0_0 as the next feature with this label, got 'LM0_1'
    """
    labels, counts = [], dict[str, int]()
    for i, name in enumerate(names):
        label, number = split_name(name)
        if not number or not name:
            raise ValueError(
                f"names[{i}]: expected a name without '_' and white space, or one and a number, "
                f"such as LM or LM_0, got {name!r}"
            )
        n = counts.get(label, 0)
        if number != str(n):
            raise ValueError(
                f"names[{i}]: expected {label}_{n} as the next feature with this label, "
                f"got {name!r}"
            )
        counts[label] = n + 1
        labels.append(label)
    return labels


def check_segments(ids: IntArray) -> None:
    """Refuse numbers of segments that no reader takes, and a list without any."""
    if not len(ids):
        raise ValueError("nbest: expected segments, got none")
    wrong = (ids < 0) | (ids > MOST_ID)
    if wrong.any():
        i = int(wrong.argmax())
        raise ValueError(f"ids[{i}]: expected 0 to {MOST_ID}, got {ids[i]}")


def check_written(features: Any, n_dense: int) -> None:
    """Refuse features that 32 bits have no finite number for, and a file that would have none.

    Sparse ones are a CSR matrix.
    """
    is_sparse = hasattr(features, "indptr")
    if is_sparse and not n_dense and not features.nnz:
        raise ValueError("features: expected a dense one or a value of a sparse one, got none")
    values = features.data if is_sparse else features
    for begin in range(0, len(values) if values.dtype != np.float32 else 0, ROWS):
        several = values[begin : begin + ROWS]
        with np.errstate(over="ignore"):
            wrong = ~np.isfinite(several.astype(np.float32))
        if wrong.any():
            first, *rest = (int(k) for k in np.argwhere(wrong)[0])
            row, got = begin + first, several[(first, *rest)]
            if is_sparse:
                rest = [int(features.indices[row])]
                row = int(np.searchsorted(features.indptr, row, "right")) - 1
            raise ValueError(
                f"features[{row}][{rest[0]}]: expected a number of 32 bits, got {got:g}"
            )


def count_dense(nbest: NBestList) -> int:
    """Return how many features are dense, judged by their names: those up to a sparse one."""
    if not nbest.is_sparse:
        return len(nbest.names)
    sparse = (i for i, name in enumerate(nbest.names) if not split_name(name)[1])
    return next(sparse, len(nbest.names))
