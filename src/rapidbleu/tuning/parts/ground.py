"""The side of the climb: asks for all parts at once, and answers put together again.

Sums of statistics are integers, and the events of a line are sorted before they are scored. So the
answers do not depend on how many parts there are, what segments they have, or which is first: they
are those of a list in memory, to the last bit.

An ask for other processes takes long, so all climbs go step by step together, and what they ask at
the same time is one job.
"""

from abc import abstractmethod

from rapidbleu._core.tuning.line_search import Landscape
from rapidbleu.tuning.parts.events import Events
from rapidbleu.tuning.search.ascent import TOGETHER, Ascent
from rapidbleu.tuning.search.asking import Ask, Trail
from rapidbleu.tuning.search.ground import Ground
from rapidbleu.tuning.search.starts import Starts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from typing import Any

    from rapidbleu.scoring import RowScoring
    from rapidbleu.typing import FloatArray, Progress, StepCallback

ROOM = 1 << 27  # bytes of events that are asked for at once, about
EVENTS = 8  # of a segment on a line, as long as no line was seen


class PartedGround(Ground):
    """Lists in parts that other processes hold; a subclass knows how to ask these.

    Parameters
    ----------
    metric : metric
        Of the statistics.
    names : tuple of str
        Of the features.
    n_parts, n_segments : int
    """

    def __init__(
        self, metric: "RowScoring", names: tuple[str, ...], n_parts: int, n_segments: int
    ) -> None:
        import numpy as np

        super().__init__(metric, names)
        self.n_parts = n_parts
        self.n_stats = metric._kernel.n_stats
        self._line_bytes = n_segments * EVENTS * (8 + self.n_stats)
        self._landscape = Landscape(metric._kernel, np.empty((0, self.n_stats), np.int64))

    @abstractmethod
    def ask_parts(self, asks: list[Ask]) -> "Iterable[tuple[int, bytes]]":
        """Return what each part answers, in any order: packed events, and their number.

        The lines of all asks are numbered in their order; an ask without lines counts as one.
        """

    def evaluate(self, weights: "FloatArray") -> float:
        """Return the score of what weights choose."""
        return float(self._answers([Ask(Trail(weights, False))])[0])

    def landscape(self, ask: Ask) -> tuple[Landscape, int]:
        """Return the landscape of an ask for a single line, and the number of its boundaries.

        The next call of any method changes it.
        """
        [events] = self._gather([ask])
        return self._landscape, self._sweep(events)

    def climb(
        self, starts: Starts, callback: "StepCallback | None", progress: "Progress | None"
    ) -> tuple[list[Ascent], bool]:
        """Climb from all starts, step by step together."""
        ascents: list[Ascent] = []
        climbs: dict[int, Generator[Ask, Any, None]] = {}
        answers: dict[int, Any] = {}
        done = 0
        try:
            while done < starts.n:
                while len(climbs) < TOGETHER and len(ascents) < starts.n:
                    ascents.append(starts.ascent(len(ascents)))
                    climbs[ascents[-1].number] = ascents[-1].climb(callback or _pass_over)
                asks = {}
                for number, climb in list(climbs.items()):
                    try:
                        asks[number] = climb.send(answers.pop(number, None))
                    except StopIteration:
                        del climbs[number]
                        done += 1
                        if progress is not None:
                            progress(done, starts.n)
                answers = dict(zip(asks, self._answers([*asks.values()]), strict=True))
        except KeyboardInterrupt:
            return ascents, True
        return ascents, False

    def _answers(self, asks: list[Ask]) -> "list[Any]":
        """Return a score for each ask without lines, the best points of lines for the others."""
        answers: list[Any] = [[] for _ in asks]
        for job in self._jobs(asks):
            gathered = iter(self._gather([ask for _, ask in job]))
            for i, ask in job:
                if ask.lines is None:
                    answers[i] = self._score(next(gathered))
                for line in ask.lines or ():
                    self._sweep(next(gathered))
                    answers[i].append(ask.best_point(self._landscape, line))
        return answers

    def _jobs(self, asks: list[Ask]) -> "Iterator[list[tuple[int, Ask]]]":
        """Yield asks and their places, of as many lines together as there is room for."""
        job: list[tuple[int, Ask]] = []
        room = ROOM
        for i, ask in enumerate(asks):
            lines = ask.lines
            if lines is None:
                job.append((i, ask))
            while lines:
                n = max(room // self._line_bytes, not job)
                if n:
                    some = Ask(ask.trail, lines[:n], ask.smoothing, ask.window)
                    job.append((i, some))
                    room -= len(lines[:n]) * self._line_bytes
                    lines = lines[n:]
                if lines:
                    yield job
                    job, room = [], ROOM
        if job:
            yield job

    def _gather(self, asks: list[Ask]) -> list[list[bytes]]:
        """Return what all parts answer, by the numbers of lines."""
        n = sum(1 if ask.lines is None else len(ask.lines) for ask in asks)
        gathered: list[list[bytes]] = [[] for _ in range(n)]
        for number, events in self.ask_parts(asks):
            gathered[number].append(events)
        for answers in gathered:
            if len(answers) != self.n_parts:
                raise ValueError(
                    f"parts: expected answers of {self.n_parts}, got {len(answers)}; do they "
                    f"change while they are searched?"
                )
        if any(ask.lines for ask in asks):
            most = max(sum(map(len, answers)) for answers in gathered)
            self._line_bytes = max(most, 1)
        return gathered

    def _sweep(self, answers: list[bytes]) -> int:
        """Put the events of a line together; return the number of boundaries."""
        self._landscape.clear()
        for events in answers:
            Events.unpack(events, self.n_stats).add_to(self._landscape)
        return self._landscape.sweep()

    def _score(self, answers: list[bytes]) -> float:
        totals = (Events.unpack(events, self.n_stats).totals.tolist() for events in answers)
        sums = [sum(column) for column in zip(*totals, strict=True)]
        return float(self.metric.score_rows([sums])[0])


def _pass_over(entry: "dict[str, Any]") -> None:
    """Do without a callback."""
