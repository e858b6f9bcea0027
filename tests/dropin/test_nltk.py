"""The drop-in for NLTK against the installed NLTK, by `repr`, which distinguishes 0 from 0.0."""

import gc
import importlib
import math
import pickle
import random
import subprocess
import sys
import warnings
import weakref
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rapidbleu._core.counting.kernels import GleuKernel
from rapidbleu.nltk.grams import COUNTER, sum_counts
from support.nltk_agreement import MODULES, OURS, PEERS, WEIGHTS, outcome, same, same_smoothed
from support.selection import few

NAN = float("nan")
VOCABULARIES = (
    list("abc"),
    ["the", "of", "", "a\0", "a", "\0", "incomprehensible", "incomprehensibly", "\0" * 9],
    ["é", "e", "日本", "日", "\ud800", "Ω", "ω", "12345678", "123456789", "1234567é"],
    [0, 1, -1, 2**63 - 1, 2**64 - 1, -(2**63)],
    [2**64, 2**64 + 1, 1, -(2**63) - 1],
    [1, 1.0, True, "1", (1,), (1.0,), None, NAN, b"1", frozenset({1}), Fraction(1)],
    [np.int64(1), 1, np.float64(1.0), np.str_("a"), "a"],
    ["incomprehensible", "incomprehensibly", "a", "\0", 1, (1,)],
    ["incomprehensible", "incomprehensibly", "a", b"a"],
    [f"word{i}" for i in range(300)],
)


class Text(str):
    """A str subclass."""


class Sized:
    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


class Once(Sized):
    def __iter__(self):
        return self

    def __next__(self):
        if not self.items:
            raise StopIteration
        return self.items.pop(0)


class Lying(Sized):
    """A sequence that misreports its length."""

    def __len__(self):
        return 3


@st.composite
def corpora(draw, most_segments=4, most_tokens=12):
    vocabulary = draw(st.sampled_from(VOCABULARIES))
    segment = st.lists(st.sampled_from(vocabulary), max_size=most_tokens)
    n = draw(st.integers(0, most_segments))
    references = [
        draw(st.lists(segment, min_size=draw(st.integers(0, 1)), max_size=3)) for _ in range(n)
    ]
    return references, [draw(segment) for _ in range(n)]


def made(n_segments, n_tokens, vocabulary, seed=0):
    """Return a corpus whose references resemble the hypotheses."""
    rng = random.Random(seed)
    hyps = [rng.choices(vocabulary, k=rng.randint(1, n_tokens)) for _ in range(n_segments)]
    references = [
        [[t if rng.random() < 0.7 else rng.choice(vocabulary) for t in hyp] for _ in range(2)]
        for hyp in hyps
    ]
    return references, hyps


@settings(max_examples=150, deadline=None)
@given(corpora(), st.sampled_from(WEIGHTS), st.booleans())
def test_corpus_bleu(corpus, weights, auto_reweigh):
    same("bleu_score", "corpus_bleu", *corpus, weights, auto_reweigh=auto_reweigh)


@settings(max_examples=150, deadline=None)
@given(
    corpora(),
    st.sampled_from(WEIGHTS),
    st.booleans(),
    st.integers(0, 7),
    st.sampled_from([(), (0,), (0.5, 2.5, 2), (-1, 0, 0.5), (0.1, -3, 0), (Fraction(1, 7), 5, 5)]),
)
def test_smoothing(corpus, weights, auto_reweigh, method, parameters):
    same_smoothed(
        method, *corpus, weights=weights, auto_reweigh=auto_reweigh, parameters=parameters
    )


@pytest.mark.parametrize("vocabulary", VOCABULARIES, ids=lambda v: repr(v)[:20])
@pytest.mark.parametrize("n_tokens", few([3, 30, 63, 64, 65, 130, 390, 500], range(66)))
def test_segments_of_all_lengths(vocabulary, n_tokens):
    references, hyps = made(70 if n_tokens == 30 else 3, n_tokens, vocabulary)
    same("bleu_score", "corpus_bleu", references, hyps)
    for method in range(8):
        same_smoothed(method, references, hyps)
    same("gleu_score", "corpus_gleu", references, hyps)
    same("nist_score", "corpus_nist", references, hyps, 3)


