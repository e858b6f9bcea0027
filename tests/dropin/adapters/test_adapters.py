"""Dialects of other libraries, compared with oracles and with the libraries if installed.

Hugging Face's evaluate is distributed without its metrics. They are compared if RAPIDBLEU_EVALUATE
names the folder `metrics` of a checkout, whose `bleu` needs ``nmt_bleu.py``, which is
``nmt/scripts/bleu.py`` of tensorflow/nmt.
"""

import importlib.util
import inspect
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rapidbleu.adapters import evaluate, pycocoevalcap
from rapidbleu.adapters.nmt import compute_bleu
from rapidbleu.adapters.pycocoevalcap import Bleu, Cider, Meteor, Rouge
from rapidbleu.tokenizers import get_tokenizer
from reference.bleu import corpus_stats, segment_stats
from reference.dialects import caption_bleu, caption_rouge, nmt_bleu
from support.corpora import KINDS, random_corpus
from support.programs.meteor_program import MeteorProgram
from support.typed import assert_identical

METRICS = ("bleu", "chrf", "google_bleu", "sacrebleu", "ter")
v13a = get_tokenizer("13a")  # the readable rule, without stripping


def made(kind: str, n_refs: int = 3, n: int = 60) -> tuple[list[str], list[list[str]]]:
    rng = Random(f"adapters {kind} {n_refs}")
    hyps, streams = random_corpus(rng, n, kind=kind, n_refs=n_refs)
    return hyps, [list(several)[: rng.randint(1, n_refs)] for several in zip(*streams, strict=True)]


def tokens_of(segments: Any, tokenize: Any) -> Any:
    if isinstance(segments, str):
        return list(tokenize(segments))
    return [tokens_of(segment, tokenize) for segment in segments]


def same_tuple(result: Any, expected: tuple[Any, ...]) -> None:
    """Check a result that has names as well, which its text does not show."""
    assert_identical(tuple(result), expected)
    assert repr(result) == repr(expected)


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("max_order", [1, 2, 4, 7])
@pytest.mark.parametrize("kind", KINDS)
def test_compute_bleu(kind: str, max_order: int, smooth: bool) -> None:
    hyps, refs = made(kind)
    hyps, refs = tokens_of(hyps, str.split), tokens_of(refs, str.split)
    result = compute_bleu(refs, hyps, max_order, smooth)
    same_tuple(result, nmt_bleu(refs, hyps, max_order, smooth))


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("smooth", [False, True])
def test_compute_bleu_of_few_tokens(n: int, smooth: bool) -> None:
    rng = Random(n)
    for _ in range(300):
        hyps = [rng.choices("abc", k=rng.randint(0, 5)) for _ in range(n)]
        refs = [
            [rng.choices("abc", k=rng.randint(0, 5)) for _ in range(rng.randint(1, 3))]
            for _ in range(n)
        ]
        hyps[0].append("a")
        refs[0] = [[*reference, "a"] for reference in refs[0]]
        expected = nmt_bleu(refs, hyps, smooth=smooth)
        same_tuple(compute_bleu(refs, hyps, smooth=smooth), expected)


@pytest.mark.parametrize(
    "convert",
    [
        lambda tokens: [ord(token) for token in tokens],
        lambda tokens: np.array([ord(token) for token in tokens]),
        tuple,
        "".join,
    ],
    ids=["ids", "array", "tuple", "str"],
)
def test_segments_of_compute_bleu(convert: Any) -> None:
    hyps, refs = [list("abcabd"), list("xyz")], [[list("abcabc")], [list("xz"), list("xyzxyz")]]
    expected = nmt_bleu(refs, hyps, 2)
    hyps = [convert(hyp) for hyp in hyps]
    refs = [[convert(ref) for ref in several] for several in refs]
    same_tuple(compute_bleu(refs, hyps, 2), expected)


