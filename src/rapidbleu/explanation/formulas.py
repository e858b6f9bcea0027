"""Formulas of BLEU and chrF with numbers: lines whose sides are equal after rounding."""

from __future__ import annotations

from rapidbleu.explanation.texts import reference_label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rapidbleu.score import Score


def bleu_formula(score: Any, row: Sequence[int], metric: Any, reference: int | None) -> list[str]:
    """Return the lines of BLEU's formula for a score, its row and the metric's options.

    The row contains lengths, matches and n-grams by order; `reference` is the one whose length
    counts.

    >>> from rapidbleu import BLEU
    >>> bleu = BLEU(max_ngram_order=3)
    >>> print(*bleu.explain("the cat sat", ["the cat is here"]).formula, sep="\\n")
    p1 = 100 * 2 / 3 = 66.67
    p2 = 100 * 1 / 2 = 50.00
    p3 = 100 * 1 / (2 * 1) = 50.00  (no match of 1: smoothed by exp)
    BP = exp(1 - 4 / 3) = 0.7165  (hyp_len 3 < ref_len 4, the closest: REF 1)
    mean = (66.67 * 50.00 * 50.00)^(1/3) = 55.03
    BLEU = 0.7165 * 55.03 = 39.43
    """
    rest = (len(row) - 2) // 2
    matches = row[2 : 2 + rest]
    totals = row[2 + rest :]
    n = len(score.precisions)
    if not (matches[0] if _is_nltk(metric) else any(matches)):
        what = "1-gram" if _is_nltk(metric) else "n-gram"
        lines = [f"p{k + 1} = 0 / {totals[k]}" for k in range(n) if totals[k]]
        return [*lines, f"BLEU = 0.00  (no {what} matches)"]
    lines = []
    used = 0
    n_zeros = 0
    for k in range(n):
        n_zeros += matches[k] == 0
        possible = totals[k] + (_value(metric) if metric.smooth_method == "add-k" and k else 0)
        if possible == 0 and not _is_nltk(metric):
            missing = f"the hypothesis has no {k + 1}-grams"
            if metric.effective_order:
                names = f"p{k + 1}" if k + 1 == n else f"p{k + 1} to p{n}"
                lines.append(f"{names}: left out  ({missing})")
                break
            if metric.average == "geometric":
                return [*lines, f"BLEU = 0.00  ({missing})"]
            lines.append(f"p{k + 1} = 0.00  ({missing})")
        else:
            precision = score.precisions[k]
            lines.append(_precision(k, matches[k], totals[k], precision, n_zeros, metric))
        used += 1
    lines.append(_brevity(score, metric, reference))
    mean = score.score / score.bp if score.bp else 0.0
    lines.append(f"mean = {_mean(score.precisions[:used], metric)} = {mean:.2f}")
    zeros = [k for k in range(used) if score.precisions[k] == 0]
    if metric.average == "geometric" and zeros:
        names = ", ".join([f"p{k + 1}" for k in zeros])
        if _is_nltk(metric):
            lines[-1] += f"  (without {names}, which NLTK leaves out)"
        elif mean:
            lines[-1] += f"  (of {names} the logarithm counts as -9999999999)"
    factors = f"{_short(score.bp)} * {mean:.2f}"
    return [*lines, f"BLEU = {factors} = {score.score:.2f}"]


def _is_nltk(metric: Any) -> bool:
    """Whether the smoothing is one of NLTK's, which depend on the texts."""
    return str(metric.smooth_method).startswith("nltk")


def _value(metric: Any) -> float:
    """Return the value of the smoothing method; 0 if it has none."""
    return metric._smooth_value or 0.0


def _short(number: float) -> str:
    """Return a brevity penalty or a weight without trailing zeros."""
    return f"{number:.4g}"


def _precision(
    k: int, matches: int, total: int, precision: float, n_zeros: int, metric: Any
) -> str:
    order = f"p{k + 1}"
    value = f"{_value(metric):g}"
    note = f"  ({matches or 'no match'} of {total}: smoothed by {metric.smooth_method})"
    if metric.smooth_method == "add-k" and k and _value(metric):
        shares = f"100 * ({matches} + {value}) / ({total} + {value})"
        return f"{order} = {shares} = {precision:.2f}{note}"
    if matches == 0 and metric.smooth_method == "exp":
        return f"{order} = 100 * 1 / ({2**n_zeros} * {total}) = {precision:.2f}{note}"
    if matches == 0 and metric.smooth_method == "floor":
        return f"{order} = 100 * {value} / {total} = {precision:.2f}{note}"
    if _is_nltk(metric):
        total = max(total, 1)  # without matches
        if precision != 100.0 * (matches / total):
            return f"{order} = {precision:.2f}{note}"
    return f"{order} = 100 * {matches} / {total} = {precision:.2f}"


def _brevity(score: Any, metric: Any, reference: int | None) -> str:
    which = f"the {metric.ref_len}"
    if reference is not None:
        which += f": {reference_label(reference)}"
    hyp = score.hyp_len
    ref = score.ref_len
    if hyp >= ref:
        return f"BP = 1  (hyp_len {hyp} >= ref_len {ref}, {which})"
    note = f"hyp_len {hyp} < ref_len {ref}, {which}"
    if not hyp:
        return f"BP = 0  ({note})"
    return f"BP = exp(1 - {ref} / {hyp}) = {_short(score.bp)}  ({note})"


