"""Writes generated runs of one execution each, for comparisons whose counts are of every kind: many and few, equal, new and
gone. `generate.py FOLDER SEED EXECUTIONS [within|moved]`: base-N.pb.gz and new-N.pb.gz. `within`: a function below `main` changes, and
a thread beside it varies so much that the whole is noise. `moved`: a function gets what one of those it calls loses."""

import sys

import numpy as np

from pprof import written

PERIOD_NS = 1_000_000


def main():
    folder, seed, executions = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    random = np.random.default_rng(seed)
    if sys.argv[4:]:
        {"within": within, "moved": moved}[sys.argv[4]](folder, random, executions)
        return
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


def within(folder, random, executions):
    means = np.append(np.full(20, 400.0), 1400.0)
    noise = np.append(np.full(20, 0.01), 0.5)
    for side, first in (("base", 1.0), ("new", 1.5)):
        for number in range(executions):
            factors = 1 + noise * random.normal(0, 1, 21)
            costs = means * factors * np.append(first, np.ones(20))
            counts = random.poisson(np.maximum(costs, 0))
            stacks = [(["main", f"function_{at}"] if at < 20 else ["thread"], int(count)) for at, count in enumerate(counts)]
            written(f"{folder}/{side}-{number}.pb.gz", stacks, PERIOD_NS)


def moved(folder, random, executions):
    paths = [["main", "outer"]]
    paths += [["main", "outer", f"callee_{at}"] for at in range(6)]
    paths += [["main", f"other_{at}"] for at in range(10)]
    base = np.full(17, 300.0)
    new = base + np.append([200.0, -200.0], np.zeros(15))
    for side, means in (("base", base), ("new", new)):
        for number in range(executions):
            counts = random.poisson(means * (1 + 0.03 * random.normal(0, 1, 17)))
            written(f"{folder}/{side}-{number}.pb.gz", list(zip(paths, map(int, counts))), PERIOD_NS)


def path(at):
    """Three levels: every eighth calls the seven after it."""
    head = ["main", f"group_{at // 8}"]
    return head if at % 8 == 0 else [*head, f"function_{at}"]


main()
