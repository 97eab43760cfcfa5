// What is read of a failed suite: real runners on planted failures.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { inRoot } from '../steps/paths.mjs';
import { verdict } from '../suites/counts.mjs';
import { failuresOfCargo, summaryOf } from '../suites/failures.mjs';
import { cargoTestsIn, nodeTestFiles } from '../suites/suites.mjs';

/** Ten lines at most on what this runner gave. */
function told(name, result) {
  const why = verdict(result, { ci: false });
  assert.ok(why, 'it failed');
  const lines = summaryOf({ ...result, name, why, log: inRoot('artifacts', `${name}.log`) });
  assert.ok(lines.length <= 10, lines.join('\n'));
  return lines;
}

async function inFolder(files, use) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'lineheat-failures-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), text);
    }
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('of a suite of Node each failed test has its name, its file and its message', () =>
  inFolder(
    {
      'planted.test.mjs': `import assert from 'node:assert/strict';
import { test } from 'node:test';
test('it is well', () => {});
test('three is four', () => assert.equal(3, 4));
test('# in a name', () => assert.ok(false, 'a "message" of one\\nand of two lines'));
test('outer', (t) => t.test('inner', () => { throw new Error('from inside'); }));
`,
    },
    async (folder) => {
      const file = path.join(folder, 'planted.test.mjs');
      const lines = told('planted', await nodeTestFiles('planted', [file]));
      const place = (line) => `(${path.relative(inRoot(), file)}:${line})`;
      assert.deepEqual(lines, [
        'FAILED planted: 4 failed; all of it is in artifacts/planted.log',
        `  three is four  ${place(4)}`,
        '    Expected values to be strictly equal: 3 !== 4',
        `  # in a name  ${place(5)}`,
        '    a "message" of one and of two lines',
        `  inner  ${place(6)}`,
        '    from inside',
      ]);
    },
  ));

test('of many failed tests those that have room are told, and how many there are more', () =>
  inFolder(
    {
      'many.test.mjs': `import { test } from 'node:test';
for (let i = 0; i < 30; i++) test('number ' + i, () => { throw new Error('x'.repeat(5000)); });
`,
    },
    async (folder) => {
      const lines = told('many', await nodeTestFiles('many', [path.join(folder, 'many.test.mjs')]));
      assert.equal(lines.length, 10);
      assert.equal(lines.at(-1), '  and 26 more');
      assert.ok(lines.every((line) => line.length <= 180));
    },
  ));

const manifest = '[package]\nname = "planted"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n';

test('of a suite of Cargo each failed test has its name, its file and its message', () =>
  inFolder(
    {
      'Cargo.toml': manifest,
      'src/lib.rs': `#[test]
fn well() {
    println!("panicked at nothing");
}
#[test]
fn unequal() {
    println!("said before");
    assert_eq!(3, 4, "of three and four");
}
`,
    },
    async (folder) => {
      const lines = told('planted', await cargoTestsIn(folder, ['--offline']));
      assert.deepEqual(lines, [
        'FAILED planted: 1 failed; all of it is in artifacts/planted.log',
        '  unequal  (helper/src/lib.rs:8)',
        '    assertion `left == right` failed: of three and four left: 3 right: 4',
      ]);
    },
  ));

test('what does not compile is told by its errors', () =>
  inFolder({ 'Cargo.toml': manifest, 'src/lib.rs': 'fn broken() -> u32 { "text" }' }, async (folder) => {
    const lines = told('planted', await cargoTestsIn(folder, ['--offline']));
    assert.equal(lines[0], 'FAILED planted: the runner failed; all of it is in artifacts/planted.log');
    assert.match(lines[1], /error\[E0308\]: mismatched types/);
    assert.match(lines[2], /--> src\/lib\.rs:1:/);
  }));

test('a test that ended its process is named', () => {
  const output = 'running 1 test\ntest dies ... FAILED\nerror: test failed, to rerun pass `--lib`\n';
  assert.deepEqual(failuresOfCargo(output), [{ name: 'dies', place: '', message: '' }]);
});
