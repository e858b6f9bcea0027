"""IBM Model 1: the lecture's tables, an oracle in fractions, NLTK, threads, bad input."""

import math
import pickle
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu.alignment import IBMModel1
from reference import alignment as oracle

ENGLISH, SPANISH = ["green house", "the house"], ["casa verde", "la casa"]
LECTURE = [(e.split(), f.split()) for e, f in zip(ENGLISH, SPANISH, strict=True)]


def fractions(text: str) -> list[Fraction]:
    return [Fraction(number) for number in text.split()]


# Rows green, house, the; columns casa, verde, la.
STEPS = {
    1: ["1/2 1/2 0", "1/2 1/4 1/4", "1/2 0 1/2"],
    2: ["3/7 4/7 0", "3/5 1/5 1/5", "3/7 0 4/7"],
    3: ["9/25 16/25 0", "9/13 2/13 2/13", "9/25 0 16/25"],
    4: ["129/433 304/433 0", "129/167 19/167 19/167", "129/433 0 304/433"],
}


def made_pairs(seed: Any, n: int, n_words: int = 30, longest: int = 9, empty: bool = True) -> Any:
    """Return sentences of both sides with repeated words; a few are empty."""
    rng = Random(seed)
    sides: list[list[list[str]]] = [[], []]
    for _ in range(n):
        for side, mark in zip(sides, "ef", strict=True):
            length = rng.randint(0 if empty else 1, longest)
            side.append([f"{mark}{int(n_words * rng.random() ** 2)}" for _ in range(length)])
    return sides


def table_of(model: IBMModel1) -> dict[Any, float]:
    return {
        (target, source): p for source, row in model.to_dict().items() for target, p in row.items()
    }


def assert_close(found: dict[Any, float], expected: dict[Any, Any], error: float = 1e-12) -> None:
    assert found.keys() == expected.keys()
    for key, p in expected.items():
        assert found[key] == pytest.approx(float(p), rel=error, abs=1e-300), key


@pytest.mark.parametrize("iterations", STEPS)
def test_the_tables_of_the_lecture(iterations: int) -> None:
    model = IBMModel1.fit(ENGLISH, SPANISH, iterations=iterations, null=False)
    for source, row in zip(("green", "house", "the"), STEPS[iterations], strict=True):
        for target, expected in zip(("casa", "verde", "la"), fractions(row), strict=True):
            assert model.probability(target, source) == pytest.approx(float(expected), rel=1e-15)
    exact = oracle.learned(LECTURE, iterations, null=False)
    assert exact["casa", "green"] == fractions(STEPS[iterations][0])[0]
    before = oracle.learned(LECTURE, iterations - 1, null=False)
    assert exact == oracle.step_by_alignments(LECTURE, before)


def test_a_hundred_steps() -> None:
    model = IBMModel1.fit(ENGLISH, SPANISH, iterations=100, null=False)
    assert round(model.probability("casa", "green"), 7) == 0.0052766
    assert round(model.probability("verde", "green"), 7) == 0.9947234
    assert model.probability("casa", "house") == pytest.approx(1.0, abs=1e-15)
    assert model.probability("verde", "house") == pytest.approx(1.487e-28, rel=1e-3)


def test_null_inverts_the_picture() -> None:
    model = IBMModel1.fit(ENGLISH, SPANISH, iterations=100)
    for source in (None, "house"):
        assert round(model.probability("casa", source), 5) == 0.99472
    assert model.probability("verde", "green") == pytest.approx(1.0, abs=1e-15)
    assert model.probability("casa", "green") == pytest.approx(2.97e-28, rel=1e-2)


@pytest.mark.parametrize("null", [False, True])
@pytest.mark.parametrize("iterations", [0, 1, 3])
def test_tables_are_those_of_fractions(null: bool, iterations: int) -> None:
    sources, targets = made_pairs(f"{null} {iterations}", 12, n_words=7, longest=4)
    pairs = [pair for pair in zip(sources, targets, strict=True) if null or pair[0]]
    model = IBMModel1.fit(sources, targets, iterations=iterations, null=null)
    expected = oracle.learned(pairs, iterations, null)
    if iterations == 0:  # including words in pairs without a source
        n = len({word for target in targets for word in target})
        expected = dict.fromkeys(expected, Fraction(1, n))
    assert_close(table_of(model), expected)


