"""Options of metrics on the command line: they act on the metrics of the call, or are refused."""

import re
from typing import Any

import pytest

from rapidbleu.cli.commands import module_of
from rapidbleu.cli.metrics import FAMILY, METRICS, SACREBLEUS, metrics_of
from rapidbleu.cli.score.options import make_parser
from support.command_line import HYP, REF_A, Run, Write

COMMANDS = {
    "score": f"{REF_A} -i {HYP} -f text",
    "compare": f"compare {HYP} -r {REF_A} -n 10",
    "stats": f"stats {REF_A} -i {HYP} -o rows.npz",
    "explain": f"explain {HYP} {REF_A} -n 1",
    "mbr": f"mbr {HYP} {REF_A}",
}
COMMANDS_OF_OPTIONS = ("compare", "correlate", "explain", "mbr", "oracle", "stats", "tune")
OWN = [name for name in COMMANDS if name != "score"]

# A value for each option that takes one.
VALUES = {
    "tokenize": ["char"], "smooth_value": ["0.5"], "max_ngram_order": ["2"],
    "chrf_beta": ["3"], "language_pair": ["en-de"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ("-m wer -lc", "WER|nrefs:1|case:lc|tok:none"),
        ("-m cer -lc", "CER|nrefs:1|case:lc|"),
        ("-m eed -lc", "EED|nrefs:1|lang:en|case:lc|"),
        ("-m bleu -lc", "BLEU|nrefs:1|case:lc|"),
        ("-m wer -tok char", "WER|nrefs:1|case:mixed|tok:char"),
        ("-m wer -tok char --wer-tokenize intl", "WER|nrefs:1|case:mixed|tok:intl"),
        ("-m rouge --rouge-types L -tok intl", "ROUGE-L|nrefs:1|case:lc|tok:intl"),
        ("-m meteor -l en-de", "METEOR|nrefs:1|lang:de|case:mixed|tok:meteor-de"),
        ("-m meteor -l en-de --meteor-language fr", "METEOR|nrefs:1|lang:fr|"),
        ("-m meteor -l en-zh -tok zh", "METEOR|nrefs:1|lang:other|"),
        ("-m eed -l en-ja", "EED|nrefs:1|lang:ja|"),
        ("-m eed -l en-de", "EED|nrefs:1|lang:en|"),
        ("-m ter -lc", "TER|nrefs:1|case:lc|"),
        ("-m chrf --chrf-lowercase", "chrF2|nrefs:1|case:lc|"),
    ],
)
def test_options_act_on_the_metrics_of_the_call(options: str, shown: str, run: Run) -> None:
    result = run(*COMMANDS["score"].split(), *options.split())
    assert result.status == 0
    assert shown in result.out


def test_lowercase_reaches_every_metric(run: Run) -> None:
    """In own commands all of them; in the scoring command all but chrF, as in sacrebleu."""
    names = [name for name in METRICS if not name.startswith(("weighted", "gec"))]
    scored = run(*COMMANDS["score"].split(), "-m", *names, "-lc")
    assert scored.out.count("case:mixed") == 1 and "chrF2|nrefs:1|case:mixed" in scored.out
    assert "-lc/--lowercase: chrf keeps its case, as in sacrebleu; use --chrf-low" in scored.err
    compared = run(*COMMANDS["compare"].split(), "-m", *names, "-lc", "-f", "json")
    assert compared.status == 0 and "case:lc" in compared.out and "case:mixed" not in compared.out


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("-m wer --max-ngram-order 2", "--max-ngram-order: no effect on wer; expected -m"),
        ("-m wer --wer-lowercase --cer-lowercase", "--cer-lowercase: no effect on wer; expected"),
        ("-m cer -tok char", "-tok/--tokenize: no effect on cer; expected -m with bleu or rouge"),
        ("-m chrf --mean arithmetic", "--mean: no effect on chrf; expected -m with bleu"),
        ("-m bleu --wer-tokenize char", "--wer-tokenize: no effect on bleu; expected -m with wer"),
        ("-m wer -s floor", "-s/--smooth-method: no effect on wer; expected -m with bleu"),
    ],
)
def test_options_of_other_metrics_are_refused(
    command: str, options: str, message: str, run: Run
) -> None:
    result = run(*COMMANDS[command].split(), *options.split())
    assert (result.status, result.out) == (2, "")
    assert message in result.err


