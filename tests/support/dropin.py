"""Shared by tests of the stand-in: both packages, corpora and a comparison."""

from random import Random
from types import ModuleType
from typing import Any

import rapidbleu.sacrebleu as ours
from rapidbleu.score import VERSION
from rapidbleu.switch import patch
from support.corpora import random_corpus, with_gaps
from support.peers import need
from support.typed import typed

peer = need("sacrebleu")
PACKAGES = {"sacrebleu": peer, "rapidbleu": ours}
METRICS = ("BLEU", "CHRF", "TER")

OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("BLEU", {}),
    ("BLEU", {"lowercase": True, "tokenize": "none"}),
    ("BLEU", {"tokenize": "zh", "smooth_method": "floor"}),
    ("BLEU", {"tokenize": "intl", "smooth_method": "floor", "smooth_value": 0.3}),
    ("BLEU", {"tokenize": "char", "smooth_method": "add-k"}),
    ("BLEU", {"smooth_method": "add-k", "smooth_value": 0.5, "effective_order": True}),
    ("BLEU", {"smooth_method": "none", "max_ngram_order": 2}),
    ("BLEU", {"max_ngram_order": 0}),
    ("BLEU", {"max_ngram_order": 6, "effective_order": True}),
    ("CHRF", {}),
    ("CHRF", {"word_order": 2}),
    ("CHRF", {"char_order": 3, "word_order": 1, "beta": 1, "lowercase": True}),
    ("CHRF", {"beta": 0.5, "whitespace": True}),
    ("CHRF", {"word_order": 2, "eps_smoothing": True}),
    ("TER", {}),
    ("TER", {"normalized": True}),
    ("TER", {"normalized": True, "no_punct": True, "asian_support": True}),
    ("TER", {"case_sensitive": True, "no_punct": True}),
]
IDS = [f"{name}-{'-'.join(map(str, options.values()))}" for name, options in OPTIONS]


def corpus(kind: str, n: int = 16, n_refs: int = 2, gaps: bool = False, seed: int = 0) -> Any:
    rng = Random(f"{kind} {seed}")
    hyps, refs = random_corpus(rng, n, kind=kind, n_refs=n_refs)
    short = [hyp[:200] for hyp in hyps], [[ref[:200] for ref in stream] for stream in refs]
    return (short[0], with_gaps(rng, short[1])) if gaps else short


def make(package: ModuleType, name: str, **options: Any) -> Any:
    return getattr(package.metrics, name)(**options)


def same(call: Any) -> Any:
    """Check that a call has the same result in both packages and a patched sacrebleu; return it."""
    theirs, own = (call(package) for package in PACKAGES.values())
    expected = plain(theirs, exact=True)
    assert plain(own, exact=True) == expected
    with patch("sacrebleu"):
        assert plain(call(peer), exact=True) == expected
    return plain(own)


def plain(value: Any, exact: bool = False) -> Any:
    """Convert to values comparable with ==: attributes of objects, types of numbers, a version.

    With `exact`, lists differ from tuples, and numbers from numbers of any other type.
    """
    if isinstance(value, dict):
        return {key: plain(item, exact) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [plain(item, exact) for item in value]
        return (type(value).__name__, items) if exact else items
    if isinstance(value, str):
        return value.replace(VERSION, peer.__version__)
    if exact and (isinstance(value, (int, float)) or hasattr(value, "tolist")):
        return typed(value)
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return "float", float(value)
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return type(value).__name__, plain(vars(value), exact)
