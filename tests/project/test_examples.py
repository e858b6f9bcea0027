"""The examples, run as a user would run them."""

import asyncio
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from inspect import iscoroutinefunction
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rapidbleu
from support.command_line import Run
from support.places import REPO

EXAMPLES = REPO / "examples"


def run(name: str, *arguments: str) -> str:
    """Return the output of an example, which must not print to stderr."""
    program = EXAMPLES / name
    if not program.is_file():
        pytest.skip("the examples are not here")
    result = subprocess.run(
        [sys.executable, "-W", "error", str(program), *arguments],
        env={**os.environ, "PYTHONPATH": str(Path(rapidbleu.__file__).parents[1])},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


run_example = run  # where a test has the fixture of this name


def module(name: str) -> Any:
    spec = spec_from_file_location(name.removesuffix(".py"), EXAMPLES / name)
    assert spec is not None and spec.loader is not None
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def is_shown(output: str) -> bool:
    """Return whether docs/guides/examples.md contains this output."""
    page = (REPO / "docs" / "guides" / "examples.md").read_text(encoding="utf-8")
    return f"```\n{output}```\n" in page


def scores_of(output: str) -> tuple[float, float, float]:
    before, after, best = (
        float(re.search(rf"^{what} +([0-9.]+)$", output, re.MULTILINE)[1])  # type: ignore[index]
        for what in ("Test BLEU before", "Test BLEU after", "The best hypotheses would have")
    )
    return before, after, best


@pytest.mark.slow
def test_rerank_made_lists() -> None:
    output = run("rerank.py")
    before, after, best = scores_of(output)
    assert before + 2 < after < best
    assert "difference on test: +" in output
    assert run("rerank.py") == output
    assert is_shown(output)


def test_rerank_files(tmp_path: Path) -> None:
    random = Random(1)
    lines, references = [], []
    for i in range(20):
        reference = [random.choice("abcdefgh") for _ in range(9)]
        references.append(" ".join(reference))
        for _ in range(8):
            words = [word if random.random() < 0.8 else "x" for word in reference]
            right = sum(a == b for a, b in zip(words, reference, strict=True))
            features = f"lm= {right + random.gauss(0, 2):.3f} tm= {random.gauss(0, 1):.3f}"
            lines.append(f"{i} ||| {' '.join(words)} ||| {features} ||| 0")
    (tmp_path / "nbest").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "ref").write_text("\n".join(references), encoding="utf-8")
    output = run("rerank.py", str(tmp_path / "nbest"), str(tmp_path / "ref"))
    names = [line.split()[0] for line in output.splitlines()[1:5]]
    assert names == ["lm_0", "tm_0", "length", "expected"]
    _, after, best = scores_of(output)
    assert after <= best


def test_samples_as_lists(tmp_path: Path, run: Run) -> None:
    """From both libraries, padding left out; tuned and reranked as docs/guides/tuning.md does."""
    samples = module("samples.py")
    run_example("samples.py", str(tmp_path))
    tables = {
        name: [*map(json.loads, (tmp_path / f"{name}.jsonl").read_text("utf-8").splitlines())]
        for name in ("dev", "new")
    }
    for seed, table in enumerate(tables.values(), 1):
        _, made, logprobs = samples.simulated(Random(seed))
        for i, row in enumerate(table):
            texts = [samples.decode(own) for own in made[i]]
            assert (row["id"], row["hyp"]) == (i, texts)
            for k, found in enumerate(row["features"]):
                assert found["length"] == len(made[i][k]) == len(texts[k].split()) + 1
                assert found["logprob"] == sum(logprobs[i * len(texts) + k])
    dev, new, weights, best = (
        str(tmp_path / name) for name in ("dev.jsonl", "new.jsonl", "weights.json", "best.txt")
    )
    refs = [dev.replace("jsonl", "ref"), new.replace("jsonl", "ref")]
    tuned = run("tune", dev, "-r", refs[0], "-o", weights, "--method", "mira", "-q")
    assert tuned.status == 0, tuned
    result = run("rerank", new, "--weights", weights, "-r", refs[1], "-o", best)
    before, after = (float(word) for word in result.err.split()[2::2])
    assert before + 10 < after
    score = run(refs[1], "-i", best, "-b", "-w", "4")
    assert float(score.out) == after


def test_samples_without_log_probabilities() -> None:
    sample = SimpleNamespace(text="a", token_ids=[1], cumulative_logprob=None)
    rows = module("samples.py").from_vllm([SimpleNamespace(outputs=[sample])], lambda *_: 0.0)
    with pytest.raises(ValueError, match=r"prompt 0: no log-probabilities; see SamplingParams"):
        next(rows)


