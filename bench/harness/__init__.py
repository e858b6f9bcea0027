"""The benchmark harness: corpora, peers, comparisons, measurements and tables."""
