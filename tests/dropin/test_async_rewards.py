"""Rewards that are awaited: recognized by trainers, equal to the others, beside the event loop."""

import asyncio
import copy
import functools
import inspect
import pickle
from random import Random
from threading import Event
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, TER
from rapidbleu.rewards import AsyncReward, TrlReward, VerlReward, bleu_reward
from support.corpora import perturb, random_segments

_RNG = Random("asynchronous")
TRUTHS = random_segments(_RNG, 64, kind="mixed")
SAMPLES = [perturb(_RNG, text) for text in TRUTHS]
METRICS = [BLEU(effective_order=True), CHRF(), TER()]
LONG = 20  # seconds that a test waits, if it fails


def chat(text: str) -> list[dict[str, Any]]:
    part = {"type": "text", "text": text}
    return [{"role": "user", "content": "?"}, {"role": "assistant", "content": [part]}]


class Gate:
    """What extracts nothing, but says that it has begun, and waits until it is told to go on."""

    def __init__(self) -> None:
        self.begun, self.opened = Event(), Event()

    def __call__(self, text: str) -> str:
        self.begun.set()
        assert self.opened.wait(LONG)
        return text


@pytest.mark.parametrize("framework", ["trl", "verl"])
def test_trainers_recognize_them(framework: Any) -> None:
    plain = bleu_reward(framework, metric=CHRF())
    reward = bleu_reward(framework, metric=CHRF(), asynchronous=True)
    assert type(reward) is AsyncReward
    copies = [pickle.loads(pickle.dumps(reward)), copy.copy(reward), copy.deepcopy(reward)]
    for function in (reward, *copies):
        assert inspect.iscoroutinefunction(function)
        assert inspect.iscoroutinefunction(functools.partial(function, extra=1))
        assert inspect.iscoroutinefunction(type(function).__call__)  # TRL since pull 7213
        assert function.__name__ == "chrf_reward"  # in logs
        assert inspect.signature(function) == inspect.signature(plain)
        assert function.scale == plain.scale
        assert repr(function) == f"AsyncReward({plain!r})"
    assert not inspect.iscoroutinefunction(plain)
    assert type(bleu_reward(framework, asynchronous=False)) in (TrlReward, VerlReward)


def test_trl() -> None:
    """As its trainers do it: all of a batch's rewards at once, in a loop of another thread."""
    truths: list[Any] = [None, [TRUTHS[1], SAMPLES[2]], *TRUTHS[2:]]
    columns = {"prompts": [], "completions": [chat(text) for text in SAMPLES],
               "completion_ids": [], "ground_truth": truths, "trainer_state": object()}  # fmt: skip
    expected = [bleu_reward("trl", metric=metric)(**columns) for metric in METRICS]
    assert expected[0][0] is None
    rewards = [bleu_reward("trl", metric=metric, asynchronous=True) for metric in METRICS]

    async def all_of_them(functions: list[Any]) -> list[Any]:
        return await asyncio.gather(*(function(**columns) for function in functions))

    assert asyncio.run(all_of_them(rewards)) == expected
    assert asyncio.run(all_of_them(pickle.loads(pickle.dumps(rewards)))) == expected
    assert asyncio.run(all_of_them(rewards[:1] * 16)) == expected[:1] * 16


def test_verl() -> None:
    """As its reward loop does it: a partial function, each sample by itself, with a time limit."""
    plain = bleu_reward("verl", reference_key="target", scale=3)
    reward = bleu_reward("verl", reference_key="target", scale=3, asynchronous=True)
    truths = [{"target": np.array([text, "a b"], object)} for text in TRUTHS]
    expected = [plain("d", *pair) for pair in zip(SAMPLES, truths, strict=True)]

    async def call(raw: Any, *batch: Any, **more: Any) -> Any:
        return await raw(*batch, **more)

    compute_score = functools.partial(call, reward)

    async def all_of_them() -> list[Any]:
        return await asyncio.gather(*(
            asyncio.wait_for(
                compute_score("d", solution_str=text, ground_truth=truth, extra_info={}), LONG
            )
            for text, truth in zip(SAMPLES, truths, strict=True)
        ))  # fmt: skip

    scores = asyncio.run(all_of_them())
    assert scores == expected
    assert type(scores[0]) is float
    assert asyncio.run(reward(solution_strs=SAMPLES, ground_truths=truths)) == expected


def test_errors_are_those_of_the_function() -> None:
    reward = bleu_reward("trl", asynchronous=True)
    with pytest.raises(ValueError, match="ground_truth: expected 1, as many as completions, got 0"):
        asyncio.run(reward(["a"], ground_truth=[]))


def test_the_loop_goes_on() -> None:
    """Only the loop opens the gate that the reward waits at."""
    gate = Gate()
    reward = bleu_reward("trl", extract=gate, asynchronous=True)

    async def run() -> Any:
        task = asyncio.create_task(reward(["a b"], ground_truth=["a b"]))
        while not gate.begun.is_set():
            await asyncio.sleep(0)
        gate.opened.set()
        return await task

    assert asyncio.run(run()) == [1.0]


def test_cancelled_calls_end_at_once() -> None:
    gate = Gate()
    reward = bleu_reward("trl", extract=gate, asynchronous=True)

    async def run() -> Any:
        task = asyncio.create_task(reward(["a b"], ground_truth=["a b"]))
        while not gate.begun.is_set():
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not gate.opened.is_set()
        with pytest.raises(TimeoutError):  # also by a limit of time
            await asyncio.wait_for(reward(["a b"], ground_truth=["a b"]), 0.01)
        gate.opened.set()
        return await reward(["a b"], ground_truth=["a b"])

    assert asyncio.run(run()) == [1.0]
