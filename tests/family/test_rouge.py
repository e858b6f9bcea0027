"""ROUGE against slow oracles, rouge-score, and the rules of ROUGE-1.5.5.pl."""

import pickle
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from rapidbleu import ROUGE, WordF
from rapidbleu.metrics.matching.rouge import ROUGECounts
from reference.family import rouge as oracle
from support.processes import repeat_at_lower_levels

RNG = Random("rouge")
ODD = ["it's", "\u00dcBER", "K2", "x.y", "\u0130stanbul", "\u212a"]
WORDS = [
    ["a", "b", "c"],
    ["the", "cats", "running", "quickly", "conditional", "flies", "died", *ODD],
    [f"w{i}" for i in range(30)],
]


def text(rng: Random) -> str:
    words = rng.choice(WORDS)
    n = rng.choice([0, 1, 2, 3, 8, 20, 66, 150])
    return "".join(rng.choice(words) + rng.choice([" ", " ", "\n", "  ", ", "]) for _ in range(n))


HYPS = [text(RNG) for _ in range(160)]
STREAMS = [[text(RNG) for _ in HYPS] for _ in range(2)]
for _i in range(0, len(HYPS), 2):  # half of them have much in common
    _words = STREAMS[0][_i].split(" ")
    HYPS[_i] = " ".join(word for word in _words if RNG.random() < 0.8)


def compare(metric: ROUGE, expected: list[oracle.Score], streams: list[list[str]]) -> None:
    found = [metric.score(row) for row in metric.segment_stats(HYPS, streams)]
    for k, name in enumerate(("precision", "recall", "f")):
        numbers = [100 * score[k] for score in expected]
        assert [getattr(score, name) for score in found] == pytest.approx(numbers, abs=1e-12)
    mean = sum(score[2] for score in expected) / len(expected)
    assert metric.corpus_score(HYPS, streams).score == pytest.approx(100 * mean, rel=1e-12)


@pytest.mark.parametrize("stem", [False, True], ids=["words", "stems"])
@pytest.mark.parametrize("variant", ["1", "2", "5", "L", "Lsum"])
@pytest.mark.parametrize("n_refs", [1, 2])
def test_scores_are_those_of_rouge_score(variant: str, stem: bool, n_refs: int) -> None:
    library = pytest.importorskip("rouge_score.rouge_scorer")
    scorer = library.RougeScorer([f"rouge{variant}"], use_stemmer=stem)
    streams = STREAMS[:n_refs]
    expected = [
        oracle.Score(*scorer.score_multi(refs, hyp)[f"rouge{variant}"])
        for hyp, *refs in zip(HYPS, *streams, strict=True)
    ]
    compare(ROUGE(variant, stem=stem), expected, streams)


TOKENS = [[oracle.tokenize(each) for each in stream] for stream in (HYPS, *STREAMS)]
SENTENCES = [[oracle.sentences(each) for each in stream] for stream in (HYPS, *STREAMS)]


@pytest.mark.parametrize(
    ("variant", "score"),
    [
        ("1", lambda h, r: oracle.rouge_n(h, r, 1)),
        ("3", lambda h, r: oracle.rouge_n(h, r, 3)),
        ("L", oracle.rouge_l),
        ("W", oracle.rouge_w),
        ("S", oracle.rouge_s),
        ("S0", lambda h, r: oracle.rouge_s(h, r, 0)),
        ("S4", lambda h, r: oracle.rouge_s(h, r, 4)),
        ("SU", lambda h, r: oracle.rouge_s(h, r, None, True)),
        ("SU4", lambda h, r: oracle.rouge_s(h, r, 4, True)),
    ],
)
@pytest.mark.parametrize("n_refs", [1, 2])
def test_variants_of_words(
    variant: str, score: Callable[[Any, Any], oracle.Score], n_refs: int
) -> None:
    expected = [
        oracle.best([score(hyp, ref) for ref in refs])
        for hyp, *refs in zip(*TOKENS[: n_refs + 1], strict=True)
    ]
    compare(ROUGE(variant), expected, STREAMS[:n_refs])


def test_the_union_of_sentences() -> None:
    expected = [oracle.rouge_lsum(hyp, ref) for hyp, ref in zip(*SENTENCES[:2], strict=True)]
    compare(ROUGE("Lsum"), expected, STREAMS[:1])


