import assert from 'node:assert/strict';
import test from 'node:test';
import { tokenizer } from './tokens.ts';

const ready = tokenizer('source.lineheat.annotated');
const lines = async (...text: string[]) =>
  (await ready)(...text).map((line) => line.map(([word, scope]) => [word.trim(), scope.replace(/\.annotated$/, '')]));

test('the figures of a line have a scope by heat, and the source is embedded', async () => {
  const [hot, cool] = await lines(
    '  12.4 %    94.3 %      5,507     28 |     Account& account = index_[order.account];',
    '   0.1 %?    2.0 %          4     19 |     ++orders;',
  );
  assert.deepEqual(hot, [
    ['12.4 %', 'keyword.heat.hot'],
    ['94.3 %', 'keyword.heat.hot'],
    ['5,507', 'constant.numeric.samples'],
    ['28', 'constant.numeric.line'],
    ['|', 'punctuation.separator.source'],
    ['Account& account = index_[order.account];', 'meta.embedded.block.cpp'],
  ]);
  assert.deepEqual(cool?.slice(0, 3), [
    ['0.1 %', 'comment.heat.cool'],
    ['?', 'comment.few-samples'],
    ['2.0 %', 'constant.numeric.heat.warm'],
  ]);
});
test('what threads waited for at a line has a scope, and the source behind it', async () => {
  const [both, several] = await lines(
    '   0.2 %?             4  run queue 1.20 s, lock 0 ns        9 | wait(1, 2);',
    '                         sleep 241 ms, 12 other reasons  10≈ | nap();',
  );
  const wait = 'constant.numeric.wait';
  const words = (line: string[][] | undefined) => line?.filter(([, scope]) => scope === wait).map(([word]) => word);
  assert.deepEqual(words(both), ['run queue 1.20 s', 'lock 0 ns']);
  assert.deepEqual(words(several), ['sleep 241 ms', '12 other reasons']);
  assert.deepEqual(both?.at(-3), ['9', 'constant.numeric.line']);
  assert.deepEqual(both?.at(-1), ['wait(1, 2);', 'meta.embedded.block.cpp']);
});
test('a cold line has its number only, whatever bars its source holds', async () => {
  assert.deepEqual(await lines('                                   4 | a || b'), [
    [
      ['4', 'constant.numeric.line'],
      ['|', 'punctuation.separator.source'],
      ['a || b', 'meta.embedded.block.cpp'],
    ],
  ]);
});
test('a Rust file is embedded as Rust', async () => {
  const [header, line] = await lines(
    '# file     /w/src/main.rs',
    '  50.0 %    50.0 %      5,507     28 | fn main() {}',
  );
  assert.deepEqual(header?.at(-1), ['/w/src/main.rs', 'string.unquoted.path']);
  assert.deepEqual(line?.at(-1), ['fn main() {}', 'meta.embedded.block.rust']);
});
test('header lines name what they tell', async () => {
  const [samples, note] = await lines('# samples  5,840, CPU time 5.85 s', '# note     no debug information');
  assert.deepEqual(samples?.[1], ['samples', 'keyword.other.header']);
  assert.deepEqual(note?.[1], ['note', 'keyword.control.note']);
});
