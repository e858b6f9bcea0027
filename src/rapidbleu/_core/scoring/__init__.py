"""What is written once for all metrics: extraction, all pairs, running scores."""
