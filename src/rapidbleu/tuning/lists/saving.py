"""N-best lists in ``.npz`` files."""

from rapidbleu.outputs import replacing
from rapidbleu.rows.archives import join_texts, new_archive, new_member, read_arrays, split_texts
from rapidbleu.tuning.lists.sparse import make_csr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.typing import Path

MAPPED = ("features", "stats")


def save_list(path: "Path", nbest: "Any") -> None:
    """Write an n-best list, uncompressed; the name of the file is used as it is."""
    import numpy as np

    arrays: dict[str, Any] = {"stats": nbest.stats, "offsets": nbest.offsets, "ids": nbest.ids}
    arrays["names"], arrays["name_ends"] = join_texts(nbest.names)
    if nbest.is_sparse:
        matrix = nbest.features
        arrays.update(data=matrix.data, indices=matrix.indices, indptr=matrix.indptr)
    else:
        arrays["features"] = nbest.features
    if nbest.hypotheses is not None:
        arrays["hypotheses"], arrays["hypothesis_ends"] = join_texts(nbest.hypotheses)
    with replacing(path) as (file,), new_archive(file) as members:
        for name, array in arrays.items():
            with new_member(members, file, name) as out:
                np.lib.format.write_array(out, np.asanyarray(array), allow_pickle=False)


def load_list(path: "Path", mmap: bool) -> "dict[str, Any]":
    """Read the parts of an n-best list; with `mmap` the large ones stay in the file."""
    with open(path, "rb") as file:
        try:
            return _parts_of(read_arrays(path, file, MAPPED if mmap else ()))
        except (ImportError, MemoryError):
            raise
        except KeyError as error:
            raise ValueError(f"{path}: expected a saved n-best list, found no {error}") from None
        except Exception as error:  # broken archives have errors of many kinds
            what = str(error) or type(error).__name__
            raise ValueError(f"{path}: expected a saved n-best list: {what}") from None


def _parts_of(arrays: "dict[str, Any]") -> "dict[str, Any]":
    """Return what `NBestList` is made of."""
    parts: dict[str, Any] = {name: arrays[name] for name in ("stats", "offsets", "ids")}
    parts["names"] = split_texts(arrays["names"], arrays["name_ends"], "names")
    if "hypotheses" in arrays:
        texts = split_texts(arrays["hypotheses"], arrays["hypothesis_ends"], "hypotheses")
        parts["hypotheses"] = texts
    if "data" in arrays:
        data = arrays["data"], arrays["indices"], arrays["indptr"]
        shape = len(parts["stats"]), len(parts["names"])
        parts["features"] = make_csr(*data, shape, "features")
    else:
        parts["features"] = arrays["features"]
    return parts
