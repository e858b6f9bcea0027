"""Paired tests and resamples of an installed sacrebleu: what `patch_sacrebleu` puts in their place.

Trials of approximate randomization are counted by the compiled core, whose scores are sacrebleu's.
Resamples are summed by it; sacrebleu sums them in float32, and under NumPy 2 scores them so, which
is why its own metrics go on scoring them.  A sum up to 2**24 is the same in float32, whatever the
order.  What is not, and metrics that have no compiled form, are left to sacrebleu's functions.

Functions of a module, since sacrebleu's jobs are processes that find them by name.
"""

from rapidbleu.sacrebleu.logger import sacrelogger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu.sacrebleu.metrics.fast import Fast

EXACT = 1 << 24

NAMES = ("_bootstrap_resample", "_paired_ar_test", "_paired_bs_test")


class Peer:
    """sacrebleu's functions, and what finds the compiled form of its metrics."""

    active: "Peer | None" = None

    def __init__(self, module: "Any", find: "Callable[[Any], Fast | None]") -> None:
        self.module = module
        self.find = find
        self.own = {name: getattr(module, name) for name in NAMES}


def _peer(name: str) -> "tuple[Any, Peer | None]":
    """Return sacrebleu's own function, and the patch if it is still on."""
    peer = Peer.active
    if peer is not None:
        return peer.own[name], peer
    from importlib import import_module

    return getattr(import_module("sacrebleu.significance"), name), None


def _bootstrap_resample(
    stats: "Any", metric: "Any", n_samples: int = 1000
) -> "tuple[str, list[Any]]":
    """Return the seed as text, and the scores of resampled corpora."""
    from rapidbleu.significance.seeds import seed_of_environment

    own, _ = _peer("_bootstrap_resample")
    try:
        text, seed = seed_of_environment()
    except ValueError:
        return own(stats, metric, n_samples)  # type: ignore[no-any-return]
    scores = _resampled(metric, stats, seed, n_samples)
    return own(stats, metric, n_samples) if scores is None else (text, scores)


def _paired_ar_test(
    baseline_info: "dict[str, Any]",
    sys_name: str,
    hypotheses: "Any",
    references: "Any",
    metrics: "Any",
    n_samples: int = 10000,
    n_ar_confidence: int = -1,
    seed: "int | None" = None,
) -> "tuple[str, dict[str, Any]]":
    """Compare a system with the baseline by approximate randomization."""
    given = baseline_info, sys_name, hypotheses, references, metrics
    return _compare("_paired_ar_test", _Pair.randomized, *given, n_samples, n_ar_confidence, seed)


def _paired_bs_test(
    baseline_info: "dict[str, Any]",
    sys_name: str,
    hypotheses: "Any",
    references: "Any",
    metrics: "Any",
    n_samples: int = 1000,
    n_ar_confidence: int = -1,
    seed: "int | None" = None,
) -> "tuple[str, dict[str, Any]]":
    """Compare a system with the baseline by the paired bootstrap."""
    given = baseline_info, sys_name, hypotheses, references, metrics
    return _compare("_paired_bs_test", _Pair.resampled, *given, n_samples, n_ar_confidence, seed)


def _compare(
    test: str,
    judge: "Callable[..., Any]",
    baseline_info: "dict[str, Any]",
    sys_name: str,
    hypotheses: "Any",
    references: "Any",
    metrics: "Any",
    *options: "Any",
) -> "tuple[str, dict[str, Any]]":
    """Return what `judge` finds for each metric, and for the others what sacrebleu's test does."""
    own, peer = _peer(test)
    results = {}
    for name, metric in metrics.items():
        found = None
        if peer is not None:
            pair = _Pair(baseline_info[name], name, metric, sys_name, hypotheses, references)
            found = judge(pair, peer, *options)
        if found is None:
            one = {name: metric}
            _, own_results = own(baseline_info, sys_name, hypotheses, references, one, *options)
            found = own_results[name]
        results[name] = found
    return sys_name, results


