"""Explanations of every metric as data, text and HTML."""

import json
import pickle
import re
from collections.abc import Callable
from html.parser import HTMLParser
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CER, CHRF, GLEU, HTER, TER, WER
from rapidbleu._lib.colors import columns, leave_plain, paint
from rapidbleu.explanation.explanations import PAGE_WIDTH
from rapidbleu.explanation.texts import WIDTH
from support.corpora import nasty, random_corpus
from support.family import METRICS, OF_TEXT, OF_WORDS

HYPS, REFS = random_corpus(Random("views"), 12, kind="mixed", n_refs=3)
VOID = {"meta", "br"}
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
LEGEND = "[matched]"
CLIPPED = "~clipped: matched, but more often than a reference has it~"

every_metric = pytest.mark.parametrize("name", METRICS)


class Reader(HTMLParser):
    """Collects a fragment's text by the class or tag around it; elements must nest properly."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, str]] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.seen.append((self.open[-1] if self.open else "", data))

    def texts(self, tag: str) -> list[str]:
        return [text for own, text in self.seen if own == tag]


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


@every_metric
def test_every_metric_explains_itself(name: str) -> None:
    metric = METRICS[name]
    for i, hyp in enumerate(HYPS):
        refs: list[Any] = [stream[i] for stream in REFS]
        if i % 3 == 0:
            refs[1] = None
        found = metric.explain(hyp, refs)
        score = metric.sentence_score(hyp, refs)
        assert found.score.format() == score.format()
        assert found.name == score.name
        assert found.signature == metric.get_signature().format()
        row = metric.segment_stats([hyp], [refs], layout="segment")[0].tolist()
        assert [*found.statistics.values()] == row
        assert not any(key.startswith("column ") for key in found.statistics)
        assert [ref is None for ref in found.references] == [ref is None for ref in refs]
        kept = pickle.loads(pickle.dumps(found))
        assert (kept.to_dict(), str(kept)) == (found.to_dict(), str(found))
        data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert data == found.to_dict() | {"references": data["references"]}
        assert data["score"] == score.score
        assert str(found) == found.format() == ESCAPES.sub("", found.format(color=True))
        assert repr(found) == f"<explanation of {score.format()}>"
        html = read(found._repr_html_())
        assert "script" not in html.tags
        assert [text for _, text in html.seen[1:2]] == [score.format()]
        plain = "".join(text for tag, text in html.seen if tag != "style")
        assert plain == f"{found._written(leave_plain, None, PAGE_WIDTH)}\n"


@every_metric
def test_a_chosen_reference_alone_gives_the_row(name: str) -> None:
    metric = METRICS[name]
    for i, hyp in enumerate(HYPS):
        refs = [stream[i] for stream in REFS]
        found = metric.explain(hyp, refs)
        if any("alone" in line for line in found.formula):
            alone = metric.segment_stats([hyp], [[refs[found.reference]]], layout="segment")
            assert alone[0].tolist() == [*found.statistics.values()]
        one = metric.explain(hyp, [None, refs[0]])
        assert one.reference == (None if getattr(metric, "ref_len", "") == "average" else 1)
        assert not any("alone" in line for line in one.formula)


@every_metric
def test_tokens_are_taken_as_they_are(name: str) -> None:
    metric = METRICS[name]
    hyp, refs = ["the", "cat", "the"], [["the", "cat"], ["a", "the", "the"]]
    if name in OF_TEXT:
        with pytest.raises((TypeError, ValueError)) as refused:
            metric.sentence_score(hyp, refs)
        with pytest.raises(refused.type, match=re.escape(str(refused.value))):
            metric.explain(hyp, refs)
        return
    found = metric.explain(hyp, refs)
    assert found.hypothesis == tuple(hyp)
    assert found.references == tuple(map(tuple, refs))
    if name not in OF_WORDS:
        ids = metric.explain([1, 2, 1], [[1, 2], [3, 1, 1]])
        assert ids.hypothesis == (1, 2, 1)
        assert json.loads(json.dumps(ids.to_dict()))["hypothesis"] == [1, 2, 1]


BAD: list[tuple[Any, Any]] = [
    (None, ["a"]),
    (3, ["a"]),
    ("a", "a"),
    ("a", []),
    ("a", None),
    ("a", [None]),
    ("a", [3]),
    ("a", {"a"}),
    ("a", [["a"]]),
    (["a"], ["a"]),
    (["a", 1], [["a"]]),
    ("a", ["a", float("nan")]),
    ("a", iter(["a"])),
    ("a", {"a": 1}),
]


def refusal(call: Callable[..., Any], hyp: Any, refs: Any) -> Exception | None:
    try:
        call(hyp, refs)
    except (TypeError, ValueError) as error:
        return error
    return None


@every_metric
def test_bad_input_is_refused_as_by_scores(name: str) -> None:
    metric = METRICS[name]
    for hyp, refs in BAD:
        expected = refusal(metric.sentence_score, hyp, refs)
        refused = refusal(metric.explain, hyp, refs)
        assert expected is not None, (hyp, refs)
        assert isinstance(refused, type(expected)), (hyp, refs)
        assert str(expected) in str(refused), (hyp, refs)


def test_references_of_any_kind() -> None:
    expected = BLEU(effective_order=True).explain("a b", ["a c", "b"]).to_dict()
    for refs in (("a c", "b"), np.array(["a c", "b"], object), np.array(["a c", "b"])):
        assert BLEU(effective_order=True).explain("a b", refs).to_dict() == expected


def test_resamples_of_another_call_are_not_its_own() -> None:
    metric = BLEU(effective_order=True)
    metric.corpus_score(["a b"] * 3, [["a c"] * 3], n_bootstrap=10)
    assert "bs:" not in metric.explain("a", ["a"]).signature


def test_edits_are_those_of_align() -> None:
    for metric in (TER(), HTER(targeted=2), WER(), CER(), TER(normalized=True, no_punct=True)):
        for i, hyp in enumerate(HYPS):
            refs = [stream[i] for stream in REFS]
            found = metric.explain(hyp, refs)
            assert found.alignment == metric.align(hyp, refs)
            assert found.reference == found.alignment.which
            data = found.to_dict()["alignment"]
            assert data["num_edits"] == found.alignment.num_edits == found.score.num_edits
            assert len(data["shifts"]) == len(found.alignment.shifts)
            kinds = [edit["kind"] for edit in data["edits"]]
            assert kinds == [edit.kind for edit in found.alignment.edits]


def test_references_that_are_read_twice() -> None:
    ter = TER(normalized=True)
    ref = "..4"
    assert ter.tokenizer(ref) != ter.tokenizer.reference_rule(ref)
    found = ter.explain("1", [ref])
    assert found.references == (tuple(ter.tokenizer.reference_rule(ref)),)
    assert len(found.references[0]) == found.score.ref_length
    assert found.alignment.num_edits == found.score.num_edits


# Text


def test_text_of_clipped_ngrams() -> None:
    text = str(
        BLEU(lowercase=True, max_ngram_order=1, effective_order=True).explain(
            "the the the the the the the", ["The cat is on the mat", "There is a cat on the mat"]
        )
    )
    assert "1-grams: 2 of 7 match\n  HYP    [the the] ~the the the the the~\n" in text
    assert "  REF 1  [the] cat is on [the] mat\n  REF 2  there is a cat on [the] mat\n" in text
    assert "      7       2      2      1  the  at 0 1 ~2 3 4 5 6~  from REF 1\n" in text


def test_orders_without_ngrams_are_titles_only() -> None:
    text = str(BLEU(max_ngram_order=2, effective_order=True).explain("a", ["a b"]))
    assert "\n\n2-grams: 0 of 0 match\n\n" in text
    assert "1-grams: 0 of 0 match\n  HYP\n  REF 1  a b\n" in str(GLEU().explain("", ["a b"]))


def test_only_references_that_count_are_shown() -> None:
    found = GLEU(max_ngram_order=1).explain("a b", ["c", "a b", "a"])
    assert "REF 2  [a b]" in str(found)
    assert "REF 1" not in str(found)
    assert "the statistics are those of REF 2 alone" in str(found)
    assert found.orders[0].ngrams[0].ref_counts == (0, 1, 1)


def test_runs_are_those_of_ngrams() -> None:
    """Two adjacent words form a run only if an n-gram contains both."""
    text = str(BLEU(max_ngram_order=2, effective_order=True).explain("a b c d", ["c d a b"]))
    assert "  HYP    [a b c d]\n" in text
    assert "  HYP    [a b] [c d]\n" in text


def test_a_match_outweighs_what_was_clipped() -> None:
    text = str(BLEU(max_ngram_order=2, effective_order=True).explain("a a a", ["a a"]))
    assert "2-grams: 1 of 2 match\n  HYP    [a a] ~a~\n  REF 1  [a a]\n" in text


def test_characters_keep_their_spaces() -> None:
    text = str(CHRF(char_order=2).explain("the cat", ["the car"]))
    assert "character 1-grams: 5 of 6 match\n  HYP    [the ca]~t~" in text
    assert "character 2-grams: 4 of 5 match\n  HYP    [the ca]t\n  REF 1  [the ca]r" in text
    text = str(CHRF(char_order=1, whitespace=True).explain("a b", ["a c"]))
    assert "HYP    [a␣]b" in text


def test_colors() -> None:
    colored = GLEU(max_ngram_order=1).explain("a a b", ["a"]).format(color=True)
    assert f"{paint('[a]', 'green')} {paint('~a~', 'gray')} b" in colored
    assert paint("b", "red") in WER().explain("a b", ["a"]).format(color=True)


def test_lines_are_wrapped() -> None:
    hyp, ref = " ".join(map(str, range(90))), " ".join(map(str, range(45, 135)))
    lines = str(WER(tokenize="none").explain(hyp, [ref])).split("\n")
    rows = [line for line in lines if line[:4] in ("REF:", "HYP:", "    ")]
    assert max(map(len, rows)) <= WIDTH
    assert len(rows) > 6
    words = [word for line in rows if line.startswith("HYP:") for word in line[4:].split()]
    assert [word for word in words if "*" not in word] == hyp.split()
    listed = str(BLEU(max_ngram_order=1, effective_order=True).explain(hyp, ["x 0"])).split("\n")
    assert max(map(len, listed[listed.index("  without a match:") + 1 : -2])) <= WIDTH
    assert len(listed) > listed.index("  without a match:") + 6


def test_wide_characters_stay_aligned() -> None:
    text = str(WER().explain("猫 x b", ["cat 坐着 b"]))
    ref, hyp, marks = text.split("\n\n")[-2].split("\n")
    at = [columns(line[: line.index("b")]) for line in (ref, hyp)]
    assert at[0] == at[1]
    assert [columns(marks[:i]) for i, mark in enumerate(marks) if mark == "S"] == [5, 9]


def test_what_cannot_be_printed_is_escaped() -> None:
    hyp = ["a\x1b[31m", "\ud800", "b\u202e", "\u200b", "می\u200cخواهم", "x y"]
    found = BLEU(effective_order=True).explain(hyp, [hyp])
    for text in (str(found), found._repr_html_()):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f\ud800-\udfff\u202e\u200b]", text)
        text.encode("utf-8")
    assert "[a\\x1b[31m \\ud800 b\\u202e \\u200b می\u200cخواهم x␣y]" in str(found)
    assert found.hypothesis == tuple(hyp)


# HTML


def test_html_marks_what_matched_and_strikes_what_was_clipped() -> None:
    found = BLEU(max_ngram_order=1, effective_order=True).explain("a a b", ["a c"])
    html = read(found._repr_html_())
    assert html.texts("mark")[1:] == [LEGEND, "[a]", "[a]", "a"]  # in both texts and in the list
    assert html.texts("s") == [CLIPPED, "~a~"]
    assert any(" b\n" in text for text in html.texts("div"))


def test_html_escapes_all_text() -> None:
    evil = ["<script>alert(1)</script>", "\"'>", "&amp;", "</style>", "<mark>"]
    for metric in (BLEU(effective_order=True), WER(), GLEU()):
        for refs in ([evil], [evil[::-1]], [["other"]]):
            found = metric.explain(evil, refs)
            html = read(found._repr_html_())
            assert html.tags <= {"div", "style", "mark", "s"}
            shown = "".join(text for _, text in html.seen)
            for token in evil:
                assert token in shown
    found = CHRF(char_order=1).explain("<b>&", ["<i>"])
    assert read(found._repr_html_()).tags.isdisjoint({"b", "i"})


def test_html_of_edits() -> None:
    found = TER().explain("on the mat the cat sat", ["the cat sat on a mat"])
    html = read(found._repr_html_())
    texts = "the cat sat on a mat", "the cat sat on the mat"
    assert html.texts("mark")[1:] == ["S", *" ".join(texts).split()]
    assert any("shift [3:6] to 0: the cat sat" in text for text in html.texts("div"))


def test_html_of_nasty_strings() -> None:
    for text in nasty().values():
        if len(text) < 1000:
            read(BLEU(effective_order=True, force=True).explain(text, ["a", text])._repr_html_())
            read(CER().explain(text, ["a"])._repr_html_())
            str(CHRF(char_order=2).explain(text, [text])).encode("utf-8")
