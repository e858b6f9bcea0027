"""Tuning on many resampled lists, and one vector of weights from all of them."""
