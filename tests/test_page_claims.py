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
    rising = claims.trend("k", keys, falling[::-1])
    assert "rises from 4/100 at k = 2 to 85/100 at k = 10" in rising
    assert rising.endswith("at every step")
    assert "but not from k = 3 to 4 (38/100 and 29/100" in claims.trend("k", keys, wavy[::-1])
    noise = [(50, 100), (48, 100), (53, 100), (51, 100), (49, 100)]
    assert "does not change significantly" in claims.trend("k", keys, noise)
    assert claims.sentence("so it is") == "So it is."


def test_a_trend_with_ties_is_not_said_to_hold_at_every_step(claims):
    """Shares of 100, 100 and 100 in a hundred, and then fewer."""
    text = claims.trend("D", [8, 16, 24, 64], [(100, 100), (100, 100), (100, 100), (0, 100)])
    assert "falls from 100/100 at D = 8 to 0/100 at D = 64" in text
    assert "every step" not in text
    assert text.endswith("it is the same from D = 8 to 16, 16 to 24")
    same = claims.trend("D", [8, 16, 24], [(100, 100)] * 3)
    assert same == "the share of successes is the same at all D: 100/100 at D = 8"


def test_a_trend_sees_a_change_in_the_middle(claims):
    """35, 91, 65, ... 41 of 400: the ends are alike, the middle is not (p = 3e-8 over all)."""
    keys = [64, 96, 128, 192, 256, 384, 768, 1536]
    counts = [35, 91, 65, 55, 47, 42, 50, 41]
    text = claims.trend("r", keys, [(count, 400) for count in counts])
    assert "does not change" not in text
    assert text.startswith("the share of successes changes with r (chi-square test over 8 r: p = 3")
    assert "not significantly from 35/400 at r = 64 to 41/400 at r = 1,536" in text
    assert "lowest with 35/400 at r = 64 and highest with 91/400 at r = 96" in text


def test_a_trend_of_one_cell_is_none(claims):
    text = claims.trend("D", [8], [(90, 100)])
    assert text == "the share of successes is 90/100 at D = 8, the only D that was run"


def test_a_bound_for_all_cells_holds_for_all_of_them_together(claims):
    """Ten cells of probability 0.3: the bound is above one of them in at most 5 % of samples."""
    import numpy as np

    rng = np.random.default_rng(0)
    wrong = sum(
        claims.least_share([(int(k), 400) for k in rng.binomial(400, 0.3, 10)]) > 0.3
        for _ in range(400)
    )
    assert wrong <= 400 * 0.05
    assert claims.least_share([(30, 100)]) > claims.least_share([(30, 100), (30, 100)])


def test_a_quantity_that_changes_in_the_middle_only_is_said_to_change(claims):
    import numpy as np

    rng = np.random.default_rng(0)

    def values(*means):
        keys = np.repeat(2 ** np.arange(2, 2 + len(means)), 20)
        return keys, rng.normal(np.repeat(means, 20), 0.1)

    assert "the gap grows with D (Spearman" in claims.rises("the gap", *values(0, 1, 2))
    assert "the gap falls with D (Spearman" in claims.rises("the gap", *values(2, 1, 0))
    middle = claims.rises("the gap", *values(0, 1, 0))
    assert middle.startswith("the gap changes with D, but neither rises nor falls throughout")
    assert "does not change significantly" in claims.rises("the gap", *values(0, 0, 0))
    assert claims.rises("the gap", [4, 8], [0.5, 0.5]) == "the gap is the same at all D"
    assert claims.rises("the gap", [4, 4], [0.5, 0.6]) == "the gap was measured at D = 4 only"


def test_three_values_in_a_row_prove_no_trend(claims):
    """Of six orders of three values two are in a row; of 120 orders of five also two."""
    assert "does not change significantly" in claims.rises("it", [3, 4, 5], [0.1, 0.2, 0.3])
    assert "grows with D" in claims.rises("it", [3, 4, 5, 6, 7], [0.1, 0.2, 0.3, 0.4, 0.5])
    assert claims.rank_correlation([3, 4, 5], [0.3, 0.2, 0.1]) == (-1.0, 2 / 6)


