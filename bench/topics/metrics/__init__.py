"""The other metrics."""
