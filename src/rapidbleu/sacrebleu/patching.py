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

from contextlib import suppress
from importlib import import_module

from rapidbleu._lib.lazy import np
from rapidbleu.sacrebleu.metrics.fast import Finder
from rapidbleu.sacrebleu.significance import compiled, inform_of_test, judge
from rapidbleu.sacrebleu.tokenizers import COMPILED
from rapidbleu.significance.paired import paired_randomization
from rapidbleu.significance.resamples import Draws, resampled_scores, seed_of_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

EXACT = 1 << 24  # the largest sum that float32 always has exactly


# Statistics


def _tokenizer_name(tokenizer: Any) -> str | None:
    """Return the name of the compiled twin of a tokenizer of sacrebleu, unless it was changed."""
    cls = type(tokenizer)
    home: str = cls.__module__
    is_own = home.startswith("sacrebleu.tokenizers.") and cls.__call__.__module__ == home
    return COMPILED.get(cls.__name__) if is_own else None


# Paired tests and intervals: functions of a module, since jobs are processes that find them by name


def _own(name: str) -> Any:
    """Return sacrebleu's own function."""
    if Patch._active is not None:
        return Patch._active.functions[name]
    return getattr(import_module("sacrebleu.significance"), name)


def _bootstrap_resample(stats: Any, metric: Any, n_samples: int = 1000) -> tuple[str, list[Any]]:
    """Return the seed as text, and the scores of resampled corpora."""
    try:
        text, seed = seed_of_environment()
        scores = _resampled(metric, stats, seed, n_samples)
    except ValueError:  # the seed is no number
        scores = None
    if scores is not None:
        return text, scores
    found: tuple[str, list[Any]] = _own("_bootstrap_resample")(stats, metric, n_samples)
    return found


def _paired_test(name: str, test: Callable[..., Any], n: int) -> Callable[..., Any]:
    """Return what takes the place of sacrebleu's function `name`, with `n` samples by default.

    `test` returns the result of a system under one metric, or None if sacrebleu has to find it.
    """

    def run(
        baseline_info: dict[str, Any],
        sys_name: str,
        hypotheses: Any,
        references: Any,
        metrics: dict[str, Any],
        n_samples: int = n,
        n_ar_confidence: int = -1,
        seed: int | None = None,
    ) -> tuple[str, dict[str, Any]]:
        options = n_samples, n_ar_confidence, seed
        results = {}
        for key, metric in metrics.items():
            result = None
            if Patch._active is not None:
                system = metric, key, sys_name, hypotheses, references
                result = test(baseline_info[key], system, *options)
            if result is None:
                own, only = _own(name), {key: metric}
                result = own(baseline_info, sys_name, hypotheses, references, only, *options)[1][
                    key
                ]
            results[key] = result
        return sys_name, results

    run.__name__ = run.__qualname__ = name
    return run


def _randomize(baseline: Any, system: Any, n: int, n_ci: int, seed: int | None) -> Any | None:
    """Return what approximate randomization finds, or None if sacrebleu has to find it."""
    metric, peer = system[0], import_module("sacrebleu.significance")
    # Integer arrays cut off the fractions that add-k adds in sacrebleu's trials.
    if n < 1 or getattr(metric, "smooth_method", None) == "add-k":
        return None
    base = compiled(metric, baseline[0])
    if base is None:
        return None
    stats, score = judge(*system)
    found = compiled(metric, stats)
    if found is None or len(stats) != len(baseline[0]):
        return None
    inform_of_test("ar", n)
    rows = {"baseline": base[1], "system": found[1]}
    tested = paired_randomization(rows, None, {"": base[0]}, n_trials=n, seed=seed, ties=False)
    result = peer.Result(score, tested[""]["system"].p_value)
    if n_ci > 0:
        inform_of_test("ci", n_ci)
        samples = _resampled(metric, stats, Draws(seed, len(stats)), n_ci, after=n)
        if samples is None:
            return None
        result.mean, result.ci = peer.estimate_ci(_numbers(samples))
    return result


def _resample_pair(baseline: Any, system: Any, n: int, _: int, seed: int | None) -> Any | None:
    """Return what the paired bootstrap finds, or None if sacrebleu has to find it."""
    (base_stats, base), peer = baseline, import_module("sacrebleu.significance")
    if not len(base_stats):
        return None
    draws = Draws(seed, len(base_stats))
    base_samples = _resampled(system[0], base_stats, draws, n)
    if base_samples is None:
        return None
    stats, score = judge(*system)
    samples = _resampled(system[0], stats, draws, n) if len(stats) == len(base_stats) else None
    if samples is None:
        return None
    inform_of_test("bs", n)
    scores = _numbers(samples)
    differences = np.abs(scores - _numbers(base_samples))
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


def _is_listed(references: Any) -> bool:
    return references is None or isinstance(references, list | tuple)


class Patch:
    """sacrebleu's metrics and tests made fast, until this is called or its ``with`` block ends."""

    _active: Patch | None = None

    name = "sacrebleu"

    def __init__(self) -> None:
        self.n_served = self.n_handed_back = 0
        self._replaced: list[tuple[Any, dict[str, Any]]] = []
        if Patch._active is not None:
            return  # one is enough, and the first one undoes it
        metrics: Any = import_module("sacrebleu.metrics")
        if metrics.__name__ != "sacrebleu.metrics":
            return  # rapidbleu.sacrebleu.install() was here before
        significance = import_module("sacrebleu.significance")
        self.functions = {name: getattr(significance, name) for name in _TESTS}
        Patch._active = self
        for name in metrics.METRICS:
            self._replace_methods(getattr(metrics, name))
        self._replace(significance, _TESTS)

    def _replace_methods(self, cls: Any) -> None:
        """Put new methods into BLEU, CHRF or TER, and what finds their compiled form."""
        extract, cache = cls._extract_corpus_statistics, cls._cache_references

        def _extract_corpus_statistics(self: Any, hypotheses: Any, references: Any) -> Any:
            texts = [hypotheses, *(references or ())] if _is_listed(references) else [None]
            rows = patch._attempt(finder.extract, texts, self, hypotheses, references)
            return extract(self, hypotheses, references) if rows is None else rows

        def _cache_references(self: Any, references: Any) -> Any:
            texts = references if _is_listed(references) else [None]
            prepared = patch._attempt(finder.cache, texts, self, references)
            return cache(self, references) if prepared is None else prepared

        patch = self
        methods = (_extract_corpus_statistics, _cache_references)
        self._replace(cls, {method.__name__: method for method in methods})
        finder = Finder(cls, _tokenizer_name)
        self._replace(cls, {"_FINDER": finder})

    def _attempt(self, find: Callable[..., Any], texts: Any, *args: Any) -> Any:
        """Return what ours finds in lists of texts; None if sacrebleu has to answer."""
        found = None
        if all(isinstance(own, list | tuple) for own in texts):  # others are read once perhaps
            with suppress(Exception):
                found = find(*args)
        self.n_served += found is not None
        self.n_handed_back += found is None
        return found

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

    undo = __call__

    def __enter__(self) -> Patch:
        return self

    def __exit__(self, *error: object) -> None:
        self()
