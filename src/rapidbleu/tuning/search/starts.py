"""Where climbs begin."""

from rapidbleu.tuning.search.ascent import Ascent, Rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.typing import FloatArray


class Starts:
    """Where climbs begin: at given starts, then at random ones, each drawn when it is needed.

    Parameters
    ----------
    rules : Rules
    given : float64 array of shape (k, n_features)
    n_drawn : int
    seed : int
    ranges : float64 array of shape (n_features, 2), optional
        Where random starts are drawn from, if there are any.
    """

    def __init__(
        self,
        rules: Rules,
        given: "FloatArray",
        n_drawn: int,
        seed: int,
        ranges: "FloatArray | None",
    ) -> None:
        self.rules = rules
        self.given = given
        self.n = len(given) + n_drawn
        self.seed = seed
        self.ranges = ranges

    def ascent(self, number: int) -> Ascent:
        """Return the climb from a start, with random numbers of its own."""
        import numpy as np

        # The child that `SeedSequence(seed).spawn` makes as this one of any number of children.
        sequence = np.random.SeedSequence(self.seed, spawn_key=(number,))
        generator = np.random.default_rng(sequence)
        if number < len(self.given):
            start = self.given[number]
        else:
            assert self.ranges is not None
            rules, drawn = self.rules, generator.uniform(self.ranges[:, 0], self.ranges[:, 1])
            start = np.where(rules.free == 1, np.clip(drawn, rules.low, rules.high), self.given[0])
        return Ascent(self.rules, number, start, generator)
