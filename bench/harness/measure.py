"""Equality checks followed by timing, the same for every contender.

A case is one job for our code and for its peers. `Comparison.check` runs each contender once and
raises `Difference` unless their outcomes agree. `Comparison.measure` then alternates (A B A B ...)
in this process, with the garbage collector on, and reports the median time and the median ratio
within a round, which a busy machine disturbs least.
"""

import gc
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import ceil
from statistics import median
from typing import Any, Protocol

CLOCKS: dict[str, Callable[[], int]] = {
    "CPU ns": time.thread_time_ns,
    "process CPU ns": time.process_time_ns,  # for peers with threads of their own
    "wall ns": time.perf_counter_ns,
}
_MIN_SAMPLE_NS = 2_000_000
_OUR_SHARE = 0.05
_MAX_OUR_CALLS = 50


class Difference(Exception):
    """A contender's result differs from ours."""


@dataclass(frozen=True)
class Effort:
    """Measuring effort per case: seconds to spend, and limits on the number of rounds."""

    seconds: float
    min_turns: int
    max_turns: int


FULL = Effort(seconds=8.0, min_turns=3, max_turns=51)
BRIEF = Effort(seconds=2.0, min_turns=3, max_turns=51)
QUICK = Effort(seconds=1.0, min_turns=3, max_turns=7)


@dataclass(frozen=True)
class Record:
    """One measured line: our code alone, or compared with one peer. Quantities are per job."""

    topic: str
    job: str
    corpus: str
    quantity: str
    ours: float
    n_units: int
    unit: str
    turns: int
    peer: str | None = None
    theirs: float | None = None
    ratio: float | None = None
    compared: str | None = None
    headline: bool = False
    scores: dict[str, float] | None = None  # reached in that time


class Case(Protocol):
    def check(self) -> int:
        """Compare the contenders; return the number of comparisons."""

    def measure(self, effort: Effort) -> list[Record]:
        """Measure the contenders."""


def exactly(ours: Any, theirs: Any) -> bool:
    return bool(ours == theirs)


@dataclass(frozen=True)
class Contender:
    """One way to do the job.

    Parameters
    ----------
    name
        Printed name.
    run
        The timed callable.
    before
        Untimed setup before each run, such as emptying caches.
    outcome
        Returns the value to compare with our outcome, if it is not the result of `run`.
    agrees
        Whether our outcome and this one are the same.
    compared
        That comparison in words.
    timed
        False for a contender that is only compared.
    share
        Fraction of the job that `run` does, for a peer too slow for all of it: its time is divided
        by this, which is fair where time is linear in the number of units. Only that part is
        compared, so `name` mentions it, and our `outcome` or `agrees` cuts it out.
    """

    name: str
    run: Callable[[], Any]
    before: Callable[[], None] | None = None
    outcome: Callable[[], Any] | None = None
    agrees: Callable[[Any, Any], bool] = exactly
    compared: str = "score, counts, totals, precisions, bp, lengths: =="
    timed: bool = True
    share: float = 1.0

    def result(self) -> Any:
        return (self.outcome or self.run)()

    def sample(self, clock: Callable[[], int], n_calls: int) -> float:
        if self.before:
            self.before()
        run = self.run
        start = clock()
        for _ in range(n_calls):
            run()
        return (clock() - start) / n_calls


@dataclass(frozen=True)
class Comparison:
    """A job done by our code and by its peers in one process."""

    topic: str
    job: str
    corpus: str
    ours: Contender
    peers: list[Contender]
    n_units: int
    unit: str
    quantity: str = "CPU ns"
    headline: bool = False
    timed: list[Contender] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "timed", [peer for peer in self.peers if peer.timed])

    def check(self) -> int:
        ours = self.ours.result()
        for peer in self.peers:
            theirs = peer.result()
            if not peer.agrees(ours, theirs):
                raise Difference(
                    f"{self.topic}, {self.job}, {self.corpus}: {self.ours.name} and {peer.name} "
                    f"differ ({peer.compared}): {_difference(ours, theirs)}"
                )
        return len(self.peers)

    def measure(self, effort: Effort) -> list[Record]:
        clock = CLOCKS[self.quantity]
        gc.collect()  # on from here, as in programs: it is a fifth of sacrebleu's time
        shares = [1.0, *(peer.share for peer in self.timed)]
        times = [
            [duration / share for duration, share in zip(turn, shares, strict=True)]
            for turn in self._turns(clock, effort)
        ]
        columns = list(zip(*times, strict=True))
        ours = median(columns[0])
        common = (self.topic, self.job, self.corpus, self.quantity, ours, self.n_units, self.unit)
        if not self.timed:
            return [Record(*common, turns=len(times), headline=self.headline)]
        return [
            Record(
                *common,
                turns=len(times),
                headline=self.headline,
                peer=peer.name,
                theirs=median(column),
                compared=peer.compared,
                ratio=median(theirs / own for own, theirs in zip(columns[0], column, strict=True)),
            )
            for peer, column in zip(self.timed, columns[1:], strict=True)
        ]

    def _turns(self, clock: Callable[[], int], effort: Effort) -> Iterator[list[float]]:
        """Yield the times of each round, ours first."""
        contenders = [self.ours, *self.timed]
        first = [contender.sample(clock, 1) for contender in contenders]
        n_calls = [
            1 if contender.before else ceil(_MIN_SAMPLE_NS / max(1, duration))
            for contender, duration in zip(contenders, first, strict=True)
        ]
        share = ceil(_OUR_SHARE * max(first) / max(1, first[0]))
        n_calls[0] = max(n_calls[0], min(share, _MAX_OUR_CALLS))
        turn = sum(n * duration for n, duration in zip(n_calls, first, strict=True))
        n_turns = int(effort.seconds * 1e9 / turn)
        for _ in range(min(max(n_turns, effort.min_turns), effort.max_turns)):
            yield [c.sample(clock, n) for c, n in zip(contenders, n_calls, strict=True)]


def _difference(ours: Any, theirs: Any) -> str:
    """Describe the first position at which two outcomes differ."""
    if isinstance(ours, list | tuple) and isinstance(theirs, list | tuple):
        if len(ours) != len(theirs):
            return f"{len(ours)} and {len(theirs)} elements"
        for i, (own, other) in enumerate(zip(ours, theirs, strict=True)):
            if own != other:
                return f"[{i}] {_difference(own, other)}"
    return f"{ours!r} and {theirs!r}"
