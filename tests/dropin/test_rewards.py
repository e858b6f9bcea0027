"""Reward functions: the frameworks' signatures, and scores of single calls."""

import asyncio
import copy
import functools
import inspect
import pickle
import sys
from random import Random
from threading import Event
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import rapidbleu
from rapidbleu import (
    BLEU,
    CHRF,
    EED,
    GLEU,
    GTM,
    METEOR,
    NIST,
    RIBES,
    ROUGE,
    TER,
    WER,
    CIDErD,
    SegmentScores,
    SkipNgramF,
    WeightedBLEU,
    WeightedSum,
    WordF,
)
from rapidbleu._lib.checks import SLICE, items_of
from rapidbleu.rewards import (
    FRAMEWORKS,
    AsyncReward,
    TrlReward,
    VerlReward,
    last_answer,
    make_reward,
)
from support.corpora import perturb, random_segments
from support.peers import peer

_RNG = Random("rewards")
PROMPTS = random_segments(_RNG, 8, kind="mixed")
REFERENCES = random_segments(_RNG, 8, kind="mixed")
SAMPLES = [perturb(_RNG, text) for text in REFERENCES for _ in range(64)]
TRUTHS = [text for text in REFERENCES for _ in range(64)]
SEVERAL = [[text, perturb(Random(text), text)] for text in TRUTHS]


def fractions(samples: Any, truths: Any, metric: Any = None) -> list[float]:
    metric = metric or BLEU(effective_order=True)
    return [
        min(
            1.0,
            metric.sentence_score(text, [truth] if isinstance(truth, str) else truth).score / 100,
        )
        for text, truth in zip(samples, truths, strict=True)
    ]


@pytest.fixture
def no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)


@pytest.mark.parametrize("truths", [TRUTHS, SEVERAL], ids=["one", "several"])
def test_trl(truths: list[Any]) -> None:
    reward = make_reward("trl")
    expected = fractions(SAMPLES, truths)
    mixed = reward(SAMPLES[::-1][::2] + SAMPLES, ground_truth=truths[::-1][::2] + truths)
    assert mixed == expected[::-1][::2] + expected  # samples of a reference are apart
    # Called like the trainer: all by keyword, with every column of the data set
    columns = {"ground_truth": truths, "answer": [""] * len(truths), "trainer_state": object()}
    got = reward(prompts=PROMPTS, completions=SAMPLES, completion_ids=[[1]] * 512, **columns)
    assert got == expected
    assert all(type(fraction) is float for fraction in got)
    chats = [[{"role": "assistant", "content": text}] for text in SAMPLES]
    assert reward(prompts=[], completions=chats, **columns) == expected
    named = make_reward("trl", reference_key="answer", scale=2)
    assert named(completions=SAMPLES, answer=truths) == [2 * fraction for fraction in expected]
    assert reward(completions=[], ground_truth=[]) == []
    assert reward.__name__ == "bleu_reward"
    assert not inspect.iscoroutinefunction(reward)


def test_answers_of_chats() -> None:
    user, tool = {"role": "user", "content": "b"}, {"role": "tool", "content": "c"}
    first, answer = ({"role": "assistant", "content": text} for text in ("d", "e"))
    assert last_answer("a", "x") == "a"
    assert last_answer([user, first, tool, answer], "x") == "e"
    assert last_answer((first, user, tool), "x") == "d"
    assert last_answer([{"content": "f"}], "x") == "f"
    assert last_answer([user], "x") == ""
    assert last_answer([], "x") == ""
    assert last_answer([first, {"role": "assistant", "content": None}], "x") == ""
    assert last_answer([{"role": "assistant"}], "x") == ""


@pytest.mark.parametrize("truths", [TRUTHS, SEVERAL], ids=["one", "several"])
def test_verl(truths: list[Any]) -> None:
    compute_score = make_reward("verl")
    expected = fractions(SAMPLES, truths)
    one_by_one = [
        compute_score(data_source="d", solution_str=text, ground_truth=truth, extra_info={})
        for text, truth in zip(SAMPLES, truths, strict=True)
    ]
    assert one_by_one == expected
    assert type(one_by_one[0]) is float
    assert compute_score("d", SAMPLES[3], truths[3]) == expected[3]
    assert (
        compute_score("d", SAMPLES[3], truths[3], None, reward_router_address="x") == (expected[3])
    )
    batch = compute_score(
        data_sources=np.array(["d"] * len(truths), object),
        solution_strs=SAMPLES,
        ground_truths=truths,
        extra_infos=[{}] * len(truths),
        weight=1,
    )
    assert batch == expected
    assert type(batch[0]) is float
    as_read_from_parquet = [np.array(truth, object) for truth in SEVERAL]
    assert compute_score(solution_strs=SAMPLES, ground_truths=as_read_from_parquet) == (
        fractions(SAMPLES, SEVERAL)
    )
    assert compute_score(solution_strs=[], ground_truths=[]) == []


