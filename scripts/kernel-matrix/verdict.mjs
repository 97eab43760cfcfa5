// What a guest must have seen: judges each promise by the sections that guest-init.sh prints.
import path from 'node:path';
import { compareVersions } from './archive.mjs';
import { judging, lineOf, reportOf } from './sections.mjs';

const oldest = '6.1';
const fewestSamples = 50;
/** Stacks that may miss the thread's start: those right after exec, whose number does not grow with the recording, and some. */
const cutAtStartMax = 8;
const cutShareMax = 0.02;
/** Of the samples: each of two threads, the child and the kernel do much more than this. */
const visibleShare = 0.03;

/** Where most of the time must be seen: the function, and the line that carries the marker (its loop's line shares it). */
const answers = {
  hot_line: { title: 'C', source: 'hot_line.c', hottest: 'spend' },
  templates: { title: 'C++', source: 'templates.cpp', hottest: 'Scorer<unsigned int>::score' },
  crew: { title: 'threads and child', source: 'crew.c', hottest: 'spend' },
};
/** Who records: root, a user whose sampler has two file capabilities, and one whose sampler has none. */
const users = ['root', 'user', 'bare'];

/**
 * Judges what a guest printed. Gives { release, promises: [{ what, ok, got }], figures } with the figures of the table:
 * `figures.root.hot_line` is { samples, whole }, absent where nothing was recorded.
 */
export function judge(text) {
  const { section, promise, promises } = judging(text);
  const release = section('release').text;
  const verdict = { release, promises, figures: {} };
  const supported = compareVersions(release, oldest) >= 0;
  for (const who of users) {
    if (supported) judgeRecordings(who, section, promise, verdict);
    else judgeOldKernel(who, release, section, promise);
  }
  if (supported) {
    judgeKinds(release, section, promise);
    judgeWaits(section, promise);
    judgeOtherKinds(release, section, promise);
    judgeRefusal(section, promise);
    judgeRights(section, promise);
  }
  return verdict;
}

/** Judges what a guest printed whose kernel is locked down for confidentiality: gives the promises, as `judge` does. */
export function judgeLockdown(text) {
  const { section, promise, promises } = judging(text);
  const mode = section('locked.mode').text;
  promise('locked down: the kernel is', mode.includes('[confidentiality]'), mode);
  const unseen = section('unseen.record');
  const hinted = unseen.status === 3 && unseen.text.includes('mount securityfs');
  promise('locked down: where that cannot be seen, it is thought of', hinted, unseen.text);
  const cause = 'lockdown mode';
  for (const who of ['root', 'user']) {
    const [doctor, required, record] = ['doctor', 'required', 'record'].map((part) => section(`${who}.locked.${part}`));
    const line = (start) => doctor.text.split('\n').find((line) => line.startsWith(start)) ?? '';
    for (const title of ['Kernel lockdown', 'Recording a program']) {
      const named = line(`MISSING  ${title}: `).includes(cause);
      promise(`locked down, ${who}: the doctor names it (${title})`, named, doctor.text);
    }
    const refused = required.status === 3 && required.text.includes(cause);
    promise(`locked down, ${who}: recording with privilege is refused, and why is said`, refused, required.text);
    promise(
      `locked down, ${who}: recording goes on in user space, and why is said`,
      record.text.includes(cause),
      record.text,
    );
    const samples = reportOf(section(`${who}.locked.functions`).text)?.totalSamples ?? 0;
    promise(`locked down, ${who}: user space is recorded`, samples >= fewestSamples, record.text);
  }
  return promises;
}

/** Whoever asks, everything is refused in the same clear words. */
function judgeOldKernel(who, release, section, promise) {
  const sentence = `this kernel is Linux ${release}, but Lineheat needs Linux ${oldest} or newer`;
  for (const name of ['doctor', 'hot_line.record']) {
    const { text, status } = section(`${who}.${name}`);
    const command = `${who}: lineheat ${name.replace(/.*[.]/, '')}`;
    promise(`${command} says what is needed and ends with 3`, status === 3 && text.includes(sentence), text);
    promise(`${command} shows nothing of libbpf`, status === 3 && !/libbpf|errno|os error/i.test(text), text);
  }
}

function judgeRecordings(who, section, promise, verdict) {
  const doctor = section(`${who}.doctor`);
  promise(`${who}: the doctor finds that recording works`, doctor.status === 0, doctor.text);
  verdict.figures[who] = {};
  for (const [program, answer] of Object.entries(answers)) {
    const of = (part) => section(`${who}.${program}.${part}`);
    const [functions, lines] = [reportOf(of('functions').text), reportOf(of('lines').text)];
    const title = `${who}, ${answer.title}`;
    const samples = functions?.totalSamples ?? 0;
    promise(`${title}: it is recorded and reported`, samples >= fewestSamples && lines, of('record').text);
    if (samples < fewestSamples || !lines) continue;
    verdict.figures[who][program] = { samples, whole: wholeStacks(functions) / stacksOf(functions) };
    judgeAnswer({ title, answer, functions, lines }, promise);
    if (program === 'crew') judgeCrew({ title, who, functions, lines }, promise, verdict);
  }
}

