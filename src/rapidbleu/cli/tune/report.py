"""Output of the tuning command: a table of weights and scores, and results as JSON."""

from __future__ import annotations

import json
from argparse import Namespace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from rapidbleu._lib.files import replacing_text
from rapidbleu._lib.floats import digits_of
from rapidbleu.cli.files import file_errors
from rapidbleu.table import plain_table
from rapidbleu.tuning import CrossValidation, Instability, NBestList

if TYPE_CHECKING:
    from rapidbleu.typing import FloatArray

SHOWN = 40  # weights in the table

# What a row of the table is called, and the keys of its scores at the start and at the end.
ROWS = (
    ("tune", "start_score", "score"),
    ("out of bag", "", "out_of_bag_score"),
    ("test", "start_test_score", "test_score"),
)


def scores_of(
    found: Instability, nbest: NBestList, test: NBestList | None, start: FloatArray
) -> dict[str, float | None]:
    """Return the scores of the best run and of the start, those that there are, by key.

    In the unit of the metric, with all their digits; None is a score that is not known.
    """
    weights = found.best.weights
    scores: dict[str, float | None] = {
        "score": nbest.evaluate(weights),
        "start_score": nbest.evaluate(start),
    }
    if found.out_of_bag is not None:
        scores["out_of_bag_score"] = known(found.out_of_bag.tolist()[found.tune.best])
    if test is not None:
        scores["test_score"] = test.evaluate(weights)
        scores["start_test_score"] = test.evaluate(start)
    return scores


def known(score: float) -> float | None:
    """Return a score, None for nan.

    Examples
    --------
    >>> known(30.5), known(float("nan"))
    (30.5, None)
    """
    return None if score != score else score


def table(
    found: Instability, start: FloatArray, metric: str, scores: dict[str, float | None]
) -> str:
    """Return the table of weights and scores at the start and at the end."""
    rows = [
        (name, f"{old:.4g}", f"{new:.4g}")
        for name, old, new in zip(
            found.best.names, start.tolist(), found.best.weights.tolist(), strict=True
        )
    ]
    if len(rows) > SHOWN:
        rows[SHOWN:] = [(f"... and {len(rows) - SHOWN} more", "", "")]
    digits = digits_of([score for score in scores.values() if score is not None])
    for what, *keys in ROWS:
        if keys[1] in scores:
            old, new = (_cell(scores[key], digits) if key else "" for key in keys)
            rows.append((f"{metric} {what}", old, new))
    columns = [list(column) for column in zip(*rows, strict=True)]
    return plain_table(["", "start", "tuned"], columns, [False, True, True])


def _cell(score: float | None, digits: int) -> str:
    return "-" if score is None else f"{score:.{digits}f}"


def as_json(
    args: Namespace, found: Instability, metric: str, scores: dict[str, float | None]
) -> dict[str, Any]:
    """Return what was found, with each run if there are several."""
    content = {
        "weights": found.best.as_dict(), "metric": metric, **scores,
        "method": args.method, "seed": args.seed, "interrupted": found.interrupted,
    }  # fmt: skip
    if args.runs > 1:
        content["runs"] = _runs(found)
        content |= {"difference": found.difference, "p_value": found.p_value}
    return content


def _runs(found: Instability) -> list[dict[str, Any]]:
    n = len(found.results)
    tested = [None] * n if found.test is None else found.test.scores.tolist()
    runs = [
        {"seed": seed, "weights": result.as_dict(), "score": result.score, "test_score": score}
        for seed, result, score in zip(found.seeds, found.results, tested, strict=True)
    ]
    if found.out_of_bag is not None:
        for run, score in zip(runs, found.out_of_bag.tolist(), strict=True):
            run["out_of_bag_score"] = known(score)
    return runs


def comparison_as_json(found: CrossValidation) -> dict[str, Any]:
    """Return all that was found; null stands for nan."""
    with_p = find_spec("scipy") is not None
    methods: dict[str, Any] = {}
    for i, name in enumerate(found.methods):
        difference = found.difference(name, found.methods[0])
        numbers = {"difference": difference.mean, "error": difference.error}
        if with_p:
            numbers["p"] = difference.p
        methods[name] = {
            "train": found.train[i].tolist(),
            "test": found.test[i].tolist(),
            "seconds": found.seconds[i].tolist(),
            **{key: known(value) for key, value in numbers.items()},
        }
    return {
        "metric": found.metric,
        "best": found.best,
        "methods": methods,
        "interrupted": found.interrupted,
    }


def write_json(path: str, content: dict[str, Any]) -> None:
    """Write JSON to a file."""
    text = json.dumps(content, indent=4, ensure_ascii=False)
    with file_errors(), replacing_text(path) as file:
        file.write(f"{text}\n")