@pytest.mark.parametrize(
    ("references", "hypotheses", "error", "message"),
    [
        ([[["a"]]], [[]], ZeroDivisionError, "translation_corpus: expected at least one token"),
        ([[["a"], []]], [["a"]], ZeroDivisionError, "reference_corpus: expected at least one"),
        ([], [], ValueError, "expected at least one segment; got none"),
        ([[]], [["a"]], ValueError, r"reference_corpus\[0\]: expected at least one reference"),
        ([[["a"], None]], [["a"]], TypeError, r"reference_corpus\[0\]\[1\]: expected a segment"),
        ([[["a"]]], [["a"], ["b"]], ValueError, "expected 2 segments"),
        ([[["a"]]], [["a", None]], TypeError, r"hypotheses\[0\]\[1\]: expected str; got NoneType"),
    ],
)
def test_errors_of_compute_bleu(
    references: Any, hypotheses: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        compute_bleu(references, hypotheses)


@pytest.mark.parametrize("kind", ["ascii", "german"])
@pytest.mark.parametrize("smooth", [False, True])
def test_bleuscore(kind: str, smooth: bool) -> None:
    bleuscore = pytest.importorskip("bleuscore")
    hyps, refs = made(kind)
    ours = evaluate.load("bleu").compute(predictions=hyps, references=refs, smooth=smooth)
    theirs = bleuscore.compute(references=refs, predictions=hyps, smooth=smooth)
    assert ours.keys() == theirs.keys()
    for name, value in theirs.items():
        assert ours[name] == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("tokenizer", [None, str.split, list, str.upper])
@pytest.mark.parametrize("kind", KINDS)
def test_bleu(kind: str, tokenizer: Any) -> None:
    hyps, refs = made(kind)
    rule = tokenizer or v13a
    expected = nmt_bleu(tokens_of(refs, rule), tokens_of(hyps, rule), 4, kind == "german")
    options = {"tokenizer": tokenizer} if tokenizer else {}
    result = evaluate.load("bleu").compute(
        predictions=hyps, references=refs, smooth=kind == "german", **options
    )
    assert list(result) == [
        "bleu",
        "precisions",
        "brevity_penalty",
        "length_ratio",
        "translation_length",
        "reference_length",
    ]
    assert_identical(tuple(result.values()), expected)


@pytest.mark.parametrize(
    "end", ["-\n", "--\n\n", "-\n-\n", "- \n", "-<skipped>\n", "-\n<skip", "-\n \t", "\n", "-"]
)
def test_bleu_keeps_the_end_of_a_text(end: str) -> None:
    hyp, ref = f"well-known, he said well{end}", f"well-known, he said{end}"
    result = evaluate.load("bleu").compute(predictions=[hyp], references=[[ref, hyp]])
    assert tuple(result.values()) == nmt_bleu([[v13a(ref), v13a(hyp)]], [v13a(hyp)])


@pytest.mark.parametrize("orders", [{}, {"min_len": 2}, {"min_len": 1, "max_len": 6}])
@pytest.mark.parametrize("tokenizer", [None, str.split])
@pytest.mark.parametrize("kind", KINDS)
def test_google_bleu(kind: str, tokenizer: Any, orders: dict[str, int]) -> None:
    gleu_score = pytest.importorskip("nltk.translate.gleu_score")
    hyps, refs = made(kind)
    hyps += ["", "", "a"]
    refs += [[""], ["", "a", "b c"], ["", "c"]]
    options: Any = dict(orders, tokenizer=tokenizer) if tokenizer else orders
    rule = tokenizer or v13a
    expected = gleu_score.corpus_gleu(tokens_of(refs, rule), tokens_of(hyps, rule), **orders)
    result = evaluate.load("google_bleu").compute(predictions=hyps, references=refs, **options)
    assert result == {"google_bleu": expected}
    empty = evaluate.load("google_bleu").compute(predictions=[""], references=[["", ""]])
    assert empty == {"google_bleu": 0.0}


SACREBLEU_CASES: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = [
    ("sacrebleu", {}, "BLEU", {}),
    ("sacrebleu", {"tokenize": None, "smooth_value": None}, "BLEU", {}),
    (
        "sacrebleu",
        {"smooth_method": "floor", "smooth_value": 0.5, "tokenize": "char"},
        "BLEU",
        {"smooth_method": "floor", "smooth_value": 0.5, "tokenize": "char"},
    ),
    (
        "sacrebleu",
        {"use_effective_order": True, "lowercase": True, "force": True},
        "BLEU",
        {"effective_order": True, "lowercase": True, "force": True},
    ),
    ("sacrebleu", {"smooth_method": "add-k"}, "BLEU", {"smooth_method": "add-k"}),
    ("chrf", {}, "CHRF", {}),
    (
        "chrf",
        {"char_order": 3, "word_order": 2, "beta": 1, "lowercase": True},
        "CHRF",
        {"char_order": 3, "word_order": 2, "beta": 1, "lowercase": True},
    ),
    (
        "chrf",
        {"whitespace": True, "eps_smoothing": True},
        "CHRF",
        {"whitespace": True, "eps_smoothing": True},
    ),
    ("ter", {}, "TER", {}),
    (
        "ter",
        {"normalized": True, "support_zh_ja_chars": True},
        "TER",
        {"normalized": True, "asian_support": True},
    ),
    (
        "ter",
        {"ignore_punct": True, "case_sensitive": True},
        "TER",
        {"no_punct": True, "case_sensitive": True},
    ),
]
FIELDS = {
    "sacrebleu": ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len"),
    "chrf": ("score", "char_order", "word_order", "beta"),
    "ter": ("score", "num_edits", "ref_length"),
}


@pytest.mark.parametrize(("name", "options", "metric", "peers_options"), SACREBLEU_CASES)
@pytest.mark.parametrize("n_refs", [1, 3])
def test_metrics_of_sacrebleu(
    name: str, options: Any, metric: str, peers_options: Any, n_refs: int
) -> None:
    peer = getattr(pytest.importorskip("sacrebleu.metrics"), metric)(**peers_options)
    hyps, streams = random_corpus(Random(name), 40, kind="mixed", n_refs=n_refs)
    score = peer.corpus_score(hyps, streams)
    expected = {field: getattr(score, field) for field in FIELDS[name]}
    refs: Any = list(zip(*streams, strict=True))
    results = [evaluate.load(name).compute(predictions=hyps, references=refs, **options)]
    if n_refs == 1:  # as allowed in this case
        results.append(
            evaluate.load(name).compute(predictions=hyps, references=streams[0], **options)
        )
    for result in results:
        assert_identical(result, expected)


def test_numbers_of_references_may_differ() -> None:
    """The peer refuses this."""
    peer = pytest.importorskip("sacrebleu.metrics").BLEU()
    expected = peer.corpus_score(["a b c d", "e f g h"], [["a b c e", "e f"], ["a b c d e", None]])
    result = evaluate.load("sacrebleu").compute(
        predictions=["a b c d", "e f g h"], references=[["a b c e", "a b c d e"], "e f"]
    )
    assert result["score"] == expected.score


@pytest.mark.parametrize("name", METRICS)
def test_segments_may_be_added(name: str) -> None:
    hyps, refs = made("mixed", n=9)
    metric = evaluate.load(name)
    expected = metric.compute(predictions=hyps, references=refs)
    metric.add_batch(predictions=hyps[:4], references=refs[:4])
    metric.add(prediction=hyps[4], reference=refs[4])
    metric.add(references=refs[5], predictions=hyps[5])
    assert metric.compute(predictions=np.array(hyps[6:]), references=tuple(refs[6:])) == expected
    metric.add_batch(predictions=hyps, references=refs)
    assert pickle.loads(pickle.dumps(metric)).compute() == expected
    assert metric.compute() == expected
    with pytest.raises(ValueError, match="predictions: expected at least one segment; got none"):
        metric.compute()  # state is cleared
    assert metric.name == name


@pytest.mark.parametrize(
    ("predictions", "references", "error", "message"),
    [
        (["a"], ["a", "b"], ValueError, "references: expected 1, as many as predictions; got 2"),
        (["a"], [[]], ValueError, r"references\[0\]: expected at least one reference; got none"),
        (["a"], [3], TypeError, r"references\[0\]: expected references; got int"),
        (["a"], [["a", None]], TypeError, r"references\[0\]\[1\]: expected a segment; got None"),
        (["a"], "a", TypeError, "references: expected a sequence of segments; got a single str"),
        ("a", ["a"], TypeError, "predictions: expected a sequence of segments; got a single str"),
        (None, ["a"], TypeError, "predictions: expected a sequence of segments; got NoneType"),
        ({"a"}, ["a"], TypeError, "predictions: expected a sequence of segments; got set"),
        (["a"], {"a"}, TypeError, "references: expected a sequence of segments; got set"),
        (["a"], [{"a"}], TypeError, r"references\[0\]: expected references; got set"),
        (["a", None], ["a", "b"], TypeError, r"hypotheses\[1\]: expected str; got NoneType"),
        ([], [], ValueError, "predictions: expected at least one segment; got none"),
    ],
)
@pytest.mark.parametrize("name", METRICS)
def test_errors_of_compute(
    name: str, predictions: Any, references: Any, error: type[Exception], message: str
) -> None:
    metric = evaluate.load(name)
    with pytest.raises(error, match=message):
        metric.compute(predictions=predictions, references=references)
    assert metric.compute(predictions=["a b"], references=["a b"])


def test_errors_of_options() -> None:
    with pytest.raises(ValueError, match=r"load: expected one of bleu, cer, chrf.*; got 'mauve'"):
        evaluate.load("mauve")
    for orders in ({"min_len": 0}, {"min_len": 5}):
        with pytest.raises(ValueError, match="min_len: expected 1 to max_len, which is 4; got"):
            evaluate.load("google_bleu").compute(predictions=["a"], references=["a"], **orders)
    with pytest.raises(ValueError, match="max_len: expected at most 64; got 65"):
        evaluate.load("google_bleu").compute(predictions=["a"], references=["a"], max_len=65)
    with pytest.raises(TypeError, match="unexpected keyword argument 'smoothing'"):
        evaluate.load("bleu").compute(predictions=["a"], references=["a"], smoothing=True)
    with pytest.raises(ZeroDivisionError, match="translation_corpus"):
        evaluate.load("bleu").compute(predictions=[""], references=["a"])


@pytest.mark.parametrize("concatenate", [False, True])
@pytest.mark.parametrize(("name", "units"), [("wer", "words"), ("cer", "characters")])
def test_error_rates(name: str, units: str, concatenate: bool) -> None:
    peer = getattr(pytest.importorskip("jiwer"), f"process_{units}")
    for kind in KINDS:
        hyps, (refs,) = random_corpus(Random(f"evaluate {kind}"), 40, kind=kind, n_refs=1)
        module = evaluate.load(name)
        module.add_batch(predictions=hyps[:10], references=[[ref] for ref in refs[:10]])
        module.add(prediction=hyps[10], reference=refs[10])
        expected = getattr(peer(refs, hyps), name)
        rest = {"predictions": hyps[11:], "references": refs[11:]}
        assert_identical(module.compute(**rest, concatenate_texts=concatenate), expected)


@pytest.mark.parametrize("name", ["wer", "cer"])
def test_errors_of_error_rates(name: str) -> None:
    module = evaluate.load(name)
    with pytest.raises(ZeroDivisionError, match="references: expected at least one that is not"):
        module.compute(predictions=["a"], references=[""])
    found = module.compute(predictions=["a"], references=[""], concatenate_texts=True)
    assert_identical(found, 1)  # as in jiwer
    with pytest.raises(ValueError, match=r"references\[1\]: expected one reference; got 2"):
        module.compute(predictions=["a", "b"], references=["a", ["b", "c"]])
    with pytest.raises(TypeError, match=r"hypothesis\[0\]: expected str; got int"):
        module.compute(predictions=[1], references=["a"])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"use_stemmer": True},
        {"tokenizer": str.split},
        {"rouge_types": ["rougeL", "rouge3"], "use_stemmer": True},
    ],
)
def test_rouge(options: dict[str, Any]) -> None:
    scorers = pytest.importorskip("rouge_score.rouge_scorer")
    scoring = pytest.importorskip("rouge_score.scoring")
    hyps, refs = made("mixed", n=20)
    types = options.get("rouge_types", ["rouge1", "rouge2", "rougeL", "rougeLsum"])
    tokenizer = SimpleNamespace(tokenize=str.split) if "tokenizer" in options else None
    scorer = scorers.RougeScorer(types, "use_stemmer" in options, tokenizer=tokenizer)
    scores = [scorer.score_multi(several, hyp) for several, hyp in zip(refs, hyps, strict=True)]
    module, aggregator = evaluate.load("rouge", seed=5), scoring.BootstrapAggregator()
    given: Any = {"predictions": hyps, "references": refs, **options}
    result = module.compute(**given, use_aggregator=False)
    assert_identical(result, {name: [score[name].fmeasure for score in scores] for name in types})
    for score in scores:
        aggregator.add_scores(score)
    state = np.random.get_state()
    np.random.seed(5)
    expected = {name: score.mid.fmeasure for name, score in aggregator.aggregate().items()}
    np.random.set_state(state)
    following = np.random.random()
    np.random.set_state(state)
    for _ in range(2):
        assert_identical(module.compute(**given), expected)
    assert np.random.random() == following
    np.random.seed(11)
    first, second = (evaluate.load("rouge").compute(**given) for _ in range(2))
    np.random.set_state(state)
    assert first == second != expected


