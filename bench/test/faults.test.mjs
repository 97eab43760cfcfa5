// The short form of the fault harness: fewer of each fault, the same demands. In full: npm run bench -- faults.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../../scripts/steps/command.mjs';
import { engine } from '../../scripts/steps/paths.mjs';
import { measure } from '../faults.mjs';

const cannotRecord = await run(engine, ['doctor']).then(
  () => false,
  () => 'this machine cannot record',
);

for (const group of ['kills', 'disks', 'stops', 'damage', 'hours', 'crowds'])
  test(`every fault is survived, and no loss goes unshown: ${group}`, { skip: cannotRecord }, async () => {
    let rows = 0;
    for await (const { what, value, ok } of measure({ short: true, only: [group] })) {
      assert.ok(ok, `${what}: ${value}`);
      rows++;
    }
    assert.ok(rows > 0);
  });
