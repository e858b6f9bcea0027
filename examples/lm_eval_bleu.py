"""BLEU, chrF and TER of lm-evaluation-harness, computed by rapidbleu.

    rapidbleu run lm_eval --model hf --model_args pretrained=... --tasks wmt16-en-de

does this for the program of the harness. This file does it in Python, with `patch`, for a task of
its own and the harness's `dummy` model, which answers "lol" to everything. It needs `lm_eval`.
"""

import json
import tempfile
from pathlib import Path

import lm_eval
from lm_eval.tasks import TaskManager

from rapidbleu import patch

TASK = """
task: weather
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: generate_until
doc_to_text: "Translate: {{{{de}}}}"
doc_to_target: "{{{{en}}}}"
generation_kwargs: {{until: ["\\n"]}}
metric_list: [{{metric: bleu}}, {{metric: chrf}}, {{metric: ter}}]
"""
ROWS = [{"de": "Es regnet.", "en": "It rains."}, {"de": "lol", "en": "lol"}]


def main() -> None:
    """Write the task, evaluate, and print the scores."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "weather.jsonl")
        data.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), encoding="utf-8")
        Path(folder, "weather.yaml").write_text(TASK.format(data=data), encoding="utf-8")
        with patch():
            found = lm_eval.simple_evaluate(
                model="dummy", tasks=["weather"], task_manager=TaskManager(include_path=folder),
                bootstrap_iters=1000, log_samples=False,
            )  # fmt: skip
    for name, score in sorted(found["results"]["weather"].items()):
        if isinstance(score, float):
            print(f"{name.removesuffix(',none')}: {score:.2f}")


if __name__ == "__main__":
    main()
