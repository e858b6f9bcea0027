"""Judgments of people: their means, what is particular to a judge, how far judges agree."""
