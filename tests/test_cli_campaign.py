"""The command campaign: what it hands on, and how it tells settings apart."""

from hyperna.campaign.campaign import Campaign
from hyperna.cli import main


def test_a_campaign_gets_its_workers(tmp_path, monkeypatch):
    given = {}
    file = tmp_path / "half.toml"
    file.write_text('problem = "half"\nruns = 2\n', encoding="utf-8")
    monkeypatch.setattr(Campaign, "run", lambda self, store, **options: given.update(options))
    assert main(["campaign", "run", str(file), "--jobs", "3", "--backend", "threading"]) == 0
    assert (given["n_jobs"], given["backend"], given["scheduler"]) == (3, "threading", None)


def test_the_status_tells_settings_apart():
    from hyperna.cli.campaign import varying_keys

    def keys(**options):
        length = max(map(len, options.values()))
        columns = {key: values * (length // len(values)) for key, values in options.items()}
        return varying_keys(
            [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        )

    half, budget, chance = ["half"], [50, 90], [0.5, 0.25]
    assert keys(problem=half, budget=budget) == ["problem", "budget"]
    assert keys(problem=half, mutation_probability=chance) == ["problem", "mutation_probability"]
    # which follow from the number of neurons and the resolution
    implied = {"problem": half, "budget": budget, "mutation_probability": chance}
    assert keys(**implied, neurons=[1, 2]) == ["problem", "neurons"]
    assert keys(**implied, resolution=[12, 24]) == ["problem", "resolution"]
    assert keys(**implied | {"problem": ["half", "quarter"]}) == ["problem"]
