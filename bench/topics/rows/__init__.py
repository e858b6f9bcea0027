"""What is done with rows: n-best lists, running scores, pairs, resampling."""
