import assert from 'node:assert/strict';
import test from 'node:test';
import { Verdict } from '../../../core/changeText.ts';
import {
  type Effect,
  type Effects,
  type FileDifference,
  type FileHeat,
  type FunctionDifference,
  type LineDetail,
  type Place,
  wire,
} from '../../../core/wire.ts';
import { endOfHotPath } from './hotPath.ts';
import { differenceHover, lineHover } from './hoverText.ts';
import { differenceLenses, functionLenses, LENSES_MAX } from './lenses.ts';
import { differenceMarks, heatMarks, MARKS_MAX, waitMarks } from './marks.ts';

type Row = readonly [line: number, self: number, total: number, changed?: boolean];
const heatOf = (rows: readonly Row[], more: Partial<FileHeat> = {}): FileHeat => ({
  ...(new wire.FileHeat() as unknown as FileHeat),
  totalSamples: 1000,
  totalValue: 1000e6,
  unit: 'nanoseconds',
  line: rows.map(([line]) => line),
  selfSamples: rows.map(([, self]) => self),
  totalSamplesOfLine: rows.map(([, , total]) => total),
  selfValue: rows.map(([, self]) => self * 1e6),
  totalValueOfLine: rows.map(([, , total]) => total * 1e6),
  changed: rows.map(([, , , changed]) => changed ?? false),
  ...more,
});
const choice = { threshold: 0.01, by: 'total' } as const;

test('a hot line has its self figure, and its total where it differs', () => {
  const marks = heatMarks(
    heatOf([
      [3, 124, 124],
      [4, 20, 382],
      [9, 0, 500],
      [12, 1, 9],
    ]),
    choice,
  );
  assert.deepEqual(marks, [
    { line: 3, style: 3, text: '12.4 % self' },
    { line: 4, style: 4, text: '2.0 % self · 38.2 % total' },
    { line: 9, style: 5, text: '50.0 % total' },
  ]);
});
test('a changed line is marked with ≈ and without colour', () => {
  assert.deepEqual(heatMarks(heatOf([[3, 500, 500, true]]), choice), [{ line: 3, style: 0, text: '≈ 50.0 % self' }]);
});
test('few samples are said and not coloured', () => {
  const heat = heatOf([[3, 4, 4]], { totalValue: 8e6 });
  assert.deepEqual(heatMarks(heat, choice), [{ line: 3, style: 0, text: '50.0 % self · 4 samples' }]);
});
test('a line that waits says for what beside its CPU time, from the threshold on, whether it was sampled or not', () => {
  const waited = (line: number, reasons: readonly [string, number][], changed = false) => ({
    line,
    changed,
    waitedNs: reasons.reduce((sum, [, ns]) => sum + ns, 0),
    reasons: reasons.map(([reason, value]) => ({ reason, value, samples: 1 })),
  });
  const heat = heatOf([[3, 500, 500]], {
    threadsNs: 10e9,
    waits: [
      waited(3, [
        ['lock', 3.9e9],
        ['disk', 0.2e9],
      ]),
      waited(4, [['sleep', 99e6]]),
      waited(5, [['sleep', 100e6]], true),
      waited(6, [
        ['pipe', 1e9],
        ['poll', 0.5e9],
        ['other', 1e6],
      ]),
    ],
  });
  assert.deepEqual(waitMarks(heat, choice), [
    { line: 3, style: 'waits', text: 'waits: lock 3.90 s, disk 200 ms' },
    { line: 5, style: 'waits', text: '≈ waits: sleep 100 ms' },
    { line: 6, style: 'waits', text: 'waits: pipe 1.00 s, poll 500 ms, 1 other reason' },
  ]);
  assert.deepEqual(waitMarks(heatOf([]), choice), []);
});
test('the colour can follow self', () => {
  assert.equal(heatMarks(heatOf([[9, 0, 500]]), { ...choice, by: 'self' })[0]!.style, 0);
});
test('a huge file keeps its hottest lines', () => {
  const rows = Array.from({ length: 3000 }, (_, at): Row => [at + 1, at, at]);
  const marks = heatMarks(heatOf(rows, { totalValue: 3000e6 }), choice);
  assert.equal(marks.length, MARKS_MAX);
  assert.equal(marks[0]!.line, 2001);
});

