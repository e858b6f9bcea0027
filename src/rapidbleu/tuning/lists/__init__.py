"""N-best lists: rows, features in columns, names, merging, saving."""
