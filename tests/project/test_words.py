"""Words of the public surface: exactly those in the table that opens the reference."""

import dataclasses
import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

import rapidbleu
from rapidbleu import Metric, Score
from support.places import REPO

SOURCE = REPO / "src" / "rapidbleu"
PAGE = REPO / "docs" / "reference" / "words.md"
PACKAGES = [
    "alignment",
    "comparison",
    "explanation",
    "meta",
    "metrics",
    "plots",
    "rewards",
    "scores",
    "significance",
    "spark",
    "tokenizers",
    "tuning",
    "typing",
]
MOST_NAMES = 190

# Names of algorithms, statistics and programs, and sacrebleu's function names.
NO_VERBS = {
    "better",
    "bootstrap",
    "bootstrap_test",
    "idf",
    "line_search",
    "mbr",
    "mert",
    "mira",
    "paired_bootstrap",
    "paired_randomization",
    "permutation_test",
    "poisson_bootstrap",
    "pro",
    "risk",
    "soft_accuracy",
    "stats",
    "williams_test",
}
VERBS = {
    "average",
    "compare",
    "correct",
    "correlate",
    "count",
    "cross",
    "enumerate",
    "estimate",
    "find",
    "fit",
    "format",
    "get",
    "make",
    "parse",
    "patch",
    "plot",
    "rank",
    "read",
    "sample",
    "scan",
    "score",
    "select",
    "split",
    "sum",
    "summarize",
    "swap",
    "symmetrize",
    "tune",
    "write",
}


def tables() -> tuple[set[str], dict[str, set[str]]]:
    shared, own = PAGE.read_text(encoding="utf-8").split("## Parameters of one function")
    rows = re.findall(r"^\| (`.*?) \|", shared, re.MULTILINE)
    words = {word for row in rows for word in re.findall(r"`(\w+)`", row)}
    cells = re.findall(r"^\| `([\w.]+)` \| (.*) \|$", own, re.MULTILINE)
    return words, {name: set(re.findall(r"`(\w+)`", row)) for name, row in cells}


def public() -> dict[str, Any]:
    """Return the objects of all `__all__`, and the methods of the classes, by name."""
    found: dict[str, Any] = {}
    for package in [rapidbleu, *(getattr(rapidbleu, name) for name in PACKAGES)]:
        prefix = "spark." if package.__name__ == "rapidbleu.spark" else ""
        for name in package.__all__:
            found[prefix + name] = getattr(package, name)
    for value in list(found.values()):
        if inspect.isclass(value):
            for method in dir(value):
                owner = next(c for c in value.__mro__ if method in vars(c) or c is object)
                if owner.__module__.startswith("rapidbleu") and not method.startswith("_"):
                    place = owner.__name__.replace("RunningTotals", "RunningScore")
                    found[f"{place}.{method}"] = getattr(value, method)
    return found


def signatures() -> Iterator[tuple[str, set[str]]]:
    """Yield callables and their parameters.

    Skip results, which are not called, and metrics, whose options are on their pages; sacrebleu's
    functions and scores are compared with the originals in `tests/dropin/test_top_level_names.py`.
    """
    for name, value in public().items():
        if re.match("(raw_)?(corpus|sentence)_", name) or name in ("Score.format",):
            continue
        if inspect.isclass(value):
            result = issubclass(value, (tuple, Score, dict)) or dataclasses.is_dataclass(value)
            if result or issubclass(value, Metric) or name.endswith(RESULTS):
                continue
        if callable(value):
            try:
                parameters = inspect.signature(value).parameters
            except ValueError:
                continue
            yield name, {word for word in parameters if word not in ("self", "args", "kwargs")}


RESULTS = (
    "Comparison",
    "Difference",
    "Explanation",
    "Orders",
    "Result",
    "Shares",
    "Signature",
    "Summary",
    "Text",
    "Tuning",
)


def test_parameters_are_in_the_tables() -> None:
    shared, own = tables()
    wrong = defaultdict(set)
    for name, words in signatures():
        for word in words - shared - own.get(name, set()):
            wrong[word].add(name)
    assert dict(wrong) == {}


def test_words_of_the_tables_are_used() -> None:
    shared, own = tables()
    used: dict[str, set[str]] = dict(signatures())
    options = {word for words in used.values() for word in words}
    assert shared - options == set()
    assert {name: words - used[name] for name, words in own.items() if words - used[name]} == {}


def test_functions_are_verbs() -> None:
    functions = [name for name, value in public().items() if inspect.isfunction(value)]
    names = {name.removeprefix("spark.") for name in functions}
    names = {name for name in names if "." not in name}  # no methods
    own = {name for name in names if not re.match("(raw_)?(corpus|sentence)_", name)} - NO_VERBS
    assert {name for name in own if name.partition("_")[0] not in VERBS} == set()


def test_names_are_few() -> None:
    names = {
        name
        for package in [rapidbleu, *(getattr(rapidbleu, p) for p in PACKAGES)]
        for name in package.__all__
    }
    assert len(names) <= MOST_NAMES


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_list_their_names(package: str) -> None:
    module = getattr(rapidbleu, package)
    assert len(set(module.__all__)) == len(module.__all__)
    assert all(hasattr(module, name) for name in module.__all__)


def test_errors_have_one_punctuation() -> None:
    """A semicolon precedes the value received, because expectations contain commas."""
    for path in sorted([*SOURCE.rglob("*.py"), *SOURCE.rglob("*.pyx"), *SOURCE.rglob("*.h")]):
        found = re.findall(r'.*, (?:"\s*f?")?got[ "].*', path.read_text("utf-8"))
        assert not [line for line in found if "got = " not in line], path
