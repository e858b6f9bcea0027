"""Arrow structures built from any bytes, and a slow reader of their contents.

The structures may lie in every field, but only where a consumer can find out: Arrow does not
transmit buffer lengths, so no buffer is shorter than its array claims unless no memory could hold
it.
"""

import itertools
from collections.abc import Callable
from typing import Any

from support.arrow.producers import ArrayProducer, Node, StreamProducer, packed, strings, table

TEXTS = [
    b"the cat sat on a mat, and then it rained for forty days and nights",
    "größer als 我有 und 😀 mehr, und noch ein paar Wörter dahinter, 日本".encode(),
    b"\xff\xed\xa0\x80ok\xc0\x80\xf4\x90\x80\x80\xe6\x97 and what follows is plain text again",
]
LISTS = {b"+l": "i", b"+L": "q", b"+vl": "i", b"+vL": "q", b"+w:0": "", b"+w:2": "", b"+w:3": ""}
INDICES = {b"c": "b", b"C": "B", b"s": "h", b"S": "H", b"i": "i", b"I": "I", b"l": "q", b"L": "Q"}
STRINGS = (b"u", b"U", b"vu")
MOST = 2**56  # bytes; no memory has more
HUGE = (-1, -(2**63), 2**60, 2**61, 2**63 - 2, 2**63 - 1)
OFFSETS = {"i": (-1, -(2**31), -7), "q": (-1, -(2**63), 2**60, 2**63 - 1)}
FORMATS = (None, b"", b"z", b"+s", b"+l", b"+w:", b"+w:-1", b"+w:99999999999999", b"+vl", b"n")
Items = list[Any]


class Refused(Exception):
    """A malformed structure."""


class Choices:
    """Numbers read from bytes; zeros when they are used up."""

    def __init__(self, data: bytes) -> None:
        self.bytes = itertools.chain(data, itertools.repeat(0))

    def below(self, n: int) -> int:
        return next(self.bytes) % n

    def of(self, options: Any) -> Any:
        return options[self.below(len(options))]


