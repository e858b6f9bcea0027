"""The documentation site: it builds without warnings, and lists public names and figures."""

import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import rapidbleu
from support.places import PACKAGE, PYTHONPATH, REPO

DOCS = REPO / "docs"
SITE = DOCS / "site"
ENVIRONMENT = {**os.environ, "PYTHONPATH": PYTHONPATH}
pytestmark = pytest.mark.skipif(not SITE.is_dir(), reason="the site is not here")

# Modules below nltk and adapters named in the pages.
NAMED = re.compile(r"\.\. automodule:: (rapidbleu\.(?:nltk|adapters)\.\w+)$", re.MULTILINE)


CODE = re.compile(r'(<a [^>]*>)?<code class="xref[^>]*>(.*?)</code>', re.DOTALL)


def api() -> str:
    pages = (DOCS / "reference" / "api").glob("*.rst")
    return "".join(path.read_text(encoding="utf-8") for path in pages)


def public_modules() -> list[ModuleType]:
    """Return the package, its modules with an `__all__`, and the importable adapters."""
    children = [f"rapidbleu.{child.name}" for child in pkgutil.iter_modules([str(PACKAGE)])]
    found = [rapidbleu]
    for name in [*children, *NAMED.findall(api())]:
        if not name.startswith("rapidbleu._"):
            try:
                found.append(importlib.import_module(name))
            except ImportError as error:
                assert "pip install" in str(error)
    return [module for module in found if hasattr(module, "__all__")]


def public_names() -> dict[str, object]:
    """Return each public name with its module, and its object."""
    return {
        f"{module.__name__}.{name}": getattr(module, name)
        for module in public_modules()
        for name in module.__all__
    }


@pytest.mark.slow
def test_it_builds_and_every_public_name_has_an_entry(tmp_path: Path) -> None:
    """An entry in another public module suffices, such as BLEU of rapidbleu.metrics."""
    if "CI" not in os.environ:
        for needed in ("sphinx", "furo", "myst_parser"):
            pytest.importorskip(needed)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going"]
    built = subprocess.run(
        [*command, "-c", str(SITE), str(DOCS), str(tmp_path)],
        env=ENVIRONMENT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert built.returncode == 0, built.stderr
    from sphinx.util.inventory import InventoryFile

    inventory = InventoryFile.loads((tmp_path / "objects.inv").read_bytes(), uri="")
    entries = {name for kind, own in inventory.data.items() if kind[:3] == "py:" for name in own}
    names = public_names()
    assert len(names) > 250 and "rapidbleu.tuning.mert" in names
    described = {id(thing) for name, thing in names.items() if name in entries}
    missing = [
        name for name, thing in names.items() if name not in entries and id(thing) not in described
    ]
    assert missing == []
    assert dead_names(tmp_path / "reference" / "api", names) == []


def dead_names(pages: Path, names: dict[str, object]) -> list[str]:
    """Return public names in the text of reference pages that do not link to their entries."""
    short = {name.rpartition(".")[2] for name in names}
    found = []
    for page in sorted(pages.glob("*.html")):
        text = page.read_text(encoding="utf-8")
        for link, code in CODE.findall(text):
            name = re.sub(r"<[^>]*>|\(\)$", "", code)
            owner, _, last = name.rpartition(".")
            is_public = owner in short or (not owner and last in short and not last.islower())
            if not link and is_public:
                found.append(f"{page.name}: {name}")
    return found


def test_every_adapter_is_named() -> None:
    page = (DOCS / "guides" / "migrating.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|", page, re.M)
    scores = [path.stem for path in (PACKAGE / "nltk").glob("*_score.py")]
    assert len(rows) >= 7 and len(scores) == 6
    wanted = {f"rapidbleu.adapters.{row}" for row in rows}
    wanted |= {f"rapidbleu.nltk.{score}" for score in scores}
    assert wanted == set(NAMED.findall(api()))


def test_pictures_are_those_of_the_script(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-W", "error", str(SITE / "draw.py"), str(tmp_path)],
        env=ENVIRONMENT,
        check=True,
    )
    explanation = (DOCS / "explanation").glob("*.md")
    pages = "".join(page.read_text(encoding="utf-8") for page in explanation)
    fresh = sorted(tmp_path.iterdir())
    others = {"explanation.svg", "speed-light.svg", "speed-dark.svg"}  # of `explain` and the bench
    kept = {path.name for path in DOCS.rglob("*.svg")} - others
    assert [path.name for path in fresh] == sorted(kept)
    for path in fresh:
        shown = DOCS / "pictures" / path.name
        assert shown.read_text(encoding="utf-8") == path.read_text(encoding="utf-8")
        assert shown.stat().st_size < 20_000
        assert f"](../pictures/{path.name})" in pages


def test_folders_are_small() -> None:
    for folder in [DOCS, *(path for path in DOCS.rglob("*") if path.is_dir())]:
        names = [path.name for path in folder.iterdir() if path.name != "__pycache__"]
        assert len(names) <= 20, folder
