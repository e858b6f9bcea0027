"""Answers to calls of an installed sacrebleu.

Every way into sacrebleu (names imported before, its command line, `PairedTest`, metrics of other
libraries built on it) ends in `_extract_corpus_statistics`, so the methods of its base class that
extract statistics are switched, for BLEU, CHRF and TER with sacrebleu's own methods and tokenizers.

The functions of paired tests and intervals are switched as well. `rapidbleu.significance` counts
trials of approximate randomization, because its scores are sacrebleu's. It also sums resamples, but
sacrebleu's own metrics score them: sacrebleu sums in float32 and, under NumPy 2, scores float32
sums. A sum up to 2**24 is the same in float32, in any order. Larger sums, and metrics without a
compiled form, are left to sacrebleu.
"""

from __future__ import annotations

from importlib import import_module
from types import FunctionType

from rapidbleu._core.switching.served import are_alike, is_plain
from rapidbleu._lib.handing import HandBack, is_ours
from rapidbleu._lib.loader import np
from rapidbleu.sacrebleu.metrics.fast import Finder, row_methods
from rapidbleu.sacrebleu.significance import compiled, inform_of_test, judge
from rapidbleu.sacrebleu.tokenizers import COMPILED
from rapidbleu.significance.paired import paired_randomization
from rapidbleu.significance.resamples import Draws, resampled_scores, seed_of_environment
from rapidbleu.switch import MODULES, codes_of
from rapidbleu.switch.answers import ABSENT, WORDS, guard_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

EXACT = 1 << 24  # largest sum that is always exact in float32

_NO_CHECK = (-1, -1)  # of arguments, by `Served`


_tokenizers: dict[type, tuple[Any, Any]] = {}  # sacrebleu's own: guard, instance to compare with
_guards: dict[type, Any] = {}
_finders: dict[type, Finder] = {}
_METRICS = {f"sacrebleu.metrics.{name.lower()}.{name}" for name in ("BLEU", "CHRF", "TER")}


def _tokenizer_name(tokenizer: Any) -> str | None:
    """Return the name of the compiled twin of sacrebleu's tokenizer, or None if it has none."""
    cls = type(tokenizer)
    if not cls.__module__.startswith("sacrebleu.tokenizers."):
        raise HandBack("another tokenizer")
    name = COMPILED.get(cls.__name__)
    if cls not in _tokenizers:
        _tokenizers[cls] = guard_of([cls], "sacrebleu"), name and cls()
    guard, stock = _tokenizers[cls]
    if not guard():
        raise HandBack("the library was changed")
    if name == "tercom":  # whose options are attributes
        if vars(tokenizer).keys() != vars(stock).keys():
            raise HandBack("another tokenizer")
    elif name is not None and not are_alike(tokenizer, stock):
        raise HandBack("another tokenizer")
    return name


def _finder_of(metric: Any) -> Finder:
    """Return the finder of sacrebleu's class that a metric belongs to."""
    for cls in type(metric).__mro__:
        if f"{cls.__module__}.{cls.__qualname__}" in _METRICS:
            if cls not in _guards:
                names = (*row_methods(cls), "_extract_corpus_statistics")
                _guards[cls] = guard_of([(cls, name) for name in names], "sacrebleu")
            if not _guards[cls]():
                raise HandBack("the library was changed")
            if cls not in _finders:  # whose methods are sacrebleu's own now
                _finders[cls] = Finder(cls, _tokenizer_name)
            return _finders[cls]
    raise HandBack("another metric")


def answers_of(peer: Any) -> list[Any]:
    """Return the answers for sacrebleu's base class of metrics or its module of paired tests."""
    if peer.__name__ == "sacrebleu.metrics.base":
        return [(_extract, None, (-1, 0), WORDS), (_cache, None, _NO_CHECK, WORDS)]
    answers = (
        _bootstrap_resample,
        _paired_test(peer, "_paired_ar_test", _randomize),
        _paired_test(peer, "_paired_bs_test", _resample_pair),
    )
    names = MODULES[peer.__name__].functions
    guard = guard_of([getattr(peer, name) for name in names], "sacrebleu")
    return [(answer, guard, _NO_CHECK, WORDS) for answer in answers]


def _extract(metric: Any, hypotheses: Any, references: Any) -> Any:
    _check_streams(references)
    return _found(_finder_of(metric).extract(metric, hypotheses, references))


def _cache(metric: Any, references: Any) -> Any:
    _check_streams(references)
    return _found(_finder_of(metric).cache(metric, references))


def _check_streams(references: Any) -> None:
    if references is not None and not is_plain(references, 1, ABSENT):
        raise HandBack("arguments are not lists of str")


def _found(result: Any) -> Any:
    """Return a result, or hand back the call without one."""
    if result is None:
        raise HandBack("options or methods of other kinds")
    return result


def _bootstrap_resample(stats: Any, metric: Any, n_samples: Any) -> tuple[str, list[Any]]:
    """Return the seed as text, and the scores of resampled corpora."""
    text, seed = seed_of_environment()
    scores: list[Any] = _found(_resampled(metric, stats, seed, n_samples))
    return text, scores


def _paired_test(peer: Any, name: str, test: Callable[..., Any]) -> Callable[..., Any]:
    """Return the answer in place of sacrebleu's function `name`.

    `test` returns the result of a system under one metric, or None to leave it to sacrebleu.
    """

    def answer(
        baseline_info: dict[str, Any],
        sys_name: str,
        hypotheses: Any,
        references: Any,
        metrics: dict[str, Any],
        *options: Any,
    ) -> tuple[str, dict[str, Any]]:
        results = {}
        for key, metric in metrics.items():
            system = metric, key, sys_name, hypotheses, references
            result = test(baseline_info[key], system, *options)
            if result is None:
                result = _ask_sacrebleu(baseline_info, system, options)
            results[key] = result
        return sys_name, results

    def _ask_sacrebleu(baseline_info: Any, system: Any, options: Any) -> Any:
        metric, key, *rest = system
        own = codes_of(getattr(peer, name))[0]
        original = FunctionType(own, vars(peer), name)
        return original(baseline_info, *rest, {key: metric}, *options)[1][key]

    return answer


def _randomize(baseline: Any, system: Any, n: int, n_ci: int, seed: int | None) -> Any | None:
    """Run approximate randomization; return None to leave it to sacrebleu."""
    metric = system[0]
    peer = import_module("sacrebleu.significance")
    # sacrebleu's trials truncate add-k's fractions, because their arrays are integer.
    if n < 1 or getattr(metric, "smooth_method", None) == "add-k":
        return None
    finder = _finder_of(metric)
    base = compiled(metric, baseline[0], finder)
    if base is None:
        return None
    stats, score = judge(*system)
    ours = compiled(metric, stats, finder)
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
    except ValueError as error:  # of different lengths
        if not is_ours(error):
            raise
        return None
    if rows.ndim != 2 or not rows.size or rows.dtype.kind not in "if":
        return None
    if not (rows >= 0).all() or rows.max() > EXACT or (rows != np.floor(rows)).any():
        return None
    return rows.astype(np.int64)


def _numbers(scores: list[Any]) -> Any:
    return np.array([score.score for score in scores])
