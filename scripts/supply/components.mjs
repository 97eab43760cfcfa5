// What is shipped and who made it: the crates linked into the two binaries and the packages bundled into the extension.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { linkedCrates } from '../checks/crates.mjs';
import { run } from '../steps/command.mjs';
import { helper, inRoot } from '../steps/paths.mjs';

/** Written by the bundler: the files that it put into the bundles. */
export const bundledInputs = inRoot('dist/bundled-inputs.json');

/**
 * [{ kind: 'cargo' or 'npm', name, version, licence, folder }], sorted; `licence` is an SPDX expression, '' if none is
 * given, `folder` where it was unpacked.
 */
export async function shippedComponents() {
  const target = 'x86_64-unknown-linux-gnu';
  const args = ['metadata', '--format-version', '1', '--locked', '--filter-platform', target];
  const metadata = JSON.parse((await run('cargo', args, { cwd: helper })).replace(/^[^{]*/, ''));
  const components = [...shippedCrates(metadata), ...bundledPackages(JSON.parse(readFileSync(bundledInputs, 'utf8')))];
  return components.sort((a, b) => keyOf(a).localeCompare(keyOf(b), 'en'));
}

const keyOf = ({ kind, name, version }) => `${kind} ${name} ${version}`;

/** Everything that `cargo metadata` says is linked into a binary of the workspace, our own crates apart. */
export function shippedCrates(metadata) {
  const linked = new Set(['lineheat', 'lineheat-sampler'].flatMap((binary) => linkedCrates(metadata, binary) ?? []));
  return metadata.packages
    .filter((item) => linked.has(item.name) && !metadata.workspace_members.includes(item.id))
    .map(({ name, version, license, manifest_path }) => ({
      kind: 'cargo',
      name,
      version,
      licence: spdx(license ?? ''),
      folder: path.dirname(manifest_path),
    }));
}

/** Cargo once allowed a slash for "or". */
const spdx = (expression) => expression.replaceAll(/\s*\/\s*/g, ' OR ');

/** The packages under node_modules that the bundler's `inputs` (paths in the repository) come from. */
export function bundledPackages(inputs) {
  const folders = new Set(
    inputs.map((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]).filter(Boolean),
  );
  return [...folders].map((folder) => {
    const { name, version, license = '' } = JSON.parse(readFileSync(inRoot(folder, 'package.json'), 'utf8'));
    return { kind: 'npm', name, version, licence: license, folder: inRoot(folder) };
  });
}
