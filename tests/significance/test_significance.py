"""Intervals and paired tests: sacrebleu's resamples and p-values, slow oracles."""

import pickle
import re
import statistics
import sys
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, TER, SegmentScores, WeightedSum
from rapidbleu._lib.floats import exact_mean
from rapidbleu.score import Score
from rapidbleu.significance import (
    ResampledScore,
    bootstrap,
    paired_bootstrap,
    paired_randomization,
)
from reference import significance as oracle
from support.corpora import random_corpus
from support.paired_tests import repeats
from support.selection import few

N = 150
_RNG = Random("significance")
REFS = random_corpus(_RNG, N, kind="german", n_refs=2)[1]
SYSTEMS = {
    name: [" ".join(word for word in text.split(" ") if _RNG.random() > share) for text in REFS[0]]
    for name, share in (("A", 0.2), ("B", 0.22), ("C", 0.25), ("D", 0.4))
}
BLEU_2 = BLEU(max_ngram_order=2, smooth_method="add-k")
OPTIONS: list[dict[str, Any]] = [
    {},
    {"smooth_method": "floor", "smooth_value": 0.5},
    {"smooth_method": "none", "max_ngram_order": 2},
    {"tokenize": "char", "lowercase": True, "max_ngram_order": 6},
    {"smooth_method": "add-k", "smooth_value": 1, "effective_order": True},
]

# Errors of sacrebleu's float32 sums and precisions under NumPy 2.
FLOAT32_MEAN, FLOAT32_WIDTH = 1e-7, 1e-5


def mean_rows(seed: int, n: int = 40) -> Any:
    return SegmentScores().stats(np.random.default_rng(seed).normal(size=n).round(2))


def ter_rows() -> list[Any]:
    """Return rows of few segments, so that trials tie, with fractions by three references each."""
    rng = Random("ties")
    texts = [[" ".join(rng.choices("ab", k=rng.randint(1, 5))) for _ in range(5)] for _ in range(6)]
    return [TER().segment_stats(texts[i], texts[3:]) for i in range(3)]


def metric_rows() -> list[tuple[Any, list[Any]]]:
    bleu = [BLEU_2.segment_stats(SYSTEMS[name][:40], [REFS[0][:40]]) for name in "ABC"]
    means = [mean_rows(seed) for seed in range(3)]
    both = WeightedSum([BLEU_2, SegmentScores("COMET")], [1, -20])
    mixed = [np.hstack(pair) for pair in zip(bleu, means, strict=True)]
    return [(BLEU_2, bleu), (SegmentScores(), means), (both, mixed), (TER(), ter_rows())]


METRICS = metric_rows()
each_metric = pytest.mark.parametrize(("metric", "rows"), METRICS, ids=range(len(METRICS)))


def slow(seed: int) -> oracle.Pcg64:
    state: Any = np.random.PCG64(seed).state["state"]
    return oracle.Pcg64(state["state"], state["inc"])


def score_row(metric: Any) -> Any:
    return lambda row: metric.score(row).score


@each_metric
@pytest.mark.parametrize("seed", [0, 12345])
@pytest.mark.parametrize(("n", "level"), [(1, 0.95), (39, 0.95), (40, 0.95), (50, 0.9)])
def test_bootstrap_is_that_of_the_oracle(
    metric: Any, rows: list[Any], seed: int, n: int, level: float
) -> None:
    found = bootstrap(rows[0], None, metric, n_resamples=n, seed=seed, level=level)
    totals = oracle.resampled(rows[0].tolist(), n, slow(seed))
    expected = [metric.score(row).score for row in totals]
    assert found.samples is not None
    assert found.samples.tolist() == expected
    assert found.score == metric.score(rows[0]).score
    assert found.name == metric.score(rows[0]).name
    assert found.interval == oracle.interval(expected, level)
    assert found.half_width == 0.5 * (found.interval[1] - found.interval[0])
    assert found.mean == np.sort(expected).mean()
    error = pytest.approx(statistics.stdev(expected), rel=1e-12, abs=1e-12) if n > 1 else None
    assert found.standard_error == error
    assert found.level == level
    assert found.p_value is None


