"""Hand-written Arrow producers, which can export what a correct library never does."""

import ctypes
import itertools
import struct

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
    ("format", Text),
    ("name", Text),
    ("metadata", Text),
    ("flags", Int),
    ("n_children", Int),
    ("children", P(P(Schema))),
    ("dictionary", P(Schema)),
    ("release", Address),
    ("private_data", Address),
]
Array._fields_ = [
    ("length", Int),
    ("null_count", Int),
    ("offset", Int),
    ("n_buffers", Int),
    ("n_children", Int),
    ("buffers", P(Address)),
    ("children", P(P(Array))),
    ("dictionary", P(Array)),
    ("release", Address),
    ("private_data", Address),
]


# Child structs have a callback until they are released; nothing calls this one.
uncalled = ctypes.CFUNCTYPE(None, Address)(lambda pointer: None)
UNCALLED = ctypes.cast(uncalled, Address).value


def packed(code: str, *values: int) -> bytes:
    return struct.pack(f"{len(values)}{code}", *values)


class Node:
    """An array and its schema. `buffers` are bytes or None; `fields` are stored as they are."""

    def __init__(self, form, length, *buffers, child=None, children=(), dictionary=None, **fields):
        children = [child] if child else [*children]
        self.below = [*children, *([dictionary] if dictionary else [])]
        self.kept = [b and ctypes.create_string_buffer(b, len(b)) for b in buffers]
        self.buffers = (Address * len(buffers))(*(b and ctypes.addressof(b) for b in self.kept))
        self.schema = Schema(format=form, release=UNCALLED)
        self.array = Array(length=length, n_buffers=len(buffers), buffers=self.buffers)
        self.array.release = UNCALLED
        if children:
            for struct_type, name in ((Schema, "schema"), (Array, "array")):
                parent = getattr(self, name)
                parent.n_children = len(children)
                pointers = (ctypes.pointer(getattr(child, name)) for child in children)
                parent.children = (P(struct_type) * len(children))(*pointers)
        if dictionary:
            self.schema.dictionary = ctypes.pointer(dictionary.schema)
            self.array.dictionary = ctypes.pointer(dictionary.array)
        for name, value in fields.items():
            setattr(self.array, name, value)


def strings(*ends: int, code: str = "i", form: bytes = b"u") -> Node:
    return Node(form, len(ends) - 1, None, packed(code, *ends), b"abcdefgh")


# By the private data of each struct: the number of releases of the same producer, by type name, and
# the nodes, whose memory may be read until then.
unreleased: dict[int, tuple[dict[str, int], object]] = {}
keys = itertools.count(1)


def releaser(struct_type):
    def release(pointer) -> None:
        assert pointer.contents.release
        counts, _ = unreleased.pop(pointer.contents.private_data)
        counts[struct_type.__name__.lower()] += 1
        pointer.contents.release = None

    return ctypes.CFUNCTYPE(None, P(struct_type))(release)


RELEASE = {struct_type: releaser(struct_type) for struct_type in (Schema, Array, Stream)}


class Producer:
    """A producer that counts the releases of its exports."""

    def __init__(self, *nodes: Node) -> None:
        self.nodes = nodes
        self.released = {"schema": 0, "array": 0, "stream": 0}
        self.kept: list[object] = []

    def callback(self, function, result, *arguments) -> int:
        self.kept.append(ctypes.CFUNCTYPE(result, *arguments)(function))
        return ctypes.cast(self.kept[-1], Address).value

    def export(self, struct_type, source, out=None):
        """Copy the struct `source`, to be released separately, into `out` or new memory."""
        out = out or ctypes.pointer(struct_type())
        ctypes.memmove(out, ctypes.byref(source), ctypes.sizeof(struct_type))
        key = next(keys)
        unreleased[key] = self.released, self.nodes
        out.contents.private_data = key
        out.contents.release = ctypes.cast(RELEASE[struct_type], Address).value
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

    def __init__(
        self, *nodes, schema_code=0, next_code=0, message=b"disk on fire", writes_schema=True
    ):
        super().__init__(*nodes)
        rest = list(nodes)
        text = ctypes.create_string_buffer(message) if message else None

        def get_schema(stream, out) -> int:
            if writes_schema and not schema_code:
                self.export(Schema, nodes[0].schema, out)
            return schema_code

        def get_next(stream, out) -> int:
            if rest:
                self.export(Array, rest.pop(0).array, out)
                return 0
            ctypes.memset(out, 0xEE, ctypes.sizeof(Array))  # undefined except for `release`
            if not next_code:
                out.contents.release = None
            return next_code

        def get_last_error(stream):
            return text and ctypes.addressof(text)

        self.stream = self.export(
            Stream,
            Stream(
                get_schema=self.callback(get_schema, ctypes.c_int, P(Stream), P(Schema)),
                get_next=self.callback(get_next, ctypes.c_int, P(Stream), P(Array)),
                get_last_error=self.callback(get_last_error, Address, P(Stream)),
            ),
        )

    def __arrow_c_stream__(self, requested_schema=None):
        return self.capsule(self.stream, b"arrow_array_stream")


def view(size: int, text: int = 0, start: int = 0) -> bytes:
    first = b"bbbb" if size > 12 and text == 1 else b"aaaa" if size > 12 else b"abcd"
    return struct.pack("i4sii", size, first, text, start)


def views(*slots: bytes, valid: bytes | None = None) -> Node:
    sizes = packed("q", 8, 16)
    return Node(b"vu", len(slots), valid, b"".join(slots), b"a" * 8, b"b" * 16, sizes)


def indexed(form: str, code: str, *indices: int) -> Node:
    return Node(
        form.encode(), len(indices), None, packed(code, *indices), dictionary=strings(0, 1, 2)
    )


def lists(
    form: bytes, length: int, *buffers: bytes, child: Node | None = None, valid: bytes | None = None
) -> Node:
    return Node(form, length, valid, *buffers, child=child or strings(0, 1, 2, 3))


def table(length: int, offset: int = 0, **columns: Node) -> Node:
    node = Node(b"+s", length, None, children=columns.values(), offset=offset)
    for name, column in columns.items():
        column.schema.name = name.encode()
    return node
