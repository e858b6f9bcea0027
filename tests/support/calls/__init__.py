"""Every public operation, and calls that are refused: for memory, leaks and threads."""
