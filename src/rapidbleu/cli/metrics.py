"""The metrics of the command line: their options, and how they are made.

A metric that sacrebleu lacks is loaded when it is requested, so that the other metrics, and
``--help``, start without it.
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from logging import getLogger
from typing import TYPE_CHECKING, Any, NamedTuple

import rapidbleu.metrics
from rapidbleu.cli.files import read_weights
from rapidbleu.cli.messages import CommandError, say
from rapidbleu.cli.options import MOST, Parser, at_least, number_from
from rapidbleu.metrics import BLEU, CHRF, TER
from rapidbleu.metrics.bleu import DEFAULTS, MAX_NGRAM_ORDER, MEANS
from rapidbleu.tokenizers import TOKENIZERS

if TYPE_CHECKING:
    from rapidbleu.metrics import ROUGE
    from rapidbleu.metrics.metric import Metric


class Choice(NamedTuple):
    """An option of a metric: its flag behind the metric's name, and the argument of the class."""

    flag: str
    argument: str
    help: str
    default: Any
    settings: dict[str, Any]

    def add_to(self, add: Any, name: str) -> None:
        """Add the option."""
        shown = "" if self.default in (None, False) else f" (default: {self.default})"
        add(f"--{name}-{self.flag}", help=self.help + shown, default=self.default, **self.settings)

    def value(self, name: str, args: Namespace) -> Any:
        """Return what was given."""
        return getattr(args, f"{name}_{self.flag}".replace("-", "_"))


def _order(argument: str, default: int, most: int) -> Choice:
    settings = {"type": at_least(1, most), "metavar": "N"}
    return Choice("max-order", argument, "highest order of n-grams", default, settings)


def _number(
    argument: str, text: str, default: float, low: float, high: float | None = None
) -> Choice:
    kind = number_from(low) if high is None else number_from(low, high)
    return Choice(argument, argument, text, default, {"type": kind, "metavar": "X"})


def _switch(flag: str, argument: str, text: str) -> Choice:
    return Choice(flag, argument, text, False, {"action": "store_true"})


WEIGHTS = Choice("weights", "weights", "file with a token, a tab and its weight in each line", None,
                 {"metavar": "FILE"})  # fmt: skip

METEORS = [
    Choice("variant", "variant", "parameters and formula", "1.5",
           {"choices": ["1.5", "2007", "2005"]}),
    Choice("language", "language", "of parameters, modules and stemmer (default: that of -l, or "
           "en)", None, {"metavar": "CODE"}),
    Choice("modules", "modules", "of exact, stem, synonym, paraphrase; if not given what the "
           "language has", None, {"nargs": "+", "metavar": "MODULE"}),
    Choice("stem", "stem", "name of a Snowball stemmer, if not that of the language", None,
           {"metavar": "NAME"}),
    Choice("data", "data", "the program's meteor-1.5.jar, or a folder with it or with its files",
           None, {"metavar": "PATH"}),
]  # fmt: skip

# Metrics of words: their tokenizers (None: a rule of their own), and their other options.
OF_WORDS: dict[str, tuple[str | None, list[Choice]]] = {
    "WER": ("none", []),
    "PER": ("13a", [Choice("form", "form", "add the edits of segments, or compare the lengths of "
                           "the whole corpus, as Moses does", "segments",
                           {"choices": ["segments", "corpus"]})]),
    "CDER": ("13a", []),
    "CharacTER": ("none", []),
    "WordF": ("13a", [_number("beta", "how many times more recall counts than precision", 1, 0)]),
    "GLEU": ("13a", [_order("max_order", 4, 64)]),
    "GECGLEU": ("none", [_order("max_ngram_order", 4, 64),
                         _switch("smooth", "smooth", "take every 0 for a 1")]),
    "METEOR": (None, METEORS),
    "NIST": ("13a", [_order("max_ngram_order", 5, 16),
                     _switch("perl-zero", "perl_zero", "weigh pairs that begin with the word 0 as "
                             "mteval does")]),
    "CIDErD": ("none", [_order("max_ngram_order", 4, 16),
                        _number("sigma", "width of the penalty of a difference in length", 6, 0.001,
                                1e6)]),
    "WeightedBLEU": ("13a", [_order("max_ngram_order", 4, 16), WEIGHTS,
                             _number("default", "of all other tokens", 0, 0, 1024)]),
    "WeightedMatch": ("none", [WEIGHTS, _number("default", "of all other tokens", 0.2, 0, 1024)]),
    "GTM": ("13a", [_number("exponent", "how much words in a row count", 1, 1, 100)]),
    "RIBES": ("13a", [_number("alpha", "exponent of the share of aligned words", 0.25, 0, 100),
                      _number("beta", "exponent of the brevity penalty", 0.1, 0, 100)]),
    "SkipNgramF": ("13a", [_order("max_order", 4, 16),
                           _number("decay", "what a left out word multiplies by", 0.5, 0, 1)]),
}  # fmt: skip

