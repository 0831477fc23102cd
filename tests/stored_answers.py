"""Commands and pictures whose answers are stored.

``python tests/stored_answers.py`` stores them again. Look at what
has changed (``git diff``) before you commit: the same seed gives the same answer, so
that a number here changes with its definition only.
"""

import contextlib
import hashlib
import io
import json
import os
import re
import tempfile
from functools import partial
from itertools import product
from pathlib import Path
from unittest.mock import patch

import numpy as np
from stored_commands import (
    CHAIN,
    COMPARE,
    FIT,
    OTHER,
    OTHERS,
    PICTURE,
    REFUSED,
    RUN,
    SHOWN,
    SMALL,
    TABLE,
    THEORY,
    TOML,
)
from stored_functions import functions
from stored_models import models
from stored_parts import parts
from stored_pictures import pictures, report_charts

import hyperna

FILE = Path(__file__).with_suffix(".json")
NUMBER = re.compile(r"-?(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")


def command(text):
    """Return what a command prints, its errors and exit code included."""
    from hyperna.cli import main

    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = main(text.split())
    return [*plain(out.getvalue()), *([f"exit code {code}"] if code else [])]


def on_terminal(text, width):
    """Return what a command shows on a terminal of the given width, its colours included."""
    from hyperna.cli import main

    out, aside = io.StringIO(), io.StringIO()
    out.isatty = lambda: True
    terminal = {"COLUMNS": width, "TERM": "xterm-256color", "COLORTERM": ""}
    if "some.store" in text:
        of_store("list")
    with (
        patch.dict(os.environ, terminal),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(aside),
    ):
        main(text.split())
    return plain(out.getvalue())


def plain(text):
    """Return the lines of a text without versions, days, times and the folder."""
    text = text.replace(hyperna.__version__, "VERSION").replace(os.getcwd(), "FOLDER")
    text = re.sub(r"20\d\d-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?", "DAY", text)
    text = re.sub(r" *\d[\d.,]* (m?s\b|minutes?|seconds?)", " TIME", text)
    text = re.sub(r'("\w*(?:seconds|time)": )[^,}\n]+', r"\1TIME", text)
    text = re.sub(
        r"(numpy|scipy|numba|matplotlib|[Pp]ython)(\"?:? \"?)[\d.]+", r"\1\2VERSION", text
    )
    return [line.rstrip() for line in text.splitlines()]


def written(text, *names):
    """Return what a command prints and the files that it writes."""
    told = command(text)
    for name in names:
        told += [f"-- {name}", *plain(Path(name).read_text(encoding="utf-8"))]
    return told


def campaign_answers():
    """Yield name and function of what is told about a campaign, which runs when it is needed."""
    yield "status", lambda: of_store("campaign status some.store --json")
    yield "status in words", lambda: of_store("campaign status some.store")
    yield "export", lambda: of_store("campaign export some.store csv -o some.csv", "some.csv")
    yield "ioh", ioh_files
    yield "report, charts", lambda: (of_store("list"), report_charts(command))[1]
    yield "report, data", report_data
    yield "report, text", lambda: shown(page())
    yield "report, pictures", lambda: re.findall(PICTURE, page())[:200]
    yield "other report", other_report
    for number, text in enumerate(SMALL):
        yield f"small report {number}", partial(small_report, text, f"small{number}")


def of_store(text, *names):
    """Return what a command says about the store of the campaign and the files that it writes."""
    if not Path("some.store").exists():
        Path("some.toml").write_text(TOML, encoding="utf-8")
        command("campaign run some.toml")
    return written(text, *names)


def ioh_files():
    of_store("campaign export some.store ioh -o ioh")
    for path in sorted(path for path in Path("ioh").rglob("*") if path.is_file()):
        lines = plain(path.read_text(encoding="utf-8"))
        yield f"-- {path}: {len(lines)}"
        yield from lines if path.suffix == ".json" else lines[-2:]


def page():
    if not Path("some.html").exists():
        of_store("report some.store -o some.html --title some")
    return Path("some.html").read_text(encoding="utf-8")


def report_data():
    data = json.loads(re.search(r'type="application/json" id="data">(.*?)</script>', page())[1])
    return plain(json.dumps(data, indent=0))


def other_report():
    """Return the text of a report with many variants."""
    Path("other.toml").write_text(OTHER, encoding="utf-8")
    command("campaign run other.toml")  # how far it is depends on the machine
    told = command("campaign status other.store")
    command("report other.store -o other.html")
    return told + shown(Path("other.html").read_text(encoding="utf-8"))[:250]


