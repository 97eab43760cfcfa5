// Each rule of the wording check, proved by a planted violation; what must stay allowed; and that the tree passes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import ts from 'typescript';
import { jsonTexts, markdownTexts, rustTexts, typescriptTexts } from '../checks/user-texts.mjs';
import { checkWording, userTexts, wordingProblems } from '../checks/wording.mjs';

const rust = 'helper/crates/lineheat/src/other.rs';
const problems = (file, source) => wordingProblems(file, userTexts(ts, file, source) ?? []);
const ofText = (text) => problems('docs/other.md', text);

const planted = [
  'What differs is told once.',
  'No function can tell one run from another.',
  'The figures stand behind the lines.',
  'Of both sides nothing is said.',
  'The verdict cannot be told without a second run.',
  'Whether it is more cannot be said.',
  'NO_COLOR and CLICOLOR_FORCE are heard.',
  'Take every so manieth sample.',
  'Run the command so often.',
  'Stop after so many seconds.',
  'Take away what --install has put there.',
  'Remove all that --install has brought.',
  'A program of a few milliseconds gets enough samples by it.',
  'A change of the whole of 3 % or more.',
  'The noise is taken for 3 %.',
  'The engine met a fault of its own.',
  'This way of comparing needs the work.',
  'The build failed; the words are in its terminal.',
  'So few samples cannot carry a difference.',
  'It is not known that both did the same work.',
  'What only one side has has no ratio.',
  'They are interleaved, so what drifts changes nothing.',
  'Other load hits both.',
  'A run that fails is the last.',
  'Other recordings have locked what it may lock.',
  'This kernel lets no ordinary user sample.',
  'Samples a second and CPU.',
  'Show one row a function.',
  'Each repetition is sampled.',
  'Both commands run in turns.',
  'A pprof profile was wanted.',
  'The kernel wants a capability.',
  '9999 samples were asked for.',
  'Install it anew.',
  'What is marked ✗ is missing.',
  'A process that you may not look into.',
  'Several files on a side add up.',
  'No function differs for certain.',
  'Record without privilege, in user space.',
  'The time in the kernel is missing.',
  'The level is 3, as Debian ships it.',
  'Choose how names of functions are shown.',
];
for (const sentence of planted)
  test(`refused: ${sentence}`, () => assert.equal(ofText(sentence).length, 1, ofText(sentence).join('\n')));

const allowed = [
  'A standard library that stands alone, a stand-alone tool and an understanding.',
  'Lineheat shows one row per function and takes 999 samples per second.',
  'The shares add up to 100 %.',
  'The user wants to stop.',
  'Use `told` and `--repetitions` in scripts: [a page](stand.md).',
  '```\nlineheat told tell stands\n```',
  'The number of samples per second.',
];
for (const text of allowed) test(`allowed: ${text.split('\n')[0]}`, () => assert.deepEqual(ofText(text), []));

test('a sentence that goes on in the next line is read as one', () => {
  assert.match(
    ofText('Each difference is not\nknown; the cause cannot\nbe said.')[0],
    /^docs\/other\.md:1 says "cannot be said"/,
  );
});

test('string literals and help texts of Rust are read; comments, tests, names and characters are not', () => {
  const source = [
    '// The comment tells it.',
    `const QUOTE: char = '"';`,
    'const NAME: &str = "told";',
    'const TEXT: &str = "It is \\',
    '    told \\"once\\".";',
    'const RAW: &str = r#"A "row" stands here."#;',
    '#[derive(Debug, Args)]',
    'struct Options {',
    '    /// Run the command',
    '    /// so often',
    '    repeat: u32,',
    '}',
    '/// The doc comment tells it.',
    "fn same<'a>(text: &'a str) -> &'a str { text }",
    '#[cfg(test)]',
    'mod tests {',
    '    const TEXT: &str = "It is told { here.";',
    '}',
    'const LAST: &str = "It stands last.";',
  ].join('\n');
  assert.deepEqual(
    problems(rust, source).map((problem) => problem.split(' (')[0]),
    [
      `${rust}:4 says "told"`,
      `${rust}:6 says "stands"`,
      `${rust}:9 says "Run the command so often"`,
      `${rust}:19 says "stands"`,
    ],
  );
  assert.equal(userTexts(ts, 'helper/crates/lineheat/src/code_tests.rs', source), undefined);
  assert.equal(userTexts(ts, 'helper/crates/lineheat/src/tests/code.rs', source), undefined);
});

test('literals and templates of TypeScript are read; comments and imports are not', () => {
  const source = [
    "import { a } from './it is told';",
    '// It is told here.',
    "const text = 'It is told here.';",
    `const template = \`The \${name} stands \${place} there.\`;`,
    "const name = 'told';",
  ].join('\n');
  const file = 'extension/src/heat/other.ts';
  assert.deepEqual(
    problems(file, source).map((problem) => problem.split(' (')[0]),
    [`${file}:3 says "told"`, `${file}:4 says "stands"`],
  );
});

test('the manifest and the head of the changelog are read', () => {
  const json = '{\n  "one": "Show it.",\n  "two": "It is told here."\n}';
  assert.match(problems('package.nls.json', json)[0], /^package\.nls\.json:3 says "told"/);
  const log = '# Changelog\n\n- It is told here.\n\n## 0.1.0\n\n- It was told then.\n';
  assert.equal(problems('CHANGELOG.md', log).length, 1);
});

test('every kind of text is found where it stands', () => {
  assert.deepEqual(rustTexts('a("x y");\nb(r"z");'), [
    { line: 1, text: 'x y' },
    { line: 2, text: 'z' },
  ]);
  assert.deepEqual(typescriptTexts(ts, 'a.ts', `a(\`x \${b} y\`);`), [{ line: 1, text: 'x … y' }]);
  assert.deepEqual(jsonTexts('{\n"a": "x"\n}'), [{ line: 2, text: 'x' }]);
  assert.deepEqual(markdownTexts('# A\n\none\ntwo\n- three'), [
    { line: 1, text: '# A' },
    { line: 3, text: 'one two' },
    { line: 5, text: '- three' },
  ]);
});

test('an exception is for one text of one file', () => {
  const texts = [{ line: 1, text: 'It is told here.' }];
  const exception = [{ file: 'a.ts', text: /^It is told here\.$/, why: 'a test' }];
  assert.deepEqual(wordingProblems('a.ts', texts, exception), []);
  assert.equal(wordingProblems('b.ts', texts, exception).length, 1);
});

test('the tree has no such phrase', async () => {
  await checkWording();
});
