"""METEOR: its data, its presets, its words, and the metric."""
