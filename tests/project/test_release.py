"""Releases: address and version are set everywhere, gaps are listed, metadata agree."""

import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import rapidbleu
from support.places import REPO

RELEASE = runpy.run_path(str(REPO / ".ci" / "release.py"))
PROJECT = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))
ADDRESS = "https://github.com/Some-One/rapidbleu"
TEXTS = ("CHANGELOG.md", "CITATION.cff", "README.md", "pyproject.toml", "setup.py", "LICENSE")
DAY = "2030-02-28"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in TEXTS:
        shutil.copy(REPO / name, tmp_path)
    shutil.copytree(REPO / "docs", tmp_path / "docs")
    package = tmp_path / "src" / "rapidbleu"
    package.mkdir(parents=True)
    for name in ("__init__.py", "_version.py"):
        shutil.copy(REPO / "src" / "rapidbleu" / name, package)
    return tmp_path


def texts(folder: Path) -> dict[str, str]:
    names = [path for path in folder.rglob("*") if path.suffix in (".md", ".svg", ".cff", ".toml")]
    return {str(path): path.read_text(encoding="utf-8") for path in names}


def test_a_release_needs_an_address_and_a_date(copy: Path) -> None:
    release, version = RELEASE, "98.7.6"
    release["set_version"](copy, version, DAY)
    if not release["urls"](copy):
        (lack,) = release["problems"](copy)
        assert "no address" in lack
    release["set_address"](copy, ADDRESS)
    release["set_version"](copy, version)
    lacks = release["problems"](copy)
    assert len(lacks) == 3 and all(
        version in lack or "date" in lack or "unr" in lack for lack in lacks
    )
    release["set_version"](copy, version, DAY)
    assert release["problems"](copy) == []
    assert release["problems"](copy, f"v{version}") == []
    assert release["problems"](copy, "v99.0.0") == [f"the tag v99.0.0 is not v{version}"]


def test_the_address_is_set_again(copy: Path) -> None:
    RELEASE["set_address"](copy, "https://github.com/before/name")
    RELEASE["set_address"](copy, "https://github.com/before/name.git")
    once = texts(copy)
    RELEASE["set_address"](copy, "https://github.com/before/name/")
    assert texts(copy) == once
    RELEASE["set_address"](copy, ADDRESS)
    assert not [name for name, text in texts(copy).items() if "github.com/before" in text]
    readme = (copy / "README.md").read_text(encoding="utf-8")
    assert "Until its first release" not in readme and "You can also build it" in readme
    assert RELEASE["urls"](copy)["Documentation"] == "https://some-one.github.io/rapidbleu/"
    for wrong in ("", "http://github.com/a/b", "https://github.com/a", "git@github.com:a/b"):
        with pytest.raises(ValueError, match=r"^address: expected "):
            RELEASE["set_address"](copy, wrong)


def test_the_version_is_set_everywhere(copy: Path) -> None:
    """Except in tables of times, which come from the results of that version."""
    old = rapidbleu.__version__
    RELEASE["set_version"](copy, "98.7.6", "2030-01-31")
    RELEASE["set_version"](copy, "98.7.6", DAY)
    RELEASE["set_version"](copy, "98.8.0")
    changelog = (copy / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (98\..*)$", changelog, re.M) == [
        "98.8.0 (unreleased)",
        f"98.7.6 ({DAY})",
    ]
    for name, text in texts(copy).items():
        rest = re.sub(rf"; rapidbleu {re.escape(old)}, ", "", text)
        assert f"rapidbleu.{old}" not in rest and "rapidbleu.98.7.6" not in rest, name
        assert not re.search(rf"^version: {re.escape(old)}$", rest, re.M), name
    assert "date-released" not in (copy / "CITATION.cff").read_text(encoding="utf-8")
    assert RELEASE["current_version"](copy) == "98.8.0"
    with pytest.raises(ValueError, match=r"^version: expected "):
        RELEASE["set_version"](copy, "v1.0")