def test_shares_in_several_cells_are_compared_with_holm_s_correction(claims):
    pairs = {"k = 2": ((95, 100), (40, 100)), "k = 3": ((40, 100), (95, 100))}
    text = claims.succeeds_in("XOR", "OR", {**pairs, "k = 4": ((50, 100), (50, 100))})
    assert text == (
        "XOR succeeds more often than OR at k = 2, and succeeds less often than OR at k = 3, "
        "and is not distinguishable at k = 4 (Fisher's test, Holm)"
    )
    # p = 0.036 alone, which eight tests make likely
    chance = {f"k = {k}": ((58, 100), (42, 100)) for k in range(2, 10)}
    assert "XOR is not distinguishable from OR at k = 2" in claims.succeeds_in("XOR", "OR", chance)
    one = claims.succeeds_in("XOR", "OR", {"k = 2": ((58, 100), (42, 100))})
    assert one == "XOR succeeds more often than OR at k = 2 (Fisher's test, Holm)"


def test_equal_times_and_fitness_are_not_distinguishable(claims):
    """Every run the same, every run failed, one run in each cell: no test tells, none fails."""
    import pandas as pd

    same = pd.DataFrame({"evaluations": [7] * 20, "success": [True] * 20})
    failed = same.assign(success=False)
    single = same.iloc[:1]
    for part in (same, failed, single):
        assert "not distinguishable (p = 1)" in claims.faster("a", part, "b", part)
        assert "not distinguishable at any D" in claims.quicker("a", "b", "D", {4: (part, part)})
        assert "not distinguishable from b at D = 4" in claims.faster_in(
            "a", "b", {"D = 4": (part, part)}
        )
    text = claims.higher("a", "b", "D", {4: ([0.5] * 9, [0.5] * 9)})
    assert text == "a and b are not distinguishable at any D"
    assert "in 1 cell, Holm: the smallest p is 1" in claims.told_apart(
        "a", "b", {"D = 4": (same, same)}
    )


def test_cells_in_which_all_some_or_none_succeeded(claims):
    import pandas as pd

    cells = {
        f"D = {dim}": pd.DataFrame({"success": [i < good for i in range(4)]})
        for dim, good in ((2, 4), (3, 2), (4, 0), (5, 4))
    }
    assert (
        claims.succeeded_in(cells)
        == "all runs succeeded at D = 2 and 5, some at D = 3, none at D = 4"
    )
    assert claims.succeeded_in({"D = 3": cells["D = 3"]}) == "some runs succeeded at D = 3"
    assert claims.succeeded_in({"D = 4": cells["D = 4"]}) == "no run succeeded at D = 4"


def test_one_network_above_a_constant_answer_proves_nothing(claims):
    import numpy as np

    text = claims.above_constant({"D = 4": (np.array([0.9]), 0.75)})
    assert text.startswith("not significantly above")
    assert claims.above_constant({"D = 4": (np.full(8, 0.9), 0.75)}).startswith(
        "significantly above"
    )
    assert claims.above_constant({"D = 4": (np.full(8, 0.75), 0.75)}).startswith("not")


def test_the_cost_of_a_finer_grid(claims):
    import pandas as pd

    def runs(time):
        return pd.DataFrame({"evaluations": [time, time + 1] * 20, "success": True})

    same = (runs(100), runs(50))
    assert claims.cost_grows(same, same).startswith("which is no significant difference")
    assert claims.cost_grows(same, (runs(400), runs(50))).startswith("more on the finer grid")
    assert claims.cost_grows((runs(400), runs(50)), same).startswith("less on the finer grid")


