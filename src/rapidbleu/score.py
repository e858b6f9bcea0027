"""Scores, their formats and signatures, and the conversion of rows of statistics to scores."""

from __future__ import annotations

from operator import ge, gt, le, lt

from rapidbleu._lib.floats import exact_mean, finite
from rapidbleu._lib.loader import load, np
from rapidbleu._version import __version__
from rapidbleu.stats import check_rows, rows_given, sum_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, ClassVar, Generic, dataclass_transform

    from typing_extensions import TypeVar

    from rapidbleu._core.metrics.kernel import Kernel
    from rapidbleu._types import FloatArray, IntRows

else:

    def dataclass_transform(**_: object) -> object:
        """Stand for the decorator of `typing`, which takes long to load."""
        return lambda kind: kind


# The sacrebleu release with the same numbers, and the program that computed them.
VERSION = f"2.6.0+rapidbleu.{__version__}"

_ABBREVIATIONS = {
    "version": "v",
    "nrefs": "#",
    "test": "t",
    "lang": "l",
    "subset": "S",
    "origlang": "o",
    "bs": "bs",
    "ar": "ar",
    "seed": "rs",
}


def formatted(score: Any, width: int, score_only: bool, signature: str, is_json: bool) -> str:
    """Write a score, which has ``_mean`` and ``_ci`` if ``_has_interval``; see `Score.format`."""
    number = f"{score.score:.{width}f}"
    entries: dict[str, Any] = {
        "name": score.name,
        "score": float(number),
        "signature": signature,
    }
    # sacrebleu shows no interval around 0, and has no scores below it.
    if score._has_interval:
        mean = f"{score._mean:.{width}f}"
        half_width = f"{score._ci:.{width}f}"
        interval = f"μ = {mean} ± {half_width}"
        number = f"{number} ({interval})"
        entries["confidence_mean"] = float(mean)
        entries["confidence_var"] = float(half_width)
        entries["confidence"] = interval
    if score_only:
        return number
    if is_json:
        if score._verbose:
            entries["verbose_score"] = score._verbose
        for part in signature.split("|") if signature else ():
            key, _, value = part.partition(":")
            entries[key] = value
        lines = [f" {_json(key)}: {_json(value)}" for key, value in entries.items()]
        return "{\n" + ",\n".join(lines) + "\n}"
    head = f"{score.name}|{signature}" if signature else score.name
    return f"{head} = {number} {score._verbose}".rstrip()


def _json(value: Any) -> str:
    """Return JSON; `json`, which takes long to load, writes only what needs escapes or names."""
    if type(value) is str and value.isprintable() and not ('"' in value or "\\" in value):
        return f'"{value}"'
    if type(value) is float and value - value == 0:
        return repr(value)
    return str(load("json").dumps(value, ensure_ascii=False))


def joined_precisions(precisions: Sequence[float]) -> str:
    """Return precisions as printed.

    >>> joined_precisions([75.0, 50.0])
    '75.0/50.0'
    """
    return "/".join([f"{precision:.1f}" for precision in precisions])


def length_ratio(sys_len: int, ref_len: int) -> float:
    """Return the ratio of hypothesis to reference length; 0 without references."""
    return sys_len / ref_len if ref_len else 0


def bleu_details(prec_str: str, bp: float, ratio: float, sys_len: int, ref_len: int) -> str:
    """Return the details printed after a BLEU score.

    >>> bleu_details("75.0/50.0", 1.0, 1.0, 4, 4)
    '75.0/50.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)'
    """
    lengths = f"ratio = {ratio:.3f} hyp_len = {sys_len:d} ref_len = {ref_len:d}"
    return f"{prec_str} (BP = {bp:.3f} {lengths})"


def chrf_name(word_order: int, beta: float) -> str:
    """Return the name of chrF with these options.

    >>> chrf_name(2, 2)
    'chrF2++'
    """
    return f"chrF{beta}" + "+" * word_order


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _ordered_by(compare: Callable[[float, float], bool]) -> Callable[[Score, object], bool]:
    """Return a method that compares scores of the same metric and options by number."""

    def method(self: Score, other: object) -> bool:
        number = self._number_of(other)
        return NotImplemented if number is None else compare(self.score, number)

    return method


