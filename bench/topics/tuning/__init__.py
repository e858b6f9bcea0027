"""Features and weights: files, line searches, learners."""
