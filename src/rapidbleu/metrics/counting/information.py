"""Weighted n-gram metrics: NIST, CIDEr-D, and metrics with token weights."""

from __future__ import annotations

from array import array
from math import log

from rapidbleu._core.counting.kernels import (
    CiderKernel,
    IdleNgrams,
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
from rapidbleu._lib.floats import shortest
from rapidbleu._lib.identity import checksum
from rapidbleu._lib.loader import load
from rapidbleu._lib.logs import logger
from rapidbleu.metrics.corpus import prepare_columns
from rapidbleu.metrics.metric import Metric, WordMetric
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
from rapidbleu.score import Score, ScoreT, SegmentMeanScore, declared

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
GREATEST = 2.0**10  # so that sums over long corpora fit their columns


class InformedMetric(WordMetric[ScoreT]):
    """Base class: the references of a call weigh n-grams, unless `information` was given.

    Subclasses have the option ``information``: references that weigh n-grams in every call.
    """

    if TYPE_CHECKING:

        @property
        def information(self) -> References | None:
            """The references that weigh n-grams."""

    _known_references = "information"

    def _prepare_references(self) -> None:
        if not isinstance(self.information, References):
            columns = ReferenceColumns(self.information, "stream", "information")
            self._put("information", prepare_columns(self, columns))
        self._extractor = self._make_extractor()

    @property
    def _rows_add_up(self) -> bool:  # type: ignore[override]
        return self.information is not None

    _warned_of_weights = False
    _unpickled = ("_extractor", "_idle")

    def _settle(self) -> None:
        self._idle = IdleNgrams()

    def _counts(
        self, refs: PreparedReferences, max_order: int, weights: str, keep: bool
    ) -> NgramCounts:
        """Return the weights of n-grams; warn once if all are 0."""
        counts = NgramCounts(refs, max_order, weights, None if keep else self._idle)
        if counts.weightless and not self._warned_of_weights:
            self._warned_of_weights = True
            logger().warning(
                "All n-grams of the references weigh 0, so %s is 0: these references are too few "
                "or too much alike. Give `information`, references of a whole corpus.",
                type(self).__name__,
            )
        return counts

    def _kernel_for(self, refs: PreparedReferences | None, keep: bool = True) -> Kernel:
        """Return a kernel with n-grams weighted by references; with None it only scores rows."""
        raise TypeError(f"{type(self).__name__} has no kernel")

    def with_information(self, references: ReferenceStreams, *, layout: Layout = "stream") -> Self:
        """Return a copy of the metric with references that weigh n-grams in every call.

        Parameters
        ----------
        references : sequence of streams or References
        layout : {"stream", "segment"}

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
        made._put("_label", "")
        made._prepare_references()
        return made

    def _make_kernel(self) -> Kernel:
        if not isinstance(self.information, References):  # none, or not prepared yet
            return self._kernel_for(None)
        reading = self.tokenizer, self.lowercase, self._preparation
        return self._kernel_for(self.information._prepared_by(*reading, "information"))

    @property
    def _reads_all(self) -> bool:  # type: ignore[override]
        return self.information is None

    def _make_pairs(self, hyps: PreparedReferences, refs: PreparedReferences) -> Pairs:
        by_call = self.information is None
        return Pairs(self._kernel_for(refs) if by_call else self._kernel, hyps, refs)

    def sentence_score(self, hypothesis: Segment, references: SegmentReferences) -> ScoreT:
        """Score one segment; without `information` its own references weigh n-grams."""
        if self.information is not None:
            return super().sentence_score(hypothesis, references)
        if isinstance(references, str):
            raise TypeError("references: expected a sequence of references; got a single str")
        return self.corpus_score([hypothesis], [references], layout="segment", threads=1)

    def _options(self) -> dict[str, Any]:
        info = self.information
        shown = "refs" if info is None else f"{len(info)}-{info.digest[:8]}"
        return {**super()._options(), "info": shown}


class NISTScore(Score):
    """A NIST score and its components.

    Attributes
    ----------
    score : float
        In bits; unbounded, about 5 to 15 for a whole test set.
    information : list of float
        Bits of the matched n-grams, by order.
    totals : list of int
        N-grams of the hypotheses, by order.
    hyp_len, ref_len : float
        Length of the hypotheses, and sum of the mean reference length of each segment.

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

    Each matched n-gram is weighted by the information that its last word adds, given n-gram
    frequencies in all references. The score of a segment therefore depends on its corpus.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the default tokenizer is 13a.
    max_ngram_order : int
        Maximum n-gram order, up to 16.
    perl_zero : bool
        Follow mteval (Perl): a pair whose first token is ``0`` weighs as much as its second token.
    information : sequence of streams or References, optional
        References whose frequencies weigh n-grams in every call; n-grams outside them weigh 0. By
        default the references of the call.

    Notes
    -----
    A row of statistics contains the n-grams of each order, the mean reference length, and the
    matched information of each order. Length and information are stored to 2**-51 in two columns
    each: whole units of 2**-20, and the rest in units of 2**-50. Frequencies are always those in
    all references, even when rows are resampled, replaced or added.

    Without `information`, `sentence_score` is of little use: it uses only the segment's references.

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

    max_ngram_order: int = count(default=5, least=1, most=MOST_ORDERS, sign="n")
    perl_zero: bool = flag(
        default=False,
        needs=("max_ngram_order of at least 2", lambda metric: metric.max_ngram_order > 1),
    )
    information: GivenReferences = given_references(default=None)

    _score_type = NISTScore
    _counts_ngrams = True
    _counts_together = True
    _full_score = None  # depends on the information

    def _kernel_for(self, refs: PreparedReferences | None, keep: bool = True) -> NistKernel:
        if refs is None:
            return NistKernel(self.max_ngram_order, None)
        weights = "information of Perl" if self.perl_zero else "information"
        counts = self._counts(refs, self.max_ngram_order, weights, keep)
        return NistKernel(self.max_ngram_order, counts)

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), "zero": "perl" if self.perl_zero else None}


