"""Tokens of one segment as Python objects, as the compiled readers see them."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.typing import Segment


def tokens_of(
    metric: "Any", segment: "Segment", of_reference: bool = False
) -> "tuple[Any, ...]":
    """Return the tokens of a segment that the metric does not refuse.

    Parameters
    ----------
    metric : Metric
        Its tokenizer makes tokens of text.
    segment : str, or list of str tokens or integer ids
    of_reference : bool
        Read it as a reference, where those are read otherwise.

    Returns
    -------
    tuple of str or int

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> tokens_of(BLEU(lowercase=True), "It rained.")
    ('it', 'rained', '.')
    """
    if isinstance(segment, str):
        text = lower_text(metric, segment)
        rule = metric.tokenizer
        make_scanner = getattr(rule, "scanner", None)
        compiled = make_scanner is not None and make_scanner() is not None
        if of_reference:
            rule = getattr(rule, "reference_rule", None) or rule
        tokens = rule(text if compiled else text.rstrip())  # as readers do
        return tuple(tokens.split() if isinstance(tokens, str) else tokens)
    return tuple(
        int(token) if not isinstance(token, str) else token.lower() if metric.lowercase else token
        for token in segment
    )


def spaced_token(segments: "Any") -> tuple[int, int, str] | None:
    """Return the position of the first token with white space inside, and the token.

    Tokens of models that begin or end with a space do not count, nor do texts.

    Examples
    --------
    >>> spaced_token([[" the", "cat"], ["in", "New York"]])
    (1, 1, 'New York')
    """
    for i, segment in enumerate(segments):
        if isinstance(segment, str) or not hasattr(segment, "__len__"):
            return None  # texts: all segments are of one kind
        if len(segment) and not isinstance(segment[0], str):
            return None  # ids
        if len("\0".join(segment).split(None, 1)) > 1:  # seldom: one pass for all tokens is fast
            for j, token in enumerate(segment):
                if len(token.split(None, 1)) > 1:
                    return i, j, str(token)
    return None


def lower_text(metric: "Any", text: str) -> str:
    """Return a text in lower case, if that is how the metric reads.

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> lower_text(BLEU(), "It"), lower_text(BLEU(lowercase=True), "It")
    ('It', 'it')
    """
    lowercases = getattr(metric.tokenizer, "lowercases", False)
    return text.lower() if metric.lowercase and not lowercases else text


def identity(token: "Any") -> "Any":
    """Return what two tokens share if they are the same: integer ids are equal modulo 2**64.

    Examples
    --------
    >>> identity(-1) == identity(2**64 - 1)
    True
    """
    return token if isinstance(token, str) else token % 2**64
