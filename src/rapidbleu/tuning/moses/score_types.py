"""The metrics of Moses' tools by name, and the columns of their statistics.

Moses maximizes fractions, 1 minus the rate for an error rate. Its columns differ from our rows, but
their sums lead to the same scores:

    BLEU    matches and n-grams of each order, length of the reference
    PER     words with a partner, length of the hypothesis, of the reference
    WER     edits, length of the reference
    CDER    edits, length of the reference
    TER     100 edits, 100 times the mean length of the references, 100 times their quotient
    A,B     the columns of A, then the columns of B

Like Moses, we truncate the last two columns of TER to integers. WER lines do not distinguish edits,
so rows made from them contain only insertions and substitutions.
"""

from __future__ import annotations

from array import array

from rapidbleu._lib.loader import np
from rapidbleu.metrics.bleu import BLEU
from rapidbleu.metrics.edits.ter import TER
from rapidbleu.metrics.interpolation import WeightedSum
from rapidbleu.tokenizers.mteval import MosesTokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rapidbleu._types import Array, RefLen
    from rapidbleu.metrics.metric import Metric
    from rapidbleu.score import RowScoring

SCORE_TYPES = ("BLEU", "PER", "WER", "CDER", "TER")

# Units of columns 2 and 3 of our TER rows, in tokens and in parts.
PARTS = 1862340480
FINE = 1882020540


class MosesTER(TER):
    """TER of text split at spaces."""

    def __init__(self, tokenizer: MosesTokenizer, preparation: str) -> None:
        self._rule = tokenizer
        self._reading = preparation
        super().__init__(case_sensitive=True)

    def _choose_tokenizer(self) -> MosesTokenizer:
        return self._rule

    def _describe_reading(self) -> str:
        return self._reading

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.tokenizer, self._preparation)


def moses_bleu(lowercase: bool = False, ref_len: RefLen = "closest") -> BLEU:
    """Return BLEU as Moses computes it: text split at spaces, no smoothing.

    `lowercase` ignores the case of ASCII letters.

    >>> moses_bleu().corpus_score(["a b c d e"], [["a b c d x"]]).score.__round__(2)
    66.87
    """
    return BLEU(
        tokenize=MosesTokenizer(lowercase), smooth_method="none", force=True, ref_len=ref_len
    )


def moses_metric(
    names: Sequence[str],
    weights: Sequence[float] | None = None,
    lowercase: bool = False,
    ref_len: RefLen = "closest",
) -> Metric[Any] | WeightedSum:
    """Return Moses' metric of this name, or the weighted sum of several.

    Names come from `SCORE_TYPES`. Weights are scaled to a sum of 1 (default: equal).

    >>> moses_metric(["TER"]).corpus_score(["a b c"], [["a b d"]])
    TER = 33.33
    >>> moses_metric(["BLEU", "WER"], [3, 1]).weights
    (0.75, -0.25)
    """
    from rapidbleu import metrics

    bleu = moses_bleu(lowercase, ref_len)
    tokenizer: Any = bleu.tokenizer
    make: dict[str, Any] = {
        "BLEU": lambda: bleu,
        "PER": lambda: metrics.PER(tokenize=tokenizer, aggregate="corpus"),
        "WER": lambda: metrics.WER(tokenize=tokenizer),
        "CDER": lambda: metrics.CDER(tokenize=tokenizer),
        "TER": lambda: MosesTER(tokenizer, bleu._preparation),
    }
    parts: list[Metric[Any]] = [make[name]() for name in names]
    if len(parts) == 1:
        return parts[0]
    shares = [1.0] * len(parts) if weights is None else list(weights)
    if len(shares) != len(parts):
        raise ValueError(f"weights: expected {len(parts)}, one for each metric; got {len(shares)}")
    if not sum(shares) or min(shares) < 0:
        raise ValueError(f"weights: expected numbers of at least 0, not all 0; got {shares}")
    signs = [1 if metric.higher_is_better else -1 for metric in parts]
    return WeightedSum(
        parts, [sign * weight / sum(shares) for sign, weight in zip(signs, shares, strict=True)]
    )


def fraction(metric: RowScoring, score: float) -> float:
    """Return Moses' form of a score: a fraction, or 1 minus the rate for an error rate.

    >>> fraction(moses_metric(["TER"]), 25.0), fraction(moses_metric(["BLEU", "TER"]), -5.0)
    (0.75, 0.45)
    """
    if isinstance(metric, WeightedSum):
        lower = sum(-weight for weight in metric.weights if weight < 0)
        return score / 100 + lower
    return score / 100 if metric.higher_is_better else 1 - score / 100


