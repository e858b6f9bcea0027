"""Tokenizers by name: the five rules that need nothing, and wrappers of the libraries of others.

Importing this package imports no tokenizer: `get_tokenizer` does, for the name it is given.
"""

from .base import TOKENIZERS, Tokenizer, get_tokenizer

__all__ = ["TOKENIZERS", "Tokenizer", "get_tokenizer"]
