// What a guest with hardware counters must have seen: judges the sections that counters-init.sh prints.
import path from 'node:path';
import { judging, lineOf, reportOf } from './sections.mjs';

const source = 'counted_loops.c';
/** Instructions of the loops, by the marker of their line. */
const loops = { eight: 800_000_000, four: 400_000_000 };
const inLoops = loops.eight + loops.four;
/** An instruction takes two cycles in such a guest (more-guests.mjs). */
const instructionsPerCycle = 0.5;

const isNear = (value, truth, share) => Math.abs(value / truth - 1) <= share;
const counterOf = (report, name) => report?.counters?.find((counter) => counter.name === name) ?? {};
const rowAt = (report, line) =>
  report?.lines?.find((row) => path.basename(row.file) === source && row.line === line) ?? {};

/** Gives the promises: [{ what, ok, got }]. */
export function judgeCounters(text) {
  const { section, promise, promises } = judging(text);
  const doctor = section('doctor').text;
  const listed = /^ok +Counters for --counters: of hardware: cycles, instructions,/m.test(doctor);
  promise('counters: the doctor lists those of hardware', listed, doctor);
  judgeTwo(section, promise);
  judgeMany(section, promise);
  return promises;
}

function judgeTwo(section, promise) {
  const [record, text] = ['record', 'text'].map((part) => section(`two.${part}`).text);
  const report = reportOf(section('two.lines').text);
  const [instructions, cycles] = ['instructions', 'cycles'].map((name) => counterOf(report, name));
  const got = `${JSON.stringify(report?.counters)}, ${record}, ${text}`;
  // None is missing; the program's start and the kernel's work for it, for samples too, come on top.
  const areCounted = instructions.count >= inLoops && instructions.count < 1.02 * inLoops;
  promise('counters: the instructions of the loops are counted', areCounted, got);
  const areCycles = isNear(cycles.count, instructions.count / instructionsPerCycle, 0.001);
  promise('counters: and the cycles of these instructions', areCycles, got);
  const areTogether =
    cycles.enabledNs > 0 &&
    [cycles.runningNs, instructions.enabledNs, instructions.runningNs].every((time) => time === cycles.enabledNs);
  promise('counters: both counted all of the time', areTogether, got);
  promise('counters: how precise they are is said', /precise level 0 of 3/.test(text), got);
  for (const [marker, truth] of Object.entries(loops)) {
    const line = lineOf(source, marker);
    const row = rowAt(report, line);
    const rowGot = `${JSON.stringify(row)}, ${text}`;
    // It begins and ends between two samples.
    const isOnLine = Math.abs(row.self - truth) <= (2 * row.self) / row.selfSamples;
    promise(`counters: the loop of ${marker} has its instructions on its line`, isOnLine, rowGot);
    const share = row.self / report?.total;
    promise(`counters: and its share of all`, Math.abs(share - truth / inLoops) < 0.02, `${share}, ${rowGot}`);
    promise(`counters: and its instructions per cycle`, holds(row.instructionsPerCycle?.self, row.selfSamples), rowGot);
    // "66.7 %  200,106,314 …  0.50  0.46 to 0.54  …/counted_loops.c:14"
    const shown = new RegExp(` 0\\.\\d\\d +0\\.\\d\\d to 0\\.\\d\\d .*${source}:${line}\\b`);
    promise(`counters: the table shows them with their interval`, shown.test(text), rowGot);
  }
}

/** The truth lies in the interval, and the value near it: of both counters, the line may have one sample more or one less. */
const holds = (of, samples) =>
  of &&
  isNear(of.value, instructionsPerCycle, 2 / samples) &&
  of.low < instructionsPerCycle &&
  instructionsPerCycle < of.high;

/** More events than the CPU has counters take turns. */
function judgeMany(section, promise) {
  const report = reportOf(section('many.lines').text);
  const text = section('many.text').text;
  const counters = report?.counters ?? [];
  const got = `${JSON.stringify(counters)}, ${text}, ${section('many.record').text}`;
  const shared = counters.filter((counter) => counter.countedShare < 1);
  promise('counters: of too many, they take turns', counters.length === 8 && shared.length > 0, got);
  for (const { name, countedShare } of shared) {
    const said = new RegExp(`\\b${name}\\b[^.]* counted for ${(100 * countedShare).toFixed(0)} % of the time`);
    promise(`counters: for how much of the time ${name} was counted is said`, said.test(text), got);
  }
  for (const name of ['instructions', 'r8']) {
    const { count, countedShare } = counterOf(report, name);
    promise(`counters: ${name} counted its part of the time`, isNear(count / countedShare, inLoops, 0.1), got);
  }
  const whole = Number(/\bIPC (\d\.\d\d)\b/.exec(text)?.[1]);
  promise(
    'counters: the instructions per cycle of the whole are right',
    isNear(whole, instructionsPerCycle, 0.05),
    got,
  );
  const cpu = report?.measures?.find((measure) => measure.name === 'cpu')?.total;
  const inTime = isNear(cpu, report?.cpuTimeNs, 0.1);
  promise('counters: the samples of CPU time miss nothing meanwhile', inTime, `${cpu} of ${report?.cpuTimeNs} ns`);
}