# All metrics but those of sacrebleu, and HTER, whose references are of two kinds.
TITLES = [name for name in rapidbleu.metrics.METRICS if name not in ("BLEU", "CHRF", "TER", "HTER")]
FAMILY = tuple(sorted(title.lower() for title in TITLES))
OF_WORDS |= {name: (None, []) for name in TITLES if name not in ("CER", "EED", "ROUGE", *OF_WORDS)}
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


# Options


def language_pair(text: str) -> str:
    """Return a language pair, whose second part is the target."""
    if "-" not in text:
        raise ArgumentTypeError(f"expected SOURCE-TARGET, got {text!r}")
    return text


def add_language_pair(parser: Parser) -> None:
    pair = parser.add_argument("-l", "--language-pair", type=language_pair, metavar="PAIR",
        help="such as en-zh: the target chooses BLEU's tokenizer and the language of METEOR "
        "and EED")  # fmt: skip
    parser.of_metrics[pair.dest] = pair


def add_metrics(parser: Parser, default: tuple[str, ...] = ("bleu",)) -> None:
    """Add the choice of metrics and the options of each."""
    n_before = len(parser._actions) + 1  # -m itself
    parser.add_argument("-m", "--metrics", nargs="+", choices=METRICS, default=[*default],
        help=f"what to compute (default: {' '.join(default) or 'none'})")  # fmt: skip
    _add_bleu(parser)
    _add_chrf(parser)
    _add_ter(parser)
    add_family(parser)
    parser.of_metrics |= {action.dest: action for action in parser._actions[n_before:]}


def _add_bleu(parser: ArgumentParser) -> None:
    add = parser.add_argument_group("BLEU").add_argument
    floor, k = BLEU.SMOOTH_DEFAULTS["floor"], BLEU.SMOOTH_DEFAULTS["add-k"]
    add("-s", "--smooth-method", choices=list(DEFAULTS), default="exp",
        help="for orders without a match (default: exp); nltk1 to nltk7 are those of NLTK's "
        "SmoothingFunction, for segments")  # fmt: skip
    add("-sv", "--smooth-value", type=number_from(0), metavar="X",
        help=f"of floor (default: {floor}) and add-k (default: {k}), NLTK's epsilon, k or "
        "alpha")  # fmt: skip
    add("--mean", choices=MEANS, default="geometric",
        help="of the precisions (default: geometric)")  # fmt: skip
    add("-tok", "--tokenize", choices=list(BLEU.TOKENIZERS),
        help="for BLEU and all metrics of words (default: the metric's own; for BLEU "
        f"{BLEU.TOKENIZER_DEFAULT}, or what -l calls for)")  # fmt: skip
    add("-lc", "--lowercase", action="store_true",
        help="ignore case; the scoring command leaves chrF to --chrf-lowercase, as sacrebleu "
        "does")  # fmt: skip
    add("--max-ngram-order", type=at_least(1, MOST), default=MAX_NGRAM_ORDER, metavar="N",
        help=f"default: {MAX_NGRAM_ORDER}")  # fmt: skip
    add("--force", action="store_true", help="do not warn of input that looks tokenized")


def _add_chrf(parser: ArgumentParser) -> None:
    add = parser.add_argument_group("chrF").add_argument
    add("-cc", "--chrf-char-order", type=at_least(0, MOST), default=CHRF.CHAR_ORDER, metavar="N",
        help=f"highest order of character n-grams (default: {CHRF.CHAR_ORDER})")  # fmt: skip
    add("-cw", "--chrf-word-order", type=at_least(0, MOST), default=CHRF.WORD_ORDER, metavar="N",
        help="highest order of word n-grams; 1: chrF+, 2: chrF++ "
        f"(default: {CHRF.WORD_ORDER})")  # fmt: skip
    add("--chrf-beta", type=at_least(0, MOST), default=CHRF.BETA, metavar="N",
        help="how many times more recall counts than precision "
        f"(default: {CHRF.BETA})")  # fmt: skip
    add("--chrf-whitespace", action="store_true", help="white space is among the characters")
    add("--chrf-lowercase", action="store_true", help="ignore case")
    add("--chrf-eps-smoothing", action="store_true",
        help="mean of the scores of all orders, as chrF++.py, NLTK and Moses have it")  # fmt: skip


def _add_ter(parser: ArgumentParser) -> None:
    add = parser.add_argument_group("TER").add_argument
    add("--ter-case-sensitive", action="store_true", help="do not ignore case")
    add("--ter-asian-support", action="store_true",
        help="punctuation and ideographs of Asian languages are known")  # fmt: skip
    add("--ter-no-punct", action="store_true", help="remove punctuation")
    add("--ter-normalized", action="store_true", help="undo entities and split off punctuation")


