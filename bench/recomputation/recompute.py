"""Recomputes comparisons from their runs, by docs/decisions/variance-of-comparisons.md and with SciPy, and holds them against what
`lineheat diff --json` said. Reads [{base, new, json}] from a file, prints a JSON object: see `measure` in
bench/recomputation.mjs."""

import json
import re
import sys

import numpy as np
from scipy import stats

from moved import moved_verdicts
from nested import nested_verdicts
from pprof import Run

CLONE = re.compile(r"(\.(llvm|part|cold|constprop|isra|lto_priv|clone)\.[0-9a-fA-F.]*|\.cold|\.localalias|::h[0-9a-f]{16})$")
INTERRUPT = re.compile(
    r"(asm_common_interrupt|common_interrupt|asm_spurious_interrupt|asm_exc_nmi|exc_nmi|asm_call_irq_on_stack"
    r"|apic_timer_interrupt|smp_apic_timer_interrupt|reschedule_interrupt|call_function_interrupt"
    r"|call_function_single_interrupt|irq_work_interrupt|do_IRQ|ret_from_intr|__irq_exit_rcu|el0t_64_irq|el1h_64_irq"
    r"|el0_irq|el1_irq|el0_interrupt|el1_interrupt|gic_handle_irq)$|(asm_sysvec_|sysvec_|irq_enter|irq_exit)"
)
ALPHA = 0.05
LEAST_SAMPLES = 30
FIGURES = {"change": "change", "low": "low", "high": "high", "p": "pValue", "q": "qValue"}


def normal(name):
    shorter = CLONE.sub("", name)
    return name if not shorter else shorter if shorter == name else normal(shorter)


def folded(frames):
    """An interrupt and all that it leads to is one frame."""
    kernel = 0
    while kernel < len(frames) and frames[kernel][0].startswith(("[kernel", "[guest.kernel")):
        kernel += 1
    for at in reversed(range(kernel)):
        name = frames[at][1].split(".")[0]
        if INTERRUPT.match(name) or (name.startswith("irq") and at + 1 == kernel):
            return [(frames[at][0], "interrupts", "")] + frames[at + 1 :]
    return frames


class Side:
    """All runs of a side: executions in order, counts and values of each function."""

    def __init__(self, paths):
        runs = [Run(path) for path in paths]
        self.starts = [start for run in runs for start in run.executions]
        self.samples = np.zeros(len(self.starts))
        self.values = np.zeros(len(self.starts))
        self.counts = {}
        self.files = {}
        # (keys leaf first, execution, samples)
        self.stacks = []
        first = 0
        for run in runs:
            for frames, execution, samples, value in run.samples:
                self.add(folded(frames), first + execution, samples, value)
            first += len(run.executions)

    def add(self, frames, execution, samples, value):
        self.samples[execution] += samples
        self.values[execution] += value
        keys = [(module, normal(name)) for module, name, _ in frames]
        self.stacks.append((keys, execution, samples))
        for key, (_, _, file) in zip(keys, frames):
            self.files.setdefault(key, set()).add(file)
        for part, of_part in (("self", keys[:1]), ("total", set(keys))):
            for key in of_part:
                self.of(key, part)[execution] += samples

    def of(self, key, part):
        zeros = lambda: np.zeros(len(self.starts))
        return self.counts.setdefault(key, {"self": zeros(), "total": zeros()})[part]


def turns(base, new):
    """Pairs of executions, one of each side, that follow each other; none if they did not alternate."""
    if len(base.starts) != len(new.starts) or 0 in base.starts + new.starts:
        return []
    order = sorted([(start, 0, i) for i, start in enumerate(base.starts)] + [(start, 1, i) for i, start in enumerate(new.starts)])
    pairs = []
    for first, second in zip(order[::2], order[1::2]):
        if first[1] == second[1]:
            return []
        pairs.append((first[2], second[2]) if first[1] == 0 else (second[2], first[2]))
    return pairs


def t_test(base, new, pairs, least_variance):
    """(ln ratio, standard error, degrees of freedom) of logarithms."""
    if len(pairs) >= 5:
        differences = np.array([new[j] - base[i] for i, j in pairs])
        variance = max(differences.var(ddof=1), 2 * least_variance)
        return differences.mean(), np.sqrt(variance / len(pairs)), len(pairs) - 1
    df = len(base) + len(new) - 2
    squares = ((base - base.mean()) ** 2).sum() + ((new - new.mean()) ** 2).sum()
    variance = max(squares / df, least_variance)
    return new.mean() - base.mean(), np.sqrt(variance * (1 / len(base) + 1 / len(new))), df


