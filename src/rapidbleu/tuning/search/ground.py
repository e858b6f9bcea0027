"""The ground of climbs: n-best lists that answer what climbs ask, in memory or elsewhere."""

from abc import ABC, abstractmethod

from rapidbleu._core.tuning.line_search import Landscape, WeightPoint
from rapidbleu.counts import check_type
from rapidbleu.parallel import in_parts
from rapidbleu.tuning.lists.nbest import NBestList
from rapidbleu.tuning.search.ascent import TOGETHER, Ascent
from rapidbleu.tuning.search.asking import Ask, Follower
from rapidbleu.tuning.search.limits import default_ranges
from rapidbleu.tuning.search.starts import Starts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.scoring import RowScoring
    from rapidbleu.typing import FloatArray, Progress, StepCallback


class Ground(ABC):
    """N-best lists that climbs ask, wherever they are; a subclass knows where.

    Parameters
    ----------
    metric : metric
        Of the statistics.
    names : tuple of str
        Of the features.
    """

    def __init__(self, metric: "RowScoring", names: tuple[str, ...]) -> None:
        self.metric = metric
        self.names = names

    @abstractmethod
    def ranges(self) -> "FloatArray":
        """Return what `default_ranges` returns for all segments."""

    @abstractmethod
    def evaluate(self, weights: "FloatArray") -> float:
        """Return the score of what weights choose."""

    @abstractmethod
    def climb(
        self, starts: Starts, callback: "StepCallback | None", progress: "Progress | None"
    ) -> tuple[list[Ascent], bool]:
        """Climb from all starts.

        Returns
        -------
        (list of Ascent, bool)
            The climbs that began, in the order of starts, and whether Ctrl-C ended them.
        """


class ListGround(Ground):
    """A list in memory, searched by threads: over the starts, or over lines if there is one start.

    Parameters
    ----------
    nbest : NBestList
        With dense features.
    threads : int
    """

    def __init__(self, nbest: NBestList, threads: int) -> None:
        check_type("nbest", nbest, NBestList)
        super().__init__(nbest.metric, nbest.names)
        self.nbest = nbest
        self.columns = nbest.columns()  # which refuses sparse features
        self.threads = threads

    def ranges(self) -> "FloatArray":
        """Return ranges of weights in which each feature can tell as much as any other."""
        return default_ranges(self.nbest)

    def evaluate(self, weights: "FloatArray") -> float:
        """Return the score of what weights choose."""
        return float(self.nbest.evaluate(weights))

    def climb(
        self, starts: Starts, callback: "StepCallback | None", progress: "Progress | None"
    ) -> tuple[list[Ascent], bool]:
        """Climb from all starts, as many at a time as there are threads."""
        from _thread import allocate_lock

        over_starts = self.threads if starts.n > 1 else 1
        over_lines = 1 if over_starts > 1 else min(self.threads, TOGETHER)
        lock, done = allocate_lock(), 0
        ascents: list[Ascent] = []
        failed: list[bool] = []  # a thread; the others stop, however many climbs they have left
        interrupted = False

        def report(entry: "dict[str, Any]") -> None:
            if callback is not None:
                with lock:
                    callback(entry)

        def work(begin: int, end: int, stop: list[BaseException]) -> None:
            nonlocal done
            answers = _Answers(self, over_lines, stop)
            for number in range(begin, end):
                if stop or failed:
                    break
                ascents.append(ascent := starts.ascent(number))
                try:
                    answers.lead(ascent, report)
                    with lock:
                        done += 1
                        if progress is not None:
                            progress(done, starts.n)
                except BaseException:
                    failed.append(True)
                    raise

        try:
            in_parts(work, starts.n, over_starts, 1)
        except KeyboardInterrupt:
            interrupted = True
        return sorted(ascents, key=lambda ascent: ascent.number), interrupted


class _Answers:
    """Answers for one climb after the other, with room for the lines that are searched together."""

    def __init__(self, ground: ListGround, threads: int, stop: list[BaseException]) -> None:
        nbest = ground.nbest
        self.ground = ground
        self.stop = stop
        self.follower = Follower(WeightPoint(ground.columns, nbest._counts))
        self.landscapes = [Landscape(nbest.metric._kernel, nbest.stats) for _ in range(threads)]

    def lead(self, ascent: Ascent, callback: "StepCallback") -> None:
        """Answer all that a climb asks."""
        climb = ascent.climb(callback)
        answer: Any = None
        try:
            while True:
                ask = climb.send(answer)
                self.follower.follow(ask.trail, self.stop)
                if ask.lines is None:
                    answer = self.ground.evaluate(ask.trail.weights)
                else:
                    answer = self._best_points(ask)
        except StopIteration:
            pass

    def _best_points(self, ask: Ask) -> list[tuple[float, ...]]:
        """Return the best point of each line, in their order."""
        lines, trail, stop = ask.lines or [], ask.trail, self.stop
        point, idle = self.follower.point, list(self.landscapes)

        def work(begin: int, end: int, own_stop: list[BaseException]) -> "Any":
            landscape = idle.pop()
            found = []
            for i in range(begin, end):
                line = lines[i]
                landscape.survey(
                    point, line.direction, line.low, line.high, trail.closest, stop or own_stop
                )
                found.append((i, ask.best_point(landscape, line, stop or own_stop)))
            idle.append(landscape)
            return found

        parts = in_parts(work, len(lines), len(self.landscapes), 1)
        return [found for _, found in sorted(one for part in parts for one in part)]
