"""ROUGE (Lin 2004): N, L, Lsum, W, S and SU, with rouge-score's tokens, rules and numbers."""

from __future__ import annotations

import re

from rapidbleu._core.matching.kernels import (
    MEASURES,
    OverlapKernel,
    RougeKernel,
    RougeLKernel,
    RougeNKernel,
    RougeSKernel,
    RougeWKernel,
)
from rapidbleu._core.scoring.pairs import Pairs, RougeLPairs
from rapidbleu._lib.floats import shortest
from rapidbleu._lib.loader import np
from rapidbleu._lib.logs import logger
from rapidbleu.explanation.formulas import f_formula
from rapidbleu.metrics.edits.rates import LEAST_FOR_LANES
from rapidbleu.metrics.explaining import trace_steps
from rapidbleu.metrics.metric import Metric
from rapidbleu.metrics.options import WORD, choice, flag, number, option, words
from rapidbleu.score import Score, declared
from rapidbleu.tokenizers import TOKENIZERS
from rapidbleu.tokenizers.base import one_of
from rapidbleu.tokenizers.rouge import UnicodeRougeTokenizer, get_rouge_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Literal

    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu._types import RougeMeasure, RougeReferences, TokenizerName, TokenizerRule
    from rapidbleu.metrics.options import Settled

VARIANT = re.compile(r"(?P<order>[1-9]\d?)|(?P<lcs>L|Lsum)|W|(?P<pairs>SU?)(?P<gap>\d{1,6})?")
MOST_ORDER = 64


@declared
class ROUGEScore(Score):
    """A ROUGE score with its components, which are means over segments.

    Attributes
    ----------
    score, precision, recall, f : float
        In percent.
    n_segments : int

    Examples
    --------
    >>> print(ROUGEScore("ROUGE-L", 60.0, 50.0, 75.0, 60.0, 1))
    ROUGE-L = 60.00 (P = 50.0 R = 75.0)
    """

    name: str
    score: float
    precision: float
    recall: float
    f: float
    n_segments: int

    @property
    def _verbose(self) -> str:
        return f"(P = {self.precision:.1f} R = {self.recall:.1f})"


class _LostText:
    """Warns once about text without tokens of rouge-score's tokenizer."""

    warned = False

    def __call__(self, text: str) -> None:
        if not self.warned and any(map(str.isalnum, text)):
            self.warned = True
            logger().warning(
                "A text has no tokens, which scores 0: the tokenizer of ROUGE keeps ASCII letters "
                "and digits only, as rouge-score does. Set another `tokenize`, such as "
                "'unicode' or 'char'."
            )


