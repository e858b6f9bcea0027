"""The signatures: what decides a score, read off the attributes of a metric."""

from rapidbleu.metrics.bleu_options import SMOOTH_DEFAULTS
from rapidbleu.signature import Signature as NativeSignature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["SMOOTH_DEFAULTS", "BLEUSignature", "CHRFSignature", "Signature", "TERSignature"]


class Signature(NativeSignature):
    """What all metrics have in common.

    Parameters
    ----------
    args : dict
        The attributes of a metric.

    Raises
    ------
    ValueError
        If the metric has scored nothing and so does not know the number of references.

    Examples
    --------
    >>> Signature({"num_refs": -1})  # doctest: +ELLIPSIS
    nrefs:var|version:2.6.0+rapidbleu...
    """

    def __init__(self, args: "dict[str, Any]") -> None:
        names = {
            "bs": "n_bootstrap", "seed": "seed", "test": "test_set", "lang": "langpair",
            "origlang": "origlang", "subset": "subset",
        }  # fmt: skip
        super().__init__(
            args.get("num_refs"), {key: args.get(name) for key, name in names.items()}, {}
        )


class BLEUSignature(Signature):
    """The signature of a BLEU metric."""

    def __init__(self, args: "dict[str, Any]") -> None:
        super().__init__(args)
        self._abbr.update({"case": "c", "eff": "e", "tok": "tok", "smooth": "s"})
        smooth = args["smooth_method"]
        default = SMOOTH_DEFAULTS[smooth]
        if default is not None:
            value = args["smooth_value"]
            smooth += f"[{default if value is None else value:.2f}]"
        self.info.update(
            {
                "case": "lc" if args["lowercase"] else "mixed",
                "eff": "yes" if args["effective_order"] else "no",
                "tok": args["tokenizer_signature"],
                "smooth": smooth,
            }
        )


class CHRFSignature(Signature):
    """The signature of a chrF metric."""

    def __init__(self, args: "dict[str, Any]") -> None:
        super().__init__(args)
        self._abbr.update({"case": "c", "eff": "e", "nc": "nc", "nw": "nw", "space": "s"})
        self.info.update(
            {
                "case": "lc" if args["lowercase"] else "mixed",
                "eff": "no" if args["eps_smoothing"] else "yes",
                "nc": args["char_order"],
                "nw": args["word_order"],
                "space": "yes" if args["whitespace"] else "no",
            }
        )


class TERSignature(Signature):
    """The signature of a TER metric."""

    def __init__(self, args: "dict[str, Any]") -> None:
        super().__init__(args)
        self._abbr.update({"case": "c", "tok": "t", "norm": "nr", "punct": "pn", "asian": "as"})
        self.info.update(
            {
                "case": "mixed" if args["case_sensitive"] else "lc",
                "tok": args["tokenizer_signature"],
                "norm": args["normalized"],
                "punct": not args["no_punct"],
                "asian": args["asian_support"],
            }
        )


class OfLastCall:
    """An attribute of a metric that signatures show: what the last call of any thread found.

    Metrics write it to their `__dict__`, and remember it for each thread. If a caller assigns or
    deletes it, signatures show that, as sacrebleu's do.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, metric: "Any", owner: type) -> "Any":
        if metric is None or self.name not in metric.__dict__:
            raise self._error(owner)
        return metric.__dict__[self.name]

    def __set__(self, metric: "Any", value: "Any") -> None:
        metric.__dict__[self.name] = value
        metric._forget_calls()

    def __delete__(self, metric: "Any") -> None:
        if self.name not in metric.__dict__:
            raise self._error(type(metric))
        del metric.__dict__[self.name]
        metric._forget_calls()

    def _error(self, owner: type) -> AttributeError:
        return AttributeError(f"{owner.__name__!r} object has no attribute {self.name!r}")
