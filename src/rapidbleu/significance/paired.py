"""Paired tests: whether two systems differ by more than the choice of the test set explains."""

from __future__ import annotations

from rapidbleu._lib.checks import check_count, check_flag, check_level, check_seed
from rapidbleu._lib.lazy import np
from rapidbleu.parallel import check_progress, check_threads, teller
from rapidbleu.significance.correction import choose_resamples
from rapidbleu.significance.draws import Draws
from rapidbleu.significance.resampling import extreme_trials, resampled_scores
from rapidbleu.significance.result import PairedResult, ResampledScore, SystemResults
from rapidbleu.significance.systems import Systems, baseline_number, compared_pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu.signature import Signature
    from rapidbleu.significance.systems import _Metrics, _SystemOutputs
    from rapidbleu.typing import FloatArray, Layout, Progress, ReferenceStreams

    _Samples = list[FloatArray | None]


N_RESAMPLES, N_TRIALS = 1000, 10_000


def paired_bootstrap(
    systems: _SystemOutputs,
    references: ReferenceStreams | None,
    metrics: _Metrics,
    *,
    n: int | None = None,
    seed: int | None = 12345,
    baseline: int | str | None = 0,
    ties: bool = True,
    level: float = 0.95,
    layout: Layout = "stream",
    threads: int = 1,
    progress: Progress | None = None,
) -> PairedResult:
    """Compare systems by resampling the segments.

    Parameters
    ----------
    systems : dict of str to hypotheses, or sequence of (name, hypotheses)
        Hypotheses are those of `Metric.corpus_score`; or, without references, an int array of shape
        (n_segments, n_stats), rows of statistics, or a `StatsTable`, all of which have the same
        ids; or a dict of the name of each metric to either.
    references : sequence of streams, References or None
        As in `Metric.corpus_score`.
    metrics : metric, sequence of metrics, or dict of str to metric
        With names one metric may be there several times, with other options.
    n : int, optional
        Resamples; all systems and metrics have the same. By default 1000; if all systems are
        compared with all, at least 40 for each pair, so that p-values can be small enough after
        they are `corrected` for the number of pairs. If `n` is too small for that, a warning is
        logged.
    seed : int or None
        Resamples are those of sacrebleu with this seed; None: others each time.
    baseline : int, str or None
        The system that the others are compared with; None: all with all.
    ties : bool
        Count resamples that differ as much as the systems too, so that equal systems have p = 1.
        False: p-values are sacrebleu's, of which equal systems have the lowest.
    level : float
        Share of the resamples' scores that lie in the interval.
    layout : {"stream", "segment"}
        Of the references.
    threads : int
        0: all cores. The result is the same.
    progress : callable, optional
        Called with the resamples done and all of them.

    Returns
    -------
    PairedResult
        p-values are of the two-sided test, ``(c + 1) / (n + 1)`` for `c` resamples whose absolute
        difference exceeds the mean of all by at least the absolute difference of the systems;
        by more than that without `ties`.

    Raises
    ------
    TypeError, ValueError
        Before anything is resampled, if an argument is wrong.

    Notes
    -----
    Sums are exact. Ctrl-C ends it.

    References
    ----------
    Koehn 2004, Statistical Significance Tests for Machine Translation Evaluation, section 4.

    Examples
    --------
    >>> from rapidbleu import MeanScore
    >>> comet = MeanScore("COMET")
    >>> scores = {"A": [0.8, 0.7, 0.6, 0.9], "B": [0.9, 0.5, 0.8, 0.9], "C": [0.1, 0.2, 0.1, 0.4]}
    >>> rows = {name: comet.rows(own) for name, own in scores.items()}
    >>> paired_bootstrap(rows, None, comet)
    paired bootstrap, 1000 resamples, seed 12345
    COMET   score    mean       ±       p
    A      0.7500  0.7487  0.1000       -
    B      0.7750  0.7724  0.1500  0.2887
    C      0.2000  0.1993  0.1125  0.0010
    """
    n_threads = _check(n, seed, level, ties, threads, progress)
    judged = Systems(systems, references, metrics, layout, n_threads)
    first = baseline_number(baseline, judged.names)
    pairs = compared_pairs(len(judged.names), first)
    n = choose_resamples(n, N_RESAMPLES, len(pairs) if first is None else 0)
    draws = Draws(seed, judged.n_segments)
    flat = _flat_samples(judged, draws, n, 0, n_threads, teller(progress, n))
    p_values = {}
    for name in judged.metrics:
        values = p_values[name] = np.full((len(judged.names),) * 2, np.nan)
        for i, j in pairs:
            real = abs(judged.totals[name][i] - judged.totals[name][j])
            limit = np.nextafter(real, -1) if ties else real
            differences = np.abs(flat[name][j] - flat[name][i])
            extreme = np.count_nonzero(differences - differences.mean() > limit)
            values[i, j] = values[j, i] = (extreme + 1) / (n + 1)
    return _result("paired bootstrap", judged, n, seed, first, level, flat, p_values, {"bs": n})


