"""The signatures: what decides a score, read off the attributes of a metric."""

from rapidbleu.signature import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SMOOTH_DEFAULTS: "dict[str, float | None]" = {
    "none": None,
    "floor": 0.1,
    "add-k": 1,
    "exp": None,
}


class Signature:
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
        self._abbr = {
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
        if "num_refs" not in args:
            raise ValueError("Number of references unknown, please evaluate the metric first.")
        n_refs = args["num_refs"]
        self.info: dict[str, Any] = {
            "version": VERSION,
            "nrefs": "var" if n_refs == -1 else n_refs,
            "bs": args.get("n_bootstrap"),
            "ar": None,
            "seed": args.get("seed"),
            "test": args.get("test_set"),
            "lang": args.get("langpair"),
            "origlang": args.get("origlang"),
            "subset": args.get("subset"),
        }

    def format(self, short: bool = False) -> str:
        """Write all entries that are set, the version last.

        Parameters
        ----------
        short : bool
            With abbreviated keys.

        Returns
        -------
        str
        """
        parts = []
        for key in [*(key for key in self.info if key != "version"), "version"]:
            value = self.info[key]
            if value is None:
                continue
            if isinstance(value, bool):
                value = "yes" if value else "no"
            parts.append(f"{self._abbr[key] if short else key}:{value}")
        return "|".join(parts)

    def update(self, key: str, value: "Any") -> None:
        """Set an entry."""
        self.info[key] = value

    def __str__(self) -> str:
        return self.format()

    def __repr__(self) -> str:
        return self.format()


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
