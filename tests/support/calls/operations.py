"""Every public operation once, small: for tests of failing memory, leaks and threads.

An operation is a callable without arguments that always returns the same result, any number of
times and in any number of threads at once. The objects it uses (metrics, prepared references,
n-best lists) are created once and shared by all calls.
"""

import io
import pickle
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from threading import get_ident
from typing import Any

import numpy as np

import rapidbleu
from rapidbleu import (
    BLEU,
    CHRF,
    ROUGE,
    TER,
    RunningScore,
    SegmentScores,
    StatsTable,
    WeightedSum,
    scan,
)
from rapidbleu._core.counting.matches import Beside, NgramMatches
from rapidbleu._core.input.lines import LineReader, read_texts
from rapidbleu.alignment import (
    IBMModel1,
    format_links,
    parse_links,
    read_links,
    score_links,
    swap_links,
    symmetrize,
    write_links,
)
from rapidbleu.nltk import bleu_score, chrf_score, gleu_score, nist_score, ribes_score
from rapidbleu.significance import (
    bootstrap,
    paired_bootstrap,
    paired_randomization,
    sum_resamples,
)
from rapidbleu.streams.tables import arrow_library
from rapidbleu.table import Table
from rapidbleu.tuning import (
    NBestList,
    cross_validate,
    line_search,
    mert,
    mira,
    pro,
    read_nbest,
    read_stats,
    risk,
    tune,
    tune_repeatedly,
    write_nbest,
    write_stats,
)
from support.calls.judging import of_agreement, of_meta
from support.corpora import random_corpus, with_gaps
from support.family import METRICS
from support.tuning_lists import made

Operation = Callable[[], Any]

HYPS, REFS = random_corpus(Random("operations"), 24, kind="mixed", n_refs=2)
GAPS = with_gaps(Random("operations"), REFS)
TOKENS = [text.split() for text in HYPS]
TOKEN_REFS = [[text.split() for text in stream] for stream in REFS]
IDS = [np.array([len(token) for token in tokens], np.int64) for tokens in TOKENS]
ID_REFS = [[[len(token) for token in tokens] for tokens in stream] for stream in TOKEN_REFS]
MANY, MANY_REFS = HYPS * 26, [stream * 26 for stream in REFS]  # more than one thread's share
LISTS = [[HYPS[i], REFS[1][i], HYPS[i], HYPS[i - 1]] for i in range(len(HYPS))]

# Numbers of tokens at which counting n-grams changes algorithm: see `_core/ngrams/clipping.h`.
WORDS = [f"word{i % 50}" for i in range(2000)]
LONGER = {
    "64 tokens": " ".join(WORDS[:60]),
    "384 tokens": " ".join(WORDS[:300]),
    "many short tokens": "a b c " * 300,
    "many tokens": " ".join(f"a long word {i}" for i in range(300)),
}


