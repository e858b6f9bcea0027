"""Judgments of people: their means, and what is particular to a judge."""
