"""An installed sacrebleu made fast in place.

Every way into sacrebleu ends in `_extract_corpus_statistics`: names imported before, its command
line, `PairedTest`, metrics of other libraries built on it. So the methods that extract statistics
are replaced; a metric whose methods or tokenizer were replaced already goes on as before.

The functions behind paired tests and intervals are replaced, too. Trials of approximate
randomization are counted by `rapidbleu.significance`, whose scores are sacrebleu's. It also sums
resamples; sacrebleu sums them in float32, and under NumPy 2 scores them so, which is why its own
metrics go on scoring them. A sum up to 2**24 is the same in float32, whatever the order. Larger
sums, and metrics that have no compiled form, are left to sacrebleu's functions.
"""

from __future__ import annotations

from importlib import import_module

import numpy as np

from rapidbleu.sacrebleu.metrics.fast import Finder, ReferenceCache, as_segments, as_streams
from rapidbleu.sacrebleu.tokenizers import COMPILED
from rapidbleu.sacrebleu.utils import inform
from rapidbleu.significance.paired import paired_randomization
from rapidbleu.significance.resamples import Draws, resampled_scores, seed_of_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu.sacrebleu.metrics.fast import Fast

OLDEST, NEWEST = (2, 2), (2, 6)
EXACT = 1 << 24  # the largest sum that float32 always has exactly


def _check_version(version: str) -> None:
    """Refuse a sacrebleu whose statistics are not those of 2.6.0."""
    numbers = tuple(int(part) if part.isdigit() else 0 for part in version.split(".")[:2])
    if not OLDEST <= numbers <= NEWEST:
        raise RuntimeError(
            f"patch_sacrebleu: expected sacrebleu {'.'.join(map(str, OLDEST))} to "
            f"{'.'.join(map(str, NEWEST))}, whose numbers are those of rapidbleu, got {version}"
        )


# Statistics


def _tokenizer_name(tokenizer: Any) -> str | None:
    """Return the name of the compiled twin of a tokenizer of sacrebleu, unless it was changed."""
    cls = type(tokenizer)
    home: str = cls.__module__
    is_own = home.startswith("sacrebleu.tokenizers.") and cls.__call__.__module__ == home
    return COMPILED.get(cls.__name__) if is_own else None


def _faster(cls: type, finder: Finder) -> dict[str, Any]:
    """Return the methods that take the place of those of a class."""
    extract: Any = cls._extract_corpus_statistics  # type: ignore[attr-defined]
    cache: Any = cls._cache_references  # type: ignore[attr-defined]

    def _extract_corpus_statistics(self: Any, hypotheses: Any, references: Any) -> Any:
        fast = finder.rows(self)
        if fast is None:
            return extract(self, hypotheses, references)
        if references:
            rows, self.num_refs = fast.rows(self, as_segments(hypotheses), as_streams(references))
            return rows
        own = self._ref_cache
        if isinstance(own, ReferenceCache) and own.serves(fast):
            return fast.rows(self, as_segments(hypotheses), own.prepared)[0]
        return extract(self, hypotheses, references)

    def _cache_references(self: Any, references: Any) -> Any:
        fast = finder.rows(self)
        if fast is not None:
            references = as_streams(references)
        if fast is None or not any(references):
            return cache(self, references)
        prepared = ReferenceCache(self, fast, references, cache)
        self.num_refs = prepared.num_refs
        return prepared

    return {
        "_extract_corpus_statistics": _extract_corpus_statistics,
        "_cache_references": _cache_references,
    }


# Paired tests and intervals: functions of a module, since jobs are processes that find them by name


def _active(name: str) -> tuple[Patch | None, Any]:
    """Return the patch if it is still on, and sacrebleu's own function."""
    patch = Patch._active
    if patch is not None:
        return patch, patch.functions[name]
    return None, getattr(import_module("sacrebleu.significance"), name)


def _bootstrap_resample(stats: Any, metric: Any, n_samples: int = 1000) -> tuple[str, list[Any]]:
    """Return the seed as text, and the scores of resampled corpora."""
    _, own = _active("_bootstrap_resample")
    try:
        text, seed = seed_of_environment()
    except ValueError:
        return own(stats, metric, n_samples)  # type: ignore[no-any-return]
    scores = _resampled(metric, stats, seed, n_samples)
    return own(stats, metric, n_samples) if scores is None else (text, scores)


