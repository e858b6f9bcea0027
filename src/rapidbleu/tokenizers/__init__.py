"""Tokenizers by name: five built-in ones, and wrappers of third-party libraries.

The built-in ones are imported with the package, so that a signal handler or fork during a first
call leaves no module half imported. `get_tokenizer` imports the wrappers on demand.
"""

from . import mteval as mteval
from .base import TOKENIZERS, Tokenizer, get_tokenizer

__all__ = ["TOKENIZERS", "Tokenizer", "get_tokenizer"]
