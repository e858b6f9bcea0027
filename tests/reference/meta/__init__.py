"""Oracles of meta-evaluation."""
