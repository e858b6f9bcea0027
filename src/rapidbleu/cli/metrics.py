"""The metrics of a command, built from specifications and options that apply to all of them.

A specification is ``NAME[:option=value,...]``. The classes of metrics declare options and check
values. They are loaded on demand, so that ``--help`` and sacrebleu's metrics start fast.
"""

from __future__ import annotations

from argparse import Action, ArgumentTypeError, Namespace
from functools import partial
from itertools import product
from math import prod

import rapidbleu.metrics
from rapidbleu._lib.frozen import NamedTuple
from rapidbleu._lib.logs import logger
from rapidbleu.cli.messages import CommandError, say
from rapidbleu.metrics.options import PATH
from rapidbleu.tokenizers import TOKENIZERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from rapidbleu.cli.options import Parser
    from rapidbleu.metrics.metric import Metric
    from rapidbleu.metrics.options import Option

SACREBLEUS = ("bleu", "chrf", "ter")
LANGUAGES = {"trg_lang", "language"}  # options of metrics that -l sets
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


def read_settings(parser: Parser, typed: str) -> list[Specification]:
    """Return the settings in a text: one, or the product of all alternatives.

    Lists have ``+`` between items, and alternatives ``/``. A path extends to the end of the text.

    >>> from rapidbleu.cli.options import Parser
    >>> [setting.options for setting in read_settings(Parser(), "wordf:beta=1/3,tokenize=char")]
    [{'beta': 1.0, 'tokenize': 'char'}, {'beta': 3.0, 'tokenize': 'char'}]
    """
    name, colon, rest = typed.partition(":")
    metric = _named(parser, name)
    values: dict[str, list[tuple[str, Any]]] = {}
    while colon:
        option, equals, rest = rest.partition("=")
        declared = metric.declared.get(option)
        if declared is None or not equals:
            known = ", ".join([key for key, each in metric.declared.items() if each.text])
            is_metric = option.partition(":")[0] in (*KINDS, *ROUGES)
            spaces = "; spaces separate metrics" if is_metric else ""
            raise ArgumentTypeError(
                f"{name}: expected OPTION=VALUE, with one of {known}; got {option + equals!r}"
                f"{spaces}"
            )
        if option in values:
            raise ArgumentTypeError(f"{name}: expected {option} once; got it again")
        if option in metric.options:
            raise ArgumentTypeError(f"{name}: expected rouge with {option}, as {name} has one")
        if declared.text is None:
            raise ArgumentTypeError(
                f"{name}: {option} has no text form; in Python it is {metric.kind}({option}=...)"
            )
        if declared.text is PATH:
            alternatives = [rest]
            colon = ""
        else:
            value, colon, rest = rest.partition(",")
            alternatives = value.split("/")
        values[option] = [(each, _value(name, option, declared, each)) for each in alternatives]
    n = prod(map(len, values.values()))
    if n > MOST_SETTINGS:
        raise ArgumentTypeError(f"{name}: expected at most {MOST_SETTINGS} settings; got {n}")
    settings = []
    for chosen in product(*values.values()):
        texts = {option: text for option, (text, _) in zip(values, chosen, strict=True)}
        options = {option: value for option, (_, value) in zip(values, chosen, strict=True)}
        settings.append(
            metric._replace(options={**metric.options, **options}, texts=texts, typed=typed)
        )
    return settings


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


def _value(name: str, option: str, declared: Option, text: str) -> Any:
    """Return the value of an option's text."""
    expected, read = declared.text or ("", str)
    try:
        value = read(text)
    except ValueError:
        raise ArgumentTypeError(f"{name}: {option}: expected {expected}; got {text!r}") from None
    try:
        return value if declared.text is PATH else declared.check(option, value)
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
    first, comma, last = rest.rpartition(",")
    head = f"{name}:{first}{comma}"
    option, equals, value = last.partition("=")
    if equals:
        before = value[: max(value.rfind("/"), value.rfind("+")) + 1]
        head += f"{option}={before}"
        words = list(declared[option].among) if option in declared else []
    else:
        words = [f"{key}=" for key, each in declared.items() if each.text]
    return [head + word for word in words if (head + word).startswith(prefix)]


def language_pair(text: str) -> str:
    """Return a language pair; its second part is the target."""
    if "-" not in text:
        raise ArgumentTypeError(f"expected SOURCE-TARGET; got {text!r}")
    return text


