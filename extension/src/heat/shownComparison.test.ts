import assert from 'node:assert/strict';
import test from 'node:test';
import { type ComparisonOpened, type Execution, type Explanation, type Spread, wire } from '../../../core/wire.ts';
import { shownComparison, shownExplanation } from './shownComparison.ts';

const opened = (more: Partial<ComparisonOpened>): ComparisonOpened => ({
  ...(new wire.ComparisonOpened() as unknown as ComparisonOpened),
  sentence: '',
  method: '',
  per: 'run',
  smallestDetectable: Number.NaN,
  normalisation: 0,
  normalisations: [],
  baseExecutions: [],
  newExecutions: [],
  facts: [],
  commitsBetween: [],
  baseSpread: null,
  newSpread: null,
  ...more,
});
const execution = (more: Partial<Execution>): Execution => ({
  ...(new wire.Execution() as unknown as Execution),
  wallNs: 0,
  userNs: 0,
  systemNs: 0,
  samples: 0,
  value: 0,
  outlier: false,
  warmUp: false,
  ...more,
});

test('the method says what could have been seen, when that is known', () => {
  assert.deepEqual(shownComparison(opened({ method: 'Moderated t.', smallestDetectable: 0.012 })).method, [
    'Moderated t.',
    'These runs can show an overall change of 1.2 % or more in 4 of 5 cases.',
  ]);
  assert.deepEqual(shownComparison(opened({})).method, []);
});
const spread = (median: number) => ({
  ...(new wire.Spread() as unknown as Spread),
  median,
  least: median / 2,
  greatest: median * 2,
});
test('median and range are those that the engine says', () => {
  const shown = shownComparison(opened({ baseSpread: spread(4e6) }));
  assert.deepEqual(shown.base, { executions: [], median: 4e6, least: 2e6, greatest: 8e6 });
  assert.deepEqual(shown.new.median, Number.NaN);
});
test('warm-up runs are no dots; each dot says what its run took', () => {
  const { base } = shownComparison(
    opened({
      baseExecutions: [
        execution({ warmUp: true }),
        execution({ value: 5e6, wallNs: 2e9, userNs: 15e8, systemNs: 1e8, samples: 1600, outlier: true }),
      ],
    }),
  );
  assert.deepEqual(base.executions, [
    {
      value: 5e6,
      outlier: true,
      text: 'run 1 · 2.00 s wall · 1.50 s user, 100 ms system · 1,600 samples · outlier',
    },
  ]);
});
test('normalisations have words; one that is not known here is not offered', () => {
  const { normalisations } = shownComparison(opened({ normalisations: [2, 4, 9 as 4] }));
  assert.deepEqual(normalisations, [
    { value: 2, label: 'per execution' },
    { value: 4, label: 'share of total' },
  ]);
});
test('a line that only one text has comes with its zeros, as the wire leaves them out', () => {
  const bytes = wire.Explanation.encode({ functions: [{ name: 'f', lines: [{ newLine: 8, text: 'x' }] }] }).finish();
  const { functions } = shownExplanation(wire.Explanation.decode(bytes) as unknown as Explanation);
  assert.deepEqual(functions[0]!.lines, [{ baseLine: 0, newLine: 8, text: 'x', baseSelf: 0, newSelf: 0, verdict: 0 }]);
});
test('foreign text can be seen: facts, commits, source lines', () => {
  const evil = 'a\u202eb';
  const shown = shownComparison(
    opened({ facts: [{ what: evil, base: evil, new: evil, differs: true }], commitsBetween: [evil] }),
  );
  assert.deepEqual(shown.facts, [{ what: 'a\\u202eb', base: 'a\\u202eb', new: 'a\\u202eb', differs: true }]);
  assert.deepEqual(shown.commits, ['a\\u202eb']);
  const explanation = {
    netChange: -5,
    churn: 9,
    functions: [
      {
        ...new wire.ExplainedFunction(),
        name: evil,
        module: '',
        recordedPath: '/src/a.cpp',
        path: '',
        line: 7,
        note: evil,
        baseSelf: 1,
        newSelf: 2,
        selfEffect: null,
        contribution: 1,
        row: 0,
        lines: [{ baseLine: 0, newLine: 3, text: `\t${evil}`, baseSelf: 0, newSelf: 2, verdict: 3 }],
      },
    ],
  } as unknown as Explanation;
  const [one] = shownExplanation(explanation).functions;
  assert.equal(one!.name, 'a\\u202eb');
  assert.equal(one!.place, 'a.cpp:7');
  assert.equal(one!.lines[0]!.text, '    a\\u202eb');
  assert.ok(Number.isNaN(one!.change));
});