def quasi_poisson(base, new, sizes_base, sizes_new):
    """(ln ratio, standard error, degrees of freedom, p) of the sums."""
    pearson = df = 0
    for counts, sizes in ((base, sizes_base), (new, sizes_new)):
        if counts.sum() > 0:
            expected = counts.sum() / sizes.sum() * sizes
            pearson += ((counts - expected) ** 2 / expected).sum()
            df += len(counts) - 1
    df = max(df, 1)
    dispersion = max(pearson / df, 1)
    rate = (base.sum() + new.sum()) / (sizes_base.sum() + sizes_new.sum())
    deviance = 0
    for counts, sizes in ((base, sizes_base), (new, sizes_new)):
        if counts.sum() > 0:
            deviance += 2 * counts.sum() * np.log(counts.sum() / (rate * sizes.sum()))
    p = stats.f.sf(max(deviance, 0) / dispersion, 1, df)
    least = [max(counts.sum(), 0.5) for counts in (base, new)]
    ln_ratio = np.log(least[1] / sizes_new.sum()) - np.log(least[0] / sizes_base.sum())
    return ln_ratio, np.sqrt(dispersion * (1 / least[0] + 1 / least[1])), df, p


def figures(ln_ratio, error, df, p=None):
    half = stats.t.ppf(0.975, df) * error
    p = 2 * stats.t.sf(abs(ln_ratio / error), df) if p is None else p
    return {"change": np.expm1(ln_ratio), "low": np.expm1(ln_ratio - half), "high": np.expm1(ln_ratio + half), "p": p}


def row(base, new, sizes, pairs):
    """Of the counts of both sides; None where there are too few for a test."""
    if base.sum() + new.sum() < LEAST_SAMPLES:
        return None
    mean = (base.sum() + new.sum()) / (len(base) + len(new))
    if mean < 5:
        found = figures(*quasi_poisson(base, new, *sizes))
    else:
        least = 1 / mean if mean < 20 else 1 / (12 * mean**2)
        logs = [np.log(counts + 0.5) - np.log(size) for counts, size in zip((base, new), sizes)]
        found = figures(*t_test(*logs, pairs, least))
    if base.sum() == 0 or new.sum() == 0:
        found = {"p": found["p"]}
    return found


def verdict(found, base, new):
    if found is None:
        return "too-few"
    if found["q"] >= ALPHA:
        return "noise"
    if base.sum() == 0:
        return "new"
    return "gone" if new.sum() == 0 else found["direction"]


class Agreement:
    def __init__(self):
        self.largest = {name: 0.0 for name in FIGURES}
        self.compared = self.rows = self.verdicts = self.overruled = 0
        self.judged = {"moved": 0, "moved-within": 0, "noise": 0, "kept": 0}
        self.unknown, self.flips = [], []

    def number(self, what, name, ours, theirs):
        if theirs is None or not np.isfinite(ours):
            if (theirs is None) == bool(np.isfinite(ours)):
                self.flips.append(f"{what}: {name} {ours} and {theirs}")
            return
        self.compared += 1
        # Of an interval that ends near no change, relative to the cost rather than to the change.
        scale = abs(theirs) if name in ("p", "q") else max(abs(theirs), 0.01)
        self.largest[name] = max(self.largest[name], abs(ours - theirs) / scale if scale else 0.0)

    def verdict(self, what, ours, theirs, may_overrule):
        self.verdicts += 1
        if ours == theirs:
            return
        if may_overrule:
            self.overruled += 1
        else:
            self.flips.append(f"{what}: {ours} and {theirs}")


