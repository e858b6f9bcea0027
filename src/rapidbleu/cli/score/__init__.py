"""The scoring command: corpora, segments, systems, tests."""