class SynonymSet:
    def __init__(self, names: list[str]) -> None:
        self._names = names

    def lemmas(self) -> list[Any]:
        return [SimpleNamespace(name=lambda name=name: name) for name in self._names]


SYNONYMS = SynonymSet(["good", "well", "fine", "all_right"])


@pytest.fixture
def data_of_nltk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stub NLTK's downloads: a text is one sentence, WordNet one set."""
    nltk = pytest.importorskip("nltk")
    words = partial(nltk.word_tokenize, preserve_line=True)
    monkeypatch.setattr(nltk, "word_tokenize", words)
    synsets = lambda word: [SYNONYMS] if word in ("good", "well", "fine") else []  # noqa: E731
    monkeypatch.setitem(vars(nltk.corpus.wordnet), "synsets", synsets)


WELL = ["Well, it rains."], [["Fine, it rained!"]]


@pytest.mark.parametrize("options", [{}, {"alpha": 0.5, "beta": 1, "gamma": 0.2}])
@pytest.mark.parametrize("kind", KINDS)
def test_meteor(data_of_nltk: None, kind: str, options: dict[str, float]) -> None:
    nltk = pytest.importorskip("nltk")
    score = importlib.import_module("nltk.translate.meteor_score").meteor_score
    hyps, refs = made(kind)
    hyps, refs = [*hyps, "", *WELL[0]], [*refs, ["a", ""], *WELL[1]]
    scores = [
        score(list(map(nltk.word_tokenize, several)), nltk.word_tokenize(hyp), **options)
        for hyp, several in zip(hyps, refs, strict=True)
    ]
    result = evaluate.load("meteor").compute(predictions=hyps, references=refs, **options)
    assert_identical(result, {"meteor": np.mean(scores)})