class CIDErDScore(SegmentMeanScore):
    """The mean CIDEr-D of segments, from 0 to 10.

    Examples
    --------
    >>> print(CIDErDScore(3.34, 2))
    CIDEr-D = 3.34
    """

    name = "CIDEr-D"


class CIDErD(InformedMetric[CIDErDScore]):
    """CIDEr-D with fixed options; the score of a corpus is the mean of its segment scores.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the default tokenizer is none.
    max_ngram_order : int
        Maximum n-gram order, up to 16.
    sigma : float
        Width of the length penalty.
    information : sequence of streams or References, optional
        References that determine in every call how rare n-grams are; by default the call's own.

    Notes
    -----
    A row of statistics is the segment score in two columns, whole units of 2**-20 and the rest in
    units of 2**-50, and a 1. The weight of an n-gram is the logarithm of the number of segments
    divided by the number of segments with the n-gram in any reference. So n-grams in all segments
    weigh 0, and a corpus of one segment scores 0. Scores are within 2**-49 of pycocoevalcap's.

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

    max_ngram_order: int = count(default=4, least=1, most=MOST_ORDERS, sign="n")
    sigma: float = number(default=6.0, least=1e-3, most=1e6, sign="sigma")
    information: GivenReferences = given_references(default=None)

    _counts_together = True
    _full_score = 10.0
    _score_type = CIDErDScore

    def _kernel_for(self, refs: PreparedReferences | None, keep: bool = True) -> CiderKernel:
        counts = None if refs is None else self._counts(refs, self.max_ngram_order, "rarity", keep)
        return CiderKernel(self.max_ngram_order, self.sigma, counts)


def idf(documents: Iterable[Sequence[str]]) -> dict[str, float]:
    """Return a dict of the inverse document frequency of each token: ln(N / df), of N documents.

    Parameters
    ----------
    documents : iterable of sequences of str
        Lists of tokens.

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
    """Return token weights as a dict of floats.

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


@declared
class WeightedScore(Score):
    """A score of weighted n-grams and its components.

    Attributes
    ----------
    score : float
        In percent.
    matches, totals : list of float
        Weights of the matched n-grams and of all n-grams, by order.
    hyp_len : int
        Length of the hypotheses in words.

    Examples
    --------
    >>> print(WeightedScore("weighted BLEU", 50.0, [1.5], [3.0], 4))
    weighted BLEU = 50.00
    """

    name: str
    score: float
    matches: list[float]
    totals: list[float]
    hyp_len: int

    @property
    def _formula(self) -> list[str]:
        pairs = zip(self.matches, self.totals, strict=True)
        numbered = enumerate(pairs, 1)
        return [f"{n}-grams: {match:.6g} of {total:.6g}" for n, (match, total) in numbered]


class TokenWeightMetric(Metric[ScoreT]):
    """Base class of metrics with token weights, which are looked up by tokens as read."""

    _unpickled = ("_extractor", "_table")
    _score_type = WeightedScore

    if TYPE_CHECKING:

        @property
        def weights(self) -> dict[Any, float]:
            """The weight of each token."""

        @property
        def default(self) -> float:
            """The weight of all other tokens."""

    def _settle(self) -> None:
        self._table = make_table(self.weights, self.default, self.lowercase)

    def _options(self) -> dict[str, Any]:
        known = list(self.weights.items())
        if not self.lowercase:  # with it, the order decides between "The" and "the"
            known.sort(key=repr)
        weights = f"{len(known)}-{checksum(known)}"
        return {"weights": weights, "default": shortest(self.default)}


class WeightedBLEU(TokenWeightMetric[WeightedScore]):
    """BLEU in which an n-gram weighs as much as its tokens together.

    With inverse document frequencies as weights, informative words count more than words that occur
    in every text. With equal weights this is BLEU without smoothing.

    Parameters
    ----------
    weights : mapping of tokens to float
        Weights from 0 to 1024; `idf` computes them from a corpus.
    default : float
        Weight of all other tokens.
    lowercase, tokenize
        As in `Metric`; the default tokenizer is 13a.
    max_ngram_order : int
        Maximum n-gram order, up to 16.

    Notes
    -----
    A row of statistics is [hypothesis length, closest reference length] and, for each order, the
    weights of matched and of all n-grams of the hypothesis in two columns each: whole units of
    2**-20, and the rest in units of 2**-50. Matches are clipped as in BLEU, by all references.

    References
    ----------
    Babych and Hartley 2004, "Extending the BLEU MT Evaluation Method with Frequency Weightings".
    This definition differs: theirs weighs an n-gram by its last word, without brevity penalty.

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

    _score_name = "weighted BLEU"

    def _make_kernel(self) -> WeightedKernel:
        return WeightedKernel(self.max_ngram_order, self._table)

    def _options(self) -> dict[str, Any]:
        return {"n": self.max_ngram_order, **super()._options()}

    _counts_ngrams = True
    _counts_together = True


class WeightedMatch(TokenWeightMetric[WeightedScore]):
    """The weighted match of CodeBLEU: recall of one to four tokens, single ones by weight.

    Parameters
    ----------
    weights : mapping of tokens to float
        Weights from 0 to 1024; CodeBLEU assigns 1 to the keywords of the programming language.
    default : float
        Weight of all other tokens.
    lowercase, tokenize
        As in `Metric`; the default tokenizer is none.

    Notes
    -----
    A row of statistics is [hypothesis length, 1], the weights of matched and of all single
    reference tokens in two columns each, and matched and all n-grams of two, three and four tokens,
    summed over references. As in CodeBLEU, the brevity penalty treats every reference as two tokens
    long, a reference weighs at least 1, and an order without a match counts 0.1.

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

    _score_name = "weighted match"

    def _make_kernel(self) -> MatchKernel:
        return MatchKernel(self._table)
