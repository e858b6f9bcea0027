"""How many segments does a ranking need? A metric's ranking on subsamples of its test set.

    python examples/settling_curve.py                              # synthetic systems
    python examples/settling_curve.py REF OUTPUT OUTPUT [OUTPUT ...]

Random subsamples of 10 and more segments are drawn without replacement. The table shows how many of
them rank all systems like the whole test set. Sizes end at one half, because a subsample of nearly
all segments is nearly the whole set. To ask whether another test set would agree, use
`paired_bootstrap`.
"""

import sys
from pathlib import Path
from random import Random

import numpy as np

from rapidbleu import BLEU

N_SAMPLES = 1000


def made(n_segments: int = 1000) -> tuple[list[str], list[list[str]]]:
    """Return references, and outputs of three systems with decreasing errors."""
    random = Random(1)
    words = [f"w{i}" for i in range(500)]
    texts = [random.choices(words, k=random.randint(5, 25)) for _ in range(n_segments)]
    outputs = [
        [
            " ".join(random.choice(words) if random.random() < rate else word for word in text)
            for text in texts
        ]
        for rate in (0.20, 0.18, 0.17)
    ]
    return [" ".join(text) for text in texts], outputs


def read(*paths: str) -> tuple[list[str], list[list[str]]]:
    references, *outputs = (Path(p).read_text(encoding="utf-8").splitlines() for p in paths)
    return references, outputs


references, outputs = read(*sys.argv[1:]) if sys.argv[1:] else made()
metric = BLEU()
rows = np.stack([metric.segment_stats(texts, [references]) for texts in outputs])
n_systems, n_segments, n_stats = rows.shape
whole = metric.score_rows(rows.sum(axis=1)).argsort()
half = max(n_segments // 2, 1)
sizes = np.unique(np.geomspace(min(10, half), half, 8).round().astype(int))
generator = np.random.default_rng(12345)
n_agreeing = np.zeros(len(sizes), int)
for _ in range(N_SAMPLES):
    # One shuffle contains a subsample of each size: its first segments.
    shuffled = rows[:, generator.permutation(n_segments)[:half]]
    sums = shuffled.cumsum(axis=1)[:, sizes - 1]
    scores = metric.score_rows(sums.reshape(-1, n_stats)).reshape(n_systems, len(sizes))
    n_agreeing += (scores.argsort(axis=0) == whole[:, np.newaxis]).all(axis=0)

print("segments  same ranking")
for size, share in zip(sizes, n_agreeing / N_SAMPLES, strict=True):
    print(f"{size:8}  {share:12.3f}")