@pytest.mark.parametrize("null", [False, True])
def test_tables_are_those_of_floats(null: bool) -> None:
    sources, targets = made_pairs("floats", 900, n_words=6000, longest=12, empty=False)
    model = IBMModel1.fit(sources, targets, iterations=4, null=null)
    assert len(model.source_words) > 3000
    pairs = list(zip(sources, targets, strict=True))
    table, perplexity = oracle.uniform(pairs, null, 1.0), []
    for _ in range(4):
        likelihood = sum(
            math.log(sum(table[f, e] for e in words) / len(words))
            for source, target in pairs
            for words in [oracle.candidates(source, null)]
            for f in target
        )
        perplexity.append(math.exp(-likelihood / sum(map(len, targets))))
        table = oracle.step(pairs, table, null)
    assert_close(table_of(model), table, 1e-9)
    assert model.perplexities == pytest.approx(perplexity, rel=1e-9)
    assert sorted(model.perplexities, reverse=True) == list(model.perplexities)


def test_cells_of_a_vocabulary_of_words_apart() -> None:
    names = [f"w{i}" for i in range(4400)]
    chosen = [0, 62, 63, 64, 126, 127, 4030, 4031, 4094, 4095, 4096, 4399]
    sources = [" ".join(names), " ".join(names[i] for i in chosen)]
    model = IBMModel1.fit(sources, ["x", "y y"], iterations=1)
    assert model.starts.tolist() == [0, 4401, 4401 + 1 + len(chosen)]
    assert model.words[4401:].tolist() == [0, *(i + 1 for i in chosen)]
    assert model.words[:4401].tolist() == list(range(4401))


@pytest.mark.parametrize("null", [False, True])
def test_scores_and_links(null: bool) -> None:
    sources, targets = made_pairs("scores", 300, n_words=40)
    model = IBMModel1.fit(sources, targets, iterations=3, null=null)
    table = table_of(model)
    others = made_pairs("other scores", 120, n_words=50)
    others[1][:20] = targets[:20]
    scores = model.scores(*others, floor=1e-7)
    links = model.alignments(*others)
    for source, target, score, found in zip(*others, scores, links, strict=True):
        p = oracle.probability((source, target), table, null, floor=1e-7)
        assert score == pytest.approx(math.log(p), rel=1e-12, abs=1e-12)
        assert found == oracle.best_links((source, target), table, null)
        assert model.score(" ".join(source), " ".join(target), floor=1e-7) == score
        assert model.align(tuple(source), tuple(target)) == found


@pytest.mark.parametrize("null", [False, True])
@pytest.mark.parametrize("iterations", [0, 1, 3])
def test_posteriors_and_counts_are_those_of_fractions(null: bool, iterations: int) -> None:
    sources, targets = made_pairs(f"counts {null}", 12, n_words=7, longest=4)
    pairs = [pair for pair in zip(sources, targets, strict=True) if null or pair[0]]
    exact = oracle.learned(pairs, iterations, null)
    model = IBMModel1.fit(*zip(*pairs, strict=True), iterations=iterations, null=null)
    others = [*pairs, *zip(*made_pairs("other counts", 9, n_words=9, longest=4), strict=True)]
    for source, target in others:
        expected = oracle.posteriors((source, target), exact, null)
        found = model.posteriors(source, target)
        assert found.shape == (len(source) + null, len(target))
        assert found.tolist() == [pytest.approx(list(map(float, row))) for row in expected]
    for corpus in (pairs, others):
        counts = model.expected_counts(*zip(*corpus, strict=True))
        table = {
            (f, e): count for e, row in model.to_dict(counts).items() for f, count in row.items()
        }
        assert_close(table, oracle.expected_counts(corpus, exact, null))


@pytest.mark.parametrize("null", [False, True])
def test_counts_lead_to_the_next_step_of_em(null: bool) -> None:
    sources, targets = made_pairs("next step", 2000, n_words=300, longest=20)
    model, after = (
        IBMModel1.fit(sources, targets, iterations=n, null=null, threads=2) for n in (2, 3)
    )
    counts = model.expected_counts(sources, targets)
    sums = np.bincount(model.words, counts)
    assert counts / sums[model.words] == pytest.approx(after.probabilities, rel=1e-12)
    many = model.expected_counts(sources, targets, threads=3)
    assert many.tobytes() == counts.tobytes()
    added = np.zeros_like(counts)
    for part in (slice(700), slice(700, None)):
        added += model.expected_counts(sources[part], targets[part])
    assert added == pytest.approx(counts, rel=1e-12)


