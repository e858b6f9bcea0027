"""Paired tests and intervals of an installed sacrebleu under `patch_sacrebleu()`: == without it."""

import importlib
import os
from random import Random
from typing import Any

import pytest

from rapidbleu import patch_sacrebleu
from support.corpora import perturb
from support.dropin import corpus, peer, plain

THEIRS = importlib.import_module("sacrebleu.significance")
HYPS, REFS = corpus("ascii", n=50, n_refs=3)
NEAR = [perturb(Random(i), hyp) for i, hyp in enumerate(HYPS)]
SYSTEMS = [("base", HYPS), ("near", NEAR), ("other", REFS[1]), ("same", list(HYPS))]
FUNCTIONS = ("_bootstrap_resample", "_paired_ar_test", "_paired_bs_test")


class Halved(peer.BLEU):  # type: ignore[misc, name-defined]
    """A metric whose scores are its own."""

    def _compute_score_from_stats(self, stats: Any) -> Any:
        score = super()._compute_score_from_stats(stats)
        score.score /= 2
        return score


class Doubled(peer.CHRF):  # type: ignore[misc, name-defined]
    """A metric whose statistics are its own."""

    def _preprocess_segment(self, sent: str) -> str:
        return sent * 2


def metrics() -> dict[str, Any]:
    return {
        "BLEU": peer.BLEU(),
        "floor": peer.BLEU(smooth_method="floor", smooth_value=0.3, max_ngram_order=6),
        "add-k": peer.BLEU(smooth_method="add-k", effective_order=True),
        "tokenizer": peer.BLEU(tokenize="char", lowercase=True),
        "chrF": peer.CHRF(),
        "chrF++": peer.CHRF(word_order=2, eps_smoothing=True),
        "TER": peer.TER(),
        "halved": Halved(),
        "doubled": Doubled(),
    }


def run(name: str, refs: Any = REFS, systems: Any = SYSTEMS, **options: Any) -> Any:
    """The outcome of a test under one metric."""
    signatures, scores = THEIRS.PairedTest(systems, {name: metrics()[name]}, refs, **options)()
    return plain([{key: str(value) for key, value in signatures.items()}, scores])


def compare(*args: Any, **options: Any) -> None:
    expected = run(*args, **options)
    with patch_sacrebleu():
        assert run(*args, **options) == expected
    assert run(*args, **options) == expected


@pytest.mark.slow
@pytest.mark.parametrize("n_refs", [1, 3])
@pytest.mark.parametrize("options", [{"test_type": "bs"}, {"n_ar_confidence": 40}, {}], ids=str)
@pytest.mark.parametrize("name", metrics())
def test_numbers_are_sacrebleus(name: str, options: dict[str, Any], n_refs: int) -> None:
    compare(name, REFS[:n_refs], n_samples=70, **options)


