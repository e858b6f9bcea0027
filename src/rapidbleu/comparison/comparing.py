"""The function `compare`, and the systems and metrics that it scores and tests."""

from __future__ import annotations

from functools import cached_property

from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu._lib.checks import (
    Named,
    check_count,
    check_layout,
    check_level,
    is_ordered,
    items_of,
    seed_or_fresh,
)
from rapidbleu._lib.floats import DIGITS, SIGNIFICANT, digits_of
from rapidbleu._lib.loader import np
from rapidbleu.comparison.result import Comparison, Words
from rapidbleu.comparison.tables import (
    FREQUENCY,
    LABEL,
    LENGTH,
    LENGTH_DIFFERENCE,
    LENGTH_DIFFERENCES,
    LENGTHS,
    bucket_names,
    buckets_of,
    check_cutoffs,
    check_name,
    metric_columns,
    rank_columns,
    score_buckets,
    score_columns,
    score_cutoffs,
    segment_columns,
    table_of,
)
from rapidbleu.metrics import BLEU, CHRF
from rapidbleu.metrics.corpus import read_by_segment
from rapidbleu.metrics.mean import SegmentScores
from rapidbleu.metrics.metric import Metric
from rapidbleu.parallel import check_progress, check_threads
from rapidbleu.references import References
from rapidbleu.significance import PairedResult, ResampledScore, correct_p_values
from rapidbleu.significance.paired import (
    N_RESAMPLES,
    Systems,
    baseline_number,
    bootstrap_pairs,
    compared_pairs,
    named_metrics,
    named_systems,
)
from rapidbleu.significance.resamples import scores_of
from rapidbleu.significance.result import check_method, choose_resamples, interval_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    from rapidbleu._types import (
        FloatArray,
        IntArray,
        Items,
        Layout,
        Progress,
        ReferenceStreams,
        Texts,
        TokenizerName,
        TokenizerRule,
    )
    from rapidbleu.score import RowScoring
    from rapidbleu.significance.paired import _Metrics
    from rapidbleu.table import Table

    _Outputs = Mapping[str, Texts] | Items[tuple[str, Texts]]
    _External = Mapping[str, Mapping[str, Items[float]]]
    _Scores = dict[str, dict[str, ResampledScore]]  # by metric and system
    _Segments = dict[str, list[Any]]  # by system
    _ExternalRows = dict[str, tuple[SegmentScores, list[IntArray]]]
    _Row = tuple[Any, ...]  # of the tests
    _Ranks = dict[tuple[str, str], list[int]]  # best and worst, by metric and system

SORTS = ("score", "name", "input")  # in addition to metrics
TESTS = ("metric", "a", "b", "difference", "low", "high", "p_value", "p_corrected", "identical")


