"""Lazily loaded names are exactly the listed ones."""

import importlib
import subprocess
import sys

import pytest

PACKAGES = ["rapidbleu", "rapidbleu.metrics", "rapidbleu.tuning"]


@pytest.mark.parametrize("package", PACKAGES)
def test_all_names_are_listed_and_there(package: str) -> None:
    program = (
        f"import sys, {package} as package\n"
        "packages = getattr(package, 'PACKAGES', ())\n"
        "late = {'rapidbleu.metrics.edits.rates', 'rapidbleu.tuning.search.mert'}\n"
        "assert not late & set(sys.modules)\n"
        "assert set(package.__all__) == {n for n in dir(package) if n not in packages}\n"
        "for name in package.__all__:\n"
        "    found = getattr(package, name)\n"
        "    assert vars(package)[name] is found\n"
        "    assert getattr(found, '__name__', name) == name\n"
        "print(len(package.__all__))"
    )
    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True
    ).stdout
    assert int(out) > 20


@pytest.mark.parametrize("package", PACKAGES)
def test_other_names_are_refused(package: str) -> None:
    module = importlib.import_module(package)
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'blue'"):
        module.blue  # noqa: B018


def test_packages_are_attributes() -> None:
    program = (
        "import sys, types, rapidbleu\n"
        "for name in rapidbleu.PACKAGES:\n"
        "    module = getattr(rapidbleu, name)\n"
        "    assert isinstance(module, types.ModuleType) and name in dir(rapidbleu)\n"
        "print(rapidbleu.significance.paired_bootstrap.__name__)"
    )
    command = [sys.executable, "-c", program]
    assert subprocess.check_output(command, encoding="utf-8") == "paired_bootstrap\n"


def test_names_of_the_stand_in_are_found_there() -> None:
    """`import rapidbleu as sacrebleu` lacks the stand-in's own names, as the error explains."""
    import sacrebleu

    import rapidbleu

    names = [name for name in dir(sacrebleu) if not name.startswith("_")]
    lacking = [name for name in names if not hasattr(rapidbleu, name)]
    assert sorted(lacking) == sorted(rapidbleu.SACREBLEUS)
    for name in lacking:
        with pytest.raises(AttributeError, match=f"'{name}'; rapidbleu.sacrebleu has it$"):
            getattr(rapidbleu, name)
        assert hasattr(rapidbleu.sacrebleu, name)
