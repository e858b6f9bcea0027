"""N-grams that count by their weights: NIST, CIDEr-D, and metrics with weights of tokens."""

from __future__ import annotations

from array import array
from math import log
from zlib import crc32

from rapidbleu._core.counting.kernels import (
    CiderKernel,
    MatchKernel,
    NgramCounts,
    NistKernel,
    TokenWeights,
    WeightedKernel,
)
from rapidbleu._core.input.columns import ReferenceColumns
from rapidbleu._core.metrics.kernel import MeanKernel
from rapidbleu._core.scoring.extraction import Extractor
from rapidbleu._core.scoring.pairs import Pairs
from rapidbleu._core.text.tokenize import Reader
from rapidbleu._lib.loader import load
from rapidbleu.metrics.corpus import prepare_columns
from rapidbleu.metrics.explaining import in_fixed_point
from rapidbleu.metrics.metric import Metric
from rapidbleu.metrics.options import (
    PATH,
    check_number,
    count,
    flag,
    given_references,
    number,
    option,
    words,
)
from rapidbleu.references import References
from rapidbleu.score import Score, ScoreT, SegmentMeanScore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, ClassVar, Self

    from rapidbleu._core.metrics.kernel import Kernel
    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu._types import (
        Layout,
        ReferenceStreams,
        Segment,
        SegmentReferences,
        TokenizerName,
        TokenizerRule,
    )
    from rapidbleu.metrics.options import GivenReferences, Settled

MOST_ORDERS = 16
GREATEST = 2.0**10  # so that sums of long corpora fit their columns


class InformedMetric(Metric[ScoreT]):
    """Base of these metrics: the references of a call weigh n-grams, unless others were given.

    Subclasses have an option ``information``, references that weigh n-grams in every call.
    """

    if TYPE_CHECKING:

        @property
        def information(self) -> References | None:
            """The references that weigh n-grams."""

    def _prepare_references(self) -> None:
        super()._prepare_references()
        self._prepare_information()

    def _prepare_information(self) -> None:
        if self.information is not None:
            if not isinstance(self.information, References):
                columns = ReferenceColumns(self.information, "stream", "information")
                self._put("information", prepare_columns(self, columns))
            self._extractor = self._make_extractor()

    @property
    def _rows_add_up(self) -> bool:  # type: ignore[override]
        return self.information is not None

    _warned_of_weights = False

    def _counts(self, refs: PreparedReferences, max_order: int, weights: str) -> NgramCounts:
        """Return the weights of n-grams; warn once if all of them are 0."""
        counts = NgramCounts(refs, max_order, weights)
        if counts.weightless and not self._warned_of_weights:
            self._warned_of_weights = True
            load("logging").getLogger("rapidbleu").warning(
                "All n-grams of the references weigh 0, so %s is 0: these references are too few "
                "or too much alike. Give `information`, references of a whole corpus.",
                type(self).__name__,
            )
        return counts

    def _kernel_for(self, refs: PreparedReferences | None) -> Kernel:
        """Return the kernel for which these references weigh n-grams; None: it scores rows only."""
        raise TypeError(f"{type(self).__name__} has no kernel")

    def with_information(self, references: ReferenceStreams, *, layout: Layout = "stream") -> Self:
        """Return the same metric, with references that weigh n-grams in every call.

        Parameters
        ----------
        references : sequence of streams or References
        layout : {"stream", "segment"}

        Returns
        -------
        metric of the same class

        Examples
        --------
        >>> from rapidbleu import NIST
        >>> references = [["the cat sat on the mat", "it was raining"]]
        >>> nist = NIST().with_information(references)
        >>> nist.sentence_score("the cat sat", ["the cat slept"])
        NIST = 2.28
        """
        made: Self = load("copy").copy(self)
        if not isinstance(references, References):
            references = self.prepare(references, layout=layout)
        made._put("information", references)
        made._prepare_information()
        return made

    def _make_kernel(self) -> Kernel:
        if not isinstance(self.information, References):  # none, or not prepared yet
            return self._kernel_for(None)
        own = self.tokenizer, self.lowercase, self._preparation
        return self._kernel_for(self.information._prepared_by(*own, "information"))

    @property
    def _reads_all(self) -> bool:  # type: ignore[override]
        return self.information is None

    def _make_pairs(self, hyps: PreparedReferences, refs: PreparedReferences) -> Pairs:
        own = self.information is None
        return Pairs(self._kernel_for(refs) if own else self._kernel, hyps, refs)

    def sentence_score(self, hypothesis: Segment, references: SegmentReferences) -> ScoreT:
        """Score one segment; see `Metric.sentence_score`.

        Without `information` its own references weigh n-grams, which is of little use.
        """
        if self.information is not None:
            return super().sentence_score(hypothesis, references)
        if isinstance(references, str):
            raise TypeError("references: expected a sequence of references; got a single str")
        return self.corpus_score([hypothesis], [references], layout="segment", threads=1)

    def _options(self) -> dict[str, Any]:
        return {"info": "refs" if self.information is None else "given"}


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
    hyp_len, ref_len : float
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
        self.hyp_len = totals[0]
        self.ref_len = ref_len

    @property
    def _formula(self) -> list[str]:
        pairs = [pair for pair in zip(self.information, self.totals, strict=True) if pair[1]]
        if not (pairs and self.ref_len):
            return [f"NIST = {self.score:.2f}  (an empty text)"]
        gained = sum([bits / total for bits, total in pairs])
        shares = " + ".join([f"{bits:.2f} / {total}" for bits, total in pairs])
        ratio = f"{self.hyp_len} / {self.ref_len:.6g}"
        penalty = self.score / gained if gained else 1.0
        note = "of a hypothesis as long as the references on average"
        if self.hyp_len < self.ref_len:
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


