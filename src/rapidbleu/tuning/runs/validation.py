"""Cross-validation: tune methods on a part of the segments and test them on the rest."""

from __future__ import annotations

from importlib.util import find_spec
from time import perf_counter
from typing import NamedTuple

from rapidbleu._lib.checks import check_count, check_seed, check_type, items_of, seed_or_fresh
from rapidbleu._lib.floats import DIGITS, digits_of, finite
from rapidbleu._lib.loader import load, np
from rapidbleu.parallel import check_progress, check_threads
from rapidbleu.table import plain_table
from rapidbleu.tuning.checks import check_vector
from rapidbleu.tuning.nbest import FEWEST, NBestList, taken
from rapidbleu.tuning.runs.bagging import METHODS_AND_TUNE, find_method, run_all, run_method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence
    from typing import Any, Literal, TypeAlias

    from rapidbleu._types import FloatArray, IntArray, Items, Method, Progress, Vector
    from rapidbleu.tuning.search.shared import TuningResult

    _Split: TypeAlias = tuple[IntArray, IntArray]
    _Tune: TypeAlias = Callable[[NBestList, int, list[BaseException]], FloatArray]
    _Tuner: TypeAlias = Method | Literal["tune"] | Callable[..., TuningResult | Vector] | Vector


def split_halves(n_segments: int, n_splits: int = 10, *, seed: int | None = 12345) -> list[_Split]:
    """Split segments into random halves, several times.

    Parameters
    ----------
    n_segments : int
        At least 10.
    n_splits : int
    seed : int or None
        None draws a new seed on every call.

    Returns
    -------
    list of (int64 array, int64 array)
        Segments to tune on and to test on, ascending; an odd number has one more to test on.

    Examples
    --------
    >>> [(train, test)] = split_halves(10, 1)
    >>> train, test
    (array([1, 3, 4, 7, 8]), array([0, 2, 5, 6, 9]))
    """
    check_count("n_segments", n_segments, FEWEST)
    check_count("n_splits", n_splits, 1)
    generator = np.random.default_rng(check_seed(seed))
    middle = n_segments // 2
    orders = [generator.permutation(n_segments) for _ in range(n_splits)]
    return [(np.sort(order[:middle]), np.sort(order[middle:])) for order in orders]


def split_folds(n_segments: int, n_splits: int = 10, *, seed: int | None = 12345) -> list[_Split]:
    """Split segments into k random parts, each of which is tested on once.

    Parameters are as in `split_documents`, with a number of segments in place of the documents.

    Examples
    --------
    >>> [test.tolist() for _, test in split_folds(11, 3)]
    [[3, 4, 6, 9], [0, 5, 7, 8], [1, 2, 10]]
    """
    check_count("n_segments", n_segments, FEWEST)
    check_count("n_splits", n_splits, 2, n_segments)
    return split_documents(range(n_segments), n_splits, seed=seed)


def split_documents(
    documents: Items[Hashable], n_splits: int = 10, *, seed: int | None = 12345
) -> list[_Split]:
    """Split documents into k random parts, each of which is tested on once.

    Parameters
    ----------
    documents : sequence
        Document of each of at least 10 segments.
    n_splits : int
        From 2 to the number of documents.
    seed : int or None
        None draws a new seed on every call.

    Returns
    -------
    list of (int64 array, int64 array)
        Segments to tune on and to test on, ascending. Documents are not split; the numbers of
        documents per part differ by at most one.

    Examples
    --------
    >>> documents = ["a", "a", "b", "c", "c", "c", "b", "d", "d", "d"]
    >>> [test.tolist() for _, test in split_documents(documents, 2)]
    [[3, 4, 5, 7, 8, 9], [0, 1, 2, 6]]
    """
    numbers: dict[Hashable, int] = {}
    codes = []
    for i, name in enumerate(items_of(documents, "documents", "documents of segments")):
        try:
            codes.append(numbers.setdefault(name, len(numbers)))
        except TypeError:
            got = type(name).__name__
            raise TypeError(f"documents[{i}]: expected a name or number; got {got}") from None
    if len(codes) < FEWEST:
        raise ValueError(f"documents: expected at least {FEWEST}, one a segment; got {len(codes)}")
    if len(numbers) < 2:
        raise ValueError("documents: expected at least 2 different ones; got 1")
    check_count("n_splits", n_splits, 2, len(numbers))
    order = np.random.default_rng(check_seed(seed)).permutation(len(numbers))
    part = np.empty(len(numbers), np.int64)
    part[order] = np.arange(len(numbers)) % n_splits
    parts = part[codes]
    return [(np.flatnonzero(parts != i), np.flatnonzero(parts == i)) for i in range(n_splits)]


