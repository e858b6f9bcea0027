"""What our metrics for torchmetrics share: exact states, and the libraries themselves."""

from typing import Any

try:
    import torch
    from torchmetrics import text
except ImportError as error:
    raise ImportError(
        "rapidbleu.adapters.torchmetrics needs torchmetrics: pip install torchmetrics"
    ) from error

__all__ = ["ExactStates", "text", "torch"]


class ExactStates:
    """States that are int64 and sums; the rest of a metric is inherited from torchmetrics."""

    full_state_update = False  # so `forward` counts a batch once and states can be merged

    def add_counters(self: Any, *names: str) -> None:
        """Make counters, in place of states of these names."""
        for name in names:
            self.add_state(name, torch.tensor(0, dtype=torch.int64), dist_reduce_fx="sum")

    def set_dtype(self: Any, dst_type: Any) -> Any:
        """Counts stay int64, whatever the type of other states."""
        return self
