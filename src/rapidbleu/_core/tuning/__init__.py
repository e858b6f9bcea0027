"""Tuning of weights: line searches along upper envelopes, and learners."""
