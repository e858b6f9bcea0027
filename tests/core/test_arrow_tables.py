"""Record batches whose producers lie: refused by location before any pointer is followed."""

import ctypes
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from rapidbleu import BLEU, scan
from rapidbleu.rows.labels import named_arrays, read_labels
from rapidbleu.streams.tables import arrow_rows
from support.arrow.producers import (
    Array,
    ArrayProducer,
    Node,
    StreamProducer,
    indexed,
    lists,
    packed,
    strings,
    table,
    view,
    views,
)
from support.arrow.structures import make_table
from support.peers import need

need("pyarrow")

TEXTS = (0, 1, 3)


def changed(node: Node, **fields: Any) -> Node:
    """Set fields of a node's array, or, with the prefix `schema_`, of its schema."""
    for name, value in fields.items():
        on_schema = name.startswith("schema_")
        setattr(node.schema if on_schema else node.array, name.removeprefix("schema_"), value)
    return node


def without_child(node: Node, *structs: str) -> Node:
    for name in structs:
        getattr(node, name).children[0] = None
    return node


def nested(depth: int) -> Node:
    node = strings(*TEXTS)
    for _ in range(depth):
        node = Node(b"+l", 2, None, packed("i", 0, 1, 2), child=node)
    return node


def endless() -> Node:
    node = some_lists()
    for struct in (node.schema, node.array):
        struct.children[0] = ctypes.pointer(struct)
    return node


def some_lists() -> Node:
    return lists(b"+l", 2, packed("i", 0, 1, 3))


def maps(keys: Node | None = None, entries: bytes | None = None) -> Node:
    """Return two maps of one key each."""
    fields = (keys or text_keys(), strings(0, 1, 2))
    pairs = Node(b"+s", 2, entries, children=fields, null_count=-1)
    return Node(b"+m", 2, None, packed("i", 0, 1, 2), child=pairs)


def text_keys(valid: bytes | None = None) -> Node:
    return Node(b"u", 2, valid, packed("i", 0, 1, 2), b"ab", null_count=-1)


def with_metadata(*numbers: int) -> Node:
    node = strings(*TEXTS)
    data = ctypes.create_string_buffer(packed("i", *numbers) + bytes(64))
    node.kept.append(data)
    node.schema.metadata = ctypes.addressof(data)
    return node


