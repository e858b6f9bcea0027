"""TER (Snover et al. 2006) with sacrebleu's options, defaults, numbers and signature."""

from rapidbleu._core.moves.ter import TerKernel, trace_moves
from rapidbleu.loading.loader import load
from rapidbleu.metrics.contract.base import Metric
from rapidbleu.metrics.contract.options import flag, given_references
from rapidbleu.metrics.contract.scores import rate_formula
from rapidbleu.parallel import check_progress, check_threads, extract
from rapidbleu.score import Score
from rapidbleu.signature import Signature
from rapidbleu.stats import check_rows, rows_given
from rapidbleu.tokenizers.tercom import tercom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
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

# Numbers of references whose mean lengths are doubles that can be added in any order.
EXACT = (1, 2, 4, 8, 16)


class TERScore(Score):
    """TER and its parts.

    Parameters
    ----------
    score : float
        Edits divided by reference length, in percent; the lower, the better.
    num_edits : int
        Edits and shifts, for each segment against its closest reference.
    ref_length : float
        Sum over segments of the mean length of their references in tokens.
    """

    name = "TER"

    def __init__(self, score: float, num_edits: int, ref_length: float) -> None:
        self.score = score
        self.num_edits = int(num_edits)
        self.ref_length = ref_length

    @property
    def _formula(self) -> list[str]:
        return rate_formula(self, "edits / reference length", self.num_edits, self.ref_length)

# Without these two, nothing that knows Asian punctuation reads text.
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
        `normalized` and `no_punct` know Asian punctuation too, and `normalized` splits ideographs.
    case_sensitive : bool
        Do not lowercase.
    references : sequence of streams or References, optional
        Used by calls that give none.

    Attributes
    ----------
    num_refs : int
        References of each segment scored last, -1 if it varied.

    Notes
    -----
    A row of statistics is [edits, tokens, parts, fine parts]. The mean length of a segment's
    references is tokens + (parts + fine parts / 1882020540) / 1862340480; with one reference the
    last two are 0. That is exact for up to 42 references of a segment. Its sum in a score is the
    nearest double. `corpus_score`, and `score` of several rows, add doubles one after the other as
    sacrebleu does, which differs in the last digits, and only if numbers of references are not
    powers of two.

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
    references: "GivenReferences" = given_references(default=None)

    @property
    def lowercase(self) -> bool:
        """Whether all text is lowercased first."""
        return not self.case_sensitive

    @property
    def tokenizer_signature(self) -> str:
        """The tokenizer's name in signatures."""
        return str(self.tokenizer.signature())  # type: ignore[attr-defined]

    def _choose_tokenizer(self) -> "Callable[[str], Any]":
        return tercom(self.normalized, self.no_punct, self.asian_support)

    def _describe_reading(self) -> str:
        return "|".join(f"{key}:{value}" for key, value in self._options().items())

    def _options(self) -> "dict[str, str]":
        return {
            "case": "mixed" if self.case_sensitive else "lc",
            "tok": self.tokenizer_signature,
            "norm": "yes" if self.normalized else "no",
            "punct": "no" if self.no_punct else "yes",
            "asian": "yes" if self.asian_support else "no",
        }

    def _signed(self) -> "dict[str, Any]":
        """Return what signatures say of the options."""
        return self._options()

    _columns = "edits", "ref_length", "ref_length_parts", "ref_length_fine_parts"

    def _make_kernel(self) -> TerKernel:
        return TerKernel()

    def _make_score(self, parts: "tuple[Any, ...]") -> TERScore:
        return TERScore(*parts)

    def _score_corpus(
        self,
        hypotheses: "Hypotheses",
        references: "ReferenceStreams | None",
        layout: "Layout",
        threads: int,
        progress: "Progress | None" = None,
    ) -> TERScore:
        check_progress(progress)
        n_threads = check_threads(threads)
        kernel = TerKernel()
        parts = 0.0, 0, 0.0
        for hyps, extractor, refs, told, _ in self._parts(
            hypotheses, references, layout, n_threads, progress
        ):
            rows: Any = None
            if refs.num_refs not in EXACT:
                array = load("array", "array")
                rows = array("q", bytes(8 * kernel.n_stats * len(hyps)))
            sums = extract(extractor, hyps, refs, n_threads, rows, progress=told)
            parts = kernel.describe_in_order(sums if rows is None else rows, *parts[1:])
        return TERScore(*parts)

    def score(self, stats: "IntRows") -> TERScore:
        """Score statistics.

        Parameters
        ----------
        stats : int array of shape (4,) or (n, 4)
            One row; or rows, whose lengths are added as doubles in their order.

        Returns
        -------
        TERScore
        """
        kernel = TerKernel()
        rows = check_rows(rows_given(stats, self), kernel)
        kernel.sum_rows(rows, "stats")  # refuses what cannot be added up
        return TERScore(*kernel.describe_in_order(rows))

    def align(self, hypothesis: "Segment", references: "SegmentReferences") -> "Alignment":
        """Return the edits of one segment and its shifts.

        Parameters
        ----------
        hypothesis : str, or list of str tokens or integer ids
        references : sequence of the same
            All references of the segment.

        Returns
        -------
        Alignment
            With the reference that the score is of, and as many edits.

        Raises
        ------
        TypeError, ValueError
            As `sentence_score`.

        Notes
        -----
        Memory is that of the score, and of an object for each token.

        Examples
        --------
        >>> print(TER().align("on the mat the cat sat", ["the cat sat on a mat"]))
        shift [3:6] to 0: the cat sat
        REF: the cat sat on a   mat
        HYP: the cat sat on the mat
                            S
        """
        align = load("rapidbleu.metrics.alignment", "align_segment")
        alignment: Alignment = align(self, hypothesis, references, trace_moves, longest=False)
        return alignment

    def get_signature(self) -> Signature:
        """Return the signature of the scores that this thread computed last.

        Raises
        ------
        ValueError
            If nothing was scored yet.

        Examples
        --------
        >>> ter = TER(references=[["The cat sat on the mat."]])
        >>> ter.get_signature()  # doctest: +ELLIPSIS
        nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0+rapidbleu...
        """
        short = {"case": "c", "tok": "t", "norm": "nr", "punct": "pn", "asian": "as"}
        short["targeted"] = "tg"
        return Signature(self.num_refs, self._resampling_entries() | self._signed(), short)
