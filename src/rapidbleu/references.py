"""References, tokenized once for use with many systems, calls and threads."""

from __future__ import annotations

from rapidbleu._lib.loader import load, np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu._core.text.tokenize import PreparedReferences

LOW = 6  # index of the lower halves of tokens in pickled references, followed by the upper halves


class References:
    """Prepared references of a corpus, created by a metric's ``prepare``.

    Immutable, so any number of threads may score against them; can be pickled, also for other
    processes. Memory is about eight bytes per token plus the text of long tokens, and some hundred
    bytes per token for n-gram counts of NIST and CIDEr-D. Hypotheses can be prepared as one stream,
    so that several metrics with the same tokenizer share them.

    Parameters
    ----------
    prepared : PreparedReferences
        The compiled form.
    tokenizer : callable
    lowercase : bool
        Tokenization; a metric accepts only references prepared with its own.
    preparation : str
        Description of the tokenization.

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> bleu = BLEU()
    >>> references = bleu.prepare([["The cat sat on the mat.", "It rained."]])
    >>> references
    <References of 2 segments, 1 each, 10 tokens, tok:13a|case:mixed>
    >>> round(bleu.corpus_score(["The cat sat on a mat.", "It rained."], references).score, 6)
    53.895617
    """

    _by_segment: PreparedReferences | None = None  # the other layout, until it has been tried
    _digest = ""

    def __init__(
        self,
        prepared: PreparedReferences,
        tokenizer: Callable[[str], Any],
        lowercase: bool,
        preparation: str,
    ) -> None:
        self._prepared = prepared
        self._tokenizer = tokenizer
        self._lowercase = lowercase
        self.preparation = preparation

    def _prepared_by(
        self,
        tokenizer: Callable[[str], Any],
        lowercase: bool,
        preparation: str,
        where: str = "references",
    ) -> PreparedReferences:
        """Return the compiled form if the tokenization matches; errors name it `where`."""
        mine = self._tokenizer, self._lowercase, self.preparation
        if mine != (tokenizer, lowercase, preparation):
            raise ValueError(
                f"{where}: expected references prepared for {preparation}; "
                f"got others, prepared for {self.preparation}"
            )
        return self._prepared

    @property
    def digest(self) -> str:
        """SHA-256 of the tokens and their order, the same in every process."""
        if self._digest:
            return self._digest
        parts = list(self._prepared.__reduce__()[1])
        low = LOW
        high = LOW + 1
        longs = LOW + 2
        if parts[longs]:  # ids of long tokens differ by process
            lower, upper = (np.frombuffer(parts[k], np.uint32).copy() for k in (low, high))
            hashed = lower % 256 == 0
            lower[hashed] = upper[hashed] = 0
            parts[low], parts[high] = lower.tobytes(), upper.tobytes()
        digest = load("hashlib", "sha256")(self.preparation.encode("utf-8", "surrogatepass"))
        for part in parts:
            data = part if isinstance(part, bytes) else repr(part).encode()
            digest.update(f"|{len(data)}:".encode())
            digest.update(data)
        self._digest = str(digest.hexdigest())
        return self._digest

    @property
    def num_refs(self) -> int:
        """References per segment; -1 if it varies."""
        return self._prepared.num_refs

    @property
    def _empty_segment(self) -> str | tuple[()]:
        """A segment without tokens, of the same kind as these references."""
        return "" if self._prepared.is_text else ()

    def __len__(self) -> int:
        return len(self._prepared)

    def __repr__(self) -> str:
        each = f"{self.num_refs} each" if self.num_refs != -1 else "a varying number each"
        return (
            f"<References of {len(self)} segments, {each}, "
            f"{self._prepared.n_tokens} tokens, {self.preparation}>"
        )