const hasProbesOf = (release) => compareVersions(release, '6.6') >= 0;

/** Which costs the doctor says can be recorded; the others have their reason. */
function judgeKinds(release, section, promise) {
  const hasProbes = hasProbesOf(release);
  const cannot = {
    ...(!hasProbes && { Allocations: 'Linux 6.6', 'Calls of functions': 'Linux 6.6' }),
    ...(release.endsWith('arm64') && { 'Calls of functions': 'x86-64' }),
  };
  for (const who of ['root', 'user'])
    for (const kind of [
      'Waiting time',
      'Wake-ups',
      'Allocations',
      'Page faults',
      'System calls',
      'Calls of functions',
    ]) {
      const doctor = section(`${who}.doctor`).text;
      const line = doctor.split('\n').find((line) => line.slice(9).startsWith(`${kind}: `)) ?? '';
      const why = cannot[kind];
      const said = why ? line.startsWith('warning') && line.includes(why) : line.endsWith('can be recorded');
      promise(
        `${who}, ${kind}: the doctor says ${why ? 'why they cannot be recorded' : 'that it works'}`,
        said,
        doctor,
      );
    }
}

const stacksOf = ({ stackEnds }) => Object.values(stackEnds).reduce((a, b) => a + b, 0);
const wholeStacks = ({ stackEnds }) => stackEnds.root ?? 0;

function judgeAnswer({ title, answer, functions, lines }, promise) {
  const shareLost = functions.lostSamples / functions.totalSamples;
  promise(`${title}: fewer than 1 % of the samples are lost`, shareLost < 0.01, functions.lostSamples);
  const all = stacksOf(functions);
  const whole = wholeStacks(functions) > 0 && all - wholeStacks(functions) <= cutAtStartMax + cutShareMax * all;
  promise(`${title}: stacks reach the thread's start`, whole, JSON.stringify(functions.stackEnds));
  const ofUser = functions.functions.filter((row) => row.module !== '[kernel]');
  promise(`${title}: the hottest function is ${answer.hottest}`, ofUser[0]?.name === answer.hottest, ofUser[0]?.name);
  const line = lineOf(answer.source, 'the work');
  const hottest = lines.lines[0];
  const found = path.basename(hottest?.file ?? '') === answer.source && [line, line - 1].includes(hottest.line);
  promise(`${title}: the hottest line is ${answer.source}:${line}`, found, `${hottest?.file}:${hottest?.line}`);
}

function judgeCrew({ title, who, functions, lines }, promise, verdict) {
  const seen = (rows) => rows.reduce((sum, row) => sum + row.totalSamples, 0) / functions.totalSamples;
  for (const name of ['left_work', 'right_work', 'child_work']) {
    const share = seen(functions.functions.filter((row) => row.name === name));
    promise(`${title}: ${name} is seen`, share >= visibleShare, share);
  }
  if (who === 'bare') return; // user space only
  const line = lineOf('crew.c', 'the syscall');
  const atLine = seen(lines.lines.filter((row) => path.basename(row.file) === 'crew.c' && row.line === line));
  const kernel = functions.functions.filter((row) => row.module === '[kernel]');
  const inKernel = kernel.reduce((sum, row) => sum + row.selfSamples, 0) / functions.totalSamples;
  promise(`${title}: the kernel's time is shown`, inKernel >= visibleShare, inKernel);
  promise(`${title}: it stands under the calling line`, atLine >= visibleShare, atLine);
  const named = kernel.some((row) => row.name !== '[kernel]');
  verdict.figures[who].kernelNamed = named;
  promise(`${title}: kernel functions are named`, named, JSON.stringify(kernel));
}

/** Four threads take turns at a lock, 200 times each, and one sleeps while it has it; then they say how long they waited. */
function judgeWaits(section, promise) {
  const record = section('user.waits.record').text;
  const waits = reportOf(section('user.waits').text);
  const of = (name) => waits?.reasons?.find((row) => row.reason === name) ?? { waits: 0, total: 0 };
  const [, truth, blocked] = (/^(\d{6,})\n(\d+)$/m.exec(record) ?? []).map(Number);
  // The run queue is where threads are that did not give up their CPU.
  const others = (waits?.reasons ?? []).filter(({ reason }) => reason !== 'run queue');
  const seen = others.reduce((sum, row) => sum + row.waits, 0);
  const areAll = Math.abs(seen - blocked) <= 0.01 * blocked + 10;
  promise('user, waits: there are as many as the kernel counted', areAll, `${seen} of ${blocked}`);
  // Emulated, the timer of a sleep may go off before the thread has lost its CPU. And the wake-up of a thread that has already got
  // the lock may come late, in its sleep, which then goes on as a second wait: one of those that the kernel counted.
  const sleeps = of('sleep').waits;
  const areSlept = sleeps > 760 && sleeps <= 808 && areAll;
  promise('user, waits: sleeps are counted', areSlept, JSON.stringify(waits?.reasons));
  const members = waits?.functions?.find((row) => row.name === 'member')?.total;
  const isTrue = Math.abs(members / truth - 1) < 0.05;
  promise('user, waits: their time is what the program measured', isTrue, `${members}, ${record}`);
  const lines = reportOf(section('user.waits.lines').text)?.lines ?? [];
  const lock = lineOf('convoy.c', 'the lock');
  const atLock = lines.find((row) => path.basename(row.file) === 'convoy.c' && row.line === lock)?.total;
  const isOnLine = of('lock').total > 0.9 * atLock;
  promise('user, waits: those for the lock are on its line', isOnLine, `${of('lock').total} of ${atLock}`);
  const bare = section('bare.waits.record').text;
  promise('bare, waits: why there are none is said', bare.includes('waiting time will be missing'), bare);
}

