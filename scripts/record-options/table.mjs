// protocol/record-options.json: what a user chooses of a recording, each option once. The keys of an option:
//
//   field         its name in the engine; in TypeScript the same in camel case. Of seconds it ends in _s.
//   type          count (whole, bounded), seconds (0: none), switch, number, text, choice or list
//   isCode        the engine's handling is written by hand: what it means is more than a value. The declaration stands here.
//   min, max      of a count: what flags and requests are held to
//   default       where nothing is said
//   means         the comment at its place in the code
//   refusal       of a count in a request: the failure's sentence up to the maximum, {} for what was asked
//   wire          its fields in RecordRequest: field (where it has another name), number, type, comment, isNegated
//   flags         on the command line: commands ("all" or a list), name, value (name of the value), help, isNegated; and where
//                 they are needed rust (type of the parsed value), parser, group, conflictsWith
//   setting       key below lineheat.record, order among the settings, scope, text; max, where it is not that of the engine, and
//                 clampedTo, a maximum that the manifest does not state
//   callers       programs that call lineheat.profileTarget may give it
//   isOfLaunched  it is sent only for a program that is launched
import { readFileSync } from 'node:fs';
import { inRoot } from '../steps/paths.mjs';

export const tableFile = 'protocol/record-options.json';
/** The commands that record, each with the name of the flags that only it has. */
export const commands = { record: 'OfRecord', sweep: 'OfSweep', 'compare-commands': 'OfCompareCommands' };

const optionKeys = 'field type isCode min max default means refusal wire flags setting callers isOfLaunched'.split(' ');
const types = ['count', 'seconds', 'switch', 'number', 'text', 'choice', 'list'];

/** @throws Error that names the option and what it lacks. */
export function readOptions(text = readFileSync(inRoot(tableFile), 'utf8')) {
  const { options } = JSON.parse(text);
  for (const option of options) {
    const problem = problemOf(option);
    if (problem) throw new Error(`${tableFile}: ${option.field}: ${problem}`);
  }
  const numbers = options.flatMap(wireFields).map(({ number }) => number);
  const twice = numbers.find((number, at) => numbers.indexOf(number) < at);
  if (twice) throw new Error(`${tableFile}: the field number ${twice} is used twice.`);
  return options;
}

function problemOf(option) {
  const { type, min, max, means, wire, refusal, setting } = option;
  const unknown = Object.keys(option).find((key) => !optionKeys.includes(key));
  if (unknown) return `the key ${unknown} is unknown.`;
  if (!types.includes(type)) return `the type ${type} is none of ${types.join(', ')}.`;
  if (!means) return 'say in "means" what it is.';
  if (option.isCode) return undefined;
  if (!['count', 'seconds', 'switch'].includes(type)) return `a ${type} has no general meaning: set isCode.`;
  if (type === 'switch' && typeof option.default !== 'boolean') return 'a switch needs a default.';
  if (type === 'switch' && wire && option.default !== Boolean(wire.isNegated))
    return 'absent on the wire is false: a switch that is on by default is sent negated.';
  if (type === 'seconds' && !option.field.endsWith('_s')) return 'the name of a time in seconds ends in _s.';
  if (type !== 'count') return undefined;
  if (![min, max, option.default].every(Number.isInteger)) return 'a count needs min, max and default.';
  if (wire && !refusal?.includes('{}')) return 'a count in a request needs a refusal with {}.';
  if (wire && min === 0 && option.default !== 0) return '0 on the wire means the default: with min 0, that is 0.';
  if (setting && !wire) return 'a setting needs a field on the wire.';
  return undefined;
}

/** The fields of RecordRequest that say it. */
export function wireFields({ field, wire = [] }) {
  return [wire].flat().map((one) => ({ field, ...one }));
}

/** Its flags on one command: `command`, or `all` for those that each command has. */
export function flagsOn(options, command) {
  return options.flatMap((option) =>
    (option.flags ?? [])
      .filter(({ commands: on }) => (command === 'all' ? on === 'all' : on !== 'all' && on.includes(command)))
      .map((flag) => ({ option, ...flag })),
  );
}

export const camelCase = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
/** What a made file opens with, after its purpose. */
export const madeFrom = `Made from ${tableFile} by \`npm run generate\`; do not edit it.`;
/** As both languages write it: 10_000. */
export const literal = (number) => (number < 10_000 ? `${number}` : String(number).replace(/\B(?=(\d{3})+$)/g, '_'));
