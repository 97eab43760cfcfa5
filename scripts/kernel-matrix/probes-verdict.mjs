// What a guest must have seen that passes probes: judges the sections that probes-init.sh prints.
import { judging, reportOf } from './sections.mjs';

/** As own_callers.c and red_zone.c have them. */
const threads = [0, 1, 2, 3, 4, 5, 6, 7];
const blocks = 5000;
const leafCalls = 100_000;

/** Gives the promises: [{ what, ok, got }]. */
export function judgeProbes(text) {
  const { section, promise, promises } = judging(text);
  const mode = section('preempt').text;
  promise('probes: the kernel may take the CPU from their programs', mode.includes('(full)'), mode);
  const record = section('own.record').text;
  for (const number of threads) {
    const report = reportOf(section(`own.${number}`).text);
    const rows = report?.functions?.filter((row) => /^(inner|outer)_\d$/.test(row.name)) ?? [];
    const got = `${JSON.stringify(rows)}, ${record}`;
    const own = rows.find((row) => row.name === `inner_${number}`);
    promise(`probes: all that thread ${number} allocated is seen`, own?.total === blocks, got);
    const unmixed = rows.length === 2 && rows.every((row) => row.name.endsWith(`_${number}`) && row.total === blocks);
    promise(`probes: and no stack of it has another thread's functions`, unmixed, got);
  }
  const callsOf = (name, function_) => reportOf(section(name).text)?.calls?.find((row) => row.name === function_) ?? {};
  for (const number of threads) {
    const { calls } = callsOf('own.calls', `inner_${number}`);
    const got = `${calls}, ${section('own.calls.record').text}`;
    promise(`probes: each call of inner_${number} is counted`, calls === blocks, got);
  }
  const report = reportOf(section('own.syscalls').text);
  const asked = report?.syscalls?.find((row) => row.name === 'getppid');
  const missing = threads.length * blocks - (asked?.calls ?? 0);
  const printed = JSON.stringify(report?.problems);
  // The kernel skips some where a program of a tracepoint can be preempted.
  const [, skipped = 0] = /Up to (\d+) system calls are missing/.exec(printed) ?? [];
  const each = missing >= 0 && missing <= Number(skipped);
  promise('probes: so is each system call, or said to be missing', each, `${JSON.stringify(asked)}, ${printed}`);
  judgeRedZone(section('red.record').text, (name) => callsOf('red.calls', name), promise);
  return promises;
}

/** Linux 6.18 puts a call in the place of a probed nop of five bytes, which writes below the stack pointer. */
function judgeRedZone(printed, callsOf, promise) {
  const kept = new RegExp(`^${leafCalls} ${leafCalls} ${leafCalls}$`, 'm').test(printed);
  promise('red zone: functions that are counted keep their values', kept, printed);
  for (const name of ['keeps_after_push', 'keeps_after_nop']) {
    const row = callsOf(name);
    promise(`red zone: each call of ${name} is counted`, row.calls === leafCalls, JSON.stringify(row));
  }
  const refused = callsOf('keeps_inside');
  const said = !refused.calls && /no instruction where a count costs little/.test(refused.notCounted ?? '');
  promise('red zone: a nop of five bytes inside of a function is not probed', said, JSON.stringify(refused));
}
