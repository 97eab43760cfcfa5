// Figures of another measure than CPU time: their unit and words, and no samples where nobody knows how many there were.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Verdict } from '../../../core/changeText.ts';
import type { ShownMeasure } from '../../../core/measureText.ts';
import {
  type Effect,
  type FileDifference,
  type FileHeat,
  type LineDetail,
  type LineMeasure,
  wire,
} from '../../../core/wire.ts';
import { differenceHover, lineHover } from './hoverText.ts';
import { differenceLenses, functionLenses } from './lenses.ts';
import { differenceMarks, heatMarks } from './marks.ts';

const choice = { threshold: 0.01, by: 'total' } as const;
const MIB = 1 << 20;

/** Line 3 has all of it, line 5 none. */
const heat: FileHeat = {
  ...(new wire.FileHeat() as unknown as FileHeat),
  totalValue: 8 * MIB,
  unit: 'bytes',
  line: [3, 5],
  selfSamples: [0, 0],
  totalSamplesOfLine: [0, 0],
  selfValue: [4 * MIB, 0],
  totalValueOfLine: [8 * MIB, 0],
  changed: [false, false],
  samplesUnknown: true,
};

test('a line is drawn for its value and coloured by its share alone', () => {
  const text = '50.0 % self · 100.0 % total';
  assert.deepEqual(heatMarks(heat, choice), [{ line: 3, style: 5, text }]);
  assert.deepEqual(heatMarks(heat, { ...choice, threshold: 0 }), [{ line: 3, style: 5, text }]);
});

test('where all events are recorded, one of them is coloured like many, and no count is few', () => {
  const waits = {
    ...heat,
    unit: 'nanoseconds',
    samplesUnknown: false,
    selfSamples: [1, 0],
    totalSamplesOfLine: [1, 0],
  };
  const [sampled] = heatMarks({ ...waits, complete: false }, choice);
  assert.deepEqual([sampled?.style, sampled?.text], [0, '50.0 % self · 100.0 % total · 1 sample']);
  const [complete] = heatMarks({ ...waits, complete: true }, choice);
  assert.deepEqual([complete?.style, complete?.text], [5, '50.0 % self · 100.0 % total']);
});

const WAIT: ShownMeasure = { type: 'wait', unit: 'nanoseconds', family: 'waiting', isComplete: true, isDetail: false };
const ALLOC: ShownMeasure = { type: 'alloc_space', unit: 'bytes', family: 'memory', isDetail: false };
const CPU: ShownMeasure = { type: 'cpu', unit: 'nanoseconds', family: 'cpu', isDetail: false };

test('waiting time and memory have colours of their own, and their name beside the figure', () => {
  const told = [WAIT, ALLOC, CPU].map((measure) => heatMarks(heat, choice, measure)[0]);
  assert.deepEqual(
    told.map((mark) => [mark?.style, mark?.text]),
    [
      ['waiting5', '50.0 % self · 100.0 % total · waiting'],
      ['memory5', '50.0 % self · 100.0 % total · allocated'],
      [5, '50.0 % self · 100.0 % total'],
    ],
  );
  const edited = { ...heat, changed: [true, true] };
  assert.deepEqual(
    heatMarks(edited, choice, WAIT).map(({ style }) => style),
    [0],
  );
});

const lineMeasure = (value: number, more: Partial<LineMeasure>): LineMeasure => ({
  ...(new wire.LineMeasure() as unknown as LineMeasure),
  ...{ value, selfValue: 0, totalSamples: 0, runTotalValue: 100, reasons: [], holders: [], wakers: [] },
  ...more,
});
const reason = (name: string, value: number) => ({ reason: name, value, samples: 1 });
const MEASURES = [CPU, WAIT, { ...WAIT, type: 'waits', unit: 'count', isDetail: true }, ALLOC];
const ON_LINE = [
  lineMeasure(0, { selfValue: 18, totalValue: 18, totalSamples: 9 }),
  lineMeasure(1, {
    ...{ totalValue: 1.2e9, totalSamples: 40, runTotalValue: 3e9 },
    reasons: [reason('lock', 1.1e9), reason('run queue', 1e8)],
    holders: [
      { place: { function: 'hold', path: '/src/ledger.c', line: 29 }, value: 1e9, samples: 30 },
      { place: { function: 'flush', path: '', line: 0 }, value: 1e8, samples: 3 },
    ],
    wakers: [{ place: { function: 'produce', path: '/src/queue.c', line: 31 }, value: 2e8, samples: 7 }],
  }),
  lineMeasure(2, { totalValue: 40, totalSamples: 40, runTotalValue: 80 }),
  lineMeasure(3, { selfValue: 4 * MIB, totalValue: 4 * MIB, runTotalValue: 8 * MIB }),
];

