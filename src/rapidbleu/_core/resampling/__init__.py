"""Random draws, and sums of the rows that they choose."""