class Form:
    """A metric's name and columns in files; ValueError if Moses has no form for the metric."""

    name: str
    n_columns: int
    places: array[int] | None = None  # our column for each of the file's; None: computed

    def __init__(self, metric: RowScoring) -> None:
        from rapidbleu import metrics

        self.parts: list[Form] = [Form(part) for part in getattr(metric, "metrics", ())]
        self.order = 0
        if isinstance(metric, WeightedSum):
            self.name = ",".join(part.name for part in self.parts)
            self.n_columns = sum(part.n_columns for part in self.parts)
        elif isinstance(metric, BLEU) and metric._kernel.n_stats == 2 + 2 * metric.max_ngram_order:
            n = metric.max_ngram_order
            self.order = n
            self.name = "BLEU"
            self.n_columns = 2 * n + 1
            self.places = array("q", [i for k in range(n) for i in (2 + k, 2 + n + k)] + [1])
        elif isinstance(metric, metrics.PER) and metric.aggregate == "corpus":
            self.name = "PER"
            self.n_columns = 3
            self.places = array("q", range(3))
        elif type(metric) is metrics.WER:
            self.name = "WER"
            self.n_columns = 2
        elif isinstance(metric, metrics.CDER):
            self.name = "CDER"
            self.n_columns = 2
            self.places = array("q", range(2))
        elif type(metric) in (TER, MosesTER):
            self.name = "TER"
            self.n_columns = 3
        else:
            raise ValueError(
                "metric: expected BLEU, PER(aggregate='corpus'), WER, CDER, TER or a WeightedSum "
                f"of them; got {metric!r}"
            )
        self.n_stats = metric._kernel.n_stats

    def columns(self, rows: Array) -> Array:
        """Return the columns of a file, int64, for rows of ours."""
        rows = np.asarray(rows, np.int64)
        if self.parts:
            ends = np.cumsum([part.n_stats for part in self.parts])
            parts = zip(self.parts, np.split(rows, ends[:-1], axis=1), strict=True)
            return np.hstack([part.columns(columns) for part, columns in parts])
        if self.places is not None:
            return rows[:, self.places]
        if self.name == "WER":
            return np.stack([rows[:, 1:].sum(axis=1), rows[:, :3].sum(axis=1)], axis=1)
        edits, tokens, parts, fine = rows.T
        lengths = 100 * tokens + np.floor(100 * (parts + fine / FINE) / PARTS).astype(np.int64)
        exact = tokens + (parts + fine / FINE) / PARTS
        rates = np.divide(100 * edits, exact, out=np.zeros(len(rows)), where=exact > 0)
        return np.stack([100 * edits, lengths, rates.astype(np.int64)], axis=1)

    def rows(self, columns: Array) -> Array:
        """Return rows of ours, int64, for the columns of a file."""
        columns = np.asarray(columns, np.int64)
        if self.parts:
            ends = np.cumsum([part.n_columns for part in self.parts])
            parts = zip(self.parts, np.split(columns, ends[:-1], axis=1), strict=True)
            return np.hstack([part.rows(part_columns) for part, part_columns in parts])
        if self.name == "BLEU":
            n = self.order
            return columns[:, [1, 2 * n, *range(0, 2 * n, 2), *range(1, 2 * n, 2)]]
        if self.name == "PER":
            return np.column_stack([columns, columns[:, 1:].max(axis=1)])
        if self.name == "CDER":
            return columns
        if self.name == "WER":
            edits, length = columns.T
            substitutions = np.minimum(edits, length)
            rest = np.zeros_like(edits)
            return np.stack([length - substitutions, substitutions, rest, edits - substitutions], 1)
        hundredths = columns[:, 1] % 100 * PARTS
        fine = hundredths % 100 * FINE // 100
        return np.stack([columns[:, 0] // 100, columns[:, 1] // 100, hundredths // 100, fine], 1)

    def check(self, rows: Array) -> tuple[int, int, str] | None:
        """Return row, column and error of the first number that a file could not restore."""
        start = 0
        for part in self.parts:
            error = part.check(rows[:, start : start + part.n_stats])
            if error is not None:
                return error[0], start + error[1], error[2]
            start += part.n_stats
        if self.name == "BLEU":
            unigrams = rows[:, 2 + self.order]
            wrong = np.flatnonzero(rows[:, 0] != unigrams)
            if len(wrong):
                i = int(wrong[0])
                expected = f"expected {unigrams[i]}, as many as unigrams; got {rows[i, 0]}"
                return i, 0, expected
        return None
