"""Other judgments of outputs: human scores and word alignments."""
