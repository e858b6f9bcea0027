"""``rapidbleu compare --from lm-eval``: sample logs of lm-evaluation-harness."""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rapidbleu import BLEU, CHRF, SegmentScores, compare
from rapidbleu.significance import bootstrap
from support.command_line import Run, failure

N = 30
DATE = "2026-11-27T03-07-18.139269"
RNG = Random("lm-eval")
TARGETS = [" ".join(RNG.choices(["eins", "zwei", "drei", "vier"], k=4)) for _ in range(N)]
ANSWERS = {
    name: [
        " ".join(RNG.sample(text.split(), 4 if i % k else 0)) or text
        for i, text in enumerate(TARGETS)
    ]
    for name, k in (("one", 2), ("two", 3))
}


def generated(name: str, used: str = "none", metric: str = "exact_match") -> list[dict[str, Any]]:
    """Return samples with text answers in the format of lm-eval 0.4.13."""
    return [
        {
            "doc_id": i,
            "doc": {"question": f"{i}?"},
            "target": target,
            "arguments": {"gen_args_0": {"arg_0": f"{i}?", "arg_1": {"until": ["\n"]}}},
            "resps": [[text]],
            "filtered_resps": [text],
            "filter": used,
            "metrics": [metric, "bleu"],
            "doc_hash": "0",
            "prompt_hash": "0",
            "target_hash": "0",
            metric: float(text == target),
            "bleu": [target, text],
        }
        for i, (text, target) in enumerate(zip(ANSWERS[name], TARGETS, strict=True))
    ]


def chosen(name: str) -> list[dict[str, Any]]:
    """Return samples of multiple choice."""
    return [
        {
            **sample,
            "filtered_resps": [["-0.1", "False"], ["-0.5", "True"]],
            "metrics": ["acc"],
            "acc": int(sample["exact_match"]),
        }
        for sample in generated(name)
    ]


def write(folder: Path, task: str, samples: list[dict[str, Any]]) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"samples_{task}_{DATE}.jsonl"
    lines = [json.dumps(sample, ensure_ascii=False) for sample in samples]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


@pytest.fixture
def logs(tmp_path: Path) -> dict[str, str]:
    """Return folders of two systems, with logs nested as by lm-eval."""
    for name in ANSWERS:
        write(tmp_path / name / "org__model", "my_task", generated(name))
    return {name: str(tmp_path / name) for name in ANSWERS}


def shown(run: Run, *args: str) -> Any:
    result = run("compare", "--from", "lm-eval", *args, "-f", "json")
    assert (result.status, result.err) == (0, "")
    return json.loads(result.out)


def test_texts_and_scores(logs: dict[str, str], run: Run) -> None:
    right = {
        name: [float(a == b) for a, b in zip(own, TARGETS, strict=True)]
        for name, own in ANSWERS.items()
    }
    metrics = [BLEU(effective_order=True), CHRF()]
    expected = compare(ANSWERS, [TARGETS], metrics, scores={"exact_match": right})
    found = shown(run, *logs.values())
    assert found["scores"] == expected.scores.to_dict()
    assert found["tests"] == expected.to_dict()["tests"]
    assert "label" not in found["buckets"]
    text = run("compare", "--from", "lm-eval", *logs.values())
    assert text.out == run("compare", "-i", *logs.values(), "--from", "lm-eval").out
    assert "segments in which" in text.out.lower()


def test_choices_have_scores_only(tmp_path: Path, run: Run) -> None:
    paths = [write(tmp_path / name, "quiz", chosen(name)) for name in ANSWERS]
    options = ("--names", "a", "b", "--baseline", "b")
    found = shown(run, *paths, *options)
    accuracy = SegmentScores("acc")
    for i, name in enumerate(ANSWERS):
        rows = accuracy.stats([sample["acc"] for sample in chosen(name)])
        own: Any = bootstrap(rows, None, accuracy)
        assert found["scores"]["acc"][i] == own.score
        assert (found["scores"]["acc_low"][i], found["scores"]["acc_high"][i]) == own.interval
    assert [found["tests"][name] for name in ("metric", "a", "b")] == [["acc"], ["b"], ["a"]]
    text = run("compare", "--from", "lm-eval", *paths, *options).out
    assert text.count("==") == 4 // 2
    message = failure(run("compare", "--from", "lm-eval", *paths, *options, "-m", "chrf"))
    assert message.endswith("expected texts; name the logs of one task")


def test_several_tasks_are_labels(tmp_path: Path, run: Run) -> None:
    """Several filters of a metric are also several scores."""
    for name in ANSWERS:
        other = generated(name, "strict")
        for sample in other:
            sample["exact_match"] = 0
        write(tmp_path / name, "one_task", [*generated(name), *other])
        write(tmp_path / name, "other", [*reversed([*generated(name), *other])])
    found = shown(run, *(str(tmp_path / name) for name in ANSWERS))
    assert found["n_segments"] == 2 * N
    assert found["buckets"]["label"]["bucket"] == ["one_task", "one_task", "other", "other"]
    names = [metric["name"] for metric in found["metrics"]]
    assert names == ["BLEU", "chrF2", "exact_match,none", "exact_match,strict"]
    assert found["scores"]["exact_match_strict"] == [0, 0]


