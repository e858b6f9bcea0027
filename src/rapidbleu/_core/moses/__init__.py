"""Reading and writing of Moses' files."""
