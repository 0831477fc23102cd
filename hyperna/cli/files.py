"""Text files that are written whole or not at all."""

from pathlib import Path

from hyperna.cli.options import written_whole


def write_text(path: Path, text: str) -> None:
    """Replace a file by the text, with the same line ends on every system."""
    with written_whole(path) as draft:
        draft.write_text(text, encoding="utf-8", newline="\n")
