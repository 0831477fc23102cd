"""A film as one HTML page: pictures, buttons and nothing from elsewhere."""

import base64
import io
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.animation import FuncAnimation

_COLOURS = 128

_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>A run of the (1+1) NA</title>
<style>
:root { color-scheme: light dark; background: #fff; color: #1b1f24; }
@media (prefers-color-scheme: dark) { :root { background: #14171c; color: #e6e9ee; } }
body { margin: 1rem auto; max-width: 62rem; padding: 0 .75rem; font: 16px system-ui, sans-serif; }
img { display: block; width: 100%; height: auto; margin-bottom: .75rem; border-radius: 6px; }
nav { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
button, select { font: inherit; min-height: 2.4rem; padding: 0 .8rem; }
input { flex: 1; min-width: 8rem; }
</style>
<img id="picture" alt="The network and its fitness, one picture after another">
<nav aria-label="Film">
<button id="play">Pause</button>
<button id="back" aria-label="One picture back">&#9664;</button>
<button id="on" aria-label="One picture on">&#9654;</button>
<input id="place" type="range" min="0" value="0" aria-label="Picture">
<output id="number"></output>
<label>Speed <select id="speed"><option value="4">slow</option><option value="1" selected>normal
</option><option value="0.4">fast</option></select></label>
</nav>
<script>
const pictures = PICTURES, order = ORDER, interval = INTERVAL;
const get = (id) => document.getElementById(id);
let place = 0, timer = null;
const show = (next) => {
  place = (next + order.length) % order.length;
  get("picture").src = "data:image/png;base64," + pictures[order[place]];
  get("place").value = place;
  get("number").textContent = `${place + 1} of ${order.length}`;
};
const stop = () => { clearInterval(timer); timer = null; get("play").textContent = "Play"; };
const start = () => {
  clearInterval(timer);
  timer = setInterval(() => show(place + 1), interval * get("speed").value);
  get("play").textContent = "Pause";
};
get("place").max = order.length - 1;
get("play").onclick = () => (timer ? stop() : start());
get("back").onclick = () => { stop(); show(place - 1); };
get("on").onclick = () => { stop(); show(place + 1); };
get("place").oninput = () => { stop(); show(Number(get("place").value)); };
get("speed").onchange = () => { if (timer) start(); };
show(0);
if (matchMedia("(prefers-reduced-motion: reduce)").matches) stop(); else start();
</script>
</html>
"""


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
    return (
        _PAGE.replace("PICTURES", json.dumps(pictures), 1)
        .replace("ORDER", json.dumps(order), 1)
        .replace("INTERVAL", str(interval), 1)
    )
