"""What a tokenizer is: a call from str to str, and a name for signatures."""

from collections import namedtuple
from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CacheInfo = namedtuple("_CacheInfo", ["hits", "misses", "maxsize", "currsize"])


class BaseTokenizer:
    """Base of the tokenizers, also of those that users write."""

    def signature(self) -> str:
        """Return what a signature says after ``tok:``."""
        raise NotImplementedError

    def __call__(self, line: str) -> str:
        """Return the tokens of `line` with spaces between them."""
        raise NotImplementedError


def without_cache(call: "Callable[..., Any]") -> "Any":
    """Let programs empty a cache that is not there.

    sacrebleu remembers 65,536 texts of each class of tokenizers for as long as the process lives,
    and programs call ``Tokenizer13a.__call__.cache_clear()`` to get their memory back.

    Parameters
    ----------
    call : function

    Returns
    -------
    function
        The same one, with ``cache_clear`` and ``cache_info``.
    """
    function: Any = call
    function.cache_clear = lambda: None
    function.cache_info = lambda: _CacheInfo(0, 0, 0, 0)
    return function
