"""Malformed sparse features: refused with their location, before compiled code reads them."""

import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rapidbleu.tuning import NBestList, mira, pro
from rapidbleu.tuning.moses.score_types import moses_bleu

sparse = pytest.importorskip("scipy.sparse")

STATS = [4, 4, 4, 3, 2, 1, 4, 3, 2, 1]
PARTS = {
    "data": np.array([1.0, 2.0, 3.0, 4.0]),
    "indices": np.array([0, 2, 1, 2], np.int32),
    "indptr": np.array([0, 2, 3, 4, 4], np.int32),
}
BAD: list[tuple[str, Any, str]] = [
    ("indices", [0, 3, 1, 2], r"features\.indices\[1\]: expected 0 to 2; got 3"),
    ("indices", [0, -1, 1, 2], r"features\.indices\[1\]: expected 0 to 2; got -1"),
    ("indices", [0, 2**31 - 1, 1, 2], r"features\.indices\[1\]: expected 0 to 2; got 2147483647"),
    ("indices", np.array([0, 2**62, 1, 2]), r"features\.indices\[1\]: .*; got 46116\d*"),
    ("indices", np.array([0, 2**63, 1, 2], np.uint64), r"indices\[1\]: .*; got 92233\d*"),
    ("indices", np.array([0, 2, 1]), r"features\.data: expected 3, as many as indices; got 4"),
    ("indices", np.zeros(4), r"features\.indices: expected integers; got float64"),
    ("indices", np.zeros((4, 1), int), r"features\.indices: expected one dimension"),
    ("indptr", [0, 2, 1, 4, 4], r"features\.indptr\[2\]: expected 2 to 4; got 1"),
    ("indptr", [0, 2, 3, 4, 9], r"features\.indptr\[4\]: expected 4 to 4; got 9"),
    ("indptr", [0, 2, 3, 4, 2**31 - 1], r"features\.indptr\[4\]: expected 4 to 4; got 2147483647"),
    ("indptr", [-4, 2, 3, 4, 4], r"features\.indptr\[0\]: expected 0; got -4"),
    ("indptr", [1, 2, 3, 4, 4], r"features\.indptr\[0\]: expected 0; got 1"),
    ("indptr", [0, 2, 3, 4], r"features\.indptr: expected 5 items; got 4"),
    ("indptr", np.zeros(5), r"features\.indptr: expected integers; got float64"),
    ("data", np.zeros(3), r"features\.data: expected 4, as many as indices; got 3"),
    ("data", np.zeros((4, 2)), r"features\.data: expected one dimension; got shape \(4, 2\)"),
    ("data", np.array(list("abcd")), r"features(\.data)?: expected numbers; got <U1"),
    ("data", np.array([1, 2, np.inf, 4]), r"features\[1\]\[1\]: expected a finite number; got inf"),
]


def matrix(**changes: Any) -> Any:
    """Return a matrix with arrays that SciPy did not check."""
    made = sparse.csr_matrix(tuple(part.copy() for part in PARTS.values()), shape=(4, 3))
    for name, value in changes.items():
        setattr(made, name, value if isinstance(value, np.ndarray) else np.array(value, np.int32))
    return made


def make(features: Any) -> NBestList:
    stats = [[*STATS[:5], i, *STATS[6:]] for i in (0, 1, 0, 1)]
    return NBestList(features, stats, [0, 2, 4], metric=moses_bleu(), names=list("abc"))


def use(nbest: NBestList) -> None:
    """Run every reader of sparse features."""
    weights = np.arange(nbest.n_features, dtype=float)
    nbest.best(weights)
    nbest.evaluate(weights)
    nbest.merge(nbest)
    mira(nbest, epochs=1)
    with suppress(ValueError):  # without hypotheses that differ enough
        pro(nbest)


