"""Tuning methods: line search, MERT, MIRA, PRO and minimum risk."""
