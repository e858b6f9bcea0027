"""TER (Snover et al. 2006) with sacrebleu's options, defaults, numbers and signature."""

from __future__ import annotations

from rapidbleu._core.ter.ter import TerKernel, trace_moves
from rapidbleu._lib.checks import MOST
from rapidbleu._lib.loader import load
from rapidbleu.metrics.corpus import parts_of
from rapidbleu.metrics.explaining import align
from rapidbleu.metrics.metric import Metric
from rapidbleu.metrics.options import Recent, count, flag, given_references
from rapidbleu.parallel import check_threads, extract
from rapidbleu.score import ChangeableScore, Score, rate_formula
from rapidbleu.stats import check_rows, rows_given
from rapidbleu.tokenizers.tercom import tercom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar

    from rapidbleu._types import (
        Hypotheses,
        IntRows,
        Layout,
        Progress,
        ReferenceStreams,
        Segment,
        SegmentReferences,
    )
    from rapidbleu.metrics.options import GivenReferences

# Numbers of references whose mean lengths are doubles that add up exactly in any order
EXACT = (1, 2, 4, 8, 16)


class TERScore(ChangeableScore):
    """TER and its components.

    Parameters
    ----------
    score : float
        Edits divided by reference length, in percent; the lower, the better.
    num_edits : int
        Edits and shifts against the closest reference of each segment.
    ref_length : float
        Sum over segments of the mean length of their references in tokens.

    Examples
    --------
    >>> print(TERScore(25.0, 2, 8.0))
    TER = 25.00
    """

    name = "TER"
    _lower_is_better = True

    def __init__(self, score: float, num_edits: int, ref_length: float) -> None:
        self.score = score
        self.num_edits = int(num_edits)
        self.ref_length = ref_length

    @property
    def ref_len(self) -> float:
        """`ref_length` under the name that other scores use."""
        return self.ref_length

    @property
    def _formula(self) -> list[str]:
        return rate_formula(self, "edits / reference length", self.num_edits, self.ref_length)


# Without one of these, Asian punctuation has no effect.
NORMALIZED = ("`normalized` or `no_punct`", lambda metric: metric.normalized or metric.no_punct)


class TER(Metric[TERScore]):
    """Translation edit rate with fixed options; the lower, the better.

    Parameters
    ----------
    normalized : bool
        Join lines, undo entities and split off punctuation first.
    no_punct : bool
        Remove punctuation.
    asian_support : bool
        Extend `normalized` and `no_punct` to Asian punctuation; `normalized` splits ideographs.
    case_sensitive : bool
        Do not lowercase.
    references : sequence of streams or References, optional
        References for calls that pass none.

    Notes
    -----
    A row of statistics is [edits, tokens, parts, fine parts]. The mean length of a segment's
    references is tokens + (parts + fine parts / 1882020540) / 1862340480, exact for up to 42
    references; with one, the last two are 0. A score contains the nearest double of the sum.
    `corpus_score`, and `score` of several rows, instead add doubles in order, as sacrebleu does,
    which changes the last digits if a number of references is not a power of two.

    References
    ----------
    Snover et al. 2006, "A Study of Translation Edit Rate with Targeted Human Annotation".

    Examples
    --------
    >>> ter = TER()
    >>> hypotheses = ["on the mat the cat sat", "It rained."]
    >>> references = [["the cat sat on the mat", "It was raining."]]
    >>> ter.corpus_score(hypotheses, references)
    TER = 33.33
    >>> ter.segment_stats(hypotheses, references)
    array([[1, 6, 0, 0],
           [2, 3, 0, 0]])
    """

    normalized: bool = flag(default=False, or_none=True)
    no_punct: bool = flag(default=False, or_none=True)
    asian_support: bool = flag(default=False, or_none=True, lenient=True, needs=NORMALIZED)
    case_sensitive: bool = flag(default=False, or_none=True)
    references: GivenReferences = given_references(default=None)

    @property
    def lowercase(self) -> bool:
        """Whether all text is lowercased first."""
        return not self.case_sensitive

    def _choose_tokenizer(self) -> Callable[[str], Any]:
        return tercom(self.normalized, self.no_punct, self.asian_support)

    def _describe_reading(self) -> str:
        return "|".join(f"{key}:{value}" for key, value in TER._signed(self).items())

    def _signed(self) -> dict[str, Any]:
        return {
            "case": self._case,
            "tok": self.tokenizer_signature,
            "norm": "yes" if self.normalized else "no",
            "punct": "no" if self.no_punct else "yes",
            "asian": "yes" if self.asian_support else "no",
        }

    _abbreviations: ClassVar[dict[str, str]] = {
        "case": "c",
        "tok": "t",
        "norm": "nr",
        "punct": "pn",
        "asian": "as",
        "targeted": "tg",
    }
    _is_error_rate = True
    _score_type = TERScore

    def _make_kernel(self) -> TerKernel:
        return TerKernel()

    def _describe_in_order(
        self,
        hypotheses: Hypotheses,
        references: ReferenceStreams | None,
        layout: Layout,
        threads: int,
        progress: Progress | None,
    ) -> tuple[float, int, float]:
        n_threads = check_threads(threads)
        kernel = TerKernel()
        parts = 0.0, 0, 0.0
        for hyps, extractor, refs, part_progress, _ in parts_of(
            self, hypotheses, references, layout, n_threads, progress
        ):
            rows: Any = None
            if refs.num_refs not in EXACT:
                array = load("array", "array")
                rows = array("q", bytes(8 * kernel.n_stats * len(hyps)))
            sums = extract(extractor, hyps, refs, n_threads, rows, progress=part_progress)
            parts = kernel.describe_in_order(sums if rows is None else rows, *parts[1:])
        return parts

    def score(self, stats: IntRows) -> TERScore:
        """Return the `TERScore` of statistics.

        Parameters
        ----------
        stats : int array of shape (4,) or (n, 4)
            One row, or rows whose lengths are added as doubles in order.
        """
        kernel = TerKernel()
        rows = check_rows(rows_given(stats, self), kernel)
        kernel.sum_rows(rows, "stats")  # refuses rows that cannot be added
        return self._labeled(kernel.describe_in_order(rows))

    align = align
    _edit_rule = trace_moves, False


