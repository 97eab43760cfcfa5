// A recording by samply, and the inlined frames in it as samply's own server finds them.
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
  // With the file of symbols for comparison, the server gives inlined frames of neighbouring addresses.
  await rm(file.replace(/[.]gz$/, '.syms.json'), { force: true });
  const profile = JSON.parse(gunzipSync(readFileSync(file)));
  const inlines = await inlinesByAddress(file, profile);
  let samples = 0;
  let inlined = 0;
  for (const thread of profile.threads) {
    const ofStack = inlinesOfStacks(thread, inlines);
    thread.samples.stack.forEach((stack, i) => {
      if (stack === null) return;
      const weight = thread.samples.weight?.[i] ?? 1;
      samples += weight;
      inlined += weight * ofStack[stack];
    });
  }
  return { samples, inlined: inlined / samples };
}

/** "library number:address" → inlined frames there, asked of `samply load` (the symbolication API of Mozilla's Tecken). */
async function inlinesByAddress(file, profile) {
  const wanted = [...new Set(profile.threads.flatMap(addressesOf))];
  const stack = wanted.map((key) => key.split(':').map(Number));
  const memoryMap = profile.libs.map((lib) => [lib.debugName, lib.breakpadId]);
  const { results } = await ask(file, { jobs: [{ memoryMap, stacks: [stack] }] });
  return new Map(results[0].stacks[0].map((frame, i) => [wanted[i], frame.inlines?.length ?? 0]));
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

const keyOfFrame = ({ frameTable, funcTable, resourceTable }, frame) => {
  const resource = funcTable.resource[frameTable.func[frame]];
  return `${resource >= 0 ? resourceTable.lib[resource] : -1}:${frameTable.address[frame]}`;
};

function addressesOf(thread) {
  const keys = Array.from({ length: thread.frameTable.length }, (_, frame) => keyOfFrame(thread, frame));
  return keys.filter((key) => /^\d+:\d+$/.test(key));
}

/** For each stack of a thread the sum over its frames; a prefix always stands before what it is the prefix of. */
function inlinesOfStacks(thread, inlines) {
  const { frame: frames, prefix: prefixes, length } = thread.stackTable;
  const sums = [];
  for (let stack = 0; stack < length; stack++) {
    const own = inlines.get(keyOfFrame(thread, frames[stack])) ?? 0;
    sums.push(own + (prefixes[stack] === null ? 0 : sums[prefixes[stack]]));
  }
  return sums;
}