def _check_splits(splits: Any, n_segments: int, seed: int | None) -> list[_Split]:
    if hasattr(splits, "__index__") and not isinstance(splits, bool):
        if n_segments < FEWEST:
            raise ValueError(f"nbest: expected at least {FEWEST} segments; got {n_segments}")
        return split_halves(n_segments, check_count("splits", splits, 1), seed=seed)
    checked = []
    for i, split in enumerate(items_of(splits, "splits", "splits")):
        if not isinstance(split, tuple | list) or len(split) != 2:
            got = f"{len(split)}" if isinstance(split, tuple | list) else type(split).__name__
            raise TypeError(
                f"splits[{i}]: expected a pair, segments to tune on and to test on; got {got}"
            )
        train, test = (
            _check_part(part, f"splits[{i}][{j}]", n_segments) for j, part in enumerate(split)
        )
        both = np.intersect1d(train, test)
        if len(both):
            raise ValueError(
                f"splits[{i}]: expected segments to tune on or to test on; got {both[0]} in both"
            )
        checked.append((train, test))
    if not checked:
        raise ValueError("splits: expected at least one; got none")
    return checked


def _check_part(part: Any, where: str, n_segments: int) -> IntArray:
    items = items_of(part, where, "indices of segments")
    if not items:
        raise ValueError(f"{where}: expected at least one segment; got none")
    indices: IntArray = np.array(items)
    if indices.dtype.kind not in "iu" or indices.ndim != 1:
        raise TypeError(f"{where}: expected indices of segments; got {indices.dtype}")
    wrong = indices[(indices < 0) | (indices >= n_segments)]
    if len(wrong):
        raise ValueError(f"{where}: expected indices below {n_segments}; got {wrong[0]}")
    values, counts = np.unique(indices, return_counts=True)
    if len(values) < len(indices):
        raise ValueError(f"{where}: expected each segment once; got {values[counts > 1][0]} again")
    return indices.astype(np.int64)


class HeldOutDifference:
    """The difference of two methods on text that they were not tuned on.

    Attributes
    ----------
    mean : float
        Mean difference over splits, in the unit of the metric.
    standard_error : float
        Standard error of the mean, corrected because splits share segments; nan with one split.
    n_splits : int

    References
    ----------
    Nadeau & Bengio 2003, Inference for the Generalization Error, section 5 (corrected t-test).

    Examples
    --------
    >>> import numpy as np
    >>> HeldOutDifference(np.array([0.3, 0.1, 0.2]), 1.0)
    +0.20 ± 0.12
    """

    def __init__(self, differences: FloatArray, ratio: float, digits: int = DIGITS) -> None:
        self._digits = digits
        self.n_splits = len(differences)
        self.mean = float(differences.mean())
        self.standard_error = float("nan")
        if self.n_splits > 1:
            variance = float(differences.var(ddof=1))
            self.standard_error = (variance * (1.0 / self.n_splits + ratio)) ** 0.5

    @property
    def p_value(self) -> float:
        """Two-sided p-value of the mean under equal methods; needs SciPy."""
        try:
            stdtr = load("scipy.special", "stdtr")
        except ImportError:
            raise ImportError('p-values need SciPy: pip install "rapidbleu[tuning]"') from None
        if not self.standard_error > 0.0:
            return 1.0 if self.mean == 0.0 else float("nan")
        return 2.0 * float(stdtr(self.n_splits - 1, -abs(self.mean) / self.standard_error))

    def __repr__(self) -> str:
        return f"{self.mean:+.{self._digits}f} ± {self.standard_error:.{self._digits}f}"


