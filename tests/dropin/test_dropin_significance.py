"""PairedTest and intervals: near sacrebleu's in the stand-in, equal under the patch."""

import importlib
import logging
import os
from contextlib import nullcontext
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import patch
from support.corpora import perturb
from support.dropin import PACKAGES, corpus, make, ours, peer, plain
from support.processes import interrupt, posix_only

OWN = importlib.import_module("rapidbleu.sacrebleu.significance")
THEIRS = importlib.import_module("sacrebleu.significance")
HYPS, REFS = corpus("ascii", n=50, n_refs=3)
NEAR = [perturb(Random(i), hyp) for i, hyp in enumerate(HYPS)]
SYSTEMS = [("base", HYPS), ("near", NEAR), ("other", REFS[1]), ("same", list(HYPS))]
FUNCTIONS = ("_bootstrap_resample", "_paired_ar_test", "_paired_bs_test")
METRICS: dict[str, tuple[str, dict[str, Any]]] = {
    "BLEU": ("BLEU", {"smooth_method": "floor"}),
    "chrF": ("CHRF", {"word_order": 2}),
    "TER": ("TER", {}),
}
BOTH_TESTS = pytest.mark.parametrize("test_type", ["ar", "bs"])


def compare(metrics: Any, refs: Any, cached: bool = False, **options: Any) -> None:
    """Check that p-values of both packages are equal and other results are close."""
    answers = []
    for package, module in zip(PACKAGES.values(), (THEIRS, OWN), strict=True):
        judges = {
            key: make(package, name, references=refs if cached else None, **own)
            for key, (name, own) in metrics.items()
        }
        answers.append(module.PairedTest(SYSTEMS, judges, None if cached else refs, **options)())
    (their_signatures, theirs), (own_signatures, own) = answers
    assert plain({k: str(s) for k, s in own_signatures.items()}) == {
        k: str(s) for k, s in their_signatures.items()
    }
    assert list(own) == list(theirs) and own["System"] == theirs["System"]
    for name in list(own)[1:]:
        for expected, got in zip(theirs[name], own[name], strict=True):
            assert (got.score, got.p_value) == (expected.score, expected.p_value)
            assert (got.mean is None) == (expected.mean is None)
            if got.mean is not None:
                assert got.mean == pytest.approx(float(expected.mean), rel=1e-6)
                assert got.ci == pytest.approx(float(expected.ci), rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [{"test_type": "bs"}, {"test_type": "bs", "cached": True}, {}, {"n_ar_confidence": 40}],
    ids=str,
)
@pytest.mark.parametrize("n_refs", [1, 2, 3])
def test_paired_tests(n_refs: int, options: dict[str, Any]) -> None:
    compare(METRICS, REFS[:n_refs], n_samples=150, **options)


@BOTH_TESTS
def test_jobs_are_threads(test_type: str) -> None:
    def run(n_jobs: int) -> Any:
        metrics = {key: make(ours, name, **own) for key, (name, own) in METRICS.items()}
        return plain(OWN.PairedTest(SYSTEMS, metrics, REFS, test_type, 100, n_jobs=n_jobs)()[1])

    assert run(1) == run(3) == run(0)


@pytest.mark.slow
@posix_only
def test_ctrl_c_ends_the_jobs() -> None:
    setup = """
from rapidbleu.sacrebleu.metrics import BLEU as Judge
from rapidbleu.sacrebleu.significance import PairedTest
hyps = ["the cat sat on the mat", "a dog", "it rained"] * 2000
systems = [(str(i), hyps[i:] + hyps[:i]) for i in range(4)]
test = PairedTest(systems, {"BLEU": Judge()}, [hyps], "ar", 4_000_000, n_jobs=3)
bleu = BLEU()
"""
    (line, *rest), waited = interrupt(setup, "test()", 0.6)
    assert line.startswith("interrupted"), line
    assert waited < 1.5
    assert rest == ["still scores"]


@BOTH_TESTS
def test_protocol_is_resampled(test_type: str) -> None:
    """A subclass has no compiled form for resampling, but the same numbers."""

    class Own(ours.BLEU):
        def _compute_score_from_stats(self, stats: Any) -> Any:
            return super()._compute_score_from_stats(stats)

    fast, slow = (
        OWN.PairedTest(SYSTEMS, {"BLEU": metric}, REFS, test_type, 60, 20)()[1]["BLEU"]
        for metric in (ours.BLEU(), Own())
    )
    assert plain(fast) == plain(slow)


