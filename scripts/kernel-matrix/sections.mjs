// Reads what a guest printed.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { programSources } from './guest.mjs';

/** Name → { text, status } of each section. */
export function sectionsOf(text) {
  const sections = {};
  for (const [, name, body, status] of text.matchAll(/^@ begin (\S+)\n([\s\S]*?)\n?^@ end \1 (\d+)$/gm))
    sections[name] = { text: body.trimEnd(), status: Number(status) };
  return sections;
}

/** What judging needs: { section(name), promise(what, ok, got), promises: [{ what, ok, got }] }. */
export function judging(text) {
  const sections = sectionsOf(text);
  const promises = [];
  return {
    section: (name) => sections[name] ?? { text: 'nothing was printed', status: -1 },
    promise: (what, ok, got) => promises.push({ what, ok: Boolean(ok), got: ok ? '' : String(got) }),
    promises,
  };
}

/** The object of `--json`, or undefined. */
export function reportOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The 1-based line of a program's source that carries a marker. */
export function lineOf(source, marker) {
  const at = readFileSync(path.join(programSources, source), 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(`/* ${marker} */`));
  if (at < 0) throw new Error(`${source} has no line that is marked "${marker}"`);
  return at + 1;
}
