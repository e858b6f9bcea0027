"""How: corpora, peers, comparisons, measurements and their tables."""
