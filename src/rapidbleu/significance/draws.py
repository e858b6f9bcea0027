"""The random numbers of a seed: those that NumPy draws, made by our own generator where it agrees.

NumPy does not promise that its streams stay as they are. So both are asked for a few numbers of
the stream before it is used; if they ever differ, the numbers are NumPy's, and take its memory.
"""

from __future__ import annotations

from rapidbleu._core.resampling.resample import Stream
from rapidbleu._lib.checks import check_seed
from rapidbleu._lib.lazy import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    _Int32Array = np.ndarray[Any, np.dtype[np.int32]]
    _UInt32Array = np.ndarray[Any, np.dtype[np.uint32]]

FEW = 64  # numbers that are compared


class Draws:
    """Indices of segments and coins, from one seed.

    Parameters
    ----------
    seed : int or None
        None: another one each time.
    n_segments : int

    Attributes
    ----------
    stream : Stream or None
        None if NumPy's numbers have to be taken.

    Examples
    --------
    >>> draws = Draws(12345, 3004)
    >>> draws.all_indices(1)[0, :4]
    array([2100,  682, 2369,  951], dtype=int32)
    """

    def __init__(self, seed: int | None, n_segments: int) -> None:
        self.n_segments = n_segments
        self._sequence = np.random.SeedSequence(check_seed(seed))
        self.stream = self._own_stream()

    def generator(self) -> np.random.Generator:
        """Return NumPy's generator, from which nothing was drawn yet."""
        return np.random.default_rng(self._sequence)

    def _own_stream(self) -> Stream | None:
        """Return our generator, if it says what NumPy's says."""
        generator = self.generator()
        state = generator.bit_generator.state
        if state["bit_generator"] != "PCG64" or not 1 <= self.n_segments < 2**31:
            return None
        stream = Stream(state["state"]["state"], state["state"]["inc"])
        indices, words = np.empty(FEW, np.int32), np.empty(FEW // 32, np.uint32)
        place = stream.draw(self.n_segments, indices)
        stream.copy(words, place)
        theirs = generator.choice(self.n_segments, size=FEW, replace=True)
        coins = generator.integers(2, size=FEW, dtype=bool)
        ours = (words[:, np.newaxis] >> np.arange(32, dtype=np.uint32) & 1).ravel()
        same = np.array_equal(indices, theirs) and np.array_equal(ours, coins)
        return stream if same else None

    def place_after(self, trials: int) -> int:
        """Return where the stream stands after so many trials of coins for all segments."""
        return (trials * self.n_segments + 31) // 32

    def all_indices(self, n: int, trials: int = 0) -> _Int32Array:
        """Return NumPy's indices of n resamples, after so many trials of coins."""
        generator = self.generator()
        if trials:
            generator.integers(2, size=(trials, self.n_segments), dtype=bool)
        drawn = generator.choice(self.n_segments, size=(n, self.n_segments), replace=True)
        indices: _Int32Array = drawn.astype(np.int32)
        return indices

    def coins(self, trials: int, first: int, n: int) -> _UInt32Array:
        """Return the coins of n of the trials as bits, with two words more than they need.

        Parameters
        ----------
        trials : int
            Of the whole test.
        first, n : int
            Which of them; `first` is a multiple of 32.
        """
        n_words = (n * self.n_segments + 31) // 32
        words = np.zeros(n_words + 2, np.uint32)
        if self.stream is not None:
            self.stream.copy(words, first // 32 * self.n_segments)
            return words
        coins = self.generator().integers(2, size=(trials, self.n_segments), dtype=bool)
        packed = np.packbits(coins[first : first + n], bitorder="little")
        words[:n_words] = np.concatenate([packed, np.zeros(-len(packed) % 4, np.uint8)]).view("<u4")
        return words
