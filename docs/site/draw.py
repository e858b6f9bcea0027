"""The pictures of docs/explanation, drawn from what the library computes.

    python docs/site/draw.py FOLDER

A picture is refused if it shows other numbers than the library's.
"""

import sys
from collections.abc import Iterable
from html import escape
from pathlib import Path

from rapidbleu import BLEU
from rapidbleu.tokenizers import get_tokenizer

STYLE = """
text { font: 14px system-ui, sans-serif; fill: #1f2328 } .mono { font: 15px monospace }
.small { font-size: 12.5px; fill: #59636e }
.title { font-weight: 600 } .middle { text-anchor: middle } .right { text-anchor: end }
.curve { stroke: #2f6fd0; stroke-width: 2.5; fill: none }
.card { fill: #ffffff; stroke: #d1d9e0 } .cell { fill: #f3f5f7; stroke: #d1d9e0 }
.on { fill: #2f6fd0 } .used { fill: #b9d3f6; stroke: #2f6fd0; stroke-dasharray: 3 2 }
.box { fill: #eaf1fb; stroke: #2f6fd0 } .line { stroke: #59636e; fill: none }
.head { fill: #59636e }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .small { fill: #9aa6b2 } .card { fill: #161b22; stroke: #30363d }
.cell { fill: #21262d; stroke: #30363d } .on { fill: #4c8df0 } .curve { stroke: #4c8df0 }
.used { fill: #1d3557; stroke: #4c8df0 } .box { fill: #17243a; stroke: #4c8df0 }
.line { stroke: #9aa6b2 } .head { fill: #9aa6b2 }
}
"""
CELL = 28  # pixels


