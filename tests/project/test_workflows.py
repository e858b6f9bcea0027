"""Hosted workflows: they parse, and build the targets of platforms.md by the README's command."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from support.places import PYTHONPATH, REPO

README = (REPO / "README.md").read_text(encoding="utf-8")
PLATFORMS = (REPO / "docs" / "development" / "platforms.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((REPO / ".github" / "workflows").glob("*.yml"))
if "CI" not in os.environ:
    pytest.importorskip("yaml")

# The tags in the names of a system's wheels, and which of its processors PyPy is released for.
TAGS = {"linux": ("manylinux", "musllinux"), "macos": ("macosx",), "windows": ("win",)}
PYPY = {"manylinux_x86_64", "manylinux_aarch64", "macosx_x86_64", "macosx_arm64", "win_amd64"}


def read(name: str) -> dict[str, Any]:
    import yaml

    found = yaml.safe_load((REPO / ".github" / "workflows" / name).read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def steps(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from job["steps"]


def commands(job: dict[str, Any]) -> str:
    return "\n".join(step.get("run", "") for step in steps(job))


def promised_platforms() -> set[tuple[str, str]]:
    rows = re.findall(r"^\| (Linux|macOS|Windows)\b[^|]*\|([^|]*)\|$", PLATFORMS, re.MULTILINE)
    return {(system.lower(), cpu.strip()) for system, cpus in rows for cpu in cpus.split(",")}


def promised_versions() -> list[str]:
    oldest, newest = re.findall(r"CPython\s3\.(\d+)\sto\s3\.(\d+)", PLATFORMS)[0]
    threaded = re.findall(r"free-threaded\sCPython\s3\.(\d+)\sand\s3\.(\d+)", PLATFORMS)[0]
    pypy = re.findall(r"PyPy\s3\.(\d+)", PLATFORMS)
    return [
        *(f"cp3{minor}" for minor in range(int(oldest), int(newest) + 1)),
        *(f"cp3{minor}t" for minor in threaded),
        *(f"pp3{minor}" for minor in pypy),
    ]


def promised_wheels() -> list[str]:
    platforms = sorted(
        f"{tag}_{cpu}" for system, cpu in promised_platforms() for tag in TAGS[system]
    )
    return [
        f"{version}-{platform}"
        for platform in platforms
        for version in promised_versions()
        if not version.startswith("pp") or platform in PYPY
    ]


def test_workflows_parse() -> None:
    assert [path.name for path in WORKFLOWS] == ["ci.yml", "docs.yml", "wheels.yml"]
    for path in WORKFLOWS:
        workflow = read(path.name)
        assert workflow["permissions"] == {"contents": "read"}
        assert True in workflow  # YAML reads the key `on` as a truth value
        for job in workflow["jobs"].values():
            assert job["runs-on"] and all("uses" in step or "run" in step for step in steps(job))
            assert "needs" not in job or job["needs"] in workflow["jobs"]


def test_actions_are_pinned_alike() -> None:
    pins: dict[str, set[str]] = {}
    for path in WORKFLOWS:
        for action, pin in re.findall(r"uses: ([^\s@]+)@(.*)", path.read_text(encoding="utf-8")):
            assert re.fullmatch(r"[0-9a-f]{40} # v\d+\.\d+\.\d+", pin), (path.name, action, pin)
            pins.setdefault(action, set()).add(pin)
    assert len(pins) >= 5
    assert {action: found for action, found in pins.items() if len(found) > 1} == {}


def test_promised_platforms() -> None:
    assert promised_platforms() == {
        (system, cpu)
        for system, cpus in [
            ("linux", ("x86_64", "aarch64")), ("macos", ("x86_64", "arm64")),
            ("windows", ("amd64", "arm64")),
        ]
        for cpu in cpus
    }  # fmt: skip
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=").replace(".", "")
    assert promised_versions()[0] == f"cp{oldest}"


@pytest.mark.parametrize("wheel", promised_wheels())
def test_every_promised_wheel_is_selected(wheel: str) -> None:
    options = PROJECT["tool"]["cibuildwheel"]
    assert any(fnmatch(wheel, pattern) for pattern in options["build"])
    assert not any(fnmatch(wheel, pattern) for pattern in options.get("skip", []))
    assert options["archs"] == ["auto64"]  # the runner's
    assert not wheel.startswith("pp") or "pypy" in options["enable"]


def test_wheels_have_a_runner_each() -> None:
    matrix = read("wheels.yml")["jobs"]["wheels"]["strategy"]["matrix"]["include"]
    runners = {entry["wheels"]: entry["runner"] for entry in matrix}
    assert len(runners) == len(matrix)
    for system, cpu in promised_platforms():
        runner = runners[f"{system}-{cpu}"]
        assert runner.startswith("ubuntu" if system == "linux" else system)
        on_arm = "arm" in runner or runner == "macos-latest"
        assert on_arm == (cpu in ("aarch64", "arm64")), runner


def test_wheels_are_built_from_the_source_archive() -> None:
    jobs = read("wheels.yml")["jobs"]
    assert jobs["wheels"]["needs"] == "sdist"
    assert "checkout" not in str(jobs["wheels"])
    assert re.search(r"python -m cibuildwheel .* dist/\*\.tar\.gz", commands(jobs["wheels"]))
    assert "pip install dist/*.tar.gz" in commands(jobs["sdist"])
    assert "python -m pytest tests" in commands(jobs["sdist"])
    assert "pytest" in PROJECT["tool"]["cibuildwheel"]["test-command"]
    assert "check_archives.py dist" in commands(jobs["check"])


def test_releases_are_published_without_secrets() -> None:
    jobs = read("wheels.yml")["jobs"]
    publish = jobs["publish"]
    assert publish["needs"] == "check" and jobs["check"]["needs"] == "wheels"
    assert publish["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert publish["permissions"] == {"id-token": "write", "attestations": "write"}
    used = [step["uses"].split("@")[0] for step in steps(publish)]
    assert used == ["actions/download-artifact", "actions/attest", "pypa/gh-action-pypi-publish"]
    assert "secrets." not in "".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)


def test_the_site_is_built_alike_and_published_from_main() -> None:
    jobs = read("docs.yml")["jobs"]
    found = re.search(r"python (-m sphinx -W .*) (\S+)$", commands(jobs["build"]), re.MULTILINE)
    assert found
    conf = (REPO / "docs" / "site" / "conf.py").read_text(encoding="utf-8")
    assert f"`{found[0]}`" in conf
    assert f"python {found[1]} " in (REPO / ".ci" / "run").read_text(encoding="utf-8")
    assert {"path": found[2]} in [step.get("with") for step in steps(jobs["build"])]
    publish = jobs["publish"]
    assert publish["needs"] == "build" and publish["if"] == "github.ref == 'refs/heads/main'"
    assert publish["permissions"] == {"pages": "write", "id-token": "write"}
    assert [step["uses"].split("@")[0] for step in steps(publish)] == ["actions/deploy-pages"]
    assert "permissions" not in jobs["build"]


def test_ci_runs_the_readmes_command_everywhere() -> None:
    job = read("ci.yml")["jobs"]["tests"]
    matrix = job["strategy"]["matrix"]
    assert {name.split("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    newest = max(v for v in promised_versions() if re.fullmatch(r"cp\d+", v))
    assert [f"cp{version.replace('.', '')}" for version in matrix["python"]] == [
        promised_versions()[0], newest,
    ]  # fmt: skip
    command = re.findall(r"^```sh\n(.*)\n```$", README, re.MULTILINE)[-1]
    assert command.endswith("-m pytest -n logical")
    slow = ".venv/bin/python -m pytest -m slow"
    ran = [(step["if"], step["run"]) for step in steps(job) if "run" in step]
    assert ran == [
        ("runner.os != 'Windows'", command),
        ("runner.os == 'Windows'", command.replace("/bin/", "/Scripts/")),
        ("runner.os != 'Windows'", slow),
        ("runner.os == 'Windows'", slow.replace("/bin/", "/Scripts/")),
    ]


@pytest.mark.parametrize(
    ("job", "command"),
    [
        ("lint", "tests/project/test_house.py"),
        ("sdist", "check_archives.py dist"),
        ("sanitizers", ".ci/sanitize"),
        ("sanitizers", "RAPIDBLEU_SANITIZE=thread"),
        ("free-threaded", "tests/robustness/test_threads.py"),
        ("bench", "python -m bench --check"),
        ("bench", ".ci/count_instructions.py"),
        ("coverage", "RAPIDBLEU_TRACE=1"),
        ("coverage", "coverage report"),
    ],
)
def test_ci_has_the_job(job: str, command: str) -> None:
    assert command in commands(read("ci.yml")["jobs"][job])


@pytest.mark.skipif(sys.platform != "linux", reason="for bash 4 or later")
def test_a_failure_in_the_background_ends_the_run(tmp_path: Path) -> None:
    run = (REPO / ".ci" / "run").read_text(encoding="utf-8")
    functions = re.search(r"^begin\(\) .*?^finish\(\) .*?^}$", run, re.MULTILINE | re.DOTALL)
    bash = shutil.which("bash")
    assert functions and bash
    program = f"""
