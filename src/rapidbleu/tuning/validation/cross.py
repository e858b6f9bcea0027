"""Cross-validation: each method is tuned on a part of the segments and tested on the others."""

import math

from rapidbleu.counts import check_count, check_type
from rapidbleu.parallel import check_progress, check_threads, in_parts
from rapidbleu.sequences import items_of
from rapidbleu.tuning.lists.checks import check_vector
from rapidbleu.tuning.lists.nbest import NBestList
from rapidbleu.tuning.lists.subsets import taken
from rapidbleu.tuning.stability.instability import find_method
from rapidbleu.tuning.stability.runs import Runs, run_method
from rapidbleu.tuning.validation.result import CrossValidation
from rapidbleu.tuning.validation.splits import check_splits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from rapidbleu.tuning.result import TuningResult
    from rapidbleu.typing import FloatArray, Items, Method, Progress, Vector

    _Tune = Callable[[NBestList, int, list[BaseException]], FloatArray]
    _Tuner = Method | Callable[..., TuningResult | Vector] | Vector


def cross_validate(
    nbest: NBestList,
    methods: "Mapping[str, _Tuner] | Sequence[Method]",
    *,
    splits: "int | Items[Any]" = 10,
    weights: "Vector | None" = None,
    seed: int = 0,
    threads: int = 1,
    progress: "Progress | None" = None,
) -> CrossValidation:
    """Compare methods of tuning by what their weights score on other segments.

    Parameters
    ----------
    nbest : NBestList
        At least 10 segments.
    methods : mapping of str to method, or sequence of {"mert", "pro", "mira", "risk"}
        A method is one of these names; or a callable, such as a `functools.partial` of one of
        these functions, called as ``method(nbest, seed=seed)``, with ``weights=weights`` if there
        are some, which returns a `TuningResult` or weights; or weights, which stay as they are.
    splits : int, or sequence of (segments to tune on, segments to test on)
        As many random halves; or what `random_halves`, `k_folds` and `document_folds` return. The
        same for all methods.
    weights : float array of shape (n_features,), or dict, optional
        Where all methods start.
    seed : int
        Of random halves, and of the first split's runs; those of the next have the next one.
    threads : int
        Over splits; 0: all cores. The result is the same.
    progress : callable, optional
        Called with the runs done and all of them, one call at a time.

    Returns
    -------
    CrossValidation
        After Ctrl-C, of the splits that are done.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong, before anything is tuned.
    KeyboardInterrupt
        If Ctrl-C comes before a split is done.

    Notes
    -----
    As many runs as there are methods and splits. Each thread has a copy of the list. After Ctrl-C
    other threads end the climb or the epoch that they are in, or the run of a callable.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import MeanScore
    >>> from rapidbleu.tuning import NBestList
    >>> rng, comet = np.random.default_rng(0), MeanScore("COMET")
    >>> quality = rng.normal(size=400)
    >>> features = np.stack([quality + rng.normal(size=400), rng.normal(size=400)], axis=1)
    >>> nbest = NBestList(features, comet.rows(quality), np.arange(0, 401, 10), metric=comet)
    >>> found = cross_validate(nbest, {"start": [0.5, 0.5], "mert": "mert"}, splits=5)
    >>> found.best, found.test.shape
    ('mert', (2, 5))
    >>> found.difference("mert", "start")
    +0.23 ± 0.07
    """
    from time import perf_counter

    import numpy as np

    check_progress(progress)
    check_type("nbest", nbest, NBestList)
    check_count("seed", seed, 0, math.inf)
    n_threads = check_threads(threads)
    chosen = check_splits(splits, nbest.n_segments, seed)
    start = None if weights is None else check_vector(weights, nbest.names)
    tuners = _tuners(methods, nbest, start)
    shape = len(tuners), len(chosen)
    train, test, seconds = (np.full(shape, np.nan) for _ in range(3))
    found = np.full((*shape, nbest.n_features), np.nan)
    done = [False] * len(chosen)
    runs = Runs(progress, len(chosen) * len(tuners))

    def work(begin: int, end: int, stop: "list[BaseException]") -> None:
        for split in range(begin, end):
            tuned, tested = (taken(nbest, part) for part in chosen[split])
            for i, tune in enumerate(tuners.values()):
                if stop:
                    return
                began = perf_counter()
                found[i, split] = own = tune(tuned, seed + split, stop)
                seconds[i, split] = perf_counter() - began
                train[i, split] = tuned.evaluate(own)
                test[i, split] = tested.evaluate(own)
                runs.end_one()
            done[split] = True

    interrupted = False
    try:
        in_parts(work, len(chosen), n_threads, 1)
    except KeyboardInterrupt:
        if not any(done):
            raise
        interrupted = True
    kept = np.flatnonzero(done)
    ratio = float(np.mean([len(chosen[i][1]) / len(chosen[i][0]) for i in kept.tolist()]))
    return CrossValidation(
        tuple(tuners), nbest.score(found[0, kept[0]]).name, nbest.metric.higher_is_better,
        train[:, kept], test[:, kept], seconds[:, kept], found[:, kept], ratio, interrupted,
    )  # fmt: skip


def _tuners(
    methods: "Any", nbest: NBestList, start: "FloatArray | None"
) -> "dict[str, _Tune]":
    """Return functions of a list, a seed and a list of exceptions that end them, by name."""
    if hasattr(methods, "items"):
        named = dict(methods.items())
    else:
        named = {name: name for name in items_of(methods, "methods", "methods")}
    if not named:
        raise ValueError("methods: expected at least one, got none")
    return {
        _checked_name(name): _tuner(method, f"methods[{name!r}]", nbest, start)
        for name, method in named.items()
    }


def _checked_name(name: "Any") -> str:
    if not isinstance(name, str):
        raise TypeError(f"methods: expected names, got {type(name).__name__}")
    return name


def _tuner(
    method: "Any", where: str, nbest: NBestList, start: "FloatArray | None"
) -> "_Tune":
    if not callable(method) and not isinstance(method, str):
        try:
            fixed = check_vector(method, nbest.names)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"{where}: {str(error).removeprefix('weights: ')}") from None
        return lambda nbest, seed, stop: fixed
    try:
        run, _ = find_method(method)
    except ValueError as error:
        raise ValueError(f"{where}: {str(error).removeprefix('method: ')}") from None
    options = {} if start is None else {"weights": start}
    return lambda nbest, seed, stop: run_method(run, nbest, stop, seed=seed, **options)
