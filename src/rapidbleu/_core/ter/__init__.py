"""Edits of texts whose blocks may move: TER, its rows and scores."""
