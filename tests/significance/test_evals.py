"""Standard errors, power and McNemar's test: inspect_ai, statsmodels, oracles, simulations."""

import math
from fractions import Fraction
from random import Random
from statistics import NormalDist, mean, stdev
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, SegmentScores
from rapidbleu.significance import estimate_power, estimate_standard_error, paired_randomization
from reference import significance as oracle
from support.corpora import random_corpus

RIGHT = [1, 1, 1, 0, 0, 1, 1, 0]
OTHER = [1, 0, 1, 0, 0, 1, 0, 0]
DIFFERENCES = [a - b for a, b in zip(RIGHT, OTHER, strict=True)]
SCORES = [
    0.844,
    0.758,
    0.421,
    0.259,
    0.511,
    0.405,
    0.784,
    0.303,
    0.477,
    0.583,
    0.908,
    0.505,
    0.282,
    0.756,
    0.618,
    0.251,
    0.91,
    0.983,
    0.81,
    0.902,
    0.31,
    0.73,
    0.899,
    0.684,
]
PAIRS = [0, 0, 1, 1, 2, 2, 3, 3]
# Results of `stderr()` and `stderr(cluster=...)` in inspect_ai 0.3.285.
KNOWN: list[tuple[list[float], Any, float]] = [
    (RIGHT, None, 0.18298126367784995),
    (DIFFERENCES, None, 0.16366341767699427),
    (RIGHT, PAIRS, 0.125),
    (RIGHT, ["x", "y", "x", "y", "y", "x", "z", "z"], 0.22152260748059102),
    (DIFFERENCES, PAIRS, 0.14433756729740643),
    (SCORES, None, 0.049143902092962724),
    (SCORES, [i // 4 for i in range(24)], 0.06260252979002615),
    (SCORES, [i % 5 for i in range(24)], 0.035062499527202855),
    (SCORES, range(24), 0.04914390209296272),
    ([3.5, 3.5], None, 0.0),
    ([0.5] * 6, [0, 0, 1, 1, 2, 2], 0.0),
    ([1e6, 1e6 + 1, 1e6 - 1, 1e6 + 2], [0, 1, 0, 1], 1.0),
]


@pytest.mark.parametrize(("scores", "clusters", "expected"), KNOWN)
def test_standard_errors_are_those_of_inspect(
    scores: list[float], clusters: Any, expected: float
) -> None:
    found = estimate_standard_error(scores, clusters)
    assert type(found) is float
    assert found == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("seed", range(20))
def test_standard_errors_are_those_of_inspect_itself(seed: int) -> None:
    scorer = pytest.importorskip("inspect_ai.scorer")
    rng = Random(seed)
    n, k = rng.randint(2, 300), rng.randint(2, 40)
    scores = [rng.choice([rng.random(), 0.0, 1.0]) for _ in range(n)]
    clusters = [0, 1, *(rng.randrange(k) for _ in range(n - 2))]
    samples = [
        scorer.SampleScore(score=scorer.Score(value=score), sample_metadata={"document": cluster})
        for score, cluster in zip(scores, clusters, strict=True)
    ]
    plain, clustered = scorer.stderr()(samples), scorer.stderr(cluster="document")(samples)
    assert estimate_standard_error(scores) == pytest.approx(plain, rel=1e-12, abs=1e-16)
    assert estimate_standard_error(scores, clusters) == pytest.approx(
        clustered, rel=1e-12, abs=1e-16
    )


@pytest.mark.parametrize("seed", range(10))
def test_standard_errors_are_those_of_the_formula(seed: int) -> None:
    """Against the paper's exact sum over all pairs within clusters."""
    rng = Random(seed)
    scores = [Fraction(rng.randint(-999, 999), 64) for _ in range(40)]
    clusters = [0, 1, *(rng.randrange(9) for _ in range(38))]
    middle = sum(scores) / 40
    pairs = sum(
        (scores[i] - middle) * (scores[j] - middle)
        for i in range(40)
        for j in range(40)
        if clusters[i] == clusters[j]
    )
    k = len({*clusters})
    expected = math.sqrt(pairs * k / (k - 1)) / 40
    numbers = [float(score) for score in scores]
    assert estimate_standard_error(numbers, clusters) == pytest.approx(expected, rel=1e-12)
    assert estimate_standard_error(numbers) == pytest.approx(stdev(numbers) / 40**0.5, rel=1e-12)


def test_forms_of_scores() -> None:
    expected = estimate_standard_error(RIGHT)
    for own in (tuple(RIGHT), [r == 1 for r in RIGHT], np.array(RIGHT, bool), np.uint8(RIGHT)):
        assert estimate_standard_error(own) == expected
    assert estimate_standard_error(np.float32(RIGHT)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("scores", "kind", "message"),
    [
        ([1.0], ValueError, r"scores: expected shape \(n,\), n at least 2; got \(1,\)"),
        ([], ValueError, r"scores: expected shape \(n,\), n at least 2; got \(0,\)"),
        (5.0, ValueError, r"scores: expected shape \(n,\), n at least 2; got \(\)"),
        ([[1.0, 2.0]], ValueError, r"scores: expected shape .* got \(1, 2\)"),
        ([1.0, math.nan], ValueError, r"scores\[1\]: expected a number; got nan"),
        ([math.inf, 1.0], ValueError, r"scores\[0\]: expected a number; got inf"),
        (["C", "I"], TypeError, "scores: expected numbers; got <U1"),
        ([None, 1.0], TypeError, "scores: expected numbers; got object"),
    ],
)
def test_wrong_scores_are_refused(scores: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=f"^{message}"):
        estimate_standard_error(scores)


def slow_mcnemar(better: int, worse: int) -> Fraction:
    n = better + worse
    tail = sum(math.comb(n, k) for k in range(min(better, worse) + 1))
    return min(Fraction(1), Fraction(2 * tail, 2**n))


def outcomes(better: int, worse: int) -> tuple[list[int], list[int]]:
    pairs = [(1, 0)] * better + [(0, 1)] * worse + [(1, 1), (0, 0), (1, 1)]
    Random(better).shuffle(pairs)
    return [a for a, _ in pairs], [b for _, b in pairs]


# Results of `mcnemar(exact=True)` in statsmodels 0.15.0.
@pytest.mark.parametrize(
    ("better", "worse", "expected"),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (5, 3, 0.7265625),
        (6, 1, 0.125),
        (25, 12, 0.04703102743951604),
        (59, 31, 0.0041651140158244435),
        (300, 240, 0.011050481081929898),
    ],
)
def test_mcnemar_is_that_of_statsmodels(better: int, worse: int, expected: float) -> None:
    found = SegmentScores.mcnemar_test(*outcomes(better, worse))
    assert type(found) is float
    assert found == pytest.approx(expected, rel=1e-12)
    assert found == SegmentScores.mcnemar_test(*outcomes(worse, better))
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    peer = tables.mcnemar([[2, better], [worse, 1]], exact=True)
    assert found == pytest.approx(peer.pvalue, rel=1e-12)


@pytest.mark.parametrize("n", [*range(41), 200, 1001, 3000])
def test_mcnemar_is_exact(n: int) -> None:
    for better in range(0, n + 1, max(1, n // 20)):
        found = SegmentScores.mcnemar_test(*outcomes(better, n - better))
        assert found == float(slow_mcnemar(better, n - better))


def test_mcnemar_is_what_randomization_estimates() -> None:
    a, b = outcomes(30, 14)
    own = SegmentScores("right")
    systems = {"a": own.stats(a), "b": own.stats(b)}
    found = paired_randomization(systems, None, own, n_trials=100_000).p_value("right", "a", "b")
    assert found == pytest.approx(SegmentScores.mcnemar_test(a, b), abs=0.0015)


@pytest.mark.parametrize(
    ("a", "b", "kind", "message"),
    [
        ([1, 0], [1, 2], ValueError, r"b\[1\]: expected 0 or 1; got 2"),
        ([0.5, 0], [1, 1], ValueError, r"a\[0\]: expected 0 or 1; got 0.5"),
        ([math.nan, 0], [1, 1], ValueError, r"a\[0\]: expected 0 or 1; got nan"),
        ([1, 0], [1], ValueError, r"b: expected shape \(2,\); got \(1,\)"),
        (1, 0, ValueError, r"a: expected shape \(1,\); got \(\)"),
        ([[1, 0]], [[1, 0]], ValueError, r"a: expected shape \(2,\); got \(1, 2\)"),
        (["1"], ["0"], TypeError, "a: expected 0 and 1; got <U1"),
    ],
)
def test_wrong_outcomes_are_refused(a: Any, b: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=f"^{message}"):
        SegmentScores.mcnemar_test(a, b)


_, REFS = random_corpus(Random("power"), 80, kind="german", n_refs=1)
_RNG = Random("power")
TEXTS = {
    name: [" ".join(word for word in text.split(" ") if _RNG.random() > share) for text in REFS[0]]
    for name, share in (("A", 0.25), ("B", 0.2))
}
BLEU_2 = BLEU(max_ngram_order=2)
COMET = SegmentScores("COMET")


def slow_power(metric: Any, rows: list[Any], n: int, alpha: float, n_resamples: int) -> list[float]:
    """Return power, mean difference and standard error for a number of segments."""
    samples = []
    for own in rows:
        state: Any = np.random.PCG64(12345).state["state"]
        random = oracle.Pcg64(state["state"], state["inc"])
        listed = own.tolist()
        drawn = [[listed[random.index(len(own))] for _ in range(n)] for _ in range(n_resamples)]
        samples.append([metric.score(oracle.total(each)).score for each in drawn])
    differences = [b - a for a, b in zip(*samples, strict=True)]
    middle = mean(differences)
    distances = sorted(abs(d - middle) for d in differences)
    limit = distances[math.ceil((1 - alpha) * (n_resamples - 1))]
    power = sum(abs(d) > limit for d in differences) / n_resamples
    return [power, middle, stdev(differences)]


@pytest.mark.parametrize("n", [1, 7, 79, 80, 81, 333])
@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_power_is_that_of_the_oracle(n: int, alpha: float) -> None:
    rows = [BLEU_2.segment_stats(TEXTS[name], REFS) for name in "AB"]
    found = estimate_power(TEXTS, REFS, BLEU_2, n_segments=n, alpha=alpha, n_resamples=50)
    expected = slow_power(BLEU_2, rows, n, alpha, 50)
    assert found.n_segments == n
    assert [*found[1:]] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_sizes_of_resamples_beyond_a_block() -> None:
    rows = {name: COMET.stats(np.arange(50) % size) for name, size in (("A", 5), ("B", 7))}
    options: dict[str, Any] = {"n_segments": 40_000, "n_resamples": 150}
    found = estimate_power(rows, None, COMET, **options)
    assert found == estimate_power(rows, None, COMET, threads=3, **options)
    expected = np.random.default_rng(12345).choice(50, size=(150, 40_000))
    means = (expected % 7).mean(axis=1) - (expected % 5).mean(axis=1)
    assert found.difference == pytest.approx(means.mean(), rel=1e-12)
    assert found.standard_error == pytest.approx(means.std(ddof=1), rel=1e-9)


def pilot(difference: float, n: int = 400) -> Any:
    """Return rows of two systems whose differences have that mean and standard deviation 1."""
    rng = np.random.default_rng(5)
    noise = rng.normal(size=n)
    noise = (noise - noise.mean()) / noise.std()
    base = rng.normal(size=n)
    return {"A": COMET.stats(base), "B": COMET.stats(base + noise + difference)}


@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("difference", [0.5, -0.1, 0.03])
def test_the_number_of_segments_is_that_of_the_formula(power: float, difference: float) -> None:
    normal = NormalDist()
    z = normal.inv_cdf(0.975) + normal.inv_cdf(power)
    found = estimate_power(pilot(difference), None, COMET, power=power, n_resamples=4000)
    assert found.n_segments == pytest.approx((z / difference) ** 2, rel=0.1, abs=1)
    assert found.power == pytest.approx(power, abs=0.05)
    assert found.difference == pytest.approx(difference, rel=0.05)
    again = estimate_power(
        pilot(difference), None, COMET, n_segments=found.n_segments, n_resamples=4000
    )
    assert again == found


def test_power_is_how_often_a_test_finds_the_difference() -> None:
    rows, rng, n = pilot(0.25), np.random.default_rng(0), 100
    found = estimate_power(rows, None, COMET, n_segments=n)
    seen = 0
    for _ in range(200):
        places = rng.integers(0, 400, n)
        drawn = {name: own[places] for name, own in rows.items()}
        p = paired_randomization(drawn, None, COMET, n_trials=400).p_value("COMET", "A", "B")
        seen += p <= 0.05
    assert found.power == pytest.approx(seen / 200, abs=0.08)
    assert 0.5 < found.power < 0.9


def test_no_number_of_segments_shows_no_difference() -> None:
    same = {"A": TEXTS["A"], "B": list(TEXTS["A"])}
    found = estimate_power(same, REFS, BLEU_2, n_resamples=30)
    assert found == (None, 0.0, 0.0, 0.0)
    tiny = estimate_power(pilot(1e-4), None, COMET)
    assert tiny.n_segments is None
    assert tiny.power < 0.2


def test_a_difference_of_all_segments_takes_one() -> None:
    scores = np.linspace(0, 1, 30)
    rows = {"A": COMET.stats(scores), "B": COMET.stats(scores + 0.5)}
    assert estimate_power(rows, None, COMET).n_segments == 1


def test_clusters_take_more_segments() -> None:
    rows = {name: np.repeat(own, 4, axis=0) for name, own in pilot(0.1).items()}
    clusters = np.repeat(np.arange(400), 4)
    plain: Any = estimate_power(rows, None, COMET)
    clustered: Any = estimate_power(rows, None, COMET, clusters=clusters)
    assert clustered.n_segments / plain.n_segments == pytest.approx(4, rel=0.2)
    one = estimate_power(rows, None, COMET, clusters=clusters, n_segments=1000)
    assert one[1:] == pytest.approx(
        estimate_power(pilot(0.1), None, COMET, n_segments=250)[1:], rel=1e-9
    )


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    estimate_power(pilot(0.5), None, COMET, progress=lambda *done: told.append(done))
    assert told[-1] == (3000, 3000)
    assert told == sorted(told)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"n_segments": 0}, ValueError, "n_segments: expected at least 1; got 0"),
        ({"n_segments": 2**31}, ValueError, "n_segments: expected at most 2147483647"),
        ({"n_segments": 2.0}, TypeError, "n_segments: expected int; got float"),
        ({"n_resamples": 19}, ValueError, "n_resamples: expected at least 20; got 19"),
        ({"power": 1}, ValueError, "power: expected a number between 0 and 1; got 1"),
        ({"alpha": 0}, ValueError, "alpha: expected a number between 0 and 1; got 0"),
        ({"seed": -1}, ValueError, "seed: expected at least 0"),
        ({"threads": -1}, ValueError, "threads: expected 0"),
        ({"progress": 5}, TypeError, "progress"),
    ],
)
def test_wrong_options_are_refused(options: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=f"^{message}"):
        estimate_power(TEXTS, REFS, BLEU_2, **options)


def test_wrong_systems_are_refused() -> None:
    with pytest.raises(ValueError, match="systems: expected two; got 3"):
        estimate_power({**TEXTS, "C": TEXTS["A"]}, REFS, BLEU_2)
    with pytest.raises(ValueError, match="systems: expected at least two; got 1"):
        estimate_power({"A": TEXTS["A"]}, REFS, BLEU_2)
    with pytest.raises(TypeError, match="metric: expected a metric; got str"):
        estimate_power(TEXTS, REFS, "BLEU")  # type: ignore[arg-type]
    huge = COMET.stats([1.0, 2.0])
    huge[:, 0] = 2**40
    with pytest.raises(ValueError, match=r"rows: expected sums of at most 2\*\*60; got 2097152"):
        estimate_power({"A": huge, "B": huge}, None, COMET, n_segments=2**21)