def _paired_test(name: str, judge: Callable[..., Any], n: int) -> Callable[..., Any]:
    """Return what takes the place of sacrebleu's function `name`, with `n` samples by default.

    `judge` returns the result of a system under one metric, or None if sacrebleu has to find it.
    """

    def test(
        baseline_info: dict[str, Any], sys_name: str, hypotheses: Any, references: Any,
        metrics: dict[str, Any], n_samples: int = n, n_ar_confidence: int = -1,
        seed: int | None = None,
    ) -> tuple[str, dict[str, Any]]:  # fmt: skip
        patch, own = _active(name)
        options = n_samples, n_ar_confidence, seed
        results = {}
        for key, metric in metrics.items():
            result = None
            if patch is not None:
                system = metric, key, sys_name, hypotheses, references
                result = judge(patch, baseline_info[key], system, *options)
            if result is None:
                only = {key: metric}
                found = own(baseline_info, sys_name, hypotheses, references, only, *options)
                result = found[1][key]
            results[key] = result
        return sys_name, results

    test.__name__ = test.__qualname__ = name
    return test


def _extract(
    metric: Any, name: str, system: str, hypotheses: Any, references: Any
) -> tuple[Any, float]:
    """Return the rows of a system and its score."""
    inform(f"Computing {name} for {system!r} and extracting sufficient statistics")
    stats = metric._extract_corpus_statistics(hypotheses, references)
    return stats, metric._aggregate_and_compute(stats).score


def _randomize(
    patch: Patch, baseline: Any, system: Any, n: int, n_confidence: int,
    seed: int | None,
) -> Any | None:  # fmt: skip
    """Return what approximate randomization finds, or None if sacrebleu has to find it."""
    base_stats = baseline[0]
    fast = patch.find(system[0])
    base_rows = None if fast is None or n < 1 else fast.integer_rows(base_stats)
    if fast is None or base_rows is None:
        return None
    stats, score = _extract(*system)
    rows = fast.integer_rows(stats)
    if rows is None or len(rows) != len(base_rows):
        return None
    inform(f" > Performing approximate randomization test (# trials: {n})")
    systems = {"baseline": base_rows, "system": rows}
    test = paired_randomization(systems, None, {"": fast.native}, n=n, seed=seed, ties=False)
    result = patch.significance.Result(score, test[""]["system"].p)
    if n_confidence > 0:
        inform(
            " > Performing bootstrap resampling for confidence interval "
            f"(# resamples: {n_confidence})"
        )
        samples = _resampled(system[0], stats, Draws(seed, len(rows)), n_confidence, after=n)
        if samples is None:
            return None
        result.mean, result.ci = patch.significance.estimate_ci(_numbers(samples))
    return result


def _resample_pair(
    patch: Patch, baseline: Any, system: Any, n: int, n_confidence: int,
    seed: int | None,
) -> Any | None:  # fmt: skip
    """Return what the paired bootstrap finds, or None if sacrebleu has to find it."""
    base_stats, base = baseline
    if not len(base_stats):
        return None
    draws = Draws(seed, len(base_stats))
    base_samples = _resampled(system[0], base_stats, draws, n)
    if base_samples is None:
        return None
    stats, score = _extract(*system)
    if len(stats) != len(base_stats):
        return None
    samples = _resampled(system[0], stats, draws, n)
    if samples is None:
        return None
    inform(f" > Performing paired bootstrap resampling test (# resamples: {n})")
    scores = _numbers(samples)
    differences = np.abs(scores - _numbers(base_samples))
    peer = patch.significance
    p = peer._compute_p_value(differences - differences.mean(), abs(base.score - score))
    return peer.Result(score, p, *peer.estimate_ci(scores))


class _Scorer:
    """A metric of sacrebleu in place of a kernel: it scores float32 sums and keeps the scores."""

    def __init__(self, metric: Any) -> None:
        self.metric = metric
        self.scores: list[Any] = []
        self.exact = True

    def score_rows(self, rows: Any, out: Any) -> None:
        """Score sums of rows, unless one is not exact in float32."""
        self.exact = self.exact and rows.max() <= EXACT
        if self.exact:
            self.scores += map(self.metric._compute_score_from_stats, rows.astype("float32"))


