"""Conversion of text to token tables."""