@pytest.mark.parametrize(("name", "value", "message"), BAD)
def test_matrices_of_callers_are_checked(name: str, value: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        make(matrix(**{name: value}))


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize(("name", "value", "message"), BAD)
def test_saved_lists_are_checked(
    tmp_path: Path, name: str, value: Any, message: str, mmap: bool
) -> None:
    path = tmp_path / "list.npz"
    make(matrix()).save(path)
    with np.load(path) as arrays:
        parts = dict(arrays)
    np.savez(path, **{**parts, name: value})
    with pytest.raises(ValueError, match=f"list.npz: .*{message}"):
        NBestList.load(path, metric=moses_bleu(), mmap=mmap)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"names": np.array([97, 98, 255, 99], np.uint8)}, "names: expected the end of the last"),
        ({"names": np.array([97, 255, 254, 255, 98, 255], np.uint8)}, r"names\[1\]"),
        ({"names": [97, 98, 99]}, "names: expected bytes; got int64"),
        ({"ids": [0.0, 1.0]}, "ids: expected integers; got float64"),
        ({"ids": np.array([0, 2**64 - 1], np.uint64)}, r"ids\[1\]: .* below 2\*\*63"),
        ({"offsets": [0, 5, 4]}, r"offsets\[2\]: expected at least 5; got 4"),
        ({"stats": 3}, "expected a saved n-best list"),
    ],
)
def test_other_parts_are_checked(tmp_path: Path, changes: Any, message: str) -> None:
    path = tmp_path / "list.npz"
    make(matrix()).save(path)
    with np.load(path) as arrays:
        parts = dict(arrays)
    np.savez(path, **{**parts, **changes})
    with pytest.raises(ValueError, match=f"list.npz: .*{message}"):
        NBestList.load(path, metric=moses_bleu())


FORMATS = ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")


@pytest.mark.parametrize("kind", ["matrix", "array"])
@pytest.mark.parametrize("form", FORMATS)
def test_all_formats_are_taken(form: str, kind: str) -> None:
    made = getattr(sparse, f"csr_{kind}")(matrix()).asformat(form)
    nbest = make(made)
    assert nbest.features.toarray().tolist() == matrix().toarray().tolist()
    use(nbest)


@pytest.mark.parametrize("form", ["csc", "coo", "bsr"])
def test_other_formats_are_checked(form: str) -> None:
    names = ("row", "col") if form == "coo" else ("indices", "indptr")
    for name in names:
        for wrong in (-1, 4, 2**31 - 1):
            made = matrix().asformat(form)
            array = getattr(made, name).copy()
            array[-1] = wrong
            setattr(made, name, array)
            if np.array_equal(array, getattr(matrix().asformat(form), name)):
                continue  # valid there
            with pytest.raises(ValueError, match=rf"features\.{name}\[\d+\]: expected"):
                make(made)
    if form != "coo":
        made = matrix().asformat(form)
        made.data = made.data[:-1]
        with pytest.raises(ValueError, match=r"features\.data: expected \d+, as many as indices"):
            make(made)


def test_blocks_must_divide_the_matrix() -> None:
    made = sparse.bsr_matrix(np.ones((4, 3)), blocksize=(2, 3))
    made.data = np.ones((2, 3, 3))
    with pytest.raises(ValueError, match=r"features\.data: expected blocks that divide \(4, 3\)"):
        make(made)


def test_what_scipy_says_of_order_is_not_believed() -> None:
    made = matrix(indices=[2, 0, 1, 2])
    made.has_sorted_indices = made.has_canonical_format = True
    assert make(made).features.indices.tolist() == [0, 2, 1, 2]
    made = matrix(indices=[2, 2, 1, 2])
    made.has_canonical_format = True
    nbest = make(made)
    assert nbest.features.toarray().tolist() == [[0, 0, 3], [0, 3, 0], [0, 0, 4], [0, 0, 0]]
    assert made.indices.tolist() == [2, 2, 1, 2] and made.data.tolist() == [1, 2, 3, 4]


def test_what_is_behind_the_last_pointer_is_left_out(tmp_path: Path) -> None:
    made = matrix(indptr=[0, 2, 3, 3, 3])
    nbest = make(made)
    assert len(nbest.features.data) == 3
    nbest.save(tmp_path / "list.npz")
    again = NBestList.load(tmp_path / "list.npz", metric=moses_bleu())
    assert again.features.toarray().tolist() == nbest.features.toarray().tolist()


