"""``sacrebleu.dataset.plain_text`` of an installed sacrebleu."""

from rapidbleu.sacrebleu.peer import import_peer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def __getattr__(name: str) -> "Any":
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_peer("dataset.plain_text"), name)
