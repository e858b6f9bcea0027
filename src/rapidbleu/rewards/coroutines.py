"""Reward functions that are awaited: a thread does the work while the event loop goes on."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class AsyncReward:
    """A reward function as a coroutine function, which ``inspect.iscoroutinefunction`` recognizes.

    It takes and returns what the function takes and returns, and has its attributes.

    Parameters
    ----------
    reward : callable
        What `bleu_reward` returns without `asynchronous`.

    Notes
    -----
    The thread is one of the event loop's default executor. A call that is cancelled ends at once;
    its thread finishes the batch, and the result is dropped.

    Examples
    --------
    >>> import asyncio
    >>> from rapidbleu import bleu_reward
    >>> reward = AsyncReward(bleu_reward("trl", scale=2))
    >>> asyncio.run(reward(["It rains."], ground_truth=["It rains."]))
    [2.0]
    """

    def __init__(self, reward: "Callable[..., Any]") -> None:
        from functools import update_wrapper

        self.reward = reward
        update_wrapper(self, reward)
        # What `inspect` looks at, as unittest.mock has it for coroutine functions, too: Python 3.11
        # has no `inspect.markcoroutinefunction`.
        self.__code__ = type(self).__call__.__code__
        self.__defaults__ = self.__kwdefaults__ = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.reward!r})"

    def __reduce__(self) -> "tuple[type[AsyncReward], tuple[Callable[..., Any]]]":
        return type(self), (self.reward,)

    async def __call__(self, *batch: "Any", **columns: "Any") -> "Any":
        """Return what the function returns for these arguments."""
        from asyncio import to_thread

        return await to_thread(self.reward, *batch, **columns)
