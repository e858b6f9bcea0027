"""How metrics agree with people: figures of correlation, swapped metrics, thresholds of ties."""
