"""Rewards for reinforcement learning: a metric as the function that a trainer calls.

Each framework has a signature of its own; behind it a batch of samples is one call of
``nbest_scores``, with each reference tokenized once. None of the frameworks is needed here.
"""

from __future__ import annotations

from rapidbleu._lib.checks import check_flag
from rapidbleu.metrics import BLEU
from rapidbleu.metrics.metric import Metric
from rapidbleu.rewards.functions import AsyncReward, OpenRlhfReward, TrlReward, VerlReward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal, overload

    from rapidbleu.typing import Framework

    _Extract = Callable[[str], str] | None

__all__ = [
    "FRAMEWORKS", "AsyncReward", "OpenRlhfReward", "TrlReward", "VerlReward", "bleu_reward",
]  # fmt: skip

REFERENCE_KEY = "ground_truth"

FRAMEWORKS: dict[str, type[TrlReward | VerlReward | OpenRlhfReward]] = {
    "trl": TrlReward, "verl": VerlReward, "openrlhf": OpenRlhfReward,
}  # fmt: skip


if TYPE_CHECKING:

    @overload
    def bleu_reward(
        framework: Literal["trl"], *, metric: Metric | None = None,
        reference_key: str | None = None, extract: _Extract = None, scale: float = 1.0,
        asynchronous: Literal[False] = False,
    ) -> TrlReward: ...  # fmt: skip
    @overload
    def bleu_reward(
        framework: Literal["verl"], *, metric: Metric | None = None,
        reference_key: str | None = None, extract: _Extract = None, scale: float = 1.0,
        asynchronous: Literal[False] = False,
    ) -> VerlReward: ...  # fmt: skip
    @overload
    def bleu_reward(
        framework: Literal["openrlhf"], *, metric: Metric | None = None,
        reference_key: None = None, extract: _Extract = None, scale: float = 1.0,
        asynchronous: Literal[False] = False,
    ) -> OpenRlhfReward: ...  # fmt: skip
    @overload
    def bleu_reward(
        framework: Literal["trl", "verl"], *, metric: Metric | None = None,
        reference_key: str | None = None, extract: _Extract = None, scale: float = 1.0,
        asynchronous: Literal[True],
    ) -> AsyncReward: ...  # fmt: skip


def bleu_reward(
    framework: Framework,
    *,
    metric: Metric | None = None,
    reference_key: str | None = None,
    extract: Callable[[str], str] | None = None,
    scale: float = 1.0,
    asynchronous: bool = False,
) -> TrlReward | VerlReward | OpenRlhfReward | AsyncReward:
    """Return a reward function with the signature of a framework.

    Parameters
    ----------
    framework : {"trl", "verl", "openrlhf"}
        ``trl``: ``reward(completions, **columns) -> list[float | None]``.
        ``verl``: ``compute_score(data_source, solution_str, ground_truth, extra_info) -> float``,
        and with ``solution_strs`` and ``ground_truths``, as its batch reward manager calls,
        a list.
        ``openrlhf``: ``reward_func(queries, prompts, labels) -> dict`` of float32 tensors.
    metric : Metric, optional
        ``BLEU(effective_order=True)`` by default. NIST is refused because its scores have no fixed
        upper bound, and CIDErD without `information` because its scores depend on the batch.
    reference_key : str, optional
        For ``trl``: the column of the data set with the references; ``ground_truth`` by default.
        For ``verl``: the entry with the references of ground truths that are dicts.
    extract : callable str -> str, optional
        Returns what of a response is scored: without its thoughts, or without the end-of-text
        token, which OpenRLHF leaves in.
    scale : float
        The reward of a text with a full score.
    asynchronous : bool
        Return a coroutine function, which scores in a thread. TRL runs it at the same time as other
        coroutine functions, and verl's reward loop awaits it. OpenRLHF awaits none.

    Returns
    -------
    callable
        It can be pickled if its metric and `extract` can, and called from any number of threads.

    Raises
    ------
    TypeError, ValueError
        If an option has no such value. The function raises them if a batch does not fit together.

    Notes
    -----
    A reward is between 0 and `scale`, and higher for a better text: ``score / 100`` of it, for
    CIDErD ``score / 10``, and for an error rate such as TER ``1 - min(score, 100) / 100``.

    The function's ``__name__``, by which trainers log, is the metric's, followed by the options
    that change its scores: ``chrf_reward``, ``chrf_word_order_2_reward``. Options that are neither
    numbers nor simple words are abbreviated to a checksum. Functions of the same qualified name
    share one.

    A reference is a str, or a list of str of which each may be matched. A chat, as TRL has them, is
    scored by the assistant's last message, whose content is a str or a list of parts of text. A
    sample of TRL whose reference is None belongs to another task: its reward is None, which TRL
    leaves out. verl and OpenRLHF want a number for each sample, so there None is refused.

    Examples
    --------
    >>> reward = bleu_reward("trl")
    >>> completions, references = ["It is raining.", "It rains."], ["It rains.", "It rains."]
    >>> [round(fraction, 3) for fraction in reward(completions, ground_truth=references)]
    [0.19, 1.0]
    >>> compute_score = bleu_reward("verl", scale=10)
    >>> compute_score("weather", "It rains", ["It rained", "It rains"], extra_info=None)
    10.0
    >>> import asyncio
    >>> reward = bleu_reward("trl", asynchronous=True)
    >>> asyncio.run(reward(completions=["It rains"], ground_truth=["It rains"]))
    [1.0]
    """
    if not isinstance(framework, str) or framework not in FRAMEWORKS:
        raise ValueError(f"framework: expected one of {', '.join(FRAMEWORKS)}; got {framework!r}")
    if metric is None:
        metric = BLEU(effective_order=True, force=True)
    name = type(metric).__name__
    if not isinstance(metric, Metric):
        raise TypeError(f"metric: expected a metric that scores texts, got {name}")
    if metric._full_score is None:
        raise ValueError(f"metric: expected scores with a fixed upper bound, got {name}")
    if not metric._rows_add_up:
        raise ValueError(
            f"metric: expected information, without which {name} weighs n-grams by the references "
            f"of each batch"
        )
    if reference_key is not None and framework == "openrlhf":
        raise ValueError("reference_key: openrlhf has labels only, expected None")
    if reference_key is not None and not isinstance(reference_key, str):
        raise TypeError(f"reference_key: expected str, got {type(reference_key).__name__}")
    if extract is not None and not callable(extract):
        raise TypeError(f"extract: expected a callable, got {type(extract).__name__}")
    if isinstance(scale, bool) or not isinstance(scale, int | float):
        raise TypeError(f"scale: expected a number, got {type(scale).__name__}")
    if not 0 < scale < float("inf"):
        raise ValueError(f"scale: expected a finite number above 0, got {scale}")
    check_flag("asynchronous", asynchronous)
    if asynchronous and framework == "openrlhf":
        raise ValueError("asynchronous: openrlhf awaits no rewards, expected False")
    if reference_key is None and framework == "trl":
        reference_key = REFERENCE_KEY
    reward = FRAMEWORKS[framework](metric, scale, extract, reference_key)
    return AsyncReward(reward) if asynchronous else reward
