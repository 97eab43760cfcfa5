// What of a failed suite is worth to be read: the tests that failed, where they are, and what they say, in ten lines.
// Everything else that was printed stands in the suite's log.
import path from 'node:path';
import { root } from '../steps/paths.mjs';

const LINES_MAX = 10;
const LINE_MAX = 180; // characters

/** TAP of Node's runner. A test whose subtest failed says nothing of its own. */
export function failuresOfTap(tap) {
  const failures = [];
  const lines = tap.split('\n');
  for (const [at, line] of lines.entries()) {
    const [, indent, name] = /^(\s*)not ok \d+ - (.*)$/.exec(line) ?? [];
    if (name === undefined || / # [A-Z]{4}( |$)/.test(name)) continue;
    const end = lines.findIndex((other, from) => from > at && other === `${indent}  ...`);
    const block = lines.slice(at + 1, end < 0 ? lines.length : end);
    const field = (key) =>
      block.find((other) => other.startsWith(`${indent}  ${key}: `))?.slice(indent.length + key.length + 4);
    if (unquoted(field('failureType')) === 'subtestsFailed') continue;
    const place = unquoted(field('location'))?.replace(/:\d+$/, '');
    failures.push({
      name: unescaped(name),
      place: shortPlace(place),
      message: messageOf(block, indent, field('error')),
    });
  }
  return failures;
}

function messageOf(block, indent, error) {
  if (error === undefined) return '';
  if (!/^[|>]/.test(error)) return unquoted(error);
  const from = block.findIndex((line) => line.startsWith(`${indent}  error: `)) + 1;
  const rest = block.slice(from);
  const end = rest.findIndex((line) => line.trim() !== '' && !line.startsWith(`${indent}    `));
  return oneLine(rest.slice(0, end < 0 ? rest.length : end).join('\n'));
}

/** `cargo test`: each failed test's panic. */
export function failuresOfCargo(output) {
  const failed = new Set(
    [...output.matchAll(/^test (.+?)(?: - should panic)? \.\.\. FAILED$/gm)].map(([, name]) => name),
  );
  const failures = [];
  for (const [, name, told] of output.matchAll(
    /^---- (.+?) stdout ----\n([\s\S]*?)(?=^---- |^failures:$|^successes:$|^test result: |(?![\s\S]))/gm,
  )) {
    if (!failed.delete(name)) continue;
    const [, place = '', message = ''] =
      /panicked at (\S+?:\d+):\d+:\n([\s\S]*?)(?=^stack backtrace:|^note: |(?![\s\S]))/m.exec(told) ?? [];
    failures.push({ name, place: place && shortPlace(path.join('helper', place)), message: oneLine(message || told) });
  }
  // One that was killed, or that ended its process, has no section.
  for (const name of failed) failures.push({ name, place: '', message: '' });
  return failures;
}

/** At most ten lines on a suite that is not good: why, the log, the failed tests; or the end of what was printed. */
export function summaryOf({ name, why, failures, output, log }) {
  const head = `FAILED ${name}: ${why}; all of it is in ${path.relative(root, log)}`;
  if (failures.length === 0) return [head, ...endOf(output).map((line) => `  ${cut(line, LINE_MAX - 2)}`)];
  const told = failures.map(({ name: test, place, message }) => [
    `  ${cut(place ? `${test}  (${place})` : test, LINE_MAX - 2)}`,
    ...(message ? [`    ${cut(message, LINE_MAX - 4)}`] : []),
  ]);
  const lines = [head];
  const fits = (count, from) => lines.length + told[from].length + (from + 1 < count ? 1 : 0) <= LINES_MAX;
  let shown = 0;
  while (shown < told.length && fits(told.length, shown)) lines.push(...told[shown++]);
  if (shown < told.length) lines.push(`  and ${told.length - shown} more`);
  return lines;
}

/** The errors of a compiler if there are some, else the last lines. */
function endOf(output) {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const errors = lines.flatMap((line, at) =>
    /^error(\[|:)/.test(line) ? [line, ...(/^\s*-->/.test(lines[at + 1] ?? '') ? [lines[at + 1]] : [])] : [],
  );
  return errors.length > 0 ? errors.slice(0, LINES_MAX - 1) : lines.slice(1 - LINES_MAX);
}

const oneLine = (text) => text.replace(/\s+/g, ' ').trim();
const cut = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
const unquoted = (text) => (text === undefined ? undefined : oneLine(text.replace(/^(['"])([\s\S]*)\1$/, '$2')));
const unescaped = (name) => name.replace(/\\#/g, '#').replace(/\\\\/g, '\\');
const shortPlace = (place) => (place && path.isAbsolute(place) ? path.relative(root, place) : (place ?? ''));
