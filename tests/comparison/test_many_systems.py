"""Many systems: order, ranks, the systems shown, and the pairs tested."""

import json
import re
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, TER, Comparison, compare
from rapidbleu.significance import paired_bootstrap
from rapidbleu.significance.result import p_triangle
from support.command_line import Run
from support.corpora import random_corpus

N = 50
METRICS: Any = [BLEU(effective_order=True), TER()]
# How many words of an output are lost; B and F are the same system, and D and H nearly.
LOSSES = {"B": 0.1, "A": 0.5, "D": 0.2, "C": 0.35, "F": 0.1, "E": 0.02, "H": 0.21, "G": 0.36}


def made(seed: int) -> tuple[dict[str, list[str]], list[list[str]], dict[str, dict[str, Any]]]:
    """Return eight systems, references and external scores."""
    first, streams = random_corpus(Random(f"many {seed}"), N, kind="german", n_refs=1)
    del first
    systems = {}
    for name, loss in LOSSES.items():
        rng = Random(f"{seed} {loss}")
        systems[name] = [
            " ".join(word for word in text.split(" ") if rng.random() > loss) for text in streams[0]
        ]
    rng = Random(seed)
    comet = {name: [rng.gauss(1 - loss, 0.3) for _ in range(N)] for name, loss in LOSSES.items()}
    return systems, streams, {"COMET": comet}


@pytest.fixture(scope="module", params=[1, 2, 3])
def case(request: pytest.FixtureRequest) -> tuple[Any, Any, Any, Comparison]:
    systems, streams, scores = made(request.param)
    found = compare(systems, streams, METRICS, scores=scores, n_resamples=1500, sort="score")
    return systems, streams, scores, found


def rows_of(table: Any) -> dict[str, dict[str, Any]]:
    """Return rows by system."""
    rows = [dict(zip(table.names, row, strict=True)) for row in table.rows()]
    return {row["system"]: row for row in rows}


def numbers_of(found: Comparison) -> dict[tuple[str, frozenset[str]], tuple[Any, ...]]:
    """Return the numbers of each test for the alphabetically first system of the pair."""
    tests = {}
    for metric, a, b, gap, low, high, p, p_corrected, same in found.tests.rows():
        ends = (gap, low, high) if a < b else (-gap, -high, -low)
        tests[metric, frozenset((a, b))] = (*ends, p, p_corrected, same)
    return tests


def slow_ranks(
    better: dict[tuple[str, str], bool], p_values: dict[frozenset[str], float], correction: str
) -> dict[str, tuple[int, int]]:
    """Return ranks by definition, with a literal version of Holm's procedure.

    `better` is whether the first system has a better score than the second one.
    """
    names, n = sorted({a for a, _ in better}), len(p_values)
    corrected, largest = {}, 0.0
    for k, pair in enumerate(sorted(p_values, key=lambda pair: p_values[pair])):
        factor = {"holm": n - k, "bonferroni": n, "none": 1}[correction]
        value = min(1.0, factor * p_values[pair])
        largest = max(largest, value)
        corrected[pair] = largest
    ranks = {}
    for name in names:
        others = [other for other in names if other != name]
        sure = [other for other in others if corrected[frozenset((name, other))] <= 0.05]
        above = sum(better[other, name] for other in sure)
        below = sum(better[name, other] for other in sure)
        ranks[name] = (1 + above, len(names) - below)
    return ranks


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "none"])
def test_ranks_are_counts_of_better_and_worse_systems(case: Any, correction: Any) -> None:
    systems, streams, scores, found = case
    if correction != "holm":
        found = compare(
            systems, streams, METRICS, scores=scores, n_resamples=1500, correction=correction
        )
    peer = paired_bootstrap(systems, streams, METRICS, n_resamples=1500, baseline=None)
    ranges = set()
    for metric, column in found.columns.items():
        own = {name: row[column] for name, row in rows_of(found.scores).items()}
        sign = -1 if metric == "TER" else 1
        better = {(a, b): sign * own[a] > sign * own[b] for a in own for b in own if a != b}
        if metric == "COMET":
            tests = numbers_of(found)
            p = {pair: tests[metric, pair][3] for _, pair in tests}
        else:
            pairs = combinations(systems, 2)
            p = {frozenset(pair): peer.p_value(metric, *pair) for pair in pairs}
        expected = slow_ranks(better, p, correction)
        for name, row in rows_of(found.ranks).items():
            best, worst = row[f"{column}_best"], row[f"{column}_worst"]
            assert (best, worst) == expected[name]
            assert best <= 1 + sum(better[other, name] for other in own if other != name) <= worst
            ranges.add((best, worst))
    assert any(best == worst for best, worst in ranges)
    assert any(best < worst for best, worst in ranges)
    assert found.alpha == 0.05 and found.n_systems == 8


