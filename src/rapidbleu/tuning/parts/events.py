"""What a part tells of a line: sums of statistics at its left end, and where they change."""

from rapidbleu._core.tuning.line_search import Landscape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.typing import FloatArray, IntArray

HEADER = 16  # bytes: the number of events, and how many bytes a change of a sum takes
WIDTHS = (1, 2, 4, 8)


class Events:
    """Sums of the statistics that a part has on a line.

    Parameters
    ----------
    totals : int64 array of shape (n_stats,)
        At the left end.
    places : float64 array of shape (n,), optional
        Where they change, in any order; none by default.
    changes : int64 array of shape (n, n_stats), optional
    """

    def __init__(
        self,
        totals: "IntArray",
        places: "FloatArray | None" = None,
        changes: "IntArray | None" = None,
    ) -> None:
        import numpy as np

        self.totals = totals
        self.places = np.empty(0) if places is None else places
        self.changes = np.empty((0, len(totals)), np.int64) if changes is None else changes

    @classmethod
    def of(cls, landscape: Landscape, n: int, n_stats: int) -> "Events":
        """Return the n events that a landscape collected."""
        import numpy as np

        totals, places = np.empty(n_stats, np.int64), np.empty(n)
        changes = np.empty((n, n_stats), np.int64)
        landscape.copy_events(totals, places, changes)
        return cls(totals, places, changes)

    def pack(self) -> bytes:
        """Return bytes for `unpack`, changes as narrow as they can be.

        Examples
        --------
        >>> import numpy as np
        >>> events = Events(np.array([5, 7]), np.array([0.5]), np.array([[1, -1]]))
        >>> len(events.pack())
        42
        """
        import numpy as np

        changes = self.changes
        low, high = changes.min(initial=0), changes.max(initial=0)
        width = next(w for w in WIDTHS if -(1 << 8 * w - 1) <= low and high < 1 << 8 * w - 1)
        header = np.array([len(self.places), width], "<i8")
        parts = header, self.totals.astype("<i8"), self.places.astype("<f8")
        return b"".join(part.tobytes() for part in (*parts, changes.astype(f"<i{width}")))

    @classmethod
    def unpack(cls, data: bytes, n_stats: int) -> "Events":
        """Return the events that were packed; numbers are checked where they are added up.

        Raises
        ------
        ValueError
            If the bytes are none that `pack` makes, or of rows of another length.

        Examples
        --------
        >>> import numpy as np
        >>> Events.unpack(Events(np.array([5, 7])).pack(), 2).totals.tolist()
        [5, 7]
        >>> Events.unpack(b"", 2)
        Traceback (most recent call last):
        ...
        ValueError: events: expected 32 bytes at least, got 0
        """
        import numpy as np

        fixed = HEADER + 8 * n_stats
        if len(data) < fixed:
            raise ValueError(f"events: expected {fixed} bytes at least, got {len(data)}")
        n, width = np.frombuffer(data, "<i8", 2).tolist()
        if width not in WIDTHS:
            raise ValueError(f"events: expected changes of 1, 2, 4 or 8 bytes, got {width}")
        if n < 0 or len(data) != fixed + n * (8 + width * n_stats):
            raise ValueError(
                f"events: expected {n} places and changes of {n_stats} statistics, "
                f"got {len(data)} bytes"
            )
        totals = np.frombuffer(data, "<i8", n_stats, HEADER).astype(np.int64)
        places = np.frombuffer(data, "<f8", n, fixed).astype(np.float64)
        changes = np.frombuffer(data, f"<i{width}", n * n_stats, fixed + 8 * n)
        return cls(totals, places, changes.astype(np.int64).reshape(n, n_stats))

    def add_to(self, landscape: Landscape) -> None:
        """Add these to the events of a landscape."""
        landscape.add_events(self.totals, self.places, self.changes)