def test_the_largest_fitness_over_dimensions(claims):
    from pages.spheres import over_dimensions

    assert over_dimensions({2: 1.0, 3: 0.9, 4: 0.8}).startswith(
        "falls with every D, from 1 at D = 2"
    )
    assert over_dimensions({2: 0.8, 3: 0.9, 4: 1.0}).startswith("rises with every D")
    assert over_dimensions({2: 1.0, 3: 0.9, 4: 0.9}).startswith("falls or stays the same")
    assert over_dimensions({2: 0.9, 3: 1.0, 4: 0.9}).startswith("goes up and down")
    assert over_dimensions({2: 0.75, 3: 0.75}) == "has 0.75 at all D"
    assert over_dimensions({2: 0.75}) == "has 0.75 at D = 2"
    assert (
        over_dimensions({2: 1.0, 3: 0.9}) == "falls with every D, from 1 at D = 2 to 0.9 at D = 3"
    )


def test_several_numbers_of_neurons_that_succeed_equally_often_are_all_named(claims):
    import pandas as pd
    from pages.cube import most_often

    def part(good):
        return pd.DataFrame({"success": [i < good for i in range(10)]})

    assert most_often([(2, part(3)), (4, part(9)), (6, part(9))])[0] == "4, 6"
    assert most_often([(2, part(3))])[0] == "2"


def test_growth_of_a_median_that_is_not_known(claims):
    import numpy as np
    import pandas as pd
    from pages.adaptation import longest, per_step

    assert per_step(100, 300, 10) == "20"
    assert per_step(100, np.inf, 10).startswith("unknown")

    def runs(time, good=True):
        return pd.DataFrame({"evaluations": [time] * 9, "success": good})

    assert longest(runs(900), [runs(3), runs(300)]).startswith("3 times the largest median")
    assert longest(runs(300), [runs(300)]).startswith("no more than the largest median")
    assert "cannot be compared" in longest(runs(1, False), [runs(300)])


def test_sizes_of_networks_that_are_alike_are_said_to_be(claims):
    from pages.topology_curved import verdict

    cells = {"evolved N": (0.9, 0.01, 3.0), "NAClassifier": (0.9, 0.01, 3.0)}
    text = verdict({"moons": cells})
    assert "more accurate by two standard errors on no set, less accurate on no set" in text
    assert "smaller on no set, larger on no set and as large on moons" in text


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


def test_a_theorem_with_few_or_failed_resolutions(claims):
    """One cell, cells without a success, cells of equal times: said, not left out."""
    import pandas as pd
    from pages.theorems import by_resolution, growth, quick_growth, section, stuck_sentence

    def runs(r, good, times=range(10, 20)):
        return pd.DataFrame(
            {
                "problem": "two_quarters",
                "mutation": "local",
                "resolution": r,
                "evaluations": times,
                "success": [i < good for i in range(10)],
                "fitness": 0.7,
                "budget": 100,
                "stop_reason": "stuck",
            }
        )

    one = by_resolution(runs(64, 10), "two_quarters", "local")
    for write in (growth, quick_growth):
        *_, fits, exponent = write(one, "power", 1)
        assert fits == "No law can be fitted to so few resolutions."
        assert exponent == "No exponent of r is claimed: there are too few resolutions."
    assert "1/1" not in stuck_sentence(one)

    failed = pd.concat([runs(64, 9), runs(96, 0), runs(128, 1), runs(192, 5)])
    page = section(failed, "two_quarters", "local", None, 1)
    [row] = [line for line in page.splitlines() if line.startswith("|  96 |")]
    assert [cell.strip() for cell in row.split("|")[2:4]] == ["0/10 (0 … 28 %)", "–"]
    assert "The success probability is above 0.00 at every r" in page
    assert "chi-square test over 4 r" in page
    constant = by_resolution(runs(64, 10, [7] * 10), "two_quarters", "local")
    assert growth(constant, "power", 1)[1] == "No law can be fitted to so few resolutions."


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
