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
from stored_functions import functions
from stored_models import models
from stored_parts import parts
from stored_pictures import pictures, report_charts

import hyperna

FILE = Path(__file__).with_suffix(".json")
NUMBER = re.compile(r"-?(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")

TABLE = """x,y,mass,sweet,kind
0.9,0.1,1,1,plum
0.8,0.4,2,1,plum
0.7,-0.2,1,0,pear
-0.5,0.6,3,1,pear
-0.3,-0.8,1,0,fig
-0.9,-0.1,2,0,fig
0.2,0.9,1,1,pear
0.1,-0.7,1,0,fig
0.85,0.2,1,1,plum
-0.1,0.5,2,0,pear
-0.6,-0.5,1,1,fig
0.6,0.3,1,1,plum
"""
TOML = """runs = 4
resolution = [24, 36, 48, 60]
[[settings]]
problem = ["quarter", "local_opt"]
mutation = ["harmonic", "local"]
[[settings]]
problem = "half"
bias = false
runs = 3
[[settings]]
problem = "two_quarters"
resolution = 24
algorithm = ["na", "rls", "one_plus_lambda"]
budget = 2000
[[settings]]
problem = "sweet.csv"
resolution = 24
label = "sweet"
neurons = 2
budget = 50
"""
OTHER = """runs = 3
budget = 400
[[settings]]
problem = "quarter"
resolution = [12, 16, 20, 24, 28, 32]
target = [0.8, 0.9]
mutation = ["harmonic", "local", "uniform", "pareto", "cauchy", "power_law:exponent=1.5"]
[[settings]]
problem = "half"
dim = 3
points = 64
resolution = 24
sampling = ["sobol", "even"]
replace_neuron = [0.0, 0.1]
[[settings]]
problem = "arcs"
k = 2
resolution = 24
neurons = "evolved"
max_neurons = 3
output = ["or", "xor"]
"""
REFUSED = [
    "run quarter --algorithm rls --animate some.gif",
    "run quarter --judge-once",
    "run quarter --online 5 --points 9",
    "run quarter --neurons 0",
    "run quarter --resolution 1",
    "run quater",
    "run sweet.csv --label swet",
    "run arcs",
    "run quarter --mutation pareto:shap=2",
    "run quarter --all",
    "theory half --neurons 3",
    "theory cube",
    "theory quarter --resolution 100000",
    "theory two_quarters --neurons 2 --resolution 1000",
    "fit moons --label x",
    "fit moons --class-weight 5=1",
    "fit table.csv --ignore kinds",
    "predict table.csv table.csv",
    "compare xor --classifiers nearest",
    "compare xor --folds 1",
    "dataset moon",
    "dataset moons:n=2",
    "campaign run none.toml",
    "campaign status none.store",
    "report none.store -o some.html",
    "reproduce --table 12",
]