LIARS: dict[str, tuple[Callable[[], Node], str]] = {
    "no children": (lambda: changed(some_lists(), children=None), "expected 1 children; got none"),
    "a missing child": (lambda: without_child(some_lists(), "array"), "is missing or released"),
    "no children in the schema": (
        lambda: changed(some_lists(), schema_children=None),
        r"format '\+l' with 1 children",
    ),
    "a missing child in the schema": (
        lambda: without_child(some_lists(), "schema"),
        "a schema without format",
    ),
    "a missing child in both": (
        lambda: without_child(some_lists(), "schema", "array"),
        "a schema without format",
    ),
    "children in the schema only": (
        lambda: changed(some_lists(), n_children=0),
        "expected 1 children; got 0",
    ),
    "children in the array only": (
        lambda: changed(some_lists(), schema_n_children=0),
        r"format '\+l' with 0 children",
    ),
    "children of a text": (
        lambda: changed(strings(*TEXTS), n_children=2**40),
        "expected 0 children; got 10995116277",
    ),
    "children of a text in the schema": (
        lambda: changed(strings(*TEXTS), schema_n_children=-1),
        "format 'u' with -1 children",
    ),
    "no buffers": (lambda: changed(strings(*TEXTS), buffers=None), "expected 3 buffers; got 3"),
    "few buffers": (lambda: changed(strings(*TEXTS), n_buffers=2), "expected 3 buffers; got 2"),
    "many buffers": (lambda: changed(strings(*TEXTS), n_buffers=2**62), "expected 3 buffers"),
    "no offsets": (
        lambda: Node(b"u", 2, None, None, b"abc"),
        "the buffer of offsets, views or indices is",
    ),
    "nulls in no bitmap": (lambda: changed(strings(*TEXTS), null_count=1), "1 nulls, but no vali"),
    "an offset that overflows": (
        lambda: changed(strings(*TEXTS), offset=2**63 - 2),
        "length 2, offset 9223372036854775806",
    ),
    "a negative offset": (lambda: changed(strings(*TEXTS), offset=-1), "length 2, offset -1"),
    "a child that was released": (
        lambda: lists(b"+l", 2, packed("i", 0, 1, 2), child=changed(strings(*TEXTS), release=None)),
        "is missing or released",
    ),
    "a dictionary that was released": (
        lambda: changed_dictionary(release=None),
        "is missing or released",
    ),
    "a dictionary in the schema only": (
        lambda: changed(indexed("i", "i", 0, 1), dictionary=None),
        "is missing or released",
    ),
    "a dictionary in the array only": (
        lambda: changed(indexed("i", "i", 0, 1), schema_dictionary=None),
        "a dictionary that the schema lacks",
    ),
    "indices that are texts": (
        lambda: changed(strings(*TEXTS), schema_dictionary=ctypes.pointer(strings(0).schema)),
        "dictionary indices of format 'u'",
    ),
    "no format": (lambda: changed(strings(*TEXTS), schema_format=None), "a schema without format"),
    "nonsense for a format": (
        lambda: changed(strings(*TEXTS), schema_format=b"hokum"),
        "format 'hokum'",
    ),
    "a width that is no number": (
        lambda: changed(strings(*TEXTS), schema_format=b"w:-1"),
        "format 'w:-1'",
    ),
    "a long fixed list": (
        lambda: lists(b"+w:3", 2, child=strings(0, 1, 2, 3)),
        "the list is not within its child",
    ),
    "a short field": (
        lambda: Node(b"+s", 2, None, child=strings(0, 1)),
        "field 0 is shorter than its struct",
    ),
    "a null key": (lambda: maps(text_keys(b"\1")), "a map with null keys or entries"),
    "keys of null type": (lambda: maps(Node(b"n", 2)), "a map with null keys or entries"),
    "a null entry": (lambda: maps(entries=b"\2"), "a map with null keys or entries"),
    "65 levels": (lambda: nested(64), "more than 64 levels"),
    "levels without end": (endless, "more than 64 levels"),
    "negative metadata": (lambda: with_metadata(-1), "metadata"),
    "endless metadata": (lambda: with_metadata(2**31 - 1), "metadata"),
    "metadata of negative length": (lambda: with_metadata(1, 0, -5), "metadata"),
    "metadata of endless length": (lambda: with_metadata(1, 2**31 - 1), "metadata"),
}


def changed_dictionary(**fields: Any) -> Node:
    node = indexed("i", "i", 0, 1)
    changed(node.below[0], **fields)
    return node


@pytest.mark.parametrize("offset", [0, 1])
@pytest.mark.parametrize("name", LIARS)
def test_structs_that_lie(name: str, offset: int) -> None:
    for column in ("hyp", "ref", "seg", "lang"):
        make, message = LIARS[name]
        if name == "a short field" and offset:
            continue
        columns = {"hyp": strings(0, 1, 2), "ref": strings(0, 1, 2)}
        columns |= {"seg": strings(0, 1, 2), "lang": strings(0, 1, 2)}
        columns[column] = make()
        rows = table(2 - offset, offset, **columns)
        for producer in (ArrayProducer(rows), StreamProducer(rows)):
            source = scan(producer, id_column="seg", keep="lang")
            with pytest.raises(
                ValueError, match=f"^table, column '{column}': malformed Arrow data: .*{message}"
            ):
                BLEU(force=True).stats_table(source)


@pytest.mark.parametrize("name", LIARS)
def test_columns_that_lie(name: str) -> None:
    make, message = LIARS[name]
    for producer in (ArrayProducer(make()), StreamProducer(make())):
        producer.__class__.__len__ = lambda self: 2  # type: ignore[attr-defined]
        batch = {"hyp": ["a", "b"], "ref": ["a", "b"], "seg": producer}
        with pytest.raises(ValueError, match=f"^table, column 'seg': malformed .*: .*{message}"):
            BLEU(force=True).stats_table(scan([batch], id_column="seg"))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"children": None}, "expected 2 children; got none"),
        ({"n_children": 1}, "expected 2 children; got 1"),
        ({"n_children": -1}, "expected 2 children; got -1"),
        ({"schema_children": None}, "format '\\+s' with 2 children"),
        ({"schema_n_children": -1}, "format '\\+s' with -1 children"),
        ({"schema_n_children": 2**63 - 1}, f"format '\\+s' with {2**63 - 1} children"),
        ({"schema_format": None}, "a schema without format"),
        ({"length": -1}, "length -1, offset 0"),
        ({"length": 3}, "column 'hyp' is shorter than the table"),
        ({"offset": 2**63 - 1}, "length 2, offset 9223372036854775807"),
        ({"null_count": 1, "buffers": None}, "expected 1 buffers; got 1"),
    ],
)
def test_tables_that_lie(fields: dict[str, Any], message: str) -> None:
    for make in (ArrayProducer, StreamProducer):
        rows = changed(table(2, hyp=strings(0, 1, 2), ref=strings(0, 1, 2)), **fields)
        with pytest.raises(ValueError, match=f"^table: malformed Arrow data: {message}$"):
            BLEU(force=True).corpus_score(scan(make(rows)))


