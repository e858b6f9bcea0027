"""What every metric can do, written once against the two functions of the contract.

A subclass supplies the compiled kernel with both, and how a score object is made of what it says.
"""

from __future__ import annotations

from rapidbleu._core.scoring.extraction import Extractor, LastCalls
from rapidbleu._core.text.tokenize import Reader
from rapidbleu.loading.loader import load
from rapidbleu.metrics.contract.corpus import CorpusScoring
from rapidbleu.metrics.contract.explaining import ExplainedScoring
from rapidbleu.metrics.contract.nbest import NBestScoring
from rapidbleu.metrics.contract.options import (
    ShownSignature,
    check_effects,
    choice,
    collect_options,
    count,
    flag,
    given_references,
    in_code,
    number,
    option,
    required,
    take_options,
    words,
)
from rapidbleu.metrics.contract.pairs import PairScoring
from rapidbleu.metrics.contract.parts import PartScoring
from rapidbleu.metrics.contract.references import ReferenceScoring
from rapidbleu.metrics.contract.risk import RiskScoring
from rapidbleu.metrics.contract.row_tables import RowTableScoring
from rapidbleu.metrics.contract.running import RunningScoring
from rapidbleu.metrics.contract.tables import TableScoring
from rapidbleu.references import References
from rapidbleu.scoring import ScoreT
from rapidbleu.signature import Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar, dataclass_transform

    from rapidbleu._core.metrics.kernel import Kernel
    from rapidbleu.metrics.contract.options import Option
    from rapidbleu.typing import (
        Segment,
        SegmentReferences,
    )

else:

    def dataclass_transform(**_: object) -> object:
        """Stand for the decorator of `typing`, which takes long to load."""
        return lambda kind: kind


@dataclass_transform(
    frozen_default=True,
    eq_default=False,
    field_specifiers=(
        choice, count, flag, given_references, number, option, required, words,
    ),
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

    A subclass declares its options (`rapidbleu.metrics.contract.options`), and supplies
    `_choose_tokenizer`, `_describe_reading`, `_make_kernel`, `_make_score` and `get_signature`.
    """

    __signature__ = ShownSignature()
    OPTIONS: ClassVar[dict[str, Option]] = {}
    _positional: ClassVar[tuple[str, ...]] = ()
    _defaults: ClassVar[dict[str, Any]] = {}
    _late: ClassVar[tuple[str, ...]] = ()  # options whose defaults depend on others
    _conditional: ClassVar[dict[str, Option]] = {}
    _unpickled: ClassVar[tuple[str, ...]] = ("_extractor",)  # made again from the options

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        collect_options(cls)

    def __init__(self, *args: Any, **given: Any) -> None:
        take_options(self, args, given)
        self._settle()
        if args or given:
            check_effects(self, self._warn)
        self._load()
        put = object.__setattr__
        put(self, "_calls", LastCalls())
        put(self, "tokenizer", self._choose_tokenizer())
        put(self, "_preparation", self._describe_reading())
        put(self, "_extractor", self._make_extractor())
        self._prepare_references()

    def _prepare_references(self) -> None:
        """Prepare the references that the constructor was given."""
        references = getattr(self, "references", None)
        self._put("references", None)
        if references is not None:
            if not isinstance(references, References):
                references = self.prepare(references)
            self._check_references(references, "stream")
            self._put("references", references)

    def _settle(self) -> None:
        """Replace defaults that depend on other options, and check options that do."""
        for name in self._late:
            if getattr(self, name) is None:
                self._put(name, self._default_of(name))

    def _default_of(self, name: str) -> Any:
        """Return the default of an option, given the other options."""
        return self._defaults.get(name)

    def _load(self) -> None:
        """Make what the options describe, before text is read."""

    def _choose_tokenizer(self) -> Callable[[str], Any]:
        """Return the rule that makes tokens of text; with a compiled twin, that is used."""
        raise TypeError(f"{type(self).__name__} has no tokenizer")

    def _describe_reading(self) -> str:
        """Return how text is tokenized, in words that `References` remember."""
        raise TypeError(f"{type(self).__name__} reads no text")

    def _warn(self, message: str) -> None:
        load("logging").getLogger("rapidbleu").warning("%s", message)

    def __repr__(self) -> str:
        """Return the call of the constructor, with the options that are not its defaults.

        A subclass whose constructor takes other arguments is shown with the options they led to.
        """
        options = [f"{name}={in_code(value)}" for name, value in self._changed_options().items()]
        call = f"{type(self).__name__}({', '.join(options)})"
        return call if type(self).__init__ is Metric.__init__ else f"<{call}>"

    def _changed_options(self) -> dict[str, object]:
        options = {}
        for name in self.OPTIONS:
            if name != "references":
                value, default = getattr(self, name), self._default_of(name)
                if type(value) is not type(default) or value != default:
                    options[name] = value
        return options

    _on_lost_text: Callable[[str], None] | None = None

    def _make_extractor(self) -> Extractor:
        make_scanner = getattr(self.tokenizer, "scanner", None)
        reader = Reader(
            make_scanner and make_scanner(), self.tokenizer, self.lowercase, self._on_lost_text
        )
        ref_rule = getattr(self.tokenizer, "reference_rule", None)
        ref_reader = ref_rule and Reader(None, ref_rule, self.lowercase)
        return Extractor(self._make_kernel(), reader, ref_reader)

    @property
    def _kernel(self) -> Kernel:
        return self._extractor.kernel

    def __getstate__(self) -> dict[str, Any]:
        state = {name: own for name, own in vars(self).items() if name not in self._unpickled}
        return state | {"_calls": self._calls.own()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            self._put(name, value)
        self._calls = LastCalls()
        self._calls.remember(*state["_calls"])
        self._load()
        self._extractor = self._make_extractor()

    def _make_kernel(self) -> Kernel:
        raise TypeError(f"{type(self).__name__} has no kernel")

    def get_signature(self) -> Signature:
        """Return the signature of the scores that this thread computed last."""
        raise TypeError(f"{type(self).__name__} has no signature")

    def sentence_score(self, hypothesis: Segment, references: SegmentReferences) -> ScoreT:
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
