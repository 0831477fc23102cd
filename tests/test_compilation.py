"""What `hyperna warmup` compiles: every kind of fitness and network under each law."""

from itertools import product

import pytest

from hyperna import compilation


@pytest.fixture
def asked(monkeypatch):
    """The runs that each part asks for, by its name."""
    runs = []

    def record(na, subject, **options):
        runs.append((na, subject, options))

    monkeypatch.setattr(compilation.OnePlusOneNA, "run", record)
    found = {}
    for name, _ in compilation.compile_all():
        found[name] = list(runs)
        runs.clear()
    return found


def test_every_part_runs_each_law_with_and_without_a_goal(asked):
    for runs in asked.values():
        laws = [(na.mutation.name, options["target"]) for na, _, options in runs]
        assert laws == list(product(("harmonic", "uniform", "local"), (None, False)))
        assert {(options["budget"], options["seed"]) for _, _, options in runs} == {(20, 0)}


def test_parts_differ_in_what_is_compiled(asked):
    kinds = {
        name: (type(s).__name__, s.dim, na.neurons, na.output, na.neuron, na.move, na.resolution)
        for name, ((na, s, _), *_) in asked.items()
    }
    assert kinds == {
        "circle, one or two neurons": ("ArcProblem", 2, 2, "or", "plain", "angle", 12),
        "circle, fine grid": ("ArcProblem", 2, 2, "or", "plain", "angle", 2**20),
        "circle, any network": ("ArcProblem", 2, 2, "evolved", "plain", "angle", 12),
        "circle, bent neurons": ("ArcProblem", 2, 2, "or", "bent", "angle", 12),
        "points, angles": ("FiniteSet", 3, 2, "evolved", "plain", "angle", 12),
        "points, rotations": ("FiniteSet", 3, 2, "evolved", "plain", "rotation", 12),
        "points, bent neurons": ("FiniteSet", 3, 2, "or", "bent", "angle", 12),
        "spheres, exact": ("ArcProblem", 3, 1, "or", "plain", "angle", 12),
        "spheres, exact, more neurons": ("ArcProblem", 3, 2, "or", "plain", "angle", 12),
        "online": ("Online", 2, 2, "or", "plain", "angle", 12),
    }
    (_, points, _), *_ = asked["points, angles"]
    assert points.total == 20
    assert (points.y == (points.X[:, 0] > 0)).all()
    assert 0 < points.y.sum() < 20
