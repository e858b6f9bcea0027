"""Two tuning landscapes: a needle and a plateau.

    python examples/landscapes.py FOLDER        # writes needle.png and plateau.png; extra: plot

Some words of each hypothesis are wrong. One feature, the model, estimates their number; the other
is noise. MERT finds the needle on 20 segments, where other segments do not have it. Bagging finds
the plateau on 200.
"""

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from rapidbleu import BLEU
from rapidbleu.tuning import NBestList

COLUMNS = ("start_score", "score", "out_of_bag_score", "start_test_score", "test_score")


def made_nbest(seed: int, n_segments: int, n_each: int = 30) -> NBestList:
    """Return lists with two features, the second of which is noise."""
    random = Random(seed)
    hypotheses, features, references = [], [], []
    for _ in range(n_segments):
        right = [random.choice("abcdefghijklmnop") for _ in range(20)]
        references.append(" ".join(right))
        hypotheses.append([])
        for _ in range(n_each):
            doubt = random.uniform(0.2, 0.5)
            words = [word if random.random() > doubt else "?" for word in right]
            features.append([random.gauss(-words.count("?"), 2), random.gauss(0, 1)])
            hypotheses[-1].append(" ".join(words))
    references = [references]
    names = ["model", "noise"]
    return NBestList.from_lists(hypotheses, features, references, names=names, metric=BLEU())


def tune(n_segments: int, method: str, *options: str) -> list[float | None]:
    """Run the command on some segments; return scores on these, and on as many held-out ones."""
    with TemporaryDirectory() as scratch:
        tuned, held_out, output = (f"{scratch}/{name}" for name in ("a.npz", "b.npz", "c.json"))
        for seed, path in enumerate((tuned, held_out), start=64):
            made_nbest(seed, n_segments).save(path)
        command = [sys.executable, "-m", "rapidbleu", "tune", tuned, "--test", held_out]
        command += ["--method", method, "--seed", "0", "-o", output, *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        found = json.loads(Path(output).read_text(encoding="utf-8"))
    return [found.get(key) for key in COLUMNS]


def main(folder: Path) -> None:
    """Plot both, and print the scores."""
    cases = {
        "20 segments, mert": tune(20, "mert", "--plot", str(folder / "needle.png")),
        "20 segments, bagged": tune(20, "tune"),
        "200 segments, bagged": tune(200, "tune", "--plot", str(folder / "plateau.png")),
    }
    print(f"{'':20}", *(f"{key:>18}" for key in COLUMNS))
    for name, scores in cases.items():
        print(f"{name:20}", *(f"{'-' if one is None else f'{one:.2f}':>18}" for one in scores))


if __name__ == "__main__":
    main(Path(*sys.argv[1:]))
