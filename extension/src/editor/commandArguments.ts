// What commands take: anyone may call one with anything, so each argument is checked before it is used. Menus pass rows of views and
// addresses of files, which are no mistake but may be nothing for the command.
import * as l10n from '@vscode/l10n';
import type { NamedFunction } from '../../../core/namedFunction.ts';
import type { RunSummary } from '../../../core/wire.ts';
import { CALLER_OPTIONS, whatCallersGive } from '../recording/recordOptions.ts';
import { argumentText } from '../targets/argumentText.ts';
import { parseSweep, type SweepParameter } from '../targets/sweepText.ts';
import { TargetError } from '../targets/target.ts';
import type { NamedProgram } from './targets/lastTarget.ts';

/** A run of the Runs view. */
export function isRun(argument: unknown): argument is RunSummary {
  return typeof argument === 'object' && argument !== null && 'path' in argument && 'samples' in argument;
}

/** A command on a run of the Runs view; called with anything else it does nothing. */
export function onRun(run: (summary: RunSummary) => unknown): (argument?: unknown) => unknown {
  return (argument) => (isRun(argument) ? run(argument) : undefined);
}

/** A function of the open profile; an empty module is any. */
export function isFunction(argument: unknown): argument is NamedFunction {
  if (typeof argument !== 'object' || argument === null) return false;
  const { name, module } = argument as Record<string, unknown>;
  return typeof name === 'string' && typeof module === 'string';
}

export function isSweep(argument: unknown): argument is { sweep: string } {
  return typeof argument === 'object' && argument !== null && 'sweep' in argument && typeof argument.sweep === 'string';
}

/** The path of a file: as text, or from a menu as the editor's `Uri`, whose class the caller knows. */
export function pathOf(
  argument: unknown,
  isUri: (argument: unknown) => argument is { readonly scheme: string; readonly fsPath: string },
): string | undefined {
  if (typeof argument === 'string' && argument) return argument;
  return isUri(argument) && argument.scheme === 'file' ? argument.fsPath : undefined;
}

/** Two runs to compare. */
export function namedComparison(argument: unknown): { base: string; new: string } | undefined {
  if (typeof argument !== 'object' || argument === null) return undefined;
  const { base, new: current } = argument as Record<string, unknown>;
  return typeof base === 'string' && typeof current === 'string' ? { base, new: current } : undefined;
}

/** Checks what a caller of the command gave; menus pass a Uri, which is no program. */
export function isNamedProgram(value: unknown): value is NamedProgram {
  if (typeof value !== 'object' || value === null || !('program' in value)) return false;
  const { program, args = [], cwd = '', env = {}, ...more } = value as Record<string, unknown>;
  const argumentList = Array.isArray(args) ? args : [undefined];
  const texts = [program, cwd, ...argumentList, ...Object.values(env as object)];
  const areOptions = Object.entries(CALLER_OPTIONS).every(([name, type]) => isOption(more[name], type));
  if (texts.every((text) => typeof text === 'string') && program !== '' && areOptions) return true;
  throw new TargetError(whatCallersGive());
}

/** Undefined: the caller leaves it to the settings. */
function isOption(value: unknown, type: string): boolean {
  if (value === undefined) return true;
  return typeof value === type && (typeof value !== 'number' || value >= 0);
}

/** The parameters that a caller gives: `{ set: ['threads=1,2,4'] }`, as on the command line. */
export function sweepParametersOf(named: NamedProgram & { readonly set?: unknown }): readonly SweepParameter[] {
  const { set } = named;
  const isList = Array.isArray(set) && set.every((one) => typeof one === 'string');
  const parsed = isList
    ? parseSweep(argumentText(set))
    : l10n.t('"set" must be a list of texts such as threads=1,2,4.');
  if (typeof parsed === 'string') throw new TargetError(`lineheat.sweep: ${parsed}`);
  return parsed;
}

/** Whether a program called: a user's menus and keys give no such argument. */
export function isFromProgram(argument: unknown): boolean {
  if (typeof argument === 'string') return true;
  return typeof argument === 'object' && argument !== null && ('program' in argument || 'base' in argument);
}
