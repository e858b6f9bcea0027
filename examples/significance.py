"""Is a difference of two systems luck? The paired bootstrap as a figure.

    python examples/significance.py PICTURE                               # extra: plot
    python examples/significance.py PICTURE REF BASELINE OUTPUT [OUTPUT ...]

Each resample draws as many segments as there are, with replacement, the same for all systems. The
figure shows the differences from the baseline in all resamples: the farther a hill is from 0, the
less likely is luck. Without files, systems are synthetic.
"""

import sys
from pathlib import Path
from random import Random

import numpy as np
from matplotlib.figure import Figure

from rapidbleu import BLEU
from rapidbleu.significance import PairedResult, paired_bootstrap


def made(n_segments: int = 300) -> tuple[list[str], dict[str, list[str]]]:
    """Return references, and systems with decreasing errors."""
    random = Random(2)
    words = [f"w{i}" for i in range(500)]
    texts = [random.choices(words, k=random.randint(5, 25)) for _ in range(n_segments)]
    systems = {}
    for name, rate in (("baseline", 0.20), ("small gain", 0.197), ("large gain", 0.17)):
        systems[name] = [
            " ".join(random.choice(words) if random.random() < rate else word for word in text)
            for text in texts
        ]
    return [" ".join(text) for text in texts], systems


def read(reference: str, *paths: str) -> tuple[list[str], dict[str, list[str]]]:
    lines = {path: Path(path).read_text(encoding="utf-8").splitlines() for path in paths}
    references = Path(reference).read_text(encoding="utf-8").splitlines()
    return references, {Path(path).stem: texts for path, texts in lines.items()}


def draw(result: PairedResult, picture: str) -> None:
    """Plot the differences of all resamples."""
    (name, baseline), *others = result["BLEU"].items()
    differences = [own.samples - baseline.samples for _, own in others]
    bins = np.histogram_bin_edges(np.concatenate(differences), 60)
    figure = Figure(figsize=(7, 3.2), layout="constrained")
    axes = figure.subplots()
    for (system, own), values in zip(others, differences, strict=True):
        axes.hist(values, bins, alpha=0.6, label=f"{system}, p = {own.p_value:.4f}")
    axes.axvline(0, ymax=0.8, color="black", linewidth=1)
    axes.set(xlabel=f"BLEU above that of {name}", ylabel="resamples")
    axes.margins(y=0.25)
    axes.legend(frameon=False, loc="upper left", ncols=len(others))
    figure.savefig(picture, dpi=100)


def main(picture: str, *paths: str) -> None:
    """Test, print the table, plot."""
    references, systems = read(*paths) if paths else made()
    result = paired_bootstrap(systems, [references], BLEU(), n_resamples=2000, threads=0)
    print(result)
    draw(result, picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
