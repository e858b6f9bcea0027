"""``-m NAME[:option=value,...]``, and shared options of metrics, which apply or are refused."""

import json
import math
import re
from argparse import ArgumentTypeError
from pathlib import Path
from random import Random
from typing import Any

import pytest

import rapidbleu
from rapidbleu import (
    BLEU,
    CDER,
    CER,
    CHRF,
    EED,
    GECGLEU,
    GLEU,
    GTM,
    METEOR,
    NIST,
    PER,
    RIBES,
    ROUGE,
    TER,
    WER,
    CharacTER,
    CIDErD,
    SkipNgramF,
    WeightedBLEU,
    WeightedMatch,
    WordF,
)
from rapidbleu.cli import COMMANDS, module_of
from rapidbleu.cli.metrics import KINDS, complete, make_metrics, read_settings
from rapidbleu.cli.options import Parser
from rapidbleu.metrics import corpus, nbest, pairs
from rapidbleu.metrics.edits import ter
from rapidbleu.table import column_names
from rapidbleu.tuning.moses import nbest_files
from support.command_line import HYP, REF_A, REF_B, N, Run, Write
from support.peers import need, peer

# ``-m NAME[:option=value,...]``, and options that act on metrics of the call or are refused.


HYPS = ["The cat sat on a mat.", "It rained.", "a b c"]
REFS = ["The cat sat on the mat.", "It was raining.", "a c b"]

SCORE = f"{REF_A} -i {HYP} -f text"
OWN = {
    "compare": f"compare {HYP} -r {REF_A} -n 10",
    "stats": f"stats {REF_A} -i {HYP} -o rows.npz",
    "explain": f"explain {HYP} {REF_A} --segment 1",
    "mbr": f"mbr {HYP} {REF_A}",
}
WITH_METRICS = ("compare", "correlate", "explain", "mbr", "oracle", "score", "stats", "tune")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "hyp").write_text("\n".join(HYPS) + "\n")
    (tmp_path / "ref").write_text("\n".join(REFS) + "\n")
    return [str(tmp_path / "ref"), "-i", str(tmp_path / "hyp"), "-w", "6"]


# Specifications

METRICS: dict[str, list[Any]] = {
    "bleu:max_ngram_order=2,weights=0.25+0.75": [BLEU(max_ngram_order=2, weights=[0.25, 0.75])],
    "bleu:average=arithmetic,smooth_method=none": [
        BLEU(average="arithmetic", smooth_method="none")
    ],
    "chrf:word_order=2,beta=3": [CHRF(word_order=2, beta=3)],
    "ter:normalized=yes,asian_support=true,no_punct=no": [TER(normalized=True, asian_support=True)],
    "wer:lowercase=yes,tokenize=char": [WER(True, "char")],
    "cer:lowercase=yes,whitespace=no": [CER(True, False)],
    "per:aggregate=corpus cder gleu": [CDER(), GLEU(), PER(aggregate="corpus")],
    "character:lowercase=yes,tokenize=13a": [CharacTER(True, "13a")],
    "eed:language=ja,alpha=1.5": [EED(language="ja", alpha=1.5)],
    "gleu:max_ngram_order=2": [GLEU(max_ngram_order=2)],
    "wordf:beta=3": [WordF(beta=3)],
    "meteor:variant=2007,language=de,modules=exact,tokenize=13a": [
        METEOR("2007", "de", ["exact"], tokenize="13a")
    ],
    "nist:max_ngram_order=3,perl_zero=yes": [NIST(False, None, 3, True)],
    "ciderd:sigma=2": [CIDErD(sigma=2)],
    "gtm:exponent=2 ribes:alpha=0.5": [GTM(exponent=2), RIBES(alpha=0.5)],
    "skipngramf:max_ngram_order=2": [SkipNgramF(max_ngram_order=2)],
    "rouge": [ROUGE("1"), ROUGE("2"), ROUGE("L")],
    "rouge:variant=SU4,measure=recall,perl_compat=yes": [
        ROUGE("SU4", measure="recall", perl_compat=True)
    ],
    "rougeLsum:aggregate=pooled": [ROUGE("Lsum", aggregate="pooled")],
    "rouge1 rougeL": [ROUGE("1"), ROUGE("L")],
}


