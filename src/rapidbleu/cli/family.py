"""The metrics of the command line that sacrebleu has not: their options, and how they are made.

A metric is loaded when it is asked for, so that the others, and ``--help``, start without it.
"""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING, Any

import rapidbleu.metrics
from rapidbleu.cli.numbers import at_least, number_from
from rapidbleu.tokenizers import TOKENIZERS

if TYPE_CHECKING:
    from rapidbleu.metrics import ROUGE
    from rapidbleu.metrics.base import Metric

FAMILY = ("cder", "cer", "gleu", "nist", "per", "rouge", "wer", "wordf")

OF_WORDS = {  # and their tokenizers
    "WER": "none", "PER": "13a", "CDER": "13a", "WordF": "13a", "GLEU": "13a", "NIST": "13a",
}  # fmt: skip


def add_family(parser: ArgumentParser) -> None:
    """Add the options of these metrics."""
    for title, tokenizer in OF_WORDS.items():
        add, name = parser.add_argument_group(title).add_argument, title.lower()
        add(f"--{name}-lowercase", action="store_true", help="ignore case")
        add(f"--{name}-tokenize", choices=list(TOKENIZERS), default=tokenizer,
            metavar="TOKENIZER", help=f"as of --tokenize (default: {tokenizer})")  # fmt: skip
        if name == "per":
            add("--per-form", choices=["segments", "corpus"], default="segments",
                help="add the edits of segments, or compare the lengths of the whole corpus, as "
                "Moses does (default: segments)")  # fmt: skip
        elif name == "wordf":
            add("--wordf-beta", type=number_from(0), default=1.0, metavar="X",
                help="how many times more recall counts than precision (default: 1)")  # fmt: skip
        elif name == "gleu":
            add("--gleu-max-order", type=at_least(1, 64), default=4, metavar="N",
                help="highest order of n-grams (default: 4)")  # fmt: skip
        elif name == "nist":
            add("--nist-max-order", type=at_least(1, 16), default=5, metavar="N",
                help="highest order of n-grams (default: 5)")  # fmt: skip
            add("--nist-perl-zero", action="store_true",
                help="weigh pairs that begin with the word 0 as mteval does")  # fmt: skip
    add = parser.add_argument_group("CER").add_argument
    add("--cer-lowercase", action="store_true", help="ignore case")
    add("--cer-no-whitespace", action="store_true", help="white space is no character")
    _add_rouge(parser)


def _add_rouge(parser: ArgumentParser) -> None:
    add = parser.add_argument_group("ROUGE").add_argument
    add("--rouge-types", nargs="+", type=rouge_type, default=["1", "2", "L"], metavar="TYPE",
        help="1, 2, ...: n-grams; L, Lsum, W: common subsequences; S, S4, SU, SU4: pairs of words "
        "(default: 1 2 L)")  # fmt: skip
    add("--rouge-stem", action="store_true", help="compare stems of words; needs NLTK")
    add("--rouge-measure", choices=["f", "precision", "recall"], default="f", help="default: f")
    add("--rouge-multiple", choices=["best", "pooled"], default="best",
        help="of several references the best, or all added up (default: best)")  # fmt: skip
    add("--rouge-perl-compat", action="store_true", help="do as ROUGE-1.5.5.pl does")


def make_family(name: str, args: Namespace) -> "dict[str, Metric]":
    """Return the metrics that a name of ``-m`` stands for."""
    if name == "cer":
        whitespace = not args.cer_no_whitespace
        return {name: rapidbleu.metrics.CER(args.cer_lowercase, whitespace, threads=args.threads)}
    if name == "rouge":
        return {f"rouge{kind}": _make_rouge(kind, args) for kind in args.rouge_types}
    options: dict[str, Any] = {
        "lowercase": getattr(args, f"{name}_lowercase"),
        "tokenize": getattr(args, f"{name}_tokenize"),
        "threads": args.threads,
    }
    if name == "per":
        options["form"] = args.per_form
    elif name == "wordf":
        options["beta"] = args.wordf_beta
    elif name == "gleu":
        options["max_order"] = args.gleu_max_order
    elif name == "nist":
        options |= {"max_ngram_order": args.nist_max_order, "perl_zero": args.nist_perl_zero}
    (title,) = (title for title in OF_WORDS if title.lower() == name)
    return {name: getattr(rapidbleu.metrics, title)(**options)}


def rouge_type(text: str) -> str:
    """Return a variant of ROUGE."""
    from rapidbleu.metrics.rouge import check_variant

    try:
        return check_variant(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def _make_rouge(kind: str, args: Namespace) -> "ROUGE":
    return rapidbleu.metrics.ROUGE(
        kind,
        stem=args.rouge_stem,
        measure=args.rouge_measure,
        multiple=args.rouge_multiple,
        perl_compat=args.rouge_perl_compat,
        threads=args.threads,
    )
