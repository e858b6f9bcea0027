"""Stand-ins for other packages, compared with the originals."""
