"""Settings: one description of a run for the command line, campaigns and Python."""

from hyperna.settings.description import Setting, resolve, setting

__all__ = ["Setting", "resolve", "setting"]
