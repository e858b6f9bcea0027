"""What a caller hands in: columns of text, checked once."""
