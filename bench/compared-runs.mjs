// Many recordings of the same commands, and comparisons of groups of them: each recording serves in many comparisons.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { engine } from '../scripts/steps/paths.mjs';
import { measured } from './measure.mjs';

/**
 * Records each command `times` times, one run of each after the other, so that drift hits all alike; what the folder
 * holds already is not recorded again. `commands` maps a name to a command line; gives the run files by name, in the order of time.
 */
export async function recordings(commands, times, folder) {
  const files = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let i = 0; i < times; i++)
    for (const [name, command] of Object.entries(commands)) {
      const file = path.join(folder, `${name}-${i}.pb.gz`);
      if (!existsSync(file)) await measured(engine, ['record', '--output', file, '--', ...command]);
      files[name].push(file);
    }
  return files;
}

/** What `lineheat diff --json` says of two groups of run files. */
export async function compared(base, news) {
  const { output } = await measured(engine, ['diff', ...base, '--against', ...news, '--json']);
  return JSON.parse(output);
}

/** The functions of a comparison on which there was a test: with an interval. */
export const tested = ({ functions }) => functions.filter(({ low, high }) => low !== null && high !== null);

/** At 5 %: the 95 % interval does not hold "no change". */
export const isRejected = ({ low, high }) => low > 0 || high < 0;

/**
 * `count` pairs of disjoint groups of `k` members, from members in the order of time; drawn by chance that repeats. A member
 * serves in several pairs, never twice in one. By name, how both sides were made.
 */
export const orders = {
  alternately: (members, k, count, seed) =>
    drawn(count, seed, (random) => {
      const first = Math.floor(random() * (members.length - 2 * k + 1));
      const turns = Array.from({ length: k }, (_, turn) => members.slice(first + 2 * turn, first + 2 * turn + 2));
      for (const turn of turns) if (random() < 0.5) turn.reverse();
      return [turns.map(([base]) => base), turns.map(([, other]) => other)];
    }),
  'in random order': (members, k, count, seed) =>
    drawn(count, seed, (random) => {
      const order = shuffled(members, random);
      return [order.slice(0, k), order.slice(k, 2 * k)];
    }),
  'one side after the other': (members, k, count, seed) =>
    drawn(count, seed, (random) => {
      const first = Math.floor(random() * (members.length - 2 * k + 1));
      return [members.slice(first, first + k), members.slice(first + k, first + 2 * k)];
    }),
};

function drawn(count, seed, draw) {
  const random = chance(seed);
  return Array.from({ length: count }, () => draw(random));
}

export function groups(members, k, count, seed = 1) {
  return drawn(count, seed, (random) => shuffled(members, random).slice(0, k));
}

/** Fisher and Yates. */
function shuffled(members, random) {
  const order = [...members];
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/** mulberry32: enough for drawing groups. */
function chance(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const percent = (part, all) => (all === 0 ? 'none' : `${((100 * part) / all).toFixed(1)} %`);
