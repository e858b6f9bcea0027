"""Colors and widths at terminals, in pipes, and with environment variables."""

import os
import re
import sys
import unicodedata
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

from rapidbleu import BLEU, CHRF, TER
from rapidbleu._lib.colors import _CODES, columns, folded, harmless, paint, painted_parts
from rapidbleu.cli import main
from rapidbleu.table import Table, fancy_grid, plain_table
from support.command_line import Run, Terminal
from support.corpora import nasty
from support.places import REPO
from support.processes import posix_only

CODES = re.compile(r"\x1b\[[0-9;]*m")
WHITE, BLACK = 1.0, 0.0


def luminance(code: int) -> float:
    """Return the luminance of a color of the 256-color palette, by WCAG 2."""
    if code >= 232:
        levels = [8 + 10 * (code - 232)] * 3
    else:
        cube = (0, 95, 135, 175, 215, 255)
        levels = [cube[(code - 16) // k % 6] for k in (36, 6, 1)]
    parts = [level / 255 for level in levels]
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("color", _CODES)
def test_colors_are_readable_on_black_and_on_white(color: str) -> None:
    own = luminance(_CODES[color])
    assert (own + 0.05) / (BLACK + 0.05) > 3.9
    assert (WHITE + 0.05) / (own + 0.05) > 3.9


# Lines


def painted_text(rng: Random) -> str:
    words = ["a", "the", "cat", "猫が", "e\u0301te\u0301", "extraordinarily", "...", "坐" * 30]
    parts = []
    for _ in range(rng.randrange(1, 30)):
        word = rng.choice(words)
        parts.append(paint(word, rng.choice([*_CODES])) if rng.random() < 0.4 else word)
        parts.append(rng.choice([" ", " ", "  ", ""]))
    return "".join(parts)


def test_lines_fit_and_nothing_is_lost() -> None:
    rng = Random("folded")
    for _ in range(500):
        text, indent = painted_text(rng), rng.randrange(5)
        width = indent + rng.randrange(3, 40)
        lines = folded(text, width, indent)
        for i, line in enumerate(lines):
            assert columns(line) <= width or len(lines) == 1
            assert i == 0 or line.startswith(" " * indent)
            opened = [code for code in CODES.findall(line) if code != "\x1b[0m"]
            assert len(opened) == CODES.findall(line).count("\x1b[0m")  # colors end with lines
        joined = "".join(part for line in lines for part, _ in painted_parts(line))
        assert "".join(joined.split()) == "".join(CODES.sub("", text).split())
        colored = {(c, color) for line in lines for p, color in painted_parts(line) for c in p}
        assert {(c, color) for p, color in painted_parts(text) for c in p if c != " "} == {
            (c, color) for c, color in colored if c != " "
        }


def test_words_are_kept_whole_where_they_fit() -> None:
    assert folded("the cat sat down", 8, 2) == ["the cat", "  sat", "  down"]
    assert folded("the cat", None, 2) == ["the cat"]
    assert folded("猫猫猫 x", 4, 0) == ["猫猫", "猫 x"]


def test_columns_of_characters() -> None:
    texts = "", "cat", "猫", "ｃ", "e\u0301", "क्", "a\u200db", "कु", "ที่", "a\u200eb"
    assert [columns(text) for text in texts] == [0, 3, 2, 2, 1, 1, 2, 1, 1, 2]
    for text in nasty().values():
        shown = harmless(text)
        assert columns(shown) == sum(
            0
            if unicodedata.category(own) in ("Mn", "Me", "Cf")
            else 2
            if unicodedata.east_asian_width(own) in "WF"
            else 1
            for own in shown
        )


# Tables


@pytest.mark.parametrize("width", [20, 40, 79, 80, 120, 400])
def test_tables_fit(width: int) -> None:
    rng = Random("tables")
    names = ["uedin-nmt", "猫", "LMU", "e\u0301"]
    table: dict[str, list] = {"system": names} | {
        f"sys {i}": [rng.random() * 100 for _ in names] for i in range(17)
    }
    table["output"] = [" ".join(rng.choices(["the", "猫が坐る", "cat"], k=9)) for _ in names]
    whole = Table(table)
    text = whole._written("text", None, 4, width)
    assert max(map(columns, text.split("\n"))) <= width
    blocks = text.split("\n\n")
    assert all(block.startswith("system ") for block in blocks)
    cells = {cell for line in text.split("\n") for cell in line.split()}
    assert {f"{x:.2f}" for name in list(table)[1:18] for x in table[name]} <= cells
    if width == 400:
        assert text == whole.format()


def test_wide_characters_are_aligned() -> None:
    lines = plain_table(["a", "b"], [["猫", "e\u0301", "xyz"], ["1", "2", "3"]], [False, True])
    assert lines.split("\n") == ["a    b", "猫   1", "e\u0301    2", "xyz  3"]


@pytest.mark.parametrize("width", [60, 80, 120, None])
def test_grids_fit(width: int | None) -> None:
    columns_of_table = [["A", "猫"]] + [["26.6 (26.6 ± 0.7)\n(p = 0.0099)*", "1.0"]] * 5
    headers = ["System", *(f"metric {i} (μ ± 95% CI)" for i in range(5))]
    text = fancy_grid(headers, columns_of_table, width)
    sizes = [columns(line) for line in text.split("\n")]
    assert width is None or max(sizes) <= width
    assert text.count("System") == text.count("╒") == {60: 5, 80: 3, 120: 2, None: 1}[width]
    assert all(header in text for header in headers)
    for block in re.split("(?=╒)", text)[1:]:
        assert len({columns(line) for line in block.strip().split("\n")}) == 1


def test_narrow_tables_do_not_fail() -> None:
    for width in range(1, 12):
        Table({"a": ["猫 x", ""], "b": [1, 2]})._written("text", None, 2, width)
    assert Table({}).format() == ""


# Commands


@pytest.fixture
def texts(tmp_path: Path) -> list[str]:
    lines = {
        "a": ["The cat sat on the mat.", "It rained all day and all of the night, said the man."],
        "b": ["A cat sat on a mat.", "It rained the whole day and the whole night, he said."],
        "ref": ["The cat sat on the mat.", "It rained all day and the whole night, said the man."],
    }
    for name, own in lines.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in own), encoding="utf-8")
    return [str(tmp_path / name) for name in lines]


