// Three changes of a program, each for the better: the function that changed is found, and stands first.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { run } from '../../scripts/steps/command.mjs';
import { engine } from '../../scripts/steps/paths.mjs';
import { cells } from '../programs/c.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-changes-'));
after(() => rmSync(folder, { recursive: true }));

const cannotRecord = await run(engine, ['doctor']).then(
  () => false,
  () => 'this machine cannot record',
);

/** `first`: of the functions whose self time has a verdict, the one that changed most. */
function finds(change, { option, first, verdict }) {
  test(`${change} is found first`, { skip: cannotRecord }, async () => {
    const command = [await cells(), '--cells', '400000'];
    const files = ['base', 'new'].map((side) => path.join(folder, `${option[1]}-${side}.pb.gz`));
    const args = ['--repeat', '4', '--warm-up', '1', '--output-base', files[0], '--output-new', files[1]];
    await run(engine, ['compare-commands', ...args, '--', ...command, ':::', ...command, ...option]);
    const found = JSON.parse(await run(engine, ['diff', files[0], '--against', files[1], '--json']));
    const judged = found.functions
      .filter(({ self }) => !['noise', 'too-few'].includes(self.verdict))
      .sort((a, b) => Math.abs(b.newSelf - b.baseSelf) - Math.abs(a.newSelf - a.baseSelf));
    assert.ok(judged.length > 0, found.sentence);
    assert.match(judged[0].name, first);
    assert.equal(judged[0].self.verdict, verdict);
    const explained = await run(engine, ['diff', files[0], '--against', files[1], '--explain']);
    assert.equal(/^(Slower|New|Faster|Gone|Moved)$/m.exec(explained)?.[1].toLowerCase(), verdict);
  });
}

finds('an unordered index instead of an ordered one', {
  option: ['--index', 'hash'],
  first: /_Iter_less_iter|_Rb_tree|std::less|std::map/,
  verdict: 'gone',
});
finds('one feed of the digest instead of one for each byte', {
  option: ['--feed', 'buffer'],
  first: /^Digest::update/,
  verdict: 'faster',
});
finds('another implementation of the digest', {
  option: ['--rounds', 'word'],
  first: /compress_by_byte/,
  verdict: 'gone',
});
