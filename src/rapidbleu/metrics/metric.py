"""Base classes of the metrics: the hooks of a metric, and the operations that all of them share.

Most operations are functions of the modules next to this one. They rest on two functions of each
metric: a segment to a row of statistics, a row to a score.
"""

from __future__ import annotations

from rapidbleu._core.scoring.extraction import Extractor, LastCalls
from rapidbleu._core.scoring.pairs import Pairs
from rapidbleu._core.text.tokenize import Reader
from rapidbleu._lib.checks import check_count
from rapidbleu._lib.loader import load, np
from rapidbleu._lib.logs import logger
from rapidbleu.metrics import corpus, explaining, nbest, pairs, row_tables
from rapidbleu.metrics.options import (
    MARKS,
    OF_CALLS,
    UNSCORED,
    ShownSignature,
    check_effects,
    choice,
    collect_options,
    count,
    flag,
    given_references,
    in_code,
    in_signature,
    number,
    option,
    unknown_option,
    words,
)
from rapidbleu.references import References
from rapidbleu.running import RunningScore
from rapidbleu.score import RowScoring, ScoreT, Signature
from rapidbleu.tokenizers import TOKENIZERS, get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, ClassVar, dataclass_transform

    from rapidbleu._core.input.columns import Column
    from rapidbleu._core.metrics.kernel import Kernel
    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu._types import (
        Hypotheses,
        IntArray,
        Layout,
        Path,
        Progress,
        ReferenceStreams,
        Segment,
        SegmentReferences,
        Texts,
        TokenizerName,
        TokenizerRule,
    )
    from rapidbleu.metrics.options import Option
    from rapidbleu.metrics.pool import Pool
    from rapidbleu.score import Score

else:

    def dataclass_transform(**_: object) -> object:
        """Stand for the decorator of `typing`, which takes long to load."""
        return lambda kind: kind


def _check_id(name: str, value: Any) -> int:
    return check_count(name, value, -(1 << 63), (1 << 64) - 1)


