"""Runs of a method on many lists: bags, seeds, halves and folds."""
