"""Sentences of the pages of findings follow the data: other data, another sentence."""


def test_overlapping_shares_are_not_told_apart_and_far_ones_are(claims):
    assert "not distinguishable" in claims.compared("a", (89, 100), "b", (91, 100))
    assert "a succeeds more often than b" in claims.compared("a", (392, 400), "b", (320, 400))
    assert "a succeeds less often than b" in claims.compared("a", (320, 400), "b", (392, 400))


def test_laws_that_are_better_are_named(claims):
    base, others = (320, 400), {"uniform": (392, 400), "local": (10, 400), "pareto": (322, 400)}
    text = claims.better_than("harmonic", base, others)
    assert "uniform (392/400" in text
    assert "pareto" not in text
    assert "local" not in text
    flipped = claims.better_than("harmonic", (392, 400), {"uniform": base})
    assert flipped.startswith("no law succeeds significantly more often than harmonic")


def test_a_step_against_the_trend_is_said(claims):
    keys = [2, 3, 4, 5, 10]
    falling = [(85, 100), (67, 100), (38, 100), (29, 100), (4, 100)]
    assert claims.trend("k", keys, falling).endswith("at every step")
    wavy = [(85, 100), (67, 100), (29, 100), (38, 100), (4, 100)]
    assert "but not from k = 4 to 5 (29/100 and 38/100" in claims.trend("k", keys, wavy)
    assert "rises from" in claims.trend("k", keys, falling[::-1])
    flat = [(50, 100)] * 5
    assert "does not change" in claims.trend("k", keys, flat)
    assert claims.sentence("so it is") == "So it is."


def test_the_sentence_about_two_kinds_of_runs_follows_their_times(claims):
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)

    def runs(scale, failed=0):
        times = rng.exponential(scale, 100)
        return pd.DataFrame({"evaluations": times, "success": np.arange(100) >= failed})

    pairs = {4: (runs(10), runs(1000)), 8: (runs(1000), runs(10)), 16: (runs(100), runs(100))}
    text = claims.quicker("rotations", "angles", "D", pairs)
    assert text.startswith("rotations are quicker than angles at D = 4 (p ≤")
    assert ", slower at D = 8 (p ≤" in text
    assert text.endswith("not distinguishable at D = 16")
    swapped = claims.quicker("rotations", "angles", "D", {4: pairs[8], 8: pairs[4]})
    assert swapped.startswith("rotations are quicker than angles at D = 8")
    same = claims.quicker("rotations", "angles", "D", {16: pairs[16]})
    assert same == "rotations and angles are not distinguishable at any D"
    lost = claims.quicker("rotations", "angles", "D", {2: (runs(1, failed=90), runs(1000))})
    assert "slower than angles at D = 2" in lost


def test_the_sentence_about_several_cells_names_both_kinds(claims):
    import pandas as pd

    quick, slow = (
        pd.DataFrame({"evaluations": range(low, low + 50), "success": True}) for low in (1, 100)
    )
    same = claims.faster_in("Cauchy", "Pareto", {"r = 4": (quick, quick), "r = 8": (slow, slow)})
    assert same.startswith("Cauchy is not distinguishable from Pareto at r = 4 and 8 (Mann")
    mixed = claims.faster_in("Cauchy", "Pareto", {"r = 4": (quick, slow), "r = 8": (slow, slow)})
    assert mixed.startswith("Cauchy is faster than Pareto at r = 4; not distinguishable at r = 8")
    flipped = claims.faster_in("Cauchy", "Pareto", {"r = 4": (slow, quick)})
    assert flipped.startswith("Cauchy is slower than Pareto at r = 4 (Mann")


def test_the_sentence_about_fitness_follows_it(claims):
    import numpy as np

    low, high = np.linspace(0.7, 0.75, 20), np.linspace(0.76, 0.8, 20)
    text = claims.higher("rotations", "angles", "D", {16: (high, low), 4: (low, low)})
    assert text.startswith("rotations reach a higher fitness than angles at D = 16 (p ≤")
    assert text.endswith("not distinguishable at D = 4")
    worse = claims.higher("rotations", "angles", "D", {16: (low, high)})
    assert worse.startswith("rotations reach a lower fitness than angles at D = 16")


