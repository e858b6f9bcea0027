"""torchmetrics' metrics with counts that never lose a unit: one changed import, the same scores.

Its own states are float32, which cannot count beyond 2**24: from then on a score is wrong and
nothing says so. Here they are int64, in compiled code; ratios are computed by torchmetrics.
"""

from typing import Any

from rapidbleu.adapters.layout import by_segment, listed
from rapidbleu.adapters.torchmetrics_rouge import ROUGEScore
from rapidbleu.adapters.torchmetrics_states import ExactStates, text, torch
from rapidbleu.metrics import BLEU, CER, WER

__all__ = ["BLEUScore", "CharErrorRate", "ROUGEScore", "SacreBLEUScore", "WordErrorRate"]


class _ExactCounts(ExactStates):
    """States and `update` of BLEU."""

    def _count_with(self: Any, tokenize: str, lowercase: bool) -> None:
        """Make the counters and states."""
        options: Any = {"force": True, "tokenize": tokenize, "lowercase": lowercase}
        self._bleu = BLEU(max_ngram_order=self.n_gram, **options)
        self._unigrams = BLEU(max_ngram_order=1, **options)
        for name in ("preds_len", "target_len", "numerator", "denominator"):
            zeros = torch.zeros_like(getattr(self, name), dtype=torch.int64)
            self.add_state(name, zeros, dist_reduce_fx="sum")

    def update(self: Any, preds: Any, target: Any) -> None:
        """Add the counts of a batch.

        Parameters
        ----------
        preds : sequence of str
        target : sequence of sequences of str
            The references of each segment; one may be a str.
        """
        preds, target = listed(preds, "preds"), by_segment(target, "target")
        if len(preds) == len(target) == 0:
            return
        rows = self._bleu.segment_stats(preds, target, layout="segment")
        preds_len, target_len, *counts = rows.sum(axis=0).tolist()
        if any(len(several) > 1 for several in target):
            target_len = self._closest(rows[:, 0].tolist(), target)
        numerator, denominator = torch.tensor(counts, device=self.numerator.device).view(2, -1)
        self.preds_len = self.preds_len + preds_len
        self.target_len = self.target_len + target_len
        self.numerator = self.numerator + numerator
        self.denominator = self.denominator + denominator

    def _closest(self: Any, lengths: list[int], target: list[Any]) -> int:
        """Sum of the closest reference lengths; here the first of two equally close ones counts."""
        flat = [reference for several in target for reference in several]
        of_flat = iter(self._unigrams.segment_stats(flat, [flat])[:, 0].tolist())
        total = 0
        for length, several in zip(lengths, target, strict=True):
            total += min([next(of_flat) for _ in several], key=lambda n: abs(n - length))
        return total


class BLEUScore(_ExactCounts, text.BLEUScore):  # type: ignore[misc]
    """BLEU of text split on white space, from 0 to 1.

    Parameters
    ----------
    n_gram : int
        Highest order of n-grams, at least 1.
    smooth : bool
        Add one to the counts and totals of the orders above 1.
    weights : sequence of float, optional
        One for each order.
    **kwargs
        Those of `torchmetrics.Metric`.

    Examples
    --------
    >>> bleu = BLEUScore()
    >>> bleu(["the cat is on the mat"], [["there is a cat on the mat", "a cat is on the mat"]])
    tensor(0.7598)
    """

    def __init__(
        self, n_gram: int = 4, smooth: bool = False, weights: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(n_gram=n_gram, smooth=smooth, weights=weights, **kwargs)
        self._count_with("none", False)


class SacreBLEUScore(_ExactCounts, text.SacreBLEUScore):  # type: ignore[misc]
    """BLEU of text that one of sacrebleu's tokenizers splits, from 0 to 1.

    Parameters
    ----------
    n_gram, smooth, weights, **kwargs
        As of `BLEUScore`.
    tokenize : {"none", "13a", "zh", "intl", "char", "ja-mecab", "ko-mecab", "flores101", \
"flores200"}
    lowercase : bool
        Lowercase all text first.

    Examples
    --------
    >>> bleu = SacreBLEUScore(lowercase=True)
    >>> bleu.update(["The cat sat on it."], [["the cat sat on it .", "it rained"]])
    >>> bleu.compute()
    tensor(1.)
    """

    def __init__(
        self,
        n_gram: int = 4,
        smooth: bool = False,
        tokenize: str = "13a",
        lowercase: bool = False,
        weights: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            n_gram=n_gram, smooth=smooth, tokenize=tokenize, lowercase=lowercase, weights=weights,
            **kwargs,
        )  # fmt: skip
        self._count_with(tokenize, lowercase)


class _ErrorRate(ExactStates):
    """States and `update` of error rates."""

    _metric: Any

    def __init__(self: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.add_counters("errors", "total")

    def update(self: Any, preds: Any, target: Any) -> None:
        """Add the counts of a batch.

        Parameters
        ----------
        preds, target : str or sequence of str
            A segment and its reference, or as many of each.
        """
        preds, target = (
            [texts] if isinstance(texts, str) else listed(texts, name)
            for name, texts in (("preds", preds), ("target", target))
        )
        if len(preds) == len(target) == 0:
            return
        counts = self._metric.corpus_stats(preds, [target]).tolist()
        hits, substitutions, deletions, insertions = counts
        self.errors = self.errors + (substitutions + deletions + insertions)
        self.total = self.total + (hits + substitutions + deletions)


class WordErrorRate(_ErrorRate, text.WordErrorRate):  # type: ignore[misc]
    """Word error rate of text split on white space: edits by words of the references.

    Parameters
    ----------
    **kwargs
        Those of `torchmetrics.Metric`.

    Examples
    --------
    >>> wer = WordErrorRate()
    >>> wer(["this is the prediction", "it rained"], ["this is the reference", "it rained"])
    tensor(0.1667)
    """

    _metric = WER()


class CharErrorRate(_ErrorRate, text.CharErrorRate):  # type: ignore[misc]
    """Character error rate, white space included: edits by characters of the references.

    Parameters
    ----------
    **kwargs
        Those of `torchmetrics.Metric`.

    Examples
    --------
    >>> cer = CharErrorRate()
    >>> cer("a cat ", "a bat")
    tensor(0.4000)
    """

    _metric = CER(strip=False)