@pytest.mark.slow
def test_trials_are_aggregated() -> None:
    """As in sacrebleu, a replaced aggregation is called for the scores of trials."""

    def answer(package: Any, module: Any) -> Any:
        class Own(package.TER):  # type: ignore[misc, name-defined]
            def _aggregate_and_compute(self, stats: Any) -> Any:
                score = super()._aggregate_and_compute(stats)
                score.score = score.score // 2
                return score

        return plain(module.PairedTest(SYSTEMS, {"TER": Own()}, REFS, "ar", 60)()[1])

    assert answer(ours, OWN) == answer(peer, THEIRS)


@pytest.mark.slow
def test_log_messages(caplog: pytest.LogCaptureFixture) -> None:
    records = []
    for module, package, patched in (
        (THEIRS, peer, nullcontext),
        (OWN, ours, nullcontext),
        (THEIRS, peer, patch),
    ):
        caplog.clear()
        with caplog.at_level(logging.INFO), patched():
            for test_type in ("ar", "bs"):
                metrics = {"BLEU": package.BLEU(), "chrF2": package.CHRF()}
                module.PairedTest(SYSTEMS, metrics, REFS, test_type, 20, 20)()
        records.append(caplog.record_tuples[:])
    assert records[0] == records[1] == records[2] and len(records[1]) > 20


def test_defaults() -> None:
    for module, package in ((THEIRS, peer), (OWN, ours)):
        test = module.PairedTest(SYSTEMS, {"BLEU": package.BLEU()}, REFS, n_ar_confidence=0)
        assert (test.n_samples, test.n_ar_confidence, test.n_systems) == (10000, 1000, 3)
        assert module.PairedTest(SYSTEMS, {}, REFS, "bs").n_samples == 1000
        assert dict(module.PairedTest._DEFAULT_SAMPLES) == {"ar": 10000, "bs": 1000}
        with pytest.raises(AssertionError, match=r"^Unknown test type 'x'$"):
            module.PairedTest(SYSTEMS, {}, REFS, "x")


def test_parts() -> None:
    values = np.random.default_rng(1).normal(size=137)
    assert OWN.estimate_ci(values) == THEIRS.estimate_ci(values)
    for real in (-9.0, 0.0, values[3], 9.0):
        assert OWN._compute_p_value(values, real) == THEIRS._compute_p_value(values, real)
    assert repr(OWN.Result(1.5, 0.5)) == repr(THEIRS.Result(1.5, 0.5))
    text, scores = OWN.bootstrap_resample([[1, 2.5], [3, 4.5]], ours.TER(), 20)
    assert text == "12345" and len(scores) == 20


class Halved(peer.BLEU):  # type: ignore[misc, name-defined]
    def _compute_score_from_stats(self, stats: Any) -> Any:
        score = super()._compute_score_from_stats(stats)
        score.score /= 2
        return score


class Doubled(peer.CHRF):  # type: ignore[misc, name-defined]
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


def run(*names: str, refs: Any = REFS, **options: Any) -> Any:
    judges = {name: metrics()[name] for name in names}
    signatures, scores = THEIRS.PairedTest(SYSTEMS, judges, refs, **options)()
    return plain([{key: str(value) for key, value in signatures.items()}, scores])


def unchanged(call: Any) -> None:
    """Check that a call returns the same under the patch, and after it."""

    def outcome() -> Any:
        try:
            return plain(call())
        except (ValueError, IndexError, TypeError) as error:
            return type(error), str(error)

    expected = outcome()
    with patch("sacrebleu"):
        assert outcome() == expected
    assert outcome() == expected


@pytest.mark.slow
@pytest.mark.parametrize("n_refs", [1, 3])
@pytest.mark.parametrize("options", [{"test_type": "bs"}, {"n_ar_confidence": 40}, {}], ids=str)
@pytest.mark.parametrize("name", metrics())
def test_numbers_are_sacrebleus(name: str, options: dict[str, Any], n_refs: int) -> None:
    unchanged(lambda: run(name, refs=REFS[:n_refs], n_samples=70, **options))


@pytest.mark.slow
@BOTH_TESTS
def test_several_metrics_share_the_draws(test_type: str) -> None:
    unchanged(
        lambda: run(
            *metrics(), refs=REFS[:1], test_type=test_type, n_samples=50, n_ar_confidence=30
        )
    )


