"""Each wrong argument of every public function raises TypeError or ValueError, nothing else."""

import importlib
import inspect
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rapidbleu
from rapidbleu import BLEU, SegmentScores, alignment, meta, rewards, significance, tuning
from rapidbleu.alignment import LinkScore
from rapidbleu.meta import Judgments, SystemScores
from rapidbleu.significance import correct_p_values
from rapidbleu.table import Table
from rapidbleu.tuning import NBestList
from support.calls.valid_calls import valid_calls
from support.peers import need
from support.places import DATA

NO_FILE = 1 << 20  # not an open file, since paths may be numbers

WRONG: dict[str, Any] = {
    "None": None,
    "a number": NO_FILE,
    "a negative number": -7,
    "a fraction": 2.5,
    "nan": float("nan"),
    "bytes": b"x",
    "text": "nowhere/x",
    "an empty text": "",
    "an object": object(),
    "a class": BLEU,
    "a metric": BLEU(),
    "an empty list": [],
    "a nested list": [[1]],
    "a list of None": [None],
    "a list of texts": ["x"],
    "a tuple": (1,),
    "a dict": {"x": 1},
    "an empty dict": {},
    "a set": {"x"},
    "an iterator": iter(()),
    "a masked array": np.ma.masked_all(3),
    "a masked matrix": np.ma.masked_all((6, 2)),
    "an array of no dimension": np.array(5.0),
    "an array of nan": np.full((2, 2), np.nan),
    "an array of objects": np.array([None, {}], object),
    "an array of complex numbers": np.zeros(3, complex),
    "an array of times": np.zeros(3, "M8[s]"),
}

# Functions that do as much work as a number requests.
WORK = (
    "n",
    "n_draws",
    "restarts",
    "epochs",
    "max_steps",
    "bags",
    "n_runs",
    "n_trials",
    "samples",
    "max_tries",
    "iterations",
    "random_directions",
    "candidates",
    "n_bootstrap",
    "n_resamples",
    "max_ngram_order",
    "width",
    "n_splits",
    "splits",
    "char_order",
    "word_order",
    "max_orders",
    "n_samples",
)
# Documented errors: names and indices that do not exist.
LOOKUPS = {"PairedResult.p_value": KeyError} | {
    f"RunningScore.{method}": IndexError for method in ("replace", "remove", "score_if", "best_of")
}
ALLOWED = (TypeError, ValueError, OSError, ImportError)


def wrong_calls(name: str, call: Any, valid: dict[str, Any]) -> Iterator[str]:
    for parameter in valid:
        for kind, wrong in WRONG.items():
            if parameter in WORK and wrong is NO_FILE:
                continue
            try:
                call(**{**valid, parameter: wrong})
            except ALLOWED:
                pass
            except Exception as error:
                if name in LOOKUPS and isinstance(error, LOOKUPS[name]):
                    continue
                yield f"{name}({parameter}={kind}): {type(error).__name__}: {str(error)[:80]}"


def test_wrong_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib").use("agg")
    folder = tmp_path / "files"
    folder.mkdir()
    monkeypatch.chdir(folder)
    failures = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, (call, valid) in valid_calls(folder).items():
            try:
                call(**valid)
            except FileNotFoundError:
                assert valid.get("path") == folder / "nowhere", name
            except Exception as error:
                failures.append(f"{name}(): {error!r}")
            failures += wrong_calls(name, call, valid)
    assert not failures, "\n".join(failures)


ALL = (
    "",
    ".metrics",
    ".tuning",
    ".meta",
    ".alignment",
    ".significance",
    ".comparison",
    ".plots",
    ".rewards",
    ".tokenizers",
)