test('lenses stand on hot functions, hottest twenty, one a line', () => {
  const functions = Array.from({ length: 40 }, (_, at) => ({
    name: `f${at}`,
    line: at < 2 ? 7 : at,
    selfSamples: 121,
    totalSamples: 3812 - at,
    selfValue: 1e6,
    totalValue: 2e6,
    module: 'shop',
    definitionSelfValue: 121e6,
    definitionTotalValue: 382e6,
    definitionTotalSamples: 3812 - at,
  }));
  const lenses = functionLenses(heatOf([], { functions }), 0.01);
  assert.equal(lenses.length, LENSES_MAX);
  const lens = lenses.find(({ line }) => line === 7);
  assert.deepEqual([lens?.title, lens?.samples, lens?.instances], ['12.1 % self · 38.2 % total', 3812, 3]);
  const cold = functions.map((f) => ({ ...f, definitionTotalValue: 1e6 }));
  assert.deepEqual(functionLenses(heatOf([], { functions: cold }), 0.01), []);
  const called = {
    name: 'f2',
    module: 'shop',
    line: 2,
    counted: true,
    calls: 7,
    perCall: null,
    unit: '',
    note: '',
    duration: null,
  };
  const calls = [called, { ...called, name: 'cold', line: 900 }];
  const counted = functionLenses(heatOf([], { functions, calls }), 0.01);
  assert.equal(counted.find(({ line }) => line === 2)?.title, '12.1 % self · 38.2 % total · 7 calls');
  assert.equal(counted.at(-1)?.title, '7 calls', 'also without samples');
});

type OneEffect = readonly [verdict: number, change: number, low: number, high: number, q: number];
const effectsOf = ([verdict, change, low, high, q]: OneEffect): Effects => ({
  ...(new wire.Effects() as unknown as Effects),
  change: [change],
  low: [low],
  high: [high],
  q: [q],
  verdict: [verdict],
});
const differenceOf = (verdict: number, base: number, now: number, total?: OneEffect): FileDifference => ({
  ...(new wire.FileDifference() as unknown as FileDifference),
  unit: 'nanoseconds',
  baseTotal: 1000e6,
  newTotal: 1000e6,
  line: [5],
  baseSelf: [0],
  newSelf: [0],
  baseTotalOfLine: [base * 1e6],
  newTotalOfLine: [now * 1e6],
  baseSamples: [base],
  newSamples: [now],
  verdict: [verdict],
  changed: [false],
  selfEffects: null,
  totalEffects: total ? effectsOf(total) : null,
  functions: [],
});
const nothing = Number.NaN;

