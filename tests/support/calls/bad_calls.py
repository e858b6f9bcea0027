"""Refused calls of all kinds at all entries, in which leaks are sought.

Each is a callable without arguments that always raises one of `REFUSALS`. Its arguments are created
once and shared by all calls.
"""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import rapidbleu
from rapidbleu import BLEU, CHRF, TER, RunningScore, SegmentScores, WeightedSum
from rapidbleu._core.input.lines import LineReader, read_texts
from rapidbleu._core.moses.files import format_rows
from rapidbleu._core.tuning.gradients import Expectation
from rapidbleu.alignment import (
    IBMModel1,
    LinkScore,
    count_links,
    parse_links,
    read_links,
    symmetrize,
    write_links,
)
from rapidbleu.nltk import bleu_score, chrf_score, gleu_score, nist_score
from rapidbleu.significance import (
    bootstrap,
    paired_bootstrap,
    paired_randomization,
    sum_resamples,
)
from rapidbleu.tuning import (
    NBestList,
    cross_validate,
    line_search,
    mert,
    mira,
    read_nbest,
    read_stats,
    tune,
    write_nbest,
    write_stats,
)
from rapidbleu.tuning.search.shared import make_learner_rows
from support.calls.judging import bad_judging
from support.calls.operations import HYPS, IDS, LISTS, REFS, TOKEN_REFS, TOKENS
from support.tuning_lists import made

REFUSALS = (TypeError, ValueError, KeyError, IndexError, OSError, AssertionError, ArithmeticError)

Calls = dict[str, Callable[[], Any]]


