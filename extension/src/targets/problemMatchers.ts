// What compilers complain of, read from a build's output by the problem matchers of the manifest, as a task would read it.
import path from 'node:path';

/** One line of a message, as `contributes.problemMatchers` of a manifest has it: numbers are groups of the expression. */
export interface ProblemPattern {
  readonly regexp: string;
  readonly file?: number;
  readonly line?: number;
  readonly column?: number;
  readonly severity?: number;
  readonly message?: number;
}

export interface ProblemMatcher {
  readonly source: string;
  /** Of messages that name none. */
  readonly severity?: string;
  readonly pattern: ProblemPattern | readonly ProblemPattern[];
}

export interface Problem {
  /** Absolute. */
  readonly file: string;
  readonly line: number; // from 1
  readonly column: number; // from 1; 0: unknown
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  /** The compiler's name. */
  readonly source: string;
}

type Found = Partial<Record<'file' | 'line' | 'column' | 'severity' | 'message', string>>;

const PROBLEMS_MAX = 1000;
const LINE_MAX = 4000; // characters
const ENTERS = /^(?:\S*make(?:\[\d+\])?|ninja): Entering directory [`'](.+)'$/;
const LEAVES = /^\S*make(?:\[\d+\])?: Leaving directory /;

/** Reads the output of one build step as it comes. */
export class ProblemReader {
  private rest = '';
  private readonly attempts: Attempt[];
  private readonly directories: string[];
  private readonly found = new Map<string, Problem>();

  /** `isFile` says whether a path is one of a file; names that lead to none are left out. */
  constructor(
    matchers: readonly ProblemMatcher[],
    cwd: string,
    private readonly isFile: (file: string) => boolean,
  ) {
    this.attempts = matchers.map((matcher) => new Attempt(matcher));
    this.directories = [cwd];
  }

  /** Each once, in the order of the output. */
  get problems(): readonly Problem[] {
    return [...this.found.values()];
  }

  read(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop()!.slice(0, LINE_MAX);
    for (const line of lines) this.readLine(line.slice(0, LINE_MAX));
  }

  private readLine(line: string): void {
    const entered = ENTERS.exec(line)?.[1];
    if (entered) this.directories.push(path.resolve(this.directories[0]!, entered));
    else if (LEAVES.test(line) && this.directories.length > 1) this.directories.pop();
    for (const attempt of this.attempts) {
      const found = attempt.read(line);
      if (found) this.add(found, attempt.matcher);
    }
  }

  private add(found: Found, { source, severity }: ProblemMatcher): void {
    const file = this.placed(found.file ?? '');
    if (!file || this.found.size >= PROBLEMS_MAX) return;
    const problem: Problem = {
      file,
      line: Number(found.line ?? 1),
      column: Number(found.column ?? 0),
      severity: severityOf(found.severity ?? severity ?? 'error'),
      message: found.message ?? '',
      source,
    };
    // A header's message comes once for each file that includes it.
    this.found.set(JSON.stringify(problem), problem);
  }

  /** A relative name belongs to the directory that the build is in, or to the one where it started. */
  private placed(file: string): string | undefined {
    const places = [this.directories.at(-1)!, this.directories[0]!].map((directory) => path.resolve(directory, file));
    return places.find(this.isFile);
  }
}

/** A message of one matcher, of which the first lines may have come. */
class Attempt {
  private readonly patterns: readonly (ProblemPattern & { readonly expression: RegExp })[];
  private next = 0;
  private sofar: Found = {};

  constructor(readonly matcher: ProblemMatcher) {
    const patterns = [matcher.pattern].flat() as ProblemPattern[];
    this.patterns = patterns.map((pattern) => ({ ...pattern, expression: new RegExp(pattern.regexp) }));
  }

  /** The message that this line ends, if it ends one. */
  read(line: string): Found | undefined {
    let match = this.patterns[this.next]!.expression.exec(line);
    if (!match && this.next > 0) {
      this.start();
      match = this.patterns[0]!.expression.exec(line);
    }
    if (!match) return undefined;
    const pattern = this.patterns[this.next]!;
    for (const part of ['file', 'line', 'column', 'severity', 'message'] as const) {
      const text = match[pattern[part] ?? Number.NaN];
      if (text !== undefined) this.sofar[part] = text;
    }
    this.next++;
    if (this.next < this.patterns.length) return undefined;
    const found = this.sofar;
    this.start();
    return found;
  }

  private start(): void {
    this.next = 0;
    this.sofar = {};
  }
}

function severityOf(word: string): Problem['severity'] {
  if (/error/i.test(word)) return 'error';
  return /warning/i.test(word) ? 'warning' : 'info';
}