class Picture:
    """An SVG on a card, so that it is readable on any page."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img">',
            f"<title>{escape(title)}</title><style>{STYLE}</style>",
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
            'markerHeight="8" orient="auto"><path class="head" d="M0 0 8 4 0 8z"/></marker></defs>',
        ]
        self.box(1, 1, width - 2, height - 2, "card")

    def text(self, x: float, y: float, text: object, kind: str = "") -> None:
        """Write at a point of the base line."""
        mark = f' class="{kind}"' if kind else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}"{mark}>{escape(str(text))}</text>')

    def box(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        """Draw a rectangle."""
        size = f'width="{width:g}" height="{height:g}"'
        self.parts.append(f'<rect class="{kind}" x="{x:g}" y="{y:g}" {size} rx="4"/>')

    def arrow(self, *points: tuple[float, float]) -> None:
        """Draw straight lines through points, with a head at the last."""
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.parts.append(f'<polyline class="line" points="{path}" marker-end="url(#head)"/>')

    def cells(self, x: float, y: float, kinds: Iterable[str]) -> None:
        """Draw a row of bits."""
        for j, kind in enumerate(kinds):
            self.box(x + j * CELL, y, CELL - 3, CELL - 3, kind)

    def row(self, x: float, y: float, numbers: Iterable[object], kind: str = "cell") -> None:
        """Draw a row of numbers."""
        for j, number in enumerate(numbers):
            self.box(x + j * 38, y, 35, 25, kind)
            self.text(x + j * 38 + 17, y + 17, number, "middle")

    def __str__(self) -> str:
        return "\n".join([*self.parts, "</svg>\n"])


def core() -> Picture:
    """The way from text to rows, and what is done with rows."""
    picture = Picture(760, 330, "From text to rows, and what rows answer")
    steps = [
        ("text", ["The cat sat.", "It rained."]),
        ("tokens", ["The cat sat .", "It rained ."]),
        ("matches", ["masks of positions,", "clipped counts"]),
        ("rows", ["integers, one row", "for each segment"]),
    ]
    for i, (name, lines) in enumerate(steps):
        x = 20 + i * 186
        picture.box(x, 24, 150, 88, "box")
        picture.text(x + 75, 48, name, "title middle")
        for k, line in enumerate(lines):
            picture.text(x + 75, 74 + 20 * k, line, "small middle")
        if i:
            picture.arrow((x - 34, 68), (x - 3, 68))
    answers = [
        ("add up", "corpus score", "machines, threads"),
        ("replace one", "running score", "what-if scores"),
        ("draw many", "intervals", "paired tests"),
        ("choose one each", "n-best lists", "line search, tuning"),
    ]
    picture.arrow((653, 112), (653, 150), (95, 150), (95, 196))
    for i, (name, *lines) in enumerate(answers):
        x = 20 + i * 186
        if i:
            picture.arrow((x + 75, 150), (x + 75, 196))
        picture.box(x, 200, 150, 88, "box")
        picture.text(x + 75, 224, name, "title middle")
        for k, line in enumerate(lines):
            picture.text(x + 75, 250 + 20 * k, line, "small middle")
    picture.text(20, 314, "Above: once for each text. Below: arithmetic on integers.", "small")
    return picture


def planes(text: str = "It cost 3.50, no?") -> Picture:
    """How 13a splits a text by bits."""
    tokenizer = get_tokenizer("13a")
    classes = tokenizer.rules().ascii_classes
    space, symbol, digit, point = (
        sum(1 << i for i, c in enumerate(text) if classes[ord(c)] & kind) for kind in (1, 2, 4, 8)
    )
    everywhere = (1 << len(text)) - 1
    alone = symbol | point & ~(digit << 1) | point & ~(digit >> 1)
    boundary = alone | alone << 1
    token = everywhere & ~space
    starts = token & (~(token << 1) | boundary)
    places = [i for i in range(len(text)) if starts >> i & 1]
    ends = [*places[1:], len(text)]
    tokens = [text[i:j].strip() for i, j in zip(places, ends, strict=True)]
    assert tokens == tokenizer(text), tokens

    x = 230
    picture = Picture(x + len(text) * CELL + 20, 330, "Bit planes of a text, and its tokens")
    for i, character in enumerate(text):
        picture.text(x + i * CELL + 12, 38, character, "mono middle")
    rows = [
        ("SPACE", space), ("SYMBOL", symbol), ("DIGIT", digit), ("POINT", point),
        ("alone", alone), ("starts", starts),
    ]  # fmt: skip
    notes = ["separates", "always a token", "", "unless between digits",
             "one-character tokens", "a token begins here"]  # fmt: skip
    for k, ((name, bits), note) in enumerate(zip(rows, notes, strict=True)):
        y = 52 + k * 36 + (14 if k > 3 else 0)
        picture.text(20, y + 17, name, "title")
        picture.text(94, y + 17, note, "small")
        picture.cells(x, y, ("on" if bits >> i & 1 else "cell" for i in range(len(text))))
    for i, word in zip(places, tokens, strict=True):
        picture.box(x + i * CELL, 290, len(word) * CELL - 3, 26, "box")
        picture.text(x + i * CELL + len(word) * CELL / 2 - 1, 308, word, "mono middle")
    picture.text(20, 308, "tokens", "title")
    return picture


def clipping(
    hypothesis: str = "the the the cat sat on a mat", reference: str = "the cat sat on the mat"
) -> Picture:
    """Masks of positions, order by order: what matches, and what is still free."""
    words, places = hypothesis.split(), reference.split()
    masks = [sum(1 << j for j, place in enumerate(places) if place == word) for word in words]
    picture = Picture(760, 410, "Clipped matches of one, two and three words by masks of positions")
    matched, counts = list(masks), []
    for order in (1, 2, 3):
        x = 92 + (order - 1) * 224
        picture.text(x, 30, ("one word", "two words", "three words")[order - 1], "title")
        for j, place in enumerate(places):
            picture.text(x + j * CELL + 12, 56, place, "small middle")
        taken = 0
        for i, match in enumerate(matched):
            free = match & ~taken
            own = free & -free
            taken |= own
            y = 66 + i * 34
            picture.cells(
                x, y,
                ("on" if own >> j & 1 else "used" if match >> j & 1 else "cell"
                 for j in range(len(places))),
            )  # fmt: skip
            if order == 1:
                picture.text(20, y + 17, words[i], "mono")
        counts.append(taken.bit_count())
        picture.text(x, 362, f"{counts[-1]} of {len(words) - order + 1} match", "title")
        matched = [(before << 1) & mask for before, mask in zip([0, *matched], masks, strict=False)]
    stats = BLEU(tokenize="none").segment_stats([hypothesis], [[reference]])[0]
    assert counts == stats[2:5].tolist(), (counts, stats)
    picture.cells(20, 372, ["on"])
    picture.text(54, 388, "takes this position", "small")
    picture.cells(200, 372, ["used"])
    picture.text(234, 388, "occurs here too: taken before, or not needed", "small")
    return picture


def rows() -> Picture:
    """Rows of BLEU, their sum, and one of them replaced."""
    references = ["The cat sat on the mat.", "It was raining.", "He came, saw and left."]
    hypotheses = ["The cat sat on a mat.", "It rained.", "He came and left."]
    better = "He came and saw and left."
    bleu = BLEU()
    stats = bleu.segment_stats(hypotheses, [references])
    new = bleu.segment_stats([better], [references[2:]])[0]
    picture = Picture(760, 330, "Rows of statistics, their sum, and a sum with one row replaced")
    x = 224
    for j, name in enumerate(["length", "", "matches", "", "", "", "totals"]):
        picture.text(x + j * 38, 30, name, "small")
    for j, name in enumerate(["hyp", "ref", 1, 2, 3, 4, 1, 2, 3, 4]):
        picture.text(x + j * 38 + 17, 50, name, "small middle")
    for i, (text, row) in enumerate(zip(hypotheses, stats, strict=True)):
        picture.text(20, 78 + i * 32, text)
        picture.row(x, 61 + i * 32, row)

    def total(y: float, name: str, row: Iterable[int]) -> None:
        picture.text(20, y + 17, name, "title")
        picture.row(x, y, row, "box")
        picture.text(x + 388, y + 17, f"BLEU {bleu.score(list(row)).score:.2f}", "title")

    total(168, "sum", stats.sum(axis=0).tolist())
    picture.text(20, 232, "- the old row")
    picture.row(x, 215, stats[2])
    picture.text(20, 260, "+ " + better)
    picture.row(x, 243, new)
    total(284, "sum", (stats.sum(axis=0) - stats[2] + new).tolist())
    return picture


PAPER = (  # example 1 of Papineni et al. 2002, without the period
    "It is a guide to action that ensures that the military will forever heed Party commands",
    "It is the guiding principle which guarantees the military forces always being under the"
    " command of the Party",
    "It is the practical guide for the army always to heed the directions of the party",
)
CANDIDATES = (
    "It is a guide to action which ensures that the military always obeys the commands of the"
    " party",
    "It is to insure the troops forever hearing the activity guidebook that party direct",
)


def precisions() -> Picture:
    """Matched n-grams of the two candidates of the paper."""
    rows = BLEU(lowercase=True).segment_stats(CANDIDATES, [[text] * 2 for text in PAPER])
    picture = Picture(760, 230, "Precisions of one to four words of two translations")
    for i, row in enumerate(rows.tolist()):
        x = 20 + i * 372
        picture.text(x, 34, ("first translation", "second translation")[i], "title")
        for n, (matches, total) in enumerate(zip(row[2:6], row[6:], strict=True)):
            y = 50 + n * 42
            picture.text(x, y + 19, f"{n + 1} word{'s' * (n > 0)}")
            picture.box(x + 70, y, 200, 28, "cell")
            if matches:
                picture.box(x + 70, y, 200 * matches / total, 28, "on")
            picture.text(x + 280, y + 19, f"{matches} of {total}")
    return picture


def brevity(length: int = 20) -> Picture:
    """The penalty for each number of tokens, of a reference of 20."""
    bleu, reference = BLEU(tokenize="none"), ["w"] * length
    picture = Picture(760, 300, "The brevity penalty by length")
    left, width, bottom, height = 70, 640, 240, 200

    def point(tokens: int, penalty: float) -> tuple[float, float]:
        return left + width * tokens / (1.5 * length), bottom - height * penalty

    points = [(0.0, 0.0)] + [
        (n, bleu.corpus_score([["w"] * n], [[reference]]).bp) for n in range(1, length * 3 // 2 + 1)
    ]
    for penalty in (0, 0.25, 0.5, 0.75, 1):
        y = bottom - height * penalty
        picture.parts.append(f'<path class="line" opacity="0.25" d="M{left} {y:g}h{width}"/>')
        picture.text(left - 12, y + 5, f"{penalty:g}", "small right")
    for share in (0.25, 0.5, 0.75, 1, 1.25, 1.5):
        picture.text(left + width * share / 1.5, bottom + 22, f"{share:g}", "small middle")
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (point(int(n), bp) for n, bp in points))
    picture.parts.append(f'<polyline class="curve" points="{path}"/>')
    for tokens in (length // 2, length):
        x, y = point(tokens, points[tokens][1])
        picture.parts.append(f'<circle class="on" cx="{x:.1f}" cy="{y:.1f}" r="5"/>')
        picture.text(x + 12, y + 20, f"BP = {points[tokens][1]:.2f}", "title")
    picture.text(left, 24, "brevity penalty", "small")
    picture.text(left + width, bottom + 44, "tokens of the hypotheses / tokens of the references",
                 "small right")  # fmt: skip
    return picture


def main(folder: Path) -> None:
    """Write all pictures."""
    for draw in (core, planes, clipping, rows, precisions, brevity):
        (folder / f"{draw.__name__}.svg").write_text(str(draw()), encoding="utf-8")


if __name__ == "__main__":
    main(Path(*sys.argv[1:]))