def test_the_posteriors_of_the_lecture() -> None:
    start = IBMModel1.fit(ENGLISH, SPANISH, iterations=0, null=False)
    assert start.posteriors("green house", "casa verde").tolist() == [[0.5, 0.5], [0.5, 0.5]]
    counts = start.to_dict(start.expected_counts(ENGLISH, SPANISH))
    assert counts["house"] == {"casa": 1.0, "verde": 0.5, "la": 0.5}
    model = IBMModel1.fit(ENGLISH, SPANISH, iterations=1, null=False)
    assert model.posteriors("green house", "casa verde") == pytest.approx(
        np.array([[1 / 2, 2 / 3], [1 / 2, 1 / 3]])
    )


def test_unknown_words_have_no_posteriors() -> None:
    model = IBMModel1.fit(ENGLISH, SPANISH)
    shares = model.posteriors("green blue", ["roja", "verde", "la"])
    assert shares.shape == (3, 3)
    assert shares[:, 0].tolist() == [0, 0, 0]
    assert shares[1].tolist() == [0, 0, 0]
    assert shares[:, 1:].sum(axis=0) == pytest.approx([1, 1])
    counts = model.expected_counts(["blue", "green blue", ""], ["roja", "verde roja", "azul"])
    assert counts.sum() == pytest.approx(1)
    assert model.expected_counts([], []).tolist() == [0.0] * len(model.words)
    without = IBMModel1.fit(ENGLISH, SPANISH, null=False)
    assert without.posteriors("green", "la").tolist() == [[0.0]]
    assert without.posteriors("", "casa verde").shape == (0, 2)
    assert without.posteriors("green", "").shape == (1, 0)
    assert not without.expected_counts(["green", ""], ["la", "casa"]).any()


def test_probabilities_that_nearly_vanish_count_for_nothing() -> None:
    tiny = IBMModel1(["a", "b"], ["x"], [0, 2], [1, 2], [5e-324, 1e-310], null=False)
    assert tiny.posteriors("a b", "x").tolist() == [[0.0], [0.0]]
    assert tiny.expected_counts(["a b"], ["x"]).tolist() == [0.0, 0.0]


def test_progress_and_bad_input_of_counts() -> None:
    seen: list[tuple[int, int]] = []
    model = IBMModel1.fit(ENGLISH, SPANISH)
    model.expected_counts(ENGLISH, SPANISH, progress=lambda *done: seen.append(done))
    assert seen[-1][0] == seen[-1][1]
    for name, value, error in (("progress", 1, TypeError), ("threads", -1, ValueError)):
        with pytest.raises(error, match=f"^{name}: expected"):
            model.expected_counts(ENGLISH, SPANISH, **{name: value})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^values: expected 10, one a cell; got 1$"):
        model.to_dict([1.0])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^values: expected an array of float64"):
        model.to_dict(["x"] * 10)  # type: ignore[arg-type]


def test_few_and_many_give_the_same_scores() -> None:
    """Columns are searched for few tokens, and expanded for many."""
    sources, targets = made_pairs("columns", 600, n_words=300, longest=20)
    model = IBMModel1.fit(sources, targets, iterations=2)
    together = model.scores(sources, targets)
    alone = [model.score(*pair) for pair in zip(sources, targets, strict=True)]
    assert together.tolist() == alone


def test_ties_and_unknown_words() -> None:
    model = IBMModel1.fit(["a b"], ["x y"], iterations=2)
    assert model.align("a b", "x y") == [(0, 0), (0, 1)]  # the first; NULL is equally likely
    assert model.align("b a a", "y z") == [(0, 0)]
    assert model.align("c", "x") == [] == model.align("", "x") == model.align("a", "")
    assert model.score("c", "z", floor=0.5) == math.log(0.5)
    assert model.score("a", "z", floor=0) == -math.inf
    assert model.score("", "") == 0.0
    without = IBMModel1.fit(["a b"], ["x y"], null=False)
    assert without.score("", "x y", floor=0.25) == 2 * math.log(0.25)
    assert without.probability("x", None) == 0.0


def test_pairs_without_a_source_teach_nothing_without_null() -> None:
    one = IBMModel1.fit(["a b", "", "b"], ["x y", "z x", "y"], null=False)
    other = IBMModel1.fit(["a b", "b"], ["x y", "y"], null=False)
    # The uniform table has one more word, which makes no difference after a step.
    assert_close(table_of(one), table_of(other), 1e-15)
    assert one.probability("z", "a") == 0.0
    assert one.perplexities[1:] == pytest.approx(other.perplexities[1:])
    assert math.isnan(IBMModel1.fit([""], ["x"], null=False).perplexities[0])
    assert IBMModel1.fit(["", "a"], ["x y", ""], iterations=1).perplexities == pytest.approx((2,))


