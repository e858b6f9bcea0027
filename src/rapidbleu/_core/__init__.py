"""The compiled core: text to token ids to integer statistics to scores."""
