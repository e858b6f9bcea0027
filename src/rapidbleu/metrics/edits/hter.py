"""HTER (Snover et al. 2006): edits to targeted references, by the length of the others."""

from rapidbleu._core.moves.ter import TerKernel, trace_moves
from rapidbleu.counts import MOST
from rapidbleu.loading.loader import load
from rapidbleu.metrics.contract.base import Metric
from rapidbleu.metrics.contract.options import count, flag, given_references
from rapidbleu.metrics.ter import NORMALIZED, TER, TERScore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.explanation.alignment import Alignment
    from rapidbleu.metrics.contract.options import GivenReferences
    from rapidbleu.typing import (
        Hypotheses,
        IntRows,
        Layout,
        Progress,
        ReferenceStreams,
        Segment,
        SegmentReferences,
    )


class HTERScore(TERScore):
    """An HTER and its parts.

    Attributes
    ----------
    score : float
        Edits divided by reference length, in percent; the lower, the better.
    num_edits : int
        Edits and shifts, for each segment against its closest targeted reference.
    ref_length : float
        Sum over segments of the mean length of their other references in tokens.

    Examples
    --------
    >>> print(HTERScore(25.0, 1, 4.0))
    HTER = 25.00
    """

    name = "HTER"


class HTER(TER):
    """Human-targeted translation edit rate with fixed options; the lower, the better.

    A person edits the hypothesis until it means what the references mean: that is the targeted
    reference. The score is the edits to it, divided by the mean length of the other references,
    which were written without looking at the hypothesis.

    Parameters
    ----------
    normalized : bool
        Join lines, undo entities and split off punctuation first.
    no_punct : bool
        Remove punctuation.
    asian_support : bool
        `normalized` and `no_punct` know Asian punctuation too, and `normalized` splits ideographs.
    case_sensitive : bool
        Do not lowercase.
    targeted : int
        How many of the references of each segment are targeted. They come first. The others give
        the length; where there are none, the targeted ones do.
    references : sequence of streams or References, optional
        Used by calls that give none.

    Attributes
    ----------
    num_refs : int
        References of each segment scored last, targeted ones included; -1 if it varied.

    Raises
    ------
    TypeError, ValueError
        If an option has no such value.

    Notes
    -----
    Rows are those of `TER`. A score adds up lengths without rounding.

    References
    ----------
    Snover et al. 2006, "A Study of Translation Edit Rate with Targeted Human Annotation".

    Examples
    --------
    >>> hypotheses = ["the cat sat on a mat"]
    >>> edited = ["the cat sat on the mat"]
    >>> others = ["there is a cat on the mat", "a cat on a mat"]
    >>> HTER().corpus_score(hypotheses, [edited, others[:1], others[1:]])
    HTER = 16.67
    """

    normalized: bool = flag(default=False)
    no_punct: bool = flag(default=False)
    asian_support: bool = flag(default=False, needs=NORMALIZED)
    case_sensitive: bool = flag(default=False)
    targeted: int = count(default=1, least=1, most=MOST)
    references: "GivenReferences" = given_references(default=None)

    def _make_kernel(self) -> TerKernel:
        return TerKernel(self.targeted)

    def _make_score(self, parts: "tuple[Any, ...]") -> HTERScore:
        return HTERScore(*parts)

    def _score_corpus(
        self,
        hypotheses: "Hypotheses",
        references: "ReferenceStreams | None",
        layout: "Layout",
        threads: int,
        progress: "Progress | None" = None,
    ) -> TERScore:
        return Metric._score_corpus(self, hypotheses, references, layout, threads, progress)

    def score(self, stats: "IntRows") -> TERScore:
        """Score statistics.

        Parameters
        ----------
        stats : int array of shape (4,) or (n, 4)
            One row, or rows to be summed.

        Returns
        -------
        HTERScore
        """
        return Metric.score(self, stats)

    def align(self, hypothesis: "Segment", references: "SegmentReferences") -> "Alignment":
        """Return the edits of one segment and its shifts, with a targeted reference: see `TER`.

        Examples
        --------
        >>> print(HTER().align("on a mat it sat", ["it sat on a mat", "on a mat it sat"]))
        shift [3:5] to 0: it sat
        REF: it sat on a mat
        HYP: it sat on a mat
        """
        align = load("rapidbleu.metrics.alignment", "align_segment")
        alignment: Alignment = align(
            self, hypothesis, references, trace_moves, longest=False, among=self.targeted
        )
        return alignment

    def _signed(self) -> "dict[str, Any]":
        return {"targeted": self.targeted, **self._options()}
