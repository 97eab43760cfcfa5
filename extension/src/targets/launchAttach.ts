// `attach` of launch.json: which of the running processes a configuration means.
import path from 'node:path';
import type { Process } from '../../../core/wire.ts';

const COMM_MAX = 15; // the kernel keeps that many characters of a process's name

/** The process id in `value`; undefined when it asks the user, as `${command:pickProcess}` does, or says nothing. */
export function attachedPid(value: unknown): number | undefined {
  const pid = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof pid === 'number' && Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

/** Debuggers and their extensions have commands of these names: here the user chooses from our own list. */
export function asksForProcess(value: unknown): boolean {
  return typeof value === 'string' && /^\$\{command:[\w.-]*pick\w*process\w*\}$/i.test(value);
}

/** The processes that run `program`; by name where another user's command line is not known in full. */
export function processesOf<Known extends Pick<Process, 'name' | 'commandLine'>>(
  processes: readonly Known[],
  program: string,
): Known[] {
  const base = path.basename(program);
  const isCommand = ({ commandLine }: Known) => commandLine === program || commandLine.startsWith(`${program} `);
  const whole = processes.filter(isCommand);
  return whole.length > 0 ? whole : processes.filter(({ name }) => name === base.slice(0, COMM_MAX));
}