@pytest.mark.parametrize("words", METRICS)
def test_scores(words: str, files: list[str], run: Run) -> None:
    result = run(*files, "-m", *words.split())
    assert result.status == 0, result.err
    found = json.loads(result.out)
    found = found if isinstance(found, list) else [found]
    expected = [metric.corpus_score(HYPS, [REFS]) for metric in METRICS[words]]
    assert [entry["name"] for entry in found] == [score.name for score in expected]
    assert [entry["score"] for entry in found] == [round(score.score, 6) for score in expected]


ALTERNATIVES = {
    "wordf:beta=1/inf,lowercase=no/yes": {
        "wordf:beta=1,lowercase=no": WordF(),
        "wordf:beta=1,lowercase=yes": WordF(True),
        "wordf:beta=inf,lowercase=no": WordF(beta=math.inf),
        "wordf:beta=inf,lowercase=yes": WordF(True, beta=math.inf),
    },
    "wordf:beta=3/1 wordf:beta=3.0": {"wordF1": WordF(), "wordF3": WordF(beta=3)},
    "rouge:variant=1/L": {"ROUGE-1": ROUGE("1"), "ROUGE-L": ROUGE("L")},
}
if peer("Stemmer"):
    ALTERNATIVES["meteor:modules=exact/exact+stem"] = {
        "meteor:modules=exact": METEOR(modules=["exact"]),
        "meteor:modules=exact+stem": METEOR(modules=["exact", "stem"]),
    }


@pytest.mark.parametrize("words", ALTERNATIVES)
def test_alternatives_are_settings_of_their_own(words: str, files: list[str], run: Run) -> None:
    found = {
        entry["name"]: entry["score"] for entry in json.loads(run(*files, "-m", *words.split()).out)
    }
    expected = {
        name: metric.corpus_score(HYPS, [REFS]) for name, metric in ALTERNATIVES[words].items()
    }
    assert found == {name: round(score.score, 6) for name, score in expected.items()}


ALL = [
    (name, option)
    for name, kind in KINDS.items()
    for option, own in getattr(rapidbleu.metrics, kind).OPTIONS.items()
    if own.text and own.default is not None and isinstance(own.default, bool | int | float | str)
]


@pytest.mark.parametrize(("name", "option"), ALL)
def test_every_option_takes_its_default(name: str, option: str) -> None:
    default = getattr(rapidbleu.metrics, KINDS[name]).OPTIONS[option].default
    text = str(default).lower() if isinstance(default, bool) else str(default)
    [setting] = read_settings(Parser(), f"{name}:{option}={text}")
    found = setting.options[option]
    assert (found, type(found)) == (default, type(default))
    assert f"{name}:{option}=" in complete(f"{name}:")


