"""Charts as SVG within the page: bars in groups, and intervals. Colors are those of the style."""

from html import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH, HEIGHT = 720, 230
LEFT, RIGHT, TOP, BOTTOM = 44, 8, 10, 30
ROW = 26  # of a chart of intervals
NAME = 150  # room for the names of its systems
MOST_LETTERS = 14  # of a group's name, roughly what has room at the least
LINES = 4  # of the scale
COLORS = 8  # of series in style.css; the next ones begin anew


def scale_end(value: float) -> float:
    """Return the least of 1, 2, 2.5, 5 times a power of ten that is not below a value above 0.

    Examples
    --------
    >>> [scale_end(value) for value in (0.3, 7, 23.5, 41, 100)]
    [0.5, 10.0, 25.0, 50.0, 100.0]
    """
    from math import ceil, floor, log10

    power = 10.0 ** floor(log10(value))
    for step in (1, 2, 2.5, 5):
        if value <= step * power * (1 + 1e-12):
            return step * power
    return 10.0 ** ceil(log10(value))


def ticks(low: float, high: float) -> list[float]:
    """Return round numbers of a range, of which low is below high: at most seven.

    Examples
    --------
    >>> ticks(21.74, 27.55)
    [22.0, 23.0, 24.0, 25.0, 26.0, 27.0]
    """
    from math import ceil, floor

    step = scale_end((high - low) / 6)
    return [i * step for i in range(ceil(low / step), floor(high / step) + 1)]


def bar_chart(
    label: str,
    groups: "Sequence[str]",
    series: "Sequence[str]",
    values: "Sequence[Sequence[float]]",
) -> str:
    """Return bars in groups.

    Parameters
    ----------
    label : str
        What the chart shows, for screen readers.
    groups, series : sequence of str
        Names; a series has a color.
    values : sequence of sequence of float
        For each series those of the groups; nan: no bar.
    """
    known = [value for own in values for value in own if value == value]
    high = scale_end(max(known)) if known and max(known) > 0 else 0.0
    low = -scale_end(-min(known)) if known and min(known) < 0 else 0.0
    if high == low:
        high = 1.0
    inner = HEIGHT - TOP - BOTTOM

    def y(value: float) -> float:
        return TOP + inner * (high - value) / (high - low)

    parts = [_open(label, HEIGHT)]
    for i in range(LINES + 1):
        at = low + (high - low) * i / LINES
        parts.append(
            f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(at):.1f}" '
            f'y2="{y(at):.1f}"/><text x="{LEFT - 6}" y="{y(at) + 3.5:.1f}" '
            f'text-anchor="end">{at:g}</text>'
        )
    step = (WIDTH - LEFT - RIGHT) / max(1, len(groups))
    width = 0.78 * step / max(1, len(series))
    for g, group in enumerate(groups):
        begin = LEFT + g * step
        parts.append(
            f'<text x="{begin + step / 2:.1f}" y="{HEIGHT - 10}" text-anchor="middle">'
            f"{escape(_short(group, len(groups)))}<title>{escape(group)}</title></text>"
        )
        for s, name in enumerate(series):
            value = values[s][g]
            if value != value:
                continue
            top, bottom = y(max(value, 0.0)), y(min(value, 0.0))
            left = begin + 0.11 * step + s * width
            parts.append(
                f'<rect class="c{s % COLORS}" x="{left:.1f}" y="{top:.1f}" '
                f'width="{max(width - 1, 0.5):.1f}" height="{bottom - top:.1f}" rx="1.5">'
                f"<title>{escape(name)}, {escape(group)}: {value:.4g}</title></rect>"
            )
    return "".join([*parts, "</svg>"])


def interval_chart(
    label: str, names: "Sequence[str]", rows: "Sequence[tuple[float, float, float]]"
) -> str:
    """Return a line for each system: its score and the interval around it.

    Parameters
    ----------
    label : str
        What the chart shows, for screen readers.
    names : sequence of str
    rows : sequence of (float, float, float)
        Score, and the ends of its interval.
    """
    low = min(min(row) for row in rows)
    high = max(max(row) for row in rows)
    margin = 0.06 * (high - low) or 1.0
    low, high = low - margin, high + margin
    height = ROW * len(names) + BOTTOM

    def x(value: float) -> float:
        return NAME + (WIDTH - NAME - 3 * RIGHT) * (value - low) / (high - low)

    parts = [_open(label, height)]
    for at in ticks(low, high):
        parts.append(
            f'<line class="grid" x1="{x(at):.1f}" x2="{x(at):.1f}" y1="4" '
            f'y2="{height - BOTTOM + 4}"/><text x="{x(at):.1f}" y="{height - 10}" '
            f'text-anchor="middle">{at:g}</text>'
        )
    for i, (name, (score, begin, end)) in enumerate(zip(names, rows, strict=True)):
        middle = ROW * i + ROW / 2
        parts.append(
            f'<text x="{NAME - 12}" y="{middle + 4:.1f}" text-anchor="end">'
            f"{escape(_short(name, 1))}<title>{escape(name)}</title></text>"
            f'<g class="c{i % COLORS}"><line class="whisker" x1="{x(begin):.1f}" x2="{x(end):.1f}" '
            f'y1="{middle}" y2="{middle}"/><circle cx="{x(score):.1f}" cy="{middle}" r="5"/>'
            f"<title>{escape(name)}: {score:.4g} ({begin:.4g} to {end:.4g})</title></g>"
        )
    return "".join([*parts, "</svg>"])


def _open(label: str, height: int) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(label)}" '
        f'class="chart">'
    )


def _short(name: str, n: int) -> str:
    """Return a name that has room beside n others."""
    most = max(4, min(22, 7 * MOST_LETTERS // max(n, 1)))
    return name if len(name) <= most else f"{name[: most - 1]}…"
