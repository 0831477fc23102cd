"""The command ``hyperna play``."""

import argparse
import json
from importlib.resources import files

from hyperna.cli.options import integer

HELP = """\
Watch and steer evolution in the browser, or write a scene to a file.

The page is served to this computer only and loads nothing from elsewhere. Stop it with Ctrl-C. With
--export a scene is written instead: as a page that works by itself, as a picture of its end, or as
a film.

For example:
  hyperna play
  hyperna play --scene stuck
  hyperna play --scene race --export race.html
  hyperna play --scene all --export talk.pdf
"""
EVERY = "all"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    # Read here, because the package of the page takes a second to import.
    scenes = json.loads((files("hyperna") / "play" / "page" / "scenes.json").read_text("utf-8"))
    parser.add_argument(
        "--scene",
        choices=[*(scene["id"] for scene in scenes), EVERY],
        default="solve",
        help=f"what is shown first (default: solve); {EVERY}: with --export, each",
    )
    parser.add_argument(
        "--port", type=integer(0, 65535), default=0, help="port (default: a free one)"
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address, do not open a browser"
    )
    parser.add_argument(
        "--export",
        metavar="FILE",
        help="write the scene: .html (the page in one file), .png, .pdf, .svg (a picture), .gif or "
        ".mp4 (a film)",
    )
    parser.add_argument("--dark", action="store_true", help="on a dark ground")


def run(args: argparse.Namespace) -> int:
    """Serve the page until interrupted, or write a scene."""
    if args.export:
        return _export(args)
    if args.scene == EVERY:
        raise ValueError("--scene all needs --export")
    from hyperna.play import PlayServer

    start = f"#scene={args.scene}{'&theme=dark' if args.dark else ''}"
    try:
        server = PlayServer(args.port, start)
    except OSError as error:
        raise ValueError(f"--port must be free, got {args.port}: {error.strerror}") from None
    with server:
        print(f"hyperna play: {server.url} (Ctrl-C ends it)", flush=True)
        if not args.no_browser:
            import webbrowser

            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0


def _export(args: argparse.Namespace) -> int:
    from hyperna.play.export import export_scene

    for file in export_scene(args.export, args.scene, args.dark):
        print(file)
    return 0
