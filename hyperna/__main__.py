"""``python -m hyperna`` is the command ``hyperna``."""

import sys

from hyperna.cli import main

if __name__ == "__main__":
    sys.exit(main())
