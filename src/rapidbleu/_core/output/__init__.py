"""What callers get: tables that other libraries read in place."""
