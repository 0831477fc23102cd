"""Run the (1+1) NA on a problem many times and sum up how it went.

For example:
  hyperna run two_quarters --resolution 1200 --plot two_quarters.png
  hyperna run half --mutation local --no-bias --runs 1000 --jobs 2 --json
  hyperna run arcs --arcs 0-90,180-270 --neurons 2 --mutation pareto:shape=1.5
  hyperna run points.csv --label class --neurons 3 --output and --budget 100000
"""

import argparse
from pathlib import Path
from typing import Any

from hyperna._words import did_you_mean
from hyperna.cli.options import check_picture, integer, parse_arcs, real
from hyperna.outputs import OUTPUTS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "problem", metavar="PROBLEM", help="a name from 'hyperna list', or a CSV file of points"
    )
    _add_problem_options(parser.add_argument_group("problem"))
    _add_network_options(parser.add_argument_group("network"))
    _add_algorithm_options(parser.add_argument_group("algorithm"))
    _add_run_options(parser.add_argument_group("runs"))
    _add_report_options(parser.add_argument_group("report"))


def _add_problem_options(group: Any) -> None:
    group.add_argument("--dim", type=integer(1), help="dimension D (default: the problem's)")
    group.add_argument("--k", type=integer(1), help="number of arcs of the problem 'arcs'")
    group.add_argument("--arcs", metavar="A-B,...", help="your own arcs in degrees, for 'arcs'")
    group.add_argument(
        "--label", metavar="COLUMN", help="label column of a CSV file (default: last)"
    )
    group.add_argument("--weight", metavar="COLUMN", help="weight column of a CSV file")
    group.add_argument(
        "--scale",
        action="store_true",
        default=None,
        help="move a CSV file's points into the unit ball",
    )
    group.add_argument("--points", type=integer(1), help="points on the sphere for D > 2")
    group.add_argument(
        "--sampling",
        choices=("sobol", "random", "even"),
        help="how they are placed (default: sobol)",
    )


def _add_network_options(group: Any) -> None:
    group.add_argument(
        "--neurons", type=integer(1), help="hidden neurons N (default: the problem's)"
    )
    group.add_argument("--output", choices=OUTPUTS, default="or", help="default: or")
    group.add_argument(
        "--resolution", type=integer(2, 2**40), default=120, help="grid resolution r (default: 120)"
    )


def _add_algorithm_options(group: Any) -> None:
    group.add_argument(
        "--mutation",
        default="harmonic",
        metavar="LAW",
        help="a law from 'hyperna list', or with parameters: pareto:shape=1.5 (default: harmonic)",
    )
    group.add_argument("--no-bias", action="store_true", help="fix every bias at 0")
    group.add_argument(
        "--redraw-void", action="store_true", help="draw again when nothing was mutated"
    )
    group.add_argument(
        "--mutation-probability",
        type=real(0, 1, low_open=True),
        metavar="P",
        help="of each component (default: 1 / number of components)",
    )
    group.add_argument("--init", choices=("grid", "sphere"), default="grid", help="default: grid")


def _add_run_options(group: Any) -> None:
    group.add_argument("--runs", type=integer(1), default=100, help="default: 100")
    group.add_argument("--seed", type=integer(0), default=0, help="default: 0")
    group.add_argument(
        "--jobs", type=integer(-1), default=1, help="workers, -1 for all cores (default: 1)"
    )
    group.add_argument(
        "--budget", type=integer(1), help="evaluations per run (default: 100 r ln r)"
    )
    group.add_argument(
        "--stagnation", type=integer(1), help="stop after so many evaluations without improvement"
    )
    group.add_argument(
        "--target",
        type=real(0, 1),
        metavar="FITNESS",
        help="fitness that counts as success (default: the optimum, where it is known)",
    )
    group.add_argument("--restarts", type=integer(0), default=0, help="within a run (default: 0)")


def _add_report_options(group: Any) -> None:
    group.add_argument("--json", action="store_true", help="print one JSON object, no table")
    group.add_argument(
        "--all", action="store_true", help="with every run's evaluations (needs --json)"
    )
    group.add_argument("--plot", metavar="FILE", help="write a picture (.png, .pdf or .svg)")


