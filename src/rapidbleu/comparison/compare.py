"""Compare systems: the function that reads, scores, tests and counts."""

from rapidbleu.comparison.buckets import (
    LENGTH,
    LENGTH_DIFFERENCE,
    bucket_tables,
    score_bucket,
    segment_table,
)
from rapidbleu.comparison.columns import check_names
from rapidbleu.comparison.cutoffs import check_cutoffs
from rapidbleu.comparison.inputs import (
    CheckedTexts,
    check_labels,
    check_sources,
    external_rows,
    metrics_by_name,
)
from rapidbleu.comparison.judging import Judged
from rapidbleu.comparison.result import Comparison
from rapidbleu.comparison.words import WORDS, Words
from rapidbleu.counts import check_count
from rapidbleu.metrics import BLEU, CHRF
from rapidbleu.metrics.contract.base import Metric
from rapidbleu.metrics.contract.words import WordMetric
from rapidbleu.parallel import check_threads
from rapidbleu.significance.checks import check_level, check_seed
from rapidbleu.significance.correction import check_method, choose_resamples
from rapidbleu.significance.paired import N_RESAMPLES
from rapidbleu.significance.systems import baseline_number, compared_pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from rapidbleu.comparison.inputs import _External, _Outputs
    from rapidbleu.scoring import RowScoring
    from rapidbleu.significance.systems import _Metrics
    from rapidbleu.typing import (
        Items,
        Layout,
        Progress,
        ReferenceStreams,
        TokenizerName,
        TokenizerRule,
    )