@pytest.mark.parametrize("n", [1, 40, 24_000])
@pytest.mark.parametrize("level", [0.1, 0.5, 0.95, 0.999])
@pytest.mark.parametrize("digits", [0, 9])
def test_intervals_of_samples(n: int, level: float, digits: int) -> None:
    samples = np.random.default_rng(3).normal(size=n).round(digits)
    found = ResampledScore("x", 0.0, samples, level).interval
    assert found == oracle.interval(samples.tolist(), level)


@each_metric
@pytest.mark.parametrize("seed", [0, 12345])
@pytest.mark.parametrize("ties", [False, True])
def test_randomization_is_that_of_the_oracle(
    metric: Any, rows: list[Any], seed: int, ties: bool
) -> None:
    systems = dict(zip("ABC", rows, strict=True))
    found = paired_randomization(systems, None, {"m": metric}, n_trials=60, seed=seed, ties=ties)
    for name in "BC":
        expected = oracle.randomization_p(
            score_row(metric), rows[0].tolist(), systems[name].tolist(), 60, slow(seed), ties
        )
        assert found["m"][name].p_value == found.p_value("m", "A", name) == expected


@each_metric
@pytest.mark.parametrize("ties", [False, True])
def test_paired_bootstrap_is_that_of_the_oracle(metric: Any, rows: list[Any], ties: bool) -> None:
    systems = dict(zip("ABC", rows, strict=True))
    found = paired_bootstrap(systems, None, {"m": metric}, n_resamples=50, ties=ties)
    samples = [
        [metric.score(row).score for row in oracle.resampled(own.tolist(), 50, slow(12345))]
        for own in rows
    ]
    scores = [metric.score(own).score for own in rows]
    for i, name in enumerate("ABC"):
        assert found["m"][name].samples.tolist() == samples[i]  # type: ignore[union-attr]
        assert found["m"][name].score == scores[i]
        if i:
            real = abs(scores[i] - scores[0])
            expected = oracle.bootstrap_p(samples[i], samples[0], real, ties)
            assert found["m"][name].p_value == expected


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_scores_of_resamples_are_those_of_sacrebleu_for_exact_sums(options: dict[str, Any]) -> None:
    """sacrebleu's own resamples and formula, with int64 sums instead of float32."""
    sacrebleu = pytest.importorskip("sacrebleu")
    theirs = sacrebleu.BLEU(**options)
    stats = np.array(theirs._extract_corpus_statistics(SYSTEMS["A"], REFS))
    indices = np.random.default_rng(12345).choice(N, size=(300, N), replace=True)
    expected = [theirs._compute_score_from_stats(stats[one].sum(0)) for one in indices]
    numbers = [one.score for one in expected]
    found = bootstrap(SYSTEMS["A"], REFS, BLEU(**options), n_resamples=300)
    assert found.samples is not None
    assert found.samples.tolist() == numbers
    own = BLEU(**options).corpus_score(SYSTEMS["A"], REFS, 300)
    peer = theirs.corpus_score(SYSTEMS["A"], REFS)
    peer.estimate_ci(expected)
    assert (own._mean, own._ci) == (peer._mean, peer._ci)
    assert (own.score, own.format(width=9)) == (peer.score, peer.format(width=9))
    significance = pytest.importorskip("sacrebleu.significance")
    assert (found.mean, found.half_width) == significance.estimate_ci(np.array(numbers))


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_intervals_are_those_of_sacrebleu(options: dict[str, Any]) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    ours, theirs = BLEU(**options), sacrebleu.BLEU(**options)
    own = ours.corpus_score(SYSTEMS["A"], REFS, n_bootstrap=1000)
    peer = theirs.corpus_score(SYSTEMS["A"], REFS, n_bootstrap=1000)
    assert own.score == peer.score
    assert own._mean == pytest.approx(peer._mean, rel=FLOAT32_MEAN)
    assert own._ci == pytest.approx(peer._ci, rel=FLOAT32_WIDTH)
    assert own.format() == peer.format()
    signature, expected = ours.get_signature(), theirs.get_signature()
    assert str(signature).split("|version")[0] == str(expected).split("|version")[0]
    assert signature.format(True).split("|v:")[0] == expected.format(True).split("|v:")[0]


