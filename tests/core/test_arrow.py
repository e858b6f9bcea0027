"""Arrow columns: every layout of strings, against the producer's own reading."""

import gc
import random
import sys

import pytest

from rapidbleu import BLEU
from rapidbleu._core.input.arrow import ArrowColumn, import_column
from support.arrow.producers import (
    ArrayProducer,
    Node,
    StreamProducer,
    indexed,
    lists,
    packed,
    strings,
    view,
    views,
)
from support.peers import makes_views

TEXTS = ["", "a", "twelve bytes", "thirteen byte", "naïve", "日本語の文章です", "𝄞 clefs 😀"]
TEXTS += ["x" * 300]
TEXT_KINDS = ["string", "large_string", "string_view"]
LIST_KINDS = ["list_", "large_list", "list_view", "large_list_view", "fixed"]
INDEX_KINDS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def read(obj: object) -> list[object]:
    column = import_column(obj, "column")
    items: list[object] = [column[i] for i in range(len(column))]
    nulls = [i for i, item in enumerate(items) if item is None]
    assert column.null_item == (nulls[0] if nulls else -1)
    return items


def random_texts(rng: random.Random, n: int, nulls: bool = True) -> list[str | None]:
    return [None if nulls and rng.random() < 0.2 else rng.choice(TEXTS) for _ in range(n)]


def random_slice(rng: random.Random, array):
    start = rng.randrange(len(array) + 1)
    return array.slice(start, rng.randrange(len(array) - start + 1))


def random_strings(rng: random.Random, pa, text_kind: str, index_kind: str | None, n: int):
    """Return n strings; the array and its dictionary are slices of longer ones."""
    text_type = getattr(pa, text_kind)()
    skip = rng.randrange(3)
    if index_kind is None:
        return pa.array(random_texts(rng, n + skip + 2), text_type).slice(skip, n)
    values = pa.array(random_texts(rng, 12), text_type).slice(skip, 9)
    indices = [None if rng.random() < 0.2 else rng.randrange(9) for _ in range(n + skip)]
    index_array = pa.array(indices, getattr(pa, index_kind)())
    return pa.DictionaryArray.from_arrays(index_array, values).slice(skip)


