// Executables and processes that the engine found, as targets.
import path from 'node:path';
import { visibleText } from '../../../core/foreignText.ts';
import type { Executable, Process } from '../../../core/wire.ts';
import type { Target } from './target.ts';

/** An ELF executable of the workspace, run as it is: nobody knows how to build it. */
export function executableTarget(executable: Executable, folder: string): Target {
  const { path: program, stripped, hasDebugLines } = executable;
  const relative = path.relative(folder, program);
  const known = hasDebugLines ? '' : stripped ? ', stripped: no lines or names' : ', no line tables';
  return {
    id: `executable:${program}`,
    kind: 'executable',
    label: visibleText(path.basename(program)),
    description: `${visibleText(relative.startsWith('..') ? program : relative)}${known}`,
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