def plain(value: Any) -> Any:
    """Return a result in a form that `==` compares completely."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, (str, bytes, int, float, type(None), Fraction)):
        return repr(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if hasattr(value, "indptr"):
        return [plain(part) for part in (value.indptr, value.indices, value.data)]
    if isinstance(value, NBestList):
        parts = (value.features, value.stats, value.offsets, value.ids, value.names)
        return [plain(part) for part in parts]
    if hasattr(value, "__dict__"):
        return type(value).__name__, plain(vars(value))
    if isinstance(value, Iterable):
        return [plain(item) for item in value]
    return repr(value)


def of_metrics() -> dict[str, Operation]:
    ops: dict[str, Operation] = {}
    metrics = {
        "BLEU": BLEU(),
        "BLEU of lower case": BLEU(lowercase=True, tokenize="intl", effective_order=True),
        "BLEU of weighted orders": BLEU(weights=[0.5, 0.2, 0.3], max_ngram_order=3),
        "BLEU of high order": BLEU(max_ngram_order=20),
        "BLEU of own tokens": BLEU(tokenize=str.split, trg_lang="xx"),
        "chrF": CHRF(),
        "chrF++": CHRF(word_order=2, lowercase=True, eps_smoothing=True),
        "TER": TER(),
        "normalized TER": TER(normalized=True, no_punct=True, asian_support=True),
    }
    for name, metric in metrics.items():
        prepared = metric.prepare(GAPS)
        ops |= {
            f"{name}, corpus": lambda m=metric: m.corpus_score(HYPS, REFS),
            f"{name}, corpus in threads": lambda m=metric: m.corpus_score(
                MANY, MANY_REFS, threads=2
            ),
            f"{name}, prepared": lambda m=metric, p=prepared: m.corpus_score(HYPS, p),
            f"{name}, segments": lambda m=metric: m.segment_scores(HYPS, GAPS),
            f"{name}, statistics": lambda m=metric: m.score(m.segment_stats(HYPS, GAPS).sum(0)),
            f"{name}, by segment": lambda m=metric: m.corpus_stats(
                HYPS, [list(refs) for refs in zip(*REFS, strict=True)], layout="segment"
            ),
            f"{name}, sentence": lambda m=metric: [
                *(m.sentence_score(HYPS[i], [REFS[0][i], REFS[1][i]]) for i in range(3)),
                m.num_refs,
            ],
            f"{name}, prepare": lambda m=metric: pickle.dumps(m.prepare(GAPS)._prepared),
            f"{name}, copy": lambda m=metric: of_copy(m),
            f"{name}, lists": lambda m=metric, p=prepared: m.nbest_stats(LISTS, p),
            f"{name}, scores of lists": lambda m=metric, p=prepared: m.nbest_scores(LISTS, p),
            f"{name}, resampled": lambda m=metric: m.corpus_score(HYPS, REFS, n_bootstrap=5),
        }
        for length, text in LONGER.items():
            several = [text, f"{text} x", text[: len(text) // 2]]
            pickled = pickle.dumps(metric)  # a new metric has no memory from earlier calls
            ops[f"{name}, {length}"] = lambda p=pickled, t=text: pickle.loads(p).segment_stats(
                [t], [[t[5:]]]
            )
            ops[f"{name}, {length}, more references"] = lambda p=pickled, t=text, s=several: (
                pickle.loads(p).corpus_stats([t], [[ref] for ref in s])
            )
    del ops["normalized TER, corpus in threads"]  # tokenized in Python
    bleu, tokens = metrics["BLEU"], BLEU(tokenize="none")
    arrow = read_texts(LineReader(io.BytesIO("\n".join(with_no_breaks(HYPS)).encode()), "texts"))
    pickled = pickle.dumps(bleu.prepare(REFS))
    return ops | {
        "tokens": lambda: bleu.corpus_score(TOKENS, TOKEN_REFS),
        "tokens in lower case": lambda: BLEU(lowercase=True).segment_stats(TOKENS, TOKEN_REFS),
        "tokens prepared": lambda: tokens.corpus_stats(TOKENS, tokens.prepare(TOKEN_REFS)),
        "ids": lambda: bleu.corpus_score(IDS, ID_REFS),
        "arrays": lambda: bleu.corpus_score(np.array(HYPS), [np.array(s) for s in REFS]),
        "Arrow": lambda: tokens.corpus_stats(arrow, [arrow]),
        "Arrow in lower case": lambda: BLEU(lowercase=True).corpus_stats(arrow, [arrow]),
        "references from a pickle": lambda: bleu.corpus_score(HYPS, pickle.loads(pickled)),
        "int32 in threads": lambda: bleu.nbest_stats(LISTS, GAPS, dtype="int32", threads=2),
        "stream of lists": lambda: list(
            bleu.iter_nbest_stats(((i % 24, HYPS[i % 24]) for i in range(60)), REFS, chunk=25)
        ),
        "functions": lambda: [
            rapidbleu.corpus_bleu(HYPS, REFS),
            rapidbleu.raw_corpus_bleu(HYPS, REFS),
            rapidbleu.sentence_bleu(HYPS[0], [REFS[0][0]]),
            rapidbleu.corpus_chrf(HYPS, REFS),
            rapidbleu.sentence_chrf(HYPS[0], [REFS[0][0]]),
            rapidbleu.corpus_ter(HYPS, REFS),
            rapidbleu.sentence_ter(HYPS[0], [REFS[0][0]]),
        ],
        "attributes of a score": lambda: [
            rapidbleu.sentence_bleu(HYPS[0], REFS[0]).counts,
            vars(rapidbleu.sentence_bleu(HYPS[0], REFS[0])),
            pickle.dumps(rapidbleu.sentence_bleu(HYPS[0], REFS[0])),
        ],
    }


def of_streams(folder: Path) -> dict[str, Operation]:
    hyps, refs = ([t.replace("\t", " ") for t in with_no_breaks(x)] for x in (HYPS, REFS[0]))
    for name, texts in (("stream.hyp", hyps), ("stream.ref", refs)):
        (folder / name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    rows = ["\t".join(row) for row in (("hyp", "ref"), *zip(hyps, refs, strict=True))]
    (folder / "stream.tsv").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    bleu = BLEU(force=True)
    table = Table({"number": range(len(hyps)), "hyp": hyps, "ref": refs})
    # Converted in advance, because pyarrow crashes if some of its own allocations fail.
    converted = table._exported(arrow_library())
    named = {name: table[name] for name in table.names}
    by_segment = [[ref] for ref in refs]
    lists = [(hyps[i : i + 5], by_segment[i : i + 5]) for i in range(0, len(hyps), 5)]
    return {
        "stream of texts": lambda: bleu.segment_stats(iter(HYPS), [iter(s) for s in GAPS]),
        "stream of tokens": lambda: bleu.corpus_score(
            iter(TOKENS), map(list, zip(*TOKEN_REFS, strict=True)), layout="segment"
        ),
        "stream of lines": lambda: bleu.segment_scores(
            folder / "stream.hyp", [folder / "stream.ref"]
        ),
        "stream of fields": lambda: bleu.corpus_stats(scan(folder / "stream.tsv")),
        "stream of a table": lambda: bleu.corpus_stats(scan(converted)),
        "stream of rows": lambda: bleu.stats_table(scan([named], id_column="number", keep="ref")),
        "stream of batches": lambda: bleu.corpus_stats(scan(lists)),
    }


def of_family() -> dict[str, Operation]:
    """Use the metrics beyond BLEU, chrF and TER, in fewer calls."""
    ops: dict[str, Operation] = {}
    texts = [*HYPS[:8], *LONGER.values()]
    for name, metric in METRICS.items():
        if name.startswith(("BLEU", "chrF", "TER")):
            continue
        prepared, pickled = metric.prepare(GAPS), pickle.dumps(metric)
        many: Any = (MANY, MANY_REFS)
        if name.startswith("METEOR"):  # whose text normalization is written in Python
            many = TOKENS * 26, [stream * 26 for stream in TOKEN_REFS]
        ops |= {
            f"{name}, corpus": lambda m=metric: m.corpus_score(HYPS, REFS),
            f"{name}, segments in threads": lambda m=metric, t=many: m.segment_scores(
                *t, threads=2
            ),
            f"{name}, sentence": lambda m=metric: m.sentence_score(HYPS[0], [REFS[0][0]]),
            f"{name}, lists": lambda m=metric, p=prepared: m.nbest_stats(LISTS, p),
            f"{name}, pairs": lambda m=metric: m.pairwise(texts, HYPS[:9]),
            f"{name}, long texts": lambda p=pickled: pickle.loads(p).segment_stats(
                texts, [[text[5:] for text in texts]]
            ),
        }
        if hasattr(metric, "align"):
            ops[f"{name}, alignment"] = lambda m=metric: [
                m.align(text, [text[5:], REFS[0][0]]) for text in texts
            ]
    del ops["EED, segments in threads"]  # prepared in Python
    return ops


def of_copy(metric: Any) -> Any:
    """Return a score and the signature of a copy, which no other thread may see."""
    copy = pickle.loads(pickle.dumps(metric))
    return copy.corpus_score(HYPS, REFS), copy.get_signature().format()


def with_no_breaks(texts: list[str]) -> list[str]:
    return [text.replace("\n", " ").replace("\r", " ") for text in texts]


def of_pool(metric: Any, texts: list[str]) -> Any:
    """Return the contents and scores of a growing pool."""
    pool = metric.pool(texts[:5])
    kept = pool.filter(texts[3:], 40, ties="rouge-score" if metric._per_match == 2 else "exact")
    pool.remove(pool.add(texts[0]))
    return kept, pool.nearest(texts[1], 3), pool.scores(texts[2])


def of_pairs() -> dict[str, Operation]:
    ops: dict[str, Operation] = {}
    texts = HYPS + REFS[0]
    groups = [texts[:30], texts[30:33], texts[33:]]
    for metric in (BLEU(effective_order=True), BLEU(max_ngram_order=9), CHRF(word_order=2), TER()):
        name = f"{type(metric).__name__} {getattr(metric, 'max_ngram_order', '')}".strip()
        ops |= {
            f"{name}, pairs": lambda m=metric: m.pairwise(texts),
            f"{name}, pairs in threads": lambda m=metric: m.pairwise(texts[:3], threads=2),
            f"{name}, MBR": lambda m=metric: m.mbr(groups, groups=True),
            f"{name}, select": lambda m=metric: m.select(groups, groups=True),
            f"{name}, self": lambda m=metric: m.self_scores(groups, groups=True),
            f"{name}, pool": lambda m=metric: of_pool(m, texts),
        }
    ops["ROUGE-L, pool"] = lambda: of_pool(ROUGE("L"), texts)
    bleu = BLEU()
    prepared = bleu.prepare(REFS)
    rows = bleu.segment_stats(HYPS, prepared)

    def run() -> Any:
        running = bleu.running(prepared, HYPS)
        found = [running.score, running.replace(0, rows[1]), running.replace(1, HYPS[0])]
        found += [running.replace(2, rows[3].tolist()), running.replace_many([3, 4], rows[:2])]
        found += [running.score_if(0, rows), running.best_of(1, rows), running.append(rows[0])]
        found += [running.remove(5), running.copy().stats, (running + running).score]
        found += [running.score_if_all(np.repeat(rows, 2, 0), np.arange(0, 49, 2))]
        return [*found, RunningScore(bleu, rows).score, len(pickle.dumps(running))]

    trl, verl = rapidbleu.make_reward("trl"), rapidbleu.make_reward("verl")
    return ops | {
        "running": run,
        "oracle": lambda: rapidbleu.select_oracle(LISTS, prepared, restarts=1),
        "reward for trl": lambda: trl(HYPS, ground_truth=REFS[0]),
        "reward for verl": lambda: verl("", HYPS[0], [REFS[0][0], REFS[1][0]], None),
    }


def of_significance() -> dict[str, Operation]:
    metrics = [BLEU(), TER()]
    systems = {"A": HYPS, "B": REFS[1], "C": HYPS[::-1]}
    mean = SegmentScores()
    rows = mean.stats(np.linspace(0, 1, 40))
    table = BLEU().stats_table(HYPS, REFS, ids=[f"é{i}" for i in range(24)])
    return {
        "Poisson bootstrap": lambda: table.poisson_bootstrap(9).samples,
        "Poisson bootstrap in threads": lambda: sum_resamples(rows, range(40), 300, threads=2),
        "bootstrap": lambda: bootstrap(rows, None, mean, n_resamples=40).samples,
        "paired bootstrap": lambda: str(
            paired_bootstrap(systems, REFS[:1], metrics, n_resamples=20)
        ),
        "paired randomization in threads": lambda: str(
            paired_randomization(systems, REFS[:1], metrics, n_trials=20, threads=2)
        ),
    }


def of_nltk() -> dict[str, Operation]:
    """Call NLTK's functions with tokens of all kinds."""
    refs = [[list(pair[0]), list(pair[1])] for pair in zip(*TOKEN_REFS, strict=True)]
    objects: list[Any] = [1, 1.0, "x", ("a", 2), None, b"bytes"] * 3
    method = bleu_score.SmoothingFunction().method4
    ops: dict[str, Operation] = {}
    for name, hyps, references in (
        ("strings", TOKENS, refs),
        ("integers", [list(map(int, ids)) for ids in IDS], [[r] for r in ID_REFS[0]]),
        ("objects", [objects, objects[2:]], [[objects[1:]], [objects, objects[::-1]]]),
    ):
        ops |= {
            f"corpus_bleu of {name}": lambda h=hyps, r=references: bleu_score.corpus_bleu(
                r, h, smoothing_function=method
            ),
            f"sentence_bleu of {name}": lambda h=hyps, r=references: bleu_score.sentence_bleu(
                r[0], h[0], smoothing_function=method
            ),
            f"corpus_gleu of {name}": lambda h=hyps, r=references: gleu_score.corpus_gleu(r, h),
            f"corpus_nist of {name}": lambda h=hyps, r=references: nist_score.corpus_nist(r, h, 2),
            f"corpus_ribes of {name}": lambda h=hyps, r=references: ribes_score.corpus_ribes(r, h),
        }
    return ops | {
        "corpus_chrf": lambda: chrf_score.corpus_chrf(REFS[0], HYPS),
        "sentence_chrf": lambda: chrf_score.sentence_chrf(TOKENS[0], TOKENS[1]),
    }


