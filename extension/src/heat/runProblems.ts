// What a run's problems (sentences of the engine) ask of the user: which are worth a message, and the lines to add.
import { asEditorWords } from '../../../core/advisedCommands.ts';
import type { RunOpened } from '../../../core/wire.ts';

/** Something to put into a build's settings, as a problem advises it. */
export interface AdvisedLine {
  /** Where it goes: `CMake`, `make`, `Cargo.toml`, `dune`. */
  readonly place: string;
  readonly text: string;
}

const PLACES = ['CMake', 'make', 'Cargo.toml', 'dune', 'Go'];

/** The lines that a problem advises: `CMake: -D…. make: CFLAGS=….`; none in most. */
export function advisedLines(problem: string): AdvisedLine[] {
  const starts = [...problem.matchAll(new RegExp(`(?:^|[.:] )(${PLACES.join('|').replace('.', '\\.')}): `, 'g'))];
  return starts.map((start, at) => {
    const from = start.index + start[0].length;
    const end = starts[at + 1]?.index ?? problem.length;
    const text = problem.slice(from, end).trim().replace(/\.$/, '');
    return { place: start[1]!, text: asLines(start[1]!, text) };
  });
}

/** Advice in one sentence, as it stands in the file. */
function asLines(place: string, text: string): string {
  if (place !== 'Cargo.toml' && place !== 'dune') return text;
  return text.replace(/^(\[[^\]]+\]) /, '$1\n').replaceAll(' and ', '\n');
}

/** Those that concern the measure at `value`. */
export const problemsOfMeasure = (
  { problems, measureProblems }: Pick<RunOpened, 'problems' | 'measureProblems'>,
  value: number,
): string[] => {
  const others = measureProblems.filter((of) => !of.values.includes(value)).flatMap((of) => of.problems);
  return problems.filter((problem) => !others.includes(problem));
};

/** The problems that are the program's own or the recording's: libraries without line tables are ordinary. */
export function problemsWorthTelling(problems: readonly string[], program: string): string[] {
  const name = program.slice(program.lastIndexOf('/') + 1);
  const isOwn = (problem: string) =>
    name !== '' && (problem.includes(program) || problem.startsWith(`${name} `) || problem.startsWith(`${name}:`));
  const isOfModule = (problem: string) => /^\S+ \([<\d.]+ % of the samples\)/.test(problem);
  return problems.filter((problem) => isOwn(problem) || !isOfModule(problem));
}

/** What a message of one sentence says of a problem: its first. */
export function headline(problem: string): string {
  const sentence = /^.+?[.!?](?=\s+[A-Z`]|$)/s.exec(problem)?.[0] ?? problem;
  return asEditorWords(sentence);
}

/** The same for the same problem of the same program, however its figures change from run to run. */
export function problemKey(problem: string, program: string): string {
  return `${program}: ${problem.replace(/[\d.,]*\d/g, '#')}`.slice(0, 500);
}