def test_package_indexes_get_whole_addresses(copy: Path) -> None:
    """PyPI shows no other files of the repository, so its README has no relative links."""
    RELEASE["set_address"](copy, ADDRESS)
    command = [sys.executable, "setup.py", "-q", "--long-description"]
    done = subprocess.run(
        command,
        cwd=copy,
        capture_output=True,
        encoding="utf-8",
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    pages = re.findall(r"(?<!\))\]\(([^)\s]+)\)", done.stdout)
    pages = [page for page in pages if not page.endswith(("ci.yml", "wheels.yml", ".svg"))]
    pictures = re.findall(r'!\[.*\]\((.+\.png)\)|src(?:set)?="(.*?)"', done.stdout)
    paths = [page.removeprefix(f"{ADDRESS}/blob/main/") for page in pages if ".png" not in page]
    assert len(paths) > 20
    assert [path for path in paths if not (REPO / path.partition("#")[0]).is_file()] == []
    assert len(pictures) == 3
    assert all("".join(pair).startswith(f"{ADDRESS}/raw/main/docs/") for pair in pictures)


def test_address_of_citation_and_project() -> None:
    source = RELEASE["urls"](REPO).get("Source")
    citation = (REPO / "CITATION.cff").read_text(encoding="utf-8")
    assert source in [*re.findall("^repository-code: (.*)$", citation, re.M), None]


def test_classifiers_are_the_interpreters_of_the_wheels() -> None:
    promised = runpy.run_path(str(REPO / ".ci" / "check_archives.py"))["promised_versions"]
    page = (REPO / "docs" / "development" / "platforms.md").read_text(encoding="utf-8")
    kinds = PROJECT["project"]["classifiers"]
    minors = {kind.partition(" :: Python :: 3.")[2] for kind in kinds} - {""}
    assert {f"cp3{minor}" for minor in minors} == {
        v for v in promised(page) if v[-1] != "t" and v[0] == "c"
    }
    assert any("Free Threading" in kind for kind in kinds)
    assert {"PyPy", "CPython"} == {kind.split()[-1] for kind in kinds if "Implementation" in kind}
    assert not [kind for kind in kinds if kind.startswith("License")]  # SPDX has replaced them


def names_of(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=!;~ ]", requirement)[0] for requirement in requirements}


def test_extras_are_for_users() -> None:
    extras, groups = PROJECT["project"]["optional-dependencies"], PROJECT["dependency-groups"]
    listed = "".join(extras["all"])
    named = {
        name for found in re.findall(r"rapidbleu\[(.*?)\]", listed) for name in found.split(",")
    }
    assert named == extras.keys() - {"all", "dev"}
    assert set(groups["docs"]) <= set(extras["dev"])
    assert not names_of(extras["dev"]) & names_of(groups["fuzz"] + groups["test-peers"])
    assert set(groups) >= {
        "bench",
        "docs",
        "fuzz",
        "test",
        "test-engines",
        "test-mbrs",
        "test-peers",
    }


def test_the_recipe_of_conda_forge() -> None:
    yaml = pytest.importorskip("yaml")
    text = (REPO / ".ci" / "conda-forge" / "recipe.yaml").read_text(encoding="utf-8")
    recipe = yaml.safe_load(text)
    needs = recipe["requirements"]
    project, build = PROJECT["project"], PROJECT["build-system"]["requires"]
    assert [name.replace(" ", "") for name in needs["run"][1:]] == project["dependencies"]
    assert {name.replace(" ", "") for name in needs["host"][2:]} == set(build)
    assert recipe["about"]["license"] == project["license"]
    assert recipe["about"]["summary"] == project["description"]
    assert set(recipe["tests"][0]["python"]["imports"]) <= {
        ".".join(path.relative_to(REPO / "src").parent.parts)
        for path in (REPO / "src").rglob("__init__.py")
    }


def test_the_checklist_is_short() -> None:
    page = (REPO / "docs" / "development" / "publishing.md").read_text(encoding="utf-8")
    items = re.findall(r"^\d+\. ", page, re.MULTILINE)
    assert 4 <= len(items) <= 10
