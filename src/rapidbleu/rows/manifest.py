"""Manifests: what lies beside a file of rows and says whose rows they are, in JSON.

``rapidbleu_stats`` is the version of the format; ``checksum`` is the SHA-256 of the other entries,
so that no entry can be changed by mistake, not even one that the data does not tell.
"""

import json
import re
from hashlib import sha256

from rapidbleu.rows.columns import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

FORMAT = 1
MARK = "rapidbleu_stats"
CHECKSUM = "checksum"
GIVEN, NUMBERS = "given", "numbers"  # what ids are
SHA256 = re.compile("[0-9a-f]{64}")


def manifest_path(path: str) -> str:
    """Return where the manifest of a file is.

    Examples
    --------
    >>> manifest_path("part-0.parquet")
    'part-0.parquet.json'
    """
    return f"{path}.json"


def format_manifest(entries: "dict[str, Any]") -> bytes:
    """Return a manifest as JSON in UTF-8.

    Examples
    --------
    >>> print(format_manifest({"rows": 2}).decode())  # doctest: +ELLIPSIS
    {
      "rapidbleu_stats": 1,
      "rows": 2,
      "checksum": "..."
    }
    <BLANKLINE>
    """
    whole = {MARK: FORMAT, **entries}
    text = json.dumps({**whole, CHECKSUM: _checksum(whole)}, indent=2, ensure_ascii=False)
    return f"{text}\n".encode("utf-8", "backslashreplace")  # halves of surrogate pairs: as in JSON


def parse_manifest(data: bytes) -> "dict[str, Any]":
    """Return the entries of a manifest, each of the type that it has; ValueError otherwise.

    Examples
    --------
    >>> parse_manifest(b'{"rapidbleu_stats": 2}')
    Traceback (most recent call last):
    ...
    ValueError: rapidbleu_stats: expected format 1, got 2
    """
    try:
        entries = json.loads(data.decode("utf-8"))
    except RecursionError:
        raise ValueError("expected JSON of few levels") from None
    if not isinstance(entries, dict) or MARK not in entries:
        raise ValueError(f"expected an entry {MARK}")
    if entries[MARK] != FORMAT or isinstance(entries[MARK], bool):
        raise ValueError(f"{MARK}: expected format {FORMAT}, got {entries[MARK]!r}")
    if list(entries) != [MARK, *ENTRIES, CHECKSUM]:
        missing = [name for name in (*ENTRIES, CHECKSUM) if name not in entries]
        what = f"no {', '.join(missing)}" if missing else f"{', '.join(entries)}"
        raise ValueError(f"expected the entries {', '.join(ENTRIES)} and {CHECKSUM}, got {what}")
    for name, (fits, expected) in ENTRIES.items():
        if not fits(entries[name]):
            raise ValueError(f"{name}: expected {expected}, got {entries[name]!r}")
    return entries


def check_checksum(entries: "dict[str, Any]") -> None:
    """Refuse entries that are not those that were written."""
    own = _checksum({name: entries[name] for name in entries if name != CHECKSUM})
    if own != entries[CHECKSUM]:
        raise ValueError(
            f"{CHECKSUM}: expected {own}, that of the other entries, got {entries[CHECKSUM]!r}"
        )


def _checksum(entries: "dict[str, Any]") -> str:
    return sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()


def _is_count(value: "Any") -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _are_counts(values: "Any") -> bool:
    return isinstance(values, dict) and all(map(_is_count, values.values()))


def _are_types(values: "Any") -> bool:
    return isinstance(values, dict) and all(value in TYPES for value in values.values())


def _is_shard(value: "Any") -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(map(_is_count, value))
        and 1 <= value[0] <= value[1]
    )


def _is_metric(value: "Any") -> bool:
    if not isinstance(value, dict) or list(value) != ["class", "score", "options", "given"]:
        return False
    named = isinstance(value["class"], str) and isinstance(value["score"], str)
    return named and isinstance(value["options"], dict) and isinstance(value["given"], dict)


def _are_texts(values: "Any") -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


# What each entry must be, and what messages call that.
ENTRIES: "dict[str, tuple[Callable[[Any], bool], str]]" = {
    "library": (lambda value: isinstance(value, str), "a version of rapidbleu"),
    "metric": (_is_metric, "class, score, options and given"),
    "signature": (lambda value: isinstance(value, str), "a signature"),
    "inputs": (_are_texts, "names"),
    "shard": (lambda value: value is None or _is_shard(value), "null, or a number and how many"),
    "merged": (
        lambda value: isinstance(value, list) and all(map(_is_shard, value)),
        "shards, each a number and how many",
    ),
    "first": (lambda value: value is None or _is_count(value), "null, or the number of a row"),
    "ids": (lambda value: value in (GIVEN, NUMBERS), f"{GIVEN!r} or {NUMBERS!r}"),
    "rows": (_is_count, "a number of rows"),
    "columns": (_are_types, f"types by name, each one of {', '.join(TYPES)}"),
    "sums": (_are_counts, "sums by name"),
    "size": (_is_count, "a number of bytes"),
    "sha256": (
        lambda value: isinstance(value, str) and bool(SHA256.fullmatch(value)),
        "64 hexadecimal digits",
    ),
}
