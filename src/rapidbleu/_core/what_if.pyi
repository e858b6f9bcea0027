from typing import Any

import numpy as np

from rapidbleu._core.running import RunningTotals

class WhatIf(RunningTotals):
    def score_if(self, i: int, rows: Any) -> np.ndarray[tuple[int], np.dtype[np.float64]]: ...
    def best_of(self, i: int, rows: Any) -> tuple[int, float]: ...
    def score_if_all(
        self, rows: Any, offsets: Any
    ) -> np.ndarray[tuple[int], np.dtype[np.float64]]: ...
