"""Alignments of words and phrases, and the metric that is made of them: METEOR."""
