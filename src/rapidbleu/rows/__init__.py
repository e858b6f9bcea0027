"""Rows of statistics with names: tables of segments, their files, and how parts are merged."""
