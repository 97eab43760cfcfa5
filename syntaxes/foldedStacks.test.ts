import assert from 'node:assert/strict';
import test from 'node:test';
import { tokenizer } from './tokens.ts';

const ready = tokenizer('source.lineheat.folded');
const words = async (line: string) =>
  (await ready)(line)[0]!.map(([text, scope]) => [text, scope.replace(/\.folded$/, '')]);
const semicolon = [';', 'punctuation.separator.frame'];

test('frames, their separators and the count are told apart', async () => {
  assert.deepEqual(await words('main;std::map<int, int>::find(int const&);[libc.so.6];0x7f00 3812'), [
    ['main', 'entity.name.function'],
    semicolon,
    ['std::map<int, int>::find(int const&)', 'entity.name.function'],
    semicolon,
    ['[libc.so.6]', 'support.type.module'],
    semicolon,
    ['0x7f00', 'constant.numeric.hex.address'],
    ['3812', 'constant.numeric.count'],
  ]);
});
test('kernel and inlined frames carry their mark', async () => {
  assert.deepEqual(await words('a_[i];do_syscall_64_[k] 7'), [
    ['a', 'entity.name.function.inlined'],
    ['_[i]', 'storage.modifier.inlined'],
    semicolon,
    ['do_syscall_64', 'entity.name.function.kernel'],
    ['_[k]', 'storage.modifier.kernel'],
    ['7', 'constant.numeric.count'],
  ]);
});
test('a process with its pid comes first', async () => {
  assert.deepEqual((await words('orders-1234/1235;main 1')).slice(0, 2), [
    ['orders', 'entity.name.type.process'],
    ['-1234/1235', 'constant.numeric.pid'],
  ]);
});
test('a differential profile has two counts', async () => {
  const counts = (await words('main;f 10 12.5')).filter(([, scope]) => scope === 'constant.numeric.count');
  assert.deepEqual(counts, [
    ['10', 'constant.numeric.count'],
    ['12.5', 'constant.numeric.count'],
  ]);
});
test('a comment is a comment', async () => {
  assert.deepEqual(await words('# made by; someone 3'), [['# made by; someone 3', 'comment.line.number-sign']]);
});