@pytest.mark.parametrize("kinds", [("i4", "i8"), ("i8", "i8"), ("u1", "u8"), (">i4", ">i8")])
def test_indices_of_any_width(tmp_path: Path, kinds: tuple[str, str]) -> None:
    path = tmp_path / "list.npz"
    make(matrix()).save(path)
    with np.load(path) as arrays:
        parts = dict(arrays)
    changed = {
        name: parts[name].astype(kind)
        for name, kind in zip(("indices", "indptr"), kinds, strict=True)
    }
    np.savez(path, **{**parts, **changed, "data": parts["data"].astype(">f4")})
    nbest = NBestList.load(path, metric=moses_bleu())
    assert nbest.features.toarray().tolist() == matrix().toarray().tolist()
    use(nbest)


def test_lists_without_any_value() -> None:
    nbest = make(sparse.csr_matrix((4, 3)))
    use(nbest)
    assert nbest.best([1, 1, 1]).tolist() == [0, 2]


@pytest.mark.slow
@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("mmap", [False, True])
def test_any_changed_byte_of_a_file(tmp_path: Path, mmap: bool, is_sparse: bool) -> None:
    path = tmp_path / "list.npz"
    make(matrix() if is_sparse else matrix().toarray()).save(path)
    data = path.read_bytes()
    outcomes = set()
    for at in range(0, len(data), 2):
        path.write_bytes(data[:at] + bytes([data[at] ^ (1 + at % 255)]) + data[at + 1 :])
        try:
            nbest = NBestList.load(path, metric=moses_bleu(), mmap=mmap)
            nbest.evaluate([1, 1, 1])
            outcomes.add("loaded")
        except ValueError as error:
            assert str(error).startswith(str(path))
            outcomes.add("refused")
    assert outcomes == {"loaded", "refused"}


@pytest.mark.slow
def test_any_changed_item_of_the_arrays(tmp_path: Path) -> None:
    """The same with correct checksums, so that only our checks can detect the change."""
    path = tmp_path / "list.npz"
    make(matrix()).save(path)
    with np.load(path) as arrays:
        parts = dict(arrays)
    rng = random.Random(1)
    outcomes = set()
    for _ in range(300):
        name = rng.choice(sorted(parts))
        changed = parts[name].copy()
        raw = changed.view(np.uint8).ravel()
        raw[rng.randrange(raw.size)] ^= 1 << rng.randrange(8)
        np.savez(path, **{**parts, name: changed})
        try:
            nbest = NBestList.load(path, metric=moses_bleu())
        except ValueError as error:
            assert str(error).startswith(str(path))
            outcomes.add("refused")
        else:
            use(nbest)
            outcomes.add("loaded")
    assert outcomes == {"loaded", "refused"}


def test_arrays_that_say_they_are_larger(tmp_path: Path) -> None:
    path = tmp_path / "list.npz"
    make(matrix()).save(path)
    data = path.read_bytes()
    for shape in (b"(99999999999, 10)", b"(99999999999,)", b"(1, 10)", b"(-4, -10)"):
        old, new = b"(4, 10), }".ljust(20), (shape + b", }").ljust(20)
        assert data.count(old) == 1 and len(old) == len(new)
        path.write_bytes(data.replace(old, new))
        for mmap in (False, True):
            with pytest.raises(ValueError, match=r"list\.npz: expected a saved n-best list"):
                NBestList.load(path, metric=moses_bleu(), mmap=mmap)


def test_mapped_objects_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "list.npz"
    make(np.ones((4, 3))).save(path)
    data = path.read_bytes()
    assert data.count(b"'<f8'") == 1
    path.write_bytes(data.replace(b"'<f8'", b"'|O' "))
    with pytest.raises(ValueError, match=r"list\.npz: .* features\.npy of Python objects"):
        NBestList.load(path, metric=moses_bleu(), mmap=True)
