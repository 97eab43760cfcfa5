// How far two sets of samples lie apart, and how far they would lie apart by chance alone.

/** Half the sum of the differences of the shares: 0 the same, 1 nothing in common. Maps from key to count. */
export function totalVariation(a, b) {
  const of = (counts) => [...counts.values()].reduce((sum, count) => sum + count, 0);
  const [totalA, totalB] = [of(a), of(b)];
  let sum = 0;
  for (const key of new Set([...a.keys(), ...b.keys()]))
    sum += Math.abs((a.get(key) ?? 0) / totalA - (b.get(key) ?? 0) / totalB);
  return sum / 2;
}

/** The mean distance of `n` samples drawn from `shares` from the shares themselves. */
export const noiseAgainstTruth = (shares, n) => meanOver(() => totalVariation(draw(shares, n), shares));

/** The mean distance of two sets of samples, `n` and `m` of them, that are both drawn from `shares`. */
export const noiseOfTwo = (shares, n, m) => meanOver(() => totalVariation(draw(shares, n), draw(shares, m)));

function meanOver(once, times = 100) {
  let sum = 0;
  for (let i = 0; i < times; i++) sum += once();
  return sum / times;
}

/** `n` samples by the shares (any positive weights). */
function draw(shares, n) {
  const keys = [...shares.keys()];
  const ends = [];
  let total = 0;
  for (const key of keys) {
    total += shares.get(key);
    ends.push(total);
  }
  const counts = new Map();
  for (let i = 0; i < n; i++) {
    const key = keys[firstAbove(ends, Math.random() * total)];
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function firstAbove(ends, value) {
  let [low, high] = [0, ends.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