def _mean(precisions: list[float], metric: Any) -> str:
    """Return the formula of the mean of precisions."""
    if not precisions:
        return "0"
    n = len(precisions)
    numbers = [f"{precision:.2f}" for precision in precisions]
    weights = metric.weights
    if weights is not None and not _is_nltk(metric) and sum(weights[:n]) == 0:
        return "0"
    if metric.average == "arithmetic":
        if weights is None:
            return f"({' + '.join(numbers)}) / {n}"
        terms = [f"{_short(w)} * {p}" for w, p in zip(weights, numbers, strict=False)]
        return f"({' + '.join(terms)}) / {_short(sum(weights[:n]))}"
    if _is_nltk(metric):
        used = [k for k in range(n) if precisions[k] > 0]
        shares = [weights[k] if weights else 1 / n for k in used]
        pairs = zip(used, shares, strict=True)
        terms = [f"{precisions[k] / 100:.4f}^{_short(share)}" for k, share in pairs]
        return f"100 * {' * '.join(terms)}"
    if weights is None:
        product = " * ".join(numbers)
        return f"{product if n == 1 else f'({product})'}^(1/{n})"
    terms = [f"{p}^{_short(w)}" for w, p in zip(weights, numbers, strict=False)]
    product = " * ".join(terms)
    return product if n == len(weights) else f"({product})^(1 / {_short(sum(weights[:n]))})"


def chrf_formula(
    score: Score, row: Sequence[int], char_order: int, beta: float, eps_smoothing: bool
) -> list[str]:
    """Return the lines of chrF's formula for a score, its row and the metric's options.

    The row contains n-grams of the hypothesis, n-grams of the reference, and matches by order:
    first the `char_order` orders of characters, then the orders of words.

    >>> from rapidbleu import CHRF
    >>> print(*CHRF(char_order=2).explain("cat", ["cart"]).formula, sep="\\n")
    character 1-grams: P = 100 * 3 / 3 = 100.00, R = 100 * 3 / 4 = 75.00
    character 2-grams: P = 100 * 1 / 2 = 50.00, R = 100 * 1 / 3 = 33.33
    P = (100.00 + 50.00) / 2 = 75.00
    R = (75.00 + 33.33) / 2 = 54.17
    chrF2 = (1 + 2^2) * P * R / (2^2 * P + R) = 5 * 75.00 * 54.17 / (4 * 75.00 + 54.17) = 57.35
    """
    lines = []
    precisions = []
    recalls = []
    fs = []
    factor = beta**2
    for k in range(len(row) // 3):
        hyp, ref, matches = row[3 * k : 3 * k + 3]
        name = f"character {k + 1}" if k < char_order else f"word {k - char_order + 1}"
        if not (hyp and ref) and not eps_smoothing:
            lines.append(f"{name}-grams: left out  (hypothesis or reference has none)")
            continue
        precision = matches / hyp if hyp else 1e-16
        recall = matches / ref if ref else 1e-16
        below = factor * precision + recall
        fs.append((1 + factor) * precision * recall / below if below > 0 else 1e-16)
        precisions.append(100 * precision)
        recalls.append(100 * recall)
        parts = (("P", matches, hyp, precision), ("R", matches, ref, recall))
        line = f"{name}-grams: " + ", ".join(
            f"{letter} = 100 * {part} / {whole} = {100 * share:.2f}"
            if whole
            else f"{letter} = 1e-14  (there are none)"
            for letter, part, whole, share in parts
        )
        lines.append(f"{line}, F = {100 * fs[-1]:.2f}" if eps_smoothing else line)
    if eps_smoothing:
        return [*lines, f"{score.name} = {_average([100 * f for f in fs])} = {score.score:.2f}"]
    if not precisions:
        return [*lines, f"{score.name} = 0.00  (no order is left)"]
    p = sum(precisions) / len(precisions)
    r = sum(recalls) / len(recalls)
    lines += [f"P = {_average(precisions)} = {p:.2f}", f"R = {_average(recalls)} = {r:.2f}"]
    return [*lines, f_formula(score.name, p, r, beta, score.score)]


def _average(numbers: list[float]) -> str:
    return f"({' + '.join([f'{number:.2f}' for number in numbers])}) / {len(numbers)}"


def f_formula(name: str, p: float, r: float, beta: float, score: float) -> str:
    """Return the line of an F score, the weighted harmonic mean of precision and recall in percent.

    >>> f_formula("F1", 75.0, 50.0, 1, 60.0)
    'F1 = 2 * P * R / (P + R) = 2 * 75.00 * 50.00 / (75.00 + 50.00) = 60.00'
    """
    if not p + r:
        return f"{name} = 0.00  (P and R are 0)"
    if beta in (0, float("inf")):
        return f"{name} = {'R' if beta else 'P'} = {score:.2f}"
    product = f"{p:.2f} * {r:.2f}"
    square = f"{beta**2:g}"
    if beta == 1:
        letters = "2 * P * R / (P + R)"
        numbers = f"2 * {product} / ({p:.2f} + {r:.2f})"
    else:
        letters = f"(1 + {beta:g}^2) * P * R / ({beta:g}^2 * P + R)"
        numbers = f"{1 + beta**2:g} * {product} / ({square} * {p:.2f} + {r:.2f})"
    return f"{name} = {letters} = {numbers} = {score:.2f}"