def pooled(rows: list[oracle.PerlRow], weight: float = 1.0) -> oracle.Score:
    """Combine several references like ROUGE-1.5.5.pl, without its rounding."""
    row = oracle.perl_pooled(rows)
    recall = (row.hits / row.n_ref) ** (1 / weight) if row.n_ref else 0.0
    precision = (row.hits / row.n_hyp) ** (1 / weight) if row.n_hyp else 0.0
    return oracle.Score(precision, recall, oracle.f_measure(precision, recall))


@pytest.mark.parametrize(
    ("variant", "row", "texts", "weight"),
    [
        ("2", lambda h, r: oracle.perl_row_n(h, r, 2), TOKENS, 1),
        ("SU4", lambda h, r: oracle.perl_row_s(h, r, 4, True), TOKENS, 1),
        ("SU", lambda h, r: oracle.perl_row_s(h, r, None, True), TOKENS, 1),
        ("S2", lambda h, r: oracle.perl_row_s(h, r, 2), TOKENS, 1),
        ("L", oracle.perl_row_l, SENTENCES, 1),
        ("W", oracle.perl_row_w, SENTENCES, 1.2),
    ],
)
def test_rules_of_the_perl_program(variant: str, row: Any, texts: Any, weight: float) -> None:
    expected = [
        pooled([row(hyp, ref) for ref in refs], weight) for hyp, *refs in zip(*texts, strict=True)
    ]
    has_rule = variant[0] in "LW" or variant.startswith("SU")
    compare(ROUGE(variant, aggregate="pooled", perl_compat=has_rule), expected, STREAMS)


@pytest.mark.slow
def test_the_portable_code_scores_the_same() -> None:
    repeat_at_lower_levels(__file__, "variants or pairs")


def test_pairs_with_references_side_by_side() -> None:
    for metric in (ROUGE("L"), ROUGE("L", measure="recall"), ROUGE("L", beta=2)):
        matrix = metric.pairwise(HYPS[:40], STREAMS[0][:50])
        expected = [
            [metric.sentence_score(h, [r]).score for r in STREAMS[0][:50]] for h in HYPS[:40]
        ]
        assert matrix.tolist() == expected


def test_measures_and_betas() -> None:
    whole = ROUGE("1").corpus_score(HYPS, STREAMS[:1])
    for measure, name in (("precision", "precision"), ("recall", "recall"), ("f", "f")):
        metric = ROUGE("1", measure=measure)  # type: ignore[arg-type]
        assert metric.corpus_score(HYPS, STREAMS[:1]).score == getattr(whole, name)
    scores = [ROUGE("1", beta=beta).segment_scores(HYPS, STREAMS[:1]) for beta in (0, 1e9)]
    for found, measure in zip(scores, ("precision", "recall"), strict=True):
        same = ROUGE("1", measure=measure).segment_scores(HYPS, STREAMS[:1])  # type: ignore[arg-type]
        assert found.tolist() == pytest.approx(same.tolist(), rel=1e-12)


def test_tokens_and_lines_of_lists() -> None:
    hyp, ref = ["a", "b", "\n", "c"], ["c", "\n", "a", "x", "b"]
    expected = oracle.rouge_lsum([["a", "b"], ["c"]], [["c"], ["a", "x", "b"]])
    assert ROUGE("Lsum").sentence_score(hyp, [ref]).score == pytest.approx(100 * expected[2])
    assert ROUGE("L", tokenize="none", lowercase=False).sentence_score("A b", ["a b"]).score == 50


def test_the_tokenizer_is_its_rule() -> None:
    for code in [*range(0x2500), 0xAC00, 0x10FFFF]:  # the Kelvin sign, 0x212A, is a k
        character = f"a{chr(code)}b a"
        assert ROUGE("1").tokenizer(character.lower()) == oracle.tokenize(character)
        score = ROUGE("1").sentence_score(character, [" ".join(oracle.tokenize(character))])
        assert score.score == 100


