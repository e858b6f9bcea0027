"""The tuning command."""