@pytest.mark.parametrize("test", ["bs", "ar"])
@pytest.mark.parametrize("options", few(OPTIONS, OPTIONS[:2]), ids=range(len(OPTIONS)))
def test_p_values_are_those_of_sacrebleu(options: dict[str, Any], test: str) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    significance = pytest.importorskip("sacrebleu.significance")
    named = list(SYSTEMS.items())
    confidence = 101 if test == "ar" else -1
    signatures, expected = significance.PairedTest(
        named, {"BLEU": sacrebleu.BLEU(**options)}, REFS, test, 500, confidence
    )()
    found = (
        paired_bootstrap(SYSTEMS, REFS, BLEU(**options), n_resamples=500, ties=False)
        if test == "bs"
        else paired_randomization(
            SYSTEMS, REFS, BLEU(**options), n_trials=500, n_resamples=101, ties=False
        )
    )
    assert found.systems == expected["System"]
    assert found.baseline == "A"
    for name, peer in zip(found.systems, expected["BLEU"], strict=True):
        own = found["BLEU"][name]
        assert (own.score, own.p_value) == (peer.score, peer.p_value)
        assert own.mean == pytest.approx(peer.mean, rel=FLOAT32_MEAN)
        assert own.half_width == pytest.approx(peer.ci, rel=FLOAT32_WIDTH)
    version = "|version"
    own_text, text = str(found.signatures["BLEU"]), str(signatures["BLEU"])
    assert own_text.split(version)[0] == text.split(version)[0]


@pytest.mark.parametrize("baseline", [0, None])
@pytest.mark.parametrize("compare", [paired_bootstrap, paired_randomization])
def test_identical_systems_do_not_differ(compare: Any, baseline: Any) -> None:
    """Ties count unless sacrebleu's p-values are requested, which are then minimal."""
    systems = {"A": SYSTEMS["A"], "B": SYSTEMS["B"], "same": list(SYSTEMS["A"])}
    metrics = [BLEU_2, TER()]
    found = compare(systems, REFS, metrics, baseline=baseline, **repeats(compare, 99))
    without = compare(systems, REFS, metrics, baseline=baseline, ties=False, **repeats(compare, 99))
    for metric in ("BLEU", "TER"):
        assert found.p_value(metric, "A", "same") == 1
        assert without.p_value(metric, "A", "same") == 1 / 100
        assert found.p_value(metric, "A", "B") >= without.p_value(metric, "A", "B")


def test_ties_of_the_bootstrap() -> None:
    """All resamples of one segment are equal, so their differences equal their mean."""
    systems = {"A": SegmentScores().stats([0.5]), "B": SegmentScores().stats([0.25])}
    assert (
        paired_bootstrap(systems, None, SegmentScores(), n_resamples=9)["mean"]["B"].p_value == 0.1
    )
    systems["B"] = systems["A"]
    assert paired_bootstrap(systems, None, SegmentScores(), n_resamples=9)["mean"]["B"].p_value == 1