WORDY = r"[\p{L}\p{M}\p{N}\p{C}--\p{Cc}]"
HIDDEN = (  # which programs may ignore, except joiners and the letters among them
    r"[\xad\u061c\u180e\u200b\u200e-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    r"\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
SPACELESS = (
    r"[[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}--[\U00016fe0-\U00016fff]]||[\u3000-\u312f"
    r"\u3190-\u9fff\uf900-\ufaff\uff66-\uff9f\U0001aff0-\U0001b16f\U00020000-\U0003ffff]]"
)


def test_the_unicode_rule_is_that_of_the_categories() -> None:
    regex = pytest.importorskip("regex")
    ranges = range(0xD800), range(0xE000, 0x33480), range(0xE0000, 0xE2000), [0x10FFFF]
    characters = "".join(chr(code) for own in ranges for code in own)
    part = set(regex.findall(f"(?V1)[{WORDY}--{HIDDEN}]", characters))
    alone = part.intersection(regex.findall(f"(?V1){SPACELESS}", characters))
    assert len(part - alone) > 80_000 and len(alone) > 100_000 and len(characters) - len(part) > 999
    expected = [
        ["a", each, "b"] if each in alone else [f"a{each}b"] if each in part else ["a", "b"]
        for each in characters
    ]
    texts = [f"a{each}b" for each in characters]
    metric = ROUGE("1", tokenize="unicode", lowercase=False)
    assert [metric.tokenizer(text) for text in texts] == expected
    rng = Random("unicode")
    texts += ["".join(rng.choices(characters + "\u20ac. e" * 20_000, k=30)) for _ in range(5000)]
    expected += map(metric.tokenizer, texts[len(expected) :])
    counts = ROUGECounts("1", tokenize="unicode", lowercase=False)
    rows = counts.segment_stats(texts, [[" ".join(tokens) for tokens in expected]])
    assert rows.tolist() == [[len(tokens)] * 3 for tokens in expected]


SCRIPTS = {
    "\u0e41\u0e21\u0e27\u0e19\u0e31\u0e48\u0e07": 1,  # Thai, which has no spaces either
    "\u0939\u093f\u0928\u094d\u0926\u0940 \u092c\u094b\u0932\u0924\u093e\u0964": 2,
    "\u6771\u4eac\u3078\u884c\u304f\u3002": 5,
    "\ud55c\uad6d\uc5b4 \ubb38\uc7a5": 2,
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645": 1,  # with a joiner inside
    "\u00c9t\u00e9 2024 \u2764\ufe0f \u0660\u0661": 3,
}


@pytest.mark.parametrize("variant", ["1", "2", "L", "Lsum", "W", "S", "SU4"])
def test_any_script_scores_by_the_unicode_rule(
    variant: str, caplog: pytest.LogCaptureFixture
) -> None:
    metric = ROUGE(variant, tokenize="unicode")
    for text, n_tokens in SCRIPTS.items():
        assert len(metric.tokenizer(text)) == n_tokens
        least = 2 if variant in ("2", "S") else 1
        for made in (metric, pickle.loads(pickle.dumps(metric))):
            score = made.sentence_score(text, [text]).score
            assert score == (100 if n_tokens >= least else 0)
    assert ROUGE("1").sentence_score("\u0e41\u0e21\u0e27", ["\u0e41\u0e21\u0e27"]).score == 0
    assert len(caplog.records) == 1  # of the default
    assert "'unicode'" in caplog.text


def test_lines_by_the_unicode_rule() -> None:
    lines = [["\u0446", "b", "c"], ["d", "\u0435"]], [["d", "\u0446"], ["\u0435", "c"]]
    hyp, ref = ("\n".join(". ".join(line) for line in text) for text in lines)
    score = ROUGE("Lsum", tokenize="unicode").sentence_score(hyp, [ref])
    assert score.score == pytest.approx(100 * oracle.rouge_lsum(*lines)[2])
    assert ROUGE("L", tokenize="unicode").sentence_score(hyp, [ref]).score < score.score
    assert "tok:unicode" in str(ROUGE(tokenize="unicode").corpus_score(["a"], [["a"]]).signature)


def test_wrong_tokenizers_are_refused() -> None:
    with pytest.raises(ValueError, match=r"tokenize: expected one of none, .*, unicode; got 'zz'"):
        ROUGE(tokenize="zz")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"tokenize: expected one of none, .*; got 'unicode'"):
        WordF(tokenize="unicode")  # type: ignore[arg-type]


