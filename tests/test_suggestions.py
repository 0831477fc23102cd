"""A name that is nearly right is answered with the right one, at the end of the usual message."""

import pytest
from commands import refusal

from hyperna import OnePlusOneNA, problem
from hyperna._validation import check_choice
from hyperna.baselines import baseline
from hyperna.datasets import dataset, load
from hyperna.experiments.campaign import Campaign


@pytest.mark.parametrize(
    ("argv", "begin", "meant"),
    [
        (("runn", "half"), "argument COMMAND: invalid choice: 'runn' (choose from", "run"),
        (("campaign", "stauts", "x"), "argument ACTION: invalid choice: 'stauts'", "status"),
        (("campaign", "export", "x", "cvs", "-o", "y"), "argument format: invalid", "csv"),
        (("run", "half", "--output", "evolve"), "argument --output: invalid choice", "evolved"),
        (("run", "half", "--resolutoin", "9"), "unrecognized arguments: --res", "--resolution"),
        (("run", "half", "--resolutoin=9"), "unrecognized arguments: --res", "--resolution"),
        (("fit", "moons", "--neurns", "9"), "unrecognized arguments: --neurns 9", "--max-neurons"),
        (("run", "hlaf"), "problem must be one of 'half', 'quarter',", "half"),
        (("run", "quater:dim=3"), "problem must be one of 'half', 'quarter',", "quarter"),
        (
            ("run", "half", "--mutation", "harmnic"),
            "mutation must be one of adaptive, cauchy,",
            "harmonic",
        ),
        (("dataset", "mons"), "data set must be one of cube, sphere,", "moons"),
        (("dataset", "moons:nose=1"), "data set 'moons' has no parameter 'nose'", "noise"),
        (("fit", "circle"), "data must be a CSV file, sklearn:NAME, a problem (", "circles"),
        (("fit", "sklearn:irs"), "sklearn data set must be one of ", "iris"),
        (("compare", "xor", "--classifiers", "tre"), "classifiers must be one of 'na',", "tree"),
        (("reproduce", "--table", "baseline"), "argument --table: must be 1 to 10", "baselines"),
    ],
)
def test_the_command_line_names_what_is_near(capsys, argv, begin, meant):
    message = refusal(capsys, *argv).removeprefix("hyperna: error: ")
    assert message.startswith(begin)
    assert message.endswith(f"; did you mean {meant!r}?\n")


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda: problem("two_quarter"), "two_quarters"),
        (lambda: OnePlusOneNA(mutation="paretto:shape=2"), "pareto"),
        (lambda: OnePlusOneNA(init="spere"), "sphere"),
        (lambda: dataset("mons:n=10"), "moons"),
        (lambda: load("cube_d33"), "cube_d3"),
        (lambda: baseline("cmaes"), "cma_es"),
        (lambda: baseline("cma_es", sigm=1), "sigma"),
        (lambda: Campaign.from_dict({"problem": "hlf"}), "half"),
        (lambda: Campaign.from_dict({"problem": "half", "resolutoin": 9}), "resolution"),
        (lambda: Campaign.from_dict({"problem": "half", "rnus": 3}), "runs"),
        (lambda: Campaign.from_dict({"setings": [{"problem": "half"}]}), "settings"),
        (lambda: Campaign.from_dict({"problem": "half", "output": "orr"}), "or"),
        (lambda: Campaign.from_dict({"problem": "half", "algorithm": "cma_ess"}), "cma_es"),
    ],
)
def test_the_library_names_what_is_near(call, meant):
    with pytest.raises(ValueError, match=rf"; did you mean '{meant}'\?$"):
        call()


def test_nothing_is_guessed_from_afar(capsys):
    assert "did you mean" not in refusal(capsys, "run", "zzz")
    assert "did you mean" not in refusal(capsys, "zzz")
    assert refusal(capsys, "run", "half", "--colour", "red").endswith(": --colour red\n")
    with pytest.raises(ValueError, match=r"got 'zzz'$"):
        check_choice("output", "zzz", ("or", "and"))
    with pytest.raises(TypeError, match=r"got None$"):
        check_choice("output", None, ("or", "and"))


@pytest.mark.parametrize(
    ("argv", "meant"),
    [
        (("run", "half", "--members", "5"), ["mu_plus_one:members=10"]),
        (
            ("theory", "half", "--offspring=5"),
            ["one_plus_lambda:offspring=10", "one_comma_lambda:offspring=10"],
        ),
        (("run", "half", "--crossover", "1"), ["mu_plus_one:crossover=0.0"]),
        (("run", "half", "--population", "1"), ["neat:population=150"]),
    ],
)
def test_a_parameter_of_an_algorithm_is_no_option_and_its_place_is_told(capsys, argv, meant):
    message = refusal(capsys, *argv).strip()
    assert f"unrecognized arguments: {argv[2]}" in message
    assert message.endswith(f"--algorithm {' or --algorithm '.join(meant)}")


def test_no_algorithm_without_a_chain_is_advised_for_exact_runtimes(capsys):
    message = refusal(capsys, "theory", "half", "--members", "5")
    assert "unrecognized arguments: --members 5" in message
    assert "mu_plus_one" not in message
