"""Identity of the metric of rows: signature, digests of references, and JSON description."""

from __future__ import annotations

from rapidbleu._lib.identity import are_same, importable_name, shown_name
from rapidbleu._lib.loader import load
from rapidbleu.references import References
from rapidbleu.score import RowScoring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

METRICS = "rapidbleu.metrics"
VARIES = "var"  # in place of a number of references


def signature_of(metric: Any, num_refs: int | None) -> str:
    """Return the signature of scores against `num_refs` references; -1 if it varies.

    >>> from rapidbleu import CHRF
    >>> signature_of(CHRF(), -1)  # doctest: +ELLIPSIS
    'nrefs:var|case:mixed|eff:yes|nc:6|nw:0|space:no|version:...'
    """
    last = metric._calls.own()
    metric._calls.remember(num_refs)
    try:
        return str(metric.get_signature())
    finally:
        metric._calls.remember(*last)


def score_name(metric: Any) -> str:
    """Return the name of a metric's scores.

    >>> from rapidbleu import CHRF
    >>> score_name(CHRF(beta=1, word_order=2))
    'chrF1++'
    """
    kernel = metric._kernel
    return str(metric._make_score(kernel.describe([0] * kernel.n_stats)).name)


def split_signature(signature: str) -> tuple[str, str, str]:
    """Return the number of references, the options and the version in a signature.

    >>> split_signature("nrefs:1|case:mixed|tok:13a|version:2.6.0+rapidbleu.0.1.0")
    ('1', 'case:mixed|tok:13a', '2.6.0+rapidbleu.0.1.0')
    """
    first, _, rest = signature.partition("|")
    options, mark, version = rest.rpartition("|version:")
    key, _, number = first.partition(":")
    known = number == VARIES or (number.isdecimal() and number.isascii() and int(number) > 0)
    if key != "nrefs" or not known or not mark:
        raise ValueError(f"expected nrefs, options and version; got {signature!r}")
    return number, options, version


def join_signatures(signatures: Sequence[str], where: str = "tables") -> str:
    """Return the common signature of rows; refuse different versions or numbers of references.

    >>> join_signatures(["nrefs:1|case:lc|version:2.6.0", "nrefs:var|case:lc|version:2.6.0"])
    'nrefs:var|case:lc|version:2.6.0'
    """
    parts = [split_signature(signature) for signature in signatures]
    versions = list(dict.fromkeys(version for _, _, version in parts))
    if len(versions) > 1:
        raise ValueError(f"{where}: expected rows of version {versions[0]}; got {versions[1]}")
    numbers = dict.fromkeys(nrefs for nrefs, _, _ in parts)
    known = [nrefs for nrefs in numbers if nrefs != VARIES]
    if len(known) > 1:
        raise ValueError(f"{where}: expected nrefs:{known[0]}; got nrefs:{known[1]}")
    nrefs = VARIES if VARIES in numbers else known[0]
    return f"nrefs:{nrefs}|{parts[0][1]}|version:{versions[0]}"


def number_of(nrefs: str) -> int:
    """Return a number of references, -1 if it varies.

    >>> number_of("2"), number_of("var")
    (2, -1)
    """
    return -1 if nrefs == VARIES else int(nrefs)


class Kind:
    """The properties that two metrics must share for one to score the rows of the other.

    `text` contains the score name and the options of the signature; `options` all options that
    determine scores.

    >>> from rapidbleu import BLEU
    >>> Kind(BLEU()).difference(Kind(BLEU(lowercase=True)))
    'expected BLEU|case:mixed|eff:no|tok:13a|smooth:exp; got BLEU|case:lc|eff:no|tok:13a|smooth:exp'
    >>> Kind(BLEU(max_ngram_order=2)).difference(Kind(BLEU(max_ngram_order=3)))
    'expected max_ngram_order=2; got max_ngram_order=3'
    >>> Kind(BLEU()).difference(Kind(BLEU(force=True)))
    ''
    """

    def __init__(self, metric: Any) -> None:
        options = split_signature(signature_of(metric, 1))[1]
        self.text = f"{score_name(metric)}|{options}"
        self.options: dict[str, Any] = metric._identity()

    def difference(self, b: Kind) -> str:
        """Return the difference as expected and actual value, "" if there is none."""
        pairs = {name: (value, b.options.get(name)) for name, value in self.options.items()}
        for name, pair in pairs.items():
            if all(isinstance(value, References) for value in pair) and not _match(*pair):
                return f"expected the same {name}; got other references"
        if self.text != b.text:
            return f"expected {self.text}; got {b.text}"
        for name, pair in pairs.items():
            if not _match(*pair):
                return _difference(name, *pair)
        return ""


