"""METEOR: alignments of words and phrases, and the metric."""
