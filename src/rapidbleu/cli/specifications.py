"""Metric specifications, ``NAME[:option=value,...]``: parser and shell completion.

The classes of metrics declare options and check values. They are loaded on demand, so that
``--help`` and sacrebleu's metrics start fast.
"""

from __future__ import annotations

from argparse import Action, ArgumentTypeError
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import rapidbleu.metrics
from rapidbleu.metrics.options import PATH

if TYPE_CHECKING:
    from rapidbleu.cli.options import Parser
    from rapidbleu.metrics.options import Option

# Classes of metrics by name. HTER is missing because it needs references of two kinds.
KINDS = {kind.lower(): kind for kind in rapidbleu.metrics.METRICS if kind != "HTER"}
ROUGES = ("rouge1", "rouge2", "rougeL")  # the meaning of `rouge`
MOST_SETTINGS = 1_000  # of a specification with alternatives


class Specification(NamedTuple):
    """A metric of ``-m``: name, class, options as text, and the typed text."""

    name: str
    kind: str
    options: dict[str, Any]
    texts: dict[str, str]
    typed: str

    def __str__(self) -> str:
        options = ",".join([f"{option}={text}" for option, text in self.texts.items()])
        return f"{self.name}:{options}" if options else self.name

    @property
    def declared(self) -> dict[str, Option]:
        options: dict[str, Option] = getattr(rapidbleu.metrics, self.kind).OPTIONS
        return options


class StoreSettings(Action):
    """Stores the settings of all specifications in one list."""

    def __call__(
        self, parser: Any, namespace: Any, values: Any, option_string: str | None = None
    ) -> None:
        setattr(namespace, self.dest, [setting for each in values for setting in each])


def named_metric(name: str) -> Specification:
    """Return the metric with a name, without options."""
    return Specification(name, KINDS[name], {}, {}, name)


def read_settings(parser: Parser, text: str) -> list[Specification]:
    """Return the settings in a text: one, or the product of all alternatives.

    Lists have ``+`` between items, and alternatives ``/``. A path extends to the end of the text.

    >>> from rapidbleu.cli.options import Parser
    >>> [setting.options for setting in read_settings(Parser(), "wordf:beta=1/3,tokenize=char")]
    [{'beta': 1.0, 'tokenize': 'char'}, {'beta': 3.0, 'tokenize': 'char'}]
    """
    name, colon, rest = text.partition(":")
    metric = _named(parser, name)
    values: dict[str, list[tuple[str, Any]]] = {}
    while colon:
        option, equals, rest = rest.partition("=")
        own = metric.declared.get(option)
        if own is None or not equals:
            known = ", ".join([key for key, each in metric.declared.items() if each.text])
            spaces = "; spaces separate metrics" if _starts_like_a_metric(option) else ""
            raise ArgumentTypeError(
                f"{name}: expected OPTION=VALUE, with one of {known}; got {option + equals!r}"
                f"{spaces}"
            )
        if option in values:
            raise ArgumentTypeError(f"{name}: expected {option} once; got it again")
        if option in metric.options:
            raise ArgumentTypeError(f"{name}: expected rouge with {option}, as {name} has one")
        if own.text is None:
            raise ArgumentTypeError(
                f"{name}: {option} has no text form; in Python it is {metric.kind}({option}=...)"
            )
        if own.text is PATH:
            alternatives, colon = [rest], ""
        else:
            value, colon, rest = rest.partition(",")
            alternatives = value.split("/")
        values[option] = [(each, _value(name, option, own, each)) for each in alternatives]
    n = prod(map(len, values.values()))
    if n > MOST_SETTINGS:
        raise ArgumentTypeError(f"{name}: expected at most {MOST_SETTINGS} settings; got {n}")
    settings = []
    for chosen in product(*values.values()):
        texts = {option: own for option, (own, _) in zip(values, chosen, strict=True)}
        options = {option: value for option, (_, value) in zip(values, chosen, strict=True)}
        settings.append(metric._replace(
            options={**metric.options, **options}, texts=texts, typed=text
        ))  # fmt: skip
    return settings


def _starts_like_a_metric(text: str) -> bool:
    return text.partition(":")[0] in (*KINDS, *ROUGES)


def _named(parser: Parser, name: str) -> Specification:
    """Return a metric without options; names such as rougeL include the variant of ROUGE."""
    if name in KINDS:
        return named_metric(name)
    if "," in name:
        spaced = name.replace(",", " ")
        raise ArgumentTypeError(f"expected spaces between metrics, as in -m {spaced}; got {name!r}")
    if "*" in name or "+" in name.rstrip("+") or name == "weightedsum":  # chrf++ is one metric
        raise ArgumentTypeError(
            f"expected one metric; got {name!r}: a weighted sum has no text form; in Python it is "
            f"WeightedSum([BLEU(), CHRF()]), and `rapidbleu tune --mixture` tunes one"
        )
    if name.startswith("rouge"):
        from rapidbleu.metrics.matching.rouge import VARIANT

        if VARIANT.fullmatch(name[5:]):
            return Specification(name, "ROUGE", {"variant": name[5:]}, {}, name)
    raise ArgumentTypeError(parser.wrong_choice(name, [*KINDS, *ROUGES]))


def _value(name: str, option: str, own: Option, text: str) -> Any:
    """Return the value of an option's text."""
    expected, read = own.text or ("", str)
    try:
        value = read(text)
    except ValueError:
        raise ArgumentTypeError(f"{name}: {option}: expected {expected}; got {text!r}") from None
    try:
        return value if own.text is PATH else own.check(option, value)
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(f"{name}: {error}") from None


def complete(prefix: str, **_: object) -> list[str]:
    """Return matching metrics, options after a colon, or words of an option after ``=``.

    >>> complete("per:lowercase=yes,agg")
    ['per:lowercase=yes,aggregate=']
    >>> complete("per:aggregate=s")
    ['per:aggregate=segments']
    """
    name, colon, rest = prefix.partition(":")
    if not colon:
        return [known for known in (*KINDS, *ROUGES) if known.startswith(name)]
    kind = "ROUGE" if name.startswith("rouge") else KINDS.get(name)
    declared: dict[str, Option] = getattr(rapidbleu.metrics, kind).OPTIONS if kind else {}
    before, comma, last = rest.rpartition(",")
    head = f"{name}:{before}{comma}"
    option, equals, value = last.partition("=")
    if equals:
        given = value[: max(value.rfind("/"), value.rfind("+")) + 1]
        head += f"{option}={given}"
        words = list(declared[option].among) if option in declared else []
    else:
        words = [f"{key}=" for key, own in declared.items() if own.text]
    return [head + word for word in words if (head + word).startswith(prefix)]
