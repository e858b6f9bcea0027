"""A comparison as one HTML file, which needs no network; made with Jinja2 (extra ``report``)."""

from rapidbleu.comparison.report.page import html_report, write_report

__all__ = ["html_report", "write_report"]
