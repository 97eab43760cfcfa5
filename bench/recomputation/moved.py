"""Recomputes which self times moved between a function and those it calls, by docs/comparing.md (The method: Moved cost). Where
the rules about functions without a test, of one side only or of several callers could take part, the answer is "unknown"."""

import numpy as np

from nested import ALPHA, DIRECTIONS, change

TOLERANCE = 0.3


def moved_verdicts(sides, rows, tested):
    """By key: "moved", or "unknown". `rows`: by key and part, (counts of both sides, verdict by its q)."""
    told = {key for key, parts in rows.items() if parts["self"][1] in DIRECTIONS}
    callers, callees = neighbours(sides)
    found, of_inner = {}, {}
    for outer in told | {caller for key in told for caller in callers.get(key, ())}:
        around = {outer} | callees.get(outer, set())
        is_unknown = any(is_one_sided(rows[key]["total"][0]) for key in around)
        exchange = "unknown" if is_unknown else exchanged(outer, callees.get(outer, set()), told, rows, sides, tested)
        if exchange == "unknown":
            for key in around:
                found.setdefault(key, "unknown")
        elif exchange:
            found[outer] = "moved"
            for inner, got in exchange.items():
                of_inner[inner] = of_inner.get(inner, 0) + got
    for inner, got in of_inner.items():
        if balances(got, -change(sides, rows[inner]["self"][0])):
            found.setdefault(inner, "moved")
    for key in told - set(of_inner):
        if key not in found and len(callers.get(key, ())) > 1:
            found.update((one, "unknown") for one in {key} | callers[key])
    return found


def exchanged(outer, callees, told, rows, sides, tested):
    """What each callee got inside `outer`; empty: nothing was exchanged."""
    own = rows[outer]["self"][0]
    parts = {inner: self_inside(outer, inner, sides) for inner in callees}
    p = {inner: p_of(tested(*counts)) for inner, counts in parts.items()}
    if not parts or change(sides, own) == 0:
        return {}
    if None in p.values() or p_of(tested(*own)) is None:
        return "unknown"
    level = ALPHA / len(parts)
    got = change(sides, own)
    changes = {inner: change(sides, counts) for inner, counts in parts.items()}
    chosen = {inner: lost for inner, lost in changes.items() if lost * got < 0 and p[inner] < level}
    if not balances(got, sum(chosen.values())) or not told & ({outer} | set(chosen)):
        return {}
    if outer not in told and p_of(tested(*own)) >= level:
        return {}
    sums = [own[side] + sum(parts[inner][side] for inner in chosen) for side in (0, 1)]
    return chosen if p_of(tested(*sums)) >= ALPHA else {}


def self_inside(outer, inner, sides):
    counts = [np.zeros(len(side.starts)) for side in sides]
    for at, side in enumerate(sides):
        for keys, execution, samples in side.stacks:
            if keys[0] == inner and outer in keys:
                counts[at][execution] += samples
    return counts


def neighbours(sides):
    callers, callees = {}, {}
    for side in sides:
        for keys in {tuple(keys) for keys, _, _ in side.stacks}:
            for callee, caller in zip(keys, keys[1:]):
                if callee != caller:
                    callers.setdefault(callee, set()).add(caller)
                    callees.setdefault(caller, set()).add(callee)
    return callers, callees


def balances(got, other):
    return got * other < 0 and abs(got + other) <= TOLERANCE * max(abs(got), abs(other))


def is_one_sided(counts):
    return (counts[0].sum() == 0) != (counts[1].sum() == 0)


def p_of(found):
    return None if found is None else found["p"]