class CrossValidation(NamedTuple):
    """Scores of methods on the segments they were tuned on, and on the rest.

    Attributes
    ----------
    methods : tuple of str
    metric : str
        Name of the score.
    higher_is_better : bool
    train, test : float64 arrays of shape (n_methods, n_splits)
        Corpus scores, in the unit of the metric.
    seconds : float64 array of the same shape
        Wall time of the tuning.
    weights : float64 array of shape (n_methods, n_splits, n_features)
    ratio : float
        Segments tested on per segment tuned on, mean over splits.
    interrupted : bool
        Whether Ctrl-C stopped it after fewer splits.
    seed : int
        Seed for random halves and for the runs of the first split.

    Examples
    --------
    >>> from rapidbleu.tuning import NBestList
    >>> lists = [["a b c d", "a b c e"], ["f g", "f h"]] * 10
    >>> features = [[0, 1], [1, 0], [1, 1], [0, 2]] * 10
    >>> nbest = NBestList.from_lists(lists, features, [["a b c e", "f h"] * 10])
    >>> from rapidbleu.tuning import cross_validate, mert
    >>> found = cross_validate(nbest, {"mert": mert}, start=[0, 1])
    >>> found.methods, found.test.shape[0]
    (('mert',), 1)
    """

    methods: tuple[str, ...]
    metric: str
    higher_is_better: bool
    train: FloatArray
    test: FloatArray
    seconds: FloatArray
    weights: FloatArray
    ratio: float
    interrupted: bool
    seed: int

    @property
    def best(self) -> str:
        """The method with the best mean test score; ties go to the first."""
        means = self.test.mean(axis=1)
        return self.methods[int(means.argmax() if self.higher_is_better else means.argmin())]

    def difference(self, a: str, b: str) -> HeldOutDifference:
        """Return how much higher method `a` scores than `b` on the tested segments."""
        for where, name in (("a", a), ("b", b)):
            if name not in self.methods:
                known = ", ".join(map(repr, self.methods))
                raise ValueError(f"{where}: expected one of {known}; got {name!r}")
        i = self.methods.index(a)
        j = self.methods.index(b)
        digits = digits_of(self.test.ravel().tolist())
        return HeldOutDifference(self.test[i] - self.test[j], self.ratio, digits)

    def to_dict(self) -> dict[str, Any]:
        """Return the scores of all methods as plain values, for JSON.

        The dict has "metric", "best", "interrupted", and "methods", a list of dicts with name, the
        lists train, test and seconds, and difference, standard_error and (with SciPy) p_value of
        the difference from the first method. nan becomes None.

        Examples
        --------
        >>> import numpy as np
        >>> from rapidbleu import SegmentScores
        >>> comet = SegmentScores("COMET")
        >>> rows, offsets = comet.stats([0.5, 0.75] * 10), range(0, 21, 2)
        >>> nbest = NBestList([[0.0, 1.0], [1.0, 0.0]] * 10, rows, offsets, metric=comet)
        >>> found = cross_validate(nbest, {"a": [0, 1], "b": [1, 0]}, splits=2)
        >>> [(method["name"], method["test"]) for method in found.to_dict()["methods"]]
        [('a', [0.5, 0.5]), ('b', [0.75, 0.75])]
        """
        methods = []
        for i, name in enumerate(self.methods):
            difference = self.difference(name, self.methods[0])
            numbers = {"difference": difference.mean, "standard_error": difference.standard_error}
            if find_spec("scipy") is not None:
                numbers["p_value"] = difference.p_value
            methods.append(
                {
                    "name": name,
                    "train": self.train[i].tolist(),
                    "test": self.test[i].tolist(),
                    "seconds": self.seconds[i].tolist(),
                    **{key: finite(value) for key, value in numbers.items()},
                }
            )
        return {
            "metric": self.metric,
            "best": self.best,
            "methods": methods,
            "interrupted": self.interrupted,
        }

    def __repr__(self) -> str:
        first = self.methods[0]
        n = self.test.shape[1]
        digits = digits_of(self.test.ravel().tolist())
        columns = [
            list(self.methods),
            [f"{mean:.{digits}f}" for mean in self.train.mean(axis=1)],
            [f"{mean:.{digits}f}" for mean in self.test.mean(axis=1)],
            ["", *(repr(self.difference(name, first)) for name in self.methods[1:])],
            [f"{mean:.2f}" for mean in self.seconds.mean(axis=1)],
        ]
        headers = ["", "train", "test", f"difference from {first}", "seconds"]
        table = plain_table(headers, columns, [False, True, True, True, True])
        title = f"{self.metric}, {n} split{'s' * (n > 1)}" + " (interrupted)" * self.interrupted
        return f"{title}\n{table}".replace("\n", "\n  ")


