"""Signatures: all that decides a score, in one line that can be printed in a paper."""

from __future__ import annotations

from rapidbleu._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The sacrebleu release whose numbers ours are, and who computed them.
VERSION = f"2.6.0+rapidbleu.{__version__}"

_ABBREVIATIONS = {
    "version": "v",
    "nrefs": "#",
    "test": "t",
    "lang": "l",
    "subset": "S",
    "origlang": "o",
    "bs": "bs",
    "ar": "ar",
    "seed": "rs",
}


class Signature:
    """The options behind a score.

    Parameters
    ----------
    num_refs : int or None
        References of each segment, -1 if it varies; None: nothing was scored yet.
    options : dict
        The metric's own entries, in order.
    abbreviations : dict
        Their short names.

    Raises
    ------
    ValueError
        If nothing was scored yet, so that the number of references is unknown.

    Examples
    --------
    >>> str(Signature(1, {"case": "mixed"}, {"case": "c"}))  # doctest: +ELLIPSIS
    'nrefs:1|case:mixed|version:2.6.0+rapidbleu...'
    """

    def __init__(
        self, num_refs: int | None, options: dict[str, Any], abbreviations: dict[str, str]
    ) -> None:
        if num_refs is None:
            raise ValueError("Number of references unknown, please evaluate the metric first.")
        self._abbr = _ABBREVIATIONS | abbreviations
        self.info: dict[str, Any] = {
            "version": VERSION,
            "nrefs": "var" if num_refs == -1 else num_refs,
            "bs": None,
            "ar": None,
            "seed": None,
            "test": None,
            "lang": None,
            "origlang": None,
            "subset": None,
            **options,
        }

    def update(self, key: str, value: Any) -> None:
        """Set an entry."""
        self.info[key] = value

    def format(self, short: bool = False) -> str:
        """Write the signature, the version last.

        Parameters
        ----------
        short : bool
            With abbreviated keys.
        """
        parts = []
        for key in [*(key for key in self.info if key != "version"), "version"]:
            value = self.info[key]
            if value is None:
                continue
            if isinstance(value, bool):
                value = "yes" if value else "no"
            parts.append(f"{self._abbr.get(key, key) if short else key}:{value}")
        return "|".join(parts)

    def __repr__(self) -> str:
        return self.format()