set -euo pipefail
work=.
declare -A begun
{functions[0]}
good() {{ echo done; }}
bad() {{ echo first; false; echo second; }}
begin good
begin bad
finish good bad
echo third
"""
    done = subprocess.run([bash, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "done\nfirst\n.ci/run: bad failed\n")


def test_jobs_whose_instructions_are_counted(tmp_path: Path) -> None:
    script = runpy.run_path(str(REPO / ".ci" / "count_instructions.py"))
    program = "\n".join([script["SETUP"], *script["JOBS"].values()])
    environment = {**os.environ, "PYTHONPATH": PYTHONPATH}
    command = [sys.executable, "-c", program]
    subprocess.run(command, env=environment, cwd=tmp_path, check=True)


def test_instructions_are_stored_for_every_job() -> None:
    script = runpy.run_path(str(REPO / ".ci" / "count_instructions.py"))
    stored = json.loads(script["STORED"].read_text(encoding="utf-8"))
    assert list(stored) == ["environment", *script["LEVELS"]]
    for level in script["LEVELS"]:
        assert list(stored[level]) == list(script["JOBS"])


def test_jobs_that_take_more_instructions() -> None:
    slower = runpy.run_path(str(REPO / ".ci" / "count_instructions.py"))["slower"]
    before = {"same": 1000, "less": 1000, "within the limit": 1000, "more": 1000}
    now = {"same": 1000, "less": 500, "within the limit": 1010, "more": 1020}
    assert slower(now, before) == ["more"]


def test_instructions_of_calls_with_a_price(tmp_path: Path) -> None:
    script = runpy.run_path(str(REPO / ".ci" / "count_instructions.py"))
    written = """\
fn=work
1 40
cfn=realloc
calls=3 0
2 5000
cfn=other
calls=1 0
2 7
fn=realloc
3 4000
cfn=malloc
calls=1 0
3 1000
totals: 5047
"""
    (tmp_path / "out").write_text(written, encoding="utf-8")
    assert script["counted"](tmp_path / "out") == 5047 - 5000 + 3 * script["PRICE"]


def test_scripts_of_the_workflows_exist() -> None:
    named = {
        name
        for path in [*WORKFLOWS, REPO / "pyproject.toml"]
        for name in re.findall(r"(?:\.ci|tests)/[\w/]+\.py", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 3
    assert [name for name in sorted(named) if not (REPO / name).is_file()] == []
