// Targets that are much at once: children, threads, execs, libraries that come and go; files that change under a run.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { engine, inRoot } from '../../scripts/steps/paths.mjs';
import { faulty } from '../programs/c.mjs';
import { begun, inParallel, leftBehind, started, startRecording } from './recorded.mjs';
import { outcome, row } from './tally.mjs';

export async function crowds(folder, { times = 1, short = false } = {}) {
  const program = await faulty();
  const crowd = compiled(folder, inRoot('helper/tests/programs/crowd.c'), ['-pthread']);
  const storm = compiled(folder, inRoot('helper/tests/programs/storm.c'));
  const ends = short ? 5 : 100;
  const many = (n, work) => inParallel(n, 2, work);
  const usual = async (name, command, more) => [await recorded(folder, name, command, more)];
  const injected = [
    ['F1', 'a target that exits immediately', () => many(ends, (n) => endsAtOnce(folder, n))],
    ['F2', 'a target that aborts or crashes', () => many(short ? 4 : 50, (n) => crashes(folder, n))],
    ['F3', '1,000 children one after the other', () => usual('storm', [storm, '1000'])],
    ['F3', '1,000 children at once', () => usual('children', [crowd, '1', '1000'])],
    ['F5', '10,000 threads alive at once', () => usual('threads', [crowd, '10000', '0'])],
    ['F4', '100 execs in a chain', () => usual('chain', [program, 'chain', '100', '10'], { whole: true })],
    ['F4', 'sh → python → program', () => usual('wrapped', wrapped(program), { whole: true })],
    ['F6', 'libraries loaded and unloaded without a pause', async () => [await plugins(folder, short)]],
    ['F8', 'the program removed, replaced while it runs', () => replacements(folder, program)],
    ['F20', 'two recordings at once', () => pairs(folder, program, times)],
    ['F20', 'two recordings of one process', () => twice(folder, program, times)],
    ['F21', 'a rate above the kernel’s maximum', async () => [await tooFast(folder, program)]],
  ];
  return inParallel(injected.length, short ? 4 : 1, async (number) => {
    const [id, what, inject] = injected[number];
    return row(id, what, await inject());
  });
}

async function replacements(folder, program) {
  return [await replaced(folder, program, 'removed'), await replaced(folder, program, 'renamed over')];
}

const wrapped = (program) => [
  'sh',
  '-c',
  'python3 -c "import os,sys; os.execv(sys.argv[1], sys.argv[1:])" "$@"',
  'sh',
  program,
  'busy',
  '500',
];

function compiled(folder, source, flags = []) {
  const program = path.join(folder, path.basename(source, '.c'));
  execFileSync('gcc', ['-O2', '-g', '-fomit-frame-pointer', ...flags, source, '-o', program]);
  return program;
}

async function recorded(folder, name, command, { whole = false, options = [] } = {}) {
  const recording = startRecording(folder, command, { options, name: `${name}.pb.gz` });
  const { code } = await recording.ended;
  const run = await leftBehind(recording.file);
  const problems = [...run.problems];
  if (code !== 0) problems.push(`${name}: lineheat ended with ${code}: ${recording.text()}`);
  if (!run.opened) return outcome({ problems: [...problems, run.why] });
  if (whole && !recording.text().includes('whole')) problems.push(`${name}: the target did not run to its end`);
  if (run.kept < 10) problems.push(`${name}: ${run.kept} samples are too few`);
  return { ...outcome({ ...run, problems }), run };
}

async function endsAtOnce(folder, number) {
  const recording = startRecording(folder, ['/bin/true'], { name: `true-${number}.pb.gz` });
  const { code } = await recording.ended;
  const text = recording.text();
  const run = await leftBehind(recording.file);
  const problems = [...run.problems];
  if (code !== 0 || !/exited with 0/.test(text)) problems.push(`lineheat ended with ${code}: ${text}`);
  if (run.kept === 0 && !/No samples: the target/.test(text))
    problems.push(`no sample, and nothing is said of it: ${text}`);
  return outcome({ ...run, problems });
}

async function crashes(folder, number) {
  const [name, signal] = [
    ['SEGV', 11],
    ['ABRT', 6],
    ['KILL', 9],
    ['BUS', 7],
  ][number % 4];
  const command = ['sh', '-c', `i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; kill -${name} $$`];
  const recording = startRecording(folder, command, { name: `crash-${number}.pb.gz` });
  const { code } = await recording.ended;
  const run = await leftBehind(recording.file);
  const problems = [...run.problems];
  if (code !== 0) problems.push(`lineheat ended with ${code}: ${recording.text()}`);
  if (run.info?.exit?.signal !== signal) problems.push(`signal ${signal} is not in the run`);
  if (!recording.text().includes(`killed by signal ${signal}`))
    problems.push(`the signal was not named: ${recording.text()}`);
  return outcome({ ...run, problems });
}

