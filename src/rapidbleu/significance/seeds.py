"""The seed that sacrebleu's users set."""

from __future__ import annotations


def seed_of_environment() -> tuple[str, int | None]:
    """Return the seed of ``SACREBLEU_SEED``: as signatures have it, and as a number or None.

    Raises
    ------
    ValueError
        If it is neither an integer from 0 on nor ``none``.

    Examples
    --------
    >>> seed_of_environment()
    ('12345', 12345)
    """
    import os

    text = os.environ.get("SACREBLEU_SEED", "12345").lower()
    if text == "none":
        return text, None
    try:
        seed = int(text)
    except ValueError:
        seed = -1
    if seed < 0:
        raise ValueError(f"SACREBLEU_SEED: expected an integer from 0 on, or none, got {text!r}")
    return text, seed