LOST = "\u041e\u043d\n\u0434\u043e\u043c\u0430."
CALLS: dict[str, Callable[[ROUGE], Any]] = {
    "corpus": lambda metric: metric.corpus_score(["a", LOST], [["a", "b"]]),
    "sentence": lambda metric: metric.sentence_score("a", [LOST]),
    "segments": lambda metric: metric.segment_scores([LOST], [[LOST]]),
    "prepared": lambda metric: metric.prepare([["a", LOST]]),
    "pairs": lambda metric: metric.pairwise(["a", LOST]),
    "n-best": lambda metric: metric.nbest_scores([[LOST, "a"]], metric.prepare([["a"]])),
    "Arrow": lambda metric: metric.corpus_score(
        pytest.importorskip("pyarrow").array(["a", LOST]), [["a", "b"]]
    ),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    "options",
    [{}, {"variant": "Lsum"}, {"variant": "2", "lowercase": False}, {"stem": True}],
    ids=str,
)
def test_text_without_tokens_is_warned_of_once(
    call: str, options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    if options.get("stem"):
        pytest.importorskip("nltk")
    metric = ROUGE(**options)
    for one in (metric, pickle.loads(pickle.dumps(metric)), ROUGECounts(**options)):
        caplog.clear()
        CALLS[call](one)
        CALLS[call](one)
        (record,) = caplog.records
        assert record.name == "rapidbleu"
        assert "keeps ASCII letters and digits only" in record.getMessage()
        assert "`tokenize`" in record.getMessage()


@pytest.mark.parametrize(
    ("text", "options"),
    [
        *[(text, {}) for text in ("", " \n", ".", "\u2014 \u3002\u3000\u20ac", f"{LOST} 2")],
        ("\u212a", {}),  # whose lower case is a k
        (LOST, {"tokenize": "char"}),
        (LOST, {"tokenize": ROUGE().tokenizer}),
    ],
)
def test_what_is_not_warned_of(
    text: str, options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    ROUGE(**options).corpus_score([text], [[text]])
    ROUGE().corpus_score([text.split()], [[text.split()]])
    assert not caplog.records


@pytest.mark.parametrize(
    "variant",
    [
        "0",
        "l",
        "LSUM",
        "S-1",
        "SU1234567",
        "99",
        "",
        0,
        65,
        True,
        1.0,
        "rouge",
        "rouge0",
        "rougel",
        None,
    ],
)
def test_wrong_variants_are_refused(variant: Any) -> None:
    with pytest.raises(ValueError, match="variant: expected 1 to 64, L, Lsum, W, S, SU"):
        ROUGE(variant)


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        ("rouge1", "1"),
        (1, "1"),
        (12, "12"),
        ("rougeL", "L"),
        ("rougeLsum", "Lsum"),
        ("rougeSU4", "SU4"),
    ],
)
def test_variants_as_others_call_them(name: Any, variant: str) -> None:
    metric = ROUGE(name)
    assert (metric.variant, repr(metric)) == (variant, repr(ROUGE(variant)))
    score = metric.corpus_score(HYPS, STREAMS)
    assert (score, score.name) == (ROUGE(variant).corpus_score(HYPS, STREAMS), f"ROUGE-{variant}")


@pytest.mark.parametrize("make", [ROUGE, WordF], ids=lambda make: make.__name__)
def test_beta_without_bound_is_recall(make: Any) -> None:
    for text, ref in (("a b c", "a b d e"), ("a b", "a b"), ("", "a"), ("a", ""), ("x", "y")):
        score = make(beta=float("inf")).sentence_score(text, [ref])
        assert score.score == score.recall
    assert "beta:inf" in str(metric_signature(make(beta=float("inf"))))


def metric_signature(metric: Any) -> str:
    metric.sentence_score("a", ["a"])
    return str(metric.get_signature())


def test_wrong_options_are_refused() -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"measure": "fmeasure"}, "measure: expected one of f, precision, recall; got 'fm"),
        ({"aggregate": "mean"}, "aggregate: expected one of best, pooled; got 'mean'"),
        ({"weight": 0.5}, "weight: expected 1 to 100; got 0.5"),
        ({"beta": -1}, "beta: expected 0 to inf; got -1"),
        ({"stem": True, "tokenize": "13a"}, "stem: expected the tokenizer of ROUGE with it"),
    ]
    for options, message in wrong:
        with pytest.raises(ValueError, match=message):
            ROUGE("L", **options)


def test_printed_scores() -> None:
    score = ROUGE("2").corpus_score(["a b c"], [["a b d"]])
    assert str(score) == "ROUGE-2 = 50.00 (P = 50.0 R = 50.0)"
    assert score.n_segments == 1
    rouge = ROUGE("W", perl_compat=True, beta=2)
    rouge.corpus_score(["a"], [["a"]])
    assert "tok:rouge|type:W|measure:f|beta:2|refs:best|weight:1.2|perl:yes" in str(
        rouge.get_signature()
    )
