"""Command lines of any kind end with 0 or with one line and exit code 2."""

import os
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import pytest
from hostile import TEXTS, in_time
from hypothesis import given
from hypothesis import strategies as st

from hyperna.cli import COMMANDS, build_parser, main
from hyperna.mutation import LAWS
from hyperna.network.neurons import NEURONS
from hyperna.network.outputs import OUTPUTS
from hyperna.run.relatives import RELATIVES

# Lines that work and end soon; each is changed in a few places.
LINES = [
    "run half --runs 2 --resolution 12 --budget 50",
    "run arcs --k 2 --runs 2 --resolution 12 --budget 50 --json",
    "run points.csv --label label --runs 2 --budget 20 --scale --output and",
    "run quarter --dim 3 --points 50 --sampling random --runs 2 --resolution 12 --budget 20",
    "list",
    "list --json",
    "dataset moons:n=10 -o made.csv",
    "dataset xor",
    "dataset --list --json",
    "compare xor:n=20 --classifiers tree,knn --folds 2 --repeats 1",
    "compare points.csv --label label --classifiers tree --folds 2 --repeats 1 --rotate --json",
    "fit points.csv --label label --max-terms 3 --evaluations 20 --save made.json",
    "fit xor:n=20 --ignore x1 --max-neurons 2 --output or --evaluations 20 --path 2 --json",
    "predict model.json points.csv --label label -o made.csv",
    "predict model.json points.csv --proba --column answer",
    "campaign run some.toml --store some.store",
    "campaign status some.store --json",
    "campaign export some.store csv -o made.csv",
    "report some.store -o made.html",
    "theory quarter --resolution 12 --mutation local --quantiles 0.1,0.5 --json",
    "reproduce --table 1 --quick --runs 2 --jobs 1",
]
FILES = ["points.csv", "model.json", "some.toml", "some.store", "made.csv", "."]
# What would run for long or leave this machine if it were accepted.
LEFT_OUT = {"--jobs", "--scheduler", "--backend", "--plot", "--animate", "--port"}


def options():
    """Return the options of all commands."""
    found = set()
    parsers = [build_parser()]
    for parser in parsers:
        for action in parser._actions:
            found |= set(action.option_strings)
            if isinstance(action.choices, dict):
                parsers += action.choices.values()
    return sorted(found - LEFT_OUT - {"--debug"})  # which shows tracebacks, as it should


VALUES = st.one_of(
    st.sampled_from([text for text in TEXTS if len(text) < 6000]),
    st.sampled_from([*FILES, *(name for name in COMMANDS if name not in ("play", "warmup"))]),
    st.text(max_size=8),
    st.integers(-3, 30).map(str),
)
PIECES = st.one_of(
    VALUES,
    st.sampled_from(options()),
    st.builds("{}={}".format, st.sampled_from(options()), VALUES),
)


LAW_TEXTS = st.one_of(
    st.sampled_from(sorted(LAWS)),
    st.builds(
        "{}:{}={}".format,
        st.sampled_from(sorted(LAWS)),
        st.sampled_from(["growth", "decay", "jump", "exponent", "shape", "scale"]),
        st.floats(0, 4).map("{:.3g}".format),
    ),
)
# Small resolutions are where tables are short, and where rounding leaves little.
RESOLUTIONS = st.one_of(st.integers(2, 16), st.sampled_from([120, 2049, 2**40]))


@st.composite
def runs(draw):
    """Short runs of any law at any resolution, of all algorithms and kinds of networks."""
    words = ["run", draw(st.sampled_from(["half", "quarter", "two_quarters", "cube", "arcs:k=3"]))]
    words += ["--mutation", draw(LAW_TEXTS), "--resolution", str(draw(RESOLUTIONS))]
    words += ["--runs", "2", "--budget", str(draw(st.integers(20, 60)))]
    others = {
        "--algorithm": st.sampled_from(sorted(RELATIVES)),
        "--neurons": st.sampled_from(["1", "2", "3", "9", "evolved"]),
        "--output": st.sampled_from(sorted(OUTPUTS)),
        "--neuron": st.sampled_from(sorted(NEURONS)),
        "--move": st.sampled_from(["angle", "rotation"]),
        "--dim": st.sampled_from(["2", "3", "5"]),
        "--target": st.sampled_from(["none", "0.9"]),
        "--restarts": st.sampled_from(["auto", "2"]),
        "--replace-neuron": st.just("0.3"),
        "--online": st.just("5"),
    }
    for option in draw(st.lists(st.sampled_from(sorted(others)), unique=True, max_size=4)):
        words += [option, draw(others[option])]
    for flag in draw(st.lists(st.sampled_from(["--no-bias", "--redraw-void"]), unique=True)):
        words.append(flag)
    return words


@st.composite
def command_lines(draw):
    words = draw(st.sampled_from(LINES)).split()
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(words)))
        kind = draw(st.sampled_from(["insert", "replace", "remove", "option"]))
        if kind == "insert":
            words.insert(place, draw(PIECES))
        elif kind == "option":
            words += [draw(st.sampled_from(options())), draw(VALUES)]
        elif place < len(words):
            words[place : place + 1] = [draw(PIECES)] if kind == "replace" else []
    return words


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    """Work in a folder with files of all kinds."""
    before, place = os.getcwd(), tmp_path_factory.mktemp("fuzz")
    os.chdir(place)
    (place / "some.toml").write_text('problem = "half"\nresolution = 12\nruns = 3\n')
    for line in (
        "dataset xor:n=20 -o points.csv",
        "fit points.csv --evaluations 20 --save model.json",
        "campaign run some.toml",
    ):
        assert main(line.split()) == 0
    yield
    os.chdir(before)


@pytest.mark.slow
@given(st.one_of(command_lines(), runs()))
def test_command_lines(words):
    if "play" in words or "--all" in words:
        return
    if "reproduce" in words and "--runs" not in words:
        return  # the paper's tables are the work of minutes
    out, err = StringIO(), StringIO()
    with in_time(words), redirect_stdout(out), redirect_stderr(err):
        code = main(words)
    # Where a command takes minutes, it says now and then how far it is; beside data on standard
    # output it says what they are.
    beside = " runs/s", "accuracy: ", "/dev/stdout: "
    lines = [line for line in err.getvalue().splitlines() if not any(b in line for b in beside)]
    assert code in (0, 2), (code, lines)
    assert not [name for name in os.listdir() if name.endswith(".draft")]
    assert all(line.startswith("hyperna: ") and len(line) < 1500 for line in lines), lines
    if code == 2:
        assert lines[-1].startswith("hyperna: error: "), lines
