"""Speed up an installed sacrebleu in place.

Every way into sacrebleu (names imported before, its command line, `PairedTest`, metrics of other
libraries built on it) ends in `_extract_corpus_statistics`, so the methods that extract statistics
are replaced. A metric whose methods or tokenizer were already replaced is left alone.

The functions of paired tests and intervals are replaced as well. `rapidbleu.significance` counts
trials of approximate randomization, because its scores are sacrebleu's. It also sums resamples, but
sacrebleu's own metrics score them: sacrebleu sums in float32 and, under NumPy 2, scores float32
sums. A sum up to 2**24 is the same in float32, in any order. Larger sums, and metrics without a
compiled form, are left to sacrebleu.
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

EXACT = 1 << 24  # largest sum that is always exact in float32


def _tokenizer_name(tokenizer: Any) -> str | None:
    """Return the name of the compiled twin of an unmodified sacrebleu tokenizer, or None."""
    cls = type(tokenizer)
    home: str = cls.__module__
    is_own = home.startswith("sacrebleu.tokenizers.") and cls.__call__.__module__ == home
    return COMPILED.get(cls.__name__) if is_own else None


# Paired tests and intervals: module-level functions, because worker processes find them by name


def _own(name: str) -> Any:
    if Patch._active is not None:
        return Patch._active.functions[name]
    return getattr(import_module("sacrebleu.significance"), name)


def _bootstrap_resample(stats: Any, metric: Any, n_samples: int = 1000) -> tuple[str, list[Any]]:
    """Return the seed as text, and the scores of resampled corpora."""
    try:
        text, seed = seed_of_environment()
        scores = _resampled(metric, stats, seed, n_samples)
    except ValueError:  # the seed is not a number
        scores = None
    if scores is not None:
        return text, scores
    result: tuple[str, list[Any]] = _own("_bootstrap_resample")(stats, metric, n_samples)
    return result


def _paired_test(name: str, test: Callable[..., Any], n: int) -> Callable[..., Any]:
    """Return the replacement of sacrebleu's function `name`, with `n` samples by default.

    `test` returns the result of a system under one metric, or None to leave it to sacrebleu.
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
    """Run approximate randomization; return None to leave it to sacrebleu."""
    metric, peer = system[0], import_module("sacrebleu.significance")
    # sacrebleu's trials truncate add-k's fractions, because their arrays are integer.
    if n < 1 or getattr(metric, "smooth_method", None) == "add-k":
        return None
    base = compiled(metric, baseline[0])
    if base is None:
        return None
    stats, score = judge(*system)
    ours = compiled(metric, stats)
    if ours is None or len(stats) != len(baseline[0]):
        return None
    inform_of_test("ar", n)
    rows = {"baseline": base[1], "system": ours[1]}
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
    """Run the paired bootstrap; return None to leave it to sacrebleu."""
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
    """A sacrebleu metric in place of a kernel: scores float32 sums and stores the scores."""

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
    """Return sacrebleu's scores of n resamples, or None if only sacrebleu can compute them."""
    rows = _whole_rows(stats)
    if rows is None or n < 1:
        return None
    if not isinstance(draws, Draws):
        draws = Draws(draws, len(rows))
    scorer: Any = _Scorer(metric)
    resampled_scores(draws, [(scorer, rows)], n, after=after)
    return scorer.scores if scorer.exact else None


def _whole_rows(stats: Any) -> Any | None:
    """Return rows of statistics as int64, or None unless they are integers from 0 to 2**24."""
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
    """Fast metrics and tests in sacrebleu, until this is called or its ``with`` block ends."""

    _active: Patch | None = None

    name = "sacrebleu"

    def __init__(self) -> None:
        self.n_served = self.n_handed_back = 0
        self._replaced: list[tuple[Any, dict[str, Any]]] = []
        if Patch._active is not None:
            return  # the active patch is enough, and undoes everything
        metrics: Any = import_module("sacrebleu.metrics")
        if metrics.__name__ != "sacrebleu.metrics":
            return  # rapidbleu.sacrebleu.install() has replaced sacrebleu
        significance = import_module("sacrebleu.significance")
        self.functions = {name: getattr(significance, name) for name in _TESTS}
        Patch._active = self
        for name in metrics.METRICS:
            self._replace_methods(getattr(metrics, name))
        self._replace(significance, _TESTS)

    def _replace_methods(self, cls: Any) -> None:
        """Replace the methods of BLEU, CHRF or TER, and add a finder of their compiled form."""
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
        """Return our result for lists of texts, or None to leave it to sacrebleu."""
        result = None
        if all(isinstance(own, list | tuple) for own in texts):  # iterators could be read only once
            with suppress(Exception):
                result = find(*args)
        self.n_served += result is not None
        self.n_handed_back += result is None
        return result

    def _replace(self, owner: Any, names: dict[str, Any]) -> None:
        own = {name: vars(owner)[name] for name in names if name in vars(owner)}
        self._replaced.append((owner, dict.fromkeys(names) | own))
        for name, function in names.items():
            setattr(owner, name, function)

    def __call__(self) -> None:
        """Restore sacrebleu's own functions."""
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
