from typing import Self

from typing_extensions import disjoint_base

N_PARTS: int

@disjoint_base
class Bitext:
    def __new__(
        cls,
        source: object,
        source_starts: object,
        target: object,
        target_starts: object,
        n_source: int,
        n_target: int,
        null: bool,
        /,
    ) -> Self: ...
    def count_cells(
        self, begin: int, end: int, sizes: object, stop: list[BaseException] | None = None, /
    ) -> None: ...
    def list_cells(
        self,
        begin: int,
        end: int,
        starts: object,
        words: object,
        stop: list[BaseException] | None = None,
        /,
    ) -> None: ...
    def step(
        self,
        table: Table,
        begin: int,
        end: int,
        totals: object,
        sums: object,
        likelihoods: object,
        stop: list[BaseException] | None = None,
        /,
    ) -> None: ...
    def ask(
        self,
        table: Table,
        columns: object,
        begin: int,
        end: int,
        floor: float,
        sums: object,
        best: object,
        stop: list[BaseException] | None = None,
        /,
    ) -> None: ...
    def add_logs(
        self,
        begin: int,
        end: int,
        sums: object,
        scores: object,
        stop: list[BaseException] | None = None,
        /,
    ) -> None: ...

@disjoint_base
class Table:
    def __new__(cls, starts: object, words: object, values: object, n_source: int, /) -> Self: ...