RUN = [
    "quarter",
    "quarter --resolution 48 --mutation local --target 0.9",
    "half --no-bias --redraw-void --mutation uniform",
    "two_quarters --output evolved --neurons 3 --budget 3000 --resolution 24",
    "two_quarters --output and --restarts auto --budget 2000",
    "local_opt --stagnation 80 --restarts 2 --mutation-probability 0.3",
    "local_opt --mutation pareto:shape=1.5 --resolution 1000",
    "arcs --k 3 --replace-neuron 0.2 --mutation self_adjusting",
    "arcs --arcs 0-90,100-200 --neurons evolved --max-neurons 3 --budget 2000",
    "quarter --neuron bent --no-bias",
    "quarter --dim 3 --init sphere --move rotation --budget 2000",
    "half --dim 4 --points 200 --sampling random --budget 1000",
    "quarter --online 20 --budget 500",
    "quarter --online 20 --judge-once --target none --budget 300",
    "cube --dim 3 --neurons 4 --output xor",
    "sweet.csv --label sweet --weight mass --scale --budget 200 --neurons 2",
    "quarter --algorithm rls --mutation local --target none --budget 3000",
    "quarter --algorithm annealing --budget 500",
    "quarter --algorithm one_plus_lambda:offspring=4 --seed 3",
    "half --algorithm random_search --target 0.95",
]
THEORY = [
    "quarter --resolution 24",
    "local_opt --resolution 36 --mutation local --quantiles 0.1,0.5",
    "half --resolution 40 --no-bias --redraw-void",
    "half --resolution 160 --no-bias --mutation uniform",
    "quarter --resolution 20 --mutation uniform --mutation-probability 0.4 --target 0.85",
    "two_quarters --resolution 8 --neurons 2 --output xor --mutation local",
    "two_quarters --resolution 8 --neurons 2 --no-bias --output and",
    "arcs:k=3 --resolution 12",
]
FIT = [
    "table.csv --label kind --ignore mass,sweet",
    "xor",
    "moons --neurons 3 --output or --tie-break none",
    "moons --neurons 2 --output evolved --move angle --init grid --restarts 1",
    "circles --neuron bent --output and --neurons 1 --stagnation 300",
    "moons --neurons 1 --class-weight 0=1,1=3 --resolution 50",
    "sweet.csv --neurons auto --class-weight balanced --restarts 0 --mutation local",
    "quarter_d3 --no-scale --init sphere --neurons 2 --output xor --tie-break 0.1 --seed 3",
    "circles",
    "circles --neuron bent --output or --neurons 2 --init grid",
    "moons --output evolved",
    "moons --output and --neurons auto --move angle --seed 1",
    "two_quarters_d5 --output or --init sphere --restarts 4",
    "two_quarters_d5 --output xor --tie-break none --resolution 300",
    "two_quarters_d5 --neurons 1",
    "sweet.csv --ignore mass --class-weight balanced --neurons 3 --mutation uniform",
]
COMPARE = [
    "compare table.csv --label kind --classifiers logistic,knn --folds 3",
    "compare xor --classifiers na,logistic --folds 2 --repeats 2 --rotate --seed 4",
]
OTHERS = [
    "compare --list",
    "dataset moons:n=12,noise=0.1",
    "dataset sphere:problem=two_quarters,dim=4,rotated=true,n=6",
    "dataset --list --json",
    "dataset --list",
    "dataset xor:n=5 -o some.csv",
    "list",
    "compare xor --classifiers logistic --folds 2 --repeats 1 --markdown",
    "compare table.csv xor --classifiers tree,knn --folds 2 --all --json --seed 3",
    "fit moons --seed 5 --max-evals 400 --neurons 2",
    "fit table.csv --label kind --ignore mass --max-evals 300",
    "run quarter --runs 4 --all --json --seed 9 --jobs 2",
    "run half --runs 3 --animate film.html",
    "reproduce --quick --runs 2 --table 1 9 10 --jobs 1 --json --out more",
]
OTHER_ALGORITHMS = [
    "cma_es:representation=cartesian --budget 300 --stagnation 50 --restarts 2",
    "differential_evolution --budget 200",
    "dual_annealing --target 0.9 --budget 200",
    "discrete_one_plus_one_es --output evolved --neurons 2 --budget 60",
    "neat:population=15 --budget 40",
    "mu_plus_one:members=3,crossover=0.5 --neurons 2 --budget 300",
    "one_comma_lambda:offspring=3 --budget 300",
    "annealing:temperature=0.2,cooling=0.9 --budget 300 --redraw-void",
]
OTHERS += [f"run quarter --runs 3 --json --all --algorithm {text}" for text in OTHER_ALGORITHMS]
SHOWN = [
    "list",
    "dataset --list",
    "compare --list",
    "run quarter --runs 7",
    "run two_quarters --neurons 3 --output evolved --runs 3 --budget 300",
    "theory local_opt --resolution 24 --mutation local",
    "compare xor --classifiers logistic,tree --folds 2 --repeats 2 --rotate",
    "campaign status some.store",
]
# Endings of the files that hold a chain.
CHAIN = ("lab", "srew", "sta", "tra", "storm.lab", "storm.rew", "storm.tra")
PICTURE = r'<(?:path|circle)[^>]*class="[^>]*>'


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
