"""A store whose names attack the page that tells them, and the report on it."""

import json
import re

from hyperna.experiments.campaign import Campaign

EVIL = "<script>alert(1)</script>"
FILE = '"><img src=x onerror=alert(2)><script>alert(3)<b>.csv'
POINTS = f'a,"{EVIL}"\n0.5,1\n-0.5,0\n0.25,1\n-0.3,0\n'


def evil_store(folder):
    (folder / FILE).write_text(POINTS)
    campaign = Campaign.product(
        problem="quarter", mutation=["harmonic", "local"], resolution=[24, 60, 36, 48], runs=25
    )
    campaign += Campaign.product(problem="local_opt", mutation="local", resolution=24, runs=10)
    campaign += Campaign.product(problem=FILE, label=EVIL, budget=9, folder=folder, runs=6)
    return campaign.run(folder / "evil$_^.store")


def evil_report(store, folder):
    from hyperna.report import write_report

    path = folder / "report.html"
    assert write_report(store, path, title=f"</title>{EVIL}") == 216
    return path


def embedded_data(page):
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)[1]
    return json.loads(text)
