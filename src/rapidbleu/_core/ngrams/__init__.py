"""N-gram counts of rows of tokens."""