def of_tuning(folder: Path) -> dict[str, Operation]:
    """Tune on n-best lists, and use their files, written to the folder."""
    sizes = (1, 3, 4, 5, 40)
    nbest, double = made(1, sizes, 3), made(1, sizes, 3, np.float64)
    bleu = BLEU(tokenize="none")
    lines = [
        f"{i} ||| {text} ||| LM= -{k}.25 1e-3 W= {len(text)} ||| -4.5"
        for i, several in enumerate([with_no_breaks(several) for several in LISTS])
        for k, text in enumerate(several)
    ]
    (folder / "nbest").write_text("\n".join(lines), encoding="utf-8")
    lists = read_nbest(folder / "nbest", REFS, metric=bleu)
    write_stats(nbest, folder / "features", folder / "scores")
    write_stats(nbest, folder / "binary.features", folder / "binary.scores", binary=True)
    direction = [0.1, -1.0, 0.5]
    mixed = WeightedSum([bleu, SegmentScores()], [0.5, 0.5])
    wide = np.concatenate([lists.stats, SegmentScores().stats(np.arange(len(lists)))], axis=1)
    pickled = pickle.dumps(nbest)

    def write() -> list[bytes]:
        own = f"of thread {get_ident()}"
        paths = [folder / f"{name} {own}" for name in ("list", "features", "scores")]
        write_nbest(lists, paths[0])
        write_stats(lists, *paths[1:])
        return [path.read_bytes() for path in paths]

    def saved() -> Any:
        path = folder / f"{get_ident()}.npz"
        lists.save(path)
        return NBestList.load(path)

    def rows_in_a_file() -> Any:
        path = folder / f"rows of thread {get_ident()}.npz"
        table = bleu.stats_table(HYPS, REFS, keep={"text": HYPS})
        table.save(path)
        both = StatsTable.merge([table, StatsTable.load(path)])
        return both.rows, both["text"], both.score(by="text"), both.scores().to_dict()

    ops: dict[str, Operation] = {
        "rows in a file": rows_in_a_file,
        "from lists": lambda: NBestList.from_lists(LISTS, np.arange(2.0 * 96).reshape(96, 2), REFS),
        "read a list": lambda: read_nbest(folder / "nbest", REFS, metric=bleu),
        "read files of statistics": lambda: read_stats(folder / "features", folder / "scores"),
        "read binary files": lambda: read_stats(
            folder / "binary.features", folder / "binary.scores"
        ),
        "write files": write,
        "save and load": saved,
        "merge": lambda: nbest.merge(nbest),
        "lists from a pickle": lambda: pickle.loads(pickled).score(direction),
        "best and evaluate in threads": lambda: [
            nbest.best(direction),
            nbest.evaluate(np.eye(3), threads=2),
            double.evaluate(direction),
        ],
        "line search": lambda: line_search(nbest, direction, [1.0, 0, 0]).scores,
        "line search of doubles": lambda: line_search(double, direction, [1.0, 0, 0]).scores,
        "mert": lambda: mert(nbest, restarts=1, max_steps=3).weights,
        "mert in threads": lambda: mert(nbest, restarts=1, threads=2, max_steps=3).weights,
        "mert as Moses": lambda: mert(nbest, restarts=1, max_steps=3, moses_compat=True).weights,
        "mira": lambda: mira(nbest, epochs=2).weights,
        "mira as Moses": lambda: mira(nbest, epochs=2, moses_compat=True).weights,
        "interpolation": lambda: WeightedSum.score(mixed, wide[:5]),
        "tune many": lambda: (
            tune_repeatedly(nbest, "mira", epochs=1, n_trials=5, n_resamples=5).best.weights
        ),
    }
    try:
        import scipy  # noqa: F401
    except ImportError:
        return ops
    return ops | {
        "pro": lambda: pro(nbest, candidates=50, samples=5, min_difference=0.1).weights,
        "risk": lambda: risk(nbest, max_steps=3).weights,
        "risk, doubles": lambda: risk(double, max_steps=3).weights,
    }