@pytest.mark.parametrize("n", [1, 2, 3])
def test_tiny_corpora_shuffle_like_sacrebleu(n: int) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    significance = pytest.importorskip("sacrebleu.significance")
    systems = {name: hyps[5 : 5 + n] for name, hyps in SYSTEMS.items()}
    systems["same"] = systems["A"]
    refs = [stream[5 : 5 + n] for stream in REFS]
    _, expected = significance.PairedTest(
        list(systems.items()), {"BLEU": sacrebleu.BLEU()}, refs, "ar", 200
    )()
    found = paired_randomization(systems, refs, BLEU(), n_trials=200, ties=False)
    assert [one.p_value for one in found["BLEU"].values()] == [
        one.p_value for one in expected["BLEU"]
    ]
    assert found["BLEU"]["same"].p_value == 1 / 201
    assert paired_randomization(systems, refs, BLEU(), n_trials=200)["BLEU"]["same"].p_value == 1


@pytest.mark.parametrize("compare", [paired_bootstrap, paired_randomization])
def test_all_pairs_are_those_of_each_baseline(compare: Any) -> None:
    found = compare(SYSTEMS, REFS, BLEU_2, n_resamples=200, baseline=None)
    assert found.baseline is None
    assert all(one.p_value is None for one in found["BLEU"].values())
    for baseline in (*SYSTEMS, 3):
        own = compare(SYSTEMS, REFS, BLEU_2, n_resamples=200, baseline=baseline)
        first = own.baseline
        for other in SYSTEMS:
            if other != first:
                assert own["BLEU"][other].p_value == found.p_value("BLEU", first, other)
                assert found.p_value("BLEU", other, first) == found.p_value("BLEU", first, other)
    assert np.isnan(np.diag(found.p_values["BLEU"])).all()
    with pytest.raises(ValueError, match="'B' and 'C' were not compared"):
        compare(SYSTEMS, REFS, BLEU_2, n_resamples=2).p_value("BLEU", "B", "C")
    with pytest.raises(KeyError):
        found.p_value("BLEU", "A", "nobody")


@pytest.mark.parametrize("compare", [paired_bootstrap, paired_randomization])
def test_several_metrics_are_those_of_each_alone(compare: Any) -> None:
    comet = SegmentScores("COMET")
    metrics = {"BLEU": BLEU(), "BLEU char": BLEU(tokenize="char"), "COMET": comet}
    means = {name: comet.stats(np.linspace(-1, len(name), N)) for name in SYSTEMS}
    systems = {
        name: {"BLEU": hyps, "BLEU char": hyps, "COMET": means[name]}
        for name, hyps in SYSTEMS.items()
    }
    found = compare(systems, REFS, metrics, n_resamples=100)
    assert found.metrics == list(metrics)
    for name, metric in metrics.items():
        source: Any = means if name == "COMET" else SYSTEMS
        alone = compare(source, None if name == "COMET" else REFS, metric, n_resamples=100)
        [own] = alone.metrics
        assert (np.nan_to_num(found.p_values[name]) == np.nan_to_num(alone.p_values[own])).all()
        for system in SYSTEMS:
            one, other = found[name][system], alone[own][system]
            assert (one.score, one.p_value, one.interval) == (
                other.score,
                other.p_value,
                other.interval,
            )
    assert list(found.signatures) == ["BLEU", "BLEU char"]


def test_rows_and_references_in_all_forms_are_the_same() -> None:
    bleu = BLEU()
    expected = bootstrap(SYSTEMS["A"], REFS, bleu, n_resamples=50)
    rows = bleu.segment_stats(SYSTEMS["A"], REFS)
    segments = list(zip(*REFS, strict=True))
    for own in (
        bootstrap(rows, None, bleu, n_resamples=50),
        bootstrap(rows.astype(np.uint16), None, bleu, n_resamples=50),
        bootstrap(SYSTEMS["A"], bleu.prepare(REFS), bleu, n_resamples=50),
        bootstrap(SYSTEMS["A"], segments, bleu, layout="segment", n_resamples=50),
        bootstrap(SYSTEMS["A"], None, BLEU(references=REFS), n_resamples=50),
        paired_bootstrap(SYSTEMS, bleu.prepare(REFS), bleu, n_resamples=50)["BLEU"]["A"],
        paired_bootstrap(list(SYSTEMS.items()), segments, [bleu], n_resamples=50, layout="segment")[
            "BLEU"
        ]["A"],
    ):
        assert (own.samples == expected.samples).all()  # type: ignore[union-attr]


