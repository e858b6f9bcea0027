"""What is compared and measured: a module for each topic."""