def of_held_out() -> dict[str, Operation]:
    nbest = made(4, [3] * 24, 3)
    ops: dict[str, Operation] = {
        "bags of mert": lambda: (
            tune(nbest, method="mert", bags=3, restarts=0, max_steps=2).bag_weights
        ),
        "bags of mira": lambda: (
            tune(nbest, method="mira", bags=3, aggregate="mbr", epochs=1).weights
        ),
        "cross-validation": lambda: (
            cross_validate(
                nbest,
                {"start": np.ones(3), "mert": partial(mert, restarts=0, max_steps=2)},
                splits=2,
                threads=2,
            ).test
        ),
    }
    try:
        import scipy  # noqa: F401
    except ImportError:
        return ops
    return ops | {"tuning by default": lambda: tune(nbest, threads=2).weights}


def of_alignment(folder: Path) -> dict[str, Operation]:
    model = IBMModel1.fit(TOKENS, TOKEN_REFS[0], iterations=2)
    pickled = pickle.dumps(model)
    few, long = ["a b c"] * 4, [["u", "v", "w"] * 1400] * 4
    links = model.alignments(TOKENS, TOKEN_REFS[0])
    turned = [swap_links(row) for row in links]

    def learn(*sides: Any, **options: Any) -> Any:
        found = IBMModel1.fit(*sides, **options)
        return found.source_words, found.starts, found.words, found.probabilities

    def written() -> Any:
        path = folder / f"links of {get_ident()}"
        write_links(links, path)
        return read_links(path)

    return {
        "Model 1": lambda: learn(TOKENS, TOKEN_REFS[0], iterations=2),
        "Model 1 without NULL": lambda: learn(HYPS, REFS[0], iterations=1, null=False),
        "Model 1 in threads": lambda: learn(few, long, iterations=2, threads=2),
        "Model 1, scores": lambda: model.scores(TOKENS, TOKEN_REFS[1]),
        "Model 1, scores in threads": lambda: model.scores(few, long, threads=2),
        "Model 1, alignments": lambda: model.alignments(TOKENS, TOKEN_REFS[1]),
        "Model 1, posteriors": lambda: model.posteriors(TOKENS[0], TOKEN_REFS[1][0]),
        "Model 1, counts": lambda: model.expected_counts(TOKENS, TOKEN_REFS[1]),
        "Model 1, counts in threads": lambda: model.expected_counts(few, long, threads=2),
        "Model 1, words": lambda: [model.translations(None), len(model.to_dict())],
        "Model 1 from a pickle": lambda: pickle.loads(pickled).score(HYPS[0], REFS[0][0]),
        "links": lambda: [
            score_links(links, turned, links[::-1]),
            parse_links(format_links(links[0])),
            [symmetrize(*both) for both in zip(links, turned, strict=True)],
        ],
        "links in files": written,
    }


