"""How sure the score of a table is, by resamples that do not depend on how rows are divided."""

from rapidbleu.rows.labelled import LabelledRows
from rapidbleu.significance.checks import check_level
from rapidbleu.significance.poisson import poisson_sums, score_of_sums

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.significance.result import ResampledScore
    from rapidbleu.typing import IntArray, Progress


class ResampledRows(LabelledRows):
    """What `StatsTable` says of resamples of its rows."""

    def poisson_sums(
        self,
        n: int = 1000,
        *,
        seed: int = 12345,
        threads: int = 1,
        progress: "Progress | None" = None,
    ) -> "IntArray":
        """Add up the rows for each resample of the Poisson bootstrap.

        Parameters
        ----------
        n, seed, threads, progress
            As in `bootstrap`.

        Returns
        -------
        int64 array of shape (n, n_stats)
            Those of the parts of a corpus, added up, are those of the merged table.

        Raises
        ------
        TypeError, ValueError
            As `rapidbleu.significance.poisson_sums`, which this is of the rows and their ids.
        """
        return poisson_sums(self.rows, self["id"], n, seed, threads=threads, progress=progress)

    def bootstrap(
        self,
        n: int = 1000,
        *,
        seed: int = 12345,
        level: float = 0.95,
        threads: int = 1,
        progress: "Progress | None" = None,
    ) -> "ResampledScore":
        """Estimate an interval of the score by the Poisson bootstrap.

        Parameters
        ----------
        n : int
            Resamples.
        seed : int
            From 0 to 2**64 - 1.
        level : float
            Share of the resamples' scores that lie in the interval.
        threads : int
            0: all cores. The result is the same.
        progress : callable, optional
            Called with the resamples done and all of them.

        Returns
        -------
        ResampledScore
            Of tables with the same ids, the same samples are of the same resample: the differences
            of their samples are those of a paired test.

        Raises
        ------
        TypeError, ValueError
            If an argument is wrong, or the table has no rows.

        Notes
        -----
        This is another bootstrap than that of sacrebleu, which ``corpus_score(n_bootstrap=...)``
        and `rapidbleu.significance.bootstrap` have. They draw as many segments as there are. Here a
        resample draws each segment a number of times of its own, of the Poisson distribution with
        mean 1, so the number of segments varies. In return the result depends on the ids and the
        seed only: it is the same to the bit for shards in any order, merged, and for the
        sums of parts that are added up where they are (`poisson_sums`). Intervals of both differ
        about as much as those of two seeds do.

        A resample without any segment scores as a segment without words, 0 by most metrics. Of n
        segments that is one resample in e**n, of 20 one in 485 million.

        References
        ----------
        Hanley & MacGibbon 2006, Creating non-parametric bootstrap samples using Poisson
        frequencies.
        Chamandy, Muralidharan, Najmi & Naidu 2012, Estimating uncertainty for massive data streams.

        Examples
        --------
        >>> from rapidbleu import TER
        >>> hypotheses = ["The cat sat on a mat.", "It rained.", "He left."]
        >>> references = [["The cat sat on the mat.", "It rained.", "He had left."]]
        >>> table = TER().stats_table(hypotheses, references)
        >>> table.bootstrap()
        TER = 18.18 (μ = 16.58 ± 16.67)
        """
        check_level(level)
        score = self.metric.score(self.rows)
        sums = self.poisson_sums(n, seed=seed, threads=threads, progress=progress)
        return score_of_sums(self.metric, score, sums, level)
