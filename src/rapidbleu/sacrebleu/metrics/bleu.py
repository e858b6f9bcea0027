"""BLEU with sacrebleu's class, score and signature."""

from __future__ import annotations

import math

from rapidbleu._lib.installed_sacrebleu import method_of
from rapidbleu.metrics.bleu import (
    LANGUAGE_TOKENIZERS,
    LANGUAGES,
    MAX_NGRAM_ORDER,
    SMOOTH_DEFAULTS,
    add_to_counts,
)
from rapidbleu.sacrebleu import tokenizers
from rapidbleu.sacrebleu.metrics.base import Metric, Score, Signature
from rapidbleu.sacrebleu.metrics.fast import Finder
from rapidbleu.sacrebleu.tokenizers import compiled_name
from rapidbleu.sacrebleu.utils import my_log, warn
from rapidbleu.score import bleu_details, joined_precisions, length_ratio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["BLEU", "MAX_NGRAM_ORDER", "BLEUScore", "BLEUSignature"]

_TOKENIZERS = tokenizers.TOKENIZERS


def _get_tokenizer(name: str) -> Any:
    """Return the class of the tokenizer called `name`; KeyError if there is none."""
    module, cls = _TOKENIZERS[name].rsplit(".", 1)
    return getattr(getattr(tokenizers, module), cls)


def _check_smooth_method(method: Any) -> None:
    if method not in SMOOTH_DEFAULTS:
        raise AssertionError(f"Unknown smooth_method {method!r}")


