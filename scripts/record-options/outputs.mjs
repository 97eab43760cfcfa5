// Everything that is made from the table of record options: each file with its new text, from the table and the file as it is.
import { existsSync, readFileSync } from 'node:fs';
import { inRoot } from '../steps/paths.mjs';
import { contractText } from './contract.mjs';
import { manifestText, manifestTexts } from './manifest.mjs';
import { choicesText, flagsText, requestText } from './rust.mjs';
import { readOptions, tableFile } from './table.mjs';
import { typescriptText } from './typescript.mjs';

const makers = {
  'protocol/wire.proto': contractText,
  'helper/crates/recorder/src/choices.rs': choicesText,
  'helper/crates/serve/src/requested_choices.rs': requestText,
  'helper/crates/lineheat/src/record_option_flags.rs': flagsText,
  'extension/src/recording/recordOptions.ts': typescriptText,
  'package.json': manifestText,
  'package.nls.json': manifestTexts,
};

const textOf = (file) => (existsSync(inRoot(file)) ? readFileSync(inRoot(file), 'utf8') : '');

/** @returns {{ file: string, text: string }[]} the files whose text is not what the table says */
export function staleOutputs(options = readOptions(), read = textOf) {
  return Object.entries(makers)
    .map(([file, make]) => ({ file, text: make(options, read(file)) }))
    .filter(({ file, text }) => text !== read(file));
}

/** A sentence for each stale file. */
export function recordOptionProblems(options, read) {
  return staleOutputs(options, read).map(
    ({ file }) => `${file} is not what ${tableFile} says: edit the table, and run npm run generate.`,
  );
}
