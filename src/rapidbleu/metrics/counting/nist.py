"""NIST (Doddington 2002): matches weighted by how much they tell."""

from __future__ import annotations

from rapidbleu._core.counting.information import NistKernel
from rapidbleu.metrics.counting.informed import InformedMetric
from rapidbleu.metrics.explaining import in_fixed_point
from rapidbleu.metrics.options import count, flag, given_references, words
from rapidbleu.score import Score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu.metrics.options import GivenReferences
    from rapidbleu.typing import TokenizerName, TokenizerRule

MOST_ORDERS = 16


class NISTScore(Score):
    """A NIST score and what it was made of.

    Attributes
    ----------
    score : float
        In bits: without an upper bound, some 5 to 15 for a whole test set.
    information : list of float
        Of the matched n-grams of each order, in bits.
    totals : list of int
        N-grams of the hypotheses, of each order.
    sys_len, ref_len : float
        Lengths of the hypotheses, and the sum of the mean lengths of each segment's references.

    Examples
    --------
    >>> print(NISTScore(5.5, [11.0, 0.0], [2, 1], 2.0))
    NIST = 5.50
    """

    name = "NIST"

    def __init__(
        self, score: float, information: list[float], totals: list[int], ref_len: float
    ) -> None:
        self.score = score
        self.information = information
        self.totals = totals
        self.sys_len = totals[0]
        self.ref_len = ref_len

    @property
    def _formula(self) -> list[str]:
        pairs = [pair for pair in zip(self.information, self.totals, strict=True) if pair[1]]
        if not (pairs and self.ref_len):
            return [f"NIST = {self.score:.2f}  (an empty text)"]
        gained = sum([bits / total for bits, total in pairs])
        shares = " + ".join([f"{bits:.2f} / {total}" for bits, total in pairs])
        ratio = f"{self.sys_len} / {self.ref_len:.6g}"
        penalty = self.score / gained if gained else 1.0
        note = "of a hypothesis as long as the references on average"
        if self.sys_len < self.ref_len:
            note = f"falls from 1 to 0.5 where the ratio of lengths, here {ratio}, falls to 2 / 3"
        return [
            f"information = {shares} = {gained:.4f}",
            f"penalty = {penalty:.4f}  ({note})",
            f"NIST = {gained:.4f} * {penalty:.4f} = {self.score:.2f}",
        ]


class NIST(InformedMetric[NISTScore]):
    """NIST with fixed options.

    A matched n-gram counts as much as its last word surprises after the others, by the frequencies
    of n-grams in all references of a corpus. So the score of a segment depends on the corpus that
    it is a part of.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the tokenizer is 13a by default.
    max_ngram_order : int
        Highest order of n-grams, up to 16.
    perl_zero : bool
        As in mteval, which is written in Perl: the information of a pair whose first token is ``0``
        is taken as if nothing came before its second one.
    information : sequence of streams or References, optional
        References whose frequencies weigh n-grams in every call; n-grams that are not among them
        weigh nothing. By default, those that a call compares with.

    Notes
    -----
    A row of statistics has the n-grams of each order; the mean length of the references; and the
    information matched in each order. Lengths and information are numbers to 2**-51, of two columns
    each: whole units of 2**-20, and the rest in units of 2**-50. Frequencies stay those of all
    references when rows are resampled, replaced or added.

    The score of single segments by `sentence_score`, without `information`, takes the frequencies
    of their own references, which is of little use.

    References
    ----------
    Doddington 2002, "Automatic Evaluation of Machine Translation Quality Using N-gram Co-Occurrence
    Statistics", section 4.

    Examples
    --------
    >>> hypotheses = ["the cat sat on a mat", "it rained"]
    >>> references = [["the cat sat on the mat", "it was raining"]]
    >>> NIST().corpus_score(hypotheses, references)
    NIST = 2.28
    >>> NIST(information=references).sentence_score("the cat sat", ["the cat slept"])
    NIST = 2.28
    """

    lowercase: bool = flag(default=False)
    tokenize: TokenizerName | TokenizerRule | None = words(default=None)
    max_ngram_order: int = count(default=5, least=1, most=MOST_ORDERS)
    perl_zero: bool = flag(
        default=False,
        needs=("max_ngram_order of at least 2", lambda metric: metric.max_ngram_order > 1),
    )
    information: GivenReferences = given_references(default=None)

    _counts_together = True
    _full_score = None  # it depends on the information

    def _stat_names(self) -> list[str]:
        orders = self._counted_orders()
        information = in_fixed_point(*[f"information_{n}" for n in orders])
        return [*[f"total_{n}" for n in orders], *in_fixed_point("ref_len"), *information]

    def _counted_orders(self) -> Sequence[int]:
        return range(1, self.max_ngram_order + 1)

    def _kernel_for(self, refs: PreparedReferences | None) -> NistKernel:
        if refs is None:
            return NistKernel(self.max_ngram_order, None)
        weights = "information of Perl" if self.perl_zero else "information"
        counts = self._counts(refs, self.max_ngram_order, weights)
        return NistKernel(self.max_ngram_order, counts)

    def _make_score(self, parts: tuple[Any, ...]) -> NISTScore:
        return NISTScore(*parts)

    def _options(self) -> dict[str, Any]:
        zero = "perl" if self.perl_zero else None
        return {"n": self.max_ngram_order, **super()._options(), "zero": zero}
