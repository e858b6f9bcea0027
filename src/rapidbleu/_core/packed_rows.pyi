from typing import final

@final
class PackedRows:
    def __new__(cls, parts: list[object], n_segments: int) -> PackedRows: ...
    @property
    def n_columns(self) -> int: ...