class CIDErDScore(SegmentMeanScore):
    """The mean CIDEr-D of segments, from 0 to 10."""

    name = "CIDEr-D"


class CIDErD(InformedMetric[CIDErDScore]):
    """CIDEr-D with fixed options; the score of a corpus is the mean of its segments.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the tokenizer is none by default.
    max_ngram_order : int
        Highest order of n-grams, up to 16.
    sigma : float
        Width of the penalty of a difference in length.
    information : sequence of streams or References, optional
        References in which n-grams are frequent or rare, in every call; by default those that a
        call compares with.

    Notes
    -----
    A row of statistics is the score of the segment in two columns, whole units of 2**-20 and the
    rest in units of 2**-50, and a 1. An n-gram weighs the logarithm of the number of segments
    divided by that of segments with it in any reference, so n-grams that all segments have weigh
    nothing, and a corpus of one segment scores 0. Scores of segments are within 2**-49 of
    pycocoevalcap's.

    References
    ----------
    Vedantam, Zitnick and Parikh 2015, "CIDEr: Consensus-based Image Description Evaluation",
    sections 3 and 6.

    Examples
    --------
    >>> hypotheses = ["a cat on a mat", "a dog in the rain"]
    >>> references = [["a cat on the mat", "the dog in the rain"]]
    >>> CIDErD().corpus_score(hypotheses, references)
    CIDEr-D = 5.46
    """

    TOKENIZER_DEFAULT: ClassVar[TokenizerName] = "none"

    lowercase: bool = flag(default=False)
    tokenize: TokenizerName | TokenizerRule | None = words(default=None)
    max_ngram_order: int = count(default=4, least=1, most=MOST_ORDERS)
    sigma: float = number(default=6.0, least=1e-3, most=1e6)
    information: GivenReferences = given_references(default=None)

    _columns = "score_units", "score_rest", "segments"
    _counts_together = True
    _full_score = 10.0

    def _kernel_for(self, refs: PreparedReferences | None) -> CiderKernel:
        counts = None if refs is None else self._counts(refs, self.max_ngram_order, "rarity")
        return CiderKernel(self.max_ngram_order, self.sigma, counts)

    def _make_score(self, parts: tuple[Any, ...]) -> CIDErDScore:
        score, _, n_segments = parts
        return CIDErDScore(score, n_segments)

    def _options(self) -> dict[str, Any]:
        return {"n": self.max_ngram_order, "sigma": f"{self.sigma:g}", **super()._options()}


