"""chrF of Popovic (2015, 2017) with the options of sacrebleu."""

from collections import Counter
from collections.abc import Sequence

ASCII_MARKS = frozenset(c for c in map(chr, range(0x21, 0x7F)) if not c.isalnum())
EPSILON = 1e-16


def characters(text: str, whitespace: bool = False) -> list[str]:
    return [c for c in text if whitespace or not c.isspace()]


def words(text: str) -> list[str]:
    """Split into words, separating a mark at the end of each, or else at its beginning."""
    found: list[str] = []
    for word in text.split():
        body = [word]
        if len(word) >= 2 and word[-1] in ASCII_MARKS:
            body = [word[:-1], word[-1]]
        elif len(word) >= 2 and word[0] in ASCII_MARKS:
            body = [word[0], word[1:]]
        found.extend(body)
    return found


def ngrams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[i:] for i in range(n)), strict=False))


def row(
    hypothesis: str,
    reference: str,
    char_order: int = 6,
    word_order: int = 0,
    lowercase: bool = False,
    whitespace: bool = False,
) -> list[int]:
    """Return [n-grams of the hypothesis, of the reference, matches] of each order."""
    texts = [text.lower() if lowercase else text for text in (hypothesis, reference)]
    readings = [([characters(text, whitespace) for text in texts], char_order)]
    readings.append(([words(text) for text in texts], word_order))
    numbers: list[int] = []
    for (hyp, ref), max_order in readings:
        for n in range(1, max_order + 1):
            ours, theirs = ngrams(hyp, n), ngrams(ref, n)
            n_hyp = ours.total() if theirs else 0
            numbers += [n_hyp, theirs.total(), (ours & theirs).total()]
    return numbers


def score(stats: Sequence[int], beta: float = 2, eps_smoothing: bool = False) -> float:
    """Return F in percent: from mean precision and recall, or as the mean over the orders."""
    factor = beta**2
    orders = [stats[i : i + 3] for i in range(0, len(stats), 3)]
    if eps_smoothing:
        total = 0.0
        for n_hyp, n_ref, n_match in orders:
            precision = n_match / n_hyp if n_hyp else EPSILON
            recall = n_match / n_ref if n_ref else EPSILON
            below = factor * precision + recall
            total += (1 + factor) * precision * recall / below if below > 0 else EPSILON
        return 100 * total / len(orders)
    both = [(n_match / n_hyp, n_match / n_ref) for n_hyp, n_ref, n_match in orders if n_hyp * n_ref]
    precision = recall = 0.0
    for each_precision, each_recall in both:
        precision += each_precision
        recall += each_recall
    if precision + recall == 0:
        return 0.0
    precision /= len(both)
    recall /= len(both)
    return 100 * ((1 + factor) * precision * recall / (factor * precision + recall))


def best_row(
    hypothesis: str,
    references: Sequence[str],
    *,
    beta: float = 2,
    eps_smoothing: bool = False,
    char_order: int = 6,
    word_order: int = 0,
    lowercase: bool = False,
    whitespace: bool = False,
) -> list[int]:
    """Return the row of the first reference with the maximum score."""
    rows = [
        row(hypothesis, reference, char_order, word_order, lowercase, whitespace)
        for reference in references
    ]
    return max(rows, key=lambda stats: score(stats, beta, eps_smoothing))
