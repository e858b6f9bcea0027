"""A stand-in for sacrebleu 2.6.0: its modules, names, messages and numbers, compiled underneath.

Use ``import rapidbleu.sacrebleu as sacrebleu``; or call `install`, after which every ``import
sacrebleu`` of a program, and of the libraries it uses, gets this package.

Examples
--------
>>> import rapidbleu.sacrebleu as sacrebleu
>>> sacrebleu.corpus_bleu(["The cat sat on a mat."], [["The cat sat on the mat."]])
BLEU = 48.89 85.7/66.7/40.0/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)
"""

from __future__ import annotations

import sys
from collections import UserDict

from rapidbleu._lib.installed_sacrebleu import function_of, import_peer, module_of
from rapidbleu._lib.loader import load
from rapidbleu._version import __version__ as __rapidbleu_version__
from rapidbleu.sacrebleu import compat as compat
from rapidbleu.sacrebleu import metrics as metrics
from rapidbleu.sacrebleu import tokenizers as tokenizers
from rapidbleu.sacrebleu import utils as utils
from rapidbleu.sacrebleu.compat import (
    corpus_bleu,
    corpus_chrf,
    corpus_ter,
    raw_corpus_bleu,
    sentence_bleu,
    sentence_chrf,
    sentence_ter,
)
from rapidbleu.sacrebleu.metrics import BLEU, CHRF, TER
from rapidbleu.sacrebleu.utils import (
    SACREBLEU_DIR,
    download_test_set,
    get_available_testsets,
    get_langpairs_for_testset,
    get_reference_files,
    get_source_file,
    smart_open,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

__description__ = "BLEU, chrF and TER with the numbers of sacrebleu, computed by rapidbleu"

# Names of ``from sacrebleu import *``; more are available.
__all__ = [
    "BLEU",
    "CHRF",
    "DATASETS",
    "SACREBLEU_DIR",
    "TER",
    "__version__",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "download_test_set",
    "extract_char_ngrams",
    "extract_word_ngrams",
    "get_available_testsets",
    "get_langpairs_for_testset",
    "get_reference_files",
    "get_source_file",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
    "smart_open",
]

# The sacrebleu version that this package replaces, which programs compare and print.
__version__ = "2.6.0"
version = module_of(
    "version",
    __rapidbleu_version__=__rapidbleu_version__,
    __version__=__version__,
    version=__version__,
    __version_tuple__=(2, 6, 0),
    version_tuple=(2, 6, 0),
)


class PeerTable(UserDict[str, "Any"]):
    """An installed sacrebleu's table of test sets, loaded on demand."""

    def __init__(self) -> None:
        pass

    @property
    def data(self) -> dict[str, Any]:  # type: ignore[override]
        """The table itself."""
        table: dict[str, Any] = import_peer("dataset").DATASETS
        return table


DATASETS = PeerTable()
dataset = module_of("dataset", DATASETS=DATASETS, __path__=[])
for _name in ("base", "fake_sgml", "iwslt_xml", "plain_text", "tsv", "wmt_xml"):
    setattr(dataset, _name, module_of(f"dataset.{_name}"))

extract_char_ngrams = function_of("metrics.helpers", "extract_char_ngrams")
extract_word_ngrams = function_of("metrics.helpers", "extract_word_ngrams")

_replaced: dict[str, ModuleType] | None = None  # sacrebleu's modules, while `install` is active


def install(*, replace: bool = False) -> None:
    """Make every later ``import sacrebleu`` get this package.

    Parameters
    ----------
    replace : bool
        Install even if sacrebleu was imported already, instead of raising RuntimeError. Names
        imported before, as by ``from sacrebleu import corpus_bleu``, need `rapidbleu.patch`.

    Examples
    --------
    >>> from rapidbleu.sacrebleu import install, uninstall
    >>> install(replace=True)
    >>> import sacrebleu
    >>> sacrebleu.__name__
    'rapidbleu.sacrebleu'
    >>> uninstall()
    """
    global _replaced
    if _replaced is not None:
        return
    imported = _modules("sacrebleu")
    if imported and not replace:
        raise RuntimeError(
            "sacrebleu was imported before rapidbleu.sacrebleu.install(): call that first, or "
            "install(replace=True), which serves later imports only, or "
            "rapidbleu.patch(), which speeds up the one that is there"
        )
    load("rapidbleu.sacrebleu.significance")  # the last of the modules that programs import
    for name in imported:
        del sys.modules[name]
    for name, module in _modules(__name__).items():
        sys.modules["sacrebleu" + name[len(__name__) :]] = module
    _replaced = imported


def uninstall() -> None:
    """Undo `install` and restore the replaced modules; do nothing if it is not active."""
    global _replaced
    if _replaced is None:
        return
    for name in _modules("sacrebleu"):
        del sys.modules[name]
    sys.modules.update(_replaced)
    _replaced = None


def _modules(package: str) -> dict[str, ModuleType]:
    return {
        name: module
        for name, module in list(sys.modules.items())
        if name == package or name.startswith(f"{package}.")
    }
