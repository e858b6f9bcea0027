"""The metrics that the options of the command line describe."""

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from rapidbleu.cli.family import FAMILY, OF_WORDS, make_family, target_language
from rapidbleu.cli.messages import CommandError, say
from rapidbleu.metrics import BLEU, CHRF, TER

if TYPE_CHECKING:
    from rapidbleu.metrics.contract.base import Metric

# How many times longer a segment takes than with BLEU, roughly, if it takes longer.
COSTS = {"chrf": 5, "ter": 10, "cer": 10, "meteor": 10, "rougeLsum": 5, "rougeW": 10}


SACREBLEUS = ("bleu", "chrf", "ter")
METRICS = (*SACREBLEUS, *FAMILY)

# The metrics that an option acts on; options called --METRIC-... act on that one.
METRICS_OF = {
    "lowercase": METRICS,  # TER ignores case unless --ter-case-sensitive
    "tokenize": ("bleu", "rouge", *(title.lower() for title in OF_WORDS)),
    "language_pair": ("bleu", "eed", "meteor"),
    "smooth_method": ("bleu",),
    "smooth_value": ("bleu",),
    "mean": ("bleu",),
    "max_ngram_order": ("bleu",),
    "force": ("bleu",),
}


def metrics_of(option: str) -> tuple[str, ...]:
    """Return the metrics that an option acts on.

    Examples
    --------
    >>> metrics_of("chrf_beta"), metrics_of("force")
    (('chrf',), ('bleu',))
    """
    return METRICS_OF.get(option) or (option.partition("_")[0],)


def follows_sacrebleu(args: Namespace) -> bool:
    """Return whether the command is sacrebleu's, in which options have sacrebleu's meaning."""
    return getattr(args, "as_sacrebleu", False)


def _names_data(args: Namespace) -> bool:
    """Return whether -l chooses a part of a test set or of a folder, too."""
    return any(getattr(args, name, None) for name in ("test_set", "mt_metrics_eval"))


def check_given(args: Namespace) -> None:
    """Refuse options that act on no metric of the command; warn where sacrebleu accepts them."""
    for dest, option in getattr(args, "given", {}).items():
        having: tuple[str, ...] = metrics_of(dest)
        lenient = follows_sacrebleu(args) and dest != "mean" and having[0] in SACREBLEUS
        if lenient and dest == "lowercase":
            if "chrf" in args.metrics and not args.chrf_lowercase and not args.quiet:
                say(f"{option}: chrf keeps its case, as in sacrebleu; use --chrf-lowercase")
            continue
        if dest == "language_pair" and _names_data(args):
            continue
        if not {*having} & {*args.metrics}:
            message = f"{option}: no effect on {', '.join(args.metrics)}"
            if not (lenient and {*args.metrics} <= {*SACREBLEUS}):
                raise CommandError(f"{message}; expected -m with {' or '.join(having)}", 2)
            if not args.quiet:
                say(message)


def make_metrics(args: Namespace) -> "dict[str, Metric]":
    """Return the metrics of the scoring command, in the order of ``-m``."""
    check_given(args)
    make = {"bleu": _make_bleu, "chrf": _make_chrf, "ter": _make_ter}
    metrics: dict[str, Metric] = {}
    for name in args.metrics:
        metrics |= {name: make[name](args)} if name in make else make_family(name, args)
    return metrics


def informed(metrics: "dict[str, Metric]", references: list[list[str]]) -> "dict[str, Metric]":
    """Return metrics of which those that weigh n-grams do so by all references."""
    found: dict[str, Any] = dict(metrics)
    for name in found.keys() & {"nist", "ciderd"}:
        found[name] = found[name].with_information(references)
    return found


def cost_of(name: str) -> int:
    """Return how many times longer a segment takes than with BLEU, roughly."""
    return COSTS.get(name, 1)


def _make_bleu(args: Namespace) -> BLEU:
    """Return BLEU with the options of the command line."""
    try:
        return BLEU(
            lowercase=args.lowercase,
            force=args.force or args.sentence_level,
            tokenize=args.tokenize,
            smooth_method=args.smooth_method,
            smooth_value=args.smooth_value,
            max_ngram_order=args.max_ngram_order,
            effective_order=args.sentence_level,
            mean=args.mean,
            trg_lang=target_language(args),
        )
    except OSError as error:  # the model of a tokenizer
        raise CommandError(str(error)) from None


def _make_chrf(args: Namespace) -> CHRF:
    if args.chrf_char_order == args.chrf_word_order == 0:
        raise CommandError(
            "-cc/--chrf-char-order and -cw/--chrf-word-order: expected one of them above 0, got 0 "
            "and 0"
        )
    return CHRF(
        char_order=args.chrf_char_order,
        word_order=args.chrf_word_order,
        beta=args.chrf_beta,
        lowercase=args.chrf_lowercase or (args.lowercase and not follows_sacrebleu(args)),
        whitespace=args.chrf_whitespace,
        eps_smoothing=args.chrf_eps_smoothing,
    )


def _make_ter(args: Namespace) -> TER:
    return TER(
        normalized=args.ter_normalized,
        no_punct=args.ter_no_punct,
        asian_support=args.ter_asian_support,
        case_sensitive=args.ter_case_sensitive,
    )