def idf(documents: Iterable[Sequence[str]]) -> dict[str, float]:
    """Return the inverse document frequency of each token: ln(N / df).

    Parameters
    ----------
    documents : iterable of sequences of str
        N lists of tokens.

    Returns
    -------
    dict
        Of each token the logarithm of N by the number of documents that have it.

    Raises
    ------
    TypeError
        If a document is a str.

    Examples
    --------
    >>> {token: round(weight, 2) for token, weight in idf([["the", "cat"], ["the", "dog"]]).items()}
    {'the': 0.0, 'cat': 0.69, 'dog': 0.69}
    """
    counts: dict[str, int] = {}
    n = 0
    for document in documents:
        if isinstance(document, str):
            raise TypeError(f"documents[{n}]: expected a list of tokens; got str; split it first")
        n += 1
        for token in dict.fromkeys(document):
            counts[token] = counts.get(token, 0) + 1
    return {token: log(n / count) for token, count in counts.items()}


def make_table(weights: dict[Any, float], default: float, lowercase: bool) -> TokenWeights:
    """Return the compiled weights; TypeError if tokens are neither all str nor all int."""
    reader = Extractor(MeanKernel(), Reader(None, str.split, lowercase))
    tokens = reader.prepare(ReferenceColumns([[list(weights)]], "stream", "weights"))
    return TokenWeights(tokens, array("d", weights.values()), default)


def check_weights(name: str, weights: Any) -> dict[Any, float]:
    """Return the weights of tokens.

    Examples
    --------
    >>> check_weights("weights", {"the": 1})
    {'the': 1.0}
    """
    if not hasattr(weights, "items"):
        raise TypeError(
            f"{name}: expected a mapping of tokens to numbers; got {type(weights).__name__}"
        )
    return {
        token: check_number(f"{name}[{token!r}]", weight, 0, GREATEST)
        for token, weight in weights.items()
    }


class WeightedScore(Score):
    """A score of weighted n-grams and what it was made of.

    Attributes
    ----------
    score : float
        In percent.
    matches, totals : list of float
        Of each order the weight of the matched n-grams, and that of all n-grams.
    hyp_len : int
        Length of the hypotheses in words.

    Examples
    --------
    >>> print(WeightedScore("weighted BLEU", 50.0, [1.5], [3.0], 4))
    weighted BLEU = 50.00
    """

    def __init__(
        self, name: str, score: float, matches: list[float], totals: list[float], hyp_len: int
    ) -> None:
        super().__init__(name, score)
        self.matches = matches
        self.totals = totals
        self.hyp_len = hyp_len

    @property
    def _formula(self) -> list[str]:
        pairs = zip(self.matches, self.totals, strict=True)
        return [f"{n}-grams: {one:.6g} of {all:.6g}" for n, (one, all) in enumerate(pairs, 1)]


class TokenWeightMetric(Metric[ScoreT]):
    """Base of metrics with weights of tokens, which are looked up as text has them."""

    _unpickled = ("_extractor", "_table")

    if TYPE_CHECKING:

        @property
        def weights(self) -> dict[Any, float]:
            """The weight of each token."""

        @property
        def default(self) -> float:
            """The weight of any token without one."""

    def _load(self) -> None:
        self._table = make_table(self.weights, self.default, self.lowercase)

    def _options(self) -> dict[str, Any]:
        known = sorted((str(token), weight) for token, weight in self.weights.items())
        digest = f"{crc32(repr(known).encode()):08x}"
        return {"weights": f"{len(self.weights)}-{digest}", "default": f"{self.default:g}"}


