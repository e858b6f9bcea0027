"""What a study is made of: scores of people and of metrics, of the same systems and segments."""

from typing import TYPE_CHECKING

from rapidbleu.cli.messages import CommandError, say
from rapidbleu.meta import SystemScores

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rapidbleu.typing import FloatArray

SHOWN = 8  # names in an error


class Segments:
    """The columns of all scores: segments by the names that files have for them.

    Parameters
    ----------
    names : sequence of str
        A name for each, no two the same.
    hint : str
        What an error adds.
    """

    def __init__(self, names: "Sequence[str]", hint: str = "") -> None:
        self.names = tuple(names)
        self.hint = hint
        self.places = {name: i for i, name in enumerate(self.names)}

    @classmethod
    def numbered(cls, n: int, first: int) -> "Segments":
        """Return segments that are named by their line's number, which begins with `first`."""
        numbers = [str(number) for number in range(first, first + n)]
        other = 1 - first
        return cls(numbers, f"; --first-segment {other} counts lines from {other}")

    def place(self, name: str, where: str) -> int:
        """Return a segment's column."""
        if name not in self.places:
            raise CommandError(
                f"{where}: expected a segment from {self.names[0]!r} to {self.names[-1]!r}, "
                f"got {name!r}{self.hint}"
            )
        return self.places[name]

    def spread(self, scores: SystemScores, systems: "Sequence[str]", where: str) -> SystemScores:
        """Return scores of these systems in these columns, nan where there is none."""
        import numpy as np

        own = scores.of(systems)
        names = own.segments or self.names
        if len(names) != own.values.shape[1]:
            raise CommandError(
                f"{where}: expected scores of {len(self.names)} segments, got {own.values.shape[1]}"
            )
        values = np.full((len(systems), len(self.names)), np.nan)
        values[:, [self.place(name, where) for name in names]] = own.values
        return SystemScores(values, systems, self.names)


class Material:
    """Scores of people, and of metrics in the direction that more is better.

    Attributes
    ----------
    human : SystemScores
    metrics : dict of str to SystemScores or to dict of str to float
        Scores of segments; of systems, if there are no others.
    system_scores : dict of str to dict of str to float
        Of metrics whose score of a system is not the mean of its segments'.
    negated : list of str
        Metrics, and "human", of whose scores less is better.
    signatures : dict of str to str
        Of metrics that were computed here.
    """

    def __init__(self, human: SystemScores) -> None:
        self.human = human
        self.metrics: dict[str, SystemScores | dict[str, float]] = {}
        self.system_scores: dict[str, dict[str, float]] = {}
        self.negated: list[str] = []
        self.signatures: dict[str, str] = {}

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.human.systems or ()

    def judged(self) -> list[bool]:
        """Return which segments people scored of some system."""
        import numpy as np

        counts = (~np.isnan(self.human.values)).sum(axis=0)
        return [count > 0 for count in counts.tolist()]

    def of_judged(self, scores: SystemScores) -> SystemScores:
        """Return scores without those of segments that people did not score."""
        import numpy as np

        values = np.where(self.judged(), scores.values, np.nan)
        return SystemScores(values, scores.systems, scores.segments)

    def add(
        self,
        name: str,
        segments: SystemScores | None,
        systems: "dict[str, float] | None" = None,
        higher_is_better: bool = True,
    ) -> None:
        """Add a metric, by scores of segments, of systems, or both."""
        if name in self.metrics:
            raise CommandError(f"{name}: expected one metric of this name, got two")
        if name == "human":
            raise CommandError("human: expected another name, as people's scores have this one")
        own = None if systems is None else {system: systems[system] for system in self.systems}
        if segments is not None:
            self.metrics[name] = segments
            if own is not None and not _are_means(own, segments):
                self.system_scores[name] = own
        elif own is not None:
            self.metrics[name] = own
        if not higher_is_better:
            self.negate([name])

    def negate(self, names: "Iterable[str]") -> None:
        """Turn the direction of metrics, or of people, around."""
        for name in names:
            if name == "human":
                self.human = _negative(self.human)
            elif name in self.metrics:
                scores = self.metrics[name]
                self.metrics[name] = (
                    _negative(scores) if isinstance(scores, SystemScores) else _minus(scores)
                )
                if name in self.system_scores:
                    self.system_scores[name] = _minus(self.system_scores[name])
            else:
                known = ", ".join(map(repr, (*self.metrics, "human")))
                raise CommandError(f"--negate: expected one of {known}, got {name!r}")
            if name in self.negated:
                self.negated.remove(name)
            else:
                self.negated.append(name)

    def means(self, name: str) -> "FloatArray":
        """Return the score of each system: a metric's, or people's by the name "human"."""
        import numpy as np

        if name == "human":
            return self.human.means()
        scores = self.system_scores.get(name, self.metrics[name])
        if isinstance(scores, SystemScores):
            return scores.means()
        return np.array([scores[system] for system in self.systems])


def judged_systems(
    human: SystemScores,
    known: "Sequence[str]",
    left_out: "Sequence[str]",
    where: str,
    expected: str,
    quiet: bool,
) -> list[str]:
    """Return the systems that people scored, in the order of `known`.

    Parameters
    ----------
    human : SystemScores
    known : sequence of str
        Systems with outputs or other scores.
    left_out : sequence of str
        Systems that are not wanted.
    where : str
        The file of the human scores.
    expected : str
        What an error says that an unknown system lacks.
    quiet : bool
        Do not say which of the known ones people did not score.
    """
    import numpy as np

    names = human.systems or ()
    scored = np.flatnonzero((~np.isnan(human.values)).any(axis=1)).tolist()
    judged = [names[i] for i in scored]
    for name in left_out:
        if name not in known and name not in names:
            raise CommandError(f"--leave-out: expected a system, {listed(known)}, got {name!r}")
    unknown = [name for name in judged if name not in known and name not in left_out]
    if unknown:
        raise CommandError(
            f"{where}: expected scores of systems with {expected}, {listed(known)}, got those of "
            f"{listed(unknown)}; to compare without: --leave-out {' '.join(unknown)}"
        )
    found = [name for name in known if name in judged and name not in left_out]
    for name in known:
        if name not in judged and name not in left_out and not quiet:
            say(f"{name}: people scored nothing of it, it is left out")
    check_number(found, where)
    return found


def check_number(systems: "Sequence[str]", where: str) -> None:
    """Refuse less than two systems."""
    if len(systems) < 2:
        raise CommandError(f"{where}: expected at least 2 systems to compare, got {len(systems)}")


def listed(names: "Sequence[str]") -> str:
    """Return names for a message, not all if they are many."""
    return ", ".join(map(repr, names[:SHOWN])) + ", ..." * (len(names) > SHOWN)


def _are_means(systems: "dict[str, float]", segments: SystemScores) -> bool:
    import numpy as np

    values = [systems[name] for name in segments.systems or ()]
    return bool(np.allclose(values, segments.means(), rtol=1e-9, atol=1e-9, equal_nan=True))


def _negative(scores: SystemScores) -> SystemScores:
    return SystemScores(0.0 - scores.values, scores.systems, scores.segments)


def _minus(scores: "dict[str, float]") -> "dict[str, float]":
    return {name: 0.0 - score for name, score in scores.items()}
