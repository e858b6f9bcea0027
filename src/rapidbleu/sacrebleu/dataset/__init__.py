"""The test sets, of an installed sacrebleu, which is loaded when something is first asked of them.

The table itself is here without it, so that ``from sacrebleu import *`` needs nothing.
"""

from collections.abc import Iterator, MutableMapping

from rapidbleu.loading.installed_sacrebleu import attributes_of, import_peer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["DATASETS", "SUBSETS", "PeerTable"]


class PeerTable(MutableMapping[str, "Any"]):
    """A table of the installed sacrebleu.

    Parameters
    ----------
    name : str
        Its name in ``sacrebleu.dataset``.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def _table(self) -> "dict[str, Any]":
        table: dict[str, Any] = getattr(import_peer("dataset"), self._name)
        return table

    def __getitem__(self, key: str) -> "Any":
        return self._table()[key]

    def __setitem__(self, key: str, value: "Any") -> None:
        self._table()[key] = value

    def __delitem__(self, key: str) -> None:
        del self._table()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._table())

    def __len__(self) -> int:
        return len(self._table())

    def __repr__(self) -> str:
        return f"<{self._name} of the installed sacrebleu>"


DATASETS = PeerTable("DATASETS")
SUBSETS = PeerTable("SUBSETS")

__getattr__ = attributes_of("dataset")
