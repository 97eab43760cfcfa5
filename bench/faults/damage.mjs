// Saved runs that are cut or changed: they are refused with the cause, or open with the same totals; never with others.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { engine } from '../../scripts/steps/paths.mjs';
import { faulty } from '../programs/c.mjs';
import { randomNumbers } from './kills.mjs';
import { begun, inParallel, leftBehind, started, startRecording } from './recorded.mjs';
import { outcome, row } from './tally.mjs';

export async function damage(folder, { flips, cuts = 100, seed, width = 2 }) {
  const program = await faulty();
  const whole = path.join(folder, 'whole.pb.gz');
  const command = [program, 'branches', '1500', '12'];
  await startRecording(folder, command, { name: 'whole.pb.gz' }).ended;
  const bytes = readFileSync(whole);
  const { report } = await reported(whole);
  const random = randomNumbers(seed);
  const check = (name, change, wanted) =>
    inParallel(name.count, width, async (number) => {
      const file = path.join(folder, `${name.prefix}-${number}.pb.gz`);
      writeFileSync(file, change(number));
      try {
        return await wanted(file, number);
      } finally {
        rmSync(file, { force: true });
        rmSync(`${file}.journal`, { force: true });
      }
    });
  const same = (file) => refusedOrSame(file, report);
  const cut = (number) => bytes.subarray(0, Math.floor((bytes.length * number) / cuts));
  const flipped = () => {
    const changed = Buffer.from(bytes);
    changed[Math.floor(random() * bytes.length)] ^= 1 << Math.floor(random() * 8);
    return changed;
  };
  return [
    row('F28', 'a saved run truncated at every hundredth', await check({ prefix: 'cut', count: cuts }, cut, same)),
    row('F28', 'a bit of a saved run flipped', await check({ prefix: 'flip', count: flips }, flipped, same)),
    ...(await journals(folder, program, { flips, cuts, random, width })),
  ];
}

/** The journal of an engine that was killed, damaged: it opens up to the damage and says so. */
async function journals(folder, program, { flips, cuts, random, width }) {
  const recording = startRecording(folder, [program, 'branches', '2600', '12'], { name: 'killed.pb.gz' });
  await begun(recording);
  await sleep(2400);
  recording.child.kill('SIGKILL');
  await recording.ended;
  await sleep(500);
  const bytes = readFileSync(`${recording.file}.journal`);
  const all = await leftBehind(recording.file);
  const changes = {
    'the journal of a killed engine truncated at every hundredth': [
      cuts,
      (number) => bytes.subarray(0, Math.floor((bytes.length * number) / cuts)),
    ],
    'a bit of the journal of a killed engine flipped': [
      flips,
      () => {
        const changed = Buffer.from(bytes);
        changed[Math.floor(random() * bytes.length)] ^= 1 << Math.floor(random() * 8);
        return changed;
      },
    ],
  };
  const rows = [];
  for (const [what, [count, change]] of Object.entries(changes)) {
    const outcomes = await inParallel(count, width, async (number) => {
      const file = path.join(folder, `journal-${number}-${what.length}.pb.gz`);
      writeFileSync(`${file}.journal`, change(number));
      try {
        return await upToTheDamage(file, all);
      } finally {
        rmSync(file, { force: true });
        rmSync(`${file}.journal`, { force: true });
      }
    });
    rows.push(row('F28', what, outcomes));
  }
  return rows;
}

async function reported(file) {
  const report = started(engine, ['report', file, '--json', '--limit', '20']);
  const { code } = await report.ended;
  await sleep(5);
  return { code, report: report.text() };
}

async function refusedOrSame(file, wanted) {
  const { code, report } = await reported(file);
  if (code === 0) {
    return outcome({ problems: report === wanted ? [] : [`${path.basename(file)} opens with other figures`] });
  }
  return outcome({ problems: isRefusal(code, report, file) ? [] : [`${path.basename(file)}: ${code}: ${report}`] });
}

const isRefusal = (code, text, file) =>
  code === 3 && text.includes(path.basename(file)) && !/panicked/.test(text) && text.trim().split('\n').length <= 3;

async function upToTheDamage(file, all) {
  const { code, report } = await reported(file);
  if (code !== 0)
    return outcome({ problems: isRefusal(code, report, file) ? [] : [`${path.basename(file)}: ${code}: ${report}`] });
  const run = await leftBehind(file);
  const problems = [...run.problems];
  if (!run.opened) return outcome({ problems: [run.why] });
  if (!run.info.partial || !run.info.problems.some((sentence) => /recording was cut off/.test(sentence)))
    problems.push('the run does not say that it was recovered');
  if (run.kept > all.kept || run.info.wall_ns > all.info.wall_ns) problems.push('more was recovered than was saved');
  return outcome({ ...run, problems });
}
