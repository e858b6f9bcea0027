"""Accepted output is read back equal; everything else is refused before touching a file."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rapidbleu import BLEU
from rapidbleu.tuning import NBestList, read_nbest, read_stats, write_nbest, write_stats
from rapidbleu.tuning.moses.score_types import moses_bleu

OLD = b"what was there before"
STATS = [4, 4, 4, 3, 2, 1, 4, 3, 2, 1]
SPACES = [chr(c) for c in range(0x3001) if chr(c).isspace()] + ["\0", "\x01", "\x1b"]

letters = st.one_of(
    st.sampled_from([*"ab_=:|0123 \n\t\r\x00\x1c\x85\xa0\u2028\u3000\ud800é日.-+eF", "|||", "_0"]),
    st.characters(),
)
words = st.lists(letters, max_size=6).map("".join)
names = st.one_of(
    words,
    st.sampled_from(
        ["LM_0", "LM_1", "LM", "F_0", "F0", "S", "_0", "a_b", "FEATURES_TXT_END_0", "1_2", "x_y="]
    ),
)
numbers = st.one_of(
    st.floats(width=32, allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([1e300, -1e300, 3.4028235e38, 3.4028236e38, 1e-300, 0.1, 0.0, -0.0]),
)
ids = st.one_of(st.integers(0, 3), st.integers(-(2**63), 2**63 - 1))
counts = st.one_of(
    st.integers(0, 9),
    st.sampled_from([10**6 - 1, 10**6, 1234567, 2**24, 2**24 + 1, 2**31 - 1, 2**31, 2**50]),
)


@st.composite
def lists(draw: Any, sparse: bool) -> NBestList:
    n_features = draw(st.integers(1, 4))
    own = draw(st.lists(names, min_size=n_features, max_size=n_features, unique=True))
    several = draw(st.lists(ids, min_size=1, max_size=3, unique=True))
    n = len(several) + draw(st.integers(0, 2))
    features: Any = np.array(
        draw(
            st.lists(
                st.lists(numbers, min_size=n_features, max_size=n_features), min_size=n, max_size=n
            )
        )
    )
    if draw(st.booleans()):
        with np.errstate(over="ignore"):
            features = np.nan_to_num(features.astype(np.float32))
    if sparse:
        scipy = pytest.importorskip("scipy.sparse")
        features = scipy.csr_matrix(features * (np.abs(features) > 0.5))
    stats = []
    for _ in range(n):
        row = [draw(counts) for _ in range(10)]
        row[2:6] = map(min, row[2:6], row[6:])
        if draw(st.integers(0, 9)):
            row[0] = row[6]
        stats.append(row)
    texts = draw(st.lists(words, min_size=n, max_size=n))
    offsets = [*range(len(several)), n]
    return NBestList(
        features, stats, offsets, metric=moses_bleu(), names=own, ids=several, hypotheses=texts
    )


def by_name(nbest: NBestList) -> list[dict[str, float]]:
    """Return the features of each hypothesis as read, without zeros."""
    dense = nbest.features.toarray() if nbest.is_sparse else nbest.features
    return [
        {name: float(v) for name, v in zip(nbest.names, row, strict=True) if v}
        for row in dense.astype(np.float32)
    ]


common = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.slow
@common
@given(data=st.data(), binary=st.booleans(), sparse=st.booleans())
def test_statistics(
    tmp_path_factory: pytest.TempPathFactory, data: Any, binary: bool, sparse: bool
) -> None:
    nbest = data.draw(lists(sparse))
    folder = tmp_path_factory.mktemp("files")
    paths = folder / "features", folder / "scores"
    for path in paths:
        path.write_bytes(OLD)
    try:
        write_stats(nbest, *paths, binary=binary)
    except ValueError:
        assert [path.read_bytes() for path in paths] == [OLD, OLD]
        return
    again = read_stats(*paths)
    assert again.ids.tolist() == nbest.ids.tolist()
    assert again.offsets.tolist() == nbest.offsets.tolist()
    assert again.stats.tolist() == nbest.stats.tolist()
    expected = by_name(nbest)
    if not binary:
        expected = [
            {name: float(np.float32(f"{value:g}")) for name, value in row.items()}
            for row in (dict(zip(nbest.names, row, strict=True)) for row in _dense(nbest))
        ]
        expected = [{name: v for name, v in row.items() if v} for row in expected]
    assert by_name(again) == expected
    if not sparse:
        assert again.names == nbest.names


def _dense(nbest: NBestList) -> Any:
    return (nbest.features.toarray() if nbest.is_sparse else nbest.features).tolist()


@pytest.mark.slow
@common
@given(data=st.data(), sparse=st.booleans())
def test_nbest_lists(tmp_path_factory: pytest.TempPathFactory, data: Any, sparse: bool) -> None:
    nbest = data.draw(lists(sparse))
    path = tmp_path_factory.mktemp("files") / "nbest"
    path.write_bytes(OLD)
    try:
        write_nbest(nbest, path)
    except ValueError:
        assert path.read_bytes() == OLD
        return
    if nbest.ids.max() > 1000:
        return  # beyond the number of references
    again = read_nbest(path, [["a"] * 1001], metric=BLEU(tokenize="none"), complete=False)
    assert again.ids.tolist() == nbest.ids.tolist()
    assert again.offsets.tolist() == nbest.offsets.tolist()
    assert again.hypotheses == [text.strip(" ") for text in nbest.hypotheses or ()]
    read = [{name.removesuffix("_0"): v for name, v in row.items()} for row in by_name(again)]
    assert read == [
        {name.removesuffix("_0"): v for name, v in row.items()} for row in by_name(nbest)
    ]


def small(**changes: Any) -> NBestList:
    parts = {
        "features": [[1.0, 2], [3, 4]],
        "stats": [STATS] * 2,
        "offsets": [0, 1, 2],
        "metric": moses_bleu(),
        "hypotheses": ["a", "b"],
        **changes,
    }
    return NBestList(**parts)


REFUSED: list[tuple[dict[str, Any], str]] = [
    *(({"names": ["a", f"b{c}c"]}, r"names\[1\]: expected a name without") for c in SPACES),
    ({"names": ["a", ""]}, r"names\[1\]: expected a name without"),
    ({"names": ["a", "\ud800"]}, r"names\[1\]: expected text for UTF-8; got '\\ud800' at 0"),
    ({"ids": [3, -1]}, r"ids\[1\]: expected 0 to \d+; got -1"),
    ({"ids": [3, 2**62]}, r"ids\[1\]: expected 0 to \d+; got 4611686018427387904"),
    ({"features": [[1.0, 2], [1e300, 4]]}, r"features\[1\]\[0\]: expected .* bits; got 1e\+300"),
]


@pytest.mark.parametrize(("changes", "message"), REFUSED)
def test_what_readers_refuse_is_not_written(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    paths = tmp_path / "one", tmp_path / "two"
    for path in paths:
        path.write_bytes(OLD)
    nbest = small(**changes)
    for binary in (False, True):
        with pytest.raises(ValueError, match=message):
            write_stats(nbest, *paths, binary=binary)
    with pytest.raises(ValueError, match=message):
        write_nbest(nbest, paths[0])
    assert [path.read_bytes() for path in paths] == [OLD, OLD]


@pytest.mark.parametrize(
    ("count", "text", "binary"),
    [
        (10**6, True, True),
        (1234567, True, True),
        (2**24, True, True),
        (2**24 + 1, True, False),
        (2**31 - 1, True, False),
        (2**31, False, False),
    ],
)
def test_counts_are_exact_or_refused(tmp_path: Path, count: int, text: bool, binary: bool) -> None:
    nbest = small(stats=[STATS, [count, *STATS[1:6], count, *STATS[7:]]])
    paths = tmp_path / "features", tmp_path / "scores"
    for form, accepted in ((False, text), (True, binary)):
        if accepted:
            write_stats(nbest, *paths, binary=form)
            assert read_stats(*paths).stats.tolist() == nbest.stats.tolist()
        else:
            with pytest.raises(ValueError, match=rf"stats\[1\]: .* at most \d+ .* {count}"):
                write_stats(nbest, *paths, binary=form)


def test_lengths_that_files_do_not_have_are_refused(tmp_path: Path) -> None:
    nbest = small(stats=[STATS, [5, *STATS[1:]]])
    with pytest.raises(ValueError, match=r"stats\[1\]\[0\]: expected 4, as many as unigrams"):
        write_stats(nbest, tmp_path / "features", tmp_path / "scores")


@pytest.mark.parametrize(
    "names", [["LM_1", "LM_0"], ["LM", "LM_0"], ["LM_00", "x"], ["LM_1", "x"], ["LM_٣", "x"]]
)
def test_names_that_would_change_are_refused(tmp_path: Path, names: list[str]) -> None:
    with pytest.raises(ValueError, match=r"names\[\d\]: expected LM_\d as the next feature"):
        write_nbest(small(names=names), tmp_path / "nbest")


def test_sparse_rows_may_begin_like_the_end(tmp_path: Path) -> None:
    scipy = pytest.importorskip("scipy.sparse")
    nbest = small(features=scipy.csr_matrix([[1.0, 0], [0, 2]]), names=["F_x_y", "Sx_y"])
    paths = tmp_path / "features", tmp_path / "scores"
    write_stats(nbest, *paths)
    assert by_name(read_stats(*paths)) == [{"F_x_y": 1.0}, {"Sx_y": 2.0}]


def test_features_without_any_value_are_refused(tmp_path: Path) -> None:
    scipy = pytest.importorskip("scipy.sparse")
    nbest = small(features=scipy.csr_matrix((2, 2)), names=["a_b", "c_d"])
    with pytest.raises(ValueError, match="features: expected a dense one or a value"):
        write_stats(nbest, tmp_path / "features", tmp_path / "scores")
    with pytest.raises(ValueError, match="features: expected a dense one or a value"):
        write_nbest(nbest, tmp_path / "nbest")


def test_surrogates_in_hypotheses_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "nbest"
    path.write_bytes(OLD)
    with pytest.raises(ValueError, match=r"hypotheses\[1\]: expected text for UTF-8"):
        write_nbest(small(hypotheses=["a", "\udcff"]), path)
    with suppress(ValueError):
        write_nbest(small(), path, weights=[1, 2, 3])
    assert path.read_bytes() == OLD
