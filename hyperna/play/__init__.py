"""A page on which evolution can be watched and steered: ``hyperna play``."""

from hyperna.play.export import export_scene
from hyperna.play.server import PlayServer

__all__ = ["PlayServer", "export_scene"]
