"""Whole pages of findings: made-up runs, then the same with the kinds of runs exchanged."""


def made_up(cells, seed=0):
    """Runs of cells: their columns, the share that succeeds, their time and fitness."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(seed)
    parts = []
    for number, (columns, runs, succeeds, time, fitness) in enumerate(cells):
        parts.append(
            pd.DataFrame(
                {
                    **columns,
                    "success": np.arange(runs) < round(succeeds * runs),
                    "evaluations": (time * rng.uniform(0.8, 1.2, runs)).astype(int) + 1,
                    "fitness": fitness + rng.uniform(0, 1e-9, runs) * (fitness % 0.5 != 0),
                    "setting": str(number),
                },
                index=range(runs),
            )
        )
    return pd.concat(parts, ignore_index=True)


def cube_runs(few, many, joined, other, late):
    """Shares with N = D - 1, with more than D neurons, with OR and AND, and from D = 5 on."""
    cells = []

    def add(dim, output, neurons, succeeds, time=1000, budget=100_000, fitness=0.9):
        columns = {"dim": dim, "output": output, "neurons": neurons, "budget": budget}
        cells.append((columns, 20, succeeds, time, fitness))

    for dim in (2, 3, 4, 5, 6):
        add(dim, "evolved", dim - 1, few)
        add(dim, "evolved", dim, 0.5, 1000)
    add(4, "evolved", 8, many, 100 if many > 0.5 else 10_000)
    add(6, "evolved", 12, many)
    for output, succeeds in (("or", joined), ("and", other)):
        add(3, output, 4, succeeds)
        add(4, output, 8, succeeds)
        add(5, output, 16, late)
    add(6, "or", 32, late, fitness=0.9 if late else 0.5)
    add(7, "evolved", 21, 1.0, budget=500_000)
    return made_up(cells)


def test_the_page_on_cubes_follows_its_runs(claims):
    from pages.cube import findings

    text = findings(cube_runs(few=0, many=1, joined=0.5, other=0.5, late=0))
    assert "With N = D - 1 no run succeeded at D = 2, 3, 4, 5 and 6" in text
    assert "N = 8 is faster than N = 4" in text
    assert "N = 12 succeeds more often than N = 6" in text
    assert "OR and AND do not differ significantly in their shares of successes (" in text
    assert "from D = 5 on: no run succeeded at D = 5 and 6" in text
    assert "20 of 20 runs at D = 6, N = 32 ended on it" in text
    flipped = findings(cube_runs(few=0.5, many=0, joined=1, other=0, late=0.5))
    assert "With N = D - 1 some runs succeeded at D = 2, 3, 4, 5 and 6" in flipped
    assert "N = 8 is slower than N = 4" in flipped
    assert "N = 12 succeeds less often than N = 6" in flipped
    assert "OR and AND differ significantly in their shares of successes at D = 3, N = 4" in flipped
    assert "from D = 5 on: some runs succeeded at D = 5 and 6" in flipped
    assert "0 of 20 runs at D = 6, N = 32 ended on it" in flipped


def dimension_runs(grid, sphere, both, union, evolved):
    cells = []
    for name in ("half", "quarter", "two_quarters", "local_opt"):
        for dim in (2, 3, 4, 8, 16, 32, 64):
            for output in ("or",) if name == "half" else ("or", "and", "evolved"):
                for init in ("grid", "sphere"):
                    succeeds = {"or": union, "and": both, "evolved": evolved}[output]
                    if name == "half":
                        succeeds = 1.0 if dim < 16 else {"grid": grid, "sphere": sphere}[init]
                    columns = {"problem": name, "dim": dim, "output": output, "init": init}
                    cells.append((columns, 10, succeeds, 100, 0.8))
    return made_up(cells)


def fresh_runs(learnt, gap):
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(1)
    rows = [
        {"problem": name, "dim": dim, "constant": 0.5, "noise": rng.normal(0, 0.01)}
        for name in ("half", "quarter", "two_quarters", "local_opt")
        for dim in (3, 16, 64)
        for _ in range(8)
    ]
    frame = pd.DataFrame(rows)
    frame["fresh"] = 0.5 + learnt + frame.noise
    frame["fitness"] = frame.fresh + gap * np.log(frame.dim) + rng.normal(0, 0.001, len(frame))
    return frame


def test_the_page_on_dimensions_follows_its_runs(claims):
    from pages.dimensions import findings

    text = findings(dimension_runs(0, 1, 1, 0, 0), fresh_runs(0.2, 0.01))
    assert "up to D = 8 from the grid and up to D = 64 from the sphere" in text
    assert "the sphere succeeds more often than the grid" in text
    assert "AND succeeds more often than OR" in text
    assert "With OR, no run succeeded at D = 3, 4, 8, 16, 32 and 64" in text
    assert "on HALF, significantly above that of a constant answer at D = 16 and 64 (one" in text
    assert "the difference grows with D" in text
    flipped = findings(dimension_runs(1, 0, 0, 1, 1), fresh_runs(-0.1, -0.01))
    assert "up to D = 64 from the grid and up to D = 8 from the sphere" in flipped
    assert "the sphere succeeds less often than the grid" in flipped
    assert "AND succeeds less often than OR" in flipped
    assert "With OR, all runs succeeded at D = 3, 4, 8, 16, 32 and 64" in flipped
    assert "on HALF, not significantly above that of a constant answer at D = 16" in flipped
    assert "the difference falls with D" in flipped
    even = findings(dimension_runs(0.5, 0.5, 0.5, 0.5, 0.5), fresh_runs(0.2, 0.0))
    assert "the sphere and the grid are not distinguishable" in even
    assert "the difference does not change significantly with D" in even


def outputs_groups(fast, slow):
    """Runs where the kind `fast` is fast and succeeds, and `slow` does the opposite."""

    def groups(*keys_and_values):
        from itertools import product

        names, values = zip(*keys_and_values, strict=True)
        cells = []
        for key in product(*values):
            good = 1.0 if fast in key else 0.0 if slow in key else 0.5
            time = 10 if fast in key else 1000
            cells.append((dict(zip(names, key, strict=True)), 30, good, time, 0.8))
        frame = made_up(cells)
        return dict(list(frame.groupby(list(names)))), frame

    return groups


def test_the_page_on_outputs_follows_its_runs(claims):
    from pages.outputs import AGAIN, ONCE, in_the_plane, on_all_spheres, on_arcs, on_cubes

    all_of = ["or", "and", "evolved", "xor"]
    for fast, slow, word, more in (
        ("xor", "or", "faster", "more"),
        ("or", "xor", "slower", "less"),
    ):
        groups = outputs_groups(fast, slow)
        plane, frame = groups(
            ("mutation", ["harmonic", "local"]), ("resolution", [120, 1920]), ("output", all_of)
        )
        xor = frame[frame.output == "xor"]
        text = in_the_plane(plane, xor)
        assert f"{xor.success.sum()} of {len(xor)} runs of XOR succeeded" in text
        assert f"XOR is {word} than OR at r = 120 and 1,920" in text
        assert f"XOR succeeds {more} often than OR" in text
        arcs, _ = groups(("start", [ONCE, AGAIN]), ("k", [2, 3]), ("output", all_of))
        assert f"one start: XOR is {word} than OR at k = 2 and 3" in on_arcs(arcs)
        other = "less" if fast == "or" else "more"
        assert f"the evolved output succeeds {other} often than OR at k = 2" in on_arcs(arcs)
        cube, _ = groups(("dim", [3]), ("neurons", [3, 5]), ("output", ["evolved", "xor"]))
        expected = "faster" if fast == "xor" else "slower"
        assert f"XOR is {expected} than the evolved output at D = 3, N = 3 and 5" in on_cubes(cube)
        sphere, _ = groups(
            ("start", [ONCE, AGAIN]), ("dim", [3, 5]), ("init", ["grid"]), ("output", ["or", "xor"])
        )
        quarter, _ = groups(("dim", [3, 5]), ("output", all_of))
        ends = xor.assign(cosine=0.99)
        text = on_all_spheres(sphere, quarter, ends)
        tried = "no run succeeded" if slow == "or" else "all runs succeeded"
        assert f"with OR or an evolved output {tried} at D = 3 and 5" in text
        assert f"XOR succeeds {more} often than OR at D = 3 and 5" in text


LAWS = (
    "harmonic",
    *(f"pareto:shape={shape},scale=1.0" for shape in (0.25, 0.5, 1.0, 2.0)),
    *(f"cauchy:scale={scale}" for scale in (1.0, 10.0)),
    *(f"exponential:scale={scale}" for scale in (10.0, 100.0)),
)


def test_the_page_on_heavy_tails_follows_its_runs(claims):
    from pages.heavy_tails import findings

    def page(heavy, light, fine):
        """Times of the heavy laws and of the light ones, and what these cost on the finer grid."""
        cells, ratios = [], {}
        for name in ("quarter", "local_opt", "two_quarters"):
            for r in (120, 1200):
                for law in LAWS:
                    is_heavy = law in LAWS[1:3]
                    time = heavy if is_heavy else light * (fine if r == 1200 else 1)
                    if law == "harmonic":
                        time = 100
                    succeeds = 1.0 if time <= 100 else 0.5
                    columns = {"problem": name, "resolution": r, "mutation": law}
                    cells.append((columns, 40, succeeds, time, 0.7))
                    ratios[name, r, law] = time / 100
        return findings(made_up(cells), ratios)

    text = page(heavy=100, light=1000, fine=3)
    assert "Shapes 0.25 and 0.5 come closest" in text
    assert text.count("more on the finer grid") == 2
    assert "their search is slower than harmonic search at LOCALOPT, r = 120" in text
    assert "no law succeeds significantly more often than harmonic" in text
    flipped = page(heavy=5000, light=10, fine=0.3)
    assert "Shapes 1 and 2 come closest" in flipped
    assert text.count("less on the finer grid") == 0
    assert flipped.count("less on the finer grid") == 2
    assert "their search is faster than harmonic search at LOCALOPT, r = 120" in flipped
    assert "shape 0.25 succeeds less often than harmonic" in flipped


def test_the_pages_on_bent_neurons_fresh_points_and_spheres_follow_their_runs(claims):
    from pages.bent import findings as bent
    from pages.online import findings as online
    from pages.spheres import findings as spheres

    def cell(succeeds, time, **columns):
        return made_up([(columns, 40, succeeds, time, 0.8)])

    def bent_page(bent_time, bent_share):
        def at(name, mutation, r, neuron, bias):
            return cell(*((bent_share, bent_time) if neuron == "bent" else (0.5, 100)))

        return bent(at, {"half": 50.0, "quarter": 50.0})

    assert "a bent neuron without bias is slower than a plain one" in bent_page(1000, 0.5)
    assert "a bent neuron without bias is faster than a plain one" in bent_page(10, 1.0)
    assert "bent without bias succeeds more often than plain with bias" in bent_page(100, 1.0)
    assert "bent without bias succeeds less often than plain with bias" in bent_page(100, 0.0)

    def online_page(once, many):
        cells = {}
        for name in ("half", "quarter"):
            cells[name, None, False] = cell(1.0, 100)
            for m in (1, 100, 1000):
                cells[name, m, False] = cell(1.0, many if m == 1000 else 100)
                cells[name, m, True] = cell(1.0, once)
        return online(cells)

    assert "on HALF 1,000 points is slower than the exact fitness" in online_page(10, 1000)
    assert "on HALF 1,000 points is faster than the exact fitness" in online_page(10, 10)
    assert "on QUARTER a parent judged once is slower than one judged" in online_page(1000, 10)
    assert "on QUARTER a parent judged once is faster than one judged" in online_page(10, 10)

    def sphere_page(shares):
        cells = [
            ({"problem": "half", "init": init, "dim": dim}, 40, succeeds, 10, 0.8)
            for init in ("grid", "sphere")
            for dim, succeeds in zip((8, 16, 32, 64), shares, strict=True)
        ]
        return spheres(made_up(cells))

    assert sphere_page((1, 0.6, 0.3, 0)).count("falls from 40/40 at D = 8 to 0/40") == 2
    assert sphere_page((0, 0.3, 0.6, 1)).count("rises from 0/40 at D = 8 to 40/40") == 2
