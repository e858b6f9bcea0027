"""TER with sacrebleu's class, score and signature."""

from __future__ import annotations

from rapidbleu._lib.installed_sacrebleu import method_of
from rapidbleu.sacrebleu.metrics.base import Metric, Score, Signature
from rapidbleu.sacrebleu.metrics.fast import Finder
from rapidbleu.sacrebleu.tokenizers import TercomTokenizer, compiled_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["TER", "TERScore", "TERSignature"]


class TERScore(Score):
    """A translation edit rate in percent; `ref_length` sums the mean lengths of references."""

    def __init__(self, score: float, num_edits: float, ref_length: float) -> None:
        super().__init__("TER", score)
        self.num_edits = int(num_edits)
        self.ref_length = ref_length


class TERSignature(Signature):
    """The signature of a TER metric."""

    def __init__(self, args: dict[str, Any]) -> None:
        super().__init__(args)
        self._abbr.update({"case": "c", "tok": "t", "norm": "nr", "punct": "pn", "asian": "as"})
        self.info.update(
            {
                "case": "mixed" if args["case_sensitive"] else "lc",
                "tok": args["tokenizer_signature"],
                "norm": args["normalized"],
                "punct": not args["no_punct"],
                "asian": args["asian_support"],
            }
        )


class TER(Metric):
    """Translation edit rate (Snover et al. 2006); the lower, the better.

    Parameters are as in `rapidbleu.TER`; change options later in `tokenizer`, as in sacrebleu.

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
        references: Sequence[Sequence[str]] | None = None,
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
            self._ref_cache = self._cache_references(references)

    def _preprocess_segment(self, sent: str) -> str:
        text: str = self.tokenizer(sent.rstrip())
        return text

    def _compute_score_from_stats(self, stats: Any) -> TERScore:
        n_edits = stats[0]
        ref_length = stats[1]
        rate = n_edits / ref_length if ref_length > 0 else float(n_edits > 0)
        return TERScore(100 * rate, n_edits, ref_length)

    _extract_reference_info = method_of("metrics.ter", "TER", "_extract_reference_info")
    _compute_segment_statistics = method_of("metrics.ter", "TER", "_compute_segment_statistics")

    def _make_score(self, parts: tuple[Any, ...]) -> TERScore:
        return TERScore(*parts)


TER._FINDER = Finder(TER, compiled_name)