@pytest.mark.parametrize(
    ("words", "names", "columns"),
    [
        ("bleu chrf", "BLEU chrF2", "bleu chrf"),
        ("bleu bleu:tokenize=13a bleu", "BLEU", "bleu"),
        (
            "bleu bleu:tokenize=char ter",
            "bleu bleu:tokenize=char TER",
            "bleu bleu_tokenize_char ter",
        ),
        (
            "chrf:beta=3,lowercase=yes chrf:beta=3",
            "chrf:lowercase=yes chrf",
            "chrf_lowercase_yes chrf",
        ),
        ("chrf chrf:word_order=2", "chrF2 chrF2++", "chrf chrf_word_order_2"),
        (
            "bleu bleu:max_ngram_order=2,smooth_method=none bleu:max_ngram_order=1",
            "bleu bleu:max_ngram_order=2 bleu:max_ngram_order=1",
            "bleu bleu_max_ngram_order_2 bleu_max_ngram_order_1",
        ),
        ("wordf:beta=0 wordf:beta=inf", "wordF0 wordFinf", "wordf_beta_0 wordf_beta_inf"),
        (
            "wer:lowercase=yes,tokenize=char wer:lowercase=yes wer:tokenize=char",
            "wer:lowercase=yes,tokenize=char wer:lowercase=yes wer:tokenize=char",
            "wer_lowercase_yes_tokenize_char wer_lowercase_yes wer_tokenize_char",
        ),
        ("rouge rougeL:stem=no", "ROUGE-1 ROUGE-2 ROUGE-L", "rouge1 rouge2 rougel"),
    ],
)
@pytest.mark.parametrize("options", ["", "-ci -cin 9", "-pbs -pbsn 9", "-sl", "compare"])
def test_settings_side_by_side(
    words: str, names: str, columns: str, options: str, run: Run
) -> None:
    """Names in results are names of scores, or the options that distinguish the settings.

    Columns of CSV and TSV are identifiers made from the shortest specifications.
    """
    if options == "compare":
        out = run("compare", HYP, REF_A, "-r", REF_A, "-f", "json", "-n", "9", "-m", *words.split())
        metrics = json.loads(out.out)["metrics"]
        assert [own["name"] for own in metrics] == names.split()
        assert len({own["column"] for own in metrics}) == len(metrics)
        assert all(own["column"].isidentifier() for own in metrics)
        return
    args = [REF_A, "-i", HYP, REF_A, "--names", "A", "B", "-f", "tsv", "-b"]
    result = run(*args, *options.split(), "-m", *words.split())
    assert result.status == 0, result.err
    header = result.out.splitlines()[0].split("\t")[1:]
    assert all(name.isidentifier() for name in header) and len({*header}) == len(header)
    shown = {re.sub("^[ab]_|_(mean|low|high|p_value|identical)$", "", name) for name in header}
    assert shown == {*columns.split()}
    if "-pbs" not in options:
        markdown = run(*args, *options.split(), "-m", *words.split(), "-f", "markdown").out
        for name in names.split():
            assert f" {name} " in markdown.splitlines()[0]


@pytest.mark.parametrize("seed", range(20))
def test_labels_tell_random_settings_apart(seed: int) -> None:
    """With the fewest options: without any of them, two settings would have the same label."""
    rng = Random(seed)
    values = {
        "lowercase": ["yes", "no"],
        "tokenize": ["none", "char", "13a"],
        "beta": ["0", "1", "3", "inf", "0.5"],
    }
    words = []
    for _ in range(rng.randint(1, 9)):
        name = rng.choice(["wordf", "wer", "bleu", "rougeL"])
        options = [key for key in values if rng.random() < 0.6]
        if name in ("wer", "bleu"):
            options = [key for key in options if key != "beta"]
        rng.shuffle(options)
        chosen = [
            f"{key}={'/'.join(rng.sample(values[key], rng.randint(1, 2)))}" for key in options
        ]
        words.append(f"{name}:{','.join(chosen)}" if chosen else name)
    args = module_of("compare").make_parser().parse_args(["a", "-r", "b", "-m", *words])
    metrics = make_metrics(args)
    columns = column_names(metrics)
    assert len({*columns}) == len(metrics) and all(map(str.isidentifier, columns))
    seen = {(type(metric), str(metric._changed_options())) for metric in metrics.values()}
    assert len(seen) == len(metrics)
    for name in {label.partition(":")[0] for label in metrics}:
        texts = [
            dict(option.split("=") for option in label.partition(":")[2].split(",") if option)
            for label in metrics
            if label.partition(":")[0] == name
        ]
        for option in {key for own in texts for key in own}:
            rest = [
                tuple(sorted(item for item in own.items() if item[0] != option)) for own in texts
            ]
            assert len({*rest}) < len(rest)


def test_columns_are_different_identifiers() -> None:
    labels = ["bleu", "BLEU", "wordf:beta=0.5", "wordf:beta=0+5", "1", "", "é ²", "a_2", "a", "a!"]
    columns = column_names(labels, taken=("system", "a"))
    assert columns == [
        "bleu",
        "bleu_2",
        "wordf_beta_0_5",
        "wordf_beta_0_5_2",
        "_1",
        "metric",
        "é",
        "a_2",
        "a_3",
        "a_4",
    ]
    assert all(name.isidentifier() for name in columns) and len({*columns}) == len(columns)