/** Each kind of cost that needs BPF is recorded or refused in one sentence: without rights, and where the kernel refuses events. */
function judgeOtherKinds(release, section, promise) {
  const lacks = {
    ...(!hasProbesOf(release) && { alloc: /requires Linux 6[.]6 or newer/ }),
    ...(release.endsWith('arm64') && { calls: /counted on x86-64 only/ }),
  };
  const lack = /were not recorded: this requires root or the installed sampler/;
  const refusal = /the kernel requires cap_bpf and cap_perfmon/;
  for (const [kind, status, said] of [
    ['faults', 0, lack],
    ['syscalls', 0, lack],
    ['alloc', 3, refusal],
    ['calls', 3, lacks.calls ?? refusal],
    ['counters', 3, refusal],
  ]) {
    const bare = section(`bare.${kind}`);
    promise(`bare, ${kind}: why there are none is said`, bare.status === status && said.test(bare.text), bare.text);
    const refused = section(`refused.--${kind}`);
    const cause = lacks[kind] ?? /perf_event_paranoid is 3/;
    const isSaid = refused.status === 3 && cause.test(refused.text);
    promise(`perf_event_paranoid 3, ${kind}: the cause is said`, isSaid, refused.text);
  }
}

/** With Debian's perf_event_paranoid of 3 a sampler with cap_bpf and cap_perfmon may not open perf events. */
function judgeRefusal(section, promise) {
  for (const name of ['record', 'doctor']) {
    const { text, status } = section(`refused.${name}`);
    const told = status === 3 && text.includes('perf_event_paranoid is 3') && text.includes('cap_sys_admin');
    promise(`perf_event_paranoid 3: lineheat ${name} says what the kernel asks for`, told, text);
    promise(`perf_event_paranoid 3: lineheat ${name} advises no sysctl`, status === 3 && !/sysctl/i.test(text), text);
  }
}

/** What an ordinary user, whose sampler has file capabilities, may look into, and what the sampler can do by then. */
function judgeRights(section, promise) {
  const samplesOf = (name) => reportOf(section(name).text)?.totalSamples ?? 0;
  promise('user: an own running process is recorded', samplesOf('user.own') >= fewestSamples, section('user.own').text);
  for (const [name, words] of [
    ['foreign', 'only your own'],
    ['init', 'only your own'],
    ['private', 'protects its memory'],
  ]) {
    const { text, status } = section(`user.${name}`);
    promise(`user: a process that is ${name} is refused`, status === 3 && text.includes(words), text);
  }
  const { text } = section('user.status');
  const none = ['CapPrm', 'CapEff', 'CapInh', 'CapAmb'].every((set) =>
    new RegExp(`^${set}:\\s+0{16}$`, 'm').test(text),
  );
  promise('user: the sampler has no capability while it samples', none, text);
  const closed = /^NoNewPrivs:\s+1$/m.test(text) && /^Seccomp:\s+2$/m.test(text);
  promise('user: the sampler can gain none and runs behind a filter', closed, text);
  const later = reportOf(section('user.later').text);
  const lost = (later?.lostSamples ?? 0) / ((later?.lostSamples ?? 0) + (later?.totalSamples ?? 1));
  promise('user: a program that protects itself half-way is kept to the half', lost > 0.3 && lost < 0.7, lost);
  promise(
    'perf_event_paranoid 3: with cap_sys_admin it works',
    samplesOf('admin.report') >= fewestSamples,
    section('admin.record').text,
  );
}

/** One row for each kernel and user, as text columns. */
export function tableOf(verdicts) {
  const rows = [['kernel', 'as', ...Object.values(answers).map((a) => a.title), 'kernel functions', 'promises kept']];
  for (const { release, promises, figures } of verdicts) {
    const kept = `${promises.filter((promise) => promise.ok).length} of ${promises.length}`;
    const recorded = Object.entries(figures);
    if (recorded.length === 0)
      rows.push([release, users.join(', '), ...Object.keys(answers).map(() => 'refused'), '', kept]);
    for (const [who, figure] of recorded) {
      const programs = Object.keys(answers).map((program) => cell(figure[program]));
      const first = who === recorded[0][0];
      rows.push([first ? release : '', who, ...programs, kernelCell(figure.kernelNamed), first ? kept : '']);
    }
  }
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const kernelCell = (named) => (named === undefined ? '–' : named ? 'named' : 'unnamed');
const cell = (figure) =>
  figure ? `${figure.samples} samples, ${(100 * figure.whole).toFixed(1)} % whole` : 'not recorded';
