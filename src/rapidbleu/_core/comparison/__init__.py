"""Outputs of several systems beside their references: numbers of n-grams, and what matches."""