def cross_validate(
    nbest: NBestList,
    methods: Mapping[str, _Tuner] | Sequence[Method | Literal["tune"]],
    *,
    splits: int | Items[Any] = 10,
    start: Vector | None = None,
    seed: int | None = 12345,
    threads: int = 1,
    progress: Progress | None = None,
) -> CrossValidation:
    """Compare tuning methods by the scores of their weights on unseen segments.

    Runs every method on every split; each thread has a copy of the list. After Ctrl-C, returns the
    finished splits, or raises KeyboardInterrupt if there are none; other threads first finish their
    climb or epoch, or the run of a callable.

    Parameters
    ----------
    nbest : NBestList
        At least 10 segments.
    methods : mapping of str to method, or sequence of {"tune", "mert", "pro", "mira", "risk"}
        Names; callables, such as a `functools.partial` of these functions, called as
        ``method(nbest, seed=seed)``, with ``start=start`` if you pass it, which return a
        `TuningResult` or weights; or constant weights.
    splits : int, or sequence of (segments to tune on, segments to test on)
        Number of random halves, or the result of `split_halves`, `split_folds` or
        `split_documents`. All methods use the same splits.
    start : float array of shape (n_features,), or dict, optional
        Start of all methods.
    seed : int or None
        Seed for random halves and for the runs of the first split; each further split adds 1.
    threads : int
        Number of threads over splits, 0 for all cores; does not change the result.
    progress : callable, optional
        Called with the runs done and the total, one call at a time.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import SegmentScores
    >>> from rapidbleu.tuning import NBestList
    >>> rng, comet = np.random.default_rng(0), SegmentScores("COMET")
    >>> quality = rng.normal(size=400)
    >>> features = np.stack([quality + rng.normal(size=400), rng.normal(size=400)], axis=1)
    >>> nbest = NBestList(features, comet.stats(quality), np.arange(0, 401, 10), metric=comet)
    >>> found = cross_validate(nbest, {"start": [0.5, 0.5], "mert": "mert"}, splits=5)
    >>> found.best, found.test.shape
    ('mert', (2, 5))
    >>> found.difference("mert", "start")
    +0.16 ± 0.07
    """
    check_progress(progress)
    check_type("nbest", nbest, NBestList)
    seed = seed_or_fresh(seed)
    n_threads = check_threads(threads)
    parts = _check_splits(splits, nbest.n_segments, seed)
    start = None if start is None else check_vector(start, nbest.names, "start")
    tuners = _make_tuners(methods, nbest, start)
    shape = len(tuners), len(parts)
    train, test, seconds = (np.full(shape, np.nan) for _ in range(3))
    vectors = np.full((*shape, nbest.n_features), np.nan)

    def run(split: int, stop: list[BaseException], end_step: Callable[[], None]) -> None:
        tuned, tested = (taken(nbest, part) for part in parts[split])
        for i, tune in enumerate(tuners.values()):
            if stop:
                raise KeyboardInterrupt
            began = perf_counter()
            vector = tune(tuned, seed + split, stop)
            vectors[i, split] = vector
            seconds[i, split] = perf_counter() - began
            train[i, split] = tuned.evaluate(vector)
            test[i, split] = tested.evaluate(vector)
            end_step()

    kept, interrupted = run_all(run, len(parts), n_threads, progress, len(tuners))
    ratio = float(np.mean([len(parts[i][1]) / len(parts[i][0]) for i in kept]))
    return CrossValidation(
        tuple(tuners),
        nbest.score(vectors[0, kept[0]]).name,
        nbest.metric.higher_is_better,
        train[:, kept],
        test[:, kept],
        seconds[:, kept],
        vectors[:, kept],
        ratio,
        interrupted,
        seed,
    )


def _make_tuners(methods: Any, nbest: NBestList, start: FloatArray | None) -> dict[str, _Tune]:
    """Return functions, by name, of a list, a seed and a list of exceptions that stop them."""
    if hasattr(methods, "items"):
        named = dict(methods.items())
    else:
        named = {}
        for i, name in enumerate(items_of(methods, "methods", "methods")):
            if not isinstance(name, str):
                got = f"{type(name).__name__}; name callables and weights in a dict"
                raise TypeError(f"methods[{i}]: expected the name of a method; got {got}")
            named[name] = name
    if not named:
        raise ValueError("methods: expected at least one; got none")
    for name in named:
        if not isinstance(name, str):
            raise TypeError(f"methods: expected names; got {type(name).__name__}")
    return {
        name: _make_tuner(method, f"methods[{name!r}]", nbest, start)
        for name, method in named.items()
    }


def _make_tuner(method: Any, where: str, nbest: NBestList, start: FloatArray | None) -> _Tune:
    if not callable(method) and not isinstance(method, str):
        try:
            fixed = check_vector(method, nbest.names, where)
        except TypeError:
            raise TypeError(
                f"{where}: expected the name of a method, a callable or weights; "
                f"got {type(method).__name__}"
            ) from None
        return lambda nbest, seed, stop: fixed
    run, _ = find_method(method, where, METHODS_AND_TUNE)
    options = {} if start is None else {"start": start}
    return lambda nbest, seed, stop: run_method(run, nbest, stop, seed=seed, **options)