class ROUGE(Metric[ROUGEScore]):
    """A variant of ROUGE with fixed options; a corpus scores the mean of its segments.

    Parameters
    ----------
    variant : str or int
        ``1``, ``2``, ...: n-grams of that order. ``L``: longest common subsequence. ``Lsum``: the
        union over sentences, which are lines. ``W``: weighted longest common subsequence. ``S``:
        pairs of words in order; ``S4`` with at most four words between. ``SU``, ``SU4``: plus
        single words. ``rouge1``, ``rougeLsum`` and so on also work.
    lowercase : bool
        Lowercase all text first; without it, rouge-score's tokenizer drops capitals.
    tokenize : str or callable, optional
        One of ``ROUGE.TOKENIZERS``, or any function from str to a list of str. The default is
        rouge-score's, runs of ``a-z0-9``; the metric warns once about text in another script, which
        has no such tokens. ``unicode``: runs of letters, marks and digits of any script, and single
        Chinese and Japanese characters.
    stem : bool
        Stem words with NLTK's stemmer, as rouge-score does with ``use_stemmer``. Option ``-m`` of
        ROUGE-1.5.5.pl differs: Porter's original rules, after a table of irregular forms.
    measure : {"f", "precision", "recall"}
        Measure used as the score.
    beta : float
        Weight of recall relative to precision in F.
    aggregate : {"best", "pooled"}
        With several references, use the first with the highest F, or add matches and lengths over
        all references, as ROUGE-1.5.5.pl does by default. Its option ``-f B`` is neither: it uses
        the reference with the highest recall.
    weight : float
        For W: a run of k common words weighs k to this power.
    perl_compat : bool
        For L, W and SU, follow ROUGE-1.5.5.pl: L is Lsum; W counts runs in the reference only,
        sentence by sentence, and weighs the reference length twice; SU skips the last word.

    Notes
    -----
    A row of statistics contains F, precision and recall of the segment as fractions, and a 1. Each
    fraction is stored to 2**-51 in two columns: whole units of 2**-20, and the rest in units of
    2**-50. Empty texts score 0. In lists of tokens, ``"\\n"`` ends a sentence; variants that need
    sentences refuse integer ids.

    Time is linear for n-grams; 1/64 of the product of both lengths for L and Lsum, with 1/512 of
    the product as memory in bytes; the product for W; and the number of distinct common words times
    both lengths for S and SU.

    References
    ----------
    Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries", sections 2 to 5.

    Examples
    --------
    >>> hypotheses = ["the gunman police killed", "police ended the gunman"]
    >>> references = [["police killed the gunman", "police killed the gunman"]]
    >>> ROUGE("L").corpus_score(hypotheses, references)
    ROUGE-L = 62.50 (P = 62.5 R = 62.5)
    >>> ROUGE("2").segment_scores(hypotheses, references).round(1)
    array([66.7, 33.3])
    """

    TOKENIZERS = *TOKENIZERS, "unicode"

    variant: Settled[str | int, str] = option(
        default="L", check=lambda _, value: check_variant(value), text=WORD
    )
    lowercase: bool = flag(default=True)
    tokenize: Literal["unicode"] | TokenizerName | TokenizerRule | None = words(
        default=None, among=TOKENIZERS
    )
    stem: bool = flag(default=False)
    measure: RougeMeasure = choice(default="f", among=tuple(MEASURES))
    beta: float = number(
        default=1.0,
        least=0,
        most=float("inf"),
        needs=("measure='f'", lambda metric: metric.measure == "f"),
    )
    aggregate: RougeReferences = choice(default="best", among=("best", "pooled"))
    weight: float = number(
        default=1.2, least=1, most=100, needs=("variant='W'", lambda metric: metric.variant == "W")
    )
    perl_compat: bool = flag(
        default=False, needs=("variant L, W or SU", lambda metric: metric._has_perl_rule)
    )

    def _settle(self) -> None:
        if self.stem and self.tokenize is not None:
            raise ValueError("stem: expected the tokenizer of ROUGE with it; got another")
        self._put("_on_lost_text", _LostText() if self.tokenize is None else None)

    @property
    def _has_perl_rule(self) -> bool:
        return self.variant in ("L", "W") or self.variant.startswith("SU")

    @property
    def _by_sentence(self) -> bool:
        return self.variant == "Lsum" or (self.perl_compat and self.variant in ("L", "W"))

    _late = ()

    def _choose_tokenizer(self) -> Callable[[str], Any]:
        if self.tokenize is None:
            return get_rouge_tokenizer(self._by_sentence, self.stem)
        if self.tokenize == "unicode":
            return one_of(UnicodeRougeTokenizer, self._by_sentence)
        return super()._choose_tokenizer()

    def _counted_orders(self) -> Sequence[int]:
        return (int(self.variant),) if self.variant.isdigit() and self.aggregate == "best" else ()

    def _trace(self, hyp: Sequence[Any], ref: Sequence[Any]) -> list[Any] | None:
        return trace_steps(hyp, ref) if self.variant == "L" and not self.perl_compat else None

    def _formula(self, score: Any, row: list[int], reference: int | None) -> list[str]:
        """Return the formula of F, if the variant computes it from precision and recall."""
        if self.measure != "f" or not isinstance(score, ROUGEScore):
            return []
        return [f_formula(score.name, score.precision, score.recall, self.beta, score.score)]

    def _make_kernel(self) -> RougeKernel:
        options = self.measure, self.beta, self.aggregate == "pooled"
        match = VARIANT.fullmatch(self.variant)
        order, pairs, gap = match.group("order", "pairs", "gap") if match else (None, None, None)
        if order:
            return RougeNKernel(*options, int(order))
        if pairs:
            return RougeSKernel(
                *options, -1 if gap is None else int(gap), pairs == "SU", self.perl_compat
            )
        if self.variant == "W":
            return RougeWKernel(*options, self.weight, self.perl_compat)
        return RougeLKernel(*options, self._by_sentence)

    def _make_pairs(self, hyps: PreparedReferences, refs: PreparedReferences) -> Pairs:
        if self.variant == "L" and not self.perl_compat:
            return RougeLPairs(self._kernel, hyps, refs, LEAST_FOR_LANES)
        return Pairs(self._kernel, hyps, refs)

    @property
    def _per_match(self) -> int:  # type: ignore[override]
        if self.perl_compat or not (self.variant == "L" or self.variant.isdigit()):
            return 0
        return 1 if self.measure != "f" else 2 * (self.beta == 1)

    def _pair_units(self, hyp: Any, ref: Any) -> Any:
        fewer = int(self.variant) - 1 if self.variant.isdigit() else 0
        hyp, ref = (np.maximum(n - fewer, 0) for n in (hyp, ref))
        units = {"f": hyp + ref, "precision": hyp, "recall": ref}[self.measure]
        return units if self._per_match else None

    @property
    def _score_name(self) -> str:  # type: ignore[override]
        return f"ROUGE-{self.variant}"

    def _make_score(self, parts: tuple[Any, ...]) -> ROUGEScore:
        score, f, precision, recall, n_segments = parts
        return ROUGEScore(self._score_name, score, precision, recall, f, n_segments)

    def _options(self) -> dict[str, Any]:
        return {
            "type": self.variant,
            "measure": self.measure,
            "beta": None if self.beta == 1 else shortest(self.beta),
            "refs": self.aggregate,
            "weight": shortest(self.weight) if self.variant == "W" else None,
            "perl": "yes" if self.perl_compat else None,
        }


