"""Prepare a release, as in docs/development/publishing.md.

    python .ci/release.py address https://github.com/OWNER/rapidbleu
    python .ci/release.py version 0.9.0 [2026-12-01]
    python .ci/release.py check [v0.9.0]

``address`` writes the repository's address to pyproject.toml, from which setup.py and the
documentation take it, and to the files that sites read unchanged: CITATION.cff and, as badges,
README.md, from which it removes the note on the missing release. ``version`` sets the version
everywhere, and with a date closes the changelog. ``check`` lists what a release lacks.
"""

import re
import sys
import tomllib
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
UNRELEASED = "unreleased"


def read(root: Path, name: str) -> str:
    return (root / name).read_text(encoding="utf-8")


def write(root: Path, name: str, text: str) -> None:
    (root / name).write_text(text, encoding="utf-8", newline="\n")


def urls(root: Path) -> dict[str, str]:
    """Return project.urls."""
    project = tomllib.loads(read(root, "pyproject.toml"))["project"]
    return {str(name): str(url) for name, url in project.get("urls", {}).items()}


def set_address(root: Path, address: str) -> None:
    """Write the repository's address to the files that contain it."""
    found = re.fullmatch(r"https://github\.com/([\w-]+)/([\w.-]+?)(?:\.git)?/?", address)
    if not found:
        raise ValueError(f"address: expected https://github.com/OWNER/NAME; got {address!r}")
    owner, name = found.groups()
    source = f"https://github.com/{owner}/{name}"
    table = f"""[project.urls]
Source = "{source}"
Documentation = "https://{owner.lower()}.github.io/{name}/"
Changelog = "{source}/blob/main/CHANGELOG.md"
Issues = "{source}/issues"

"""
    text = re.sub(r"^\[project\.urls\]\n(.+\n)*\n", "", read(root, "pyproject.toml"), flags=re.M)
    write(
        root, "pyproject.toml", text.replace("[project.scripts]\n", f"{table}[project.scripts]\n")
    )

    text = re.sub(r"^repository-code: .*\n", "", read(root, "CITATION.cff"), flags=re.M)
    code = f"repository-code: {source}\n"
    write(root, "CITATION.cff", re.sub(r"^(?=license: )", code, text, flags=re.M))

    badges = "\n".join(
        f"[![{job}]({source}/actions/workflows/{file}/badge.svg)]({source}/actions/workflows/{file})"
        for job, file in (("CI", "ci.yml"), ("Wheels", "wheels.yml"))
    )
    text = re.sub(r"^(\[!\[.*\n)+\n", "", read(root, "README.md"), flags=re.M)
    text = re.sub(r"Until its first release[^,]*, build", "You can also build", text)
    write(root, "README.md", text.replace("# rapidbleu\n", f"# rapidbleu\n\n{badges}\n", 1))


def set_version(root: Path, version: str, day: str = UNRELEASED) -> None:
    """Set the version, and with a day (YYYY-MM-DD) the date of its release."""
    if not re.fullmatch(r"\d+\.\d+\.\d+(rc\d+)?", version):
        raise ValueError(f"version: expected X.Y.Z or X.Y.ZrcN; got {version!r}")
    if day != UNRELEASED:
        date.fromisoformat(day)
    old = current_version(root)
    module = "src/rapidbleu/_version.py"
    write(root, module, read(root, module).replace(f'"{old}"', f'"{version}"'))

    text = re.sub(r"^date-released: .*\n", "", read(root, "CITATION.cff"), flags=re.M)
    lines = f"version: {version}\n" + f"date-released: {day}\n" * (day != UNRELEASED)
    write(root, "CITATION.cff", re.sub(r"^version: .*\n", lines, text, flags=re.M))

    text = read(root, "CHANGELOG.md")
    heading = f"## {version} ({day})\n"
    pattern = rf"^## (\S+ \({UNRELEASED}\)|{re.escape(version)} \(.*\))\n"
    if not re.search(pattern, text, flags=re.M):
        heading, pattern = f"{heading}\n", r"^(?=## )"
    write(root, "CHANGELOG.md", re.sub(pattern, heading, text, count=1, flags=re.M))

    # Signatures in examples; the tables of times get theirs from `python -m bench --tables`.
    pages = [path for path in (root / "docs").rglob("*") if path.suffix in (".md", ".svg")]
    for path in [root / "README.md", *pages]:
        name = path.relative_to(root).as_posix()
        text = read(root, name)
        if f"+rapidbleu.{old}" in text:
            write(root, name, text.replace(f"+rapidbleu.{old}", f"+rapidbleu.{version}"))


def current_version(root: Path) -> str:
    found = re.search(r'^__version__ = "(.*)"$', read(root, "src/rapidbleu/_version.py"), re.M)
    assert found
    return found[1]


def problems(root: Path, tag: str = "") -> list[str]:
    """Return what is missing for a release."""
    version, address = current_version(root), urls(root).get("Source", "")
    citation, changelog = read(root, "CITATION.cff"), read(root, "CHANGELOG.md")
    checks = {
        "pyproject.toml: no address: python .ci/release.py address URL": bool(address),
        f"CITATION.cff: repository-code is not {address}": (
            not address or f"-code: {address}\n" in citation
        ),
        f"CITATION.cff: version is not {version}": f"\nversion: {version}\n" in citation,
        "CITATION.cff: no date: python .ci/release.py version X.Y.Z DATE": "\ndate-r" in citation,
        f"CHANGELOG.md: no heading ## {version} (DATE)": bool(
            re.search(rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)$", changelog, re.M)
        ),
        f"CHANGELOG.md: a heading is {UNRELEASED}": f"({UNRELEASED})" not in changelog,
        f"the tag {tag} is not v{version}": tag in ("", f"v{version}"),
    }
    return [problem for problem, passed in checks.items() if not passed]


def main(command: str = "", *arguments: str) -> int:
    if command == "address" and len(arguments) == 1:
        set_address(ROOT, *arguments)
    elif command == "version" and len(arguments) in (1, 2):
        set_version(ROOT, *arguments)
    elif command == "check" and len(arguments) < 2:
        found = problems(ROOT, *arguments)
        print(*found, sep="\n", end="\n" * bool(found))
        return int(bool(found))
    else:
        print(__doc__)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