class Layer:
    """One array: its export, and data for the slow reader."""

    def __init__(self, choices: Choices, length: int) -> None:
        self.length = length
        self.offset = choices.of((0, 0, 1, 3))
        self.n_slots = self.offset + self.length
        bits = choices.of((None, None, 0xFF, choices.below(256)))
        self.bitmap = None if bits is None else bytes([bits]) * (self.n_slots // 8 + 1)

    def is_null(self, i: int) -> bool:
        slot = self.offset + i
        return self.bitmap is not None and not self.bitmap[slot >> 3] >> (slot & 7) & 1

    def node(self, form: bytes, *buffers: Any, **more: Any) -> Node:
        return Node(form, self.length, self.bitmap, *buffers, offset=self.offset, **more)


def make_strings(choices: Choices, length: int) -> tuple[Node, Callable[[int], Any], int]:
    """Return a node, a reader of string i, and the number of strings."""
    form, layer, text = choices.of(STRINGS), Layer(choices, length), choices.of(TEXTS)
    if form == b"vu":
        views = []
        for _ in range(layer.n_slots):
            size = choices.of((0, 1, 5, 12, 13, 20, -1, 2**31 - 1))
            begin, which = choices.of((0, 3, 11, -1, 2**31 - 1)), choices.of((0, 0, 1, 2, -1))
            short = packed("i", size) + text[begin % 9 :][:12].ljust(12, b"?")
            first = text[max(0, begin) :][:4].ljust(4, b"?")
            long = packed("i", size) + first + packed("i", which, begin)
            views.append((size, which, begin, short if size <= 12 else long))
        sizes = [len(text), choices.of((len(text), 15, -5))]
        node = layer.node(
            form, b"".join(view[3] for view in views) or None, text, text, packed("q", *sizes)
        )

        def view(i: int) -> Any:
            if layer.is_null(i):
                return None
            size, which, begin, slot = views[layer.offset + i]
            if 0 <= size <= 12:
                return slot[4:][:size]
            if size < 0 or begin < 0 or not 0 <= which < 2 or sizes[which] < begin + size:
                raise Refused
            return text[begin : begin + size]

        return node, view, length
    code = "i" if form == b"u" else "q"
    ends, end = [], choices.below(4)
    for _ in range(layer.n_slots + 1):
        ends.append(choices.of(OFFSETS[code]) if choices.below(40) == 39 else end)
        end = min(end + choices.below(9), len(text))

    def string(i: int) -> Any:
        if layer.is_null(i):
            return None
        begin, end = ends[layer.offset + i : layer.offset + i + 2]
        last = min(max(0, ends[layer.offset + length]), MOST)  # claimed end of the text
        if begin < 0 or end < begin or (end > begin and end > last):
            raise Refused
        return text[begin:end]

    return layer.node(form, packed(code, *ends), text), string, length


def make_column(choices: Choices) -> tuple[Node, Callable[[int], Any]]:
    """Return a node, and a reader of item i."""
    shape = choices.below(4)
    node, string, n = make_strings(choices, choices.below(10))
    if shape & 1:
        form, entries, dictionary = choices.of(list(INDICES)), string, node
        indices = Layer(choices, choices.below(10))
        index_code, n_entries = INDICES[form], n
        numbers = [
            choices.of((127, 99)) if choices.below(40) == 39 else choices.below(max(1, n))
            for _ in range(indices.n_slots)
        ]
        node = indices.node(form, packed(index_code, *numbers) or None, dictionary=dictionary)
        n = indices.length

        def string(i: int) -> Any:
            if indices.is_null(i):
                return None
            number = numbers[indices.offset + i]
            if number >= n_entries:
                raise Refused
            return entries(number)

    if not shape & 2:
        return node, lambda i: text_of(string(i))
    form, lists = choices.of(list(LISTS)), Layer(choices, choices.below(7))
    code, n_strings = LISTS[form], n
    starts = [
        choices.of(OFFSETS[code]) if code and choices.below(40) == 39 else choices.below(n + 2)
        for _ in range(lists.n_slots + 1)
    ]
    if b"v" not in form:
        starts = sorted(starts)
    sizes = [choices.below(n + 1 - max(0, min(n, first))) for first in starts]
    buffers = [] if not code else [packed(code, *starts)]
    if b"v" in form:
        buffers.append(packed(code, *sizes))

    def item(i: int) -> Any:
        if lists.is_null(i):
            return None
        slot = lists.offset + i
        if not code:
            width = int(form[3:])
            first, size = slot * width, width
        elif b"v" in form:
            first, size = starts[slot], sizes[slot]
        else:
            first, size = starts[slot], starts[slot + 1] - starts[slot]
        if first < 0 or size < 0 or first + size > n_strings:
            raise Refused
        return [text_of(string(j)) for j in range(first, first + size)]

    return lists.node(form, *buffers, child=node), item


def text_of(data: bytes | None) -> str | None:
    try:
        return None if data is None else data.decode()
    except UnicodeDecodeError:
        raise Refused from None


def make_tree(choices: Choices, length: int, level: int = 0) -> Node:
    """Return a node of any type and its children, whose slots may point anywhere."""
    kind = choices.below(6 if level > 2 else 12)
    if kind < 2:
        return make_strings(choices, length)[0]
    layer = Layer(choices, length)
    if kind < 4:
        form, size = choices.of(
            ((b"b", 1), (b"c", 1), (b"l", 8), (b"g", 8), (b"w:3", 3), (b"tdD", 4))
        )
        return layer.node(form, bytes(size * (layer.n_slots + 1)))
    if kind < 6:
        form, n = choices.of(list(INDICES)), choices.below(9)
        numbers = [
            choices.of((127, 99)) if choices.below(40) == 39 else choices.below(max(1, n))
            for _ in range(layer.n_slots)
        ]
        entries = make_tree(choices, n, level + 1)
        return layer.node(form, packed(INDICES[form], *numbers) or None, dictionary=entries)
    if kind < 8:
        fields = [make_tree(choices, layer.n_slots, level + 1) for _ in range(choices.below(3))]
        return layer.node(choices.of((b"+s", b"+s", b"+us:0,1")), children=fields)
    if kind == 8:
        ends, values = strings(0), make_tree(choices, 1, level + 1)
        ends = Node(b"i", 1, None, packed("i", choices.of((layer.n_slots, 0, -1))))
        return Node(b"+r", length, children=(ends, values), offset=layer.offset)
    form, n = choices.of([b"+m", *LISTS]), choices.below(12)
    code = LISTS.get(form, "i")
    starts = [
        choices.of(OFFSETS[code]) if code and choices.below(40) == 39 else choices.below(n + 2)
        for _ in range(layer.n_slots + 1)
    ]
    if b"v" not in form:
        starts = sorted(starts)
    buffers = [packed(code, *starts)] if code else []
    if b"v" in form:
        buffers.append(packed(code, *(choices.below(3) for _ in starts)))
    return layer.node(form, *buffers, child=make_tree(choices, n, level + 1))


def make_table(data: bytes) -> tuple[Node, bool]:
    """Return rows with a column ``c`` of any type, and whether its structs lie."""
    choices = Choices(data)
    n, offset, n_lies = choices.below(6), choices.of((0, 0, 1)), choices.of((0, 0, 1, 1, 2, 5))
    own = make_tree(choices, n + offset)
    tell_lies(choices, own, n_lies)
    rows = table(n, offset, a=strings(*[0] * (n + offset + 1)), c=own)
    if choices.below(8) == 7:
        tell_lies(choices, rows, 1)
        n_lies += 1
    return rows, n_lies > 0


def tell_lies(choices: Choices, node: Node, n: int) -> None:
    """Change n fields of the node or its descendants."""
    for _ in range(n):
        liar = node
        while choices.below(2) and liar.below:
            liar = choices.of(liar.below)
        field = choices.of(
            (
                "length",
                "offset",
                "null_count",
                "n_buffers",
                "buffers",
                "buffer",
                "n_children",
                "children",
                "child",
                "dictionary",
                "format",
                "release",
            )
        )
        structs = (liar.array, liar.schema)
        if field in ("length", "offset"):
            setattr(liar.array, field, choices.of(HUGE))
        elif field == "null_count":
            liar.array.null_count = choices.of((-1, 1, 2**63 - 1))
        elif field == "n_buffers":
            liar.array.n_buffers = choices.of((0, 1, 2, -1, -(2**63), 2**31, 2**63 - 1))
        elif field == "buffers":
            liar.array.buffers = None
        elif field == "buffer" and len(liar.buffers):
            liar.buffers[choices.below(len(liar.buffers))] = None
        elif field == "n_children":
            choices.of(structs).n_children = choices.of((0, 2, -1, 2**63 - 1))
        elif field == "children":
            choices.of(structs).children = None
        elif field == "child" and (struct := choices.of(structs)).children:
            struct.children[0] = None
        elif field == "release" and liar is not node:
            liar.array.release = None
        elif field == "dictionary":
            choices.of(structs).dictionary = None
        elif field == "format":
            liar.schema.format = choices.of(FORMATS)


def make_structure(data: bytes) -> tuple[Any, Items | None, bool]:
    """Return a producer, its contents or None if malformed, and whether its structs lie."""
    choices = Choices(data)
    kind, n_lies = choices.below(8), choices.of((0, 0, 1, 1, 2, 5))
    node, item = make_column(choices)
    try:
        items: Items | None = [item(i) for i in range(node.array.length)]
    except Refused:
        items = None
    tell_lies(choices, node, n_lies)
    if kind < 5:
        return ArrayProducer(node), items, n_lies > 0
    nodes = [node] * choices.below(4)
    if kind == 5:
        return StreamProducer(*nodes or [node]), items and items * max(1, len(nodes)), n_lies > 0
    producer = StreamProducer(
        *nodes or [node],
        schema_code=choices.of((0, 0, 0, 5)),
        next_code=choices.of((0, 0, 0, 22)),
        message=choices.of((None, b"no more", b"\xff")),
        writes_schema=bool(choices.of((1, 1, 1, 0))),
    )
    if kind == 7:
        name = choices.of(("get_schema", "get_next", "get_last_error"))
        setattr(producer.stream.contents, name, None)
    return producer, None, True