def test_every_public_function_is_called(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib").use("agg")
    called = valid_calls(tmp_path)
    for package in ALL:
        module: Any = importlib.import_module(f"rapidbleu{package}")
        for name in module.__all__:
            if inspect.isfunction(getattr(module, name)) and name != "patch":
                assert name in called, name


def test_masked_numbers_are_refused() -> None:
    """Masked values are undefined, and NumPy drops masks silently."""
    metric = SegmentScores()
    rows, offsets = metric.stats([0.5, 0.25]), np.array([0, 1, 2])
    features = np.array([[1.0], [2.0]])
    nbest = NBestList(features, rows, offsets, metric=metric)
    hidden = np.ma.masked_equal(rows, rows[1, 0])
    calls: dict[str, Callable[[], Any]] = {
        "stats": lambda: metric.score_rows(hidden),
        "stats ": lambda: NBestList(features, hidden, offsets, metric=metric),
        "features": lambda: NBestList(np.ma.masked_equal(features, 2.0), rows, offsets),
        "offsets": lambda: NBestList(features, rows, np.ma.masked_equal(offsets, 1)),
        "ids": lambda: NBestList(
            features, rows, offsets, metric=metric, ids=np.ma.masked_equal([0, 1], 1)
        ),
        "weights": lambda: nbest.evaluate(np.ma.masked_equal([1.0], 1.0)),
        "scores": lambda: metric.stats(np.ma.masked_equal([0.5, 0.25], 0.25)),
        "scores ": lambda: Judgments(["A"] * 2, [1, 2], ["x"] * 2, np.ma.masked_equal([1, 2], 2)),
        "p_values": lambda: correct_p_values(np.ma.masked_equal([0.5, 0.25], 0.25)),
        "columns": lambda: Table({"a": np.ma.masked_equal([1, 2], 2)}),
        "stats  ": lambda: LinkScore(np.ma.masked_equal([1, 2, 3, 4], 2)),
    }
    for name, call in calls.items():
        with pytest.raises(ValueError, match=rf"^{name.strip()}\[.*: expected a number; got"):
            call()
    assert metric.score_rows(np.ma.masked_equal(rows, -1)).tolist() == [0.5, 0.25]


def test_masked_scores_are_missing() -> None:
    hidden = np.ma.masked_equal([[1.0, 2.0], [3.0, 4.0]], 2.0)
    for scores in (hidden, list(hidden)):
        assert np.array_equal(
            SystemScores(scores).values, [[1.0, np.nan], [3.0, 4.0]], equal_nan=True
        )


# Flags of functions must be bool; a string is not a truth value.

HYPS, REFS = ["the cat sat", "it rained today"], [["the cat sat down", "it rained"]]
SYSTEMS = {"A": HYPS, "B": REFS[0]}
NBEST = [HYPS, HYPS]
METRIC = rapidbleu.BLEU()


def nbest() -> Any:
    return tuning.NBestList.from_lists(NBEST, [[1.0], [2], [1], [0]], REFS)


CALLS: list[tuple[str, Callable[..., Any]]] = [
    ("force", lambda **o: rapidbleu.corpus_bleu(HYPS, REFS, **o)),
    ("lowercase", lambda **o: rapidbleu.corpus_bleu(HYPS, REFS, **o)),
    ("lowercase", lambda **o: rapidbleu.sentence_bleu("a", ["a"], **o)),
    ("remove_whitespace", lambda **o: rapidbleu.corpus_chrf(HYPS, REFS, **o)),
    ("eps_smoothing", lambda **o: rapidbleu.corpus_chrf(HYPS, REFS, **o)),
    ("remove_whitespace", lambda **o: rapidbleu.sentence_chrf("a", ["a"], **o)),
    ("normalized", lambda **o: rapidbleu.corpus_ter(HYPS, REFS, **o)),
    ("case_sensitive", lambda **o: rapidbleu.sentence_ter("a", ["a"], **o)),
    ("asynchronous", lambda **o: rewards.make_reward("trl", **o)),
    ("ties", lambda **o: significance.paired_bootstrap(SYSTEMS, REFS, METRIC, n_resamples=10, **o)),
    (
        "ties",
        lambda **o: significance.paired_randomization(SYSTEMS, REFS, METRIC, n_trials=10, **o),
    ),
    ("null", lambda **o: alignment.IBMModel1.fit(HYPS, REFS[0], **o)),
    ("gains", lambda **o: meta.sample_reorderings("the cat a", ["a cat the"], n=2, **o)),
    ("gains", lambda **o: meta.sample_paraphrases("the cat a", ["a cat the"], n=2, **o)),
    ("axes", lambda **o: tuning.mert(nbest(), **o)),
    ("moses_compat", lambda **o: tuning.mert(nbest(), **o)),
    ("moses_compat", lambda **o: tuning.line_search(nbest(), [1.0], [1.0], **o)),
    ("shuffle", lambda **o: tuning.mira(nbest(), **o)),
    ("safe_hope", lambda **o: tuning.mira(nbest(), **o)),
    ("model_background", lambda **o: tuning.mira(nbest(), **o)),
    ("moses_compat", lambda **o: tuning.mira(nbest(), **o)),
    ("smooth_length", lambda **o: tuning.pro(nbest(), **o)),
    ("texts", lambda **o: tuning.read_nbest(DATA / "hyp.en.txt", REFS, **o)),
    ("complete", lambda **o: tuning.read_nbest(DATA / "hyp.en.txt", REFS, **o)),
]


def test_effective_order_is_a_flag() -> None:
    for call in (rapidbleu.corpus_bleu, rapidbleu.sentence_bleu):
        with pytest.raises(TypeError, match=r"^effective_order: expected True or False"):
            call(HYPS, REFS, use_effective_order="no")  # type: ignore[operator]


@pytest.mark.parametrize(("name", "call"), CALLS)
@pytest.mark.parametrize("value", ["no", "False", 2, []])
def test_text_is_no_flag(name: str, call: Any, value: Any) -> None:
    if name == "smooth_length":  # of pro
        need("scipy")
    with pytest.raises(TypeError, match=f"^{name}: expected True or False; got "):
        call(**{name: value})
