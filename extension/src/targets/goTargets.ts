// Programs of a Go module: its main packages, built with the debug information that a profile needs.

import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { visibleText } from '../../../core/foreignText.ts';
import type { PrepareTools, Step, Target } from './target.ts';

/** Where the programs go: the source folders stay as they are. */
const OUT_FOLDER = 'build/lineheat/go';
/** Listing must not download modules or another toolchain: nobody has asked for that yet. */
const OFFLINE = { GOPROXY: 'off', GOTOOLCHAIN: 'local' };
const LIST_TIMEOUT_MS = 20_000;

/** The main packages of the module in `folder`. Throws StepFailed when Go cannot list them. */
export async function findGoTargets(folder: string, run: (step: Step) => Promise<string>): Promise<Target[]> {
  const format = '{{if eq .Name "main"}}{{.Dir}}{{end}}';
  const listed = await run({
    title: l10n.t('Reading the Go packages'),
    command: 'go',
    // -e: a package whose dependencies are not here yet is listed all the same.
    args: ['list', '-e', '-f', format, './...'],
    cwd: folder,
    quietOutput: true,
    env: OFFLINE,
    timeoutMs: LIST_TIMEOUT_MS,
  });
  return goTargets(listed, folder);
}

/** The targets for the package folders that `go list` printed, one on a line. */
export function goTargets(listed: string, folder: string): Target[] {
  return listed
    .split('\n')
    .filter((line) => line !== '' && !path.relative(folder, line).startsWith('..'))
    .map((packageFolder) => goTarget(packageFolder, folder));
}

function goTarget(packageFolder: string, folder: string): Target {
  const inside = path.relative(folder, packageFolder);
  const name = path.basename(packageFolder);
  const program = path.join(folder, OUT_FOLDER, inside.replaceAll(path.sep, '-') || name);
  return {
    id: `go:${packageFolder}`,
    kind: 'go',
    label: visibleText(name),
    description: visibleText(
      inside
        ? l10n.t('Go program {0}, optimised with line tables', `./${inside}`)
        : l10n.t('Go program, optimised with line tables'),
    ),
    takesArguments: true,
    prepare: async ({ runStep, args }: PrepareTools) => {
      await runStep({
        title: l10n.t('Building {0}', name),
        command: 'go',
        args: [
          'build',
          // $GOFLAGS may strip programs and shorten paths: a profile needs line tables and the real paths.
          ...['-ldflags=-s=false -w=false', '-trimpath=false'],
          ...['-o', program, `./${inside}`],
        ],
        cwd: folder,
      });
      return { name, program, args, cwd: folder, env: {}, runName: name };
    },
  };
}
