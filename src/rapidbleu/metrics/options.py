"""Metric options: declared once, checked when a metric is created, immutable afterwards.

``max_order: int = count(default=4, least=1, most=64)`` in the body of a metric declares both a
constructor parameter and an attribute. Options are not inherited: a class that declares any
declares them all, in constructor order. But all metrics that read ids have `pad` and `end` of
`Metric`, and subclasses of `WordMetric` begin with its options. Type checkers derive constructors
from declarations with ``default`` as a keyword.
"""

from __future__ import annotations

from rapidbleu._lib.checks import check_count, check_flag, items_of
from rapidbleu._lib.floats import shortest
from rapidbleu._lib.handing import is_ours
from rapidbleu.tokenizers import TOKENIZERS, get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any, Generic, TypeAlias, TypeVar

    from rapidbleu._types import ReferenceStreams
    from rapidbleu.references import References

    _GivenT = TypeVar("_GivenT")
    _KeptT = TypeVar("_KeptT", covariant=True)
    _MadeT = TypeVar("_MadeT")

    class Settled(Generic[_GivenT, _KeptT]):
        """An option whose attribute and constructor argument differ in type."""

        def __get__(self, metric: object, owner: object = None) -> _KeptT:
            raise AttributeError

        def __set__(self, metric: object, value: _GivenT) -> None:
            raise AttributeError

    GivenReferences: TypeAlias = Settled[ReferenceStreams | None, References | None]

REQUIRED: Any = object()  # the default of an option that has none

# Arguments of calls that a caller may look for in a constructor
OF_CALLS = {
    "threads": "corpus_score(..., threads=2)",
    "layout": "corpus_score(..., layout='segment')",
    "references": "corpus_score(hypotheses, references)",
}

# Options that do not change the scores of texts that were tokenized with `tokenize`
UNSCORED = ("force", "references", "trg_lang")

# Options of all metrics that read ids
MARKS = ("pad", "end")

# Attributes that no metric may change, whether options or derived from them
FIXED = ("references", "tokenizer", "tokenizer_signature", "lowercase")


def _read_flag(text: str) -> bool:
    try:
        return {"yes": True, "true": True, "no": False, "false": False}[text.lower()]
    except KeyError:
        raise ValueError(text) from None


def _read_number(text: str) -> float:
    try:
        return int(text)
    except ValueError:
        return float(text)


# Text forms of values on command lines: the expected form, and the function that reads it
FLAG = "yes or no", _read_flag
NUMBER = "a number", _read_number
WORD = "a word", str
NUMBERS = "numbers with + between them", lambda text: [float(part) for part in text.split("+")]
WORDS = "words with + between them", lambda text: text.split("+")
PATH = "a path", str


class Option:
    """An option of a metric.

    `default` is `REQUIRED` without a default value. If it is None, None is valid. `check` receives
    the name of the option and a value, and returns the value to store. `text` is the form on
    command lines, such as `NUMBER`. Without one, the option is available only in Python. `needs` is
    the condition without which the option has no effect: in words, with option names in backticks,
    and as a function of the metric. If the condition fails, a `lenient` option logs a warning, as
    sacrebleu accepts it. Any other raises ValueError. `among` lists the allowed words. `sign` is
    the key of the option in signatures, unless the metric writes it there itself.
    """

    def __init__(
        self,
        default: Any,
        check: Callable[[str, Any], Any],
        text: tuple[str, Callable[[str], Any]] | None = None,
        kw_only: bool = False,
        needs: tuple[str, Callable[[Any], object]] | None = None,
        lenient: bool = False,
        among: Collection[str] = (),
        sign: str | None = None,
    ) -> None:
        self.default = default
        self._check = check
        self.text = text
        self.kw_only = kw_only
        self.needs = needs
        self.lenient = lenient
        self.among = among
        self.sign = sign

    def check(self, name: str, value: Any) -> Any:
        """Return the value to store; None if that is the default."""
        return None if value is None and self.default is None else self._check(name, value)


