"""What is compared and measured, one module per topic."""
