// A recording by samply, and what samply's own server finds in it: inlined frames and the names of functions.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { measured } from './measure.mjs';
import { samply } from './programs/samply.mjs';

/** Records a command at 999 Hz into `file` (.json.gz) with a file of symbols for comparison; gives what `measured` gives. */
export async function samplyRecord(file, command) {
  const options = ['record', '--save-only', '--unstable-presymbolicate', '--rate', '999', '-o', file];
  const [program, ...args] = await samply([...options, '--', ...command]);
  return measured(program, args);
}

/** { samples, inlined }: inlined frames per sample on average. */
export async function samplyInlined(file) {
  const profile = await savedProfile(file);
  const answers = await answersByAddress(file, profile);
  let samples = 0;
  let inlined = 0;
  for (const thread of profile.threads) {
    const ofStack = inlinesOfStacks(thread, answers);
    for (const { stack, count } of weighedSamples(thread)) {
      samples += count;
      inlined += count * ofStack[stack];
    }
  }
  return { samples, inlined: inlined / samples };
}

/**
 * The outermost frames of a command's stacks, as `wholeStacks` wants them; `file` (.json.gz) is recorded into. Without
 * samples that have kernel frames only.
 */
export async function samplyStacks(command, file) {
  await samplyRecord(file, command);
  const profile = await savedProfile(file);
  const answers = await answersByAddress(file, profile);
  return profile.threads.flatMap((thread) => {
    const outermost = outermostOfStacks(thread);
    const inKernel = (frame) => profile.libs[libOfFrame(thread, frame)]?.name.startsWith('[kernel');
    const name = (frame) => answers.get(keyOfFrame(thread, frame))?.function ?? '';
    return weighedSamples(thread)
      .filter(({ stack }) => !inKernel(outermost[stack][0]))
      .map(({ stack, count }) => ({ outermost: outermost[stack].map(name), count }));
  });
}

async function savedProfile(file) {
  // With the file of symbols for comparison, the server gives inlined frames of neighbouring addresses.
  await rm(file.replace(/[.]gz$/, '.syms.json'), { force: true });
  return JSON.parse(gunzipSync(readFileSync(file)));
}

const weighedSamples = ({ samples }) =>
  samples.stack.map((stack, i) => ({ stack, count: samples.weight?.[i] ?? 1 })).filter(({ stack }) => stack !== null);

/**
 * "library number:address" → { function, inlines } there, asked of `samply load` (the symbolication API of Mozilla's
 * Tecken).
 */
async function answersByAddress(file, profile) {
  const wanted = [...new Set(profile.threads.flatMap(addressesOf))];
  const stack = wanted.map((key) => key.split(':').map(Number));
  const memoryMap = profile.libs.map((lib) => [lib.debugName, lib.breakpadId]);
  const { results } = await ask(file, { jobs: [{ memoryMap, stacks: [stack] }] });
  return new Map(results[0].stacks[0].map((frame, i) => [wanted[i], frame]));
}

async function ask(file, question) {
  const [program, ...args] = await samply(['load', '--no-open', '--port', '3900+', file]);
  const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const url = await symbolServer(server.stdout);
    const answer = await fetch(`${url}/symbolicate/v5`, { method: 'POST', body: JSON.stringify(question) });
    return await answer.json();
  } finally {
    server.kill('SIGTERM');
  }
}

/** samply prints the address of the profiler's page, which names its own server. */
async function symbolServer(output) {
  let text = '';
  for await (const bytes of output) {
    text += bytes;
    const [, encoded] = /symbolServer=(\S+)/.exec(text) ?? [];
    if (encoded) return decodeURIComponent(encoded);
  }
  throw new Error(`samply named no symbol server:\n${text}`);
}

const libOfFrame = ({ frameTable, funcTable, resourceTable }, frame) => {
  const resource = funcTable.resource[frameTable.func[frame]];
  return resource >= 0 ? resourceTable.lib[resource] : -1;
};

const keyOfFrame = (thread, frame) => `${libOfFrame(thread, frame)}:${thread.frameTable.address[frame]}`;

function addressesOf(thread) {
  const keys = Array.from({ length: thread.frameTable.length }, (_, frame) => keyOfFrame(thread, frame));
  return keys.filter((key) => /^\d+:\d+$/.test(key));
}

/** For each stack of a thread the sum over its frames; a prefix always stands before what it is the prefix of. */
function inlinesOfStacks(thread, answers) {
  const { frame: frames, prefix: prefixes, length } = thread.stackTable;
  const sums = [];
  for (let stack = 0; stack < length; stack++) {
    const own = answers.get(keyOfFrame(thread, frames[stack]))?.inlines?.length ?? 0;
    sums.push(own + (prefixes[stack] === null ? 0 : sums[prefixes[stack]]));
  }
  return sums;
}

/** For each stack of a thread its outermost frame and the next. */
function outermostOfStacks({ stackTable: { frame: frames, prefix: prefixes, length } }) {
  const outermost = [];
  for (let stack = 0; stack < length; stack++) {
    const before = prefixes[stack] === null ? [] : outermost[prefixes[stack]];
    outermost.push(before.length < 2 ? [...before, frames[stack]] : before);
  }
  return outermost;
}