def add_family(parser: ArgumentParser) -> None:
    """Add the options of these metrics."""
    for title, (tokenizer, choices) in OF_WORDS.items():
        add, name = parser.add_argument_group(title).add_argument, title.lower()
        add(f"--{name}-lowercase", action="store_true", help="ignore case")
        add(f"--{name}-tokenize", choices=list(TOKENIZERS), metavar="TOKENIZER",
            help=f"as of --tokenize (default: {tokenizer or 'its own'})")  # fmt: skip
        for choice in choices:
            choice.add_to(add, name)
    add = parser.add_argument_group("CER").add_argument
    add("--cer-lowercase", action="store_true", help="ignore case")
    add("--cer-no-whitespace", action="store_true", help="white space is no character")
    add = parser.add_argument_group("EED").add_argument
    add("--eed-lowercase", action="store_true", help="ignore case")
    add("--eed-language", choices=["en", "ja"],
        help="set off marks of punctuation, or compose characters (default: ja for -l PAIR-ja, "
        "otherwise en)")  # fmt: skip
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


# Metrics


def make_metrics(args: Namespace) -> dict[str, Metric]:
    """Return the metrics of the scoring command, in the order of ``-m``."""
    check_given(args)
    make = {"bleu": _make_bleu, "chrf": _make_chrf, "ter": _make_ter}
    metrics: dict[str, Metric] = {}
    for name in args.metrics:
        metrics |= {name: make[name](args)} if name in make else make_family(name, args)
    return metrics


def one_metric(args: Namespace) -> dict[str, Metric]:
    """Return the metric that the options describe, by its name."""
    metrics = make_metrics(args)
    if len(metrics) != 1:
        raise CommandError(f"-m/--metrics: expected one metric, got {', '.join(metrics)}")
    return metrics


def informed(metrics: dict[str, Metric], references: list[list[str]]) -> dict[str, Metric]:
    """Return metrics of which those that weigh n-grams do so by all references."""
    found: dict[str, Any] = dict(metrics)
    for name in found.keys() & {"nist", "ciderd"}:
        found[name] = found[name].with_information(references)
    return found


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


def make_family(name: str, args: Namespace) -> dict[str, Metric]:
    """Return the metrics that a name of ``-m`` stands for."""
    if name == "cer":
        whitespace = not args.cer_no_whitespace
        return {name: rapidbleu.metrics.CER(args.cer_lowercase or args.lowercase, whitespace)}
    if name == "eed":
        language: Any = args.eed_language or ("ja" if target_language(args) == "ja" else "en")
        return {name: rapidbleu.metrics.EED(args.eed_lowercase or args.lowercase, language)}
    if name == "rouge":
        if args.rouge_perl_compat and not any(map(has_perl_rule, args.rouge_types)):
            raise CommandError(
                "--rouge-perl-compat: expected L, W, SU or SU with a number among --rouge-types, "
                f"got {' '.join(args.rouge_types)}", 2,
            )  # fmt: skip
        return {f"rouge{kind}": _make_rouge(kind, args) for kind in args.rouge_types}
    (title,) = (title for title in OF_WORDS if title.lower() == name)
    options: dict[str, Any] = {
        "lowercase": getattr(args, f"{name}_lowercase") or args.lowercase,
        "tokenize": getattr(args, f"{name}_tokenize") or args.tokenize,
    }
    for choice in OF_WORDS[title][1]:
        options[choice.argument] = choice.value(name, args)
    if "weights" in options:
        if options["weights"] is None:
            raise ValueError(f"-m {name}: expected --{name}-weights FILE")
        options["weights"] = read_weights(options["weights"])
    if name == "meteor":
        options["language"] = args.meteor_language or _meteor_language(target_language(args))
    try:
        return {name: getattr(rapidbleu.metrics, title)(**options)}
    except OSError as error:  # the data of METEOR, or the model of a tokenizer
        raise CommandError(str(error)) from None


def target_language(args: Namespace) -> str:
    """Return the target language that -l names; "" if it is not given."""
    pair = getattr(args, "language_pair", None)
    return pair.split("-")[1] if pair else ""


def _meteor_language(language: str) -> str:
    """Return METEOR's name of a target language."""
    from rapidbleu.metrics.meteor import LANGUAGES

    if language and language not in LANGUAGES:
        getLogger("rapidbleu").warning(
            "-l: METEOR has no settings for %s and uses those for any language ('other').", language
        )
        return "other"
    return language or "en"


def rouge_type(text: str) -> str:
    """Return a variant of ROUGE."""
    from rapidbleu.metrics.matching.rouge import check_variant

    try:
        return check_variant(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def has_perl_rule(kind: str) -> bool:
    """Return whether ROUGE-1.5.5.pl computes a variant in its own way."""
    return kind in ("L", "W") or kind.startswith("SU")


def _make_rouge(kind: str, args: Namespace) -> ROUGE:
    return rapidbleu.metrics.ROUGE(
        kind,
        tokenize=args.tokenize,
        stem=args.rouge_stem,
        measure=args.rouge_measure,
        multiple=args.rouge_multiple,
        perl_compat=args.rouge_perl_compat and has_perl_rule(kind),
    )