def test_meteor_with_another_word_net(data_of_nltk: None) -> None:
    empty = SimpleNamespace(synsets=lambda _: [])
    module = evaluate.load("meteor")
    given: Any = {"predictions": WELL[0], "references": WELL[1]}
    assert module.compute(**given)["meteor"] > module.compute(**given, wordnet=empty)["meteor"] > 0


def test_errors_of_meteor(data_of_nltk: None) -> None:
    module = evaluate.load("meteor")
    with pytest.raises(TypeError, match=r"predictions\[1\]: expected str; got int"):
        module.compute(predictions=["a", 1], references=["a", "b"])
    with pytest.raises(TypeError, match=r"references\[0\]\[1\]: expected str; got list"):
        module.compute(predictions=["a"], references=[["a", ["b"]]])


@pytest.fixture
def peer(tmp_path: Path) -> Any:
    folder = os.environ.get("RAPIDBLEU_EVALUATE")
    if not folder:
        pytest.skip("RAPIDBLEU_EVALUATE is not set")
    library = pytest.importorskip("evaluate")

    def make(name: str) -> Any:
        place = Path(folder, name)
        spec = importlib.util.spec_from_file_location(
            f"evaluate_{name}", place / f"{name}.py", submodule_search_locations=[str(place)]
        )
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        for value in vars(module).values():
            if inspect.isclass(value) and issubclass(value, library.Metric):
                return value(cache_dir=str(tmp_path))
        raise AssertionError(f"{place} has no metric")

    return make


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("bleu", {}),
        ("bleu", {"smooth": True, "max_order": 6}),
        ("bleu", {"tokenizer": list}),
        ("google_bleu", {}),
        ("google_bleu", {"min_len": 2, "max_len": 5, "tokenizer": str.split}),
        ("meteor", {}),
        ("meteor", {"alpha": 0.5, "beta": 1}),
        ("rouge", {}),
        ("rouge", {"use_stemmer": True, "rouge_types": ["rouge1", "rougeLsum"]}),
        ("rouge", {"use_aggregator": False, "tokenizer": str.split}),
        *[(name, options) for name, options, *_ in SACREBLEU_CASES],
    ],
)
@pytest.mark.parametrize("several", [False, True])
@pytest.mark.usefixtures("data_of_nltk")
def test_evaluate(peer: Any, name: str, options: dict[str, Any], several: bool) -> None:
    theirs = peer(name)
    for kind in ("mixed", "adversarial"):
        hyps, streams = random_corpus(Random(f"evaluate {kind}"), 60, kind=kind, n_refs=3)
        # The peer stores its input in Arrow, which does not support lone surrogates
        hyps, *streams = (
            [text.encode("utf-8", "ignore").decode() for text in texts]
            for texts in (hyps, *streams)
        )
        refs: Any = [list(row) for row in zip(*streams, strict=True)] if several else streams[0]
        expected = theirs.compute(predictions=hyps, references=refs, **options)
        found = evaluate.load(name).compute(predictions=hyps, references=refs, **options)
        assert_identical(found, expected)


