// The time of the BPF program a sample, on several programs in turns, and beside it what the machine takes for BPF programs
// with nothing of ours in them: figures of different machines and hours compare only by these.
import { run } from '../scripts/steps/command.mjs';
import { quantile, spread } from './measure.mjs';
import { deep, yardstick } from './programs/c.mjs';
import { programs } from './programs/programs.mjs';
import { framesPerSample } from './run-file.mjs';
import { watchedRecording, withBpfStatistics } from './watched-recording.mjs';

const goals = { sqlite: 5, leveldb: 5, gofmt: 5, ocaml: 5, postgres: 8, 'tcp-send': 8 };

export function timeInKernel({ size, rounds, names = Object.keys(goals) }) {
  return withBpfStatistics(async () => {
    const measures = [yardsticks(), fourteenFrames(size), ...names.map((name) => ofProgram(name, size))];
    for (let round = 0; round < rounds; round++) for (const { once } of measures) await once();
    return measures.flatMap(({ rows }) => rows());
  });
}

function yardsticks() {
  const results = [];
  const row = (what, key) => ({
    what: `yardstick: ${what}`,
    goal: 'for comparison',
    value: spread(
      results.map((result) => result[key] / 1000),
      2,
      'µs',
    ),
    ok: true,
  });
  return {
    once: async () => results.push(JSON.parse(await run(await yardstick(), []))),
    rows: () => [
      row('an empty BPF program', 'emptyNs'),
      row('14 user frames, by frame pointers, by the kernel', 'userStackNs'),
      row('the stack of a system call, by the kernel', 'kernelStackNs'),
    ],
  };
}

/** `main`, what starts it and what it calls stand around the recursion: its depth is chosen so that there are 14 frames. */
const fourteenFrames = (size) =>
  recorded('recursion to 14 user frames', undefined, async () => [await deep(), '8', String(size * 10_000), 'kernel']);

const ofProgram = (name, size) => recorded(programs[name].what, goals[name], () => programs[name].command(size));

function recorded(what, goal, command) {
  const times = [];
  let last;
  return {
    once: async () => {
      const { run, bpf } = await watchedRecording([], await command());
      // Runs for processes that are not followed are part of what a sample costs.
      times.push((bpf.runs * bpf.nsPerRun) / 1000 / run.info.samples_taken);
      last = run;
    },
    rows: () => {
      const { frames, kernelShare } = framesPerSample(last.profile);
      return {
        what: `kernel time per sample, ${what}: ${frames.toFixed(1)} user frames, ${(100 * kernelShare).toFixed(0)} % with a kernel stack`,
        goal: goal ? `≤ ${goal} µs` : 'for comparison',
        value: spread(times, 2, 'µs'),
        ok: !goal || quantile(times, 0.5) <= goal,
      };
    },
  };
}
