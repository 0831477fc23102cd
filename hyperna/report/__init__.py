"""A store of runs as one self-contained page for people without Python."""

from hyperna.report.page import make_page, write_report

__all__ = ["make_page", "write_report"]
