"""Arrow columns: every layout of strings, against what its producer reads from it itself."""

import ctypes
import gc
import os
import random
import struct
from pathlib import Path

import pytest

from rapidbleu._core.arrow import ArrowColumn, import_column
from test_threads import unsanitized

TEXTS = ["", "a", "twelve bytes", "thirteen byte", "naïve", "日本語の文章です", "𝄞 clefs 😀"]
TEXTS += ["x" * 300]
TEXT_KINDS = ["string", "large_string", "string_view"]
LIST_KINDS = ["list_", "large_list", "list_view", "large_list_view", "fixed"]
INDEX_KINDS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def read(obj: object) -> list[object]:
    column = import_column(obj, "column")
    items: list[object] = [column[i] for i in range(len(column))]
    nulls = [i for i, item in enumerate(items) if item is None]
    assert column.first_null() == (nulls[0] if nulls else -1)
    return items


def random_texts(rng: random.Random, n: int, nulls: bool = True) -> list[str | None]:
    return [None if nulls and rng.random() < 0.2 else rng.choice(TEXTS) for _ in range(n)]


def random_slice(rng: random.Random, array):
    start = rng.randrange(len(array) + 1)
    return array.slice(start, rng.randrange(len(array) - start + 1))


def random_strings(rng: random.Random, pa, text_kind: str, index_kind: str | None, n: int):
    """An array of n strings; it, and its dictionary, are slices of longer ones."""
    text_type = getattr(pa, text_kind)()
    skip = rng.randrange(3)
    if index_kind is None:
        return pa.array(random_texts(rng, n + skip + 2), text_type).slice(skip, n)
    values = pa.array(random_texts(rng, 12), text_type).slice(skip, 9)
    indices = [None if rng.random() < 0.2 else rng.randrange(9) for _ in range(n + skip)]
    index_array = pa.array(indices, getattr(pa, index_kind)())
    return pa.DictionaryArray.from_arrays(index_array, values).slice(skip)


def random_lists(rng: random.Random, pa, list_kind: str, strings):
    """Lists of random strings of `strings`; views overlap and come in any order."""
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


