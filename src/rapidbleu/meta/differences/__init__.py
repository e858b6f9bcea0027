"""Whether one metric agrees with people better than another, and how sure that is."""
