"""Every public function and method once, with its arguments by name or at their defaults."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import rapidbleu
from rapidbleu import (
    BLEU,
    GECGLEU,
    NIST,
    TER,
    WER,
    RunningScore,
    SegmentScores,
    WeightedSum,
    alignment,
    meta,
    plots,
    rewards,
    scan,
    significance,
    tuning,
)
from rapidbleu.table import Table
from rapidbleu.tokenizers import get_tokenizer
from rapidbleu.tuning import NBestList
from support.calls.judging import judged

Calls = dict[str, tuple[Callable[..., Any], dict[str, Any]]]

TEXTS = ["the cat sat on the mat .", "a dog barked .", "it rained all day long ."]
HYPS, REFS = [text.replace("the", "a") for text in TEXTS], [TEXTS]
LISTS = [[HYPS[0], TEXTS[0]], [HYPS[1], "a dog"], [HYPS[2], "it rained"]]
FEATURES = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 3.0], [2.0, 2.0], [0.5, 1.0]]
OFFSETS = [0, 2, 4, 6]
SYSTEMS = {"A": HYPS, "B": TEXTS}
MEAN = SegmentScores()


def of_metric(metric: Any, folder: Path) -> Calls:
    name = type(metric).__name__
    corpus: dict[str, Any] = {"hypotheses": HYPS, "references": REFS}
    lists = {"hypotheses": LISTS, "references": REFS}
    choice = {"hypotheses": LISTS, "references": LISTS, "groups": True}
    rows = metric.segment_stats(HYPS, REFS)
    calls: dict[str, dict[str, Any]] = {
        "corpus_score": {**corpus, "n_bootstrap": 2, "seed": 1},
        "corpus_stats": corpus,
        "segment_stats": corpus,
        "segment_scores": corpus,
        "sentence_score": {"hypothesis": HYPS[0], "references": TEXTS[:1]},
        "explain": {"hypothesis": HYPS[0], "references": TEXTS[:1]},
        "prepare": {"references": REFS},
        "running": {"references": REFS, "hypotheses": HYPS},
        "nbest_stats": lists,
        "nbest_scores": lists,
        "select": choice,
        "mbr": choice,
        "pairwise": {"hypotheses": HYPS, "references": TEXTS},
        "self_scores": {"hypotheses": HYPS},
        "stats_table": {
            **corpus,
            "ids": ["a", "b", "c"],
            "keep": {"n": [1, 2, 3]},
            "shard": (1, 2),
            "first": 0,
            "inputs": ["x"],
        },
        "save_stats": {
            "path": folder / "saved.npz",
            **corpus,
            "shard": (1, 2),
            "first": 0,
            "inputs": ["x"],
        },
        "segment_table": {"systems": SYSTEMS, "references": REFS, "ids": ["a", "b", "c"]},
        "score": {"stats": rows},
        "score_rows": {"stats": rows},
    }
    found: Calls = {f"{name}.{key}": (getattr(metric, key), args) for key, args in calls.items()}
    streamed = {
        "pairs": [(0, HYPS[0]), (1, HYPS[1])],
        "references": REFS,
        "chunk": 2,
        "layout": "stream",
        "dtype": "int64",
        "threads": 1,
        "progress": None,
    }
    batches = {
        "batches": [],
        "hyp": "hyp",
        "refs": "ref",
        "id_column": None,
        "keep": (),
        "threads": 1,
    }
    for key, args in (("iter_nbest_stats", streamed), ("map_stats", batches)):
        call = getattr(metric, key)
        found[f"{name}.{key}"] = (lambda call=call, **given: list(call(**given)), args)
    return found


def of_metrics(folder: Path) -> Calls:
    bleu, wer, nist = BLEU(force=True), WER(), NIST().with_information(REFS)
    mixed = WeightedSum([bleu, TER()])
    table = bleu.stats_table(HYPS, REFS, keep={"lang": ["a", "b", "a"]})
    table.save(folder / "table.npz")
    made = bleu.running(bleu.prepare(REFS), HYPS)
    rows = bleu.segment_stats(HYPS, REFS)

    def on_running(method: str) -> Callable[..., Any]:
        return lambda **given: getattr(made.copy(), method)(**given)

    pair = {"hypothesis": HYPS[0], "references": TEXTS[:1]}
    texts = {"hypotheses": HYPS, "references": REFS}
    return (
        of_metric(bleu, folder)
        | of_metric(TER(), folder)
        | of_metric(nist, folder)
        | {
            "BLEU.order_scores": (bleu.order_scores, {"stats": rows}),
            "TER.align": (TER().align, pair),
            "WER.align": (wer.align, pair),
            "CER.align": (rapidbleu.CER().align, pair),
            "HTER.align": (rapidbleu.HTER().align, pair),
            "GECGLEU.draw_scores": (
                GECGLEU().draw_scores,
                {"hypotheses": HYPS, "sources": HYPS, "references": REFS, "n_draws": 3},
            ),
            "NIST.with_information": (NIST().with_information, {"references": REFS}),
            "WeightedSum": (WeightedSum, {"metrics": [bleu, wer], "weights": [1, 2]}),
            "WeightedSum.nbest_stats": (
                mixed.nbest_stats,
                {"hypotheses": LISTS, "references": REFS},
            ),
            "WeightedSum.segment_stats": (mixed.segment_stats, texts),
            "WeightedSum.prepare": (mixed.prepare, {"references": REFS}),
            "WeightedSum.score": (mixed.score, {"stats": mixed.segment_stats(**texts)}),
            "SegmentScores": (SegmentScores, {"name": "COMET"}),
            "SegmentScores.mcnemar_test": (MEAN.mcnemar_test, {"a": [0, 1], "b": [1, 1]}),
            "SegmentScores.stats": (MEAN.stats, {"scores": [0.5, 0.25]}),
            "RunningScore": (
                RunningScore,
                {
                    "metric": bleu,
                    "rows": rows,
                    "references": bleu.prepare(REFS),
                    "segments": [0, 1, 2],
                },
            ),
            "RunningScore.replace": (on_running("replace"), {"i": 0, "new": TEXTS[0]}),
            "RunningScore.append": (on_running("append"), {"new": rows[0]}),
            "RunningScore.remove": (on_running("remove"), {"i": 0}),
            "RunningScore.replace_many": (
                on_running("replace_many"),
                {"indices": [0, 1], "rows": rows[:2]},
            ),
            "RunningScore.score_if": (on_running("score_if"), {"i": 0, "rows": rows}),
            "RunningScore.best_of": (on_running("best_of"), {"i": 0, "rows": TEXTS}),
            "RunningScore.score_if_all": (
                on_running("score_if_all"),
                {"rows": rows, "offsets": [0, 1, 2, 3]},
            ),
            "scan": (
                lambda **given: bleu.corpus_score(scan(**given)),
                {
                    "source": [{"hyp": HYPS, "ref": TEXTS}],
                    "hyp": "hyp",
                    "refs": "ref",
                    "id_column": None,
                    "keep": (),
                },
            ),
            "StatsTable": (
                rapidbleu.StatsTable,
                {
                    "metric": bleu,
                    "rows": rows,
                    "signature": table.signature,
                    "ids": [1, 2, 3],
                    "keep": {"lang": ["a", "b", "a"]},
                    "shard": (1, 2),
                    "first": 0,
                    "inputs": ["x"],
                    "merged": [(1, 2)],
                },
            ),
            "StatsTable.load": (
                rapidbleu.StatsTable.load,
                {"path": folder / "table.npz", "metric": bleu},
            ),
            "StatsTable.save": (table.save, {"path": folder / "again.npz"}),
            "StatsTable.merge": (rapidbleu.StatsTable.merge, {"tables": [table]}),
            "StatsTable.score": (table.score, {"by": "lang"}),
            "StatsTable.poisson_bootstrap": (
                table.poisson_bootstrap,
                {"n_resamples": 5, "seed": 1, "level": 0.9},
            ),
            "StatsTable.sum_resamples": (table.sum_resamples, {"n_resamples": 5, "seed": 1}),
            "StatsTable.rows_for": (table.rows_for, {"metric": bleu}),
            "Table": (Table, {"columns": {"a": [1, 2]}, "digits": {"a": 1}, "best": {"a": "max"}}),
            "corpus_bleu": (rapidbleu.corpus_bleu, {**texts, "force": True}),
            "raw_corpus_bleu": (rapidbleu.raw_corpus_bleu, texts),
            "sentence_bleu": (rapidbleu.sentence_bleu, pair),
            "corpus_chrf": (rapidbleu.corpus_chrf, texts),
            "sentence_chrf": (rapidbleu.sentence_chrf, pair),
            "corpus_ter": (rapidbleu.corpus_ter, texts),
            "sentence_ter": (rapidbleu.sentence_ter, pair),
            "idf": (rapidbleu.idf, {"documents": [text.split() for text in TEXTS]}),
            "select_oracle": (
                rapidbleu.select_oracle,
                {"hypotheses": LISTS, "references": REFS, "metric": bleu, "restarts": 1},
            ),
            "better": (rapidbleu.better, {"a": bleu.score(rows), "b": bleu.score(rows[0])}),
            "get_tokenizer": (get_tokenizer, {"name": "13a"}),
            "BLEU.tokenizer": (bleu.tokenizer, {"text": TEXTS[0]}),
            "Score.format": (bleu.corpus_score(HYPS, REFS).format, {"signature": "x"}),
        }
    )


def of_tuning(folder: Path) -> Calls:
    bleu = BLEU(force=True)
    nbest = NBestList.from_lists(LISTS, FEATURES, REFS, metric=bleu, names=["a", "b"])
    many = NBestList(
        FEATURES * 4, np.tile(nbest.stats, (4, 1)), range(0, 25, 2), metric=bleu, names=["a", "b"]
    )
    nbest.save(folder / "list.npz")
    tuning.write_nbest(nbest, folder / "list.nbest")
    tuning.write_stats(nbest, folder / "features", folder / "scores")
    found, line = tuning.mert(nbest, restarts=1), tuning.line_search(nbest, [1, 1], [1, 0])
    search: dict[str, Any] = {"nbest": nbest, "start": [1.0, 0.5]}
    runs = tuning.cross_validate(many, {"mert": tuning.mert}, splits=2)
    return {
        "NBestList": (
            NBestList,
            {
                "features": FEATURES,
                "stats": nbest.stats,
                "offsets": OFFSETS,
                "metric": bleu,
                "names": ["a", "b"],
                "hypotheses": [*HYPS, *HYPS],
                "ids": [3, 2, 1],
            },
        ),
        "NBestList.from_lists": (
            NBestList.from_lists,
            {
                "hypotheses": LISTS,
                "features": FEATURES,
                "references": REFS,
                "metric": bleu,
                "names": ["a", "b"],
            },
        ),
        "NBestList.load": (NBestList.load, {"path": folder / "list.npz", "metric": bleu}),
        "NBestList.save": (nbest.save, {"path": folder / "other.npz"}),
        "NBestList.merge": (lambda others: nbest.merge(others), {"others": nbest}),
        "NBestList.best": (nbest.best, {"weights": [1.0, 2.0]}),
        "NBestList.score": (nbest.score, {"weights": [1.0, 2.0]}),
        "NBestList.evaluate": (nbest.evaluate, {"weights": [1.0, 2.0]}),
        "line_search": (
            tuning.line_search,
            {
                "nbest": nbest,
                "weights": [1.0, 1.0],
                "direction": [1.0, 0.0],
                "bounds": (-1, 1),
                "smooth": ("mean", 1),
            },
        ),
        "mert": (tuning.mert, {**search, "restarts": 1, "random_directions": 1, "max_steps": 3}),
        "mira": (tuning.mira, {**search, "decay": 0.99, "epochs": 2}),
        "pro": (
            tuning.pro,
            {
                **search,
                "candidates": 20,
                "samples": 5,
                "min_difference": 0.1,
                "sentence_metric": bleu,
            },
        ),
        "risk": (tuning.risk, {**search, "l2": 0.1, "max_steps": 3}),
        "tune": (tuning.tune, {"nbest": many, "method": "mert", "bags": 2, "restarts": 1}),
        "tune_repeatedly": (
            tuning.tune_repeatedly,
            {
                "nbest": many,
                "n_runs": 1,
                "test": nbest,
                "n_trials": 5,
                "n_resamples": 5,
                "restarts": 1,
            },
        ),
        "cross_validate": (
            tuning.cross_validate,
            {"nbest": many, "methods": {"mert": tuning.mert}, "splits": 2},
        ),
        "CrossValidation.difference": (runs.difference, {"a": "mert", "b": "mert"}),
        "split_documents": (tuning.split_documents, {"documents": range(12), "n_splits": 2}),
        "split_folds": (tuning.split_folds, {"n_segments": 12, "n_splits": 3}),
        "split_halves": (tuning.split_halves, {"n_segments": 12, "n_splits": 2}),
        "read_nbest": (
            tuning.read_nbest,
            {"paths": [folder / "list.nbest"], "references": REFS, "metric": bleu},
        ),
        "read_stats": (
            tuning.read_stats,
            {
                "feature_files": folder / "features",
                "score_files": folder / "scores",
                "metric": bleu,
            },
        ),
        "write_nbest": (
            tuning.write_nbest,
            {"nbest": nbest, "path": folder / "list.out", "weights": [1.0, 1.0]},
        ),
        "write_stats": (
            tuning.write_stats,
            {"nbest": nbest, "features_file": folder / "f", "scores_file": folder / "s"},
        ),
        "plot_landscape": (plots.plot_landscape, {"line": line}),
        "plot_landscapes": (
            plots.plot_landscapes,
            {"nbest": nbest, "result": found, "test": nbest},
        ),
        "plot_learning_curve": (plots.plot_learning_curve, {"runs": found}),
    }


def of_significance() -> Calls:
    bleu = BLEU(force=True)
    corpus: dict[str, Any] = {
        "systems": SYSTEMS,
        "references": REFS,
        "metrics": [bleu],
        "seed": 1,
        "baseline": 0,
        "level": 0.9,
    }
    tested = significance.paired_bootstrap(SYSTEMS, REFS, [bleu], n_resamples=5, baseline=None)
    compared = rapidbleu.compare(SYSTEMS, REFS, n_resamples=5)
    return {
        "bootstrap": (
            significance.bootstrap,
            {
                "metric": bleu,
                "hypotheses": HYPS,
                "references": REFS,
                "n_resamples": 5,
                "seed": 1,
                "level": 0.9,
            },
        ),
        "paired_bootstrap": (significance.paired_bootstrap, {**corpus, "n_resamples": 5}),
        "paired_randomization": (
            significance.paired_randomization,
            {**corpus, "n_trials": 5, "n_resamples": 3},
        ),
        "estimate_power": (
            significance.estimate_power,
            {
                "metric": bleu,
                "systems": SYSTEMS,
                "references": REFS,
                "n_segments": 5,
                "power": 0.8,
                "alpha": 0.05,
                "clusters": None,
                "n_resamples": 20,
                "seed": 1,
            },
        ),
        "estimate_standard_error": (
            significance.estimate_standard_error,
            {"scores": [0.5, 0.25], "clusters": ["a", "b"]},
        ),
        "correct_p_values": (significance.correct_p_values, {"p_values": [0.01, 0.5]}),
        "sum_resamples": (
            significance.sum_resamples,
            {"rows": bleu.segment_stats(HYPS, REFS), "ids": [1, 2, 3], "n_resamples": 5, "seed": 1},
        ),
        "PairedResult.p_value": (
            tested.p_value,
            {"metric": "BLEU", "a": "A", "b": "B"},
        ),
        "compare": (
            rapidbleu.compare,
            {
                "systems": SYSTEMS,
                "references": REFS,
                "metrics": [bleu],
                "labels": list("abc"),
                "scores": {"Q": {"A": [1, 2, 3], "B": [1, 2, 4]}},
                "sources": TEXTS,
                "cutoffs": {"length": [5]},
                "n_resamples": 5,
                "seed": 1,
                "level": 0.9,
                "tokenize": "13a",
                "lowercase": False,
            },
        ),
        "Comparison.examples": (compared.examples, {"a": "A", "b": "B", "n": 3}),
        "Comparison.ngrams": (compared.ngrams, {"a": "A", "b": "B", "n": 3, "max_ngram_order": 2}),
        "Comparison.side_by_side": (compared.side_by_side, {"buckets": "length", "what": "BLEU"}),
        "plot_bootstrap": (
            plots.plot_bootstrap,
            {"result": tested, "metric": "BLEU", "a": "A", "b": "B"},
        ),
        "plot_p_values": (plots.plot_p_values, {"result": tested, "metric": "BLEU"}),
        "plot_buckets": (plots.plot_buckets, {"comparison": compared}),
        "plot_differences": (plots.plot_differences, {"comparison": compared, "a": "A", "b": "B"}),
        "plot_precisions": (plots.plot_precisions, {"comparison": compared}),
        "make_reward": (
            rewards.make_reward,
            {"framework": "trl", "metric": bleu, "reference_key": "ref"},
        ),
        "TrlReward.__call__": (
            rewards.make_reward("trl"),
            {"completions": HYPS, "ground_truth": TEXTS},
        ),
        "VerlReward.__call__": (
            rewards.make_reward("verl"),
            {"data_source": "x", "solution_str": HYPS[0], "ground_truth": TEXTS[0]},
        ),
    }


def of_meta(folder: Path) -> Calls:
    human, one = judged(1, 6, 20)
    other = judged(2, 6, 20)[1]
    names = [f"S{i}" for i in range(6)]
    judgments = meta.Judgments(
        names * 2, [0] * 12, ["x"] * 6 + ["y"] * 6, [*range(1, 7), *range(6, 0, -1)]
    )
    scores = meta.SystemScores(human, names)
    write = {
        "table.csv": "system,segment,score\nA,1,2.5\nB,1,3\n",
        "judged.csv": "system,segment,judge,score\nA,1,x,2.5\nB,1,x,3\n",
        "mqm.tsv": "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
        "A\td\t1\t1\tr\ts\tt\tFluency/Grammar\tMajor\nB\td\t1\t1\tr\ts\tt\tNo-error\tNo-error\n",
    }
    for name, text in write.items():
        (folder / name).write_text(text)
    statistic: dict[str, Any] = {
        "statistic": "pearson",
        "by": "none",
        "epsilon": 0.0,
        "min_difference": 25.0,
    }
    drawn: dict[str, Any] = {"n_resamples": 5, "seed": 1}
    swapped: dict[str, Any] = {"n_trials": 5, "seed": 1}
    text: dict[str, Any] = {"hypothesis": "a b c d", "references": ["a b d", "c d a b"]}
    some = {"systems": names[:2], "segments": [0], "judges": ["x"]}
    orders = meta.summarize_orders(HYPS, REFS)
    return {
        "correlate": (meta.correlate, {"human": human, "metric": one, **statistic}),
        "soft_accuracy": (meta.soft_accuracy, {"human": human, "metric": one, **drawn}),
        "estimate_interval": (
            meta.estimate_interval,
            {"human": human, "metric": one, **statistic, **drawn, "level": 0.9},
        ),
        "bootstrap_test": (
            meta.bootstrap_test,
            {"human": human, "a": one, "b": other, **statistic, **drawn, "level": 0.9},
        ),
        "permutation_test": (
            meta.permutation_test,
            {"human": human, "a": one, "b": other, **statistic, **swapped},
        ),
        "rank_metrics": (
            meta.rank_metrics,
            {"human": human, "metrics": {"a": one, "b": other}, **statistic, **swapped},
        ),
        "williams_test": (meta.williams_test, {"human": human, "a": one, "b": other}),
        "compare_metrics": (
            meta.compare_metrics,
            {
                "human": scores,
                "metrics": {"a": one, "b": other},
                "statistics": [("pearson", "means")],
                "level": 0.9,
                **drawn,
            },
        ),
        "find_outliers": (meta.find_outliers, {"human": scores}),
        "SystemScores": (
            meta.SystemScores,
            {"values": human, "systems": names, "segments": list("abcdefghijklmnopqrst")},
        ),
        "SystemScores.of": (scores.of, {"systems": names[:2]}),
        "SystemScores.without": (scores.without, {"systems": names[:2]}),
        "SystemScores.kept": (scores.kept, {"places": [0, 1]}),
        "SystemScores.name": (scores.name, {"i": 0}),
        "Judgments": (
            meta.Judgments,
            {
                "systems": names,
                "segments": [0] * 6,
                "judges": ["x"] * 6,
                "scores": range(6),
                "documents": ["d"] * 6,
                "kinds": ["k"] * 6,
            },
        ),
        "Judgments.scores": (judgments.scores, {"systems": names[:2], "segments": [0]}),
        "Judgments.select": (judgments.select, some),
        "Judgments.norms": (judgments.norms, {}),
        "Judgments.scaled": (judgments.scaled, {"high": 9}),
        "Judgments.standardized": (judgments.standardized, {}),
        "average_judgments": (
            meta.average_judgments,
            {"adequacy": judgments, "fluency": judgments},
        ),
        "MQMWeights": (meta.MQMWeights, {"changes": {"minor": 2.0}}),
        "MQMWeights.weight": (
            meta.MQMWeights().weight,
            {"category": "Fluency", "severity": "Major"},
        ),
        "read_table": (meta.read_table, {"source": folder / "table.csv", "delimiter": ","}),
        "read_judgments": (
            meta.read_judgments,
            {"source": folder / "judged.csv", "delimiter": ","},
        ),
        "read_mqm": (meta.read_mqm, {"path": folder / "mqm.tsv"}),
        "read_direct_assessment": (
            meta.read_direct_assessment,
            {"path": folder / "nowhere", "kinds": ("SYSTEM",), "language_pair": "en-de"},
        ),
        "fit_metric": (
            meta.fit_metric,
            {
                "human": human,
                "metrics": {"a": one},
                "seed": 1,
                "documents": [i // 4 for i in range(20)],
            },
        ),
        "read_folder": (meta.read_folder, {"path": folder / "nowhere", "language_pair": "en-de"}),
        "read_judge_norms": (meta.read_judge_norms, {"path": folder / "nowhere"}),
        "read_mqm_scores": (meta.read_mqm_scores, {"path": folder / "nowhere"}),
        "read_segment_scores": (meta.read_segment_scores, {"path": folder / "nowhere"}),
        "read_system_scores": (meta.read_system_scores, {"path": folder / "nowhere"}),
        "count_orders": (meta.count_orders, {**text}),
        "enumerate_orders": (meta.enumerate_orders, {**text, "max_orders": 100}),
        "sample_orders": (meta.sample_orders, {**text, "n_samples": 5, "seed": 1}),
        "sample_reorderings": (
            meta.sample_reorderings,
            {**text, "n": 2, "max_tries": 9, "seed": 1},
        ),
        "sample_paraphrases": (
            meta.sample_paraphrases,
            {**text, "n": 2, "max_tries": 9, "seed": 1},
        ),
        "summarize_orders": (meta.summarize_orders, {"hypotheses": HYPS, "references": REFS}),
        "OrderSummary.quantiles": (orders.quantiles, {"q": (0.5,)}),
    }


def of_alignment(folder: Path) -> Calls:
    model = alignment.IBMModel1.fit(["green house", "the house"], ["casa verde", "la casa"])
    (folder / "links").write_text("0-0 1-1\n")
    pair = {"source": "the house", "target": "la casa"}
    pairs = {"sources": ["the house"], "targets": ["la casa"]}
    links = {"alignments": [[(0, 0)]], "sure": [[(0, 0)]], "possible": [[(1, 1)]]}
    return {
        "IBMModel1": (
            alignment.IBMModel1,
            {
                "source_words": ["dog"],
                "target_words": ["chien"],
                "starts": [0, 2],
                "words": [0, 1],
                "probabilities": [0.25, 1.0],
                "perplexities": [2.0],
            },
        ),
        "IBMModel1.fit": (alignment.IBMModel1.fit, {**pairs, "iterations": 1}),
        "IBMModel1.align": (model.align, pair),
        "IBMModel1.alignments": (model.alignments, pairs),
        "IBMModel1.score": (model.score, {**pair}),
        "IBMModel1.scores": (model.scores, {**pairs}),
        "IBMModel1.posteriors": (model.posteriors, {**pair}),
        "IBMModel1.expected_counts": (model.expected_counts, {**pairs}),
        "IBMModel1.to_dict": (model.to_dict, {"values": model.probabilities}),
        "IBMModel1.probability": (model.probability, {"target": "la", "source": "the"}),
        "IBMModel1.translations": (model.translations, {"source": "the"}),
        "LinkScore": (alignment.LinkScore, {"stats": [1, 1, 1, 1]}),
        "format_links": (alignment.format_links, {"links": [(0, 0)]}),
        "parse_links": (alignment.parse_links, {"line": "0-0"}),
        "parse_gold": (alignment.parse_gold, {"line": "0-0 1?1"}),
        "read_links": (alignment.read_links, {"path": folder / "links"}),
        "write_links": (
            alignment.write_links,
            {"alignments": [[(0, 0)]], "path": folder / "links.out"},
        ),
        "swap_links": (alignment.swap_links, {"links": [(0, 1)]}),
        "count_links": (alignment.count_links, links),
        "score_links": (alignment.score_links, links),
        "symmetrize": (
            alignment.symmetrize,
            {"forward": [(0, 0)], "backward": [(0, 0)], "method": "union"},
        ),
    }


def valid_calls(folder: Path) -> Calls:
    calls = (
        of_metrics(folder)
        | of_tuning(folder)
        | of_significance()
        | of_meta(folder)
        | of_alignment(folder)
    )
    return {name: (call, defaults_of(call) | given) for name, (call, given) in calls.items()}


def defaults_of(call: Callable[..., Any]) -> dict[str, Any]:
    """Return the default arguments of a call, as far as Python can see."""
    try:
        parameters = inspect.signature(call).parameters.values()
    except ValueError:  # of a compiled class
        return {}
    return {each.name: each.default for each in parameters if each.default is not each.empty}
