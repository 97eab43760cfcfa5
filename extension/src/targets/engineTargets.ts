// Executables and processes that the engine found, as targets.

import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { visibleText } from '../../../core/foreignText.ts';
import type { Executable, Process } from '../../../core/wire.ts';
import type { Target } from './target.ts';

/** An ELF executable of the workspace, run as it is: nobody knows how to build it. */
export function executableTarget(executable: Executable, folder: string): Target {
  const { path: program, stripped, hasDebugLines } = executable;
  const relative = path.relative(folder, program);
  const shown = visibleText(relative.startsWith('..') ? program : relative);
  const lacking = stripped ? l10n.t('{0}, stripped: no lines or names', shown) : l10n.t('{0}, no line tables', shown);
  return {
    id: `executable:${program}`,
    kind: 'executable',
    label: visibleText(path.basename(program)),
    description: hasDebugLines ? shown : lacking,
    takesArguments: true,
    prepare: async ({ args }) => ({ name: path.basename(program), program, args, cwd: folder, env: {} }),
  };
}

/** A running process; its id dies with it. */
export function processTarget({ pid, name, commandLine, user }: Process): Target {
  return {
    id: `process:${pid}`,
    kind: 'process',
    label: `${visibleText(name)} (${pid})`,
    description: `${visibleText(user)}  ${visibleText(commandLine, 200)}`,
    takesArguments: false,
    prepare: async () => ({ name: `${name} (${pid})`, attachPid: pid }),
  };
}
