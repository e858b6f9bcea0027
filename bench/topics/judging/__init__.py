"""What judges outputs beside metrics: people, and alignments of words."""
