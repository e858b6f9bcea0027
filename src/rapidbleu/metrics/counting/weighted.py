"""N-grams that count by the weights of their tokens (Babych and Hartley 2004; CodeBLEU)."""

from __future__ import annotations

from array import array
from math import log
from zlib import crc32

from rapidbleu._core.counting.information import MatchKernel, TokenWeights, WeightedKernel
from rapidbleu._core.input.columns import ReferenceColumns
from rapidbleu._core.metrics.kernel import MeanKernel
from rapidbleu._core.scoring.extraction import Extractor
from rapidbleu._core.text.tokenize import Reader
from rapidbleu.metrics.explaining import in_fixed_point
from rapidbleu.metrics.metric import Metric
from rapidbleu.metrics.options import check_number, count, flag, number, option, words
from rapidbleu.score import Score
from rapidbleu.scoring import ScoreT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, ClassVar

    from rapidbleu.metrics.options import Settled
    from rapidbleu.typing import TokenizerName, TokenizerRule

MOST_ORDERS = 16
GREATEST = 2.0**10  # so that sums of long corpora fit their columns


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
            raise TypeError(f"documents[{n}]: expected a list of tokens, got str; split it first")
        n += 1
        for token in dict.fromkeys(document):
            counts[token] = counts.get(token, 0) + 1
    return {token: log(n / count) for token, count in counts.items()}


def make_table(weights: dict[Any, float], default: float, lowercase: bool) -> TokenWeights:
    """Return the compiled weights.

    Raises
    ------
    TypeError
        If tokens are neither all str nor all int.
    """
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
            f"{name}: expected a mapping of tokens to numbers, got {type(weights).__name__}"
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
    matched, totals : list of float
        Of each order the weight of the matched n-grams, and that of all n-grams.
    sys_len : int
        Length of the hypotheses in words.

    Examples
    --------
    >>> print(WeightedScore("weighted BLEU", 50.0, [1.5], [3.0], 4))
    weighted BLEU = 50.00
    """

    def __init__(
        self, name: str, score: float, matched: list[float], totals: list[float], sys_len: int
    ) -> None:
        super().__init__(name, score)
        self.matched = matched
        self.totals = totals
        self.sys_len = sys_len

    @property
    def _formula(self) -> list[str]:
        pairs = zip(self.matched, self.totals, strict=True)
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

    weights: Settled[Mapping[Any, float], dict[Any, float]] = option(check=check_weights)
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
        weights = [f"{what}_{n}" for n in self._counted_orders() for what in ("matched", "total")]
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
    tokens of the references in two columns each, and matches and all n-grams of two, three and
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

    weights: Settled[Mapping[Any, float], dict[Any, float]] = option(check=check_weights)
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