def check_variant(variant: str | int) -> str:
    """Return a variant of ROUGE without the prefix that rouge-score uses.

    >>> check_variant("SU4"), check_variant(1), check_variant("rougeLsum")
    ('SU4', '1', 'Lsum')
    """
    name = str(variant) if type(variant) in (str, int) else ""
    name = name.removeprefix("rouge")
    match = VARIANT.fullmatch(name)
    if match is None or int(match["order"] or 1) > MOST_ORDER:
        raise ValueError(
            f"variant: expected 1 to {MOST_ORDER}, L, Lsum, W, S, SU, or S and SU with a number; "
            f"got {variant!r}"
        )
    return name


@declared
class ROUGECountsScore(Score):
    """A ROUGE score of summed counts.

    Attributes
    ----------
    score : float
        ROUGE of the counts, in percent.
    matches, hyp_units, ref_units : int
        Common units and units of the texts: n-grams, words or pairs of words.

    Examples
    --------
    >>> print(ROUGECountsScore("ROUGE-L", 60.0, 3, 6, 4))
    ROUGE-L = 60.00 (matches = 3 hyp_units = 6 ref_units = 4)
    """

    name: str
    score: float
    matches: int
    hyp_units: int
    ref_units: int

    @property
    def _verbose(self) -> str:
        return (
            f"(matches = {self.matches:d} hyp_units = {self.hyp_units:d} "
            f"ref_units = {self.ref_units:d})"
        )


class ROUGECounts(ROUGE):
    """ROUGE with counts as rows; a corpus scores the ROUGE of its summed counts.

    Options as in `ROUGE`, except variant W, whose matches are not integers.

    Notes
    -----
    A row of statistics is [matches, hypothesis units, reference units], for the reference used. In
    contrast, rows of `ROUGE` contain precision, recall and F in fixed point, and its corpus score
    is the mean over segments. Here, long segments count more.

    Examples
    --------
    >>> hypotheses = ["the gunman police killed", "police ended the gunman"]
    >>> references = [["police killed the gunman", "police killed the gunman"]]
    >>> ROUGECounts("2").segment_stats(hypotheses, references)
    array([[2, 3, 3],
           [1, 3, 3]])
    """

    def _make_kernel(self) -> Any:
        return OverlapKernel(super()._make_kernel())

    def _make_pairs(self, hyps: PreparedReferences, refs: PreparedReferences) -> Pairs:
        return Pairs(self._kernel, hyps, refs)

    _score_type = ROUGECountsScore

    def _make_score(self, parts: tuple[Any, ...]) -> Any:
        return Metric._make_score(self, parts)

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), "average": "counts"}