def option(*, default: Any = REQUIRED, check: Callable[[str, Any], Any], **how: Any) -> Any:
    """Declare an option with its own check and, optionally, a default; see `Option`."""
    return Option(default, check, **how)


def flag(*, default: bool, or_none: bool = False, **how: Any) -> Any:
    """Declare a boolean option; with `or_none`, None means False, as in sacrebleu."""

    def check(name: str, value: Any) -> bool:
        return check_flag(name, False if or_none and value is None else value)

    return Option(default, check, FLAG, among=("yes", "no"), **how)


def count(*, default: int, least: int, most: int, **how: Any) -> Any:
    """Declare an option that is an integer from `least` to `most`."""
    text = f"an integer from {least} to {most}", int
    return Option(default, lambda name, value: check_count(name, value, least, most), text, **how)


def number(*, default: float, least: float, most: float, **how: Any) -> Any:
    """Declare an option that is a number from `least` to `most`."""
    text = f"a number from {least:g} to {most:g}", _read_number
    return Option(default, lambda name, value: check_number(name, value, least, most), text, **how)


def choice(*, default: str, among: Collection[str], **how: Any) -> Any:
    """Declare an option that is one of several words."""
    text = f"one of {', '.join(among)}", str
    return Option(
        default, lambda name, value: check_choice(name, value, among), text, among=among, **how
    )


def words(*, default: None, among: tuple[str, ...] = TOKENIZERS, **how: Any) -> Any:
    """Declare the tokenizer: a name or a function."""
    check = lambda name, value: _check_rule(name, value, among)  # noqa: E731
    return Option(default, check, (f"one of {', '.join(among)}", str), among=among, **how)


def _check_rule(name: str, value: Any, among: tuple[str, ...]) -> Any:
    if callable(value):
        known = getattr(value, "name", None)
        return known if known in TOKENIZERS and get_tokenizer(known) is value else value
    if isinstance(value, str) and value in among:
        return value
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected str or a function; got {type(value).__name__}")
    raise ValueError(f"{name}: expected one of {', '.join(among)}; got {value!r}")


def given_references(*, default: None) -> Any:
    """Declare references that the constructor prepares."""
    return Option(default, lambda name, value: value)


def check_number(name: str, value: Any, least: float, most: float) -> float:
    """Return a number from `least` to `most` as a float.

    >>> check_number("beta", 3, 0, 10)
    3.0
    """
    if isinstance(value, bool | str) or not hasattr(value, "__float__"):
        raise TypeError(f"{name}: expected a number; got {type(value).__name__}")
    number = float(value)
    if not least <= number <= most:
        raise ValueError(f"{name}: expected {least:g} to {most:g}; got {number:g}")
    return number


def check_numbers(name: str, values: Any, least: float, most: float) -> tuple[float, ...]:
    """Return numbers from `least` to `most` as floats.

    >>> check_numbers("weights", [1, 0.5], 0, 1)
    (1.0, 0.5)
    """
    items = enumerate(items_of(values, name, "numbers"))
    return tuple(check_number(f"{name}[{i}]", value, least, most) for i, value in items)


def check_choice(name: str, value: Any, choices: Collection[str]) -> Any:
    """Return one of several words.

    >>> check_choice("form", "corpus", ("segments", "corpus"))
    'corpus'
    """
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}: expected one of {', '.join(choices)}; got {value!r}")
    return value


def collect_options(kind: Any) -> None:
    """Collect the options that a class declares, and those accepted by position.

    TypeError if a subclass without options of its own has a class attribute named like an option.
    """
    declared = {name: value for name, value in vars(kind).items() if isinstance(value, Option)}
    if not declared:
        for name in kind.OPTIONS.keys() & vars(kind).keys():
            raise TypeError(
                f"{kind.__name__}.{name}: {name} is an option; pass it to super().__init__"
            )
        return
    for name in declared:
        delattr(kind, name)
    first = {name: opt for name, opt in kind.OPTIONS.items() if name in kind._inherited}
    last = {name: opt for name, opt in kind.OPTIONS.items() if name in MARKS and kind._reads_ids}
    declared = kind.OPTIONS = {**first, **declared, **last}
    kind._positional = tuple(name for name, opt in declared.items() if not opt.kw_only)
    kind._defaults = {
        name: opt.default for name, opt in declared.items() if opt.default is not REQUIRED
    }
    kind._conditional = {name: opt for name, opt in declared.items() if opt.needs is not None}
    kind._fixed = frozenset({*declared, *FIXED})