@dataclass_transform(
    frozen_default=True,
    eq_default=False,
    field_specifiers=(choice, count, flag, given_references, number, option, words),
)
class BaseMetric(RowScoring[ScoreT]):
    """Base class with the hooks that a metric implements, and everything derived from them.

    A subclass declares its options (`rapidbleu.metrics.options`) and defines `_make_kernel` and
    `_score_type` or `_make_score`. Without an option `tokenize` it also defines
    `_choose_tokenizer`, `_describe_reading` and `_signed`. All else has a default.
    """

    __signature__ = ShownSignature()
    OPTIONS: ClassVar[dict[str, Option]] = {}
    _positional: ClassVar[tuple[str, ...]] = ()
    _defaults: ClassVar[dict[str, Any]] = {}
    _conditional: ClassVar[dict[str, Option]] = {}

    TOKENIZERS: ClassVar[tuple[str, ...]] = TOKENIZERS
    TOKENIZER_DEFAULT: ClassVar[TokenizerName] = "13a"
    _late: ClassVar[tuple[str, ...]] = ("tokenize",)  # defaults depend on other options
    _inherited: ClassVar[tuple[str, ...]] = ()  # options before a subclass's
    _unpickled: ClassVar[tuple[str, ...]] = ("_extractor",)  # made again from the options
    _abbreviations: ClassVar[dict[str, str]] = {"case": "c"}  # of options in short signatures

    _on_lost_text: Callable[[str], None] | None = None
    _reads_ids: ClassVar[bool] = True  # and so accepts `pad` and `end`
    _reads_all = False  # a segment's score depends on all segments' references: see `fit`
    _rows_add_up = True  # rows of different calls can be added
    _counts_ngrams = False  # of its orders
    _counts_together = False  # all references form one pool of n-grams; otherwise one is chosen
    _is_error_rate = False  # edits, at least one per extra token, divided by reference length
    _per_match = 0  # increment of a score's numerator for each common token
    _score_type: ClassVar[Any] = None  # made of the kernel's numbers of a row
    _score_name: str | None = None  # unless the type has a name
    _describe_in_order: Any = None  # a method, if the parts of a corpus depend on the order of rows
    _known_references: ClassVar[str] = "references"  # the option of references of every call

    if TYPE_CHECKING:  # options read here, and attributes that the constructor derives from them

        @property
        def references(self) -> References | None:
            """The references for calls that pass none."""

        @property
        def lowercase(self) -> bool:
            """Whether all text is lowercased first."""

        @property
        def tokenize(self) -> str | TokenizerRule | None:
            """The name of the tokenizer, or a function; None for the metric's default."""

        @property
        def tokenizer(self) -> Callable[[str], Any]:
            """The function from text to tokens."""

        @property
        def tokenizer_signature(self) -> str:
            """The tokenizer's name in signatures."""

        _case: str
        _preparation: str
        _extractor: Extractor
        _calls: LastCalls
    else:
        references = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        collect_options(cls)

    def __init__(self, *args: Any, **named: Any) -> None:
        kind = type(self)
        options = kind.OPTIONS
        positional = kind._positional
        if len(args) > len(positional):
            raise TypeError(
                f"{kind.__name__}: expected at most {len(positional)} positional arguments; "
                f"got {len(args)}"
            )
        values = dict(kind._defaults)
        for name, value in zip(positional, args, strict=False):
            if name in named:
                raise TypeError(f"{kind.__name__}: {name} was given twice")
            values[name] = options[name].check(name, value)
        for name, value in named.items():
            if name not in options:
                raise TypeError(unknown_option(kind, name))
            values[name] = options[name].check(name, value)
        if len(values) < len(options):
            missing = next(name for name in options if name not in values)
            raise TypeError(f"{kind.__name__}: expected {missing}; got none")
        put = self._put  # and not the dict, in which attributes are found more slowly
        for name, value in values.items():
            put(name, value)
        for name in kind._late:
            if values.get(name, name) is None:
                put(name, self._default_of(name))
        self._settle()
        if args or named:
            self._check_effects()
        # How text is read: the tokenizer and its name, upper case, ids that mean no token
        tokenizer = self._choose_tokenizer()
        put("tokenizer", tokenizer)
        sign = getattr(tokenizer, "signature", None)
        shown = sign() if sign else load("rapidbleu._lib.identity", "shown_name")(tokenizer)
        put("tokenizer_signature", str(shown))
        put("_case", "lc" if self.lowercase else "mixed")
        reading = self._describe_reading()
        marks = {}
        for name in MARKS:
            mark = getattr(self, name, None)
            if mark is not None:
                marks[name] = mark
                reading += f"|{name}:{mark}"
        put("_marks", marks)
        put("_preparation", reading)
        # What reads and counts
        put("_calls", LastCalls())
        put("_extractor", self._make_extractor())
        if getattr(self, self._known_references) is not None:
            self._prepare_references()

    def _settle(self) -> None:
        """Check options that depend on each other, and load what they refer to. A hook."""

    def _default_of(self, name: str) -> Any:
        """Return the default of an option, given the other options."""
        late = name == "tokenize" and name in self._late
        return self.TOKENIZER_DEFAULT if late else self._defaults.get(name)

    def _check_effects(self) -> None:
        """Refuse, or warn about, options that have no effect."""
        check_effects(self, self._warn)

    def _changed_options(self) -> dict[str, object]:
        options = {}
        for name in self.OPTIONS:
            if name != "references":
                value = getattr(self, name)
                default = self._default_of(name)
                if type(value) is not type(default) or value != default:
                    options[name] = value
        return options

    def _identity(self) -> dict[str, object]:
        """Return the options that determine rows and scores; equal ones allow merging."""
        return {name: getattr(self, name) for name in self.OPTIONS if name not in UNSCORED}

    def __repr__(self) -> str:
        """Return the constructor call with the options that differ from their defaults.

        A subclass with a constructor of its own is shown with the resulting options.
        """
        options = [f"{name}={in_code(value)}" for name, value in self._changed_options().items()]
        call = f"{type(self).__name__}({', '.join(options)})"
        return call if type(self).__init__ is BaseMetric.__init__ else f"<{call}>"

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in vars(self).items() if name not in self._unpickled}
        return state | {"_calls": self._calls.own()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # As in the constructor, because memory is allocated by options
        for name, declared in self.OPTIONS.items():
            self._put(name, declared.check(name, state[name]))
        self._settle()
        for name in state.keys() - self.OPTIONS.keys():
            self._put(name, state[name])
        self._calls = LastCalls()
        self._calls.remember(*state["_calls"])
        self._extractor = self._make_extractor()

    def _remedy(self, name: str, value: object) -> str:
        if name in OF_CALLS and name not in self.OPTIONS:
            return f"it is an argument of calls, such as {OF_CALLS[name]}"
        return super()._remedy(name, value)

    def _prepare_references(self) -> None:
        references: Any = self.references
        if not isinstance(references, References):
            references = corpus.prepare(self, references)
        corpus.check_references(self, references, "stream")
        self._put("references", references)

    def _warn(self, message: str) -> None:
        logger().warning("%s", message)

    def _choose_tokenizer(self) -> Callable[[str], Any]:
        """Return the function from text to tokens; its compiled twin is used if it has one."""
        rule = self.tokenize
        return rule if callable(rule) else get_tokenizer(str(rule))

    def _describe_reading(self) -> str:
        """Return how text is tokenized, in the form that `References` store."""
        return f"tok:{self.tokenizer_signature}|case:{self._case}"

    def _make_kernel(self) -> Kernel:
        raise TypeError(f"{type(self).__name__} has no kernel")

    def _make_score(self, parts: tuple[Any, ...]) -> ScoreT:
        name = self._score_name
        kind = self._score_type
        score: ScoreT = kind(*parts) if name is None else kind(name, *parts)
        return score

    def _make_extractor(self) -> Extractor:
        make_scanner = getattr(self.tokenizer, "scanner", None)
        reader = Reader(
            make_scanner and make_scanner(),
            self.tokenizer,
            self.lowercase,
            self._on_lost_text,
            **self._marks,
        )
        ref_rule = getattr(self.tokenizer, "reference_rule", None)
        ref_reader = ref_rule and Reader(None, ref_rule, self.lowercase, **self._marks)
        return Extractor(self._make_kernel(), reader, ref_reader)

    @property
    def _kernel(self) -> Kernel:
        return self._extractor.kernel

    def _make_pairs(self, hyps: PreparedReferences, refs: PreparedReferences) -> Pairs:
        return Pairs(self._kernel, hyps, refs)

    def _pair_units(self, hyp: Any, ref: Any) -> Any:
        """Return the score denominators for texts of these lengths; None if there are none."""
        return ref if self._is_error_rate else None

    def _check_that_rows_add_up(self, where: str = "metric") -> None:
        """Refuse a metric whose rows from different calls cannot be added."""
        if not self._rows_add_up:
            kind = load("rapidbleu.rows.kinds", "Kind")(self)
            raise ValueError(
                f"{where}: expected rows that add up; got some of {kind.text}: the references of "
                f"each call weigh its n-grams, unless the metric has information"
            )

    def _look_at_hypotheses(self, hyps: Column, once: bool = False) -> None:
        """Warn about suspicious input; with `once`, only the first time. A hook."""

    @property
    def num_refs(self) -> int | None:
        """References per segment that this thread scored last, -1 if it varied; None before."""
        return self._calls.own()[0]

    @property
    def n_bootstrap(self) -> int | None:
        """Resamples for the interval of the corpus scored last; None without one."""
        return self._calls.own()[1]

    @property
    def seed(self) -> str | None:
        """Seed of these resamples, as printed in signatures."""
        return self._calls.own()[2]

    def get_signature(self) -> Signature:
        """Return the signature of the scores that this thread computed last.

        Raises
        ------
        ValueError
            If nothing has been scored yet.

        Examples
        --------
        >>> from rapidbleu import BLEU
        >>> bleu = BLEU(references=[["The cat sat on the mat."]])
        >>> bleu.get_signature()  # doctest: +ELLIPSIS
        nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0+rapidbleu...
        """
        num_refs, n_bootstrap, seed = self._calls.own()
        if num_refs is None:
            raise ValueError(
                "Number of references unknown, please evaluate the metric first, with "
                "`corpus_score` for example. A score has the options in its own `signature`."
            )
        signed = self._signed() | self._marks
        options = {"bs": n_bootstrap, "seed": seed, **signed}
        return Signature(num_refs, options, {key: key for key in signed} | self._abbreviations)

    def _signed(self) -> dict[str, Any]:
        """Return the fields of a signature, in this order."""
        return {"case": self._case, "tok": self.tokenizer_signature, **self._options()}

    def _options(self) -> dict[str, Any]:
        """Return the signature fields of options that do not affect reading."""
        options = self.OPTIONS.items()
        return {opt.sign: in_signature(getattr(self, name)) for name, opt in options if opt.sign}

    def _stat_names(self) -> list[str]:
        return self._kernel.columns()

    def _counted_orders(self) -> Sequence[int]:
        """Return the counted n-gram orders; empty if the metric does not count n-grams."""
        metric: Any = self
        least = getattr(self, "min_ngram_order", 1)
        return range(least, metric.max_ngram_order + 1) if self._counts_ngrams else ()

    _n_sources: ClassVar[int] = 0  # texts of a segment that precede its references
    _trace: Any = None  # a function that aligns tokens, as `trace_steps` does
    # For `align`: the aligner of numbered tokens, and whether it aligns with the longest of equally
    # close references, or else with the first
    _edit_rule: ClassVar[Any] = None
    _read_texts = explaining.read_texts
    _reference_of = explaining.find_reference
    _match_orders = explaining.match_orders

    def _formula(self, score: Score, row: list[int], reference: int | None) -> list[str]:
        """Return the lines of the formula that leads from the numbers to the score."""
        return score._formula


class Metric(BaseMetric[ScoreT]):
    """Base class of the metrics: immutable, so any number of threads may share one.

    Each metric documents its own options; most also accept these.

    Parameters
    ----------
    lowercase : bool
        Lowercase all text first.
    tokenize : str or callable, optional
        One of `TOKENIZERS`, or any function from str to a list of str; by default
        `TOKENIZER_DEFAULT` (13a, or none: split at white space) or the metric's own rule.
    pad, end : int, optional
        Ids to drop from segments of integer ids, hypotheses and references alike: each `pad`, and
        the first `end` with all that follows. Other segments then raise TypeError. Metrics of
        characters lack these two.

    Raises
    ------
    TypeError, ValueError
        If an option does not exist or does not accept the value.

    Examples
    --------
    >>> from rapidbleu import BLEU, WER, Metric
    >>> isinstance(BLEU(), Metric), WER(lowercase=True).sentence_score("A b", ["a b"])
    (True, WER = 0.00 (S = 0 D = 0 I = 0 ref_len = 2))
    """

    pad: int | None = option(default=None, check=_check_id, kw_only=True)
    end: int | None = option(default=None, check=_check_id, kw_only=True)

    prepare = corpus.prepare

    def corpus_score(
        self,
        hypotheses: Hypotheses,
        references: ReferenceStreams | None = None,
        n_bootstrap: int = 1,
        *,
        layout: Layout = "stream",
        threads: int = 1,
        seed: int | None = 12345,
        progress: Progress | None = None,
    ) -> ScoreT:
        """Return the `Score` of a corpus.

        Parameters
        ----------
        hypotheses : sequence of segments
            A segment is a str, or a list of str tokens or of integer ids (equal modulo 2**64),
            which are used unchanged. Accepts lists, tuples, NumPy arrays, pandas and polars
            series, and Arrow columns. Ids may be integer arrays and tensors in CPU memory, with
            two dimensions for a batch. A single stream from `prepare` also works. Iterators, a
            `pathlib.Path` of a file of UTF-8 lines, compressed or not, and a `scan` of a table
            are streamed, in little memory.
        references : sequence of streams, References or None
            ``references[stream][segment]``: each stream contains a reference, or None, for each
            segment. With ``layout="segment"``, ``references[segment]`` are a segment's references.
            A stream, and references by segment, may be streamed like hypotheses. None uses the
            references of the constructor or of the scan.
        n_bootstrap : int
            If more than 1, add a 95% interval from this number of resamples, drawn as sacrebleu
            draws them (Koehn 2004, section 3).
        layout : {"stream", "segment"}
            The layout of the references.
        threads : int
            Number of threads; 0 uses all cores. The result does not depend on it.
        seed : int or None
            Seed for resampling; None draws new resamples on every call.
        progress : callable, optional
            Called with the number of segments done and the total, 0 if unknown.

        Raises
        ------
        TypeError, ValueError
            If an element is of the wrong type, numbers of segments differ, or a segment has no
            reference; the message names the position.
        """
        if not isinstance(self, Metric):
            corpus.refuse_class(self)
        if n_bootstrap != 1:
            return corpus.score_resampled(
                self, hypotheses, references, n_bootstrap, layout, threads, seed, progress
            )
        call = hypotheses, references, layout, threads, progress
        if self._describe_in_order is not None:
            parts = self._describe_in_order(*call)
        else:
            parts = self._extractor.kernel.describe(corpus.sum_stats(self, *call))
        return self._labeled(parts)

    def sentence_score(self, hypothesis: Segment, references: SegmentReferences) -> ScoreT:
        """Return the `Score` of one segment.

        Parameters
        ----------
        hypothesis : str, or list of str tokens or integer ids
        references : sequence of the same
            All references of the segment.
        """
        parts = self._extractor.extract_one(hypothesis, references, self._calls)
        if parts is None:  # something other than a str and a list of str
            if isinstance(references, str):
                raise TypeError("references: expected a sequence of references; got a single str")
            parts = self._kernel.describe(corpus.row_of(self, hypothesis, references))
        return self._labeled(parts)

    segment_stats = corpus.segment_stats
    segment_scores = corpus.segment_scores
    segment_table = row_tables.segment_table

    def corpus_stats(
        self,
        hypotheses: Hypotheses,
        references: ReferenceStreams | None = None,
        *,
        layout: Layout = "stream",
        threads: int = 1,
        progress: Progress | None = None,
    ) -> IntArray:
        """Return the sum of `segment_stats`, an int64 array, without allocating its rows."""
        sums = corpus.sum_stats(self, hypotheses, references, layout, threads, progress)
        return np.array(sums, np.int64)

    def running(
        self,
        references: ReferenceStreams,
        hypotheses: Hypotheses | None = None,
        *,
        layout: Layout = "stream",
        threads: int = 1,
        progress: Progress | None = None,
    ) -> RunningScore:
        """Return a `RunningScore`: the score of a corpus whose hypotheses you change one by one.

        Parameters
        ----------
        hypotheses : sequence of segments, optional
            Initial hypotheses; empty ones by default.
        references, layout, threads, progress
            As in `corpus_score`.

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
            hypotheses = [references._empty_segment] * len(references)
        rows = self.segment_stats(hypotheses, references, threads=threads, progress=progress)
        return RunningScore(self, rows, references)

    explain = explaining.explain
    nbest_stats = nbest.nbest_stats
    nbest_scores = nbest.nbest_scores
    iter_nbest_stats = nbest.iter_nbest_stats
    pairwise = pairs.pairwise
    self_scores = pairs.self_scores
    mbr = pairs.mbr
    select = pairs.select

    def pool(self, texts: Texts = (), *, role: str = "references") -> Pool:
        """Return a `Pool`, a growing collection of texts that you search with this metric.

        Parameters
        ----------
        texts : sequence of segments
            Segments as in `corpus_score`.
        role : {"references", "hypotheses"}
            Role of the texts in the pool when another text is scored with them.

        Examples
        --------
        >>> from rapidbleu import CHRF
        >>> pool = CHRF().pool(["the cat sat", "it rained"])
        >>> pool.add("it is raining"), pool.scores("it rains").round(1)
        (2, array([ 5.8, 61.8, 25.1]))
        """
        made: Pool = load("rapidbleu.metrics.pool", "Pool")(self, texts, role)
        return made

    def load_pool(self, path: Path) -> Pool:
        """Read a file of `Pool.save`; ValueError if its texts were tokenized differently."""
        pool: Pool = load("rapidbleu.metrics.pool", "load_pool")(self, path)
        return pool

    stats_table = row_tables.stats_table
    save_stats = row_tables.save_stats
    map_stats = row_tables.map_stats


class WordMetric(Metric[ScoreT]):
    """Base class of metrics of words whose first options are these, as in `Metric`."""

    _inherited = "lowercase", "tokenize"

    lowercase: bool = flag(default=False)
    tokenize: TokenizerName | TokenizerRule | None = words(default=None)
