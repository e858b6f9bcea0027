"""The figure that plots draw on if no axes are passed; importing it loads Matplotlib."""

from __future__ import annotations

from matplotlib import figure

from rapidbleu.plots.drawing import bundle_of, picture_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Figure(figure.Figure):
    """A figure that notebooks display, even without the pair of which it was a part."""

    def _repr_png_(self) -> bytes | None:
        return picture_of(self)

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, str], dict[str, Any]]:
        return bundle_of(self)