@pytest.mark.parametrize("name", ["wer", "cer"])
@pytest.mark.parametrize("options", [{}, {"concatenate_texts": True}])
def test_error_rates_of_evaluate(peer: Any, name: str, options: dict[str, Any]) -> None:
    hyps, (refs,) = random_corpus(Random("evaluate"), 60, kind="german", n_refs=1)
    given = {"predictions": hyps, "references": refs, **options}
    assert_identical(evaluate.load(name).compute(**given), peer(name).compute(**given))


def captions(kind: str) -> tuple[dict[Any, list[str]], dict[Any, list[str]]]:
    hyps, refs = made(kind)
    keys = [f"image {i}" if i % 2 else i for i in range(len(hyps))]
    res = {key: [hyp] for key, hyp in zip(keys, hyps, strict=True)}
    return dict(zip(keys, refs, strict=True)), dict(reversed(res.items()))


@pytest.mark.parametrize("n", [1, 2, 4, 6])
@pytest.mark.parametrize("kind", KINDS)
def test_captions(kind: str, n: int, capsys: pytest.CaptureFixture[str]) -> None:
    gts, res = captions(kind)
    rows = [
        segment_stats(res[key][0].split(), [text.split() for text in gts[key]], n) for key in gts
    ]
    expected = [caption_bleu(row) for row in rows]
    bleu = Bleu(n)
    scores, of_each = bleu.compute_score(gts, res)
    assert scores == caption_bleu(corpus_stats(rows))
    assert of_each == [list(column) for column in zip(*expected, strict=True)]
    assert bleu.method() == "Bleu"
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_pycocoevalcap(n: int) -> None:
    peer = pytest.importorskip("pycocoevalcap.bleu.bleu").Bleu(n)
    rng = Random(0)
    texts = ["", "a", "b", "a b", "b a b", "a a b b a"]
    gts: Any = {i: rng.choices(texts, k=rng.randint(1, 3)) for i in range(300)}
    few = gts, {i: [rng.choice(texts)] for i in gts}
    for gts, res in (few, *map(captions, KINDS)):
        assert_identical(Bleu(n).compute_score(gts, res), peer.compute_score(gts, res, verbose=0))