def test_a_batch_ends_with_its_tokens():
    references, hyps = made(40, 2000, [f"w{i}" for i in range(50)])
    same("bleu_score", "corpus_bleu", references, hyps, [(0.5, 0.5)])
    same("gleu_score", "corpus_gleu", references, hyps, 1, 2)


@settings(max_examples=150, deadline=None)
@given(corpora(most_segments=1), st.booleans())
def test_sentence_bleu(corpus, auto_reweigh):
    for references, hypothesis in zip(*corpus, strict=True):
        same("bleu_score", "sentence_bleu", references, hypothesis, auto_reweigh=auto_reweigh)
        same("bleu_score", "sentence_bleu", [hypothesis, *references], hypothesis, (0.5, 0.5))


NUMBERS = (
    (),
    (0,),
    (0.0, 5, 0),
    (0.5, 2.5, 2),
    (-1, 0, 0.5),
    (0.1, -3, 0.0),
    (1e-300, 5, 1e300),
    (NAN, 5, NAN),
    (math.inf, 5, math.inf),
    (10**30, 5, 10**30),
    (2**53 + 1, 5, 3),
    (-0.0, 5, -2),
    (True, 5, True),
    (Fraction(1, 7), 5, Fraction(7, 3)),
    (np.float64(0.3), 5, np.float64(3)),
    ("x", 5, None),
)


@settings(max_examples=250, deadline=None)
@given(
    corpora(most_segments=1),
    st.integers(0, 7),
    st.sampled_from(NUMBERS),
    st.sampled_from(
        [*WEIGHTS, (1e308,) * 3, (-1e308, 1e308), (NAN,), (0.0, 0.0), (0.5, 1), (900.0,)]
    ),
)
def test_smoothed_sentences(corpus, method, parameters, weights):
    for references, hypothesis in zip(*corpus, strict=True):
        for several in (references, [*references, hypothesis], [*references, hypothesis[1:]]):
            arguments = several, hypothesis, weights
            same_smoothed(method, *arguments, function="sentence_bleu", parameters=parameters)