@BOTH_TESTS
@pytest.mark.parametrize("seed", ["1", "007", "99999"])
def test_seeds(seed: str, test_type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    options: Any = {"test_type": test_type, "n_samples": 60}
    unchanged(lambda: run("BLEU", n_ar_confidence=30, **options))
    compare({"BLEU": ("BLEU", {})}, REFS[:1], **options)


@BOTH_TESTS
def test_no_seed(test_type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "None")
    with patch("sacrebleu"):
        first, second = (run("BLEU", test_type=test_type, n_ar_confidence=50) for _ in range(2))
    assert first[0] == second[0] and "seed:none" in str(first[0])
    assert first[1] != second[1]
    test = OWN.PairedTest(SYSTEMS, {"BLEU": ours.BLEU()}, REFS, test_type, 100, 50)
    signatures, scores = test()
    assert "seed:none" in str(signatures["BLEU"])
    assert plain(scores) != plain(test()[1])


@pytest.mark.parametrize("name", metrics())
def test_intervals_are_sacrebleus(name: str) -> None:
    unchanged(lambda: metrics()[name].corpus_score(HYPS, REFS, n_bootstrap=80))


@pytest.mark.parametrize(
    ("cells", "n_samples"),
    [
        *(
            ([[n + 1, n, n // 2, n + 1] for n in several], 30)
            for several in ([9, 4], [2**24 - 1, 2**24], [2**23, 2**23 + 1], [2**40, 2**40])
        ),
        *((stats, n) for stats in ([], [[1, 2], [3]], [[-1, 5, 1, 5]] * 3) for n in (0, 3)),
    ],
)
def test_statistics(cells: list[Any], n_samples: int) -> None:
    unchanged(lambda: THEIRS._bootstrap_resample(cells, peer.BLEU(max_ngram_order=1), n_samples))


def test_trials_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    module = importlib.import_module("sacrebleu.metrics.bleu")
    log = module.my_log
    monkeypatch.setattr(module, "my_log", lambda number: calls.append(number) or log(number))
    with patch("sacrebleu"):
        run("BLEU", n_samples=500)
    assert 0 < len(calls) < 100


def test_sums_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(_: object) -> None:
        raise AssertionError("sacrebleu draws")

    with patch("sacrebleu"):
        monkeypatch.setattr(np.random, "default_rng", draw)
        run("BLEU", test_type="bs", n_samples=20)
        run("chrF", n_samples=20, n_ar_confidence=20)
        peer.BLEU().corpus_score(HYPS, REFS, n_bootstrap=20)


def test_a_seed_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "abc")
    with patch("sacrebleu"), pytest.raises(ValueError, match="invalid literal for int"):
        peer.BLEU().corpus_score(HYPS, REFS, n_bootstrap=5)


@BOTH_TESTS
def test_systems_of_different_lengths(test_type: str) -> None:
    """The outcome equals that without the patch: one of sacrebleu's tests refuses them."""
    systems = [("base", HYPS), ("short", HYPS[:20])]

    def tested() -> Any:
        metric = peer.BLEU(references=[REFS[0]])
        try:
            return plain(THEIRS.PairedTest(systems, {"BLEU": metric}, None, test_type, 10)()[1])
        except ValueError as error:
            return str(error)

    expected = tested()
    with patch("sacrebleu"):
        assert tested() == expected


def test_undone() -> None:
    before = {name: getattr(THEIRS, name).__code__ for name in FUNCTIONS}
    undo = patch("sacrebleu")
    assert all(getattr(THEIRS, name).__code__ is not before[name] for name in FUNCTIONS)
    made_before = THEIRS.PairedTest(SYSTEMS, {"BLEU": peer.BLEU()}, REFS, "bs", 40)
    undo()
    assert all(getattr(THEIRS, name).__code__ is before[name] for name in FUNCTIONS)
    expected = THEIRS.PairedTest(SYSTEMS, {"BLEU": peer.BLEU()}, REFS, "bs", 40)()[1]
    assert plain(made_before()[1]) == plain(expected)


@pytest.mark.skipif(os.name == "nt", reason="sacrebleu has no jobs on Windows")
@BOTH_TESTS
def test_jobs(test_type: str) -> None:
    options = {"test_type": test_type, "n_samples": 40, "n_ar_confidence": 20}
    expected = run("BLEU", **options)
    with patch("sacrebleu"):
        assert run("BLEU", n_jobs=2, **options) == expected