@pytest.mark.parametrize("test_type", ["ar", "bs"])
@pytest.mark.parametrize("seed", ["1", "007", "99999"])
def test_seeds(seed: str, test_type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    compare("BLEU", test_type=test_type, n_samples=60, n_ar_confidence=30)


@pytest.mark.parametrize("test_type", ["ar", "bs"])
def test_no_seed(test_type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "None")
    with patch_sacrebleu():
        first, second = (run("BLEU", test_type=test_type, n_ar_confidence=50) for _ in range(2))
    assert first[0] == second[0] and "seed:none" in str(first[0])
    assert first[1] != second[1]


@pytest.mark.slow
@pytest.mark.parametrize("test_type", ["ar", "bs"])
def test_several_metrics_share_the_draws(test_type: str) -> None:
    def together() -> Any:
        return plain(THEIRS.PairedTest(SYSTEMS, metrics(), REFS[:1], test_type, 50, 30)()[1])

    expected = together()
    with patch_sacrebleu():
        assert together() == expected


@pytest.mark.parametrize("name", metrics())
def test_intervals_are_sacrebleus(name: str) -> None:
    def interval() -> Any:
        return plain(metrics()[name].corpus_score(HYPS, REFS, n_bootstrap=80))

    expected = interval()
    with patch_sacrebleu():
        assert interval() == expected


def test_all_of_a_resample_is_there() -> None:
    """Scores, not numbers: with precisions and lengths."""
    bleu = peer.BLEU()
    stats = bleu._extract_corpus_statistics(HYPS, REFS)
    expected = THEIRS._bootstrap_resample(stats, bleu, 20)
    with patch_sacrebleu():
        assert plain(THEIRS._bootstrap_resample(stats, bleu, 20)) == plain(expected)


def test_trials_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    module = importlib.import_module("sacrebleu.metrics.bleu")
    log = module.my_log
    monkeypatch.setattr(module, "my_log", lambda number: calls.append(number) or log(number))
    with patch_sacrebleu():
        run("BLEU", n_samples=500)
    assert 0 < len(calls) < 100
    calls.clear()
    run("BLEU", n_samples=500)
    assert len(calls) > 1000


def test_sums_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resampled rows are not gathered by NumPy."""

    class Guarded:
        def __getattr__(self, name: str) -> Any:
            assert name != "random", "sacrebleu draws"
            return getattr(importlib.import_module("numpy"), name)

    bleu = peer.BLEU()
    with patch_sacrebleu():
        monkeypatch.setattr(THEIRS, "np", Guarded())
        run("BLEU", test_type="bs", n_samples=20)
        run("chrF", n_samples=20, n_ar_confidence=20)
        bleu.corpus_score(HYPS, REFS, n_bootstrap=20)


@pytest.mark.parametrize("cells", [[2**24 - 1, 2**24], [2**23, 2**23 + 1], [2**40, 2**40]])
def test_sums_that_float32_rounds(cells: list[int]) -> None:
    bleu = peer.BLEU(max_ngram_order=1)
    stats = [[cell + 1, cell, cell // 2, cell + 1] for cell in cells]
    expected = plain(THEIRS._bootstrap_resample(stats, bleu, 30))
    with patch_sacrebleu():
        assert plain(THEIRS._bootstrap_resample(stats, bleu, 30)) == expected


@pytest.mark.parametrize("stats", [[], [[1, 2], [3]], [[-1, 5, 1, 5]] * 3])
@pytest.mark.parametrize("n_samples", [0, 3])
def test_strange_statistics(stats: list[Any], n_samples: int) -> None:
    def outcome() -> Any:
        try:
            return plain(THEIRS._bootstrap_resample(stats, peer.TER(), n_samples))
        except (ValueError, IndexError, TypeError) as error:
            return type(error), str(error)

    expected = outcome()
    with patch_sacrebleu():
        assert outcome() == expected


def test_a_seed_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "abc")
    with patch_sacrebleu(), pytest.raises(ValueError, match="invalid literal for int"):
        peer.BLEU().corpus_score(HYPS, REFS, n_bootstrap=5)


@pytest.mark.parametrize("test_type", ["ar", "bs"])
def test_systems_of_different_lengths(test_type: str) -> None:
    def outcome() -> Any:
        systems = [("base", HYPS), ("short", HYPS[:20])]
        metric = peer.BLEU(references=[REFS[0]])
        try:
            test = THEIRS.PairedTest(systems, {"BLEU": metric}, None, test_type, 10)
            return plain(test()[1])
        except (ValueError, IndexError) as error:
            return type(error)

    with patch_sacrebleu():
        assert outcome() is ValueError  # difference 1


def test_undone() -> None:
    before = {name: getattr(THEIRS, name) for name in FUNCTIONS}
    undo = patch_sacrebleu()
    patched = {name: getattr(THEIRS, name) for name in FUNCTIONS}
    assert all(patched[name] is not before[name] for name in FUNCTIONS)
    made_before = THEIRS.PairedTest(SYSTEMS, {"BLEU": peer.BLEU()}, REFS, "bs", 40)
    undo()
    assert {name: getattr(THEIRS, name) for name in FUNCTIONS} == before
    expected = THEIRS.PairedTest(SYSTEMS, {"BLEU": peer.BLEU()}, REFS, "bs", 40)()[1]
    assert plain(made_before()[1]) == plain(expected)


@pytest.mark.skipif(os.name == "nt", reason="sacrebleu has no jobs on Windows")
@pytest.mark.parametrize("test_type", ["ar", "bs"])
def test_jobs(test_type: str) -> None:
    options = {"test_type": test_type, "n_samples": 40, "n_ar_confidence": 20}
    expected = run("BLEU", **options)
    with patch_sacrebleu():
        assert run("BLEU", n_jobs=2, **options) == expected