COMMANDS = {
    "compare": ["compare", "-i", "{0}", "{1}", "-r", "{2}"],
    "explain": ["explain", "-i", "{0}", "-r", "{2}", "-m", "bleu", "chrf", "ter", "cder"],
    "explain, two": ["explain", "-i", "{0}", "{1}", "-r", "{2}", "-m", "bleu", "chrf", "ter"],
    "score": ["{2}", "-i", "{0}", "{1}", "-f", "text", "-pbs"],
}


def shown(
    monkeypatch: pytest.MonkeyPatch, args: list[str], terminal: bool = True, **variables: str
) -> str:
    out = Terminal()
    with monkeypatch.context() as patch:
        if not terminal:
            patch.setattr(out, "isatty", lambda: False, raising=False)
        for name in ("NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS"):
            patch.delenv(name, raising=False)
        for name, value in variables.items():
            patch.setenv(name, value)
        patch.setattr(sys, "stdout", out)
        assert main(args) == 0
    return out.getvalue()


@pytest.mark.parametrize("name", COMMANDS)
def test_colors_by_variables(name: str, texts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    args = [word.format(*texts) for word in COMMANDS[name]]
    wide = {"COLUMNS": "2000"}
    colored = shown(monkeypatch, args, **wide)
    plain = shown(monkeypatch, args, NO_COLOR="1", **wide)
    assert "\x1b[" in colored and "\x1b" not in plain
    for word in ("red", "green", "color", "colour"):
        assert not re.search(rf"\b{word}\b", plain)
    same = {"NO_COLOR": "", "FORCE_COLOR": ""}
    assert shown(monkeypatch, args, **same, **wide) == colored
    for off in ({"NO_COLOR": "0"}, {"TERM": "dumb"}):
        assert shown(monkeypatch, args, **off, **wide) == plain
    assert shown(monkeypatch, args, NO_COLOR="1", FORCE_COLOR="1", **wide) == colored
    for option in ("-nc", "--no-color"):
        assert shown(monkeypatch, [*args, option], FORCE_COLOR="1", **wide) == plain
    piped = shown(monkeypatch, args, terminal=False)
    assert "\x1b" not in piped
    forced = shown(monkeypatch, args, terminal=False, FORCE_COLOR="1")  # as for | less -R
    assert (
        "\x1b[" in forced
        and CODES.sub("", forced).replace(" Other values of p are red.", "").split()
        == piped.split()
    )


@pytest.mark.parametrize("form", ["json", "csv", "tsv", "latex", "markdown"])
@pytest.mark.parametrize("name", ["compare", "score"])
def test_forms_for_programs_have_no_color(
    name: str, form: str, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    args = [word.format(*texts) for word in COMMANDS[name] if word not in ("-f", "text")]
    assert "\x1b" not in shown(monkeypatch, [*args, "-f", form], FORCE_COLOR="1")


def test_files_have_no_color(
    texts: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("compare", "explain", "explain, two"):
        args = [word.format(*texts) for word in COMMANDS[name]]
        written = str(tmp_path / "out")
        assert shown(monkeypatch, [*args, "-o", written], FORCE_COLOR="1", COLUMNS="30") == ""
        expected = shown(monkeypatch, args, terminal=False)
        assert Path(written).read_text("utf-8") == expected


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("name", ["compare", "explain", "explain, two"])
def test_lines_fit_the_terminal(
    name: str, width: int, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    args = [word.format(*texts) for word in COMMANDS[name]]
    out = shown(
        monkeypatch, [*args, "--segment", "2"] if "explain" in name else args, COLUMNS=str(width)
    )
    assert max(map(columns, out.split("\n"))) <= width
    plain = shown(monkeypatch, args, terminal=False, COLUMNS=str(width))
    assert max(map(columns, plain.split("\n"))) > width or width == 120


@posix_only
def test_the_width_is_the_terminal_s(texts: list[str]) -> None:
    import pty
    import subprocess
    import termios

    args = [word.format(*texts) for word in COMMANDS["explain"]]
    for width in (50, 90):
        leader, follower = pty.openpty()
        termios.tcsetwinsize(follower, (24, width))
        environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")}
        program = "import sys; from rapidbleu.cli import main; sys.exit(main(sys.argv[1:]))"
        with subprocess.Popen(
            [sys.executable, "-c", program, *args, "--segment", "2"],
            stdin=subprocess.DEVNULL,
            stdout=follower,
            env=environment | {"TERM": "xterm"},
        ) as process:
            os.close(follower)
            found = b""
            try:
                while part := os.read(leader, 65536):
                    found += part
            except OSError:  # Linux, at the end
                pass
        os.close(leader)
        lines = found.decode().replace("\r\n", "\n").split("\n")
        assert process.returncode == 0
        assert width - 12 < max(map(columns, lines)) <= width


# Examples of compare


def test_examples_mark_what_references_have(run: Run, texts: list[str]) -> None:
    out = run(*[word.format(*texts) for word in COMMANDS["compare"]], "--show", "examples").out
    assert "[...]: two words or more in a row that a reference has\n" in out
    assert "  a          [The cat sat on the mat.]\n" in out
    assert "  b          A [cat sat on] a [mat.]\n" in out
    assert "  reference  The cat sat on the mat.\n" in out


def test_marks_of_languages_without_spaces(run: Run, tmp_path: Path) -> None:
    for name, line in (("a", "猫が坐る。"), ("b", "犬が坐った。"), ("ref", "猫が坐る。")):
        (tmp_path / name).write_text(f"{line}\n", encoding="utf-8")
    files = [str(tmp_path / name) for name in ("a", "b", "ref")]
    out = run("compare", "-i", *files[:2], "-r", files[2], "-m", "chrf", "--show", "examples").out
    assert "  a          [猫が坐る。]\n" in out
    assert "  b          犬[が坐]った。\n" in out


# Several systems, pages and pictures


def test_several_systems_side_by_side(run: Run, texts: list[str]) -> None:
    args = [word.format(*texts) for word in COMMANDS["explain, two"]]
    out = run(*args[:-1], "cder").out
    for system, path in zip("ab", texts, strict=False):
        first = Path(path).read_text("utf-8").split("\n")[0]
        ref = Path(texts[2]).read_text("utf-8").split("\n")[0]
        score = BLEU(effective_order=True).sentence_score(first, [ref])
        assert f"  {system}      {score.format()}\n" in out
    assert (
        "1-grams\n  REF 1  The cat sat on the mat .\n  a      [The cat sat on the mat .]\n" in out
    )
    assert "  b      A [cat sat on] a [mat .]\n              a       b\n" in out
    assert "  match  7 of 7  5 of 7\n  The         1       0\n  the         1       0\n" in out
    assert "\n\na\n\n" in out and "\n\nb\n\n" in out  # alignments, one below the other
    entries = run(*args, "-f", "json").out
    assert entries.count('"system": "a"') == entries.count('"system": "b"') == 3


def test_systems_of_one_name(run: Run, texts: list[str], tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    other = tmp_path / "more" / "a"
    other.write_text("x\n\n", encoding="utf-8")
    out = run("explain", "-i", texts[0], str(other), "-r", texts[2]).out
    assert re.search(f"^  {re.escape(texts[0])} +BLEU = ", out, re.M)
    found = run("explain", "-i", texts[0], texts[0], "-r", texts[2])
    assert (found.status, found.err) == (1, "rapidbleu: -i/--input: expected different files\n")


def test_credits_name_their_reference() -> None:
    metric = BLEU(max_ngram_order=1, effective_order=True)
    text = str(metric.explain("a a b", ["a b", "a a"]))
    assert "      2       2      1      2  a  at 0 1  from REF 2\n" in text
    assert "      1       1      1      0  b  at 2  from REF 1\n" in text
    assert "from" not in str(metric.explain("a a b", ["a b"]))


def test_pictures_are_svg(run: Run, texts: list[str], tmp_path: Path) -> None:
    target = tmp_path / "slide.svg"
    args = [word.format(*texts) for word in COMMANDS["explain, two"]]
    assert run(*args, "-f", "svg", "-o", str(target)).status == 0
    root = ElementTree.parse(target).getroot()
    places = {}
    width, height = (float(root.attrib[name]) for name in ("width", "height"))
    for own in root:
        x, y = float(own.get("x", 0)), float(own.get("y", 0))
        size = float(own.get("textLength") or own.get("width", 0))
        assert x >= 0 and x + size <= width and 0 <= y <= height
        if own.tag.endswith("text"):
            places[y, x] = own.text
            assert size == 10 * columns(own.text or "")
    drawn = "\n".join(text or "" for _, text in sorted(places.items()))
    plain = run(*args).out
    assert {*"".join(plain.split())} == {*"".join(drawn.split())}


@pytest.mark.parametrize("evil", ["<script>&\"'", "a\x1b[31mb\x00", "\ud800 \ufffe"])
def test_pictures_escape_text(evil: str) -> None:
    for metric in (CHRF(char_order=2), TER()):
        ElementTree.fromstring(metric.explain(evil, [evil, "a"]).to_svg())


@pytest.mark.skipif(not (REPO / "docs").is_dir(), reason="the documentation is not there")
def test_the_picture_of_the_guide() -> None:
    metric = BLEU(lowercase=True, max_ngram_order=1, effective_order=True)
    references = ["The cat is on the mat", "There is a cat on the mat"]
    found = metric.explain("the the the the the the the", references).to_svg()
    kept = (REPO / "docs" / "pictures" / "explanation.svg").read_text("utf-8")
    assert re.sub(r"version:[^<]+|textLength=.\d+.", "", found) == re.sub(
        r"version:[^<]+|textLength=.\d+.", "", kept
    )


def test_wrong_widths() -> None:
    explanation = TER().explain("a", ["b"])
    for call in (explanation.to_svg, lambda width: explanation.format(width=width)):
        with pytest.raises(ValueError, match="width: expected"):
            call(0)
        with pytest.raises(TypeError, match="width: expected"):
            call("80")


def test_pages_fit_phones(run: Run, texts: list[str]) -> None:
    page = run(*[word.format(*texts) for word in COMMANDS["explain"]], "-f", "html").out
    assert '<meta name="viewport" content="width=device-width">' in page
    lines = re.sub("<style>.*?</style>|<[^>]+>", "", page).split("\n")
    rows = [line for line in lines if line.startswith(("REF: ", "HYP: "))]
    assert rows and max(map(columns, rows)) <= 46
