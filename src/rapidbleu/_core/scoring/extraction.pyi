from collections.abc import Collection
from typing import Any, Self, final

from typing_extensions import disjoint_base

from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu._core.metrics.kernel import Kernel
from rapidbleu._core.text.tokenize import PreparedReferences, Reader

@final
class LastCalls:
    def __new__(cls, keeps_resamples: bool = False) -> Self: ...
    def remember(
        self,
        num_refs: int | None,
        n_bootstrap: int | None = None,
        seed: str | None = None,
        /,
    ) -> None: ...
    def remember_number(self, num_refs: int) -> int: ...
    def own(self) -> tuple[int | None, int | None, str | None]: ...

@disjoint_base
class Repeats:
    def __new__(cls, n_texts: int, n_stats: int, /) -> Self: ...

@disjoint_base
class Workspace:
    def __new__(cls, kernel: Kernel, /) -> Self: ...

@disjoint_base
class Extractor:
    def __new__(
        cls, kernel: Kernel, reader: Reader, ref_reader: Reader | None = None, /
    ) -> Self: ...
    @property
    def kernel(self) -> Kernel: ...
    @property
    def reader(self) -> Reader: ...
    def of_hypotheses(self) -> Extractor: ...
    def with_kernel(self, kernel: Kernel, /) -> Extractor: ...
    def check(
        self,
        hyps: Column | PreparedReferences | None,
        refs: ReferenceColumns | PreparedReferences,
        /,
    ) -> None: ...
    def extract(
        self,
        hyps: Column | PreparedReferences,
        refs: ReferenceColumns | PreparedReferences,
        begin: int,
        end: int,
        rows: object = None,
        scores: object = None,
        stop: Collection[object] = (),
        /,
    ) -> list[int]: ...
    def extract_one(
        self,
        hypothesis: object,
        references: object,
        calls: LastCalls,
        cls: type | None = None,
        label: str | None = None,
        /,
    ) -> Any: ...
    def prepare(self, columns: ReferenceColumns, /) -> PreparedReferences: ...

def flatten(
    source: object,
    where: str,
    items: str = "hypotheses",
    /,
) -> tuple[Column, list[int]]: ...
def check_nbest(
    extractor: Extractor,
    hyps: Column,
    refs: ReferenceColumns | PreparedReferences,
    /,
) -> None: ...
def extract_nbest(
    extractor: Extractor,
    hyps: Column,
    refs: PreparedReferences,
    segments: object,
    begin: int,
    end: int,
    rows: object = None,
    scores: object = None,
    stop: Collection[object] = (),
    /,
) -> None: ...