class WeightedBLEU(TokenWeightMetric[WeightedScore]):
    """BLEU in which each n-gram counts as much as its tokens weigh together.

    With inverse document frequencies for weights, words that tell much count more than those that
    all texts have. If all tokens weigh the same it is BLEU without smoothing.

    Parameters
    ----------
    weights : mapping of tokens to float
        From 0 to 1024. `idf` makes them of a corpus.
    default : float
        Of all other tokens.
    lowercase, tokenize
        As in `Metric`; the tokenizer is 13a by default.
    max_ngram_order : int
        Highest order of n-grams, up to 16.

    Notes
    -----
    A row of statistics is [length of the hypothesis, of the closest reference], and of each order
    the weight of what is matched and that of all n-grams of the hypothesis, in two columns each:
    whole units of 2**-20, and the rest in units of 2**-50. Matches are clipped as in BLEU, by all
    references together.

    References
    ----------
    Babych and Hartley 2004, "Extending the BLEU MT Evaluation Method with Frequency Weightings".
    The definition is ours: theirs weighs an n-gram by its last word, and has no brevity penalty.

    Examples
    --------
    >>> references = [["the cat sat on the mat", "the dog lay on the rug"]]
    >>> weights = idf(text.split() for text in references[0])
    >>> metric = WeightedBLEU(weights, default=0.7, max_ngram_order=2)
    >>> metric.corpus_score(["the cat sat on a mat", "the dog lay on a rug"], references)
    weighted BLEU = 65.29
    """

    weights: Settled[Mapping[Any, float], dict[Any, float]] = option(check=check_weights, text=PATH)
    default: float = number(default=0.0, least=0, most=GREATEST)
    lowercase: bool = flag(default=False)
    tokenize: TokenizerName | TokenizerRule | None = words(default=None)
    max_ngram_order: int = count(default=4, least=1, most=MOST_ORDERS)

    def _make_kernel(self) -> WeightedKernel:
        return WeightedKernel(self.max_ngram_order, self._table)

    def _make_score(self, parts: tuple[Any, ...]) -> WeightedScore:
        return WeightedScore("weighted BLEU", *parts[:4])

    def _options(self) -> dict[str, Any]:
        return {"n": self.max_ngram_order, **super()._options()}

    _counts_together = True

    def _counted_orders(self) -> Sequence[int]:
        return range(1, self.max_ngram_order + 1)

    def _stat_names(self) -> list[str]:
        weights = [f"{what}_{n}" for n in self._counted_orders() for what in ("matches", "total")]
        return ["hyp_len", "ref_len", *in_fixed_point(*weights)]


class WeightedMatch(TokenWeightMetric[WeightedScore]):
    """The weighted match of CodeBLEU: recall of one to four tokens, of single ones by weight.

    Parameters
    ----------
    weights : mapping of tokens to float
        From 0 to 1024; CodeBLEU gives 1 to the keywords of the programming language.
    default : float
        Of all other tokens.
    lowercase, tokenize
        As in `Metric`; the tokenizer is none by default.

    Notes
    -----
    A row of statistics is [length of the hypothesis, 1], the weights of matched and of all single
    tokens of the references in two columns each, and matched and all n-grams of two, three and
    four tokens. References are added up. The numbers are those of CodeBLEU, which takes every
    reference for two tokens long in its brevity penalty, at least 1 for the weight of a reference,
    and 0.1 for orders without a match.

    References
    ----------
    Ren et al. 2020, "CodeBLEU: a Method for Automatic Evaluation of Code Synthesis", section 3.2.

    Examples
    --------
    >>> keywords = dict.fromkeys(["def", "return", "if", "else"], 1.0)
    >>> metric = WeightedMatch(keywords)
    >>> metric.corpus_score(["def f ( x ) : return x"], [["def f ( y ) : return y"]])
    weighted match = 24.03
    """

    TOKENIZER_DEFAULT: ClassVar[TokenizerName] = "none"

    weights: Settled[Mapping[Any, float], dict[Any, float]] = option(check=check_weights, text=PATH)
    default: float = number(default=0.2, least=0, most=GREATEST)
    lowercase: bool = flag(default=False)
    tokenize: TokenizerName | TokenizerRule | None = words(default=None)

    _columns = (
        "hyp_len", "segments", *in_fixed_point("matched_1", "total_1"), "matched_2", "total_2",
        "matched_3", "total_3", "matched_4", "total_4",
    )  # fmt: skip

    def _make_kernel(self) -> MatchKernel:
        return MatchKernel(self._table)

    def _make_score(self, parts: tuple[Any, ...]) -> WeightedScore:
        return WeightedScore("weighted match", *parts[:4])
