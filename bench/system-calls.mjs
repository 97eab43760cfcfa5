// What recording system calls and page faults costs: the program that is recorded, and another one beside it. The same work with and
// without, in turns; the differences are of neighbours.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../scripts/steps/command.mjs';
import { engine } from '../scripts/steps/paths.mjs';
import { quantile, spread } from './measure.mjs';
import { kernelWork } from './programs/c.mjs';

export const title = 'Cost of recording system calls and page faults';

const calls = 1_000_000;
const pages = 200_000;

export async function* measure({ pairs = 10 } = {}) {
  const program = await kernelWork();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  const record = ['record', '--no-waiting', '--output', path.join(folder, 'run.pb.gz')];
  const printedNs = (text) => Number(/^(\d+)$/m.exec(text)[1]);
  const recorded = async (options, work) =>
    printedNs(await run(engine, [...record, ...options, '--', program, ...work.map(String)]));
  const beside = async (options) => {
    const sleeper = spawn(engine, [...record, ...options, '--', 'sleep', '60'], { stdio: 'ignore' });
    try {
      await run('sleep', ['1']); // it records by then
      return printedNs(await run(program, ['calls', String(calls)]));
    } finally {
      sleeper.kill('SIGINT');
      await new Promise((ended) => sleeper.once('exit', ended));
    }
  };
  const costs = [
    {
      what: 'a system call of the recorded program',
      most: 400,
      ns: async () => (await recorded(['--syscalls'], ['calls', calls])) - (await recorded([], ['calls', calls])),
      events: calls,
    },
    {
      what: 'a system call of another program',
      most: 200,
      ns: async () => (await beside(['--syscalls'])) - (await beside([])),
      events: calls,
    },
    {
      what: 'a page fault of the recorded program',
      most: 1300,
      ns: async () => (await recorded(['--faults'], ['pages', pages])) - (await recorded([], ['pages', pages])),
      events: pages,
    },
  ];
  try {
    for (const { what, most, ns, events } of costs) {
      const each = [];
      for (let pair = 0; pair < pairs; pair++) each.push((await ns()) / events);
      yield {
        what: `${what}, CPU time of it`,
        goal: `≤ ${most} ns`,
        value: spread(each, 0, 'ns'),
        ok: quantile(each, 0.5) <= most,
      };
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
