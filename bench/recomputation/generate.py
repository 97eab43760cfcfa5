"""Writes generated runs of one execution each, for comparisons whose counts are of every kind: many and few, equal, new and
gone. `generate.py FOLDER SEED EXECUTIONS`: base-N.pb.gz and new-N.pb.gz."""

import sys

import numpy as np

from pprof import written

PERIOD_NS = 1_000_000


def main():
    folder, seed, executions = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    random = np.random.default_rng(seed)
    means = np.exp(random.uniform(np.log(0.5), np.log(3000), 80))
    noise = random.uniform(0.005, 0.15, 80)
    # Some grow or shrink, some are on one side only.
    changes = np.where(random.random(80) < 0.2, np.exp(random.normal(0, 0.5, 80)), 1.0)
    changes[:3] = 0
    for side, factors in (("base", np.where(changes == 0, 1.0, 1.0)), ("new", changes)):
        absent = 77 if side == "base" else 80
        for number in range(executions):
            level = np.exp(random.normal(0, 0.01))
            costs = means * factors * level * np.exp(noise * random.normal(0, 1, 80))
            counts = random.poisson(costs)
            counts[absent:] = 0
            stacks = [(path(at), int(count)) for at, count in enumerate(counts) if count > 0]
            written(f"{folder}/{side}-{number}.pb.gz", stacks, PERIOD_NS)


def path(at):
    """Three levels: every eighth calls the seven after it."""
    head = ["main", f"group_{at // 8}"]
    return head if at % 8 == 0 else [*head, f"function_{at}"]


main()