def compare(
    systems: _Outputs,
    references: ReferenceStreams,
    metrics: _Metrics | None = None,
    *,
    labels: Items[str] | None = None,
    scores: _External | None = None,
    sources: Items[str] | None = None,
    cutoffs: Mapping[str, Items[float]] | None = None,
    baseline: int | str | None = None,
    pairs: Items[tuple[str, str]] | None = None,
    sort: str = "input",
    top: int | None = None,
    n_resamples: int | None = None,
    seed: int | None = 12345,
    level: float = 0.95,
    correction: Literal["holm", "bonferroni", "none"] = "holm",
    tokenize: TokenizerName | TokenizerRule | None = None,
    lowercase: bool | None = None,
    layout: Layout = "stream",
    threads: int = 1,
    progress: Progress | None = None,
) -> Comparison:
    """Compare the outputs of systems: scores, tests, and where the differences are.

    Parameters
    ----------
    systems : dict of str to segments, or sequence of (name, segments)
        One or more systems, with segments as in `Metric.corpus_score`.
    references : sequence of streams
        As in `Metric.corpus_score`, except prepared ones.
    metrics : metric, sequence of metrics, or dict of str to metric, optional
        Default: chrF, and BLEU with the effective order for short segments. [] uses only `scores`.
    labels : sequence of str, optional
        Label of each segment, such as its domain, for buckets of their own.
    scores : dict of str to dict of str to sequence of float, optional
        Segment scores by metric and system, computed elsewhere: ``scores["COMET"]["A"]``. Their
        mean is another metric; higher is better.
    sources : sequence of str, optional
        Source of each segment, shown with examples.
    cutoffs : dict of str to sequence of float, optional
        Where buckets begin, by name in ``Comparison.buckets``, or "word_frequency".
    baseline : int, str or None
        System to compare with each other one; None compares all pairs unless there are `pairs`.
    pairs : sequence of (str, str), optional
        Pairs of systems to test instead of all pairs.
    sort : str
        Order of the systems in the result: "input"; "name"; a metric, with the best system first;
        or "score" for the first metric. Ties are ordered by name.
    top : int, optional
        Number of systems to show, from the first in that order, plus the systems of `baseline` and
        `pairs`. Tests, their correction and ranks are of all systems.
    n_resamples : int, optional
        Number of resamples (default: 1000, but at least 200 for each compared pair up to 100,000,
        then at least 40). The smallest corrected p is the number of pairs divided by n + 1: 0.005
        for 200. A warning is logged if `n_resamples` is too small for any corrected p of 0.05.
    seed, level
        As in `significance.paired_bootstrap`.
    correction : {"holm", "bonferroni", "none"}
        Correction of p-values for the number of pairs under one metric.
    tokenize : str or callable, optional
        Splits text into words: one of ``BLEU.TOKENIZERS``, or a function from str to list of str
        (default: the tokenizer of the first metric of words, or 13a).
    lowercase : bool, optional
        Whether to lowercase words (default: as in that metric).
    layout : {"stream", "segment"}
        Order of the references.
    threads : int
        Number of threads, which does not affect the result; 0 uses all cores.
    progress : callable, optional
        Called with the number of resamples done, and their total.

    Returns
    -------
    Comparison

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong, before anything is scored.

    Notes
    -----
    If a segment has several references, the first one determines its length and the words to find.
    An output word is right if any reference contains it, at most as often as one of them does.

    Examples
    --------
    >>> outputs = {
    ...     "old": ["The cat sat on a mat.", "It rained.", "He came and saw and left."],
    ...     "new": ["The cat sat on the mat.", "It was raining.", "He came, saw and left."],
    ... }
    >>> references = [["The cat sat on the mat.", "It was raining.", "He came, he saw, he left."]]
    >>> found = compare(outputs, references, BLEU(max_ngram_order=2))
    >>> found.scores["bleu"].round(2)
    array([47.99, 77.78])
    >>> found.tests["identical"]
    [None]
    >>> compare(outputs, references, sort="score").systems
    ['new', 'old']
    """
    if n_resamples is not None:
        check_count("n_resamples", n_resamples, 1)
    check_level(level)
    seed = seed_or_fresh(seed)
    n_threads = check_threads(threads)
    check_progress(progress)
    correction_name = check_method("correction", correction)
    outputs, by_segment = check_texts(systems, references, layout)
    names = list(outputs)
    n_segments = len(by_segment)
    first = baseline_number(baseline, names)
    marked = None if first is None else names[first]
    chosen = None if pairs is None else check_pairs(pairs, names, marked)
    if top is not None:
        check_count("top", top, 1)
    label_list = texts_for(labels, "labels", "labels", n_segments)
    source_list = texts_for(sources, "sources", "texts", n_segments)
    external = external_rows(scores, names, n_segments)
    if metrics is None:  # the effective order does not affect corpora with n-grams of all orders
        metrics = [BLEU(effective_order=True), CHRF()]
    named = named_metrics(metrics, least=0 if external else 1)
    reader = _reader(named, tokenize, lowercase)
    for name in external:
        if name in named:
            raise ValueError(f"scores[{name!r}]: expected a name of its own; got a metric's")
    columns = metric_columns([*named, *external])
    check_name("sort", sort, [*SORTS, *columns])
    if sort in SORTS and sort in columns:
        raise ValueError(f"sort: expected one meaning; got {sort!r}, a metric and an order")
    ends = check_cutoffs(cutoffs, [LENGTH, LENGTH_DIFFERENCE, *score_buckets(columns), FREQUENCY])

    for metric in named.values():
        if isinstance(metric, Metric) and read_by_segment(references, layout) is not None:
            metric.corpus_stats(outputs[names[0]], references)  # warns of swapped layouts
    judged = Judged(outputs, by_segment, named, external, columns, n_threads)
    judged.select(judged.sorted(sort))
    first = None if marked is None else judged.names.index(marked)
    numbers = compared_pairs(len(names), first)
    if chosen is not None:
        numbers = [(judged.names.index(a), judged.names.index(b)) for a, b in chosen]
    n_resamples = choose_resamples(n_resamples, N_RESAMPLES, len(numbers), correction_name)
    resampled = bootstrap_pairs(
        judged, numbers, n_resamples, seed, first, True, level, n_threads, progress
    )
    rows = _test_rows(judged, outputs, resampled, numbers, correction_name)
    ranks = _ranks(judged, rows if first is None and chosen is None else [])

    shown = {*judged.names[:top], marked, *(name for pair in chosen or [] for name in pair)}
    judged.select([name for name in judged.names if name in shown])
    rows = [row for row in rows if {row[1], row[2]} <= shown]
    names = judged.names
    outputs = {name: outputs[name] for name in judged.names}
    both = zip(by_segment, zip(*outputs.values(), strict=True), strict=True)
    side_by_side: list[Any] = [[*refs, *outs] for refs, outs in both]
    words = Words(reader.prepare(side_by_side, layout="segment")._prepared, names)
    drawn: _Scores = {}
    for metric_name in columns:
        drawn[metric_name] = judged.named([resampled[metric_name][name] for name in names])
    return Comparison(
        words,
        systems=names,
        metrics=list(columns),
        columns=columns,
        n_segments=n_segments,
        n_systems=len(resampled.systems),
        n_tests=len(numbers),
        baseline=marked,
        pairs=list(dict.fromkeys((a, b) for _, a, b, *_ in rows)),
        n_resamples=n_resamples,
        seed=seed,
        level=level,
        correction=correction_name,
        signatures={
            name: str(metric.get_signature())
            for name, metric in judged.metrics.items()
            if isinstance(metric, Metric)
        },
        higher_is_better=judged.higher_is_better,
        outputs=outputs,
        references=by_segment,
        sources=source_list,
        labels=label_list,
        segment_scores=judged.segment_scores,
        corpus_scores={name: judged.named(scores) for name, scores in judged.results.items()},
        resampled=drawn,
        scores=_score_table(judged, words, drawn),
        ranks=_rank_table(judged, ranks),
        tests=_test_table(judged, rows),
        buckets=_bucket_tables(judged, words, label_list, ends),
        words=words.by_frequency(ends.get(FREQUENCY)),
        segments=_segment_table(judged, words, label_list),
    )


