"""Make tests/data/meta/mt_metrics_eval.json: figures of synthetic scores by mt-metrics-eval.

The package of that name in the index is not the repository google-research/mt-metrics-eval. Check
the repository out, install SciPy, and run from the folder of tests:

    PYTHONPATH=.:CHECKOUT python support/programs/mt_metrics_eval_numbers.py
"""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from mt_metrics_eval import stats

from support.judged_scores import judged

BY = {"none": "none", "segment": "item", "system": "sys"}
SHAPES = [(2, 3), (5, 8), (8, 5), (15, 20), (3, 60)]


def statistics(found: Any, by: str) -> list[tuple[str, dict[str, float], Any]]:
    return [
        ("pearson", {}, lambda: found.Pearson(by)),
        ("spearman", {}, lambda: found.Spearman(by)),
        ("kendall", {}, lambda: found.Kendall(by)),
        ("kendall_c", {}, lambda: found.Kendall(by, "c")),
        ("kendall_like", {"min_difference": 3.0}, lambda: found.KendallLike(by, 3.0)),
        ("kendall_like", {"min_difference": 0.0}, lambda: found.KendallLike(by, 0.0)),
        ("tau23", {}, lambda: found.KendallVariants(by, "23")),
        ("accuracy", {}, lambda: found.KendallVariants(by, "acc23")),
        ("accuracy", {"epsilon": 0.3}, lambda: found.KendallVariants(by, "acc23", 0.3)),
        ("kendall", {"epsilon": 0.3}, lambda: found.KendallVariants(by, "b", 0.3)),
        ("accuracy_eq", {}, lambda: found.KendallWithTiesOpt(by, "acc23", 1.0)),
    ]


def main() -> None:
    numbers = []
    for seed, (n_systems, n_segments) in enumerate(SHAPES):
        for gaps in (0.0, 0.25):
            scores = {
                "seed": seed,
                "n_systems": n_systems,
                "n_segments": n_segments,
                "gaps": gaps,
                "digits": 1 if seed % 2 else 12,
            }
            human, metric = judged(**scores)
            metric[np.isnan(metric)] = 0.0  # only human scores may be missing
            gold = [None if h != h else h for h in human.ravel().tolist()]
            found = stats.Correlation(n_systems, gold, metric.ravel().tolist())
            for by, theirs in BY.items():
                for statistic, options, compute in statistics(found, theirs):
                    numbers.append(
                        {
                            "scores": scores,
                            "statistic": statistic,
                            "by": by,
                            "options": options,
                            "value": float(compute()[0]),
                        }
                    )
            if not gaps and seed % 2 == 0:
                value = stats.PairwiseConfidenceError(gold, metric.ravel().tolist(), n_systems)[0]
                numbers.append(
                    {
                        "scores": scores,
                        "statistic": "soft_accuracy",
                        "by": "means",
                        "options": {},
                        "value": float(value),
                    }
                )
    folder = Path("data", "meta")
    folder.mkdir(exist_ok=True)
    text = ",\n".join(map(json.dumps, numbers))
    (folder / "mt_metrics_eval.json").write_text(f"[\n{text}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