test('without effects a difference has a glyph, a time and percentage points', () => {
  const mark = (verdict: number, base: number, now: number) =>
    differenceMarks(differenceOf(verdict, base, now), choice)[0];
  const { slower, gone, tooFew } = Verdict;
  assert.deepEqual(mark(slower, 100, 141), { line: 5, style: 'slower', text: '▲ +41.0 ms · +4.1 pp' });
  assert.deepEqual(mark(gone, 100, 0), { line: 5, style: 'faster', text: '▼ −100 ms · −10.0 pp · gone' });
  assert.deepEqual(mark(tooFew, 12, 5)?.style, 'unclear');
  assert.equal(mark(slower, 1, 2), undefined);
});
test('an effect is a glyph, a change and its interval; noise is grey', () => {
  const { noise, slower, faster, new: added, gone, moved, tooFew, movedWithin } = Verdict;
  const mark = (base: number, now: number, effect: OneEffect) => {
    const { style, text } = differenceMarks(differenceOf(effect[0], base, now, effect), choice)[0]!;
    return [style, text];
  };
  assert.deepEqual(mark(100, 104, [slower, 0.041, 0.035, 0.047, 0.001]), ['slower', '▲ +4.1 % ±0.6']);
  assert.deepEqual(mark(100, 90, [faster, -0.1, -0.12, -0.08, 0.001]), ['faster', '▼ −10.0 % ±2.0']);
  assert.deepEqual(mark(100, 101, [noise, 0.01, -0.02, 0.04, 0.6]), ['unclear', '○ +1.0 % ±3.0']);
  assert.deepEqual(mark(0, 12, [added, nothing, nothing, nothing, 0.001]), ['slower', '+ new 12.0 ms']);
  assert.deepEqual(mark(12, 0, [gone, nothing, nothing, nothing, 0.001]), ['faster', '− gone 12.0 ms']);
  assert.deepEqual(mark(50, 20, [moved, nothing, nothing, nothing, nothing]), ['unclear', '→ moved −30.0 ms']);
  assert.deepEqual(mark(50, 60, [movedWithin, 0.2, 0.1, 0.3, 0.01]), ['unclear', '⇄ moved within +10.0 ms']);
  assert.deepEqual(mark(12, 9, [tooFew, nothing, nothing, nothing, nothing]), ['unclear', '? untested']);
  assert.deepEqual(mark(4000, 2000, [tooFew, -0.5, nothing, nothing, nothing]), ['unclear', '? −50.0 % untested']);
});
test('a line is judged by self where the heat is', () => {
  const difference = {
    ...differenceOf(0, 100, 100, [Verdict.noise, 0, -0.1, 0.1, 1]),
    baseSelf: [20e6],
    newSelf: [40e6],
    selfEffects: effectsOf([Verdict.slower, 1, 0.9, 1.1, 0]),
  };
  const bySelf = differenceMarks(difference, { ...choice, by: 'self' })[0];
  assert.deepEqual(bySelf, { line: 5, style: 'slower', text: '▲ +100.0 % ±10.0' });
  assert.equal(differenceMarks(difference, choice)[0]!.style, 'unclear');
});

const how = { method: 'Moderated t over 5 + 5 runs.', per: 'run', value: null };
test('the hover of a difference has base, new, change, and what may be said of it', () => {
  assert.match(differenceHover(differenceOf(Verdict.slower, 100, 141), 0, how), /\+41\.0 ms \(\+4\.1 pp\)/);
  const text = differenceHover(
    differenceOf(Verdict.slower, 100, 104, [Verdict.slower, 0.041, 0.035, 0.047, 0.004]),
    0,
    how,
  );
  assert.match(text, /\*\*total\*\* ▲ slower: \+4\.1 %, 95 % interval \+3\.5 to \+4\.7 %, q 0\.004/);
  const few = differenceOf(Verdict.tooFew, 4, 9, [Verdict.tooFew, 1.25, Number.NaN, Number.NaN, Number.NaN]);
  const missing = (more: number) => {
    const totalEffects = { ...few.totalEffects!, missingExecutions: [more] };
    return differenceHover({ ...few, totalEffects }, 0, how);
  };
  assert.match(
    missing(6),
    /\*\*total\*\* \? \+125\.0 %, too few samples for a test, which needs about 6 more executions of each side/,
  );
  const ofParts = { ...how, per: 'share', partNames: ['rest', 'selection'] };
  const parts = differenceHover(differenceOf(Verdict.slower, 100, 104, [Verdict.slower, 0.04, 0, 0.1, 0]), 0, ofParts);
  assert.match(parts, /^\| \| rest \| selection \| difference \|/);
  assert.match(parts, /\*\*total\*\* ▲ more: /);
  assert.match(missing(0), /not enough independent samples for a test/);
  assert.match(text, /CPU time per run\. Moderated t over 5 &#43; 5 runs&#46;/);
});

test('lenses of a comparison say the verdict with its interval, the changed functions first', () => {
  const one = (line: number, total: Partial<Effect>, more: Partial<FunctionDifference> = {}): FunctionDifference => ({
    ...(new wire.FunctionDifference() as unknown as FunctionDifference),
    name: `f${line}`,
    line,
    baseTotal: 200e6,
    newTotal: 208e6,
    totalEffect: {
      ...{ change: 0.041, low: 0.035, high: 0.047, q: 0.001, verdict: Verdict.slower, missingExecutions: 0 },
      ...total,
    },
    selfEffect: null,
    ...more,
  });
  const few = { baseTotal: 1e6, newTotal: 1e6 };
  const functions = [one(9, { verdict: Verdict.noise }), one(4, {}, { note: 'renamed from g' }), one(20, {}, few)];
  const lenses = differenceLenses({ ...differenceOf(0, 1, 1), functions }, 'run', 0.01);
  assert.deepEqual(
    lenses.map(({ line, title }) => [line, title]),
    [
      [4, '▲ +4.1 % ±0.6 slower · 200 ms → 208 ms per run · renamed from g'],
      [9, '○ +4.1 % ±0.6 not distinguishable from noise · 200 ms → 208 ms per run'],
    ],
  );
  const many = Array.from({ length: 40 }, (_, at) =>
    one(at + 1, { verdict: at < 30 ? Verdict.noise : Verdict.faster }),
  );
  const kept = differenceLenses({ ...differenceOf(0, 1, 1), functions: many }, 'run', 0.01);
  assert.equal(kept.length, LENSES_MAX);
  assert.equal(kept.filter(({ line }) => line > 30).length, 10);
});

test('a hover escapes names and links by number only', () => {
  const place: Place = { function: '[x](command:evil) <b>', path: '/src/a.cpp', line: 7 };
  const detail: LineDetail = {
    selfSamples: 5,
    totalSamples: 50,
    selfValue: 5e6,
    totalValue: 50e6,
    runTotalValue: 100e6,
    unit: 'nanoseconds',
    samplesUnknown: false,
    complete: false,
    inlineChains: [{ places: [place, place], samples: 3 }],
    callers: [{ place, samples: 50, value: 50e6, kernel: false }],
    callees: [{ place: { ...place, path: '' }, samples: 9, value: 9e6, kernel: true }],
    measures: [],
    selfPerCycle: null,
    totalPerCycle: null,
    changed: true,
  };
  const linkTo = (to: Place) => (to.path ? 'command:lineheat.goto?%5B3%5D' : undefined);
  const text = lineHover(detail, { changed: true, measures: [], shown: 0, linkTo });
  assert.match(text, /\| \*\*self\*\* \| 5\.0 % \| 5\.00 ms, 5 samples \|/);
  assert.match(text, /edited since the recording/);
  assert.match(text, /\(kernel\), 9 samples/);
  assert.deepEqual([...new Set(text.match(/\]\([^)]*\)/g))], ['](command:lineheat.goto?%5B3%5D)']);
  assert.doesNotMatch(text, /<b>|command:evil/);
});