def _reader(
    metrics: dict[str, RowScoring],
    tokenize: TokenizerName | TokenizerRule | None,
    lowercase: bool | None,
) -> BLEU:
    """Return a metric that reads words with these options, or as the first metric of words does."""
    texts = [m for m in metrics.values() if isinstance(m, Metric) and hasattr(m, "tokenize")]
    first = texts[0] if texts else None
    if first is not None:
        tokenize = first.tokenizer if tokenize is None else tokenize
        lowercase = first.lowercase if lowercase is None else lowercase
    return BLEU(tokenize=tokenize, lowercase=bool(lowercase))


class Judged(Systems):
    """Systems under metrics, including external ones.

    `columns` contains the column of each metric; scores are by metric and system; `fine` contains
    the metrics with scores within [-1, 1], which need more digits.
    """

    def __init__(
        self,
        outputs: _Segments,
        references: Any,
        metrics: dict[str, RowScoring],
        external: _ExternalRows,
        columns: dict[str, str],
        threads: int,
    ) -> None:
        layout: Layout = "segment"
        n_segments = len(references)
        if all([len(several) == 1 for several in references]):  # a stream is faster
            references = [[reference for (reference,) in references]]
            layout = "stream"
        super().__init__(outputs, references, metrics, layout, threads, least=1)
        for name, (metric, rows) in external.items():
            self.add(name, metric, rows)
        self.n_drawn = n_segments
        self.columns = columns
        self.higher_is_better = {
            name: metric.higher_is_better for name, metric in self.metrics.items()
        }
        self.fine = [name for name, scores in self.scores.items() if digits_of(scores) > DIGITS]

    def sorted(self, by: str) -> list[str]:
        """Return the systems in an order of `compare`."""
        if by == "input":
            return self.names
        if by == "name":
            return sorted(self.names)
        metric = next(iter(self.scores)) if by == "score" else by
        sign = -1 if self.higher_is_better[metric] else 1
        scores = [sign * score for score in self.scores[metric]]
        return [name for _, name in sorted(zip(scores, self.names, strict=True))]

    def select(self, names: list[str]) -> None:
        """Reduce the systems to these, in this order."""
        kept = [self.names.index(name) for name in names]
        lists: tuple[_Segments, ...] = (
            self.rows,
            self.results,
            self.scores,
            self.totals,
        )
        for by_metric in lists:
            for metric, values in by_metric.items():
                by_metric[metric] = [values[i] for i in kept]
        self.names = names

    @cached_property
    def segment_scores(self) -> dict[str, dict[str, FloatArray]]:
        """The segment scores of each system; read them after the last `select`."""
        scores = {}
        for name, metric in self.metrics.items():
            of_systems = [scores_of(metric, rows) for rows in self.rows[name]]
            scores[name] = self.named(of_systems)
        return scores

    def named(self, values: list[Any]) -> dict[str, Any]:
        """Return a value for each system by its name."""
        return Named(zip(self.names, values, strict=True))


