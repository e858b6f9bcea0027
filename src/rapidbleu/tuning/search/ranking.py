"""Pairs of hypotheses for pairwise ranking: drawn at random, the most different ones kept."""

import math

from rapidbleu._core.metrics.bleu import BleuKernel
from rapidbleu._core.tuning.learners import draw_pairs
from rapidbleu.counts import check_count
from rapidbleu.parallel import STEPS
from rapidbleu.scoring import RowScoring, check_metric
from rapidbleu.tuning.lists.checks import check_number
from rapidbleu.tuning.lists.subsets import copies_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.tuning.lists.nbest import NBestList
    from rapidbleu.typing import FloatArray, IntArray, Progress

# Rows scored together, so that their copies with smoothed lengths stay small.
ROWS = 1 << 16


def sentence_scores(
    nbest: "NBestList", metric: "RowScoring | None" = None, smooth_length: bool = False
) -> "FloatArray":
    """Score each hypothesis alone, as pairwise ranking does; more is better.

    Parameters
    ----------
    nbest : NBestList
    metric : metric, optional
        With the same statistics as that of the list. By default the list's own, or for BLEU, of
        which single segments often have none, BLEU+1 (Lin & Och 2004): correct and total n-grams of
        each order above 1 are one more.
    smooth_length : bool
        Add 1 to the reference lengths of BLEU (Nakov et al. 2012).

    Returns
    -------
    float64 array of shape (n,)
    """
    import numpy as np

    kernel = nbest.metric._kernel
    is_bleu = isinstance(kernel, BleuKernel)
    if metric is not None:
        check_metric(metric, "sentence_metric")
        if metric._kernel.n_stats != kernel.n_stats:
            raise ValueError(
                f"sentence_metric: expected one of {kernel.n_stats} statistics, as the list has, "
                f"got {metric._kernel.n_stats}"
            )
        is_bleu, kernel = isinstance(metric._kernel, BleuKernel), metric._kernel
    elif isinstance(kernel, BleuKernel):
        kernel = BleuKernel(kernel.max_order, "closest", "add-k", 1.0, False, None)
    if smooth_length and not is_bleu:
        raise ValueError("smooth_length: expected BLEU, whose rows have a reference length")
    scores = np.empty(len(nbest), np.float64)
    for begin in range(0, len(nbest), ROWS):
        rows = np.array(nbest.stats[begin : begin + ROWS], np.int64)
        rows[:, 1] += bool(smooth_length)
        kernel.score_rows(rows, scores[begin : begin + ROWS])
    return -scores if kernel.lower_is_better else scores


def sample_pairs(
    nbest: "NBestList",
    scores: "FloatArray",
    *,
    candidates: int = 5000,
    samples: int = 50,
    min_difference: float = 5.0,
    seed: int = 0,
    progress: "Progress | None" = None,
) -> "IntArray":
    """Draw pairs of each segment's hypotheses and keep the most different ones.

    Parameters
    ----------
    nbest : NBestList
    scores : float64 array of shape (n,)
        Of the hypotheses.
    candidates, samples, min_difference, seed
        As in `pro`.
    progress : callable, optional
        Called with the segments done and all of them.

    Returns
    -------
    int64 array of shape (m, 2)
        Row numbers, the better hypothesis first; segment by segment, and within one the largest
        differences first, of equal ones those drawn first.

    Notes
    -----
    The draws of a segment are 64 random bits of PCG64 each, upper half first, a half h choosing
    hypothesis ``h * n >> 32`` of n. Linear in segments times candidates.
    """
    import numpy as np

    n_draws = check_count("candidates", candidates, 1)
    most = check_count("samples", samples, 1)
    least = check_number("min_difference", min_difference, 0.0)
    random = np.random.PCG64(check_count("seed", seed, 0, math.inf))
    own = np.empty((most, 2), np.int64)
    differences = np.empty(most, np.float64)
    kept = []
    offsets = nbest.offsets.tolist()
    segments = copies_of(nbest).tolist()
    step = max(1, -(-len(segments) // STEPS))
    for done, i in enumerate(segments, 1):
        bits = random.random_raw(n_draws)
        n = draw_pairs(scores, offsets[i], offsets[i + 1], bits, least, own, differences)
        kept.append(own[:n].copy())
        if progress is not None and (done % step == 0 or done == len(segments)):
            progress(done, len(segments))
    return np.concatenate(kept)