def small_report(text, name):
    """Return status, export and report of a small campaign."""
    Path(f"{name}.toml").write_text(text, encoding="utf-8")
    command(f"campaign run {name}.toml")
    told = command(f"campaign status {name}.store")
    told += written(f"campaign export {name}.store csv -o {name}.csv", f"{name}.csv")
    command(f"report {name}.store -o {name}.html")
    return told + shown(Path(f"{name}.html").read_text(encoding="utf-8"))


def shown(page):
    """Return the text of a page of HTML."""
    text = re.sub(r"<script.*?</script>|<style.*?</style>|<svg.*?</svg>", "", page, flags=re.S)
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "\n", text).replace("&nbsp;", " "))
    return plain(re.sub(r"(?<=[.:;]) ", "\n", text))


def answers(folder):
    """Yield every case's name and a function that returns its lines, in a folder of its own."""
    os.chdir(folder)
    Path("table.csv").write_text(TABLE, encoding="utf-8")
    numbers = [line.rpartition(",")[0] for line in TABLE.splitlines()]
    Path("sweet.csv").write_text("\n".join(numbers), encoding="utf-8")
    for text in RUN:
        yield f"run {text}", partial(command, f"run {text} --runs 7")
        yield f"run {text} --json", partial(command, f"run {text} --runs 3 --json --all")
    for text in THEORY:
        yield f"theory {text}", partial(command, f"theory {text}")
        yield f"theory {text} --json", partial(command, f"theory {text} --json")
    chain = (f"chain.{end}" for end in CHAIN)
    export = "theory quarter --resolution 5 --mutation local --export chain"
    yield "theory --export", partial(written, export, *chain)
    for text in FIT:
        few = f"fit {text} --max-evals 3000"
        yield few, partial(written, f"{few} --save model.json", "model.json")
        yield f"{few} --json", partial(command, f"{few} --json")
    yield "predict", partial(predicted, "--label kind --proba --column told")
    for text in ("--label kind", "--column kind", "-o told.csv", "--proba"):
        yield f"predict {text}", partial(predicted, text)
    for text in COMPARE:
        yield text, partial(command, text)
        yield f"{text} --json", partial(command, f"{text} --json")
    for text in OTHERS + REFUSED:
        yield text, partial(command, text)
    # seconds are longer on a slow machine, which would change where narrow lines end
    narrow = [text for text in SHOWN if "run" not in text and "--folds" not in text]
    for text, width in (*product(SHOWN, ["150"]), *product(narrow, ["60"])):
        yield f"{text} on a terminal of {width}", partial(on_terminal, text, width)
    yield from functions(command)
    yield from pictures(command)
    yield from parts()
    yield from models()
    yield from campaign_answers()


def predicted(text):
    command("fit table.csv --label kind --ignore mass,sweet --max-evals 2000 --save model.json")
    return command(f"predict model.json table.csv {text}")


def arithmetic():
    """Return a digest that changes with how a processor rounds sums, products and functions."""
    points = np.random.default_rng(0).normal(size=(70, 30))
    parts = (points.T @ points, points @ points[0], np.exp(points), np.log(np.abs(points)))
    parts += (points.sum(axis=0), np.tanh(points), np.linalg.lstsq(points, points[:, 0])[0])
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:16]


def same(stored, found):
    """Whether two lines have the same words, and numbers that differ by rounding only."""
    if NUMBER.sub("#", stored).split() != NUMBER.sub("#", found).split():
        return False
    pairs = zip(NUMBER.findall(stored), NUMBER.findall(found), strict=True)
    return all(one == other or _near(one, other) for one, other in pairs)


def _near(one, other):
    a, b = (float(text.replace(",", "")) for text in (one, other))
    decimals = len(one.partition("e")[0].partition(".")[2])
    last_digit = 10.0**-decimals if 0 < decimals < 7 and "e" not in one else 0.0
    # sums that are zero but for rounding, and bounds of rounding errors, differ between processors
    return abs(a - b) <= max(1e-6 * abs(a), 1.01 * last_digit, 1e-10)


if __name__ == "__main__":
    os.environ |= {"COLUMNS": "100", "HYPERNA_QUIET": "1", "MPLBACKEND": "Agg"}
    with tempfile.TemporaryDirectory() as made:
        found = {name: list(function()) for name, function in answers(made)}
    found["arithmetic"] = [arithmetic()]
    FILE.write_text(json.dumps(found, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