def test_captions_of_other_types() -> None:
    """Subclasses of list and str are accepted."""
    text, several = type("Text", (str,), {}), type("Several", (list,), {})
    gts, res = captions("ascii")
    same = {key: several(map(text, texts)) for key, texts in gts.items()}
    for scorer in Cider(), Rouge():
        expected = scorer.compute_score(gts, res)[1].tolist()
        assert scorer.compute_score(same, res)[1].tolist() == expected


def peers_captions() -> Iterator[tuple[Any, Any]]:
    """Yield captions of a few words or none, with many kinds of white space, and longer ones."""
    rng = Random(0)
    texts = ["", "a", "b", "a b", "b a b", "a a b b a", " a", "a  b", "b ", "a\tb", "a\xa0b", "c d"]
    gts: Any = {i: rng.choices(texts, k=rng.randint(1, 3)) for i in range(300)}
    yield gts, {i: [rng.choice(texts)] for i in gts}
    for text in texts:  # alone, unaffected by the other texts' format
        yield {1: ["a b", "a"], 2: ["c d"]}, {1: [text], 2: ["c d"]}
        yield {1: ["a b", text], 2: ["c d"]}, {1: ["a c b"], 2: ["c d"]}
    yield {1: [""]}, {1: [""]}
    yield {1: [""], 2: ["", "a"]}, {1: [""], 2: ["a b"]}
    yield from map(captions, KINDS)