def of_comparison() -> dict[str, Operation]:
    beside = [[*several, hyp] for *several, hyp in zip(*REFS, HYPS, strict=True)]
    texts = BLEU().prepare(beside, layout="segment")._prepared

    def counted() -> Any:
        matches = NgramMatches(found := Beside(texts, 1), [0], True)
        matches.lengthen()
        counts, places = np.empty((2, matches.n_ngrams + 1), np.int32)
        matches.count("match", 0, counts)
        matches.write_places(places)
        return counts, places, [found.text_at(place, 2) for place in places[1:].tolist()]

    return {"n-grams side by side": counted}


def of_whole_comparison() -> dict[str, Operation]:
    systems = {"hyps": HYPS, "refs": REFS[1]}
    found = rapidbleu.compare(systems, GAPS, n_resamples=3)
    return {
        "compare": lambda: rapidbleu.compare(systems, GAPS, n_resamples=3, threads=2).to_dict(),
        "compare, n-grams": lambda: found.ngrams("refs", "hyps").to_dict(),
        "compare, n-grams too many": lambda: found.ngrams("hyps", "refs", what="over").to_dict(),
        "compare, examples": lambda: found.examples("refs", "hyps").to_dict(),
    }


def operations(folder: Path) -> dict[str, Operation]:
    """Return all operations of the core by name; files are written to the folder."""
    return (
        of_metrics()
        | of_family()
        | of_streams(folder)
        | of_pairs()
        | of_significance()
        | of_nltk()
        | of_tuning(folder)
        | of_alignment(folder)
        | of_comparison()
        | of_agreement()
    )


def all_operations(folder: Path) -> dict[str, Operation]:
    """Add operations in which NumPy indexes by arrays, where it crashes without memory."""
    return operations(folder) | of_meta(folder) | of_held_out() | of_whole_comparison()
