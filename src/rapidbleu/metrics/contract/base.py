"""What every metric can do, written once against the two functions of the contract.

A subclass supplies the compiled kernel with both, and how a score object is made of what it says.
"""

from rapidbleu._core.scoring.extraction import Extractor, LastCalls
from rapidbleu._core.text.tokenize import Reader
from rapidbleu.metrics.contract.corpus import CorpusScoring
from rapidbleu.metrics.contract.explaining import ExplainedScoring
from rapidbleu.metrics.contract.nbest import NBestScoring
from rapidbleu.metrics.contract.pairs import PairScoring
from rapidbleu.metrics.contract.parts import PartScoring
from rapidbleu.metrics.contract.references import ReferenceScoring
from rapidbleu.metrics.contract.risk import RiskScoring
from rapidbleu.metrics.contract.row_tables import RowTableScoring
from rapidbleu.metrics.contract.running import RunningScoring
from rapidbleu.metrics.contract.tables import TableScoring
from rapidbleu.parallel import check_threads
from rapidbleu.scoring import ScoreT
from rapidbleu.signature import Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu._core.metrics.kernel import Kernel
    from rapidbleu.typing import (
        Segment,
        SegmentReferences,
    )


class Metric(
    ReferenceScoring,
    PartScoring,
    CorpusScoring[ScoreT],
    NBestScoring,
    PairScoring,
    RiskScoring,
    RunningScoring,
    ExplainedScoring,
    TableScoring,
    RowTableScoring,
):
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

    def get_signature(self) -> Signature:
        """Return the signature of the scores that this thread computed last."""
        raise TypeError(f"{type(self).__name__} has no signature")

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
            return self._make_score(self._kernel.describe(self._row_of(hypothesis, references)))
        return self._make_score(parts)
