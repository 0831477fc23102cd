"""What campaigns cost beyond their runs, here and on a Dask cluster, as ratios.

    python benchmarks/campaigns.py [--runs 4000] [--rounds 3]

Runs of about a millisecond, the worst case for overhead. The ways to do them alternate within this
run, so that a busy machine slows all of them; medians of the rounds' ratios are printed. The last
lines are about a store of a million short runs.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import distributed
import numpy as np

from hyperna.experiments.campaign import Campaign
from hyperna.experiments.chunks import Block
from hyperna.experiments.settings import setting
from hyperna.experiments.store import Store

# 40,000 steps of some 25 ns.
RUN = {"problem": "quarter", "resolution": 1200, "budget": 40_000, "target": False}


def timed(action, clock=time.perf_counter):
    start = clock()
    action()
    return clock() - start


def measure_campaigns(runs, rounds):
    campaign = Campaign.product(**RUN, runs=runs)
    (made,) = campaign.plan
    runner = made.runner()

    def bare():
        runner.run_block(made.entropy, 0, runs)

    def stored(**options):
        with tempfile.TemporaryDirectory() as folder:
            campaign.run(Path(folder) / "store", **options)

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        ways = {
            "bare loop, 1 core": bare,
            "campaign, 1 worker": lambda: stored(n_jobs=1),
            "campaign, 2 threads": lambda: stored(n_jobs=2),
            "campaign, 2 processes": lambda: stored(n_jobs=2, backend="loky"),
            "campaign, 2 Dask workers": lambda: stored(scheduler=cluster.scheduler_address),
        }
        for way in ways.values():  # compiles, starts processes, loads kernels in the workers
            way()
        times = {name: [] for name in ways}
        work = {"bare": [], "campaign": []}
        for _ in range(rounds):
            for name, way in ways.items():
                times[name].append(timed(way))
            work["bare"].append(timed(bare, time.process_time))
            work["campaign"].append(timed(ways["campaign, 1 worker"], time.process_time))
    return times, work


def ratio(times, one, other):
    return statistics.median(a / b for a, b in zip(times[one], times[other], strict=True))


def report_campaigns(times, work, runs):
    bare, one, pool, processes, dask = times
    seconds, rounds = statistics.median(times[bare]) / runs, len(times[bare])
    print(f"{runs:,} runs of {1e3 * seconds:.2f} ms each, median of {rounds} rounds")
    print(f"overhead: {one} / bare loop         {ratio(times, one, bare):.3f}")
    print(f"the same in processor time                       {ratio(work, 'campaign', 'bare'):.3f}")
    for name in (pool, processes, dask):
        print(f"speed-up: bare loop / {name:<24}  {ratio(times, bare, name):.2f}")
    print(f"overhead: 2 Dask workers / 2 threads            {ratio(times, dask, pool):.3f}")
    print(f"overhead: 2 Dask workers / 2 processes          {ratio(times, dask, processes):.3f}")


def report_store(runs):
    """Store and read back really simulated short runs."""
    settings = [
        setting(problem=name, resolution=r) for name in ("half", "quarter") for r in (120, 1200)
    ]
    share = runs // len(settings)
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        simulated = written = 0.0
        with store.writer() as writer:
            for made in settings:
                runner = made.runner()
                for first in range(0, share, 10_000):
                    start = time.perf_counter()
                    rows = runner.run_block(made.entropy, first, min(first + 10_000, share))
                    middle = time.perf_counter()
                    writer.append([Block(made, first, rows, runner.units)])
                    simulated += middle - start
                    written += time.perf_counter() - middle
        size = sum(file.stat().st_size for file in store.chunk_files())
        frame = store.to_frame()  # loads pandas
        read = timed(store.to_frame)
    print(f"{len(frame):,} stored runs: {size / len(frame):.2f} bytes a run, {size / 1e6:.1f} MB")
    print(f"time to write / time to simulate  {written / simulated:.3f}")
    print(f"time to read  / time to simulate  {read / simulated:.3f} ({read:.2f} s)")
    assert np.array_equal(frame.run[:share], np.arange(share))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--stored", type=int, default=1_000_000)
    args = parser.parse_args()
    report_campaigns(*measure_campaigns(args.runs, args.rounds), args.runs)
    report_store(args.stored)


if __name__ == "__main__":
    main()