# pyarrow

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
    assert read(array) == array.to_pylist() == [
        str(n_values - 1), None, None, "1", str(n_values // 2)
    ]


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


# polars and pandas

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
    with pytest.raises(TypeError, match=r"^refs: .*'\+s' \(a table: pass one of its columns\)$"):
        import_column(pd.DataFrame({"text": texts}), "refs")


# What is no column of strings

def test_other_types():
    pa = pytest.importorskip("pyarrow")
    expected = "hypotheses: expected an Arrow column of strings, got "
    table = pa.table({"a": ["x"]})
    pairs = [
        (["a"], "list"),
        (None, "NoneType"),
        (table, "format '+s' (a table: pass one of its columns)"),
        (table.to_batches()[0], "format '+s' (a table: pass one of its columns)"),
        (pa.array([1], pa.int32()), "format 'i'"),
        (pa.array([b"x"]), "format 'z'"),
        (pa.array([None]), "format 'n'"),
        (pa.array([[1]], pa.list_(pa.int32())), "lists ('+l') of format 'i'"),
        (pa.array([[["a"]]]), "lists ('+l') of format '+l'"),
        (pa.array([[{"a": "x"}]]), "lists ('+l') of format '+s'"),
        (pa.array([1.5]).dictionary_encode(), "a dictionary ('i') of format 'g'"),
        (pa.array([["a"], ["a"]]).slice(0, 0).cast(pa.list_(pa.binary(), 2)),
         "lists ('+w:2') of format 'z'"),
    ]
    for obj, got in pairs:
        with pytest.raises(TypeError) as error:
            import_column(obj, "hypotheses")
        assert str(error.value) == expected + got


# Producers written by hand: the interface itself, and what a correct library never exports

P = ctypes.POINTER
Int, Text, Address = ctypes.c_int64, ctypes.c_char_p, ctypes.c_void_p


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    _fields_ = [
        (name, Address)
        for name in ("get_schema", "get_next", "get_last_error", "release", "private_data")
    ]


Schema._fields_ = [
    ("format", Text), ("name", Text), ("metadata", Text), ("flags", Int), ("n_children", Int),
    ("children", P(P(Schema))), ("dictionary", P(Schema)), ("release", Address),
    ("private_data", Address),
]
Array._fields_ = [
    ("length", Int), ("null_count", Int), ("offset", Int), ("n_buffers", Int), ("n_children", Int),
    ("buffers", P(Address)), ("children", P(P(Array))), ("dictionary", P(Array)),
    ("release", Address), ("private_data", Address),
]


def packed(code: str, *values: int) -> bytes:
    return struct.pack(f"{len(values)}{code}", *values)


class Node:
    """An array and its schema. `buffers` are bytes or None; `fields` go into the array as is."""

    def __init__(self, form, length, *buffers, child=None, dictionary=None, **fields):
        self.kept = [child, dictionary, *(b and ctypes.create_string_buffer(b) for b in buffers)]
        self.buffers = (Address * len(buffers))(
            *(b and ctypes.addressof(b) for b in self.kept[2:])
        )
        self.schema = Schema(format=form)
        self.array = Array(length=length, n_buffers=len(buffers), buffers=self.buffers)
        if child:
            for struct_type, name in ((Schema, "schema"), (Array, "array")):
                parent = getattr(self, name)
                parent.n_children = 1
                parent.children = (P(struct_type) * 1)(ctypes.pointer(getattr(child, name)))
        if dictionary:
            self.schema.dictionary = ctypes.pointer(dictionary.schema)
            self.array.dictionary = ctypes.pointer(dictionary.array)
        for name, value in fields.items():
            setattr(self.array, name, value)


def strings(*ends: int, code: str = "i", form: bytes = b"u") -> Node:
    return Node(form, len(ends) - 1, None, packed(code, *ends), b"abcdefgh")


class Producer:
    """Counts the releases of what it exports."""

    def __init__(self, *nodes: Node) -> None:
        self.nodes = nodes
        self.released = {"schema": 0, "array": 0, "stream": 0}
        self.kept: list[object] = []

    def callback(self, function, result, *arguments) -> int:
        self.kept.append(ctypes.CFUNCTYPE(result, *arguments)(function))
        return ctypes.cast(self.kept[-1], Address).value

    def export(self, struct_type, source, out=None):
        """A copy of the struct `source`, to be released by itself; into `out` or new memory."""
        name = struct_type.__name__.lower()

        def release(pointer) -> None:
            assert pointer.contents.release
            self.released[name] += 1
            pointer.contents.release = None

        out = out or ctypes.pointer(struct_type())
        ctypes.memmove(out, ctypes.byref(source), ctypes.sizeof(struct_type))
        out.contents.release = self.callback(release, None, P(struct_type))
        self.kept.append(out)
        return out

    def capsule(self, pointer, name: bytes):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [Address, Text, Address]
        self.kept.append(name)
        return new(ctypes.cast(pointer, Address), name, None)


class ArrayProducer(Producer):
    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self.schema = self.export(Schema, node.schema)
        self.array = self.export(Array, node.array)

    def __arrow_c_array__(self, requested_schema=None):
        return self.capsule(self.schema, b"arrow_schema"), self.capsule(self.array, b"arrow_array")


class StreamProducer(Producer):
    """A stream of the nodes; the calls may fail with a code, get_next after the last node."""

    def __init__(self, *nodes, schema_code=0, next_code=0, message=b"disk on fire"):
        super().__init__(*nodes)
        rest = list(nodes)
        text = ctypes.create_string_buffer(message) if message else None

        def get_schema(stream, out) -> int:
            if not schema_code:
                self.export(Schema, nodes[0].schema, out)
            return schema_code

        def get_next(stream, out) -> int:
            if rest:
                self.export(Array, rest.pop(0).array, out)
                return 0
            ctypes.memset(out, 0xEE, ctypes.sizeof(Array))  # undefined but for `release`
            if not next_code:
                out.contents.release = None
            return next_code

        def get_last_error(stream):
            return text and ctypes.addressof(text)

        self.stream = self.export(Stream, Stream(
            get_schema=self.callback(get_schema, ctypes.c_int, P(Stream), P(Schema)),
            get_next=self.callback(get_next, ctypes.c_int, P(Stream), P(Array)),
            get_last_error=self.callback(get_last_error, Address, P(Stream)),
        ))

    def __arrow_c_stream__(self, requested_schema=None):
        return self.capsule(self.stream, b"arrow_array_stream")


def test_arrays_are_released_once():
    producer = ArrayProducer(strings(0, 1, 3))
    column = import_column(producer, "column")
    assert [column[0], column[1]] == ["a", "bc"]
    assert producer.array.contents.release is None  # moved: the capsule must not release it
    with pytest.raises(ValueError, match=r"^column: the Arrow array has been consumed already$"):
        import_column(producer, "column")
    assert producer.released == {"schema": 0, "array": 0, "stream": 0}  # schema: by the capsule
    del column
    assert producer.released == {"schema": 0, "array": 1, "stream": 0}


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
        (lambda: StreamProducer(GOOD, next_code=5),
         "the Arrow stream failed: disk on fire", (1, 1, 1)),
        (lambda: StreamProducer(GOOD, GOOD, next_code=5, message=None),
         "the Arrow stream failed: errno 5", (1, 2, 1)),
        (lambda: StreamProducer(GOOD, schema_code=22),
         "the Arrow stream failed: disk on fire", (0, 0, 1)),
        (lambda: StreamProducer(strings(0, form=b"i")),
         "expected an Arrow column of strings, got format 'i'", (1, 0, 1)),
        (lambda: ArrayProducer(strings(0, form=b"i")),
         "expected an Arrow column of strings, got format 'i'", (0, 0, 0)),  # all the capsules'
        (lambda: ArrayProducer(Node(b"u", -1, None, None, None)),
         "malformed Arrow data: length -1, offset 0", (0, 1, 0)),
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


def view(size: int, text: int = 0, start: int = 0) -> bytes:
    return struct.pack("i4sii", size, b"abcd", text, start)


def views(*slots: bytes, valid: bytes | None = None) -> Node:
    sizes = packed("q", 8, 16)
    return Node(b"vu", len(slots), valid, b"".join(slots), b"a" * 8, b"b" * 16, sizes)


def indexed(form: str, code: str, *indices: int) -> Node:
    return Node(
        form.encode(), len(indices), None, packed(code, *indices), dictionary=strings(0, 1, 2)
    )


@pytest.mark.parametrize(
    ("node", "row"),
    [
        (strings(0, 4, 5, 2), 2),
        (strings(-1, 4, 5), 0),
        (strings(0, 4, -(2**62), code="q", form=b"U"), 1),
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
    reason = "the index is not within the dictionary" if node.array.dictionary else (
        "the string's offsets are negative, descending or out of range"
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


def lists(form: bytes, length: int, *buffers: bytes, child: Node | None = None) -> Node:
    return Node(form, length, None, *buffers, child=child or strings(0, 1, 2, 3))


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
    with pytest.raises(ValueError, match=r"^refs\[1\]\[1\]: malformed Arrow data: the string"):
        import_column(ArrayProducer(lists(b"+l", 2, packed("i", 0, 1, 3), child=child)), "refs")
    unused = lists(b"+l", 1, packed("i", 0, 2), child=child)
    assert read(ArrayProducer(unused)) == [["a", "bc"]]


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (Node(b"u", 0, None, None, None, offset=-1), "length 0, offset -1"),
        (Node(b"u", 0, None, None), "expected 3 buffers, got 2"),
        (Node(b"u", 0, None, None, None, None), "expected 3 buffers, got 4"),
        (Node(b"u", 0, None, None, None, buffers=None), "expected 3 buffers, got 3"),
        (Node(b"u", 1, None, None, b"a"), "the buffer of offsets, views or indices is missing"),
        (Node(b"u", 1, None, packed("i", 0, 1), b"a", null_count=1),
         "1 nulls, but no validity bitmap"),
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
        (5, "expected two Arrow capsules, got int"),
        ((array, array), "expected a capsule named 'arrow_schema', got PyCapsule"),
        ((5, array), "expected a capsule named 'arrow_schema', got int"),
    ]:
        with pytest.raises(TypeError, match=f"^column: {message}$"):
            import_column(Exporter(result), "column")

    class Raiser:
        def __arrow_c_stream__(self, requested_schema=None):
            raise RuntimeError("mixed types")

    with pytest.raises(RuntimeError, match=r"^mixed types") as error:
        import_column(Raiser(), "column")
    assert error.value.__notes__ == ["column: raised by Raiser.__arrow_c_stream__()"]


def resident_bytes() -> int:
    statm = Path("/proc/self/statm")
    if not statm.exists():
        pytest.skip("needs /proc")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


@unsanitized
def test_no_leak():
    pa = pytest.importorskip("pyarrow")
    texts = pa.chunked_array([["text " * 100] * 20] * 4)
    nested = pa.array([["text"] * 5] * 20)
    bad = pa.array([["a"], ["b"]]).cast(pa.list_(pa.binary()))

    def churn(times: int) -> int:
        for _ in range(times):
            import_column(texts, "column")
            import_column(nested, "column")
            with pytest.raises(TypeError):
                import_column(bad, "column")
        gc.collect()
        return resident_bytes()

    before = churn(2000)
    assert churn(20_000) - before < 2 << 20
