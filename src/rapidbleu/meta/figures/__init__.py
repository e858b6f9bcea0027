"""Figures of agreement between people and metrics."""