def paired_randomization(
    systems: _SystemOutputs,
    references: ReferenceStreams | None,
    metrics: _Metrics,
    *,
    n: int | None = None,
    seed: int | None = 12345,
    baseline: int | str | None = 0,
    n_bootstrap: int = 0,
    ties: bool = True,
    level: float = 0.95,
    layout: Layout = "stream",
    threads: int = 1,
    progress: Progress | None = None,
) -> PairedResult:
    """Compare systems by swapping their hypotheses at random.

    Parameters
    ----------
    systems, references, metrics, seed, baseline, level, layout, threads
        As in `paired_bootstrap`.
    n : int, optional
        Trials; all pairs and metrics have the same coins. By default 10000, or 40 for
        each pair as in `paired_bootstrap`.
    n_bootstrap : int
        Resamples for intervals of the scores; 0: none.
    ties : bool
        Count trials with exactly the difference of the systems too, as Noreen (1989) does, so that
        equal systems have p = 1. False: p-values are sacrebleu's, of which they have the lowest.
    progress : callable, optional
        Called with the trials and resamples done and all of them.

    Returns
    -------
    PairedResult
        p-values are of the two-sided test, ``(c + 1) / (n + 1)`` for `c` trials whose absolute
        difference is at least that of the systems; larger than that without `ties`.

    Raises
    ------
    TypeError, ValueError
        Before anything is shuffled, if an argument is wrong.

    Notes
    -----
    Sums are exact, and p-values without `ties` are sacrebleu's, except where its sums are not: in
    TER with 3, 5 or 6 references, rounding decides which of its trials tie with the systems. The
    resamples are its own: the baseline's are the first of the stream, those of the other systems
    follow the coins. Ctrl-C ends it.

    References
    ----------
    Riezler & Maxwell 2005, On Some Pitfalls in Automatic Evaluation and Significance Testing for
    MT, section 4.

    Examples
    --------
    >>> from rapidbleu import MeanScore
    >>> comet = MeanScore("COMET")
    >>> scores = {"A": [0.8, 0.7, 0.6, 0.9], "B": [0.9, 0.5, 0.8, 0.9], "C": [0.1, 0.2, 0.1, 0.4]}
    >>> rows = {name: comet.rows(own) for name, own in scores.items()}
    >>> paired_randomization(rows, None, comet, baseline=None)
    paired randomization, 10000 trials, seed 12345
    COMET   score     p A     p B     p C
    A      0.7500       -  1.0000  0.1254
    B      0.7750  1.0000       -  0.1254
    C      0.2000  0.1254  0.1254       -
    """
    check_count("n_bootstrap", n_bootstrap, 0)
    n_threads = _check(n, seed, level, ties, threads, progress)
    judged = Systems(systems, references, metrics, layout, n_threads)
    first = baseline_number(baseline, judged.names)
    draws = Draws(seed, judged.n_segments)
    pairs = compared_pairs(len(judged.names), first)
    n = choose_resamples(n, N_TRIALS, len(pairs) if first is None else 0)
    differences = np.array([
        [abs(scores[i] - scores[j]) for i, j in pairs] for scores in judged.totals.values()
    ])  # fmt: skip
    if ties:
        differences = np.nextafter(differences, -1)
    extreme = extreme_trials(
        draws,
        [[(metric._kernel, own) for own in judged.rows[name]]
         for name, metric in judged.metrics.items()],
        pairs, differences, n, threads=n_threads, tell=teller(progress, n + n_bootstrap),
    )  # fmt: skip
    p_values = {}
    for name, counts in zip(judged.metrics, extreme.tolist(), strict=True):
        values = p_values[name] = np.full((len(judged.names),) * 2, np.nan)
        for (i, j), count in zip(pairs, counts, strict=True):
            values[i, j] = values[j, i] = (count + 1) / (n + 1)
    flat: dict[str, Any] = {name: [None] * len(judged.names) for name in judged.metrics}
    entries = {"ar": n}
    if n_bootstrap:
        entries["bs"] = n_bootstrap
        flat = _flat_samples(
            judged, draws, n_bootstrap, n, n_threads, teller(progress, n + n_bootstrap, before=n)
        )
        if first is not None:
            parts = [(metric._kernel, judged.rows[name][first])
                     for name, metric in judged.metrics.items()]  # fmt: skip
            own = resampled_scores(draws, parts, n_bootstrap, threads=n_threads)
            for name, samples in zip(judged.metrics, own, strict=True):
                flat[name][first] = samples
    return _result("paired randomization", judged, n, seed, first, level, flat, p_values, entries)


def _check(
    n: int | None, seed: int | None, level: float, ties: bool, threads: int,
    progress: Progress | None,
) -> int:  # fmt: skip
    if n is not None:
        check_count("n", n, 1)
    check_progress(progress)
    check_flag("ties", ties)
    check_level(level)
    check_seed(seed)
    return check_threads(threads)


def _flat_samples(
    judged: Systems,
    draws: Draws,
    n: int,
    after: int,
    threads: int,
    tell: Callable[[int], Any] | None,
) -> dict[str, Any]:
    """Return the scores of resamples, for each metric those of the systems."""
    parts = [
        (metric._kernel, rows)
        for name, metric in judged.metrics.items()
        for rows in judged.rows[name]
    ]
    scores = iter(resampled_scores(draws, parts, n, after=after, threads=threads, tell=tell))
    return {name: [next(scores) for _ in judged.names] for name in judged.metrics}


def _result(
    test: str,
    judged: Systems,
    n: int,
    seed: int | None,
    first: int | None,
    level: float,
    flat: dict[str, _Samples],
    p_values: dict[str, FloatArray],
    entries: dict[str, int],
) -> PairedResult:
    """Return the tables of a test."""
    scores: dict[str, SystemResults] = {}
    signatures: dict[str, Signature] = {}
    for name, metric in judged.metrics.items():
        scores[name] = SystemResults()
        for i, system in enumerate(judged.names):
            p = None if first is None or i == first else float(p_values[name][first, i])
            score, samples = judged.scores[name][i], flat[name][i]
            scores[name][system] = ResampledScore(name, score, samples, level, p)
        if getattr(metric, "num_refs", None) is not None:
            signature: Signature = metric.get_signature()  # type: ignore[attr-defined]
            for key, value in {"seed": str(seed).lower(), **entries}.items():
                signature.update(key, value)
            signatures[name] = signature
    return PairedResult(
        test, n, seed, None if first is None else judged.names[first], scores, p_values, signatures
    )
