import assert from 'node:assert/strict';
import test from 'node:test';
import { cutInMiddle, distinctShortNames, shortName } from './shortName.ts';

const cases: readonly (readonly [name: string, short: string])[] = [
  ['main', 'main'],
  ['shop::countWords(std::istream&, unsigned long)', 'shop::countWords(…)'],
  ['f(int)', 'f(int)'],
  [
    'std::_Rb_tree<std::__cxx11::basic_string<char, std::char_traits<char> >, int>::_M_insert_(std::pair<int, int>&&)',
    'std::_Rb_tree<…>::_M_insert_(…)',
  ],
  ['std::vector<int>::push_back(int const&)', 'std::vector<int>::push_back(…)'],
  ['std::operator< <char, std::char_traits<char>, std::allocator<char> >', 'std::operator< <…>'],
  ['std::ostream::operator<<(unsigned long long)', 'std::ostream::operator<<(…)'],
  ['Wrapper<std::map<int, long>>::operator->() const', 'Wrapper<…>::operator->() const'],
  ['(anonymous namespace)::write_account(std::ostream&)', '(anonymous namespace)::write_account(…)'],
  ['<alloc::vec::Vec<T> as core::ops::Drop>::drop', '<alloc::vec::Vec<T> as core::ops::Drop>::drop'],
  ['core::iter::Iterator::fold::<alloc::string::String>', 'core::iter::Iterator::fold::<…>'],
  ['call<std::function<void (int)>, Result (*)(int) -> bool>::run', 'call<…>::run'],
  ['broken<std::vector<int', 'broken<std::vector<int'],
  ['my_operator<aaaaaaaaaaaa>', 'my_operator<…>'],
  ['', ''],
];
for (const [name, short] of cases)
  test(`${name || 'nothing'} is ${short || 'nothing'}`, () => assert.equal(shortName(name), short));

test('arguments longer than a label are left out too', () =>
  assert.equal(shortName(`f<${'std::pair<int, int>, '.repeat(200)}int>::g`), 'f<…>::g'));

test('arguments are left out from the innermost brackets on', () => {
  const name = 'Map<std::vector<std::pair<int, long>>, Hash>::find(Key const&)';
  assert.equal(shortName(name, 1), 'Map<std::vector<…>, Hash>::find(Key const&)');
  assert.equal(shortName(name, 2), 'Map<std::vector<std::pair<…>>, Hash>::find(Key const&)');
});
test('names that are alike in short keep as much as tells them apart', () => {
  const names = [
    'Map<std::vector<unsigned long>>::find(Key const&)',
    'Map<std::vector<unsigned char>>::find(Key const&)',
    'Set<std::vector<unsigned char>>::find(Key const&)',
    'Set<std::vector<unsigned char>>::find(Key const&)',
    'plain',
  ];
  assert.deepEqual(distinctShortNames(names), [
    'Map<std::vector<unsigned long>>::find(Key const&)',
    'Map<std::vector<unsigned char>>::find(Key const&)',
    'Set<…>::find(…)',
    'Set<…>::find(…)',
    'plain',
  ]);
});
test('what is cut is the middle, and before it the arguments', () => {
  const name = 'shop::Tokenizer::next(…)';
  assert.equal(cutInMiddle(name, 24), name);
  assert.equal(cutInMiddle(name, 23), 'shop::Tokenizer::next');
  assert.equal(cutInMiddle(name, 15), 'shop:…zer::next');
  assert.equal(cutInMiddle(name, 5), 's…ext');
  assert.equal(cutInMiddle(name, 2), '');
  assert.equal(cutInMiddle('operator()(…)', 11), 'operator()');
});

/** Letters that patterns are given while `work` runs: the steps that would grow with the square of a name's length. */
function lettersLookedAt(work: () => void): number {
  let letters = 0;
  const { exec } = RegExp.prototype; // which `test` and `match` call, too
  RegExp.prototype.exec = function (text) {
    letters += text.length;
    return exec.call(this, text);
  };
  try {
    work();
  } finally {
    RegExp.prototype.exec = exec;
  }
  return letters;
}

for (const unit of ['<(', 'a<', 'a(', '<>', ')a<'])
  test(`a name of nothing but ${unit} costs a few steps a letter, and no more where it is cut`, () => {
    const letters = (length: number) => lettersLookedAt(() => shortName(unit.repeat(length / unit.length)));
    assert.ok(letters(6000) > 6000 && letters(6000) <= 48 * 6000, `${letters(6000)} letters`);
    assert.equal(letters(90_000), letters(900_000));
  });
