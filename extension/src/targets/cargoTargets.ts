// Binaries, examples and benchmarks of a Cargo package or workspace, built optimised with line tables.
import fs from 'node:fs/promises';
import path from 'node:path';
import { type PrepareTools, type Step, type Target, TargetError } from './target.ts';

type CargoKind = 'bin' | 'example' | 'bench';
const kindWords: Readonly<Record<CargoKind, string>> = { bin: 'binary', example: 'example', bench: 'benchmark' };

/** Line tables through an override on the command line: the user's Cargo.toml stays as it is. */
const LINE_TABLES = (profile: string) => ['--config', `profile.${profile}.debug=1`];

/** What Cargo would build in `folder`; empty when it holds no Cargo.toml. Throws StepFailed when Cargo refuses it. */
export async function findCargoTargets(folder: string, run: (step: Step) => Promise<string>): Promise<Target[]> {
  const manifest = path.join(folder, 'Cargo.toml');
  if (!(await fs.stat(manifest).catch(() => undefined))?.isFile()) return [];
  const args = ['metadata', '--format-version', '1', '--no-deps', '--manifest-path', manifest];
  const step = { title: 'Reading the Cargo targets', command: 'cargo', args, cwd: folder, quietOutput: true };
  return cargoTargets(await run(step));
}

/** The targets that the output of `cargo metadata --no-deps` names. */
export function cargoTargets(metadata: string): Target[] {
  const { packages } = JSON.parse(metadata) as { packages?: CargoPackage[] };
  return (packages ?? []).flatMap((owner) =>
    owner.targets.flatMap((target) => {
      const kind = (['bin', 'example', 'bench'] as const).find((known) => target.kind.includes(known));
      return kind && isProgram(target) ? [cargoTarget(owner, target.name, kind)] : [];
    }),
  );
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
    description: `Cargo ${kindWords[kind]} of ${owner.name}, release with line tables`,
    takesArguments: true,
    prepare: async ({ runStep, args }: PrepareTools) => {
      const output = await runStep(buildStep(owner, name, kind));
      const program = builtExecutable(output, name, kind);
      if (!program) {
        throw new TargetError(
          `Cargo built the ${kindWords[kind]} ${name}, but named no executable for it.`,
          `Run "cargo build --release --${kind} ${name}" in a terminal to see what it says.`,
        );
      }
      // Cargo runs a benchmark with --bench: without it the harness only tests that it works.
      const allArgs = kind === 'bench' ? ['--bench', ...args] : args;
      return { name, program, args: allArgs, cwd, env: { CARGO_MANIFEST_DIR: cwd } };
    },
  };
}

function buildStep(owner: CargoPackage, name: string, kind: CargoKind): Step {
  const selection = ['--manifest-path', owner.manifest_path, '--package', owner.name, `--${kind}`, name];
  const command = kind === 'bench' ? ['bench', '--no-run'] : ['build', '--release'];
  // The bench profile inherits from release, but an own [profile.bench] of the user may say otherwise.
  const tables = kind === 'bench' ? [...LINE_TABLES('bench'), ...LINE_TABLES('release')] : LINE_TABLES('release');
  const args = [...command, ...selection, '--message-format=json-render-diagnostics', ...tables];
  return {
    title: `Building ${name}`,
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
      target?: { name?: string; kind?: string[] };
    };
    if (message.reason !== 'compiler-artifact' || !message.executable) continue;
    if (message.target?.name === name && message.target.kind?.includes(kind)) found = message.executable;
  }
  return found;
}
