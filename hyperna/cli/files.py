"""Files that commands write: checked before any work, named when they are written."""

import sys
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from hyperna._files import check_writable, is_standard_output, write_file
from hyperna._validation import check_extra
from hyperna._words import shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURE_SUFFIXES = (".png", ".pdf", ".svg")


def check_picture(text: str) -> Path:
    """Return the path of a picture that can be written, or say why it cannot, before any work."""
    path = Path(text)
    if path.suffix.lower() not in PICTURE_SUFFIXES:
        raise ValueError(f"--plot must end in .png, .pdf or .svg, got {shown(text)}")
    check_extra("--plot needs", "matplotlib", "plot")
    check_writable(path)
    return path


def check_film_file(text: str) -> Path:
    """Return the path of a film that can be written, or say why it cannot, before any work."""
    check_extra("--animate needs", "matplotlib", "plot")
    from hyperna.plots.animation import check_film

    try:
        path = check_film(text)
    except ValueError as error:
        raise ValueError(f"--animate: {error}") from None
    check_writable(path)
    return path


def tell_written(path: Path, text: str) -> None:
    """Say what was written to a file; not among the data if that was standard output."""
    print(f"{path}: {text}", file=sys.stderr if is_standard_output(path) else sys.stdout)


def save_figure(path: Path, figure: "Figure") -> None:
    """Write a figure as what the end of the file's name says."""
    picture = BytesIO()
    figure.savefig(picture, format=path.suffix.lower().lstrip("."), dpi=150)
    write_file(path, picture.getvalue())
