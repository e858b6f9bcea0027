"""How far tuned weights depend on chance: many runs on resampled lists."""
