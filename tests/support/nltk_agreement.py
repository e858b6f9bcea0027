"""Calls of NLTK's functions and of ours: the same results, warnings and exceptions."""

import importlib
import warnings
from fractions import Fraction

import numpy as np
import pytest

from support.typed import typed

MODULES = ("bleu_score", "chrf_score", "gleu_score", "nist_score")
OURS = {name: importlib.import_module(f"rapidbleu.nltk.{name}") for name in MODULES}
pytest.importorskip("nltk")
PEERS = {name: importlib.import_module(f"nltk.translate.{name}") for name in MODULES}

WEIGHTS = (
    (0.25, 0.25, 0.25, 0.25),
    (1,),
    (1.0,),
    (0.5, 0.5),
    [0.25] * 4,
    (0.1,) * 6,
    (0.02,) * 20,
    [(0.5, 0.5), (0.25, 0.25, 0.25, 0.25)],
    [(1.0,)],
    [[0.3, 0.7], (0.2,) * 5],
    ((0.5, 0.5), (1,)),
    (Fraction(1, 2), Fraction(1, 2)),
    (0, 0, 0, 1),
    (-1.0, 2.0),
    (),
    [()],
    np.array([0.5, 0.5]),
)


def outcome(module, function, *args, **options):
    """Return the result, its types and warnings of a call; functions create fresh arguments."""
    args = [arg() if callable(arg) else arg for arg in args]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = getattr(module, function)(*args, **options)
            result, kinds = repr(value), typed(value)
        except Exception as error:
            result, kinds = (type(error).__name__, str(error)), None
    return result, kinds, [(w.category, str(w.message)) for w in caught]


def same(name, function, *args, **options):
    """Check that both have the same outcome, and return it."""
    ours = outcome(OURS[name], function, *args, **options)
    assert ours == outcome(PEERS[name], function, *args, **options)
    return ours[0]


def same_smoothed(method, *args, parameters=(), function="corpus_bleu", **options):
    """Check the smoothing method of each, and the peer's passed to us."""
    functions = [
        getattr(modules["bleu_score"].SmoothingFunction(*parameters), f"method{method}")
        for modules in (OURS, PEERS)
    ]
    ours, theirs, mixed = (
        outcome(modules["bleu_score"], function, *args, smoothing_function=f, **options)
        for modules, f in zip((OURS, PEERS, OURS), (*functions, functions[1]), strict=True)
    )
    assert ours == theirs == mixed
    return ours[0]
