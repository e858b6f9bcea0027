"""Candidates in tables: a hypothesis in each row, or a segment with a list of them."""

from __future__ import annotations

from rapidbleu._lib.checks import is_arrow
from rapidbleu.streams.tables import columns_of, open_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from rapidbleu._types import Path

LIMIT = 1 << 40  # of indices


def read_candidates(path: Path, has_features: bool) -> Iterator[tuple[str, int, str, Any]]:
    """Yield the place, the segment, the text and the features of each candidate in a table.

    The column `hyp` has a text or a list of texts, `features` an object for each. An `id` is the
    index of a segment, or any other text, which gets the next index; lists need none, and may not
    have one again. ValueError, which names the place, for anything else.
    """
    known = columns_of(path)
    names = ["hyp", *["id"] * ("id" in known), *["features"] * has_features]
    numbers: dict[Any, int] = {}  # of the ids
    for rows in open_file(path, tuple(names)):
        ids: Any = rows.values("id") if "id" in known else [None] * len(rows)
        features: Any = rows.columns.get("features", [None] * len(rows))
        if is_arrow(features):
            features = rows.array("features").to_pylist()
        ids = ids.tolist() if hasattr(ids, "tolist") else ids
        for i, (own, hyp, named) in enumerate(zip(ids, rows.values("hyp"), features, strict=True)):
            where, is_text = rows.place(i), isinstance(hyp, str)
            texts = [hyp] if is_text else hyp
            if not (isinstance(texts, list) and texts and all(isinstance(x, str) for x in texts)):
                raise ValueError(f"{where}, column 'hyp': expected text or texts; got {hyp!r}")
            objects = [named] * len(texts) if is_text or not has_features else named
            if not isinstance(objects, list) or len(objects) != len(texts):
                raise ValueError(
                    f"{where}, column 'features': expected {len(texts)}, one for each text of "
                    f"'hyp'; got {named!r}"
                )
            if isinstance(own, str) and own.isdecimal():
                own = int(own)
            elif "id" not in known and not is_text:
                own = len(numbers)
            kind = type(next(iter(numbers), own))
            is_index = type(own) is int and 0 <= own < LIMIT
            if type(own) is not kind or not (is_index or (kind is str and own)):
                raise ValueError(f"{where}, column 'id': expected text or an index; got {own!r}")
            if own in numbers and not is_text:
                raise ValueError(f"{where}, column 'id': expected each id once; got {own!r} again")
            number = numbers.setdefault(own, len(numbers))
            index = own if is_index else number
            yield from zip([where] * len(texts), [index] * len(texts), texts, objects, strict=True)
