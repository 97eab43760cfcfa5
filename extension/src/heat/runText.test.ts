import assert from 'node:assert/strict';
import test from 'node:test';
import { type RunSummary, wire } from '../../../core/wire.ts';
import { lastRunsOfBranches } from './runText.ts';

const run = (path: string, gitBranch: string, startedUnixMs: number, target = 'shop'): RunSummary => ({
  ...(new wire.RunSummary() as unknown as RunSummary),
  path,
  gitBranch,
  startedUnixMs,
  target,
});

test('of each other branch the last run of the same program is offered', () => {
  const here = run('/here', 'faster-map', 90);
  const runs = [
    here,
    run('/main-old', 'main', 10),
    run('/main-other-program', 'main', 50, 'tests'),
    run('/main-new', 'main', 40),
    run('/same-branch', 'faster-map', 80),
    run('/detached', '', 70),
    run('/only-other-program', 'docs', 60, 'tests'),
  ];
  assert.deepEqual(
    lastRunsOfBranches(runs, here).map(({ path }) => path),
    ['/only-other-program', '/main-new'],
  );
});
