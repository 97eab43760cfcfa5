// What this workspace profiled last and how, and the arguments that the user gave to each target.
import type { Memento } from 'vscode';
import type { RecordSettings } from '../../recording/recordOptions.ts';
import type { SweepParameter } from '../../targets/sweepText.ts';

/** A program that was named by a caller of the command instead of being found. */
export interface NamedProgram extends Partial<RecordSettings> {
  readonly program: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** How a recording was asked for, beyond what the settings say: several runs of it, a sweep, or neither. */
export interface RecordingAnswers {
  readonly repeats?: Partial<RecordSettings>;
  readonly sweep?: SweepAnswers;
}

export interface SweepAnswers {
  readonly parameters: readonly SweepParameter[];
  /** With places for the parameters; missing where the target's own have them. */
  readonly args?: readonly string[];
}

type Saved = ({ readonly id: string } | { readonly program: NamedProgram }) & RecordingAnswers;

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

  setId(id: string, answers: RecordingAnswers): Thenable<void> {
    return this.memory.update(LAST, { id, ...answers });
  }

  /** Environment variables are never stored: they may hold secrets. */
  setProgram({ env: _, ...program }: NamedProgram, answers: RecordingAnswers): Thenable<void> {
    return this.memory.update(LAST, { program, ...answers });
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
