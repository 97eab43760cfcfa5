// Whether node_modules holds what package-lock.json asks for.
import { readFileSync } from 'node:fs';
import { inRoot } from './paths.mjs';

const read = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;

/** The first package that is missing or of another version, or undefined when all is as locked. */
export function firstDifference(locked, installed) {
  for (const [place, entry] of Object.entries(locked)) {
    if (place === '' || entry.link) continue;
    const here = installed[place];
    if (!here) {
      if (entry.optional || entry.devOptional || entry.peer) continue; // for another platform, or not asked for
      return place;
    }
    if (here.version !== entry.version) return place;
  }
  return undefined;
}

/** Whether `npm ci` is needed. npm keeps what it installed in node_modules/.package-lock.json. */
export function nodePackagesMissing() {
  try {
    return (
      firstDifference(read(inRoot('package-lock.json')), read(inRoot('node_modules/.package-lock.json'))) !== undefined
    );
  } catch {
    return true;
  }
}
