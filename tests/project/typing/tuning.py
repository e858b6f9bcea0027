"""Types in tuning, significance tests, rewards and the NLTK drop-in; see metrics.py."""

from pathlib import Path
from typing import assert_type

import numpy as np

from rapidbleu import BLEU, CHRF, WeightedSum, make_reward, select_oracle
from rapidbleu import nltk as nltk
from rapidbleu._types import FloatArray, IntArray
from rapidbleu.oracle import Oracle
from rapidbleu.rewards import AsyncReward, OpenRlhfReward, TrlReward, VerlReward
from rapidbleu.significance import (
    PairedResult,
    ResampledScore,
    bootstrap,
    paired_bootstrap,
    paired_randomization,
)
from rapidbleu.tuning import (
    BaggedResult,
    MertResult,
    NBestList,
    TuningResult,
    line_search,
    mert,
    mira,
    pro,
    tune,
    tune_repeatedly,
)

bleu, chrf = BLEU(), CHRF()
refs = [["a b", "c"]]
nbest = NBestList.from_lists([["a b"], ["c", "d"]], [[1.0, 2], [1.0, 2], [0, 0]], refs)


def lists(path: Path) -> None:
    NBestList(np.ones((3, 2)), np.ones((3, 10), np.int64), [0, 1, 3], names=["lm", "length"])
    NBestList([[1.0]], [[1, 2]], [0, 1], metric=bleu)
    nbest.save(path)
    assert_type(NBestList.load("list.npz", mmap=True), NBestList)
    NBestList.load(3)  # type: ignore[arg-type]
    NBestList.from_lists(3, [[1.0]], refs)  # type: ignore[arg-type]


def weights(by_name: dict[str, int]) -> None:
    assert_type(nbest.evaluate([1.0, 0.5]), float)
    assert_type(nbest.evaluate(by_name), float)
    assert_type(nbest.evaluate([[1.0, 0.5], [1, 2]]), FloatArray)
    assert_type(nbest.best([1.0, 0.5]), IntArray)
    mert(nbest, by_name, bounds={"F0": (0, 1)}, fixed=["F1"], smooth=("mean", 2), normalize=None)
    mert(nbest, [[1.0, 0.5], [0.0, 1.0]], ranges=np.array([[0, 1], [0, 1]]), normalize="l2")
    mira(nbest, np.ones(2))
    pro(nbest, {"F0": 1.0, "F1": np.float64(2)}, progress=print)
    line_search(nbest, [1.0, 0.0], {"F0": 0, "F1": 1}, bounds=(-1, 1))
    tune_repeatedly(nbest, "mira", n_runs=3, baseline=[0.5, 0.5])
    tune_repeatedly(nbest, lambda nbest, seed: [0.5, 0.5])
    assert_type(tune(nbest), BaggedResult)
    assert_type(tune(nbest, [1.0, 0.5], "mert", 5, restarts=2), BaggedResult)
    assert_type(tune(nbest, by_name, method="mert", bags=None, restarts=2), MertResult)
    assert_type(tune(nbest, method="pro", bags=None), TuningResult)
    assert_type(tune(nbest, method=mira, bags=None), TuningResult)
    tune(nbest, method="mertt")  # type: ignore[call-overload]
    tune(nbest, bags="20")  # type: ignore[call-overload]
    mert(nbest, "F0")  # type: ignore[arg-type]
    mert(nbest, {"F0": "1"})  # type: ignore[arg-type]
    mert(nbest, normalize="l3")  # type: ignore[arg-type]
    mert(nbest, smooth=("max", 2))  # type: ignore[arg-type]
    tune_repeatedly(nbest, "mertt")  # type: ignore[arg-type]


def significance(rows: IntArray) -> None:
    systems = {"one": ["a b", "c"], "other": ["a", "c"]}
    assert_type(bootstrap(["a b", "c"], refs, bleu), ResampledScore)
    assert_type(bootstrap(rows, None, bleu), ResampledScore)
    assert_type(paired_bootstrap(systems, refs, bleu), PairedResult)
    paired_randomization(systems, refs, [bleu, chrf], baseline="one")
    paired_randomization({"one": rows, "other": rows}, None, {"BLEU": bleu, "chrF": chrf})
    paired_bootstrap([("one", ["a b", "c"]), ("other", ["a", "c"])], refs, bleu)
    paired_bootstrap(systems, refs, "BLEU")  # type: ignore[arg-type]
    paired_bootstrap(systems, refs, bleu, layout="rows")  # type: ignore[arg-type]


def rewards() -> None:
    assert_type(make_reward("trl"), TrlReward)
    assert_type(make_reward("trl")(["a"], ground_truth=["b"]), list[float | None])
    assert_type(make_reward("verl", scale=2), VerlReward)
    assert_type(make_reward("openrlhf", metric=chrf), OpenRlhfReward)
    assert_type(make_reward("trl", asynchronous=True), AsyncReward)
    assert_type(make_reward("trl", metric=[chrf, chrf], bad="none"), TrlReward)
    assert_type(make_reward("verl", metric=WeightedSum([chrf]), bad=-1), VerlReward)
    make_reward("verl", bad="none")  # type: ignore[call-overload]
    assert_type(make_reward("verl", reference_key="a", asynchronous=True), AsyncReward)
    make_reward("openrlhf", asynchronous=True)  # type: ignore[call-overload]
    make_reward("trll")  # type: ignore[call-overload]
    make_reward("openrlhf", reference_key="reference")  # type: ignore[call-overload]


def oracle() -> None:
    assert_type(select_oracle([["a b"], ["c", "d"]], refs), Oracle)
    select_oracle(["a b"], refs, offsets=[0, 1])


def like_nltk() -> None:
    smoothing = nltk.SmoothingFunction()
    assert_type(nltk.bleu([["a", "b"]], ["a", "b"]), float)
    assert_type(nltk.sentence_bleu(["a b"], "a b", (0.5, 0.5), smoothing.method1), float)
    assert_type(nltk.corpus_bleu([[[1, 2]]], [[1, 2]], [(1.0,), (0.5, 0.5)]), float | list[float])
    assert_type(nltk.corpus_gleu([[["a"]]], [["a"]]), float)
    assert_type(nltk.corpus_chrf(["a b"], [["a", "b"]]), float)
    nltk.bleu(3, ["a"])  # type: ignore[call-overload]
    nltk.nist([["a"]], 3)  # type: ignore[arg-type]
