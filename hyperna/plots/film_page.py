"""A film as one HTML page: pictures, buttons and nothing from elsewhere."""

import base64
import io
import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.animation import FuncAnimation

_COLOURS = 128


def film_page(film: "FuncAnimation", dpi: int) -> str:
    """Return the page."""
    from matplotlib.animation import AbstractMovieWriter
    from PIL import Image

    pictures: list[str] = []
    order: list[int] = []

    class Pages(AbstractMovieWriter):
        """Collects the pictures; one that is repeated is kept once."""

        def setup(self, fig: Any, outfile: Any, dpi: float | None = None) -> None:
            super().setup(fig, outfile, dpi)

        def grab_frame(self, **options: Any) -> None:
            drawn = io.BytesIO()
            self.fig.savefig(drawn, format="png", dpi=self.dpi, **options)
            small = io.BytesIO()
            with Image.open(drawn) as picture:
                flat = picture.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)
                flat.save(small, format="png", optimize=True)
            text = base64.b64encode(small.getvalue()).decode()
            if not pictures or pictures[-1] != text:
                pictures.append(text)
            order.append(len(pictures) - 1)

        def finish(self) -> None:
            """Nothing is open."""

    film.save("film.html", writer=Pages(), dpi=dpi)
    interval = int(getattr(film.event_source, "interval", 200))
    page = files("hyperna.plots").joinpath("film.html").read_text(encoding="utf-8")
    return (
        page.replace("PICTURES", json.dumps(pictures), 1)
        .replace("ORDER", json.dumps(order), 1)
        .replace("INTERVAL", str(interval), 1)
    )