def test_seeds() -> None:
    rows = BLEU_2.segment_stats(SYSTEMS["A"], REFS)
    samples = {
        seed: [
            tuple(bootstrap(rows, None, BLEU_2, n_resamples=20, seed=seed).samples)
            for _ in range(2)
        ]  # type: ignore[arg-type]
        for seed in (0, 1, 12345, 2**70, None)
    }
    assert all((one == two) == (seed is not None) for seed, (one, two) in samples.items())
    assert len({one for one, _ in samples.values()}) == 5
    systems = {"A": rows, "B": rows[::-1]}
    found = [
        paired_randomization(systems, None, BLEU_2, n_trials=50, n_resamples=10, seed=0)
        for _ in range(2)
    ]
    assert repr(found[0]) == repr(found[1])


@pytest.mark.parametrize("threads", [0, 2, 3, 50])
def test_number_of_threads_changes_nothing(threads: int) -> None:
    options: dict[str, Any] = {"baseline": None}
    metrics = {"2": BLEU_2, "4": BLEU()}
    for compare, more in (
        (paired_bootstrap, {"n_resamples": 1111}),
        (paired_randomization, {"n_trials": 1111, "n_resamples": 333}),
    ):
        one = compare(SYSTEMS, REFS, metrics, **options, **more)
        many = compare(SYSTEMS, REFS, metrics, threads=threads, **options, **more)
        for name in metrics:
            assert np.array_equal(many.p_values[name], one.p_values[name], equal_nan=True)
            for system in SYSTEMS:
                assert (many[name][system].samples == one[name][system].samples).all()
    single = bootstrap(SYSTEMS["A"], REFS, BLEU_2, n_resamples=1111)
    assert (
        bootstrap(SYSTEMS["A"], REFS, BLEU_2, n_resamples=1111, threads=threads).samples
        == single.samples
    ).all()
    scores = [BLEU_2.corpus_score(SYSTEMS["A"], REFS, 99, threads=t) for t in (1, threads)]
    assert scores[0].format(9) == scores[1].format(9)


def test_a_score_has_the_interval_of_its_own_call() -> None:
    bleu = BLEU()
    assert str(bleu.corpus_score(SYSTEMS["A"], REFS)).count("μ") == 0
    assert "bs" not in str(bleu.get_signature())
    text = str(bleu.corpus_score(SYSTEMS["A"], REFS, n_bootstrap=10, seed=0))
    assert text.count("μ") == 1
    assert "nrefs:2|bs:10|seed:0|case" in str(bleu.get_signature())
    assert pickle.loads(pickle.dumps(bleu)).n_bootstrap == 10
    bleu.corpus_score(SYSTEMS["A"], REFS, n_bootstrap=2, seed=None)
    assert "|bs:2|seed:none|" in str(bleu.get_signature())
    bleu.corpus_score(SYSTEMS["A"], REFS)
    assert "bs" not in str(bleu.get_signature())


@pytest.mark.parametrize("n", [1, 39, 40, 1000])
def test_mean_is_rounded_once(n: int) -> None:
    rng = Random(n)
    for scale in (1e-300, 1e-9, 1.0, 1e300):
        numbers = [rng.uniform(-1, 2) * scale * 10 ** rng.uniform(-3, 3) for _ in range(n)]
        assert exact_mean(numbers) == statistics.mean(numbers)
    score = Score("BLEU", 1.0)
    score._take_samples([Score("BLEU", number) for number in numbers])
    assert score._mean == statistics.mean(numbers)
    assert exact_mean([0.0] * n) == 0


