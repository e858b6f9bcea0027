"""Random draws, and sums of the drawn rows."""