def test_the_order_of_the_systems_changes_no_number(case: Any) -> None:
    systems, streams, scores, found = case
    for seed in range(3):
        names = Random(seed).sample(list(systems), len(systems))
        mixed = {name: systems[name] for name in names}
        other = compare(mixed, streams, METRICS, scores=scores, n_resamples=1500, sort="score")
        assert other.to_dict() == found.to_dict()
        other = compare(mixed, streams, METRICS, scores=scores, n_resamples=1500)
        assert other.systems == names
        assert rows_of(other.scores) == rows_of(found.scores)
        assert rows_of(other.ranks) == rows_of(found.ranks)
        assert numbers_of(other) == numbers_of(found)


def test_sorted(case: Any) -> None:
    systems, streams, scores, _ = case

    def order(sort: str) -> list[str]:
        found = compare(systems, streams, METRICS, scores=scores, n_resamples=9, sort=sort)
        assert list(found.outputs) == list(found.resampled["TER"]) == found.systems
        assert found.ranks["system"] == found.scores["system"] == found.systems
        return found.systems

    assert order("input") == list(systems)
    assert order("name") == sorted(systems)
    assert order("score") == order("BLEU")
    for metric, sign in (("BLEU", 1), ("TER", -1)):
        own = METRICS[metric == "TER"]
        corpus = {
            name: sign * own.corpus_score(texts, streams).score for name, texts in systems.items()
        }
        assert corpus["B"] == corpus["F"]  # of which the name decides
        assert order(metric) == sorted(systems, key=lambda name: (-corpus[name], name))
    means = {name: np.mean(own) for name, own in scores["COMET"].items()}
    assert order("COMET") == sorted(systems, key=lambda name: -means[name])


@pytest.mark.parametrize(
    "options", [{}, {"baseline": "A"}, {"baseline": 1}, {"pairs": [("A", "E")]}]
)
def test_the_top_has_the_numbers_of_all(case: Any, options: Any) -> None:
    systems, streams, scores, _ = case
    options = options | {"scores": scores, "n_resamples": 400, "sort": "score"}
    every = compare(systems, streams, METRICS, **options)
    found = compare(systems, streams, METRICS, top=3, **options)
    kept = every.systems[:3] + ["A"] * (len(options) > 3)  # the worst, but named
    assert found.systems == kept
    assert (found.n_systems, found.baseline) == (8, every.baseline)
    assert found.n_tests == len(every.tests) / 3 == len(every.pairs)
    assert rows_of(found.scores) == {name: rows_of(every.scores)[name] for name in kept}
    expected = {name: row for name, row in rows_of(every.ranks).items() if name in kept}
    assert rows_of(found.ranks) == expected
    tests = {key: row for key, row in numbers_of(every).items() if key[1] <= {*kept}}
    assert numbers_of(found) == tests
    assert {frozenset(pair) for pair in found.pairs} == {pair for _, pair in tests}
    options["scores"] = {"COMET": {name: scores["COMET"][name] for name in kept}}
    again = compare({name: systems[name] for name in kept}, streams, METRICS, **options)
    assert found.words == again.words
    assert found.segments == again.segments
    assert found.ngrams("E", kept[1], 5) == again.ngrams("E", kept[1], 5)
    options["scores"] = scores
    assert compare(systems, streams, METRICS, top=99, **options).systems == every.systems


def test_pairs_are_the_only_ones_tested(case: Any) -> None:
    systems, streams, _, _ = case
    pairs = [("G", "C"), ("E", "A"), ("B", "F")]
    found = compare(systems, streams, METRICS, pairs=pairs, n_resamples=300, sort="name")
    peer = paired_bootstrap(systems, streams, METRICS, n_resamples=300, baseline=None)
    assert found.pairs == pairs
    assert [(a, b) for _, a, b, *_ in found.tests.rows()] == pairs * 2
    for metric, a, b, gap, _, _, p, _, _ in found.tests.rows():
        assert p == peer.p_value(metric, a, b)
        assert gap == peer[metric][b].score - peer[metric][a].score
    for k in (0, 3):
        p_values = found.tests["p_value"][k : k + 3].tolist()
        least = min(p_values)  # of three
        assert found.tests["p_corrected"][k + p_values.index(least)] == 3 * least
    assert len(found.ranks) == 0 and found.ranks.names[0] == "system"
    assert compare(systems, streams, METRICS, pairs=[("A", "B")]).n_resamples == 1000


