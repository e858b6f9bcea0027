"""Which metric to trust: metrics compared with human scores of the same translations.

    python examples/judge_metrics.py                # synthetic data
    python examples/judge_metrics.py HUMAN.tsv REF OUTPUT [OUTPUT ...]

HUMAN.tsv has the columns system (file name without suffix), segment (line number) and score.
`rapidbleu correlate` does this and more from the command line.
"""

import sys
import warnings
from pathlib import Path
from random import Random

import numpy as np

from rapidbleu import BLEU, CHRF, TER
from rapidbleu.meta import MetaWarning, SystemScores, compare_metrics, read_table


def made(n_segments: int = 200) -> tuple[SystemScores, list[str], dict[str, list[str]]]:
    """Return human scores, references and outputs of ten systems with increasing errors."""
    random = Random(0)
    words = [f"w{i}" for i in range(500)]
    references = [random.choices(words, k=random.randint(5, 25)) for _ in range(n_segments)]
    outputs, rows = {}, []
    for i in range(10):
        rates = [min(max(random.gauss(0.04 * (i + 1), 0.1), 0.0), 1.0) for _ in references]
        outputs[f"system {i}"] = [
            " ".join(random.choice(words) if random.random() < rate else word for word in text)
            for text, rate in zip(references, rates, strict=True)
        ]
        rows.append([100 - 100 * rate + random.gauss(0, 15) for rate in rates])
    return SystemScores(rows, outputs), [" ".join(text) for text in references], outputs


def read(human: str, *paths: str) -> tuple[SystemScores, list[str], dict[str, list[str]]]:
    texts = [Path(path).read_text(encoding="utf-8").splitlines() for path in paths]
    outputs = {Path(path).stem: own for path, own in zip(paths[1:], texts[1:], strict=True)}
    table = read_table(human).of(outputs)
    values = np.full((len(outputs), len(texts[0])), np.nan)
    values[:, [int(number) - 1 for number in table.segments or ()]] = table.values
    return SystemScores(values, outputs), texts[0], outputs


human, references, outputs = read(*sys.argv[1:]) if sys.argv[1:] else made()
segments, systems = {}, {}
for metric in (BLEU(effective_order=True), CHRF(), TER()):
    name, sign = type(metric).__name__, 1 if metric.higher_is_better else -1
    rows = {own: metric.segment_stats(texts, [references]) for own, texts in outputs.items()}
    segments[name] = {own: sign * metric.score_rows(rows[own]) for own in rows}
    systems[name] = {own: sign * metric.score(rows[own]).score for own in rows}
warnings.simplefilter("ignore", MetaWarning)  # few systems
print(compare_metrics(human, segments, system_scores=systems, n_resamples=200))
