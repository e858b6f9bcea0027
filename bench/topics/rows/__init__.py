"""Uses of rows: n-best lists, running scores, pairs, resampling."""