class _Pair:
    """A system and the baseline under one metric."""

    def __init__(
        self,
        baseline: "tuple[Any, Any]",
        name: str,
        metric: "Any",
        system: str,
        hypotheses: "Any",
        references: "Any",
    ) -> None:
        self.base_stats, self.base = baseline
        self.metric = metric
        self.label = f"Computing {name} for {system!r} and extracting sufficient statistics"
        self.texts = hypotheses, references

    def _extract(self) -> "tuple[Any, float, float]":
        """Return the rows of the system, its score, and the difference of that to the baseline."""
        sacrelogger.info(self.label)
        stats = self.metric._extract_corpus_statistics(*self.texts)
        score = self.metric._aggregate_and_compute(stats).score
        return stats, score, abs(self.base.score - score)

    def randomized(
        self, peer: Peer, n: int, n_confidence: int, seed: "int | None"
    ) -> "Any | None":
        """Return what approximate randomization finds, or None if sacrebleu has to find it."""
        import numpy as np

        from rapidbleu.significance.draws import Draws
        from rapidbleu.significance.resampling import extreme_trials

        fast = peer.find(self.metric)
        base_rows = None if fast is None or n < 1 else fast.integer_rows(self.base_stats)
        if fast is None or base_rows is None:
            return None
        stats, score, real = self._extract()
        rows = fast.integer_rows(stats)
        if rows is None or len(rows) != len(base_rows):
            return None
        sacrelogger.info(f" > Performing approximate randomization test (# trials: {n})")
        draws = Draws(seed, len(rows))
        parts = [(fast.kernel, base_rows), (fast.kernel, rows)]
        extreme = extreme_trials(draws, [parts], [(0, 1)], np.array([[real]]), n)
        result = peer.module.Result(score, (int(extreme[0, 0]) + 1) / (n + 1))
        if n_confidence > 0:
            sacrelogger.info(
                " > Performing bootstrap resampling for confidence interval "
                f"(# resamples: {n_confidence})"
            )
            samples = _resampled(self.metric, stats, draws, n_confidence, after=n)
            if samples is None:
                return None
            result.mean, result.ci = peer.module.estimate_ci(_numbers(samples))
        return result

    def resampled(
        self, peer: Peer, n: int, n_confidence: int, seed: "int | None"
    ) -> "Any | None":
        """Return what the paired bootstrap finds, or None if sacrebleu has to find it."""
        import numpy as np

        from rapidbleu.significance.draws import Draws

        if not len(self.base_stats):
            return None
        draws = Draws(seed, len(self.base_stats))
        base_samples = _resampled(self.metric, self.base_stats, draws, n)
        if base_samples is None:
            return None
        stats, score, real = self._extract()
        if len(stats) != len(self.base_stats):
            return None
        samples = _resampled(self.metric, stats, draws, n)
        if samples is None:
            return None
        sacrelogger.info(f" > Performing paired bootstrap resampling test (# resamples: {n})")
        scores = _numbers(samples)
        differences = np.abs(scores - _numbers(base_samples))
        p = peer.module._compute_p_value(differences - differences.mean(), real)
        return peer.module.Result(score, p, *peer.module.estimate_ci(scores))


class _Scorer:
    """A metric of sacrebleu in place of a kernel: it scores float32 sums and keeps the scores."""

    def __init__(self, metric: "Any") -> None:
        self.metric = metric
        self.scores: list[Any] = []
        self.exact = True

    def score_rows(self, rows: "Any", out: "Any") -> None:
        """Score sums of rows, unless one is not exact in float32."""
        self.exact = self.exact and rows.max() <= EXACT
        if self.exact:
            self.scores += map(self.metric._compute_score_from_stats, rows.astype("float32"))


def _resampled(
    metric: "Any", stats: "Any", draws: "Any", n: int, after: int = 0
) -> "list[Any] | None":
    """Return the scores of n resamples as sacrebleu has them; None if only sacrebleu has them."""
    from rapidbleu.significance.draws import Draws
    from rapidbleu.significance.resampling import resampled_scores

    rows = _whole_rows(stats)
    if rows is None or n < 1:
        return None
    if not isinstance(draws, Draws):
        draws = Draws(draws, len(rows))
    scorer: Any = _Scorer(metric)
    resampled_scores(draws, [(scorer, rows)], n, after=after)
    return scorer.scores if scorer.exact else None


def _whole_rows(stats: "Any") -> "Any | None":
    """Return rows of statistics as int64, or None if they are no whole numbers from 0 to 2**24."""
    import numpy as np

    try:
        rows = np.array(stats)
    except ValueError:  # of different lengths
        return None
    if rows.ndim != 2 or not rows.size or rows.dtype.kind not in "if":
        return None
    if not (rows >= 0).all() or rows.max() > EXACT or (rows != np.floor(rows)).any():
        return None
    return rows.astype(np.int64)


def _numbers(scores: "list[Any]") -> "Any":
    import numpy as np

    return np.array([score.score for score in scores])