def compare(
    systems: "_Outputs",
    references: "ReferenceStreams",
    metrics: "_Metrics | None" = None,
    *,
    labels: "Items[str] | None" = None,
    scores: "_External | None" = None,
    sources: "Items[str] | None" = None,
    cutoffs: "Mapping[str, Items[float]] | None" = None,
    baseline: "int | str | None" = None,
    n: "int | None" = None,
    seed: "int | None" = 12345,
    level: float = 0.95,
    correction: "Literal['holm', 'bonferroni', 'none']" = "holm",
    tokenize: "TokenizerName | TokenizerRule | None" = None,
    lowercase: "bool | None" = None,
    layout: "Layout" = "stream",
    threads: int = 1,
    progress: "Progress | None" = None,
) -> Comparison:
    """Compare the outputs of systems: scores, tests, and where the differences are.

    Parameters
    ----------
    systems : dict of str to segments, or sequence of (name, segments)
        One system or more. Segments are those of `Metric.corpus_score`.
    references : sequence of streams
        As in `Metric.corpus_score`, but not prepared.
    metrics : metric, sequence of metrics, or dict of str to metric, optional
        By default chrF, and BLEU with the effective order, which short segments need.
    labels : sequence of str, optional
        One for each segment, such as its domain: buckets of their own.
    scores : dict of str to dict of str to sequence of float, optional
        Segment scores that another program gave: ``scores["COMET"]["A"]``; the mean of these is one
        more metric, of which higher is better.
    sources : sequence of str, optional
        Shown with examples.
    cutoffs : dict of str to sequence of float, optional
        Where buckets begin, by their name in `Comparison.buckets`, or "word frequency".
    baseline : int, str or None
        The system that the others are compared with; None: all with all.
    n : int, optional
        Resamples; by default 1000, or 40 for each pair that is compared if that is more, because
        the smallest corrected p is the number of pairs divided by n + 1. If `n` is too small for
        any corrected p of 0.05, a warning is logged.
    seed, level
        As in `significance.paired_bootstrap`.
    correction : {"holm", "bonferroni", "none"}
        Of the p-values, for the number of pairs under one metric.
    tokenize : str or callable, optional
        What words are: one of `BLEU.TOKENIZERS`, or any function from str to a list of str; by
        default as the first metric of words has it, or 13a.
    lowercase : bool, optional
        Of the words; by default as that metric has it.
    layout : {"stream", "segment"}
        Of the references.
    threads : int
        0: all cores. The result is the same.
    progress : callable, optional
        Called with the resamples done and all of them.

    Returns
    -------
    Comparison

    Raises
    ------
    TypeError, ValueError
        Before anything is scored, if an argument is wrong.

    Notes
    -----
    Of several references of a segment, the first says how long it is and which words are to be
    found; what an output has is right if any of them has it, up to the most that one has.

    Examples
    --------
    >>> outputs = {
    ...     "old": ["The cat sat on a mat.", "It rained.", "He came and saw and left."],
    ...     "new": ["The cat sat on the mat.", "It was raining.", "He came, saw and left."],
    ... }
    >>> references = [["The cat sat on the mat.", "It was raining.", "He came, he saw, he left."]]
    >>> found = compare(outputs, references, BLEU(max_ngram_order=2))
    >>> found.scores["BLEU"].round(2)
    array([47.99, 77.78])
    >>> found.tests["identical"]
    [None]
    """
    if n is not None:
        check_count("n", n, 1)
    check_level(level)
    check_seed(seed)
    n_threads = check_threads(threads)
    correction_name = check_method("correction", correction)
    texts = CheckedTexts(systems, references, layout)
    names, n_segments = list(texts.outputs), texts.n_segments
    first = baseline_number(baseline, names)
    label_list, source_list = check_labels(labels, n_segments), check_sources(sources, n_segments)
    external = external_rows(scores, names, n_segments)
    if metrics is None:  # the effective order changes no corpus that has n-grams of all orders
        metrics = [BLEU(effective_order=True), CHRF()]
    named = metrics_by_name(metrics)
    reader = _reader(named, tokenize, lowercase)
    for name in external:
        if name in named:
            raise ValueError(f"scores[{name!r}]: expected a name of its own, got a metric's")
    all_names = [*named, *external]
    check_names(names, all_names)
    buckets = [LENGTH, LENGTH_DIFFERENCE, *map(score_bucket, all_names), WORDS]
    ends = check_cutoffs(cutoffs, buckets)

    for metric in named.values():
        if isinstance(metric, Metric) and metric._read_by_segment(references, layout) is not None:
            metric.corpus_stats(texts.outputs[names[0]], references)  # for its warning of layouts
    judged = Judged(texts, named, external, n_threads)
    words = Words(reader.prepare(texts.side_by_side(), layout="segment")._prepared, names)
    n_pairs = len(compared_pairs(len(names), first))
    if first is not None or n is None:  # of all pairs, `paired_bootstrap` warns
        n = choose_resamples(n, N_RESAMPLES, n_pairs, correction_name)
    resampled = judged.resample(first, n, seed, level, n_threads, progress)
    lengths = {name: int(own.sum()) for name, own in words.lengths.items()}
    return Comparison(
        words,
        systems=names,
        metrics=list(judged.metrics),
        n_segments=n_segments,
        baseline=None if first is None else names[first],
        n=n,
        seed=seed,
        level=level,
        correction=correction_name,
        signatures=judged.signatures,
        higher_is_better=judged.higher_is_better,
        outputs=texts.outputs,
        references=texts.references,
        sources=source_list,
        labels=label_list,
        segment_scores=judged.segment_scores,
        corpus_scores=judged.corpus_scores,
        resampled=resampled.scores,
        scores=resampled.score_table(
            lengths, int(words.reference_lengths.sum()), judged
        ),
        tests=resampled.test_table(judged, texts, correction_name),
        buckets=bucket_tables(judged, words.reference_lengths, words.lengths, label_list, ends),
        words=words.by_frequency(ends.get(WORDS)),
        segments=segment_table(judged, words.reference_lengths, words.lengths, label_list),
    )


def _reader(
    metrics: "dict[str, RowScoring]",
    tokenize: "TokenizerName | TokenizerRule | None",
    lowercase: "bool | None",
) -> BLEU:
    """Return a metric that reads words as was asked for, or as the first metric of words does."""
    first = next((m for m in metrics.values() if isinstance(m, WordMetric)), None)
    if first is not None:
        tokenize = first.tokenizer if tokenize is None else tokenize
        lowercase = first.lowercase if lowercase is None else lowercase
    return BLEU(tokenize=tokenize, lowercase=bool(lowercase))
