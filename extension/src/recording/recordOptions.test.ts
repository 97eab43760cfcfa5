import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chosenBySettings, launchFields, requestFields } from './recordOptions.ts';

/** Settings of these values; what `ofUser` has is the user's own. */
const settings = (values: Record<string, unknown>, ofUser: Record<string, unknown> = {}) => ({
  get: (key: string) => ({ ...values, ...ofUser })[key],
  ofUser: (key: string) => ofUser[key],
});
const usual = {
  sampleHz: 999,
  durationS: 0,
  repeat: 1,
  debuginfod: false,
  warmUp: 0,
  waiting: true,
  work: 0,
  workFrom: '',
  keepBuilds: true,
};

/** `actual` has these parts; what else the table has is of no concern here. */
const has = (actual: object, parts: object) => assert.deepEqual({ ...actual, ...parts }, actual);

test('without settings it is as usual', () => {
  has(chosenBySettings(settings({})), usual);
});

test('numbers are rounded and kept within their bounds; what is no number is the least', () => {
  const many = { sampleRate: 1e9, durationLimit: 1e9, repeat: 1e9, warmUp: 1e9 };
  const { sampleHz, durationS, repeat, warmUp } = chosenBySettings(settings(many));
  assert.deepEqual([sampleHz, durationS, repeat, warmUp], [9999, 604_800, 10_000, 1000]);
  const odd = chosenBySettings(settings({ sampleRate: '5', durationLimit: null, repeat: -3, warmUp: Number.NaN }));
  assert.deepEqual([odd.sampleHz, odd.durationS, odd.repeat, odd.warmUp], [1, 0, 1, 0]);
  const parts = chosenBySettings(settings({ sampleRate: 99.6, durationLimit: 2.5 }));
  assert.deepEqual([parts.sampleHz, parts.durationS], [100, 2.5]);
});

test('a folder turns off what stays here, and turns on nothing that speaks to other machines', () => {
  assert.equal(chosenBySettings(settings({ keepBuilds: false })).keepBuilds, false);
  assert.equal(chosenBySettings(settings({ keepBuilds: 'no' })).keepBuilds, true);
  assert.equal(chosenBySettings(settings({ debuginfod: true })).debuginfod, false);
  assert.equal(chosenBySettings(settings({}, { debuginfod: true })).debuginfod, true);
  assert.equal(chosenBySettings(settings({}, { debuginfod: 'yes' })).debuginfod, false);
});

test('waiting time is recorded unless the setting is off, of a process that is attached to, too', () => {
  for (const [waiting, noWaiting] of [
    [true, false],
    [false, true],
    ['no', false],
  ])
    has(requestFields(chosenBySettings(settings({ waiting }))), { noWaiting });
});

test('a process that is attached to is asked for neither executions nor work', () => {
  const chosen = chosenBySettings(settings({}));
  const ofLaunched = { repeat: 1, warmUp: 0, work: 0, workFrom: '' };
  has(requestFields(chosen), { sampleHz: 999, durationS: 0, debuginfod: false, noKeptBuild: false });
  has(launchFields(chosen), ofLaunched);
  for (const field of Object.keys(ofLaunched)) assert.ok(!(field in requestFields(chosen)), field);
});
