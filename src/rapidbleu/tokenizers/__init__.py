"""Tokenizers by name: five of our own, and wrappers of third-party libraries.

The five are imported with the package, so that a first call that a signal handler interrupts, or a
fork, leaves no module half imported.  `get_tokenizer` imports the wrappers when asked for one.
"""

from . import char as char
from . import intl as intl
from . import none as none
from . import v13a as v13a
from . import zh as zh
from .base import TOKENIZERS, Tokenizer, get_tokenizer

__all__ = ["TOKENIZERS", "Tokenizer", "get_tokenizer"]
