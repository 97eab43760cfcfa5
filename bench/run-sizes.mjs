// How large the run of a few seconds is, and how much of it are source texts: in a workspace whose runs share them, and
// self-contained.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { engine } from '../scripts/steps/paths.mjs';
import { measured } from './measure.mjs';
import { programs } from './programs/programs.mjs';
import { readRun } from './run-file.mjs';

export const title = 'Size of a run of 5 seconds';

const EACH_BYTES = 40;
const HEAD_BYTES = 30_000;

export async function measure({ names = ['sqlite', 'ocaml', 'go', 'gofmt', 'word-count', 'ripgrep'] } = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-bench-'));
  try {
    const rows = [];
    for (const name of names) {
      const command = await programs[name].command(2);
      const [shared, whole] = [await size(command, [], folder), await size(command, ['--self-contained'], folder)];
      rows.push({
        what: programs[name].what,
        goal: `≤ ${EACH_BYTES} bytes per sample and ${HEAD_BYTES / 1000} kB`,
        value: `${inWords(shared)}; self-contained ${inWords(whole)}`,
        ok: shared.bytes <= EACH_BYTES * shared.samples + HEAD_BYTES,
      });
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function size(command, options, folder) {
  const file = path.join(folder, '.lineheat/runs/run.pb.gz');
  await measured(engine, ['record', '--duration', '5', ...options, '--output', file, '--', ...command], {
    cwd: folder,
  });
  const { info, bytes } = readRun(file);
  const texts = gzipSync(info.sources.map((source) => source.text).join('')).length;
  return { bytes, samples: info.samples_kept, texts };
}

const inWords = ({ bytes, samples, texts }) =>
  `${(bytes / samples).toFixed(1)} bytes per sample (${(bytes / 1000).toFixed(0)} kB, of it texts ${(texts / 1000).toFixed(0)} kB, ${samples} samples)`;