def _score_table(judged: Judged, words: Words, scores: _Scores) -> Table:
    """Return a row for each system: scores, their intervals, words."""
    columns: dict[str, Any] = {"system": judged.names}
    titles = score_columns(judged.columns)
    names = iter(titles)
    fine = []
    for metric, by_system in scores.items():
        rows = [(score.score, *(score.interval or ())) for score in by_system.values()]
        for values in zip(*rows, strict=True):
            name = next(names)
            columns[name] = values
            fine += [name] * (metric in judged.fine)
    lengths = [int(lengths.sum()) for lengths in words.lengths.values()]
    reference_length = int(words.reference_lengths.sum())
    columns["words"] = lengths
    columns["length_ratio"] = [
        n / reference_length if reference_length else float("nan") for n in lengths
    ]
    best = {judged.columns[name]: more for name, more in judged.higher_is_better.items()}
    return table_of(columns, best, fine, titles)


def _test_rows(
    judged: Judged,
    outputs: _Segments,
    result: PairedResult,
    pairs: list[tuple[int, int]],
    correction: str,
) -> list[_Row]:
    rows: list[_Row] = []
    for metric in result.metrics:
        p_values = [float(result.p_values[metric][pair]) for pair in pairs]
        fixed = correct_p_values(p_values, correction).tolist()
        for (i, j), p, p_corrected in zip(pairs, p_values, fixed, strict=True):
            a = judged.names[i]
            b = judged.names[j]
            of_a = result[metric][a]
            of_b = result[metric][b]
            difference = of_b.score - of_a.score
            samples: Any = of_b.samples - of_a.samples  # type: ignore[operator]
            ends = interval_of(samples, of_a.level)
            same = None
            if (judged.rows[metric][i] == judged.rows[metric][j]).all():
                same = "outputs" if outputs[a] == outputs[b] and any(outputs[a]) else "statistics"
            rows.append((metric, a, b, difference, *ends, p, p_corrected, same))
    return rows


def _test_table(judged: Judged, rows: list[_Row]) -> Table:
    columns = zip(*rows, strict=True) if rows else [()] * len(TESTS)
    fine = ("difference", "low", "high") if judged.fine else ()
    return table_of(dict(zip(TESTS, columns, strict=True)), fine=fine)


def _ranks(judged: Judged, rows: list[_Row]) -> _Ranks:
    """Return the best and the worst rank by metric and system, given tests of all pairs."""
    n = len(judged.names)
    ranks = {(metric, name): [1, n] for metric in judged.metrics for name in judged.names if rows}
    for metric, a, b, difference, _, _, _, p, _ in rows:
        if p <= SIGNIFICANT and difference:
            is_better = (difference > 0) == judged.higher_is_better[metric]
            ranks[metric, a if is_better else b][0] += 1
            ranks[metric, b if is_better else a][1] -= 1
    return ranks