def compare(said, base, new, agreement, where):
    pairs = turns(base, new)
    sizes = [side.samples / side.values for side in (base, new)]
    costs = [np.log(side.values) for side in (base, new)]
    whole = figures(*t_test(*costs, pairs, 0))
    for name in ("change", "low", "high"):
        agreement.number(f"{where} overall", name, whole[name], said[name])
    direction = "slower" if whole["change"] > 0 else "faster"
    overall = direction if whole["p"] < ALPHA else "noise"
    agreement.verdict(f"{where} overall", overall, said["verdict"], False)

    by_key = {}
    for one in said["functions"]:
        by_key.setdefault((one["module"], normal(one["name"])), []).append(one)
    zeros = [np.zeros(len(side.starts)) for side in (base, new)]
    renamed = {}
    for key, ones in by_key.items():
        found = re.search(r"renamed from ([^;]+)", ones[0]["note"])
        if found:
            renamed[(key[0], normal(found.group(1)))] = key
    keys = sorted({renamed.get(key, key) for key in base.counts} | set(new.counts))
    olds = {key: old for old, key in renamed.items()}
    tests = []
    for key in keys:
        for part in ("self", "total"):
            counts = [
                side.counts[name][part] if name in side.counts else zero
                for side, name, zero in zip((base, new), (olds.get(key, key), key), zeros)
            ]
            tests.append((key, part, counts, row(*counts, sizes, pairs)))
    tested = [one for one in tests if one[3]]
    for one, q in zip(tested, stats.false_discovery_control([one[3]["p"] for one in tested])):
        one[3]["q"] = q
        one[3]["direction"] = "slower" if per_unit(new, one[2][1]) > per_unit(base, one[2][0]) else "faster"
    moved, nested = judge_others((base, new), tests, overall, sizes, pairs, by_key, renamed)
    for key, part, counts, found in tests:
        ones = by_key.get(key, [])
        several = len(ones) != 1 or any(len(side.files.get(key, ())) > 1 for side in (base, new))
        if several:
            agreement.unknown.append(f"{where} {key[1]} {part}")
            continue
        theirs, what = ones[0][part], f"{where} {key[1]} {part}"
        agreement.rows += 1
        for name, word in FIGURES.items():
            if found and name in found:
                agreement.number(what, name, found[name], theirs[word])
        if (theirs["pValue"] is None) == bool(found):
            agreement.flips.append(f"{what}: tested by one only")
        ours = reconciled(verdict(found, *counts), key, base, new, part)
        is_moved = part == "self" and moved.get(key)
        if is_moved == "moved":
            ours = "moved"
            agreement.judged["moved"] += 1
        if part == "total" and key in nested:
            ours = nested[key] or ours
            agreement.judged[nested[key] or "kept"] += 1
        agreement.verdict(what, ours, theirs["verdict"], (is_moved == "unknown" or key in olds) and overrules(ones[0], part))


def per_unit(side, counts):
    return (counts * side.values / side.samples).sum() / len(counts)


def reconciled(word, key, base, new, part):
    """What is still called is not gone."""
    called = lambda side: key in side.counts and side.counts[key]["total"].sum() > 0
    if part == "self" and word == "new" and called(base):
        return "slower"
    return "faster" if part == "self" and word == "gone" and called(new) else word


def judge_others(sides, tests, overall, sizes, pairs, by_key, renamed):
    """Verdicts by other rules than the test of a row: self times that moved, and totals that are nearly everything. For the
    latter, self times of which it is unknown have moved if that was said."""
    rows = {}
    for key, part, counts, found in tests:
        rows.setdefault(key, {})[part] = (counts, verdict(found, *counts))
    base = sides[0]
    base.stacks = [([renamed.get(key, key) for key in keys], *rest) for keys, *rest in base.stacks]
    tested = lambda base, new: row(base, new, sizes, pairs)
    moved = moved_verdicts(sides, rows, tested)
    is_said = lambda key: any(one["self"]["verdict"] == "moved" for one in by_key.get(key, ()))
    is_moved = lambda key: moved.get(key) == "moved" or is_said(key) and (moved.get(key) == "unknown" or key in renamed.values())
    return moved, nested_verdicts(sides, rows, overall, tested, set(filter(is_moved, rows)))


def overrules(one, part):
    """Another rule than the test may have the last word: cost that moved."""
    return one[part]["verdict"] == "moved" and one["note"] != ""


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        comparisons = json.load(file)
    agreement = Agreement()
    for number, one in enumerate(comparisons):
        with open(one["json"], encoding="utf-8") as file:
            said = json.load(file)
        compare(said, Side(one["base"]), Side(one["new"]), agreement, f"{number} ({one['name']})")
    print(json.dumps({
        "comparisons": len(comparisons),
        "rows": agreement.rows,
        "figures": agreement.compared,
        "verdicts": agreement.verdicts,
        "overruled": agreement.overruled,
        "judged": agreement.judged,
        "largest": agreement.largest,
        "unknown": agreement.unknown,
        "flips": agreement.flips,
    }))


main()