class BLEUScore(Score):
    """A BLEU score and its parts; parameters are as in `rapidbleu.BLEUScore`."""

    def __init__(
        self,
        score: float,
        counts: Any,
        totals: Any,
        precisions: list[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        super().__init__("BLEU", score)
        self.bp = bp
        self.counts = counts
        self.totals = totals
        self.sys_len = sys_len
        self.ref_len = ref_len
        self.precisions = precisions
        self.prec_str = joined_precisions(precisions)
        self.ratio = length_ratio(sys_len, ref_len)
        self._verbose = bleu_details(self.prec_str, bp, self.ratio, sys_len, ref_len)


class BLEUSignature(Signature):
    """The signature of a BLEU metric."""

    def __init__(self, args: dict[str, Any]) -> None:
        super().__init__(args)
        self._abbr.update({"case": "c", "eff": "e", "tok": "tok", "smooth": "s"})
        smooth = args["smooth_method"]
        default = SMOOTH_DEFAULTS[smooth]
        if default is not None:
            value = args["smooth_value"]
            smooth += f"[{default if value is None else value:.2f}]"
        self.info.update(
            {
                "case": "lc" if args["lowercase"] else "mixed",
                "eff": "yes" if args["effective_order"] else "no",
                "tok": args["tokenizer_signature"],
                "smooth": smooth,
            }
        )


class BLEU(Metric):
    """BLEU (Papineni et al. 2002), with options that can be changed at any time.

    Parameters, `TOKENIZERS` and smoothing methods are as in `rapidbleu.BLEU`.

    Examples
    --------
    >>> bleu = BLEU()
    >>> bleu.corpus_score(["The cat sat on a mat."], [["The cat sat on the mat."]])
    BLEU = 48.89 85.7/66.7/40.0/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)
    >>> bleu._extract_corpus_statistics(["The cat sat on a mat."], [["The cat sat on the mat."]])
    [[7, 7, 6, 4, 2, 1, 7, 6, 5, 4]]
    """

    SMOOTH_DEFAULTS = SMOOTH_DEFAULTS
    TOKENIZERS = _TOKENIZERS.keys()
    TOKENIZER_DEFAULT = "13a"
    _TOKENIZER_MAP = LANGUAGE_TOKENIZERS
    _SIGNATURE_TYPE = BLEUSignature

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = MAX_NGRAM_ORDER,
        effective_order: bool = False,
        trg_lang: str = "",
        references: Sequence[Sequence[str]] | None = None,
    ) -> None:
        super().__init__()
        self._force = force
        self.trg_lang = trg_lang
        self.lowercase = lowercase
        self.smooth_value = smooth_value
        self.smooth_method = smooth_method
        self.max_ngram_order = max_ngram_order
        self.effective_order = effective_order
        _check_smooth_method(smooth_method)
        if tokenize is None:
            tokenize = self._TOKENIZER_MAP.get(trg_lang, self.TOKENIZER_DEFAULT)
        elif trg_lang in LANGUAGES and tokenize != LANGUAGE_TOKENIZERS[trg_lang]:
            best = LANGUAGE_TOKENIZERS[trg_lang]
            language = LANGUAGES[trg_lang]
            warn(f"Consider using the '{best}' or 'spm' tokenizer for {language}.")
        self.tokenizer = _get_tokenizer(tokenize)()
        self.tokenizer_signature = self.tokenizer.signature()
        if references is not None:
            self._ref_cache = self._cache_references(references)

    @staticmethod
    def compute_bleu(
        correct: Any,
        total: Any,
        sys_len: int,
        ref_len: int,
        smooth_method: str = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
        max_ngram_order: int = MAX_NGRAM_ORDER,
    ) -> BLEUScore:
        """Score matched and possible n-grams of each order, and lengths in tokens."""
        _check_smooth_method(smooth_method)
        if smooth_value is None:
            smooth_value = SMOOTH_DEFAULTS[smooth_method]
        bp = 1.0
        if sys_len < ref_len:
            bp = math.exp(1 - ref_len / sys_len) if sys_len > 0 else 0.0
        precisions = [0.0] * max_ngram_order
        if not any(correct):
            return BLEUScore(0.0, correct, total, precisions, bp, sys_len, ref_len)
        k: Any = smooth_value if smooth_method == "add-k" else None
        if k is not None:  # use copies, and lists, which accept fractions
            correct, total = (
                counts.tolist() if hasattr(counts, "tolist") else list(counts)
                for counts in (correct, total)
            )
        unseen = 1.0
        n_used = max_ngram_order
        for n in range(max_ngram_order):
            if k is not None and n > 0:
                correct[n] += k
                total[n] += k
            if total[n] == 0:
                break
            if effective_order:
                n_used = n + 1
            if correct[n] != 0:
                precisions[n] = 100.0 * correct[n] / total[n]
            elif smooth_method == "exp":
                unseen *= 2
                precisions[n] = 100.0 / (unseen * total[n])
            elif smooth_method == "floor":
                floor: Any = smooth_value
                precisions[n] = 100.0 * floor / total[n]
        score = bp * math.exp(sum([my_log(p) for p in precisions[:n_used]]) / n_used)
        return BLEUScore(score, correct, total, precisions, bp, sys_len, ref_len)

    def _preprocess_segment(self, sent: str) -> str:
        text: str = self.tokenizer((sent.lower() if self.lowercase else sent).rstrip())
        return text

    def _compute_score_from_stats(self, stats: Any) -> BLEUScore:
        first_total = 2 + self.max_ngram_order
        return self.compute_bleu(
            correct=stats[2:first_total],
            total=stats[first_total:],
            sys_len=int(stats[0]),
            ref_len=int(stats[1]),
            smooth_method=self.smooth_method,
            smooth_value=self.smooth_value,
            effective_order=self.effective_order,
            max_ngram_order=self.max_ngram_order,
        )

    _get_closest_ref_len = method_of("metrics.bleu", "BLEU", "_get_closest_ref_len")
    _extract_reference_info = method_of("metrics.bleu", "BLEU", "_extract_reference_info")
    _compute_segment_statistics = method_of("metrics.bleu", "BLEU", "_compute_segment_statistics")

    def _make_score(self, parts: tuple[Any, ...]) -> BLEUScore:
        score, counts, totals, *rest = parts
        if self.smooth_method == "add-k" and any(counts):
            k = SMOOTH_DEFAULTS["add-k"] if self.smooth_value is None else self.smooth_value
            add_to_counts(counts, totals, k)
        return BLEUScore(score, counts, totals, *rest)

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> BLEUScore:
        """Score one segment; see `Metric.sentence_score`."""
        if not self.effective_order:
            warn("It is recommended to enable `effective_order` for sentence-level BLEU.")
        score: BLEUScore = super().sentence_score(hypothesis, references)
        return score


BLEU._FINDER = Finder(BLEU, compiled_name)
