"""What Moses' learners have in common: files that they read and write, names of features."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from rapidbleu.cli.options import Parser
from rapidbleu.outputs import replacing_text
from rapidbleu.tuning import NBestList

DENSE = re.compile(r"[^_]*(_[0-9]+)?")  # LM0_0, _1, F2; labels of sparse features have a `_`


def learner_parser(name: str, description: str) -> Parser:
    """Return a parser with the options of the files that are learned from."""
    parser = Parser(prog=f"rapidbleu {name}", description=description, allow_abbrev=False)
    add = parser.add_argument
    add("--ffile", "-F", action="append", required=True, metavar="FILE",
        help="features, text or binary; again for more")  # fmt: skip
    add("--scfile", "-S", action="append", required=True, metavar="FILE",
        help="statistics of the same hypotheses; again for more")  # fmt: skip
    return parser


@contextmanager
def output(path: str | None, out: TextIO) -> Iterator[TextIO]:
    """Open the file that results go to; without a path that is `out`."""
    if path is None:
        yield out
        return
    with replacing_text(path) as file:
        yield file


def count_dense(nbest: NBestList) -> int:
    """Return how many of the features are dense; these come first.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import MeanScore
    >>> count_dense(NBestList(np.eye(2), MeanScore().rows([0, 1]), [0, 2], metric=MeanScore()))
    2
    """
    n_features = len(nbest.names)
    if not nbest.is_sparse:
        return n_features
    sparse = (i for i, name in enumerate(nbest.names) if not DENSE.fullmatch(name))
    return next(sparse, n_features)


def feature_labels(nbest: NBestList, n_dense: int | None = None) -> list[str]:
    """Return what the features are called in the files of learners: F0, F1, ..., sparse by name.

    Parameters
    ----------
    nbest : NBestList
    n_dense : int, optional
        How many are dense, if known.
    """
    if n_dense is None:
        n_dense = count_dense(nbest)
    return [*(f"F{i}" for i in range(n_dense)), *nbest.names[n_dense:]]
