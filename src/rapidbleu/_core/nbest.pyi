from collections.abc import Collection

from rapidbleu._core.columns import Column
from rapidbleu._core.extract import Extractor
from rapidbleu._core.prepared import PreparedReferences
from rapidbleu._core.reference_columns import ReferenceColumns

def flatten(
    source: object, where: str, items: str = "hypotheses"
) -> tuple[Column, list[int]]: ...
def check_nbest(
    extractor: Extractor, hyps: Column, refs: ReferenceColumns | PreparedReferences
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
) -> None: ...