KNOWN = "wordf: expected OPTION=VALUE, with one of lowercase, tokenize, beta"
WRONG = {
    "meteorite": "invalid choice: 'meteorite'; did you mean meteor? (choose from bleu, chrf",
    "rougel": "invalid choice: 'rougel'; did you mean rougeL?",
    "rougeX": "invalid choice: 'rougeX'",
    "hter": "invalid choice: 'hter'",
    "wordf:bta=1": f"{KNOWN}; got 'bta='",
    "wordf:beta": f"{KNOWN}; got 'beta'",
    "wordf:": f"{KNOWN}; got ''",
    "wordf:beta=1,": f"{KNOWN}; got ''",
    "bleu,chrf": "expected spaces between metrics, as in -m bleu chrf; got 'bleu,chrf'",
    "wordf:beta=1,chrf:beta=2": f"{KNOWN}; got 'chrf:beta='; spaces separate metrics",
    "wordf:beta=1,rougeL": f"{KNOWN}; got 'rougeL'; spaces separate metrics",
    "rougeL:variant=2": "rougeL: expected rouge with variant, as rougeL has one",
    "wordf:beta=1/": "wordf: beta: expected a number from 0 to inf; got ''",
    "wordf:beta=1/x": "wordf: beta: expected a number from 0 to inf; got 'x'",
    "bleu:max_ngram_order=" + "/".join(["1"] * 1_001): "expected at most 1000 settings; got 1001",
    "wordf:beta=x": "wordf: beta: expected a number from 0 to inf; got 'x'",
    "wordf:beta=-1": "wordf: beta: expected 0 to inf; got -1",
    "wordf:beta=1,beta=2": "wordf: expected beta once; got it again",
    "wordf:lowercase=maybe": "wordf: lowercase: expected yes or no; got 'maybe'",
    "nist:max_ngram_order=0": "nist: max_ngram_order: expected at least 1; got 0",
    "nist:max_ngram_order=1.5": "max_ngram_order: expected an integer from 1 to 16; got '1.5'",
    "wer:tokenize=x": "wer: tokenize: expected one of none, zh, 13a",
    "meteor:modules=exact+stems": "meteor: modules",
    "bleu:weights=1+x": "bleu: weights: expected numbers with + between them; got '1+x'",
    "bleu+chrf": "a weighted sum has no text form; in Python it is WeightedSum([BLEU(), CHRF()])",
    "0.5*bleu": "expected one metric; got '0.5*bleu': a weighted sum has no text form",
    "bleu:references=a": "references has no text form; in Python it is BLEU(references=...)",
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_specifications(text: str, files: list[str], run: Run) -> None:
    result = run(*files, "-m", "bleu", text)
    assert result.status == 2
    assert WRONG[text] in result.err and "argument -m/--metrics: " in result.err
    with pytest.raises(ArgumentTypeError):
        read_settings(Parser(), text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bleu:average=arithmetic,smooth_method=nltk1", "average: expected geometric with nltk1"),
        ("chrf:char_order=0", "char_order, word_order: expected one of them above 0; got 0 and 0"),
        ("rouge1:perl_compat=yes", "perl_compat: expected variant L, W or SU with it"),
        ("meteor:language=en,modules=synonym", "data: expected the jar of METEOR 1.5"),
        ("weightedbleu", "expected weights=FILE, of a token, a tab and its weight a line"),
    ],
)
def test_options_that_do_not_go_together(text: str, message: str, run: Run) -> None:
    result = run(*SCORE.split(), "-m", text)
    assert result.status == 1
    assert f"rapidbleu: -m {text}: {message}" in result.err