@pytest.mark.slow
def test_landscapes(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    output = run("landscapes.py", str(tmp_path))
    page = (REPO / "docs" / "guides" / "tuning.md").read_text(encoding="utf-8")
    rows = [re.split(" {2,}", line) for line in output.splitlines()]
    assert rows[0][1:] == [
        "start_score",
        "score",
        "out_of_bag_score",
        "start_test_score",
        "test_score",
    ]
    for row in rows[1:]:
        assert f"| {' | '.join(row)} |\n" in page
    assert is_shown(output)
    for name in ("needle.png", "plateau.png"):
        assert f"](../pictures/{name})" in page
        check_picture(tmp_path / name)


def check_picture(fresh: Path) -> None:
    """Compare a figure with docs/pictures if the same matplotlib version plotted both."""
    image = pytest.importorskip("matplotlib.image")
    shown = REPO / "docs" / "pictures" / fresh.name
    assert shown.stat().st_size < 60_000
    if version_in(shown) == version_in(fresh):
        assert np.abs(image.imread(shown) - image.imread(fresh)).mean() < 0.001


def version_in(picture: Path) -> bytes:
    """Return the matplotlib version recorded in a .png file."""
    return picture.read_bytes().split(b"tEXtSoftware\0")[1].split(b",")[0]


@pytest.mark.slow
def test_judge_made_metrics() -> None:
    output = run("judge_metrics.py")
    lines = [line.split() for line in output.splitlines()]
    ranked = [line for line in lines if line[1] in ("BLEU", "CHRF", "TER")]
    assert len(ranked) == 4 * 3
    assert all(float(line[2]) > 0.9 for line in ranked[:6])
    assert run("judge_metrics.py") == output
    assert is_shown(output)


def test_judge_metrics_of_files(tmp_path: Path) -> None:
    random = Random(2)
    words = [[random.choice("abcdefgh") for _ in range(9)] for _ in range(20)]
    (tmp_path / "ref").write_text("\n".join(map(" ".join, words)), encoding="utf-8")
    rows, paths = ["system\tsegment\tscore"], []
    for system, n_wrong in (("A", 1), ("B", 3), ("C", 6)):
        paths.append(str(tmp_path / f"{system}.txt"))
        texts = [" ".join(["x"] * n_wrong + text[n_wrong:]) for text in words]
        Path(paths[-1]).write_text("\n".join(texts), encoding="utf-8")
        rows += [f"{system}\t{i}\t{9 - n_wrong}" for i in range(20, 0, -1) if i != 7]
    (tmp_path / "human.tsv").write_text("\n".join(rows), encoding="utf-8")
    output = run("judge_metrics.py", str(tmp_path / "human.tsv"), str(tmp_path / "ref"), *paths)
    assert "Kendall's tau-b, by segment\n  1  BLEU   1.0000" in output


def test_settling_curve_of_made_systems() -> None:
    output = run("settling_curve.py")
    shares = [float(line.split()[1]) for line in output.splitlines()[1:]]
    assert shares == sorted(shares) and shares[-1] > 0.95
    assert is_shown(output)


def test_settling_curve_of_files(tmp_path: Path) -> None:
    paths = []
    for name, text in (("ref", "a b c d e"), ("better", "a b c d x"), ("worse", "a b x d x")):
        paths.append(str(tmp_path / name))
        Path(paths[-1]).write_text(f"{text}\n" * 9, encoding="utf-8")
    lines = [line.split() for line in run("settling_curve.py", *paths).splitlines()]
    assert lines[1:] == [["4", "1.000"]]


def test_reference_effects_of_made_texts() -> None:
    output = run("reference_effects.py")
    rows = [line.split() for line in output.splitlines()[1:]]
    assert len(rows) == 7 and rows[0][0] == "A" and rows[0][3] == "(B)"
    assert float(rows[0][1]) < 0.0 < float(rows[0][2])
    assert is_shown(output)


def test_reference_effects_of_a_folder(tmp_path: Path) -> None:
    """The human translation is not judged by itself; equal scores have no coefficient."""
    texts = {"S1": "a b c d", "S2": "a b c x", "S3": "a b x y", "refB": "x y z a"}
    files = {f"system-outputs/en-de/{name}.txt": text for name, text in texts.items()}
    files |= {"references/en-de.refA.txt": "a b c d", "references/en-de.refB.txt": "x y z a"}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{text}\n" * 2, encoding="utf-8")
    (tmp_path / "human-scores").mkdir()
    scores = "".join(f"{name} {4 - i}\n{name} None\n" for i, name in enumerate(texts))
    (tmp_path / "human-scores" / "en-de.mqm.seg.score").write_text(scores, encoding="utf-8")
    lines = run("reference_effects.py", str(tmp_path), "en-de").splitlines()
    assert [line.split("  ")[0] for line in lines[1:]] == ["refA", "refB", "refA + refB"]
    assert "(refB)" not in lines[2] + lines[3] and all(float(line[13:19]) for line in lines[1:])


@pytest.mark.slow
def test_significance_of_made_systems(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    output = run("significance.py", str(tmp_path / "significance.png"))
    p_values = [float(line.split()[-1].removeprefix("≤")) for line in output.splitlines()[3:]]
    assert p_values[0] > 0.1 and p_values[1] < 0.001
    assert is_shown(output)
    check_picture(tmp_path / "significance.png")


def test_significance_of_files(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    paths = []
    for name, last in (("ref", "e"), ("old", "x"), ("new", "e")):
        paths.append(tmp_path / name)
        paths[-1].write_text(f"a b c d {last}\n" * 8, encoding="utf-8")
    output = run("significance.py", str(tmp_path / "picture.png"), *map(str, paths))
    (old, *_, no_p), (new, score, *_, p) = (line.split() for line in output.splitlines()[2:])
    assert (old, no_p, new, score) == ("old", "-", "new", "100.00") and p == "≤0.0005"
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.fixture
def shell(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Start a script of examples/slurm in a folder, with `rapidbleu` on the path."""
    bash = shutil.which("bash")
    if bash is None or sys.platform == "win32":
        pytest.skip("no bash")
    if not (EXAMPLES / "slurm").is_dir():
        pytest.skip("the examples are not here")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "rapidbleu"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m rapidbleu "$@"\n')
    program.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(Path(rapidbleu.__file__).parents[1]),
    }

    def start(name: str, *args: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [bash, str(EXAMPLES / "slurm" / name), *args],
            cwd=tmp_path,
            check=False,
            env={**environment, **variables},
            capture_output=True,
            encoding="utf-8",
        )

    return start


Shell = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.slow
def test_slurm(tmp_path: Path, shell: Shell) -> None:
    random = Random(3)
    groups = [[" ".join(random.choices("abcdef", k=7)) for _ in range(5)] for _ in range(21)]
    lines = [f"{i} ||| {text} ||| F= 1 ||| 1\n" for i, own in enumerate(groups) for text in own]
    (tmp_path / "nbest").write_text("".join(lines), encoding="utf-8")
    files = ("nbest", "the shards")

    def job(number: int, **variables: str) -> subprocess.CompletedProcess[str]:
        return shell("mbr.sh", *files, SLURM_ARRAY_TASK_ID=str(number), **variables)

    done = [job(i, SLURM_CPUS_PER_TASK="2") for i in range(8, 0, -1) if i != 3]
    assert {(one.returncode, one.stdout, one.stderr) for one in done} == {(0, "", "")}
    missing = "the shards/3-of-8.txt"
    (tmp_path / missing).write_text("of an earlier run\n", encoding="utf-8")
    (tmp_path / "nbest").rename(tmp_path / "away")
    failed = job(3)
    assert failed.returncode != 0 and "No such file" in failed.stderr
    early = shell("join.sh", files[1], "best.txt")
    assert (early.returncode, early.stderr) == (1, f"{missing} is missing\n")
    assert not (tmp_path / "best.txt").exists()
    (tmp_path / "away").rename(tmp_path / "nbest")
    assert job(3).returncode == 0
    joined = shell("join.sh", files[1], "best.txt")
    assert (joined.returncode, joined.stdout, joined.stderr) == (0, "", "")
    chrf = rapidbleu.CHRF()
    expected = "".join(f"{group[chrf.select(group)]}\n" for group in groups)
    assert (tmp_path / "best.txt").read_text(encoding="utf-8") == expected
    assert {path.name for path in tmp_path.iterdir()} == {"bin", "best.txt", *files}


@pytest.mark.slow
def test_slurm_rows(tmp_path: Path, shell: Shell) -> None:
    random = Random(4)
    texts = [[" ".join(random.choices("abcdef", k=7)) for _ in range(21)] for _ in range(2)]
    for name, own in zip(("hyp", "ref"), texts, strict=True):
        (tmp_path / name).write_text("".join(f"{text}\n" for text in own), encoding="utf-8")
    for number in range(8, 0, -1):
        if number == 1:
            early = shell("merge.sh", "the shards", "all.npz")
            message = "rapidbleu: parts: expected all 8 shards; got none for shard 1\n"
            assert (early.returncode, early.stderr, early.stdout) == (1, message, "")
            assert not (tmp_path / "all.npz").exists()
        files = ("ref", "hyp", "the shards")
        done = shell("stats.sh", *files, SLURM_ARRAY_TASK_ID=str(number))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    merged = shell("merge.sh", "the shards", "all.npz")
    bleu = rapidbleu.BLEU()
    score = bleu.corpus_score(texts[0], [texts[1]], n_bootstrap=1000)
    assert (merged.returncode, merged.stderr) == (0, "")
    assert merged.stdout == score.format(1, signature=str(bleu.get_signature())) + "\n"
    assert {path.name for path in tmp_path.iterdir()} == {"bin", "all.npz", "all.npz.json", *files}


def test_slurm_scripts_agree() -> None:
    folder = EXAMPLES / "slurm"
    if not folder.is_dir():
        pytest.skip("the examples are not here")
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.sh")))
    numbers = re.findall(r"^of=(\d+)|--array=1-(\d+)$", text, re.MULTILINE)
    assert len(numbers) == 5 and len({one or other for one, other in numbers}) == 1


@pytest.mark.slow
@pytest.mark.skipif(find_spec("trl") is None, reason="trl is not installed")
def test_grpo_of_trl(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "trl_grpo.py"), str(tmp_path)],
        env={
            **os.environ,
            "PYTHONPATH": str(Path(rapidbleu.__file__).parents[1]),
            "HF_HUB_OFFLINE": "1",
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = re.findall(r"^step (\d): rewards/(\w+)/mean = (0\.\d+)$", done.stdout, re.MULTILINE)
    names = ["bleu_chrf_reward", "chrf_word_order_2_reward"]
    assert [line[:2] for line in found] == [(step, name) for step in "12" for name in names]
    assert all(0 < float(line[2]) < 1 for line in found)


def test_reward_of_verl() -> None:
    output = run("verl_reward.py")
    assert output.split()[0] == "1.0000" and is_shown(output)
    verl = module("verl_reward.py")
    sample = {
        "data_source": "d",
        "solution_str": "<think>a</think> It rained.",
        "ground_truth": {"translation": {"en": "It rained."}},
        "extra_info": {},
    }
    assert verl.compute_score(**sample) == 1.0
    assert verl.compute_score(**sample | {"ground_truth": {"translation": {}}}) == 0.0
    assert iscoroutinefunction(verl.compute_score_async)
    assert asyncio.run(verl.compute_score_async(**sample)) == 1.0


def test_compute_metrics() -> None:
    """Ids in, scores of the decoded texts out; the first of a tuple; padding is not text."""
    output = run("compute_metrics.py")
    assert is_shown(output)
    example = module("compute_metrics.py")
    tokenizer = example.WordTokenizer()
    compute = example.make_compute_metrics(tokenizer)
    labels = np.array([[1, 2, 4, 5, 1, 6, 7, -100]])
    assert compute(((labels, "more"), labels)) == {"bleu": pytest.approx(100), "chrf": 100}
    found = compute((np.array([[1, 2, 4, 5, 7, 0]]), labels))
    expected = rapidbleu.corpus_bleu(["the cat sat on ."], [["the cat sat on the mat ."]]).score
    assert found["bleu"] == expected


def test_mbr(tmp_path: Path) -> None:
    assert is_shown(run("mbr.py"))
    samples = [["a b c", "a b d", "a b c"], ["x", "x y", "x y"]]
    lines = "".join(f"{json.dumps({'hyp': texts})}\n" for texts in samples)
    (tmp_path / "samples.jsonl").write_text(lines, encoding="utf-8")
    run("mbr.py", str(tmp_path / "samples.jsonl"), str(tmp_path / "best.txt"))
    best = [texts[rapidbleu.CHRF().select(texts)] for texts in samples]
    assert (tmp_path / "best.txt").read_text(encoding="utf-8").splitlines() == best


def outputs_of(name: str, needed: str) -> str:
    """Return the output of an example whose library may write to stderr."""
    pytest.importorskip(needed)
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)],
        env={**os.environ, "PYTHONPATH": str(Path(rapidbleu.__file__).parents[1])},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_spark() -> None:
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    output = outputs_of("spark_bleu.py", "pyspark")
    hyps = ["The cat sat on a mat.", "It was raining all day.", "Er ging gestern nach Hause."]
    refs = ["The cat sat on the mat.", "It was raining all night.", "Er ging gestern heim."]
    assert output.splitlines()[0] == str(rapidbleu.corpus_bleu(hyps, [refs]))
    assert is_shown(output)


@pytest.mark.slow
def test_lm_eval() -> None:
    """The scores of the harness alone, and of the library."""
    output = outputs_of("lm_eval_bleu.py", "lm_eval")
    scores = dict(line.split(": ") for line in output.splitlines())
    texts, refs = ["lol", "lol"], [["It rains.", "lol"]]
    assert scores["chrf"] == f"{rapidbleu.corpus_chrf(texts, refs).score:.2f}"
    assert scores["ter"] == f"{rapidbleu.corpus_ter(texts, refs).score:.2f}"
