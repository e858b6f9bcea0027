"""Tokens as NLTK takes them, read by the compiled core; the rest is handed to NLTK itself.

The core reads sequences of hashable tokens that can be iterated again, with a reference for each
segment, and counts orders from one on. For anything else (iterators, tokens without a hash, other
orders) the function of NLTK is called, which gives its results and its errors.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any, TypeAlias

from rapidbleu._core.nltk.token_lists import ListCounter, nltk_counts
from rapidbleu._lib.handing import hand_back

__all__ = ["COUNTER", "References", "Tokens", "ask_nltk", "is_order", "names_of", "sum_counts"]

Tokens: TypeAlias = Sequence[Hashable]  # a str is its characters
References: TypeAlias = Sequence[Tokens]

COUNTER = ListCounter()  # thread-safe; holds nothing but idle memory

_kernel = lru_cache(64)(nltk_counts)


def is_order(n: object, most: int = 1000) -> bool:
    """Whether the core counts n-grams of this order."""
    return type(n) is int and 1 <= n <= most


def sum_counts(
    list_of_references: Sequence[References], hypotheses: Sequence[Tokens], max_order: Any
) -> list[int] | None:
    """Sum up lengths, matches and n-grams of each order; None if the core cannot read them."""
    if not is_order(max_order):
        return None
    return COUNTER.sums(_kernel(max_order), list_of_references, hypotheses)


def ask_nltk(module: str, function: str, *args: Any) -> Any:
    """Return what a function of NLTK's returns.

    Raises
    ------
    ImportError
        If NLTK is not installed; the message says what can be scored without.
    """
    hand_back()
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
    """Return the ``__getattr__`` of a module that has the other names of one of NLTK's."""

    def __getattr__(name: str) -> Any:
        if not name.startswith("__"):  # which the import system asks for
            try:
                return getattr(import_module(f"nltk.translate.{module}"), name)
            except (ImportError, AttributeError):
                pass
        raise AttributeError(f"module 'rapidbleu.nltk.{module}' has no attribute {name!r}")

    return __getattr__
