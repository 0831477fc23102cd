"""Sentences of the pages of findings follow the data: other data, another sentence."""

import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "notebooks" / "campaigns"


@pytest.fixture
def claims(monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.syspath_prepend(str(FOLDER))
    from pages import claims

    yield claims
    for name in [name for name in sys.modules if name.split(".")[0] == "pages"]:
        del sys.modules[name]


def test_overlapping_shares_are_not_told_apart_and_far_ones_are(claims):
    assert "not told apart" in claims.compared("a", (89, 100), "b", (91, 100))
    assert "a solves more runs than b" in claims.compared("a", (392, 400), "b", (320, 400))
    assert "a solves fewer runs than b" in claims.compared("a", (320, 400), "b", (392, 400))


def test_laws_that_are_better_are_named(claims):
    base, others = (320, 400), {"uniform": (392, 400), "local": (10, 400), "pareto": (322, 400)}
    text = claims.better_than("harmonic", base, others)
    assert "uniform (392/400" in text
    assert "pareto" not in text
    assert "local" not in text
    flipped = claims.better_than("harmonic", (392, 400), {"uniform": base})
    assert flipped.startswith("no law solves more runs than harmonic")


def test_a_step_against_the_trend_is_said(claims):
    keys = [2, 3, 4, 5, 10]
    falling = [(85, 100), (67, 100), (38, 100), (29, 100), (4, 100)]
    assert claims.trend("k", keys, falling).endswith("at every step")
    wavy = [(85, 100), (67, 100), (29, 100), (38, 100), (4, 100)]
    assert "though not from k = 4 to 5 (29/100 and 38/100" in claims.trend("k", keys, wavy)
    assert "rises from" in claims.trend("k", keys, falling[::-1])
    flat = [(50, 100)] * 5
    assert "does not change" in claims.trend("k", keys, flat)
    assert claims.sentence("so it is") == "So it is."


def test_the_sentence_about_a_theorem_follows_the_exponent(claims):
    import numpy as np
    import pandas as pd
    from pages.theorems import growth_sentence

    rng = np.random.default_rng(0)

    def runs(power):
        sizes = [2**k for k in range(6, 41, 4)]
        return {
            r: pd.DataFrame(
                {"evaluations": rng.normal(np.log(r) ** power, 0.3 * np.log(r) ** power, 2000)}
            ).assign(success=True)
            for r in sizes
        }

    assert "compatible with the theorem's 2" in growth_sentence(runs(2), "polylog", 2)
    assert "below the theorem's 3" in growth_sentence(runs(2), "polylog", 3)
    assert "above the theorem's 2" in growth_sentence(runs(4), "polylog", 2)
