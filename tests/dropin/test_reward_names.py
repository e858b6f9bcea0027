"""Names of rewards: the options that change scores, in words."""

import itertools
import re
import shlex
import subprocess
import sys
from typing import Any

import pytest

from rapidbleu import BLEU, CHRF, METEOR, TER, CIDErD, WeightedBLEU
from rapidbleu.rewards import make_reward
from support.peers import peer


def split(text: str) -> list[str]:
    return text.split()


NUMBERS = [0.1, 0.5, 1, 1.5, 2, 2.5, 10, 1e-05, 0.25]
METEORS: list[dict[str, Any]] = [{}, {"language": "de"}, {"variant": "2007"}]
METEORS = METEORS if peer("Stemmer") else []
OPTIONS: list[list[Any]] = [
    [
        BLEU(),
        BLEU(effective_order=True),
        BLEU(lowercase=True),
        BLEU(tokenize="char"),
        BLEU(tokenize="char", lowercase=True),
        BLEU(tokenize=split),
        BLEU(tokenize=str.split),
        *(BLEU(max_ngram_order=n) for n in (1, 2, 3, 12, 21)),
        BLEU(trg_lang="zh"),
        BLEU(trg_lang="ko-KR"),
        BLEU(trg_lang="koKR"),
        BLEU(average="arithmetic"),
        *(BLEU(smooth_method=way, smooth_value=n) for way in ("floor", "add-k") for n in NUMBERS),
        *(BLEU(smooth_method=f"nltk{n}", effective_order=True) for n in range(1, 8)),
        *(BLEU(ref_len=name) for name in ("shortest", "longest", "average")),
        *(BLEU(weights=[w, 1 - w], max_ngram_order=2) for w in (0.1, 0.2, 0.5, 0.9)),
    ],
    [
        CHRF(),
        CHRF(lowercase=True),
        CHRF(whitespace=True),
        CHRF(eps_smoothing=True),
        *(CHRF(char_order=n, word_order=w) for n in (1, 2, 12, 21) for w in (0, 1, 2, 11)),
        *(CHRF(word_order=w) for w in (1, 2, 3, 12)),
        *(CHRF(beta=b) for b in (0, 1, 3, 2.5)),
    ],
    [TER(*flags) for flags in itertools.product((False, True), repeat=4)],
    [METEOR(stem=split), METEOR(modules=["exact"]), *(METEOR(**own) for own in METEORS)],
    [WeightedBLEU({"a": 1.0}), WeightedBLEU({"a": 2.0}), WeightedBLEU({"b": 1.0}, 0.5)],
]


@pytest.mark.parametrize("metrics", OPTIONS, ids=lambda metrics: type(metrics[0]).__name__)
def test_metrics_of_other_options_have_other_names(metrics: list[Any]) -> None:
    names = [make_reward("trl", metric=metric).__name__ for metric in metrics]
    assert len(set(names)) == len(names)
    name = type(metrics[0]).__name__.lower()
    assert all(own.isidentifier() and own.startswith(name) for own in names)
    assert all(own.endswith("_reward") for own in names)


def test_names_are_no_hashes() -> None:
    for metric in itertools.chain(*OPTIONS):
        words = make_reward("trl", metric=metric).__name__.split("_")
        assert not [word for word in words if re.fullmatch("[0-9a-f]{8}", word)]


def test_long_values_are_named_as_in_signatures() -> None:
    many = WeightedBLEU({f"word{i}": 1.0 for i in range(100)})
    informed = CIDErD(information=[["the cat sat", "it rained"]])
    for metric, option, field in ((many, "weights", "weights"), (informed, "information", "info")):
        signed = metric._signed()[field].replace("-", "_")
        name = f"{type(metric).__name__.lower()}_{option}_{signed}_reward"
        assert make_reward("trl", metric=metric).__name__ == name


def test_names_of_options() -> None:
    names = {
        "bleu_effective_order_false_reward": [BLEU()],
        "bleu_reward": [BLEU(effective_order=True), BLEU(force=True, effective_order=True)],
        "bleu_tokenize_char_reward": [BLEU(tokenize="char", effective_order=True)],
        "chrf_beta_0p5_lowercase_true_reward": [CHRF(beta=0.5, lowercase=True)],
        "chrf_reward": [CHRF(), CHRF(references=[["a"]])],
        "chrf_word_order_2_reward": [CHRF(word_order=2)],
        "ter_reward": [TER(), TER(references=[["a"]])],
        "bleu_smooth_method_add_k_reward": [BLEU(smooth_method="add-k", effective_order=True)],
        "bleu_tokenize_str_split_reward": [BLEU(tokenize=str.split, effective_order=True)],
        "bleu_tokenize_lambda_reward": [BLEU(tokenize=lambda x: [x], effective_order=True)],
        "bleu_max_ngram_order_2_weights_0p25_0p75_reward": [
            BLEU(max_ngram_order=2, weights=(0.25, 0.75), effective_order=True)
        ],
        "meteor_modules_exact_reward": [METEOR(modules=["exact"])],
        "weightedbleu_weights_a_2p0_the_1p0_reward": [WeightedBLEU({"the": 1, "a": 2})],
        "weightedbleu_weights_x2c_2p0_reward": [WeightedBLEU({",": 2})],
    }
    for name, metrics in names.items():
        for metric in metrics:
            assert make_reward("verl", metric=metric).__name__ == name
            assert make_reward("trl", metric=metric, asynchronous=True).__name__ == name


def test_names_of_functions_are_the_same_in_every_process() -> None:
    code = (
        "import shlex; from rapidbleu import BLEU, make_reward; "
        "print(make_reward('trl', metric=BLEU(tokenize=shlex.split)).__name__)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    metric = BLEU(tokenize=shlex.split)
    assert out.stdout.strip() == make_reward("trl", metric=metric).__name__
