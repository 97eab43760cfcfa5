// What a package of the command line holds: binaries, manual pages, completions, licences.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { run } from '../steps/command.mjs';
import { engine, inRoot, preloaded } from '../steps/paths.mjs';

/** The time of everything in a package, in seconds: the start of 2000, as in the packages of the extension. */
export const EPOCH = 946684800;

export const DOCUMENTS = 'usr/share/doc/lineheat';

/** [file of the repository, its place in the package]; a place that ends in .gz is compressed. */
const documentsIn = (folder, { licence, changes }) => [
  ['LICENSE', path.join(folder, licence)],
  ['CHANGELOG.md', path.join(folder, changes)],
  ...['THIRD-PARTY-LICENCES.txt', 'bill-of-materials.cdx.json'].map((name) => [
    `dist/${name}`,
    path.join(folder, name),
  ]),
];

const inUsr = {
  engine: 'usr/bin/lineheat',
  // helper/crates/machine/src/sampler_file.rs looks there.
  sampler: 'usr/libexec/lineheat/lineheat-sampler',
  preloaded: `usr/libexec/lineheat/${preloaded}`,
  manual: (name) => `usr/share/man/man1/${name}.gz`,
  bash: 'usr/share/bash-completion/completions/lineheat',
  zsh: 'usr/share/zsh/site-functions/_lineheat',
  fish: 'usr/share/fish/vendor_completions.d/lineheat.fish',
  documents: documentsIn(DOCUMENTS, { licence: 'LICENSE', changes: 'CHANGELOG.md' }),
};

/** Where things are in each kind of package. */
export const layouts = {
  deb: {
    ...inUsr,
    zsh: 'usr/share/zsh/vendor-completions/_lineheat',
    // As its policy names them.
    documents: documentsIn(DOCUMENTS, { licence: 'copyright', changes: 'changelog.gz' }),
  },
  rpm: inUsr,
  tar: {
    engine: 'lineheat',
    sampler: 'lineheat-sampler',
    preloaded,
    manual: (name) => `man/man1/${name}`,
    bash: 'completions/lineheat.bash',
    zsh: 'completions/_lineheat',
    fish: 'completions/lineheat.fish',
    documents: documentsIn('', { licence: 'LICENSE', changes: 'CHANGELOG.md' }),
  },
};

/**
 * Fills `folder` with the binaries in bin/ and the documents in dist/ (scripts/package.mjs), and with what this machine's
 * engine writes of itself, which is the same for every architecture.
 */
export async function fill(folder, layout) {
  const put = async (name, bytes, mode = 0o644) => {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, name.endsWith('.gz') ? gzipSync(bytes, { level: 9 }) : bytes);
    await chmod(file, mode);
  };
  await put(layout.engine, await readFile(inRoot('bin/lineheat')), 0o755);
  await put(layout.sampler, await readFile(inRoot('bin/lineheat-sampler')), 0o755);
  await put(layout.preloaded, await readFile(inRoot('bin', preloaded)));
  for (const shell of ['bash', 'zsh', 'fish']) await put(layout[shell], await run(engine, ['completions', shell]));
  for (const [name, page] of await manualPages()) await put(layout.manual(name), page);
  for (const [file, to] of layout.documents) await put(to, await readFile(inRoot(file)));
  await setTimes(folder);
}

/** [[name, text]] */
async function manualPages() {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'lineheat-manual-'));
  try {
    await run(engine, ['manual-pages', folder]);
    const names = (await readdir(folder)).sort();
    return await Promise.all(names.map(async (name) => [name, await readFile(path.join(folder, name))]));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Folders, too, whoever may enter what this process makes. */
async function setTimes(folder) {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const inner = path.join(folder, entry.name);
    if (entry.isDirectory()) await setTimes(inner);
    else await utimes(inner, EPOCH, EPOCH);
  }
  await chmod(folder, 0o755);
  await utimes(folder, EPOCH, EPOCH);
}
