"""Input that is read as it is needed: iterators, files and tables of any length, in batches."""