def run(args: argparse.Namespace) -> int:
    """Run the batch and report it."""
    if args.all and not args.json:
        raise ValueError("--all lists every run and needs --json")
    picture = check_picture(args.plot) if args.plot else None

    from hyperna.cli import summary
    from hyperna.cli.progress import progress_bar

    problem = make_problem(args)
    algorithm = make_algorithm(args, problem)
    fitness = make_fitness(args, problem)
    limits = {
        "budget": args.budget,
        "stagnation": args.stagnation,
        "target": args.target,
        "restarts": args.restarts,
    }
    with progress_bar(args.runs) as (say, progress):
        # One tiny batch compiles what a first use must compile, which takes seconds.
        say("compiling (first use only)")
        algorithm.run_many(fitness, runs=1, **{**limits, "budget": 1}, seed=args.seed)
        say("running")
        runs = algorithm.run_many(
            fitness, runs=args.runs, **limits, seed=args.seed, n_jobs=args.jobs, progress=progress
        )
        say("summing up")
        found = summary.summarise(args, problem, algorithm, runs)
    if picture is not None:
        summary.save_picture(picture, problem, runs)
    if args.json:
        summary.print_json(found, runs if args.all else None)
    else:
        summary.print_table(found, picture)
    return 0


def make_problem(args: argparse.Namespace) -> Any:
    """Return the problem that the options describe."""
    from hyperna.problems import PROBLEMS, custom_arcs, problem, read_csv

    name = args.problem
    is_file = name not in PROBLEMS and name.partition(":")[0] not in PROBLEMS
    if is_file:
        if not (name.lower().endswith(".csv") or Path(name).exists()):
            known = ", ".join(PROBLEMS)
            hint = did_you_mean(name.partition(":")[0], PROBLEMS)
            raise ValueError(f"problem must be one of {known} or a CSV file, got {name!r}{hint}")
        _refuse(args, "a CSV file", "k", "arcs", "points", "sampling")
        made: Any = read_csv(name, label=args.label, weight=args.weight, scale=bool(args.scale))
        if args.dim not in (None, made.dim):
            raise ValueError(f"--dim is {args.dim}, but {name} has {made.dim} features a row")
        return made
    _refuse(args, f"problem {name!r}", "label", "weight", "scale")
    parameters = {} if args.dim is None else {"dim": args.dim}
    if name == "arcs" and args.k is None and args.arcs is None:
        raise ValueError("problem 'arcs' needs --k NUMBER or --arcs A-B,...")
    if args.arcs is not None:
        if name != "arcs" or args.k is not None:
            raise ValueError("--arcs describes the problem 'arcs' and goes without --k")
        arcs: Any = parse_arcs(args.arcs)  # exact fractions, which count as floats but are not
        return custom_arcs(arcs, unit="degree", **parameters)
    if args.k is not None:
        parameters["k"] = args.k
    return problem(name, **parameters)


def _refuse(args: argparse.Namespace, what: str, *options: str) -> None:
    for option in options:
        if getattr(args, option) is not None:
            raise ValueError(f"--{option} does not apply to {what}")


def make_algorithm(args: argparse.Namespace, problem: Any) -> Any:
    """Return the algorithm that the options describe."""
    from hyperna.algorithm import OnePlusOneNA

    return OnePlusOneNA(
        neurons=args.neurons or problem.default_neurons,
        output=args.output,
        resolution=args.resolution,
        mutation=args.mutation,
        bias=not args.no_bias,
        redraw_void=args.redraw_void,
        mutation_probability=args.mutation_probability,
        init=args.init,
    )


def make_fitness(args: argparse.Namespace, problem: Any) -> Any:
    """Return the fitness: exact where there is an exact one, else on points of the sphere."""
    from hyperna.fitness import fitness_of
    from hyperna.problems import PointProblem

    if isinstance(problem, PointProblem):
        _refuse(args, "a set of points", "points", "sampling")
    options = {"n": args.points, "method": args.sampling}
    return fitness_of(problem, **{key: v for key, v in options.items() if v is not None})