@pytest.mark.parametrize("numbers", [[], [float("nan")], [1.0, float("inf")]])
def test_no_interval_of_nothing(numbers: list[float]) -> None:
    with pytest.raises(ValueError, match="scores: expected"):
        Score("BLEU", 1.0)._take_samples(numbers)


def test_results_fit_a_screen() -> None:
    rows = {f"a system with a long name, number {i}": mean_rows(i) for i in range(40)}
    metrics = {"the mean of something": SegmentScores(), "the same": SegmentScores()}
    for compare in (paired_bootstrap, paired_randomization):
        for baseline in (0, None):
            text = repr(compare(rows, None, metrics, n_resamples=5, baseline=baseline))
            assert max(map(len, text.splitlines())) <= 100
            assert len(text.splitlines()) < 60
            assert "... 16 more" in text
    assert repr(ResampledScore("BLEU", 1.5)) == "BLEU = 1.50"
    assert float(ResampledScore("BLEU", 1.0)) == 1.0


@pytest.mark.parametrize("n_systems", [2, 3, 6, 7])
@pytest.mark.parametrize("call", [paired_bootstrap, paired_randomization])
def test_headings_are_numbers_if_names_do_not_fit(call: Any, n_systems: int) -> None:
    names = [f"online-{letter} with a long name" for letter in "ABFGWYZ"[:n_systems]]
    rows = {name: mean_rows(i) for i, name in enumerate(names)}
    _, head, *lines = repr(call(rows, None, SegmentScores(), baseline=None)).splitlines()
    width = 80 if n_systems <= 6 else 100
    assert max(map(len, [head, *lines])) <= width
    n_shown = n_systems if n_systems <= 6 else 4
    heads = [word for line in [head, *lines] for word in re.findall(r"p (\S+)", line)]
    assert heads == [str(i + 1) for i in range(n_shown)]
    for i, name in enumerate(names, 1):
        assert any(line.startswith(f"{i} {name[:23]}") for line in lines)
    short = {f"Sys{i}": own for i, own in enumerate(rows.values())}
    text = repr(call(short, None, SegmentScores(), baseline=None))
    assert "p Sys0" in text and "\nSys1 " in text


@pytest.mark.parametrize("call", [paired_bootstrap, paired_randomization])
@pytest.mark.parametrize("baseline", ["far", None])
def test_least_p_values_are_bounds(call: Any, baseline: str | None) -> None:
    mean = SegmentScores()
    rows = {"far": mean.stats([5.0] * 50), "near": mean.stats([5.0, 4.9] * 25)}
    rows["off"] = mean.stats([0.0, 0.1] * 25)
    n = {"n_resamples": 2000} if call is paired_bootstrap else {"n_trials": 2000}
    found = call(rows, None, mean, baseline=baseline, **n)
    assert found.p_value("mean", "far", "off") == 1 / 2001
    data = found.to_dict()
    is_least = data["p_is_least"]["mean"]
    assert is_least[0] == [None, True, True]
    assert is_least[1] == [True, None, True if baseline is None else None]
    assert "≤0.0005" in repr(found) and "≤0.0005" in found._repr_html_()
    assert "0.0004" not in repr(found) and "≤" not in found.table().format("csv", 4)
    assert found.table().format().count("≤0.0005") == (3 if baseline is None else 2)
    own = found["mean"]["off"]
    if baseline is None:
        assert own.p_value is None and own.to_dict()["p_is_least"] is None
    else:
        assert own.p_is_least and repr(own).endswith("p ≤0.0005")
        assert found["mean"].table().format().count("≤0.0005") == 2
        assert own.to_dict()["p_is_least"] is True
    same = call({"a": rows["far"], "b": rows["far"]}, None, mean, **n)
    assert same["mean"]["b"].p_value == 1.0 and not same["mean"]["b"].p_is_least
    assert "≤" not in repr(same) + repr(same["mean"]["b"])


