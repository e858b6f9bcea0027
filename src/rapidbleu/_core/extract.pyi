from collections.abc import Collection
from typing import Any, Self

from typing_extensions import disjoint_base

from rapidbleu._core.columns import Column
from rapidbleu._core.kernel import Kernel
from rapidbleu._core.last_calls import LastCalls
from rapidbleu._core.prepared import PreparedReferences
from rapidbleu._core.reader import Reader
from rapidbleu._core.reference_columns import ReferenceColumns

@disjoint_base
class Extractor:
    def __new__(cls, kernel: Kernel, reader: Reader, ref_reader: Reader | None = None) -> Self: ...
    @property
    def kernel(self) -> Kernel: ...
    @property
    def reader(self) -> Reader: ...
    def of_hypotheses(self) -> Extractor: ...
    def check(
        self, hyps: Column | None, refs: ReferenceColumns | PreparedReferences
    ) -> None: ...
    def extract(
        self,
        hyps: Column,
        refs: ReferenceColumns | PreparedReferences,
        begin: int,
        end: int,
        rows: object = None,
        scores: object = None,
        stop: Collection[object] = (),
    ) -> list[int]: ...
    def extract_one(
        self, hypothesis: object, references: object, calls: LastCalls
    ) -> tuple[Any, ...] | None: ...
    def prepare(self, columns: ReferenceColumns) -> PreparedReferences: ...