def random_lists(rng: random.Random, pa, list_kind: str, strings):
    """Return lists of random strings of `strings`; views overlap and are in any order."""
    n, n_strings = rng.randrange(8), len(strings)
    if list_kind == "fixed":
        mask = pa.array([rng.random() < 0.2 for _ in range(n_strings // 3)], pa.bool_())
        return pa.FixedSizeListArray.from_arrays(strings[: n_strings // 3 * 3], 3, mask=mask)
    mask = pa.array([rng.random() < 0.2 for _ in range(n)], pa.bool_())
    cuts = sorted(rng.randrange(n_strings + 1) for _ in range(n + 1))
    integer = pa.int64() if "large" in list_kind else pa.int32()
    if "view" not in list_kind:
        lists = pa.LargeListArray if "large" in list_kind else pa.ListArray
        return lists.from_arrays(pa.array(cuts, integer), strings, mask=mask)
    spans = [(cuts[i], rng.randrange(n_strings - cuts[i] + 1)) for i in range(n)]
    rng.shuffle(spans)
    lists = pa.LargeListViewArray if "large" in list_kind else pa.ListViewArray
    starts = pa.array([span[0] for span in spans], integer)
    return lists.from_arrays(
        starts, pa.array([span[1] for span in spans], integer), strings, mask=mask
    )


@pytest.mark.parametrize("text_kind", TEXT_KINDS)
def test_strings(text_kind):
    pa = pytest.importorskip("pyarrow")
    text_type = getattr(pa, text_kind)()
    for texts in (TEXTS, [], [""], [None], ["", None, "", *TEXTS, None]):
        array = pa.array(texts, text_type)
        assert read(array) == texts
        assert read(pa.chunked_array([array, array.slice(1), array])) == texts + texts[1:] + texts
    assert read(pa.chunked_array([], text_type)) == []
    assert not import_column(array, "column").is_list


@pytest.mark.parametrize("index_kind", INDEX_KINDS)
def test_dictionary_indices(index_kind):
    pa = pytest.importorskip("pyarrow")
    n_values = 256 if index_kind == "uint8" else 128 if index_kind == "int8" else 40000
    n_values = min(n_values, 32768 if index_kind == "int16" else n_values)
    values = pa.array([None, *(str(i) for i in range(1, n_values))], pa.string())
    indices = pa.array([n_values - 1, None, 0, 1, n_values // 2], getattr(pa, index_kind)())
    array = pa.DictionaryArray.from_arrays(indices, values)
    assert (
        read(array) == array.to_pylist() == [str(n_values - 1), None, None, "1", str(n_values // 2)]
    )


def test_chunks_have_their_own_dictionaries():
    pa = pytest.importorskip("pyarrow")
    chunks = [pa.array(texts).dictionary_encode() for texts in (["a", "b"], ["b", None], ["c"])]
    assert read(pa.chunked_array(chunks)) == ["a", "b", "b", None, "c"]


@pytest.mark.parametrize("index_kind", [None, *INDEX_KINDS])
@pytest.mark.parametrize("text_kind", TEXT_KINDS)
def test_random_strings(text_kind, index_kind):
    pa = pytest.importorskip("pyarrow")
    rng = random.Random(f"{text_kind} {index_kind}")
    for _ in range(40):
        chunks = [
            random_slice(rng, random_strings(rng, pa, text_kind, index_kind, rng.randrange(20)))
            for _ in range(rng.randrange(1, 6))
        ]
        column = pa.chunked_array(chunks)
        assert read(column) == column.to_pylist()
        assert read(chunks[0]) == chunks[0].to_pylist()


@pytest.mark.parametrize("index_kind", [None, "int8", "uint32"])
@pytest.mark.parametrize("text_kind", TEXT_KINDS)
@pytest.mark.parametrize("list_kind", LIST_KINDS)
def test_random_lists(list_kind, text_kind, index_kind):
    pa = pytest.importorskip("pyarrow")
    rng = random.Random(f"{list_kind} {text_kind} {index_kind}")
    for _ in range(30):
        chunks = []
        for _ in range(rng.randrange(1, 5)):
            strings = random_strings(rng, pa, text_kind, index_kind, rng.randrange(20))
            chunks.append(random_slice(rng, random_lists(rng, pa, list_kind, strings)))
        column = pa.chunked_array(chunks)
        assert read(column) == column.to_pylist()
        assert read(chunks[0]) == chunks[0].to_pylist()
        assert import_column(column, "column").is_list


def test_many_chunks():
    pa = pytest.importorskip("pyarrow")
    texts = [str(i) for i in range(3000)]
    chunks = [pa.array(texts[i : i + i % 3], pa.string()) for i in range(3000)]
    column = pa.chunked_array(chunks)
    assert read(column) == column.to_pylist()


def test_indexing():
    pa = pytest.importorskip("pyarrow")
    column = import_column(pa.array(["a", "b"]), "column")
    assert isinstance(column, ArrowColumn)
    assert (len(column), column[-1], column[-2]) == (2, "b", "a")
    for index in (2, -3, 1 << 62):
        with pytest.raises(IndexError, match="Arrow column of 2 items"):
            column[index]


def test_the_column_outlives_its_producer():
    pa = pytest.importorskip("pyarrow")
    array = pa.array(["text " * 100] * 1000)
    column = import_column(array, "column")
    del array
    gc.collect()
    churn = [pa.array(["other " * 100] * 1000) for _ in range(5)]
    assert [column[i] for i in range(len(column))] == ["text " * 100] * 1000
    assert len(churn) == 5


def test_polars():
    pl = pytest.importorskip("polars")
    texts = [*TEXTS, None]
    assert read(pl.Series(texts)) == texts
    assert read(pl.Series([], dtype=pl.String)) == []
    assert read(pl.concat([pl.Series(texts), pl.Series(["z"])], rechunk=False)) == [*texts, "z"]
    assert read(pl.Series(texts)[3:]) == texts[3:]
    assert read(pl.Series(["b", None, "a", "b"], dtype=pl.Categorical)) == ["b", None, "a", "b"]
    assert read(pl.Series(["b", None, "a"], dtype=pl.Enum(["a", "b"]))) == ["b", None, "a"]
    lists = [["a", None], [], None, TEXTS]
    assert read(pl.Series(lists, dtype=pl.List(pl.String))) == lists
    assert read(pl.Series(lists, dtype=pl.List(pl.Categorical))) == lists
    assert read(pl.Series(lists, dtype=pl.List(pl.String))[1:]) == lists[1:]
    pairs = [["a", "b"], None, ["c", None]]
    assert read(pl.Series(pairs, dtype=pl.Array(pl.String, 2))) == pairs


def test_pandas():
    pd = pytest.importorskip("pandas", minversion="3")
    pytest.importorskip("pyarrow")
    texts = [*TEXTS, None]
    assert read(pd.Series(texts, dtype="str")) == texts
    assert read(pd.Series(texts, dtype=object)) == texts
    assert read(pd.Series(texts, dtype="str")[2:]) == texts[2:]
    assert read(pd.Series(["b", None, "b"], dtype="category")) == ["b", None, "b"]
    with pytest.raises(TypeError, match=r"^refs: .*'\+s' \(a table: pass .* scan\(table\)\)$"):
        import_column(pd.DataFrame({"text": texts}), "refs")


def test_other_types():
    pa = pytest.importorskip("pyarrow")
    expected = "hypotheses: expected an Arrow column of strings; got "
    table = pa.table({"a": ["x"]})
    tables = "format '+s' (a table: pass one of its columns, or to a corpus call scan(table))"
    pairs = [
        (["a"], "list"),
        (None, "NoneType"),
        (table, tables),
        (table.to_batches()[0], tables),
        (pa.array([1], pa.int32()), "format 'i' (int32)"),
        (pa.array([b"x"]), "format 'z' (binary)"),
        (pa.array([None]), "format 'n' (null)"),
        (pa.array([[1]], pa.list_(pa.int32())), "lists ('+l') of format 'i' (int32)"),
        (pa.array([[["a"]]]), "lists ('+l') of format '+l'"),
        (pa.array([[{"a": "x"}]]), "lists ('+l') of format '+s'"),
        (pa.array([1.5]).dictionary_encode(), "a dictionary ('i') of format 'g' (float64)"),
        (
            pa.array([["a"], ["a"]]).slice(0, 0).cast(pa.list_(pa.binary(), 2)),
            "lists ('+w:2') of format 'z' (binary)",
        ),
    ]
    for obj, got in pairs:
        with pytest.raises(TypeError) as error:
            import_column(obj, "hypotheses")
        assert str(error.value) == expected + got


def test_arrays_are_released_once():
    producer = ArrayProducer(strings(0, 1, 3))
    column = import_column(producer, "column")
    assert [column[0], column[1]] == ["a", "bc"]
    assert producer.array.contents.release is None  # moved: the capsule must not release it
    with pytest.raises(ValueError, match=r"^column: the Arrow array has been consumed already$"):
        import_column(producer, "column")
    assert producer.released == {"schema": 1, "array": 0, "stream": 0}
    del column
    assert producer.released == {"schema": 1, "array": 1, "stream": 0}


def test_streams_are_released_once():
    producer = StreamProducer(strings(0, 1, 3), strings(0), strings(2, 2, 4))
    column = import_column(producer, "column")
    assert [column[i] for i in range(len(column))] == ["a", "bc", "", "cd"]
    with pytest.raises(ValueError, match=r"^column: the Arrow stream has been consumed already$"):
        import_column(producer, "column")
    assert producer.released == {"schema": 1, "array": 0, "stream": 1}
    del column
    assert producer.released == {"schema": 1, "array": 3, "stream": 1}


GOOD = strings(0, 1, 3)


@pytest.mark.parametrize(
    ("make", "message", "released"),
    [
        (
            lambda: StreamProducer(GOOD, next_code=5),
            "the Arrow stream failed: disk on fire",
            (1, 1, 1),
        ),
        (
            lambda: StreamProducer(GOOD, GOOD, next_code=5, message=None),
            "the Arrow stream failed: errno 5",
            (1, 2, 1),
        ),
        (
            lambda: StreamProducer(GOOD, schema_code=22),
            "the Arrow stream failed: disk on fire",
            (0, 0, 1),
        ),
        (
            lambda: StreamProducer(strings(0, form=b"i")),
            "expected an Arrow column of strings; got format 'i' (int32)",
            (1, 0, 1),
        ),
        (
            lambda: ArrayProducer(strings(0, form=b"i")),
            "expected an Arrow column of strings; got format 'i' (int32)",
            (1, 1, 0),
        ),
        (
            lambda: ArrayProducer(Node(b"u", -1, None, None, None)),
            "malformed Arrow data: length -1, offset 0",
            (1, 1, 0),
        ),
    ],
)
def test_errors_release_once(make, message, released):
    producer = make()
    with pytest.raises((TypeError, ValueError)) as error:
        import_column(producer, "column")
    assert str(error.value) == f"column: {message}"
    del error
    gc.collect()
    assert tuple(producer.released.values()) == released


@pytest.mark.parametrize(
    ("node", "row"),
    [
        (strings(0, 4, 5, 2), 0),  # beyond the end of the last string
        (strings(-1, 4, 5), 0),
        (strings(0, 4, -(2**62), code="q", form=b"U"), 0),
        (strings(-1, 4, code="q", form=b"U"), 0),
        (Node(b"u", 2, None, packed("i", 3, 3, 4), None), 1),
        (views(view(13, 1, 3), view(-1)), 1),
        (views(view(13, -1)), 0),
        (views(view(13, 2)), 0),
        (views(view(13, 0)), 0),
        (views(view(13, 1, -1)), 0),
        (views(view(13, 1, 4)), 0),
        (views(view(2**31 - 1, 1, 2**31 - 1)), 0),
        (Node(b"vu", 1, None, view(13), None), 0),
        (indexed("c", "b", 1, -1), 1),
        (indexed("C", "B", 1, 255), 1),
        (indexed("s", "h", -(2**15)), 0),
        (indexed("S", "H", 2), 0),
        (indexed("i", "i", 0, 2), 1),
        (indexed("I", "I", 2**32 - 1), 0),
        (indexed("l", "q", -1), 0),
        (indexed("L", "Q", 0, 1, 2**64 - 1), 2),
    ],
)
def test_malformed_strings(node, row):
    reason = (
        "the index is not within the dictionary"
        if node.array.dictionary
        else ("the string's offsets are negative, descending or out of range")
    )
    form = node.schema.format
    if node.array.dictionary:
        first = Node(form, 1, None, bytes(8), dictionary=GOOD)
    elif form == b"vu":
        first = views(view(12))
    else:
        first = strings(0, 1, code="i" if form == b"u" else "q", form=form)
    for producer, at in ((ArrayProducer(node), row), (StreamProducer(first, node), row + 1)):
        with pytest.raises(ValueError) as error:
            import_column(producer, "hyp")
        assert str(error.value) == f"hyp[{at}]: malformed Arrow data: {reason}"


@pytest.mark.parametrize(
    ("node", "row"),
    [
        (lists(b"+l", 2, packed("i", 0, 2, 1)), 1),
        (lists(b"+l", 2, packed("i", 0, 2, 4)), 1),
        (lists(b"+l", 2, packed("i", -1, 2, 3)), 0),
        (lists(b"+L", 2, packed("q", 0, 2, -(2**62))), 1),
        (lists(b"+L", 1, packed("q", -(2**63), 2**62)), 0),
        (lists(b"+vl", 2, packed("i", 2, 0), packed("i", 1, 4)), 1),
        (lists(b"+vl", 1, packed("i", 4), packed("i", 0)), 0),
        (lists(b"+vl", 1, packed("i", 0), packed("i", -1)), 0),
        (lists(b"+vL", 1, packed("q", 3), packed("q", 2**63 - 1)), 0),
        (lists(b"+w:2", 2), 1),
        (lists(b"+w:2147483647", 1), 0),
    ],
)
def test_malformed_lists(node, row):
    with pytest.raises(ValueError) as error:
        import_column(ArrayProducer(node), "refs")
    reason = "the list is not within its child"
    assert str(error.value) == f"refs[{row}]: malformed Arrow data: {reason}"


def test_malformed_strings_of_lists():
    child = strings(0, 1, 3, 2)
    with pytest.raises(ValueError, match=r"^refs\[1\]\[0\]: malformed Arrow data: the string"):
        import_column(ArrayProducer(lists(b"+l", 2, packed("i", 0, 1, 3), child=child)), "refs")
    unused = lists(b"+l", 1, packed("i", 0, 2), child=strings(0, 1, 3, 2, 4))
    assert read(ArrayProducer(unused)) == [["a", "bc"]]


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (Node(b"u", 0, None, None, None, offset=-1), "length 0, offset -1"),
        (Node(b"u", 0, None, None), "expected 3 buffers; got 2"),
        (Node(b"u", 0, None, None, None, None), "expected 3 buffers; got 4"),
        (Node(b"u", 0, None, None, None, buffers=None), "expected 3 buffers; got 3"),
        (Node(b"u", 1, None, None, b"a"), "the buffer of offsets, views or indices is missing"),
        (
            Node(b"u", 1, None, packed("i", 0, 1), b"a", null_count=1),
            "1 nulls, but no validity bitmap",
        ),
        (Node(b"vu", 1, None, view(1), b"a", None), "the buffer of sizes is missing"),
        (Node(b"+l", 0, None, None), "format '+l' with 0 children"),
        (lists(b"+w:x", 0), "format '+w:x'"),
        (lists(b"+w:-1", 0), "format '+w:-1'"),
        (lists(b"+w:", 0), "format '+w:'"),
        (lists(b"+vl", 1, packed("i", 0), None), "the buffer of sizes is missing"),
        (Node(None, 0, None, None, None), "a schema without format"),
        (indexed("f", "i", 0), "dictionary indices of format 'f'"),
    ],
)
def test_malformed_structs(node, message):
    with pytest.raises(ValueError) as error:
        import_column(ArrayProducer(node), "column")
    assert str(error.value) == f"column: malformed Arrow data: {message}"


@pytest.mark.parametrize("name", ["get_schema", "get_next", "get_last_error"])
def test_streams_without_a_function(name):
    producer = StreamProducer(GOOD)
    setattr(producer.stream.contents, name, None)
    expected = "a stream without get_schema, get_next or get_last_error"
    with pytest.raises(ValueError, match=f"^column: malformed Arrow data: {expected}$"):
        import_column(producer, "column")
    assert producer.released == {"schema": 0, "array": 0, "stream": 1}


def test_streams_without_a_schema():
    """A struct that get_schema leaves unchanged is not a schema."""
    producer = StreamProducer(GOOD, writes_schema=False)
    with pytest.raises(ValueError, match=r"^column: malformed Arrow data: a schema without form"):
        import_column(producer, "column")


@pytest.mark.parametrize("offset", [2**56, 2**60, 2**61, 2**63 - 2, 2**63 - 1])
@pytest.mark.parametrize("of_child", [False, True])
def test_offsets_beyond_memory(offset, of_child):
    """No buffer is so long: such an offset would point outside of the producer's memory."""
    makers = [
        lambda: strings(0, 1, 3),
        lambda: strings(0, 1, 3, code="q", form=b"U"),
        lambda: views(view(1), view(2)),
        lambda: indexed("c", "b", 0, 1),
        lambda: indexed("L", "Q", 0, 1),
    ]
    if not of_child:
        makers += [
            lambda: lists(b"+l", 2, packed("i", 0, 1, 2)),
            lambda: lists(b"+vL", 2, packed("q", 0, 1), packed("q", 1, 1)),
            lambda: lists(b"+w:1", 2, valid=b"\3"),
        ]
    for make in makers:
        node = make()
        node.array.offset = offset
        producer = ArrayProducer(lists(b"+w:1", 2, child=node) if of_child else node)
        if node.array.n_children and node.schema.format == b"+w:1" and offset < 2**60:
            continue  # of bits there may be as many
        with pytest.raises(ValueError, match=rf"^c: malformed .*: length 2, offset {offset}$"):
            import_column(producer, "c")


@pytest.mark.parametrize("end", [2**56 + 1, 2**62, 2**63 - 1])
def test_texts_beyond_memory(end):
    for ends, row in (((0, end), 0), ((0, 1, end), 1), ((end - 1, end), 0)):
        node = strings(*ends, code="q", form=b"U")
        with pytest.raises(ValueError, match=rf"^c\[{row}\]: malformed Arrow data: the string's"):
            import_column(ArrayProducer(node), "c")


@pytest.mark.parametrize("ends", [(0, 2**30, 2**30 + 1, 3), (0, 2**30, 2), (0, 1, 2**30, 3)])
def test_no_text_is_read_beyond_the_end_of_the_last(ends):
    """A run of texts is validated at once, but no byte beyond correct offsets is read."""
    row = next(i for i, end in enumerate(ends[1:]) if end == 2**30)
    with pytest.raises(ValueError, match=rf"^c\[{row}\]: malformed Arrow data: the string's"):
        import_column(ArrayProducer(strings(*ends)), "c")


def test_columns_longer_than_any():
    node = lists(b"+w:0", 2**62)
    with pytest.raises(ValueError, match=r"^c: malformed Arrow data: more than \d+ items$"):
        import_column(StreamProducer(node, node), "c")


def test_views_into_a_missing_text():
    node = Node(b"vu", 1, None, view(13), None, packed("q", 16))
    with pytest.raises(ValueError, match=r"^c\[0\]: malformed Arrow data: the string's offsets"):
        import_column(ArrayProducer(node), "c")


WRONG = {
    "a byte of no character": (b"\xff", 0),
    "a continuation": (b"\x80", 0),
    "a high surrogate": (b"\xed\xa0\x80", 0),
    "a low surrogate": (b"\xed\xbf\xbf", 0),
    "two bytes for ASCII": (b"\xc1\xbf", 0),
    "three bytes for two": (b"\xe0\x9f\xbf", 0),
    "four bytes for three": (b"\xf0\x8f\xbf\xbf", 0),
    "beyond Unicode": (b"\xf4\x90\x80\x80", 0),
    "five bytes": (b"\xf8\x88\x80\x80\x80", 0),
    "a cut character": (b"\xe6\x97", 0),
    "a cut character in between": ("日".encode() + b"\xe6\x97" + "本".encode(), 3),
}


@pytest.mark.parametrize("name", WRONG)
def test_text_that_is_not_utf8(name):
    pa = pytest.importorskip("pyarrow")
    wrong, at = WRONG[name]
    for before in (0, 1, 13, 60, 61, 62, 63, 64, 200):
        for after in (0, 1, 100):
            for letter in ("a", "ß", "日", "😀"):
                start = (letter * before).encode()
                data = start + wrong + (letter * after).encode()
                got = rf"got 0x{wrong[at]:02x} as byte {len(start) + at}$"
                what = f": expected text in UTF-8; {got}"
                array = pa.array([b"x", None, data, b"y"], pa.binary())
                kinds = [array.view(pa.string())]
                kinds.append(array.cast(pa.large_binary()).view(pa.large_string()))
                if makes_views(pa):
                    kinds.append(array.cast(pa.binary_view()).view(pa.string_view()))
                kinds.append(array.view(pa.string()).dictionary_encode())
                for column in kinds:
                    with pytest.raises(ValueError, match=rf"^hyp\[2\]{what}"):
                        import_column(column, "hyp")
                    with pytest.raises(ValueError, match=rf"^hyp\[0\]{what}"):
                        import_column(column.slice(2, 1), "hyp")
                    assert import_column(column.slice(3), "hyp")[0] == "y"
                nested = pa.ListArray.from_arrays(pa.array([0, 1, 4], pa.int32()), kinds[0])
                with pytest.raises(ValueError, match=rf"^refs\[1\]\[1\]{what}"):
                    import_column(nested, "refs")


def test_characters_cut_by_an_offset():
    data = "aß日😀".encode()
    for cut in (2, 4, 5, 7, 8, 9):
        node = Node(b"u", 2, None, packed("i", 0, cut, len(data)), data)
        with pytest.raises(ValueError, match=r"^c\[0\]: expected text in UTF-8; got 0x"):
            import_column(ArrayProducer(node), "c")
        begins_cut = Node(b"u", 1, None, packed("i", cut, len(data)), data)
        with pytest.raises(ValueError, match=r"^c\[0\]: expected text .* got 0x.. as byte 0$"):
            import_column(ArrayProducer(begins_cut), "c")


def test_any_bytes_are_judged_as_python_judges_them():
    rng = random.Random("utf-8")
    pieces = ["a" * 31, "ß", "日", "\u0800", "\ud7ff", "\ue000", "\uffff", "😀", "\U0010ffff"]
    for _ in range(3000):
        data = bytearray("".join(rng.choices(pieces, k=rng.randrange(40))).encode())
        if data and rng.random() < 0.5:
            data[rng.randrange(len(data))] = rng.randrange(256)
        node = Node(b"u", 1, None, packed("i", 0, len(data)), bytes(data) or None)
        try:
            expected = data.decode()
        except UnicodeDecodeError as error:
            at = error.start
            with pytest.raises(ValueError, match=rf"got 0x{data[at]:02x} as byte {at}$"):
                import_column(ArrayProducer(node), "c")
        else:
            assert read(ArrayProducer(node)) == [expected]


def test_what_nobody_uses_may_be_anything():
    child = Node(b"u", 4, None, packed("i", 0, 1, 2, 3, 4), b"a\xff\xffb")
    spans = packed("i", 3, 1, 0), packed("i", 1, 2, 1)
    node = Node(b"+vl", 3, b"\5", *spans, child=child)
    assert read(ArrayProducer(node)) == [["b"], None, ["a"]]
    bad = Node(b"u", 4, None, packed("i", 0, 1, -9, 3, 4), b"abcd")
    node = Node(b"+vl", 3, b"\5", *spans, child=bad)
    assert read(ArrayProducer(node)) == [["d"], None, ["a"]]
    null = Node(b"u", 3, b"\5", packed("i", 0, 1, 2, 3), b"a\xffb")
    assert read(ArrayProducer(null)) == ["a", None, "b"]


@pytest.mark.parametrize("length", [2**31, 2**40, 2**60])
def test_lists_without_bytes(length):
    if length > sys.maxsize:
        pytest.skip("a processor of 32 bits")
    column = import_column(ArrayProducer(lists(b"+w:0", length)), "references")
    assert (len(column), column[length - 1], column.null_item) == (length, [], -1)
    with pytest.raises(ValueError, match=r"^references: segment 0 has no reference$"):
        BLEU().corpus_score(["a"], ArrayProducer(lists(b"+w:0", length)))


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("form", [b"+vl", b"+l"])
def test_lists_that_share_strings(form, nulls):
    """A hundred thousand lists of the same hundred thousand strings: 10**10 in a megabyte."""
    n = 100_000
    valid = b"\xff" * (n // 8 - 1) + b"\x7f" if nulls else None
    child = Node(b"u", n, valid, packed("i", *range(n + 1)), b"a" * n)
    if form == b"+vl":
        node = lists(form, n, packed("i", *[0] * n), packed("i", *[n] * n), child=child)
    else:  # every second list is null, and starts again at the first string
        bits = b"\x55" * (n // 8)
        node = Node(form, n, bits, packed("i", *[0, n] * (n // 2), 0), child=child)
    column = import_column(ArrayProducer(node), "references")
    assert len(column) == n
    if form == b"+vl":
        with pytest.raises(ValueError, match=f"expected 1 segments, .*; got {n}"):
            BLEU().corpus_score(["a"], ArrayProducer(node))


def test_missing_children():
    for field, node in (("dictionary", indexed("i", "i", 0)), ("children", lists(b"+w:1", 1))):
        setattr(node.array, field, None)
        with pytest.raises(ValueError, match=r"^column: malformed Arrow data: "):
            import_column(ArrayProducer(node), "column")


def test_buffers_that_may_be_null():
    assert read(ArrayProducer(Node(b"u", 0, None, None, None))) == []
    assert read(ArrayProducer(Node(b"u", 2, None, packed("i", 0, 0, 0), None))) == ["", ""]
    assert read(ArrayProducer(Node(b"vu", 1, None, view(2), None))) == ["ab"]
    assert read(ArrayProducer(views(view(-1), view(2), valid=b"\2"))) == [None, "ab"]
    assert read(ArrayProducer(lists(b"+l", 0, None))) == []
    assert read(ArrayProducer(lists(b"+w:0", 2))) == [[], []]


def test_unaligned_buffers():
    node = Node(b"u", 2, None, b"?" + packed("i", 0, 1, 3), b"abc")
    node.buffers[1] += 1
    assert read(ArrayProducer(node)) == ["a", "bc"]


def test_broken_producers():
    class Exporter:
        def __init__(self, result):
            self.result = result

        def __arrow_c_array__(self, requested_schema=None):
            return self.result

    producer = ArrayProducer(GOOD)
    array = producer.__arrow_c_array__()[1]
    for result, message in [
        (5, "expected two Arrow capsules; got int"),
        ((array, array), "expected a capsule named 'arrow_schema'; got PyCapsule"),
        ((5, array), "expected a capsule named 'arrow_schema'; got int"),
    ]:
        with pytest.raises(TypeError, match=f"^column: {message}$"):
            import_column(Exporter(result), "column")

    class Raiser:
        def __arrow_c_stream__(self, requested_schema=None):
            raise RuntimeError("mixed types")

    with pytest.raises(RuntimeError, match=r"^mixed types") as error:
        import_column(Raiser(), "column")
    assert error.value.__notes__ == ["column: raised by Raiser.__arrow_c_stream__()"]
