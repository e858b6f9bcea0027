"""Chart of the main jobs' speedups over sacrebleu, NLTK and the fastest other package, as SVG.

A bar starts at 1x, our own time, and its scale is logarithmic. There is a file for light pages and
one for dark pages, because pages choose between pictures, not between colours in a picture.
"""

from collections.abc import Iterator
from html import escape
from math import ceil, log10
from pathlib import Path
from typing import Any

from bench.harness.places import REPOSITORY
from bench.harness.report import quantity, ratio_text

# What a group of bars is called, and the jobs whose peers it shows; the first gives our time.
GROUPS = (
    ("BLEU of a corpus", ("corpus, 13a", "corpus_bleu")),
    ("BLEU of 100 single segments", ("sentence_bleu, one call", "sentence, token lists, one call")),
    ("chrF of a corpus", ("corpus, chrF", "corpus_chrf", "segment scores, chrF")),
    ("TER of a corpus", ("corpus, TER",)),
    ("WER of a corpus", ("corpus, WER",)),
    ("METEOR of all segments", ("segments, METEOR", "meteor_score")),
    ("BLEU of 1,024 x 1,024 pairs", ("1,024 x 1,024 pairs",)),
)
FILES = {mode: REPOSITORY / f"docs/pictures/speed-{mode}.svg" for mode in ("light", "dark")}
_COLOURS = {
    "light": {
        "text": "#1f2328",
        "small": "#59636e",
        "line": "#d1d9e0",
        "card": "#ffffff",
        "sacrebleu": "#2f6fd0",
        "NLTK": "#c4622d",
        "fastest": "#2a8a5c",
    },
    "dark": {
        "text": "#e6edf3",
        "small": "#9aa6b2",
        "line": "#30363d",
        "card": "#0d1117",
        "sacrebleu": "#4c8df0",
        "NLTK": "#e08a52",
        "fastest": "#46b17e",
    },
}
_WIDTH, _LEFT, _LABEL = 760, 236, 190  # of the picture, before the bars, after the longest bar
_TOP, _BAR, _GAP = 66, 20, 16


def write(document: dict[str, Any]) -> None:
    for mode, path in FILES.items():
        Path(path).write_text(chart(document, mode), encoding="utf-8")


def chart(document: dict[str, Any], mode: str) -> str:
    colours = _COLOURS[mode]
    groups = [(title, jobs, _rivals(document["records"], jobs)) for title, jobs in GROUPS]
    longest = max(row["ratio"] for *_, found in groups for row in found.values())
    decades = ceil(log10(longest))
    decade = (_WIDTH - _LEFT - _LABEL) / log10(longest)
    parts = list(_axis(decades, decade, groups))
    y = _TOP
    for title, jobs, found in groups:
        own = min(found.values(), key=lambda row: jobs.index(row["job"]))
        parts.append(_text(16, y + 15, title, "title"))
        ours = f"rapidbleu {quantity(own['ours'], own['quantity'])}"
        parts.append(_text(16, y + 33, ours, "small"))
        for kind, row in found.items():
            length = max(2.0, decade * log10(max(1.0, row["ratio"])))
            label = f"{ratio_text(row['ratio'])}x {row['peer'].split(',')[0]}"
            size = f'width="{length:.1f}" height="16"'
            parts.append(f'<rect class="{kind}" x="{_LEFT}" y="{y}" {size} rx="2"/>')
            parts.append(_text(_LEFT + length + 6, y + 13, label))
            y += _BAR
        y += _BAR * max(0, 2 - len(found)) + _GAP
    style = " ".join(f".{kind} {{ fill: {colours[kind]} }}" for kind in ("small", *_KINDS))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y}" width="{_WIDTH}" '
            f'height="{y}" role="img">',
            "<title>How many times faster rapidbleu is than other packages</title><style>",
            f"text {{ font: 13px system-ui, sans-serif; fill: {colours['text']} }}",
            f".title {{ font-weight: 600 }} .middle {{ text-anchor: middle }} {style}",
            f".card {{ fill: {colours['card']} }} .line {{ stroke: {colours['line']} }}",
            f'</style>\n<rect class="card" width="{_WIDTH}" height="{y}" rx="6"/>',
            *parts,
            "</svg>\n",
        ]
    )


_KINDS = {"sacrebleu": "sacrebleu", "NLTK": "NLTK", "fastest": "fastest other package"}


def _axis(decades: int, decade: float, groups: Any) -> Iterator[str]:
    """Yield the legend, and a line for each power of ten."""
    bottom = _TOP + sum(_GAP + _BAR * max(2, len(found)) for *_, found in groups) - _GAP
    x = _LEFT
    for kind, name in _KINDS.items():
        yield f'<rect class="{kind}" x="{x}" y="14" width="12" height="12" rx="2"/>'
        yield _text(x + 18, 25, name)
        x += 100
    yield _text(16, 25, "Times faster than", "title")
    for power in range(decades):
        x = round(_LEFT + power * decade)
        yield f'<path class="line" d="M{x} {_TOP - 8}V{bottom}"/>'
        yield _text(x, _TOP - 14, f"{10**power:,}x", "small middle")


def _rivals(records: list[dict[str, Any]], jobs: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Return the rows of sacrebleu, NLTK and the fastest other package, as far as there are any."""
    found: dict[str, dict[str, Any]] = {}
    rows = [row for row in records if row["job"] in jobs and row["peer"]]
    rows.sort(key=lambda row: (jobs.index(row["job"]), not row["headline"]))
    for row in rows:
        kind = next((kind for kind in ("sacrebleu", "NLTK") if row["peer"].startswith(kind)), "")
        if kind:
            found.setdefault(kind, row)
        elif row["headline"] and row["ratio"] < found.get("fastest", {"ratio": 1e99})["ratio"]:
            found["fastest"] = row
    return {kind: found[kind] for kind in _KINDS if kind in found}


def _text(x: float, y: float, text: str, names: str = "") -> str:
    return f'<text x="{x:.0f}" y="{y}" class="{names}">{escape(text)}</text>'
