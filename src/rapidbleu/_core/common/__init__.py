"""Shared by the whole core: bits, memory, keys, signals, the processor."""
