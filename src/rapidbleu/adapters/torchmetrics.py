"""torchmetrics' metrics with exact counts: one changed import, the same scores.

Its own float32 states silently stop counting at 2**24. Here states are int64, counted in compiled
code; torchmetrics computes the ratios. ROUGE stores sums instead of lists of all numbers.
"""

import re
from types import SimpleNamespace
from typing import Any

try:
    import torch
    from torchmetrics import text
except ImportError as error:
    raise ImportError(
        "rapidbleu.adapters.torchmetrics needs torchmetrics: pip install torchmetrics"
    ) from error

from rapidbleu._lib.checks import check_lengths
from rapidbleu.adapters import by_segment, listed
from rapidbleu.adapters.rouge_score import RougeScorer, Score, fractions
from rapidbleu.metrics import BLEU, CER, WER

__all__ = ["BLEUScore", "CharErrorRate", "ROUGEScore", "SacreBLEUScore", "WordErrorRate"]

_NUMBERS = ("fmeasure", "precision", "recall")  # in torchmetrics' order
_UNITS = 2.0**32
_OTHERS = re.compile(r"[^a-z0-9]+").sub


class _ExactStates:
    """Int64 states that are summed; everything else is inherited from torchmetrics."""

    full_state_update = False  # so that `forward` counts a batch once and states can be merged

    def add_counters(self: Any, *names: str) -> None:
        """Add counters, replacing states of the same names."""
        for name in names:
            self.add_state(name, torch.tensor(0, dtype=torch.int64), dist_reduce_fx="sum")

    def set_dtype(self: Any, dst_type: Any) -> Any:
        """Ignore the type, because counts stay int64."""
        return self


class _ExactCounts(_ExactStates):
    def _count_with(self: Any, tokenize: str, lowercase: bool) -> None:
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
            References of each segment; a str is a single one.
        """
        preds = listed(preds, "preds")
        target = by_segment(target, "target")
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
        """Sum the closest reference lengths; ties go to the first, unlike in sacrebleu."""
        flat = [reference for references in target for reference in references]
        of_flat = iter(self._unigrams.segment_stats(flat, [flat])[:, 0].tolist())
        total = 0
        for length, references in zip(lengths, target, strict=True):
            total += min([next(of_flat) for _ in references], key=lambda n: abs(n - length))
        return total


class BLEUScore(_ExactCounts, text.BLEUScore):  # type: ignore[misc]
    """BLEU of text split on white space, from 0 to 1; parameters are torchmetrics'.

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
    """BLEU with one of sacrebleu's tokenizers, from 0 to 1; parameters are torchmetrics'.

    Lowercasing precedes tokenization.

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
            n_gram=n_gram,
            smooth=smooth,
            tokenize=tokenize,
            lowercase=lowercase,
            weights=weights,
            **kwargs,
        )
        self._count_with(tokenize, lowercase)


class _ErrorRate(_ExactStates):
    _metric: Any

    def __init__(self: Any, **kwargs: Any) -> None:  # the options of `torchmetrics.Metric`
        super().__init__(**kwargs)
        self.add_counters("errors", "total")

    def update(self: Any, preds: Any, target: Any) -> None:
        """Add the counts of a batch.

        Parameters
        ----------
        preds, target : str or sequence of str
            A segment and its reference, or equally many of each.
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
    """Word error rate of text split on white space: edits divided by words of the references.

    Examples
    --------
    >>> wer = WordErrorRate()
    >>> wer(["this is the prediction", "it rained"], ["this is the reference", "it rained"])
    tensor(0.1667)
    """

    _metric = WER()


class CharErrorRate(_ErrorRate, text.CharErrorRate):  # type: ignore[misc]
    """Character error rate, including white space: edits divided by reference characters.

    Examples
    --------
    >>> cer = CharErrorRate()
    >>> cer("a cat ", "a bat")
    tensor(0.4000)
    """

    _metric = CER(strip=False)


class ROUGEScore(_ExactStates, text.ROUGEScore):  # type: ignore[misc]
    """ROUGE, from 0 to 1: mean precision, recall and F over segments; parameters are torchmetrics'.

    Uses the first reference with the highest F, or the mean of all. States are sums in units of
    2**-32 and the number of segments. ``rougeLsum`` is slow because of NLTK's sentence splitting.

    Examples
    --------
    >>> rouge = ROUGEScore(rouge_keys="rougeL")
    >>> rouge(["the gunman police killed"], ["police killed the gunman"])["rougeL_fmeasure"]
    tensor(0.5000)
    """

    def __init__(
        self,
        use_stemmer: bool = False,
        normalizer: Any = None,
        tokenizer: Any = None,
        accumulate: str = "best",
        rouge_keys: Any = ("rouge1", "rouge2", "rougeL", "rougeLsum"),
        **kwargs: Any,
    ) -> None:
        super().__init__(
            use_stemmer=use_stemmer,
            normalizer=normalizer,
            tokenizer=tokenizer,
            accumulate=accumulate,
            rouge_keys=rouge_keys,
            **kwargs,
        )
        own = None
        if normalizer is not None or tokenizer is not None:
            own = SimpleNamespace(tokenize=self._tokenize)
        self._scorer = RougeScorer(self.rouge_keys, use_stemmer, True, own)
        self._numbers = [f"{key}_{name}" for key in self.rouge_keys for name in _NUMBERS]
        self.add_counters("n_segments", *self._numbers)

    def _tokenize(self: Any, text: str) -> list[str]:
        text = self.normalizer(text) if self.normalizer else _OTHERS(" ", text.lower())
        tokens = self.tokenizer(text) if self.tokenizer else text.split()
        if self.stemmer:
            tokens = [self.stemmer.stem(token) if len(token) > 3 else token for token in tokens]
        return [token for token in tokens if isinstance(token, str) and token]

    def update(self: Any, preds: Any, target: Any) -> None:
        """Add the scores of a batch.

        Parameters
        ----------
        preds : str or sequence of str
        target : str, sequence of str or of sequences of str
            References of each segment, or of the single str.
        """
        if isinstance(preds, str):
            preds = [preds]
            target = [target]
        preds = listed(preds, "preds")
        target = by_segment(target, "target")
        check_lengths(target, "target", preds, "preds")
        if not preds:
            return
        # Each reference alone, because the best is chosen between float32 numbers.
        each = [pred for pred, several in zip(preds, target, strict=True) for _ in several]
        flat = [reference for several in target for reference in several]
        for key, rows in self._scorer._count_all(flat, each).items():
            values = torch.from_numpy(fractions(rows))
            if len(flat) > len(preds):
                parts = values.split([len(several) for several in target])
                values = torch.stack([self._accumulated(part) for part in parts])
            units = (values * _UNITS).round().to(torch.int64).sum(dim=0).tolist()
            for name, total in zip(Score._fields, units, strict=True):
                state = f"{key}_{name}"
                setattr(self, state, getattr(self, state) + total)
        self.n_segments = self.n_segments + len(preds)

    def _accumulated(self: Any, part: Any) -> Any:
        if self.accumulate == "avg":
            return part.mean(dim=0)
        return part[part[:, 2].to(torch.float32).argmax()]

    def compute(self: Any) -> dict[str, Any]:
        """Return the means, nan without segments."""
        n_units = _UNITS * self.n_segments.cpu().double()  # not every device has doubles
        means = {name: getattr(self, name).cpu().double() / n_units for name in self._numbers}
        return {name: mean.float().to(self.device) for name, mean in means.items()}
