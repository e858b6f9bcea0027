"""Minimum Bayes risk: from samples of a model, the text with the best mean chrF.

    python examples/mbr.py                         # three segments of its own
    python examples/mbr.py SAMPLES.jsonl OUT.txt   # {"hyp": ["...", "..."]} on each line

OUT.txt gets the chosen text of each segment, and the terminal the diversity of the samples.
"""

import json
import sys
from pathlib import Path

from rapidbleu import BLEU, CHRF

SAMPLES = [
    ["The cat sat on a mat.", "The cat sat on the mat.", "A cat sat on the mat.", "The cats sit."],
    ["It rained.", "It was raining.", "It was raining hard.", "It was raining."],
    ["He left early.", "He left too early.", "He left early.", "Early he was gone."],
]


def main() -> None:
    """Choose, and print how diverse the samples are."""
    groups = SAMPLES
    if len(sys.argv) > 1:
        lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
        groups = [json.loads(line)["hyp"] for line in lines]
    best = CHRF().select(groups, groups=True, threads=0)
    chosen = [group[i] for group, i in zip(groups, best.tolist(), strict=True)]
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text("".join(f"{text}\n" for text in chosen), encoding="utf-8")
    else:
        print(*chosen, sep="\n")
    bleu = BLEU(effective_order=True)
    diversity = [bleu.self_scores(group).mean() for group in groups]
    print(f"self-BLEU {sum(diversity) / len(diversity):.1f} (lower: more diverse)")


if __name__ == "__main__":
    main()