@pytest.mark.parametrize("method", range(8))
@pytest.mark.parametrize("n_tokens", [1, 2, 5, 20, 64, 65, 400, 9000])
def test_smoothed_sentences_of_all_lengths(n_tokens, method):
    words = [f"w{i * i}" for i in range(n_tokens)]
    for hypothesis in (words, words[::-1], words[: n_tokens // 2] + ["x"] * 9, ["x", *words[1:3]]):
        same_smoothed(method, [words, words[1:]], hypothesis, function="sentence_bleu")


def test_a_warning_that_is_an_error_ends_the_call():
    caught = []
    for modules in (OURS, PEERS):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(UserWarning) as error:
                modules["bleu_score"].sentence_bleu([list("abcd")], list("acbd"))
        caught.append(str(error.value))
    assert caught[0] == caught[1]


def test_smoothing_methods_that_were_replaced(monkeypatch):
    bleu = OURS["bleu_score"]
    smoothing = bleu.SmoothingFunction()
    arguments = [list("abcd")], list("abxd")
    before = bleu.sentence_bleu(*arguments, smoothing_function=smoothing.method1)
    monkeypatch.setattr(bleu.SmoothingFunction, "method1", lambda self, p_n, **_: [0.5] * 4)
    assert bleu.sentence_bleu(*arguments, smoothing_function=smoothing.method1) == 0.5 != before

    class Mine(bleu.SmoothingFunction):
        def method2(self, p_n, **_):
            return [0.5] * len(p_n)

    assert bleu.sentence_bleu(*arguments, smoothing_function=Mine().method2) == 0.5
    del smoothing.k
    with pytest.raises(AttributeError, match="'k'"):
        bleu.sentence_bleu(*arguments, smoothing_function=smoothing.method4)


FORMS = {
    "lists": (lambda: [["a", "b", "c", "d"], ["a", "b"]], lambda: ["a", "b", "c", "x"]),
    "tuples": (lambda: (("a", "b", "c", "d"),), lambda: ("a", "b", "c", "d")),
    "strings": (lambda: ["the cat is here", "thé"], lambda: "the cat was here"),
    "a string for the references": (lambda: "the cat", lambda: ["t", "h", "e"]),
    "string and characters": (lambda: ["abcde"], lambda: list("abcdx")),
    "arrays": (lambda: [np.array([1, 2, 3, 4])], lambda: np.array([1, 2, 3, 5])),
    "array and ints": (lambda: [[1, 2, 3, 4]], lambda: np.array([1, 2, 3, 5])),
    "matrix": (lambda: [np.ones((4, 2))], lambda: np.ones((4, 2))),
    "bytes": (lambda: [b"abcde", [97, 98, 99]], lambda: b"abcd"),
    "ranges": (lambda: [range(5)], lambda: range(1, 6)),
    "subclass of str": (lambda: [[Text("a"), "b"]], lambda: ["a", Text("b")]),
    "text of a subclass": (lambda: [Text("abcd")], lambda: "abcd"),
    "sized": (lambda: Sized([Sized("abcd"), Sized("abc")]), lambda: Sized("abcx")),
    "once, sized": (lambda: [Once(list("abcd"))], lambda: Once(list("abce"))),
    "lying": (lambda: [Lying("ab"), list("abce")], lambda: Lying("abcde")),
    "dict": (lambda: [dict.fromkeys("abcd")], lambda: dict.fromkeys("abce")),
    "set": (lambda: [{"a", "b"}], lambda: {"a", "b"}),
    "hypothesis once": (lambda: [["a", "b"]], lambda: iter(["a", "b"])),
    "no reference": (list, lambda: ["a", "b"]),
    "empty reference": (lambda: [[]], lambda: ["a"]),
    "empty hypothesis": (lambda: [["a"]], list),
    "both empty": (lambda: [[]], list),
    "unhashable": (lambda: [["a", "b"]], lambda: ["a", ["b"]]),
    "None": (lambda: None, lambda: None),
    "number": (lambda: [["a"]], lambda: 7),
    "nan": (lambda: [[NAN, 1.0]], lambda: [NAN, 1]),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_segments(form):
    references, hypothesis = FORMS[form]
    for weights in WEIGHTS:
        same("bleu_score", "sentence_bleu", references, hypothesis, weights)
    for n in (1, 2, 4, 0, -1, 2.0, True, "1", None, 2000):
        same("bleu_score", "modified_precision", references, hypothesis, n)
        same("nist_score", "sentence_nist", references, hypothesis, n)
    for orders in (
        (1, 4),
        (2, 3),
        (3, 2),
        (0, 2),
        (-1, 4),
        (1, -1),
        (1, 0),
        (1, -2),
        (1.0, 2),
        (True, 2),
        (4, 16),
        (17, 1),
        (1, 17),
        (2, 2**70),
    ):
        same("gleu_score", "sentence_gleu", references, hypothesis, *orders)
    for name, function in (("bleu_score", "corpus_bleu"), ("gleu_score", "corpus_gleu")):
        same(name, function, lambda: [["ab"], references()], lambda: ["ab", hypothesis()])


@pytest.mark.parametrize(
    ("references", "hypotheses"),
    [
        ([], []),
        ([], [["a"]]),
        ([[["a"]]], []),
        ((([["a"]]),), [["a"]]),
        ("ab", "ab"),
        (5, 5),
        ({"a": 1}, {"a": 1}),
        ({"ab": 1}, {"ab": 1}),
        (Sized([["ab"]]), Sized(["ab"])),
        (np.array([[["a", "b"]]]), np.array([["a", "b"]])),
        (iter([["ab"]]), ["ab"]),
        (None, []),
    ],
)
def test_forms_of_corpora(references, hypotheses):
    for metric in ("bleu", "gleu", "nist", "chrf"):
        same(f"{metric}_score", f"corpus_{metric}", references, hypotheses)


def test_weights_that_are_no_weights():
    for weights in (None, 5, "ab", {}, {0: (1,)}, iter([0.5]), [None], [(None,)], (0.5, "x")):
        same("bleu_score", "corpus_bleu", [[["a", "b"]]], [["a", "b"]], weights)


def test_fractions():
    ours, theirs = (
        modules["bleu_score"].modified_precision([list("aab")], list("aaac"), 1)
        for modules in (OURS, PEERS)
    )
    reduced = sys.version_info >= (3, 12)  # by Python's Fraction itself
    assert (ours == theirs) is not reduced
    assert (ours == 0.5) is reduced  # NLTK's own fails here
    assert ours <= 0.5 < ours + 1
    assert isinstance(ours, Fraction)
    for show in (
        repr,
        str,
        float,
        hash,
        lambda f: f.numerator,
        lambda f: f.denominator,
        lambda f: f + 1,
        lambda f: f * f,
        lambda f: f**2,
        lambda f: 1 / f,
        lambda f: pickle.loads(pickle.dumps(f)),
        lambda f: f > 0,
        bool,
        math.log,
        lambda f: f + 0.5,
        lambda f: -f,
        lambda f: f / 3,
    ):
        assert repr(show(ours)) == repr(show(theirs))
    for args in ((2, 4), (2, 4, True), (3,), (0, 0), ("1/2",)):
        assert outcome(OURS["bleu_score"], "Fraction", *args) == outcome(
            PEERS["bleu_score"], "Fraction", *args
        )


def test_own_smoothing_functions():
    references, hyps = [[["a", "b"]], [["a", "c", "d"], ["x"]]], [["a", "b"], ["a", "c", "x"]]
    calls = []

    def smooth(p_n, *args, **options):
        calls.append((repr(p_n), [(p.numerator, p.denominator) for p in p_n], args, options))
        assert options["references"] is references[-1]
        assert options["hypothesis"] is hyps[-1]
        return [p + 1 for p in p_n]

    class Mine(OURS["bleu_score"].SmoothingFunction):
        def method1(self, p_n, *args, **options):
            return [0.5] * len(p_n)

    same("bleu_score", "corpus_bleu", references, hyps, smoothing_function=smooth)
    assert calls[0] == calls[1]
    same("bleu_score", "corpus_bleu", references, hyps, smoothing_function=Mine().method1)
    same("bleu_score", "corpus_bleu", references, hyps, smoothing_function=Mine().method3)
    same("bleu_score", "corpus_bleu", references, hyps, smoothing_function=lambda p, **_: None)
    same("bleu_score", "corpus_bleu", references, hyps, smoothing_function=0)
    same("bleu_score", "corpus_bleu", references, hyps, smoothing_function=5)


@pytest.mark.parametrize("method", range(8))
def test_smoothing_methods_alone(method):
    def smoothed(modules, matches, options):
        bleu = modules["bleu_score"]
        p_n = [bleu.Fraction(m, t) for m, t in ((3, 4), (2, 3), (matches, 2), (0, 1))]
        function = getattr(bleu.SmoothingFunction(), f"method{method}")
        return function(p_n, references=[list("abcx")], hypothesis=list("abcd"), **options)

    call = SimpleNamespace(smoothed=smoothed)
    for matches in (1, 0):
        for options in ({}, {"hyp_len": 0}, {"hyp_len": 1}, {"hyp_len": 9}):
            ours, theirs = (outcome(call, "smoothed", m, matches, options) for m in (OURS, PEERS))
            assert ours == theirs


def test_warnings_come_from_us_and_once_each_place():
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()
        warnings.simplefilter("default")
        for _ in range(3):
            OURS["bleu_score"].sentence_bleu([["a", "b", "c", "d"]], ["a", "c", "b", "d"])
    assert len(caught) == 3
    assert {w.category for w in caught} == {UserWarning}
    assert {"rapidbleu" in w.filename for w in caught} == {True}


@given(st.lists(st.integers(0, 9), max_size=4), st.integers(0, 9), st.integers(0, 99))
def test_lengths(lengths, hyp_len, ref_len):
    references = [["a"] * n for n in lengths]
    same("bleu_score", "closest_ref_length", references, hyp_len)
    same("bleu_score", "closest_ref_length", lambda: iter(references), hyp_len)
    same("bleu_score", "brevity_penalty", ref_len, hyp_len)
    same("bleu_score", "brevity_penalty", ref_len / 3, hyp_len / 7)
    same("nist_score", "nist_length_penalty", ref_len, hyp_len)


@settings(max_examples=150, deadline=None)
@given(corpora(), st.integers(-2, 5), st.integers(-3, 7))
def test_corpus_gleu(corpus, min_len, max_len):
    same("gleu_score", "corpus_gleu", *corpus)
    same("gleu_score", "corpus_gleu", *corpus, min_len=min_len, max_len=max_len)


@settings(max_examples=150, deadline=None)
@given(corpora(), st.integers(-1, 8))
def test_corpus_nist(corpus, n):
    same("nist_score", "corpus_nist", *corpus, n)
    same("nist_score", "corpus_nist", *corpus)


def test_nist_of_many_words():
    """More n-grams than the trie's initial size, and references of different scores."""
    references, hyps = made(300, 40, [f"w{int(i**1.5)}" for i in range(400)])
    same("nist_score", "corpus_nist", references, hyps)
    same("nist_score", "corpus_nist", references, hyps, 9)


@pytest.mark.parametrize("vocabulary", ["abcdefghij", range(12), [f"w{i}" for i in range(90)]])
def test_nist_of_references_that_masks_have_bits_for_or_not(vocabulary):
    rng = random.Random(5)
    references, hyps = [], []
    for lengths in ([64], [65], [3, 64, 200], [65, 64], [0, 130], [1], [200, 1], [63, 129], []):
        hyp = rng.choices(vocabulary, k=rng.choice([1, 30, 64, 65, 150]))
        several = [rng.choices(vocabulary, k=length) for length in lengths]
        references.append([*several, [*hyp[:40], *rng.choices(vocabulary, k=3)]])
        hyps.append(hyp)
    for n in (1, 5, 16):
        same("nist_score", "corpus_nist", references, hyps, n)
        for several, hyp in zip(references, hyps, strict=True):
            same("nist_score", "sentence_nist", several, hyp, n)


BETAS = (3.0, 2, 0, 0.0, -1, 1e-200, 1e200, 10**200, math.inf, NAN, Fraction(1, 2), True, None)
CHARACTERS = "ab \t\n\x0b\x1c\x1f\x85\xa0\u2003\u3000\u200bé日\U0001f600\ud800"


@settings(max_examples=250, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.text(CHARACTERS, max_size=12) | st.lists(st.text(CHARACTERS, max_size=4)),
            st.text(CHARACTERS, max_size=12) | st.lists(st.text(CHARACTERS, max_size=4)),
        ),
        max_size=4,
    ),
    st.sampled_from([(1, 6), (1, 1), (2, 3), (3, 2), (0, 2), (-1, 1), (1, 20), (1.0, 2)]),
    st.sampled_from(BETAS),
    st.booleans(),
)
def test_corpus_chrf(pairs, orders, beta, ignore_whitespace):
    references, hyps = [ref for ref, _ in pairs], [hyp for _, hyp in pairs]
    same("chrf_score", "corpus_chrf", references, hyps)
    same("chrf_score", "corpus_chrf", references, hyps, *orders, beta, ignore_whitespace)
    for reference, hyp in pairs[:1]:
        same("chrf_score", "sentence_chrf", reference, hyp, *orders, beta, ignore_whitespace)


@pytest.mark.parametrize("n_characters", [60, 64, 65, 300, 384, 385, 2000])
def test_chrf_of_long_texts(n_characters):
    references, hyps = made(3, n_characters, "abcdefghij ")
    references = ["".join(several[0]) for several in references]
    same("chrf_score", "corpus_chrf", references, ["".join(hyp) for hyp in hyps])
    same("chrf_score", "corpus_chrf", references, hyps)


def test_chrf_white_space():
    for first in range(0, 0x3100, 64):
        text = "".join(map(chr, range(first, first + 64)))
        same("chrf_score", "sentence_chrf", text + "abc", "abc", 1, 1)


@pytest.mark.parametrize("form", FORMS)
def test_chrf_forms_of_segments(form):
    reference, hypothesis = FORMS[form]
    support = "chrf_precision_recall_fscore_support"
    same("chrf_score", "sentence_chrf", reference, hypothesis)
    same("chrf_score", "sentence_chrf", hypothesis, reference)
    same("chrf_score", "sentence_chrf", lambda: iter(["ab", "c"]), lambda: iter(["ab", "d"]))
    for n in (1, 2, 0, -1, 2.0, None):
        for beta in BETAS:
            same("chrf_score", support, hypothesis, hypothesis, n, beta)
    same("chrf_score", support, hypothesis, ["a"], 1, 3.0, 0.5)


@pytest.mark.parametrize(
    "tokens",
    [["a", "incomprehensible"], [1, -1], [2**64, "a"], [None, (1,)], ["incomprehensible", NAN]],
    ids=repr,
)
def test_segments_that_the_core_reads(tokens):
    for several in (tokens, tuple(tokens), dict.fromkeys(tokens)):
        assert sum_counts([[several, tokens]], [several], 1) == [2, 2, 2, 2]
        assert COUNTER.sums(GleuKernel(1, 2), [[several, tokens]], [several]) == [3, 3]
        assert COUNTER.nist([[several, tokens]], [several], 1) is not None
    for unreadable in ([[]], iter(tokens), None, 5):
        assert sum_counts([[tokens]], [unreadable], 1) is None
        assert sum_counts([[unreadable]], [tokens], 1) is None
        assert COUNTER.nist([[unreadable]], [tokens], 1) is None
    assert sum_counts([[tokens]], [tokens, tokens], 1) is None  # fewer references than hypotheses
    assert sum_counts([[]], [tokens], 1) is None


@pytest.mark.slow
def test_the_core_keeps_no_tokens():
    class Token:
        """Something that supports weak references."""

    tokens = [Token() for _ in range(3)]
    ends = [weakref.ref(token) for token in tokens]
    OURS["bleu_score"].sentence_bleu([tokens], tokens, (1.0,))
    OURS["gleu_score"].sentence_gleu([tokens], tokens)
    OURS["nist_score"].sentence_nist([tokens], tokens, 1)
    tokens.clear()
    gc.collect()
    assert [end() for end in ends] == [None] * 3


def test_tokens_whose_methods_misbehave():
    """Hashing may change the lists being read, and comparison may fail."""
    changed: list = []

    class Changing:
        def __hash__(self):
            changed.clear()
            return 1

        def __eq__(self, other):
            changed.extend("xyz")
            return True

    changed.extend([Changing() for _ in range(50)])
    for _ in range(20):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            OURS["bleu_score"].sentence_bleu([changed, changed], changed)
        changed.extend([Changing() for _ in range(50)])

    class Failing:
        def __hash__(self):
            return 1

        def __eq__(self, other):
            raise KeyError("never equal")

    same("bleu_score", "sentence_bleu", [[Failing()]], [Failing()])
    same("gleu_score", "sentence_gleu", [[Failing()]], [Failing()])


def test_names_and_signatures():
    inspect = importlib.import_module("inspect")
    for name in MODULES:
        for public, value in vars(PEERS[name]).items():
            if getattr(value, "__module__", "") != f"nltk.translate.{name}" or public[0] == "_":
                continue
            ours = getattr(OURS[name], public)
            if inspect.isfunction(value):
                assert [
                    (p.name, p.default, p.kind) for p in inspect.signature(ours).parameters.values()
                ] == [
                    (p.name, p.default, p.kind)
                    for p in inspect.signature(value).parameters.values()
                ]
    package = importlib.import_module("rapidbleu.nltk")
    assert package.bleu is package.sentence_bleu


def test_nltk_is_not_needed():
    """Except for input that the core cannot read, as the error explains."""
    program = """if True:
        import sys; sys.modules["nltk"] = None; import rapidbleu.nltk as n
        print(n.bleu([["a", "b"]], ["a", "b"], (0.5, 0.5)), "regex" in sys.modules)
        for call in (lambda: n.gleu([["a", []]], ["a"]), lambda: n.nist([["a"]], ["a"], 0)):
            try:
                call()
            except ImportError as error:
                print(error)
        print(hasattr(n.ribes_score, "kendall_tau"))
    """
    command = [sys.executable, "-c", program]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    first, gleu, nist, last = output.splitlines()
    assert (first, last) == ("1.0 False", "False")
    for line, name in ((gleu, "corpus_gleu"), (nist, "corpus_nist")):
        assert line.startswith(f"{name}: expected sequences of hashable tokens, a reference for")
        assert line.endswith("pip install nltk")
