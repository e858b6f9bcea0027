"""The test vectors: equal to ours, to the libraries they come from, and able to catch mistakes."""

import importlib.util
import json
import platform
import re
import subprocess
import sys
from functools import cache
from typing import Any

import pytest
import wrong_metrics

import rapidbleu
from rapidbleu.nltk import bleu_score, gleu_score, nist_score, ribes_score
from support.places import REPO

FOLDER = REPO / "vectors"
FILES = sorted(path.stem for path in FOLDER.glob("*.jsonl"))


@cache
def vectors(name: str) -> list[dict[str, Any]]:
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return list(map(json.loads, lines))


def same(vector: dict[str, Any], score: float) -> bool:
    return abs(float.fromhex(vector["score_hex"]) - score) <= vector["tolerance"]


def test_the_folder() -> None:
    assert len(FILES) == 10
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 600_000
    ids = [vector["id"] for name in FILES for vector in vectors(name)]
    assert len(set(ids)) == len(ids)
    for name in FILES:
        assert 30 <= len(vectors(name)) <= 80
        inputs = [json.dumps([v["segments"], v["options"]]) for v in vectors(name)]
        assert len(set(inputs)) == len(inputs)


@pytest.mark.parametrize("name", FILES)
def test_schema(name: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((FOLDER / "schema.json").read_text(encoding="utf-8"))
    for vector in vectors(name):
        jsonschema.validate(vector, schema)
        assert float(vector["score"]) == float.fromhex(vector["score_hex"])


# Our metrics


def ours_of(name: str, vector: dict[str, Any]) -> float:
    options = dict(vector["options"])
    hyps = [segment["hypothesis"] for segment in vector["segments"]]
    refs = [segment["references"] for segment in vector["segments"]]
    if name.startswith("nltk"):
        return of_nltk(name, hyps, refs, options)
    if name == "bleu":
        for theirs, name_here in (
            ("smoothing", "smooth_method"),
            ("smoothing_value", "smooth_value"),
            ("max_order", "max_ngram_order"),
        ):
            if theirs in options:
                options[name_here] = options.pop(theirs)
        metric: Any = rapidbleu.BLEU(force=True, **options)
    elif name in ("chrf", "ter"):
        metric = getattr(rapidbleu, name.upper())(**options)
    elif name in ("wer", "cer"):
        from rapidbleu.adapters import jiwer

        texts = [ref for (ref,) in refs], hyps
        return float(getattr(jiwer, options["measure"])(*texts))
    else:
        from rapidbleu.adapters.rouge_score import RougeScorer

        scorer = RougeScorer([options["type"]], use_stemmer=options.get("stemmer", False))
        scores = [scorer.score_multi(*pair) for pair in zip(refs, hyps, strict=True)]
        return sum(score[options["type"]].fmeasure for score in scores) / len(scores)
    score: float = metric.corpus_score(hyps, refs, layout="segment").score
    return score


def of_nltk(name: str, hyps: Any, refs: Any, options: dict[str, Any]) -> float:
    words = [text.split() for text in hyps]
    several = [[text.split() for text in texts] for texts in refs]
    if name == "nltk_bleu":
        epsilon = options.get("epsilon", 0.1)
        method = getattr(bleu_score.SmoothingFunction(epsilon=epsilon), options["smoothing"])
        weights = options.get("weights", (0.25,) * 4)
        reweigh = options.get("auto_reweigh", False)
        return bleu_score.corpus_bleu(several, words, tuple(weights), method, reweigh)
    if name == "nltk_gleu":
        return gleu_score.corpus_gleu(several, words, **options)
    if name == "nltk_nist":
        return nist_score.corpus_nist(several, words, options.get("max_order", 5))
    return ribes_score.corpus_ribes(several, words, **options)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FILES)
def test_our_scores(name: str) -> None:
    wrong = [v["id"] for v in vectors(name) if not same(v, ours_of(name, v))]
    assert wrong == []
    if platform.python_version_tuple()[:2] == ("3", "11"):
        scores = [float(ours_of(name, vector)).hex() for vector in vectors(name)]
        assert scores == [vector["score_hex"] for vector in vectors(name)]


def test_the_libraries_give_these_scores() -> None:
    for library in ("sacrebleu", "nltk", "jiwer", "rouge_score"):
        if importlib.util.find_spec(library) is None:
            pytest.skip(f"{library} is not installed")
    command = [sys.executable, FOLDER / "make.py", "--check"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")


# Mistakes


@pytest.mark.parametrize("name", wrong_metrics.METRICS)
def test_the_papers_alone_solve_the_core(name: str) -> None:
    score_of = wrong_metrics.METRICS[name]
    core = [vector for vector in vectors(name) if vector["core"]]
    options = {"wer": "wer", "cer": "cer"}
    solved = [v for v in core if v["options"].get("measure") == options.get(name)]
    assert len(solved) >= 20
    assert [v["id"] for v in solved if not same(v, score_of(v, ""))] == []


SOLVED = {  # options that the functions from the papers know
    "bleu": lambda options: options["tokenize"] == "none",
    "chrf": lambda options: options.keys() <= {"char_order", "beta"},
    "wer": lambda options: options["measure"] == "wer",
    "cer": lambda options: True,
    "rouge": lambda options: options["type"] != "rougeLsum" and not options.get("stemmer"),
}


@pytest.mark.parametrize(
    ("name", "mistake"),
    [(name, mistake) for name, of in wrong_metrics.MUTANTS.items() for mistake in of],
)
def test_a_mistake_is_caught(name: str, mistake: str) -> None:
    score_of = wrong_metrics.METRICS[name]
    tag = wrong_metrics.MUTANTS[name][mistake]
    known = [vector for vector in vectors(name) if SOLVED[name](vector["options"])]
    solved = [vector for vector in known if same(vector, score_of(vector, ""))]
    caught = [vector for vector in solved if not same(vector, score_of(vector, mistake))]
    assert [v["id"] for v in caught if tag in v["tags"]]


def test_the_readme_names_all_tags() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    tags = {tag for name in FILES for vector in vectors(name) for tag in vector["tags"]}
    assert tags - set(re.findall(r"`([a-z-]+)`", text)) == set()
