// The check that everything made from the table of record options is fresh, proved by planted violations; and what the table may
// not say.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { checkRecordOptions } from '../checks/record-options.mjs';
import { recordOptionProblems, staleOutputs } from '../record-options/outputs.mjs';
import { readOptions, tableFile } from '../record-options/table.mjs';
import { inRoot } from '../steps/paths.mjs';

const committed = (file) => readFileSync(inRoot(file), 'utf8');
const tableWith = (option) => JSON.stringify({ options: [...readOptions(), option] });
/** An option with all that one can have. */
const depth = {
  field: 'call_depth',
  type: 'count',
  min: 2,
  max: 64_000,
  default: 40,
  means: 'A pretended option.',
  refusal: 'Cannot keep {} calls',
  wire: { number: 99, type: 'uint32', comment: '0: 40' },
  flags: [{ commands: ['sweep'], name: 'call-depth', value: 'N', help: 'Calls to keep' }],
  setting: { key: 'callDepth', order: 9, scope: 'machine-overridable', text: 'Calls to keep.' },
  callers: true,
};

const planted = [
  ['protocol/wire.proto', ['uint32 sample_hz = 6;', 'uint32 sample_hz = 66;']],
  ['protocol/wire.proto', ['0: 999', '0: 99']],
  ['helper/crates/recorder/src/choices.rs', ['max_frames: 512', 'max_frames: 256']],
  ['helper/crates/serve/src/requested_choices.rs', ['max: 9999', 'max: 99_999']],
  ['helper/crates/lineheat/src/record_option_flags.rs', ['Stop after this many', 'End after this many']],
  ['extension/src/recording/recordOptions.ts', ['WARM_UP_MAX = 1000', 'WARM_UP_MAX = 10_000']],
  ['package.json', ['"maximum": 9999', '"maximum": 10000']],
  ['package.json', ['        "lineheat.record.keepBuilds",\n', '']],
  ['package.nls.json', ['to warm caches and files', 'to warm caches']],
];
for (const [file, [text, instead]] of planted)
  test(`${file} with ${JSON.stringify(instead)} for ${JSON.stringify(text)} is refused`, () => {
    assert.ok(committed(file).includes(text));
    const read = (name) => (name === file ? committed(name).replace(text, instead) : committed(name));
    const problems = recordOptionProblems(readOptions(), read);
    assert.equal(problems.length, 1);
    assert.match(problems[0], new RegExp(`^${file} is not what .*: edit the table, and run npm run generate[.]$`));
  });

test('an option that the table gains makes all of them stale, and is in each', () => {
  const made = new Map(staleOutputs(readOptions(tableWith(depth)), committed).map(({ file, text }) => [file, text]));
  const expected = {
    'protocol/wire.proto': /^ {2}uint32 call_depth = 99; +\/\/ 0: 40$/m,
    'helper/crates/recorder/src/choices.rs': /^ {4}pub call_depth: u32,$/m,
    'helper/crates/serve/src/requested_choices.rs': /call_depth: count\(request[.]call_depth, call_depth\)\?/,
    'helper/crates/lineheat/src/record_option_flags.rs':
      /default_value_t = 40, .*range\(2[.][.]=64_000\)\)\]\n.*call_depth: u32/,
    'extension/src/recording/recordOptions.ts':
      /callDepth: countIn\(settings[.]get\('callDepth'\), \{ usual: 40, min: 2/,
    'package.json': /"lineheat[.]record[.]callDepth": \{\n +"type": "integer",\n +"default": 40,/,
    'package.nls.json': /"setting[.]record[.]callDepth": "Calls to keep[.]"/,
  };
  assert.deepEqual([...made.keys()], Object.keys(expected));
  for (const [file, pattern] of Object.entries(expected)) assert.match(made.get(file), pattern);
  const { untrustedWorkspaces } = JSON.parse(made.get('package.json')).capabilities;
  assert.ok(untrustedWorkspaces.restrictedConfigurations.includes('lineheat.record.callDepth'));
});

const wrong = [
  ['a key that nothing reads', { flag: [] }, /the key flag is unknown/],
  ['a type that nothing handles', { type: 'colour' }, /the type colour is none of/],
  ['a field number that is taken', { wire: { ...depth.wire, number: 6 } }, /the field number 6 is used twice/],
  ['a count without a bound', { max: undefined }, /needs min, max and default/],
  ['a request that cannot be refused', { refusal: undefined }, /needs a refusal/],
  ['a default that a request cannot ask for', { min: 0 }, /0 on the wire means the default/],
  ['a text whose meaning nobody wrote', { type: 'text' }, /a text has no general meaning: set isCode/],
  ['a switch that is on and absent on the wire', { type: 'switch', default: true }, /is sent negated/],
];
for (const [name, part, problem] of wrong)
  test(`the table may not hold ${name}`, () => {
    assert.throws(() => readOptions(tableWith({ ...depth, ...part })), problem);
  });

test('the tree passes', () => {
  assert.ok(readOptions().length >= 17, tableFile);
  checkRecordOptions();
});