class HTERScore(TERScore):
    """HTER and its components: edits to targeted references, length of the untargeted ones.

    Examples
    --------
    >>> print(HTERScore(25.0, 1, 4.0))
    HTER = 25.00
    """

    name = "HTER"
    __setattr__ = Score.__setattr__
    __delattr__ = Score.__delattr__


class HTER(TER):
    """Human-targeted translation edit rate with fixed options; the lower, the better.

    Annotators edit the hypothesis until it means what the references mean; the result is the
    targeted reference. The score is the number of edits to it, divided by the mean length of the
    other references, which were written without looking at the hypothesis.

    Parameters
    ----------
    normalized, no_punct, asian_support, case_sensitive
        As in `TER`.
    targeted : int
        Number of targeted references per segment, which come first. The remaining ones determine
        the length; if there are none, the targeted ones do.

    Notes
    -----
    Rows are as in `TER`. A score adds lengths without rounding.

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

    _score_type = HTERScore
    _describe_in_order = None  # type: ignore[assignment]

    def _make_kernel(self) -> TerKernel:
        return TerKernel(self.targeted)

    def score(self, stats: IntRows) -> TERScore:
        """Return the score of one row, or of the sum of rows."""
        return Metric.score(self, stats)

    def _signed(self) -> dict[str, Any]:
        return {"targeted": self.targeted, **super()._signed()}


_recent = Recent(TER)  # used by sacrebleu's functions, with its names and defaults


def corpus_ter(
    hypotheses: Hypotheses,
    references: ReferenceStreams,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
    *,
    layout: Layout = "stream",
    threads: int = 1,
) -> TERScore:
    """Return the TER of a corpus.

    Parameters as in `Metric.corpus_score`, plus the options of `TER`.

    Examples
    --------
    >>> corpus_ter(["on the mat the cat sat"], [["the cat sat on the mat"]]).num_edits
    1
    """
    metric = _recent.of(((normalized, no_punct, asian_support, case_sensitive),))
    return metric.corpus_score(hypotheses, references, layout=layout, threads=threads)


def sentence_ter(
    hypothesis: Segment,
    references: SegmentReferences,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """Return the TER of one segment.

    Parameters as in `Metric.sentence_score`, plus the options of `TER`.

    Examples
    --------
    >>> sentence_ter("on the mat the cat sat", ["the cat sat on the mat"])
    TER = 16.67
    """
    metric = _recent.of(((normalized, no_punct, asian_support, case_sensitive),))
    return metric.sentence_score(hypothesis, references)
