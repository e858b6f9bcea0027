"""Google's GLEU (Wu et al. 2016) on lists of hashable tokens. Scores are fractions of one."""

from collections.abc import Sequence

from reference.counting import Tokens, ngrams


def google_row(
    hypothesis: Tokens, references: Sequence[Tokens], min_order: int = 1, max_order: int = 4
) -> tuple[int, int]:
    """Return the matches of all orders, and the larger of both sides' numbers of n-grams.

    Of several references the first with the maximum ratio is used. A reference without n-grams is
    skipped if the hypothesis has none either.
    """
    best = (0, 0)
    for reference in references:
        n_match = n_hyp = n_ref = 0
        for n in range(min_order, max_order + 1):
            ours, theirs = ngrams(hypothesis, n), ngrams(reference, n)
            n_match += (ours & theirs).total()
            n_hyp += ours.total()
            n_ref += theirs.total()
        n_all = max(n_hyp, n_ref)
        if n_all and (best[1] == 0 or n_match * best[1] > best[0] * n_all):
            best = (n_match, n_all)
    return best


def google_score(rows: Sequence[tuple[int, int]]) -> float:
    n_match = sum(row[0] for row in rows)
    n_all = sum(row[1] for row in rows)
    return n_match / n_all if n_all else 0.0
