// Lineheat beside other tools: each way of watching a program does the same work in turns, and is compared with the plain run of its
// round. All figures are CPU time, since other programs may be running.
import { spawn } from 'node:child_process';
import { setTimeout as passed } from 'node:timers/promises';
import { findProgram } from '../../scripts/steps/command.mjs';
import { measured, medianInterval, quantile, spread } from '../measure.mjs';

/** Runs each of `ways` once a round, in alternating order. { way: [result of each round] } */
export async function inTurns(ways, rounds) {
  const results = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
  for (let round = 0; round < rounds; round++) {
    const order = Object.entries(ways);
    if (round % 2 === 1) order.reverse();
    for (const [way, once] of order) results[way].push(await once());
  }
  return results;
}

/** What a program printed of its own CPU time: a line of nanoseconds, or `cpuNs` of JSON. */
const printedNs = (output) => Number(/^(\d+)$/m.exec(output)?.[1] ?? /"cpuNs":(\d+)/.exec(output)[1]);

/** Runs a command in which the program is. { ns: the program's CPU time, toolMs: that of all others, output, errors } */
export async function within(command, { env, waitsForProgram = true, nsOf = printedNs, totalNsOf = nsOf } = {}) {
  const { output, errors, cpuMs } = await measured(command[0], command.slice(1), { env });
  const ns = nsOf(output);
  return { ns, toolMs: waitsForProgram ? cpuMs - totalNsOf(output) / 1e6 : cpuMs, output, errors };
}

/** Has a group of its own, to be interrupted as by a terminal; prints what the tool has used in the end. */
const timed = ['-c', 'trap : INT; TIMEFORMAT="%3U %3S used"; time "$@"', 'bash'];

/** Runs a program while a tool, which was begun before, watches the machine. `toolMs`: in all its life; `report`: what it printed. */
export async function beside(tool, command, options) {
  const stdio = ['ignore', 'pipe', 'pipe'];
  const watching = spawn('bash', [...timed, ...tool], { stdio, detached: true, env: { ...process.env, LC_ALL: 'C' } });
  let report = '';
  for (const stream of [watching.stdout, watching.stderr])
    stream.on('data', (bytes) => {
      report += bytes;
    });
  const ended = new Promise((resolve) => watching.once('close', resolve));
  try {
    await passed(2500); // none of them says when it watches
    if (watching.exitCode !== null) throw new Error(`${tool.join(' ')} ended with ${watching.exitCode}:\n${report}`);
    const { ns, output } = await within(command, options);
    process.kill(-watching.pid, 'SIGINT');
    await ended;
    const [, user, system] = /([\d.]+) ([\d.]+) used/.exec(report);
    return { ns, toolMs: 1000 * (Number(user) + Number(system)), output, report };
  } finally {
    if (watching.exitCode === null) process.kill(-watching.pid, 'SIGKILL');
  }
}

/** The ways whose tool is here; the others are said to be left out. */
export function available(ways) {
  const here = {};
  for (const [way, { needs = [], once }] of Object.entries(ways)) {
    const missing = needs.filter((program) => !findProgram(program));
    if (missing.length === 0) here[way] = once;
    else console.log(`  ${way} is left out: ${missing.join(', ')} is not installed`);
  }
  return here;
}

/** A row: how many ns each of `events` takes the program more than in `plain`, and the CPU time of the tool's own processes. */
export function costRow({ what, taken, plain, events, goal, digits = 0 }) {
  const more = taken.map(({ ns }, round) => (ns - plain[round].ns) / events);
  return rowOf({ what, more, taken, goal, digits, unit: 'ns' });
}

/** The same in per cent of the program's CPU time. */
export function shareRow({ what, taken, plain, goal, digits = 1 }) {
  const more = taken.map(({ ns }, round) => 100 * (ns / plain[round].ns - 1));
  return rowOf({ what, more, taken, goal, digits, unit: '%' });
}

function rowOf({ what, more, taken, goal, digits, unit }) {
  const toolMs = quantile(
    taken.map((one) => one.toolMs),
    0.5,
  );
  return {
    what,
    goal: goal === undefined ? 'for comparison' : `≤ ${goal} ${unit}`,
    value: `${spread(more, digits, unit)}; tool ${toolMs.toFixed(0)} ms`,
    ok: goal === undefined || isWithin(more, goal),
  };
}

/** True or false where the 95 % interval of the median allows it to be said, else undefined. */
export function isWithin(values, goal) {
  const { low, high } = medianInterval(values);
  if (high <= goal) return true;
  return low > goal ? false : undefined;
}
