"""torchmetrics' ROUGE with sums in place of lists of every number of every segment."""

import re
from types import SimpleNamespace
from typing import Any

from rapidbleu.adapters.layout import by_segment, listed
from rapidbleu.adapters.rouge_score import RougeScorer, Score
from rapidbleu.adapters.torchmetrics_states import ExactStates, text, torch

_NUMBERS = ("fmeasure", "precision", "recall")  # in the order of torchmetrics
_UNITS = 2.0**32
_OTHERS = re.compile(r"[^a-z0-9]+").sub


class ROUGEScore(ExactStates, text.ROUGEScore):  # type: ignore[misc]
    """ROUGE, from 0 to 1: means of precision, recall and F over segments.

    Parameters
    ----------
    use_stemmer : bool
        Take the stems of words, by NLTK's stemmer.
    normalizer : callable, optional
        From str to str; drops capitals and all but letters and digits of ASCII by default.
    tokenizer : callable, optional
        From str to a list of str; splits at white space by default.
    accumulate : {"best", "avg"}
        Of several references the first with the greatest F counts, or their mean.
    rouge_keys : str or tuple of str
        ``rouge1`` to ``rouge9``, ``rougeL``, ``rougeLsum``.
    **kwargs
        Those of `torchmetrics.Metric`.

    Notes
    -----
    States are sums in units of 2**-32 and the number of segments. For ``rougeLsum`` NLTK splits
    texts into sentences, which takes nearly all of the time.

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
            use_stemmer=use_stemmer, normalizer=normalizer, tokenizer=tokenizer,
            accumulate=accumulate, rouge_keys=rouge_keys, **kwargs,
        )  # fmt: skip
        own = None
        if normalizer is not None or tokenizer is not None:
            own = SimpleNamespace(tokenize=self._tokenize)
        self._scorer = RougeScorer(self.rouge_keys, use_stemmer, True, own)
        self._numbers = [f"{key}_{name}" for key in self.rouge_keys for name in _NUMBERS]
        self.add_counters("n_segments", *self._numbers)

    def _tokenize(self: Any, text: str) -> list[str]:
        """Return the tokens of a text by the functions that were given."""
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
            The references of each segment; of a single str, its references.
        """
        if isinstance(preds, str):
            preds, target = [preds], [target]
        preds, target = listed(preds, "preds"), by_segment(target, "target")
        if len(preds) != len(target):
            raise ValueError(f"target: expected {len(preds)}, as many as preds, got {len(target)}")
        if not preds:
            return
        # Each reference by itself: which is best is decided between numbers of float32.
        each = [pred for pred, several in zip(preds, target, strict=True) for _ in several]
        flat = [reference for several in target for reference in several]
        for key, scores in self._scorer.score_all(flat, each).items():
            values = torch.tensor(scores, dtype=torch.float64)
            if len(flat) > len(preds):
                parts = values.split([len(several) for several in target])
                values = torch.stack([self._accumulated(part) for part in parts])
            units = (values * _UNITS).round().to(torch.int64).sum(dim=0).tolist()
            for name, total in zip(Score._fields, units, strict=True):
                state = f"{key}_{name}"
                setattr(self, state, getattr(self, state) + total)
        self.n_segments = self.n_segments + len(preds)

    def _accumulated(self: Any, part: Any) -> Any:
        """Return the numbers of a segment, from those of each reference."""
        if self.accumulate == "avg":
            return part.mean(dim=0)
        return part[part[:, 2].to(torch.float32).argmax()]

    def compute(self: Any) -> dict[str, Any]:
        """Return the means, nan if there was no segment."""
        n_units = _UNITS * self.n_segments.cpu().double()  # which not every device has
        means = {name: getattr(self, name).cpu().double() / n_units for name in self._numbers}
        return {name: mean.float().to(self.device) for name, mean in means.items()}
