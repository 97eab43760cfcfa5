// A disk that fills, that cannot be written, a folder that vanishes, and a process that may open few files.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { engine } from '../../scripts/steps/paths.mjs';
import { faulty } from '../programs/c.mjs';
import {
  begun,
  leftBehind,
  leftRunning,
  leftSomething,
  promisedMs,
  samplerOf,
  started,
  startRecording,
} from './recorded.mjs';
import { outcome, row } from './tally.mjs';

const KIB = [64, 128, 256, 512, 1024];

export async function disks(folder, { sizes = KIB, seconds = 6 } = {}) {
  const program = await faulty();
  const older = path.join(folder, 'older.pb.gz');
  await startRecording(folder, [program, 'busy', '200'], { name: 'older.pb.gz' }).ended;
  const full = [];
  for (const kib of sizes) full.push(await filledInTime(folder, kib, older, program, seconds));
  return [
    row('F13', `a disk of ${sizes.join(', ')} KiB that fills`, full),
    row('F13', 'a disk that is read-only', [await onDisk(folder, 256, (disk) => readOnly(disk, program))]),
    row('F13', 'the folder is removed during a recording', [await folderGone(folder, program)]),
    row('F30', 'at most 20 open files', [await fewFiles(folder, program)]),
    row('F30', 'nobody reads what lineheat prints', [await unread(folder, program), await unreadReport(older)]),
  ];
}

async function onDisk(folder, kib, work) {
  const disk = path.join(folder, `disk-${kib}`);
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', disk]);
  try {
    return await work(disk);
  } finally {
    execFileSync('umount', ['-l', disk]);
    rmSync(disk, { recursive: true, force: true });
  }
}

/** A busy machine gives too few samples to fill the disk: then again, for longer. */
async function filledInTime(folder, kib, older, program, seconds) {
  const result = await onDisk(folder, kib, (disk) => filled(disk, older, program, seconds));
  if (!result.hadRoom || seconds > 60) return result;
  return filledInTime(folder, kib, older, program, 2 * seconds);
}

const hashOf = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Every sample has a stack of its own, so the run grows by hundreds of kilobytes a second. */
async function filled(disk, older, program, seconds) {
  const old = path.join(disk, 'older.pb.gz');
  copyFileSync(older, old);
  const hash = hashOf(old);
  const command = [program, 'branches', String(1000 * seconds), '24'];
  const recording = startRecording(disk, command, { options: ['--freq', '4999'] });
  const beganMs = await begun(recording);
  const sampler = samplerOf(recording.child.pid);
  const { code } = await recording.ended;
  const text = recording.text();
  if (code === 0) return { ...outcome({ problems: ['the disk did not fill'] }), hadRoom: true };
  const problems = [];
  if (!text.includes('whole')) problems.push('the target did not run to its end');
  if (code !== 3) problems.push(`lineheat ended with ${code} though the disk was full: ${text}`);
  const fullAfterS = Number(/disk (?:was|has been) full (?:since|after) ([\d.]+) s/.exec(text)?.[1] ?? Number.NaN);
  if (!/No space left on device/.test(text) || Number.isNaN(fullAfterS))
    problems.push(`that the disk was full, and when, was not told: ${text}`);
  if ((await leftRunning([sampler, recording.child.pid])).length > 0) problems.push('the sampler still runs');
  if (hashOf(old) !== hash) problems.push('an older run has changed');
  if (!leftSomething(recording.file)) {
    if (fullAfterS > 1) problems.push('nothing of the run was saved');
    return outcome({ problems });
  }
  const run = await leftBehindOfFull(recording.file);
  if (!run.opened) return outcome({ problems: [...problems, run.why] });
  if (!run.info.partial) problems.push('the run does not say that it is partial');
  const lostMs = beganMs + 1000 * fullAfterS - run.coveredUntilMs;
  if (lostMs > promisedMs()) problems.push(`${lostMs.toFixed(0)} ms before the disk was full were not saved`);
  return outcome({ ...run, problems: [...problems, ...run.problems], lostMs });
}

/** On a full disk nothing can be put in order, so the run is copied to where there is room. */
async function leftBehindOfFull(file) {
  const opened = started(engine, ['report', file, '--json']);
  if ((await opened.ended).code !== 0) return { opened: false, why: `on the full disk: ${opened.text()}` };
  const roomy = path.join(path.dirname(path.dirname(file)), `copy-${path.basename(path.dirname(file))}.pb.gz`);
  for (const end of ['', '.journal']) if (existsSync(`${file}${end}`)) copyFileSync(`${file}${end}`, `${roomy}${end}`);
  return leftBehind(roomy);
}

async function readOnly(disk, program) {
  execFileSync('mount', ['-o', 'remount,ro', disk]);
  const recording = startRecording(disk, [program, 'busy', '500']);
  const { code } = await recording.ended;
  const text = recording.text();
  const problems = [];
  if (code !== 3) problems.push(`lineheat ended with ${code}`);
  if (!text.includes(disk) || !/[Rr]ead-only/.test(text)) problems.push(`the cause was not told: ${text}`);
  if (/begin/.test(text)) problems.push('the target was started though nothing could be saved');
  return outcome({ problems });
}

async function folderGone(folder, program) {
  const gone = path.join(folder, 'gone');
  mkdirSync(gone);
  const recording = startRecording(gone, [program, 'busy', '2500']);
  await begun(recording);
  await sleep(1500);
  rmSync(gone, { recursive: true });
  const { code } = await recording.ended;
  const run = await leftBehind(recording.file);
  const problems = [];
  if (code !== 0) problems.push(`lineheat ended with ${code}: ${recording.text()}`);
  if (!run.opened) problems.push(run.why);
  return outcome({ ...run, problems: [...problems, ...run.problems] });
}

/** Records a busy program by a shell that gets the command as its arguments. */
const throughShell = (script, file, program) =>
  started('sh', ['-c', script, 'sh', engine, 'record', '--output', file, '--', program, 'busy', '800']);

/** Works, or says what is missing; never a panic. */
async function fewFiles(folder, program) {
  const file = path.join(folder, 'few.pb.gz');
  const recording = throughShell('ulimit -n 20; exec "$@"', file, program);
  const { code } = await recording.ended;
  const text = recording.text();
  const problems = [];
  if (/panicked/.test(text)) problems.push(`a panic: ${text}`);
  if (code === 3 && !/Too many open files/.test(text)) problems.push(`the cause was not told: ${text}`);
  if (code !== 0 && code !== 3) problems.push(`lineheat ended with ${code}: ${text}`);
  if (code !== 0) return outcome({ problems });
  const run = await leftBehind(file);
  return outcome({ ...run, problems: [...problems, ...run.problems] });
}

/** The pipe that takes the messages is closed at the other end. */
async function unread(folder, program) {
  const file = path.join(folder, 'unread.pb.gz');
  const { code } = await throughShell('"$@" 2>&1 >/dev/null | true', file, program).ended;
  const run = await leftBehind(file);
  const problems = [...run.problems];
  if (code !== 0) problems.push(`the shell ended with ${code}`);
  if (!run.opened) problems.push(run.why);
  return outcome({ ...run, problems });
}

async function unreadReport(file) {
  const report = started('sh', ['-c', '"$@" 2>&3 | true', 'sh', engine, 'report', file], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  let told = '';
  report.child.stdio[3].setEncoding('utf8').on('data', (part) => {
    told += part;
  });
  await report.ended;
  return outcome({ problems: told === '' ? [] : [`lineheat report complains: ${told}`] });
}