test('a hover has all measures of the line, each with its share of its own total, and why threads waited', () => {
  const detail: LineDetail = {
    ...(new wire.LineDetail() as unknown as LineDetail),
    ...{ selfValue: 18, totalValue: 18, selfSamples: 9, totalSamples: 9, runTotalValue: 100, unit: 'nanoseconds' },
    ...{ measures: ON_LINE, inlineChains: [], callers: [], callees: [] },
  };
  const shownAs = (shown: number) =>
    lineHover(detail, { changed: false, measures: MEASURES, shown, linkTo: () => undefined });
  const cpu = shownAs(0);
  assert.match(cpu, /^\| \*\*CPU time\*\* \| share/);
  assert.match(cpu, /^- waiting time: 40\.0 % total, 1\.20 s, 40 waits \(lock 1\.10 s, run queue 100 ms\)$/m);
  assert.match(cpu, /^- allocated memory: 50\.0 % self, 4\.00 MiB$/m);
  assert.equal(cpu.match(/^- /gm)?.length, 2, 'neither the shown one again nor the bare count of waits');
  const waiting = shownAs(1);
  assert.match(waiting, /^\| \*\*waiting time\*\* \| share/);
  assert.match(waiting, /^Waited for: lock 1\.10 s, run queue 100 ms$/m);
  assert.match(waiting, /^- CPU time: 18\.0 % self, 18 ns, 9 samples$/m);
  assert.ok(cpu.indexOf('Lock held at') > cpu.indexOf('waiting time'), 'after what it is about');
  for (const hover of [cpu, waiting]) {
    assert.match(hover, /^Lock held at: hold \(ledger&#46;c&#58;29\) 1\.00 s, flush 100 ms$/m);
    assert.match(hover, /^Woken from: produce \(queue&#46;c&#58;31\) 200 ms$/m);
  }
});

test('a hover of a line that only waited says that it has no CPU time, and why it waited', () => {
  const detail: LineDetail = {
    ...(new wire.LineDetail() as unknown as LineDetail),
    ...{ selfValue: 0, totalValue: 0, selfSamples: 0, totalSamples: 0, runTotalValue: 100, unit: 'nanoseconds' },
    ...{ measures: [ON_LINE[1]!], inlineChains: [], callers: [], callees: [] },
  };
  const hover = lineHover(detail, { changed: false, measures: MEASURES, shown: 0, linkTo: () => undefined });
  assert.match(hover, /^\*\*CPU time\*\*: none at this line\.$/m);
  assert.match(hover, /^- waiting time: 40\.0 % total, 1\.20 s, 40 waits \(lock 1\.10 s, run queue 100 ms\)$/m);
  assert.doesNotMatch(hover, /[Ff]ew samples|\|/);
});

test('a hover has the instructions per cycle of a line with their interval, where both were counted', () => {
  const detail: LineDetail = {
    ...(new wire.LineDetail() as unknown as LineDetail),
    ...{ selfValue: 18, totalValue: 18, selfSamples: 9, totalSamples: 9, runTotalValue: 100, unit: 'nanoseconds' },
    ...{ measures: [], inlineChains: [], callers: [], callees: [] },
    totalPerCycle: { value: 1.424, low: 1.3, high: 1.551 },
  };
  const hover = (of: LineDetail) =>
    lineHover(of, { changed: false, measures: MEASURES, shown: 0, linkTo: () => undefined });
  assert.match(hover(detail), /^Instructions per cycle: 1\.42 total \(1\.30 to 1\.55\)$/m);
  const both = hover({ ...detail, selfPerCycle: { value: 0.5, low: 0.25, high: 1 } });
  assert.match(both, /^Instructions per cycle: 0\.50 self \(0\.25 to 1\.00\), 1\.42 total/m);
  assert.doesNotMatch(hover({ ...detail, totalPerCycle: null }), /per cycle/);
});

test('waits are called waits in a hover, also those of callers', () => {
  const place = { function: 'main', path: '/src/a.c', line: 7 };
  const detail: LineDetail = {
    ...(new wire.LineDetail() as unknown as LineDetail),
    ...{ selfValue: 0, totalValue: 3e9, totalSamples: 1, selfSamples: 0, runTotalValue: 3e9 },
    ...{ unit: 'nanoseconds', samplesUnknown: false, complete: true },
    ...{ measures: [], inlineChains: [], callers: [{ place, samples: 40, value: 3e9, kernel: false }], callees: [] },
  };
  const text = lineHover(detail, { changed: false, measures: MEASURES, shown: 1, linkTo: () => undefined });
  assert.match(text, /3\.00 s, 1 wait \|/);
  assert.match(text, /, 40 waits$/m);
  assert.doesNotMatch(text, /sample/i);
});

test('a function has its lens, which says no samples', () => {
  const one = {
    ...(new wire.FunctionHeat() as unknown as FileHeat['functions'][number]),
    ...{ name: 'grow', line: 2, module: 'heap', definitionSelfValue: 4 * MIB, definitionTotalValue: 8 * MIB },
    definitionTotalSamples: 0,
  };
  const [lens] = functionLenses({ ...heat, functions: [one] }, 0.01);
  assert.deepEqual([lens?.title, lens?.samples], ['50.0 % self · 100.0 % total', undefined]);
  const [waiting] = functionLenses({ ...heat, functions: [one] }, 0.01, WAIT);
  assert.equal(waiting?.title, '50.0 % self · 100.0 % total · waiting');
});

test('a hover has values without samples, for the line, its inline chains and its neighbours', () => {
  const place = { function: 'grow', path: '/src/a.c', line: 7 };
  const detail: LineDetail = {
    ...(new wire.LineDetail() as unknown as LineDetail),
    ...{ selfSamples: 0, totalSamples: 0, selfValue: 4 * MIB, totalValue: 8 * MIB, runTotalValue: 8 * MIB },
    ...{ unit: 'bytes', samplesUnknown: true },
    measures: [],
    inlineChains: [{ places: [place, place], samples: 0 }],
    callers: [{ place, samples: 0, value: 8 * MIB, kernel: false }],
    callees: [],
  };
  const text = lineHover(detail, { changed: false, measures: [], shown: 0, linkTo: () => undefined });
  assert.match(text, /\| \*\*self\*\* \| 50\.0 % \| 4\.00 MiB \|/);
  assert.match(text, /^- grow a&#46;c:7 ← grow a&#46;c:7$|^- grow .*← grow [^()]*$/m);
  assert.match(text, /^- 100\.0 % grow [^,]*$/m);
  assert.doesNotMatch(text, /sample/i);
});

const effect: Effect = {
  ...{ change: 1, low: 0.9, high: 1.1, q: 0.001, verdict: Verdict.slower },
  missingExecutions: 0,
};
const difference: FileDifference = {
  ...(new wire.FileDifference() as unknown as FileDifference),
  ...{ baseTotal: 8 * MIB, newTotal: 12 * MIB, unit: 'bytes', samplesUnknown: true },
  ...{ line: [5], baseSelf: [0], newSelf: [0], baseTotalOfLine: [4 * MIB], newTotalOfLine: [8 * MIB] },
  ...{ baseSamples: [0], newSamples: [0], verdict: [Verdict.slower], changed: [false] },
  ...{ selfEffects: null, totalEffects: null, functions: [] },
};
const effects = {
  ...(new wire.Effects() as unknown as NonNullable<FileDifference['totalEffects']>),
  ...{ change: [1], low: [0.9], high: [1.1], q: [0.001], verdict: [Verdict.slower] },
};

test('a difference has the unit of what is compared', () => {
  assert.equal(differenceMarks(difference, choice)[0]!.text, '▲ +4.00 MiB · +16.7 pp');
  const moved = { ...difference, totalEffects: { ...effects, verdict: [Verdict.moved] } };
  assert.equal(differenceMarks(moved, choice)[0]!.text, '→ moved +4.00 MiB');
});

test('its hover says more and less, what is compared, and no samples', () => {
  const value = { type: 'inuse_space', unit: 'bytes' };
  const how = { method: 'Permutations.', per: 'run', value };
  const text = differenceHover({ ...difference, totalEffects: effects }, 0, how);
  assert.match(text, /4\.00 MiB \(50\.0 %\) \| 8\.00 MiB \(66\.7 %\) \| \+4\.00 MiB \(\+16\.7 pp\)/);
  assert.match(text, /\*\*total\*\* ▲ more: \+100\.0 %/);
  assert.match(text, /memory in use per run\./);
  assert.doesNotMatch(text, /sample/i);
  assert.doesNotMatch(differenceHover(difference, 0, how), /Too few/);
});

test('what rests on waits says how many waits there were', () => {
  const ofWaits = { ...difference, samplesUnknown: false, baseSamples: [3], newSamples: [4] };
  const hover = (type: string) =>
    differenceHover(ofWaits, 0, { method: '', per: 'run', value: { type, unit: 'nanoseconds' } });
  assert.match(hover('wait'), /\*\*waits\*\* \| 3 \| 4 \|/);
  assert.doesNotMatch(hover('wait'), /sample/i);
  assert.match(hover('cpu'), /\*\*samples\*\* \| 3 \| 4 \|/);
});

test('its lens says more and less in the unit of what is compared', () => {
  const one = {
    ...(new wire.FunctionDifference() as unknown as FileDifference['functions'][number]),
    ...{
      name: 'grow',
      line: 4,
      baseTotal: 4 * MIB,
      newTotal: 8 * MIB,
      totalEffect: effect,
      selfEffect: null,
      note: '',
    },
  };
  const [lens] = differenceLenses({ ...difference, functions: [one] }, 'run', 0.01);
  assert.equal(lens?.title, '▲ +100.0 % ±10.0 more · 4.00 MiB → 8.00 MiB per run');
});
