// Binaries, examples, benchmarks and tests of a Cargo package or workspace, built optimised with line tables.

import fs from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { type PrepareTools, type Step, type Target, TargetError } from './target.ts';

type CargoKind = 'bin' | 'example' | 'bench' | 'test' | 'lib-unit' | 'bin-unit';
const kindWords: Readonly<Record<CargoKind, string>> = {
  bin: l10n.t('binary'),
  example: l10n.t('example'),
  bench: l10n.t('benchmark'),
  test: l10n.t('integration test'),
  'lib-unit': l10n.t('unit tests of the library'),
  'bin-unit': l10n.t('unit tests of the binary'),
};
const isTest = (kind: CargoKind) => kind === 'test' || kind.endsWith('-unit');
const SOURCES_MAX = 2000; // files that are searched for tests

/** Line tables through an override on the command line: the user's Cargo.toml stays as it is. */
const LINE_TABLES = (profile: string) => ['--config', `profile.${profile}.debug=1`];

/** What Cargo would build in `folder`; empty when it holds no Cargo.toml. Throws StepFailed when Cargo refuses it. */
export async function findCargoTargets(folder: string, run: (step: Step) => Promise<string>): Promise<Target[]> {
  const manifest = path.join(folder, 'Cargo.toml');
  if (!(await fs.stat(manifest).catch(() => undefined))?.isFile()) return [];
  const args = ['metadata', '--format-version', '1', '--no-deps', '--manifest-path', manifest];
  const step = { title: l10n.t('Reading the Cargo targets'), command: 'cargo', args, cwd: folder, quietOutput: true };
  return cargoTargets(await run(step));
}

/** The targets that the output of `cargo metadata --no-deps` names. */
export async function cargoTargets(metadata: string): Promise<Target[]> {
  const { packages } = JSON.parse(metadata) as { packages?: CargoPackage[] };
  const targets: Target[] = [];
  for (const owner of packages ?? []) {
    const hasLibrary = owner.targets.some(isLibrary);
    for (const target of owner.targets) {
      const kind = (['bin', 'example', 'bench', 'test'] as const).find((known) => target.kind.includes(known));
      if (kind && isProgram(target)) targets.push(cargoTarget(owner, target.name, kind));
      if (target.test === false || !(isLibrary(target) || kind === 'bin')) continue;
      // Beside a library a binary has the tests of its own file; every module else is taken for the library's.
      const place = kind === 'bin' && hasLibrary ? target.src_path : path.dirname(target.src_path);
      if (await hasTests(place))
        targets.push(cargoTarget(owner, target.name, kind === 'bin' ? 'bin-unit' : 'lib-unit'));
    }
  }
  return targets;
}

function isLibrary({ kind }: CargoPackageTarget): boolean {
  return kind.some((one) => ['lib', 'rlib', 'dylib', 'cdylib', 'staticlib', 'proc-macro'].includes(one));
}

/** Whether a source file, or one below a folder, has unit tests: Cargo makes a test binary even where there are none. */
async function hasTests(place: string): Promise<boolean> {
  const files = place.endsWith('.rs')
    ? [place]
    : (await fs.readdir(place, { recursive: true }).catch(() => []))
        .filter((name) => name.endsWith('.rs'))
        .map((name) => path.join(place, name));
  for (const file of files.slice(0, SOURCES_MAX)) {
    const text = await fs.readFile(file, 'utf8').catch(() => '');
    if (/#\[(?:\w+::)*test\b|#\[cfg\(test\)\]/.test(text)) return true;
  }
  return false;
}

interface CargoPackage {
  readonly name: string;
  readonly manifest_path: string;
  readonly targets: readonly CargoPackageTarget[];
}
interface CargoPackageTarget {
  readonly name: string;
  readonly kind: readonly string[];
  readonly crate_types: readonly string[];
  readonly src_path: string;
  readonly test?: boolean;
}

/** Examples may be libraries. */
function isProgram(target: CargoPackageTarget): boolean {
  return target.crate_types.includes('bin');
}

function cargoTarget(owner: CargoPackage, name: string, kind: CargoKind): Target {
  const cwd = path.dirname(owner.manifest_path);
  return {
    id: `cargo:${owner.manifest_path}:${kind}:${name}`,
    kind: 'cargo',
    label: name,
    description: l10n.t('Cargo {0} of {1}, release with line tables', kindWords[kind], owner.name),
    takesArguments: true,
    prepare: async ({ runStep, args }: PrepareTools) => {
      const output = await runStep(buildStep(owner, name, kind));
      const program = builtExecutable(output, name, kind);
      if (!program) {
        throw new TargetError(
          l10n.t('Cargo built the {0} {1}, but named no executable for it.', kindWords[kind], name),
          l10n.t('Run "cargo {0}" in a terminal to see what it says.', buildArguments(owner, name, kind).join(' ')),
        );
      }
      // Cargo runs a benchmark with --bench: without it the harness only tests that it works.
      const allArgs = kind === 'bench' ? ['--bench', ...args] : args;
      const runName = kind.endsWith('-unit') ? `${name} unit tests` : name; // the file's own name ends in a hash
      const plan = { name, program, args: allArgs, cwd, env: { CARGO_MANIFEST_DIR: cwd }, runName };
      return isTest(kind) ? { ...plan, tests: 'libtest' } : plan;
    },
  };
}

function buildArguments(owner: CargoPackage, name: string, kind: CargoKind): string[] {
  const command =
    kind === 'bench'
      ? ['bench', '--no-run']
      : isTest(kind)
        ? ['test', '--no-run', '--release']
        : ['build', '--release'];
  const which = kind === 'lib-unit' ? ['--lib'] : [kind === 'bin-unit' ? '--bin' : `--${kind}`, name];
  return [...command, '--manifest-path', owner.manifest_path, '--package', owner.name, ...which];
}

function buildStep(owner: CargoPackage, name: string, kind: CargoKind): Step {
  // The bench profile inherits from release, but an own [profile.bench] of the user may say otherwise.
  const tables = kind === 'bench' ? [...LINE_TABLES('bench'), ...LINE_TABLES('release')] : LINE_TABLES('release');
  const args = [...buildArguments(owner, name, kind), '--message-format=json-render-diagnostics', ...tables];
  return {
    title: l10n.t('Building {0}', name),
    command: 'cargo',
    args,
    cwd: path.dirname(owner.manifest_path),
    quietOutput: true,
  };
}

/** The executable that Cargo's JSON messages name for a target. */
export function builtExecutable(messages: string, name: string, kind: string): string | undefined {
  let found: string | undefined;
  for (const line of messages.split('\n')) {
    if (!line.startsWith('{')) continue;
    const message = JSON.parse(line) as {
      reason?: string;
      executable?: string | null;
      profile?: { test?: boolean };
      target?: { name?: string; kind?: string[] };
    };
    if (message.reason !== 'compiler-artifact' || !message.executable) continue;
    if (kind.endsWith('-unit')) {
      // Only one library or binary was asked for, but the binaries of a package are built along for its tests.
      if (message.target?.name === name && message.profile?.test === true) found = message.executable;
    } else if (message.target?.name === name && message.target.kind?.includes(kind)) found = message.executable;
  }
  return found;
}
