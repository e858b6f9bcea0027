"""Every target of `fuzz_targets` on its seeds and on random changes to them, without atheris.

The targets contain the assertions.
"""

import random
from importlib.util import find_spec

import pytest

from support.fuzz_targets import CUT, TARGETS, seeds

NEEDS = {
    "columns": "pyarrow",
    "record_batches": "pyarrow",
    "arrow_files": "pyarrow",
    "nltk": "nltk",
    "nbest": "scipy",
    "moses_stats": "scipy",
    "saved_lists": "scipy",
    "saved_arrays": "scipy",
    "sparse_lists": "scipy",
}
PIECES = (
    b"",
    b" ",
    b"\n",
    b"\0",
    b"|||",
    b"=",
    b"_=",
    b"-",
    b".",
    b"9" * 20,
    b"e",
    b"nan",
    b"&amp;",
    b"-\n",
    CUT,
    b"\xff",
    b"\xc3",
    b"\xe2\x80\xa8",
    "\u0130".encode(),
    "\U0001f600".encode(),
)


def changed(rng: random.Random, data: bytes) -> bytes:
    """Replace, drop, double or move some bytes."""
    for _ in range(rng.randint(1, 4)):
        at, n = rng.randrange(len(data) + 1), rng.randrange(4)
        to = rng.randrange(len(data) + 1)
        new = rng.choice((rng.choice(PIECES), rng.randbytes(rng.randint(1, 3)), data[to : to + 20]))
        data = data[:at] + new + data[at + n :]
    return data


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_target(name: str) -> None:
    if name in NEEDS and not find_spec(NEEDS[name]):
        pytest.skip(f"no {NEEDS[name]}")
    rng = random.Random(name)
    first = seeds(name)
    some = rng.sample(first, min(len(first), 60))
    more = [changed(rng, data) for data in some for _ in range(400 // len(some))]
    for data in [b"", *first, *more]:
        try:
            TARGETS[name](data)
        except BaseException as error:
            error.add_note(f"{name} of {data!r}")
            raise
