"""The `Bleu` of pycocoevalcap: BLEU of all orders up to n, of a set of captions and of each one."""

from math import exp
from typing import Any

from rapidbleu.metrics import BLEU

__all__ = ["Bleu"]

# Added to counts and totals, so that nothing is divided by zero.
TINY = 1e-15
SMALL = 1e-9


class Bleu:
    """BLEU-1 to BLEU-n of captions that are tokenized, their tokens separated by white space.

    Parameters
    ----------
    n : int
        Highest order of n-grams, at least 1.

    Examples
    --------
    >>> captions = {"image": ["a cat on a mat"]}
    >>> references = {"image": ["a cat sits on a mat", "there is a cat on the mat"]}
    >>> scores, of_each = Bleu(2).compute_score(references, captions)
    >>> [round(score, 3) for score in scores]
    [0.819, 0.819]
    """

    def __init__(self, n: int = 4) -> None:
        self._bleu = BLEU(tokenize="none", force=True, max_ngram_order=n)

    def compute_score(
        self, gts: Any, res: Any, verbose: int = 1
    ) -> tuple[list[float], list[list[float]]]:
        """Score captions.

        Parameters
        ----------
        gts : dict of list of str
            The references of each image.
        res : dict of list of one str
            The caption of each image.
        verbose : int
            Accepted for the sake of callers; nothing is printed.

        Returns
        -------
        (list of n float, list of n lists of float)
            Scores of the set, from 0 to 1, and for each order those of the captions, in the order
            of `gts`.

        Raises
        ------
        TypeError, ValueError
            If the images differ or one has not exactly one caption; the message names it.
        """
        if gts.keys() != res.keys():
            key = next(iter(gts.keys() ^ res.keys()))
            raise ValueError(
                f"res: expected the {len(gts)} keys of gts, got {len(res)}; "
                f"{key!r} is in one of them only"
            )
        for key in gts:
            for name, several in (("res", res[key]), ("gts", gts[key])):
                if not isinstance(several, list):
                    raise TypeError(
                        f"{name}[{key!r}]: expected a list of str, got {type(several).__name__}"
                    )
            if len(res[key]) != 1:
                raise ValueError(f"res[{key!r}]: expected one caption, got {len(res[key])}")
        rows = self._bleu.segment_stats(
            [res[key][0] for key in gts], [gts[key] for key in gts], layout="segment"
        )
        of_each = [_scores(row) for row in rows.tolist()]
        return _scores(rows.sum(axis=0).tolist()), [
            list(scores) for scores in zip(*of_each, strict=True)
        ]

    def method(self) -> str:
        """Return the name of the metric."""
        return "Bleu"


def _scores(row: list[int]) -> list[float]:
    """BLEU-1 to BLEU-n of a row of statistics."""
    hyp_len, ref_len, *counts = row
    n = len(counts) // 2
    scores = []
    product = 1.0
    for k in range(n):
        product *= (counts[k] + TINY) / (counts[n + k] + SMALL)
        scores.append(product ** (1.0 / (k + 1)))
    ratio = (hyp_len + TINY) / (ref_len + SMALL)
    if ratio < 1:
        penalty = exp(1 - 1 / ratio)
        scores = [score * penalty for score in scores]
    return scores
