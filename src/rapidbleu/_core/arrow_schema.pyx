"""The schema of an Arrow column, reduced to what its chunks are read by.

A schema is a tree of format strings: a list has one child, an integer with a dictionary is an index
into it, and text is at the bottom, or it is no column for us.  It is read once; the kinds of the
three layers and the width of lists of fixed size are all that is kept.
"""

from rapidbleu._core.input cimport ArrowSchema

# Format -> kind of the list layer; the other layers' kinds are the first letter of the format.
cdef dict LIST_KINDS = {"+l": c"l", "+L": c"L", "+vl": c"p", "+vL": c"P", "+w": c"w"}


cdef object malformed(str where, str what):
    return ValueError(f"{where}: malformed Arrow data: {what}")


cdef str read_format(const ArrowSchema* schema, str where):
    if schema == NULL or schema.format == NULL:
        raise malformed(where, "a schema without format")
    return (<bytes> schema.format).decode("utf-8", "replace")


cdef int read_shape(ShapeC* shape, const ArrowSchema* schema, str where) except -1:
    """Fill in the kinds of the three layers."""
    cdef str name = read_format(schema, where), outer = ""
    cdef object list_kind = LIST_KINDS.get("+w" if name.startswith("+w:") else name)
    if list_kind is not None and schema.dictionary == NULL:
        if schema.n_children != 1 or schema.children == NULL:
            raise malformed(where, f"format {name!r} with {schema.n_children} children")
        if list_kind == c"w":
            if not (name[3:].isdecimal() and len(name) < 14):
                raise malformed(where, f"format {name!r}")
            shape.width = int(name[3:])
        shape.list_kind = list_kind
        outer = f"lists ({name!r}) of "
        schema = schema.children[0]
        name = read_format(schema, where)
    if schema.dictionary != NULL:
        if len(name) != 1 or name not in "cCsSiIlL":
            raise malformed(where, f"dictionary indices of format {name!r}")
        shape.index_kind = ord(name)
        outer += f"a dictionary ({name!r}) of "
        schema = schema.dictionary
        name = read_format(schema, where)
    if name not in ("u", "U", "vu") or schema.dictionary != NULL:
        hint = " (a table: pass one of its columns)" if name == "+s" and not outer else ""
        raise TypeError(
            f"{where}: expected an Arrow column of strings, got {outer}format {name!r}{hint}"
        )
    shape.string_kind = ord(name[0])
    return 0