BAD: list[tuple[str, Any, type[Exception], str]] = [
    ("n", 0, ValueError, "expected at least 1; got 0"),
    ("n", 10**30, ValueError, f"expected at most {sys.maxsize // 8}; got 1000000000000"),
    ("n", 2.5, TypeError, "expected int; got float"),
    ("n", True, TypeError, "expected int; got bool"),
    ("seed", -1, ValueError, "seed: expected at least 0; got -1"),
    ("seed", "12345", TypeError, "seed: expected int; got str"),
    ("level", 1, ValueError, "level: expected a number between 0 and 1; got 1"),
    ("level", float("nan"), ValueError, "level: expected a number between 0 and 1; got nan"),
    ("level", "0.95", TypeError, "level: expected a number; got str"),
    ("threads", -1, ValueError, "threads: expected 0 for all cores"),
    ("layout", "row", ValueError, "layout: expected"),
]


@pytest.mark.parametrize(("option", "value", "kind", "message"), BAD)
def test_wrong_options_are_refused(
    option: str, value: Any, kind: type[Exception], message: str
) -> None:
    for call in (bootstrap, paired_bootstrap, paired_randomization):
        name = option
        if option == "n":
            name = "n_trials" if call is paired_randomization else "n_resamples"
        hypotheses = SYSTEMS["A"] if call is bootstrap else SYSTEMS
        with pytest.raises(kind, match=message) as raised:
            call(hypotheses, REFS, BLEU_2, **{name: value})  # type: ignore[operator]
        assert str(raised.value).startswith(name)


ROWS = mean_rows(1)


@pytest.mark.parametrize(
    ("systems", "references", "metrics", "options", "kind", "message"),
    [
        ("AB", None, SegmentScores(), {}, TypeError, "systems: expected a sequence of names"),
        (5, None, SegmentScores(), {}, TypeError, "systems: .* got int"),
        ([ROWS, ROWS], None, SegmentScores(), {}, TypeError, r"systems\[0\]: expected a name and"),
        (
            {"A": ROWS},
            None,
            SegmentScores(),
            {},
            ValueError,
            "systems: expected at least two; got 1",
        ),
        (
            [("A", ROWS), ("A", ROWS)],
            None,
            SegmentScores(),
            {},
            ValueError,
            r"systems\[1\]: expected a name of its own; got 'A' again",
        ),
        (
            {"A": ROWS, "B": ROWS[1:]},
            None,
            SegmentScores(),
            {},
            ValueError,
            r"systems\['B'\]: expected 40 segments, as many as 'A' has; got 39 for metric 'mean'",
        ),
        (
            {"A": ROWS, "B": ROWS[:, :2]},
            None,
            SegmentScores(),
            {},
            ValueError,
            r"systems\['B'\]: stats: expected shape \(5,\) or \(n, 5\); got \(40, 2\)",
        ),
        (
            {"A": ROWS, "B": -ROWS},
            None,
            SegmentScores(),
            {},
            ValueError,
            r"systems\['B'\]: stats\[0\]\[\d\]: expected a count; got -",
        ),
        (
            {"A": ROWS, "B": ROWS / 2},
            None,
            SegmentScores(),
            {},
            TypeError,
            r"systems\['B'\]: stats: expected integers; got float64",
        ),
        (
            {"A": ROWS, "B": ROWS[:0]},
            None,
            SegmentScores(),
            {},
            ValueError,
            r"systems\['B'\]: rows: expected at least one segment; got none",
        ),
        (
            {"A": ROWS, "B": ["x"]},
            None,
            SegmentScores(),
            {},
            TypeError,
            r"systems\['B'\]: hypotheses: SegmentScores reads no text",
        ),
        ({"A": ["x"], "B": ["y", "z"]}, [["x"]], BLEU(), {}, ValueError, r"systems\['B'\]: "),
        (
            {"A": ["x"], "B": [None]},
            [["x"]],
            BLEU(),
            {},
            TypeError,
            r"systems\['B'\]: hypotheses\[0\]: expected",
        ),
        (
            {"A": ["x"], "B": ["x"]},
            None,
            BLEU(),
            {},
            ValueError,
            r"systems\['A'\]: references: expected references; got None",
        ),
        (
            {"A": {"m": ROWS}, "B": {}},
            None,
            {"m": SegmentScores()},
            {},
            ValueError,
            r"systems\['B'\]: expected hypotheses or rows for metric 'm'; got none",
        ),
        ({"A": ROWS, "B": ROWS}, None, "BLEU", {}, TypeError, "metrics: expected a sequence"),
        (
            {"A": ROWS, "B": ROWS},
            None,
            ["BLEU"],
            {},
            TypeError,
            r"metrics\[0\]: expected a metric; got str",
        ),
        (
            {"A": ROWS, "B": ROWS},
            None,
            {"m": None},
            {},
            TypeError,
            r"metrics\['m'\]: expected a metric; got NoneType",
        ),
        (
            {"A": ROWS, "B": ROWS},
            None,
            {1: SegmentScores()},
            {},
            TypeError,
            "metrics: expected names; got int",
        ),
        ({"A": ROWS, "B": ROWS}, None, [], {}, ValueError, "metrics: expected at least one"),
        (
            {"A": ROWS, "B": ROWS},
            None,
            [SegmentScores(), SegmentScores()],
            {},
            ValueError,
            r"metrics\[1\]: expected a name of its own; got 'mean' again",
        ),
        (
            {"A": ROWS, "B": ROWS},
            None,
            SegmentScores(),
            {"baseline": 2},
            ValueError,
            "baseline: expected 0 to 1; got 2",
        ),
        (
            {"A": ROWS, "B": ROWS},
            None,
            SegmentScores(),
            {"baseline": "C"},
            ValueError,
            "baseline: expected one of A, B; got 'C'",
        ),
        (
            {"A": ROWS, "B": ROWS},
            None,
            SegmentScores(),
            {"baseline": 0.0},
            TypeError,
            "baseline: expected int; got float",
        ),
    ],
)
def test_wrong_systems_are_refused(
    systems: Any, references: Any, metrics: Any, options: Any, kind: type[Exception], message: str
) -> None:
    for compare in (paired_bootstrap, paired_randomization):
        with pytest.raises(kind, match=message):
            compare(systems, references, metrics, n_resamples=3, **options)


