"""What reads and writes the files of Moses."""