@pytest.mark.parametrize(
    "options", ["-m bleu --chrf-beta 3", "-m chrf -tok char", "-m ter --force", "-m chrf -l en-de"]
)
def test_sacrebleu_accepts_them(options: str, run: Run) -> None:
    """The scoring command warns; own commands refuse."""
    result = run(*COMMANDS["score"].split(), *options.split())
    option = options.split()[2]
    assert result.status == 0 and result.out
    assert f"{option}" in result.err and "no effect on" in result.err
    assert not run(*COMMANDS["score"].split(), *options.split(), "-q").err
    for command in OWN:
        refused = run(*COMMANDS[command].split(), *options.split())
        assert refused.status == 2 and "no effect on" in refused.err


def test_values_without_effect(run: Run) -> None:
    """As sacrebleu, with a warning."""
    result = run(*COMMANDS["score"].split(), "-s", "none", "-sv", "3")
    assert result.status == 0
    assert "--smooth-value has no effect without a --smooth-method that has" in result.err


def test_warnings_name_options_of_the_command_line(run: Run, write: Write) -> None:
    tokenized = write("tokenized.txt", b"It rained .\n" * 100)
    result = run(tokenized, "-i", tokenized)
    assert "--force silences this message" in result.err
    assert not run(tokenized, "-i", tokenized, "--force").err


@pytest.mark.parametrize("command", ["", *sorted(COMMANDS_OF_OPTIONS)])
def test_defaults_in_help_are_those_of_the_parser(command: str) -> None:
    parser = module_of(command).make_parser() if command else make_parser()
    for action in parser._actions:
        found = re.search(r"\(default: ([^(),;]+)\)", action.help or "")
        if found is None or action.default is None or isinstance(action.default, bool):
            continue
        values = action.default if isinstance(action.default, list | tuple) else [action.default]
        shown = [":".join(own) if isinstance(own, tuple) else str(own) for own in values]
        assert found[1] == " ".join(shown), action.option_strings


def test_defaults_are_no_options(run: Run) -> None:
    """The value of a default is an option all the same if it is on the command line."""
    assert run(*COMMANDS["compare"].split(), "-m", "wer").status == 0
    result = run(*COMMANDS["compare"].split(), "-m", "wer", "--chrf-beta", "2")
    assert result.status == 2 and "--chrf-beta: no effect on wer" in result.err


def test_every_option_belongs_to_metrics() -> None:
    parser = make_parser()
    assert len(parser.of_metrics) > 60
    for dest in parser.of_metrics:
        assert {*metrics_of(dest)} <= {*METRICS}, dest
    for name in FAMILY:
        assert any(metrics_of(dest) == (name,) for dest in parser.of_metrics), name


@pytest.mark.parametrize("metric", SACREBLEUS)
@pytest.mark.parametrize("dest", VALUES)
def test_given_options_are_noted(metric: str, dest: str) -> None:
    parser: Any = make_parser()
    option = parser.of_metrics[dest].option_strings[-1]
    args = parser.parse_args(["ref", "-m", metric, option, *VALUES[dest]])
    assert list(args.given) == [dest]
    plain = parser.parse_args(["ref", "-m", metric])
    assert plain.given == {}
    assert getattr(plain, dest) == parser.of_metrics[dest].default


def test_meteor_without_data_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from rapidbleu import METEOR

    monkeypatch.setattr(METEOR, "_advised", False)
    result = run(*COMMANDS["score"].split(), "-m", "meteor")
    assert result.err.count("METEOR matches exact forms and stems only") == 1
    assert "METEOR matches" not in run(*COMMANDS["score"].split(), "-m", "meteor").err


def test_languages_that_meteor_has_no_rules_for(run: Run) -> None:
    result = run(*COMMANDS["score"].split(), "-m", "meteor", "-l", "en-zh")
    assert result.status == 1 and "METEOR has no settings for zh" in result.err
    assert "for the tokenizer of METEOR, got 'other'; give another" in result.err


def test_variants_of_rouge_without_a_rule_of_perl(run: Run) -> None:
    command = [*COMMANDS["score"].split(), "-m", "rouge", "--rouge-perl-compat"]
    result = run(*command)
    assert "ROUGE-L|" in result.out and result.out.count("perl:yes") == 1
    refused = run(*command, "--rouge-types", "1", "2")
    assert refused.status == 2 and "--rouge-perl-compat: expected L, W, SU" in refused.err