def test_the_sizes_of_solved_runs_are_counted(claims):
    import pandas as pd
    from pages.topology import sizes

    runs = pd.DataFrame({"success": [True, True, False], "neurons_used": [3, 4, 9]})
    assert sizes(runs, 3).endswith("; 1 of 2 with 3")
    assert sizes(runs, 4).endswith("; 1 of 2 with 4")
    assert sizes(runs[~runs.success], 3) == "–"


def test_the_sentences_about_neat_count_what_is_solved_within_its_budget(claims):
    import pandas as pd
    from pages.topology import beside_neat

    def runs(solved, evaluations):
        cell = {"case": "ARCS(2)", "output": "evolved", "budget": 1000, "evaluations": evaluations}
        return pd.DataFrame([{**cell, "success": i < solved} for i in range(40)])

    [better] = beside_neat(runs(40, 900), runs(5, 900))
    assert better.startswith("ARCS(2), within 1,000 evaluations: an evolved number")
    assert "succeeds more often than NEAT (40/40 vs. 5/40" in better
    [late] = beside_neat(runs(40, 5000), runs(5, 900))
    assert "succeeds less often than NEAT (0/40 vs. 5/40" in late or "not distinguishable" in late
    [same] = beside_neat(runs(5, 900), runs(5, 900))
    assert "not distinguishable" in same


def test_the_sentence_about_a_theorem_follows_the_exponent(claims):
    import numpy as np
    import pandas as pd
    from pages.theorems import growth

    rng = np.random.default_rng(0)

    def runs(power):
        sizes = [2**k for k in range(6, 41, 4)]
        return {
            r: pd.DataFrame(
                {"evaluations": rng.normal(np.log(r) ** power, 0.3 * np.log(r) ** power, 2000)}
            ).assign(success=True)
            for r in sizes
        }

    assert "compatible with the theorem's 2" in growth(runs(2), "polylog", 2)[-1]
    assert "below the theorem's 3" in growth(runs(2), "polylog", 3)[-1]
    assert "above the theorem's 2" in growth(runs(4), "polylog", 2)[-1]


def test_sentences_about_constant_probabilities_follow_the_runs(claims):
    import numpy as np
    import pandas as pd
    from pages.theorems import quick_growth, stuck_sentence

    rng = np.random.default_rng(0)

    def runs(time, sizes=(64, 128, 256, 512, 1024, 2048)):
        return {
            r: pd.DataFrame({"evaluations": rng.gamma(25, time(r) / 25, 1000)}).assign(
                success=rng.random(1000) < 0.6, fitness=np.where(rng.random(1000) < 0.5, 0.6, 0.75)
            )
            for r in sizes
        }

    def exponent(groups, law, power):
        return quick_growth(groups, law, power)[-1]

    assert "compatible with the theorem's 1" in exponent(runs(lambda r: r), "power", 1)
    assert "above the theorem's 1" in exponent(runs(lambda r: r**2), "power", 1)
    assert "below the theorem's 1" in exponent(runs(lambda r: 30 * r**0.3), "power", 1)
    # lower-order terms do not pass for a smaller exponent
    far = [2**k for k in range(6, 41, 4)]
    squared = runs(lambda r: 1.6 * np.log(r) ** 2 + 20 * np.log(r), far)
    assert "compatible with the theorem's 2" in exponent(squared, "polylog", 2)
    assert "below the theorem's 3" in exponent(squared, "polylog", 3)
    assert "their probability is above 0.4" in stuck_sentence(runs(float))
    free = {r: part.assign(fitness=0.75) for r, part in runs(float).items()}
    assert "no constant share of them is seen" in stuck_sentence(free)
