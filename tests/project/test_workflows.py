"""Hosted workflows: sound for zizmor; they build, test and publish what platforms.md promises."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections import Counter
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

ARCHIVES = runpy.run_path(str(REPO / ".ci" / "check_archives.py"))


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
    return ARCHIVES["promised_platforms"](PLATFORMS)  # type: ignore[no-any-return]


def promised_versions() -> list[str]:
    return ARCHIVES["promised_versions"](PLATFORMS)  # type: ignore[no-any-return]


def promised_wheels() -> list[str]:
    return ARCHIVES["promised_builds"](PLATFORMS)  # type: ignore[no-any-return]


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


def test_zizmor() -> None:
    """An audit of the workflows and of Dependabot's settings, without the network."""
    zizmor = shutil.which("zizmor", path=sysconfig.get_path("scripts"))
    if zizmor is None and "CI" not in os.environ:
        pytest.skip("zizmor is not installed")
    assert zizmor
    command = [zizmor, "--offline", "--no-config", "--persona", "auditor", "--quiet", "."]
    done = subprocess.run(command, cwd=REPO / ".github", capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr


def test_promised_platforms() -> None:
    assert promised_platforms() == {
        (system, cpu)
        for system, cpus in [
            ("linux", ("x86_64", "aarch64")),
            ("macos", ("x86_64", "arm64")),
            ("windows", ("amd64", "arm64")),
        ]
        for cpu in cpus
    }
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=").replace(".", "")
    assert promised_versions()[0] == f"cp{oldest}"


@pytest.mark.parametrize("wheel", promised_wheels())
def test_every_promised_wheel_is_selected(wheel: str) -> None:
    options = PROJECT["tool"]["cibuildwheel"]
    assert any(fnmatch(wheel, pattern) for pattern in options["build"])
    assert not any(fnmatch(wheel, pattern) for pattern in options.get("skip", []))
    assert options["archs"] == ["auto64"]  # the runner's
    assert not wheel.startswith("pp") or "pypy" in options["enable"]


def command_of(wheel: str) -> str:
    """Return the command that tests a wheel: the last override counts."""
    options = PROJECT["tool"]["cibuildwheel"]
    command = options["test-command"]
    for override in options["overrides"]:
        prefix, braces, rest = override["select"].partition("{")
        names, _, suffix = rest.partition("}")
        patterns = [f"{prefix}{name}{suffix}" for name in names.split(",")] if braces else [prefix]
        if any(fnmatch(wheel, pattern) for pattern in patterns):
            command = override["test-command"]
    assert isinstance(command, str)
    return command


def test_slow_tests_run_on_one_wheel_of_each_platform() -> None:
    slow = [wheel for wheel in promised_wheels() if '-m ""' in command_of(wheel)]
    platforms = Counter(wheel.partition("-")[2] for wheel in slow)
    glibc = {platform for platform in platforms if not platform.startswith("musllinux")}
    assert set(platforms) == glibc and len(glibc) == len(promised_platforms())
    assert set(platforms.values()) == {1}
    whole = [wheel for wheel in promised_wheels() if command_of(wheel).endswith("pytest tests")]
    assert not [
        wheel
        for wheel in promised_wheels()
        if wheel not in (*slow, *whole) and not wheel.startswith("pp")
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64", "cp311-manylinux_x86_64"),
        ("cp314-cp314t-musllinux_1_2_aarch64", "cp314t-musllinux_aarch64"),
        ("cp312-cp312-macosx_10_13_x86_64", "cp312-macosx_x86_64"),
        ("pp311-pypy311_pp73-macosx_11_0_arm64", "pp311-macosx_arm64"),
        ("cp315-cp315-win_amd64", "cp315-win_amd64"),
        ("cp311-cp311-manylinux2014_aarch64", "cp311-manylinux_aarch64"),
    ],
)
def test_builds_of_wheels(name: str, expected: str) -> None:
    assert ARCHIVES["build_of"](f"rapidbleu-0.1.0-{name}.whl") == expected


def test_sets_of_wheels() -> None:
    whole, check = promised_wheels(), ARCHIVES["check_set"]
    assert len(whole) > 50 and check(whole, whole, PLATFORMS) == []
    one = "cp311-win_amd64"
    less = [build for build in whole if build != one]
    assert check(less, whole, PLATFORMS) == [f"{one}: 0 wheels, printed 1 times, promised"]
    assert check(less, less, PLATFORMS) == [f"{one}: 0 wheels, printed 0 times, promised"]
    assert check([*whole, one], whole, PLATFORMS) == [f"{one}: 2 wheels, printed 1 times, promised"]
    more = [*whole, "cp310-win_amd64"]
    assert check(more, more, PLATFORMS) == [
        "cp310-win_amd64: 1 wheels, printed 1 times, not promised"
    ]


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
    assert "--print-build-identifiers" in commands(jobs["wheels"])
    assert "check_archives.py dist --complete" in commands(jobs["check"])


def test_releases_are_published_without_secrets() -> None:
    jobs = read("wheels.yml")["jobs"]
    rehearse, publish = jobs["rehearse"], jobs["publish"]
    assert jobs["check"]["needs"] == "wheels"
    for job in (rehearse, publish):
        assert job["needs"] == "check"
        assert job["permissions"].items() >= {"id-token": "write", "attestations": "write"}.items()
    assert publish["if"].startswith("startsWith(github.ref, 'refs/tags/v') && ")
    used = [step["uses"].split("@")[0] for step in steps(publish)]
    assert used == ["actions/download-artifact", "actions/attest", "pypa/gh-action-pypi-publish"]
    assert "secrets." not in "".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)


def test_the_rehearsal_is_the_release_to_another_index() -> None:
    jobs = read("wheels.yml")["jobs"]
    rehearse, publish = jobs["rehearse"], jobs["publish"]
    assert rehearse["if"] == "github.event_name == 'workflow_dispatch'"
    assert rehearse["environment"] != publish["environment"]
    checkout, check, *same, last = steps(rehearse)
    assert checkout["uses"].startswith("actions/checkout@")
    assert check["run"] == "python3 .ci/release.py check"
    assert "release.py check" in commands(jobs["sdist"])  # of a tag, before anything is built
    assert [*same, {"uses": last["uses"]}] == list(steps(publish))
    assert last["with"]["repository-url"] == "${{ vars.TEST_INDEX }}"


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
        promised_versions()[0],
        newest,
    ]
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
        ("lint", "tests/project/test_release.py"),
        ("lint", "actionlint@v"),
        ("sdist", "check_archives.py dist"),
        ("sdist", "cmp dist/*.whl again/*.whl"),
        ("lowest", '--resolution lowest-direct -e ".[all]"'),
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