/** Libraries whose code has the name of its library: a sample in one must not have another's name. */
async function plugins(folder, short) {
  const count = short ? 6 : 50;
  const libraries = [];
  for (let i = 0; i < count; i++) {
    const source = path.join(folder, `plugin${i}.c`);
    writeFileSync(
      source,
      `static volatile unsigned long sink;
__attribute__((noinline)) static void inner_${i}(void) { for (int i = 0; i < 300000; i++) sink += i; }
void work(void) { inner_${i}(); sink += 1; }\n`,
    );
    const library = path.join(folder, `libplugin${i}.so`);
    execFileSync('gcc', ['-O1', '-g', '-shared', '-fPIC', source, '-o', library]);
    libraries.push(library);
  }
  const program = compiled(folder, inRoot('helper/tests/programs/plugins.c'), ['-ldl']);
  const rounds = String(Math.ceil(1500 / count));
  const result = await recorded(folder, 'plugins', [program, rounds, ...libraries]);
  if (!result.run) return result;
  const { profile } = result.run;
  const text = (index) => profile.string_table[index];
  const functions = new Map(profile.function.map((one) => [one.id, text(one.name)]));
  const mappings = new Map(profile.mapping.map((one) => [one.id, path.basename(text(one.filename))]));
  let wrong = 0;
  let right = 0;
  for (const { line, mapping_id } of profile.location)
    for (const { function_id } of line) {
      const number = /^inner_(\d+)$/.exec(functions.get(function_id))?.[1];
      if (number === undefined) continue;
      if (mappings.get(mapping_id) === `libplugin${number}.so`) right++;
      else wrong++;
    }
  const problems = [...result.problems];
  if (wrong > 0 || right === 0) problems.push(`${wrong} places have the name of another library, ${right} their own`);
  return { ...result, problems };
}

async function replaced(folder, program, how) {
  const own = path.join(folder, `own-${how.split(' ')[0]}`);
  mkdirSync(own);
  const copy = path.join(own, 'program');
  copyFileSync(program, copy);
  const recording = startRecording(own, [copy, 'busy', '1500']);
  await begun(recording);
  await sleep(300);
  if (how === 'removed') rmSync(copy);
  else {
    copyFileSync('/bin/true', `${copy}.new`);
    renameSync(`${copy}.new`, copy);
  }
  const { code } = await recording.ended;
  const run = await leftBehind(recording.file);
  const problems = [...run.problems];
  if (code !== 0 || !run.opened) return outcome({ problems: [`${how}: ${code}: ${recording.text()}`] });
  const names = run.profile.function.map(({ name }) => run.profile.string_table[name]);
  if (!names.includes('spin')) problems.push(`${how}: the names of the mapped file are missing`);
  return outcome({ ...run, problems });
}

async function pairs(folder, program, times) {
  const one = async (number) => recorded(folder, `pair-${number}`, [program, 'busy', '1500'], { whole: true });
  return inParallel(2 * times, 2, one);
}

async function twice(folder, program, times) {
  const outcomes = [];
  for (let i = 0; i < times; i++) {
    const target = started(program, ['busy', '4000']);
    const files = [0, 1].map((n) => path.join(folder, `twice-${i}-${n}.pb.gz`));
    const recordings = files.map((file) =>
      started(engine, ['record', '--duration', '1.5', '--output', file, '--pid', String(target.child.pid)]),
    );
    for (const [n, recording] of recordings.entries()) {
      const { code } = await recording.ended;
      const run = await leftBehind(files[n]);
      const problems = [...run.problems];
      if (code !== 0 || run.kept < 10) problems.push(`${code}: ${run.kept} samples: ${recording.text()}`);
      outcomes.push(outcome({ ...run, problems }));
    }
    target.child.kill('SIGKILL');
  }
  return outcomes;
}

/** The kernel's limit is shown to the engine alone, in a mount namespace of its own: the machine keeps its setting. */
async function tooFast(folder, program) {
  const limit = path.join(folder, 'limit');
  writeFileSync(limit, '500\n');
  const script = 'mount --bind "$1" /proc/sys/kernel/perf_event_max_sample_rate && shift && exec "$@"';
  const run = started('unshare', [
    '--mount',
    'sh',
    '-c',
    script,
    'sh',
    limit,
    engine,
    'record',
    '--output',
    path.join(folder, 'fast.pb.gz'),
    '--',
    program,
    'busy',
    '300',
  ]);
  const { code } = await run.ended;
  const text = run.text();
  const told = code === 3 && /999/.test(text) && /at most 500/.test(text) && !/begin/.test(text);
  return outcome({ problems: told ? [] : [`lineheat ended with ${code}: ${text}`] });
}
