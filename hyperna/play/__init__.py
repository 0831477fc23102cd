"""A local page on which evolution can be watched and steered: ``hyperna play``."""

from hyperna.play.server import PlayServer

__all__ = ["PlayServer"]
