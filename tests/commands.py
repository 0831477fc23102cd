"""What tests of the command line share."""

from hyperna.cli import main


def refusal(capsys, *argv):
    """Return the one line that a refused command prints."""
    assert main(list(argv)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("hyperna: error: ")
    assert err.count("\n") == 1
    return err