def test_longest_subsequences_of_captions() -> None:
    for gts, res in peers_captions():
        mean, scores = Rouge().compute_score(gts, res)
        expected = [caption_rouge(res[key][0], gts[key]) for key in gts]
        assert scores.tolist() == expected
        assert mean == np.mean(np.array(expected))
    assert Rouge().method() == "Rouge"


def test_rare_ngrams_of_captions() -> None:
    """Values of pycocoevalcap 1.2."""
    gts = {1: ["a cat on the mat", "a cat"], 2: ["the dog in the rain"], "x": ["", "a dog"]}
    res = {"x": ["a cat"], 1: ["a cat"], 2: ["a dog in the rain"]}
    mean, scores = Cider().compute_score(gts, res)
    assert scores == pytest.approx([3.7015677435571854, 7.161251244918862, 0.3060371876198079])
    assert mean == np.mean(scores)
    assert Cider().method() == "CIDEr"
    wide, narrow = (Cider(sigma=sigma).compute_score(*captions("german"))[0] for sigma in (6, 2))
    assert narrow < wide
    assert Cider(n=1).compute_score(gts, res)[0] != mean


def test_rouge_of_pycocoevalcap() -> None:
    peer = pytest.importorskip("pycocoevalcap.rouge.rouge").Rouge()
    for gts, res in peers_captions():
        (mean, scores), (expected, each) = (
            rouge.compute_score(gts, res) for rouge in (Rouge(), peer)
        )
        assert_identical((mean, scores), (expected, each))


