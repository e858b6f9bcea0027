"""Counting n-grams of rows of tokens."""
