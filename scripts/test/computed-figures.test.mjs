// The rule that the engine computes and TypeScript shows, proved by planted violations; and what must stay allowed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import ts from 'typescript';
import { computedFigures, computedFiguresProblems, figuresOf } from '../checks/computed-figures.mjs';

const problems = (text) => computedFigures(ts, 'extension/src/heat/other.ts', text);

const planted = [
  ['a sum of two fields', 'const taken = run.samples + run.lost;'],
  ['a relative change', 'const change = (opened.newTotal - opened.baseTotal) / opened.baseTotal;'],
  ['a figure under another name', 'const { newTotal: now, baseTotal: base } = opened;\nconst grown = now - base;'],
  ['a figure in a variable', 'const first = table.selfValue[0]!;\nconst doubled = first * 2;'],
  ['a running sum', 'let sum = 0;\nfor (const value of heat.selfValue) sum += value;'],
  ['a sum by reduce', 'heat.totalValueOfLine.reduce((sum, one) => sum + one, 0);'],
  ['a sum of what was picked', 'executions.map(({ value }) => value).reduce((sum, one) => sum + one, 0);'],
  [
    'a median',
    'const sorted = executions.map(({ value }) => value).sort();\nconst middle = (sorted[1]! + sorted[2]!) / 2;',
  ],
  ['totals of a tree', 'const { total } = graph.costs;\ntotal[up] = total[up]! + total[node]!;'],
  ['a match share', 'const part = graph.costs.total[node]! / graph.costs.total[0]!;'],
  ['a share of a share', 'const twice = share(line.selfValue, heat.totalValue) * 2;'],
  [
    'a function that gives a figure',
    'const cost = (row: number) => table.baseSelf[row]!;\nconst both = cost(1) + cost(2);',
  ],
  ['a column that is handed on', 'function f(column: Float64Array) {\n  return column[0]! - column[1]!;\n}'],
];
for (const [name, text] of planted)
  test(`refused: ${name}`, () => {
    assert.equal(problems(text).length, 1, problems(text).join('\n'));
    assert.match(problems(text)[0], /^extension\/src\/heat\/other\.ts:[12] computes over samples/);
  });

test('allowed: to choose, to compare, to count rows, to put into words, to draw', () => {
  const good = `const hottest = Math.max(...heat.totalValueOfLine);
    if (heat.selfSamples[row]! >= FEW && share(heat.selfValue[row]!, heat.totalValue) > threshold) rows.push(row + 1);
    const next = heat.selfValue.length - 1;
    const text = 'self ' + samplesText(run.samples) + \` of \${run.lost}\`;
    const width = layout.width[node]! * pixels;
    const selfValue = 3;
    function of(value: number) { return value * 2; }`;
  assert.deepEqual(problems(good), []);
});

test('figures are the wide numbers of the protocol and all counts of samples', () => {
  const proto =
    'uint64 cpu_ns = 1;\n  repeated uint32 self_samples = 2;\n  uint32 line = 3;\n  uint64 started_unix_ms = 4;';
  assert.deepEqual([...figuresOf(proto)], ['cpuNs', 'selfSamples']);
});

test('the tree as it is has none', async () => {
  assert.deepEqual(await computedFiguresProblems(), []);
});

test('refused: a run that reads nothing', async () => {
  assert.match((await computedFiguresProblems([])).join('\n'), /^Only 0 product files/);
});
