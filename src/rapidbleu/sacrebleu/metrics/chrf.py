"""chrF: sacrebleu's class, its protocol in plain Python, compiled unless a method is replaced."""

from collections import Counter

from rapidbleu.sacrebleu.metrics.base import Metric, Score, Signature
from rapidbleu.sacrebleu.metrics.compiled import fast_chrf
from rapidbleu.sacrebleu.metrics.fast import Fast, is_untouched, methods_of
from rapidbleu.sacrebleu.metrics.helpers import extract_all_char_ngrams, extract_word_ngrams
from rapidbleu.sacrebleu.metrics.inputs import refuse_no_reference
from rapidbleu.sacrebleu.metrics.score import CHRFScore
from rapidbleu.sacrebleu.metrics.signature import CHRFSignature
from rapidbleu.sacrebleu.utils import sum_of_lists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = [
    "CHRF",
    "CHRFScore",
    "CHRFSignature",
    "Metric",
    "Score",
    "Signature",
    "extract_all_char_ngrams",
    "extract_word_ngrams",
    "sum_of_lists",
]

_EPSILON = 1e-16


class CHRF(Metric):
    """chrF (Popovic 2015); chrF++ (Popovic 2017) with ``word_order=2``.

    Parameters
    ----------
    char_order, word_order : int
        Highest orders of n-grams.
    beta : float
        How many times more recall counts than precision.
    lowercase : bool
        Lowercase all text.
    whitespace : bool
        White space is among the characters.
    eps_smoothing : bool
        Mean of the F scores of all orders instead of F of the means of those that occur.
    references : sequence of streams, optional
        Prepared once, for calls that give none.

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
        references: "Sequence[Sequence[str]] | None" = None,
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
            self._remember_references(references)

    @staticmethod
    def _get_match_statistics(hyp_ngrams: "Any", ref_ngrams: "Any") -> "list[int]":
        """Return n-grams of hypothesis and reference of one order, and those in both.

        If the reference has none, those of the hypothesis are not counted.
        """
        n_hyp = n_matches = 0
        for ngram, count in hyp_ngrams.items():
            n_hyp += count
            if ngram in ref_ngrams:
                n_matches += min(count, ref_ngrams[ngram])
        return [n_hyp if ref_ngrams else 0, sum(ref_ngrams.values()), n_matches]

    def _remove_punctuation(self, sent: str) -> "list[str]":
        """Return the words, of each the last or else the first punctuation mark split off."""
        words = []
        for word in sent.split():
            if len(word) > 1 and word[-1] in self._PUNCTS:
                words += [word[:-1], word[-1]]
            elif len(word) > 1 and word[0] in self._PUNCTS:
                words += [word[0], word[1:]]
            else:
                words.append(word)
        return words

    def _preprocess_segment(self, sent: str) -> str:
        return sent.lower() if self.lowercase else sent

    def _compute_f_score(self, statistics: "Any") -> float:
        """Return chrF of a row of statistics, in percent."""
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

    def _compute_score_from_stats(self, stats: "Any") -> CHRFScore:
        return CHRFScore(
            self._compute_f_score(stats), self.char_order, self.word_order, self.beta
        )

    def _aggregate_and_compute(self, stats: "Any") -> CHRFScore:
        return self._compute_score_from_stats(sum_of_lists(stats))

    def _all_ngrams(self, text: str) -> "list[Counter[str]]":
        """Return the n-grams of characters and words of each order."""
        counters = extract_all_char_ngrams(text, self.char_order, self.whitespace)
        if self.word_order > 0:
            words = self._remove_punctuation(text)
            counters += [extract_word_ngrams(words, n + 1) for n in range(self.word_order)]
        return counters

    def _extract_reference_info(self, refs: "Sequence[str]") -> "dict[str, Any]":
        return {"ref_ngrams": [self._all_ngrams(ref) for ref in refs]}

    def _compute_segment_statistics(
        self, hypothesis: str, ref_kwargs: "dict[str, Any]"
    ) -> "list[int]":
        ref_ngrams = ref_kwargs["ref_ngrams"]
        if not ref_ngrams:
            refuse_no_reference(type(self).__name__)
        ngrams = self._all_ngrams(hypothesis)
        best: list[int] = []
        best_score = -1.0
        for counters in ref_ngrams:
            row: list[int] = []
            for own, others in zip(ngrams, counters, strict=False):
                row += self._get_match_statistics(own, others)
            score = self._compute_f_score(row)
            if score > best_score:
                best, best_score = row, score
        return best

    def _fast(self) -> "Fast | None":
        return fast_chrf(self, _EXTRACTION)

    def _fast_score(self) -> "Fast | None":
        return self._fast() if is_untouched(self, _SCORING) else None

    def _make_score(self, parts: "tuple[Any, ...]") -> CHRFScore:
        return CHRFScore(parts[0], self.char_order, self.word_order, self.beta)


_EXTRACTION = methods_of(
    CHRF,
    "_PUNCTS",
    "_all_ngrams",
    "_cache_references",
    "_compute_f_score",
    "_compute_segment_statistics",
    "_extract_reference_info",
    "_get_match_statistics",
    "_preprocess_segment",
    "_remove_punctuation",
)
_SCORING = methods_of(
    CHRF, "_aggregate_and_compute", "_compute_score_from_stats", "_extract_corpus_statistics"
)
