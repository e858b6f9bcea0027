"""Scores of text columns as polars expressions: ``pl.col("hyp").rapidbleu``.

Importing this module registers the namespace. Columns are read in place, without the GIL.
"""

from __future__ import annotations

import functools
import operator
from typing import Any, TypeAlias

from rapidbleu.metrics import BLEU, CHRF, TER

try:
    import polars as pl
except ImportError as error:
    raise ImportError("rapidbleu.adapters.polars needs polars: pip install polars") from error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rapidbleu._types import SmoothMethod, TokenizerName, TokenizerRule

    _References: TypeAlias = str | pl.Expr | Sequence[str | pl.Expr]

__all__ = ["TextExpressions"]


@pl.api.register_expr_namespace("rapidbleu")
class TextExpressions:
    """The namespace ``rapidbleu`` of an expression of hypotheses.

    References are an expression or column name, or several, one per stream; a single one may
    contain lists of references. Null is not a reference. Scores are float64.

    As usual in polars, a score is null where the hypothesis is, or no reference exists. There, rows
    of statistics and corpus scores raise an error, because sums skip nulls. Row numbers in errors
    are relative to the batch or group that polars processes.

    Metrics whose scores depend on all references (`NIST` and `CIDErD` without `information`) have
    no segment scores here, because polars decides which rows are scored in one call.

    Parameters
    ----------
    hypotheses : polars.Expr
        Strings or categories.

    Examples
    --------
    >>> import polars as pl
    >>> import rapidbleu.adapters.polars
    >>> frame = pl.DataFrame({"hyp": ["It rained.", "He left."], "ref": ["It rains.", "He left."]})
    >>> frame.select(pl.col("hyp").rapidbleu.sentence_chrf("ref").round(2)).to_series().to_list()
    [59.34, 100.0]
    """

    def __init__(self, hypotheses: pl.Expr) -> None:
        self._hypotheses = hypotheses

    def sentence_bleu(
        self,
        references: _References,
        smooth_method: SmoothMethod = "exp",
        smooth_value: float | None = None,
        lowercase: bool = False,
        tokenize: TokenizerName | TokenizerRule = BLEU.TOKENIZER_DEFAULT,
        use_effective_order: bool = True,
    ) -> pl.Expr:
        """Score each segment by BLEU; options are as in `rapidbleu.sentence_bleu`."""
        metric = BLEU(
            lowercase,
            False,
            tokenize,
            smooth_method,
            smooth_value,
            effective_order=use_effective_order,
        )
        return self.segment_scores(references, metric)

    def sentence_chrf(
        self,
        references: _References,
        char_order: int = CHRF.CHAR_ORDER,
        word_order: int = CHRF.WORD_ORDER,
        beta: float = CHRF.BETA,
        remove_whitespace: bool = True,
        eps_smoothing: bool = False,
    ) -> pl.Expr:
        """Score each segment by chrF; options are as in `rapidbleu.sentence_chrf`."""
        metric = CHRF(char_order, word_order, beta, False, not remove_whitespace, eps_smoothing)
        return self.segment_scores(references, metric)

    def sentence_ter(
        self,
        references: _References,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ) -> pl.Expr:
        """Score each segment by TER; options are as in `rapidbleu.sentence_ter`."""
        return self.segment_scores(
            references, TER(normalized, no_punct, asian_support, case_sensitive)
        )

    def segment_scores(self, references: _References, metric: Any) -> pl.Expr:
        """Score each segment by any text metric, as in its `segment_scores`."""

        def score(columns: Sequence[pl.Series]) -> pl.Series:
            hyps, refs = _aligned(columns)
            known = functools.reduce(operator.or_, map(_has_text, refs)) & hyps.is_not_null()
            if not known.all():
                hyps = hyps.filter(known)
                refs = [stream.filter(known) for stream in refs]
            scores = pl.Series(values=[], dtype=pl.Float64)
            if len(hyps):
                scores = pl.Series(values=_apply(metric.segment_scores, hyps, refs))
            if len(scores) == len(known):
                return scores
            return pl.repeat(None, len(known), dtype=pl.Float64, eager=True).scatter(
                known.arg_true(), scores
            )

        metric._check_that_rows_add_up()
        return self._mapped(references, score, pl.Float64(), is_elementwise=True)

    def segment_stats(self, references: _References, metric: Any) -> pl.Expr:
        """Return rows of statistics by any text metric, as structs of int64 fields.

        Fields are named as in a `StatsTable`; ``.struct.unnest()`` turns them into columns.

        Examples
        --------
        >>> import polars as pl
        >>> import rapidbleu.adapters.polars
        >>> from rapidbleu import TER
        >>> frame = pl.DataFrame({"hyp": ["It rained.", "He left."], "ref": ["It rains.", "He."]})
        >>> rows = pl.col("hyp").rapidbleu.segment_stats("ref", TER())
        >>> sums = frame.select(rows.struct.unnest()).sum()
        >>> TER().score(sums.row(0)) == TER().corpus_score(frame["hyp"], [frame["ref"]])
        True
        """
        fields = {name: pl.Int64() for name in metric._stat_names()}

        def count(columns: Sequence[pl.Series]) -> pl.Series:
            hyps, refs = _aligned(columns)
            if not len(hyps):
                return pl.Series(values=[], dtype=pl.Struct(fields))
            rows = _apply(metric.segment_stats, hyps, refs)
            return pl.DataFrame(rows, fields, orient="row").to_struct()

        metric._check_that_rows_add_up()
        return self._mapped(references, count, pl.Struct(fields), is_elementwise=True)

    def corpus_score(self, references: _References, metric: Any) -> pl.Expr:
        """Score all segments together, as an aggregation; null if there are none.

        Examples
        --------
        >>> import polars as pl
        >>> import rapidbleu.adapters.polars
        >>> from rapidbleu import TER
        >>> frame = pl.DataFrame(
        ...     {"lang": ["en", "de", "en"], "hyp": ["a b", "c", "d"], "ref": ["a c", "c", "d"]}
        ... )
        >>> score = pl.col("hyp").rapidbleu.corpus_score("ref", TER()).alias("TER").round(2)
        >>> frame.group_by("lang", maintain_order=True).agg(score).rows()
        [('en', 33.33), ('de', 0.0)]
        """

        def score(columns: Sequence[pl.Series]) -> float | None:
            hyps, refs = _aligned(columns)
            if not len(hyps):
                return None
            return float(_apply(metric.corpus_score, hyps, refs).score)

        return self._mapped(references, score, pl.Float64(), returns_scalar=True)

    def _mapped(
        self,
        references: _References,
        function: Callable[..., Any],
        dtype: pl.DataType,
        **options: bool,
    ) -> pl.Expr:
        streams = [references] if isinstance(references, str | pl.Expr) else [*references]
        if not streams:
            raise ValueError("references: expected at least one column; got none")
        return pl.map_batches([self._hypotheses, *streams], function, dtype, **options)


