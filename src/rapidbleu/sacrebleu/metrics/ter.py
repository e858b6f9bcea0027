"""TER: sacrebleu's class, its protocol in plain Python, compiled unless a method is replaced."""

from rapidbleu.sacrebleu.metrics.base import Metric, Score, Signature
from rapidbleu.sacrebleu.metrics.compiled import fast_ter
from rapidbleu.sacrebleu.metrics.fast import Fast, compiled_name, is_untouched, methods_of
from rapidbleu.sacrebleu.metrics.inputs import refuse_no_reference
from rapidbleu.sacrebleu.metrics.lib_ter import translation_edit_rate
from rapidbleu.sacrebleu.metrics.score import TERScore
from rapidbleu.sacrebleu.metrics.signature import TERSignature
from rapidbleu.sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer
from rapidbleu.sacrebleu.utils import sum_of_lists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = [
    "TER",
    "Metric",
    "Score",
    "Signature",
    "TERScore",
    "TERSignature",
    "TercomTokenizer",
    "sum_of_lists",
    "translation_edit_rate",
]


class TER(Metric):
    """Translation edit rate (Snover et al. 2006); the lower, the better.

    Parameters
    ----------
    normalized : bool
        Join lines, undo entities and split off punctuation.
    no_punct : bool
        Remove punctuation.
    asian_support : bool
        Both know Asian punctuation too, and the first splits ideographs.
    case_sensitive : bool
        Do not lowercase.
    references : sequence of streams, optional
        Prepared once, for calls that give none.

    Examples
    --------
    >>> TER()._extract_corpus_statistics(["on the mat the cat sat"], [["the cat sat on the mat"]])
    [[1, 6.0]]
    """

    _SIGNATURE_TYPE = TERSignature

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
        references: "Sequence[Sequence[str]] | None" = None,
    ) -> None:
        super().__init__()
        self.no_punct = no_punct
        self.normalized = normalized
        self.asian_support = asian_support
        self.case_sensitive = case_sensitive
        self.tokenizer = TercomTokenizer(
            normalized=normalized,
            no_punct=no_punct,
            asian_support=asian_support,
            case_sensitive=case_sensitive,
        )
        self.tokenizer_signature = self.tokenizer.signature()
        if references is not None:
            self._remember_references(references)

    def _preprocess_segment(self, sent: str) -> str:
        text: str = self.tokenizer(sent.rstrip())
        return text

    def _compute_score_from_stats(self, stats: "Any") -> TERScore:
        n_edits, ref_length = stats[0], stats[1]
        rate = n_edits / ref_length if ref_length > 0 else float(n_edits > 0)
        return TERScore(100 * rate, n_edits, ref_length)

    def _aggregate_and_compute(self, stats: "Any") -> TERScore:
        return self._compute_score_from_stats(sum_of_lists(stats))

    def _extract_reference_info(self, refs: "Sequence[str]") -> "dict[str, Any]":
        return {"ref_words": [self._preprocess_segment(ref).split() for ref in refs]}

    def _compute_segment_statistics(
        self, hypothesis: str, ref_kwargs: "dict[str, Any]"
    ) -> "list[Any]":
        refs = ref_kwargs["ref_words"]
        if not refs:
            refuse_no_reference(type(self).__name__)
        words = hypothesis.split()
        results = [translation_edit_rate(words, ref) for ref in refs]
        length = sum(ref_length for _, ref_length in results)
        return [min(n_edits for n_edits, _ in results), length / len(refs)]

    def _fast(self) -> "Fast | None":
        return fast_ter(self, compiled_name, _EXTRACTION)

    def _fast_score(self) -> "Fast | None":
        return self._fast() if is_untouched(self, _SCORING) else None

    def _make_score(self, parts: "tuple[Any, ...]") -> TERScore:
        return TERScore(*parts)


_EXTRACTION = methods_of(
    TER,
    "_cache_references",
    "_compute_segment_statistics",
    "_extract_reference_info",
    "_preprocess_segment",
)
_SCORING = methods_of(
    TER, "_aggregate_and_compute", "_compute_score_from_stats", "_extract_corpus_statistics"
)
