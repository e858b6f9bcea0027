"""Tables of parts of a corpus, which merge into the whole or are refused."""

import pickle
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rapidbleu import BLEU, CHRF, METEOR, NIST, TER, CIDErD, StatsTable
from rapidbleu.metrics import EED
from support.corpora import random_corpus
from support.family import METRICS

N = 30
HYPS, REFS = random_corpus(Random("merging tables"), N, kind="mixed", n_refs=2)
IDS = [f"s{i}" for i in range(N)]
KEPT: dict[str, Any] = {
    "lang": [("de", "cs", None)[i % 3] for i in range(N)],
    "year": list(range(N)),
    "human": [None if i < 20 else i / 7 for i in range(N)],
}


def part_of(metric: Any, begin: int, end: int, **options: Any) -> StatsTable:
    """Return the table of some segments, with lists among the options cut accordingly."""
    cut = slice(begin, end)
    if "keep" in options:
        options["keep"] = {name: column[cut] for name, column in options["keep"].items()}
    if "ids" in options:
        options["ids"] = options["ids"][cut]
    table: StatsTable = metric.stats_table(HYPS[cut], [own[cut] for own in REFS], **options)
    return table


def assert_same(one: StatsTable, other: StatsTable) -> None:
    assert one.rows.tobytes() == other.rows.tobytes()
    assert one.names == other.names and one.types == other.types
    assert one.table == other.table
    assert one.signature == other.signature and one.numbered == other.numbered
    assert one.score() == other.score()


CUTS = st.lists(st.integers(1, N - 1), unique=True, max_size=6).map(sorted)


@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=8, deadline=None)
@given(cuts=CUTS, shuffled=st.randoms(use_true_random=False), with_ids=st.booleans())
def test_parts_are_the_whole(name: str, cuts: list[int], shuffled: Any, with_ids: bool) -> None:
    metric = METRICS[name]
    options: dict[str, Any] = {
        "keep": KEPT,
        "inputs": ["hyp"],
        **({"ids": IDS} if with_ids else {}),
    }
    whole = part_of(metric, 0, N, **options)
    ends = [*cuts, N]
    parts = [
        part_of(metric, begin, end, shard=(i + 1, len(ends)), first=begin, **options)
        for i, (begin, end) in enumerate(zip([0, *cuts], ends, strict=True))
    ]
    in_order = list(parts)
    shuffled.shuffle(parts)
    merged = StatsTable.merge(parts)
    assert_same(merged, whole)
    assert merged.rows.tobytes() == np.concatenate([own.rows for own in in_order]).tobytes()
    assert merged.merged == tuple((i + 1, len(ends)) for i in range(len(ends)))
    assert merged.shard is None and merged.inputs == ("hyp",) and merged.first == 0
    assert_same(StatsTable.merge(iter(parts)), whole)


def test_parts_that_are_no_shards_keep_their_order() -> None:
    chrf = CHRF()
    one, other = part_of(chrf, 0, 10), part_of(chrf, 10, N)
    assert_same(StatsTable.merge([one, other]), part_of(chrf, 0, N))
    turned = StatsTable.merge((other, one))
    assert turned.rows.tolist() == [*other.rows.tolist(), *one.rows.tolist()]
    assert turned["id"].tolist() == list(range(N)) and turned.first is None
    assert turned.merged == ()
    assert_same(StatsTable.merge([one]), one)


