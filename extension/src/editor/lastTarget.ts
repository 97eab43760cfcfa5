// What this workspace profiled last, and the arguments that the user gave to each target.
import type { Memento } from 'vscode';
import type { RecordSettings } from './settings.ts';

/** A program that was named by a caller of the command instead of being found. */
export interface NamedProgram extends Partial<RecordSettings> {
  readonly program: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

type Saved = { readonly id: string } | { readonly program: NamedProgram };

const LAST = 'lineheat.lastTarget';
const ARGUMENTS = 'lineheat.arguments';

export class LastTarget {
  constructor(private readonly memory: Memento) {}

  get(): Saved | undefined {
    return this.memory.get<Saved>(LAST);
  }

  get id(): string | undefined {
    const saved = this.get();
    return saved && 'id' in saved ? saved.id : undefined;
  }

  setId(id: string): Thenable<void> {
    return this.memory.update(LAST, { id });
  }

  /** Environment variables are never stored: they may hold secrets. */
  setProgram({ env: _, ...program }: NamedProgram): Thenable<void> {
    return this.memory.update(LAST, { program });
  }

  argumentsOf(id: string): readonly string[] {
    const saved = this.memory.get<Record<string, string[]>>(ARGUMENTS, {});
    return Object.hasOwn(saved, id) ? saved[id]! : [];
  }

  setArguments(id: string, args: readonly string[]): Thenable<void> {
    const saved = { ...this.memory.get<Record<string, string[]>>(ARGUMENTS, {}) };
    if (args.length > 0) saved[id] = [...args];
    else delete saved[id];
    return this.memory.update(ARGUMENTS, saved);
  }
}
