// Recording allocations: Lineheat beside heaptrack, the heap profile and the sampler of gperftools, and Massif (once: it emulates the
// processor). What they cost a loop of malloc and free, SQLite and a map of C++; and whether they agree with what that map has counted.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../../scripts/steps/command.mjs';
import { engine } from '../../scripts/steps/paths.mjs';
import { quantile } from '../measure.mjs';
import { allocationPairs, ledger, sqlite } from '../programs/c.mjs';
import { available, costRow, inTurns, shareRow, within } from './turns.mjs';

export const title = 'Allocations, beside other tools';

const tcmalloc = '/usr/lib/x86_64-linux-gnu/libtcmalloc.so.4';
const HELD_BY_BOOK = 'book';

/** Each watches a command, and has its data in the folder. `slower`: so much less work is enough, and more would take minutes. */
const tools = {
  plain: {},
  control: {},
  'lineheat record': { before: (folder) => lineheat(folder) },
  'lineheat record --alloc': { before: (folder) => lineheat(folder, '--alloc') },
  heaptrack: {
    needs: ['heaptrack'],
    before: (folder) => ['heaptrack', '-o', path.join(folder, 'heaptrack')],
    slower: 10,
  },
  'tcmalloc, not sampled': { env: () => ({ LD_PRELOAD: tcmalloc }) },
  'tcmalloc, sampled each 512 KiB': { env: () => ({ LD_PRELOAD: tcmalloc, TCMALLOC_SAMPLE_PARAMETER: '524288' }) },
  'gperftools, HEAPPROFILE': {
    env: (folder) => ({ LD_PRELOAD: tcmalloc, HEAPPROFILE: path.join(folder, 'heap') }),
    slower: 50,
  },
  'valgrind --tool=massif, once': {
    needs: ['valgrind'],
    before: (folder) => ['valgrind', '-q', '--tool=massif', `--massif-out-file=${path.join(folder, 'massif')}`],
    slower: 50,
    once: true,
  },
};

const lineheat = (folder, ...options) => {
  const file = path.join(folder, 'run.pb.gz');
  return [engine, 'record', '--no-waiting', ...options, '--output', file, '--'];
};