def _rank_table(judged: Judged, ranks: _Ranks) -> Table:
    """Return a row for each system, or none without ranks."""
    names = judged.names if ranks else []
    titles = rank_columns(judged.columns)
    columns: dict[str, Any] = {"system": names}
    ends = [(metric, k) for metric in judged.metrics for k in (0, 1)]
    for title, (metric, k) in zip(titles, ends, strict=True):
        columns[title] = np.array([ranks[metric, name][k] for name in names], np.int64)
    return table_of(columns, titles=titles)


def _bucket_tables(
    judged: Judged, words: Words, labels: list[str] | None, cutoffs: dict[str, list[float]]
) -> dict[str, Table]:
    """Return all buckets of segments; `cutoffs` overrides the defaults."""
    tables = {}
    if labels is not None:
        names = list(dict.fromkeys(labels))
        numbers = {name: i for i, name in enumerate(names)}
        where = np.fromiter((numbers[label] for label in labels), np.int64, len(labels))
        tables[LABEL] = _bucket_table(judged, names, [where])

    def add(name: str, values: list[Any], default: Any, whole: bool) -> None:
        ends = cutoffs.get(name, default)
        members = [buckets_of(numbers, ends) for numbers in values]
        tables[name] = _bucket_table(judged, bucket_names(ends, whole), members)

    add(LENGTH, [words.reference_lengths], LENGTHS, True)
    differences = [lengths - words.reference_lengths for lengths in words.lengths.values()]
    add(LENGTH_DIFFERENCE, differences, LENGTH_DIFFERENCES, True)
    for kind, metric in score_buckets(judged.columns).items():
        scores = list(judged.segment_scores[metric].values())
        add(kind, scores, score_cutoffs(scores), False)
    return tables


def _bucket_table(judged: Judged, names: list[str], members: list[IntArray]) -> Table:
    """Return a row per bucket and system, given segments' buckets, once for all or by system."""
    n_buckets = len(names)
    n_systems = len(judged.names)
    counts = []
    parts = []
    for buckets in members:
        sizes = np.bincount(buckets.astype(np.intp), minlength=n_buckets)
        present = np.flatnonzero(sizes)
        begins = (np.cumsum(sizes) - sizes)[present]
        counts.append(sizes)
        parts.append((np.argsort(buckets, kind="stable"), present, begins))
    shared = n_systems // len(members)
    columns: dict[str, Any] = {
        "bucket": [name for name in names for _ in range(n_systems)],
        "system": judged.names * n_buckets,
        "segments": np.array(counts * shared).T.ravel().astype(np.int64),
    }
    for metric, by_system in judged.rows.items():
        scores = np.full((n_systems, n_buckets), np.nan)
        for i, (rows, part) in enumerate(zip(by_system, parts * shared, strict=True)):
            order, present, begins = part
            sums = np.add.reduceat(rows[order], begins, axis=0)
            scores[i, present] = scores_of(judged.metrics[metric], sums)
        columns[judged.columns[metric]] = scores.T.ravel()
    titles = {column: metric for metric, column in judged.columns.items()}
    fine = [judged.columns[metric] for metric in judged.fine]
    return table_of(columns, fine=fine, titles=titles)


def _segment_table(judged: Judged, words: Words, labels: list[str] | None) -> Table:
    """Return a row for each segment: its index, label, lengths and scores."""
    columns: dict[str, Any] = {"segment": np.arange(len(words.reference_lengths))}
    if labels is not None:
        columns[LABEL] = labels
    columns[LENGTH] = words.reference_lengths
    titles = segment_columns(judged.names, judged.columns)
    names = iter(titles)
    fine = []
    groups: list[tuple[str, dict[str, Any]]] = [("", words.lengths)]
    for metric, by_system in (*groups, *judged.segment_scores.items()):
        for values in by_system.values():
            name = next(names)
            columns[name] = values
            fine += [name] * (metric in judged.fine)
    return table_of(columns, fine=fine, titles=titles)


def check_texts(
    systems: _Outputs, references: ReferenceStreams, layout: Layout
) -> tuple[_Segments, list[list[Any]]]:
    """Return the segments of each system, and the references of each segment, at least one."""
    outputs: _Segments = {}
    for name, source in named_systems(systems, least=1).items():
        where = f"systems[{name!r}]"
        outputs[name] = _plain(items_of(source, where, "segments"))
        Column(outputs[name], where)
        if not outputs[name]:
            raise ValueError(f"{where}: expected at least one segment; got none")
    by_segment = _reference_lists(references, layout)
    n_segments = len(by_segment)
    for name, segments in outputs.items():
        if len(segments) != n_segments:
            raise ValueError(
                f"systems[{name!r}]: expected {n_segments} segments, as many as there are "
                f"references for; got {len(segments)}"
            )
    return outputs, by_segment


