"""``python -m hyperna`` is the command ``hyperna``."""

from hyperna.cli import command

if __name__ == "__main__":
    command()