def _aligned(columns: Sequence[pl.Series]) -> tuple[pl.Series, list[pl.Series]]:
    """Return hypotheses and reference streams, with constants repeated for each row."""
    n = next((len(column) for column in columns if len(column) != 1), 1)
    aligned = []
    for i, column in enumerate(columns):
        if len(column) not in (1, n):
            raise ValueError(
                f"numbers of segments differ: one column has {n}, references[{i - 1}] has "
                f"{len(column)}"
            )
        text = column.cast(pl.String) if column.dtype == pl.Null else column
        aligned.append(text if len(text) == n else text.new_from_index(0, n))
    return aligned[0], aligned[1:]


def _apply(method: Callable[..., Any], hyps: pl.Series, streams: list[pl.Series]) -> Any:
    if len(streams) == 1 and _is_lists(streams[0]):
        return method(hyps, streams[0], layout="segment")
    return method(hyps, streams)


def _is_lists(column: pl.Series) -> bool:
    return isinstance(column.dtype, pl.List | pl.Array)


def _has_text(column: pl.Series) -> pl.Series:
    """Return which rows are a text, or a list with one."""
    if not _is_lists(column):
        return column.is_not_null()
    lists = column.arr.to_list() if isinstance(column.dtype, pl.Array) else column
    if not lists.explode().null_count():  # an empty list leaves a null as well
        return column.is_not_null()
    return lists.list.drop_nulls().list.len().fill_null(0) > 0