def test_a_path_is_all_that_follows(files: list[str], tmp_path: Path, run: Run) -> None:
    path = tmp_path / "wei=ghts,x"
    path.write_text("The\t0.5\ncat\t3\n")
    command = [*files, "-b", "-m"]
    result = run(
        *command, f"weightedbleu:default=1,weights={path}", f"weightedmatch:weights={path}"
    )
    weights = {"The": 0.5, "cat": 3.0}
    metrics: list[Any] = [WeightedBLEU(weights, 1), WeightedMatch(weights)]
    expected = [metric.corpus_score(HYPS, [REFS]).score for metric in metrics]
    assert json.loads(result.out) == [round(score, 6) for score in expected]
    path.write_text("The\t0.5\ncat 3\n")
    result = run(*command, f"weightedbleu:weights={path}")
    assert result.status == 1
    assert "line 2: expected a token, a tab and a number; got 'cat 3'" in result.err
    result = run(*command, "meteor:data=no,where=.jar")
    assert result.status == 1
    assert "expected the jar of METEOR 1.5, or a folder with it, at no,where=.jar" in result.err


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("me", ["meteor"]),
        ("rouge", ["rouge", "rouge1", "rouge2", "rougeL"]),
        ("nope:x", []),
        ("wordf:beta=1,to", ["wordf:beta=1,tokenize="]),
        ("rougeL:a", ["rougeL:aggregate="]),
        ("wordf:nope=x", []),
        ("wordf:beta=1", []),
        ("wer:lowercase=", ["wer:lowercase=yes", "wer:lowercase=no"]),
        ("per:aggregate=corpus/s", ["per:aggregate=corpus/segments"]),
        ("meteor:modules=exact+s", ["meteor:modules=exact+stem", "meteor:modules=exact+synonym"]),
    ],
)
def test_completion_of_specifications(typed: str, offered: list[str]) -> None:
    assert complete(typed) == offered


def test_completion_of_names() -> None:
    assert {"bleu", "meteor", "rougeL"} <= {*complete("")}


@pytest.mark.parametrize("name", ["", *KINDS])
def test_help_describes_metrics(name: str, run: Run) -> None:
    shown = run("help", *[name] * bool(name))
    assert (shown.status, shown.err) == (0, "")
    if not name:
        assert re.findall(r"^(\w+)  ", shown.out, re.M) == list(KINDS)
    else:
        options = getattr(rapidbleu.metrics, KINDS[name]).OPTIONS
        assert re.findall(r"^  (\w+): ", shown.out, re.M) == list(options)
        assert max(map(len, shown.out.splitlines())) <= 80
        for option, own in options.items():
            part = shown.out.split(f"\n  {option}: ")[1].split("\n\n")[0]
            assert option == "modules" or all(word in part for word in own.among)
            assert ("only in Python" in part) == (own.text is None)
            assert part.count("\n") and "As in Metric" not in part and "`" not in part
            if type(own.default) in (int, float):
                assert f"(default: {own.default})" in " ".join(part.split())
        assert ("Source: " in shown.out) == (name not in ("cer",))


# Options of several metrics


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ("-m wer -lc", "WER|nrefs:1|case:lc|tok:none"),
        ("-m cer -lc", "CER|nrefs:1|case:lc|"),
        ("-m eed -lc", "EED|nrefs:1|lang:en|case:lc|"),
        ("-m bleu -lc", "BLEU|nrefs:1|case:lc|"),
        ("-m bleu:lowercase=no -lc", "BLEU|nrefs:1|case:mixed|"),
        ("-m wer -tok char", "WER|nrefs:1|case:mixed|tok:char"),
        ("-m wer:tokenize=intl -tok char", "WER|nrefs:1|case:mixed|tok:intl"),
        ("-m rougeL -tok intl", "ROUGE-L|nrefs:1|case:lc|tok:intl"),
        ("-m meteor -l en-de", "METEOR|nrefs:1|lang:de|case:mixed|tok:meteor-de"),
        ("-m meteor:language=fr -l en-de", "METEOR|nrefs:1|lang:fr|"),
        ("-m meteor -l en-zh -tok zh", "METEOR|nrefs:1|lang:other|"),
        ("-m eed -l en-ja", "EED|nrefs:1|lang:ja|"),
        ("-m eed -l en-de", "EED|nrefs:1|lang:en|"),
        ("-m ter -lc", "TER|nrefs:1|case:lc|"),
        ("-m chrf --chrf-lowercase", "chrF2|nrefs:1|case:lc|"),
        ("-m chrf:word_order=1 -cw 2 --chrf-beta 3", "chrF3+|nrefs:1|"),
        ("-m bleu:smooth_method=none -s floor", "|smooth:none|"),
    ],
)
def test_options_act_on_the_metrics_of_the_call(options: str, shown: str, run: Run) -> None:
    if "meteor" in options:
        need("Stemmer")
    result = run(*SCORE.split(), *options.split())
    assert result.status == 0
    assert shown in result.out