def unknown_option(kind: Any, name: str) -> str:
    """Return the error for an argument of a constructor that is no option."""
    if name in OF_CALLS:
        return f"{kind.__name__}: {name} is an argument of calls, such as {OF_CALLS[name]}"
    return f"{kind.__name__}: expected one of {', '.join(kind.OPTIONS)}; got {name!r}"


def check_effects(metric: Any, warn: Callable[[str], object]) -> None:
    """Refuse, or warn about, options that differ from their defaults but have no effect."""
    for name, opt in type(metric)._conditional.items():
        value = getattr(metric, name)
        if value == opt.default or opt.needs[1](metric):
            continue
        needed = opt.needs[0]
        if opt.lenient:
            warn(f"`{name}` has no effect without {needed}; got {value!r}")
        else:
            raise ValueError(
                f"{name}: expected {needed.replace('`', '')} with it, without which it has no "
                f"effect; got {name}={value!r}"
            )


class ShownSignature:
    """The signature of a constructor for `inspect` and `help`, created on demand."""

    def __get__(self, metric: object, kind: Any) -> Any:
        from inspect import Parameter, Signature, get_annotations

        if "__init__" in vars(kind) or not kind.OPTIONS:
            raise AttributeError("__signature__")
        types: dict[str, Any] = {}
        for base in reversed(kind.__mro__):
            types |= get_annotations(base)
        parameters = [
            Parameter(
                name,
                Parameter.KEYWORD_ONLY if opt.kw_only else Parameter.POSITIONAL_OR_KEYWORD,
                default=Parameter.empty if opt.default is REQUIRED else opt.default,
                annotation=types[name],
            )
            for name, opt in kind.OPTIONS.items()
        ]
        return Signature(parameters)


def in_signature(value: Any) -> Any:
    """Return the value of an option as signatures show it.

    >>> in_signature(0.5), in_signature(True), in_signature((1.0, 3.0)), in_signature(4)
    ('0.5', 'yes', '1,3', 4)
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ",".join(map(shortest, value))
    return shortest(value) if isinstance(value, float) else value


def in_code(value: object) -> str:
    """Return a value as Python code where possible.

    >>> in_code("13a"), in_code(float("inf")), in_code(str.split)
    ("'13a'", "float('inf')", 'str.split')
    """
    if isinstance(value, float) and value - value != 0:
        return f"float({str(value)!r})"
    name = getattr(value, "__qualname__", None) if callable(value) else None
    return repr(value) if name is None else str(name)


class Recent(dict["tuple[Any, ...]", "_MadeT"]):
    """A bounded cache of metrics by their options, so a loop over `sentence_bleu` makes one metric.

    Metrics are immutable, so callers may share them. A key begins with the options, by position;
    types after them distinguish equal options, such as 1 and 1.0.
    >>> recent = Recent(lambda first, second: [first, second])
    >>> recent.of(((1, 2),)) is recent.of(((1, 2),)), recent.of(((1.0, 2), float))
    (True, [1.0, 2])
    """

    MOST = 64

    def __init__(self, make: Callable[..., _MadeT]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, key: tuple[Any, ...]) -> _MadeT:
        made = self.make(*key[0])
        if len(self) >= self.MOST:
            self.clear()
        self[key] = made
        return made

    def of(self, key: tuple[Any, ...]) -> _MadeT:
        """Return the metric of a key; create a new one if an option is not hashable."""
        try:
            return self[key]
        except TypeError as error:  # not hashable, or an option is refused, and will be again
            if not is_ours(error):
                raise
        return self.make(*key[0])