def test_systems_without_all_tests_have_no_ranks() -> None:
    systems, streams, _ = made(1)
    assert len(compare(systems, streams, BLEU(), baseline="B", n_resamples=60).ranks) == 0
    assert len(compare({"A": systems["A"]}, streams, BLEU(), n_resamples=9).ranks) == 0
    two = compare({"A": systems["A"], "E": systems["E"]}, streams, BLEU(), n_resamples=99)
    assert two.ranks.to_dict() == {"system": ["A", "E"], "bleu_best": [2, 1], "bleu_worst": [2, 1]}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"sort": "chrf"},
            ValueError,
            "sort: expected one of score, name, input, BLEU, TER; got 'chrf'",
        ),
        ({"sort": None}, ValueError, "sort: expected one of .*; got None"),
        ({"metrics": {"name": BLEU()}, "sort": "name"}, ValueError, "sort: expected one meaning"),
        ({"top": 0}, ValueError, "top: expected at least 1; got 0"),
        ({"top": 1.5}, TypeError, "top: expected"),
        ({"pairs": []}, ValueError, "pairs: expected at least one; got none"),
        ({"pairs": "AB"}, TypeError, "pairs: expected a sequence of pairs of systems"),
        ({"pairs": ["AB"]}, TypeError, r"pairs\[0\]: expected two systems; got 'AB'"),
        ({"pairs": [("A", "Z")]}, ValueError, r"pairs\[0\]: expected one of B, A, D.*; got 'Z'"),
        ({"pairs": [("A", 1)]}, ValueError, r"pairs\[0\]: expected one of .*; got 1"),
        ({"pairs": [("A", "A")]}, ValueError, r"pairs\[0\]: expected another pair of two systems"),
        ({"pairs": [("A", "B"), ("B", "A")]}, ValueError, r"pairs\[1\]: expected another pair"),
        ({"pairs": [("A", "B")], "baseline": 0}, ValueError, "pairs: expected no baseline .* 'B'"),
    ],
)
def test_bad_input(options: Any, error: type[Exception], message: str) -> None:
    systems, streams, _ = made(1)
    options = {"metrics": METRICS, "n_resamples": 2} | options
    with pytest.raises(error, match=message):
        compare(systems, streams, **options)


# The triangle


