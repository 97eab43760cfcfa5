// npm run build [-- --arch arm64]: the two binaries (helper/target/) and the bundles of extension and webview (dist/). With
// another architecture than this machine's, the binaries alone.
import { arm64Environment } from './steps/arm64-toolchain.mjs';
import { run } from './steps/command.mjs';
import { helper, inRoot, rustTargets, targetFolder } from './steps/paths.mjs';
import { isMain, main, Sentence, step } from './steps/report.mjs';

export async function build() {
  console.log('Build');
  await buildHelper();
  await step('generate protocol code', () => run('node', [inRoot('scripts/generate.mjs'), '--wire']));
  await step('bundle extension and webview', () => run('node', [inRoot('scripts/bundle.mjs')]));
}

/** What builds for a test in half the time: hardly optimized, and built once. What is shipped is never built so. */
export const quickly = { CARGO_PROFILE_RELEASE_OPT_LEVEL: '1', CARGO_PROFILE_RELEASE_INCREMENTAL: 'false' };

/** Builds lineheat and lineheat-sampler; for another architecture than this machine's, with the variables of `how` for cargo. */
export async function buildHelper(arch = process.arch, how = {}) {
  const title = `cargo build --release (lineheat, lineheat-sampler${arch === process.arch ? '' : `, ${arch}`})`;
  if (arch === process.arch) return step(title, () => cargoBuild());
  if (process.arch !== 'x64' || arch !== 'arm64')
    throw new Sentence(`From ${process.arch}, nothing is built for ${arch}: only from x64 for arm64.`);
  const env = await step('compiler and libraries for arm64', () => arm64Environment());
  return step(title, () =>
    cargoBuild(['--target', rustTargets[arch], '--target-dir', targetFolder(arch)], { ...env, ...how }),
  );
}

const cargoBuild = (args = [], env = {}) =>
  run('cargo', ['build', '--release', '--locked', '--bins', ...args], { cwd: helper, env });

/** The architecture after `--arch`, by Node's name; undefined: none is given. */
function archOf(args) {
  const at = args.indexOf('--arch');
  if (at < 0) return undefined;
  const arch = args[at + 1];
  if (rustTargets[arch]) return arch;
  throw new Sentence(`--arch wants one of ${Object.keys(rustTargets).join(', ')}, not "${arch ?? ''}".`);
}

if (isMain(import.meta))
  main(async () => {
    const arch = archOf(process.argv.slice(2));
    if (!arch || arch === process.arch) return build();
    console.log('Build');
    return buildHelper(arch);
  });
