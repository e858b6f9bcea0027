"""The tuning command, and the pictures of its landscapes."""
