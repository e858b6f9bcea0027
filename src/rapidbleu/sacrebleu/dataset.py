"""The test sets, of an installed sacrebleu, which is loaded at the first use of them.

The table itself is here without it, so that ``from sacrebleu import *`` needs nothing.
"""

from collections import UserDict

from rapidbleu._lib.installed_sacrebleu import attributes_of, import_peer, module_of

__path__: list[str] = []  # of submodules without files, see below


class PeerTable(UserDict):  # type: ignore[type-arg]
    """The table of test sets, by name."""

    def __init__(self) -> None:
        pass

    @property
    def data(self) -> dict:  # type: ignore[type-arg, override]
        """The table of the installed sacrebleu."""
        table: dict = import_peer("dataset").DATASETS  # type: ignore[type-arg]
        return table


DATASETS = PeerTable()

__getattr__ = attributes_of("dataset")
for _submodule in ("base", "fake_sgml", "iwslt_xml", "plain_text", "tsv", "wmt_xml"):
    globals()[_submodule] = module_of(f"dataset.{_submodule}")