class Broken:
    """A sequence of three that fails at its second element, and in other ways."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, i: int) -> str:
        if i == 1:
            raise OSError("no second element")
        return "text"

    def __hash__(self) -> int:
        raise ArithmeticError("no hash")

    def __index__(self) -> int:
        raise OSError("no number")

    def __float__(self) -> float:
        raise OSError("no number")

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return (5, 5)


class BrokenSequence:
    """The same without Arrow."""

    __len__ = Broken.__len__
    __getitem__ = Broken.__getitem__


class BrokenStream:
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        raise OSError("no stream")


class BrokenFile(io.RawIOBase):
    def readinto(self, buffer: Any) -> int:
        raise OSError("no bytes")

    def readable(self) -> bool:
        return True


def broken_rule(text: str) -> list[str]:
    raise OSError(f"no tokens of {text}")


JUNK: dict[str, Any] = {
    "None": None,
    "a number": 7,
    "bytes": b"bytes",
    "a str": "text",
    "an iterator": iter(HYPS),
    "a set": {"a"},
    "too few": HYPS[:-1],
    "no streams": HYPS,
    "None within": [*HYPS[:-1], None],
    "a number within": [*HYPS[:-1], 7],
    "a list within": [*HYPS[:-1], ["a"]],
    "None in a token list": [*TOKENS[:-1], ["a", None]],
    "a number in a token list": [*TOKENS[:-1], ["a", 7]],
    "a str in a list of numbers": [*IDS[:-1], [7, "a"]],
    "a large number": [*IDS[:-1], [1 << 70]],
    "a broken number": [*IDS[:-1], [7, Broken()]],
    "an array of floats": [*IDS[:-1], np.ones(3)],
    "an array of two dimensions": [*IDS[:-1], np.ones((2, 2), np.int64)],
    "an array of objects": np.array([*HYPS[:-1], None], object),
    "an array of bytes": np.array([b"a", b"b"]),
    "an array of numbers": np.ones(24),
    "no dimensions": np.array("text"),
    "a sequence that fails": BrokenSequence(),
    "broken capsules": Broken(),
    "a broken stream": BrokenStream(),
}


def of_arrow() -> dict[str, Any]:
    """Return pyarrow columns of wrong types or with missing values."""
    try:
        import pyarrow as pa
    except ImportError:
        return {}
    texts = pa.array([*HYPS[:-1], None])
    return {
        "Arrow's numbers": pa.array(range(24)),
        "Arrow's bytes": pa.array([b"a"] * 24),
        "Arrow's null": texts,
        "Arrow's null in chunks": pa.chunked_array([texts, texts]),
        "Arrow's lists of bytes": pa.array([[b"a"]] * 24),
        "Arrow's lists with null": pa.array([["a", None]] * 24),
    }


def of_input() -> Calls:
    """Pass every kind of junk wherever segments are expected."""
    calls: Calls = {}
    metrics = [BLEU(), CHRF(word_order=2), TER(), BLEU(tokenize=str.split, lowercase=True)]
    prepared = [metric.prepare(REFS) for metric in metrics]
    nbest = made(1, (1, 3, 4), 3)
    for what, junk in (JUNK | of_arrow()).items():
        for i, metric in enumerate(metrics):
            name = f"{type(metric).__name__} {i}, {what}"
            p = prepared[i]
            calls |= {
                f"{name}, hypotheses": lambda m=metric, j=junk: m.corpus_score(j, REFS),
                f"{name}, prepared": lambda m=metric, j=junk, p=p: m.segment_stats(j, p, threads=2),
                f"{name}, references": lambda m=metric, j=junk: m.prepare([REFS[0], j]).num_refs,
                f"{name}, by segment": lambda m=metric, j=junk: m.segment_scores(
                    HYPS, [["a"], j, *[["a"]] * 22], layout="segment"
                ),
                f"{name}, sentence": lambda m=metric, j=junk: m.sentence_score(j, REFS[0]),
                f"{name}, reference": lambda m=metric, j=junk: m.sentence_score(HYPS[0], [7, j]),
                f"{name}, lists": lambda m=metric, j=junk, p=p: m.nbest_stats([j] * 24, p),
                f"{name}, pairs": lambda m=metric, j=junk: m.pairwise(j, [7]),
            }
        calls |= {
            f"running, {what}": lambda j=junk: RunningScore(metrics[0], j),
            f"running hypotheses, {what}": lambda j=junk: metrics[0].running(prepared[0], j),
            f"stats, {what}": lambda j=junk: metrics[0].score(j),
            f"rows, {what}": lambda j=junk: metrics[0].score_rows(j),
            f"resampled, {what}": lambda j=junk: bootstrap(j, None, metrics[0], n_resamples=2),
            f"parts of rows, {what}": lambda j=junk: sum_resamples(j, [7], 2),
            f"ids of rows, {what}": lambda j=junk: sum_resamples([[7]], j, 2),
            f"systems, {what}": lambda j=junk: paired_bootstrap(j, REFS, metrics[0], n_resamples=2),
            f"system, {what}": lambda j=junk: paired_randomization(
                {"A": HYPS, "B": j}, REFS, metrics[0], n_trials=2
            ),
            f"weights, {what}": lambda j=junk: nbest.best(j),
            f"direction, {what}": lambda j=junk: line_search(nbest, [1.0, 0, 0], j),
            f"features, {what}": lambda j=junk: NBestList(j, nbest.stats, nbest.offsets),
            f"list of statistics, {what}": lambda j=junk: NBestList(nbest.features, j, [0, 8]),
            f"offsets, {what}": lambda j=junk: NBestList(nbest.features, nbest.stats, j),
            f"names, {what}": lambda j=junk: NBestList(
                nbest.features, nbest.stats, nbest.offsets, names=j, metric=BLEU()
            ),
            f"merged, {what}": lambda j=junk: nbest.merge(j),
            f"oracle, {what}": lambda j=junk: rapidbleu.select_oracle(j, prepared[0]),
            f"reward, {what}": lambda j=junk: rapidbleu.make_reward("trl")(j, ground_truth=[7]),
            f"NLTK's BLEU, {what}": lambda j=junk: bleu_score.corpus_bleu([j], [j, j]),
            f"NLTK's GLEU, {what}": lambda j=junk: gleu_score.corpus_gleu([[j]], [[Broken(), j]]),
            f"NLTK's NIST, {what}": lambda j=junk: nist_score.corpus_nist([[j]], [j, j], 2),
            f"NLTK's chrF, {what}": lambda j=junk: chrf_score.corpus_chrf([j], [j, j]),
        }
    return calls


def of_options() -> Calls:
    bleu, ter = BLEU(), TER()
    rows = bleu.segment_stats(HYPS, REFS)
    running = bleu.running(bleu.prepare(REFS), HYPS)
    nbest, sparse = made(1, (1, 3, 4), 3), made(1, (1, 3, 4), 4)
    chrf_refs = CHRF().prepare(REFS)
    rules = BLEU(tokenize=broken_rule)
    numbers = BLEU(tokenize=lambda text: [text, 7])
    read_only = rows.copy()
    read_only.flags.writeable = False
    wrong_rows: dict[str, Any] = {
        "narrow": rows[:, 1:],
        "floats": rows * 0.5,
        "negative": -rows,
        "high": rows + (1 << 62),
        "flat": rows.ravel(),
        "nested": [*rows.tolist()[:-1], [1]],
        "deep": rows[None],
    }
    calls: Calls = {}
    for name, wrong in wrong_rows.items():
        calls |= {
            f"rows, {name}": lambda r=wrong: [bleu.score_rows(r), running.score_if(0, r)],
            f"running rows, {name}": lambda r=wrong: RunningScore(bleu, r),
            f"weighted rows, {name}": lambda r=wrong: sum_resamples(r, range(24), 2),
        }
    return calls | {
        "tokenizer": lambda: BLEU(tokenize="nothing"),
        "order": lambda: BLEU(max_ngram_order=0),
        "weights": lambda: BLEU(weights=[0.5, "x"]),
        "smoothing": lambda: BLEU(smooth_method="nothing"),
        "threads": lambda: bleu.corpus_score(HYPS, REFS, threads=-1),
        "layout": lambda: bleu.corpus_score(HYPS, REFS, layout="nothing"),
        "no references": lambda: bleu.corpus_score(HYPS),
        "references of another metric": lambda: bleu.corpus_score(HYPS, chrf_refs),
        "chrF of tokens": lambda: CHRF().corpus_score(TOKENS, TOKEN_REFS),
        "TER of tokens": lambda: ter.prepare([TOKENS, IDS]),
        "lower case of numbers": lambda: BLEU(lowercase=True).corpus_score(IDS, [IDS]),
        "rule that fails": lambda: rules.corpus_score(HYPS, REFS, threads=2),
        "rule that fails for a sentence": lambda: rules.sentence_score(HYPS[0], REFS[0]),
        "rule of no tokens": lambda: numbers.corpus_score(HYPS, REFS),
        "replace, place": lambda: running.replace(99, rows[0]),
        "replace, row": lambda: running.replace(0, [1] * 9),
        "replace, text": lambda: running.replace(0, 7),
        "replace many": lambda: running.replace_many([0, 1, 99], rows[:3]),
        "replace many rows": lambda: running.replace_many([0, 1], rows[:3]),
        "append": lambda: running.append([1, "x"]),
        "remove": lambda: running.remove(99),
        "sum of running scores": lambda: running + 7,
        "score if": lambda: running.score_if(0, [[1] * 10, None]),
        "score if all": lambda: running.score_if_all(rows, [0, 99]),
        "out": lambda: bleu._extractor.extract(HYPS, REFS, 0, 1, read_only),
        "segments of lists": lambda: bleu.nbest_stats(HYPS, REFS, segments=[0] * 23 + [99]),
        "stream of lists": lambda: list(bleu.iter_nbest_stats(iter([(0, "a"), (99, "b")]), REFS)),
        "stream of junk": lambda: list(bleu.iter_nbest_stats(iter([(0, "a"), 7]), REFS)),
        "groups": lambda: bleu.mbr([HYPS, 7], groups=True),
        "pairs of one number": lambda: bleu.pairwise([7]),
        "mean": lambda: SegmentScores().stats(["x"]),
        "interpolation": lambda: WeightedSum([bleu, SegmentScores()], [1.0]),
        "lists of other features": lambda: nbest.merge(sparse),
        "evaluate": lambda: nbest.evaluate([[1.0, float("nan"), 0.0]]),
        "mert": lambda: mert(nbest, start=[1.0, "x", 0.0]),
        "mira": lambda: mira(nbest, decay=7),
        "bags of nothing": lambda: tune(sparse, method="mert"),
        "too few to cross-validate": lambda: cross_validate(nbest, ["mert"], splits=2),
        "expectations": lambda: Expectation(None, make_learner_rows(nbest), nbest.stats, None),
        "from lists": lambda: NBestList.from_lists(LISTS, np.ones((3, 2)), REFS),
        "format": lambda: format_rows(np.zeros(2, np.uint32), 1),
        "systems of other sizes": lambda: paired_bootstrap(
            {"A": rows, "B": rows[:3]}, None, bleu, n_resamples=3
        ),
    }


def of_files(folder: Path) -> Calls:
    """Use files that are missing, truncated, malformed or of another type."""
    bleu = BLEU(tokenize="none")
    good = "0 ||| a b ||| F= 1 2 ||| 0.5\n"
    texts = {
        "empty": "",
        "no fields": "text",
        "a segment beyond": good + "99 ||| a ||| F= 1 2",
        "no number": good + "0 ||| a ||| F= 1 x",
        "too few": good + "0 ||| a ||| F= 1",
        "another name": good + "0 ||| a ||| G= 1 2",
        "twice": good + "0 ||| a ||| F= 1 2 F= 1 2",
        "infinite": good + "0 ||| a ||| F= 1 1e999",
        "many lines": good * 3000 + "0 ||| a ||| F= 1 x",
    }
    calls: Calls = {}
    for name, text in texts.items():
        path = folder / name
        path.write_text(text)
        calls |= {
            f"list, {name}": lambda p=path: read_nbest(p, [["a b"]], metric=bleu),
            f"lists, {name}": lambda p=path: read_nbest([p, p], [["a b"]], metric=bleu),
            f"saved, {name}": lambda p=path: NBestList.load(p),
            f"statistics, {name}": lambda p=path: read_stats(p, p),
        }
    nbest = made(1, (1, 3, 4), 3)
    features, scores = folder / "features", folder / "scores"
    for binary in (False, True):
        write_stats(nbest, features, scores, binary=binary)
        cut = folder / f"cut {binary}"
        cut.write_bytes(features.read_bytes()[:-20])
        cut_scores = folder / f"cut scores {binary}"
        cut_scores.write_bytes(scores.read_bytes()[:-20])
        whole = folder / f"whole {binary}"
        whole.write_bytes(scores.read_bytes())
        calls |= {
            f"cut features, binary {binary}": lambda c=cut, w=whole: read_stats(c, w),
            f"cut scores, binary {binary}": lambda c=cut_scores: read_stats(features, c),
            f"scores for features, binary {binary}": lambda w=whole: read_stats(w, w),
        }
    nbest.save(folder / "list.npz")
    saved = (folder / "list.npz").read_bytes()
    for size in (10, len(saved) // 2, len(saved) - 30):
        path = folder / f"{size}.npz"
        path.write_bytes(saved[:size])
        calls[f"saved, cut to {size}"] = lambda p=path: NBestList.load(p)
    gzipped = folder / "list.gz"
    gzipped.write_bytes(b"\x1f\x8b\x08\0\0\0\0\0\0\3rubbish")
    latin = folder / "latin"
    latin.write_bytes(good.encode() + b"0 ||| gr\xfc\xdfe ||| F= 1 2\n")
    return calls | {
        "list, broken gzip": lambda: read_nbest(gzipped, [["a b"]], metric=bleu),
        "list, not UTF-8": lambda: read_nbest(latin, [["a b"]], metric=bleu),
        "list, no file": lambda: read_nbest(folder / "nothing", [["a b"]], metric=bleu),
        "list, no references": lambda: read_nbest(latin, metric=bleu),
        "saved, no file": lambda: NBestList.load(folder / "nothing"),
        "statistics, no file": lambda: read_stats(folder / "nothing", scores),
        "write, no folder": lambda: write_stats(nbest, folder / "no" / "f", folder / "no" / "s"),
        "write, no texts": lambda: write_nbest(nbest, folder / "written"),
        "texts, not UTF-8": lambda: read_texts(LineReader(io.BytesIO(b"a\n\xff\n"), "texts")),
        "texts, broken file": lambda: read_texts(LineReader(BrokenFile(), "texts")),
    }


def of_alignment(folder: Path) -> Calls:
    model = IBMModel1.fit(TOKENS, TOKEN_REFS[0], iterations=1)
    arrays = model.starts, model.words, model.probabilities
    (folder / "no links").write_text("0-0\n0:0\n")
    calls: Calls = {}
    for name, sentences in {
        "number": 5,
        "text": "a",
        "broken": BrokenSequence(),
        "broken stream": BrokenStream(),
        "number in it": ["a", 5],
        "number in tokens": [["a", 5]],
        "too few": ["a"],
    }.items():
        calls[f"Model 1, {name}"] = lambda s=sentences: IBMModel1.fit(s, TOKENS)
        calls[f"Model 1, targets, {name}"] = lambda s=sentences: model.scores(TOKENS, s)
        calls[f"Model 1, alignments, {name}"] = lambda s=sentences: model.alignments(TOKENS, s)
    return calls | {
        "Model 1, iterations": lambda: IBMModel1.fit(TOKENS, TOKENS, iterations=-1),
        "Model 1, threads": lambda: IBMModel1.fit(TOKENS, TOKENS, threads=-1),
        "Model 1, progress": lambda: IBMModel1.fit(TOKENS, TOKENS, progress=fail),
        "Model 1, floor": lambda: model.score("a", "b", floor=2.0),
        "table, words": lambda: IBMModel1(("a", "a"), model.target_words, *arrays),
        "table, lengths": lambda: IBMModel1(("a",), model.target_words, *arrays),
        "table, probabilities": lambda: IBMModel1(
            model.source_words, model.target_words, *arrays[:2], arrays[2] + 1
        ),
        "links, line": lambda: parse_links("0-0 0:0"),
        "links, pairs": lambda: count_links([[(0,)]], [[]]),
        "links, lengths": lambda: count_links([[(0, 0)]], []),
        "links, hits": lambda: LinkScore([2, 1, 0, 0]),
        "links, method": lambda: symmetrize([(0, 0)], [(0, 0)], "grow-final"),
        "links, file": lambda: read_links(folder / "no links"),
        "links, no file": lambda: read_links(folder / "nowhere"),
        "links, written": lambda: write_links([[(0, 0)], [(0, -1)]], folder / "links"),
    }


def fail(*_: Any) -> None:
    raise OSError("no terminal")


def bad_calls(folder: Path) -> Calls:
    """Return all refused calls by name; files are written to the folder."""
    return of_input() | of_options() | of_files(folder) | of_alignment(folder) | bad_judging(folder)
