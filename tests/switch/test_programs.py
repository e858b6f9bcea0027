"""Other programs under `rapidbleu run`: pools of lm-eval, and a worker of Ray."""

import subprocess
import sys
from pathlib import Path

import pytest

RUN = [sys.executable, "-m", "rapidbleu", "run"]

BOOTSTRAP = """
import multiprocessing, sys

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    from lm_eval.api import metrics

    texts = [("the cat sat on the mat", "the cat sat on a mat"), ("it rained", "it rains"),
             ("he came, he saw", "he came and saw"), ("and it rained", "and it rained")] * 3
    for score in (metrics.bleu, metrics.chrf, metrics.ter):
        print(score(texts), metrics.bootstrap_stderr(score, texts, 30))
"""

WORKER = """
import ray

ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, configure_logging=False)

@ray.remote
def work():
    from nltk.translate import bleu_score
    score = bleu_score.sentence_bleu([["a", "b", "c", "d"]], ["a", "b", "c", "d"])
    return score, "served" in bleu_score.sentence_bleu.__code__.co_varnames

print(ray.get(work.remote()))
ray.shutdown()
"""


def outputs(tmp_path: Path, text: str, *words: str) -> list[str]:
    path = tmp_path / "program.py"
    path.write_text(text)
    program = [sys.executable, str(path), *words]
    return [
        subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
        for command in (program, [*RUN, *program])
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has spawn alone")
@pytest.mark.parametrize("how", ["fork", "spawn", "forkserver"])
def test_pools_of_lm_eval(how: str, tmp_path: Path) -> None:
    pytest.importorskip("lm_eval")
    plain, served = outputs(tmp_path, BOOTSTRAP, how)
    assert served == plain and plain.count("\n") >= 3


def test_a_worker_of_ray(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    plain, served = outputs(tmp_path, WORKER)
    assert (plain, served) == ("(1.0, False)\n", "(1.0, True)\n")
