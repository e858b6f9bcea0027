"""NLTK's token sequences, read by the compiled core or handed to NLTK.

The core reads reiterable sequences of hashable tokens, with references for each segment, and orders
from 1. NLTK's functions get the rest (iterators, unhashable tokens, other orders).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any, TypeAlias

from rapidbleu._core.nltk.token_lists import ListCounter, nltk_counts
from rapidbleu._lib.handing import hand_back

__all__ = ["COUNTER", "References", "Tokens", "ask_nltk", "is_order", "names_of", "sum_counts"]

Tokens: TypeAlias = Sequence[Hashable]  # a str is a sequence of characters
References: TypeAlias = Sequence[Tokens]

COUNTER = ListCounter()  # thread-safe; stores only idle memory

_kernel = lru_cache(64)(nltk_counts)


def is_order(n: object, most: int = 1000) -> bool:
    """Return whether the core counts n-grams of this order."""
    return type(n) is int and 1 <= n <= most


def sum_counts(
    list_of_references: Sequence[References], hypotheses: Sequence[Tokens], max_order: Any
) -> list[int] | None:
    """Sum lengths, matches and n-grams of each order; return None if the core cannot read them."""
    if not is_order(max_order):
        return None
    return COUNTER.sums(_kernel(max_order), list_of_references, hypotheses)


def ask_nltk(module: str, function: str, *args: Any) -> Any:
    """Call one of NLTK's functions.

    Raises ImportError, with the input that is supported without NLTK, if it is not installed.
    """
    hand_back("NLTK answers it")
    try:
        peer = import_module(f"nltk.translate.{module}")
    except ImportError as error:
        raise ImportError(
            f"{function}: expected sequences of hashable tokens, a reference for each segment, and "
            "orders from 1 on; for anything else: pip install nltk",
            name="nltk",
        ) from error
    return getattr(peer, function)(*args)


def names_of(module: str) -> Callable[[str], Any]:
    """Return a module's ``__getattr__`` that finds NLTK's remaining names."""

    def __getattr__(name: str) -> Any:
        if not name.startswith("__"):  # the import system asks for these
            try:
                return getattr(import_module(f"nltk.translate.{module}"), name)
            except (ImportError, AttributeError):
                pass
        raise AttributeError(f"module 'rapidbleu.nltk.{module}' has no attribute {name!r}")

    return __getattr__