def _plain(segments: list[Any]) -> list[Any]:
    """Return segments as str, lists and tuples; any other types unchanged."""
    if set(map(type, segments)) <= {str, list, tuple}:
        return segments
    return [
        list(segment) if is_ordered(segment) and not isinstance(segment, list | tuple) else segment
        for segment in segments
    ]


def _reference_lists(references: ReferenceStreams, layout: Layout) -> list[list[Any]]:
    if isinstance(references, References):
        raise TypeError(f"references: expected texts; got {references!r}, which has none")
    check_layout(layout)
    if hasattr(references, "__arrow_c_stream__") or hasattr(references, "__arrow_c_array__"):
        layout = "segment"
    streams = items_of(references, "references", "streams of references")
    lists = [
        _plain(items_of(each, f"references[{i}]", "segments")) if is_ordered(each) else each
        for i, each in enumerate(streams)
    ]
    ReferenceColumns(lists, layout)
    by_segment = lists if layout == "segment" else zip(*lists, strict=True)
    return [[text for text in several if text is not None] for several in by_segment]


def check_pairs(
    pairs: Items[tuple[str, str]], systems: Sequence[str], baseline: str | None
) -> list[tuple[str, str]]:
    """Return pairs of two different systems, without repetition."""
    if baseline is not None:
        raise ValueError(f"pairs: expected no baseline with them; got {baseline!r}")
    checked: list[tuple[str, str]] = []
    for i, pair in enumerate(items_of(pairs, "pairs", "pairs of systems")):
        where = f"pairs[{i}]"
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"{where}: expected two systems; got {pair!r}")
        a, b = pair
        check_name(where, a, systems)
        check_name(where, b, systems)
        if a == b or (a, b) in checked or (b, a) in checked:
            raise ValueError(f"{where}: expected another pair of two systems; got {a!r} and {b!r}")
        checked.append((a, b))
    if not checked:
        raise ValueError("pairs: expected at least one; got none")
    return checked


def texts_for(
    texts: Items[str] | None, where: str, expected: str, n_segments: int
) -> list[str] | None:
    """Return one text per segment, or None."""
    if texts is None:
        return None
    items = items_of(texts, where, expected)
    for i, item in enumerate(items):
        if not isinstance(item, str):
            raise TypeError(f"{where}[{i}]: expected str; got {type(item).__name__}")
    if len(items) != n_segments:
        raise ValueError(
            f"{where}: expected one for each of {n_segments} segments; got {len(items)}"
        )
    return items


def external_rows(scores: _External | None, systems: list[str], n_segments: int) -> _ExternalRows:
    """Return a metric for each name of external segment scores, and its rows for each system."""
    external: _ExternalRows = {}
    if scores is None:
        return external
    if not hasattr(scores, "items"):
        raise TypeError(f"scores: expected a dict by metric; got {type(scores).__name__}")
    for metric, by_system in scores.items():
        if not isinstance(metric, str):
            raise TypeError(f"scores: expected names of metrics; got {type(metric).__name__}")
        where = f"scores[{metric!r}]"
        if not hasattr(by_system, "items"):
            raise TypeError(f"{where}: expected a dict by system; got {type(by_system).__name__}")
        for name in by_system:
            if name not in systems:
                raise ValueError(f"{where}: expected systems; got {name!r}, which is none")
        mean = SegmentScores(metric)
        rows = []
        for name in systems:
            if name not in by_system:
                raise ValueError(f"{where}: expected scores of {name!r}; got none")
            try:
                rows.append(mean.stats(by_system[name]))
            except (TypeError, ValueError) as error:
                kind = TypeError if isinstance(error, TypeError) else ValueError
                message = str(error).removeprefix("scores")
                raise kind(f"{where}[{name!r}]{message}") from None
            if len(rows[-1]) != n_segments:
                raise ValueError(
                    f"{where}[{name!r}]: expected {n_segments} scores; got {len(rows[-1])}"
                )
        external[metric] = mean, rows
    return external
