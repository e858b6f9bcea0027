"""Agreement of metrics with human annotators: figures, swapped metrics, thresholds of ties."""
