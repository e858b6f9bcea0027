"""What every metric can be asked, and what its options have in common."""
