"""Files of human scores: WMT's, MQM annotations, mt-metrics-eval's folders, tables."""
