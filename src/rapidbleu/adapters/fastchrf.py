"""fastchrf's functions: chrF of all pairs, and against aggregated references."""

from typing import Any

from rapidbleu._lib.checks import check_flag, check_lengths
from rapidbleu._lib.loader import np
from rapidbleu.adapters import check_texts, listed
from rapidbleu.metrics import CHRF

__all__ = ["aggregate_chrf", "pairwise_chrf"]


def pairwise_chrf(
    hypotheses: Any,
    references: Any,
    char_order: int = 6,
    beta: float = 2.0,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> list[list[list[float]]]:
    """Score each hypothesis against each reference, for every problem of a batch.

    Parameters are fastchrf's. Uses all cores. Raises TypeError or ValueError if an element is not a
    str, a problem or the batch is empty, or the numbers of problems differ.

    Examples
    --------
    >>> pairwise_chrf([["The cat sat.", "It rained."]], [["The cat sat.", "The cats sat."]])
    [[[100.0, 67.78636198074246], [6.802721088435375, 6.289308176100629]]]
    """
    metric, hyps, refs = _checked(
        hypotheses, references, char_order, beta, remove_whitespace, eps_smoothing
    )
    return [scores.tolist() for scores in metric.pairwise(hyps, refs, groups=True, threads=0)]


def aggregate_chrf(
    hypotheses: Any,
    references: Any,
    char_order: int = 6,
    beta: float = 2.0,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> list[list[float]]:
    """Score each hypothesis against the summed n-grams of all references of its problem.

    Parameters and errors are as in `pairwise_chrf`. The score differs from the mean over pairs, for
    which see `Metric.mbr`: the counts of a hypothesis are multiplied by the number of
    references. Takes time linear in the text.

    References
    ----------
    Vamvas and Sennrich 2024, "Linear-time Minimum Bayes Risk Decoding with Reference Aggregation".

    Examples
    --------
    >>> aggregate_chrf([["The cat sat.", "It rained."]], [["The cat sat.", "The cats sat."]])
    [[82.90171703133876, 6.535947712418301]]
    """
    metric, hyps, refs = _checked(
        hypotheses, references, char_order, beta, remove_whitespace, eps_smoothing
    )
    return [
        metric.score_rows(_rows(metric, *problem)).tolist()
        for problem in zip(hyps, refs, strict=True)
    ]


def _checked(
    hypotheses: Any,
    references: Any,
    char_order: int,
    beta: float,
    remove_whitespace: bool,
    eps_smoothing: bool,
) -> tuple[CHRF, list[list[str]], list[list[str]]]:
    check_flag("remove_whitespace", remove_whitespace)
    metric = CHRF(
        char_order=char_order,
        beta=beta,
        whitespace=not remove_whitespace,
        eps_smoothing=eps_smoothing,
    )
    sides = []
    for name, batch in (("hypotheses", hypotheses), ("references", references)):
        side = [listed(own, f"{name}[{i}]") for i, own in enumerate(listed(batch, name))]
        for i, own in enumerate(side):
            check_texts(own, f"{name}[{i}]")
        if not side or [] in side:
            raise ValueError(f"{name}: expected lists of at least one text; got none")
        sides.append(side)
    check_lengths(sides[1], "references", sides[0], "hypotheses")
    return metric, sides[0], sides[1]


def _rows(metric: CHRF, hyps: list[str], refs: list[str]) -> Any:
    """Return n-grams of each hypothesis, n-grams of all references, and matches, by order."""
    texts = [text if metric.whitespace else "".join(text.split()) for text in (*hyps, *refs)]
    lengths = np.array(list(map(len, texts)), dtype=np.intp)
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    owner = np.repeat(np.arange(len(texts)), lengths)
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(codes))  # to the end of the text
    grams = np.zeros(len(codes), np.int64)  # number of the n-gram that begins at a character
    rows = np.zeros((len(hyps), 3 * metric.char_order), np.int64)
    for n in range(metric.char_order):
        n_grams = np.maximum(lengths - n, 0)
        whole = n_grams[len(hyps) :].sum()
        if whole == 0:
            break
        places = np.flatnonzero(left > n)
        own = grams[places] << 21 | codes[places + n]
        distinct, own = np.unique(own, return_inverse=True)
        grams[places] = own
        of_hyps = np.searchsorted(places, lengths[: len(hyps)].sum())
        counts = np.bincount(own[of_hyps:], minlength=len(distinct))
        keys = owner[places[:of_hyps]] * len(distinct) + own[:of_hyps]
        keys, times = np.unique(keys, return_counts=True)
        hits = np.minimum(times * len(refs), counts[keys % len(distinct)])
        rows[:, 3 * n] = n_grams[: len(hyps)] * len(refs)
        rows[:, 3 * n + 1] = whole
        rows[:, 3 * n + 2] = np.bincount(keys // len(distinct), hits, minlength=len(hyps))
    return rows