class Score:
    """A named score: immutable, and compared by value.

    Scores of the same metric and options are ordered by number; ordering any different scores is a
    TypeError. `better` knows that lower is better for error rates.

    Parameters
    ----------
    name : str
        Name of the metric, as printed.
    score : float
        In percent for BLEU.

    Examples
    --------
    >>> score = Score("BLEU", 26.5958)
    >>> print(score)
    BLEU = 26.60
    >>> round(score, 1), float(score), f"{score:.3f}", score < Score("BLEU", 30.0)
    (26.6, 26.5958, '26.596', True)
    """

    _mean = -1.0  # of resampled scores; -1 until it is computed
    _ci = -1.0  # half the width of their confidence interval
    _label = ""  # the options of the metric, as in signatures; empty if it is unknown
    _lower_is_better = False
    _fields: ClassVar[dict[str, str]] = {}  # types of the attributes that a class declares
    _order: ClassVar[tuple[str, ...]] = ()  # of attributes in `to_dict`, unless as declared

    def __init__(self, name: str, score: float) -> None:
        self.name = name
        self.score = score

    def __setattr__(self, name: str, value: object) -> None:
        if "_label" in self.__dict__ or hasattr(self, name):
            raise AttributeError(f"{name}: a score does not change")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{name}: a score does not change")

    @property
    def signature(self) -> str:
        """Options of the metric, and the version; empty if unknown.

        The metric's `get_signature` adds the numbers of references and resamples.
        """
        return f"{self._label}|version:{VERSION}" if self._label else ""

    @property
    def interval(self) -> tuple[float, float] | None:
        """95% interval of resampled scores, (low, high); None if not estimated."""
        if self._ci < 0:
            return None
        return self._mean - self._ci, self._mean + self._ci

    @property
    def _verbose(self) -> str:
        """Details printed after the score."""
        return ""

    @property
    def _has_interval(self) -> bool:
        """Whether an interval is printed; one around 0 is not, as in sacrebleu."""
        return self._ci >= 0 and self._mean != 0

    @property
    def _formula(self) -> list[str]:
        """Lines that derive the score from its attributes; none if they do not determine it."""
        return []

    def _put(self, **attributes: Any) -> None:
        """Set attributes during construction."""
        self.__dict__.update(attributes)

    def _renamed(self, name: str) -> Any:
        """Return the same score under another name."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(vars(self), name=name)
        return twin

    def _take_samples(self, scores: Sequence[Any]) -> None:
        """Set the mean and the 95% interval of resampled scores, which `format` writes.

        >>> score = Score("BLEU", 26.6)
        >>> score._take_samples([26.0 + i / 100 for i in range(100)])
        >>> print(score)
        BLEU = 26.60 (μ = 26.50 ± 0.47)
        """
        numbers = sorted([float(getattr(score, "score", score)) for score in scores])
        if not numbers:
            raise ValueError("scores: expected at least one; got none")
        tail = len(numbers) // 40
        self._put(_mean=exact_mean(numbers), _ci=0.5 * (numbers[-1 - tail] - numbers[tail]))

    def __float__(self) -> float:
        return float(self.score)

    def __round__(self, ndigits: int | None = None) -> float:
        return round(float(self.score), ndigits)

    def _number_of(self, other: object) -> float | None:
        """Return the number of a score of the same metric and options, otherwise None."""
        if not isinstance(other, Score):
            return None
        if type(other) is not type(self) or self._kind() != other._kind():
            raise TypeError(
                f"expected scores of one metric and its options; got {self._kind()} and "
                f"{other._kind()}"
            )
        return other.score

    def _kind(self) -> str:
        return f"{self.name}|{self._label}" if self._label else self.name

    __lt__ = _ordered_by(lt)
    __le__ = _ordered_by(le)
    __gt__ = _ordered_by(gt)
    __ge__ = _ordered_by(ge)

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.name == other.name and {**vars(self), "_label": ""} == {
            **vars(other),
            "_label": "",
        }

    def __hash__(self) -> int:
        return hash((self.name, self.score))

    def __repr__(self) -> str:
        return self.format()

    def _repr_html_(self) -> str:
        load("rapidbleu.table")
        from rapidbleu.table import html_table

        entries = self.to_dict()
        table = html_table(
            list(entries), [[_shown(value)] for value in entries.values()], [True] * len(entries)
        )
        signature = load("html", "escape")(self.signature)
        return f"{table}\n<p><code>{signature}</code></p>" if signature else table

    def to_dict(self) -> dict[str, Any]:
        """Return the score and its components, ready for JSON.

        Returns
        -------
        dict
            ``name``, ``score``, the attributes of the class, and ``mean``, ``low`` and ``high`` of
            the 95% interval if estimated. Numbers that are not finite are None.

        Examples
        --------
        >>> from rapidbleu import sentence_chrf
        >>> sentence_chrf("the cat", ["the cat"]).to_dict()
        {'name': 'chrF2', 'score': 100.0, 'beta': 2, 'char_order': 6, 'word_order': 0}
        """
        entries = {"name": self.name, "score": self.score}
        names = (*self._order, *vars(self))
        entries |= {name: getattr(self, name) for name in names if not name.startswith("_")}
        if self.interval is not None:
            low, high = self.interval
            entries |= {"mean": self._mean, "low": low, "high": high}
        return {key: finite(value) for key, value in entries.items()}

    def format(
        self, width: int = 2, score_only: bool = False, signature: str = "", is_json: bool = False
    ) -> str:
        """Return the score as a line of text or JSON, in sacrebleu's format.

        Parameters
        ----------
        width : int
            Digits after the decimal point.
        score_only : bool
            Write only the number; overrides `is_json`.
        signature : str
            Signature of the metric; JSON has an entry for each of its parts.
        is_json : bool
            Write JSON, indented by one space.

        Returns
        -------
        str

        Examples
        --------
        >>> Score("BLEU", 26.5958).format(width=1, signature="nrefs:1|case:mixed")
        'BLEU|nrefs:1|case:mixed = 26.6'
        """
        return formatted(self, width, score_only, signature, is_json)


def better(a: Score, b: Score) -> bool:
    """Return whether score a is better than b: higher, or lower for error rates.

    Parameters
    ----------
    a, b : Score
        Scores of the same metric and options.

    Raises
    ------
    TypeError
        If metric or options differ; the message contains both signatures.

    Examples
    --------
    >>> from rapidbleu import WER, better
    >>> wer = WER()
    >>> a, b = (wer.sentence_score(text, ["the cat sat"]) for text in ("the cat", "a cat"))
    >>> better(a, b), a < b
    (True, True)
    """
    for where, score in ("a", a), ("b", b):
        if not isinstance(score, Score):
            raise TypeError(f"{where}: expected a score; got {type(score).__name__}")
    return a < b if a._lower_is_better else a > b


class ChangeableScore(Score):
    """Base of the scores that sacrebleu has as well, because programs set their attributes."""

    __setattr__ = object.__setattr__  # type: ignore[assignment]
    __delattr__ = object.__delattr__  # type: ignore[assignment, unused-ignore]

    def estimate_ci(self, scores: Sequence[Any]) -> None:
        """Set the mean and the 95% interval of resampled scores, which `format` writes.

        Parameters
        ----------
        scores : sequence of Score or float
            At least one, in any order.

        Examples
        --------
        >>> from rapidbleu import BLEUScore
        >>> score = BLEUScore(26.6, [2], [4], [50.0], 1.0, 4, 4)
        >>> score.estimate_ci([26.0 + i / 100 for i in range(100)])
        >>> [round(end, 3) for end in score.interval]
        [26.02, 26.97]
        """
        self._take_samples(scores)


@dataclass_transform(eq_default=False)
def declared(kind: Any) -> Any:
    """Give a class of scores a constructor that stores the attributes it declares, in their order.

    >>> score = declared(type("Rate", (Score,), {"__annotations__": {"score": "float"}}))(50.0)
    >>> score.score
    50.0
    """
    kind._fields = kind.__annotations__
    kind.__init__ = _store_fields
    kind.__signature__ = _ShownFields()
    return kind


def _store_fields(self: Any, *values: Any, **named: Any) -> None:
    """Store the declared attributes of a score."""
    fields = self._fields
    if named:
        rest = list(fields)[len(values) :]
        values = (*values, *[named.pop(name) for name in rest if name in named])
    if named or len(values) != len(fields):
        raise TypeError(f"{type(self).__name__}: expected {', '.join(fields)}")
    self.__dict__.update(zip(fields, values, strict=True))


class _ShownFields:
    """The signature of such a constructor for `inspect` and `help`, created on demand."""

    def __get__(self, score: object, kind: Any) -> Any:
        from inspect import Parameter, Signature

        if kind.__init__ is not _store_fields:
            raise AttributeError("__signature__")
        parameters = [
            Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=annotation)
            for name, annotation in kind._fields.items()
        ]
        return Signature(parameters, return_annotation="None")


@declared
class SegmentMeanScore(Score):
    """Mean of the scores of `n_segments` segments; subclasses name it."""

    score: float
    n_segments: int


def rate_formula(score: Score, words: str, edits: object, length: float) -> list[str]:
    """Return the formula of an error rate.

    >>> rate_formula(Score("PER", 25.0), "edits / ref_len", 1, 4)
    ['PER = 100 * edits / ref_len = 100 * 1 / 4 = 25.00']
    """
    if not length:
        return [f"{score.name} = {score.score:.2f}  (any edits are 100 % of an empty reference)"]
    numbers = f"100 * {edits} / {length:.6g}"
    return [f"{score.name} = 100 * {words} = {numbers} = {score.score:.2f}"]


def join_options(options: Iterable[tuple[str, Any]]) -> str:
    """Return options as shown in signatures, without those that are None.

    >>> join_options([("case", "lc"), ("len", None), ("eff", True)])
    'case:lc|eff:yes'
    """
    parts = []
    for key, value in options:
        if value is not None:
            shown = ("yes" if value else "no") if isinstance(value, bool) else value
            parts.append(f"{key}:{shown}")
    return "|".join(parts)


class Signature:
    """Options that determine a score.

    Parameters
    ----------
    num_refs : int or None
        References of each segment, -1 if it varies; None before anything is scored.
    options : dict
        The metric's own entries, in order.
    abbreviations : dict
        Short names of the entries.

    Raises
    ------
    ValueError
        If nothing was scored yet, because the number of references is unknown.

    Examples
    --------
    >>> str(Signature(1, {"case": "mixed"}, {"case": "c"}))  # doctest: +ELLIPSIS
    'nrefs:1|case:mixed|version:2.6.0+rapidbleu...'
    """

    def __init__(
        self, num_refs: int | None, options: dict[str, Any], abbreviations: dict[str, str]
    ) -> None:
        if num_refs is None:
            raise ValueError("Number of references unknown, please evaluate the metric first.")
        self._abbr = _ABBREVIATIONS | abbreviations
        self.info: dict[str, Any] = {
            "version": VERSION,
            "nrefs": "var" if num_refs == -1 else num_refs,
            "bs": None,
            "ar": None,
            "seed": None,
            "test": None,
            "lang": None,
            "origlang": None,
            "subset": None,
            **options,
        }

    def update(self, key: str, value: Any) -> None:
        """Set an entry."""
        self.info[key] = value

    def format(self, short: bool = False) -> str:
        """Write the signature, the version last.

        Parameters
        ----------
        short : bool
            Abbreviate the keys.
        """
        names = self._abbr if short else {}
        keys = [*(key for key in self.info if key != "version"), "version"]
        return join_options((names.get(key, key), self.info[key]) for key in keys)

    def __repr__(self) -> str:
        return self.format()


if TYPE_CHECKING:
    ScoreT = TypeVar("ScoreT", bound=Score, default=Score, covariant=True)
else:  # `typing` takes longer to load than all this
    ScoreT = Score
    Generic = {ScoreT: object}


def check_metric(metric: object, where: str = "metric", method: str = "") -> Any:
    """Return a metric after checking it; with `method`, one that has this method of text metrics.

    >>> from rapidbleu import SegmentScores
    >>> check_metric(SegmentScores("COMET"))
    SegmentScores('COMET')
    >>> check_metric(SegmentScores(), method="nbest_stats")
    Traceback (most recent call last):
    ...
    TypeError: metric: expected a metric of text; got SegmentScores
    """
    if not isinstance(metric, RowScoring) or not hasattr(metric, method or "score_rows"):
        kind = "a metric of text" if method else "a metric"
        raise TypeError(f"{where}: expected {kind}; got {type(metric).__name__}")
    return metric


class RowScoring(Generic[ScoreT]):
    """Scoring of rows of statistics; a subclass supplies its compiled `_kernel`.

    ``RowScoring[BLEUScore]`` returns scores of that class; at run time it is only a name.
    """

    if not TYPE_CHECKING:
        __class_getitem__ = classmethod(type(list[int]))

    _fixed: frozenset[str] = frozenset()  # attributes that are set when a metric is made
    _marks: ClassVar[dict[str, Any]] = {}  # ids that mean no token
    _label = ""  # what scores remember of the options; made for the first of them
    _full_score: float | None = 100.0  # of a perfect text; of an error rate, with all wrong

    def __setattr__(self, name: str, value: object) -> None:
        if name in self._fixed:
            raise AttributeError(
                f"{name}: the options of a metric are fixed; {self._remedy(name, value)}"
            )
        object.__setattr__(self, name, value)

    def _remedy(self, name: str, value: object) -> str:
        """Return how to obtain a metric with another value of a fixed attribute, for errors."""
        return f"make a new one, such as {type(self).__name__}({name}={value!r})"

    _put = object.__setattr__  # sets a fixed attribute, during construction

    def __delattr__(self, name: str) -> None:
        if name in self._fixed:
            raise AttributeError(f"{name}: the options of a metric are fixed")
        object.__delattr__(self, name)

    def _changed_options(self) -> dict[str, object]:
        """Return the options that differ from their defaults or have none."""
        raise TypeError(f"{type(self).__name__} has no options")

    @property
    def _kernel(self) -> Kernel:
        raise TypeError(f"{type(self).__name__} has no kernel")

    @property
    def higher_is_better(self) -> bool:
        """Whether higher scores are better; False for error rates."""
        return not self._kernel.lower_is_better

    def _gain(self, score: float) -> float:
        """Return the score, negated if lower is better."""
        return score if self.higher_is_better else -score

    def _advise_segments(self) -> None:
        """Hook: warn once of options that make scores of single segments misleading."""

    def _make_score(self, parts: tuple[Any, ...]) -> ScoreT:
        """Return the score for the kernel's results of a row."""
        raise TypeError(f"{type(self).__name__} has no scores")

    def _signed(self) -> dict[str, Any]:
        """Return the options shown in signatures, in order."""
        return {}

    def _make_label(self) -> str:
        """Return the options stored in scores, and cache them."""
        self._put("_label", label := join_options((self._signed() | self._marks).items()))
        return label

    def _labeled(self, parts: tuple[Any, ...]) -> ScoreT:
        """Return the score for the kernel's results of a row, with the options of the metric."""
        score = self._make_score(parts)
        score.__dict__["_label"] = self._label or self._make_label()
        return score

    def score_rows(self, stats: IntRows) -> FloatArray:
        """Score each row of statistics as a corpus of its own.

        Parameters
        ----------
        stats : int array of shape (n, n_stats), or StatsTable

        Returns
        -------
        float64 array of shape (n,)
        """
        kernel = self._kernel
        rows = check_rows(rows_given(stats, self), kernel)
        kernel.score_rows(rows, scores := np.empty(len(rows), np.float64))
        return scores

    def score(self, stats: IntRows) -> ScoreT:
        """Score statistics.

        Parameters
        ----------
        stats : int array of shape (n_stats,) or (n, n_stats), or StatsTable
            One row, or rows to be summed. A table of another metric is a ValueError.

        Returns
        -------
        Score
        """
        kernel = self._kernel
        return self._labeled(kernel.describe(sum_rows(rows_given(stats, self), kernel)))