test('the hot path is followed through own files, and ends where libraries or several calls begin', async () => {
  const at = (path: string, line: number): Place => ({ function: path, path, line });
  // A call leads to a definition; the time is on a line below it.
  const calls: Record<string, [Place, number][]> = {
    'main.c:3': [[at('main.c', 8), 100]],
    'main.c:9': [[at('book.c', 5), 90]],
    'book.c:7': [
      [at('/usr/include/map', 7), 80],
      [at('price.c', 2), 9],
    ],
    'loop.c:1': [[at('loop.c', 1), 100]],
  };
  const functions = [5, 8, 20].map((line) => ({
    ...(new wire.FunctionHeat() as unknown as FileHeat['functions'][number]),
    line,
  }));
  const heats: Record<string, FileHeat> = {
    'main.c': heatOf(
      [
        [3, 0, 100],
        [9, 0, 95],
        [10, 1, 5],
        [21, 0, 99],
      ],
      { functions },
    ),
    'book.c': heatOf(
      [
        [6, 1, 1],
        [7, 0, 80],
        [9, 0, 90],
      ],
      { functions },
    ),
    'loop.c': heatOf([[1, 100, 100]]),
  };
  const tools = {
    isOwn: (path: string) => !path.startsWith('/usr'),
    heatOf: async (path: string) => heats[path]!,
    detailOf: async ({ path, line }: { path: string; line: number }) => ({
      ...(new wire.LineDetail() as unknown as LineDetail),
      totalValue: 100,
      callees: (calls[`${path}:${line}`] ?? []).map(([place, value]) => ({
        place,
        value,
        samples: value,
        kernel: false,
      })),
    }),
  };
  assert.deepEqual(await endOfHotPath(at('main.c', 3), tools), at('book.c', 7));
  assert.deepEqual(await endOfHotPath(at('loop.c', 1), tools), at('loop.c', 1));
});
