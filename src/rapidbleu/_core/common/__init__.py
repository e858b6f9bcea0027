"""What every part of the core uses: bits, memory, keys, signals, the processor."""