def test_openrlhf(no_torch: None) -> None:
    reward_func = make_reward("openrlhf", scale=10)
    prompts = [PROMPTS[i // 64] for i in range(512)]
    queries = [prompt + text for prompt, text in zip(prompts, SAMPLES, strict=True)]
    expected = np.array(fractions(SAMPLES, TRUTHS), np.float32)
    result = reward_func(queries, prompts, TRUTHS)
    assert list(result) == ["rewards", "scores", "extra_logs"]
    assert result["scores"].dtype == result["rewards"].dtype == np.float32
    assert (result["scores"] == expected).all()
    assert (result["rewards"] == expected * np.float32(10)).all()
    assert list(result["extra_logs"]) == ["bleu"]
    assert (result["extra_logs"]["bleu"] == expected).all()
    assert reward_func(queries=[], prompts=[], labels=[], more=1)["rewards"].shape == (0,)


def test_openrlhf_gets_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensors are torch's, or a substitute module's, which are lists with a type."""
    module: Any = ModuleType("torch")
    module.from_numpy = lambda array: ("tensor", array.dtype.name, array.tolist())
    monkeypatch.setitem(sys.modules, "torch", module)
    result = make_reward("openrlhf")(["Q: A b c d e.", "Q: f"], ["Q: "] * 2, ["A b c d e.", "g"])
    assert result["rewards"] == ("tensor", "float32", [1.0, 0.0])
    assert result["scores"] == result["extra_logs"]["bleu"] == result["rewards"]


def test_openrlhf_logs_the_error_rate_itself(no_torch: None) -> None:
    batch = ["Qa b c d", "Qa b c x", "Qx"], ["Q"] * 3, ["a b c d"] * 3
    result = make_reward("openrlhf", metric=TER())(*batch)
    assert result["rewards"].tolist() == result["scores"].tolist() == [1.0, 0.75, 0.0]
    assert result["extra_logs"]["ter"].tolist() == [0.0, 0.25, 1.0]
    logs = make_reward("openrlhf", metric=CHRF(word_order=2))(*batch)["extra_logs"]
    assert list(logs) == ["chrf_word_order_2"]


def test_a_perfect_match_is_one() -> None:
    texts = [" ".join("abcdefgh"[:n]) for n in range(1, 9)]
    scores = BLEU(effective_order=True).segment_scores(texts, [texts])
    assert max(scores) > 100  # as in sacrebleu
    assert make_reward("trl")(texts, ground_truth=texts) == [1.0] * 8
    assert make_reward("verl", scale=0.5)("d", texts[2], texts[2]) == 0.5


def test_extract() -> None:
    def without_thoughts(text: str) -> str:
        return text.rpartition("</think>")[2].removesuffix("<|end|>")

    samples = [f"<think>{i}</think>{text}<|end|>" for i, text in enumerate(SAMPLES)]
    expected = fractions(SAMPLES, TRUTHS)
    reward = make_reward("trl", extract=without_thoughts)
    assert reward(samples, ground_truth=TRUTHS) == expected
    compute_score = make_reward("verl", extract=without_thoughts)
    assert compute_score("d", samples[9], TRUTHS[9]) == expected[9]
    reward_func = make_reward("openrlhf", extract=without_thoughts)
    queries = [f"Q{text}" for text in samples]
    scores = reward_func(queries, ["Q"] * len(samples), TRUTHS)["scores"]
    assert scores.tolist() == np.array(expected, np.float32).tolist()
    with pytest.raises(TypeError, match="extract: expected it to return str; got NoneType"):
        make_reward("trl", extract=lambda text: None)(["a"], ground_truth=["a"])


def test_no_warning_of_tokenized_output(caplog: pytest.LogCaptureFixture) -> None:
    make_reward("trl")(["a b ."] * 300, ground_truth=["a b ."] * 300)
    assert caplog.records == []


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_rewards_travel_by_pickle(framework: str) -> None:
    reward = make_reward(framework, scale=3, extract=str.strip)
    clone = pickle.loads(pickle.dumps(reward))
    assert vars(clone).keys() == vars(reward).keys()
    assert clone.__name__ == "bleu_reward"
    assert clone.scale == 3


def test_rewards_of_error_rates_are_higher_for_better_texts() -> None:
    reference = "the cat sat on the mat"
    samples = [reference, "the cat sat on mat", "no " * 50]
    percents = [TER().sentence_score(sample, [reference]).score for sample in samples]
    assert percents[0] == 0 < percents[1] < 100 < percents[2]
    expected = [1.0, 1 - percents[1] / 100, 0.0]
    truths = [reference] * 3
    assert make_reward("trl", metric=TER())(samples, ground_truth=truths) == expected
    compute_score = make_reward("verl", metric=TER(), scale=2)
    assert compute_score("d", samples[1], reference) == 2 * expected[1]
    assert compute_score(solution_strs=samples, ground_truths=truths) == [2 * x for x in expected]


PERCENTS = [
    BLEU(effective_order=True),
    CHRF(),
    CHRF(word_order=2),
    GLEU(),
    GTM(),
    RIBES(),
    METEOR() if peer("Stemmer") else METEOR(modules=["exact"]),
    ROUGE("1"),
    SkipNgramF(),
    WordF(),
    TER(),
    WER(),
    rapidbleu.CER(),
    rapidbleu.PER(),
    rapidbleu.CDER(),
    rapidbleu.CharacTER(),
    rapidbleu.HTER(),
    WeightedBLEU({}, 1.0),
    CIDErD(information=[REFERENCES]),
]


@pytest.mark.parametrize("metric", PERCENTS, ids=lambda metric: type(metric).__name__)
def test_perfect_texts_earn_one(metric: Any) -> None:
    texts = ["the cat sat on the mat", "he came, he saw, he left at once"]
    rewards = make_reward("trl", metric=metric)([*texts, "x y z", "the"], ground_truth=texts * 2)
    assert rewards[:2] == [1.0, 1.0]
    assert all(0 <= reward < 0.5 for reward in rewards[2:])


def test_rewards_of_cider_are_tenths() -> None:
    metric = CIDErD(information=[REFERENCES])
    scores = metric.nbest_scores(SAMPLES, [REFERENCES], segments=np.arange(512) // 64)
    assert 1 < max(scores) <= 10.0
    assert make_reward("trl", metric=metric)(SAMPLES, ground_truth=TRUTHS) == [
        min(1.0, score / 10) for score in scores.tolist()
    ]


def test_eed_leaves_a_little() -> None:
    (reward,) = make_reward("trl", metric=EED())(["it rained"], ground_truth=["it rained"])
    assert 0.9 < reward < 1


MIXED: list[list[Any]] = [
    [BLEU(effective_order=True), CHRF()],
    [BLEU(effective_order=True), TER(), WordF(), CHRF(word_order=2), WER(), GLEU()],
    [CIDErD(information=[REFERENCES]), TER()],
]


@pytest.mark.parametrize("truths", [TRUTHS, SEVERAL], ids=["one", "several"])
@pytest.mark.parametrize("metrics", MIXED, ids=len)
def test_the_mean_of_metrics(metrics: list[Any], truths: list[Any]) -> None:
    alone = np.array(
        [make_reward("trl", metric=own)(SAMPLES, ground_truth=truths) for own in metrics]
    )
    total = sum(alone, np.zeros(len(SAMPLES)))
    reward = make_reward("trl", metric=metrics, scale=3)
    assert reward(SAMPLES, ground_truth=truths) == (total / len(metrics) * 3).tolist()
    if truths is TRUTHS:
        perfect = make_reward("trl", metric=tuple(metrics))(truths, ground_truth=truths)
        assert max(perfect) == 1 and (metrics is MIXED[2] or min(perfect) == 1)
    verl = make_reward("verl", metric=metrics, scale=3)
    assert verl(solution_strs=SAMPLES, ground_truths=truths) == (
        reward(SAMPLES, ground_truth=truths)
    )
    assert verl("d", SAMPLES[5], truths[5]) == (total[5] / len(metrics) * 3)
    assert pickle.loads(pickle.dumps(reward))(SAMPLES[:9], ground_truth=truths[:9]) == (
        reward(SAMPLES[:9], ground_truth=truths[:9])
    )


@pytest.mark.parametrize("weights", [None, [0.3, 0.7], [3, 7], [0, 2]])
def test_a_weighted_sum_is_its_score(weights: list[float] | None) -> None:
    """It is divided by the score of a perfect text, to which its weights sum."""
    metric = WeightedSum([BLEU(effective_order=True), CHRF()], weights)
    rows = metric.nbest_stats(SAMPLES, [REFERENCES], segments=np.arange(512) // 64)
    scores = np.array([metric.score(row).score for row in rows])
    rewards = make_reward("trl", metric=metric)(SAMPLES, ground_truth=TRUTHS)
    assert rewards == pytest.approx(scores / sum(metric.weights) / 100, abs=1e-14)
    assert 0 <= min(rewards) < max(rewards) <= 1


def test_weighted_error_rates_and_other_scales() -> None:
    """An error rate, of negative weight, counts from its worst value; CIDEr-D from score 10."""
    metrics = [CIDErD(information=[REFERENCES]), TER(), CHRF()]
    cider, ter, chrf = (
        np.array(make_reward("trl", metric=own)(SAMPLES, ground_truth=TRUTHS)) for own in metrics
    )
    metric = WeightedSum(metrics, [5, -0.25, 0.25])
    expected = (50 * cider + 25 * ter + 25 * chrf) / 100
    rewards = make_reward("trl", metric=metric)(SAMPLES, ground_truth=TRUTHS)
    assert rewards == pytest.approx(expected, abs=1e-14)
    kept = [i for i, own in enumerate(ter) if own > 0]  # a TER below 100 is not cut off
    rows = metric.nbest_stats(SAMPLES, [REFERENCES], segments=np.arange(512) // 64)
    scores = np.array([metric.score(row).score for row in rows])
    assert len(kept) > 200
    assert np.array(rewards)[kept] == pytest.approx((scores[kept] + 25) / 100, abs=1e-14)


def test_names_of_several_metrics() -> None:
    bleu, chrf = BLEU(effective_order=True), CHRF(word_order=2)
    names = {
        "bleu_reward": [bleu],
        "bleu_chrf_word_order_2_reward": [bleu, chrf],
        "chrf_word_order_2_bleu_reward": [chrf, bleu],
        "bleu_0p3_chrf_word_order_2_0p7_reward": WeightedSum([bleu, chrf], [0.3, 0.7]),
        "bleu_1p0_ter_m0p5_reward": WeightedSum([bleu, TER()], [1, -0.5]),
    }
    for name, metric in names.items():
        assert name.isidentifier()
        assert make_reward("trl", metric=metric).__name__ == name


def test_openrlhf_logs_each_metric(no_torch: None) -> None:
    batch = ["Qa b c d", "Qa b c x", "Qx"], ["Q"] * 3, ["a b c d"] * 3
    alone = [make_reward("openrlhf", metric=metric)(*batch) for metric in (TER(), CHRF())]
    both = make_reward("openrlhf", metric=[TER(), CHRF()], scale=2)(*batch)
    assert both["extra_logs"].keys() == {"ter", "chrf"}
    for own in alone:
        for name, logs in own["extra_logs"].items():
            assert both["extra_logs"][name].tolist() == logs.tolist()
    scores = (alone[0]["scores"].astype(float) + alone[1]["scores"]) / 2
    assert both["scores"] == pytest.approx(scores, abs=1e-7)
    assert (both["rewards"] == both["scores"] * np.float32(2)).all()


def test_a_weighted_sum_is_a_metric_of_comparisons() -> None:
    metric = WeightedSum([BLEU(), CHRF()])
    systems = {name: SAMPLES[i::64] for i, name in enumerate("ab")}
    rows = {name: metric.segment_stats(own, [REFERENCES]) for name, own in systems.items()}
    scores = [metric.score(own.sum(axis=0)).score for own in rows.values()]
    name = "0.5 * BLEU + 0.5 * chrF2"
    compared = rapidbleu.compare(systems, [REFERENCES], [BLEU(), metric])
    assert compared.metrics == ["BLEU", name]
    assert [own.score for own in compared.corpus_scores[name].values()] == scores
    whole = rapidbleu.significance.bootstrap(systems["a"], [REFERENCES], metric)
    assert whole.score == scores[0]
    tested = rapidbleu.significance.paired_bootstrap(systems, [REFERENCES], [metric])
    assert [tested[name][system].score for system in systems] == scores


LOST: list[Any] = [None, 5, {"a": 1}, [{"role": "assistant", "content": [{"type": "image"}]}]]


@pytest.mark.parametrize("bad", ["none", 0, -1.5, 7])
def test_bad_samples_of_trl(bad: Any, caplog: pytest.LogCaptureFixture) -> None:
    reward = make_reward("trl", scale=2, bad=bad)
    expected: list[Any] = [2 * own for own in fractions(SAMPLES[:8], TRUTHS[:8])]
    completions, truths = list[Any](SAMPLES[:8]), list[Any](TRUTHS[:8])
    assert reward(completions, ground_truth=truths) == expected and not caplog.records
    completions[1:5], truths[6], truths[7] = LOST, [], ["a", None]
    expected[1:5] = [None if bad == "none" else bad] * 4
    expected[6:] = expected[1:3]
    truths[0] = expected[0] = None  # of another task, for any `bad`
    for _ in range(2):
        assert reward(completions, ground_truth=truths) == expected
    (record,) = caplog.records
    assert record.getMessage() == (
        "bleu_reward: completions[1] is bad, others may be, too: "
        "TypeError('completions[1]: expected str or a chat; got NoneType')"
    )
    assert reward(LOST, ground_truth=["a"] * 4) == expected[1:5]
    for broken in ({"completions": ["a"]}, {"completions": ["a"], "ground_truth": []}):
        with pytest.raises(ValueError, match="ground_truth"):
            reward(**broken)
    awaited = make_reward("trl", scale=2, bad=bad, asynchronous=True)
    assert asyncio.run(awaited(completions, ground_truth=truths)) == expected


def test_bad_samples_of_verl_and_openrlhf(no_torch: None) -> None:
    texts, truths = list[Any](SAMPLES[:5]), list[Any](TRUTHS[:5])
    expected: list[Any] = fractions(texts, truths)
    texts[1], truths[2], truths[3] = None, None, {"other": "a"}
    verl = make_reward("verl", bad=-1, reference_key="target")
    expected[1:4] = [-1] * 3
    assert verl(solution_strs=texts, ground_truths=truths) == expected
    assert [verl("d", *sample) for sample in zip(texts, truths, strict=True)] == expected
    assert type(verl("d", None, None)) is float
    openrlhf = make_reward("openrlhf", bad=-1, scale=10, metric=[BLEU(effective_order=True), TER()])
    result = openrlhf(["Qa b c d", None, "a", "Qa b c d"], ["Q"] * 4, ["a b c d"] * 3 + [None])
    assert result["rewards"].tolist() == [10, -1, -1, -1]
    assert result["scores"].tolist() == [1, 0, 0, 0]
    assert result["extra_logs"]["bleu"].tolist() == [1, 0, 0, 0]
    assert result["extra_logs"]["ter"].tolist() == [0, 1, 1, 1]
    assert result["rewards"].dtype == np.float32


def test_what_cannot_be_extracted_is_bad() -> None:
    reward = make_reward("trl", extract=lambda text: text.split("<a>")[1] or None, bad=0.25)
    samples = ["<a>it rained", "it rained", "<a>"]
    assert reward(samples, ground_truth=["it rained"] * 3) == [1, 0.25, 0.25]
    with pytest.raises(IndexError):
        make_reward("trl", extract=lambda text: text.split("<a>")[1])(["a"], ground_truth=["a"])


def test_entries_of_columns() -> None:
    expected = fractions(SAMPLES[:3], TRUTHS[:3])
    entries: list[Any] = [{"de": text, "en": "-"} for text in TRUTHS[:3]]
    reward = make_reward("trl", reference_key="translation.de")
    assert reward(SAMPLES[:3], translation=entries) == expected
    columns = {"translation.de": TRUTHS[:3], "translation": [1]}  # a column of this very name
    assert reward(SAMPLES[:3], **columns) == expected
    deep = make_reward("trl", reference_key="meta.targets.de")
    nested = [{"targets": {"de": several}} for several in SEVERAL[:3]]
    assert deep(SAMPLES[:3], meta=nested) == fractions(SAMPLES[:3], SEVERAL[:3])
    nested[1:] = [{"targets": None}, {"targets": {"de": None}}]  # type: ignore[list-item]
    assert deep(SAMPLES[:3], meta=nested)[1:] == [None, None]
    verl = make_reward("verl", reference_key="translation.de")
    truths = [{"translation": own} for own in entries]
    assert verl(solution_strs=SAMPLES[:3], ground_truths=truths) == expected
    assert verl("d", SAMPLES[0], {"translation.de": TRUTHS[0]}) == expected[0]
    pa = pytest.importorskip("pyarrow")
    assert reward(SAMPLES[:3], translation=pa.array(entries)) == expected


@pytest.mark.parametrize(
    ("column", "error", "message"),
    [
        ([{"de": "a"}, {"en": "a"}], ValueError, r"t\[1\]: expected an entry 'de'; got 'en'"),
        ([{"de": "a"}, {}], ValueError, r"t\[1\]: expected an entry 'de'; got none"),
        ([{"de": "a"}, ["a"]], TypeError, r"t\[1\]: expected dict; got list"),
        ([{"de": "a"}, {"de": 5}], TypeError, r"t\[1\]: expected str or list of str; got int"),
    ],
)
def test_wrong_entries_of_columns(column: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make_reward("trl", reference_key="t.de")(["a"] * 2, t=column)
    with pytest.raises(ValueError, match=r"expected a column .* got 't\.de'; there are u"):
        make_reward("trl", reference_key="t.de")(["a"] * 2, u=column)


@pytest.mark.parametrize("missing", [[0], [1, 2], [0, 1, 2, 3]])
def test_samples_without_reference_have_no_reward_in_trl(missing: list[int]) -> None:
    """They belong to another task of the data set; TRL skips None."""
    expected: list[float | None] = list(fractions(SAMPLES[:4], TRUTHS[:4]))
    truths: list[str | None] = list(TRUTHS[:4])
    completions: list[Any] = [[{"role": "assistant", "content": text}] for text in SAMPLES[:4]]
    for i in missing:
        truths[i] = expected[i] = None
        completions[i] = {"not": "looked at"}
    assert make_reward("trl")(completions, ground_truth=truths) == expected


def test_nan_in_a_column_of_objects_is_no_reference() -> None:
    """Table libraries use nan for missing text."""
    reward = make_reward("trl")
    truths = np.array([TRUTHS[0], float("nan"), None, np.float64("nan")], object)
    assert reward(SAMPLES[:4], ground_truth=truths) == [
        *fractions(SAMPLES[:1], TRUTHS[:1]),
        None,
        None,
        None,
    ]
    with pytest.raises(TypeError, match=r"ground_truth\[1\]: expected str or list.*; got float"):
        reward(SAMPLES[:2], ground_truth=np.array(["a", 0.5], object))


def test_content_in_parts() -> None:
    def part(text: str) -> dict[str, str]:
        return {"type": "text", "text": text}

    user = {"role": "user", "content": [{"type": "image"}, part("What is it?")]}
    chat = [user, {"role": "assistant", "content": [part("It is "), part("raining.")]}]
    assert last_answer(chat, "x") == "It is raining."
    assert last_answer([{"role": "assistant", "content": []}], "x") == ""
    assert make_reward("trl")([chat], ground_truth=["It is raining."]) == [1.0]


def columns_of(values: list[Any]) -> list[Any]:
    """Return the column in the forms of various libraries."""
    pa, pd, pl = map(pytest.importorskip, ("pyarrow", "pandas", "polars"))
    return [
        tuple(values),
        np.array(values, object),
        *([] if None in values else [np.array(values)]),
        pa.array(values),
        pa.chunked_array([values[:2], values[2:]]),
        pd.Series(values),
        pd.Series(values, dtype=object),
        pd.array(values),
        pl.Series(values),
    ]


def test_columns_of_other_libraries() -> None:
    samples, truths = SAMPLES[:4], [TRUTHS[0], None, *TRUTHS[2:4]]
    expected = make_reward("trl")(samples, ground_truth=truths)
    assert expected[1] is None
    for column in columns_of(truths):
        assert make_reward("trl")(samples, ground_truth=column) == expected, type(column)
    for column in columns_of(samples):
        assert make_reward("trl")(column, ground_truth=truths) == expected, type(column)
        verl = make_reward("verl")(solution_strs=column, ground_truths=TRUTHS[:4])
        assert verl == fractions(samples, TRUTHS[:4])
        labels = make_reward("openrlhf")(samples, [""] * 4, column)["rewards"]
        assert labels.tolist() == np.array(fractions(samples, samples), np.float32).tolist()


def columns_of_lists(lists: list[Any]) -> list[Any]:
    pa, pd, pl = map(pytest.importorskip, ("pyarrow", "pandas", "polars"))
    columns = [pa.array(lists), pa.chunked_array([lists[:1], lists[1:]]), pl.Series(lists)]
    if None in lists:
        return columns
    arrays = pd.Series([np.array(several, object) for several in lists])
    return [
        *columns,
        arrays,
        pl.Series(lists, dtype=pl.Array(pl.String, 2)),
        pd.Series(lists),
        pd.Series(lists, dtype=pd.ArrowDtype(pa.list_(pa.string()))),
        np.array(lists, object),
        np.array(lists),
    ]


def test_columns_of_several_references() -> None:
    samples, truths = SAMPLES[:4], SEVERAL[:4]
    expected = fractions(samples, truths)
    for column in columns_of_lists(truths):
        assert make_reward("trl")(samples, ground_truth=column) == expected, type(column)
        batch = make_reward("verl")(solution_strs=samples, ground_truths=column)
        assert batch == expected, type(column)
    for column in columns_of_lists([truths[0], None, *truths[2:]]):
        rewards = [expected[0], None, *expected[2:]]
        assert make_reward("trl")(samples, ground_truth=column) == rewards, type(column)
    for column in columns_of_lists([*truths[:2], None, [None, "a"]]):
        with pytest.raises(TypeError, match=r"ground_truth\[3\]\[0\]: .* got NoneType"):
            make_reward("trl")(samples, ground_truth=column)


def test_long_columns() -> None:
    """They are read in slices, the last of which is short."""
    pa, pl = map(pytest.importorskip, ("pyarrow", "polars"))
    n = 2 * SLICE + 7
    samples, truths, lists = (
        (column * (n // len(column) + 1))[:n] for column in (SAMPLES, TRUTHS, SEVERAL)
    )
    truths[SLICE] = f"{SAMPLES[0]} a"
    expected = fractions(samples, truths)
    chunks = pa.chunked_array([truths[:5], [], truths[5:]])
    for column in (np.array(truths), pa.array(truths), chunks, pl.Series(truths)):
        assert make_reward("trl")(samples, ground_truth=column) == expected, type(column)
    assert {type(text) for text in items_of(np.array(truths), "truths", "truths")} == {str}
    for column in (pa.array(lists), pl.Series(lists)):
        assert items_of(column, "lists", "lists") == list(map(tuple, lists))


def test_ground_truths_that_are_dicts() -> None:
    reward = make_reward("verl", reference_key="target")
    expected = fractions(SAMPLES[:3], [TRUTHS[0], SEVERAL[1], TRUTHS[2]])
    truths = [{"target": TRUTHS[0]}, {"target": np.array(SEVERAL[1], object), "more": 1}, TRUTHS[2]]
    assert reward(solution_strs=SAMPLES[:3], ground_truths=truths) == expected
    assert reward("d", SAMPLES[1], truths[1]) == expected[1]


def test_columns_of_ground_truths_that_are_dicts() -> None:
    pa, pl = map(pytest.importorskip, ("pyarrow", "polars"))
    truths = [{"target": several, "style": "rule"} for several in SEVERAL[:4]]
    reward = make_reward("verl", reference_key="target")
    for column in (np.array(truths, object), pa.array(truths), pl.Series(truths)):
        assert reward(solution_strs=SAMPLES[:4], ground_truths=column) == (
            fractions(SAMPLES[:4], SEVERAL[:4])
        )


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"framework": "ppo"}, ValueError, "framework: expected one of trl, verl, openrlhf; got '"),
        ({"framework": None}, ValueError, "framework: expected one of trl, verl, openrlhf; got N"),
        ({"framework": ["trl"]}, ValueError, r"framework: expected one of .* got \['trl'\]"),
        (
            {"framework": "trl", "metric": "bleu"},
            TypeError,
            "metric: expected a metric that scores texts; got str",
        ),
        (
            {"framework": "trl", "metric": SegmentScores("COMET")},
            TypeError,
            "metric: expected a metric that scores texts; got SegmentScores",
        ),
        (
            {"framework": "verl", "metric": WeightedSum([BLEU(), SegmentScores("COMET")])},
            TypeError,
            r"metric\[1\]: expected a metric that scores texts; got SegmentScores",
        ),
        (
            {"framework": "verl", "metric": [BLEU(), WeightedSum([BLEU(), CHRF()])]},
            TypeError,
            r"metric\[1\]: expected a metric that scores texts; got WeightedSum",
        ),
        ({"framework": "trl", "metric": []}, ValueError, "metric: expected at least one, .* none"),
        (
            {"framework": "trl", "metric": WeightedSum([BLEU()], [0])},
            ValueError,
            "metric: expected at least one, with a weight; got none",
        ),
        (
            {"framework": "trl", "metric": (CHRF(), NIST())},
            ValueError,
            r"metric\[1\]: expected scores with a fixed upper bound; got NIST",
        ),
        (
            {"framework": "trl", "metric": WeightedSum([CHRF(), TER()])},
            ValueError,
            r"metric\[1\]: expected a weight below 0 for an error rate, .*; got 0.5 for TER",
        ),
        (
            {"framework": "trl", "metric": WeightedSum([CHRF(), BLEU()], [1, -0.25])},
            ValueError,
            r"metric\[1\]: expected a weight .* above 0 for any other metric; got -0.25 for BLEU",
        ),
        ({"framework": "trl", "bad": "zero"}, ValueError, "bad: expected raise, none or a finite "),
        ({"framework": "trl", "bad": None}, ValueError, "bad: expected raise, none or .* got None"),
        ({"framework": "trl", "bad": True}, ValueError, "bad: expected raise, none or .* got True"),
        ({"framework": "trl", "bad": float("nan")}, ValueError, "bad: expected raise, .* got nan"),
        ({"framework": "trl", "bad": -float("inf")}, ValueError, "bad: expected .* got -inf"),
        ({"framework": "verl", "bad": "none"}, ValueError, "bad: verl wants numbers, expected ra"),
        ({"framework": "openrlhf", "bad": "none"}, ValueError, "bad: openrlhf wants numbers"),
        (
            {"framework": "trl", "metric": NIST()},
            ValueError,
            "metric: expected scores with a fixed upper bound; got NIST",
        ),
        (
            {"framework": "trl", "metric": CIDErD()},
            ValueError,
            "metric: expected information, without which CIDErD weighs n-grams by the references "
            "of each batch",
        ),
        ({"framework": "openrlhf", "reference_key": "a"}, ValueError, "reference_key: openrlhf"),
        ({"framework": "trl", "reference_key": 1}, TypeError, "reference_key: expected str; got i"),
        ({"framework": "trl", "extract": "x"}, TypeError, "extract: expected a callable; got str"),
        ({"framework": "trl", "scale": "1"}, TypeError, "scale: expected a number; got str"),
        ({"framework": "trl", "scale": True}, TypeError, "scale: expected a number; got bool"),
        ({"framework": "trl", "scale": 0}, ValueError, "scale: expected a finite number above 0"),
        ({"framework": "trl", "scale": float("nan")}, ValueError, "scale: .* above 0; got nan"),
        ({"framework": "trl", "scale": float("inf")}, ValueError, "scale: .* above 0; got inf"),
        ({"framework": "trl", "asynchronous": 3}, TypeError, "asynchronous: expected True or Fa"),
        (
            {"framework": "openrlhf", "asynchronous": True},
            ValueError,
            "asynchronous: openrlhf awaits no rewards, expected False",
        ),
    ],
)
def test_bad_options(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make_reward(**arguments)


@pytest.mark.parametrize(
    ("framework", "arguments", "error", "message"),
    [
        ("trl", {"completions": ["a"]}, ValueError, "reference_key: .* 'ground_truth'; there are "),
        ("trl", {"completions": ["a"], "truth": ["a"], "b": 1}, ValueError, "there are b, truth$"),
        (
            "trl",
            {"completions": ["a"], "ground_truth": []},
            ValueError,
            "ground_truth: expected 1, as many as completions; got 0",
        ),
        (
            "trl",
            {"completions": [1, 2], "ground_truth": [None, "a"]},
            TypeError,
            r"completions\[1\]: expected str or a chat; got int",
        ),
        (
            "trl",
            {"completions": ["a", "b"], "ground_truth": [None, ["a", 5]]},
            TypeError,
            r"ground_truth\[1\]\[1\]: expected str; got int",
        ),
        (
            "trl",
            {"completions": ["a", ["b"]], "ground_truth": ["a"] * 2},
            TypeError,
            r"completions\[1\]\[0\]: expected a message; got str",
        ),
        (
            "trl",
            {"completions": [[{"role": "assistant", "content": 5}]], "ground_truth": ["a"]},
            TypeError,
            r"completions\[0\]\[0\]\['content'\]: expected str or parts; got int",
        ),
        (
            "trl",
            {"completions": "ab", "ground_truth": ["a", "b"]},
            TypeError,
            "completions: expected a sequence of completions; got a single str",
        ),
        (
            "trl",
            {"completions": ["a", "b"], "ground_truth": {"a", "b"}},
            TypeError,
            "ground_truth: expected a sequence of references; got set",
        ),
        (
            "trl",
            {"completions": ["a"], "ground_truth": [{"a", "b"}]},
            TypeError,
            r"ground_truth\[0\]: expected str or list of str; got set",
        ),
        (
            "trl",
            {
                "completions": [[{"content": [{"type": "text", "text": "a"}, {"type": "image"}]}]],
                "ground_truth": ["a"],
            },
            ValueError,
            r"completions\[0\]\[0\]\['content'\]\[1\]: expected a part of type 'text'; got 'image'",
        ),
        (
            "trl",
            {"completions": [[{"content": [{"type": "text"}]}]], "ground_truth": ["a"]},
            TypeError,
            r"\['content'\]\[0\]\['text'\]: expected str; got NoneType",
        ),
        (
            "trl",
            {"completions": [[{"content": ["a"]}]], "ground_truth": ["a"]},
            TypeError,
            r"\['content'\]\[0\]: expected a part; got str",
        ),
        (
            "trl",
            {"completions": ["a"] * 2, "ground_truth": ["a", []]},
            ValueError,
            r"ground_truth\[1\]: expected at least one reference; got none",
        ),
        ("verl", {}, TypeError, "solution_str: expected str; got NoneType"),
        ("verl", {"solution_str": "a"}, TypeError, "ground_truth: expected str or list .* N"),
        ("verl", {"solution_strs": ["a"]}, ValueError, "ground_truths: expected 1, as many as sol"),
        (
            "verl",
            {"solution_strs": ["a", None], "ground_truths": ["a"] * 2},
            TypeError,
            r"solution_strs\[1\]: expected str; got NoneType",
        ),
        (
            "verl",
            {"solution_strs": "ab", "ground_truths": ["a", "b"]},
            TypeError,
            "solution_strs: expected a sequence of solutions; got a single str",
        ),
        (
            "verl",
            {"solution_strs": ["a", "b"], "ground_truths": ["a", None]},
            TypeError,
            r"ground_truths\[1\]: expected str or list of str; got NoneType",
        ),
        (
            "verl",
            {"solution_strs": ["a"], "ground_truths": [{"target": "a"}]},
            TypeError,
            r"ground_truths\[0\]: expected str .* got dict; reference_key names the entry",
        ),
        (
            "openrlhf",
            {"queries": "ab", "prompts": ["", ""], "labels": ["a", "b"]},
            TypeError,
            "queries: expected a sequence of queries; got a single str",
        ),
        (
            "openrlhf",
            {"queries": ["a"], "prompts": [""], "labels": [None]},
            TypeError,
            r"labels\[0\]: expected str or list of str; got NoneType",
        ),
        (
            "openrlhf",
            {"queries": [1], "prompts": [""], "labels": ["a"]},
            TypeError,
            r"queries\[0\]: expected str; got int",
        ),
        (
            "openrlhf",
            {"queries": ["a"], "prompts": [1], "labels": ["a"]},
            TypeError,
            r"prompts\[0\]: expected str; got int",
        ),
        (
            "openrlhf",
            {"queries": ["ab"], "prompts": ["b"], "labels": ["a"]},
            ValueError,
            r"queries\[0\]: expected a text that begins with prompts\[0\]",
        ),
        (
            "openrlhf",
            {"queries": ["ab"], "prompts": [], "labels": ["a"]},
            ValueError,
            "prompts: expected 1, as many as queries; got 0",
        ),
        (
            "openrlhf",
            {"queries": ["ab"], "prompts": ["a"], "labels": []},
            ValueError,
            "labels: expected 1, as many as queries; got 0",
        ),
    ],
)
def test_bad_batches(
    framework: str, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make_reward(framework)(**arguments)


def test_an_entry_that_is_missing() -> None:
    reward = make_reward("verl", reference_key="target")
    with pytest.raises(ValueError, match=r"truths\[1\]: expected an entry 'target'; got 'a'"):
        reward(solution_strs=["a"] * 2, ground_truths=["a", {"a": "b"}])


RESPONSES = SAMPLES[::64]
AWAITED = [BLEU(effective_order=True), CHRF(), TER()]
LONG = 20  # seconds until a failing test gives up


def chat(text: str) -> list[dict[str, Any]]:
    part = {"type": "text", "text": text}
    return [{"role": "user", "content": "?"}, {"role": "assistant", "content": [part]}]


class Gate:
    """An extractor that signals its start, and waits to be released."""

    def __init__(self) -> None:
        self.begun, self.opened = Event(), Event()

    def __call__(self, text: str) -> str:
        self.begun.set()
        assert self.opened.wait(LONG)
        return text


@pytest.mark.parametrize("framework", ["trl", "verl"])
def test_trainers_recognize_them(framework: Any) -> None:
    plain = make_reward(framework, metric=CHRF())
    reward = make_reward(framework, metric=CHRF(), asynchronous=True)
    assert type(reward) is AsyncReward
    copies = [pickle.loads(pickle.dumps(reward)), copy.copy(reward), copy.deepcopy(reward)]
    for function in (reward, *copies):
        assert inspect.iscoroutinefunction(function)
        assert inspect.iscoroutinefunction(functools.partial(function, extra=1))
        assert inspect.iscoroutinefunction(type(function).__call__)  # TRL since pull 7213
        assert function.__name__ == "chrf_reward"  # in logs
        assert inspect.signature(function) == inspect.signature(plain)
        assert function.scale == plain.scale
        assert repr(function) == f"AsyncReward({plain!r})"
    assert not inspect.iscoroutinefunction(plain)
    assert type(make_reward(framework, asynchronous=False)) in (TrlReward, VerlReward)


def test_awaited_by_trl() -> None:
    """TRL's trainers await all rewards of a batch at once, in an event loop of another thread."""
    truths: list[Any] = [None, [REFERENCES[1], RESPONSES[2]], *REFERENCES[2:]]
    columns = {
        "prompts": [],
        "completions": [chat(text) for text in RESPONSES],
        "completion_ids": [],
        "ground_truth": truths,
        "trainer_state": object(),
    }
    expected = [make_reward("trl", metric=metric)(**columns) for metric in AWAITED]
    assert expected[0][0] is None
    rewards = [make_reward("trl", metric=metric, asynchronous=True) for metric in AWAITED]

    async def all_of_them(functions: list[Any]) -> list[Any]:
        return await asyncio.gather(*(function(**columns) for function in functions))

    assert asyncio.run(all_of_them(rewards)) == expected
    assert asyncio.run(all_of_them(pickle.loads(pickle.dumps(rewards)))) == expected
    assert asyncio.run(all_of_them(rewards[:1] * 16)) == expected[:1] * 16


def test_awaited_by_verl() -> None:
    """verl's reward loop calls a partial function for each sample, with a time limit."""
    plain = make_reward("verl", reference_key="target", scale=3)
    reward = make_reward("verl", reference_key="target", scale=3, asynchronous=True)
    truths = [{"target": np.array([text, "a b"], object)} for text in REFERENCES]
    expected = [plain("d", *pair) for pair in zip(RESPONSES, truths, strict=True)]

    async def call(raw: Any, *batch: Any, **more: Any) -> Any:
        return await raw(*batch, **more)

    compute_score = functools.partial(call, reward)

    async def all_of_them() -> list[Any]:
        return await asyncio.gather(
            *(
                asyncio.wait_for(
                    compute_score("d", solution_str=text, ground_truth=truth, extra_info={}), LONG
                )
                for text, truth in zip(RESPONSES, truths, strict=True)
            )
        )

    scores = asyncio.run(all_of_them())
    assert scores == expected
    assert type(scores[0]) is float
    assert asyncio.run(reward(solution_strs=RESPONSES, ground_truths=truths)) == expected


def test_the_loop_goes_on_and_cancelled_calls_end_at_once() -> None:
    gate = Gate()
    reward = make_reward("trl", extract=gate, asynchronous=True)

    async def run() -> Any:
        task = asyncio.create_task(reward(["a b"], ground_truth=["a b"]))
        while not gate.begun.is_set():
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not gate.opened.is_set()
        with pytest.raises(TimeoutError):  # also by a time limit
            await asyncio.wait_for(reward(["a b"], ground_truth=["a b"]), 0.01)
        gate.opened.set()
        return await reward(["a b"], ground_truth=["a b"])

    assert asyncio.run(run()) == [1.0]