def test_lowercase_reaches_every_metric(run: Run) -> None:
    """All metrics in own commands; all except chrF in the scoring command, as in sacrebleu."""
    need("Stemmer")
    names = [name for name in KINDS if not name.startswith(("weighted", "gec"))]
    scored = run(*SCORE.split(), "-m", *names, "-lc")
    assert scored.out.count("case:mixed") == 1 and "chrF2|nrefs:1|case:mixed" in scored.out
    assert "-lc/--lowercase: chrf keeps its case, as in sacrebleu; use --chrf-low" in scored.err
    compared = run(*OWN["compare"].split(), "-m", *names, "-lc", "-f", "json")
    assert compared.status == 0 and "case:lc" in compared.out and "case:mixed" not in compared.out


@pytest.mark.parametrize("command", [SCORE, *OWN.values()], ids=["score", *OWN])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("-m cer -tok char", "-tok/--tokenize: no effect on cer; expected -m with bleu or wer"),
        ("-m wer -l en-de", "-l/--language-pair: no effect on wer; expected -m with bleu or eed"),
    ],
)
def test_options_of_other_metrics_are_refused(
    command: str, options: str, message: str, run: Run
) -> None:
    result = run(*command.split(), *options.split())
    assert (result.status, result.out) == (2, "")
    assert message in result.err


@pytest.mark.parametrize(
    "options", ["-m bleu --chrf-beta 3", "-m chrf -tok char", "-m ter --force", "-m chrf -l en-de"]
)
def test_sacrebleu_accepts_them(options: str, run: Run) -> None:
    """The scoring command warns if all metrics are sacrebleu's; own commands refuse."""
    result = run(*SCORE.split(), *options.split())
    option = options.split()[2]
    assert result.status == 0 and result.out
    assert f"{option}" in result.err and "no effect on" in result.err
    assert not run(*SCORE.split(), *options.split(), "-q").err
    refused = run(*SCORE.split(), *options.replace("-m bleu ", "-m cer ").split(), "-m", "cer")
    assert refused.status == 2 and "no effect on cer; expected -m with " in refused.err
    for command in OWN.values():
        assert run(*command.split(), *options.split()).status == 2


def test_values_without_effect(run: Run) -> None:
    """Accepted with a warning, as in sacrebleu."""
    result = run(*SCORE.split(), "-s", "none", "-sv", "3")
    assert result.status == 0
    assert "--smooth-value has no effect without a --smooth-method that has" in result.err


def test_warnings_name_options_of_the_command_line(run: Run, write: Write) -> None:
    tokenized = write("tokenized.txt", b"It rained .\n" * 100)
    result = run(tokenized, "-i", tokenized)
    assert "--force silences this message" in result.err
    assert not run(tokenized, "-i", tokenized, "--force").err
    assert not run(tokenized, "-i", tokenized, "-m", "bleu:force=yes").err


@pytest.mark.parametrize("command", WITH_METRICS)
def test_defaults_in_help_are_those_of_the_parser(command: str) -> None:
    assert {*WITH_METRICS} <= {*COMMANDS}
    for action in module_of(command).make_parser()._actions:
        found = re.search(r"\(default: ([^(),;]+)\)", action.help or "")
        if found is None or action.default is None or isinstance(action.default, bool):
            continue
        values = action.default if isinstance(action.default, list) else [action.default]
        shown = [":".join(own) if type(own) is tuple else str(own) for own in values]
        assert found[1] == (" ".join(shown) or "none"), action.option_strings