@pytest.mark.parametrize("struct", ["schema", "array"])
def test_tables_without_a_column(struct: str) -> None:
    rows = without_child(table(2, hyp=strings(0, 1, 2), ref=strings(0, 1, 2)), struct)
    message = "a column is missing" if struct == "schema" else "column 'hyp' is shorter than"
    with pytest.raises(ValueError, match=f"^table: malformed Arrow data: {message}"):
        BLEU(force=True).corpus_score(scan(ArrayProducer(rows)))


BAD_TEXT = "the string's offsets are negative, descending or out of range"
BAD_INDEX = "the index is not within the dictionary"
BAD_LIST = "the list is not within its child"
CONTENTS: list[tuple[Callable[[], Node], str, int]] = [
    (lambda: strings(0, 1, 2, 1), BAD_TEXT, 1),
    (lambda: strings(0, 1, -5, 3), BAD_TEXT, 1),
    (lambda: strings(-1, 1, 2, 3, code="q", form=b"U"), BAD_TEXT, 0),
    (lambda: strings(0, 1, 2, 2**60, code="q", form=b"U"), BAD_TEXT, 2),
    (lambda: strings(0, 1, 2, 1, form=b"z"), BAD_TEXT, 1),
    (lambda: strings(0, 2**30, 2, 3), BAD_TEXT, 0),
    (lambda: views(view(3), view(-1), view(4)), BAD_TEXT, 1),
    (lambda: views(view(3), view(4), view(2**30, 1, 0)), BAD_TEXT, 2),
    (lambda: views(view(3), view(13, 1, 2**30), view(4)), BAD_TEXT, 1),
    (lambda: views(view(13, 5), view(3), view(4)), BAD_TEXT, 0),
    (
        lambda: views(view(3), view(4), view(13, 1).replace(b"bbbb", b"bbba")),
        "the text does not begin as its view",
        2,
    ),
    (lambda: indexed("i", "i", 0, -(2**31), 1), BAD_INDEX, 1),
    (lambda: indexed("C", "B", 0, 1, 2), BAD_INDEX, 2),
    (lambda: indexed("L", "Q", 2**63, 1, 0), BAD_INDEX, 0),
    (lambda: lists(b"+l", 3, packed("i", 0, 2, 1, 3)), BAD_LIST, 1),
    (lambda: lists(b"+l", 3, packed("i", 0, 2, 3, 4)), BAD_LIST, 2),
    (lambda: lists(b"+L", 3, packed("q", -1, 2, 3, 3)), BAD_LIST, 0),
    (lambda: lists(b"+vl", 3, packed("i", 0, 1, 2), packed("i", 1, 3, 1)), BAD_LIST, 1),
    (lambda: lists(b"+vL", 3, packed("q", 0, -1, 2), packed("q", 1, 1, 1)), BAD_LIST, 1),
    (lambda: lists(b"+l", 3, packed("i", 0, 1, 2, 3), child=strings(0, 1, 4, 3)), BAD_TEXT, 1),
    (lambda: lists(b"+w:2", 3, child=strings(0, 1, 2, 3, 2, 3, 3)), BAD_TEXT, 1),
    (lambda: Node(b"+s", 3, None, child=strings(0, 1, 3, 2)), BAD_TEXT, 1),
    (lambda: Node(b"u", 3, None, packed("i", 0, 1, 2, 3), b"a\xffb"), "the text is not UTF-8", 1),
    (lambda: Node(b"u", 3, None, packed("i", 0, 1, 2, 3), None), BAD_TEXT, 0),
]


