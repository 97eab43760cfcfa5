// The short forms of two measurements: a program compared with itself, and one made slower by a known part.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../../scripts/steps/command.mjs';
import { engine } from '../../scripts/steps/paths.mjs';
import * as knownChange from '../known-change.mjs';
import * as sameProgram from '../same-program.mjs';

const cannotRecord = await run(engine, ['doctor']).then(
  () => false,
  () => 'this machine cannot record',
);

/** "5.9 % of 9801 tests" → 0.059. */
const shareIn = (value) => Number(/^([\d.]+) %/.exec(value)?.[1]) / 100;

test('a program compared with itself differs rarely', { skip: cannotRecord }, async () => {
  const [designs, states] = [['in random order', 'alternately'], ['quiet']];
  const rows = await sameProgram.measure({ times: 60, pairs: 80, ks: [1, 5], names: ['sqlite'], designs, states });
  // Of two recordings alone nothing says that the machine changed its speed between them: nobody promises that, and how often it
  // happens is the machine's mood. Neighbours seldom have such a step between them.
  const isPromised = ({ what }) => !what.includes('in random order, without earlier runs');
  const ofAll = rows.filter(({ what }) => what.includes('functions')).filter(isPromised);
  // One against one and five against five in both orders, and neighbours without earlier runs.
  assert.equal(ofAll.length, 5);
  // Tests that take samples for independent reject 25 to 80 %.
  for (const { what, value } of ofAll) assert.ok(shareIn(value) <= 0.2, `${what}: ${value}`);
});

test('a function made 25 % slower is found, and by how much', { skip: cannotRecord }, async () => {
  // So many recordings that comparisons have few in common: of six, the same two unlucky intervals would be in all of them.
  // Ten executions a side, as docs/comparing.md advises: single ones vary by a tenth on a busy machine.
  const rows = await knownChange.measure({ times: 30, pairs: 4, k: 10, parts: [0], changes: [25] });
  const [found] = rows.filter(({ what }) => what.startsWith('part 0 25 % slower'));
  assert.match(found.value, /^100.0 % of 4/);
  const [covered] = rows.filter(({ what }) => what.startsWith('true changes inside'));
  assert.ok(shareIn(covered.value) >= 0.75, covered.value);
});