# Metrics


def test_meteor_without_data_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(METEOR, "_advised", False)
    result = run(*SCORE.split(), "-m", "meteor")
    assert result.err.count("METEOR matches exact forms and stems only") == 1
    assert "METEOR matches" not in run(*SCORE.split(), "-m", "meteor").err


def test_languages_that_meteor_has_no_rules_for(run: Run) -> None:
    result = run(*SCORE.split(), "-m", "meteor", "-l", "en-zh")
    assert result.status == 1 and "METEOR has no settings for zh" in result.err
    assert "for the tokenizer of METEOR; got 'other'; give another" in result.err
    result = run(*SCORE.split(), "-m", "meteor:language=xx")
    assert result.status == 2 and "meteor: language: expected one of en, " in result.err


def test_corrections(files: list[str], run: Run) -> None:
    result = run(files[0], *files, "-b", "-m", "gecgleu")
    expected = GECGLEU().corpus_score(HYPS, [REFS, REFS])
    assert result.out.strip() == f"{expected.score:.6f}"
    result = run(*files, "-m", "gecgleu")
    assert result.status == 1
    assert "expected a source and at least one reference" in result.err


# ``--threads`` reaches every call that scores text, in every command and for every metric.


# Two need a file of weights, and one the source as its first reference.
EVERY = [name for name in KINDS if name not in ("weightedbleu", "weightedmatch", "gecgleu")]


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Return the numbers of threads used for scoring."""
    seen = set()

    def record(function: Any, position: int) -> Any:
        def recording(*args: Any, **options: Any) -> Any:
            seen.add(args[position])
            return function(*args, **options)

        return recording

    for module in (corpus, ter):
        monkeypatch.setattr(module, "extract", record(module.extract, 3))
    for module in (nbest, nbest_files):
        monkeypatch.setattr(module, "extract_nbest", record(module.extract_nbest, 4))
    monkeypatch.setattr(pairs, "in_parts", record(pairs.in_parts, 2))
    return seen


@pytest.mark.parametrize(
    "command",
    [
        f"{REF_A} -i {HYP}",
        f"{REF_A} -i {HYP} {REF_B}",
        f"{REF_A} -i {HYP} -ci -cin 10",
        f"{REF_A} -i {HYP} {REF_B} -pbs -pbsn 10",
        f"{REF_A} -i {HYP} {REF_B} -par -parn 10 --all-pairs",
        f"{REF_A} -i {HYP} -sl -b",
        f"{REF_A} -i {HYP} {REF_B} -sl",
        f"compare {HYP} {REF_B} -r {REF_A} -n 10",
        f"correlate --human human -i {HYP} {REF_B} --names one two -r {REF_A} -n 2",
        f"stats {REF_A} -i {HYP} -o rows.npz -m ter",
        f"oracle {HYP} {REF_B} -r {REF_A} -m nist",
        f"mbr {HYP} {REF_B} -m wer",
        "tune nbest -r ref --restarts 1 -m bleu chrf",
    ],
)
def test_all_metrics(
    command: str,
    threads: set[int],
    run: Run,
    write: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    need("Stemmer")
    monkeypatch.chdir(tmp_path)
    scores = [f"{name}\t{i}\t{i % 5}" for name in ("one", "two") for i in range(1, N + 1)]
    write("human", "\n".join(["system\tsegment\tscore", *scores, ""]).encode())
    lines = [
        f"{i} ||| {text} ||| a= {i % 3} b= {len(text)} ||| 0\n"
        for i in range(8)
        for text in ("a b", "a b c d")
    ]
    write("nbest", "".join(lines).encode())
    write("ref", b"a b c\n" * 8)
    words = command.split()
    metrics = [] if "-m" in words else ["-m", *EVERY]
    assert run(*words, *metrics, "--threads", "3", "-q").status == 0
    assert threads == {3}