@pytest.mark.parametrize("i", range(len(CONTENTS)))
def test_contents_that_lie(i: int) -> None:
    make, message, row = CONTENTS[i]
    node = make()
    form = (node.below[0] if node.array.dictionary else node).schema.format
    for offset in range(row + 1):
        good = {name: strings(0, 1, 2, 3) for name in ("hyp", "ref")}
        rows = table(3 - offset, offset, **good, seg=make())
        place = rf"^table, row {row - offset}, column 'seg'(\[\d\])?: "
        place += f"(malformed Arrow data: {message}|expected text in UTF-8; got 0xff as byte 0)$"
        passed = place if form in (b"u", b"U", b"vu") else "^table, row 0, column 'seg', or later: "
        kept = TypeError if form in (b"z", b"+s") else ValueError
        for keep in ({"id_column": "seg"}, {"keep": "seg"}):
            for producer in (ArrayProducer(rows), StreamProducer(rows, rows)):
                with pytest.raises(kept, match=place if kept is ValueError else "of strings; got"):
                    BLEU(force=True).stats_table(scan(producer, **keep))
            with pytest.raises(ValueError, match=passed):
                list(BLEU(force=True).map_stats(ArrayProducer(rows), **keep))


@pytest.mark.parametrize("form", [b"U", b"Z", b"+l"])
def test_texts_that_claim_more_than_memory(form: bytes) -> None:
    """Other libraries would read that much."""
    node = strings(0, 1, 2, 2**60, code="q", form=b"U" if form == b"+l" else form)
    if form == b"+l":
        node = lists(form, 3, packed("i", 0, 2, 3, 3), child=node)
    rows = table(3, hyp=strings(0, 1, 2, 3), ref=strings(0, 1, 2, 3), lang=node)
    with pytest.raises(ValueError, match=r"^table, .*column 'lang'.*: malformed Arrow data: "):
        list(BLEU(force=True).map_stats(ArrayProducer(rows), keep="lang"))


def test_dictionaries_that_lie() -> None:
    """A correct row does not help: other libraries read all of a dictionary."""
    node = Node(b"c", 2, None, packed("b", 0, 0), dictionary=strings(0, 1, 3, 2))
    rows = table(2, hyp=strings(0, 1, 2), ref=strings(0, 1, 2), lang=node)
    with pytest.raises(ValueError, match=r"^table, row 0, column 'lang', or later: .*offset"):
        list(BLEU(force=True).map_stats(ArrayProducer(rows), keep="lang"))
    assert BLEU(force=True).stats_table(scan(ArrayProducer(rows), keep="lang"))["lang"] == ["a"] * 2


def test_nulls_are_counted_again() -> None:
    """Ids under nulls are missing, regardless of the null count of the producer."""
    for null_count in (0, 2, -1, 2**40):
        node = Node(b"l", 2, b"\1", packed("q", 7, 8), null_count=null_count)
        rows = table(2, hyp=strings(0, 1, 2), ref=strings(0, 1, 2), n=node)
        kept = BLEU(force=True).stats_table(scan(ArrayProducer(rows), keep="n"))["n"]
        assert kept[0] == 7 and kept[1] != kept[1]


@pytest.mark.parametrize("valid", [None, b"\3"])
def test_maps(valid: bytes | None) -> None:
    """Some versions of pyarrow abort if the number of null keys has not been computed."""
    rows = table(2, hyp=strings(0, 1, 2), ref=strings(0, 1, 2), m=maps(text_keys(valid), valid))
    (batch,) = BLEU(force=True).map_stats(ArrayProducer(rows), keep="m")
    assert batch["m"].to_pylist() == [[("a", "a")], [("b", "b")]]
    [part] = arrow_rows(ArrayProducer(rows), ("m",), "table")
    _, capsule = part.columns["m"].__arrow_c_array__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    entries = Array.from_address(pointer(capsule, b"arrow_array")).children[0].contents
    assert entries.null_count == entries.children[0].contents.null_count == 0


def test_random_tables() -> None:
    """Refusals match pyarrow's own full validation."""
    refused = passed = 0
    for seed in range(3000):
        data = random.Random(seed).randbytes(200)
        node, lies = make_table(data)
        try:
            [rows] = arrow_rows(ArrayProducer(node), ("c",), "table")
            with suppress(TypeError):  # of other types
                read_labels([rows], None, ["c"])
            arrays = named_arrays([rows], None, ["c"])
        except (TypeError, ValueError) as error:
            refused += 1
            assert lies or "table, " in str(error), error
        else:
            passed += 1
            assert arrays
    assert min(passed, refused) > 300
