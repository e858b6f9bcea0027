"""Calls of BLEU on strings: corpora, segments, single sentences, threads, memory, import."""