def add_metrics(parser: Parser, default: Iterable[str] = ("bleu",)) -> None:
    """Add the choice of metrics, and the options that several of them share."""
    add = parser.add_argument_group("metrics").add_argument
    named: Any = add(
        "-m",
        "--metrics",
        nargs="+",
        type=partial(read_settings, parser),
        action=StoreSettings,
        metavar="METRIC",
        default=list(map(named_metric, default)),
        help="metrics such as bleu wordf:beta=1/3; see `rapidbleu help` (default: "
        f"{' '.join(default) or 'none'})",
    )
    named.completer = complete
    shared = [
        add(
            "-l",
            "--language-pair",
            type=language_pair,
            metavar="PAIR",
            help="language pair such as en-zh, for the tokenizer of BLEU, METEOR and EED",
        ),
        add(
            "-tok",
            "--tokenize",
            choices=list(TOKENIZERS),
            metavar="NAME",
            help="tokenizer of word metrics, such as intl (default: the metric's own; for BLEU "
            "13a, or by -l)",
        ),
        add(
            "-lc",
            "--lowercase",
            action="store_true",
            help="lowercased text (chrF in `score`: --chrf-lowercase)",
        ),
    ]
    parser.of_metrics |= {action.dest: action for action in shared}
    parser.set_defaults(as_sacrebleu=False)  # options have sacrebleu's meaning in its command


def option_of(dest: str) -> tuple[str, str]:
    """Return the class and the option that an option of sacrebleu sets.

    >>> option_of("chrf_beta"), option_of("smooth_method")
    (('CHRF', 'beta'), ('BLEU', 'smooth_method'))
    """
    name, _, option = dest.partition("_")
    return (name.upper(), option) if name in ("chrf", "ter") else ("BLEU", dest)


def acts(dest: str, kind: str) -> bool:
    """Return whether an option applies to a metric."""
    declared: dict[str, Option] = getattr(rapidbleu.metrics, kind).OPTIONS
    if dest == "language_pair":
        return bool(declared.keys() & LANGUAGES)
    if dest == "tokenize":
        return dest in declared
    # TER ignores case unless --ter-case-sensitive
    return dest == "lowercase" or kind == option_of(dest)[0]


def check_given(args: Namespace) -> None:
    """Refuse options that no metric of the command uses; warn where sacrebleu accepts them."""
    names = [metric.name for metric in args.metrics]
    only_sacrebleus = args.as_sacrebleu and {*names} <= {*SACREBLEUS}
    for dest, option in args.given.items():
        if dest == "language_pair" and any(
            getattr(args, data, None) for data in ("test_set", "mt_metrics_eval")
        ):
            continue  # also selects data
        if args.as_sacrebleu and dest == "lowercase" and "chrf" in names:
            if not (args.chrf_lowercase or args.quiet):
                say(f"{option}: chrf keeps its case, as in sacrebleu; use --chrf-lowercase")
        elif not any(acts(dest, metric.kind) for metric in args.metrics):
            having = " or ".join([name for name, kind in KINDS.items() if acts(dest, kind)])
            message = f"{option}: no effect on {', '.join(names)}"
            if not only_sacrebleus:
                raise CommandError(f"{message}; expected -m with {having}", 2)
            if not args.quiet:
                say(message)


def make_metrics(args: Namespace) -> dict[str, Metric]:
    """Return the metrics of ``-m`` by specification, as short as it is unambiguous."""
    return {label: metric for label, (_, metric) in make_settings(args).items()}


def make_settings(args: Namespace) -> dict[str, tuple[Specification, Metric]]:
    """Return the settings of ``-m`` by label, with their metrics, each once."""
    check_given(args)
    made: list[tuple[Specification, Metric]] = []
    for specification in args.metrics:
        for setting in _variants(specification):
            metric = _make(setting, args)
            if not any(_are_equal(metric, known) for _, known in made):
                made.append((setting, metric))
    return _labelled(made)


def _variants(setting: Specification) -> Iterator[Specification]:
    """Yield a specification, or several for ROUGE without a variant."""
    if setting.kind != "ROUGE" or "variant" in setting.options:
        yield setting
    else:
        for name in ROUGES:
            yield setting._replace(name=name, options={**setting.options, "variant": name[5:]})


