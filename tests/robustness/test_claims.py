"""Memory follows what is read or done, not what a header or an option claims."""

import gzip
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rapidbleu.cli.moses.mert import _best_of_random
from rapidbleu.tuning import NBestList, mert, read_stats
from support.places import TESTS
from support.processes import PEAK, linux_only, run, unsanitized
from support.tuning_lists import planted_choices

HUGE = 10**12


def row_of(n: int) -> str:
    return "0 " * n + "\n"


SCORES = "SCORES_TXT_BEGIN_0 0 {n} 9 BLEU\n"


@pytest.fixture
def files(tmp_path: Path) -> Callable[[bytes, bytes], tuple[Path, Path]]:
    def write(features: bytes, scores: bytes) -> tuple[Path, Path]:
        paths = tmp_path / "features.gz", tmp_path / "scores.gz"
        for path, data in zip(paths, (features, scores), strict=True):
            path.write_bytes(gzip.compress(data))
        return paths

    return write


READ = (
    PEAK
    + """
import sys
from rapidbleu.tuning import read_stats
import numpy, rapidbleu._core.moses.score_files, rapidbleu.tuning.moses.score_files
before = peak()
try:
    read_stats(sys.argv[1], sys.argv[2])
except ValueError as error:
    print(error)
print(peak() - before)
"""
)


@linux_only
@unsanitized
@pytest.mark.parametrize("binary", [False, True])
def test_headers_of_statistics_claim_no_memory(
    files: Callable[[bytes, bytes], tuple[Path, Path]], binary: bool
) -> None:
    n, kind = 20_000, "BIN" if binary else "TXT"
    names = " ".join(f"F{i}" for i in range(n))
    header = f"FEATURES_{kind}_BEGIN_0 0 {1 << 40} {n} {names}\n".encode()
    row = bytes(4 * n) if binary else row_of(n).encode()
    paths = files(header + 2 * row, SCORES.format(n=1 << 40).encode())
    program = f"import sys; sys.argv = ['', {str(paths[0])!r}, {str(paths[1])!r}]\n{READ}"
    message, megabytes = run(program).strip().splitlines()
    assert "expected" in message and str(1 << 40) in message
    assert float(megabytes) < 60


@pytest.mark.parametrize("mmap", [False, True])
def test_headers_of_arrays_claim_no_memory(nbest: NBestList, tmp_path: Path, mmap: bool) -> None:
    """Version 2 of a header has four bytes for its length, of which version 1 uses two for text."""
    path = tmp_path / "list.npz"
    nbest.save(path)
    data = path.read_bytes()
    assert data.count(b"NUMPY\1\0") == len(data.split(b"NUMPY")) - 1
    path.write_bytes(data.replace(b"NUMPY\1", b"NUMPY\2"))
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"list\.npz: expected a saved n-best list"):
        NBestList.load(path, metric=nbest.metric, mmap=mmap)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000


def test_binary_rows_without_columns_are_refused(
    files: Callable[[bytes, bytes], tuple[Path, Path]],
) -> None:
    paths = files(f"FEATURES_BIN_BEGIN_0 0 {1 << 40} 0 \n".encode(), b"")
    with pytest.raises(ValueError, match=r"line 1: expected numbers in each of 1099511627776 rows"):
        read_stats(*paths)


@pytest.mark.slow
def test_wide_rows_are_read(files: Callable[[bytes, bytes], tuple[Path, Path]]) -> None:
    """Of more numbers than are read at a time."""
    n = (1 << 20) // 3
    names = " ".join(f"F{i}" for i in range(n))
    values = np.arange(5 * n, dtype=np.float32).reshape(5, n)
    features = f"FEATURES_BIN_BEGIN_0 0 5 {n} {names}\n".encode() + values.tobytes()
    scores = SCORES.format(n=5) + "4 4 3 3 2 2 1 1 4 \n" * 5 + "SCORES_TXT_END_0\n"
    paths = files(features + b"FEATURES_BIN_END_0\n", scores.encode())
    assert np.array_equal(read_stats(*paths).features, values)


@pytest.fixture
def nbest() -> NBestList:
    return planted_choices(4, 5, 3)[0]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_restarts_are_drawn_one_at_a_time(
    nbest: NBestList, threads: int, error: type[BaseException]
) -> None:
    def stop(done: int, n: int) -> None:
        assert n == HUGE + 1
        if done >= 20:
            raise error

    if error is KeyboardInterrupt:
        result = mert(nbest, restarts=HUGE, threads=threads, progress=stop)
        assert result.interrupted and 20 <= len(result.starts) < 100
    else:
        with pytest.raises(error):
            mert(nbest, restarts=HUGE, threads=threads, progress=stop)


def test_starts_are_those_of_spawned_seeds(nbest: NBestList) -> None:
    ranges = {name: (-2.0, 3.0) for name in nbest.names}
    result = mert(nbest, restarts=9, seed=5, ranges=ranges, max_steps=0)
    seeds = np.random.SeedSequence(5).spawn(10)[1:]
    expected = [np.random.default_rng(seed).uniform([-2] * 3, [3] * 3).tolist() for seed in seeds]
    assert [climb["start"].tolist() for climb in result.starts[1:]] == expected


@pytest.mark.parametrize("n", [0, 1, 1023, 1024, 1025, 3000])
def test_random_weights_are_drawn_as_one_array(nbest: NBestList, n: int) -> None:
    starts, ranges = np.array([[1.0, 1, 1], [0, 0, 1]]), np.array([[-1.0, 1], [0, 2], [-3, 3]])
    drawn = np.random.default_rng(3).uniform(ranges[:, 0], ranges[:, 1], size=(n, 3))
    points = np.concatenate([starts, drawn])
    scores = nbest.evaluate(points)
    found, score = _best_of_random(nbest, starts, ranges, n, 3)
    assert found.tolist() == points[scores.argmax()].tolist() and score == scores.max()


@pytest.mark.parametrize("threads", [1, 2])
def test_directions_are_drawn_some_at_a_time(
    nbest: NBestList, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How many are searched together changes no step."""
    options: dict[str, Any] = {"restarts": 2, "random_directions": 20, "threads": threads}
    expected = mert(nbest, **options)
    monkeypatch.setattr("rapidbleu.tuning.search.mert.TOGETHER", 7)
    found = mert(nbest, **options)
    assert {step["direction"] for step in expected.history} >= {"random"}
    assert (found.history, found.weights.tolist()) == (expected.history, expected.weights.tolist())


@pytest.mark.slow
@linux_only
@unsanitized
@pytest.mark.parametrize("option", ["restarts", "random_directions"])
def test_what_is_drawn_takes_no_memory_before(option: str) -> None:
    program = (
        f"{PEAK}\noptions = {{{option!r}: {HUGE}}}"
        + """
import signal
import numpy as np
from support.tuning_lists import planted_choices
from rapidbleu.tuning import mert
nbest, _ = planted_choices(4, 5, 3)
mert(nbest, restarts=3)
before = peak()
def stop(*_):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, stop)
signal.setitimer(signal.ITIMER_REAL, 1.0)
result = mert(nbest, **options)
assert result.interrupted
print(peak() - before)
"""
    )
    megabytes = float(run(f"import sys; sys.path.insert(0, {str(TESTS)!r})\n{program}"))
    assert megabytes < 15
