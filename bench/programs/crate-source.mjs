// The unpacked sources of a published crate, fetched by cargo itself: some crates carry a whole C or C++ library.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../scripts/steps/command.mjs';
import { buildFolder } from './build-folder.mjs';

/** The folder of the crate `name` at exactly `version`. */
export async function crateSource(name, version, features = []) {
  const folder = path.join(buildFolder, 'crates', `${name}-${version}`);
  await mkdir(folder, { recursive: true });
  const dependency = `{ version = "=${version}", features = ${JSON.stringify(features)} }`;
  const manifest = [
    '[package]\nname = "fetched"\nversion = "0.0.0"\nedition = "2021"',
    '[lib]\npath = "empty.rs"',
    `[dependencies]\n${name} = ${dependency}`,
    '[workspace]\n',
  ].join('\n');
  await writeFile(path.join(folder, 'Cargo.toml'), manifest);
  await writeFile(path.join(folder, 'empty.rs'), '');
  await run('cargo', ['fetch'], { cwd: folder });
  const metadata = JSON.parse(
    (await run('cargo', ['metadata', '--format-version', '1', '--offline', '--quiet'], { cwd: folder })).replace(
      /^[^{]*/,
      '',
    ),
  );
  const found = metadata.packages.find((item) => item.name === name && item.version === version);
  return path.dirname(found.manifest_path);
}
