"""Corpus scores with an interval, as sacrebleu's `n_bootstrap` gives them."""

from rapidbleu.loading.loader import load
from rapidbleu.parallel import check_threads
from rapidbleu.scoring import RowScoring, ScoreT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu._core.scoring.extraction import LastCalls
    from rapidbleu.typing import Hypotheses, IntArray, Layout, Progress, ReferenceStreams


class ResampledScoring(RowScoring[ScoreT]):
    """What a metric of text does with resamples."""

    if TYPE_CHECKING:
        _calls: LastCalls

    @property
    def num_refs(self) -> "int | None":
        """References of each segment that this thread scored last, -1 if it varied; None before."""
        return self._calls.own()[0]

    @property
    def n_bootstrap(self) -> "int | None":
        """Resamples behind the interval of the corpus scored last; None: it had none."""
        return self._calls.own()[1]

    @property
    def seed(self) -> "str | None":
        """Their seed, as signatures have it."""
        return self._calls.own()[2]

    def segment_stats(
        self,
        hypotheses: "Hypotheses",
        references: "ReferenceStreams | None" = None,
        *,
        layout: "Layout" = "stream",
        threads: int = 1,
        progress: "Progress | None" = None,
    ) -> "IntArray":
        """Return the rows of segments."""
        raise TypeError(f"{type(self).__name__} reads no text")

    def _score_resampled(
        self,
        hypotheses: "Hypotheses",
        references: "ReferenceStreams | None",
        n: int,
        layout: "Layout",
        threads: int,
        seed: "int | None",
        progress: "Progress | None",
    ) -> ScoreT:
        """Return the score of a corpus with the interval of n resamples."""
        load("rapidbleu.significance.single")
        from rapidbleu.counts import check_count
        from rapidbleu.significance.checks import check_seed
        from rapidbleu.significance.single import resampled

        check_count("n_bootstrap", n, 1)
        check_seed(seed)
        n_threads = check_threads(threads)
        rows = self.segment_stats(
            hypotheses, references, layout=layout, threads=n_threads, progress=progress
        )
        score, samples = resampled(self, rows, n, seed, n_threads)
        score.estimate_ci(samples.tolist())
        self._calls.remember(self.num_refs, n, str(seed).lower())
        return score

    def _resampling_entries(self) -> "dict[str, Any]":
        """Return what signatures say of the resamples."""
        return {"bs": self.n_bootstrap, "seed": self.seed}