@pytest.mark.slow
def test_meteor_of_pycocoevalcap() -> None:
    if MeteorProgram.path is None:
        pytest.skip("needs Java, and METEOR's jar in pycocoevalcap")
    pytest.importorskip("Stemmer")
    ours = Meteor()
    peer = importlib.import_module("pycocoevalcap.meteor.meteor").Meteor()
    gts = {
        1: ["a cat sits on the mat", "there is a cat on a mat"],
        2: ["the dog ran away from the angry man"],
        "x": ["it rained for most of the day"],
    }
    res = {1: ["the cat is sitting on a mat"], 2: ["a dog runs from a furious man"], "x": ["rain"]}
    mean, scores = ours.compute_score(gts, res)
    expected, each = peer.compute_score(gts, res)
    assert mean == pytest.approx(expected, rel=1e-14)
    assert scores == pytest.approx(each, rel=1e-14)
    assert ours.method() == peer.method()
    for pipe in (peer.meteor_p.stdout, peer.meteor_p.stderr):
        pipe.close()


def test_meteor_wants_its_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        Meteor(tmp_path / "nowhere")
    monkeypatch.setattr(pycocoevalcap, "find_spec", lambda _: None)
    with pytest.raises(FileNotFoundError, match=r"data: .*no such package; give the path"):
        Meteor()


@pytest.mark.parametrize("sigma", [6.0, 3.0])
def test_cider_of_pycocoevalcap(sigma: float) -> None:
    module = pytest.importorskip("pycocoevalcap.cider.cider")
    for gts, res in peers_captions():
        if not any(text.strip() for several in gts.values() for text in several):
            continue  # the peer fails here
        mean, scores = Cider(sigma=sigma).compute_score(gts, res)
        expected, each = module.Cider(sigma=sigma).compute_score(gts, res)
        assert mean == pytest.approx(expected, abs=1e-14)
        assert scores == pytest.approx(each, abs=1e-14)


@pytest.mark.parametrize(
    ("gts", "res", "error", "message"),
    [
        ({1: ["a"], 2: ["b"]}, {1: ["a"]}, ValueError, "res: expected the 2 keys of gts; got 1; 2"),
        ({1: ["a"]}, {1: ["a", "b"]}, ValueError, r"res\[1\]: expected one caption; got 2"),
        ({1: "a"}, {1: ["a"]}, TypeError, r"gts\[1\]: expected a list of str; got str"),
        ({"x": ["a"]}, {"x": "a"}, TypeError, r"res\['x'\]: expected a list of str; got str"),
        ({1: []}, {1: ["a"]}, ValueError, r"gts\[1\]: expected at least one text; got none"),
        ({1: ["a"]}, {1: []}, ValueError, r"res\[1\]: expected at least one text; got none"),
        ({1: ["a", 2]}, {1: ["a"]}, TypeError, r"gts\[1\]\[1\]: expected str; got int"),
        ({}, {}, ValueError, "gts: expected at least one image; got none"),
    ],
)
def test_errors_of_captions(gts: Any, res: Any, error: type[Exception], message: str) -> None:
    for make in (Bleu, Cider, Rouge):
        with pytest.raises(error, match=message):
            make().compute_score(gts, res)


def printed(program: str) -> str:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout


@pytest.mark.parametrize("name", ["torchmetrics", "mbrs"])
def test_the_library_that_is_missing_is_named(name: str) -> None:
    program = (
        f"import sys; sys.modules['{name}'] = None\n"
        f"try: import rapidbleu.adapters.{name}\n"
        "except ImportError as error: print(error)"
    )
    assert printed(program) == f"rapidbleu.adapters.{name} needs {name}: pip install {name}\n"


def test_nothing_heavy_is_imported() -> None:
    program = (
        "import sys\n"
        "from rapidbleu.adapters import evaluate, fastchrf, nmt, pycocoevalcap, rouge_score\n"
        "heavy = {'evaluate', 'fastchrf', 'jiwer', 'nltk', 'numpy', 'rouge_score', 'sacrebleu'}\n"
        "heavy.add('torch')\n"
        "print(*heavy & set(sys.modules))"
    )
    assert printed(program) == "\n"
