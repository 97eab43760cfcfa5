"""Recomputes the verdicts of totals that are nearly everything, by docs/comparing.md (The method: Totals and the whole)."""

import numpy as np

ALPHA = 0.05
NEARLY_ALL = 0.8
MOST = 0.8
DIRECTIONS = ("slower", "faster", "new", "gone")


def nested_verdicts(sides, rows, overall, tested, moved):
    """By key of a function whose total contradicts the whole: its verdict, or None where its own stays. `rows`: by key and
    part, (counts of both sides, verdict by its q). `tested`: the test of two rows of counts. `moved`: keys whose self moved."""
    told = [key for key, parts in rows.items() if parts["self"][1] in DIRECTIONS and key not in moved]
    alls = [side.samples for side in sides]
    found = {}
    for key, parts in rows.items():
        totals, word = parts["total"]
        if word in DIRECTIONS and word != overall and is_nearly_all(sides, totals):
            found[key] = judged(key, totals, word, alls, told, sides, tested)
    return found


def judged(key, totals, word, alls, told, sides, tested):
    along = np.sign(change(sides, totals))
    rest = [every - total for every, total in zip(alls, totals)]
    if is_told(tested(*rest)) and change(sides, rest) * along < 0:
        return None
    parts = inside(key, told, sides)
    parts = {inner: counts for inner, counts in parts.items() if change(sides, counts) * along > 0}
    explaining = most({inner: abs(change(sides, counts)) for inner, counts in parts.items()})
    if key in explaining:
        return None
    left = [np.maximum(total - sum(counts[side] for counts in parts.values()), 0) for side, total in enumerate(totals)]
    return "moved-within" if explaining and not is_told(tested(*left)) else "noise"


def inside(outer, told, sides):
    """Self of each told function in the stacks that contain `outer`: counts of both sides."""
    wanted = set(told)
    found = {key: [np.zeros(len(side.starts)) for side in sides] for key in told}
    for at, side in enumerate(sides):
        for keys, execution, samples in side.stacks:
            if keys[:1] and keys[0] in wanted and outer in keys:
                found[keys[0]][at][execution] += samples
    return found


def most(changes):
    """The fewest that make up most of the sum."""
    needed, sum_so_far, whole = set(), 0.0, sum(changes.values())
    for key in sorted(changes, key=lambda key: -changes[key]):
        if sum_so_far >= MOST * whole:
            break
        needed.add(key)
        sum_so_far += changes[key]
    return needed


def per_unit(side, counts):
    return (counts * side.values / np.maximum(side.samples, 1)).sum() / len(counts)


def change(sides, counts):
    return per_unit(sides[1], counts[1]) - per_unit(sides[0], counts[0])


def is_nearly_all(sides, totals):
    return all(per_unit(side, counts) >= NEARLY_ALL * per_unit(side, side.samples) for side, counts in zip(sides, totals))


def is_told(found):
    return found is not None and found["p"] < ALPHA
