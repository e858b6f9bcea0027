"""Tokenizers by name: five of our own, and wrappers of third-party libraries.

The five are imported with the package, so that a first call that a signal handler interrupts, or a
fork, leaves no module half imported. `get_tokenizer` imports the wrappers on demand.
"""

from . import mteval as mteval
from .base import TOKENIZERS, Tokenizer, get_tokenizer

__all__ = ["TOKENIZERS", "Tokenizer", "get_tokenizer"]