def _make(setting: Specification, args: Namespace) -> Metric:
    options = {**_shared_options(setting, args), **setting.options}
    try:
        if setting.kind.startswith("Weighted"):
            if "weights" not in options:
                raise ValueError("expected weights=FILE, of a token, a tab and its weight a line")
            from rapidbleu.cli.files import read_weights  # not needed by `rapidbleu help`

            options["weights"] = read_weights(options["weights"])
        metric: Metric = getattr(rapidbleu.metrics, setting.kind)(**options)
    except OSError as error:  # missing data of METEOR, or a tokenizer model
        raise CommandError(str(error)) from None
    except (TypeError, ValueError) as error:
        message = str(error)
        for dest, flag in args.given.items():
            if option_of(dest)[0] == setting.kind:
                message = message.replace(option_of(dest)[1], flag)
        raise CommandError(f"-m {setting}: {message}") from None
    return metric


def _shared_options(setting: Specification, args: Namespace) -> dict[str, Any]:
    """Return the options of a metric that are set outside ``-m``."""
    wanted: dict[str, Any] = {}
    if args.sentence_level:
        wanted = {"effective_order": True, "force": True}
    elif setting.options.get("tokenize", args.tokenize) == "none" and not args.as_sacrebleu:
        # Tokenized periods are intended where the user chose no tokenizer; sacrebleu warns anyway.
        wanted["force"] = True
    if args.tokenize:
        wanted["tokenize"] = args.tokenize
    if args.lowercase and not (setting.kind == "CHRF" and args.as_sacrebleu):
        wanted["lowercase"] = True
    for dest in args.given:
        kind, option = option_of(dest)
        if kind == setting.kind:
            wanted[option] = getattr(args, dest)
    if args.language_pair:
        for option in LANGUAGES - setting.options.keys():
            wanted[option] = args.language_pair.split("-")[1]
    declared = setting.declared
    options = {option: value for option, value in wanted.items() if option in declared}
    for option in LANGUAGES & options.keys():
        among = declared[option].among
        if among and options[option] not in among:
            language = options.pop(option)
            if "other" in among:
                logger().warning(
                    "-l: %s has no settings for %s and uses those for any language ('other').",
                    setting.kind,
                    language,
                )
                options[option] = "other"
    return options


def _are_equal(a: Metric, b: Metric) -> bool:
    return type(a) is type(b) and a._changed_options() == b._changed_options()


def _labelled(
    made: list[tuple[Specification, Metric]],
) -> dict[str, tuple[Specification, Metric]]:
    """Return settings by specification, with the fewest options that distinguish them."""
    labels: dict[str, tuple[Specification, Metric]] = {}
    for setting, metric in made:
        texts = [each.texts for each, _ in made if each.name == setting.name]
        needed = list(dict.fromkeys(option for each in texts for option in each))
        for option in reversed(needed):
            rest = [each for each in needed if each != option]
            if len({tuple(map(each.get, rest)) for each in texts}) == len(texts):
                needed = rest
        kept = {option: text for option, text in setting.texts.items() if option in needed}
        labels[str(setting._replace(texts=kept))] = setting, metric
    return labels


def titles_of(metrics: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of metrics in results: names of scores, or labels if these are equal.

    >>> from rapidbleu import BLEU, CHRF
    >>> titles_of({"bleu": BLEU(), "bleu:lowercase=yes": BLEU(True), "chrf": CHRF()})
    {'bleu': 'bleu', 'bleu:lowercase=yes': 'bleu:lowercase=yes', 'chrf': 'chrF2'}
    """
    names = {}
    for label, metric in metrics.items():
        numbers = metric._kernel.describe([0] * metric._kernel.n_stats)  # without NumPy
        names[label] = metric._make_score(numbers).name
    printed = list(names.values())
    return {label: name if printed.count(name) == 1 else label for label, name in names.items()}


def titled(metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """Return metrics by their names in results."""
    titles = titles_of(metrics)
    return {titles[label]: metric for label, metric in metrics.items()}


def one_metric(args: Namespace) -> dict[str, Metric]:
    """Return the only metric of the options, by name."""
    metrics = make_metrics(args)
    if len(metrics) != 1:
        raise CommandError(f"-m/--metrics: expected one metric; got {', '.join(metrics)}")
    return metrics


def informed(metrics: Mapping[str, Metric], references: list[list[str]]) -> dict[str, Metric]:
    """Return metrics, with n-gram weights from all references where a metric has weights."""
    return {
        name: metric.with_information(references) if metric._reads_all else metric  # type: ignore[attr-defined]
        for name, metric in metrics.items()
    }
