"""From text to tables of tokens."""