def test_tables_that_were_merged_are_merged_again() -> None:
    ter = TER()
    first = StatsTable.merge([part_of(ter, i, i + 5, shard=(i // 5 + 1, 2)) for i in (0, 5)])
    second = StatsTable.merge([part_of(ter, i, i + 10, shard=(i // 10, 2)) for i in (10, 20)])
    whole = StatsTable.merge([first, second])
    assert_same(whole, part_of(ter, 0, N))
    assert whole.merged == ((1, 2), (2, 2)) * 2


def test_numbers_of_rows_go_on() -> None:
    bleu = BLEU()
    parts = [part_of(bleu, i, i + 10, first=100 + i) for i in (0, 10, 20)]
    merged = StatsTable.merge(parts)
    assert merged["id"].tolist() == list(range(100, 100 + N)) and merged.first == 100
    some = [part_of(bleu, 0, 10), part_of(bleu, 10, 20, first=10), part_of(bleu, 20, N)]
    assert StatsTable.merge(some)["id"].tolist() == list(range(N))
    for wrong, place, expected, got in (
        ([parts[0], parts[2]], 1, 110, 120),
        ([parts[1], parts[0]], 1, 120, 100),
        ([parts[0], parts[0]], 1, 110, 100),
        ([some[0], parts[1]], 1, 10, 110),
    ):
        message = rf"tables\[{place}\]: expected row {expected} of the corpus first; got row {got}"
        with pytest.raises(ValueError, match=message):
            StatsTable.merge(wrong)


def test_ids_that_were_given_stay() -> None:
    bleu = BLEU()
    one, other = part_of(bleu, 0, 10, ids=IDS), part_of(bleu, 10, N, ids=IDS)
    assert StatsTable.merge([other, one])["id"] == IDS[10:] + IDS[:10]
    again = part_of(bleu, 9, 12, ids=IDS)
    with pytest.raises(ValueError, match=r"ids\[10\]: expected an id of its own; got 's9' again"):
        StatsTable.merge([one, again])
    numbered, by_number = part_of(bleu, 0, 10), part_of(bleu, 10, N, ids=list(range(N)))
    merged = StatsTable.merge([numbered, by_number])
    assert merged["id"].tolist() == list(range(N)) and not merged.numbered
    with pytest.raises(ValueError, match=r"ids\[10\]: .*; got 3 again, as ids\[3\]"):
        StatsTable.merge([numbered, part_of(bleu, 3, 5, ids=list(range(N)))])
    with pytest.raises(TypeError, match="id: expected numbers or texts; got both"):
        StatsTable.merge([numbered, other])


def test_columns_that_miss_values() -> None:
    bleu = BLEU()
    columns = ([1, 2], [None, 4], [None, None]), (["a", None], [None, None], ["b", "c"])
    for values in columns:
        parts = [part_of(bleu, 0, 2, keep={"x": own}) for own in values]
        whole = [item for own in values for item in own]
        expected = bleu.stats_table(HYPS[:2] * 3, [own[:2] * 3 for own in REFS], keep={"x": whole})
        assert_same(StatsTable.merge(parts), expected)
    mixed = [part_of(bleu, 0, 2, keep={"x": own}) for own in (["a", "b"], [1, 2])]
    with pytest.raises(TypeError, match=r"keep\['x'\]: expected numbers or texts; got both"):
        StatsTable.merge(mixed)


def test_inputs_are_combined() -> None:
    bleu = BLEU()
    parts = [part_of(bleu, i, i + 1, inputs=["ref", f"hyp-{i}"]) for i in range(3)]
    assert StatsTable.merge(parts).inputs == ("ref", "hyp-0", "hyp-1", "hyp-2")


def test_numbers_of_references() -> None:
    bleu = BLEU()
    one = bleu.stats_table(HYPS, REFS[:1])
    two = bleu.stats_table(HYPS, REFS)
    varying = bleu.stats_table(HYPS, [REFS[0], [None, *REFS[1][1:]]])
    merged = StatsTable.merge([one, varying])
    assert merged.signature == varying.signature and "nrefs:var|" in merged.signature
    assert StatsTable.merge([varying, two]).signature == varying.signature
    for tables, place in (([one, two], 1), ([one, varying, two], 2)):
        with pytest.raises(ValueError, match=rf"tables\[{place}\]: expected nrefs:1; got nrefs:2"):
            StatsTable.merge(tables)
    with pytest.raises(ValueError, match=r"tables: expected nrefs:1; got nrefs:2"):
        StatsTable.merge([varying, one, two])


def test_rows_that_do_not_add_up() -> None:
    """NIST and CIDEr-D weight n-grams by the references of each call unless given weights."""
    for metric in (NIST(), CIDErD()):
        parts = [part_of(metric, 0, 10), part_of(metric, 10, N)]
        message = r"tables\[1\]: expected rows that add up; got some of .*info:refs"
        with pytest.raises(ValueError, match=message):
            StatsTable.merge(parts)
        assert StatsTable.merge(parts[:1]).score() == parts[0].score()
        informed = metric.with_information(REFS)
        merged = StatsTable.merge([part_of(informed, 0, 10), part_of(informed, 10, N)])
        assert merged.score() == metric.corpus_score(HYPS, REFS)
    others = [NIST(information=[own]) for own in REFS]
    with pytest.raises(ValueError, match=r"tables\[1\]: expected the same information; got other"):
        StatsTable.merge([part_of(metric, 0, 10) for metric in others])


SHARDS: list[tuple[list[Any], str]] = [
    ([(1, 3), (3, 3)], "tables: expected all 3 shards; got none for shard 2$"),
    ([(3, 4)], "tables: expected all 4 shards; got none for shards 1, 2, 4$"),
    ([(4, 10**12)], "got none for shards 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, ...$"),
    ([(1, 2), (2, 2), (1, 2)], r"tables\[2\]: expected another shard than tables\[0\]; got shard"),
    ([(1, 2), (2, 3)], r"tables\[1\]: expected a shard of 2; got one of 3"),
    ([(1, 2), None], r"tables\[1\]: expected a shard, as others are; got a whole table"),
    ([None, (1, 2)], r"tables\[0\]: expected a shard, as others are; got a whole table"),
]


@pytest.mark.parametrize(("shards", "message"), SHARDS)
def test_shards_that_do_not_fit(shards: list[Any], message: str) -> None:
    bleu = BLEU()
    parts = [part_of(bleu, i, i + 1, shard=shard) for i, shard in enumerate(shards)]
    with pytest.raises(ValueError, match=message):
        StatsTable.merge(parts)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (BLEU(lowercase=True), r"expected BLEU\|case:mixed.*; got BLEU\|case:lc"),
        (BLEU(tokenize="intl"), r"tok:13a.*; got BLEU.*tok:intl"),
        (BLEU(max_ngram_order=2), "expected max_ngram_order=4; got max_ngram_order=2"),
        (CHRF(), r"expected BLEU\|.*; got chrF2\|"),
    ],
)
def test_other_metrics(other: Any, message: str) -> None:
    bleu = BLEU()
    with pytest.raises(ValueError, match=rf"tables\[1\]: .*{message}"):
        StatsTable.merge([part_of(bleu, 0, 10), part_of(other, 10, N)])
    assert len(StatsTable.merge([part_of(bleu, 0, 10), part_of(BLEU(force=True), 10, N)])) == N


def make_splitter(separator: str) -> Any:
    return lambda text: text.split(separator)


class Splitter:
    """A tokenizer without a name; copies differ in their attributes."""

    def __init__(self, separator: str) -> None:
        self.separator = separator

    def __call__(self, text: str) -> list[str]:
        return text.split(self.separator)


def test_functions_without_a_name_are_the_same_only_as_themselves() -> None:
    """Signatures show them by equal names."""
    words, letters = make_splitter(" "), make_splitter("e")
    tables = [part_of(BLEU(tokenize=own), i, i + 1) for i, own in enumerate((words, letters))]
    assert tables[0].signature == tables[1].signature
    message = (
        r"tables\[1\]: expected the same tokenize; got another function, <lambda>; a function "
        r"without a name to import is the same only as itself: use one object for all parts, or "
        r"define it in a module$"
    )
    with pytest.raises(ValueError, match=message):
        StatsTable.merge(tables)
    with pytest.raises(ValueError, match="stats: expected the same tokenize; got another"):
        BLEU(tokenize=letters).score(tables[0])
    again = part_of(BLEU(tokenize=words), 1, 2)
    assert len(StatsTable.merge([tables[0], again])) == 2
    stems = [METEOR(stem=lambda word, n=n: word[:n], modules=["exact", "stem"]) for n in (2, 3)]
    with pytest.raises(ValueError, match=r"tables\[1\]: expected the same stem; got another"):
        StatsTable.merge([part_of(own, 0, 1) for own in stems])


def test_functions_that_pickle_are_the_same_in_other_processes() -> None:
    for tokenizer in (str.split, Splitter(" "), partial(Splitter.__call__, Splitter(" "))):
        tables = [part_of(BLEU(tokenize=tokenizer), i, i + 1) for i in (0, 1)]
        tables[1] = pickle.loads(pickle.dumps(tables[1]))
        assert len(StatsTable.merge(tables)) == 2
    tables = [part_of(BLEU(tokenize=Splitter(own)), 0, 1) for own in (" ", "e")]
    with pytest.raises(ValueError, match="got another function, Splitter; a function without"):
        StatsTable.merge(tables)


def test_tables_merge_by_all_options() -> None:
    """The signatures of BLEU and chrF show neither orders nor more than two digits."""
    cases: list[tuple[Any, Any, str]] = [
        (
            BLEU(smooth_method="floor"),
            BLEU(smooth_method="floor", smooth_value=0.101),
            r"expected smooth_value=0\.1; got smooth_value=0\.101",
        ),
        (BLEU(weights=(0.25,) * 4), BLEU(), r"expected BLEU.*weights:0\.25,.*; got BLEU"),
        (EED(alpha=2.0), EED(alpha=2.0000001), r"expected EED.*\|alpha:2\|.*:2\.0000001\|"),
        (NIST(information=REFS), NIST(information=REFS[:1]), "expected the same information"),
    ]
    for one, other, message in cases:
        with pytest.raises(ValueError, match=rf"tables\[1\]: {message}"):
            StatsTable.merge([part_of(one, 0, 10), part_of(other, 10, N)])
    same = BLEU(smooth_method="floor"), BLEU(smooth_method="floor", smooth_value=0.1)
    assert len(StatsTable.merge([part_of(own, 0, 10) for own in same])) == 20
    same = BLEU(tokenize="zh"), BLEU(trg_lang="zh")
    assert len(StatsTable.merge([part_of(own, 0, 10) for own in same])) == 20


def test_other_columns_and_versions() -> None:
    bleu = BLEU()
    one, other = part_of(bleu, 0, 10, keep=KEPT), part_of(bleu, 10, N)
    with pytest.raises(ValueError, match=r"tables\[1\]: expected columns id, lang, year, human, h"):
        StatsTable.merge([one, other])
    turned = part_of(bleu, 10, N, keep=dict(reversed(KEPT.items())))
    with pytest.raises(ValueError, match=r"tables\[1\]: expected columns id, lang, .*; got id, h"):
        StatsTable.merge([one, turned])
    newer = StatsTable(bleu, other.rows, other.signature + "9")
    with pytest.raises(ValueError, match=r"tables\[1\]: expected rows of version .*; got .*9"):
        StatsTable.merge([other, newer])
    assert bleu.score(newer) == bleu.score(other)


@pytest.mark.parametrize("tables", [None, "ab", {1: 2}, 5])
def test_what_is_no_sequence(tables: Any) -> None:
    with pytest.raises(TypeError, match="tables: expected a sequence of StatsTable"):
        StatsTable.merge(tables)


def test_what_is_no_table() -> None:
    table = part_of(BLEU(), 0, 10)
    with pytest.raises(TypeError, match=r"tables\[1\]: expected StatsTable; got ndarray"):
        StatsTable.merge([table, table.rows])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="tables: expected at least one; got none"):
        StatsTable.merge([])


def test_digests_do_not_depend_on_the_process() -> None:
    """Long tokens have identities with a key of the process, short ones identify themselves."""
    words = [["a " + "long" * 9 + " b", "c\0d"]]
    one, other = (NIST().prepare([[f"{words[0][0]}{end}", words[0][1]]]) for end in ("", "x"))
    assert one.digest == DIGEST and other.digest != DIGEST
    ids = [NIST().prepare([[[256, own]]]) for own in (512, 768)]
    assert len({own.digest for own in ids}) == 2


DIGEST = "bc92729889b430f92a9206fd8bbeb6ca2df1d81aeecd529e55a2991d22459c1a"
