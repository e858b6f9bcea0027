"""The start of a running score, for any metric."""

from rapidbleu.references import References
from rapidbleu.running import RunningScore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from rapidbleu.typing import Hypotheses, IntArray, Layout, Progress, ReferenceStreams


class RunningScoring:
    """What metrics have for the inner loop of a search."""

    if TYPE_CHECKING:  # supplied by the metric
        prepare: Callable[..., References]
        segment_stats: Callable[..., IntArray]

    def running(
        self,
        references: "ReferenceStreams",
        hypotheses: "Hypotheses | None" = None,
        *,
        layout: "Layout" = "stream",
        threads: int = 1,
        progress: "Progress | None" = None,
    ) -> RunningScore:
        """Return a running score: the score of a corpus while its hypotheses are being changed.

        Parameters
        ----------
        references : sequence of streams, or References
            As in `corpus_score`.
        hypotheses : sequence of segments, optional
            The hypotheses to begin with; empty ones by default.
        layout : {"stream", "segment"}
            Of the references.
        threads : int
            0 for all cores; the metric's by default.
        progress : callable, optional
            Called with the segments read and all of them.

        Returns
        -------
        RunningScore

        Examples
        --------
        >>> from rapidbleu import BLEU
        >>> bleu = BLEU(max_ngram_order=2)
        >>> running = bleu.running([["the cat sat", "it rained"]], ["a cat sat", "it rained"])
        >>> running.replace(0, "the cat sat")
        100.00000000000004
        """
        if not isinstance(references, References):
            references = self.prepare(references, layout=layout)
        if hypotheses is None:
            hypotheses = [references.empty_segment] * len(references)
        rows = self.segment_stats(hypotheses, references, threads=threads, progress=progress)
        return RunningScore(self, rows, references)
