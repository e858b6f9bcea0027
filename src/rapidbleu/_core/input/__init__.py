"""Validated input: columns of text, references, counts and files."""
