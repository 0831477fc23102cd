"""Run a campaign of this folder, as far as it is not done, and write its page of findings.

    python notebooks/campaigns/findings.py arcs --jobs 2

The runs are kept in ``arcs.store`` beside the file. A run depends on its setting and number only,
so the page comes out the same on every machine. What a page says is in ``pages/arcs.py``. Some
pages are of exact values and need no runs.
"""

import argparse
from importlib import import_module
from pathlib import Path

from hyperna.experiments.campaign import Campaign

HERE = Path(__file__).parent
# Pages of exact values, without a campaign.
EXACT = ("drift",)
NAMES = sorted([*EXACT, *(path.stem for path in HERE.glob("*.toml"))])


def main() -> None:
    """Run the campaigns that were named and write their pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+", choices=NAMES, metavar="NAME")
    parser.add_argument("--store", type=Path, help="folder of results (default: NAME.store)")
    parser.add_argument("--jobs", type=int, default=2, help="workers")
    args = parser.parse_args()
    for name in args.names:
        if name in EXACT:
            write_exact(name)
            continue
        campaign = Campaign.from_toml(HERE / f"{name}.toml")
        store = campaign.run(args.store or HERE / f"{name}.store", n_jobs=args.jobs)
        runs = store.to_frame()
        page = import_module(f"pages.{name}")
        source = (
            f"\nCampaign: [{name}.toml]({name}.toml), {len(runs):,} runs of "
            f"{runs.setting.nunique()} settings: minutes on two cores. Written by "
            f"`python notebooks/campaigns/findings.py {name}`.\n"
        )
        texts = {name: page.write(store, runs) + source}
        if hasattr(page, "further"):
            texts |= page.further(store, runs)
        for stem, text in texts.items():
            (HERE / f"{stem}.md").write_text(text, encoding="utf-8")


def write_exact(name: str) -> None:
    """Write a page that needs no runs."""
    source = (
        "\nExact values, minutes on one core. Written by "
        f"`python notebooks/campaigns/findings.py {name}`.\n"
    )
    text = import_module(f"pages.{name}").write() + source
    (HERE / f"{name}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
