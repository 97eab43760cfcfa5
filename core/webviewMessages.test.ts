import assert from 'node:assert/strict';
import test from 'node:test';
import { parsePageMessage } from './webviewMessages.ts';

test('each message of the page is understood', () => {
  const messages = [
    { type: 'ready' },
    { type: 'retry' },
    { type: 'request', view: 'functions', value: 0 },
    { type: 'request', view: 'flameGraph', value: 0, hidden: [{ name: 'main', module: 'app' }] },
    { type: 'navigate', view: 'comparedLines', value: 0, index: 12, aside: true },
    { type: 'callers', view: 'functions', value: 0, index: 3 },
    { type: 'measureMatches', view: 'flameGraph', value: 0, search: 3, frames: [1, 12] },
    { type: 'copy', text: 'main' },
    { type: 'chooseMeasure', value: 2 },
    { type: 'explain' },
    { type: 'command', command: 'doctor' },
    { type: 'openExplained', index: 2, line: 40, aside: false },
    { type: 'normalise', normalisation: 4 },
    { type: 'openCell', index: 3 },
    { type: 'compareCells', base: 0, new: 3 },
  ];
  for (const message of messages) assert.deepEqual(parsePageMessage(message), message);
});
test('anything else is refused', () => {
  const others = [
    undefined,
    null,
    7,
    'ready',
    [],
    { type: 'exec' },
    { type: 'command', command: 'profileTarget' },
    { type: 'command' },
    { type: '__proto__' },
    { type: 'request', view: 'passwords', value: 0 },
    { type: 'request', view: 'functions', value: -1 },
    { type: 'navigate', view: 'functions', value: 0, index: 1.5, aside: true },
    { type: 'navigate', view: 'functions', value: 0, index: 1, aside: 'yes' },
    { type: 'navigate', view: 'functions', value: 0, path: '/etc/passwd', aside: true },
    { type: 'openExplained', index: 1, line: -1, aside: false },
    { type: 'openExplained', index: 1, line: 1 },
    { type: 'normalise', normalisation: 5 },
    { type: 'chooseMeasure', value: 65 },
    { type: 'chooseMeasure' },
    { type: 'measureMatches', view: 'flameGraph', value: 0, search: 3, frames: [1, -1] },
    { type: 'measureMatches', view: 'flameGraph', value: 0, search: 3, frames: { length: 1 } },
    { type: 'callers', view: 'functions', value: 0, index: -3 },
    { type: 'request', view: 'flameGraph', value: 0, hidden: 'main' },
    { type: 'request', view: 'flameGraph', value: 0, hidden: [{ name: 'main' }] },
    { type: 'request', view: 'flameGraph', value: 0, hidden: [{ name: 'x'.repeat(5000), module: '' }] },
    { type: 'request', view: 'flameGraph', value: 0, hidden: Array(257).fill({ name: 'f', module: '' }) },
    { type: 'openCell', index: '/etc/passwd' },
    { type: 'compareCells', base: 1, new: 1 },
    { type: 'copy', text: 'x'.repeat((1 << 20) + 1) },
  ];
  for (const message of others) assert.equal(parsePageMessage(message), undefined);
});
test('only the known fields are passed on', () => {
  assert.deepEqual(parsePageMessage({ type: 'ready', command: 'rm' }), { type: 'ready' });
});