def _resampled(metric: Any, stats: Any, draws: Any, n: int, after: int = 0) -> list[Any] | None:
    """Return the scores of n resamples as sacrebleu has them; None if only sacrebleu has them."""
    rows = _whole_rows(stats)
    if rows is None or n < 1:
        return None
    if not isinstance(draws, Draws):
        draws = Draws(draws, len(rows))
    scorer: Any = _Scorer(metric)
    resampled_scores(draws, [(scorer, rows)], n, after=after)
    return scorer.scores if scorer.exact else None


def _whole_rows(stats: Any) -> Any | None:
    """Return rows of statistics as int64, or None if they are no whole numbers from 0 to 2**24."""
    try:
        rows = np.array(stats)
    except ValueError:  # of different lengths
        return None
    if rows.ndim != 2 or not rows.size or rows.dtype.kind not in "if":
        return None
    if not (rows >= 0).all() or rows.max() > EXACT or (rows != np.floor(rows)).any():
        return None
    return rows.astype(np.int64)


def _numbers(scores: list[Any]) -> Any:
    return np.array([score.score for score in scores])


_paired_ar_test = _paired_test("_paired_ar_test", _randomize, 10_000)
_paired_bs_test = _paired_test("_paired_bs_test", _resample_pair, 1000)
_TESTS = {
    function.__name__: function
    for function in (_bootstrap_resample, _paired_ar_test, _paired_bs_test)
}


class Patch:
    """sacrebleu's metrics and tests made fast, until this is called or its ``with`` block ends.

    Examples
    --------
    >>> import sacrebleu
    >>> undo = Patch()
    >>> sacrebleu.BLEU._extract_corpus_statistics.__module__
    'rapidbleu.sacrebleu.patching'
    >>> undo()
    >>> sacrebleu.BLEU._extract_corpus_statistics.__module__
    'sacrebleu.metrics.base'
    """

    _active: Patch | None = None

    def __init__(self) -> None:
        self._replaced: list[tuple[Any, dict[str, Any]]] = []
        if Patch._active is not None:
            return  # one is enough, and the first one undoes it
        metrics: Any = import_module("sacrebleu.metrics")
        if metrics.__name__ != "sacrebleu.metrics":
            return  # rapidbleu.sacrebleu.install() was here before
        _check_version(import_module("sacrebleu").__version__)
        self._finders = {
            getattr(metrics, name): Finder(name, _tokenizer_name) for name in metrics.METRICS
        }
        self.significance: Any = import_module("sacrebleu.significance")
        self.functions = {name: getattr(self.significance, name) for name in _TESTS}
        Patch._active = self
        for cls, finder in self._finders.items():
            self._replace(cls, _faster(cls, finder))
            finder.watch(cls)
        self._replace(self.significance, _TESTS)

    def find(self, metric: Any) -> Fast | None:
        """Return the compiled form of a metric whose trials it scores as sacrebleu does."""
        # Integer arrays cut off the fractions that add-k adds in sacrebleu's trials.
        if getattr(metric, "smooth_method", None) == "add-k":
            return None
        for cls, finder in self._finders.items():
            if isinstance(metric, cls):
                return finder.scores(metric)
        return None

    def _replace(self, owner: Any, names: dict[str, Any]) -> None:
        """Put new functions into a class or module, and remember its own."""
        own = {name: vars(owner)[name] for name in names if name in vars(owner)}
        self._replaced.append((owner, dict.fromkeys(names) | own))
        for name, function in names.items():
            setattr(owner, name, function)

    def __call__(self) -> None:
        """Put sacrebleu's own functions back."""
        for owner, functions in self._replaced:
            for name, function in functions.items():
                if function is None:
                    delattr(owner, name)  # inherited before
                else:
                    setattr(owner, name, function)
        self._replaced.clear()
        if Patch._active is self:
            Patch._active = None

    def __enter__(self) -> Patch:
        return self

    def __exit__(self, *error: object) -> None:
        self()
