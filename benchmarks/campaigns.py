"""What campaigns cost beyond their runs, here and on a Dask cluster, as ratios.

    python benchmarks/campaigns.py [--runs 20000] [--rounds 5]

Runs of about a millisecond, the worst case for overhead. The ways to do them alternate within this
run; medians and quartiles of the rounds are printed. These figures hardly depend on who else uses
the machine, because both parts of a ratio are taken in the same run of the same processes:

- overhead: seconds that workers spend outside the kernels per second inside, from the call of the
  campaign to its return, so with connecting, storing, and waiting for the last job;
- processor: processor time of everything (workers, scheduler, store) outside the kernels per
  processor time inside. Processes of a cluster use some even if they have nothing to do; the same
  wall time of an idle cluster is measured in each round, too.

Wall-clock ratios follow; they are worth something on an idle machine only, so the load is printed.
The last lines are about a store of a million short runs.
"""

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import distributed
import numpy as np

from hyperna.experiments import execution
from hyperna.experiments.campaign import Campaign
from hyperna.experiments.lines import Block
from hyperna.experiments.setting import setting
from hyperna.experiments.store import Store

# 40,000 steps of some 25 ns.
RUN = {"problem": "quarter", "resolution": 1200, "budget": 40_000, "target": False}
# Seconds that an idle cluster is watched for.
PAUSE = 2.0


class Runners:
    """Makes runners of settings that add up their time: of the processor, and on the wall."""

    def __init__(self):
        self.made = {}
        self.processor = self.wall = 0.0

    def __call__(self, made):
        return self.made.setdefault(made, TimedRunner(made.runner(), self))


class TimedRunner:
    def __init__(self, runner, total):
        self.runner, self.total = runner, total
        self.units = runner.units

    def run_block(self, *block):
        processor, wall = time.thread_time(), time.perf_counter()
        rows = self.runner.run_block(*block)
        self.total.processor += time.thread_time() - processor
        self.total.wall += time.perf_counter() - wall
        return rows


def instrument():
    """Let the campaigns of this process use `Runners`."""
    execution.cached_runner = Runners()


class Clock(NamedTuple):
    """Seconds of a process so far, or of some processes together."""

    processor: float
    kernel_processor: float
    kernel_wall: float

    @classmethod
    def total(cls, clocks):
        return cls(*map(sum, zip(*clocks, strict=True)))

    def since(self, before):
        return Clock(*(now - then for now, then in zip(self, before, strict=True)))


def read_clock():
    """Return the seconds of this process; a worker finds its `Runners` where it put them."""
    runners = execution.cached_runner
    return Clock(time.process_time(), runners.processor, runners.wall)


class Measured(NamedTuple):
    wall: float
    busy: float
    overhead: float
    processor: float
    idle: float


def measure(campaign, workers, clock, **options):
    before, start = clock(), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        campaign.run(Path(folder) / "store", **options)
    wall = time.perf_counter() - start
    used = clock().since(before)
    before = clock()
    time.sleep(PAUSE)
    idle = clock().since(before).processor * wall / PAUSE
    busy, kernels = used.kernel_wall / workers, used.kernel_processor
    return Measured(
        wall, busy, (wall - busy) / busy, (used.processor - kernels) / kernels, idle / kernels
    )


def measure_campaigns(runs, rounds):
    """Return the measurements of each way to run a campaign, one for each round."""
    campaign = Campaign.product(**RUN, runs=runs)
    instrument()
    with (
        distributed.SubprocessCluster(n_workers=2, worker_kwargs={"nthreads": 1}) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(2)
        client.run(instrument)
        client.run_on_scheduler(instrument)

        def everywhere():
            clocks = client.run(read_clock).values()
            return Clock.total([read_clock(), client.run_on_scheduler(read_clock), *clocks])

        address = cluster.scheduler_address
        ways = {
            "1 worker": lambda: measure(campaign, 1, read_clock, n_jobs=1),
            "2 threads": lambda: measure(campaign, 2, read_clock, n_jobs=2),
            "2 Dask workers": lambda: measure(campaign, 2, everywhere, scheduler=address),
        }
        for way in ways.values():  # compiles, and loads kernels in the workers
            way()
        found = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                found[name].append(way())
    return found


def spread(values, form):
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    return f"{middle:{form}} [{low:{form}}, {high:{form}}]"


def report_campaigns(found, runs):
    one, threads, dask = found.values()
    milliseconds = 1e3 * statistics.median(each.busy for each in one) / runs
    print(f"{runs:,} runs of {milliseconds:.2f} ms each; {len(one)} rounds, median [quartiles]")
    for name, measured in found.items():
        parts = [
            f"{part} {spread([getattr(each, part) for each in measured], '.1%')}"
            for part in ("overhead", "processor", "idle")
        ]
        print(f"{name:<15} {', '.join(parts)}")
    print(f"wall clock, with a load of {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors:")
    for name, above, below in (
        ("1 worker / 2 threads", one, threads),
        ("1 worker / 2 Dask workers", one, dask),
        ("2 Dask workers / 2 threads", dask, threads),
    ):
        ratios = [a.wall / b.wall for a, b in zip(above, below, strict=True)]
        print(f"  {name:<27} {spread(ratios, '.2f')}")


def timed(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


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
        size = sum(file.stat().st_size for file in store.files())
        frame = store.to_frame()  # loads pandas
        read = timed(store.to_frame)
    print(f"{len(frame):,} stored runs: {size / len(frame):.2f} bytes a run, {size / 1e6:.1f} MB")
    print(f"time to write / time to simulate  {written / simulated:.3f}")
    print(f"time to read  / time to simulate  {read / simulated:.3f} ({read:.2f} s)")
    assert np.array_equal(frame.run[:share], np.arange(share))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--stored", type=int, default=1_000_000)
    args = parser.parse_args()
    report_campaigns(measure_campaigns(args.runs, args.rounds), args.runs)
    report_store(args.stored)


if __name__ == "__main__":
    main()
