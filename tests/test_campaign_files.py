"""The campaign files that are shipped can be run, and their pages tell of these very campaigns."""

import re
from pathlib import Path

import pytest

from hyperna.experiments.campaign import Campaign

FOLDER = Path(__file__).parents[1] / "notebooks" / "campaigns"
FILES = sorted(FOLDER.glob("*.toml"))


def test_every_question_has_its_campaign_and_what_writes_its_page():
    names = ["adaptation", "arcs", "bent", "cube", "dimensions", "growth", "heavy_tails"]
    names += ["online", "outputs", "restarts", "rotations", "spheres", "theorems", "topology"]
    assert [path.stem for path in FILES] == names
    assert all((FOLDER / "pages" / f"{name}.py").exists() for name in names)
    questions = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"[{name}.md]({name}.md)" in questions for name in names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_page_counts_the_runs_of_its_campaign(path):
    campaign = Campaign.from_toml(path)
    page = path.with_suffix(".md").read_text(encoding="utf-8")
    runs, settings = re.search(r"([\d,]+) runs of (\d+) settings", page).groups()
    assert int(runs.replace(",", "")) == campaign.total
    assert int(settings) == len(campaign.wanted)
    assert "## What it says" in page


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_campaigns_stay_small(path):
    wanted = Campaign.from_toml(path).wanted
    # where every run ends at an optimum or is found stuck, its budget says nothing
    ends = ("theorems", "growth")
    budgets = [made.budget * runs for made, runs in wanted.items() if path.stem not in ends]
    assert sum(budgets) < 10**10
    assert sum(wanted.values()) <= 100_000
