"""``import sacrebleu`` made to mean this package, in all of a process."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType

_ALIAS = "sacrebleu"
_PACKAGE = "rapidbleu.sacrebleu"


def _own_name(name: str) -> str:
    return _PACKAGE + name[len(_ALIAS) :]


def _is_alias(name: str) -> bool:
    return name == _ALIAS or name.startswith(f"{_ALIAS}.")


class _Aliases:
    """A finder and loader of modules: ``sacrebleu.x`` is the module ``rapidbleu.sacrebleu.x``."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        own = find_spec(_own_name(name)) if _is_alias(name) else None
        if own is None:
            return None
        is_package = own.submodule_search_locations is not None
        spec = ModuleSpec(name, self, origin=own.origin, is_package=is_package)  # type: ignore[arg-type]
        if is_package:
            spec.submodule_search_locations = []  # all of them are found here
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(_own_name(spec.name))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The module has run under its own name; the import system has just given it another spec.
        if module.__spec__ is not None:
            module.__spec__ = module.__spec__.loader_state

    def get_code(self, name: str) -> CodeType | None:
        """Return the code of a module, for ``python -m``."""
        own = find_spec(_own_name(name))
        code: CodeType | None = own.loader.get_code(own.name) if own and own.loader else None  # type: ignore[attr-defined]
        return code


_aliases = _Aliases()
_replaced: dict[str, ModuleType] = {}


def install(*, replace: bool = False) -> None:
    """Make every later ``import sacrebleu`` give this package.

    Parameters
    ----------
    replace : bool
        Do so even if sacrebleu was imported already. Names that modules took from it before, as
        by ``from sacrebleu import corpus_bleu``, stay what they are; `rapidbleu.patch_sacrebleu`
        serves those.

    Raises
    ------
    RuntimeError
        If sacrebleu was imported already and `replace` is off.

    Examples
    --------
    >>> from rapidbleu.sacrebleu import install, uninstall
    >>> install(replace=True)
    >>> import sacrebleu
    >>> sacrebleu.__name__
    'rapidbleu.sacrebleu'
    >>> uninstall()
    """
    if _aliases in sys.meta_path:
        return
    imported = {name: module for name, module in sys.modules.items() if _is_alias(name)}
    if imported and not replace:
        raise RuntimeError(
            "sacrebleu was imported before rapidbleu.sacrebleu.install(): call that first, or "
            "install(replace=True), which serves later imports only, or "
            "rapidbleu.patch_sacrebleu(), which speeds up the one that is there"
        )
    for name in imported:
        del sys.modules[name]
    _replaced.update(imported)
    sys.meta_path.insert(0, _aliases)


def uninstall() -> None:
    """Undo `install`; modules that were replaced are back. Does nothing if it was not installed."""
    if _aliases not in sys.meta_path:
        return
    sys.meta_path.remove(_aliases)
    for name in [name for name in sys.modules if _is_alias(name)]:
        del sys.modules[name]
    sys.modules.update(_replaced)
    _replaced.clear()
