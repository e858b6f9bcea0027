"""Pages: links lead somewhere, and in docs/ every block of code runs by itself."""

import doctest
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import rapidbleu
from support.command_line import Run
from support.places import DATA, REPO

PAGES = sorted((REPO / "docs").rglob("*.md"))
ALL_PAGES = [*sorted(REPO.glob("*.md")), *PAGES]
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
IMPORT = re.compile(r"^>>> ((?:from [\w.]+ )?import .+)$", re.MULTILINE)
MISSING = re.compile(r"needs \w+: pip install|No module named '(matplotlib|sklearn|krippendorff)'")


def blocks() -> list[tuple[str, str, str]]:
    return [
        (f"{page.name}-{i}", language, text)
        for page in PAGES
        for i, (language, text) in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")))
    ]


def blocks_of(language: str) -> list[object]:
    return [pytest.param(text, id=name) for name, own, text in blocks() if own == language]


def commands() -> list[object]:
    return [
        pytest.param(*example.partition("\n")[::2], id=f"{name}-{i}")
        for name, language, text in blocks()
        if language == "console"
        for i, example in enumerate(re.split(r"^\$ ", text, flags=re.MULTILINE)[1:])
    ]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page: its headings in the format of forges."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.replace("`", "")).lower().replace(" ", "-")
        for heading in headings
    }


@pytest.mark.parametrize("page", ALL_PAGES, ids=[page.name for page in ALL_PAGES])
def test_links_lead_somewhere(page: Path) -> None:
    """To files of the repository, whose address setup.py adds to the README for package indexes."""
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        path = page.parent / target if target else page
        if target.startswith("https://"):
            continue
        assert path.exists(), target
        assert not anchor or anchor in anchors(path), f"{target}#{anchor}"


# Paths in docs/development/architecture.md: names in backticks with a slash or a suffix.
PATH = re.compile(r"`([\w./-]+(?:/|\.(?:py|pyx|h|md|toml|json))|\.ci/\w+)`")


def named_paths(page: Path) -> list[str]:
    return sorted(set(PATH.findall(page.read_text(encoding="utf-8"))))


@pytest.mark.skipif(not PAGES, reason="the pages are not here")
def test_the_map_leads_to_files() -> None:
    docs = REPO / "docs"
    paths = named_paths(docs / "development" / "architecture.md")
    assert len(paths) > 50
    paths += named_paths(docs / "explanation" / "how-it-works.md")
    roots = (REPO / "src" / "rapidbleu", REPO)
    missing = [path for path in paths if not any((root / path).exists() for root in roots)]
    assert missing == []


@pytest.mark.skipif(not PAGES, reason="the pages are not here")
def test_the_map_has_twenty_questions() -> None:
    page = (REPO / "docs" / "development" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| `([^`|]+)` \|$", page.split("## Where is it?")[1], re.M)
    assert len(rows) == 20
    assert len({path for _, path in rows}) == 20


def test_every_block_says_how_it_runs() -> None:
    if not PAGES:
        pytest.skip("the pages are not here")
    for name, language, text in blocks():
        assert language in ("python", "console", "cython", ""), f"{name}: {language}"
        code = re.search(r"^(>>>|\$) ", text, re.MULTILINE)
        assert language or not code, f"{name}: code without a language"


@pytest.mark.parametrize("text", blocks_of("python"))
def test_python(text: str) -> None:
    for statement in IMPORT.findall(text):
        try:
            exec(statement, {})
        except ImportError as error:
            if MISSING.search(str(error)):
                pytest.skip(str(error))
            raise
    test = doctest.DocTestParser().get_doctest(text, {}, "block", None, 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


def write_rows(folder: Path) -> None:
    """Write rows of statistics of two systems, of the shards of one, and tables of texts."""
    ref, *systems, third = (
        (folder / "judged" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        for name in ("ref", "A", "B", "C")
    )
    bleu, half = rapidbleu.BLEU(), len(ref) // 2
    keep = {"half": ["first"] * half + ["second"] * (len(ref) - half)}
    with open(folder / "judged" / "table.jsonl", "w") as table:
        for row in zip(*systems, ref, keep["half"], strict=True):
            print(json.dumps(dict(zip(("A", "B", "ref", "half"), row, strict=True))), file=table)
    with open(folder / "judged" / "samples.jsonl", "w") as table:
        for i, texts in enumerate(zip(*systems, third, strict=True)):
            print(json.dumps({"id": i, "hyp": texts}), file=table)
    (folder / "rows").mkdir()
    for name, hyps in zip("AB", systems, strict=True):
        bleu.stats_table(hyps, [ref], keep=keep).save(folder / "rows" / f"{name}.npz")
    for number, own in enumerate([slice(half), slice(half, None)], 1):
        table = bleu.stats_table(
            systems[0][own], [ref[own]], shard=(number, 2), first=own.start or 0
        )
        table.save(folder / f"A-{number}.npz")


@pytest.mark.parametrize(("command", "output"), commands())
def test_console(
    command: str, output: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, *arguments = shlex.split(command)
    found = shutil.which(program)
    if found is None and program != "rapidbleu":
        pytest.skip(f"{program} is not installed")
    (tmp_path / "hypotheses.txt").write_text("a b c d\na b c e\n" * 512)
    (tmp_path / "tests" / "data").mkdir(parents=True)
    for path in DATA.glob("*.en*.txt"):
        shutil.copy(path, tmp_path / "tests" / "data")
    shutil.copytree(DATA / "judged", tmp_path / "judged")
    write_rows(tmp_path)
    (tmp_path / "plugin").mkdir()
    (tmp_path / "plugin" / "__init__.py").write_text("import rapidbleu.adapters.mbrs\n")
    if program == "rapidbleu":
        monkeypatch.chdir(tmp_path)
        status, printed, problem = run(*arguments)
    else:
        assert found is not None
        done = subprocess.run(
            [found, *arguments],
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            check=False,
            env={**os.environ, "PYTHONPATH": str(Path(rapidbleu.__file__).parents[1])},
        )
        status, printed, problem = done.returncode, done.stdout, done.stderr
    assert status == 0, problem
    assert not output or printed == output
