"""What every metric can do, written once against the two functions of the contract.

A subclass supplies the compiled kernel with both, and how a score object is made of what it says.
"""

from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu._core.scoring.extraction import Extractor, LastCalls
from rapidbleu._core.text.tokenize import Reader
from rapidbleu.metrics.contract.hypotheses import read_hypotheses
from rapidbleu.metrics.contract.nbest import NBestScoring
from rapidbleu.metrics.contract.pairs import PairScoring
from rapidbleu.metrics.contract.resampling import ResampledScoring
from rapidbleu.metrics.contract.running import RunningScoring
from rapidbleu.parallel import check_threads, extract
from rapidbleu.references import References, check_layout
from rapidbleu.scoring import ScoreT
from rapidbleu.signature import Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu._core.metrics.kernel import Kernel
    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu.typing import (
        FloatArray,
        Hypotheses,
        IntArray,
        Layout,
        ReferenceStreams,
        Segment,
        SegmentReferences,
    )


class Metric(ResampledScoring[ScoreT], NBestScoring, PairScoring, RunningScoring):
    """Base of the metrics: its options never change, and any number of threads may use one.

    Parameters
    ----------
    tokenizer : callable
        str to list of str; if it has a compiled twin, that is used.
    lowercase : bool
    preparation : str
        How text is tokenized, in words that `References` remember.
    threads : int
        Score a corpus unless a call says otherwise; 0: all cores.
    """

    def __init__(
        self, tokenizer: "Callable[[str], Any]", lowercase: bool, preparation: str, threads: int
    ) -> None:
        self._calls = LastCalls()
        self._threads = check_threads(threads)
        self._preparation = preparation
        self._references: References | None = None
        self.tokenizer = tokenizer
        self.lowercase = lowercase
        self._extractor = self._make_extractor()

    def _make_extractor(self) -> Extractor:
        make_scanner = getattr(self.tokenizer, "scanner", None)
        reader = Reader(make_scanner and make_scanner(), self.tokenizer, self.lowercase)
        ref_rule = getattr(self.tokenizer, "reference_rule", None)
        ref_reader = ref_rule and Reader(None, ref_rule, self.lowercase)
        return Extractor(self._make_kernel(), reader, ref_reader)

    @property
    def _kernel(self) -> "Kernel":
        return self._extractor.kernel

    def __getstate__(self) -> "dict[str, Any]":
        state = {**vars(self), "_calls": self._calls.own()}
        del state["_extractor"]
        return state

    def __setstate__(self, state: "dict[str, Any]") -> None:
        vars(self).update(state)
        self._calls = LastCalls()
        self._calls.remember(*state["_calls"])
        self._extractor = self._make_extractor()

    def _make_kernel(self) -> "Kernel":
        raise TypeError(f"{type(self).__name__} has no kernel")

    def _fitted(
        self, refs: "ReferenceColumns | PreparedReferences"
    ) -> "tuple[Extractor, ReferenceColumns | PreparedReferences]":
        """Return what scores hypotheses against these references."""
        return self._extractor, refs

    def _look_at_hypotheses(self, hyps: Column, once: bool = False) -> None:
        """Hook: warn about suspicious input; with `once`, only the first time."""

    def get_signature(self) -> Signature:
        """Return the signature of the scores that this thread computed last."""
        raise TypeError(f"{type(self).__name__} has no signature")

    def _use_references(self, references: "ReferenceStreams | None", layout: "Layout") -> None:
        """Keep references, if there are any, for the calls that give none."""
        if references is not None:
            if not isinstance(references, References):
                references = self.prepare(references, layout=layout)
            self._check_references(references, layout)
            self._references = references

    def _check_references(
        self, references: "ReferenceStreams | None", layout: "Layout"
    ) -> "ReferenceColumns | PreparedReferences":
        check_layout(layout)
        references = self._references if references is None else references
        if references is None:
            raise ValueError(
                "references: expected references, got None, and the metric was made without any"
            )
        checked = (
            references.prepared_by(self.tokenizer, self.lowercase, self._preparation)
            if isinstance(references, References)
            else ReferenceColumns(references, layout)
        )
        self._calls.remember_number(checked.num_refs)
        return checked

    def _check(
        self, hypotheses: "Hypotheses", references: "ReferenceStreams | None", layout: "Layout"
    ) -> "tuple[Column | PreparedReferences, Extractor, ReferenceColumns | PreparedReferences]":
        """Return the input of a corpus call, all of it checked, and what scores it."""
        hyps = read_hypotheses(self, hypotheses)
        refs = self._check_references(references, layout)
        self._extractor.check(hyps, refs)
        if isinstance(hyps, Column):
            self._look_at_hypotheses(hyps)
        return hyps, *self._fitted(refs)

    def _sum_stats(
        self, hypotheses: "Hypotheses", references: "ReferenceStreams | None", layout: "Layout",
        threads: "int | None",
    ) -> list[int]:  # fmt: skip
        n_threads = self._threads if threads is None else check_threads(threads)
        hyps, extractor, refs = self._check(hypotheses, references, layout)
        return extract(extractor, hyps, refs, n_threads)

    def corpus_score(
        self,
        hypotheses: "Hypotheses",
        references: "ReferenceStreams | None" = None,
        n_bootstrap: int = 1,
        *,
        layout: "Layout" = "stream",
        threads: "int | None" = None,
        seed: "int | None" = 12345,
    ) -> ScoreT:
        """Score a corpus.

        Parameters
        ----------
        hypotheses : sequence of segments
            A segment is a str; or a list of str tokens or of integer ids (equal modulo 2**64),
            which are taken as they are. Lists, tuples, NumPy arrays, pandas and polars series,
            Arrow columns. Or prepared by `prepare`, as one stream.
        references : sequence of streams, References or None
            ``references[stream][segment]``: each stream has a reference, or None, for each
            segment. With ``layout="segment"``, ``references[segment]`` are a segment's references.
            None: those given to the constructor.
        n_bootstrap : int
            If more than 1, the score has a 95% interval from so many resamples, which are those of
            sacrebleu: Koehn 2004, section 3.
        layout : {"stream", "segment"}
        threads : int, optional
            0 for all cores; the constructor's by default. The result is the same.
        seed : int or None
            Of the resamples; None: others each time.

        Returns
        -------
        Score

        Raises
        ------
        TypeError, ValueError
            If an element is of the wrong type, numbers of segments differ, or a segment has no
            reference; the message names the place.
        """
        if n_bootstrap != 1:
            return self._score_resampled(hypotheses, references, n_bootstrap, layout, threads, seed)
        score = self._score_corpus(hypotheses, references, layout, threads)
        self._calls.remember(self.num_refs)  # and no resamples
        return score

    def _score_corpus(
        self, hypotheses: "Hypotheses", references: "ReferenceStreams | None", layout: "Layout",
        threads: "int | None",
    ) -> ScoreT:  # fmt: skip
        stats = self._sum_stats(hypotheses, references, layout, threads)
        return self._make_score(self._kernel.describe(stats))

    def sentence_score(self, hypothesis: "Segment", references: "SegmentReferences") -> ScoreT:
        """Score one segment.

        Parameters
        ----------
        hypothesis : str, or list of str tokens or integer ids
        references : sequence of the same
            All references of the segment.

        Returns
        -------
        Score
        """
        parts = self._extractor.extract_one(hypothesis, references, self._calls)
        if parts is None:  # something else than a str and a list of str
            if isinstance(references, str):
                raise TypeError("references: expected a sequence of references, got a single str")
            hyps = Column([hypothesis], "hypothesis", place=lambda _: "hypothesis")
            extractor, refs = self._fitted(self._check_references([references], "segment"))
            stats = extractor.extract(hyps, refs, 0, 1)
            return self._make_score(self._kernel.describe(stats))
        return self._make_score(parts)

    def segment_stats(
        self,
        hypotheses: "Hypotheses",
        references: "ReferenceStreams | None" = None,
        *,
        layout: "Layout" = "stream",
        threads: "int | None" = None,
    ) -> "IntArray":
        """Return the sufficient statistics of each segment.

        Parameters are those of `corpus_score`.

        Returns
        -------
        int64 array of shape (n, n_stats)
            Rows add, subtract, merge and save (``np.save``); `score` scores any sum of them.
        """
        import numpy as np

        n_threads = self._threads if threads is None else check_threads(threads)
        hyps, extractor, refs = self._check(hypotheses, references, layout)
        rows = np.empty((len(hyps), self._kernel.n_stats), np.int64)
        extract(extractor, hyps, refs, n_threads, rows=rows)
        return rows

    def corpus_stats(
        self,
        hypotheses: "Hypotheses",
        references: "ReferenceStreams | None" = None,
        *,
        layout: "Layout" = "stream",
        threads: "int | None" = None,
    ) -> "IntArray":
        """Return the sum of `segment_stats`, without the memory for its rows.

        Returns
        -------
        int64 array of shape (n_stats,)
        """
        import numpy as np

        return np.array(self._sum_stats(hypotheses, references, layout, threads), np.int64)

    def segment_scores(
        self,
        hypotheses: "Hypotheses",
        references: "ReferenceStreams | None" = None,
        *,
        layout: "Layout" = "stream",
        threads: "int | None" = None,
    ) -> "FloatArray":
        """Score each segment as a corpus of its own; parameters are those of `corpus_score`.

        Returns
        -------
        float64 array of shape (n,)
            What `sentence_score` gives for each segment, to the last bit.
        """
        import numpy as np

        n_threads = self._threads if threads is None else check_threads(threads)
        hyps, extractor, refs = self._check(hypotheses, references, layout)
        scores = np.empty(len(hyps), np.float64)
        extract(extractor, hyps, refs, n_threads, scores=scores)
        return scores

    def prepare(self, references: "ReferenceStreams", *, layout: "Layout" = "stream") -> References:
        """Tokenize references once, to score many systems against them.

        Parameters
        ----------
        references, layout
            As in `corpus_score`.

        Returns
        -------
        References
        """
        prepared = self._extractor.prepare(ReferenceColumns(references, check_layout(layout)))
        return References(prepared, self.tokenizer, self.lowercase, self._preparation)