def test_the_order_of_samples_is_that_of_the_first(logs: dict[str, str], run: Run) -> None:
    expected = shown(run, *logs.values())
    write(Path(logs["two"]) / "org__model", "my_task", generated("two")[::-1])
    assert shown(run, *logs.values()) == expected


def change(samples: list[dict[str, Any]], i: int, **values: Any) -> list[dict[str, Any]]:
    return [sample | values if k == i else sample for k, sample in enumerate(samples)]


def test_logs_that_do_not_go_together(logs: dict[str, str], tmp_path: Path, run: Run) -> None:
    folder, own = Path(logs["two"]) / "org__model", generated("two")
    at = f"{folder}/samples_my_task_{DATE}.jsonl, line"
    for samples, message in (
        (own[:-1], f"two: expected the samples of one, of my_task, doc_id {N - 1}, the target"),
        ([*own, {**own[0], "doc_id": N}], "two: expected the samples of one, of my_task, doc_id"),
        (
            change(own, 3, target="x"),
            "two: expected the samples of one, of my_task, doc_id 3, the "
            f"target {TARGETS[3]!r}; got 'x'",
        ),
        ([*own, own[0]], f"{at} {N + 1}: my_task, doc_id 0 was there before"),
        (change(own, 1, exact_match=float("nan")), f"{at} 2, exact_match: expected a number"),
        (change(own, 1, doc_id="x"), f"{at} 2: expected a sample of lm-eval; ValueError"),
        ([{"a": 1}], f"{at} 1: expected a sample of lm-eval; KeyError('doc_id')"),
        ([], f"{logs['two']}: expected samples_*.jsonl of lm-eval --log_samples; got none"),
    ):
        write(folder, "my_task", samples)
        assert failure(run("compare", "--from", "lm-eval", *logs.values())).startswith(message)
    (folder / f"samples_my_task_{DATE}.jsonl").write_text("[1]\n{")
    message = failure(run("compare", "--from", "lm-eval", *logs.values()))
    assert message.startswith(f"{at} 1: expected a sample of lm-eval; TypeError")
    message = failure(run("compare", "--from", "lm-eval", str(tmp_path / "none"), logs["one"]))
    assert message.endswith("none: No such file or directory")


def test_tasks_without_a_common_score(tmp_path: Path, run: Run) -> None:
    write(tmp_path / "a", "texts", generated("one"))
    write(tmp_path / "a", "quiz", chosen("one"))
    message = failure(run("compare", "--from", "lm-eval", str(tmp_path / "a")))
    assert message.endswith("expected a score or a text in each sample; name the logs of one task")


def test_wrong_options(logs: dict[str, str], tmp_path: Path, run: Run) -> None:
    (tmp_path / "x").write_text("1\n" * N)
    for more, message in (
        (["-r", str(tmp_path / "x")], "expected references by either -r/--refs or --from"),
        (["-nr", "2"], "expected references by either -r/--refs or --from"),
    ):
        found = failure(run("compare", "--from", "lm-eval", *logs.values(), *more), 2)
        assert found.startswith(message)
    assert "either -r/--refs or --from" in failure(run("compare", *logs.values()), 2)
    assert "invalid choice" in failure(run("compare", "--from", "x", *logs.values()), 2)
    score = f"exact_match={tmp_path / 'x'}"
    found = failure(run("compare", "--from", "lm-eval", logs["one"], "--scores", score))
    assert found == "--scores exact_match: expected another name than in the logs"


TASK = """
task: tiny
dataset_path: json
dataset_kwargs: {{data_files: {{test: "{data}"}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{q}}}}"
doc_to_target: "{{{{a}}}}"
metric_list: [{{metric: exact_match}}]
"""


def test_a_log_of_lm_eval_itself(tmp_path: Path, run: Run) -> None:
    pytest.importorskip("lm_eval")
    data = tmp_path / "data.jsonl"
    answers = ["lol", "lol lol", "no", "lol"]
    lines = [json.dumps({"q": f"{i}?", "a": text}) for i, text in enumerate(answers)]
    data.write_text("\n".join(lines))
    (tmp_path / "tiny.yaml").write_text(TASK.format(data=data.as_posix()))
    subprocess.run(
        [
            sys.executable,
            "-m",
            "lm_eval",
            "--model",
            "dummy",
            "--tasks",
            "tiny",
            "--include_path",
            str(tmp_path),
            "--log_samples",
            "--output_path",
            str(tmp_path / "logs"),
        ],
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)},
        check=True,
        capture_output=True,
    )
    found = shown(run, str(tmp_path / "logs"), "-m", "chrf")
    chrf = CHRF().corpus_score(["lol"] * 4, [answers]).score
    assert found["scores"]["chrf2"] == [chrf]
    assert found["scores"]["exact_match"] == [0.5]