def test_translations_are_sorted() -> None:
    sources, targets = made_pairs("sorted", 200)
    model = IBMModel1.fit(sources, targets)
    for source in (None, *model.source_words[:9]):
        row = model.translations(source)
        assert list(row.values()) == sorted(row.values(), reverse=True)
        assert row == model.to_dict()[source]
        assert sum(row.values()) == pytest.approx(1.0)
        assert [model.probability(target, source) for target in row] == list(row.values())
    assert model.translations("never seen") == {}
    assert model.probability("never seen", "e0") == model.probability("f0", "never seen") == 0.0


@pytest.mark.parametrize("iterations", [1, 2, 5])
def test_the_table_is_that_of_nltk(iterations: int) -> None:
    """No target sentence repeats a word, because NLTK distributes it once, not twice."""
    translate = pytest.importorskip("nltk.translate")
    sources, targets = made_pairs("nltk", 80, empty=False)
    targets = [list(dict.fromkeys(target)) for target in targets]
    pairs = [translate.AlignedSent(f, e) for e, f in zip(sources, targets, strict=True)]
    theirs = translate.IBMModel1(pairs, iterations).translation_table
    for (target, source), p in table_of(
        IBMModel1.fit(sources, targets, iterations=iterations)
    ).items():
        assert p == pytest.approx(theirs[target][source], rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("threads", [0, 2, 3, 33])
def test_threads_change_no_bit(threads: int) -> None:
    sources, targets = made_pairs("threads", 3000, n_words=900, longest=25)
    one = IBMModel1.fit(sources, targets, iterations=3)
    many = IBMModel1.fit(sources, targets, iterations=3, threads=threads)
    for name in ("starts", "words", "probabilities"):
        assert getattr(many, name).tobytes() == getattr(one, name).tobytes()
    assert many.perplexities == one.perplexities
    scores = one.scores(sources * 2, targets * 2)
    assert many.scores(sources * 2, targets * 2, threads=threads).tobytes() == scores.tobytes()
    links = one.alignments(sources, targets)
    assert one.alignments(sources, targets, threads=threads) == links


def test_progress() -> None:
    seen: list[tuple[int, int]] = []
    IBMModel1.fit(ENGLISH, SPANISH, iterations=3, progress=lambda *done: seen.append(done))
    assert seen == [(1, 3), (2, 3), (3, 3)]

    def fail(*_: int) -> None:
        raise OSError("no terminal")

    with pytest.raises(OSError, match="no terminal"):
        IBMModel1.fit(ENGLISH, SPANISH, progress=fail)


def test_pickled_models() -> None:
    sources, targets = made_pairs("pickles", 50)
    model = IBMModel1.fit(sources, targets, null=False)
    copy = pickle.loads(pickle.dumps(model))
    assert type(copy) is IBMModel1 and copy.null is False
    assert table_of(copy) == table_of(model)
    assert copy.perplexities == model.perplexities
    assert copy.scores(sources, targets).tobytes() == model.scores(sources, targets).tobytes()


def test_arrays_are_read_only() -> None:
    model = IBMModel1.fit(ENGLISH, SPANISH)
    for values in (model.starts, model.words, model.probabilities):
        with pytest.raises(ValueError):
            values[0] = 0
    mine = np.array([1.0])
    table = IBMModel1(["a"], ["x"], [0, 1], [1], mine)
    mine[0] = 0.5
    assert table.probability("x", "a") == 1.0


def test_sentences_of_all_kinds() -> None:
    expected = table_of(IBMModel1.fit(ENGLISH, SPANISH))
    pyarrow, pandas = map(pytest.importorskip, ("pyarrow", "pandas"))
    tokens = tuple(tuple(text.split()) for text in ENGLISH)
    for make in (lambda _: tokens, iter, np.array, pyarrow.array, pandas.Series):
        assert table_of(IBMModel1.fit(make(ENGLISH), SPANISH)) == expected


def test_an_empty_token_is_a_word() -> None:
    model = IBMModel1.fit([["a", ""]], [["", "x"]], null=False)
    assert model.source_words == ("a", "")
    assert model.probability("", "") == 0.5


BAD = {
    "one text": (("green", ["verde"]), TypeError, "sources: expected a sequence of sentences"),
    "no sequence": ((5, ["verde"]), TypeError, "sources: expected a sequence of .*; got int"),
    "a set": (({"green"}, ["verde"]), TypeError, "sources: .* got set"),
    "a number": ((["green", 5], ["a", "b"]), TypeError, r"sources\[1\]: expected str or tokens"),
    "missing": ((["green"], [None]), TypeError, r"targets\[0\]: expected str or tokens; got None"),
    "bytes": ((["green"], [b"verde"]), TypeError, r"targets\[0\]: expected str or tokens; got by"),
    "a token": ((["green"], [["verde", 5]]), TypeError, r"targets\[0\]\[1\]: expected str; got"),
    "lengths": ((["a", "b"], ["x"]), ValueError, "targets: expected 2 sentences, .* got 1"),
    "nothing": (([], []), ValueError, "sources: expected at least one sentence pair; got none"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_sentences(name: str) -> None:
    arguments, error, message = BAD[name]
    with pytest.raises(error, match=message):
        IBMModel1.fit(*arguments)
    if name != "nothing":
        with pytest.raises(error, match=message):
            IBMModel1.fit(ENGLISH, SPANISH).scores(*arguments)
        with pytest.raises(error, match=message):
            IBMModel1.fit(ENGLISH, SPANISH).expected_counts(*arguments)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"iterations": -1}, ValueError, "iterations: expected at least 0; got -1"),
        ({"iterations": 1.5}, TypeError, "iterations: expected int; got float"),
        ({"iterations": True}, TypeError, "iterations: expected int; got bool"),
        ({"threads": -1}, ValueError, "threads: expected 0 for all cores"),
        ({"threads": "2"}, TypeError, "threads: expected int; got str"),
    ],
)
def test_bad_options(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        IBMModel1.fit(ENGLISH, SPANISH, **options)


@pytest.mark.parametrize("floor", [-0.1, 1.5, math.nan])
def test_bad_floors(floor: float) -> None:
    model = IBMModel1.fit(ENGLISH, SPANISH)
    with pytest.raises(ValueError, match="floor: expected 0 to 1"):
        model.score("house", "casa", floor=floor)
    with pytest.raises(TypeError, match="floor: expected float; got str"):
        model.score("house", "casa", floor="0")  # type: ignore[arg-type]


GOOD: dict[str, Any] = {
    "source_words": ["a", "b"],
    "target_words": ["x", "y"],
    "starts": [0, 2, 3],
    "words": [1, 2, 0],
    "probabilities": [0.5, 1.0, 1.0],
}


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"source_words": ["a", "a"]}, ValueError, r"source_words\[1\]: expected a word of its"),
        ({"target_words": ["x", 5]}, TypeError, r"target_words\[1\]: expected str; got int"),
        ({"target_words": ["x"]}, ValueError, "starts: expected 2, one more than target words"),
        ({"starts": []}, ValueError, "starts: expected 3"),
        ({"starts": [0, 3, 2]}, ValueError, "starts: expected 0 to 3; got 0 to 2"),
        ({"starts": [1, 2, 3]}, ValueError, "starts: expected 0 to 3; got 1 to 3"),
        ({"starts": [0, 4, 3]}, ValueError, r"starts\[2\]: expected at least 4; got 3"),
        ({"starts": [0.0, 2.0, 3.0]}, TypeError, "starts: expected an array of int64; got float"),
        ({"words": [2, 1, 0]}, ValueError, r"words\[1\]: expected 3 to 2; got 1"),
        ({"words": [1, 2, 3]}, ValueError, r"words\[2\]: expected 0 to 2; got 3"),
        ({"words": [-1, 2, 0]}, ValueError, r"words\[0\]: expected 0 to 2; got -1"),
        ({"words": [[1, 2, 0]]}, ValueError, "words: expected an array of 1 dimension; got 2"),
        ({"words": [1, 2]}, ValueError, "starts: expected 0 to 2; got 0 to 3"),
        ({"probabilities": [0.5, 1.0]}, ValueError, "probabilities: expected 3 items"),
        ({"probabilities": [0.5, 1.5, 1]}, ValueError, r"probabilities\[1\]: expected 0 to 1"),
        ({"probabilities": [0.5, 1, math.nan]}, ValueError, r"probabilities\[2\]: .* got nan"),
        ({"probabilities": ["x", "y", "z"]}, TypeError, "probabilities: expected an array"),
    ],
)
def test_bad_tables(wrong: dict[str, Any], error: type[Exception], message: str) -> None:
    assert IBMModel1(**GOOD).probability("x", "b") == 1.0
    with pytest.raises(error, match=message):
        IBMModel1(**(GOOD | wrong))
