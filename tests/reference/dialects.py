"""BLEU and ROUGE as in other libraries' scripts. Scores are fractions of one."""

import math
from collections.abc import Sequence

from reference.bleu import Tokens, corpus_stats, segment_stats
from reference.family.rouge import lcs_table


def nmt_bleu(
    references: Sequence[Sequence[Tokens]],
    hypotheses: Sequence[Tokens],
    max_order: int = 4,
    smooth: bool = False,
) -> tuple[float, list[float], float, float, int, int]:
    """TensorFlow's NMT tutorial: score, precisions, penalty, ratio of lengths, lengths.

    It uses the shortest reference; a zero precision makes the score zero; smoothing adds one to
    both counts of every order (Lin and Och 2004).
    """
    hyp_len, ref_len, *counts = corpus_stats(
        segment_stats(hypothesis, several, max_order, "shortest")
        for hypothesis, several in zip(hypotheses, references, strict=True)
    )
    k = 1 if smooth else 0
    precisions = []
    for correct, total in zip(counts[:max_order], counts[max_order:], strict=True):
        precisions.append((correct + k) / (total + k) if total + k > 0 else 0.0)
    mean = 0.0
    if all(precisions):
        mean = math.exp(sum((1 / max_order) * math.log(p) for p in precisions))
    ratio = hyp_len / ref_len
    penalty = 1.0 if ratio > 1 else math.exp(1 - 1 / ratio)
    return mean * penalty, precisions, penalty, ratio, hyp_len, ref_len


def caption_bleu(row: Sequence[int]) -> list[float]:
    """Image captions: BLEU-1 to BLEU-N of a row, with 1e-15 added to counts and 1e-9 to totals."""
    hyp_len, ref_len, *counts = row
    max_order = len(counts) // 2
    ratio = (hyp_len + 1e-15) / (ref_len + 1e-9)
    scores = []
    product = 1.0
    for n in range(1, max_order + 1):
        product *= (counts[n - 1] + 1e-15) / (counts[max_order + n - 1] + 1e-9)
        root = product ** (1 / n)
        scores.append(root * math.exp(1 - 1 / ratio) if ratio < 1 else root)
    return scores


def caption_rouge(caption: str, references: Sequence[str], beta: float = 1.2) -> float:
    """Image captions: ROUGE-L of the best precision and the best recall; words end at spaces."""
    hyp = caption.split(" ")
    precision = recall = 0.0
    for reference in references:
        ref = reference.split(" ")
        length = lcs_table(ref, hyp)[-1][-1]
        precision, recall = max(precision, length / len(hyp)), max(recall, length / len(ref))
    if precision == 0:
        return 0.0
    return (1 + beta**2) * precision * recall / (recall + beta**2 * precision)
