import assert from 'node:assert/strict';
import test from 'node:test';
import { type RunSummary, wire } from '../../../core/wire.ts';
import { badEnd, endSentence, hasSamples, lastRunsOfBranches, runFacts } from './runText.ts';

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

const ended = (more: Partial<RunSummary>): RunSummary => ({ ...run('/run', 'main', 1), exited: true, ...more });

test('a crash has the name of its signal, a failure its exit code, and a run that was stopped has neither', () => {
  assert.equal(badEnd(ended({ exitSignal: 11 })), 'SIGSEGV');
  assert.equal(badEnd(ended({ exitSignal: 35 })), 'signal 35');
  assert.equal(badEnd(ended({ exitCode: 3 })), 'exit 3');
  assert.equal(badEnd(ended({})), '');
  assert.equal(badEnd(ended({ exitSignal: 15, end: 'stopped after 2.0 s' })), '');
});

test('a narrow row begins with how a failed program ended, then CPU time and commit', () => {
  const facts = runFacts(ended({ exitSignal: 6, cpuNs: 2e9, gitCommit: '0123456789ab', samples: 500 }), new Date());
  assert.deepEqual(facts.slice(0, 3), ['SIGABRT', '2.00 s CPU', '01234567']);
});

test('a run whose file does not say how many samples there were says that, and is not an empty one', () => {
  const heap = ended({ name: 'heap', end: 'has ended', samplesUnknown: true });
  assert.deepEqual(runFacts(heap, new Date()).at(-1), 'count unknown');
  assert.equal(endSentence(heap), 'heap has ended: count unknown.');
  assert.deepEqual([hasSamples(heap), hasSamples(ended({ samples: 0 }))], [true, false]);
});

test('the message after a crash names the signal', () => {
  const end = 'ended by signal 11 after 0.3 s';
  const crash = ended({ name: 'shop', exitSignal: 11, end, samples: 40 });
  assert.match(endSentence(crash), /^shop ended by SIGSEGV after 0\.3 s: 40 samples\.$/);
});
