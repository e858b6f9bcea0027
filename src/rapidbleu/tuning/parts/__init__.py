"""N-best lists in parts, which other processes hold: events of lines, and climbs over all parts."""