@pytest.mark.parametrize("n", [2, 5, 9, 17, 50])
@pytest.mark.parametrize("length", [1, 12, 70])
def test_a_triangle_has_each_pair_once_in_80_columns(n: int, length: int) -> None:
    rng = np.random.default_rng(n)
    scores, p_values = rng.permutation(n) * 1.5, rng.random((n, n))
    p_values = np.where(rng.random((n, n)) < 0.5, p_values / 20, p_values)
    p_values = np.minimum(p_values, p_values.T)
    systems = [f"{i:0{length}}"[-length:] for i in range(n)]
    tables = p_triangle("BLEU", systems, scores, p_values)
    ranked = sorted(range(n), key=lambda i: -scores[i])
    seen = {}
    for table in tables:
        assert max(map(len, table.format().splitlines())) <= 80
        for row in table.rows():
            i, name = row[0].split()
            whole = systems[ranked[int(i) - 1]]
            assert name == whole if length < 24 else name == f"{whole[:23]}…"
            for j, cell in zip(table.names[1:], row[1:], strict=True):
                if int(j) < int(i):
                    seen[int(j), int(i)] = cell
                else:
                    assert cell == ""
    assert sorted(seen) == list(combinations(range(1, n + 1), 2))
    for (j, i), cell in seen.items():
        p = p_values[ranked[i - 1], ranked[j - 1]]
        assert cell == f"{p:.3f}" + ("*" if p <= 0.05 else "")
    mixed = rng.permutation(n)  # equal scores are ordered by name
    ties, names = (scores // 4).tolist(), [f"{i:02}" for i in range(n)]
    first = p_triangle("BLEU", names, ties, p_values)
    other = p_triangle(
        "BLEU", [names[i] for i in mixed], [ties[i] for i in mixed], p_values[np.ix_(mixed, mixed)]
    )
    assert [table.to_dict() for table in other] == [table.to_dict() for table in first]
    worst_first = p_triangle("TER", systems, -scores, p_values, False)
    assert [table.to_dict() for table in worst_first] == [table.to_dict() for table in tables]


# The command


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    systems, [reference], _ = made(1)
    for name, texts in (systems | {"ref": reference}).items():
        (tmp_path / f"{name}.de.txt").write_text("".join(f"{text}\n" for text in texts), "utf-8")
    paths = [str(tmp_path / f"{name}.de.txt") for name in systems]
    return ["compare", *paths, "-r", str(tmp_path / "ref.de.txt")]


def named(paths: list[str]) -> list[str]:
    return [f"{name}.de" for name in paths]


def compared(**options: Any) -> Comparison:
    systems, [reference], _ = made(1)
    outputs = {f"{name}.de": [text.rstrip() for text in own] for name, own in systems.items()}
    return compare(outputs, [[text.rstrip() for text in reference]], **options)


def test_a_triangle_shows_how_much_better_a_system_is(case: Any) -> None:
    """In a cell are p and the interval of the gain of the better system, also of error rates."""
    _, _, _, found = case
    rows = {
        (metric, frozenset((a, b))): (a, low, high, p)
        for metric, a, b, _, low, high, _, p, _ in found.tests.rows()
    }
    for metric, column in found.columns.items():
        digits = found.scores._digits[column]
        sign = 1 if found.higher_is_better[metric] else -1
        scores = {name: row[column] for name, row in rows_of(found.scores).items()}
        ordered = sorted(scores, key=lambda name: (-sign * scores[name], name))
        cells = {}
        for table in found._triangles(metric):
            assert max(map(len, table.format().splitlines())) <= 80
            for row in table.rows():
                worse = row[0].split()[1]
                cells |= {
                    (ordered[int(number) - 1], worse): cell
                    for number, cell in zip(table.names[1:], row[1:], strict=True)
                    if cell
                }
        assert len(cells) == 28
        for (better, worse), cell in cells.items():
            a, low, high, p = rows[metric, frozenset((better, worse))]
            gains = [end if a == worse else -end for end in (low, high)]
            gain = " to ".join(f"{end:z.{digits}f}" for end in sorted(sign * end for end in gains))
            least = 28 / 1501
            text = "≤0.019*" if p < 1.001 * least else f"{p:.3f}{'*' if p <= 0.05 else ''}"
            assert cell.split(maxsplit=1) == [text, f"[{gain.replace(' to ', ', ')}]"]


def test_the_default_resolves_16_systems() -> None:
    """The least corrected p is 0.005, and intervals separate small and large differences."""
    words = "a b c d e f g h"
    systems = {}
    for i in range(16):
        systems[f"S{i}"] = [words if k % 16 >= i else words.replace("d", "x") for k in range(64)]
    found = compare(systems, [[words] * 64], BLEU(), n_resamples=None, sort="score")
    assert found.n_resamples == 24_000
    least = min(found.tests["p_corrected"])
    assert 0.0049 < least <= 0.005
    [first, *_] = found._triangles("BLEU", 1000)
    column = first["1"]
    assert column[15].startswith("≤0.005* [") and column[4].startswith("≤0.005* [")
    low, high = map(float, re.findall(r"[0-9.]+(?=[,\]])", column[4]))
    assert float(re.findall(r"[0-9.]+(?=,)", column[15])[0]) > high > low
    assert "≤: no difference has a lower p in 24000 resamples" in repr(found)


def test_the_command_shows_ranks_and_triangles(files: list[str], run: Run) -> None:
    found = compared(sort="score")
    status, out, err = run(*files)
    assert status == 0
    assert err == "rapidbleu: no n-grams, examples: 28 pairs; choose some by --pairs A,B\n"
    assert run(*files, "-q").err == ""
    assert "N-grams" not in out and "Segments in which" not in out
    heading, rest = out.split("== Ranks of ")[1].split("\n\n")[:2]
    assert heading == "8 systems (different: corrected p <= 0.05)"
    for line, (name, row) in zip(rest.splitlines()[1:], rows_of(found.ranks).items(), strict=True):
        cells = [name]
        for metric in ("bleu", "chrf2"):
            best, worst = row[f"{metric}_best"], row[f"{metric}_worst"]
            score = rows_of(found.scores)[name][metric]
            cells += [f"{score:.2f}", f"{best}-{worst}" if best < worst else f"{best}"]
        assert line.split() == cells
    tests = out.split("== Paired bootstrap of all pairs, 5600 resamples, corrected (holm)")[1]
    title, *blocks = tests.split("\n\n== ")[0].split("\n\n")
    assert title == "; *: p <= 0.05"
    note = (
        "\n[low, high]: 95% interval of how much better the system of the column is\n"
        "≤: no difference has a lower p in 5600 resamples; a larger -n can show lower ones"
    )
    tables = [table for metric in found.metrics for table in found._triangles(metric)]
    assert "\n\n".join(blocks) == "\n\n".join([table.format() for table in tables]) + note
    assert "1-2" in rest or "2-3" in rest
    latex = run(*files, "-f", "latex").out
    assert latex.count(r"\begin{tabular}") == 2 + len(tables)
    assert "% ≤: no difference has a lower p" in latex and "-n can" in latex
    assert "\n\n≤: no difference has a lower p" in run(*files, "-f", "markdown").out
    data = json.loads(run(*files, "-f", "json", "--show", "ranks", "tests").out)
    assert data["ranks"] == found.ranks.to_dict()
    assert (data["alpha"], data["n_systems"], len(data["tests"]["a"])) == (0.05, 8, 56)
    assert data["tests"]["p_is_least"] == [p < 28.5 / 5601 for p in data["tests"]["p_corrected"]]
    assert {*data["tests"]["p_is_least"]} == {True, False}
    rows = run(*files, "-f", "csv", "--show", "ranks").out.splitlines()
    assert rows[0] == "system,bleu_best,bleu_worst,chrf2_best,chrf2_worst"
    assert len(run(*files, "-f", "csv", "--show", "tests").out.splitlines()) == 57


def test_the_command_sorts_and_chooses(files: list[str], run: Run) -> None:
    def systems(*options: str) -> list[str]:
        names: list[str] = json.loads(run(*files, "-f", "json", "-n", "9", *options).out)["systems"]
        return names

    assert systems() == compared(sort="score", n_resamples=9).systems
    assert systems("--sort", "input") == named(list(LOSSES))
    assert systems("--sort", "name") == named(sorted(LOSSES))
    assert systems("--sort", "chrF2", "--top", "2") == ["E.de", "B.de"]
    assert systems("--top", "1", "--baseline", "A.de") == ["E.de", "A.de"]
    _, out, err = run(*files, "--pairs", "A.de,B.de", "E.de,F.de")
    assert err == ""
    tests = out.split("== Paired bootstrap of pairs, 1000 resamples")[1].split("\n\n")[1]
    assert [line.split()[1:3] for line in tests.splitlines()[1:3]] == [
        ["A.de", "B.de"],
        ["E.de", "F.de"],
    ]
    pairs = re.findall(r"== N-grams that (\S+) has right more often than (\S+)\n", out)
    assert pairs == [("A.de", "B.de"), ("B.de", "A.de"), ("E.de", "F.de"), ("F.de", "E.de")]
    _, out, _ = run(*files, "--baseline", "A.de", "--show", "scores", "tests", "ranks")
    assert out.count("A.de (baseline)") == 1 and "Ranks" not in out
    assert "== Paired bootstrap of pairs with A.de, 1400 resamples, corrected (holm)\n" in out
    names = ["a,b", "c", *"defghi"]
    shown = run(*files, "--names", *names, "--pairs", "a,b,c", "-f", "csv", "--show", "tests").out
    assert '"a,b",c,' in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--top", "0"], "expected an integer >= 1; got '0'"),
        (["--sort", "bleu"], "sort: expected one of score, name, input, BLEU, chrF2; got 'bleu'"),
        (["--pairs", "A.de,Z"], "--pairs: expected A,B, which are two of B.de, A.de, D.de, "),
        (["--pairs", "A.de"], "--pairs: expected A,B, which are two of B.de, A.de, D.de, "),
        (["--pairs", "A.de,A.de"], "pairs[0]: expected another pair of two systems"),
        (["--pairs", "A.de,B.de", "--baseline", "A.de"], "pairs: expected no baseline"),
    ],
)
def test_bad_options(options: list[str], message: str, files: list[str], run: Run) -> None:
    status, out, err = run(*files, *options)
    assert status and not out
    assert message in err
