// npm run check: the quick loop. Format, lint, types, who may import whom, and the tests that need neither BPF nor an editor.
import { mkdir, writeFile } from 'node:fs/promises';
import { checkBannedCode } from './checks/banned-code.mjs';
import { checkComputedFigures } from './checks/computed-figures.mjs';
import { checkCrates } from './checks/crates.mjs';
import { checkFileShapes } from './checks/file-shape.mjs';
import { importProblems } from './checks/imports.mjs';
import { checkLocalizedTexts } from './checks/localized-texts.mjs';
import { checkModuleCycles } from './checks/module-cycles.mjs';
import { checkRecordOptions } from './checks/record-options.mjs';
import { checkRustTests } from './checks/rust-tests.mjs';
import { checkWording } from './checks/wording.mjs';
import { run } from './steps/command.mjs';
import { artifacts, helper, inRoot } from './steps/paths.mjs';
import { explain, isMain, main, Sentence, step } from './steps/report.mjs';
import { verdict } from './suites/counts.mjs';
import { summaryOf } from './suites/failures.mjs';
import { logFile, suites } from './suites/suites.mjs';

const tool = (name) => inRoot('node_modules/.bin', name);
const cargo = (...args) => run('cargo', args, { cwd: helper });

/** Runs every step, also after one failed, and says all that is wrong at the end. */
export async function check({ withTests = true } = {}) {
  console.log('Check');
  const failures = [];
  const attempt = (title, work) => step(title, work).catch((error) => failures.push(`${title}: ${explain(error)}`));
  await attempt('generate protocol code', () => run('node', [inRoot('scripts/generate.mjs'), '--wire']));
  await Promise.all([typescriptSide(attempt), rustSide(attempt)]);
  if (withTests) await quickTests(attempt);
  if (failures.length > 0) throw new Sentence(failures.join('\n\n'));
}

async function typescriptSide(attempt) {
  await attempt('format and lint (biome)', () =>
    run(tool('biome'), ['check', '--error-on-warnings', '--diagnostic-level=warn']),
  );
  await attempt('file shapes', async () => checkFileShapes());
  await attempt('made from the table of record options', async () => checkRecordOptions());
  await attempt('banned code', () => checkBannedCode());
  await attempt('plain words in what users read', () => checkWording());
  await attempt('texts for translators (l10n)', () => checkLocalizedTexts());
  await attempt('nothing over samples is computed in TypeScript', () => checkComputedFigures());
  // One graph: core without DOM and Node, extension without DOM, webview without Node, and the tests of all. A part that
  // is as it was is not read again.
  await attempt('types (tsc -b)', () => run(tool('tsc'), ['-b']));
  await attempt('import table (dependency-cruiser)', async () => {
    const problems = await importProblems();
    if (problems.length > 0) throw new Sentence(problems.join('\n'));
  });
}

async function rustSide(attempt) {
  await attempt('format (rustfmt)', () => cargo('fmt', '--all', '--check'));
  await attempt('crate table', () => checkCrates());
  await attempt('every test of Rust is run', async () => checkRustTests());
  await attempt('no cycles between modules of a crate', async () => checkModuleCycles());
  await attempt('lint (clippy)', () =>
    cargo('clippy', '--release', '--workspace', '--all-targets', '--', '-D', 'warnings'),
  );
}

async function quickTests(attempt) {
  await mkdir(artifacts, { recursive: true });
  const inTurn = async (titles) => {
    for (const [name, title] of Object.entries(titles))
      await attempt(title, async () => {
        const result = await suites[name]();
        await writeFile(logFile(name), result.output);
        const why = verdict(result, { ci: false });
        if (why) throw new Sentence(summaryOf({ ...result, name, why, log: logFile(name) }).join('\n'));
      });
  };
  await Promise.all([
    inTurn({ unit: 'unit tests', scripts: 'tests of the scripts' }),
    inTurn({ quickCrates: 'tests of the pure crates', slowCratesUnit: 'unit tests of the slower crates' }),
  ]);
}

if (isMain(import.meta)) main(check);