def _match(a: Any, b: Any) -> bool:
    a, b = (value.digest if isinstance(value, References) else value for value in (a, b))
    return are_same(a, b)


def _difference(name: str, a: Any, b: Any) -> str:
    if not callable(a):
        return f"expected {name}={a!r}; got {name}={b!r}"
    text = f"expected the same {name}; got another function, {shown_name(b)}"
    if importable_name(b):
        return text
    return (
        f"{text}; a function without a name to import is the same only as itself: use one object "
        f"for all parts, or define it in a module"
    )


def describe_metric(metric: Any) -> dict[str, Any]:
    """Return the description of a metric in a file.

    ``class`` is its name, qualified by the module outside of `rapidbleu.metrics`; ``score`` the
    name of its scores; ``options`` the options that JSON can store, by name; ``given`` describes
    the remaining ones: SHA-256 of references, names of functions.

    >>> from rapidbleu import BLEU
    >>> described = describe_metric(BLEU(lowercase=True, tokenize=str.split))
    >>> described["options"], described["given"]
    ({'lowercase': True}, {'tokenize': 'str.split'})
    """
    options = {}
    others = {}
    for name, value in metric._changed_options().items():
        if _fits_json(value):
            options[name] = value
        else:
            others[name] = value.digest if isinstance(value, References) else shown_name(value)
    kind = type(metric)
    inside = f"{kind.__module__}.".startswith(f"{METRICS}.")
    name = kind.__qualname__ if inside else f"{kind.__module__}.{kind.__qualname__}"
    return {"class": name, "score": score_name(metric), "options": options, "given": others}


def make_metric(described: dict[str, Any]) -> Any:
    """Return the metric that `describe_metric` described.

    ValueError if it has options that were not stored, or no metric has that name.

    >>> from rapidbleu import BLEU
    >>> make_metric(describe_metric(BLEU(lowercase=True)))
    BLEU(lowercase=True)
    """
    name = described["class"]
    missing = ", ".join(described["given"])
    if missing:
        raise ValueError(
            f"expected metric=, a {name} with the same {missing}, which a file cannot hold; "
            f"got none"
        )
    metrics = load(METRICS)  # a file names one; this module knows none
    kind = getattr(metrics, name) if name in metrics.__all__ else None
    if not (isinstance(kind, type) and issubclass(kind, RowScoring)):
        raise ValueError(f"expected metric=, a {name}, which is no metric of {METRICS}; got none")
    try:
        return kind(**described["options"])
    except (TypeError, ValueError) as error:
        raise ValueError(f"expected options of {name}: {error}") from None


def stored_difference(described: dict[str, Any], metric: Any) -> str:
    """Return how a metric differs from a described one, "" if it does not.

    Functions without an importable name are not compared, because a description has only names.

    >>> from rapidbleu import BLEU
    >>> described = describe_metric(BLEU(smooth_method="floor"))
    >>> stored_difference(described, BLEU(smooth_method="floor", smooth_value=0.101))
    'expected smooth_value=0.1; got smooth_value=0.101'
    """
    expected = describe_metric(metric)
    known = described["given"]
    for name, shown in expected["given"].items():
        if isinstance(getattr(metric, name), References) and shown != known.get(name):
            return f"expected the same {name}; got other references"
        # Version 0.9.0 wrote names without their modules, and names of functions in functions.
        stored = known.get(name, "")
        if not (shown == stored or f".{shown}".endswith(f".{stored}") or "<" in stored):
            return f"expected {name}={stored or None}; got {name}={shown}"
    if expected["class"] != described["class"]:
        return ""
    options = {name: getattr(metric, name) for name in known} | described["options"]
    try:
        stored_metric = type(metric)(**options)
    except TypeError:  # a class with a constructor of its own
        return ""
    stored_kind = Kind(stored_metric)
    kind = Kind(metric)
    return stored_kind.difference(kind) if stored_kind.text == kind.text else ""  # so do signatures


def _fits_json(value: object) -> bool:
    """Return whether JSON preserves a value, apart from tuples, which become lists."""
    if isinstance(value, float):
        return value - value == 0
    if isinstance(value, tuple | list):
        return all(map(_fits_json, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) for key in value) and all(map(_fits_json, value.values()))
    return value is None or isinstance(value, str | int)
