// Reads a saved run as the measurements need it: what the run knows beyond pprof, and its stacks.
import { readFileSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';
import { inRoot } from '../scripts/steps/paths.mjs';

const load = (name) => new protobuf.Root().loadSync(inRoot('protocol', name), { keepCase: true });
const Profile = load('profile.proto').lookupType('perftools.profiles.Profile');
const RunInfo = load('run.proto').lookupType('lineheat.run.RunInfo');
const numbers = { longs: Number, enums: String, defaults: true };

/** { info, profile, bytes }: RunInfo and Profile with numbers for int64, and the size of the file. */
export function readRun(file) {
  const profile = Profile.toObject(Profile.decode(gunzipSync(readFileSync(file))), { ...numbers, bytes: Buffer });
  const info = RunInfo.toObject(RunInfo.decode(profile.lineheat_run), numbers);
  profile.lineheat_run = undefined;
  return { info, profile, bytes: statSync(file).size };
}

/** { root: 990, cut: 3, … }: stacks by how their walk ended, and how many there are. */
export function stackEnds(info) {
  const ends = Object.fromEntries(info.stack_ends.map(({ cause, count }) => [cause, count]));
  const total = Object.values(ends).reduce((sum, count) => sum + count, 0);
  return { ends, total, rooted: ends.root ?? 0 };
}

/**
 * Per sample on average: `frames` that the processor had (user code), and `inlined` frames that stand within them.
 * Kernel frames belong to mappings without a file of their own and are counted apart.
 */
export function framesPerSample(profile) {
  const text = (index) => profile.string_table[index];
  const kernel = new Set(profile.mapping.filter((m) => text(m.filename).startsWith('[kernel')).map((m) => m.id));
  const locations = new Map(profile.location.map((location) => [location.id, location]));
  const sum = { samples: 0, frames: 0, kernel: 0, inlined: 0, withKernel: 0 };
  for (const sample of profile.sample) {
    const count = sample.value[0];
    const stack = sample.location_id.map((id) => locations.get(id));
    const inKernel = stack.filter((location) => kernel.has(location.mapping_id)).length;
    sum.samples += count;
    sum.kernel += count * inKernel;
    sum.withKernel += inKernel > 0 ? count : 0;
    sum.frames += count * (stack.length - inKernel);
    sum.inlined += count * stack.reduce((lines, location) => lines + Math.max(0, location.line.length - 1), 0);
  }
  return {
    samples: sum.samples,
    frames: sum.frames / sum.samples,
    inlined: sum.inlined / sum.samples,
    kernelFrames: sum.kernel / sum.samples,
    kernelShare: sum.withKernel / sum.samples,
  };
}
