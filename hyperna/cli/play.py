"""Watch and steer evolution on a local web page.

The page is served to this computer only and loads nothing from elsewhere. Stop it with Ctrl-C.

For example:
  hyperna play
  hyperna play --port 8800 --no-browser
"""

import argparse

from hyperna.cli.options import integer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--port", type=integer(0, 65535), default=0, help="port (default: a free one)"
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address, do not open a browser"
    )


def run(args: argparse.Namespace) -> int:
    """Serve the page until interrupted."""
    from hyperna.play import PlayServer

    try:
        server = PlayServer(args.port)
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
