"""What references do to a metric, as a table: a figure for each set of them."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class ReferenceEffect:
    """How a metric agrees with people, given some of the references.

    Attributes
    ----------
    references : tuple of str
        Their names.
    scores : dict of str to float
        The metric's score of each system; systems that are among the references are left out.
    value : float
        The figure; nan with fewer than two systems.
    without : dict of str to float
        The same without one system, for each system.
    """

    def __init__(
        self,
        references: "tuple[str, ...]",
        scores: "dict[str, float]",
        value: float,
        without: "dict[str, float]",
    ) -> None:
        self.references = references
        self.scores = scores
        self.value = value
        self.without = without

    @property
    def outlier(self) -> "str | None":
        """The system without which the figure differs most; None if none makes a difference."""
        moves = {name: abs(value - self.value) for name, value in self.without.items()}
        moves = {name: move for name, move in moves.items() if move > 0}
        return max(moves, key=lambda name: moves[name]) if moves else None


class ReferenceEffects:
    """A figure for each set of references: ``result["A", "B"]``; made by `reference_effects`.

    Attributes
    ----------
    metric, figure, by : str
        The name of the scores, and the figure.
    effects : list of ReferenceEffect
        Smaller sets first.
    """

    def __init__(
        self, metric: str, figure: str, by: str, effects: "Sequence[ReferenceEffect]"
    ) -> None:
        self.metric = metric
        self.figure = figure
        self.by = by
        self.effects = list(effects)

    def __len__(self) -> int:
        return len(self.effects)

    def __iter__(self) -> "Iterator[ReferenceEffect]":
        return iter(self.effects)

    def __getitem__(self, references: "str | tuple[str, ...]") -> ReferenceEffect:
        wanted = {references} if isinstance(references, str) else set(references)
        for effect in self.effects:
            if set(effect.references) == wanted:
                return effect
        raise KeyError(references)

    def by_size(self) -> "dict[int, tuple[float, float, float]]":
        """Return the lowest, the mean and the highest figure of each number of references.

        Returns
        -------
        dict of int to (float, float, float)
            Sets whose figure is nan are left out.
        """
        groups: dict[int, list[float]] = {}
        for effect in self.effects:
            if effect.value == effect.value:
                groups.setdefault(len(effect.references), []).append(effect.value)
        return {
            size: (min(own), sum(own) / len(own), max(own)) for size, own in groups.items()
        }

    def __repr__(self) -> str:
        names = [" + ".join(effect.references) for effect in self.effects]
        width = max(map(len, [*names, "references"]))
        lines = [f"{self.metric}, {self.figure} by {self.by}", f"{'references':{width}}   value"]
        for name, effect in zip(names, self.effects, strict=True):
            line = f"{name:{width}}  {effect.value:6.3f}"
            if effect.outlier is not None:
                line += f"  {effect.without[effect.outlier]:6.3f} without {effect.outlier}"
            lines.append(line)
        return "\n".join(lines)
