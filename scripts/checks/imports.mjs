// The import table of the TypeScript side (.dependency-cruiser.cjs). Fails closed: a folder that the table does not
// know, or a run that read nothing, is a failure.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { inRoot, root } from '../steps/paths.mjs';
import { isMain, main, Sentence } from '../steps/report.mjs';

const table = createRequire(import.meta.url)(inRoot('.dependency-cruiser.cjs'));
const isSource = (file) => /[.][cm]?[jt]sx?$/.test(file) && !/[.]d[.]ts$/.test(file);

/** The problems of a tree, as sentences; empty when all is well. */
export async function importProblems(base = root, files = sourcesOf(base)) {
  const problems = unknownFolders(files);
  const folders = [...new Set(files.filter((file) => file.includes('/')).map((file) => file.split('/')[0]))];
  const wanted = folders.filter((folder) => table.known.includes(folder));
  if (wanted.length === 0)
    return [...problems, 'No source file was found to check: the import table would pass without reading anything.'];
  // Imported here, since set-up may only just have installed it.
  const { cruise } = await import('dependency-cruiser');
  const { default: extractTSConfig } = await import('dependency-cruiser/config-utl/extract-ts-config');
  const { known: _, ...config } = table;
  const { output } = await cruise(
    wanted,
    { ...config.options, ruleSet: { forbidden: config.forbidden }, validate: true, baseDir: base },
    undefined,
    { tsConfig: extractTSConfig(inRoot('tsconfig.json')) },
  );
  if (output.summary.totalCruised === 0) problems.push('The import check read no module.');
  for (const { rule, from, to } of output.summary.violations)
    problems.push(`${from} imports ${to}: against ${rule.name}.`);
  return problems;
}

function unknownFolders(files) {
  const folders = new Set(files.filter(isSource).map((file) => (file.includes('/') ? file.split('/')[0] : '')));
  folders.delete('');
  return [...folders]
    .filter((folder) => !table.known.includes(folder) && folder !== 'helper' && folder !== 'samples')
    .map(
      (folder) =>
        `${folder}/ holds source files and is not in the import table: add it to .dependency-cruiser.cjs with its rules.`,
    );
}

function sourcesOf(base) {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: base,
    encoding: 'utf8',
  });
  return list.split('\n').filter((file) => isSource(file) && existsSync(path.join(base, file)));
}

if (isMain(import.meta))
  main(async () => {
    const problems = await importProblems();
    if (problems.length > 0) throw new Sentence(problems.join('\n'));
  });
