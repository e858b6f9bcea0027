"""Moses' files: n-best lists, statistics, weights."""
