"""BLEU's agreement with human scores for each set of references.

    python examples/reference_effects.py                # synthetic texts and scores
    python examples/reference_effects.py FOLDER PAIR    # such as mt-metrics-eval-v2/wmt22 en-de

FOLDER has the layout of mt-metrics-eval. Its human translations are judged like systems, except by
sets of references that contain them. Each row of the table shows a set, Pearson's r of system
scores, and r without the system that changes it most, because one outlier can dominate r.
"""

import sys
import warnings
from itertools import combinations
from random import Random

from rapidbleu import BLEU
from rapidbleu.meta import MetaWarning, correlate, read_folder

Texts = dict[str, list[str]]


def made(n_segments: int = 200) -> tuple[Texts, Texts, dict[str, float]]:
    """Return references, outputs and human scores: B is a free translation, A and C are close."""
    random = Random(0)
    words = [f"w{i}" for i in range(500)]
    source = [random.choices(words, k=random.randint(5, 25)) for _ in range(n_segments)]

    def translated(rate: float) -> list[str]:
        return [
            " ".join(random.choice(words) if random.random() < rate else word for word in text)
            for text in source
        ]

    references = {"A": translated(0.2), "B": translated(0.7), "C": translated(0.3)}
    systems = {f"system {i}": translated(0.2 + 0.03 * i) for i in range(1, 9)}
    human = {f"system {i}": 80 - 3 * i + random.gauss(0, 4) for i in range(1, 9)}
    return references, systems | {"B": references["B"]}, human | {"B": 95.0}


def read(folder: str, pair: str) -> tuple[Texts, Texts, dict[str, float]]:
    """Return references, outputs and mean human scores from a folder."""
    found = read_folder(folder, pair, metrics=[])
    scores = next(iter(found.human.values()))
    means = dict(zip(scores.systems or (), scores.means().tolist(), strict=True))
    human = {name: mean for name, mean in means.items() if mean == mean}
    texts = [
        {name: [text or "" for text in own] for name, own in side.items()}
        for side in (found.references, found.outputs)
    ]
    return texts[0], {name: texts[1][name] for name in human}, human


def r_of(human: dict[str, float], scores: dict[str, float]) -> float:
    """Return Pearson's r over the systems that have scores."""
    judged = {name: human[name] for name in scores}
    return correlate(judged, scores, "pearson", by="means").value


references, outputs, human = read(*sys.argv[1:]) if sys.argv[1:] else made()
warnings.simplefilter("ignore", MetaWarning)  # few systems
metric = BLEU()
width = max(len(" + ".join(references)), len("references"))
print(f"{'references':{width}}       r  without the outlier")
for size in range(1, len(references) + 1):
    for names in combinations(references, size):
        prepared = metric.prepare([references[name] for name in names])
        scores = {
            system: metric.corpus_score(texts, prepared).score
            for system, texts in outputs.items()
            if system not in names
        }
        r = r_of(human, scores)
        without = {
            system: r_of(human, {name: scores[name] for name in scores if name != system})
            for system in scores
        }
        outlier = max(without, key=lambda system: abs(without[system] - r))
        print(f"{' + '.join(names):{width}}  {r:6.3f}  {without[outlier]:6.3f} ({outlier})")
