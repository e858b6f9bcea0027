"""chrF with sacrebleu's class, score and signature."""

from __future__ import annotations

from rapidbleu._lib.installed_sacrebleu import method_of
from rapidbleu.sacrebleu.metrics.base import Metric, Score, Signature
from rapidbleu.sacrebleu.metrics.fast import Finder
from rapidbleu.sacrebleu.tokenizers import compiled_name
from rapidbleu.score import chrf_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["CHRF", "CHRFScore", "CHRFSignature"]

_EPSILON = 1e-16


class CHRFScore(Score):
    """A chrF score, in percent."""

    def __init__(self, score: float, char_order: int, word_order: int, beta: float) -> None:
        self.beta = beta
        self.char_order = char_order
        self.word_order = word_order
        super().__init__(chrf_name(word_order, beta), score)


class CHRFSignature(Signature):
    """The signature of a chrF metric."""

    def __init__(self, args: dict[str, Any]) -> None:
        super().__init__(args)
        self._abbr.update({"case": "c", "eff": "e", "nc": "nc", "nw": "nw", "space": "s"})
        self.info.update(
            {
                "case": "lc" if args["lowercase"] else "mixed",
                "eff": "no" if args["eps_smoothing"] else "yes",
                "nc": args["char_order"],
                "nw": args["word_order"],
                "space": "yes" if args["whitespace"] else "no",
            }
        )


class CHRF(Metric):
    """chrF (Popovic 2015); chrF++ (Popovic 2017) with ``word_order=2``.

    Parameters are as in `rapidbleu.CHRF`, and can be changed at any time.

    Examples
    --------
    >>> CHRF(char_order=2)._extract_corpus_statistics(["a cat"], [["a mat"]])
    [[4, 4, 3, 3, 3, 1]]
    """

    CHAR_ORDER = 6
    WORD_ORDER = 0
    BETA = 2
    _PUNCTS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
    _SIGNATURE_TYPE = CHRFSignature

    def __init__(
        self,
        char_order: int = CHAR_ORDER,
        word_order: int = WORD_ORDER,
        beta: int = BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: Sequence[Sequence[str]] | None = None,
    ) -> None:
        super().__init__()
        self.beta = beta
        self.char_order = char_order
        self.word_order = word_order
        self.order = char_order + word_order
        self.lowercase = lowercase
        self.whitespace = whitespace
        self.eps_smoothing = eps_smoothing
        if references is not None:
            self._ref_cache = self._cache_references(references)

    def _preprocess_segment(self, sent: str) -> str:
        return sent.lower() if self.lowercase else sent

    def _compute_f_score(self, statistics: Any) -> float:
        weight = self.beta**2
        sum_of_scores = sum_of_precisions = sum_of_recalls = 0.0
        n_effective = 0
        for i in range(self.order):
            n_hyp, n_ref, n_match = statistics[3 * i : 3 * i + 3]
            precision = n_match / n_hyp if n_hyp > 0 else _EPSILON
            recall = n_match / n_ref if n_ref > 0 else _EPSILON
            divisor = weight * precision + recall
            sum_of_scores += (
                ((1 + weight) * precision * recall / divisor) if divisor > 0 else _EPSILON
            )
            if n_hyp > 0 and n_ref > 0:
                sum_of_precisions += precision
                sum_of_recalls += recall
                n_effective += 1
        if self.eps_smoothing:
            return 100 * sum_of_scores / self.order
        if not n_effective:
            return 0.0
        precision = sum_of_precisions / n_effective
        recall = sum_of_recalls / n_effective
        if not precision + recall:
            return 0.0
        score: float = (1 + weight) * precision * recall
        score /= (weight * precision) + recall
        return 100 * score

    def _compute_score_from_stats(self, stats: Any) -> CHRFScore:
        return CHRFScore(self._compute_f_score(stats), self.char_order, self.word_order, self.beta)

    _remove_punctuation = method_of("metrics.chrf", "CHRF", "_remove_punctuation")
    _get_match_statistics = method_of("metrics.chrf", "CHRF", "_get_match_statistics")
    _extract_reference_info = method_of("metrics.chrf", "CHRF", "_extract_reference_info")
    _compute_segment_statistics = method_of("metrics.chrf", "CHRF", "_compute_segment_statistics")

    def _make_score(self, parts: tuple[Any, ...]) -> CHRFScore:
        return CHRFScore(parts[0], self.char_order, self.word_order, self.beta)


CHRF._FINDER = Finder(CHRF, compiled_name)
