"""Identity of the metric of rows: signature, digests of references, and JSON description."""

from __future__ import annotations

from rapidbleu._lib.lazy import np
from rapidbleu._lib.loader import load
from rapidbleu.references import References
from rapidbleu.score import RowScoring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

METRICS = "rapidbleu.metrics"
VARIES = "var"  # in place of a number of references
LOW = 6  # index of the lower halves of tokens in pickled references, followed by the upper halves


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


def number_of(nrefs: str) -> int:
    """Return a number of references, -1 if it varies.

    >>> number_of("2"), number_of("var")
    (2, -1)
    """
    return -1 if nrefs == VARIES else int(nrefs)


class Kind:
    """The properties that two metrics must share for one to score the rows of the other.

    `text` contains the score name and the options of the signature; `digests`, by option, the
    SHA-256 of references that are options, such as the information of NIST.

    >>> from rapidbleu import BLEU
    >>> Kind(BLEU()).difference(Kind(BLEU(lowercase=True)))
    'expected BLEU|case:mixed|eff:no|tok:13a|smooth:exp; got BLEU|case:lc|eff:no|tok:13a|smooth:exp'
    >>> Kind(BLEU()).difference(Kind(BLEU(force=True)))
    ''
    """

    def __init__(self, metric: Any) -> None:
        options = split_signature(signature_of(metric, 1))[1]
        self.text = f"{score_name(metric)}|{options}"
        self.digests = digests_of(metric._changed_options())

    def difference(self, b: Kind) -> str:
        """Return the difference as expected and actual value, "" if there is none."""
        if self.text != b.text:
            return f"expected {self.text}; got {b.text}"
        names = [n for n in self.digests if self.digests[n] != b.digests.get(n)]
        return f"expected the same {', '.join(names)}; got other references" if names else ""


def digests_of(options: dict[str, object]) -> dict[str, str]:
    """Return the SHA-256 of each option that is References.

    >>> from rapidbleu import NIST
    >>> digests_of({"lowercase": True, "information": NIST().prepare([["a b"]])})["information"][:8]
    '6cc335bf'
    """
    return {
        name: _digest(value) for name, value in options.items() if isinstance(value, References)
    }


def _digest(references: References) -> str:
    """Return a digest of the tokens, without the ids of long ones, which differ by process."""
    load("hashlib")
    from hashlib import sha256

    parts = list(references._prepared.__reduce__()[1])
    low, high, longs = LOW, LOW + 1, LOW + 2
    if parts[longs]:
        lower, upper = (np.frombuffer(parts[k], np.uint32).copy() for k in (low, high))
        hashed = lower % 256 == 0
        lower[hashed] = upper[hashed] = 0
        parts[low], parts[high] = lower.tobytes(), upper.tobytes()
    digest = sha256(references.preparation.encode("utf-8", "surrogatepass"))
    for part in parts:
        data = part if isinstance(part, bytes) else repr(part).encode()
        digest.update(f"|{len(data)}:".encode())
        digest.update(data)
    return digest.hexdigest()


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
    changed = metric._changed_options()
    options, given = {}, {}
    digests = digests_of(changed)
    for name, value in changed.items():
        if _fits_json(value):
            options[name] = value
        else:
            given[name] = digests.get(name) or _name_of(value)
    kind = type(metric)
    inside = f"{kind.__module__}.".startswith(f"{METRICS}.")
    name = kind.__qualname__ if inside else f"{kind.__module__}.{kind.__qualname__}"
    return {"class": name, "score": score_name(metric), "options": options, "given": given}


def make_metric(described: dict[str, Any]) -> Any:
    """Return the metric that `describe_metric` described.

    ValueError if it has options that were not stored, or no metric has that name.

    >>> from rapidbleu import BLEU
    >>> make_metric(describe_metric(BLEU(lowercase=True)))
    BLEU(lowercase=True)
    """
    name, given = described["class"], described["given"]
    if given:
        raise ValueError(
            f"expected metric=, a {name} with the same {', '.join(given)}, which a file cannot "
            f"hold; got none"
        )
    metrics = load(METRICS)  # a file names one; this module knows none
    kind = getattr(metrics, name) if name in metrics.__all__ else None
    if not (isinstance(kind, type) and issubclass(kind, RowScoring)):
        raise ValueError(f"expected metric=, a {name}, which is no metric of {METRICS}; got none")
    try:
        return kind(**described["options"])
    except (TypeError, ValueError) as error:
        raise ValueError(f"expected options of {name}: {error}") from None


def _fits_json(value: object) -> bool:
    """Return whether JSON preserves a value, apart from tuples, which become lists."""
    if isinstance(value, float):
        return value - value == 0
    if isinstance(value, tuple | list):
        return all(map(_fits_json, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) for key in value) and all(map(_fits_json, value.values()))
    return value is None or isinstance(value, str | int)


def _name_of(value: object) -> str:
    """Return the name of a function, or else the type of a value."""
    return str(getattr(value, "__qualname__", type(value).__qualname__))
