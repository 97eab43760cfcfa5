import assert from 'node:assert/strict';
import test from 'node:test';
import { parseCount, parseTurns, parseWork } from './repeatText.ts';
import { misfitOf, parseSweep } from './sweepText.ts';

test('parameters are names with lists of values; quotes hold blanks', () => {
  assert.deepEqual(parseSweep('threads=1,2,4  "file=a b.txt,c"'), [
    { name: 'threads', values: ['1', '2', '4'] },
    { name: 'file', values: ['a b.txt', 'c'] },
  ]);
});
test('what is no list of values is told in a sentence', () => {
  for (const [text, words] of [
    ['', /at least one/],
    ['threads', /NAME=VALUE/],
    ['=1,2', /NAME=VALUE/],
    ['threads=1,,2', /empty/],
    ['threads=', /empty/],
    ['threads=1,1', /twice/],
    ['a=1 a=2', /twice/],
    ['"a=1', /quote/],
    [`a=${Array.from({ length: 1001 }, (_, i) => i).join(',')}`, /1001 combinations/],
  ] as const) {
    const parsed = parseSweep(text);
    assert.ok(typeof parsed === 'string' && words.test(parsed), `${text}: ${JSON.stringify(parsed)}`);
  }
});
test('each parameter has a place where its value goes', () => {
  const parameters = [{ name: 'threads', values: ['1'] }];
  assert.equal(misfitOf(parameters, ['--threads={threads}']), undefined);
  assert.match(misfitOf(parameters, ['--threads', '4'])!, /do not contain \{threads\}/);
});
test('work is a number, an expression with a group, or unknown', () => {
  assert.deepEqual(parseWork(' '), { work: 0, workFrom: '' });
  assert.deepEqual(parseWork('1_000_000'), { work: 1e6, workFrom: '' });
  assert.deepEqual(parseWork('items: (\\d+)'), { work: 0, workFrom: 'items: (\\d+)' });
  assert.match(String(parseWork('items: \\d+')), /group/);
  assert.match(String(parseWork('items: (?:\\d+)')), /group/);
  assert.match(String(parseWork('-3')), /above 0/);
});
test('counts are whole and bounded', () => {
  assert.equal(parseCount('10', 1, 100), 10);
  for (const text of ['', '0', '1.5', 'ten', '101']) assert.equal(typeof parseCount(text, 1, 100), 'string');
});

test('builds run a number of times, or until a change would show', () => {
  assert.deepEqual(parseTurns('12', 100), { repeat: 12, until: 0 });
  assert.deepEqual(parseTurns(' 2 % ', 100), { repeat: 100, until: 0.02 });
  assert.deepEqual(parseTurns('0.5%', 100), { repeat: 100, until: 0.005 });
  for (const text of ['', '%', '0%', '200%', '1.2.3%', '-2%', 'two', '0', '101'])
    assert.equal(typeof parseTurns(text, 100), 'string', text);
});
