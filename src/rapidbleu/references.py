"""References tokenized once and used many times: over systems, over calls, over threads."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu._core.text.tokenize import PreparedReferences


class References:
    """Prepared references of a corpus; made by a metric's ``prepare``.

    Immutable, so any number of threads may score against it. It can be pickled, also into another
    process. Its memory is about eight bytes a token and the text of long tokens.

    Hypotheses can be prepared, too, as one stream; so several metrics of the same tokenizer share
    what was read once.

    Parameters
    ----------
    prepared : PreparedReferences
        The compiled form.
    tokenizer : callable
    lowercase : bool
        How the text was tokenized; a metric accepts references that were prepared its own way.
    preparation : str
        The same in words.

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

    _by_segment: PreparedReferences | None = None  # the other layout, until it was tried

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
        """Return the compiled form, if that is how the text was tokenized.

        `where` names the argument in errors.
        """
        mine = self._tokenizer, self._lowercase, self.preparation
        if mine != (tokenizer, lowercase, preparation):
            raise ValueError(
                f"{where}: expected references prepared for {preparation}; "
                f"got others, prepared for {self.preparation}"
            )
        return self._prepared

    @property
    def num_refs(self) -> int:
        """References of every segment; -1 if it varies."""
        return self._prepared.num_refs

    @property
    def _empty_segment(self) -> str | tuple[()]:
        """A segment without tokens, in the form that these references had."""
        return "" if self._prepared.is_text else ()

    def __len__(self) -> int:
        return len(self._prepared)

    def __repr__(self) -> str:
        each = f"{self.num_refs} each" if self.num_refs != -1 else "a varying number each"
        return (
            f"<References of {len(self)} segments, {each}, "
            f"{self._prepared.n_tokens} tokens, {self.preparation}>"
        )