export async function* measure({ rounds = 10, pairs = 20_000_000, size = 20, entries = 300_000 } = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  try {
    yield* ofPairs(folder, rounds, pairs);
    yield* ofProgram(folder, rounds, 'SQLite', 3, [await sqlite(), String(size)]);
    yield* ofProgram(folder, rounds, 'a map of C++', undefined, [await ledger(), String(entries)]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs all that are here in turns; `once` gets a tool and the runs of its way so far. */
async function byTools(rounds, once) {
  const ways = {};
  for (const [way, tool] of Object.entries(tools)) {
    const preload = tool.env?.('')?.LD_PRELOAD;
    if (preload && !existsSync(preload)) {
      console.log(`  ${way} is left out: ${preload} is not installed`);
      continue;
    }
    let last;
    ways[way] = {
      needs: tool.needs,
      once: async () => {
        if (!last || !tool.once) last = await once(tool, way);
        return last;
      },
    };
  }
  return inTurns(available(ways), rounds);
}

async function* ofPairs(folder, rounds, pairs) {
  const program = await allocationPairs();
  const taken = await byTools(rounds, async ({ before, env, slower = 1 }) => {
    const command = [...(before?.(folder) ?? []), program, String(pairs / slower)];
    const { ns, toolMs } = await within(command, { env: env?.(folder) });
    return { ns: ns * slower, toolMs };
  });
  const { plain, ...others } = taken;
  for (const [way, of] of Object.entries(others)) {
    const goal = way.endsWith('--alloc') ? 3 : undefined;
    yield costRow({
      what: `a malloc and free of 16 to 79 B, ${way}`,
      taken: of,
      plain,
      events: pairs,
      goal,
      digits: 2,
    });
  }
}

async function* ofProgram(folder, rounds, name, most, command) {
  const found = Object.fromEntries(Object.keys(readers).map((way) => [way, []]));
  let truth;
  const taken = await byTools(rounds, async ({ before, env }, way) => {
    for (const old of readdirSync(folder)) rmSync(path.join(folder, old));
    const result = await within([...(before?.(folder) ?? []), ...command], { env: env?.(folder) });
    const counted = /^\{"book".*\}$/m.exec(result.output);
    if (!counted) return result;
    truth = JSON.parse(counted[0]).book;
    if (way in readers) found[way].push(await readers[way](folder, command[0]));
    return result;
  });
  const { plain, 'lineheat record': recorded, ...others } = taken;
  yield shareRow({ what: `${name}, lineheat record`, taken: recorded, plain });
  for (const [way, of] of Object.entries(others)) {
    yield shareRow({ what: `${name}, ${way}`, taken: of, plain, goal: undefined });
    if (!way.endsWith('--alloc')) continue;
    yield shareRow({ what: `${name}, ${way}, against lineheat record`, taken: of, plain: recorded, goal: most });
  }
  if (truth) yield* agreement(truth, found);
}

const bytesOf = (pattern, text) => Number(pattern.exec(text)?.[1] ?? Number.NaN);

/** What a tool says of `book`: blocks, bytes, bytes in use at the end; undefined: it does not say. */
const readers = {
  'lineheat record --alloc': async (folder) => {
    const { allocations } = JSON.parse(
      await run(engine, ['report', path.join(folder, 'run.pb.gz'), '--alloc', '--json']),
    );
    const { allocated, inUse } = allocations.find(({ name }) => name === HELD_BY_BOOK);
    return {
      of: [allocated.objects, allocated.bytes, inUse.bytes],
      samples: [allocated.samples, allocated.samples, inUse.samples],
    };
  },
  heaptrack: async (folder) => {
    const data = readdirSync(folder).find((name) => name.startsWith('heaptrack.'));
    const folded = path.join(folder, 'folded');
    const costs = [];
    for (const cost of ['allocations', 'leaked']) {
      await run('heaptrack_print', ['-f', path.join(folder, data), '-F', folded, '--flamegraph-cost-type', cost]);
      const lines = readFileSync(folded, 'utf8')
        .split('\n')
        .filter((line) => line.includes(`;${HELD_BY_BOOK} (`));
      costs.push(lines.reduce((sum, line) => sum + bytesOf(/ (\d+)$/, line), 0));
    }
    return { of: [costs[0], undefined, costs[1]] };
  },
  'gperftools, HEAPPROFILE': async (folder, program) => {
    const data = readdirSync(folder)
      .filter((name) => name.endsWith('.heap'))
      .sort()
      .at(-1);
    const one = async (option) => {
      const args = ['--text', '--cum', '--show_bytes', option, program, path.join(folder, data)];
      return bytesOf(new RegExp(` (\\d+) +[\\d.]+% ${HELD_BY_BOOK}$`, 'm'), await run('google-pprof', args));
    };
    return { of: [await one('--alloc_objects'), await one('--alloc_space'), await one('--inuse_space')] };
  },
};

/** Of exact tools how many recordings agree; of samples the mean, which should be within two of its standard errors, and how far each is off. */
function* agreement(truth, found) {
  for (const [way, recordings] of Object.entries(found))
    for (const [at, what] of ['blocks', 'bytes', 'bytes in use at the end'].entries()) {
      const ratios = recordings.map(({ of }) => of[at] / truth[at]).filter((ratio) => !Number.isNaN(ratio));
      if (ratios.length === 0) continue;
      const errors = recordings.map(({ samples }) => (samples ? 1 / Math.sqrt(samples[at]) : 0));
      const isSampled = errors.some((error) => error > 0);
      const exact = `${ratios.filter((ratio) => ratio === 1).length} of ${ratios.length} exact`;
      const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
      const squares = ratios.map((ratio, i) => ((ratio - 1) / errors[i]) ** 2);
      const off = Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length);
      const sampled = `mean ${mean.toFixed(3)} of the truth; off by ${off.toFixed(2)} of the stated error of ${(100 * quantile(errors, 0.5)).toFixed(0)} % (root mean square)`;
      yield {
        what: `${HELD_BY_BOOK}(), ${what}, ${way}`,
        goal: `the program’s own count: ${truth[at].toLocaleString('en')}`,
        value: isSampled ? sampled : exact,
        ok: isSampled
          ? Math.abs(mean - 1) <= (2 * quantile(errors, 0.5)) / Math.sqrt(ratios.length)
          : ratios.every((ratio) => ratio === 1),
      };
    }
}