def test_errors_of_tokenizers_name_the_system() -> None:
    def tokenize(text: str) -> list[str]:
        return text.encode("ascii").decode().split()

    with pytest.raises(ValueError, match=r"systems\['B'\]: .*can't encode"):
        paired_bootstrap({"A": ["a"], "B": ["ä"]}, [["a"]], BLEU(tokenize=tokenize), n_resamples=2)


def test_other_wrong_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="metric: expected a metric; got str"):
        bootstrap(["x"], [["x"]], "BLEU")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="n_resamples: expected at least 0; got -1"):
        paired_randomization(SYSTEMS, REFS, BLEU_2, n_resamples=-1)
    with pytest.raises(ValueError, match="n_bootstrap: expected at least 1; got 0"):
        BLEU().corpus_score(["x"], [["x"]], n_bootstrap=0)
    with pytest.raises(ValueError, match="n_bootstrap: expected at most"):
        BLEU().corpus_score(["x"], [["x"]], n_bootstrap=2**63)
    with pytest.raises(TypeError, match="n_bootstrap: expected int; got str"):
        BLEU().corpus_score(["x"], [["x"]], n_bootstrap="1000")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="seed: expected at least 0; got -5"):
        BLEU().corpus_score(["x"], [["x"]], n_bootstrap=9, seed=-5)
    huge = np.full((9, 5), 2**60)
    with pytest.raises(ValueError, match=r"rows: expected counts whose sums are below 2\*\*63"):
        bootstrap(huge, None, SegmentScores())
