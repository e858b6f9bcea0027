"""PairedTest of the stand-in: p-values of sacrebleu, with ==; intervals as near as its float32."""

import importlib
import logging
from typing import Any

import numpy as np
import pytest

from support.dropin import PACKAGES, corpus, make, ours, plain
from support.processes import interrupt, posix_only

OWN = importlib.import_module("rapidbleu.sacrebleu.significance")
THEIRS = importlib.import_module("sacrebleu.significance")
HYPS, REFS = corpus("ascii", n=60, n_refs=3)
SYSTEMS = [("base", HYPS), ("one", REFS[1]), ("two", REFS[2]), ("same", HYPS)]
METRICS: dict[str, tuple[str, dict[str, Any]]] = {
    "BLEU": ("BLEU", {"smooth_method": "floor"}),
    "chrF": ("CHRF", {"word_order": 2}),
    "TER": ("TER", {}),
}


def compare(metrics: Any, refs: Any, cached: bool = False, **options: Any) -> Any:
    """Check both packages' tests against each other; return ours."""
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
    return own


@pytest.mark.slow
@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("n_refs", [1, 2, 3])
def test_bootstrap(n_refs: int, cached: bool) -> None:
    compare(METRICS, REFS[:n_refs], cached, test_type="bs", n_samples=150)


@pytest.mark.slow
@pytest.mark.parametrize("n_ar_confidence", [-1, 40])
@pytest.mark.parametrize("n_refs", [1, 2, 3])
def test_randomization(n_refs: int, n_ar_confidence: int) -> None:
    compare(METRICS, REFS[:n_refs], n_samples=150, n_ar_confidence=n_ar_confidence)


@pytest.mark.parametrize("seed", ["1", "99999"])
@pytest.mark.parametrize("test_type", ["ar", "bs"])
def test_seeds(seed: str, test_type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    compare({"BLEU": ("BLEU", {})}, REFS[:1], test_type=test_type, n_samples=100)


def test_no_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "None")
    test = OWN.PairedTest(SYSTEMS, {"BLEU": ours.BLEU()}, REFS, "bs", 100)
    signatures, first = test()
    assert "seed:none" in str(signatures["BLEU"])
    assert plain(first) != plain(test()[1])


@pytest.mark.parametrize("test_type", ["ar", "bs"])
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


def test_protocol_is_resampled() -> None:
    """A subclass has no compiled form to be resampled, but the same numbers."""

    class Own(ours.BLEU):
        def _compute_score_from_stats(self, stats: Any) -> Any:
            return super()._compute_score_from_stats(stats)

    for test_type in ("ar", "bs"):
        fast, slow = (
            OWN.PairedTest(SYSTEMS, {"BLEU": metric}, REFS, test_type, 60, 20)()[1]["BLEU"]
            for metric in (ours.BLEU(), Own())
        )
        assert plain(fast) == plain(slow)


@pytest.mark.slow
def test_trials_are_aggregated() -> None:
    """A replaced aggregation is called for the scores of trials, as in sacrebleu."""

    def answer(package: Any, module: Any) -> Any:
        class Own(package.TER):  # type: ignore[misc, name-defined]
            def _aggregate_and_compute(self, stats: Any) -> Any:
                score = super()._aggregate_and_compute(stats)
                score.score = score.score // 2
                return score

        return plain(module.PairedTest(SYSTEMS, {"TER": Own()}, REFS, "ar", 60)()[1])

    assert answer(ours, OWN) == answer(PACKAGES["sacrebleu"], THEIRS)


@pytest.mark.slow
def test_log_messages(caplog: pytest.LogCaptureFixture) -> None:
    records = []
    for module, package in ((THEIRS, PACKAGES["sacrebleu"]), (OWN, ours)):
        caplog.clear()
        with caplog.at_level(logging.INFO):
            for test_type in ("ar", "bs"):
                metrics = {"BLEU": package.BLEU(), "chrF2": package.CHRF()}
                module.PairedTest(SYSTEMS, metrics, REFS, test_type, 20, 20)()
        records.append(caplog.record_tuples[:])
    assert records[0] == records[1] and len(records[1]) > 20


def test_defaults() -> None:
    for module, package in ((THEIRS, PACKAGES["sacrebleu"]), (OWN, ours)):
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
